"""Real launchers on several hosts: every rank starts where it should. The programs know nothing of Polder."""

import signal
import sys

import hosts
from hosts import OpenMpi, Slurm

WHO = ["sh", "-c", 'echo "rank $PMIX_RANK on $(hostname)"; test -n "$PMIX_NAMESPACE"']


def expected(names, per_host):
    ranks = [host for host in names for _ in range(per_host)]
    return sorted(f"rank {rank} on {host}" for rank, host in enumerate(ranks))


class Launchers(hosts.HostsTest):
    count = 3
    slurm = True

    def assert_places(self, launcher, names, per_host):
        done = self.assert_well(launcher.run(names, per_host, *WHO))
        self.assertEqual(done.lines, expected(names, per_host), done)

    def test_mpirun_fills_hosts_in_order(self):
        self.assert_places(OpenMpi(self.net), ["h0", "h1", "h2"], 2)

    def test_mpirun_without_the_host_it_runs_on(self):
        self.assert_places(OpenMpi(self.net), ["h1", "h2"], 1)

    def test_srun_offers_pmix(self):
        done = self.assert_well(self.net.run("h0", "srun", "--mpi=list"))
        self.assertIn("pmix", done.out + done.err)

    def test_srun_fills_hosts_in_order(self):
        self.assert_places(Slurm(self.net), ["h0", "h1", "h2"], 2)

    def test_srun_without_the_host_it_runs_on(self):
        self.assert_places(Slurm(self.net), ["h1", "h2"], 3)

    def test_hydra_with_the_agent(self):
        done = self.net.run("h0", "mpiexec.mpich", "-hosts", "h0,h1", "-ppn", "2", "-n", "4", "-launcher", "ssh",
                            "-launcher-exec", self.net.path("rsh"), "hostname")
        self.assertEqual(self.assert_well(done).lines, ["h0", "h0", "h1", "h1"])

    def test_environment_reaches_the_ranks(self):
        for launcher in (OpenMpi(self.net), Slurm(self.net)):
            done = launcher.run(["h0", "h1"], 1, "sh", "-c", "echo $POLDER_EXAMPLE", environment={"POLDER_EXAMPLE": "42"})
            self.assertEqual(self.assert_well(done).lines, ["42", "42"], launcher.name)

    def test_exit_codes_come_back(self):
        for launcher in (OpenMpi(self.net), Slurm(self.net)):
            # A launcher ends the other rank when it hears of the first, maybe before that can exit; Slurm tells the larger code.
            done = launcher.run(["h0", "h1"], 1, "sh", "-c", "trap '' TERM; exit 3")
            codes = (3,) if launcher.name == "mpirun" else (3, 128 + signal.SIGTERM)
            self.assertIn(done.code, codes, f"{launcher.name}: {done}")



if __name__ == "__main__":
    sys.exit(hosts.main())
