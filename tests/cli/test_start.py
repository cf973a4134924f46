"""How jobs begin: programs, arguments, environment, binding, sizes."""

import os
import resource
import subprocess
import unittest

from harness import ACTOR, PATIENCE, POLDER, RunTest


class ProgramTest(RunTest):
    def test_missing(self):
        self.assertEqual(self.run_job(2, program=["no-such-program"]), 127)
        self.assertEqual(self.error, "polder: program 'no-such-program' not found in PATH\n")
        self.assertEqual(self.run_job(2, program=["./no/such"]), 127)
        self.assertEqual(self.error, "polder: program './no/such' not found\n")

    def test_hint_at_the_current_folder(self):
        os.symlink(ACTOR, self.path("actor-here"))
        self.assertEqual(self.run_job(1, program=["actor-here"], cwd=self.folder), 127)
        self.assertIn("did you mean './actor-here'?", self.error)

    def write_script(self, text, mode=0o755):
        with open(self.path("script"), "w", encoding="ascii") as file:
            file.write(text)
        os.chmod(self.path("script"), mode)
        return [self.path("script")]

    def test_not_executable(self):
        self.assertEqual(self.run_job(2, program=self.write_script("", 0o644)), 126)
        self.assertIn("is not executable", self.error)
        self.assertEqual(self.run_job(2, program=[self.folder]), 126)
        self.assertIn("is a directory", self.error)

    def test_script_without_interpreter_line_is_the_shells(self):
        self.assertEqual(self.run_job(2, "one", "two", program=self.write_script('echo "$1" "$2"\n')), 0)
        self.assertEqual(self.lines, ["one two"] * 2)

    def test_missing_interpreter_is_said_once(self):
        self.assertEqual(self.run_job(4, program=self.write_script("#!/no/such/interpreter\n")), 127)
        self.assertEqual(self.error.count("cannot become"), 1)
        self.assertIn("interpreter or loader is missing", self.error)

    def test_arguments_reach_the_program_as_they_are(self):
        words = ["-n", "7", "--timeout", "", "a b", "[1,2]", "--", "run", "*"]
        self.assertEqual(self.run_job(1, *words, program=["printf", "<%s>\\n"]), 0)
        self.assertEqual(self.lines, sorted(f"<{word}>" for word in words))

    def test_separator(self):
        self.assertEqual(self.run_job(1, "print=here", program=["--", ACTOR]), 0)
        self.assertEqual(self.lines, ["here"])


class UsageTest(RunTest):
    def usage(self, *words):
        done = subprocess.run([POLDER, *words], capture_output=True, text=True, timeout=PATIENCE, check=False)
        return done.returncode, done.stdout + done.stderr

    def test_wrong_command_lines(self):
        for words in (["run", "-n", "0", ACTOR], ["run", "-n", "65536", ACTOR], ["run", "-n", "-1", ACTOR], ["run", "-n", "x", ACTOR],
                      ["run", "-n", "2"], ["run", ACTOR], ["run", "--what", "-n", "2", ACTOR], ["run", "-n", "1", "--bind", "x", ACTOR], ["run", "-n", "1", "--map-by", "grid:0", ACTOR],
                      ["run", "-n", "1", "--timeout", "0", ACTOR], ["run", "-n", "1", "--timeout", "nan", ACTOR],
                      ["run", "-n", "1", "--grace", "nan", ACTOR], ["run", "-n", "65535", "--spares", "1", ACTOR],
                      ["run", "-n", "1", "--env", "NOVALUE", ACTOR], ["run", "-n", "1", "--env", "POLDER_RANK=3", ACTOR],
                      ["nonsense"], ["trace"], ["info", "nonsense"], []):
            code, text = self.usage(*words)
            self.assertEqual(code, 2, words)
            self.assertNotEqual(text, "", words)

    def test_the_values_of_an_option_are_named(self):
        self.assertIn("--bind: cores not in {none,core}", self.usage("run", "-n", "1", "--bind", "cores", ACTOR)[1])

    def test_help_and_version(self):
        self.assertEqual(self.usage("--help")[0], 0)
        self.assertEqual(self.usage("run", "--help")[0], 0)
        code, text = self.usage("--version")
        self.assertEqual(code, 0)
        self.assertRegex(text, r"^polder \d+\.\d+\.\d+\n$")

    def test_info(self):
        code, text = self.usage("info")
        self.assertEqual(code, 0)
        for word in ("version", "shared segments: yes", "cross-memory attach", "PU", "usable cores", "POLDER_DEVICE", "POLDER_LOG"):
            self.assertIn(word, text)
        plugin = os.path.join(os.path.dirname(POLDER), "..", "lib", "polder", "libpolder-ucx.so")
        self.assertEqual("POLDER_UCX_DEVICES" in text, os.path.exists(plugin))
        code, text = self.usage("info", "build")
        self.assertEqual(code, 0)
        self.assertNotIn("POLDER_DEVICE", text)

    def test_merging_no_traces_fails(self):
        code, text = self.usage("trace", "merge", self.folder)
        self.assertEqual(code, 1)
        self.assertIn("polder trace merge: ", text)


