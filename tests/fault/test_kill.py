"""Ranks of real processes are killed at work; the others must notice, go on without them, and leave nothing behind."""

import os
import random
import sys
import unittest

sys.path.insert(0, os.environ["POLDER_HARNESS"])
os.environ.setdefault("POLDER_ACTOR", os.environ["POLDER_VICTIM"])
import harness

VICTIM = os.environ["POLDER_VICTIM"]
PLACES = ["start", "puts", "barrier", "accumulate", "messages", "segments", "groups", "waiting",
          "alltoall", "scatter", "gather", "allreduce", "neighbours"]
ROUNDS = int(os.environ.get("POLDER_FAULT_ROUNDS", "60"))
RANKS = {"allreduce": 2}  # where it is not 4: private memory is only read by two


def files():
    return {name for name in os.listdir("/dev/shm") if "polder" in name}


class KillTest(harness.RunTest):
    def at(self, place):
        before, ranks = files(), RANKS.get(place, 4)
        for number in range((ROUNDS + len(PLACES) - 1) // len(PLACES)):
            seed = random.Random(f"{place} {number}").randrange(1 << 30)
            with self.subTest(place=place, seed=seed):
                self.run_job(ranks, place, str(seed), options=["--keep-going", "--timeout", "55"], program=[VICTIM])
                survivors = [line for line in self.lines if line.startswith("well: ")]
                self.assertEqual(len(survivors), ranks - 1, f"{self.lines}\n{self.error}")
                self.assertEqual(self.lines, survivors)
                self.assert_nothing_left()
        self.assertEqual(files(), before)


def add_test(place):
    setattr(KillTest, f"test_{place}", lambda self: self.at(place))


for each in PLACES:
    add_test(each)

if __name__ == "__main__":
    unittest.main()
