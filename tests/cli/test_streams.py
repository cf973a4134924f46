"""Standard input, output and error of ranks."""

import contextlib
import os
import pty
import re
import select
import shlex
import shutil
import signal
import subprocess
import time
import unittest

from harness import ACTOR, PATIENCE, RunTest, command, processes_with, wait_until

TAG = ("--tag-output",)


class TagTest(RunTest):
    def test_lines_and_streams(self):
        self.assertEqual(self.run_job(3, "print=out", "error=err", options=TAG), 0)
        self.assertEqual(self.lines, [f"[{rank}] out" for rank in range(3)])
        self.assertEqual(sorted(self.error.splitlines()), [f"[{rank}] err" for rank in range(3)])

    def test_a_last_line_without_end(self):
        self.assertEqual(self.run_job(2, program=["printf", "a\\n\\nrest"], options=TAG), 0)
        self.assertEqual(self.lines, ["[0] ", "[0] a", "[0] rest", "[1] ", "[1] a", "[1] rest"])

    def test_lines_stay_whole_and_in_order(self):
        self.assertEqual(self.run_job(8, "lines=2000", options=TAG), 0)
        self.assertEqual(len(self.lines), 8 * 2000)
        for rank in range(8):
            self.assertEqual(self.lines.count(f"[{rank}] " + str(rank) * 300), 2000)

    def test_lines_stay_whole_where_both_streams_share_a_pipe(self):
        script = 'for i in 1 2 3 4 5 6 7 8; do "$0" lines=50; "$0" lines=50 >&2; done'
        done = subprocess.run(command(4, program=["sh", "-c", script, ACTOR], options=TAG), stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=PATIENCE, env=self.environment, check=False)
        lines = done.stdout.splitlines()
        self.assertEqual(len(lines), 4 * 8 * 100)
        for line in lines:
            self.assertRegex(line, r"^\[(\d)\] \1{300}$")

    def test_a_slow_reader_holds_the_ranks_and_loses_nothing(self):
        job = self.start_job(2, "lines=3000", options=TAG)
        time.sleep(0.3)
        self.assertIsNone(job.poll())
        self.assertEqual(self.finish(job), 0)
        self.assertEqual(len(self.lines), 6000)

    def test_a_job_can_be_ended_while_its_reader_sleeps(self):
        job = self.start_job(2, "lines=100000", options=TAG)
        select.select([job.stdout], [], [], PATIENCE)  # it looks after its ranks by then
        job.terminate()
        self.assertEqual(self.finish(job), 143)

    def test_a_job_ends_on_time_while_nobody_reads(self):
        for options in ((), TAG):
            read_end, write_end = os.pipe()
            self.addCleanup(os.close, read_end)
            job = subprocess.Popen(command(1, program=["yes"], options=("--timeout", "1", "--grace", "0.2", *options)),
                                   stdin=subprocess.DEVNULL, stdout=write_end, stderr=write_end, env=self.environment)
            self.addCleanup(self.end, job)
            os.close(write_end)
            self.assertEqual(job.wait(PATIENCE), 124)

    def test_a_job_can_be_ended_within_a_long_line(self):
        script = "head -c 200000 /dev/zero | tr '\\0' x; echo; exec sleep 1000"
        job = self.start_job(1, program=["sh", "-c", script], options=TAG)
        wait_until(lambda: select.select([job.stdout], [], [], 0)[0], "output")
        job.terminate()
        wait_until(lambda: len(processes_with(self.marker)) == 1, "the end of the rank")
        self.assertEqual(self.finish(job), 143)
        self.assertEqual(self.lines, ["[0] " + "x" * 200000])

    def test_the_launcher_can_be_ended_while_it_waits_for_a_reader(self):
        ready, wait_ready = self.ready_files(2)
        job = self.start_job(2, "lines=200", *ready, options=TAG)  # more than a pipe holds, less than all pipes together
        wait_ready()
        wait_until(lambda: len(processes_with(self.marker)) == 1, "the end of the ranks")
        time.sleep(0.1)
        self.assertIsNone(job.poll())
        job.terminate()
        self.assertEqual(job.wait(PATIENCE), -signal.SIGTERM)

    def test_a_reader_that_leaves(self):
        job = self.start_job(2, "lines=100000", "hold", options=(*TAG, "--grace", "0.2"))
        job.stdout.readline()
        job.stdout.close()
        self.assertEqual(job.wait(PATIENCE), 141)  # SIGPIPE, as without tags

    def test_a_line_of_a_megabyte(self):
        script = "head -c 1000000 /dev/zero | tr '\\0' x; echo"
        self.assertEqual(self.run_job(2, program=["sh", "-c", script], options=TAG), 0)
        self.assertEqual(self.lines, ["[0] " + "x" * 1000000, "[1] " + "x" * 1000000])

    def test_into_a_file(self):
        with open(self.path("out"), "w", encoding="ascii") as file:
            subprocess.run(command(4, "lines=500", options=TAG), stdout=file, timeout=PATIENCE, env=self.environment, check=True)
        with open(self.path("out"), encoding="ascii") as file:
            self.assertEqual(len(file.readlines()), 2000)

    @unittest.skipUnless(shutil.which("bash"), "needs a shell with process substitution")
    def test_a_child_that_the_launcher_had_before_reads_to_the_end(self):
        go, file = self.path("go"), self.path("out")
        os.mkfifo(go)
        words = " ".join(map(shlex.quote, command(2, program=["printf", "x"])))
        reader = f"read line < {shlex.quote(go)}; exec cat > {shlex.quote(file)}"
        done = subprocess.run(["bash", "-c", f"exec {words} > >({reader})"], timeout=PATIENCE, env=self.environment, check=False)
        self.assertEqual(done.returncode, 0)
        self.assertTrue(processes_with(self.marker))
        with open(go, "w", encoding="ascii") as fifo:
            fifo.write("\n")
            fifo.flush()
            wait_until(lambda: not processes_with(self.marker), "the end of the reader")
        with open(file, encoding="ascii") as written:
            self.assertEqual(written.read(), "xx")

    def test_closed_output(self):
        job = self.start_job(2, "0:error=x", "sleep=10", options=TAG, preexec_fn=lambda: os.close(1))
        self.assertEqual(self.finish(job), 0)


