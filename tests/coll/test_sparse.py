"""Exchanges of neighbours among more ranks than have a slot for every distance, as processes, over shared memory and the network."""

import os
import sys
import unittest

sys.path.insert(0, os.environ["POLDER_HARNESS"])
os.environ.setdefault("POLDER_ACTOR", os.environ["POLDER_SPARSE"])
import harness

DEVICES = os.environ["POLDER_SPARSE_DEVICES"].split(",")
RANKS = 48


class SparseTest(harness.RunTest):
    def exchange(self, device):
        self.run_job(RANKS, program=[os.environ["POLDER_SPARSE"]],
                     options=["--timeout", "180", "--env", f"POLDER_DEVICE={device}"])
        well = sorted(int(line.split()[1]) for line in self.lines if line.startswith("well "))
        self.assertEqual(well, list(range(RANKS)), f"{self.lines}\n{self.error}")
        self.assert_nothing_left()


def add_test(device):
    setattr(SparseTest, f"test_{device}", lambda self: self.exchange(device))


for each in DEVICES:
    add_test(each)

if __name__ == "__main__":
    unittest.main()
