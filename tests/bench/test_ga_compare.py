"""Tests of examples/ga/compare with made-up programs and a made-up mpirun."""

import contextlib
import importlib.machinery
import importlib.util
import io
import json
import os
import tempfile
import unittest
from unittest import mock

PATH = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "examples", "ga", "compare")
loader = importlib.machinery.SourceFileLoader("ga_compare", PATH)
compare = importlib.util.module_from_spec(importlib.util.spec_from_loader("ga_compare", loader))
loader.exec_module(compare)

SAYS = """echo '{"name": "put", "size": 8, "ns": %s}'"""


class Compare(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name
        self.program("mpirun.mpich", 'while [ "$1" != -n ]; do shift; done; shift 2; exec "$@"')
        self.program("patch-mpich-polder", SAYS % 100)

    def program(self, name, body):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="ascii") as file:
            file.write(f"#!/bin/bash\n{body}\n")
        os.chmod(path, 0o755)

    def result(self, turns):
        path = os.path.join(self.folder, "result.json")
        words = ["--ranks", "2", "--mpi", "mpich", "--programs", "patch", "--turns", str(turns), "--json", path]
        environment = {"PATH": self.folder + os.pathsep + os.environ["PATH"]}
        with mock.patch.object(compare, "__file__", os.path.join(self.folder, "compare")), mock.patch.dict(os.environ, environment), \
                contextlib.redirect_stdout(io.StringIO()) as shown, contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual(compare.main(words), 0)
        with open(path, encoding="utf-8") as file:
            return json.load(file)[0], shown.getvalue()

    def test_what_is_as_it_comes_has_no_setting(self):
        self.program("patch-mpich-packaged", SAYS % 300)
        one, shown = self.result(3)
        self.assertEqual((one["packaged_ns"], one["packaged_setting"]), (300, ""))
        self.assertNotIn("ARMCI_USE_WIN_ALLOCATE", shown)

    def test_one_that_fails_is_in_all_turns_as_it_does_not(self):
        # Without the setting it is as fast as may be in the first turns, and fails in the third.
        count = os.path.join(self.folder, "count")
        self.program("patch-mpich-packaged", f"if [ -n \"$ARMCI_USE_WIN_ALLOCATE\" ]; then {SAYS % 300}; exit; fi; "
                     f"echo >>{count}; [ $(wc -l <{count}) -lt 3 ] && {SAYS % 1}")
        one, shown = self.result(3)
        self.assertEqual((one["polder_ns"], one["packaged_ns"], one["packaged_setting"]), (100, 300, "ARMCI_USE_WIN_ALLOCATE=0"))
        self.assertIn("packaged: ARMCI_USE_WIN_ALLOCATE=0", shown)


if __name__ == "__main__":
    unittest.main()
