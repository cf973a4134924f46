"""`polder simulate`: what it prints, for whom, and what it refuses."""

import os
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

POLDER = os.environ["POLDER_PROGRAM"]


def simulate(*words, **environment):
    return subprocess.run([POLDER, "simulate", *words], text=True, capture_output=True, timeout=120, check=False,
                          env={**os.environ, **environment})


def rows(*words, **environment):
    """Of the CSV form: a dictionary for each row."""
    done = simulate(*words, "--csv", **environment)
    assert done.returncode == 0, done.stderr
    heads, *lines = [line.split(",") for line in done.stdout.splitlines()]
    return [dict(zip(heads, line)) for line in lines]


class SimulateTest(unittest.TestCase):
    def test_times_are_those_of_the_formula(self):
        # ceil(lg 1000) rounds of L + 2o.
        [row] = rows("barrier", "-n", "1000", "--latency", "2", "--overhead", "0.5")
        self.assertEqual((row["us"], row["rounds"], row["letters"]), ("30.00", "10", "10000"))

    def test_ranges_double_and_lists_are_lists(self):
        self.assertEqual([row["bytes"] for row in rows("broadcast", "1k..6k,8")], ["1k", "2k", "4k", "6k", "8"])
        self.assertEqual([row["ranks"] for row in rows("broadcast", "-n", "3..20")], ["3", "6", "12", "20"])

    def test_three_hundred_thousand_ranks(self):
        [row] = rows("allreduce", "8", "-n", "294912")
        self.assertEqual(row["algorithm"], "doubling")
        self.assertEqual(row["rounds"], "19")
        self.assertLess(int(row["B a rank"]), 4096)

    def test_the_table_of_the_environment_chooses(self):
        self.assertEqual(rows("allreduce", "1k", POLDER_COLL_ALLREDUCE="ring")[0]["algorithm"], "ring")

    def test_all_algorithms_side_by_side(self):
        names = {row["algorithm"] for row in rows("allreduce", "64k", "-n", "8", "--algorithm", "all")}
        self.assertEqual(names, {"whole", "slices", "doubling", "circulant", "ring", "reduce_broadcast"})

    def test_links_that_are_shared_cost_time(self):
        [alone] = rows("alltoall", "4k", "-n", "64")
        [torus] = rows("alltoall", "4k", "-n", "64", "--network", "torus:64", "--hop", "0")
        self.assertGreater(float(torus["us"]), 2 * float(alone["us"]))
        self.assertGreater(float(torus["links us"]), 0)
        done = simulate("barrier", "--network", "fat_tree:8")
        self.assertIn("fat tree of 3 levels of switches with 8 ports", done.stdout)

    def test_who_waits_for_the_dead(self):
        [row] = rows("broadcast", "8", "-n", "8", "--kill", "4")
        self.assertEqual((row["dead"], row["hanging"]), ("1", "3"))
        [row] = rows("broadcast", "8", "-n", "8", "--kill", "4@1000")
        self.assertEqual((row["dead"], row["hanging"]), ("0", "0"))

    def test_noise_and_late_ranks_are_those_of_their_seed(self):
        words = ("allreduce", "8", "-n", "64", "--noise", "0.01:100", "--late", "50")
        self.assertEqual(rows(*words, "--seed", "3"), rows(*words, "--seed", "3"))
        self.assertNotEqual(rows(*words, "--seed", "3"), rows(*words, "--seed", "4"))

    def test_a_plot_has_a_curve_for_each_algorithm(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "curves.svg")
            rows("allreduce", "8..64k", "-n", "8", "--algorithm", "all", "--plot", path)
            lines = xml.etree.ElementTree.parse(path).getroot().findall("{http://www.w3.org/2000/svg}polyline")
            self.assertEqual(len(lines), 6)
            self.assertEqual(len(lines[0].get("points").split()), 14)

    def test_shares_of_data_and_of_members(self):
        by_data = rows("eventual-reduce", "8M", "-n", "32", "--data", "25%,1")
        self.assertEqual([(row["data"], row["got"], row["of ranks"]) for row in by_data], [("25%", "25%", "32"), ("100%", "100%", "32")])
        self.assertLess(float(by_data[0]["us"]), 0.34 * float(by_data[1]["us"]))
        stages = rows("eventual-reduce", "80000", "-n", "32", "--members", "25%,50%,75%,100%", "--leave-out", "stages")
        self.assertEqual([row["of ranks"] for row in stages], ["8", "16", "32", "32"])
        self.assertEqual(stages[2]["us"], stages[3]["us"])
        ways = [rows("eventual-reduce", "8M", "-n", "32", "--way", way)[0] for way in ("flat", "binomial", "slices", "fastest")]
        self.assertEqual([row["way"] for row in ways], ["flat", "binomial", "slices", "slices"])
        times = [float(row["us"]) for row in ways]
        self.assertEqual(times, sorted(times, reverse=True))
        [late] = rows("eventual-allreduce", "800", "-n", "8", "--members", "0.5", "--late", "1000")
        self.assertEqual((late["of ranks"], late["ended"]), ("4", "enough"))
        [timed] = rows("eventual-allreduce", "800", "-n", "8", "--late", "1000", "--deadline", "100")
        self.assertEqual(timed["ended"], "deadline")
        [then] = rows("eventual-reduce", "800", "-n", "8", "--members", "50%", "--leave-out", "stages", "--then-data", "1")
        self.assertEqual((then["of ranks"], then["then of"], then["then members"]), ("4", "8", "100%"))
        self.assertGreater(float(then["then root us"]), float(then["root us"]))
        [dead] = rows("eventual-broadcast", "800", "-n", "8", "--kill", "0")
        self.assertEqual((dead["dead"], dead["failed"], dead["ended"]), ("1", "7", "-"))

    def test_the_stale_synchronous_allreduce(self):
        words = ("ssp", "80000", "-n", "32", "--compute", "50", "--stragglers", "0.05:500", "--calls", "20")
        slacks = rows(*words, "--slack", "0,2,8")
        self.assertEqual([row["slack"] for row in slacks], ["0", "2", "8"])
        times = [float(row["us"]) for row in slacks]
        self.assertEqual(times, sorted(times, reverse=True))
        for row in rows(*words, "--shape", "hypercube,flat,sharded", "--slack", "2"):
            self.assertLessEqual(int(row["oldest"]), 2)
        [flushed] = rows("ssp", "8000", "-n", "8", "--slack", "2", "--flush")
        self.assertGreater(float(flushed["flush us"]), 0)
        [many] = rows("ssp", "-n", "4096", "--calls", "2", "--slack", "1")
        self.assertEqual((many["failed"], many["oldest"]), ("0", "1"))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "curves.svg")
            rows("ssp", "8", "-n", "2..16", "--slack", "1,4", "--plot", path)
            lines = xml.etree.ElementTree.parse(path).getroot().findall("{http://www.w3.org/2000/svg}polyline")
            self.assertEqual(len(lines), 2)
            rows("eventual-allreduce", "8k", "-n", "2..8", "--members", "50%,100%", "--plot", path)
            root = xml.etree.ElementTree.parse(path).getroot()
            self.assertEqual(len(root.findall("{http://www.w3.org/2000/svg}polyline")), 2)
            texts = {text.text for text in root.findall("{http://www.w3.org/2000/svg}text")}
            self.assertLessEqual({"50% of the ranks", "100% of the ranks"}, texts)

    def test_the_largest_slack_is_as_good_as_none(self):
        [row] = rows("ssp", "8", "-n", "4", "--calls", "20", "--compute", "50", "--slack", str(2**64 - 1))
        self.assertEqual(row["failed"], "0")

    def test_a_full_disk_is_said(self):
        with open("/dev/full", "w", encoding="ascii") as full:
            done = subprocess.run([POLDER, "simulate", "barrier", "-n", "4"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("standard output cannot be written", done.stderr)

    def test_what_makes_no_sense_is_named(self):
        for words, reason in (
                (("gossip",), "there is no collective 'gossip'"),
                (("barrier", "-n", "0"), "'0' is no number"),
                (("barrier", "-n", "2000000"), "up to 1000000"),
                (("broadcast", "8x"), "'8x' is no number"),
                (("broadcast", "9..8"), "'9..8' is no number"),
                (("broadcast", "--root", "16"), "there are 16 ranks"),
                (("broadcast", "--algorithm", "ring"), "no broadcast by 'ring'"),
                (("allreduce", "-n", "40", "--algorithm", "whole"), "no allreduce by 'whole' for 40 ranks"),
                (("barrier", "--network", "ether"), "there are crossbar, fat_tree"),
                (("barrier", "-n", "17", "--network", "torus:4x4"), "no place for 17 nodes"),
                (("barrier", "--per-node", "4"), "--network"),
                (("barrier", "--noise", "2:1"), "--noise 2:1"),
                (("barrier", "--kill", "16"), "there are 16 ranks"),
                (("barrier", "--seed", "-1"), "'-1' is negative"),
                (("barrier", "--latency", "nan"), "'nan' is not a finite number"),
                (("barrier", "--bandwidth", "nan"), "'nan' is not a finite number"),
                (("barrier", "--late", "nan"), "'nan' is not a finite number"),
                (("barrier", "--kill", "x"), "--kill x"),
                (("alltoall", "-n", "100000"), "alltoall of more than"),
                (("eventual-scan",), "there is no collective 'eventual-scan'"),
                (("eventual-reduce", "--data", "25%,x"), "'x' is no share"),
                (("eventual-reduce", "--members", "120%"), "'120%' is no share"),
                (("eventual-reduce", "--leave-out", "early"), "late or stages"),
                (("eventual-reduce", "--then-data", "0.5"), "asks for more"),
                (("eventual-reduce", "--then-members", "25%,50%"), "one share each"),
                (("ssp", "--then-data", "1"), "are of eventual-broadcast"),
                (("reduce", "--flush"), "are of ssp"),
                (("eventual-reduce", "--way", "tree"), "fastest, flat, binomial or slices"),
                (("eventual-reduce", "--algorithm", "ring"), "no --algorithm"),
                (("eventual-reduce", "--slack", "1"), "are of ssp"),
                (("eventual-reduce", "--root", "16"), "root"),
                (("eventual-allreduce", "-n", "5000"), "more than 1024"),
                (("reduce", "--data", "25%"), "are of eventual-broadcast"),
                (("ssp", "--shape", "ring"), "'ring' is none of"),
                (("ssp", "--slack", "-1"), "'-1' is no number of calls"),
                (("ssp", "--stragglers", "2:1"), "--stragglers 2:1"),
                (("ssp", "--cells", "1"), "cells are from 2 to 64"),
                (("ssp", "--root", "1"), "ssp has no root"),
                (("ssp", "-n", "65536", "--shape", "flat"), "hypercube has fewer"),
        ):
            done = simulate(*words)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(reason, done.stderr)


if __name__ == "__main__":
    unittest.main()
