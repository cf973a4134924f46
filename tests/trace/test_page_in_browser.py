"""Opens the page of a report in a headless Chromium: it loads without an error, zooms, filters, sorts and sums up.

The page is copied with a script behind it that acts as a person would and writes down what it saw. Exit code 77, with a sentence, where there
is no Chromium.
"""

import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

POLDER = os.environ.get("POLDER", "")
MAKE_TRACE = os.environ.get("POLDER_MAKE_TRACE", "")
CHROMIUM = next((path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None)

PERSON = r"""
<script>
'use strict';
const seen = {};
function look(name, action) {
  try { seen[name] = action(); } catch (problem) { seen[name] = 'failed: ' + problem; }
}
const text = id => document.getElementById(id).textContent;
const rows = place => [...document.querySelectorAll(`#${place} tbody tr`)].map(row => row.textContent);
function type(selector, words) {
  const field = document.querySelector(selector);
  field.value = words;
  field.dispatchEvent(new Event('input', {bubbles: true}));
}
function colours() {
  const canvas = document.getElementById('timeline-canvas');
  const pixels = new Uint32Array(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer);
  return new Set(pixels).size;
}
look('mistakes', () => window.mistakes);
look('problem', () => document.getElementById('problem')?.textContent ?? null);
look('summary', () => text('summary'));
look('losses', () => [...document.querySelectorAll('#loss-list b')].map(loss => loss.textContent));
look('colours', colours);
look('whole', () => text('timeline-range'));
look('nearer', () => { for (let i = 0; i < 12; ++i) document.getElementById('zoom-in').click(); return text('timeline-range'); });
look('back', () => { document.getElementById('zoom-all').click(); return text('timeline-range'); });
look('wheel', () => {
  const canvas = document.getElementById('timeline-canvas');
  canvas.dispatchEvent(new WheelEvent('wheel', {deltaY: -1, clientX: 400, clientY: canvas.getBoundingClientRect().top + 5}));
  return text('timeline-range');
});
look('longest', () => { document.querySelector('#loss-list button').click(); return text('timeline-range'); });
look('two_ranks', () => { type('#rank-filter', '1-2'); return text('timeline-range'); });
look('calls', () => rows('call-table'));
look('searched', () => { type('#call-table input[type=search]', 'put'); return rows('call-table'); });
look('sorted', () => {
  type('#call-table input[type=search]', '');
  document.querySelector('#call-table th button').click();
  return rows('call-table').map(row => row.match(/^[a-z_]+/)[0]);
});
look('path', () => text('path-without'));
look('path_avoided', () => { document.querySelector('#path-table tbody input').click(); return text('path-without'); });
look('matrix', () => rows('matrix-table').length);
look('histogram', () => document.querySelectorAll('#size-histogram .histogram div').length);
look('curves', () => document.querySelectorAll('#counter-list svg circle').length);
look('counters', () => text('counter-list'));
// The rules for a printer, on the screen, on paper of 700 pixels. The last thing that is done: nothing is as before.
look('printed', () => {
  for (const sheet of document.styleSheets)
    for (const rule of sheet.cssRules)
      if (rule instanceof CSSMediaRule && rule.media.mediaText === 'print') rule.media.mediaText = 'all';
  const shown = selector => [...document.querySelectorAll(selector)].filter(element => element.getClientRects().length > 0).length;
  return {left_out: shown('nav a') + shown('button') + shown('input') + shown('#path-ticks'), losses: shown('#loss-list li'), tables: shown('table'),
          rows: shown('#call-table tbody tr'), canvases: shown('canvas'), cut: [...document.querySelectorAll('.scroll')]
              .filter(place => getComputedStyle(place).overflowX !== 'visible').length,
          wide: [...document.querySelectorAll('p, li, h2')].filter(element => element.scrollWidth > element.clientWidth + 1).length,
          headings: [...document.querySelectorAll('#call-table th')].map(heading => getComputedStyle(heading, '::before').content),
          many: [...document.querySelectorAll('#call-rank-table .scroll')].map(place =>
              [place.clientWidth, place.firstChild.getClientRects().length, place.firstChild.getClientRects()[0].width])[0],
          cut_lines: [...document.querySelectorAll('.on-paper')].map(place => place.textContent).filter(words => words !== ''),
          exact: getComputedStyle(document.querySelector('.meter i')).printColorAdjust};
});
look('outside', () => performance.getEntriesByType('resource').map(entry => entry.name));
document.body.prepend(Object.assign(document.createElement('pre'), {id: 'seen', textContent: JSON.stringify(seen)}));
</script>
"""

ERRORS = "<script>window.mistakes = []; window.onerror = message => { window.mistakes.push(message); };</script>"


def run(*command):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=100, check=True)


