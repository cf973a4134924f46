"""Tests of tools/api_reference.py: what of a header reaches the page, and what does not."""

import importlib.util
import os
import sys
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
spec = importlib.util.spec_from_file_location("api_reference", os.path.join(ROOT, "tools", "api_reference.py"))
api_reference = importlib.util.module_from_spec(spec)
sys.modules["api_reference"] = api_reference
spec.loader.exec_module(api_reference)

HEADER = """// Bells and whistles.
//
//   Bell bell;
//   bell.ring();
#pragma once

namespace polder {

namespace core {
class Secret;
}

// How loud, in decibel.
enum class Volume : int {
  low,
  high,  // for outdoors
};

// Thread safe.
class POLDER_API Bell {
 public:
  void ring();  // never waits

 private:
  int count_ = 0;
};

// Returns the *louder* one.
constexpr Volume louder(Volume a, Volume b) {
  return a > b ? a : b;
}

using Tone = int;  // in Hertz
inline constexpr Tone kDeepest = 20;

}  // namespace polder
"""


class PageTest(unittest.TestCase):
    def setUp(self):
        self.page = api_reference.page("polder/bell.hpp", HEADER)

    def test_prose_and_its_code(self):
        self.assertIn("# polder/bell.hpp\n", self.page)
        self.assertIn("Bells and whistles.", self.page)
        self.assertIn("```cpp\nBell bell;\nbell.ring();\n```", self.page)

    def test_a_heading_for_each_declaration(self):
        titles = [line[3:] for line in self.page.split("\n") if line.startswith("## ")]
        self.assertEqual(titles, ["enum class Volume", "class Bell", "louder", "Tone"])

    def test_comments_stay_with_their_declaration(self):
        self.assertIn("## class Bell\n\nThread safe.\n\n#### `ring` {#bell-ring}\n\n```cpp\nvoid ring();  // never waits\n", self.page)
        self.assertIn("high,  // for outdoors", self.page)
        self.assertIn("Returns the \\*louder\\* one.", self.page)

    def test_one_liners_in_a_row_stay_together(self):
        self.assertIn("using Tone = int;  // in Hertz\ninline constexpr Tone kDeepest = 20;", self.page)

    def test_what_is_private_stays_private(self):
        for word in ("count_", "Secret", "POLDER_API", "private"):
            self.assertNotIn(word, self.page)


CLASS = """// Doors.
#pragma once

namespace polder {

// A door.
class POLDER_API Door {
 public:
  // ---- opening ----
  // Opens it.
  Status open(Rank rank, const std::string& the_name_of_whoever_asks, Timeout timeout = Timeout::block(), Post post = {});
  Status open();
  bool is_open() const { return open_; }  // at this moment
  // Closes it.
  template <class T>
  Result<T> close(T value) {
    return value;
  }
  Door(const Door&) = delete;

 private:
  bool open_ = false;
};

}  // namespace polder
"""


class MembersTest(unittest.TestCase):
    def setUp(self):
        self.page = api_reference.page("polder/door.hpp", CLASS)

    def test_each_function_has_a_heading_with_an_anchor(self):
        for heading in ("#### `open` {#door-open}", "#### `is_open` {#door-is_open}", "#### `close` {#door-close}"):
            self.assertIn(heading, self.page)
        self.assertEqual(self.page.count("{#"), 3)

    def test_its_comment_is_prose_and_its_body_stays_in_the_header(self):
        self.assertIn("```\n\nOpens it.", self.page)
        self.assertIn("template <class T> Result<T> close(T value);", self.page)
        self.assertIn("bool is_open() const;  // at this moment", self.page)
        self.assertNotIn("return", self.page)
        self.assertNotIn("delete", self.page)
        self.assertNotIn("open_ =", self.page)

    def test_sections_and_short_lines(self):
        self.assertIn("### Door: opening", self.page)
        self.assertLess(max(len(line) for line in self.page.split("\n")), 90)

    def test_no_line_of_a_declaration_of_the_project_is_too_wide(self):
        folder = os.path.join(ROOT, "include", "polder")
        for header in api_reference.headers(ROOT) + ["trace.h"]:
            with open(os.path.join(folder, header), encoding="utf-8") as file:
                for block in api_reference.page(header, file.read()).split("#### ")[1:]:
                    for line in block.split("```")[1].split("\n"):
                        self.assertLessEqual(len(line.split("  //")[0]), 100, header)


class AssembleTest(unittest.TestCase):
    def test_every_header_of_the_project_has_a_page_in_the_navigation(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = os.path.join(folder, "site")
            count = api_reference.assemble(ROOT, folder)
            with open(os.path.join(folder, "mkdocs.yml"), encoding="utf-8") as file:
                nav = file.read()
            pages = os.listdir(os.path.join(folder, "docs", "reference", "api"))
        self.assertEqual(len(pages), count)
        self.assertIn("runtime.md", pages)
        for page in pages:
            self.assertIn(f"reference/api/{page}", nav)
        self.assertNotIn(api_reference.NAV_MARK, nav)


if __name__ == "__main__":
    unittest.main()
