"""Tests of CMakePresets.json: tests that nobody built, or that no longer have the name asked for, are no success."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest

PRESETS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "CMakePresets.json")


class PresetsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name
        shutil.copy(PRESETS, self.root)

    def run_tests(self, preset, tests, *words):
        build = os.path.join(self.root, "build", preset)
        os.makedirs(build, exist_ok=True)
        with open(os.path.join(build, "CTestTestfile.cmake"), "w", encoding="ascii") as file:
            file.write(tests)
        return subprocess.run(["ctest", "--preset", preset, *words], cwd=self.root, capture_output=True, timeout=60, check=False).returncode

    def test_no_tests_are_no_success(self):
        with open(PRESETS, encoding="utf-8") as file:
            presets = [preset["name"] for preset in json.load(file)["testPresets"]]
        for preset in presets:
            with self.subTest(preset):
                self.assertNotEqual(self.run_tests(preset, ""), 0)
                self.assertNotEqual(self.run_tests(preset, 'add_test(some "true")\n', "-R", "Seeds"), 0)
                self.assertEqual(self.run_tests(preset, 'add_test(some "true")\n'), 0)


if __name__ == "__main__":
    unittest.main()
