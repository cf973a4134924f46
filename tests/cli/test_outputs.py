"""Output that cannot be written: every command ends with the same code, and says why."""

import os
import subprocess
import tempfile
import unittest

POLDER, WAITER = os.environ["POLDER_PROGRAM"], os.environ["POLDER_WAITER"]
CANNOT_WRITE = 125


def polder(*words, stdout=subprocess.PIPE):
    return subprocess.run([POLDER, *words], text=True, stdout=stdout, stderr=subprocess.PIPE, timeout=300, check=False)


class OutputsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.trace = os.path.join(self.folder, "trace")

    def make_trace(self):
        done = polder("run", "-n", "1", "--trace", self.trace, WAITER, "barrier")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_standard_output(self):
        self.make_trace()
        for words in (("tune", "-n", "1", "--seconds", "0.01", "--kinds", "barrier"),
                      ("explain", "barrier", "-n", "1", "--seconds", "0.01"),
                      ("trace", "stats", self.trace), ("simulate", "barrier", "-n", "4"), ("topology", "--here", "2"),
                      ("show-distribution", "block", "8"), ("info", "build")):
            with self.subTest(words[0]), open("/dev/full", "w", encoding="utf-8") as full:
                done = polder(*words, stdout=full)
                self.assertEqual(done.returncode, CANNOT_WRITE, done.stderr)
                self.assertIn("No space left on device", done.stderr)

    def test_files(self):
        self.make_trace()
        path = os.path.join(self.folder, "none", "file")
        for words in (("tune", "-n", "1", "--seconds", "0.01", "--kinds", "barrier", "-o", path),
                      ("trace", "report", self.trace, "-o", path), ("trace", "convert", self.trace, "--to", "csv", "-o", path),
                      ("simulate", "barrier", "-n", "2..4", "--plot", path),
                      ("topology", "--nodes", "1", "--per-node", "2", "--svg", path), ("show-distribution", "block", "8", "--svg", path)):
            with self.subTest(words[:2]):
                done = polder(*words)
                self.assertEqual(done.returncode, CANNOT_WRITE, done.stderr)
                self.assertIn(path, done.stderr)

    def test_what_is_said_about_a_pipe_is_not_in_it(self):
        self.make_trace()
        pipe = os.path.join(self.folder, "pipe")
        os.mkfifo(pipe)
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, reader)
        done = polder("trace", "convert", self.trace, "--to", "csv", "-o", pipe)
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertIn("1 ranks, ", done.stderr)
        self.assertIn(b"barrier", os.read(reader, 1 << 16))


if __name__ == "__main__":
    unittest.main()
