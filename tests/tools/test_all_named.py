"""A test that no CMakeLists.txt names is never run, and nobody notices: here it is noticed."""

import re
import unittest
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent


def unnamed(root):
    """The tests below `root` (*_test.cpp) that the CMakeLists.txt of their folder, or of one above it, does not name."""
    return [test for test in sorted(root.rglob("*_test.cpp")) if not is_named(test, root)]


def is_named(test, root):
    lists = [folder / "CMakeLists.txt" for folder in test.parents if folder == root or root in folder.parents]
    word = re.compile(rf"(?<![\w.])({re.escape(test.stem)}|{re.escape(test.stem.removesuffix('_test'))})\b")
    return any(word.search(listing.read_text()) for listing in lists if listing.exists())


class AllNamed(unittest.TestCase):
    def test_every_test_is_built(self):
        self.assertEqual(unnamed(TESTS), [])


if __name__ == "__main__":
    unittest.main()
