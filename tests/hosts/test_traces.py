"""Traces of jobs on several hosts, whose clocks are one here: what was found out about them over the network must say so."""

import os
import re
import subprocess

import hosts
from hosts import OpenMpi

WAITER = os.path.join(os.environ.get("POLDER_HOSTS_PROGRAMS", ""), "../../cli/programs/waiter")
UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


class Clocks(hosts.HostsTest):
    def test_hosts_ask_for_each_others_clocks(self):
        """Flags of a barrier are no messages of the program: without questions there would be nothing to go by."""
        folder = self.net.path("trace")
        self.assert_well(OpenMpi(self.net).run(self.net.hosts, 2, WAITER, "barrier", environment={"POLDER_TRACE": folder}))
        done = subprocess.run([os.path.join(hosts.BUILD, "bin", "polder"), "trace", "stats", folder], capture_output=True, text=True,
                              timeout=hosts.PATIENCE, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        number = r"(-?[0-9.e+]+) (ns|us|ms|s)"
        found = re.search(rf"note: the clock of h1: {number} and {number} a second were added to bring it to that of h0, right to {number}$",
                          done.stdout, re.MULTILINE)
        self.assertIsNotNone(found, done.stdout)
        offset = abs(float(found[1])) * UNITS[found[2]]
        error = float(found[5]) * UNITS[found[6]]
        self.assertGreater(error, 0)
        self.assertLess(error, 1, "a question takes less than that")
        self.assertLessEqual(offset, 2 * error + 1e-6, "the hosts are one machine")


if __name__ == "__main__":
    hosts.main()
