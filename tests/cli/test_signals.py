"""Signals to the launcher, and that nothing survives whatever happens to it."""

import contextlib
import os
import signal
import time
import unittest

from harness import ACTOR, RunTest, processes_with, wait_until

WRAPPED = ["sh", "-c", f'"{ACTOR}" "$@"; true', "sh"]


def children_of(pid):
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            with contextlib.suppress(OSError):
                with open(f"/proc/{entry}/stat", encoding="ascii", errors="replace") as file:
                    name, _, rest = file.read().partition("(")[2].rpartition(")")
                    if int(rest.split()[1]) == pid:
                        found.append((int(entry), name))
    return found


def guardian_of(job):
    """Its name comes a moment after it is forked."""
    found = []

    def look():
        found[:] = [pid for pid, name in children_of(job.pid) if name == "job-guard"]
        return len(found) == 1

    wait_until(look, "a guardian")
    return found[0]


def state_of(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
        return file.read().rpartition(")")[2].split()[0]


class PassedOnTest(RunTest):
    def test_deadly_signals_end_the_job(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2):
            with self.subTest(number.name):
                ready, wait_ready = self.ready_files(3)
                job = self.start_job(3, "attach", *ready, "hold")
                wait_ready()
                job.send_signal(number)
                self.assertEqual(self.finish(job), 128 + number)
                self.assertNotIn("was killed by", self.error)
                for rank in range(3):
                    os.unlink(self.path(f"ready{rank}"))

    def test_ranks_may_handle_a_signal(self):
        ready, wait_ready = self.ready_files(2)
        handler = ["sh", "-c", f'trap "echo handled; exit 0" TERM; "{ACTOR}" "$@"; while true; do sleep 0.01; done', "sh"]
        job = self.start_job(2, *ready, program=handler)
        wait_ready()
        time.sleep(0.1)  # from the actor's end to the loop
        job.send_signal(signal.SIGTERM)
        self.assertEqual(self.finish(job), 0)
        self.assertEqual(self.lines, ["handled"] * 2)

    def test_the_second_interrupt_kills(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number.name):
                ready, wait_ready = self.ready_files(2)
                job = self.start_job(2, f"ignore={int(number)}", *ready, "hold", options=("--grace", "1000"))
                wait_ready()
                job.send_signal(number)
                time.sleep(0.1)
                self.assertIsNone(job.poll())
                job.send_signal(number)
                self.assertEqual(self.finish(job), 128 + number)
                for rank in range(2):
                    os.unlink(self.path(f"ready{rank}"))

    def test_nohup_holds_for_ranks(self):
        ready, wait_ready = self.ready_files(2)
        job = self.start_job(2, *ready, f"await={self.path('go')}", "print=alive",
                             preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        wait_ready()
        job.send_signal(signal.SIGHUP)
        time.sleep(0.1)
        with open(self.path("go"), "w", encoding="ascii"):
            pass
        self.assertEqual(self.finish(job), 0)
        self.assertEqual(self.lines, ["alive"] * 2)

    def test_a_parent_that_ignores_children(self):
        job = self.start_job(2, "attach", "1:exit=7", "finish",
                             preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
        self.assertEqual(self.finish(job), 7)

    def test_ranks_have_no_blocked_signals(self):
        self.assertEqual(self.run_job(1, program=["grep", "SigBlk", "/proc/self/status"]), 0)
        self.assertEqual(self.lines, ["SigBlk:\t0000000000000000"])

    def test_stop_and_continue(self):
        ready, wait_ready = self.ready_files(2)
        # Not in an orphaned process group, or the kernel would not stop it.
        job = self.start_job(2, *ready, "hold", process_group=0)
        wait_ready()
        guardian = guardian_of(job)
        ranks = [pid for pid, _ in children_of(job.pid) if pid != guardian]
        self.assertEqual(len(ranks), 2)
        job.send_signal(signal.SIGTSTP)
        wait_until(lambda: all(state_of(pid) == "T" for pid in ranks), "ranks to stop")
        wait_until(lambda: state_of(job.pid) == "T", "the launcher to stop")
        job.send_signal(signal.SIGCONT)
        wait_until(lambda: all(state_of(pid) == "S" for pid in ranks), "ranks to go on")
        job.send_signal(signal.SIGINT)
        self.assertEqual(self.finish(job), 130)


class LeftoverTest(RunTest):
    """assert_nothing_left() of the base class is the point."""

    def test_background_children_of_ranks_end_with_the_job(self):
        self.assertEqual(self.run_job(3, "attach", "background", "escape", "finish"), 0)
        self.assertEqual(processes_with(self.marker), [])

    def test_background_children_of_crashed_ranks(self):
        self.assertEqual(self.run_job(3, "attach", "background", "escape", "1:crash", "hold", options=("--grace", "0.1")), 139)
        self.assertEqual(processes_with(self.marker), [])

    def test_output_of_escaped_children_does_not_hold_the_launcher(self):
        self.assertEqual(self.run_job(2, "escape", "print=done", options=("--tag-output",)), 0)
        self.assertEqual(self.lines, ["[0] done", "[1] done"])


class KilledLauncherTest(RunTest):
    def kill_and_check(self, ranks, *actions, program=None, delay=None, before_kill=lambda job: None):
        ready, wait_ready = self.ready_files(ranks)
        job = self.start_job(ranks, *actions, *ready, "hold", program=program)
        if delay is None:
            wait_ready()
        else:
            time.sleep(delay)
        before_kill(job)
        job.kill()
        wait_until(lambda: not processes_with(self.marker), "the end of all processes")
        self.assertEqual(self.finish(job), -signal.SIGKILL)
        for rank in range(ranks):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self.path(f"ready{rank}"))

    def without_guardian(self, job):
        os.kill(guardian_of(job), signal.SIGKILL)

    def test_ranks_die(self):
        for _ in range(5):
            self.kill_and_check(4, "attach")

    def test_ranks_behind_wrappers_die(self):
        for _ in range(5):
            self.kill_and_check(4, "attach", program=WRAPPED)

    def test_by_parent_death_signal_alone(self):
        self.kill_and_check(3, before_kill=self.without_guardian)

    def test_by_lifeline_alone(self):
        """Behind a wrapper the parent-death signal reaches the shell only."""
        for _ in range(5):
            self.kill_and_check(3, "attach", program=WRAPPED, before_kill=self.without_guardian)

    def test_by_guardian_alone(self):
        """Processes that never attach, behind a wrapper, in the background, and in sessions of their own."""
        self.kill_and_check(2, "background", "escape", program=WRAPPED)

    def test_at_any_moment(self):
        for step in range(40):
            self.kill_and_check(4, "attach", "escape", program=WRAPPED if step % 2 else None, delay=step * 0.001)

    def test_a_rank_that_leaves_does_not_cut_the_others_lifelines(self):
        self.assertEqual(self.run_job(4, "attach", "0:finish", "0:exit=0", "finished=0", "sleep=100", "print=alive", "finish"), 0)
        self.assertEqual(self.lines.count("alive"), 3)


if __name__ == "__main__":
    unittest.main()
