"""kmeans from end to end, as a person starts it: under `polder run`, with files, beside NumPy, and with ranks that are killed."""

import glob
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "common"))
from end_to_end import PATIENCE, ranks_of, run  # noqa: E402

try:
    import numpy
except ImportError:
    numpy = None

POLDER = os.environ["POLDER"]
KMEANS = os.environ["KMEANS"]


class Kmeans(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="kmeans-test-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.centroids, self.labels, self.report = self.path("c.npy"), self.path("l.npy"), self.path("r.json")

    def path(self, name):
        return os.path.join(self.folder, name)

    def command(self, ranks, *words):
        return [POLDER, "run", "-n", str(ranks), "--keep-going", KMEANS, *map(str, words), "-o", self.centroids, "--labels", self.labels,
                "--json", self.report]

    def kmeans(self, ranks, *words):
        return run(*self.command(ranks, *words))

    def results(self):
        with open(self.report, encoding="ascii") as file:
            report = json.load(file)
        with open(self.centroids, "rb") as centroids, open(self.labels, "rb") as labels:
            return report, centroids.read() + labels.read()


@unittest.skipIf(numpy is None, "NumPy is missing")
class Clusters(Kmeans):
    def plain(self, points, centroids, iterations):
        """Lloyd's algorithm as one writes it down."""
        for _ in range(iterations):
            labels = ((points[:, None, :] - centroids[None]) ** 2).sum(axis=2).argmin(axis=1)
            centroids = numpy.array([points[labels == c].mean(axis=0) for c in range(len(centroids))])
        squares = ((points[:, None, :] - centroids[None]) ** 2).sum(axis=2)
        return centroids, squares.argmin(axis=1), squares.min(axis=1).sum()

    def test_each_format_gives_what_plain_loops_give(self):
        points = numpy.random.default_rng(3).normal(size=(400, 4))
        numpy.save(self.path("from.npy"), points[:6])
        numpy.save(self.path("p.npy"), points)
        numpy.save(self.path("columns.npy"), numpy.asfortranarray(points))
        numpy.savetxt(self.path("p.csv"), points, delimiter=",", header="a,b,c,d", comments="", fmt="%.17g")
        points.tofile(self.path("p.bin"))
        centroids, labels, inertia = self.plain(points, points[:6], 5)
        for name, words in (("p.npy", ()), ("columns.npy", ()), ("p.csv", ()), ("p.bin", ("--dims", 4))):
            done = self.kmeans(3, self.path(name), *words, "-k", 6, "--from", self.path("from.npy"), "--iterations", 5)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertLess(abs(numpy.load(self.centroids) - centroids).max(), 1e-12, name)
            self.assertTrue((numpy.load(self.labels) == labels).all(), name)
            self.assertAlmostEqual(self.results()[0]["inertia"], inertia, places=8)


class Failures(Kmeans):
    def assert_fails(self, done, *texts):
        self.assertNotEqual(done.returncode, 0, done.stdout)
        for text in texts:
            self.assertIn(text, done.stderr + done.stdout)
        self.assertEqual(glob.glob(self.path(".*partial*")), [])
        self.assertFalse(os.path.exists(self.centroids))

    def test_wrong_input_is_named(self):
        self.assert_fails(self.kmeans(2, self.path("nothing.npy")), "nothing.npy", "No such file")
        with open(self.path("p.npy"), "wb") as file:
            file.write(b"\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'fortran_order': False, 'shape': (10, 2), }".ljust(127) + b"\n" + bytes(100))
        self.assert_fails(self.kmeans(2, self.path("p.npy")), "truncated", "288 bytes", "228")

    def test_wrong_words_are_named(self):
        for words, text in ((("--generate", 100, "--kill-at", "x"), "ITERATION:RANK"), (("--generate", 100, "--spares", 2), "no rank that works"),
                            (("--generate", 100, "--seed", -1), "'-1' is negative"), (("--generate", 100, "--kill-at", "-1:1"), "ITERATION:RANK"),
                            ((), "required")):
            done = self.kmeans(2, *words)
            self.assert_fails(done, text)

    def test_a_folder_that_cannot_be_written_is_told_at_once(self):
        self.centroids = "/proc/no/c.npy"
        self.assert_fails(self.kmeans(2, "--generate", 100), "/proc/no")


class LostRanks(Kmeans):
    WORDS = ("--generate", 20000, "-k", 50, "--clouds", 60, "--spread", 3, "--iterations", 40)

    def test_ranks_that_kill_themselves_change_nothing(self):
        self.assertEqual(self.kmeans(3, *self.WORDS).returncode, 0)
        undisturbed, expected = self.results()
        for words, ranks in ((("--kill-at", "4:1"), 2), (("--kill-at", "4:1,9:0", "--spares", 1), 1), (("--kill-at", "6:2", "--spares", 1), 2)):
            done = self.kmeans(3, *self.WORDS, *words)
            report, bits = self.results()
            self.assertIn("went on from iteration" if report["recoveries"] else "converged", done.stdout)
            self.assertEqual(bits, expected, words)
            self.assertEqual((report["inertia"], report["iterations"]), (undisturbed["inertia"], undisturbed["iterations"]))
            self.assertEqual(report["ranks"], ranks, words)

    def test_those_that_the_launcher_starts_wait(self):
        for kills, recoveries in (((), 0), (("--kill-at", "4:1"), 1)):
            words = self.command(2, *self.WORDS, *kills)
            words[4:4] = ["--spares", "1"]
            done = run(*words)
            report, _ = self.results()
            self.assertEqual((report["ranks"], len(report["recoveries"])), (2, recoveries), done.stdout)

    def test_a_rank_that_is_killed_from_outside_changes_nothing(self):
        words = ("--generate", 100000, "-k", 200, "--spread", 5, "--iterations", 60)
        begin = time.monotonic()
        self.assertEqual(self.kmeans(3, *words).returncode, 0)
        whole = time.monotonic() - begin
        _, expected = self.results()
        for share in (0.2, 0.5, 0.8):
            os.remove(self.report)
            with subprocess.Popen(self.command(4, *words, "--spares", 1), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as job:
                self.kill_second(job, share * whole)
                _, errors = job.communicate(timeout=PATIENCE)
            if not os.path.exists(self.report):
                # Killed before it had joined: there was no job yet that could go on.
                self.assertIn("polder", errors)
                return self.skipTest(f"the rank died before there was a job: {errors}")
            self.assertEqual(self.results()[1], expected, f"{share} of {whole} s: {errors}")

    def kill_second(self, job, seconds):
        """The second rank, so many seconds after all have been started; a job that has ended by then is none that suffers."""
        ranks = []
        deadline = time.monotonic() + PATIENCE
        while len(ranks) < 4 and time.monotonic() < deadline and job.poll() is None:
            ranks = ranks_of(job, KMEANS)
        time.sleep(seconds)
        try:
            os.kill(ranks[1], signal.SIGKILL)
        except (IndexError, ProcessLookupError):
            pass


if __name__ == "__main__":
    unittest.main()
