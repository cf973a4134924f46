#!/usr/bin/env python3
"""What one-sided runtimes offer, measured: a table of features in which each entry is a time.

For Polder, ARMCI-MPI, MPI and OpenSHMEM: does a rank that computes hold up others (progress), what does an accumulate cost, a put that is
not waited for (non-blocking), a patch of an array (non-contiguous), a shared counter (atomics). Two ranks of this machine; those of each
column take turns, medians count.
"""

import argparse
import json
import os
import sys
from collections import defaultdict

FOLDER = os.path.dirname(os.path.realpath(__file__))
sys.dont_write_bytecode = True
# Beside polder-bench in a build tree or an installation, beside the driver in the source tree.
sys.path[:0] = [FOLDER, os.path.join(FOLDER, "driver")]

from polder_bench.machine import describe  # noqa: E402
from polder_bench.process import Failure, run_measurements  # noqa: E402
from polder_bench.programs import Programs  # noqa: E402
from polder_bench.stats import summarise  # noqa: E402
from polder_bench.study import run_as_program  # noqa: E402
from polder_bench.text import machine_text  # noqa: E402
from polder_bench.words import positive_count, positive_seconds, result_file  # noqa: E402

# Column: (heading, measurement and the name and size of what it prints, for plain programs and for those of ARMCI).
COLUMNS = (
    ("get 8 B, target idle", ("busy_target", "get_idle", 8), ("busy_target", "armci_get_idle", 8)),
    ("get 8 B, target computes", ("busy_target", "get_busy", 8), ("busy_target", "armci_get_busy", 8)),
    ("accumulate 8 B, target computes", ("busy_target", "accumulate_busy", 8), ("busy_target", "armci_acc_busy", 8)),
    ("accumulate 1 MB", ("accumulate", "accumulate", 1 << 20), ("contiguous", "armci_acc", 1 << 20)),
    ("put 8 B, not waited for", ("put", "put", 8), ("nonblocking", "armci_nbput", 8)),
    ("put of a patch, 32 kB", ("patches", "patch_put", 32 << 10), ("patches", "armci_patch_put", 32 << 10)),
    ("fetch-and-add, 2 ranks at once", ("fetch_add", "fetch_add", 8), ("fetch_add", "armci_fetch_add", 8)),
)


def main():
    options = parse()
    programs = Programs(options.programs, options.polder)
    rows = list(runtimes(programs))
    samples, failures = defaultdict(list), []
    for turn in range(options.turns):
        for measurement in dict.fromkeys(source[0] for _, *sources in COLUMNS for source in sources):
            first = turn % len(rows)  # nobody is always the first
            for name, start, kind in rows[first:] + rows[:first]:
                if measurement in measurements_of(kind):
                    take(samples, failures, name, start(measurement), options)
    machine = describe(programs)
    entries = {name: [entry(samples, name, column, kind) for column in COLUMNS] for name, _, kind in rows}
    print(machine_text(machine))
    print(page(entries))
    for failure in failures:
        print(f"failed: {failure}", file=sys.stderr)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"machine": machine, "columns": [column[0] for column in COLUMNS], "ns": entries, "turns": options.turns,
                       "failures": failures}, file, indent=1)
    return 1 if failures else 0


def parse():
    parser = argparse.ArgumentParser(prog="bench/features.py", description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--turns", type=positive_count, default=3)
    parser.add_argument("--quick", action="store_true", help="a few iterations, to see that all works")
    parser.add_argument("--timeout", type=positive_seconds, default=120, help="seconds for one start of one program")
    parser.add_argument("--json", type=result_file, help="write the result here")
    parser.add_argument("--programs", default=FOLDER, help="the folder of polder-bench")
    parser.add_argument("--polder", default="")
    return parser.parse_args()


def runtimes(programs):
    """(name, how to start one of its measurements, which of the columns' sources is its own)"""
    yield "Polder", lambda words: programs.micro(2, words), 0
    if programs.door("armci", 2, "contiguous"):
        yield "Polder, through its ARMCI", lambda words: programs.door("armci", 2, words), 1
    for mpi, label in (("openmpi", "Open MPI"), ("mpich", "MPICH")):
        if mpi not in programs.peers():
            continue
        if programs.rivals("armci", mpi, 2, "contiguous"):
            yield f"ARMCI-MPI, {label}", lambda words, mpi=mpi: programs.rivals("armci", mpi, 2, words)[0], 1
        yield f"MPI RMA, {label}", lambda words, mpi=mpi: programs.mpi(mpi, 2, words)[0], 0
    shmem = programs.path("bench-shmem-openmpi")
    if os.access(shmem, os.X_OK):
        yield "OpenSHMEM, Open MPI", lambda words: programs.under_mpi("openmpi", 2, shmem, words)[0], 2


# What bench-shmem has: there is no accumulate in OpenSHMEM.
IN_SHMEM = ("busy_target", "put", "patches", "fetch_add")


def measurements_of(kind):
    return IN_SHMEM if kind == 2 else {column[1 + kind][0] for column in COLUMNS}


def take(samples, failures, name, command, options):
    try:
        for one in run_measurements([*command.words, *(["--quick"] if options.quick else [])], options.timeout, command.environment):
            samples[(name, one["name"], one["size"])].append(one["ns"])
    except Failure as failure:
        failures.append(str(failure))


def entry(samples, name, column, kind):
    _, measured, size = column[2 if kind == 1 else 1]
    found = samples.get((name, measured, size))
    return summarise(found).median if found else None


def page(entries):
    lines = ["| | " + " | ".join(column[0] for column in COLUMNS) + " |", "|---|" + "---:|" * len(COLUMNS)]
    for name, row in entries.items():
        lines.append(f"| {name} | " + " | ".join("none" if ns is None else text(ns) for ns in row) + " |")
    return "\n".join(lines)


def text(ns):
    for unit, factor in (("ms", 1e6), ("us", 1e3)):
        if ns >= factor:
            return f"{ns / factor:.3g} {unit}"
    return f"{ns:.3g} ns"


if __name__ == "__main__":
    run_as_program("features", main)
