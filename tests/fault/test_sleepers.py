"""Every call that can sleep ends when the rank that it needs is gone: on one machine, over its device for shared memory and over the
network. The bound is the harness's patience: a call that does not return fails the test."""

import os
import sys
import unittest

sys.path.insert(0, os.environ["POLDER_HARNESS"])
os.environ.setdefault("POLDER_ACTOR", os.environ["POLDER_SLEEPERS"])
import harness

PROGRAMS = {"runtime": os.environ["POLDER_SLEEPERS"], "gaspi": os.environ["POLDER_GASPI_SLEEPERS"]}
ENDS = {"runtime": ["exit", "crash", "term", "leave"], "gaspi": ["exit", "crash", "term"]}
DEVICES = os.environ["POLDER_SLEEPERS_DEVICES"].split(",")


class SleepersTest(harness.RunTest):
    def sleep(self, door, end, device):
        for ranks in (2, 4):
            with self.subTest(ranks=ranks):
                self.run_job(ranks, end, program=[PROGRAMS[door]],
                             options=["--keep-going", "--timeout", "90", "--env", f"POLDER_DEVICE={device}"])
                well = [line for line in self.lines if line.startswith("well ")]
                self.assertEqual(well, [f"well {rank}" for rank in range(ranks - 1)], f"{self.lines}\n{self.error}")
                self.assert_nothing_left()


def add_test(door, end, device):
    setattr(SleepersTest, f"test_{door}_{end}_{device}", lambda self: self.sleep(door, end, device))


for each_door in PROGRAMS:
    for each_end in ENDS[each_door]:
        for each_device in DEVICES:
            add_test(each_door, each_end, each_device)

if __name__ == "__main__":
    unittest.main()
