#!/usr/bin/env python3
"""Every kind of collective at every size and number of ranks, beside Open MPI and MPICH at the best of their settings.

The programs are those of `polder bench collectives` (bench-micro, bench-mpi-*), started in turn, again and again; medians of turns count. A ratio is
the better MPI's time over Polder's, over private memory as MPI has it; vectors in segments stand beside it.
"""

import argparse
import json
import os
import statistics
import sys

FOLDER = os.path.dirname(os.path.realpath(__file__))
sys.dont_write_bytecode = True
# Beside polder-bench in a build tree or an installation, beside the driver in the source tree.
sys.path[:0] = [FOLDER, os.path.join(FOLDER, "driver")]

from polder_bench.process import Failure, run  # noqa: E402
from polder_bench.programs import Programs, cores  # noqa: E402
from polder_bench.results import write_document  # noqa: E402

SIZES = [8, 1 << 10, 8 << 10, 64 << 10, 512 << 10, 1 << 20, 8 << 20, 64 << 20]
RANKS = [2, 3, 4, 5, 8, 16]
LOWEST = 0.9  # of the better MPI's speed, in any cell


def main():
    options = parse()
    programs = Programs(options.programs, options.polder, options.device)
    found, failures = measure(programs, options)
    document = {"cores": cores(), "turns": options.turns, "cells": cells(found), "failures": failures}
    print(table(document))
    if options.json:
        write_document(options.json, document)
    return 1 if failures else 0


def numbers(text):
    return [int(word) for word in text.split(",") if word]


def parse():
    parser = argparse.ArgumentParser(prog="bench/collectives.py", description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--sizes", type=numbers, help=f"bytes (default: {SIZES}; 8,65536,1048576 if quick)")
    parser.add_argument("-n", "--ranks", type=numbers, help=f"default: {RANKS}; 2,4,8 if quick")
    parser.add_argument("--turns", type=int, help="default: 3; 1 if quick")
    parser.add_argument("--sample-ms", type=int, help="that a sample fills (default: 10; 2 if quick)")
    parser.add_argument("--quick", action="store_true", help="some sizes and ranks, for a moment each")
    parser.add_argument("--timeout", type=float, default=1800, help="seconds that one run of a program may take")
    parser.add_argument("--json", help="write the result here")
    parser.add_argument("--programs", default=FOLDER, help="the folder of polder-bench")
    parser.add_argument("--polder", default="")
    parser.add_argument("--device", default="", help="of Polder")
    options = parser.parse_args()
    options.sizes = options.sizes or ([8, 64 << 10, 1 << 20] if options.quick else SIZES)
    options.ranks = options.ranks or ([2, 4, 8] if options.quick else RANKS)
    options.turns = options.turns or (1 if options.quick else 3)
    options.sample_ms = options.sample_ms or (2 if options.quick else 10)
    return options


def measure(programs, options):
    """(kind, size, ranks) -> who -> ns of each turn; and what failed."""
    found, failures = {}, []
    words = ["collectives", "--sizes", ",".join(map(str, sorted(options.sizes))), "--sample-ms", str(options.sample_ms)]
    for _ in range(options.turns):
        for ranks in options.ranks:
            commands = [programs.micro(ranks, *words)]
            for peer in programs.peers():
                commands += programs.mpi(peer, ranks, *words)
            for command in commands:
                try:
                    take(found, command, run(command.words, options.timeout, command.environment))
                except Failure as failure:
                    failures.append(str(failure))
                    print(f"failed: {failure}", file=sys.stderr)
    return found, failures


def take(found, command, output):
    for line in output.splitlines():
        one = json.loads(line)
        kind, who = one["name"].removeprefix("coll_"), command.impl
        if kind.endswith("_segment"):
            kind, who = kind.removesuffix("_segment"), "segment"
        key = (kind, one["size"], one["ranks"])
        settings = found.setdefault(key, {}).setdefault(who, {})
        settings.setdefault(command.setting, []).append(statistics.median(one["ns"]))


def cells(found):
    """One for each kind, size and number of ranks: us of each, the better setting of an MPI, and the ratio."""
    rows = []
    for (kind, size, ranks), people in sorted(found.items()):
        us = {who: min(statistics.median(turns) for turns in settings.values()) / 1e3 for who, settings in people.items()}
        peers = [us[who] for who in ("openmpi", "mpich") if who in us]
        ratio = min(peers) / us["polder"] if peers and "polder" in us else None
        rows.append({"kind": kind, "size": size, "ranks": ranks, "us": us, "ratio": ratio})
    return rows


def table(document):
    lines = [f"collectives: us, medians of {document['turns']} turns; {document['cores']} cores; ratio: the better MPI over Polder",
             "kind               bytes  ranks     polder    segment    openmpi      mpich   ratio"]
    for cell in document["cells"]:
        times = " ".join(f"{cell['us'][who]:10.2f}" if who in cell["us"] else f"{'-':>10}"
                         for who in ("polder", "segment", "openmpi", "mpich"))
        ratio = f"{cell['ratio']:7.2f}" if cell["ratio"] else f"{'-':>7}"
        lines.append(f"{cell['kind']:14} {cell['size']:9} {cell['ranks']:6} {times} {ratio}"
                     + (f"  NOT met ({LOWEST})" if cell["ratio"] and cell["ratio"] < LOWEST else ""))
    ratios = [cell["ratio"] for cell in document["cells"] if cell["ratio"]]
    if ratios:
        lines.append(f"{sum(ratio >= 1 for ratio in ratios)} of {len(ratios)} cells ahead of both MPIs, "
                     f"{sum(ratio < LOWEST for ratio in ratios)} below {LOWEST}")
    return "\n".join(lines + [f"failed: {failure}" for failure in document["failures"]])


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as failure:
        sys.exit(f"collectives: {failure}")
    except KeyboardInterrupt:
        sys.exit(130)
