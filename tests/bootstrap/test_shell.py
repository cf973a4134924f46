"""Ranks that a shell starts with GASPI_RANK and GASPI_NRANKS."""

import os
import signal
import socket
import time
import unittest

from started import StartedTest, processes_with, program, wait_until

MEMBER = program("member")


def script(ranks, actions, *, each="{member} {actions} &", numbers=None):
    """A shell script that starts the ranks in one way or the other; its exit code is 1 if one of them failed."""
    lines = [f"export GASPI_NRANKS={ranks}"]
    for rank in numbers if numbers is not None else range(ranks):
        lines.append(f"GASPI_RANK={rank} GASPI_SOCKET={rank} " + each.format(member=MEMBER, actions=actions, rank=rank))
        lines.append('jobs="$jobs $!"')
    lines.append("bad=0; for job in $jobs; do wait $job || bad=1; done; exit $bad")
    return ["bash", "-c", "\n".join(lines)]


class ShellTest(StartedTest):
    def test_ranks_find_each_other(self):
        for ranks in (1, 2, 4):
            self.assertEqual(self.run_to_end(script(ranks, "join greet leave")), 0, self.lines)
            self.expect_greetings(ranks)

    def test_whatever_lies_between(self):
        """Wrappers, subshells, other orders."""
        for each in ("sh -c '{member} {actions}; exit $?' &", "env nice {member} {actions} &"):
            self.assertEqual(self.run_to_end(script(3, "join greet leave", each=each)), 0, self.lines)
            self.expect_greetings(3)
        lines = "".join(f"(export GASPI_NRANKS=3 GASPI_RANK={rank}; {MEMBER} join greet; true) &\n" for rank in (2, 1, 0))
        self.assertEqual(self.run_to_end(["bash", "-c", lines + "wait"]), 0)
        self.expect_greetings(3)

    def test_a_shell_that_does_not_wait(self):
        """Its children may notice early or late that it has gone."""
        out = [self.path(f"out{rank}") for rank in range(3)]
        lines = "".join(f"GASPI_NRANKS=3 GASPI_RANK={rank} {MEMBER} join greet > {out[rank]} 2>&1 &\n" for rank in range(3))
        self.assertEqual(self.run_to_end(["setsid", "bash", "-c", lines]), 0)
        wait_until(lambda: not processes_with(self.marker), "the ranks to end")
        self.error, self.lines = "", []
        for name in out:
            with open(name, encoding="utf-8") as text:
                self.lines += text.read().splitlines()
        self.expect_greetings(3)

    def test_one_after_the_other(self):
        lines = "export GASPI_NRANKS=2\n" + "".join(
            f"GASPI_RANK=0 {MEMBER} join greet & GASPI_RANK=1 {MEMBER} join greet\n" for _ in range(3)) + "wait"
        self.assertEqual(self.run_to_end(["bash", "-c", lines]), 0)
        self.expect_lines("was greeted by rank", 6)

    def test_side_by_side_from_two_shells(self):
        jobs = [self.start(script(3, "join greet leave")) for _ in range(3)]
        for job in jobs:
            self.assertEqual(self.finish(job), 0, self.lines)
            self.expect_greetings(3)

    def test_side_by_side_from_one_shell(self):
        self.assertEqual(self.run_to_end(script(2, "join greet leave", numbers=[0, 0, 1, 1])), 0, self.lines)
        self.expect_lines("was greeted by rank 0", 2)
        self.expect_lines("was greeted by rank 1", 2)

    def test_a_name_brings_together_what_belongs_together(self):
        """Two starters that have nothing in common but the name."""
        name = f"test{os.getpid()}.{time.monotonic_ns()}"
        jobs = [self.start(script(2, "join greet leave", numbers=[rank]), POLDER_MEETING=name) for rank in (1, 0)]
        for job in jobs:
            self.assertEqual(self.finish(job), 0, self.lines)
            self.expect_lines("was greeted", 1)

    def test_a_second_runtime_finds_the_same_job(self):
        self.assertEqual(self.run_to_end(script(3, "join greet leave join greet leave")), 0, self.lines)
        self.expect_lines("was greeted", 6)


