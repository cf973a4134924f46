"""How jobs end: exit codes, reports, the grace time, --keep-going, --timeout, requests of ranks."""

import signal
import unittest

from harness import ACTOR, RunTest

QUICK = ("--grace", "0.2")


class ExitCodeTest(RunTest):
    def test_success(self):
        self.assertEqual(self.run_job(4, "attach", "finish"), 0)
        self.assertEqual(self.error, "")

    def test_programs_that_do_not_use_polder(self):
        self.assertEqual(self.run_job(3, program=["sh", "-c", "exit 0"]), 0)
        self.assertEqual(self.error, "")

    def test_code_of_the_failed_rank(self):
        self.assertEqual(self.run_job(4, "attach", "2:exit=42", "finish"), 42)
        self.assertRegex(self.error, r"polder: rank 2 on \S+ exited with code 42\n")

    def test_code_of_the_first_failure(self):
        self.assertEqual(self.run_job(2, "attach", "0:failed=1", "0:exit=9", "exit=8"), 8)

    def test_failure_after_finish_leaves_the_others_the_grace_time(self):
        self.assertEqual(self.run_job(2, "attach", "finish", "1:exit=5", "0:finished=1", "0:sleep=300", "0:print=done",
                                      options=("--grace", "30")), 5)
        self.assertIn("done", self.lines)

    def test_failure_after_finish_ends_who_hangs(self):
        self.assertEqual(self.run_job(2, "attach", "1:finish", "1:exit=5", "0:hold", options=("--grace", "0.2")), 5)
        self.assertIn("ending the 1 rank", self.error)

    def test_crash_is_reported_by_name(self):
        self.assertEqual(self.run_job(3, "attach", "1:crash", "failed=1", "finish"), 128 + signal.SIGSEGV)
        self.assertRegex(self.error, r"polder: rank 1 on \S+ was killed by SIGSEGV \(segmentation fault\)")
        self.assertEqual(self.lines, ["rank 1 failed"] * 2)

    def test_signal_of_a_program_that_does_not_use_polder(self):
        self.assertEqual(self.run_job(1, program=["sh", "-c", "kill -ABRT $$"]), 128 + signal.SIGABRT)
        self.assertIn("SIGABRT (aborted)", self.error)

    def test_leaving_without_finish_is_a_failure_for_peers_only(self):
        self.assertEqual(self.run_job(2, "attach", "1:exit=0", "failed=1", "finish"), 0)
        self.assertRegex(self.error, r"rank 1 on \S+ exited with code 0 without shutting its runtime down")
        self.assertEqual(self.lines, ["rank 1 failed"])

    def test_peers_that_never_attach_are_gone_when_they_end(self):
        self.assertEqual(self.run_job(2, "1:exit=0", "attach", "lookup=1.key", "finish"), 0)
        self.assertIn("rank 1 finished and never published it", self.lines[0])


class FailureTest(RunTest):
    def test_others_are_ended_after_the_grace_time(self):
        self.assertEqual(self.run_job(4, "attach", "0:crash", "hold", options=QUICK), 139)
        self.assertIn("ending the 3 ranks still running", self.error)
        self.assertNotIn("SIGKILL that", self.error)

    def test_who_ignores_sigterm_is_killed(self):
        self.assertEqual(self.run_job(3, f"ignore={int(signal.SIGTERM)}", "attach", "2:exit=3", "hold", options=QUICK), 3)
        self.assertIn("killing 2 ranks that did not end in time: 0, 1", self.error)

    def test_of_many_that_are_killed_some_are_named(self):
        self.assertEqual(self.run_job(20, f"ignore={int(signal.SIGTERM)}", "attach", "19:exit=3", "hold", options=QUICK), 3)
        self.assertRegex(self.error, r"killing 19 ranks that did not end in time: 0, 1, [0-9, ]+, 15 and 3 more\n")

    def test_who_is_stopped_is_ended(self):
        self.assertEqual(self.run_job(2, "attach", "1:sleep=100", "1:exit=3", f"raise={int(signal.SIGSTOP)}", "hold",
                                      options=QUICK), 3)

    def test_who_sees_the_failure_may_end_by_himself(self):
        self.assertEqual(self.run_job(3, "attach", "0:crash", "failed=0", "sleep=100", "print=done", "finish",
                                      options=("--grace", "30")), 139)
        self.assertEqual(self.lines.count("done"), 2)
        self.assertNotIn("ending", self.error)

    def test_keep_going(self):
        self.assertEqual(self.run_job(3, "attach", "0:crash", "failed=0", "sleep=300", "print=done", "finish",
                                      options=("--keep-going", "--grace", "0")), 139)
        self.assertEqual(self.lines.count("done"), 2)
        self.assertNotIn("ending", self.error)

    def test_crash_behind_a_wrapper_is_seen_before_the_wrapper_ends(self):
        script = f'"{ACTOR}" "$@"; test $POLDER_RANK = 0 || exit 0; {ACTOR} hold'
        self.assertEqual(self.run_job(2, "attach", "1:failed=0", "0:crash", "finish", options=("--timeout", "2"),
                                      program=["sh", "-c", script, "sh"]), 124)
        self.assertIn("rank 0 failed", self.lines)
        self.assertIn("below the one that was started, ended without", self.error)


