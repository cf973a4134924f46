"""Tests of tools/check_dead.py: a declaration that nothing uses is found, whatever its form."""

import importlib.util
import os
import sys
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
spec = importlib.util.spec_from_file_location("check_dead", os.path.join(ROOT, "tools", "check_dead.py"))
check_dead = importlib.util.module_from_spec(spec)
sys.modules["check_dead"] = check_dead
spec.loader.exec_module(check_dead)


class CheckDeadTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name

    def found(self, header, source="", test=""):
        for path, text in (("src/util/bell.hpp", header), ("src/util/bell.cpp", source), ("tests/bell_test.cpp", test)):
            path = os.path.join(self.root, path)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        return [line.split(" uses ")[1] for line in check_dead.dead(self.root)]

    def test_declared_and_never_defined(self):
        self.assertEqual(self.found("Status ring(int times);\n"), ["ring()"])

    def test_defined_and_never_called(self):
        self.assertEqual(self.found("class Bell {\n  void ring(int times) const;\n};\n", "void Bell::ring(int times) const {\n  go();\n}\n"),
                         ["ring()"])

    def test_inline_and_never_called(self):
        self.assertEqual(self.found("class Bell {\n  int count() const { return count_; }\n};\n"), ["count()"])

    def test_a_comment_is_no_use(self):
        self.assertEqual(self.found("// As ring() does.\nvoid ring();\n"), ["ring()"])

    def test_a_call_is(self):
        self.assertEqual(self.found("void ring();\n", "void ring() {}\nvoid f() {\n  ring();\n}\n"), [])
        self.assertEqual(self.found("class Bell {\n  int count() const { return count_; }\n};\n", test="TEST(A, B) { x.count(); }\n"), [])
        self.assertEqual(self.found("namespace a {\nvoid ring(int x);\n}\n", "void f() {\n  a::ring(1);\n}\n"), [])

    def test_what_overrides_is_called_by_its_base(self):
        self.assertEqual(self.found("class Bell : Thing {\n  void ring(int times) override;\n};\n"), [])

    def test_the_project_itself(self):
        self.assertEqual(list(check_dead.dead(ROOT)), [])


if __name__ == "__main__":
    unittest.main()
