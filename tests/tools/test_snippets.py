"""The C++ of README.md and docs/ compiles without a warning: whole programs as they stand, pieces (```cpp) inside of a function that
has what the text around them names (a runtime, memory, an address). What pages call `c++` is a part of a program of the reader's:
functions of it as they stand, pieces of it with what such a program would have."""

import glob
import os
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
COMPILER = os.environ.get("CXX") or "c++"
FLAGS = ["-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror", "-I", os.path.join(ROOT, "include")]

BEFORE = """#include <polder/runtime.hpp>
#include <polder/collective.hpp>
#include <polder/simulate.hpp>
using namespace polder;
using namespace std::chrono_literals;
void repair();
void program(Runtime&);
"""
# What a piece may name without declaring it.
PARAMETERS = ("[[maybe_unused]] Runtime& rt, [[maybe_unused]] const void* data, [[maybe_unused]] void* buffer, "
              "[[maybe_unused]] GlobalAddress there, [[maybe_unused]] std::size_t bytes, [[maybe_unused]] Handle& handle, "
              "[[maybe_unused]] Rank rank, [[maybe_unused]] std::size_t offset, [[maybe_unused]] std::size_t n")


# What the programs have of which pages show a part.
OF_PROGRAMS = """#include <polder/checkpoint.hpp>
#include <polder/working_set.hpp>
#include <memory>
#include <vector>
std::vector<double> initial_field(Rank place, Rank size);
void compute(std::vector<double>& field);
Status compute(Group& group, std::vector<double>& field);
Result<std::unique_ptr<Group>> survivors(Runtime& rt);
constexpr std::uint64_t kSteps = 60;
"""
PROGRAM_PARAMETERS = ("[[maybe_unused]] Runtime& rt, [[maybe_unused]] std::unique_ptr<Group>& group, "
                      "[[maybe_unused]] std::vector<double>& field, [[maybe_unused]] std::uint64_t epoch, [[maybe_unused]] bool done")


def snippets(language="cpp"):
    """(place, code) of each block of C++."""
    for path in [os.path.join(ROOT, "README.md"), *sorted(glob.glob(os.path.join(ROOT, "docs", "**", "*.md"), recursive=True))]:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for match in re.finditer(rf"^```{re.escape(language)}\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
            yield f"{os.path.relpath(path, ROOT)}:{text.count(chr(10), 0, match.start()) + 1}", match[1]


def as_function(number, place, code):
    includes = "\n".join(re.findall(r"^#include.*", code, re.MULTILINE))
    body = re.sub(r"^#include.*", "", code, flags=re.MULTILINE)
    path, line = place.split(":")
    return includes, f'Status snippet_{number}({PARAMETERS}) {{\n#line {int(line) + 1} "{path}"\n{body}\nreturn {{}};\n}}\n'


@unittest.skipUnless(shutil.which(COMPILER), "there is no C++ compiler")
class SnippetsTest(unittest.TestCase):
    def compile(self, text, *flags):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "snippet.cpp")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            done = subprocess.run([COMPILER, *FLAGS, *flags, path], capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_there_are_some(self):
        self.assertGreater(len(list(snippets())), 5)

    def test_programs(self):
        for text in {code for _, code in snippets() if "int main" in code}:
            self.compile(text)

    def test_pieces(self):
        pieces = [as_function(number, *snippet) for number, snippet in enumerate(snippets()) if "int main" not in snippet[1]]
        functions = "".join(f"namespace {{\n[[maybe_unused]] {function}}}\n" for _, function in pieces)
        # A piece ends before what it has made is used.
        self.compile("".join(f"{includes}\n" for includes, _ in pieces) + BEFORE + functions, "-Wno-unused-variable",
                     "-Wno-unused-but-set-variable", "-Wno-shadow")

    def test_parts_of_programs(self):
        parts = [code for _, code in snippets("c++")]
        self.assertGreater(len(parts), 5)
        for code in parts:
            if re.search(r"^[\w:<>,* ]+ \w+\([^;]*\) \{$", code, re.MULTILINE):  # a function begins a line
                self.compile(BEFORE + "#include <memory>\n#include <vector>\n" + code)
            else:
                self.compile(f"{BEFORE}{OF_PROGRAMS}void part({PROGRAM_PARAMETERS}) {{\n{code}}}\n", "-Wno-unused-variable",
                             "-Wno-unused-but-set-variable", "-Wno-shadow")


if __name__ == "__main__":
    unittest.main()
