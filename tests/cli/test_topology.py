"""`polder topology`: its table, order and picture, and what it refuses."""

import os
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

POLDER = os.environ["POLDER_PROGRAM"]


def topology(*words):
    return subprocess.run([POLDER, "topology", *words], text=True, capture_output=True, timeout=120, check=False)


class TopologyTest(unittest.TestCase):
    def test_the_mapped_order_beats_the_launchers(self):
        done = topology("--nodes", "16", "--per-node", "8", "--machine", "400", "--grid", "8x4x4", "--csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        heads, *lines = [line.split(",") for line in done.stdout.splitlines()]
        hops = {line[0]: float(line[heads.index("hop_bytes")]) for line in lines}
        self.assertLess(hops["mapped"], hops["launcher"])
        self.assertLess(hops["launcher"], hops["random"])

    def test_the_stencil_takes_as_long_as_the_formula_says(self):
        # Two nodes of a switch: 0.6 us for the put and 0.1 us for each of two cables; 10,000 bytes more take 1 us.
        times = []
        for size in ("1", "10001"):
            done = topology("--model", "fat_tree:4", "--nodes", "2", "--per-node", "1", "--csv", "--bytes", size)
            times.append(float(done.stdout.splitlines()[1].split(",")[-1]))
        self.assertAlmostEqual(times[1] - times[0], 1.0, places=2)
        self.assertGreaterEqual(times[0], 0.8)

    def test_other_orders_are_compared(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "backwards")
            with open(path, "w", encoding="utf-8") as file:
                file.write("\n".join(map(str, reversed(range(8)))))
            words = ("--nodes", "2", "--per-node", "4", "--csv", "--compare", path)
            rows = [line.split(",") for line in topology(*words).stdout.splitlines()]
            self.assertEqual([row[0] for row in rows], ["order", "launcher", "random", "mapped", "backwards"])
            self.assertEqual(rows[4][1:4], rows[1][1:4])
            with open(path, "w", encoding="utf-8") as file:
                file.write("0 1 2 x")
            self.assertIn("line 4 is no unit", topology(*words).stderr)

    def test_the_order_is_a_permutation(self):
        done = topology("--nodes", "5", "--per-node", "4", "--units", "18", "--grid", "3x6", "--periodic", "--order")
        self.assertEqual(sorted(map(int, done.stdout.split())), list(range(18)))

    def test_a_matrix_over_slurms_switches(self):
        with tempfile.TemporaryDirectory() as folder:
            conf, matrix = os.path.join(folder, "topology.conf"), os.path.join(folder, "matrix.csv")
            with open(conf, "w", encoding="utf-8") as file:
                file.write("SwitchName=a Nodes=n[1-2]\nSwitchName=b Nodes=n[3-4]\nSwitchName=top Switches=a,b\n")
            with open(matrix, "w", encoding="utf-8") as file:
                file.write("0,0,5,0\n0,0,0,5\n0,0,0,0\n0,0,0,0\n")
            done = topology("--switches", conf, "--hosts", "n1,n2,n3,n4", "--per-node", "1", "--matrix", matrix, "--order")
        order = list(map(int, done.stdout.split()))
        self.assertEqual(order[0] // 2, order[2] // 2, done)
        self.assertEqual(order[1] // 2, order[3] // 2)

    def test_what_a_traced_job_sent_is_a_pattern(self):
        program = os.path.join(os.path.dirname(POLDER), "..", "libexec", "polder", "bench-micro")
        if not os.access(program, os.X_OK):
            self.skipTest("bench-micro was not built")
        with tempfile.TemporaryDirectory() as folder:
            run = [POLDER, "run", "-n", "4", "--trace", folder, program, "ring", "--quick"]
            done = subprocess.run(run, text=True, capture_output=True, timeout=120, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            done = topology("--here", "4", "--trace", folder, "--csv")
            self.assertEqual(done.returncode, 0, done.stderr)
            hops = {line.split(",")[0]: float(line.split(",")[1]) for line in done.stdout.splitlines()[1:]}
            self.assertGreater(hops["launcher"], 0)
            self.assertLessEqual(hops["mapped"], hops["launcher"])
            self.assertIn("a pattern of 4 places for 3 units", topology("--here", "3", "--trace", folder).stderr)
            self.check_statistics(folder, done.stdout.splitlines()[1].split(",")[1])

    def check_statistics(self, folder, hops):
        """The same as JSON is the same pattern, for --matrix and for --map-by."""
        done = subprocess.run([POLDER, "trace", "stats", folder, "--json"], text=True, capture_output=True, timeout=120, check=False)
        path = os.path.join(folder, "stats.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(done.stdout)
        rows = topology("--here", "4", "--matrix", path, "--csv").stdout.splitlines()
        self.assertEqual(rows[1].split(",")[1], hops)
        run = [POLDER, "run", "-n", "3", "--map-by", f"matrix:{path}", "true"]
        done = subprocess.run(run, text=True, capture_output=True, timeout=120, check=False)
        self.assertIn("4 places for 3 ranks", done.stderr)
        self.assertEqual(done.returncode, 2)

    def test_coordinates_name_the_levels(self):
        lines = topology("--model", "dragonfly:3x2x2", "--nodes", "12", "--per-node", "1", "--coordinates").stdout.splitlines()
        self.assertEqual(lines[0].split(",")[:3], ["group", "router", "node"])
        self.assertEqual(lines[12].split(",")[:3], ["2", "1", "1"])
        self.assertEqual(len(topology("--here", "3", "--coordinates").stdout.splitlines()), 4)

    def test_the_picture_has_a_square_for_each_place(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "map.svg")
            self.assertEqual(topology("--nodes", "4", "--per-node", "6", "--grid", "2x3x4", "--svg", path).returncode, 0)
            self.assertEqual(len(xml.etree.ElementTree.parse(path).getroot()), 24)

    def test_ranks_are_bound_by_a_matrix(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "matrix")
            with open(path, "w", encoding="utf-8") as file:
                file.write('{"ranks":2,"traffic":[[0,1,8,1]]}')
            program = ["grep", "Cpus_allowed_list", "/proc/self/status"]
            done = subprocess.run([POLDER, "run", "-n", "2", "--map-by", f"matrix:{path}", *program], text=True,
                                  capture_output=True, timeout=120, check=False)
            if len(os.sched_getaffinity(0)) < 2:
                self.assertIn("2 ranks on 1 hardware threads", done.stderr)
                return
            self.assertEqual(done.returncode, 0, done.stderr)
            cores = [line.split()[1] for line in done.stdout.splitlines()]
            self.assertEqual(len(set(cores)), 2, done.stdout)
            self.assertTrue(all(core.isdigit() for core in cores))
            with open(path, "w", encoding="utf-8") as file:
                file.write('{"ranks":2,"traffic":[[0,1]]}')
            wrong = topology("--nodes", "1", "--per-node", "2", "--matrix", path)
            self.assertEqual(wrong.returncode, 2)
            self.assertIn(f'{path}: communication pattern in JSON, byte 27: entry 0 of "traffic" has 2 numbers', wrong.stderr)

    def test_what_is_wrong_is_named(self):
        for words, why in ((["--grid", "4x"], "--grid 4x"), (["--grid", "4x4"], "16 places for 9216 units"),
                           (["--model", "ring"], "machine 'ring'"), (["--bytes", "-1"], "'-1' is negative"), (["--seed", "-1"], "'-1' is negative"),
                           (["--matrix", "/nowhere"], "cannot read /nowhere: No such file"), (["--matrix", "/"], "cannot read /: Is a directory"),
                           (["--nodes", "1", "--per-node", "2", "--compare", "/"], "cannot read /: Is a directory"),
                           (["--switches", "/"], "cannot read /: Is a directory"),
                           (["--here", "0"], "not in range 1 to 65535\n"), (["--trace", "/nowhere"], "/nowhere")):
            done = topology(*words)
            self.assertEqual(done.returncode, 2)
            self.assertIn(why, done.stderr)


if __name__ == "__main__":
    unittest.main()
