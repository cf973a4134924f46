"""Tests of tools/check_docs.py: what leads nowhere is found, what leads somewhere is not."""

import importlib.util
import os
import sys
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
spec = importlib.util.spec_from_file_location("check_docs", os.path.join(ROOT, "tools", "check_docs.py"))
check_docs = importlib.util.module_from_spec(spec)
sys.modules["check_docs"] = check_docs
spec.loader.exec_module(check_docs)


class CheckDocsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name
        self.write("mkdocs.yml", "nav:\n  - index.md\n  - guide/run.md\n")
        self.write("docs/index.md", "# Home\n\n[Run it](guide/run.md#two-words), [there](https://example.org)\n")
        self.write("docs/guide/run.md", "# Run\n\n## Two words\n\nSee `src/util/bell.{hpp,cpp}` and `polder run`.\n")
        self.write("src/util/bell.hpp", "")
        self.write("src/util/bell.cpp", "")
        self.write("src/README.md", "| `util` | bells |\n")

    def write(self, path, text):
        path = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def assert_found(self, *parts):
        found = list(check_docs.problems(self.root))
        self.assertEqual(len(found), 1, found)
        for part in parts:
            self.assertIn(part, found[0])

    def test_all_is_well(self):
        self.assertEqual(list(check_docs.problems(self.root)), [])

    def test_a_page_that_nobody_finds(self):
        self.write("docs/guide/lost.md", "# Lost\n")
        self.assert_found("docs/guide/lost.md", "navigation")

    def test_a_page_that_is_gone(self):
        os.remove(os.path.join(self.root, "docs/guide/run.md"))
        self.assertEqual(len(list(check_docs.problems(self.root))), 2)  # the navigation and the link

    def test_a_link_to_nowhere(self):
        self.write("README.md", "# Top\n\n[more](docs/more.md)\n")
        self.assert_found("README.md:3", "docs/more.md", "nowhere")

    def test_a_link_to_no_heading(self):
        self.write("README.md", "[home](docs/index.md#house)\n")
        self.assert_found("README.md:1", "names no heading")

    def test_links_in_code_are_none(self):
        self.write("README.md", "```\n[more](docs/more.md) `src/none.cpp`\n```\n")
        self.assertEqual(list(check_docs.problems(self.root)), [])

    def test_a_path_that_is_gone(self):
        os.remove(os.path.join(self.root, "src/util/bell.cpp"))
        self.assert_found("there is no src/util/bell.cpp")

    def test_a_folder_without_a_line_and_a_line_without_a_folder(self):
        self.write("src/trace/ring.hpp", "")
        self.assert_found("has no line for trace")
        self.write("src/README.md", "| `util` | bells |\n| `trace` | events |\n| `core/post` | none |\n")
        self.assert_found("there is no folder core/post")

    def test_variables_are_those_that_are_asked_for(self):
        self.write("CMakeLists.txt", "option(POLDER_BUILD_TESTS)")
        self.write("mkdocs.yml", "nav:\n  - index.md\n  - guide/run.md\n  - reference/variables.md\n")
        self.write("docs/reference/variables.md", "`POLDER_SPIN_US`, not `POLDER_BUILD_TESTS`, nor `POLDER_COLL_<KIND>`\n")
        self.write("src/util/bell.cpp", 'kSpin{"POLDER_SPIN_US"}; prefix = "POLDER_";')
        self.assertEqual(list(check_docs.problems(self.root)), [])
        self.write("src/util/bell.hpp", 'getenv("POLDER_LOG")')
        self.assert_found("docs/reference/variables.md", "does not have POLDER_LOG")
        self.write("src/util/bell.hpp", "")
        self.write("README.md", "Set `POLDER_SPINS`.\n")
        self.assert_found("README.md", "nothing knows POLDER_SPINS")

    def test_slips_in_all_names_are_noticed(self):
        self.write("CMakeLists.txt", "")
        self.write("mkdocs.yml", "nav:\n  - index.md\n  - guide/run.md\n  - reference/variables.md\n")
        self.write("docs/reference/variables.md", "`POLDER_SPIN_US`, `POLDER_TRACE`\n")
        self.write("src/README.md", "".join(f"| `{folder}` | it |\n" for folder in
                                            ("util", "core/engine", "device/shm", "bootstrap/gathered", "trace/record")))
        self.write("src/core/engine/options.cpp", 'kSpin{"POLDER_SPIN_US"};')
        for path in check_docs.OTHER_TABLES:
            self.write(path, 'kTrace{"POLDER_TRACE"};')
        self.assertEqual(list(check_docs.problems(self.root)), [])
        self.write("src/core/engine/options.cpp", "")
        self.write("src/util/bell.cpp", 'getenv("POLDER_SPIN_US")')
        self.assert_found("src/core/engine/options.cpp", "POLDER_SPIN_US")

    def test_the_reference_leads_to_each_header(self):
        self.write("mkdocs.yml", "nav:\n  - index.md\n  - guide/run.md\n  - reference/index.md\n")
        self.write("docs/reference/index.md", "[`group.hpp`](api/group.md)\n")
        self.write("include/polder/group.hpp", "")
        self.write("include/polder/export.hpp", "")
        self.assertEqual(list(check_docs.problems(self.root)), [])
        self.write("include/polder/queue.hpp", "")
        self.assert_found("docs/reference/index.md", "queue.hpp")

    def test_a_tour_names_what_is_there(self):
        self.write("docs/design/tour.md", "| file | functions |\n|---|---|\n| `src/util/bell.hpp` | `Bell::ring()`, then `wake` |\n")
        self.write("mkdocs.yml", "nav:\n  - index.md\n  - guide/run.md\n  - design/tour.md\n")
        self.write("src/util/bell.hpp", "class Bell { void ring(); void wake(); };")
        self.assertEqual(list(check_docs.problems(self.root)), [])
        self.write("src/util/bell.hpp", "class Bell { void ring(); };")
        self.assert_found("docs/design/tour.md:3", "wake")

    def test_results_are_medians_of_commits(self):
        self.write("bench/results/a.json", '{"machine": {"commit": "abcdef0"}, "settings": {"turns": 3}, "measurements": [{"ns": 5}]}')
        self.write("bench/results/b.json", '{"machine": "some", "commit": "abcdef0", "cells": [{"ns": 5}]}')
        self.assertEqual(list(check_docs.problems(self.root)), [])
        for name in ("turns", "all_s", "all_deaths", "few", "ns"):
            self.write("bench/results/a.json", f'{{"commit": "abcdef0", "measurements": [{{"{name}": [5, 6]}}]}}')
            self.assert_found("bench/results/a.json", name)
        self.write("bench/results/a.json", '{"commit": "abcdef0", "all_s": {"undisturbed": [5, 6]}}')
        self.assert_found("bench/results/a.json", "all_s")

    def test_results_say_which_commit_they_are_of(self):
        for text, found in (('{"machine": {"commit": "abc0000+changes"}}', "abc0000+changes"), ('{"commit": "abc0000+changes"}', "abc0000+changes"),
                            ('{"machine": {"commit": "unknown"}}', "unknown"), ('{"cells": []}', "nothing"), ('[{"ns": 5}]', "nothing")):
            self.write("bench/results/a.json", text)
            self.assert_found("bench/results/a.json", found)

    def test_the_project_itself(self):
        self.assertEqual(list(check_docs.problems(os.path.abspath(ROOT))), [])


if __name__ == "__main__":
    unittest.main()
