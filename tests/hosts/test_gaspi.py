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


class SecondNetwork(Suite):
    """All hosts seem to share a network that comes first and leads nowhere: what goes there is lost without a word."""

    count = 3
    slurm = True

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        nowhere = [f"198.51.100.{place + 1}" for place in range(cls.count)]
        for place, host in enumerate(cls.net.hosts):
            mine = f"10.77.0.{place + 1}/24"
            lines = [f"address del {mine} dev eth0", f"address add {nowhere[place]}/24 dev eth0", f"address add {mine} dev eth0"]
            lines += [f"neighbour add {other} lladdr 02:00:00:00:ff:ff dev eth0" for other in nowhere if other != nowhere[place]]
            for line in lines:
                done = cls.net.run(host, "ip", *line.split())
                assert done.code == 0, done

    def test_ranks_find_the_other(self):
        self.assert_all_pass(Slurm(self.net), 1, ["groups", "onesided"], {"POLDER_NETWORK": "tcp"})


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
