#!/usr/bin/env python3
"""Three-dimensional transforms by many ranks: apps/fft beside FFTW's own MPI version and beside itself with MPI's alltoallv in between.

`pieces` sends each piece as soon as it is computed, as in chapter 3.3 of the report EPEEC D4.3; `whole` tells others when all is computed. `fftw` is
FFTW's own MPI version, `fftw, measured` the same with plans that it has tried out; all others have plans of `--effort`. Then the table of the report's
3.3.2: an alltoall of 2 kB to 64 kB for each pair, 4 ranks a node. Runs are taken in turn, again and again; medians of the shortest transform of each run
count. Every run checks its result.
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

from polder_bench.machine import describe  # noqa: E402
from polder_bench.process import Failure, run  # noqa: E402
from polder_bench.programs import PEERS, Programs, cores  # noqa: E402
from polder_bench.results import medians, write_document  # noqa: E402
from polder_bench.study import run_as_program  # noqa: E402
from polder_bench.text import machine_text  # noqa: E402
from polder_bench.words import positive_count, positive_seconds, result_file  # noqa: E402

PAIRS = [2 << 10, 4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10]
LACKS_FFTW = "built without FFTW's MPI version"  # what fft-mpi-openmpi says where that was not installed
ERROR = 1e-11


def main():
    options = parse()
    programs = Programs(options.programs, options.polder)
    study = Study(programs, programs.application("fft", options.fft), options)
    study.measure()
    document = study.document()
    print(table(document))
    if options.json:
        write_document(options.json, document)
    if options.keep:
        write_document(options.keep, medians(document))
    return 1 if document["failures"] else 0


def parse():
    parser = argparse.ArgumentParser(prog="bench/fft.py", description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--sizes", type=lambda text: text.split(","), help="default: 64x64x64,128x128x128,100x90x110; 32x32x32 if quick")
    parser.add_argument("-n", "--ranks", type=lambda text: [int(word) for word in text.split(",")], help="default: 1,2,4,8; 4 if quick")
    parser.add_argument("--pieces", type=positive_count, default=0, help="default: as many as apps/fft takes")
    parser.add_argument("--effort", choices=["estimate", "measure"], default="estimate", help="of FFTW's search for plans, but in its own MPI version")
    parser.add_argument("--turns", type=positive_count, help="default: 5; 1 if quick")
    parser.add_argument("--repeat", type=positive_count, help="transforms in a run, of which the shortest counts (default: 10; 2 if quick)")
    parser.add_argument("--quick", action="store_true", help="a moment of each")
    parser.add_argument("--timeout", type=positive_seconds, default=600, help="seconds that one run may take")
    parser.add_argument("--json", type=result_file, help="write the result here")
    parser.add_argument("--keep", type=result_file, help="write medians here, as bench/results has them")
    parser.add_argument("--programs", default=FOLDER, help="the folder of polder-bench")
    parser.add_argument("--polder", default="")
    parser.add_argument("--fft", default="", help="default: beside polder")
    options = parser.parse_args()
    options.sizes = options.sizes or (["32x32x32"] if options.quick else ["64x64x64", "128x128x128", "100x90x110"])
    options.ranks = options.ranks or ([4] if options.quick else [1, 2, 4, 8])
    options.turns = options.turns or (1 if options.quick else 5)
    options.repeat = options.repeat or (2 if options.quick else 10)
    return options


def grids(ranks):
    """Slabs, and pencils as square as can be where those are something else."""
    columns = max(number for number in range(1, int(ranks ** 0.5) + 1) if ranks % number == 0)
    return [(ranks, 1)] + ([(ranks // columns, columns)] if columns > 1 else [])


class Study:
    """Makes the runs in turn and keeps their seconds."""

    def __init__(self, programs, fft, options):
        self.programs = programs
        self.fft = fft
        self.options = options
        self.seconds = {}  # (size, ranks, grid, who) -> seconds
        self.pairs = {}  # (bytes, who) -> us
        self.pieces = {}  # (size, ranks) -> that apps/fft has chosen; the MPIs take as many
        self.failures = []
        self.peers = [peer for peer in PEERS
                      if os.access(programs.path(f"fft-mpi-{peer}"), os.X_OK) and shutil.which(f"mpirun.{peer}")]

        self.lacks_fftw = False  # as far as is known

    def measure(self):
        for _ in range(self.options.turns):
            for size in self.options.sizes:
                for ranks in self.options.ranks:
                    for grid in grids(ranks):
                        self.transforms(size, ranks, grid)
            self.alltoalls()

    def transforms(self, size, ranks, grid):
        for pieces, name in ((self.options.pieces, "polder, pieces"), (1, "polder, whole")):
            self.take(self.seconds, (size, ranks, grid, name), lambda p=pieces: self.polder(size, ranks, grid, p))
        for peer in self.peers:
            modes = [("pieces", self.options.effort), ("whole", self.options.effort)]
            if peer == "openmpi" and grid[1] == 1 and not self.lacks_fftw:
                modes += [("fftw", "estimate"), ("fftw", "measure")]
            for mode, effort in modes:
                name = f"{peer}, {mode}" + (", measured" if (mode, effort) == ("fftw", "measure") else "")
                self.take(self.seconds, (size, ranks, grid, name), lambda p=peer, m=mode, e=effort: self.mpi(p, m, e, size, ranks, grid))

    def take(self, where, key, measure):
        try:
            where.setdefault(key, []).append(measure())
        except Failure as failure:
            if LACKS_FFTW in str(failure):
                self.lacks_fftw = True
                print(f"fft: {LACKS_FFTW} (libfftw3-mpi-dev): it is not measured", file=sys.stderr)
                return
            self.failures.append(str(failure))
            print(f"failed: {failure}", file=sys.stderr)

    def polder(self, size, ranks, grid, pieces):
        options = self.options
        with tempfile.TemporaryDirectory(prefix="polder-fft-") as folder:
            path = os.path.join(folder, "report.json")
            words = [self.fft, "--generate", size, "--grid", f"{grid[0]}x{grid[1]}", *(["--pieces", pieces] if pieces else []), "--repeat", options.repeat,
                     "--effort", options.effort, "--sample", 1, "--no-progress", "--json", path]
            command = self.programs.under_polder(ranks, *map(str, words))
            run(command.words, options.timeout, command.environment)
            with open(path, encoding="utf-8") as file:
                report = json.load(file)
            if not pieces:
                self.pieces[(size, ranks)] = report["pieces"]
            return report["seconds"]

    def mpi(self, peer, mode, effort, size, ranks, grid):
        """The better one of the MPI's settings."""
        options = self.options
        words = [self.programs.path(f"fft-mpi-{peer}"), mode, effort, *size.split("x"), *grid, options.pieces or self.pieces.get((size, ranks), 8), options.repeat]
        best = None
        for command in self.programs.under_mpi(peer, ranks, *map(str, words)):
            answer = json.loads(run(command.words, options.timeout, command.environment))
            if not answer["error"] < ERROR:
                raise Failure(f"{' '.join(command.words)}: off by {answer['error']}")
            best = answer["seconds"] if best is None else min(best, answer["seconds"])
        return best

    def alltoalls(self):
        sizes = PAIRS[:1] if self.options.quick else PAIRS
        words = ["alltoall", "--sizes", ",".join(map(str, sizes))]
        commands = [self.programs.micro(4, *words)]
        for peer in self.programs.peers():
            commands += self.programs.mpi(peer, 4, *words)
        for command in commands:
            try:
                for line in run(command.words, self.options.timeout, command.environment).splitlines():
                    one = json.loads(line)
                    self.pairs.setdefault((one["size"], command.impl, command.setting), []).append(statistics.median(one["ns"]) / 1e3)
            except Failure as failure:
                self.failures.append(str(failure))
                print(f"failed: {failure}", file=sys.stderr)

    def document(self):
        results = [{"size": size, "ranks": ranks, "grid": grid, "who": who, "seconds": statistics.median(seconds), "all_seconds": seconds}
                   for (size, ranks, grid, who), seconds in self.seconds.items() if seconds]
        best = {}
        for (size, who, _), turns in self.pairs.items():
            us = statistics.median(turns)
            best.setdefault(size, {})[who] = min(us, best.get(size, {}).get(who, us))
        options = self.options
        return {"machine": describe(self.programs), "cores": cores(), "turns": options.turns, "pieces": options.pieces or "fitting",
                "effort": options.effort, "results": results, "alltoall_us": best, "failures": self.failures}


