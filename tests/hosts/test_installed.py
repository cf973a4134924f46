"""A program that was linked with polder::static against an installed tree, started on two hosts: it finds the tree's plug-ins. The tree and
the program are those of tests/install/run."""

import os

import hosts
from hosts import OpenMpi, Slurm

PROGRAM = os.path.join(hosts.BUILD, "tests", "install", "work", "cmake", "job_static")


class Static(hosts.HostsTest):
    slurm = True

    def assert_right(self, launcher, per_host, *words, **environment):
        ranks = per_host * self.count
        done = launcher.run(self.net.hosts, per_host, PROGRAM, ranks, *words, environment=environment)
        self.assertEqual(self.assert_well(done).lines, sorted(f"right {rank} of {ranks}" for rank in range(ranks)), done)

    def test_mpirun(self):
        self.assert_right(OpenMpi(self.net), 2)

    def test_srun(self):
        self.assert_right(Slurm(self.net), 2)

    def test_srun_over_the_network_only(self):
        self.assert_right(Slurm(self.net), 2, "far", POLDER_DEVICE="tcp")


if __name__ == "__main__":
    hosts.main()
