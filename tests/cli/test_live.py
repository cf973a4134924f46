"""What is shown of a running job: polder top, polder run --watch, and where ranks stood when a job is ended."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import unittest

from harness import POLDER, RunTest, wait_until

WAITER = os.environ["POLDER_WAITER"]
PASSIVE = os.environ["POLDER_PASSIVE"]


class LiveTest(RunTest):
    def start_waiter(self, ranks, *words, options=(), **more):
        return self.start_job(ranks, *words, options=options, program=[WAITER], **more)

    def top(self, job, *options):
        done = subprocess.run([POLDER, "top", str(job), *options], capture_output=True, text=True, timeout=60, env=self.environment,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def wait_for_table(self, job, pattern):
        """Until a line of `polder top --once` matches."""
        found = []

        def look():
            done = subprocess.run([POLDER, "top", str(job.pid), "--once"], capture_output=True, text=True, timeout=60,
                                  env=self.environment, check=False)  # fails before the ranks are there
            found[:] = [line for line in done.stdout.splitlines() if re.search(pattern, line)]
            return bool(found)

        wait_until(look, pattern)
        return found[0]

    def interrupt(self, job):
        job.send_signal(signal.SIGINT)
        self.assertEqual(self.finish(job), 130)


class EndTest(LiveTest):
    def test_an_interrupt_says_where_every_rank_stood(self):
        job = self.start_waiter(4, "barrier", "1", "2")
        self.wait_for_table(job, r" 3 .*waits in barrier of the world for ranks 1, 2, for ")
        self.wait_for_table(job, r" 0 .*waits in barrier of the world for ranks 1, 2, for ")
        self.interrupt(job)
        self.assertRegex(self.error, r"(?m)^polder: ranks 0, 3 wait in barrier of the world for ranks 1, 2, for [0-9.]+ m?s$")
        self.assertRegex(self.error, r"(?m)^polder: ranks 1, 2 sleep, in no long wait of Polder$")

    def test_a_timeout_says_so(self):
        job = self.start_waiter(3, "allreduce", "2", "busy", options=("--timeout", "8"))
        self.assertEqual(self.finish(job), 124)
        self.assertRegex(self.error, r"(?m)^polder: the job ran longer than 8 s \(--timeout\); ending it$")
        self.assertRegex(self.error, r"(?m)^polder: ranks 0, 1 wait in allgather or allreduce of the world for rank 2, for [0-9.]+ m?s$")
        self.assertRegex(self.error, r"(?m)^polder: rank 2 computes$")

    def test_a_notification_names_its_flag(self):
        job = self.start_waiter(2, "notification", "1")
        self.wait_for_table(job, r" 0 .*waits for notification 3 of segment 0, for ")
        self.interrupt(job)
        self.assertRegex(self.error, r"(?m)^polder: rank 0 waits for notification 3 of segment 0, for [0-9.]+ m?s$")

    def test_waits_of_the_gaspi_door_that_are_no_calls_of_the_runtime(self):
        job = self.start_job(3, program=[PASSIVE])
        self.wait_for_table(job, r" 0 .*waits for a passive message, for ")
        self.wait_for_table(job, r" 1 .*waits in a passive send for rank 2, for ")
        self.interrupt(job)
        self.assertRegex(self.error, r"(?m)^polder: rank 1 waits in a passive send for rank 2, for [0-9.]+ m?s$")

    def test_a_thread_that_receives_for_ever_hides_no_other(self):
        job = self.start_job(2, "beside", program=[PASSIVE])
        self.wait_for_table(job, r" 0 .*waits in barrier of the world for rank 1, for ")
        self.interrupt(job)
        self.assertRegex(self.error, r"(?m)^polder: rank 0 waits in barrier of the world for rank 1, for [0-9.]+ m?s$")

    def test_a_stopped_rank_is_one(self):
        job = self.start_waiter(2, "barrier", "1")
        self.wait_for_table(job, r" 0 .*waits in barrier")
        page = f"/proc/{job.pid}/task/{job.pid}/children"
        with open(page, encoding="ascii") as file:
            ranks = [int(pid) for pid in file.read().split() if b"POLDER_RANK=1\0" in self.environment_of(int(pid))]
        self.assertEqual(len(ranks), 1)
        os.kill(ranks[0], signal.SIGSTOP)
        self.wait_for_table(job, r" 1 .*is stopped")
        os.kill(ranks[0], signal.SIGCONT)
        self.interrupt(job)

    @staticmethod
    def environment_of(pid):
        with open(f"/proc/{pid}/environ", "rb") as file:
            return file.read()

    def test_programs_without_a_runtime_are_ended_without_a_word(self):
        job = self.start_job(2, program=["sleep", "100"])
        wait_until(lambda: os.path.exists(f"/proc/{job.pid}/fd"), "the launcher")
        job.send_signal(signal.SIGINT)
        self.finish(job)
        self.assertNotIn("in no long wait", self.error)


class WatchTest(LiveTest):
    def test_lines_in_a_pipe(self):
        job = self.start_waiter(3, "barrier", "0", options=("--watch",))
        self.wait_for_table(job, r" 2 .*waits in barrier")
        text = ""
        while "ranks 1, 2 wait in barrier of the world for rank 0" not in text:
            ready, _, _ = select.select([job.stderr], [], [], 100)
            self.assertTrue(ready, text)
            text += os.read(job.stderr.fileno(), 65536).decode()
        self.assertRegex(text, r"(?m)^polder: [0-9.]+ s: ranks 1, 2 wait in barrier of the world for rank 0, for ")
        self.interrupt(job)

    def test_a_table_on_a_terminal(self):
        """Drawn anew in place, and taken away before a rank's line and at the end."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 120, 0, 0))
        self.addCleanup(os.close, ours)
        job = subprocess.Popen([POLDER, "run", "-n", "2", "--watch", "sh", "-c", 'echo "a line"; exec "$0" barrier 1', WAITER],
                               stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, env=self.environment)
        os.close(theirs)
        self.addCleanup(self.end, job)
        text = ""

        def more():
            nonlocal text
            try:
                text += os.read(ours, 65536).decode() if select.select([ours], [], [], 0.1)[0] else ""
            except OSError:  # nobody has the other end any more
                return True
            return False

        wait_until(lambda: more() or len(re.findall(r"waits in barrier of the world for rank 1, for ", text)) >= 2, "two tables")
        job.send_signal(signal.SIGINT)
        wait_until(more, "the end of the output")
        self.assertEqual(job.wait(60), 130)
        self.assertEqual(text.count("a line\r\n"), 2)
        self.assertIn(" rank   cores", text)
        self.assertRegex(text, "\x1b\\[3F\x1b\\[J")
        self.assertRegex(text, "\x1b\\[Jpolder: rank 0 waits in barrier of the world for rank 1, for ")
        shown = text.count(" rank   cores")
        self.assertEqual(text.count("\x1b[J"), shown, "every table but the last is replaced, and that one is taken away")


