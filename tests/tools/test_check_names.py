"""Tests of tools/check_names.py: a type name that two headers define is found."""

import importlib.util
import os
import sys
import tempfile
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
spec = importlib.util.spec_from_file_location("check_names", os.path.join(ROOT, "tools", "check_names.py"))
check_names = importlib.util.module_from_spec(spec)
sys.modules["check_names"] = check_names
spec.loader.exec_module(check_names)


class CheckNamesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name
        self.write("src/util/bell.hpp", "namespace util {\nclass Bell {\n  struct Listener {\n  };\n};\nclass Later;\n}\n")

    def write(self, path, text):
        path = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def test_all_is_well(self):
        self.write("src/core/later.hpp", "struct POLDER_API Later final : Base {\n};\nstruct Listener {\n};\n")
        self.assertEqual(list(check_names.problems(self.root)), [])
        self.assertEqual(set(check_names.definitions(self.root)), {"Bell", "Later", "Listener"})

    def test_one_name_for_two_things(self):
        for text in ("struct Bell {\n};\n", "enum class Bell : int { a };\n", "template <class T>\nclass alignas(8) Bell {\n};\n",
                     'class POLDER_CAPABILITY("lock") Bell {\n};\n'):
            self.write("src/core/other.hpp", text)
            self.assertEqual(list(check_names.problems(self.root)),
                             ["Bell is defined in src/core/other.hpp and src/util/bell.hpp: one name for one thing"], text)

    def test_the_project_itself(self):
        self.assertEqual(list(check_names.problems(ROOT)), [])


if __name__ == "__main__":
    unittest.main()
