"""Cells of a table: one experiment with Polder beside the same with each peer, programs started in turn, again and again."""

import json
import statistics
import sys

from .process import Failure, run

PEERS = ("openmpi", "mpich", "gloo")


def measure(commands, turns, timeout, take=None):
    """(name, size, ranks) -> who -> setting -> ns of each turn; and what failed. `commands`: all of a turn, in order.

    `take(name, impl)` says under which name and for whom a line counts; as the program says, if left out.
    """
    found, failures = {}, []
    for _ in range(turns):
        for command in commands:
            try:
                add(found, command, run(command.words, timeout, command.environment), take)
            except Failure as failure:
                failures.append(str(failure))
                print(f"failed: {failure}", file=sys.stderr)
    return found, failures


def add(found, command, output, take=None):
    for line in output.splitlines():
        if not line.startswith('{"name"'):  # launchers talk, too
            continue
        one = json.loads(line)
        name, who = take(one["name"], command.impl) if take else (one["name"], command.impl)
        settings = found.setdefault((name, one["size"], one["ranks"]), {}).setdefault(who, {})
        settings.setdefault(command.setting, []).append(statistics.median(one["ns"]))


def cells(found):
    """One for each name, size and number of ranks: us of each, the better setting of an MPI, and the best peer's time over Polder's."""
    rows = []
    for (name, size, ranks), people in sorted(found.items()):
        us = {who: min(statistics.median(turns) for turns in settings.values()) / 1e3 for who, settings in people.items()}
        peers = [us[who] for who in PEERS if who in us]
        ratio = min(peers) / us["polder"] if peers and "polder" in us else None
        rows.append({"kind": name, "size": size, "ranks": ranks, "us": us, "ratio": ratio})
    return rows
