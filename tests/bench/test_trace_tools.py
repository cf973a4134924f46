"""Tests of bench/trace_tools.py: what it runs, and what it makes of what came out."""

import importlib.util
import os
import sys
import tempfile
import unittest

BENCH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench")
spec = importlib.util.spec_from_file_location("trace_tools", os.path.join(BENCH, "trace_tools.py"))
trace_tools = importlib.util.module_from_spec(spec)
spec.loader.exec_module(trace_tools)

# As trace-lab and polder: the first argument says which.
TOOL = """#!{python}
import os, sys
words = sys.argv[1:]
if words[0] == "make":
    os.makedirs(words[1])
    open(os.path.join(words[1], "rank-000000.trace"), "wb").write(b"x" * 49 * int(words[3]))
elif "broken" in os.environ.get("TOOL", "") and "csv" in words:
    sys.exit("no such format")
elif "-o" in words:
    open(words[words.index("-o") + 1], "w").write("x" * 1000)
"""


class Rows(unittest.TestCase):
    def rows(self, ways):
        with tempfile.TemporaryDirectory() as scratch:
            tool, place = os.path.join(scratch, "tool"), os.path.join(scratch, "place")
            os.mkdir(place)
            with open(tool, "w", encoding="utf-8") as file:
                file.write(TOOL.replace("{python}", sys.executable))
            os.chmod(tool, 0o755)
            try:
                return list(trace_tools.rows_of(tool, tool, 100, 4, ways, place))
            finally:
                self.assertEqual(os.listdir(place), [], "nothing is left")

    def test_each_way_is_measured(self):
        rows = self.rows(["stats", "csv", "paraver"])
        self.assertEqual([(row["way"], row["output_bytes"]) for row in rows], [("stats", 0), ("csv", 1000), ("paraver", 1000)])
        for row in rows:
            self.assertEqual(row["bytes_per_event"], 49)
            self.assertGreater(row["cpu_s"], 0)
            self.assertGreater(row["memory_mb"], 1)

    def test_a_tool_that_fails_is_named(self):
        os.environ["TOOL"] = "broken"
        self.addCleanup(os.environ.pop, "TOOL")
        with self.assertRaisesRegex(trace_tools.Failure, "convert .* --to csv .*: exit code 1: no such format"):
            self.rows(["csv"])

    def test_goals_are_met_or_not(self):
        row = {"way": "csv", "events": 10_000_000, "cpu_s": 5.0, "wall_s": 6.0, "memory_mb": 301.0, "output_bytes": 2_000_000}
        self.assertEqual(trace_tools.line(row), "| csv | 10 M | 5.00 s | 6.0 s | 2.00 M/s met | 301 MB NOT met | 2.0 MB |")
        self.assertIn("0.50 M/s NOT met", trace_tools.line({**row, "cpu_s": 20.0, "memory_mb": 299.0}))


if __name__ == "__main__":
    unittest.main()