class MachineFileTest(StartedTest):
    def with_hosts(self, hosts):
        path = self.path("hosts")
        with open(path, "w", encoding="ascii") as file:
            file.writelines(host + "\n" for host in hosts)
        return self.run_to_end(script(2, "join greet leave"), GASPI_MFILE=path)

    def test_names_of_this_machine(self):
        self.assertEqual(self.with_hosts(["localhost", socket.gethostname(), "not.asked.for"]), 0, self.lines)
        self.expect_greetings(2)
        self.assertEqual(self.with_hosts(["127.0.0.1", "::1"]), 0, self.lines)

    def test_comments(self):
        self.assertEqual(self.with_hosts(["# one rank a line", "localhost # rank 0", "", "127.0.0.1"]), 0, self.lines)
        self.expect_greetings(2)

    def test_another_machine(self):
        self.assertEqual(self.with_hosts(["localhost", "192.0.2.1"]), 1)  # an address that nobody has (RFC 5737)
        self.expect_lines("puts rank 1 on 192.0.2.1, which is not this machine; .*srun --mpi=pmix", 2)

    def test_too_few_hosts(self):
        self.assertEqual(self.with_hosts(["localhost"]), 1)
        self.expect_lines("names 1 hosts for a job of 2 ranks", 2)

    def test_no_such_file(self):
        self.assertEqual(self.run_to_end(script(1, "join"), GASPI_MFILE=self.path("none")), 1)
        self.expect_lines("cannot be read: No such file", 1)


class WrongStartTest(StartedTest):
    def test_a_missing_rank_is_named(self):
        self.assertEqual(self.run_to_end(script(4, "join", numbers=[0, 1, 3]), ACTOR_TIMEOUT="10"), 1)
        self.expect_lines("timeout: .*rank.* 2.* of 4 did not come", 3)

    def test_a_missing_host_is_named(self):
        self.assertEqual(self.run_to_end(script(2, "join", numbers=[1]), ACTOR_TIMEOUT="1"), 1)
        self.expect_lines("timeout: rank 0 did not come", 1)

    def test_a_rank_twice(self):
        """The second waits for a job of its own, and says who has its place."""
        self.assertEqual(self.run_to_end(script(3, "join", numbers=[0, 1, 1]), ACTOR_TIMEOUT="10"), 1)
        self.expect_lines("GASPI_RANK=1 of this job already", 1)

    def test_values_that_make_no_sense(self):
        for values, complaint in (({"GASPI_RANK": "2", "GASPI_NRANKS": "2"}, "GASPI_RANK=2 is not a rank of a job of 2"),
                                  ({"GASPI_RANK": "x", "GASPI_NRANKS": "2"}, "GASPI_RANK=x is not"),
                                  ({"GASPI_RANK": "0", "GASPI_NRANKS": "0"}, "at least one rank"),
                                  ({"GASPI_RANK": "0", "GASPI_NRANKS": "70000"}, "GASPI_NRANKS=70000 is not"),
                                  ({"GASPI_RANK": "0"}, "GASPI_NRANKS is not set"),
                                  ({"GASPI_NRANKS": "2"}, "GASPI_RANK is not set"),
                                  ({"GASPI_RANK": "0", "GASPI_NRANKS": "1", "GASPI_SOCKET": "1"}, "GASPI_SOCKET=1 is not")):
            self.assertEqual(self.run_to_end([MEMBER, "join"], **values), 1)
            self.expect_lines("invalid argument: .*" + complaint, 1)


class EndTest(StartedTest):
    def test_a_killed_rank_is_noticed(self):
        job = self.start(script(4, f"join 2:touch={self.path('ready')} see=2:failed 2:wait={self.path('never')}"))
        wait_until(lambda: os.path.exists(self.path("ready")), "rank 2")
        victim = [pid for pid in processes_with("GASPI_RANK=2") if pid in processes_with(self.marker)]
        self.assertEqual(len(victim), 1)
        os.kill(victim[0], signal.SIGKILL)
        self.assertEqual(self.finish(job), 1)
        self.expect_lines("sees that rank 2 is failed", 3)

    def test_a_rank_that_leaves_has_not_failed(self):
        done = self.path("done")
        self.assertEqual(self.run_to_end(script(2, f"join 1:leave 0:see=1:finished")), 0, self.lines)
        self.expect_lines("rank 0 sees that rank 1 is finished", 1)
        self.assertFalse(os.path.exists(done))

    def test_a_rank_can_kill_another(self):
        self.assertEqual(self.run_to_end(script(3, f"join 0:kill=2 see=2:failed 2:wait={self.path('never')}")), 1)
        self.expect_lines("sees that rank 2 is failed", 2)

    def test_abort_ends_all(self):
        lines = "".join(f"GASPI_NRANKS=3 GASPI_RANK={rank} {MEMBER} join 1:abort=42 wait={self.path('never')} &\njobs=\"$jobs $!\"\n"
                        for rank in range(3)) + "for job in $jobs; do wait $job; echo code $?; done"
        self.run_to_end(["bash", "-c", lines])
        self.expect_lines("^code 42$", 3)
        self.assertIn("rank 1 aborted the job (code 42): as the test says", self.error)


if __name__ == "__main__":
    unittest.main()
