"""bench/mapping_hosts.py: hosts in two racks, the launcher's order of ranks and the mapped one; what it does, not how fast it is."""

import os
import subprocess
import sys
import unittest

import hosts

PROGRAM = os.path.join(hosts.PROJECT, "bench", "mapping_hosts.py")


class UnequalLinks(unittest.TestCase):
    def test_the_mapped_order_crosses_less_between_racks(self):
        words = [sys.executable, "-B", PROGRAM, "--programs", os.path.join(hosts.BUILD, "libexec", "polder"), "--quick"]
        done = subprocess.run(words, text=True, capture_output=True, check=False, timeout=2 * hosts.PATIENCE, stdin=subprocess.DEVNULL)
        if done.returncode == hosts.SKIP:
            raise unittest.SkipTest(done.stderr.strip())
        self.assertEqual(done.returncode, 0, done)
        # A 4 x 2 x 2 grid on four hosts that stand in two racks in turn: each slab's 4 neighbours are in the other rack; tiles have 2 there.
        self.assertIn("grid 4x2x2", done.stdout)
        self.assertIn("launcher: 48.0 hop-bytes, 12 pairs of neighbours in different racks", done.stdout)
        self.assertIn("mapped: 32.0 hop-bytes, 4 pairs of neighbours in different racks, 8 on different hosts of one", done.stdout)
        rows = [line.split("|") for line in done.stdout.splitlines() if line.startswith("|") and line.split("|")[1].strip().isdigit()]
        self.assertEqual(int(rows[0][1]), 1)
        for row in rows:
            self.assertGreater(min(float(row[2]), float(row[3])), 0)


if __name__ == "__main__":
    hosts.main()
