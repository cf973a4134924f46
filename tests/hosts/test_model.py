"""bench/model_hosts.py: collectives between hosts, measured and by the model; that it compares, not how well the two agree."""

import os
import subprocess
import sys
import unittest

import hosts

PROGRAM = os.path.join(hosts.PROJECT, "bench", "model_hosts.py")


class MeasuredAndModelled(unittest.TestCase):
    def test_each_kind_stands_beside_its_model(self):
        words = [sys.executable, "-B", PROGRAM, "--programs", os.path.join(hosts.BUILD, "libexec", "polder"), "--ranks", "2",
                 "--kinds", "allreduce,alltoall", "--sizes", "16384,65536", "--sample-ms", "20"]
        done = subprocess.run(words, text=True, capture_output=True, check=False, timeout=2 * hosts.PATIENCE, stdin=subprocess.DEVNULL)
        if done.returncode == hosts.SKIP:
            raise unittest.SkipTest(done.stderr.strip())
        self.assertEqual(done.returncode, 0, done)
        rows = [line.split() for line in done.stdout.splitlines() if line.startswith(("allreduce", "alltoall"))]
        self.assertEqual([(row[0], int(row[2])) for row in rows],
                         [(kind, size) for kind in ("allreduce", "alltoall") for size in (16384, 65536)])
        for row in rows:
            # 50 Mbit/s are 6.25 bytes a microsecond; what a host may send at once after a pause makes short samples faster.
            self.assertGreater(float(row[4]), 0.5 * int(row[2]) / 6.25, row)
            self.assertGreater(float(row[6]), 0, row)


if __name__ == "__main__":
    hosts.main()
