"""contract from end to end, as a person starts it: under `polder run`, with files, beside NumPy's einsum, and what can go wrong."""

import glob
import json
import os
import shutil
import signal
import struct
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
CONTRACT = os.environ["CONTRACT"]


class Contract(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="contract-test-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.output = self.path("x.npy")

    def path(self, name):
        return os.path.join(self.folder, name)

    def contract(self, ranks, *words):
        return run(POLDER, "run", "-n", ranks, CONTRACT, *words)

    def assert_fails(self, done, *texts):
        """Non-zero, with a sentence that says why, and neither a result nor a part of one."""
        self.assertNotEqual(done.returncode, 0, done.stdout)
        for text in texts:
            self.assertIn(text, done.stderr + done.stdout)
        self.assertEqual(glob.glob(self.path(".*partial*")), [])
        self.assertFalse(os.path.exists(self.output))


@unittest.skipIf(numpy is None, "NumPy is missing")
class Contractions(Contract):
    def check(self, ranks, notation, first, second, *words):
        numpy.save(self.path("a.npy"), first)
        numpy.save(self.path("b.npy"), second)
        done = self.contract(ranks, notation, self.path("a.npy"), self.path("b.npy"), "-o", self.output, "--threads", 1, *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        result, expected = numpy.load(self.output), numpy.einsum(notation, first, second)
        self.assertEqual(result.dtype, expected.dtype)
        self.assertEqual(result.shape, expected.shape)
        scale = numpy.max(numpy.abs(expected)) if expected.size else 1
        tolerance = 1e-4 if expected.dtype.name in ("float32", "complex64") else 1e-12
        self.assertLess(numpy.max(numpy.abs(result - expected), initial=0), tolerance * scale)
        return done

    def test_the_term_of_coupled_clusters(self):
        random = numpy.random.default_rng(1)
        v, t = random.standard_normal((24, 24, 24, 24)), random.standard_normal((24, 24, 6, 6))
        done = self.check(3, "abcd,cdij->abij", v, t, "--rows", 100, "--columns", 13, "--inner", 77, "--distribution", "random")
        self.assertIn("576 x 576", done.stdout)

    def test_orders_diagonals_and_batches(self):
        random = numpy.random.default_rng(2)
        for notation, first, second in (("ik,kj", (17, 23), (23, 11)), ("ki,jk->ji", (23, 17), (11, 23)),
                                        ("abcd,dbij->jaci", (4, 5, 3, 6), (6, 5, 2, 7)), ("bik,bkj->bij", (3, 5, 4), (3, 4, 6)),
                                        ("iik,k->i", (5, 5, 4), (4,)), ("ik,jl->ij", (5, 4), (3, 2)), ("i,i->", (50,), (50,))):
            with self.subTest(notation):
                self.check(2, notation, random.standard_normal(first), random.standard_normal(second), "--block", 3)

    def test_types_and_orders_of_memory(self):
        random = numpy.random.default_rng(3)
        first, second = random.standard_normal((20, 30)), random.standard_normal((30, 10))
        for one, other in (("f4", "f4"), ("f4", "f8"), ("c8", "c8"), ("f8", "c8"), ("c16", "f4")):
            with self.subTest(f"{one}, {other}"):
                a = (first * (1 + 2j) if one[0] == "c" else first).astype(one)
                self.check(2, "ik,kj->ij", numpy.asfortranarray(a), second.astype(other), "--distribution", "cyclic")

    def test_the_report(self):
        report = self.path("report.json")
        done = self.contract(2, "ik,kj->ij", "--generate", "i=100,k=80,j=60", "--type", "complex64", "--repeat", 2, "--json", report)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("MB a rank", done.stderr)
        with open(report, encoding="utf-8") as file:
            document = json.load(file)
        self.assertEqual([document[key] for key in ("m", "k", "n", "ranks")], [100, 80, 60, 2])
        self.assertLess(document["error"]["largest"], document["error"]["bound"])


class Failures(Contract):
    def write(self, name, shape, kind="<f8", bytes_short=0):
        head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}\n".encode("ascii")
        elements = 1
        for extent in shape:
            elements *= extent
        with open(self.path(name), "wb") as file:
            file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + bytes(8 * elements - bytes_short))
        return self.path(name)

    def test_operands_that_cannot_be(self):
        a, b = self.write("a.npy", (3, 4)), self.write("b.npy", (5, 2))
        self.assert_fails(self.contract(3, "ik,kj->ij", a, b, "-o", self.output), "contract: rank 0: the index 'k' disagrees")
        self.assert_fails(self.contract(2, "ik,kj->ijk", a, a + "x", "-o", self.output), "a.npyx", "No such file")
        self.assert_fails(self.contract(2, "ik,kj->il", a, b, "-o", self.output), "the index 'l'")
        short = self.write("short.npy", (4, 2), bytes_short=3)
        self.assert_fails(self.contract(2, "ik,kj->ij", a, short, "-o", self.output), "short.npy' is truncated")
        big_endian = self.write("big.npy", (4, 2), ">f8")
        self.assert_fails(self.contract(2, "ik,kj->ij", a, big_endian, "-o", self.output), "'>f8'")

    def test_memory_that_is_not_there(self):
        words = ("ik,kj->ij", "--generate", "i=100000,k=100000,j=100000", "--memory", "1GB", "-o", self.output)
        self.assert_fails(self.contract(2, *words), "are needed on this node, and there are 1074 MB")

    def test_wrong_command_lines(self):
        for words in ((), ("ik,kj->ij",), ("ik,kj->ij", "a"), ("ik,kj->ij", "a", "b", "--generate", "i=1"),
                      ("ik,kj->ij", "--generate", "i=many"), ("ik,kj->ij", "--generate", "i=1", "--block", "0"),
                      ("ik,kj->ij", "--generate", "i=1", "--distribution", "even")):
            self.assertEqual(run(CONTRACT, *words).returncode, 2, words)


class LostRanks(Contract):
    """A product that is made again and again, to interfere with."""

    def start(self, *launcher_options):
        words = [POLDER, "run", "-n", "3", *launcher_options, CONTRACT, "ik,kj->ij", "--generate", "i=300,k=300,j=300", "--repeat", "1000",
                 "--block", "10", "--threads", "1", "--patience", "3", "-o", self.output]
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
        errors = errors_of_ended(self, job, CONTRACT)
        self.assertEqual(os.listdir(self.folder), [], errors)
        return errors

    def test_a_killed_rank_ends_the_others(self):
        job = self.start("--keep-going")
        os.kill(ranks_of(job, CONTRACT)[1], signal.SIGKILL)
        self.assertIn("rank 1", self.assert_ends(job))

    def test_a_rank_that_hangs_is_given_up(self):
        job = self.start()
        os.kill(ranks_of(job, CONTRACT)[1], signal.SIGSTOP)
        self.assertIn("no news from the other ranks", self.assert_ends(job))

    def test_a_signal_ends_the_job(self):
        job = self.start()
        job.send_signal(signal.SIGTERM)
        self.assert_ends(job)


if __name__ == "__main__":
    unittest.main()
