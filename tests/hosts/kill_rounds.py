#!/usr/bin/env python3
"""Jobs on three hosts of tools/testnet, two ranks on each, in which processes end by SIGKILL: what lives must have the answer of an
undisturbed run, and no process may be left behind.

  tests/hosts/kill_rounds.py build/dev checkpoints 100
  tests/hosts/kill_rounds.py build/dev gpi_cp 100 --seed 7 --network ofi

`checkpoints` are working sets of four members and two spares, of which one or two processes die at some step of the work, of a checkpoint
or of the making of the next set, or both of one host at once. `gpi_cp` are programs in C with 3 to 5 members, one or two of which die while they compute, have started or
commit, or one of which dies and then the one that joins for it. Open MPI starts them, because Slurm ends a step that has lost a process. test_killed.py plays a few rounds of each."""

import argparse
import os
import random
import re
import sys
import threading
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path[:0] = [HERE, os.path.join(HERE, "..", "ckpt")]
from set_deaths import AFTER_A_DEATH, MEMBERS, SPARES, STEPS, kills_of  # noqa: E402

PER_HOST = 2
HOSTS = 3
PATIENCE = 150  # seconds that a round may take
GIVEN_UP = "peer failed: rank {} was given up by the others of its group"
NO_SPARE = r"peer failed: working set: of \d+ members ranks? ([\d, ]+) (?:are|is) gone, and no spare is left for each"
SPECIAL = 5  # each so manieth round is one of those that hurt most


class Wrong(Exception):
    """What a round came to."""


class Rounds:
    """Plays jobs on a testnet."""

    def __init__(self, net, network="tcp"):
        import hosts  # reads POLDER_BUILD

        self.hosts, self.net, self.network = hosts, net, network
        self.launcher = hosts.OpenMpi(net)

    def checkpoints(self, turn, seed=1):
        """Returns what happened, in words."""
        draw = random.Random(f"{seed}/{turn}")
        kills = kills_of(turn, draw)
        if turn % SPECIAL == SPECIAL - 1:
            host, step = draw.randrange(HOSTS), draw.choice(STEPS[AFTER_A_DEATH:])
            kills = [f"{rank}:{draw.randrange(2)}:{step}" for rank in range(host * PER_HOST, (host + 1) * PER_HOST)]
        told = self.play("killed_ranks", kills, draw, lambda lines: len(lines) == MEMBERS + SPARES, r"^rank \d+(: | ends)", {"POLDER_SPARES": str(SPARES)})
        dead = set(re.findall(r"^rank (\d+) ends", told, re.MULTILINE))
        lives = {rank: how for rank, how in re.findall(r"^rank (\d+): (.*)$", told, re.MULTILINE) if rank not in dead}
        late = {rank for rank, how in lives.items() if how == GIVEN_UP.format(rank)}
        self.check_outcome({how for rank, how in lives.items() if rank not in late}, dead, late, told)
        right = list(lives.values()).count("right")
        if len(lives) + len(dead) != MEMBERS + SPARES or right > MEMBERS or (right and right < MEMBERS - len(dead)):
            raise Wrong(f"{right} parts of {MEMBERS}:\n{told}")
        return f"{', '.join(kills)}; {len(dead)} died" + (f", {len(late)} were slow and given up" if late else "")

    @staticmethod
    def check_outcome(outcomes, dead, late, told):
        """All that live have the same: the answer; or, where a machine is so slow that some were taken for dead and no spare is left, the end, with
        the names of those that are gone."""
        if outcomes <= {"right", "spare"} and outcomes != {"spare"}:
            return
        gone = re.fullmatch(NO_SPARE, next(iter(outcomes))) if late and len(outcomes) == 1 else None
        if not gone or not set(gone[1].split(", ")) <= dead | late:
            raise Wrong(f"not all that lived ended well:\n{told}")

    def gpi_cp(self, turn, seed=1):
        """Likewise."""
        draw = random.Random(f"{seed}/{turn}")
        deaths = [f"{draw.choice(('computing', 'started', 'committing'))}@{draw.randint(1, 11)}" for _ in range(draw.randint(1, 2))]
        members = HOSTS * PER_HOST - len(deaths) - draw.randrange(2)
        if turn % SPECIAL == SPECIAL - 1:  # the one that joins dies while all restore, and another one joins
            deaths, members = [deaths[0], "restoring@0"], HOSTS * PER_HOST - 2
        spares = HOSTS * PER_HOST - members
        told = self.play("test_gpi_cp_recovers", [spares, *deaths], draw, lambda lines: len(lines) == members, r"^place \d+ is done", {"TWO_MIRRORS": "1"})
        places = sorted(int(place) for place in re.findall(r"^place (\d+) is done", told, re.MULTILINE))
        died = len(re.findall(r"^rank \d+ ends", told, re.MULTILINE))
        if places != list(range(members)) or died != len(deaths):
            raise Wrong(f"{len(deaths)} were to die, {died} did, and of {members} places these are done: {places}\n{told}")
        return f"{members} members: {', '.join(deaths)}; {died} died"

    def play(self, name, words, draw, is_end, counted, environment):
        """What the job wrote, up to its end. mpirun waits for lost processes for ever, so the end is when all have spoken and are gone."""
        program = os.path.join(self.hosts.BUILD, "tests", "bin", name)
        order = draw.sample(self.net.hosts, HOSTS)
        environment = {**environment, "POLDER_NETWORK": self.network}
        job = self.launcher.start(order, PER_HOST, program, *words, environment=environment, survive=True)
        watch = threading.Timer(PATIENCE, job.terminate)
        watch.start()
        lines, found = [], []
        try:
            for line in job.stdout:
                lines.append(line)
                found += [line] if re.search(counted, line) else []
                if is_end(found):
                    break
            else:
                errors = job.stderr.read()
                raise Wrong(f"it ended after {PATIENCE} s at most, and not all have spoken:\n{''.join(lines)}{errors}")
            self.await_end(program)
        finally:
            watch.cancel()
            self.hosts.end(job)
        return "".join(lines)

    def await_end(self, program):
        end = time.monotonic() + PATIENCE
        for host in self.net.hosts:
            while self.net.run(host, "pgrep", "-f", f"^{program} ").code == 0:
                if time.monotonic() > end:
                    raise Wrong(f"a process is left on {host}")
                time.sleep(0.05)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("build", help="a build tree, in which all is built")
    parser.add_argument("what", choices=("checkpoints", "gpi_cp"))
    parser.add_argument("rounds", type=int)
    parser.add_argument("--first", type=int, default=0, help="round, to go on where another run ended")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--network", choices=("tcp", "ucx", "ofi"), default="tcp")
    options = parser.parse_args()
    os.environ["POLDER_BUILD"] = os.path.abspath(options.build)
    import hosts

    try:
        net = hosts.Net(HOSTS)
        rounds = Rounds(net, options.network)
    except unittest.SkipTest as reason:
        sys.exit(f"kill_rounds: {reason}")
    wrong = 0
    try:
        for turn in range(options.first, options.first + options.rounds):
            start = time.monotonic()
            try:
                what = getattr(rounds, options.what)(turn, options.seed)
            except Wrong as failure:
                wrong, what = wrong + 1, f"WRONG: {failure}"
            print(f"{turn}: {what} ({time.monotonic() - start:.1f} s)", flush=True)
    finally:
        net.end()
    print(f"{options.rounds} rounds of {options.what} between hosts, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
