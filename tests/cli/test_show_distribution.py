"""`polder show-distribution`: pictures of who owns what."""

import os
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

POLDER = os.environ["POLDER_PROGRAM"]


def show(*words):
    return subprocess.run([POLDER, "show-distribution", *words], text=True, capture_output=True, timeout=60, check=False)


def picture(*words):
    done = show(*words)
    assert done.returncode == 0, done.stderr
    return [line for line in done.stdout.splitlines()[1:] if not line.startswith("unit ")]


class ShowDistributionTest(unittest.TestCase):
    def test_kinds(self):
        self.assertEqual(picture("block", "4", "6", "-n", "4", "--grid", "2", "2"), ["000111", "000111", "222333", "222333"])
        self.assertEqual(picture("cyclic", "7", "-n", "3"), ["0120120"])
        self.assertEqual(picture("tiled", "2", "8", "--grid", "1", "2", "--tile", "2", "2"), ["00110011"] * 2)
        self.assertEqual(picture("shifted", "3", "3", "--grid", "1", "3", "--tile", "1", "1"), ["012", "120", "201"])
        self.assertEqual(picture("sequential", "2", "3", "--grid", "1", "4", "--tile", "1", "1"), ["012", "301"])
        self.assertEqual(picture("weighted", "8", "--weights", "1", "0", "3"), ["00222222"])
        self.assertEqual(picture("weighted", "8", "--weights", "1,0,3"), ["00222222"])
        self.assertEqual(picture("block", "4x6", "--grid", "2x2"), picture("block", "4", "6", "--grid", "2", "2"))
        self.assertEqual(picture("tiled", "2x8", "--grid", "1x2", "--tile", "2x2"), ["00110011"] * 2)

    def test_svg_has_every_element_once(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "d.svg")
            self.assertEqual(show("shifted", "6", "8", "-n", "4", "--svg", path).returncode, 0)
            boxes = xml.etree.ElementTree.parse(path).getroot().findall("{http://www.w3.org/2000/svg}rect")
            area = sum(int(box.get("width")) * int(box.get("height")) for box in boxes)
        self.assertEqual(area, 6 * 8 * 12 * 12)

    def test_refusals(self):
        self.assertEqual(show("square", "4").returncode, 2)
        self.assertEqual(show("block", "2x2x2").returncode, 2)
        wrong = show("weighted", "8", "--weights", "1", "-2")
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("the weight of unit 1 is -2", wrong.stderr)
        for words, why in ((("block", "9", "9", "-n", "4", "--grid", "3", "3"), "4 units, and --grid has 9"),
                           (("weighted", "8", "-n", "3", "--weights", "1", "2"), "3 units, and --weights has 2"),
                           (("weighted", "8", "--grid", "2", "--weights", "1", "2"), "have no grid"),
                           (("block", "8", "--weights", "1", "2"), "only weighted units")):
            done = show(*words)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(why, done.stderr)
        self.assertEqual(show("weighted", "8", "-n", "2", "--weights", "1", "2").returncode, 0)
        wide = show("block", "10", "10", "--grid", "65535", "65535")
        self.assertEqual(wide.returncode, 2)
        self.assertIn("a grid of (65535, 65535) has more than 65535 units", wide.stderr)
        self.assertIn("cannot be written", show("block", "8", "--svg", "/nowhere/x.svg").stderr)


if __name__ == "__main__":
    unittest.main()