def browse(path, profile):
    """The document after its scripts ran. A browser on a machine that is busy may not come up: it is started anew then."""
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars",
               f"--user-data-dir={profile}", "--window-size=1200,900", "--dump-dom", "file://" + path]
    for _ in range(3):
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120, check=False)
        except subprocess.TimeoutExpired:
            continue
        if "<html" in done.stdout:
            return done.stdout
    return None


class PageInBrowser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        trace = os.path.join(cls.folder.name, "trace")
        run(MAKE_TRACE, "make", trace, "6", "20000")
        cls.said = run(POLDER, "trace", "report", trace).stdout
        with open(os.path.join(trace, "report.html"), encoding="utf-8") as file:
            page = file.read()
        page = page.replace("<head>", "<head>" + ERRORS, 1).replace("</body>", PERSON + "</body>", 1)
        path = os.path.join(cls.folder.name, "page.html")
        with open(path, "w", encoding="utf-8") as file:
            file.write(page)
        document = browse(path, os.path.join(cls.folder.name, "profile"))
        if document is None:
            print("skipped: Chromium is installed and does not start here")
            sys.exit(77)
        seen = re.search(r'<pre id="seen">(.*?)</pre>', document, re.S)
        cls.seen = json.loads(html.unescape(seen.group(1)))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_loads_without_an_error(self):
        self.assertEqual(self.seen["mistakes"], [])
        self.assertIsNone(self.seen["problem"])
        self.assertIn("6 ranks on 1 host", self.seen["summary"])
        self.assertEqual(self.seen["outside"], [])
        for name, value in self.seen.items():
            self.assertFalse(str(value).startswith("failed:"), f"{name}: {value}")

    def test_says_first_what_cost_most(self):
        self.assertIn("report.html: 6 ranks", self.said)
        self.assertIn("imbalance before a collective", self.seen["losses"])
        self.assertLessEqual(len(self.seen["losses"]), 5)

    def test_timeline_is_drawn_and_zooms(self):
        self.assertGreater(self.seen["colours"], 5)
        self.assertTrue(self.seen["whole"].startswith("0 ns to "))
        self.assertIn("6 rows", self.seen["whole"])
        self.assertNotIn(", 0 single calls", self.seen["nearer"])
        self.assertEqual(self.seen["back"], self.seen["whole"])
        views = [self.seen[view] for view in ("whole", "nearer", "wheel", "longest")]
        self.assertEqual(len(set(views)), 4, views)
        self.assertIn("2 rows", self.seen["two_ranks"])

    def test_tables_filter_and_sort(self):
        self.assertEqual(len(self.seen["calls"]), 9)
        self.assertEqual(len(self.seen["searched"]), 2)
        self.assertTrue(all("put" in row for row in self.seen["searched"]))
        self.assertEqual(self.seen["sorted"], sorted(self.seen["sorted"]))

    def test_what_the_run_would_take_without(self):
        self.assertIn("The run took", self.seen["path"])
        self.assertIn("the run would take at least", self.seen["path_avoided"])

    def test_matrix_and_histograms(self):
        self.assertEqual(self.seen["matrix"], 6)  # a ring
        self.assertGreater(self.seen["histogram"], 5)

    def test_a_printed_page_has_what_is_read_and_nothing_that_is_pressed(self):
        printed = self.seen["printed"]
        self.assertEqual(printed["left_out"], 0, printed)
        self.assertEqual(printed["losses"], len(self.seen["losses"]))
        self.assertGreaterEqual(printed["tables"], 4)
        self.assertEqual(printed["rows"], len(self.seen["calls"]))
        self.assertEqual(printed["canvases"], 2)
        self.assertEqual((printed["cut"], printed["wide"]), (0, 0))
        self.assertIn('"bytes"', printed["headings"])  # a button is left out where a heading is repeated on the next sheet
        place, columns, width = printed["many"]
        self.assertEqual(columns, 2)
        self.assertLessEqual(width, place / 2)
        self.assertEqual(printed["cut_lines"], ["The first 50 of 54 lines."], "on the screen; for a printer more is drawn")
        self.assertEqual(printed["exact"], "exact", "bars without their colours are empty boxes")

    def test_counters_of_the_program_over_time(self):
        self.assertTrue(self.seen["counters"].startswith("residual"), self.seen["counters"])
        self.assertIn("to 1,000,005", self.seen["counters"])
        self.assertGreater(self.seen["curves"], 3)


if __name__ == "__main__":
    if CHROMIUM is None:
        print("skipped: there is no Chromium here (Debian: chromium)")
        sys.exit(77)
    unittest.main()
