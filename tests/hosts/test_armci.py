"""The programs that test the ARMCI interface (tests/api/armci), on several hosts: shared memory within, the network between."""

import os

import hosts
from hosts import OpenMpi

PROGRAM = os.path.join(hosts.BUILD, "tests", "bin", "test_armci_sections_openmpi")


class Suite(hosts.HostsTest):
    def assert_passes(self, per_host, network, *sections):
        done = OpenMpi(self.net).run(self.net.hosts, per_host, PROGRAM, *sections, environment={"POLDER_NETWORK": network})
        self.assert_well(done)


class TwoHosts(Suite):
    def test_over_tcp(self):
        self.assert_passes(2, "tcp")

    @hosts.needs("ucx")
    def test_over_ucx(self):
        self.assert_passes(2, "ucx")

    @hosts.needs("ofi")
    def test_over_ofi(self):
        self.assert_passes(2, "ofi")


class FourHosts(Suite):
    count = 4

    def test_two_ranks_each(self):
        """Eight ranks take their time on a small machine: not with everything."""
        self.assert_passes(2, "tcp", "contiguous", "strided", "accumulate", "rmw", "mutexes", "reductions")


if __name__ == "__main__":
    hosts.main()
