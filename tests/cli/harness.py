"""Runs `polder run` on the actor program and looks at what is left of it."""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
POLDER = os.environ["POLDER_PROGRAM"]
ACTOR = os.environ["POLDER_ACTOR"]
PATIENCE = 60  # seconds; for what must happen, however slow the machine


def command(ranks, *actions, options=(), program=None):
    return [POLDER, "run", "-n", str(ranks), *options, *(program or [ACTOR]), *actions]


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


class RunTest(unittest.TestCase):
    """Each test has a folder for files, and a marker that all its processes carry; none may be left at its end."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.marker = f"LAUNCH_TEST={self.id()}.{os.getpid()}.{time.monotonic_ns()}"
        self.environment = dict(os.environ, LAUNCH_TEST=self.marker.split("=", 1)[1])
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

    def run_job(self, ranks, *actions, options=(), program=None, stdin="", **more):
        """Runs to the end: exit code, standard output as sorted lines, standard error."""
        done = subprocess.run(command(ranks, *actions, options=options, program=program), input=stdin, text=True,
                              capture_output=True, timeout=PATIENCE, env=self.environment, **more)
        self.error = done.stderr
        self.lines = sorted(done.stdout.splitlines())
        return done.returncode

    def start_job(self, ranks, *actions, options=(), program=None, **more):
        process = subprocess.Popen(command(ranks, *actions, options=options, program=program), text=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env=self.environment, **more)
        self.addCleanup(self.end, process)
        return process

    def end(self, process):
        if process.poll() is None:
            process.kill()
        process.communicate()

    def ready_files(self, ranks):
        """Actions that create a file for each rank, and a call that waits for all of them."""
        paths = [self.path(f"ready{rank}") for rank in range(ranks)]
        actions = [f"{rank}:touch={path}" for rank, path in enumerate(paths)]
        return actions, lambda: wait_until(lambda: all(map(os.path.exists, paths)), "ranks to be ready")

    def finish_job(self, process):
        out, self.error = process.communicate(timeout=PATIENCE)
        self.lines = sorted(out.splitlines())
        return process.returncode
