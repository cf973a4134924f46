"""Which failed tests .ci/second_attempt repeats."""
import os
import pathlib
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).parents[2] / ".ci" / "second_attempt"


class SecondAttempt(unittest.TestCase):
    def setUp(self):
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.build = pathlib.Path(kept.name)
        (self.build / "Testing" / "Temporary").mkdir(parents=True)

    def attempt(self, failed, code=0):
        """The result with these names in ctest's list, and a ctest that ends with `code`."""
        log = self.build / "Testing" / "Temporary" / "LastTestsFailed.log"
        log.write_text("".join(f"{number}:{name}\n" for number, name in enumerate(failed, 1)))
        ctest = self.build / "ctest"
        ctest.write_text(f'#!/bin/sh\necho "repeated: $*"\nexit {code}\n')
        ctest.chmod(0o755)
        path = f"{self.build}:{os.environ['PATH']}"
        return subprocess.run([SCRIPT, self.build], env={**os.environ, "PATH": path}, capture_output=True, text=True)

    def test_a_few_are_repeated_alone_and_named(self):
        result = self.attempt(["hosts/faults", "device_ucx/Silence"])
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertIn("--rerun-failed -j 1", result.stdout)
        self.assertIn("look into:\nhosts/faults\ndevice_ucx/Silence", result.stdout)

    def test_what_fails_again_has_failed(self):
        self.assertNotEqual(self.attempt(["hosts/faults"], code=8).returncode, 0)

    def test_nothing_else_is_repeated(self):
        for failed in ([], ["a", "b", "c", "d"], ["coll/Worlds/Barrier/direct_virtual_4"], ["fault_agree/AgreeSeeds.Hold"]):
            result = self.attempt(failed)
            self.assertEqual(result.returncode, 1, failed)
            self.assertNotIn("repeated: ", result.stdout)


if __name__ == "__main__":
    unittest.main()
