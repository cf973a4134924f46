"""Ranks that somebody else than Polder starts: what the tests of all launchers share."""

import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "processes"))
from marked_test import PATIENCE, MarkedTest, processes_with, wait_until  # noqa: E402, F401  (its folder had to be named first)

PROGRAMS = os.environ["MEMBER_PROGRAMS"]


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


class StartedTest(MarkedTest):
    """Ranks know nothing of launchers but what the test tells them."""

    def setUp(self):
        super().setUp()
        of_launchers = re.compile("(POLDER|GASPI|PMI|PMIX|MPI|OMPI|SLURM)_")
        self.environment = {name: value for name, value in self.environment.items() if not of_launchers.match(name)}
        self.environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")

    def start(self, command, **environment):
        process = subprocess.Popen(command, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=dict(self.environment, **environment))
        self.addCleanup(self.end, process)
        return process

    def run_to_end(self, command, **environment):
        return self.finish(self.start(command, **environment))

    def expect_lines(self, pattern, count):
        found = [line for line in self.lines if re.search(pattern, line)]
        self.assertEqual(len(found), count, f"lines with {pattern!r} in {self.lines}, errors: {self.error}")

    def expect_greetings(self, ranks):
        for rank in range(ranks):
            self.expect_lines(f"^rank {rank} of {ranks} joined", 1)
            self.expect_lines(f"^rank {rank} was greeted by rank {(rank - 1) % ranks}$", 1)