class InputTest(RunTest):
    def test_rank_0_reads_it(self):
        self.assertEqual(self.run_job(3, "input", stdin="one\ntwo\n"), 0)
        self.assertEqual(self.lines, ["read one", "read two"])

    def test_much_of_it(self):
        text = "".join(f"{number}\n" for number in range(50000))
        self.assertEqual(self.run_job(2, "input", stdin=text), 0)
        self.assertEqual(len(self.lines), 50000)

    def test_the_others_read_nothing(self):
        self.assertEqual(self.run_job(2, "1:input", "1:print=end", stdin="one\n"), 0)
        self.assertEqual(self.lines, ["end"])


class TerminalTest(RunTest):
    """The launcher in front of a terminal."""

    def start_on_terminal(self, *words):
        pid, master = pty.fork()
        if pid == 0:
            os.execve(words[0], words, self.environment)
        self.addCleanup(os.close, master)
        self.master = master
        self.pid = pid
        self.text = ""

    def read_until(self, pattern):
        end = time.monotonic() + PATIENCE
        while not re.search(pattern, self.text):
            self.assertLess(time.monotonic(), end, f"in vain: {pattern!r} in {self.text!r}")
            if select.select([self.master], [], [], 1)[0]:
                with contextlib.suppress(OSError):
                    self.text += os.read(self.master, 65536).decode()

    def exit_code(self):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid != 0:
                return os.waitstatus_to_exitcode(status)
            if select.select([self.master], [], [], 0.01)[0]:
                with contextlib.suppress(OSError):
                    os.read(self.master, 65536)
        raise AssertionError("the launcher does not end")

    def test_ranks_see_the_terminal(self):
        self.start_on_terminal(*command(2, program=["sh", "-c", "test -t 1 && test -t 2 && echo terminal"]))
        self.read_until(r"terminal\r\nterminal")
        self.assertEqual(self.exit_code(), 0)

    def test_what_is_typed_reaches_rank_0(self):
        self.start_on_terminal(*command(2, "input", "0:print=end"))
        os.write(self.master, b"hello\n")
        self.read_until("read hello")
        os.write(self.master, b"again\n")
        self.read_until("read again")
        os.write(self.master, b"\x04")
        self.read_until("end")
        self.assertEqual(self.exit_code(), 0)

    def test_control_c(self):
        self.start_on_terminal(*command(2, "print=ready", "hold"))
        self.read_until(r"ready\r\nready")
        os.write(self.master, b"\x03")
        self.assertEqual(self.exit_code(), 130)

    @unittest.skipUnless(shutil.which("bash"), "needs a shell with job control")
    def test_in_the_background_and_back(self):
        self.start_on_terminal(shutil.which("bash"), "--norc", "--noprofile", "-i")
        words = " ".join(map(shlex.quote, command(2, "input", "0:print=end")))
        os.write(self.master, f"{words} &\n".encode())
        os.write(self.master, b"echo the-'shell'-reads\n")
        self.read_until("the-shell-reads")
        os.write(self.master, b"fg\n")
        self.read_until(r"(?s)fg\r\n.*run -n 2")
        time.sleep(0.5)
        os.write(self.master, b"typed\n")
        self.read_until("read typed")
        os.write(self.master, b"\x1a")
        self.read_until("Stopped")
        os.write(self.master, b"fg\n")
        time.sleep(0.5)
        os.write(self.master, b"more\n")
        self.read_until("read more")
        os.write(self.master, b"\x04")
        self.read_until("end\r\n")
        os.write(self.master, b"exit\n")
        self.assertEqual(self.exit_code(), 0)

    def test_hang_up(self):
        self.start_on_terminal(*command(2, "print=ready", "hold"))
        self.read_until(r"ready\r\nready")
        os.kill(self.pid, 1)
        self.assertEqual(self.exit_code(), 129)


if __name__ == "__main__":
    unittest.main()
