"""bench/contract.py for a moment, with the real programs: what it measures and writes."""

import importlib.util
import json
import os
import subprocess
import tempfile
import unittest

FOLDER = os.path.dirname(os.environ.get("POLDER_BENCH", ""))
PROGRAM = os.path.join(FOLDER, "contract.py")
CONTRACT = os.path.normpath(os.path.join(FOLDER, "..", "..", "bin", "contract"))

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench", "contract.py")
spec = importlib.util.spec_from_file_location("contract", SOURCE)
contract = importlib.util.module_from_spec(spec)
spec.loader.exec_module(contract)


class Failures(unittest.TestCase):
    def test_what_failed_leaves_no_row(self):
        def fail():
            raise contract.Failure("a reason")

        study = object.__new__(contract.Study)
        study.seconds, study.failures = {}, []
        study.take((1000, 2, 1, "cyclic"), fail)
        self.assertEqual((study.seconds, study.failures), ({}, ["a reason"]))


class Verdicts(unittest.TestCase):
    """Of rows between hosts, by what bounds them."""

    def verdict(self, computing, link, ours, theirs):
        row = {"size": 1000, "ranks": 2, "level": 1, "who": "cyclic", "seconds": ours, "computing": computing, "link": link}
        found = {(1000, 2, 1, "pdgemm, openmpi"): {"seconds": theirs}}
        return contract.judge(row, found, {"hosts": ["h0", "h1"], "threads": 1, "cores": 2})

    def test_where_computing_takes_longer_no_more_than_pdgemms_speed_is_asked_for(self):
        self.assertIn("1.05 x what computing or the link takes (goal 1.1: met)", self.verdict(2.0, 1.0, 2.1, 2.1))
        self.assertIn("1.00 x PDGEMM of openmpi (goal 1: met)", self.verdict(2.0, 1.0, 2.1, 2.1))

    def test_where_the_link_does_more(self):
        self.assertIn("1.20 x what computing or the link takes (goal 1.1: NOT met)", self.verdict(1.0, 2.0, 2.4, 3.0))
        self.assertIn("1.25 x PDGEMM of openmpi (goal 1.4: NOT met)", self.verdict(1.0, 2.0, 2.4, 3.0))
        self.assertIn("1.50 x PDGEMM of openmpi (goal 1.4: met)", self.verdict(1.0, 2.0, 2.0, 3.0))


@unittest.skipUnless(os.access(CONTRACT, os.X_OK), "contract was not built")
class Contract(unittest.TestCase):
    def test_a_moment_of_each(self):
        with tempfile.TemporaryDirectory(prefix="contract-bench-") as folder:
            path = os.path.join(folder, "result.json")
            done = subprocess.run([PROGRAM, "--quick", "--json", path], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  timeout=250, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(path, encoding="utf-8") as file:
                document = json.load(file)
        found = {one["who"]: one for one in document["results"]}
        wanted = {"one block", "regular", "random", "cyclic"}
        wanted |= {f"pdgemm, {peer}" for peer in ("openmpi", "mpich") if os.access(os.path.join(FOLDER, f"bench-pdgemm-{peer}"), os.X_OK)}
        self.assertEqual(set(found), wanted)
        for one in found.values():
            self.assertGreater(one["gflops"], 0)
        self.assertIn("of 2 x one block", done.stdout)
        self.assertIn("x as long as regular", done.stdout)


if __name__ == "__main__":
    unittest.main()
