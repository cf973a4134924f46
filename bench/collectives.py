#!/usr/bin/env python3
"""Every kind of collective at every size and number of ranks, beside Open MPI and MPICH at the best of their settings, and Gloo.

The programs are those of `polder bench collectives` (bench-micro, bench-mpi-*) and bench-gloo, started in turn, again and again; medians of turns
count. A ratio is the best of the others' time over Polder's, over private memory as they have it; vectors in segments stand beside it.
Between hosts (--hosts) this program runs on the first; Gloo is measured within a machine only.

The whole grid takes hours. --minutes M --json FILE spends M minutes on it and joins what FILE has from before, of the same build,
device and kinds: call it again and again. What has the fewest turns comes first, and of that what is worst.

With --tuned FOLDER each number of ranks takes the table that `polder tune` finds among them there, as the MPIs have the better of their
settings. FOLDER is one that all hosts see; a table that lies in it from before is taken as it is.
"""

import argparse
import os
import sys

FOLDER = os.path.dirname(os.path.realpath(__file__))
sys.dont_write_bytecode = True
# Beside polder-bench in a build tree or an installation, beside the driver in the source tree.
sys.path[:0] = [FOLDER, os.path.join(FOLDER, "driver")]

from polder_bench import beside, kept_grid  # noqa: E402
from polder_bench.hosts import HostPrograms  # noqa: E402
from polder_bench.machine import describe  # noqa: E402
from polder_bench.pieces import Pieces  # noqa: E402
from polder_bench.process import run  # noqa: E402
from polder_bench.programs import PEERS, Programs, cores  # noqa: E402
from polder_bench.results import write_document  # noqa: E402
from polder_bench.study import run_as_program  # noqa: E402
from polder_bench.words import positive_count, positive_seconds, result_file  # noqa: E402

SIZES = [8, 1 << 10, 8 << 10, 64 << 10, 512 << 10, 1 << 20, 8 << 20, 64 << 20]
RANKS = [2, 3, 4, 5, 8, 16]
LOWEST = 0.9  # of the best peer's speed, in any cell
TUNING = 60  # seconds that `polder tune` measures
TUNED = ("barrier", "broadcast", "reduce", "allreduce", "reduce_scatter", "allgather", "gather", "scatter", "alltoall", "scan", "exscan",
         "neighbours")


def main():
    options = parse()
    programs = Programs(options.programs, options.polder, options.device)
    if options.hosts:
        programs = HostPrograms(options.programs, options.polder, options.device or "tcp", PEERS, options.hosts, options.agent,
                                in_blocks=options.blocks)
    if options.tuned:
        tune(programs, options)
    if options.minutes is not None:
        return take_pieces(programs, options)
    found, failures = measure(programs, options, options.ranks, options.sizes, options.turns)
    document = {**place(options), "turns": options.turns, "cells": beside.cells(found), "failures": failures}
    print(table(document))
    if options.written:
        document["sources"] = "written before each call"
    document["taken_with"] = taken_with(programs, options)
    write_results(document, programs, options)
    return 1 if failures else 0


def write_results(document, programs, options):
    if options.json:
        write_document(options.json, document)
    if options.keep:
        write_document(options.keep, kept_grid.kept(document, programs))


def place(options):
    """What a result says about where it was taken."""
    hosts = {"hosts": len(options.hosts)} if options.hosts else {}
    if options.blocks:
        hosts["placement"] = "blocks"
    return {"cores": cores(), **hosts, **({"tuned": f"for {TUNING} s"} if options.tuned else {})}


def taken_with(programs, options):
    """What has to be the same where turns are added to each other."""
    machine = describe(programs)
    return {**{name: machine[name] for name in ("commit", "build_type", "compiler")}, "device": options.device or "chosen by itself",
            "sample_ms": options.sample_ms, "kinds": options.kinds or "all"}


def tune(programs, options):
    """Finds a table for each number of ranks, unless one is there."""
    for ranks in options.ranks:
        placed = "-blocks" if options.blocks else ""
        path = os.path.join(os.path.abspath(options.tuned), f"{len(options.hosts) or 'no'}-hosts-{ranks}-ranks{placed}.table")
        if not os.path.exists(path):
            print(f"tuning {ranks} ranks: {TUNING} s", file=sys.stderr)
            command = programs.under_polder(ranks, programs.path("polder-tune"), "tune", str(TUNING), ",".join(TUNED), path)
            run(command.words, options.timeout, command.environment)
        programs.tables[ranks] = path


def take_pieces(programs, options):
    pieces = Pieces(options.ranks, options.sizes)
    taken = taken_with(programs, options)
    pieces.join(options.json, place(options), taken)
    before = len(pieces.failures)

    def take(ranks, size):
        print(f"{ranks} ranks, {size} bytes", file=sys.stderr)
        return measure(programs, options, [ranks], [size], 1)

    def write():
        turns = [piece["turns"] for piece in pieces.taken.values()]
        document = {**place(options), "taken_with": taken, "turns": f"{min(turns)} to {max(turns)}", "cells": beside.cells(pieces.found),
                    "failures": pieces.failures, **pieces.document()}
        write_results(document, programs, options)
        return document

    try:
        count = pieces.spend(60 * options.minutes, options.ranks, options.sizes, take)
    finally:
        document = write()
    print(table(document))
    never = sum(piece["turns"] == 0 for piece in pieces.taken.values())
    print(f"{count} of {len(pieces.taken)} pieces taken now, {never} never yet")
    return 1 if len(pieces.failures) > before else 0


