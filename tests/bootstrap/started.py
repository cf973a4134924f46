"""Ranks that somebody else than Polder starts: what the tests of all launchers share."""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
PROGRAMS = os.environ["MEMBER_PROGRAMS"]
PATIENCE = 100  # seconds; for what must happen, however slow the machine


def program(name):
    """The path of a test program; skips the tests of this file where it was not built."""
    path = os.path.join(PROGRAMS, name)
    if not os.path.exists(path):
        skip(f"{name} was not built (no compiler wrapper of that MPI, or a sanitizer)")
    return path


def launcher(name):
    path = shutil.which(name)
    if path is None:
        skip(f"{name} is not installed")
    return path


def skip(reason):
    print("skipped:", reason)
    sys.exit(77)


def processes_with(marker):
    """The ids of processes that have `marker` in their environment."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit() and int(entry) != os.getpid():
            with contextlib.suppress(OSError):
                with open(f"/proc/{entry}/environ", "rb") as file:
                    if marker.encode() in file.read().split(b"\0"):
                        found.append(int(entry))
    return found


def wait_until(condition, what):
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"in vain: {what}")
        time.sleep(0.005)


class StartedTest(unittest.TestCase):
    """Each test has a folder, and a marker that all its processes carry; none may be left at its end."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        marker = f"{self.id()}.{os.getpid()}.{time.monotonic_ns()}"
        self.marker = f"STARTED_TEST={marker}"
        of_launchers = re.compile("(POLDER|GASPI|PMI|PMIX|MPI|OMPI|SLURM)_")
        self.environment = {name: value for name, value in os.environ.items() if not of_launchers.match(name)}
        self.environment.update(STARTED_TEST=marker, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        self.addCleanup(self.assert_nothing_left)

    def assert_nothing_left(self):
        try:
            wait_until(lambda: not processes_with(self.marker), "the end of all processes")
        finally:
            for pid in processes_with(self.marker):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)

    def path(self, name):
        return os.path.join(self.folder, name)

    def start(self, command, **environment):
        process = subprocess.Popen(command, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=dict(self.environment, **environment))
        self.addCleanup(self.end, process)
        return process

    def end(self, process):
        if process.poll() is None:
            process.kill()
        process.communicate()

    def finish(self, process):
        """Exit code; standard output as sorted lines in self.lines, standard error in self.error."""
        out, self.error = process.communicate(timeout=PATIENCE)
        self.lines = sorted(out.splitlines())
        return process.returncode

    def run_to_end(self, command, **environment):
        return self.finish(self.start(command, **environment))

    def expect_lines(self, pattern, count):
        found = [line for line in self.lines if re.search(pattern, line)]
        self.assertEqual(len(found), count, f"lines with {pattern!r} in {self.lines}, errors: {self.error}")

    def expect_greetings(self, ranks):
        for rank in range(ranks):
            self.expect_lines(f"^rank {rank} of {ranks} joined", 1)
            self.expect_lines(f"^rank {rank} was greeted by rank {(rank - 1) % ranks}$", 1)
