"""`make demo` compiles many files of a folder at once, so that two of them must not use one name for two things in their anonymous
namespaces. The ordinary build cannot tell; here the compiler reads the demo's units, without making code of them."""
import json
import os
import shlex
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CMAKE = sys.argv.pop(1) if len(sys.argv) > 1 else "cmake"


def run(command, **options):
    return subprocess.run(command, capture_output=True, text=True, **options)


def read(unit):
    """What the compiler has to say against it."""
    return run(shlex.split(unit["command"]) + ["-fsyntax-only"], cwd=unit["directory"]).stderr


class DemoBuild(unittest.TestCase):
    def test_every_unit_is_right(self):
        with tempfile.TemporaryDirectory() as folder:
            configured = run([CMAKE, "--preset", "demo", "-B", folder], cwd=ROOT)
            self.assertEqual(configured.returncode, 0, configured.stdout + configured.stderr)
            commands = json.loads(Path(folder, "compile_commands.json").read_text())
            units = [command for command in commands if needed(command["file"], folder)]
            self.assertGreater(len(units), 15)
            with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
                for unit, complaints in zip(units, pool.map(read, units)):
                    if complaints:
                        self.fail(complaints)


def needed(file, folder):
    """Whether it is one of many files that polder or terasort is made of."""
    place = os.path.relpath(file, folder)
    parts = ("src/", "cli/", "apps/common/", "apps/terasort/")
    plug_ins = ("/tcp/", "/ucx/", "/ofi/", "/wire/", "/pmix/", "/armci/")
    return "/Unity/" in place and place.startswith(parts) and not any(plug_in in place for plug_in in plug_ins)


if __name__ == "__main__":
    unittest.main()
