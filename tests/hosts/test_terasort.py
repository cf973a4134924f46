"""Sorting on several hosts, which share the file system and nothing else."""

import os

import hosts
from hosts import OpenMpi, Slurm

TERASORT = os.environ.get("POLDER_TERASORT", "")
RECORDS = 200_000  # of 100 bytes


class Sorting(hosts.HostsTest):
    slurm = True

    def assert_sorts(self, launcher, per_host, environment=None):
        records, result = self.net.path("records"), self.net.path(f"sorted-{launcher.name}-{per_host}")
        if not os.path.exists(records):
            self.assert_well(self.net.run("h0", TERASORT, "generate", RECORDS, records))
        self.assert_well(launcher.run(self.net.hosts, per_host, TERASORT, "sort", records, result, environment=environment))
        done = self.assert_well(self.net.run("h0", TERASORT, "validate", result, "--against", records))
        self.assertIn("all records are in order", done.out)
        self.assertEqual(os.path.getsize(result), os.path.getsize(records))


class TwoHosts(Sorting):
    def test_one_rank_each(self):
        self.assert_sorts(OpenMpi(self.net), 1)

    def test_three_ranks_each(self):
        self.assert_sorts(Slurm(self.net), 3)

    @hosts.needs("ucx")
    def test_over_ucx(self):
        self.assert_sorts(OpenMpi(self.net), 2, {"POLDER_NETWORK": "ucx"})

    @hosts.needs("ofi")
    def test_over_ofi(self):
        self.assert_sorts(OpenMpi(self.net), 2, {"POLDER_NETWORK": "ofi"})


class FourHosts(Sorting):
    count = 4

    def test_one_rank_each(self):
        self.assert_sorts(Slurm(self.net), 1)

    def test_two_ranks_each(self):
        self.assert_sorts(OpenMpi(self.net), 2)


if __name__ == "__main__":
    hosts.main()
