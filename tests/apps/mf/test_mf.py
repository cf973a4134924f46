"""mf from end to end, as a person starts it: under `polder run`, with files, and everything that can go wrong."""

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
MF = os.environ["MF"]
FORMATS = {"ratings.dat": ("", "{}::{}::{}::978300760\n"), "ratings.csv": ("userId,movieId,rating,timestamp\n", "{},{},{},978300760\n"),
           "u.data": ("", "{}\t{}\t{}\t881250949\n")}


def taste(user, item):
    """A rating that one factor explains."""
    return round(3.5 + math.sin(user) * math.cos(2 * item), 3)


class Mf(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="mf-test-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.model = self.path("model")

    def path(self, name):
        return os.path.join(self.folder, name)

    def mf(self, ranks, *words):
        return run(POLDER, "run", "-n", ranks, MF, *words)

    def write_ratings(self, name):
        head, line = FORMATS[name]
        with open(self.path(name), "w", encoding="ascii") as file:
            file.write(head)
            for user in range(1, 101):
                for item in range(1, 61):
                    if (user * 7 + item * 3) % 4 != 0:
                        file.write(line.format(user, 10 * item, taste(user, item)))
        return self.path(name)

    def assert_fails(self, done, *texts):
        """Non-zero, with a sentence that says why, and neither a model nor a part of one."""
        self.assertNotEqual(done.returncode, 0, done.stdout)
        for text in texts:
            self.assertIn(text, done.stderr + done.stdout)
        self.assertEqual(glob.glob(self.path(".*partial*")), [])
        self.assertFalse(os.path.exists(self.model))


class Learning(Mf):
    def test_each_format_is_learned_and_predicted(self):
        for name in FORMATS:
            ratings = self.write_ratings(name)
            done = self.mf(3, "train", ratings, "--factors", 2, "--iterations", 60, "--slack", 2, "--rate", 0.03, "-o", self.model)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("4500 ratings by 100 users of 60 items", done.stdout)
            # Places that were not rated.
            wanted = [(user, item) for user in range(1, 101) for item in range(1, 61) if (user * 7 + item * 3) % 4 == 0]
            with open(self.path("wanted.csv"), "w", encoding="ascii") as file:
                file.writelines(f"{user},{10 * item}\n" for user, item in wanted)
            done = self.mf(2, "predict", self.model, self.path("wanted.csv"), "-o", self.path("out"))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("1500 predictions; 0 of users", done.stdout)
            with open(self.path("out"), encoding="ascii") as file:
                rows = [line.split() for line in file]
            self.assertEqual([(int(row[0]), int(row[1]) // 10) for row in rows], wanted)
            squared = sum((float(row[2]) - taste(*pair)) ** 2 for row, pair in zip(rows, wanted))
            self.assertLess(math.sqrt(squared / len(rows)), 0.1)  # all alike would be off by 0.5

    def test_generated_ratings_and_the_report(self):
        report = self.path("report.json")
        done = self.mf(2, "train", "--generate", "--users", 200, "--items", 100, "--true-factors", 3, "--factors", 3, "--observed", 0.4,
                       "--iterations", 60, "--slack", 4, "--json", report, "--target", 0.13)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        with open(report, encoding="utf-8") as file:
            document = json.load(file)
        self.assertLess(document["error"]["held_out"], 0.13)
        self.assertGreater(document["floor"], 0.1)
        self.assertLessEqual(document["staleness"]["most"], 4)
        self.assertLess(document["reached"]["iterations"], 60)
        times = [moment["seconds"] for moment in document["curve"]]
        self.assertEqual(times, sorted(times))
        self.assertGreater(document["curve"][0]["error"], document["curve"][-1]["error"])

    def test_resumed_and_simulated(self):
        ratings = self.write_ratings("u.data")
        for more in ((), ("--resume", self.model)):
            done = run(MF, "train", ratings, "--simulate", 5, "--iterations", 20, "--work", 1, "--late", 0.1, "--late-by", 3,
                       "-o", self.model, *more)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(": 40 iterations, ", done.stdout)
        for factors, code in ((3, 1), (8, 0)):
            done = run(MF, "train", ratings, "--simulate", 2, "--iterations", 1, "--resume", self.model, "--factors", factors)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertEqual("has 8 factors, not 3" in done.stderr, factors == 3)

    def test_other_ratings_are_drawn_from_another_seed(self):
        counts = []
        for seed in (1, 1, 2):
            report = self.path("report.json")
            done = run(MF, "train", "--generate", "--users", 200, "--items", 100, "--held-out", 0, "--simulate", 2, "--iterations", 1,
                       "--seed", seed, "--json", report)
            self.assertIn(done.returncode, (0, 3), done.stderr)
            with open(report, encoding="utf-8") as file:
                counts.append(json.load(file)["floor"])
        self.assertEqual(counts[0], counts[1])
        self.assertNotEqual(counts[0], counts[2])

    def test_virtual_time_has_no_end(self):
        done = run(MF, "train", self.write_ratings("u.data"), "--simulate", 2, "--iterations", 50, "--work", 100)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_help_is_text(self):
        done = run(MF, "train", "--help")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("--slack", done.stdout)


class Failures(Mf):
    def test_wrong_lines(self):
        ratings = self.path("ratings.csv")
        with open(ratings, "w", encoding="ascii") as file:
            file.write("userId,movieId,rating,timestamp\n1,2,3,4\n1,two,3,4\n")
        self.assert_fails(self.mf(3, "train", ratings, "-o", self.model), "mf: rank ", ratings, "line 3, column 3", "'two'")

    def test_missing_files(self):
        self.assert_fails(self.mf(2, "train", self.path("none"), "-o", self.model), "No such file")
        self.assert_fails(self.mf(2, "predict", self.model, self.path("none"), "-o", self.path("out")), "No such file")
        self.assert_fails(self.mf(2, "train", "--generate", "-o", self.path("nowhere/model")), "nowhere")

    def test_wrong_command_lines(self):
        for words in ((), ("train",), ("train", "--generate", "file"), ("train", "--generate", "--slack", "-1"), ("learn",),
                      ("train", "--generate", "--checkpoint", "3"), ("predict", "model"), ("train", "--generate", "--shape", "round")):
            self.assertEqual(run(MF, *words).returncode, 2, words)

    def test_a_target_that_is_not_reached(self):
        done = self.mf(2, "train", "--generate", "--iterations", 3, "--target", 0.01, "-o", self.model)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("was not reached", done.stdout)
        self.assertTrue(os.path.exists(self.model))

    def test_a_model_that_leaves_the_numbers(self):
        self.assert_fails(self.mf(3, "train", "--generate", "--rate", 9, "-o", self.model), "use a smaller --rate")


class LostRanks(Mf):
    """Enough iterations to interfere with; checkpoints stay."""

    def start(self, *launcher_options):
        words = [POLDER, "run", "-n", "3", *launcher_options, MF, "train", "--generate", "--iterations", "1000000", "--work", "0.001",
                 "--checkpoint", "5", "--patience", "3", "-o", self.model]
        job = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for action in (job.stderr.close, job.stdout.close, job.kill):
            self.addCleanup(action)
        end = time.monotonic() + PATIENCE
        while not os.path.exists(self.model):
            self.assertLess(time.monotonic(), end, "there was never a checkpoint")
            time.sleep(0.01)
        return job

    def assert_ends(self, job):
        errors = errors_of_ended(self, job, MF)
        self.assertEqual(os.listdir(self.folder), ["model"], errors)
        return errors

    def test_a_killed_rank_ends_the_others_and_the_checkpoint_goes_on(self):
        job = self.start("--keep-going")
        os.kill(ranks_of(job, MF)[1], signal.SIGKILL)
        self.assertIn("rank 1", self.assert_ends(job))
        done = self.mf(2, "train", "--generate", "--iterations", 5, "--resume", self.model)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_rank_that_hangs_is_given_up(self):
        job = self.start()
        os.kill(ranks_of(job, MF)[1], signal.SIGSTOP)
        self.assertIn("no news from the other ranks", self.assert_ends(job))

    def test_signals_end_the_job(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            job = self.start()
            job.send_signal(number)
            self.assert_ends(job)


if __name__ == "__main__":
    unittest.main()
