"""Learning on several hosts: the stale-synchronous allreduce over a network."""

import json
import os

import hosts
from hosts import OpenMpi, Slurm

MF = os.environ.get("POLDER_MF", "")


class Learning(hosts.HostsTest):
    slurm = True

    def assert_learns(self, launcher, per_host, *options, environment=None):
        report = self.net.path(f"report-{launcher.name}-{per_host}")
        # A late rank on each host, and a slack that hides it.
        self.assert_well(launcher.run(self.net.hosts, per_host, MF, "train", "--generate", "--users", 200, "--items", 120, "--true-factors", 3,
                                      "--factors", 3, "--observed", 0.4, "--iterations", 60, "--slack", 4, "--late", 0.1, "--late-by", 0.01,
                                      "--work", 0.002, "--rate", 0.03, "--no-progress", "--json", report, *options, environment=environment))
        with open(report, encoding="utf-8") as file:
            document = json.load(file)
        self.assertEqual(document["ranks"], per_host * len(self.net.hosts))
        self.assertLessEqual(document["staleness"]["most"], 4)
        self.assertLess(document["error"]["held_out"], 1.4 * document["floor"])


class TwoHosts(Learning):
    def test_one_rank_each(self):
        self.assert_learns(OpenMpi(self.net), 1)

    def test_three_ranks_each(self):
        self.assert_learns(Slurm(self.net), 3, "--shape", "sharded")

    @hosts.needs("ucx")
    def test_over_ucx(self):
        self.assert_learns(OpenMpi(self.net), 2, environment={"POLDER_NETWORK": "ucx"})

    @hosts.needs("ofi")
    def test_over_ofi(self):
        self.assert_learns(OpenMpi(self.net), 2, environment={"POLDER_NETWORK": "ofi"})


class FourHosts(Learning):
    count = 4

    def test_two_ranks_each(self):
        self.assert_learns(OpenMpi(self.net), 2, "--shape", "flat")


if __name__ == "__main__":
    hosts.main()
