"""`polder info`: what it lists is what there is."""

import os
import re
import subprocess
import unittest

POLDER = os.environ["POLDER_PROGRAM"]
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def info(*words):
    done = subprocess.run([POLDER, "info", *words], text=True, capture_output=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


class InfoTest(unittest.TestCase):
    def test_options_are_all_of_the_reference(self):
        with open(os.path.join(ROOT, "docs", "reference", "variables.md"), encoding="utf-8") as file:
            text = file.read()
        first = re.findall(r"^\| (`POLDER_[^|]*)\|", text, re.M)  # the first cell of each row
        wanted = {name for cell in first for name in re.findall(r"POLDER_[A-Z_]*[A-Z]\b(?!<)", cell)}
        table = info("collectives")
        kinds = {line.split()[0] for line in table.splitlines()[1:] if line.strip() and not line.lstrip().startswith("#")}
        self.assertIn("reduce_scatter", kinds)
        wanted |= {f"POLDER_COLL_{kind.upper()}" for kind in kinds}
        shown = info("options")
        listed = set(re.findall(r"^    (POLDER_[A-Z_]+) ", shown, re.M))
        for network in ("UCX", "OFI", "TCP"):
            if f"device/{network.lower()}" not in shown:
                wanted = {name for name in wanted if not name.startswith(f"POLDER_{network}_")}
        self.assertEqual(wanted - listed, set())
        self.assertEqual(listed - wanted, set())

    def test_devices_are_those_that_the_option_takes(self):
        listed = re.findall(r"^  (\S+)  ", info("devices"), re.M)
        self.assertEqual(listed, ["auto", "shm", "tcp", "ucx", "ofi", "mixed", "NAME"])
        waiter = os.environ["POLDER_WAITER"]
        for device in listed[:-1]:
            done = subprocess.run([POLDER, "run", "-n", "1", "--device", device, waiter, "barrier"], text=True, capture_output=True,
                                  timeout=120, check=False)
            self.assertNotIn("there is no device", done.stderr)


if __name__ == "__main__":
    unittest.main()
