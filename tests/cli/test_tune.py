"""`polder tune` and `polder explain`, among ranks of this machine."""

import os
import re
import signal
import subprocess
import tempfile
import unittest

POLDER = os.environ["POLDER_PROGRAM"]


def polder(*words, **environment):
    return subprocess.run([POLDER, *words], text=True, capture_output=True, timeout=300, check=False,
                          env={**os.environ, **environment})


class ExplainTest(unittest.TestCase):
    def test_the_choice_its_reasons_and_a_time_for_each_algorithm(self):
        done = polder("explain", "allreduce", "64k", "-n", "3", "--seconds", "0.05")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("allreduce of 64k bytes, 3 ranks on one node", done.stdout)
        self.assertRegex(done.stdout, r"allreduce board 48 8 +no: more than 48 bytes")
        self.assertRegex(done.stdout, r"allreduce late_tree 128k any +<- taken")
        times = dict(re.findall(r"^  (\w+) +(\d+\.\d+) +\S+", done.stdout, re.M))
        self.assertEqual(set(times), {"whole", "doubling", "slices", "circulant", "ring", "reduce_broadcast", "late_tree",
                                      "claimed_slices"})
        for name, time in times.items():
            self.assertGreater(float(time), 0, name)

    def test_the_choice_is_said_before_anything_is_measured(self):
        with subprocess.Popen([POLDER, "explain", "barrier", "-n", "2", "--seconds", "60"], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as explaining:
            for line in explaining.stdout:
                if "<- taken" in line:
                    break
            explaining.send_signal(signal.SIGINT)
            self.assertNotIn("measured", explaining.stdout.read())

    def test_rows_for_fewer_members_are_one_line(self):
        done = polder("explain", "allreduce", "64k", "-n", "11", "--seconds", "0.01", "--device", "tcp")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("(4 rows for up to 8 members, or fewer)", done.stdout)

    def test_what_the_environment_prefers_is_taken(self):
        done = polder("explain", "allreduce", "1k", "-n", "2", "--seconds", "0.05", POLDER_COLL_ALLREDUCE="ring")
        self.assertRegex(done.stdout, r"allreduce ring any any +<- taken")

    def test_every_kind(self):
        for kind in ("barrier", "broadcast", "reduce", "reduce_scatter", "allgather", "gather", "scatter", "alltoall",
                     "scan", "exscan"):
            done = polder("explain", kind, "200", "-n", "3", "--seconds", "0.02")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stdout.count("<- taken"), 1, done.stdout)

    def test_what_makes_no_sense_is_named(self):
        for words, code, reason in (
                (("gossip",), 2, "there is no collective 'gossip'"),
                (("allreduce,broadcast", "8"), 2, "'allreduce,broadcast' is no single collective"),
                (("broadcast", "8..64"), 2, "'8..64' is no size"),
                (("broadcast", "x"), 2, "'x' is no size"),
                (("alltoall", "1G", "-n", "2"), 1, "more than 256 MB"),
        ):
            done = polder("explain", *words)
            self.assertEqual(done.returncode, code, words)
            self.assertIn(reason, done.stderr)
            self.assertEqual(done.stderr.count(reason), 1, "one rank says it for all")


class TuneTest(unittest.TestCase):
    def test_its_table_is_read_by_jobs(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "table")
            done = polder("tune", "-n", "2", "--seconds", "0.3", "--kinds", "allreduce,barrier", "-o", path)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(os.listdir(folder), ["table"])
            with open(path, encoding="utf-8") as file:
                lines = file.read().splitlines()
            self.assertIn("2 ranks on one node", lines[0])
            rows = [line.split()[:2] for line in lines if not line.startswith("#")]
            info = polder("info", "collectives", POLDER_COLL_TABLE=path)
            self.assertEqual(info.stderr, "")
            shown = [line.split()[:2] for line in info.stdout.splitlines() if line.strip().startswith(("allreduce", "barrier"))]
            first = {kind: [row for row in shown if row[0] == kind] for kind in ("allreduce", "barrier")}
            for kind, there in first.items():
                wanted = [row for row in rows if row[0] == kind]
                self.assertEqual(there[:len(wanted)], wanted)
            done = polder("explain", "allreduce", "256", "-n", "2", "--seconds", "0.02", POLDER_COLL_TABLE=path)
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_what_is_there_stays_what_it_is(self):
        with tempfile.TemporaryDirectory() as folder:
            words = ("tune", "-n", "1", "--seconds", "0.01", "--kinds", "barrier", "-o")
            target, link, part, pipe = (os.path.join(folder, name) for name in ("table", "link", "table.part", "pipe"))
            for path in (target, part):
                with open(path, "w", encoding="utf-8") as file:
                    file.write("mine")
            os.chmod(target, 0o600)
            os.symlink("table", link)
            done = polder(*words, link)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue(os.path.islink(link))
            with open(target, encoding="utf-8") as file:
                self.assertIn("polder tune", file.read())
            self.assertEqual(os.stat(target).st_mode & 0o777, 0o600)
            with open(part, encoding="utf-8") as file:
                self.assertEqual(file.read(), "mine")
            os.mkfifo(pipe)
            reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
            self.addCleanup(os.close, reader)
            done = polder(*words, pipe)
            self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
            self.assertIn(b"polder tune", os.read(reader, 1 << 16))
            self.assertEqual(sorted(os.listdir(folder)), ["link", "pipe", "table", "table.part"])

    def test_what_makes_no_sense_is_named(self):
        done = polder("tune", "--kinds", "barrier,gossip")
        self.assertEqual((done.returncode, "'gossip'" in done.stderr), (2, True))
        done = polder("tune", "-n", "2", "--seconds", "0.01", "--kinds", "barrier", "-o", "/nowhere/table")
        self.assertEqual((done.returncode, "cannot write /nowhere/table: No such file" in done.stderr), (125, True))
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)


if __name__ == "__main__":
    unittest.main()
