"""Runs `polder run` on the actor program and looks at what is left of it."""

import os
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "processes"))
from marked_test import PATIENCE, MarkedTest, processes_with, wait_until  # noqa: E402, F401  (its folder had to be named first)

POLDER = os.environ["POLDER_PROGRAM"]
ACTOR = os.environ["POLDER_ACTOR"]


def command(ranks, *actions, options=(), program=None):
    return [POLDER, "run", "-n", str(ranks), *options, *(program or [ACTOR]), *actions]


class RunTest(MarkedTest):
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

    def ready_files(self, ranks):
        """Actions that create a file for each rank, and a call that waits for all of them."""
        paths = [self.path(f"ready{rank}") for rank in range(ranks)]
        actions = [f"{rank}:touch={path}" for rank, path in enumerate(paths)]
        return actions, lambda: wait_until(lambda: all(map(os.path.exists, paths)), "ranks to be ready")
