"""The programs that test the GASPI interface (tests/api/gaspi), on several hosts: shared memory within, the network between."""

import os

import hosts
from hosts import OpenMpi, Slurm

PROGRAMS = os.environ.get("POLDER_GASPI_PROGRAMS", "")
SECTIONS = os.environ.get("POLDER_GASPI_SECTIONS", "").split(",")


class Suite(hosts.HostsTest):
    def assert_all_pass(self, launcher, per_host, sections=SECTIONS, environment=None):
        for section in sections:
            with self.subTest(section=section, launcher=launcher.name, hosts=self.count, ranks=per_host):
                program = os.path.join(PROGRAMS, f"test_gaspi_{section}")
                done = launcher.run(self.net.hosts, per_host, program, environment=environment)
                self.assert_well(done)


class TwoHosts(Suite):
    slurm = True

    def test_one_rank_each(self):
        self.assert_all_pass(OpenMpi(self.net), 1)

    def test_two_ranks_each(self):
        self.assert_all_pass(Slurm(self.net), 2)


class FourHosts(Suite):
    count = 4
    slurm = True

    def test_one_rank_each(self):
        self.assert_all_pass(Slurm(self.net), 1)

    def test_four_ranks_each(self):
        """Sixteen ranks take their time on a small machine: not with everything."""
        self.assert_all_pass(OpenMpi(self.net), 4, ["groups", "onesided", "notifications", "collectives"])


class EightHosts(Suite):
    """As many networks as ranks: who has more than two peers asks the kernel which of them have spoken."""

    count = 8

    def test_one_rank_each(self):
        self.assert_all_pass(OpenMpi(self.net), 1, ["groups", "onesided", "notifications", "atomics", "collectives"])


class ForcedNetwork(Suite):
    """The network between ranks of one host, too."""

    def test_tcp_only(self):
        self.assert_all_pass(OpenMpi(self.net), 2, environment={"POLDER_DEVICE": "tcp"})

    @hosts.needs("ucx")
    def test_ucx_only(self):
        self.assert_all_pass(OpenMpi(self.net), 2, environment={"POLDER_DEVICE": "ucx"})

    @hosts.needs("ofi")
    def test_ofi_only(self):
        self.assert_all_pass(OpenMpi(self.net), 2, environment={"POLDER_DEVICE": "ofi"})

    @hosts.needs("ucx")
    def test_ucx_between_hosts(self):
        self.assert_all_pass(OpenMpi(self.net), 2, environment={"POLDER_NETWORK": "ucx"})

    @hosts.needs("ofi")
    def test_ofi_between_hosts(self):
        self.assert_all_pass(OpenMpi(self.net), 2, environment={"POLDER_NETWORK": "ofi"})

    @hosts.needs("ucx")
    def test_memory_is_reached(self):
        """Shared memory of neighbours, which the network reaches as well, by what UCX does over TCP instead of hardware."""
        reaching = {"POLDER_NETWORK": "ucx", "POLDER_UCX_RMA": "on", "POLDER_UCX_RMA_BYTES": "1"}
        self.assert_all_pass(OpenMpi(self.net), 2, ["segments", "onesided", "notifications", "lists", "queues"], reaching)


if __name__ == "__main__":
    hosts.main()
