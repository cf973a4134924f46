#!/usr/bin/env python3
"""Products of matrices by many ranks: apps/contract beside PDGEMM of ScaLAPACK, with the same OpenBLAS and the same threads, on one machine
or on several hosts (--hosts).

Figures 3 and 4 of Gall et al., "Optimization of Computationally and I/O Intense Patterns", 2019: square matrices, block sizes that split a
rank's part again and again, and the distributions regular, random and cyclic (which is PDGEMM's). The yardstick is OpenBLAS alone in one rank. Runs
are taken in turn, again and again; medians count. Times are those of the product, without reading; every run checks its result.
"""

import argparse
import json
import os
import shutil
import statistics
import sys
import tempfile

FOLDER = os.path.dirname(os.path.realpath(__file__))
sys.dont_write_bytecode = True
# Beside polder-bench in a build tree or an installation, beside the driver in the source tree.
sys.path[:0] = [FOLDER, os.path.join(FOLDER, "driver")]

from polder_bench.hosts import HostPrograms  # noqa: E402
from polder_bench.process import Failure, run  # noqa: E402
from polder_bench.programs import PEERS, Programs, cores  # noqa: E402
from polder_bench.results import write_document  # noqa: E402
from polder_bench.study import run_as_program  # noqa: E402
from polder_bench.words import positive_count, positive_seconds, result_file  # noqa: E402

EFFICIENCY_GOAL = 0.95  # of as many cores as ranks use, each as fast as one rank alone
NETWORK_GOAL = 1.1  # of what computing or the link takes, whichever is longer
LINK_GOAL = 1.4  # times PDGEMM, where the link takes longer than computing
RANDOM_GOAL = 1.05  # random takes at most so many times as long as regular
ERROR = 1e-11  # of PDGEMM's samples; contract judges its own


def main():
    options = parse()
    if options.hosts:
        programs = HostPrograms(options.programs, options.polder, options.device, PEERS, options.hosts, options.agent)
    else:
        programs = Programs(options.programs, options.polder)
    study = Study(programs, programs.application("contract", options.contract), options)
    for turn in range(options.turns):
        print(f"turn {turn + 1} of {options.turns}", file=sys.stderr)
        study.take_turn()
        document = study.document()
        if options.json:  # after each turn: what was measured survives an interruption
            write_document(options.json, document)
    print(table(document))
    return 1 if document["failures"] else 0


def numbers(text):
    return [int(word) for word in text.split(",") if word]


def parse():
    parser = argparse.ArgumentParser(prog="bench/contract.py", description=__doc__.split("\n\n", maxsplit=1)[0].replace("\n", " "))
    parser.add_argument("-N", "--sizes", type=numbers, help="of the matrices (default: 1000,2000,4000; 200 if quick)")
    parser.add_argument("-n", "--ranks", type=numbers, help="default: 1,2,4; 2 if quick; the number of hosts")
    parser.add_argument("--levels", type=numbers, help="a rank's part is split into so many by so many blocks (default: 1,2,4; 1 if quick)")
    parser.add_argument("--distributions", type=lambda text: text.split(","), help="default: regular,random,cyclic")
    parser.add_argument("--threads", type=positive_count, default=1, help="of OpenBLAS, for everybody")
    parser.add_argument("--turns", type=positive_count, help="default: 5; 1 if quick")
    parser.add_argument("--repeat", type=positive_count, help="products in a run, of which the shortest counts (default: 3; 1 if quick)")
    parser.add_argument("--hosts", type=lambda text: text.split(","), help="with a rank on each; this program runs on the first")
    parser.add_argument("--agent", default="ssh", help="how launchers reach hosts: ssh, or a program that is called like it")
    parser.add_argument("--device", default="ucx", help="of Polder between hosts")
    parser.add_argument("--link", type=float, help="Gbit/s between hosts, for the goal")
    parser.add_argument("--quick", action="store_true", help="a moment of each")
    parser.add_argument("--timeout", type=positive_seconds, default=600, help="seconds that one run may take")
    parser.add_argument("--json", type=result_file, help="write the result here")
    parser.add_argument("--programs", default=FOLDER, help="the folder of polder-bench")
    parser.add_argument("--polder", default="")
    parser.add_argument("--contract", default="", help="default: beside polder")
    options = parser.parse_args()
    options.sizes = options.sizes or ([200] if options.quick else [1000, 2000, 4000])
    options.ranks = options.ranks or ([len(options.hosts)] if options.hosts else [2] if options.quick else [1, 2, 4])
    options.levels = options.levels or ([1] if options.quick else [1, 2, 4])
    options.distributions = options.distributions or ["regular", "random", "cyclic"]
    options.turns = options.turns or (1 if options.quick else 5)
    options.repeat = options.repeat or (1 if options.quick else 3)
    return options


