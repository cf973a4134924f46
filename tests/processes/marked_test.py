"""Tests that start processes, and see to it that none is left."""

import contextlib
import os
import signal
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
PATIENCE = 100  # seconds; for what must happen, however slow the machine
VARIABLE = "PROCESS_TEST"


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


class MarkedTest(unittest.TestCase):
    """Each test has a folder for files, and a marker that all processes with self.environment carry; none may be left at its
    end."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        value = f"{self.id()}.{os.getpid()}.{time.monotonic_ns()}"
        self.marker = f"{VARIABLE}={value}"
        self.environment = dict(os.environ, **{VARIABLE: value})
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

    def end(self, process):
        if process.poll() is None:
            process.kill()
        process.communicate()

    def finish(self, process):
        """Exit code; standard output as sorted lines in self.lines, standard error in self.error."""
        out, self.error = process.communicate(timeout=PATIENCE)
        self.lines = sorted(out.splitlines())
        return process.returncode
