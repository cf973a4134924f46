"""Tests of bench/builds.py: which numbers are held against which, and that a build that fails is named."""

import importlib.util
import os
import sys
import unittest
from collections import defaultdict

BENCH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench")
spec = importlib.util.spec_from_file_location("builds", os.path.join(BENCH, "builds.py"))
builds = importlib.util.module_from_spec(spec)
spec.loader.exec_module(builds)

KEY = ("barrier", 0, 1, 16)


def collected():
    return defaultdict(list), defaultdict(lambda: defaultdict(list)), []


class Pairs(unittest.TestCase):
    def test_the_ratio_is_taken_turn_by_turn(self):
        into = collected()
        for before, after in ((100.0, 50.0), (1000.0, 500.0), (10.0, 20.0)):
            builds.take_pair({"before": before, "after": after}, lambda ns: {KEY: ns}, False, into)
        row = builds.row(KEY, into[1][KEY], into[0][KEY])
        self.assertEqual((row["before_ns"], row["after_ns"], row["ratio"]), (100.0, 50.0, 0.5))

    def test_who_begins_changes(self):
        order = []
        for turned in (False, True):
            builds.take_pair({"before": "B", "after": "A"}, lambda build: order.append(build) or {KEY: 1.0}, turned, collected())
        self.assertEqual(order, ["B", "A", "A", "B"])

    def test_what_only_one_build_measures_is_not_compared(self):
        into = collected()
        builds.take_pair({"before": {}, "after": {KEY: 1.0}}, lambda found: found, False, into)
        self.assertEqual(dict(into[0]), {})

    def test_a_build_that_fails_is_named_and_gives_no_half_a_pair(self):
        def measure(build):
            if build == "A":
                raise builds.Failure("exit code 1")
            return {KEY: 1.0}
        into = collected()
        builds.take_pair({"before": "B", "after": "A"}, measure, False, into)
        self.assertEqual((dict(into[0]), into[2]), ({}, ["after: exit code 1"]))


class Real(unittest.TestCase):
    def test_a_build_beside_itself(self):
        folder = os.path.join(os.path.dirname(os.environ["POLDER_BENCH"]), "..", "..")
        build = builds.Build(folder)
        found = builds.of_micro(build, ["barrier", "--quick"], 4, {("barrier", 0, 1)}, 60)
        self.assertEqual(list(found), [("barrier", 0, 1, 4)])
        self.assertGreater(found[("barrier", 0, 1, 4)], 0)


class Page(unittest.TestCase):
    def test_a_line_names_size_ranks_and_both_times(self):
        row = builds.row(("allreduce", 2048, 1, 16), {"before": [3e3], "after": [1500.0]}, [0.5])
        self.assertIn("| allreduce | 2 kB | 16 | 3 us | 1.5 us | 0.50 | 0.50 to 0.50 |", builds.page([row]))


if __name__ == "__main__":
    sys.exit(unittest.main())
