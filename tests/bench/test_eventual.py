"""bench/eventual.py with the real `polder simulate`: the figures of a few ranks, which are exact on each machine."""

import json
import os
import subprocess
import tempfile
import unittest

FOLDER = os.path.dirname(os.environ.get("POLDER_BENCH", ""))
PROGRAM = os.path.join(FOLDER, "eventual.py")
POLDER = os.path.normpath(os.path.join(FOLDER, "..", "..", "bin", "polder"))


def study(*words):
    return subprocess.run([PROGRAM, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=50, check=False)


@unittest.skipUnless(os.access(POLDER, os.X_OK), "polder was not built")
class Eventual(unittest.TestCase):
    def test_figures_of_up_to_32_ranks(self):
        with tempfile.TemporaryDirectory(prefix="eventual-bench-") as folder:
            path = os.path.join(folder, "result.json")
            done = study("-n", "8,32", "--json", path)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(path, encoding="utf-8") as file:
                results = json.load(file)["results"]
        found = {(one["figure"], one["bytes"]): {point["ranks"]: point for point in one["points"]} for one in results}
        self.assertEqual(set(found), {("figure 8", 80_000), ("figure 9", 80_000), ("figure 8", 8_000_000), ("figure 9", 8_000_000),
                                      ("figure 10", 8_000_000)})
        ratio = {key: points[32]["us"]["100"] / points[32]["us"]["25"] for key, points in found.items()}
        self.assertAlmostEqual(ratio["figure 8", 8_000_000], 3.18, places=2)
        self.assertAlmostEqual(ratio["figure 9", 8_000_000], 3.11, places=2)
        stages = found["figure 10", 8_000_000][32]["us"]
        self.assertEqual(stages["75"], stages["100"])
        self.assertLess(stages["50"], stages["75"])
        self.assertIn("paper: three quarters of the ranks", done.stdout)

    def test_what_polder_refuses_is_passed_on(self):
        done = study("-n", "8", "--network", "ether")
        self.assertEqual(done.returncode, 1)
        self.assertIn("there are crossbar, fat_tree", done.stderr)


if __name__ == "__main__":
    unittest.main()
