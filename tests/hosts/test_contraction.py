"""Tensor contraction on several hosts: blocks that are fetched over a network."""

import json
import os

import hosts
from hosts import OpenMpi

CONTRACT = os.environ.get("POLDER_CONTRACT", "")


class Contraction(hosts.HostsTest):
    def contracted(self, per_host, *options, environment=None):
        """The report; the program has checked its result."""
        path = self.net.path("report")
        words = [CONTRACT, "abcd,cdij->abij", "--generate", "a=12,b=10,c=9,d=11,i=6,j=7", "--rows", 17, "--columns", 13, "--inner", 19,
                 "--distribution", "random", "--threads", 1, "--no-progress", "--json", path]
        self.assert_well(OpenMpi(self.net).run(self.net.hosts, per_host, *words, *options, environment=environment))
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
        self.assertEqual(report["ranks"], per_host * len(self.net.hosts))
        self.assertGreater(report["fetched"]["blocks"], 0)
        return report


class TwoHosts(Contraction):
    def test_neighbours_and_strangers(self):
        whole = self.contracted(2, "--type", "complex128")
        # With room for four blocks some travel twice.
        tight = self.contracted(2, "--type", "complex128", "--memory", 2 * whole["memory"])
        self.assertGreaterEqual(tight["fetched"]["blocks"], whole["fetched"]["blocks"])

    @hosts.needs("ucx")
    def test_over_ucx(self):
        self.contracted(1, environment={"POLDER_NETWORK": "ucx"})

    @hosts.needs("ofi")
    def test_over_ofi(self):
        self.contracted(1, environment={"POLDER_NETWORK": "ofi"})


class FourHosts(Contraction):
    count = 4

    def test_a_rank_each(self):
        self.contracted(1)


if __name__ == "__main__":
    hosts.main()
