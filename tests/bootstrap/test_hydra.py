"""Ranks that mpiexec of MPICH starts, with and without MPI in the same process."""

import os
import signal
import unittest

from started import StartedTest, launcher, processes_with, program, wait_until

MPIEXEC = launcher("mpiexec.hydra")
MEMBER = program("member")
WITH_MPI = program("member-mpich")


def command(ranks, *words):
    return [MPIEXEC, "-n", str(ranks), *words]


class HydraTest(StartedTest):
    def test_without_mpi(self):
        for ranks in (1, 2, 4):
            self.assertEqual(self.run_to_end(command(ranks, MEMBER, "join", "greet", "leave")), 0, self.lines)
            self.expect_greetings(ranks)

    def test_behind_a_wrapper(self):
        self.assertEqual(self.run_to_end(command(3, "sh", "-c", f"{MEMBER} join greet leave; exit $?")), 0, self.lines)
        self.expect_greetings(3)

    def test_with_mpi_in_any_order(self):
        for actions in ("mpi-init join mpi-agree greet leave mpi-finalize",
                        "join mpi-init mpi-agree greet mpi-finalize leave",
                        "join greet leave mpi-init join mpi-agree leave mpi-finalize"):
            self.assertEqual(self.run_to_end(command(3, WITH_MPI, *actions.split())), 0, self.lines)
            self.expect_greetings_of_mpi(3)

    def expect_greetings_of_mpi(self, ranks):
        for rank in range(ranks):
            self.expect_lines(f"^rank {rank} of {ranks} is rank {rank} of {ranks} of MPI$", 1)
            self.expect_lines(f"^rank {rank} was greeted by rank {(rank - 1) % ranks}$", 1)

    def test_two_jobs_side_by_side(self):
        jobs = [self.start(command(2, MEMBER, "join", "greet", "leave")) for _ in range(2)]
        for job in jobs:
            self.assertEqual(self.finish(job), 0, self.lines)
            self.expect_greetings(2)

    def test_the_job_ends_with_the_code_of_an_abort(self):
        self.assertEqual(self.run_to_end(command(3, MEMBER, "join", "1:abort=42", f"wait={self.path('never')}")), 42)
        self.assertIn("rank 1 aborted the job (code 42)", self.error)

    def test_a_killed_rank_ends_the_job(self):
        """By hydra, which cannot be told to go on."""
        job = self.start(command(3, MEMBER, "join", f"2:touch={self.path('ready')}", "wait=/nowhere/at/all"))
        wait_until(lambda: os.path.exists(self.path("ready")), "rank 2")
        victim = set(processes_with("PMI_RANK=2")) & set(processes_with(self.marker))
        self.assertEqual(len(victim), 1)
        os.kill(victim.pop(), signal.SIGKILL)
        self.assertNotEqual(self.finish(job), 0)

    def test_ranks_of_another_machine_are_refused(self):
        for values in ({"MPI_LOCALNRANKS": "1"}, {"SLURM_STEP_NUM_NODES": "2"}):
            self.assertEqual(self.run_to_end([MEMBER, "join"], PMI_RANK="0", PMI_SIZE="2", **values), 1)
            self.expect_lines("unsupported: the 2 ranks that PMI_SIZE counts are on several machines .*srun --mpi=pmix", 1)


if __name__ == "__main__":
    unittest.main()
