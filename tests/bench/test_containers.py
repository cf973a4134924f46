"""bench/containers.py for a moment, with the real programs: what it measures and writes."""

import json
import os
import subprocess
import tempfile
import unittest

FOLDER = os.path.dirname(os.environ.get("POLDER_BENCH", ""))


@unittest.skipUnless(os.access(os.path.join(FOLDER, "bench-containers"), os.X_OK), "bench-containers was not built")
class Containers(unittest.TestCase):
    def test_a_moment_of_each(self):
        with tempfile.TemporaryDirectory(prefix="containers-bench-") as folder:
            path = os.path.join(folder, "result.json")
            done = subprocess.run([os.path.join(FOLDER, "containers.py"), "--quick", "--json", path], stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, timeout=250, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(path, encoding="utf-8") as file:
                cells = json.load(file)["cells"]
        by_name = {cell["kind"]: cell for cell in cells}
        for name in ("read_last", "copy_to_last", "patch_from_last", "update", "update_together", "stencil_blocking", "halo_update"):
            for peer in ("openmpi", "mpich"):
                if os.access(os.path.join(FOLDER, f"bench-mpi-{peer}"), os.X_OK):
                    self.assertIn(peer, by_name[name]["us"])
            self.assertIn("polder", by_name[name]["us"])
        for name in ("stencil_overlapped", "product", "sort", "sum_local"):
            self.assertGreater(by_name[name]["plain_us"], 0)
        self.assertNotIn("sort_plain", by_name)


if __name__ == "__main__":
    unittest.main()