class ReturnTest(RunTest):
    def test_a_process_may_come_back(self):
        self.assertEqual(self.run_job(2, "attach", "finish", "attach", "publish=key", "lookup=0.key", "lookup=1.key", "finish"), 0)
        self.assertEqual(self.lines, ["from 0"] * 2 + ["from 1"] * 2)
        self.assertEqual(self.error, "")

    def test_one_that_has_ended_behind_a_wrapper_will_not(self):
        script = f'"{ACTOR}" "$@"; test $POLDER_RANK = 0 || "{ACTOR}" hold'
        self.assertEqual(self.run_job(2, "attach", "0:lookup=1.key", "finish", options=("--timeout", "2"),
                                      program=["sh", "-c", script, "sh"]), 124)
        self.assertIn("rank 1 finished and never published it", self.lines[0])


class TimeoutTest(RunTest):
    def test_the_job_is_ended(self):
        self.assertEqual(self.run_job(3, "attach", "hold", options=("--timeout", "0.3")), 124)
        self.assertIn("ran longer than 0.3 s", self.error)

    def test_a_quick_job_is_not(self):
        self.assertEqual(self.run_job(3, "attach", "finish", options=("--timeout", "100")), 0)

    def test_with_ranks_that_ignore_everything(self):
        ignore = [f"ignore={int(number)}" for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)]
        self.assertEqual(self.run_job(2, *ignore, "hold", options=("--timeout", "0.2", *QUICK)), 124)


class RequestTest(RunTest):
    def test_abort(self):
        self.assertEqual(self.run_job(4, "attach", "2:abort=17.the matrix is singular", "hold"), 17)
        self.assertRegex(self.error, r"^polder: rank 2 on \S+ aborted the job \(code 17\): the matrix is singular\n$")

    def test_of_several_that_abort_one_is_heard(self):
        self.assertEqual(self.run_job(5, f"ignore={int(signal.SIGTERM)}", "attach", "2:abort=17.first", "failed=2", "abort=17.second",
                                      options=("--grace", "30")), 17)
        self.assertRegex(self.error, r"^polder: rank 2 on \S+ aborted the job \(code 17\): first\n$")

    def test_abort_behind_a_wrapper(self):
        self.assertEqual(self.run_job(2, "attach", "1:abort=17.why", "hold",
                                      program=["sh", "-c", f'"{ACTOR}" "$@"; sleep 100', "sh"]), 17)

    def test_a_code_that_does_not_fit_is_still_a_failure(self):
        self.assertEqual(self.run_job(1, "attach", "abort=256.why"), 1)

    def test_kill_is_no_failure_of_the_job(self):
        self.assertEqual(self.run_job(3, "attach", "0:kill=1", "1:hold", "failed=1", "finish"), 0)
        self.assertRegex(self.error, r"^polder: rank 1 on \S+ was killed as rank 0 asked\n$")
        self.assertEqual(self.lines, ["rank 1 failed"] * 2)

    def test_kill_reaches_behind_wrappers(self):
        self.assertEqual(self.run_job(2, "attach", "publish=here", "0:lookup=1.here", "0:kill=1", "1:hold", "failed=1", "finish",
                                      program=["sh", "-c", f'setsid -w "{ACTOR}" "$@"; true', "sh"]), 0)

    def test_report_reaches_all(self):
        self.assertEqual(self.run_job(3, "attach", "publish=here", "0:lookup=1.here", "0:report=1", "failed=1", "finish"), 0)
        self.assertRegex(self.error, r"rank 1 on \S+ exited with code 0 after rank 0 had reported it as failed")


if __name__ == "__main__":
    unittest.main()
