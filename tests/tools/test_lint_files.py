"""Tests of tools/lint with a made-up clang-tidy: it says what it did not look at."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest

LINT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "lint")


class LintTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = os.path.realpath(folder.name)
        os.makedirs(os.path.join(self.root, "tools"))
        shutil.copy(LINT, os.path.join(self.root, "tools"))
        for path in ("src/bell.cpp", "src/bell.hpp", "src/clock.cpp", "src/types.hpp", "bench/peer.cpp", "include/all.hpp"):
            self.write(path, "")
        compiled = [{"file": os.path.join(self.root, "src", name)} for name in ("bell.cpp", "clock.cpp")]
        self.write("build/dev/compile_commands.json", json.dumps(compiled, indent=1))
        self.log = self.write("log", "")
        tool = self.write("bin/clang-tidy-14", f'#!/bin/bash\nfor last; do true; done; echo "$last" >>{self.log}\n')
        os.chmod(tool, 0o755)
        for words in (("init", "-q"), ("add", "src", "bench", "include"), ("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "all")):
            subprocess.run(["git", *words], cwd=self.root, check=True)

    def write(self, path, text):
        path = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        return path

    def lint(self, *words):
        """(exit code, what it said, the sources that clang-tidy was given)."""
        self.write("log", "")
        environment = {**os.environ, "PATH": f"{self.root}/bin:{os.environ['PATH']}"}
        done = subprocess.run([os.path.join(self.root, "tools", "lint"), *words], env=environment, capture_output=True, text=True, timeout=60, check=False)
        with open(self.log, encoding="ascii") as file:
            return done.returncode, done.stdout + done.stderr, sorted(file.read().split())

    def test_a_file_that_is_not_there_or_not_compiled_is_no_success(self):
        for path in ("src/none.cpp", "bench/peer.cpp"):
            code, text, seen = self.lint(path)
            self.assertEqual((code, seen), (1, []))
            self.assertIn(path, text)

    def test_a_header_is_seen_through_the_sources_beside_it(self):
        self.assertEqual(self.lint("src/bell.hpp")[2], ["src/bell.cpp"])
        self.assertEqual(self.lint("src/types.hpp")[2], ["src/bell.cpp", "src/clock.cpp"])

    def test_changes_are_headers_too_and_the_rest_is_named(self):
        self.assertEqual(self.lint()[0], 0)
        self.write("src/bell.hpp", "// changed")
        self.write("include/all.hpp", "// changed")
        os.remove(os.path.join(self.root, "src/clock.cpp"))
        code, text, seen = self.lint()
        self.assertEqual((code, seen), (0, ["src/bell.cpp"]))
        self.assertIn("not looked at", text)
        self.assertIn("include/all.hpp", text)


if __name__ == "__main__":
    unittest.main()
