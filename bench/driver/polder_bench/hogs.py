"""Strangers that compute: one process per core that never stops, for measurements on a busy machine."""

import os
import subprocess

from polder_bench.process import Failure, die_with_parent


class Hogs:
    """with Hogs(program): every core has one. They end with the block, and with this process however it ends."""

    def __init__(self, program):
        self.program = program
        self.children = []

    def __enter__(self):
        try:
            for core in sorted(os.sched_getaffinity(0)):
                self._start(core)
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(self, *_):
        self._end()

    def _start(self, core):
        child = subprocess.Popen([self.program, "hog", "--cpu", str(core)], stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, text=True, preexec_fn=die_with_parent)
        self.children.append(child)
        if not child.stdout.readline():
            raise Failure(f"the hog of core {core} did not start")

    def _end(self):
        for child in self.children:
            child.kill()
        for child in self.children:
            child.wait()
            child.stdout.close()
        self.children = []
