"""What the comparisons share: turns, what is shown and written, and exit codes."""

import contextlib
import io
import json
import os
import tempfile
import types
import unittest

from polder_bench.process import Failure
from polder_bench.programs import Programs
from polder_bench.study import run_as_program, show_rows, study_in_turns


class Study:
    def __init__(self, failures=()):
        self.failures = list(failures)
        self.done = []

    def prepare(self, folder):
        self.folder = folder
        self.done.append(os.path.isdir(folder))

    def measure(self, turn):
        self.done.append(turn)

    def document(self):
        return {"rows": [{"turns": len(self.done) - 1}]}


def quietly(call):
    """What it returns and what it prints."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        result = call()
    return result, out.getvalue(), err.getvalue()


class Turns(unittest.TestCase):
    def test_a_study_is_prepared_once_and_measured_in_turns(self):
        with tempfile.TemporaryDirectory() as folder:
            study, json_file = Study(), os.path.join(folder, "result.json")
            options = types.SimpleNamespace(turns=3, json=json_file)
            code, out, err = quietly(lambda: study_in_turns(study, options, folder, lambda document: f"page of {document}"))
            with open(json_file, encoding="utf-8") as file:
                self.assertEqual(json.load(file), {"rows": [{"turns": 3}]})
            self.assertFalse(os.path.exists(study.folder))
        self.assertEqual((code, study.done), (0, [True, 0, 1, 2]))
        self.assertIn("page of", out)
        self.assertIn("turn 3 of 3", err)

    def test_failures_are_the_exit_code(self):
        options = types.SimpleNamespace(turns=1, json=None)
        self.assertEqual(quietly(lambda: study_in_turns(Study(["no"]), options, None, str))[0], 1)


class Rows(unittest.TestCase):
    def test_rows_and_failures_are_shown_and_written(self):
        with tempfile.TemporaryDirectory() as folder:
            options = types.SimpleNamespace(turns=2, json=os.path.join(folder, "rows.json"))
            code, out, err = quietly(lambda: show_rows(Programs("/"), options, [{"ns": 1}], ["put: no"], lambda rows: f"{len(rows)} rows"))
            with open(options.json, encoding="utf-8") as file:
                document = json.load(file)
        self.assertEqual(code, 1)
        self.assertIn("1 rows", out)
        self.assertIn("failed: put: no", err)
        self.assertEqual((document["turns"], document["rows"], document["failures"]), (2, [{"ns": 1}], ["put: no"]))


class Exits(unittest.TestCase):
    def ended_by(self, main):
        with self.assertRaises(SystemExit) as end:
            run_as_program("name", main)
        return end.exception.code

    def test_ends_are_exit_codes(self):
        def fails():
            raise Failure("it broke")

        def interrupted():
            raise KeyboardInterrupt

        self.assertEqual(self.ended_by(lambda: 3), 3)
        self.assertEqual(self.ended_by(fails), "name: it broke")
        self.assertEqual(self.ended_by(interrupted), 130)


if __name__ == "__main__":
    unittest.main()