def block_of(size, ranks, level):
    """Of a square of blocks as fine as the square of ranks that is not smaller than there are."""
    side = 1
    while side * side < ranks:
        side += 1
    return -(-size // (side * level))


class Study:
    """Makes the runs in turn and keeps their seconds."""

    def __init__(self, programs, contract, options):
        self.programs = programs
        self.contract = contract
        self.options = options
        self.seconds = {}  # (size, ranks, level, who) -> seconds
        self.bounds = {}  # of contract's, between hosts: seconds of computing, and of the link; nobody could be faster than the longer one
        self.failures = []
        self.peers = [peer for peer in PEERS
                      if os.access(programs.path(f"bench-pdgemm-{peer}"), os.X_OK) and shutil.which(f"mpirun.{peer}")]

    def take_turn(self):
        options = self.options
        for size in options.sizes:
            self.take((size, 1, 0, "one block"), lambda s=size: self.polder(s, 1, s, "regular"))
            for ranks in options.ranks:
                for level in options.levels:
                    block = block_of(size, ranks, level)
                    for how in options.distributions:
                        self.take((size, ranks, level, how), lambda s=size, r=ranks, b=block, h=how, l=level: self.polder(s, r, b, h, l))
                    for peer in self.peers:
                        self.take((size, ranks, level, f"pdgemm, {peer}"),
                                  lambda s=size, r=ranks, b=block, p=peer: self.pdgemm(s, r, b, p))

    def take(self, key, measure):
        try:
            seconds = measure()
            self.seconds.setdefault(key, []).append(seconds)
        except Failure as failure:
            self.failures.append(str(failure))
            print(f"failed: {failure}", file=sys.stderr)

    def polder(self, size, ranks, block, distribution, level=0):
        options = self.options
        with tempfile.TemporaryDirectory(prefix="polder-contract-") as folder:
            path = os.path.join(folder, "report.json")
            words = [self.contract, "ik,kj->ij", "--generate", f"i={size},k={size},j={size}", "--block", block, "--distribution", distribution,
                     "--threads", options.threads, "--repeat", options.repeat, "--no-progress", "--json", path]
            command = self.programs.under_polder(ranks, *map(str, words))
            run(command.words, options.timeout, command.environment)
            with open(path, encoding="utf-8") as file:
                report = json.load(file)
        if options.link:
            bounds = report["computing"]["most"], report["fetched"]["most_bytes"] * 8e-9 / options.link
            self.bounds.setdefault((size, ranks, level, distribution), []).append(bounds)
        return report["seconds"]

    def pdgemm(self, size, ranks, block, peer):
        """The better one of the MPI's settings."""
        options = self.options
        words = [self.programs.path(f"bench-pdgemm-{peer}"), size, block, options.threads, options.repeat]
        best = None
        for command in self.programs.under_mpi(peer, ranks, *map(str, words)):
            answer = json.loads(run(command.words, options.timeout, command.environment))
            if not answer["error"] < ERROR:
                raise Failure(f"{' '.join(command.words)}: off by {answer['error']}")
            best = answer["seconds"] if best is None else min(best, answer["seconds"])
        return best

    def document(self):
        options = self.options
        results = []
        for (size, ranks, level, who), seconds in self.seconds.items():
            middle = statistics.median(seconds)
            bounds = self.bounds.get((size, ranks, level, who))
            computing, link = map(statistics.median, zip(*bounds)) if bounds else (None, None)
            results.append({"size": size, "ranks": ranks, "level": level, "block": size if level == 0 else block_of(size, ranks, level),
                            "who": who, "seconds": middle, "gflops": 2e-9 * size ** 3 / middle, "computing": computing, "link": link,
                            "all_seconds": seconds})
        return {"cores": cores(), "threads": options.threads, "turns": options.turns, "hosts": options.hosts,
                "link": options.link, "results": results, "failures": self.failures}


def judge(one, found, document):
    """What a row says about the goals."""
    size, ranks, level = one["size"], one["ranks"], one["level"]
    alone = found.get((size, 1, 0, "one block"))
    verdicts = []
    if one["link"] is not None and ranks > 1:
        longer = one["seconds"] / max(one["computing"], one["link"])
        verdicts.append(f"{longer:.2f} x what computing or the link takes (goal {NETWORK_GOAL}: {'met' if longer <= NETWORK_GOAL else 'NOT met'})")
    if alone and not document["hosts"] and one["who"] in ("regular", "cyclic"):
        workers = min(ranks * document["threads"], document["cores"]) / min(document["threads"], document["cores"])
        share = one["gflops"] / (workers * alone["gflops"])
        verdicts.append(f"{share:.2f} of {workers:g} x one block (goal {EFFICIENCY_GOAL}: {'met' if share >= EFFICIENCY_GOAL else 'NOT met'})")
    if one["who"] == "cyclic":
        for peer in PEERS:
            rival = found.get((size, ranks, level, f"pdgemm, {peer}"))
            if rival:
                gain, goal = rival["seconds"] / one["seconds"], LINK_GOAL if one["link"] and one["link"] > one["computing"] else 1
                verdicts.append(f"{gain:.2f} x PDGEMM of {peer} (goal {goal}: {'met' if gain >= goal else 'NOT met'})")
    regular = found.get((size, ranks, level, "regular"))
    if one["who"] == "random" and regular:
        longer = one["seconds"] / regular["seconds"]
        verdicts.append(f"{longer:.3f} x as long as regular (goal {RANDOM_GOAL}: {'met' if longer <= RANDOM_GOAL else 'NOT met'})")
    return "; ".join(verdicts)


def table(document):
    found = {(one["size"], one["ranks"], one["level"], one["who"]): one for one in document["results"]}
    lines = [f"contract: {document['threads']} threads of OpenBLAS a rank; medians of {document['turns']} turns; {document['cores']} cores",
             "    N  ranks  block  who                  seconds  GFLOP/s"]
    for key in sorted(found):
        one = found[key]
        lines.append(f"{one['size']:5} {one['ranks']:6} {one['block']:6}  {one['who']:18} {one['seconds']:9.4f} {one['gflops']:8.2f}  "
                     f"{judge(one, found, document)}".rstrip())
    return "\n".join(lines + [f"failed: {failure}" for failure in document["failures"]])


if __name__ == "__main__":
    run_as_program("contract", main)
