"""Fourier transforms on several hosts: lines that are put over a network, while others are transformed."""

import json
import os

import hosts
from hosts import OpenMpi

FFT = os.environ.get("POLDER_FFT", "")


class Transforms(hosts.HostsTest):
    def transformed(self, per_host, *options):
        """The program has computed elements of its result anew, and fails where they are off."""
        path = self.net.path("report")
        words = [FFT, "--generate", "40x42x44", "--repeat", 3, "--pieces", 3, "--sample", 12, "--no-progress", "--json", path]
        self.assert_well(OpenMpi(self.net).run(self.net.hosts, per_host, *words, *options))
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
        self.assertEqual(report["rows"] * report["columns"], per_host * len(self.net.hosts))
        self.assertEqual(report["samples"], 12)
        self.assertLessEqual(report["error"], report["bound"])


class TwoHosts(Transforms):
    def test_slabs_and_pencils(self):
        self.transformed(1)
        for grid in ("4x1", "2x2", "1x4"):  # neighbours in a column, in a row, and both
            self.transformed(2, "--grid", grid)

    def test_the_inverse(self):
        self.transformed(2, "--inverse")


class FourHosts(Transforms):
    count = 4

    def test_a_rank_each(self):
        for grid in ("4x1", "2x2"):
            self.transformed(1, "--grid", grid)


if __name__ == "__main__":
    hosts.main()
