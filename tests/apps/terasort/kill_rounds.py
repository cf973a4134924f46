#!/usr/bin/env python3
"""Sorts with spares, again and again, while ranks are killed by -9 at random times; each output is validated against the input.

  POLDER=build/release/bin/polder TERASORT=build/release/bin/terasort tests/apps/terasort/kill_rounds.py --rounds 200

As many of the ranks as there are spares are killed at most in a round, spares among them, at moments between the job's beginning and a little
more than an undisturbed run takes. Prints a line a round and what the deaths cost; the exit code is 1 if an output was wrong or missing. A round can be taken again by
its seed, not by its moments.
"""

import argparse
import glob
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "common"))
from end_to_end import PATIENCE, ranks_of, run  # noqa: E402


class Rounds:
    """A file that is sorted again and again, and what came of it."""

    def __init__(self, folder, records, members=4, spares=2):
        self.polder, self.terasort = os.environ["POLDER"], os.environ["TERASORT"]
        self.input, self.output = os.path.join(folder, "in"), os.path.join(folder, "out")
        self.folder, self.members, self.spares = folder, members, spares
        done = run(self.terasort, "generate", records, self.input)
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
        self.undisturbed = statistics.median(self.sort(()) for _ in range(3))

    def start(self, *words):
        command = [self.polder, "run", "-n", self.members, "--spares", self.spares, "--keep-going", self.terasort, "sort", self.input, self.output, *words]
        return subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def sort(self, deaths):
        """Seconds from the beginning of the job. `deaths` are pairs: a rank, and when it is killed. Raises what is wrong."""
        if os.path.exists(self.output):
            os.remove(self.output)
        with self.start("--no-progress") as job:
            try:
                first = job.stderr.readline()  # there is a job now: all ranks have come
                start = time.monotonic()
                ranks = ranks_of(job, self.terasort)
                killers = [threading.Timer(after, kill, (ranks[rank],)) for rank, after in deaths if rank < len(ranks)]
                for killer in killers:
                    killer.start()
                _, errors = job.communicate(timeout=PATIENCE)
                seconds = time.monotonic() - start
                for killer in killers:
                    killer.cancel()
                    killer.join()
            finally:
                job.kill()
        self.check(first + errors)
        return seconds

    def check(self, told):
        if not os.path.exists(self.output):
            raise RuntimeError(f"no output: {told}")
        checked = run(self.terasort, "validate", self.output, "--against", self.input)
        if checked.returncode != 0:
            raise RuntimeError(f"{checked.stdout}{checked.stderr}{told}")
        left = glob.glob(os.path.join(self.folder, ".*partial*"))
        if left:
            raise RuntimeError(f"left behind: {left}\n{told}")

    def draw(self, chance):
        """Who is killed in a round, and when."""
        ranks = chance.sample(range(self.members + self.spares), chance.randint(1, self.spares))
        return [(rank, chance.uniform(0, 1.1 * self.undisturbed)) for rank in ranks]


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass  # it has ended by itself


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--records", type=int, default=2_000_000)
    parser.add_argument("-n", "--members", type=int, default=4)
    parser.add_argument("--spares", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    wrong, seconds = 0, []
    with tempfile.TemporaryDirectory(prefix="terasort-rounds-") as folder:
        rounds = Rounds(folder, options.records, options.members, options.spares)
        for seed in range(options.seed, options.seed + options.rounds):
            deaths = rounds.draw(random.Random(seed))
            text = ", ".join(f"rank {rank} at {after:.3f} s" for rank, after in deaths)
            try:
                seconds.append(rounds.sort(deaths))
                print(f"{seed}: {text}: {seconds[-1]:.3f} s", flush=True)
            except (RuntimeError, subprocess.TimeoutExpired) as failure:
                wrong += 1
                print(f"{seed}: {text}: WRONG: {failure}", flush=True)
        print(f"{options.rounds} rounds, {wrong} wrong; undisturbed {rounds.undisturbed:.3f} s, median with deaths {statistics.median(seconds or [0]):.3f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
