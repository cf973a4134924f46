"""What the tests of whole programs share: commands with an end, and the ranks below a launcher."""

import os
import subprocess

PATIENCE = 120  # seconds that a command may take before it counts as hanging


def run(*words):
    """The finished command. Its exit code is never negative by chance: a hang is an error of the test."""
    return subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=PATIENCE, check=False)


def ranks_of(job, program):
    """Process ids. The launcher has other children, too, some of them short-lived."""

    def is_rank(pid):
        try:
            return os.path.samefile(f"/proc/{pid}/exe", program)
        except OSError:
            return False

    with open(f"/proc/{job.pid}/task/{job.pid}/children", encoding="ascii") as file:
        children = file.read().split()
    return [int(pid) for pid in children if is_rank(pid)]


def errors_of_ended(test, job, program):
    """Waits for a job that has to fail, sees that no rank is left behind, and returns what it wrote to standard error."""
    ranks = ranks_of(job, program)
    _, errors = job.communicate(timeout=PATIENCE)
    test.assertNotEqual(job.returncode, 0)
    for rank in ranks:
        test.assertFalse(os.path.exists(f"/proc/{rank}"), "a rank was left behind")
    return errors
