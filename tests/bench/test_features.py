"""Tests of bench/features.py: which numbers end up in which field of the table."""

import importlib.util
import os
import unittest

BENCH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench")
spec = importlib.util.spec_from_file_location("features", os.path.join(BENCH, "features.py"))
features = importlib.util.module_from_spec(spec)
spec.loader.exec_module(features)


class Page(unittest.TestCase):
    def test_each_runtime_has_its_own_names_of_a_measurement(self):
        samples = {("A", "get_idle", 8): [[20.0], [22.0]], ("B", "armci_get_idle", 8): [[3000.0]]}
        column = features.COLUMNS[0]
        self.assertEqual(features.entry(samples, "A", column, 0), 21.0)
        self.assertEqual(features.entry(samples, "B", column, 1), 3000.0)
        self.assertIsNone(features.entry(samples, "B", column, 0))

    def test_what_is_not_there_is_said(self):
        table = features.page({"A": [21.0] * 7, "B": [None] * 7})
        self.assertIn("| A | 21 ns |", table)
        self.assertIn("| B | none |", table)

    def test_units(self):
        self.assertEqual([features.text(ns) for ns in (8.4, 1234, 2e6)], ["8.4 ns", "1.23 us", "2 ms"])

    def test_no_accumulate_is_asked_of_shmem(self):
        self.assertNotIn("accumulate", features.measurements_of(2))
        self.assertIn("contiguous", features.measurements_of(1))


if __name__ == "__main__":
    unittest.main()