def table(document):
    lines = [machine_text(document["machine"]),
             f"medians of {document['turns']} turns; {document['cores']} cores; {document['pieces']} pieces; effort: {document['effort']}",
             "size           ranks   grid  who                      seconds   of polder, pieces"]
    own = {(one["size"], one["ranks"], tuple(one["grid"])): one["seconds"] for one in document["results"] if one["who"] == "polder, pieces"}
    for one in document["results"]:
        ratio = one["seconds"] / own.get((one["size"], one["ranks"], tuple(one["grid"])), float("nan"))
        grid = f"{one['grid'][0]}x{one['grid'][1]}"
        lines.append(f"{one['size']:14} {one['ranks']:5} {grid:>6}  {one['who']:23} {one['seconds']:9.5f} {ratio:7.2f}")
    lines += ["", "alltoall of 4 ranks on a node, us", "  bytes a pair     polder    openmpi      mpich   better MPI / polder"]
    for size, us in sorted(document["alltoall_us"].items()):
        peers = [us[peer] for peer in PEERS if peer in us]
        ratio = f"{min(peers) / us['polder']:8.2f}" if peers and "polder" in us else "       -"
        times = " ".join(f"{us[who]:10.2f}" if who in us else f"{'-':>10}" for who in ("polder", *PEERS))
        lines.append(f"{size:14} {times} {ratio}")
    return "\n".join(lines + [f"failed: {failure}" for failure in document["failures"]])


if __name__ == "__main__":
    run_as_program("fft", main)
