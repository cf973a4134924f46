"""Tests of bench/tracing.py: what is held against what, and that a run without a trace does not pass for a traced one."""

import importlib.util
import os
import tempfile
import unittest

BENCH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench")
spec = importlib.util.spec_from_file_location("tracing", os.path.join(BENCH, "tracing.py"))
tracing = importlib.util.module_from_spec(spec)
spec.loader.exec_module(tracing)


class Turns(unittest.TestCase):
    def take(self, ns_of, turns=4):
        self.order = []

        def measure(words):
            self.order.append("traced" if words else "untraced")
            if words:
                os.makedirs(words[1])
                with open(os.path.join(words[1], "rank-000000.trace"), "wb") as file:
                    file.write(b"x" * 49)
            return ns_of(words, len(self.order))

        with tempfile.TemporaryDirectory() as scratch:
            result = tracing.take_turns(measure, turns, scratch)
            self.assertEqual(os.listdir(scratch), [], "traces are removed")
        return result

    def test_who_begins_changes_and_the_first_turn_is_not_counted(self):
        times, traced_bytes = self.take(lambda words, call: call, turns=2)
        self.assertEqual(self.order, ["traced", "untraced", "untraced", "traced", "traced", "untraced"])
        self.assertEqual(times, {"untraced": [3, 6], "traced": [4, 5]})
        self.assertEqual(traced_bytes, 49)

    def test_the_ratio_is_taken_turn_by_turn(self):
        row = tracing.row("put", {"untraced": [10.0, 1000.0, 20.0], "traced": [15.0, 1500.0, 30.0]}, 0)
        self.assertEqual((row["ratio"], row["low"], row["high"], row["more_ns"]), (1.5, 1.5, 1.5, 10.0))

    def test_a_run_that_left_no_trace_is_no_traced_run(self):
        with tempfile.TemporaryDirectory() as scratch, self.assertRaises(tracing.Failure):
            tracing.take_turns(lambda words: 1, 1, scratch)


class Words(unittest.TestCase):
    def test_the_launcher_is_told_and_not_the_program(self):
        words = tracing.with_words(["/bin/polder", "run", "-n", "2", "bench-micro", "put"], ["--trace", "t"])
        self.assertEqual(words, ["/bin/polder", "run", "--trace", "t", "-n", "2", "bench-micro", "put"])

    def test_what_was_not_measured_is_a_failure(self):
        with self.assertRaises(tracing.Failure):
            tracing.of_micro(["/bin/echo", '{"name":"get","size":8,"threads":1,"ns":[1]}'], ("put", 8, 1), 10)


class Page(unittest.TestCase):
    def test_a_trace_that_costs_nothing_may_even_be_faster(self):
        text = tracing.page([tracing.row("sort", {"untraced": [100.0], "traced": [90.0]}, 2_000_000)])
        self.assertIn("| sort | 100 ns | 90 ns | -10 ns | 0.900 | 0.900 to 0.900 | 2.0 MB |", text)


if __name__ == "__main__":
    unittest.main()
