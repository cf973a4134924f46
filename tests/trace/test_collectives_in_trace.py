"""Each collective of a real job stands in its trace with its kind, root, bytes and the algorithm that was chosen, at each rank, on shared memory and between
devices that have none."""

import csv
import os
import tempfile
import unittest

from traced_job import run

POLDER, PROGRAM = os.environ.get("POLDER", ""), os.environ.get("EVERY_COLLECTIVE", "")
RANKS = 3
KINDS = {"barrier", "broadcast", "reduce", "allreduce", "reduce_scatter", "allgather", "gather", "scatter", "alltoall", "scan", "exscan", "neighbours"}


class Collectives(unittest.TestCase):
    def look_at(self, *words):
        with tempfile.TemporaryDirectory() as folder:
            trace, table = os.path.join(folder, "trace"), os.path.join(folder, "events.csv")
            told = [tuple(line.split()) for line in run(POLDER, "run", "-n", str(RANKS), *words, PROGRAM, POLDER_TRACE=trace).splitlines()]
            run(POLDER, "trace", "convert", trace, "--to", "csv", "-o", table)
            with open(table, newline="", encoding="utf-8") as file:
                rows = [row for row in csv.DictReader(file) if row["algorithm"]]
            stats = run(POLDER, "trace", "stats", trace)
        self.assertEqual({kind for kind, _, _ in told}, KINDS)
        for rank in range(RANKS):
            seen = sorted((row for row in rows if int(row["rank"]) == rank), key=lambda row: int(row["begin_ns"]))
            self.assertEqual(len(seen), len(told), f"rank {rank}: {[(row['kind'], row['algorithm']) for row in seen]}")
            for row, (kind, root, algorithm) in zip(seen, told):
                with self.subTest(f"{kind} at rank {rank}"):
                    self.assertEqual(row["kind"], kind)
                    self.assertEqual(row["peer"] or "-", root)
                    self.assertIn(algorithm, (row["algorithm"], "*"))
                    self.assertEqual(row["outcome"], "ok")
        for _, _, algorithm in told:
            self.assertIn(algorithm.strip("*"), stats)
        return {algorithm for _, _, algorithm in told}

    def test_over_shared_memory(self):
        self.assertIn("ring", self.look_at())

    def test_over_a_network(self):
        """Where ranks cannot look at each other's memory others are chosen."""
        found = self.look_at("--env", "POLDER_DEVICE=ucx")
        self.assertNotIn("board", found)
        self.assertGreater(len(found), 5)

    def test_short_allreduces_of_gaspi_which_go_by_boards(self):
        with tempfile.TemporaryDirectory() as folder:
            trace, table = os.path.join(folder, "trace"), os.path.join(folder, "events.csv")
            run(POLDER, "run", "-n", str(RANKS), os.environ["GASPI_COLLECTIVES"], POLDER_TRACE=trace)
            run(POLDER, "trace", "convert", trace, "--to", "csv", "-o", table)
            with open(table, newline="", encoding="utf-8") as file:
                found = [row["algorithm"] for row in csv.DictReader(file) if row["kind"] == "gaspi_allreduce" and row["outcome"] == "ok"]
        self.assertGreaterEqual(len(found), RANKS)
        self.assertEqual(set(found), {"board"})


if __name__ == "__main__":
    unittest.main()
