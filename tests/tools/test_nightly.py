"""Tests of .ci/nightly: which commands it runs, without running them."""

import os
import subprocess
import unittest

NIGHTLY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", ".ci", "nightly")


def nightly(*words):
    return subprocess.run([NIGHTLY, *words], env={**os.environ, "POLDER_NIGHTLY_DRY": "1"}, capture_output=True, text=True, timeout=60,
                          check=False)


class NightlyTest(unittest.TestCase):
    def test_everything_by_default(self):
        done = nightly()
        self.assertEqual(done.returncode, 0, done.stderr)
        for command in ("make lint FILES=all", "make seeds", "make asan", "make tsan"):
            self.assertIn(f"\n{command}\n", done.stdout)
        self.assertIn("fuzz", done.stdout)

    def test_a_step_by_name(self):
        done = nightly("tsan")
        self.assertIn("make tsan", done.stdout)
        self.assertNotIn("make asan", done.stdout)

    def test_an_unknown_step(self):
        self.assertEqual(nightly("everything").returncode, 2)


if __name__ == "__main__":
    unittest.main()
