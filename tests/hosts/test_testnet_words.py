"""tools/testnet before there are hosts, and when they are gone: what it refuses, and that its folder is not made again."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import hosts

sys.path.insert(0, os.path.join(hosts.TOOLS, "hosts"))
import controller  # noqa: E402  (its folder had to be named first)
import host  # noqa: E402


class Counts(unittest.TestCase):
    def test_no_hosts_and_more_than_there_are_addresses(self):
        for count in ("0", "255", "²", "99999999999999999999"):
            done = subprocess.run([*hosts.TESTNET, count, "--", "true"], text=True, capture_output=True, timeout=hosts.PATIENCE)
            self.assertEqual(done.returncode, 2, count)
            self.assertIn(f"'{count}' is no number of hosts from 1 to 254", done.stderr)


class Folders(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def test_a_host_that_comes_late_does_not_make_it_again(self):
        gone = os.path.join(self.folder, "gone")
        with mock.patch.object(host, "mount"):
            with self.assertRaises(FileNotFoundError):
                host.make_private("/nowhere", os.path.join(gone, "staging-h0"), [])
            self.assertFalse(os.path.exists(gone))
            os.mkdir(gone)
            for folder in ("/nowhere", "/else"):  # the same staging for one after the other
                host.make_private(folder, os.path.join(gone, "staging-h0"), [])

    def test_what_a_host_makes_meanwhile_is_removed_too(self):
        remove = shutil.rmtree
        times = []

        def rmtree(folder, ignore_errors):
            """As if a host had made something behind it, the first time."""
            remove(folder, ignore_errors)
            times.append(folder)
            if len(times) == 1:
                os.makedirs(os.path.join(folder, "staging-h0"))

        with mock.patch.object(shutil, "rmtree", rmtree):
            controller.remove(self.folder)
        self.assertFalse(os.path.exists(self.folder))


if __name__ == "__main__":
    hosts.main()