class EnvironmentTest(RunTest):
    def test_what_ranks_find(self):
        self.environment["POLDER_RANK"] = "77"  # as if this were a rank itself
        options = ("--env", "A=1", "--env", "B=x=y z", "--env", "C=", "--env", "A=2", "--device", "shm", "--spares", "1")
        names = ["A", "B", "C", "POLDER_DEVICE", "POLDER_SIZE", "POLDER_SPARES"]
        self.assertEqual(self.run_job(1, *(f"0:env={name}" for name in names), "env=POLDER_RANK", "env=POLDER_LOCAL_RANK",
                                      options=options), 0)
        self.assertEqual(self.lines, sorted(["A=2", "B=x=y z", "C=", "POLDER_DEVICE=shm", "POLDER_SIZE=2", "POLDER_SPARES=1",
                                             "POLDER_RANK=0", "POLDER_RANK=1", "POLDER_LOCAL_RANK=0", "POLDER_LOCAL_RANK=1"]))

    def test_trace_directory_is_made_and_absolute(self):
        names = ["POLDER_TRACE", "POLDER_TRACE_DIR"]
        self.environment[names[0]] = self.path("of-the-shell")
        actions = [f"env={name}" for name in names]
        self.assertEqual(self.run_job(1, *actions, options=("--trace", "a/b"), cwd=self.folder), 0)
        self.assertEqual(self.lines, [f"{name}={os.path.realpath(self.folder)}/a/b" for name in names])
        self.assertTrue(os.path.isdir(self.path("a/b")))
        self.assertEqual(self.run_job(1, actions[0], options=("--trace", "a/b", "--env", "POLDER_TRACE=c"), cwd=self.folder), 0)
        self.assertEqual(self.lines, ["POLDER_TRACE=c"])

    def test_limit_of_a_trace(self):
        self.assertEqual(self.run_job(1, "env=POLDER_TRACE_LIMIT", options=("--trace-limit", "64M")), 0)
        self.assertIn("64M", self.lines[0])
        self.assertEqual(self.run_job(1, "print=no", options=("--trace-limit", "much")), 2)
        self.assertIn("'much' is no number of bytes", self.error)

    def test_trace_directory_that_cannot_be(self):
        self.assertEqual(self.run_job(1, "print=no", options=("--trace", "/dev/null/x")), 125)
        self.assertEqual(self.lines, [])
        self.assertIn("--trace", self.error)

    def test_spares_are_ranks(self):
        self.assertEqual(self.run_job(2, "attach", "job", "finish", options=("--spares", "2")), 0)
        self.assertEqual(self.lines, [f"job {rank} of 4 spares 2" for rank in range(4)])

    def test_a_child_of_a_rank_is_no_second_rank(self):
        script = f'"{ACTOR}" attach finish; exec "{ACTOR}" attach finish'
        self.assertEqual(self.run_job(1, program=["sh", "-c", script]), 99)
        self.assertIn("unset POLDER_JOB", self.error)


class BindingTest(RunTest):
    def test_ranks_go_round_the_cores(self):
        cores = sorted(os.sched_getaffinity(0))
        count = len(cores)
        self.assertEqual(self.run_job(2 * count, "cores", options=("--bind", "core")), 0)
        self.assertEqual(self.lines, sorted(2 * [f"cores {core}" for core in cores]))

    def test_only_cores_that_the_launcher_may_use(self):
        core = max(os.sched_getaffinity(0))
        self.assertEqual(self.run_job(2, "cores", options=("--bind", "core"),
                                      preexec_fn=lambda: os.sched_setaffinity(0, [core])), 0)
        self.assertEqual(self.lines, [f"cores {core}"] * 2)

    def test_none(self):
        everything = " ".join(map(str, ["cores", *sorted(os.sched_getaffinity(0))]))
        self.assertEqual(self.run_job(2, "cores"), 0)
        self.assertEqual(self.lines, [everything] * 2)


class SizeTest(RunTest):
    def test_many_ranks_meet(self):
        self.assertEqual(self.run_job(64, "attach", "publish=key", "lookup=0.key", "lookup=63.key", "finish"), 0)
        self.assertEqual(self.lines, ["from 0"] * 64 + ["from 63"] * 64)

    def test_too_many_for_the_descriptors(self):
        limit = (100, 100)
        self.assertEqual(self.run_job(200, "hold", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, limit)), 125)
        self.assertIn("ulimit -Hn", self.error)

    def test_ranks_keep_the_limit_that_the_launcher_raised(self):
        limits = (80, 4000)
        self.assertEqual(self.run_job(100, program=["sh", "-c", "ulimit -n"],
                                      preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, limits)), 0)
        self.assertEqual(self.lines, ["80"] * 100)

    def test_too_few_descriptors_for_ranks_behind_wrappers_are_told_of_once(self):
        job = self.start_wrapped(134)
        self.assertIn("to watch ranks behind wrappers", job.stderr.readline())
        self.let_go()
        self.assertEqual(self.finish(job), 0)
        self.assertEqual(self.error, "")

    def test_descriptors_for_ranks_behind_wrappers_are_raised(self):
        job = self.start_wrapped(4000)
        self.let_go()
        self.assertEqual(self.finish(job), 0)
        self.assertEqual(self.error, "")

    def start_wrapped(self, most):
        script = f'"{ACTOR}" "$@"; exit $?'
        return self.start_job(70, "attach", f"await={self.path('go')}", "finish", program=["sh", "-c", script, "sh"],
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (80, most)))

    def let_go(self):
        with open(self.path("go"), "w", encoding="ascii"):
            pass

    @unittest.skipIf(os.geteuid() == 0, "root may start as many processes as it likes")
    def test_those_that_were_started_end_when_fork_fails(self):
        limit = (5, 5)  # this user has more already, or reaches it soon
        self.assertEqual(self.run_job(50, "hold", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NPROC, limit)), 125)
        self.assertIn("fork", self.error)


if __name__ == "__main__":
    unittest.main()
