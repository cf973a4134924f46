"""PMIx across hosts, without a network device: ranks on two hosts that tools/testnet makes, started by mpirun and srun."""

import os
import shutil
import subprocess
import sys
import unittest

from started import PROGRAMS, StartedTest, launcher, program

TESTNET_TOOL = os.environ["TESTNET_TOOL"]
MPIRUN = launcher("mpirun.openmpi")
PROBE = program("pmix_probe")
MEMBER = program("member")


def inside():
    """All tests of this file run beside one testnet: this program starts itself anew in it."""
    if "TESTNET" in os.environ:
        return
    build = os.path.normpath(os.path.join(PROGRAMS, "../../.."))  # libpolder lies there, too
    private = build.startswith(("/tmp/", "/run/", "/dev/shm/"))
    command = [sys.executable, TESTNET_TOOL, "2", *(["--share", build] if private else []), "--", sys.executable, __file__]
    sys.exit(subprocess.run(command, check=False).returncode)


class HostsTest(StartedTest):
    def probe(self, *actions):
        agent = os.path.join(os.environ["TESTNET"], "rsh")
        return self.run_to_end([sys.executable, TESTNET_TOOL, "exec", "h0", MPIRUN, "--host", "h0:2,h1:2", "-n", "4",
                                "--mca", "plm_rsh_agent", agent, "-x", "PROCESS_TEST", PROBE, *actions])

    def test_ranks_know_their_place_and_read_each_others_records(self):
        self.assertEqual(self.probe("greet", "again", "greet", "leave"), 0, self.lines + [self.error])
        for rank in range(4):
            self.expect_lines(f"^rank {rank} of 4, {rank % 2} of 2 on h{rank // 2}, job", 2)
            self.expect_lines(f"^rank {rank} read greeting/0$", 1)
            self.expect_lines(f"^rank {rank} read greeting/1$", 1)
        self.assertEqual(len({line.split()[-1] for line in self.lines if "job" in line}), 1)

    def test_who_leaves_at_once_keeps_nobody(self):
        self.assertEqual(self.probe(), 0, self.lines + [self.error])
        self.expect_lines("of 4, . of 2", 4)

    def test_an_abort_ends_all_with_its_code(self):
        self.assertEqual(self.probe("greet", "3:abort=42", "wait=/nowhere/at/all"), 42, self.error)
        self.assertIn("rank 3 aborted the job (code 42): as the test says", self.error)

    def test_death_is_noticed_on_the_node(self):
        self.assertNotEqual(self.probe("greet", "2:exit=5", "3:see=2:failed", "wait=/nowhere/at/all"), 0)

    def test_ranks_of_other_nodes_cannot_be_killed(self):
        self.assertNotEqual(self.probe("greet", "3:kill=0"), 0)
        self.expect_lines("rank 3: unsupported: kill: rank 0 runs on another node", 1)


@unittest.skipUnless(shutil.which("srun") and shutil.which("slurmctld") and os.geteuid() == 0,
                     "Slurm is not installed, or this is not root")
class SlurmTest(StartedTest):
    @classmethod
    def setUpClass(cls):
        subprocess.run([sys.executable, TESTNET_TOOL, "slurm"], check=True)

    def srun(self, *words):
        # Slurm passes the whole environment on.
        return self.run_to_end([sys.executable, TESTNET_TOOL, "exec", "h0", "srun", *words])

    def test_pmix_on_two_hosts(self):
        self.assertEqual(self.srun("--mpi=pmix", "-N", "2", "--ntasks-per-node=2", PROBE, "greet", "again", "greet",
                                   "leave"), 0, self.lines + [self.error])
        for rank in range(4):
            self.expect_lines(f"^rank {rank} of 4, {rank % 2} of 2 on h{rank // 2}, job", 2)
            self.expect_lines(f"^rank {rank} read greeting/1$", 1)

    def test_an_abort_ends_all_with_its_code(self):
        self.assertEqual(self.srun("--mpi=pmix", "-N", "2", "--ntasks-per-node=2", PROBE, "greet", "3:abort=42",
                                   "wait=/nowhere/at/all"), 42, self.error)

    def test_pmi2_on_one_host(self):
        self.assertEqual(self.srun("--mpi=pmi2", "-N", "1", "-n", "2", MEMBER, "join", "greet", "leave"), 0, self.error)
        self.expect_greetings(2)

    def test_pmi2_on_two_hosts_is_refused(self):
        self.assertNotEqual(self.srun("--mpi=pmi2", "-N", "2", "-n", "2", MEMBER, "join"), 0)
        self.expect_lines("unsupported: .* on several machines", 2)

    def test_no_mpi_is_worth_a_warning(self):
        self.assertEqual(self.srun("--mpi=none", "-N", "1", "-n", "2", MEMBER, "join", "leave"), 0, self.error)
        self.expect_lines("rank 0 of 1 joined", 2)
        self.assertIn("the launcher started 2 processes but offers no PMIx", self.error)


if __name__ == "__main__":
    inside()
    unittest.main()
