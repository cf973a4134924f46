"""The configurations that ship for Paraver find their events in the trace of a real GASPI job, and in one with regions of the user; the strict checker looks at the
trace meanwhile."""

import glob
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import check_paraver  # noqa: E402

POLDER, PROGRAM, MAKE_TRACE = (os.environ.get(name, "") for name in ("POLDER", "POLDER_GASPI_PROGRAM", "POLDER_MAKE_TRACE"))
CONFIGURATIONS = sorted(glob.glob(os.path.join(HERE, "../../share/polder/paraver/*.cfg")))
OF_USERS = "user_regions.cfg"


def run(*words, **environment):
    subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, timeout=100, check=True, env={**os.environ, **environment})


class ParaverOfAJob(unittest.TestCase):
    def defects(self, trace, configurations):
        stem = os.path.join(os.path.dirname(trace), "paraver")
        run(POLDER, "trace", "convert", trace, "--to", "paraver", "-o", stem + ".prv")
        found, counts = check_paraver.check(stem, configurations)
        self.assertGreater(counts["events"], 100)
        return found

    def test_calls_ranks_queues_notifications_and_sizes(self):
        wanted = [path for path in CONFIGURATIONS if not path.endswith(OF_USERS)]
        self.assertGreaterEqual(len(wanted), 9)
        with tempfile.TemporaryDirectory() as folder:
            trace = os.path.join(folder, "trace")
            run(POLDER, "run", "-n", "3", PROGRAM, POLDER_TRACE=trace)
            self.assertEqual(self.defects(trace, wanted), [])

    @unittest.skipIf(MAKE_TRACE == "", "benchmarks are not built")
    def test_regions_of_the_user(self):
        with tempfile.TemporaryDirectory() as folder:
            trace = os.path.join(folder, "trace")
            run(MAKE_TRACE, "make", trace, "3", "2000")
            self.assertEqual(self.defects(trace, [path for path in CONFIGURATIONS if path.endswith(OF_USERS)]), [])


if __name__ == "__main__":
    unittest.main()
