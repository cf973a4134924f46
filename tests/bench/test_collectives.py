"""Tests of bench/collectives.py: what it makes of what programs print, and what its table says."""

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import types
import unittest
from unittest import mock

BENCH = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "bench")
FOLDER = os.path.dirname(os.environ.get("POLDER_BENCH", ""))
spec = importlib.util.spec_from_file_location("collectives", os.path.join(BENCH, "collectives.py"))
collectives = importlib.util.module_from_spec(spec)
spec.loader.exec_module(collectives)
beside = collectives.beside
Failure = sys.modules["polder_bench.process"].Failure


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
        self.assertIn("0 of 1 cells ahead of all peers, 1 below 0.9", text)

    def test_gloo_is_a_peer(self):
        found = {}
        for impl, ns in (("polder", 1000), ("openmpi", 3000), ("gloo", 2000)):
            beside.add(found, types.SimpleNamespace(impl=impl, setting=""), line("coll_bcast", [ns]), collectives.take)
        (cell,) = beside.cells(found)
        self.assertAlmostEqual(cell["ratio"], 2.0)

    def test_without_an_mpi_there_is_no_ratio(self):
        found = {}
        beside.add(found, types.SimpleNamespace(impl="polder", setting=""), "a launcher talks\n" + line("coll_barrier", [1000]), collectives.take)
        (cell,) = beside.cells(found)
        self.assertIsNone(cell["ratio"])
        self.assertNotIn("NOT met", collectives.table({"turns": 1, "cores": 2, "cells": [cell], "failures": ["it failed"]}))


class Kept(unittest.TestCase):
    def test_what_is_kept_has_the_machine_the_medians_and_what_failed(self):
        cell = {"kind": "scan", "size": 8, "ranks": 4, "us": {"polder": 0.123456, "openmpi": 0.2}, "ratio": 1.6200103}
        document = {"cores": 2, "hosts": 2, "placement": "blocks", "turns": "2 to 3", "cells": [cell, {**cell, "ratio": None}],
                    "failures": ["mpich did not start"], "samples": [{"ns": [1, 2]}], "pieces": [{"turns": 2}],
                    "taken_with": {"commit": "0123", "device": "tcp"}}
        with mock.patch.object(collectives.kept_grid.machine, "describe", lambda programs: {"cores": 2, "commit": "0123"}):
            kept = collectives.kept_grid.kept(document, None)
        self.assertEqual(kept["machine"], {"cores": 2, "commit": "0123"})
        self.assertEqual([cell["ratio"] for cell in kept["cells"]], [1.62, None])
        self.assertEqual(kept["cells"][0]["us"], {"polder": 0.1235, "openmpi": 0.2})
        self.assertEqual((kept["hosts"], kept["placement"], kept["turns"]), (2, "blocks", "2 to 3"))
        self.assertEqual((kept["failures"], kept["taken_with"]), (["mpich did not start"], {"device": "tcp"}))
        self.assertEqual({"samples", "pieces"} & set(kept), set())


@unittest.skipUnless(os.access(os.path.join(FOLDER, "polder-tune"), os.X_OK), "polder-tune was not built")
class Tuned(unittest.TestCase):
    def test_ranks_take_the_table_that_was_found_among_them(self):
        with tempfile.TemporaryDirectory() as folder:
            options = types.SimpleNamespace(tuned=folder, ranks=[2], hosts=[], blocks=False, timeout=120)
            programs = collectives.Programs(FOLDER)
            self.assertNotIn("POLDER_COLL_TABLE", programs.micro(2, "collectives").environment)
            with mock.patch.object(collectives, "TUNING", 0.05):
                collectives.tune(programs, options)
            path = programs.micro(2, "collectives").environment["POLDER_COLL_TABLE"]
            with open(path, encoding="ascii") as file:
                self.assertIn("polder tune, 2 ranks on one node", file.read())
            self.assertNotIn("POLDER_COLL_TABLE", programs.micro(3, "collectives").environment)
            before = os.stat(path).st_mtime_ns
            collectives.tune(programs, options)  # which finds it there
            self.assertEqual(os.stat(path).st_mtime_ns, before)
            self.assertIn("; tuned for 60 s", collectives.table({"turns": 1, "cells": [], "failures": [], **collectives.place(options)}))

    def test_what_cannot_be_tuned_is_told(self):
        options = types.SimpleNamespace(tuned="/nowhere", ranks=[2], hosts=[], blocks=False, timeout=120)
        with mock.patch.object(collectives, "TUNING", 0.05), self.assertRaises(Failure):
            collectives.tune(collectives.Programs(FOLDER), options)


class Clock:
    """A piece takes as long as `costs` says."""

    def __init__(self, costs):
        self.now, self.costs, self.order = 0.0, costs, []

    def __call__(self):
        return self.now

    def take(self, ranks, size):
        self.now += self.costs[ranks, size]
        self.order.append((ranks, size))
        polder = {"polder": {"": [1000.0]}, "openmpi": {"default": [1000.0 * ranks / 4 + size]}}
        return {("scan", size, ranks): polder}, ["it failed"] if size == 9 else []


