import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from polder_bench.hogs import Hogs
from polder_bench.process import Failure, run, run_measurements

LIMITS = os.path.join(os.path.dirname(os.environ.get("POLDER_BENCH", "")), "bench-limits")


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def gone_soon(pid):
    for _ in range(200):
        if not alive(pid):
            return True
        time.sleep(0.05)
    return False


class Run(unittest.TestCase):
    def test_reads_only_measurements(self):
        script = "echo a launcher talks; echo '{\"name\": \"x\", \"ns\": [1]}'"
        self.assertEqual(run_measurements(["sh", "-c", script], 20), [{"name": "x", "ns": [1]}])

    def test_failures_say_what_and_why(self):
        with self.assertRaisesRegex(Failure, "exit code 3: broken"):
            run(["sh", "-c", "echo broken >&2; exit 3"], 20)
        with self.assertRaisesRegex(Failure, "/no/such/program"):
            run(["/no/such/program"], 20)

    def test_too_long_ends_the_whole_group(self):
        # A child that ignores the polite signal, of a shell that does, too.
        script = "trap '' TERM; sleep 300 & echo $! >&2; echo $! > \"$1\"; wait; wait"
        mark = os.path.join(os.environ.get("TMPDIR", "/tmp"), f"polder-bench-test-{os.getpid()}")
        self.addCleanup(lambda: os.path.exists(mark) and os.unlink(mark))
        with self.assertRaisesRegex(Failure, "not done after 1 s"):
            run(["sh", "-c", script, "sh", mark], 1)
        with open(mark, encoding="utf-8") as file:
            self.assertTrue(gone_soon(int(file.read())))

    def test_too_long_ends_what_is_stopped_in_a_session_of_its_own(self):
        with tempfile.TemporaryDirectory() as folder:
            mark = os.path.join(folder, "pid")
            script = 'setsid sh -c \'echo $$ > "$1.new"; mv "$1.new" "$1"; kill -STOP $$\' sh "$1" & sleep 300'
            with self.assertRaisesRegex(Failure, "not done after 5 s"):
                run(["sh", "-c", script, "sh", mark], 5)
            with open(mark, encoding="utf-8") as file:
                pid = int(file.read())
        try:
            self.assertTrue(gone_soon(pid))
        finally:
            if alive(pid):
                os.kill(pid, signal.SIGKILL)


@unittest.skipUnless(os.access(LIMITS, os.X_OK), "bench-limits is not built")
class HogsEnd(unittest.TestCase):
    def test_one_per_core_and_none_afterwards(self):
        with Hogs(LIMITS) as hogs:
            pids = [child.pid for child in hogs.children]
            self.assertEqual([os.sched_getaffinity(pid) for pid in pids], [{core} for core in sorted(os.sched_getaffinity(0))])
            self.assertTrue(all(alive(pid) for pid in pids))
        self.assertFalse(any(alive(pid) for pid in pids))

    def test_they_do_not_outlive_a_driver_that_is_killed(self):
        script = ("import sys, time\nfrom polder_bench.hogs import Hogs\n"
                  "with Hogs(sys.argv[1]) as h:\n print(*[c.pid for c in h.children], flush=True)\n time.sleep(300)")
        driver = subprocess.Popen([sys.executable, "-B", "-c", script, LIMITS], stdout=subprocess.PIPE, text=True)
        pids = [int(word) for word in driver.stdout.readline().split()]
        driver.kill()
        driver.wait()
        driver.stdout.close()
        self.assertTrue(pids)
        self.assertTrue(all(gone_soon(pid) for pid in pids))


if __name__ == "__main__":
    unittest.main()
