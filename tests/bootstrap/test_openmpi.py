"""Ranks that mpirun of Open MPI starts: it offers PMIx. With and without MPI in the same process."""

import os
import signal
import unittest

from started import StartedTest, launcher, processes_with, program, wait_until

MPIRUN = launcher("mpirun.openmpi")
MEMBER = program("member")
program("pmix_probe")  # which is there only if libpmix is
WITH_MPI = program("member-openmpi")


def command(ranks, *words, options=()):
    return [MPIRUN, "--oversubscribe", *options, "-n", str(ranks), *words]


class OpenMpiTest(StartedTest):
    def test_a_start_that_timed_out_goes_on(self):
        for late in (0, 1):
            file = self.path(f"late{late}")
            script = f'test $PMIX_RANK = {late} && set wait={file} join || set insist={file}; exec {MEMBER} "$@" greet leave'
            self.assertEqual(self.run_to_end(command(2, "sh", "-c", script)), 0, self.lines)
            self.expect_greetings(2)

    def test_without_mpi(self):
        for ranks in (1, 4):
            self.assertEqual(self.run_to_end(command(ranks, MEMBER, "join", "greet", "leave")), 0, self.lines)
            self.expect_greetings(ranks)

    def test_with_mpi_in_any_order(self):
        for actions in ("mpi-init join mpi-agree greet leave mpi-finalize",
                        "join mpi-init mpi-agree greet mpi-finalize leave",
                        "join greet leave mpi-init join mpi-agree leave mpi-finalize"):
            self.assertEqual(self.run_to_end(command(3, WITH_MPI, *actions.split())), 0, self.lines + [self.error])
            for rank in range(3):
                self.expect_lines(f"^rank {rank} of 3 is rank {rank} of 3 of MPI$", 1)
                self.expect_lines(f"^rank {rank} was greeted by rank {(rank - 1) % 3}$", 1)

    def test_several_programs_are_one_job(self):
        both = command(1, MEMBER, "join", "greet", "leave") + [":", "-n", "2", MEMBER, "join", "greet", "leave"]
        self.assertEqual(self.run_to_end(both), 0, self.lines)
        self.expect_greetings(3)

    def test_two_jobs_side_by_side(self):
        jobs = [self.start(command(2, MEMBER, "join", "greet", "leave")) for _ in range(2)]
        for job in jobs:
            self.assertEqual(self.finish(job), 0, self.lines)
            self.expect_greetings(2)

    def test_the_job_ends_with_the_code_of_an_abort(self):
        self.assertEqual(self.run_to_end(command(3, MEMBER, "join", "1:abort=42", f"wait={self.path('never')}")), 42)
        self.assertEqual(self.error.count("rank 1 aborted the job (code 42): as the test says"), 1, self.error)

    def test_a_killed_rank_is_noticed(self):
        words = [f"2:touch={self.path('ready')}", "2:wait=/nowhere/at/all", "see=2:failed"]
        job = self.start(command(3, MEMBER, "join", *words, options=("--mca", "orte_enable_recovery", "1")))
        wait_until(lambda: os.path.exists(self.path("ready")), "rank 2")
        victim = set(processes_with("PMIX_RANK=2")) & set(processes_with(self.marker))
        self.assertEqual(len(victim), 1)
        os.kill(victim.pop(), signal.SIGKILL)
        self.finish(job)
        self.expect_lines("sees that rank 2 is failed", 2)


    def test_nobody_outlives_a_killed_launcher(self):
        paths = [self.path(f"ready{rank}") for rank in range(2)]
        words = [f"{rank}:touch={path}" for rank, path in enumerate(paths)]
        job = self.start(command(2, MEMBER, "join", *words, "wait=/nowhere/at/all"))
        wait_until(lambda: all(map(os.path.exists, paths)), "ranks to be ready")
        job.kill()
        wait_until(lambda: not processes_with(self.marker), "the end of the ranks")


if __name__ == "__main__":
    unittest.main()
