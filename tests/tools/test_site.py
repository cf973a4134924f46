"""Tests of the built site: it is built without a warning, and its search works where it is opened as a file."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
PYTHON = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable

# A page that was opened as a file, as far as the search needs one; prints how many pages it finds for each word.
BROWSER = """
const fs = require("fs"), vm = require("vm");
const page = { EventTarget, MessageEvent: class extends Event { constructor(t, o) { super(t); this.data = o.data; } },
               setTimeout, Promise, console, document: { querySelector: () => null } };
page.window = page.self = page;
vm.runInNewContext(fs.readFileSync(process.argv[2], "utf8"), page);
page.__search.index.then(({ config, docs }) => {
  const worker = new page.Worker("never/read.js");
  const words = process.argv.slice(3);
  let ready = false;
  worker.addEventListener("message", ({ data }) => {
    if (ready) console.log(data.data.items.length);
    ready = true;
    if (words.length) worker.postMessage({ type: 2, data: words.shift() });
  });
  const options = { pipeline: ["trimmer", "stopWordFilter"], suggestions: false };
  worker.postMessage({ type: 0, data: { config: { ...config, lang: ["en"] }, docs, options } });
});
"""


@unittest.skipUnless(shutil.which("mkdocs"), "mkdocs is not installed (tools/setup docs)")
class SiteTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        source = os.path.join(cls.folder.name, "source")
        cls.site = os.path.join(cls.folder.name, "site")
        subprocess.run([PYTHON, os.path.join(ROOT, "tools", "api_reference.py"), source], check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["mkdocs", "build", "--quiet", "--strict", "--config-file", os.path.join(source, "mkdocs.yml"), "--site-dir",
                        cls.site], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def read(self, *path):
        with open(os.path.join(self.site, *path), encoding="utf-8") as file:
            return file.read()

    def test_pages_load_the_search_for_files(self):
        self.assertIn('src="search/file-search.js"', self.read("index.html"))
        self.assertIn('src="../search/file-search.js"', self.read("guide", "gaspi.html"))

    @unittest.skipUnless(shutil.which("node"), "there is no node to run the site's script with")
    def test_the_search_finds_pages_without_a_server(self):
        script = os.path.join(self.site, "search", "file-search.js")
        program = os.path.join(self.folder.name, "browser.js")
        with open(program, "w", encoding="utf-8") as file:
            file.write(BROWSER)
        done = subprocess.run(["node", program, script, "put_notify", "queue_size_max", "zxqvwz"], capture_output=True, text=True,
                              timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = [int(line) for line in done.stdout.split()]
        self.assertGreater(found[0], 0, done.stderr)
        self.assertGreater(found[1], 0)
        self.assertEqual(found[2], 0)

    def test_every_reference_is_in_the_navigation(self):
        index = self.read("index.html")
        for page in ("cli", "gaspi", "armci", "runtimes"):
            self.assertIn(f'href="reference/{page}.html"', index)

    def test_functions_have_anchors(self):
        self.assertIn('id="runtime-put_notify"', self.read("reference", "api", "runtime.html"))


if __name__ == "__main__":
    unittest.main()
