"""fmm from end to end, as a person starts it: under `polder run`, with files, and everything that can go wrong."""

import glob
import json
import math
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "common"))
from end_to_end import PATIENCE, errors_of_ended, ranks_of, run  # noqa: E402

POLDER = os.environ["POLDER"]
FMM = os.environ["FMM"]


class Fmm(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="fmm-test-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.input = self.path("in")
        self.output = self.path("out")

    def path(self, name):
        return os.path.join(self.folder, name)

    def fmm(self, ranks, *words):
        return run(POLDER, "run", "-n", ranks, FMM, *words)

    def write(self, text):
        with open(self.input, "w", encoding="ascii") as file:
            file.write(text)

    def numbers(self):
        with open(self.output, encoding="ascii") as file:
            return [[float(word) for word in line.split()] for line in file]

    def assert_fails(self, done, *texts):
        """Non-zero, with a sentence that says why, and neither an output nor a part of one."""
        self.assertNotEqual(done.returncode, 0, done.stdout)
        for text in texts:
            self.assertIn(text, done.stderr + done.stdout)
        self.assertEqual(glob.glob(self.path(".*partial*")), [])
        self.assertFalse(os.path.exists(self.output))


def direct(particles):
    """By the definition."""
    results = []
    for i, (x, y, z, q) in enumerate(particles):
        sums = [0.0] * 4
        for j, (a, b, c, p) in enumerate(particles):
            if i == j:
                continue
            d = (x - a, y - b, z - c)
            r = math.sqrt(sum(part * part for part in d))
            sums[0] += p / r
            for axis in range(3):
                sums[axis + 1] += q * p * d[axis] / r**3
        results.append(sums)
    return results


class Computing(Fmm):
    def test_a_file_on_any_number_of_ranks(self):
        particles = [(math.sin(i), math.cos(1.7 * i), (i * 0.618) % 1, 1 if i % 3 else -2) for i in range(400)]
        self.write("# x y z q\n" + "".join(f"{x!r} {y!r}, {z!r}\t{q}\n" for x, y, z, q in particles))
        expected = direct(particles)
        size = math.sqrt(sum(row[0] ** 2 for row in expected) / len(expected))
        for ranks in (1, 2, 4, 8):
            done = self.fmm(ranks, self.input, "-o", self.output, "--leaf", 8, "--accuracy", "1e-6")
            self.assertEqual(done.returncode, 0, done.stderr)
            found = self.numbers()
            self.assertEqual(len(found), len(expected))
            worst = max(abs(one[0] - two[0]) for one, two in zip(found, expected))
            self.assertLess(worst, 1e-4 * size)

    def test_the_error_is_measured_and_the_report_written(self):
        report = self.path("report.json")
        done = self.fmm(2, "--plummer", 20000, "--accuracy", "1e-4", "--steps", 2, "--json", report)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("memory bound", done.stderr)
        self.assertIn("reached", done.stdout)
        self.assertIn("direct summation of all would take", done.stdout)
        with open(report, encoding="utf-8") as file:
            document = json.load(file)
        self.assertEqual((document["particles"], document["ranks"], document["source"]), (20000, 2, "plummer"))
        error = document["steps"][-1]["error"]
        self.assertLessEqual(max(error["potential"], error["field"]), 1e-4)
        self.assertGreater(document["bytes_per_particle"], 0)
        self.assertEqual(list(document["steps"][-1]["phases"])[-1], "total")

    def test_near_particles_in_a_wide_domain(self):
        particles = [(1e-6 * math.sin(i), 1e-6 * math.cos(1.7 * i), 1e-6 * ((i * 0.618) % 1), 1) for i in range(16)]
        particles.append((-1e9, 0, 0, 1))
        self.write("".join(f"{x!r} {y!r} {z!r} {q}\n" for x, y, z, q in particles))
        done = self.fmm(2, self.input, "-o", self.output, "--accuracy", "1e-10")
        self.assertEqual(done.returncode, 0, done.stderr)
        for found, expected in zip(self.numbers(), direct(particles)):
            for one, two in zip(found, expected):
                self.assertAlmostEqual(one, two, delta=1e-10 * abs(two) + 1e-20)

    def test_an_order_that_is_asked_for_is_no_promise(self):
        done = self.fmm(1, "--cube", 3000, "--order", 2)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("requested", done.stdout)

    def test_help_is_text(self):
        done = self.fmm(1, "--help")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(all(sign.isprintable() or sign == "\n" for sign in done.stdout), done.stdout)
        self.assertIn("1e-11", done.stdout)

    def test_output_in_the_current_folder(self):
        self.write("0 0 0 1\n1 0 0 1\n")
        done = subprocess.run([POLDER, "run", "-n", "2", FMM, self.input, "-o", "out"], cwd=self.folder, capture_output=True,
                              timeout=PATIENCE, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([[round(value, 12) for value in row[:2]] for row in self.numbers()], [[1, -1], [1, 1]])


class Failures(Fmm):
    def test_wrong_lines(self):
        self.write("0 0 0 1\n1 0 zero 1\n")
        self.assert_fails(self.fmm(3, self.input, "-o", self.output), "fmm: rank ", "line 2", "'zero'", self.input)

    def test_missing_input(self):
        self.assert_fails(self.fmm(3, self.input), "fmm: rank 0", self.input, "No such file")

    def test_two_particles_at_one_place(self):
        self.write("0 0 0 1\n1 0 0 1\n0 0 0 2\n")
        self.assert_fails(self.fmm(2, self.input, "-o", self.output), "particles 0 and 2 are at the same place")

    def test_too_little_memory(self):
        self.assert_fails(self.fmm(2, "--cube", 1000000, "--memory", "10M"), "need up to")

    def test_missing_output_folder(self):
        self.assert_fails(self.fmm(2, "--cube", 100, "-o", self.path("nowhere/out")), "nowhere")

    def test_missing_folders_are_told_before_any_work(self):
        for option in ("-o", "--json"):
            done = self.fmm(2, "--cube", 100, option, self.path("nowhere/file"))
            self.assert_fails(done, "nowhere")
            self.assertNotIn("memory bound", done.stderr)

    def test_wrong_command_lines(self):
        for words in ((), ("--cube", "0"), ("--cube", "10", "--accuracy", "1e-20"), ("--nonsense",),
                      ("--cube", "10", "--charges", "none")):
            done = run(FMM, *words)
            self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("equal", done.stderr)
        self.assertIn("1e-11", run(FMM, "--cube", "10", "--accuracy", "1e-20").stderr)

    def test_an_accuracy_that_is_not_reached(self):
        done = self.fmm(2, "--cube", 3000, "--order", 2, "--accuracy", "1e-9", "-o", self.output)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("NOT reached", done.stdout)
        self.assertEqual(len(self.numbers()), 3000)

    def test_results_that_no_number_holds(self):
        self.write("0 0 0 1e140\n1e-60 0 0 1e140\n1 0 0 1\n")
        self.assert_fails(self.fmm(2, self.input, "-o", self.output), "too large for a number")

    def test_particles_that_fly_away(self):
        self.write("0 0 0 1\n1e-60 0 0 1\n1 0 0 1\n")
        self.assert_fails(self.fmm(2, self.input, "-o", self.output, "--steps", 3, "--time-step", "1e60"),
                          "use a smaller --time-step")

    def test_full_disk(self):
        disk = self.path("disk")
        os.mkdir(disk)
        if run("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk).returncode != 0:
            self.skipTest("only root can mount a small disk")
        self.addCleanup(run, "umount", disk)
        self.assert_fails(self.fmm(2, "--cube", 30000, "-o", os.path.join(disk, "out")), "No space left")
        self.assertEqual(os.listdir(disk), [])


class LostRanks(Fmm):
    """Enough steps to interfere with."""

    def start(self, *launcher_options):
        words = [POLDER, "run", "-n", "3", *launcher_options, FMM, "--cube", "20000", "--steps", "1000000", "--sample", "0",
                 "--patience", "3", "-o", self.output]
        job = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for action in (job.stderr.close, job.stdout.close, job.kill):
            self.addCleanup(action)
        self.assertIn("memory bound", job.stderr.readline())
        time.sleep(0.2)
        return job

    def assert_ends(self, job):
        errors = errors_of_ended(self, job, FMM)
        self.assertEqual(os.listdir(self.folder), [], errors)
        return errors

    def test_a_killed_rank_ends_the_others_with_an_error(self):
        job = self.start("--keep-going")
        os.kill(ranks_of(job, FMM)[1], signal.SIGKILL)
        self.assertIn("fmm: rank ", self.assert_ends(job))

    def test_a_rank_that_hangs_is_given_up(self):
        job = self.start()
        os.kill(ranks_of(job, FMM)[1], signal.SIGSTOP)
        self.assertIn("no news from the other ranks", self.assert_ends(job))

    def test_signals_end_the_job(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            job = self.start()
            job.send_signal(number)
            self.assert_ends(job)


class Signals(Fmm):
    def test_an_unfinished_output_goes_when_a_signal_comes(self):
        """The output is text and large, so that writing takes a while."""
        for number in (signal.SIGINT, signal.SIGTERM):
            job = subprocess.Popen([FMM, "--cube", "600000", "--order", "1", "--sample", "0", "-o", self.output],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.addCleanup(job.kill)
            end = time.monotonic() + PATIENCE
            while not glob.glob(self.path(".out.partial-*")) and not os.path.exists(self.output):
                self.assertLess(time.monotonic(), end, "it never made its output")
                time.sleep(0.002)
            job.send_signal(number)
            code = job.wait(timeout=PATIENCE)
            self.assertEqual(glob.glob(self.path(".out.partial-*")), [])
            if code == 0:  # done before the signal came
                os.remove(self.output)
                continue
            self.assertEqual(code, -number)
            self.assertFalse(os.path.exists(self.output))


if __name__ == "__main__":
    unittest.main()
