"""C++ programs between hosts, with single elements: flags that count, typed access, posted atomics (tests/core/programs/elements)."""

import os

import hosts
from hosts import OpenMpi, Slurm

PROGRAM = os.path.join(hosts.BUILD, "tests", "core", "programs", "elements")


class Suite(hosts.HostsTest):
    slurm = True

    def assert_right(self, launcher, per_host, **environment):
        done = self.assert_well(launcher.run(self.net.hosts, per_host, PROGRAM, environment=environment))
        self.assertEqual(done.lines, sorted(f"right {rank}" for rank in range(per_host * self.count)), done)


class TwoHosts(Suite):
    def test_one_rank_each(self):
        self.assert_right(OpenMpi(self.net), 1)

    def test_two_ranks_each(self):
        self.assert_right(Slurm(self.net), 2)

    def test_over_the_network_only(self):
        self.assert_right(OpenMpi(self.net), 2, POLDER_DEVICE="tcp")

    @hosts.needs("ucx")
    def test_over_ucx(self):
        self.assert_right(OpenMpi(self.net), 2, POLDER_NETWORK="ucx")

    @hosts.needs("ofi")
    def test_over_ofi(self):
        self.assert_right(OpenMpi(self.net), 2, POLDER_NETWORK="ofi")


class FourHosts(Suite):
    count = 4

    def test_two_ranks_each(self):
        self.assert_right(Slurm(self.net), 2)


if __name__ == "__main__":
    hosts.main()
