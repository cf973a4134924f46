"""Tests of tools/setup with made-up dpkg-query, apt-get, id and sudo: it installs what is missing, as root, and nothing else."""

import os
import pty
import subprocess
import tempfile
import unittest

SETUP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "setup")
# What the script itself needs of the system.
BORROWED = ("bash", "env", "dirname", "grep", "sed", "sort", "head", "tail", "mktemp", "rm", "cat", "sleep")


class SetupTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name
        self.bin = os.path.join(self.root, "bin")
        self.log = os.path.join(self.root, "log")
        os.makedirs(self.bin)
        for name in BORROWED:
            for place in ("/usr/bin", "/bin"):
                if os.path.exists(f"{place}/{name}"):
                    os.symlink(f"{place}/{name}", os.path.join(self.bin, name))
                    break
        self.program("cmake", "echo cmake version 3.25.1")
        self.program("id", "echo 0")
        self.program("apt-get", f'echo "apt-get $*" >>{self.log}')
        self.missing()

    def program(self, name, body):
        path = os.path.join(self.bin, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/bash\n{body}\n")
        os.chmod(path, 0o755)

    def missing(self, *packages):
        """All packages are installed but these."""
        skip = " ".join(f'[ "$p" = {package} ] ||' for package in packages)
        self.program("dpkg-query", f'shift 3; for p in "$@"; do {skip} echo "$p installed"; done')

    def run_setup(self, *groups, stdin=subprocess.DEVNULL, **environment):
        return subprocess.run([SETUP, *groups], env={"PATH": self.bin, **environment}, capture_output=True, text=True, timeout=30, check=False,
                              stdin=stdin)

    def calls(self):
        if not os.path.exists(self.log):
            return []
        with open(self.log, encoding="utf-8") as file:
            return file.read().splitlines()

    def test_nothing_missing_asks_for_nothing(self):
        self.program("id", "echo 1000")
        result = self.run_setup("all")
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
        self.assertEqual(self.calls(), [])

    def test_installs_only_what_is_missing_after_one_update(self):
        self.missing("ninja-build", "libgtest-dev", "doxygen")
        result = self.run_setup()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.calls(), ["apt-get update -q",
                                        "apt-get install -q -y --no-install-recommends ninja-build libgtest-dev"])

    def test_group_chooses(self):
        self.missing("mpich", "libgtest-dev")
        self.assertEqual(self.run_setup("bench").returncode, 0)
        self.assertTrue(self.calls()[-1].endswith(" mpich"))

    def test_half_installed_counts_as_missing(self):
        self.program("dpkg-query", 'shift 3; for p in "$@"; do echo "$p $([ "$p" = git ] && echo half-configured || echo installed)"; done')
        self.assertEqual(self.run_setup("test").returncode, 0)
        self.assertTrue(self.calls()[-1].endswith(" git"))

    def busy_apt(self, times, path):
        """An apt-get whose lock is held for so many calls."""
        self.program("apt-get", f"""echo "apt-get $*" >>{self.log}
[ $(grep -c . {self.log}) -gt {times} ] && exit
echo "E: Could not get lock {path}. It is held by process 7 (unattended-upgr)"; exit 100""")

    def test_waits_for_another_apt(self):
        self.missing("mpich")
        for path in ("/var/lib/apt/lists/lock", "/var/lib/dpkg/lock-frontend"):
            self.busy_apt(2, path)
            result = self.run_setup("bench")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(result.stdout.count("another apt is at work"), 1)
            self.assertEqual(self.calls()[:3], ["apt-get update -q"] * 3)
            os.remove(self.log)

    def test_does_not_wait_for_ever(self):
        self.missing("mpich")
        self.busy_apt(1000, "/var/lib/dpkg/lock")
        result = self.run_setup("bench", POLDER_APT_PATIENCE="1")
        self.assertEqual(result.returncode, 1)
        self.assertIn("held by process 7", result.stderr)

    def test_without_root_it_uses_sudo_and_does_not_wait_for_a_password(self):
        self.missing("mpich")
        self.program("id", "echo 1000")
        self.program("sudo", f'echo "sudo $*" >>{self.log}; [ "$1" = -n ] && shift; "$@"')
        self.assertEqual(self.run_setup("bench").returncode, 0)
        self.assertEqual(self.calls()[0], "sudo -n apt-get update -q")

    def test_at_a_terminal_sudo_may_ask(self):
        self.missing("mpich")
        self.program("id", "echo 1000")
        self.program("sudo", f'echo "sudo $*" >>{self.log}; "$@"')
        ours, terminal = pty.openpty()
        self.addCleanup(os.close, ours)
        self.addCleanup(os.close, terminal)
        self.assertEqual(self.run_setup("bench", stdin=terminal).returncode, 0)
        self.assertEqual(self.calls()[0], "sudo apt-get update -q")

    def test_without_root_and_sudo_it_says_what_to_do(self):
        self.missing("mpich")
        self.program("id", "echo 1000")
        result = self.run_setup("bench")
        self.assertEqual(result.returncode, 1)
        self.assertIn("as root, run: apt-get update && apt-get install mpich", result.stderr)

    def test_without_apt_it_names_what_is_needed(self):
        self.missing("mpich")
        os.remove(os.path.join(self.bin, "apt-get"))
        result = self.run_setup("bench")
        self.assertEqual(result.returncode, 1)
        self.assertIn("no apt-get", result.stderr)
        self.assertIn("mpich", result.stderr)

    def test_a_failed_installation_shows_why(self):
        self.missing("mpich")
        self.program("apt-get", "echo E: no room on the disk >&2; exit 100")
        result = self.run_setup("bench")
        self.assertEqual(result.returncode, 1)
        self.assertIn("no room on the disk", result.stderr)

    def test_unknown_group(self):
        result = self.run_setup("everything")
        self.assertEqual(result.returncode, 1)
        self.assertIn("unknown group 'everything'", result.stderr)


if __name__ == "__main__":
    unittest.main()
