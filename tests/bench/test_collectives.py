"""Tests of bench/collectives.py: what it makes of what programs print, and what its table says."""

import importlib.util
import json
import os
import types
import unittest

BENCH = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "bench")
spec = importlib.util.spec_from_file_location("collectives", os.path.join(BENCH, "collectives.py"))
collectives = importlib.util.module_from_spec(spec)
spec.loader.exec_module(collectives)
beside = collectives.beside


def line(name, ns):
    return json.dumps({"name": name, "ranks": 4, "size": 8, "threads": 1, "ns": ns}) + "\n"


class Cells(unittest.TestCase):
    def test_the_better_setting_of_the_better_mpi_counts(self):
        found = {}
        for impl, setting, output in (("polder", "", line("coll_scan", [900, 1000, 1100]) + line("coll_scan_segment", [500])),
                                      ("openmpi", "default", line("coll_scan", [9000])), ("openmpi", "yield", line("coll_scan", [800])),
                                      ("mpich", "default", line("coll_scan", [2000]))):
            beside.add(found, types.SimpleNamespace(impl=impl, setting=setting), output, collectives.take)
        (cell,) = beside.cells(found)
        self.assertEqual(cell["us"], {"polder": 1.0, "segment": 0.5, "openmpi": 0.8, "mpich": 2.0})
        self.assertAlmostEqual(cell["ratio"], 0.8)
        text = collectives.table({"turns": 1, "cores": 2, "cells": [cell], "failures": []})
        self.assertIn("NOT met", text)
        self.assertIn("0 of 1 cells ahead of both MPIs, 1 below 0.9", text)

    def test_without_an_mpi_there_is_no_ratio(self):
        found = {}
        beside.add(found, types.SimpleNamespace(impl="polder", setting=""), line("coll_barrier", [1000]), collectives.take)
        (cell,) = beside.cells(found)
        self.assertIsNone(cell["ratio"])
        self.assertNotIn("NOT met", collectives.table({"turns": 1, "cores": 2, "cells": [cell], "failures": ["it failed"]}))


if __name__ == "__main__":
    unittest.main()
