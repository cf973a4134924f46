"""What tools/nwchem/build does again after it was stopped; with made-up tools, none of which builds anything."""

import os
import pathlib
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).parents[2] / "tools" / "nwchem" / "build"


class Fetching(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.bin = pathlib.Path(scratch.name, "bin")
        self.folder = pathlib.Path(scratch.name, "folder")
        self.bin.mkdir()
        for tool in ("mpicc.openmpi", "mpifort.openmpi", "gfortran", "make", "perl", "csh", "patch", "tar", "nm", "polder"):
            self.tool(tool, "exit 0")

    def tool(self, name, body):
        path = self.bin / name
        path.write_text(f"#!/bin/bash\n{body}\n")
        path.chmod(0o755)

    def fetches(self, apt):
        """How often a run asks for the source, where apt-get does this."""
        calls = self.bin / "calls"
        calls.write_text("")
        self.tool("apt-get", f'[[ " $* " != *" source "* ]] || {{ echo source >>{calls}; {apt}; }}')
        path = f"{self.bin}:{os.environ['PATH']}"
        subprocess.run([SCRIPT, self.folder, "openmpi", self.bin / "polder"], env={**os.environ, "PATH": path}, capture_output=True, timeout=60,
                       check=False)
        return len(calls.read_text().split())

    def test_a_download_that_was_interrupted_is_gone_on_with(self):
        self.assertEqual(self.fetches("echo half >nwchem_7.orig.tar.gz; exit 100"), 1)
        self.assertEqual(self.fetches("echo whole >nwchem_7.orig.tar.gz"), 1)
        self.assertEqual(self.fetches("exit 0"), 0)


if __name__ == "__main__":
    unittest.main()