class TakenInPieces(unittest.TestCase):
    RANKS, SIZES = [2, 4], [8, 16]

    def test_each_has_a_turn_before_any_has_two_and_then_the_worst_come_first(self):
        pieces = collectives.Pieces(self.RANKS, self.SIZES)
        clock = Clock({(ranks, size): 1 for ranks in self.RANKS for size in self.SIZES})
        self.assertEqual(pieces.spend(6, self.RANKS, self.SIZES, clock.take, clock), 6)
        self.assertEqual(sorted(clock.order[:4]), [(2, 8), (2, 16), (4, 8), (4, 16)])
        self.assertEqual(clock.order[4:], [(2, 8), (2, 16)])  # the MPI is ahead of these

    def test_what_does_not_fit_any_more_is_not_begun(self):
        pieces = collectives.Pieces([2], self.SIZES)
        clock = Clock({(2, 8): 30, (2, 16): 5})
        self.assertEqual(pieces.spend(60, [2], self.SIZES, clock.take, clock), 7)
        self.assertEqual(clock.order, [(2, 8)] + 6 * [(2, 16)])
        self.assertEqual(clock.now, 60)

    def test_files_are_joined(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "grid.json")
            place, taken_with = {"cores": 2, "hosts": 2, "placement": "blocks", "tuned": "for 60 s"}, {"commit": "0123", "device": "tcp"}
            costs = {(2, 8): 1, (2, 16): 1, (4, 8): 1, (4, 9): 1}
            for seconds, sizes in ((1, [8]), (2, [8, 16])):
                pieces = collectives.Pieces([2], sizes)
                pieces.join(path, place, taken_with)
                clock = Clock(costs)
                pieces.spend(seconds, [2], sizes, clock.take, clock)
                with open(path, "w", encoding="utf-8") as file:
                    json.dump({**place, "taken_with": taken_with, "failures": pieces.failures, **pieces.document()}, file)
            self.assertEqual(clock.order, [(2, 16), (2, 8)])
            self.assertEqual(pieces.found["scan", 8, 2]["polder"], {"": [1000.0, 1000.0]})
            other = collectives.Pieces([4], [9])  # another grid keeps these
            other.join(path, place, taken_with)
            clock = Clock(costs)
            other.spend(1, [4], [9], clock.take, clock)
            self.assertEqual(other.taken[2, 8]["turns"], 2)
            for wrong, what in (({"commit": "4567"}, "another commit .0123, now 4567"), ({"device": "ucx"}, "another device .tcp, now ucx"),
                                ({"sample_ms": 2}, "no result of this program")):
                with self.assertRaisesRegex(Failure, what):
                    collectives.Pieces([2], [8]).join(path, place, {**taken_with, **wrong})

    def test_a_file_of_another_machine_or_kind_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "grid.json")
            for text, what in (('{"cores": 3}', "on 3 cores, and here are 2"), ('{"cores": 2, "hosts": 2}', "on 2 cores, 2 hosts, and here are 2 cores"), ('{"cores": 2}', "no result"), ("[]", "no result"), ("{", "no result")):
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
                with self.assertRaisesRegex(Failure, what):
                    collectives.Pieces([2], [8]).join(path, {"cores": 2}, {})

    def test_a_piece_that_fails_has_had_its_turn_and_is_told(self):
        pieces = collectives.Pieces([4], [9])
        clock = Clock({(4, 9): 1})
        pieces.spend(1, [4], [9], clock.take, clock)
        self.assertEqual((pieces.failures, pieces.taken[4, 9]["turns"]), (["it failed"], 1))


@unittest.skipUnless(os.access(os.path.join(FOLDER, "bench-gloo"), os.X_OK), "bench-gloo was not built")
class WithGloo(unittest.TestCase):
    def test_a_moment_of_each_kind(self):
        done = run_here("bench-gloo", "collectives", "--quick", "--procs", "3", "--sizes", "8,65536", "--written")
        self.assertEqual(done.returncode, 0, done.stderr)
        kinds = [json.loads(one) for one in done.stdout.splitlines()]
        expected = {("coll_barrier", 0)} | {(f"coll_{kind}", size) for size in (8, 65536) for kind in (
            "bcast", "reduce", "allreduce", "allgather", "alltoall", "gather", "scatter")}
        self.assertEqual({(one["name"], one["size"]) for one in kinds}, expected)
        self.assertEqual({one["ranks"] for one in kinds}, {3})
        self.assertGreater(min(min(one["ns"]) for one in kinds), 0)

    def test_a_table_has_it_beside_polder(self):
        done = run_here("collectives.py", "-n", "2", "--sizes", "8", "--kinds", "bcast", "--quick")
        self.assertEqual(done.returncode, 0, done.stderr)
        (row,) = (one for one in done.stdout.splitlines() if one.startswith("bcast"))
        header = next(one for one in done.stdout.splitlines() if one.startswith("kind")).split()
        self.assertGreater(float(row.split()[header.index("gloo")]), 0)


def run_here(program, *words):
    return subprocess.run([os.path.join(FOLDER, program), *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
                          check=False)


if __name__ == "__main__":
    unittest.main()