class CountersTest(LiveTest):
    """The machine may forbid them or not."""

    def run_with(self, names):
        return self.run_job(2, "barrier", options=("--trace", self.path("trace"), "--trace-counters", names), program=[WAITER])

    def test_what_is_refused_is_said_once_and_ends_nothing(self):
        self.assertEqual(self.run_with("cycles,instructions"), 0, self.error)
        told = re.findall(r"polder: warning: POLDER_TRACE_COUNTERS: not counted: [a-z, ]+; .+", self.error)
        self.assertEqual(self.error.count("POLDER_TRACE_COUNTERS"), len(told))
        self.assertLessEqual(len(told), 1)

    def test_unknown_ones_are_refused(self):
        self.assertEqual(self.run_with("miracles"), 99)
        self.assertIn("POLDER_TRACE_COUNTERS: there is no counter 'miracles'; there are cycles, instructions", self.error)


class TopTest(LiveTest):
    def test_it_ends_with_the_job(self):
        job = self.start_waiter(2, "barrier", "1")
        self.wait_for_table(job, r" 0 .*waits in barrier")
        top = subprocess.Popen([POLDER, "top", str(job.pid)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env=self.environment)
        self.addCleanup(self.end, top)
        first = top.stdout.readline()
        self.assertRegex(first, r"^[0-9.]+ s: rank 0 waits in barrier of the world for rank 1, for ")
        self.interrupt(job)
        top.communicate(timeout=100)
        self.assertEqual(top.returncode, 0)

    def test_a_busy_rank_takes_a_core_and_a_waiting_one_sleeps(self):
        job = self.start_waiter(2, "barrier", "1", "busy")
        self.wait_for_table(job, r" 0 +0 % +100 % ")
        self.wait_for_table(job, r" 1 +[1-9][0-9]* % +0 % .* computes")
        self.interrupt(job)

    def test_no_such_job(self):
        for name, mentioned in (("1", "process 1 is no `polder run`"), ("/dev/null", "no job page")):
            with self.subTest(name):
                done = subprocess.run([POLDER, "top", name], capture_output=True, text=True, timeout=60, env=self.environment,
                                      check=False)
                self.assertEqual(done.returncode, 1)
                self.assertIn(mentioned, done.stderr)


if __name__ == "__main__":
    unittest.main()
