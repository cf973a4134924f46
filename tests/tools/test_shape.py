"""Tests of tools/shape.py: does it see the functions that a person sees, and no others?"""

import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest

TOOLS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools")
spec = importlib.util.spec_from_file_location("shape", os.path.join(TOOLS, "shape.py"))
shape = importlib.util.module_from_spec(spec)
sys.modules["shape"] = shape
spec.loader.exec_module(shape)


def functions(text):
    return [(f.name, f.line, f.length) for f in shape.find_functions(text, "x.cpp")]


class FindFunctionsTest(unittest.TestCase):
    def test_free_function(self):
        self.assertEqual(functions("int f(int a) {\n  return a;\n}\n"), [("f", 1, 3)])

    def test_header_on_two_lines_counts_from_its_first(self):
        self.assertEqual(functions("\n\nint f(int a,\n      int b) {\n  return a;\n}\n"), [("f", 3, 4)])

    def test_members_in_a_class_in_a_namespace(self):
        text = ("namespace a {\nclass [[nodiscard]] B final : public C {\n public:\n  B() = default;\n"
                "  int one() const { return 1; }\n  explicit B(int x) : x_(x) {}\n\n private:\n  int x_ = 0;\n};\n}\n")
        self.assertEqual(functions(text), [("one", 5, 1), ("B", 6, 1)])

    def test_braces_inside_a_function_are_its_own(self):
        text = "void f() {\n  auto g = [](int x) { return x; };\n  if (g(1)) {\n    h();\n  }\n}\nvoid k() {}\n"
        self.assertEqual(functions(text), [("f", 1, 6), ("k", 7, 1)])

    def test_initialiser_list_with_braces(self):
        self.assertEqual(functions("A::A(int x) : a_{x}, b_(2) {\n  go();\n}\n"), [("A::A", 1, 3)])
        self.assertEqual(functions("A::A(int x)\n    : a_{x}, b_{2} {\n  go();\n}\n"), [("A::A", 1, 4)])

    def test_variables_and_enumerations_are_no_functions(self):
        text = ("enum class E : int { a, b };\nint x{f(2)};\nconst int y[] = {1, 2};\nstd::atomic<int> z{0};\n"
                "struct S {\n  int a = 0;\n};\nconstexpr Option o{\"NAME\", \"(\", \"help {\"};\n")
        self.assertEqual(functions(text), [])

    def test_qualifiers_templates_and_operators(self):
        text = ("template <class T, class U = std::vector<T>>\nauto f(T t) noexcept -> decltype(t) {\n  return t;\n}\n"
                "bool operator==(A a, B b) { return true; }\nint A::operator()(int x) const& { return x; }\n")
        self.assertEqual([f[0] for f in functions(text)], ["f", "operator==", "A::operator()"])

    def test_comments_strings_and_directives_do_not_count(self):
        text = ('// void a() {\n/* void b() {\n */\nconst char* s = "void c() {";\nconst char* r = R"x(void d() {)x";\n'
                "#define M(x) \\\n  do { x; } while (0)\nlong n = 1'000'000;\nchar q = '{';\nvoid e() {\n}\n")
        self.assertEqual(functions(text), [("e", 10, 2)])

    def test_cases_of_googletest_are_named(self):
        self.assertEqual(functions("TEST_F(Put, Arrives) {\n  x();\n}\n"), [("Put.Arrives", 1, 3)])


class CheckTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name
        os.makedirs(os.path.join(self.root, "src"))

    def check(self, text):
        with open(os.path.join(self.root, "src", "a.cpp"), "w", encoding="utf-8") as file:
            file.write(text)
        return subprocess.run([sys.executable, os.path.join(TOOLS, "shape.py"), "--check", self.root], capture_output=True, text=True,
                              check=False)

    def test_within_the_limits(self):
        self.assertEqual(self.check("void f() {\n}\n" * 5).returncode, 0)

    def test_a_long_function_and_a_long_file(self):
        done = self.check("void f() {}\n" * 20 + "void g() {\n" + "  x();\n" * 61 + "}\n")
        self.assertEqual(done.returncode, 1)
        self.assertIn("src/a.cpp:21: g has 63 lines", done.stdout)
        done = self.check("void f() {}\n" * 401)
        self.assertIn("src/a.cpp: 401 lines", done.stdout)

    def test_functions_that_are_long_in_the_middle(self):
        self.assertIn("50% of them", self.check(("void f() {\n" + "  x();\n" * 8 + "}\n") * 9).stdout)

    def test_the_project_itself(self):
        done = subprocess.run([sys.executable, os.path.join(TOOLS, "shape.py"), "--check"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)


class CountLinesTest(unittest.TestCase):
    def test_code_comments_and_blanks(self):
        text = '// why\n\nint a;  // units\n/* one\n   two */\nconst char* s = "// no comment";\n'
        self.assertEqual(shape.count_lines(text), (2, 3))


class ReportTest(unittest.TestCase):
    def test_spread(self):
        self.assertEqual(shape.spread(range(1, 101)), "51 / 91 / 100")
        self.assertEqual(shape.spread([7]), "7 / 7 / 7")
        self.assertEqual(shape.spread([]), "-")

    def test_prints_both_kinds_and_their_ratio(self):
        with tempfile.TemporaryDirectory() as root:
            for path, text in (("src/a/long.cpp", "void f() {\n" + "  g();\n" * 8 + "}\n"), ("tests/a/t.cpp", "int x;\n" * 5)):
                os.makedirs(os.path.dirname(os.path.join(root, path)))
                with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                    file.write(text)
            output = self.run_on(root).stdout
        self.assertIn("sources: 1 files, 10 lines", output)
        self.assertIn("10 f (src/a/long.cpp:1)", output)
        self.assertIn("tests to sources: 0.50", output)

    def test_an_empty_tree_is_an_error(self):
        with tempfile.TemporaryDirectory() as root:
            result = self.run_on(root)
        self.assertEqual(result.returncode, 1)
        self.assertIn("no source files", result.stderr)

    @staticmethod
    def run_on(root):
        program = [sys.executable, os.path.join(TOOLS, "shape.py"), root]
        return subprocess.run(program, capture_output=True, text=True, check=False)


if __name__ == "__main__":
    unittest.main()
