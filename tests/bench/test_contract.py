"""bench/contract.py for a moment, with the real programs: what it measures and writes."""

import json
import os
import subprocess
import tempfile
import unittest

FOLDER = os.path.dirname(os.environ.get("POLDER_BENCH", ""))
PROGRAM = os.path.join(FOLDER, "contract.py")
CONTRACT = os.path.normpath(os.path.join(FOLDER, "..", "..", "bin", "contract"))


@unittest.skipUnless(os.access(CONTRACT, os.X_OK), "contract was not built")
class Contract(unittest.TestCase):
    def test_a_moment_of_each(self):
        with tempfile.TemporaryDirectory(prefix="contract-bench-") as folder:
            path = os.path.join(folder, "result.json")
            done = subprocess.run([PROGRAM, "--quick", "--json", path], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  timeout=250, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(path, encoding="utf-8") as file:
                document = json.load(file)
        found = {one["who"]: one for one in document["results"]}
        wanted = {"one block", "regular", "random", "cyclic"}
        wanted |= {f"pdgemm, {peer}" for peer in ("openmpi", "mpich") if os.access(os.path.join(FOLDER, f"bench-pdgemm-{peer}"), os.X_OK)}
        self.assertEqual(set(found), wanted)
        for one in found.values():
            self.assertGreater(one["gflops"], 0)
        self.assertIn("of 2 x one block", done.stdout)
        self.assertIn("x as long as regular", done.stdout)


if __name__ == "__main__":
    unittest.main()
