"""fft from end to end, as a person starts it: under `polder run`, with files, beside NumPy, and what can go wrong."""

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
from end_to_end import PATIENCE, errors_of_ended, ranks_of, run  # noqa: E402

try:
    import numpy
except ImportError:
    numpy = None

POLDER = os.environ["POLDER"]
FFT = os.environ["FFT"]


class Fft(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="fft-test-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.output = self.path("x.npy")

    def path(self, name):
        return os.path.join(self.folder, name)

    def fft(self, ranks, *words):
        return run(POLDER, "run", "-n", ranks, FFT, *words)

    def assert_fails(self, done, *texts):
        """Non-zero, with a sentence that says why, and neither a result nor a part of one."""
        self.assertNotEqual(done.returncode, 0, done.stdout)
        for text in texts:
            self.assertIn(text, done.stderr + done.stdout)
        self.assertEqual(glob.glob(self.path(".*partial*")), [])
        self.assertFalse(os.path.exists(self.output))


@unittest.skipIf(numpy is None, "NumPy is missing")
class Transforms(Fft):
    def test_as_numpy_has_it(self):
        random = numpy.random.default_rng(1)
        field = random.standard_normal((12, 10, 9)) + 1j * random.standard_normal((12, 10, 9))
        for kind, words in (("c16", ()), ("c16", ("--inverse",)), ("c8", ("--cut", "pencils")), ("f8", ("--grid", "1x4")),
                            ("f4", ("--pieces", 1))):
            with self.subTest(f"{kind} {words}"):
                given = (field if kind[0] == "c" else field.real).astype(kind)
                numpy.save(self.path("a.npy"), given)
                done = self.fft(4, self.path("a.npy"), "-o", self.output, *words)
                self.assertEqual(done.returncode, 0, done.stderr)
                expected = numpy.fft.ifftn(given) if "--inverse" in words else numpy.fft.fftn(given)
                result = numpy.load(self.output)
                self.assertEqual((result.dtype, result.shape), (numpy.dtype("c16"), (12, 10, 9)))
                tolerance = 1e-12 if kind in ("c16", "f8") else 1e-5
                self.assertLess(numpy.max(numpy.abs(result - expected)), tolerance * numpy.max(numpy.abs(expected)))

    def test_the_report(self):
        report = self.path("report.json")
        done = self.fft(3, "--generate", "20x21x22", "--repeat", 2, "--json", report)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("MB a rank", done.stderr)
        with open(report, encoding="utf-8") as file:
            document = json.load(file)
        self.assertEqual([document[key] for key in ("extents", "rows", "columns")], [[20, 21, 22], 3, 1])
        self.assertLess(document["error"], document["bound"])


class Failures(Fft):
    def test_files_that_cannot_be(self):
        with open(self.path("a.npy"), "w", encoding="ascii") as file:
            file.write("a field")
        self.assert_fails(self.fft(2, self.path("a.npy"), "-o", self.output), "fft: rank 0: ", "is no .npy file")
        self.assert_fails(self.fft(2, self.path("a.npy"), "--shape", "2x2x2", "-o", self.output), "has 7 bytes")
        self.assert_fails(self.fft(2, self.path("b.npy"), "-o", self.output), "b.npy", "No such file")

    def test_memory_that_is_not_there(self):
        words = ("--generate", "1000x1000x1000", "--memory", "1GB", "-o", self.output)
        self.assert_fails(self.fft(2, *words), "are needed on this node, and there are 1074 MB")

    def test_wrong_command_lines(self):
        for words in ((), ("--generate", "2x2"), ("--generate", "0x2x2"), ("--generate", "2x2x2x"), ("a", "--generate", "2x2x2"),
                      ("--shape", "2x2x2"), ("--generate", "2x2x2", "--cut", "cubes"), ("--generate", "2x2x2", "--grid", "2"),
                      ("--generate", "2x2x2", "--pieces", "0")):
            self.assertEqual(run(FFT, *words).returncode, 2, words)


class LostRanks(Fft):
    """A transform that is made again and again, to interfere with."""

    def start(self, *launcher_options):
        words = [POLDER, "run", "-n", "3", *launcher_options, FFT, "--generate", "60x60x60", "--repeat", "100000", "--patience", "3",
                 "-o", self.output]
        job = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for action in (job.stderr.close, job.stdout.close, job.kill):
            self.addCleanup(action)
        end = time.monotonic() + PATIENCE
        while not glob.glob(self.path(".*partial*")):
            self.assertLess(time.monotonic(), end, "it never began")
            time.sleep(0.01)
        time.sleep(0.1)
        return job

    def assert_ends(self, job):
        errors = errors_of_ended(self, job, FFT)
        self.assertEqual(os.listdir(self.folder), [], errors)
        return errors

    def test_a_killed_rank_ends_the_others(self):
        job = self.start("--keep-going")
        os.kill(ranks_of(job, FFT)[1], signal.SIGKILL)
        self.assertIn("rank 1", self.assert_ends(job))

    def test_a_rank_that_hangs_is_given_up(self):
        job = self.start()
        os.kill(ranks_of(job, FFT)[1], signal.SIGSTOP)
        self.assertIn("no news from the other ranks", self.assert_ends(job))


if __name__ == "__main__":
    unittest.main()
