"""bench/mf.py for a moment, with the real programs: what it measures and writes."""

import json
import os
import subprocess
import tempfile
import unittest

FOLDER = os.path.dirname(os.environ.get("POLDER_BENCH", ""))
PROGRAM = os.path.join(FOLDER, "mf.py")
MF = os.path.normpath(os.path.join(FOLDER, "..", "..", "bin", "mf"))


@unittest.skipUnless(os.access(MF, os.X_OK), "mf was not built")
class Mf(unittest.TestCase):
    def test_figures_of_a_moment(self):
        with tempfile.TemporaryDirectory(prefix="mf-bench-") as folder:
            path = os.path.join(folder, "result.json")
            done = subprocess.run([PROGRAM, "--quick", "--json", path], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  timeout=250, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(path, encoding="utf-8") as file:
                document = json.load(file)
        found = {(one["scene"], one["ranks"], one["slack"]): one for one in document["results"]}
        self.assertEqual(set(found), {(scene, ranks, slack) for scene, ranks in (("virtual", 4), ("real", 2)) for slack in (0, 4)})
        for one in found.values():
            times = [moment["seconds"] for moment in one["curve"]]
            self.assertEqual(times, sorted(times))
            self.assertLessEqual(one["staleness"], one["slack"])
            self.assertLess(one["curve"][-1]["error"], one["curve"][0]["error"])
            self.assertLessEqual(one["waiting"], one["communicating"] + 1e-6)
        # Virtual time is the same on each machine: 20 iterations of 1 s, and what is late.
        without, with_slack = found[("virtual", 4, 0)], found[("virtual", 4, 4)]
        self.assertLess(with_slack["seconds"], without["seconds"])
        self.assertGreaterEqual(with_slack["seconds"], 20)
        self.assertIn("nobody can gain more than", done.stdout)


if __name__ == "__main__":
    unittest.main()
