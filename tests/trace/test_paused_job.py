"""A job that pauses its trace and ends so tells how long it was paused, at each rank, whether or not it closes its trace; and what it did meanwhile is in no
trace."""

import csv
import os
import tempfile
import unittest

from traced_job import run

POLDER, PROGRAM = os.environ.get("POLDER", ""), os.environ.get("PAUSED_JOB", "")
RANKS, PAUSED_NS = 3, 20_000_000  # as the program sleeps, at least


class Paused(unittest.TestCase):
    def rows_of(self, end):
        with tempfile.TemporaryDirectory() as folder:
            trace, table = os.path.join(folder, "trace"), os.path.join(folder, "events.csv")
            run(POLDER, "run", "-n", str(RANKS), PROGRAM, end, POLDER_TRACE=trace)
            run(POLDER, "trace", "convert", trace, "--to", "csv", "-o", table)
            with open(table, newline="", encoding="utf-8") as file:
                return list(csv.DictReader(file))

    def test_until_the_end(self):
        for end in ("term", "exit"):
            with self.subTest(end):
                rows = self.rows_of(end)
                for rank in range(RANKS):
                    mine = [row for row in rows if int(row["rank"]) == rank]
                    self.assertEqual(sum(row["kind"] == "gaspi_barrier" for row in mine), 1)
                    pauses = [int(row["end_ns"]) - int(row["begin_ns"]) for row in mine if row["kind"] == "recording_off"]
                    self.assertEqual(len(pauses), 1)
                    self.assertGreaterEqual(pauses[0], PAUSED_NS)


if __name__ == "__main__":
    unittest.main()
