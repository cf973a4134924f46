"""bench/fft.py for a moment, with the real programs: what it measures and writes."""

import json
import os
import subprocess
import tempfile
import unittest

FOLDER = os.path.dirname(os.environ.get("POLDER_BENCH", ""))
PROGRAM = os.path.join(FOLDER, "fft.py")
FFT = os.path.normpath(os.path.join(FOLDER, "..", "..", "bin", "fft"))


@unittest.skipUnless(os.access(FFT, os.X_OK), "fft was not built")
class Fft(unittest.TestCase):
    def test_a_moment_of_each(self):
        peers = [peer for peer in ("openmpi", "mpich") if os.access(os.path.join(FOLDER, f"fft-mpi-{peer}"), os.X_OK)]
        if not peers:
            self.skipTest("there is no FFTW, or no MPI")
        with tempfile.TemporaryDirectory(prefix="fft-bench-") as folder:
            path, kept_path = os.path.join(folder, "result.json"), os.path.join(folder, "kept.json")
            done = subprocess.run([PROGRAM, "--quick", "--sizes", "12x10x8", "--json", path, "--keep", kept_path], stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, timeout=250, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(path, encoding="utf-8") as file:
                document = json.load(file)
            with open(kept_path, encoding="utf-8") as file:
                kept = json.load(file)
        found = {(tuple(one["grid"]), one["who"]) for one in document["results"]}
        for grid in ((4, 1), (2, 2)):
            for who in ["polder, pieces", "polder, whole"] + [f"{peer}, {mode}" for peer in peers for mode in ("pieces", "whole")]:
                self.assertIn((grid, who), found)
        self.assertIn("2048", document["alltoall_us"])
        self.assertIn("commit", kept["machine"])
        self.assertEqual([one["seconds"] for one in kept["results"]], [one["seconds"] for one in document["results"]])
        self.assertTrue(all("all_seconds" not in one for one in kept["results"]))


if __name__ == "__main__":
    unittest.main()
