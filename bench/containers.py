#!/usr/bin/env python3
"""What containers cost: beside MPI RMA with Open MPI and MPICH, and beside plain memory and std:: code.

`polder run bench-containers all` and `bench-mpi-* containers` do the same work under the same names: elements, copies, random updates, halos. They are
started in turn, again and again; medians of turns count. What has no counterpart over MPI (stencil steps with overlap, products, sorts) stands beside
one rank's share of it in plain memory.
"""

import argparse
import os
import sys

FOLDER = os.path.dirname(os.path.realpath(__file__))
sys.dont_write_bytecode = True
# Beside polder-bench in a build tree or an installation, beside the driver in the source tree.
sys.path[:0] = [FOLDER, os.path.join(FOLDER, "driver")]

from polder_bench import beside  # noqa: E402
from polder_bench.programs import Programs, cores  # noqa: E402
from polder_bench.results import write_document  # noqa: E402
from polder_bench.study import run_as_program  # noqa: E402
from polder_bench.words import positive_count, positive_seconds, result_file  # noqa: E402

# What one rank does in plain memory, for what ranks do.
PLAIN = {"sum_local": "sum_plain", "copy_from_last": "std_copy", "copy_to_last": "std_copy", "patch_from_last": "std_copy",
         "stencil_blocking": "stencil_plain", "stencil_overlapped": "stencil_plain", "product": "product_plain", "sort": "sort_plain"}


def main():
    options = parse()
    programs = Programs(options.programs, options.polder, options.device)
    commands = []
    for ranks in options.ranks:
        words = ["--sample-ms", str(options.sample_ms)]
        commands.append(programs.under_polder(ranks, programs.path("bench-containers"), "all", *words))
        for peer in programs.peers():
            commands += programs.mpi(peer, ranks, "containers", *words)
    found, failures = beside.measure(commands, options.turns, options.timeout)
    document = {"cores": cores(), "turns": options.turns, "cells": with_plain(beside.cells(found)), "failures": failures}
    print(table(document))
    if options.json:
        write_document(options.json, document)
    return 1 if failures else 0


def parse():
    parser = argparse.ArgumentParser(prog="bench/containers.py", description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("-n", "--ranks", type=lambda text: [int(word) for word in text.split(",")], help="default: 2,4; 2 if quick")
    parser.add_argument("--turns", type=positive_count, help="default: 5; 1 if quick")
    parser.add_argument("--sample-ms", type=positive_count, help="that a sample fills (default: 10; 1 if quick)")
    parser.add_argument("--quick", action="store_true", help="a moment of each")
    parser.add_argument("--timeout", type=positive_seconds, default=600, help="seconds that one run of a program may take")
    parser.add_argument("--json", type=result_file, help="write the result here")
    parser.add_argument("--programs", default=FOLDER, help="the folder of polder-bench")
    parser.add_argument("--polder", default="")
    parser.add_argument("--device", default="", help="of Polder")
    options = parser.parse_args()
    options.ranks = options.ranks or ([2] if options.quick else [2, 4])
    options.turns = options.turns or (1 if options.quick else 5)
    options.sample_ms = options.sample_ms or (1 if options.quick else 10)
    return options


def with_plain(cells):
    """The cells of ranks, with us of plain memory in them."""
    plain = {(cell["kind"], cell["size"], cell["ranks"]): cell["us"].get("polder") for cell in cells}
    for cell in cells:
        cell["plain_us"] = plain.get((PLAIN.get(cell["kind"]), cell["size"], cell["ranks"]))
    return [cell for cell in cells if cell["kind"] not in PLAIN.values()]


def table(document):
    lines = [f"containers: us, medians of {document['turns']} turns; {document['cores']} cores; x MPI: the better MPI over Polder; "
             "x plain: plain memory over Polder",
             "what                    bytes  ranks      polder     openmpi       mpich       plain   x MPI x plain"]
    for cell in document["cells"]:
        us = {**cell["us"], "plain": cell["plain_us"]}
        times = " ".join(f"{us[who]:11.4f}" if us.get(who) else f"{'-':>11}" for who in ("polder", *beside.PEERS, "plain"))
        ratios = [cell["ratio"], us["plain"] / us["polder"] if us["plain"] and "polder" in us else None]
        lines.append(f"{cell['kind']:20} {cell['size']:8} {cell['ranks']:6} {times} "
                     + " ".join(f"{ratio:7.2f}" if ratio else f"{'-':>7}" for ratio in ratios))
    return "\n".join(lines + [f"failed: {failure}" for failure in document["failures"]])


if __name__ == "__main__":
    run_as_program("containers", main)