def numbers(text):
    return [int(word) for word in text.split(",") if word]


def parse():
    parser = argparse.ArgumentParser(prog="bench/collectives.py", description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--sizes", type=numbers, help=f"bytes (default: {SIZES}; 8,65536,1048576 if quick)")
    parser.add_argument("--kinds", help="such as bcast,scan (default: all)")
    parser.add_argument("-n", "--ranks", type=numbers, help=f"default: {RANKS}; 2,4,8 if quick")
    parser.add_argument("--turns", type=positive_count, help="default: 3; 1 if quick")
    parser.add_argument("--sample-ms", type=positive_count, help="that a sample fills (default: 10; 2 if quick)")
    parser.add_argument("--written", action="store_true",
                        help="each rank writes what it sends before each call, in the time; else nobody ever writes it again")
    parser.add_argument("--tuned", metavar="FOLDER", help="with the tables of `polder tune` that lie there, or are put there: a minute for each number of ranks")
    parser.add_argument("--minutes", type=float, help="spend so many, and join what --json has from before; instead of --turns")
    parser.add_argument("--quick", action="store_true", help="some sizes and ranks, for a moment each")
    parser.add_argument("--timeout", type=positive_seconds, default=1800, help="seconds that one run of a program may take")
    parser.add_argument("--json", type=result_file, help="write the result here")
    parser.add_argument("--keep", metavar="FILE", help="write medians and the machine's description here, as bench/results has them")
    parser.add_argument("--programs", default=FOLDER, help="the folder of polder-bench")
    parser.add_argument("--polder", default="")
    parser.add_argument("--device", default="", help="of Polder (default: it chooses; tcp between hosts)")
    parser.add_argument("--hosts", type=lambda text: text.split(","), default=[], help="ranks go there in turn; this program runs on the first")
    parser.add_argument("--blocks", action="store_true",
                        help="those of a host follow each other, as launchers mostly place them; it has at most ranks/hosts, rounded up")
    parser.add_argument("--agent", default="ssh", help="how launchers reach hosts: ssh, or a program that is called like it")
    options = parser.parse_args()
    if options.minutes is not None and (not options.json or options.turns or options.minutes <= 0):
        parser.error("--minutes is more than 0, needs --json, and stands instead of --turns")
    if options.written and options.minutes is not None:
        parser.error("--written takes --turns: what is joined was measured without it")
    options.sizes = options.sizes or ([8, 64 << 10, 1 << 20] if options.quick else SIZES)
    options.ranks = options.ranks or ([2, 4, 8] if options.quick else RANKS)
    options.turns = options.turns or (1 if options.quick else 3)
    options.sample_ms = options.sample_ms or (2 if options.quick else 10)
    return options


def measure(programs, options, ranks, sizes, turns):
    words = ["collectives", "--sizes", ",".join(map(str, sorted(sizes))), "--sample-ms", str(options.sample_ms)]
    if options.kinds:
        words += ["--kinds", options.kinds]
    if options.written:
        words.append("--written")
    commands = []
    for count in ranks:
        commands.append(programs.micro(count, *words))
        for peer in programs.peers():
            commands += programs.mpi(peer, count, *words)
        commands += programs.gloo(count, *words)
    return beside.measure(commands, turns, options.timeout, take)


def take(name, impl):
    """Vectors in segments are somebody of their own."""
    kind = name.removeprefix("coll_")
    return (kind.removesuffix("_segment"), "segment") if kind.endswith("_segment") else (kind, impl)


def table(document):
    where = f"{document['cores']} cores" + (f", {document['hosts']} hosts" if "hosts" in document else "")
    where += f", ranks in {document['placement']}" if "placement" in document else ""
    where += f"; tuned {document['tuned']}" if "tuned" in document else ""
    lines = [f"collectives: us, medians of {document['turns']} turns; {where}; ratio: the best peer over Polder",
             "kind               bytes  ranks     polder    segment    openmpi      mpich       gloo   ratio"]
    for cell in document["cells"]:
        times = " ".join(f"{cell['us'][who]:10.2f}" if who in cell["us"] else f"{'-':>10}"
                         for who in ("polder", "segment", *beside.PEERS))
        ratio = f"{cell['ratio']:7.2f}" if cell["ratio"] else f"{'-':>7}"
        lines.append(f"{cell['kind']:14} {cell['size']:9} {cell['ranks']:6} {times} {ratio}"
                     + (f"  NOT met ({LOWEST})" if cell["ratio"] and cell["ratio"] < LOWEST else ""))
    ratios = [cell["ratio"] for cell in document["cells"] if cell["ratio"]]
    if ratios:
        lines.append(f"{sum(ratio >= 1 for ratio in ratios)} of {len(ratios)} cells ahead of all peers, "
                     f"{sum(ratio < LOWEST for ratio in ratios)} below {LOWEST}")
    return "\n".join(lines + [f"failed: {failure}" for failure in document["failures"]])


if __name__ == "__main__":
    run_as_program("collectives", main)
