#!/usr/bin/env python3
"""Sorting: Polder's terasort against the same program over MPI, and against GNU sort, on one file.

Every program sorts the same ASCII records in turn, again and again; medians count. The input is in the page cache, so what is compared
is programs and not disks. Free memory is in the same state for all: after a pause in which the host of a virtual machine can take back
what the program before has freed, or (--warm) just touched and freed, several times as much as anybody needs. `shuffle` is from the first read to the last record received, at the slowest rank; `total` is the sort's own
time for the MPI programs and Polder, and `wall` is from start to end of the whole command, launcher included.
"""

import argparse
import ctypes
import json
import mmap
import os
import shutil
import statistics
import sys
import tempfile
import time

FOLDER = os.path.dirname(os.path.realpath(__file__))
sys.dont_write_bytecode = True
# Beside polder-bench in a build tree or an installation, beside the driver in the source tree.
sys.path[:0] = [FOLDER, os.path.join(FOLDER, "driver")]

from polder_bench.process import Failure, run  # noqa: E402
from polder_bench.programs import PEERS, Programs, cores  # noqa: E402
from polder_bench.results import medians, write_document  # noqa: E402
from polder_bench.study import run_as_program  # noqa: E402
from polder_bench.words import positive_count, positive_seconds, result_file  # noqa: E402

RECORD_BYTES = 100
SHUFFLE_GOAL = 1.5  # times the fastest MPI program
TOTAL_GOAL = 3.0  # times GNU sort
TOUCHED = 3.3  # times the input: what the MPI programs use of memory
PHASES = ("sample", "shuffle", "sort", "write", "total")


def main():
    options = parse()
    programs = Programs(options.programs, options.polder, against=tuple(options.against))
    terasort = options.terasort or os.path.join(os.path.dirname(programs.polder), "terasort")
    for path in (programs.polder, terasort):
        if not os.access(path, os.X_OK):
            sys.exit(f"terasort: {path} is missing or no program; give --polder and --terasort")
    with tempfile.TemporaryDirectory(prefix="polder-terasort-", dir=options.folder) as folder:
        check_space(folder, options.records)
        contest = Contest(folder, programs, terasort, options)
        contest.measure()
        document = contest.document()
    print(table(document))
    if options.json:
        write_document(options.json, medians(document))
    return 1 if document["failures"] else 0


def parse():
    parser = argparse.ArgumentParser(prog="polder bench terasort", description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("-n", "--ranks", type=positive_count, default=4)
    parser.add_argument("--records", type=positive_count, help="of 100 bytes (default: 10,000,000; 1,000,000 if quick)")
    parser.add_argument("--turns", type=positive_count, help="how often each program runs (default: 5; 2 if quick)")
    parser.add_argument("--quick", action="store_true", help="a small file and few turns")
    parser.add_argument("--against", type=lambda text: text.split(","), default=list(PEERS), help="default: openmpi,mpich")
    parser.add_argument("--no-gnu-sort", action="store_true")
    parser.add_argument("--buffer", help="bytes per message of Polder's shuffle")
    parser.add_argument("--folder", help="where the files go (default: $TMPDIR or /tmp)")
    parser.add_argument("--pause", type=float, help="seconds before each run (default: 4; 0 if quick)")
    parser.add_argument("--warm", action="store_true", help="touch and free memory before each run: the programs and not the host's page faults")
    parser.add_argument("--timeout", type=positive_seconds, default=300, help="seconds that one run may take")
    parser.add_argument("--json", type=result_file, help="write the result here")
    parser.add_argument("--programs", default=FOLDER, help="the folder of terasort-mpi-*")
    parser.add_argument("--polder", default="")
    parser.add_argument("--terasort", default="", help="default: beside polder")
    options = parser.parse_args()
    options.records = options.records or (1_000_000 if options.quick else 10_000_000)
    options.turns = options.turns or (2 if options.quick else 5)
    if options.pause is None:
        options.pause = 0 if options.quick else 4
    return options


def check_space(folder, records):
    needed = 3 * records * RECORD_BYTES
    free = shutil.disk_usage(folder).free
    if free < needed:
        sys.exit(f"terasort: {folder} has {free / 1e9:.1f} GB free, {needed / 1e9:.1f} GB are needed; give --folder or fewer --records")


class Contest:
    """Runs the programs in turn and keeps what they measured."""

    def __init__(self, folder, programs, terasort, options):
        self.input = os.path.join(folder, "input")
        self.output = os.path.join(folder, "output")
        self.report = os.path.join(folder, "report.json")
        self.programs = programs
        self.terasort = terasort
        self.options = options
        self.samples = {}  # (impl, setting) -> one {phase: seconds} per turn
        self.failures = []
        self.checked = set()

    def measure(self):
        run([self.terasort, "generate", "-a", str(self.options.records), self.input], self.options.timeout)
        contestants = list(self.contestants())
        for turn in range(self.options.turns):
            first = turn % len(contestants)  # nobody is always the first
            for contestant in contestants[first:] + contestants[:first]:
                self.take_turn(*contestant)

    def contestants(self):
        """(impl, setting, words, environment, whether it writes a report)"""
        words = ["sort", self.input, self.output, "--no-progress", "--json", self.report]
        buffer = ["--buffer", self.options.buffer] if self.options.buffer else []
        own = self.programs.under_polder(self.options.ranks, self.terasort, *words, *buffer)
        yield "polder", "", own.words, own.environment, True
        for peer in self.programs.against:
            program = self.programs.path(f"terasort-mpi-{peer}")
            if not os.access(program, os.X_OK) or not shutil.which(f"mpirun.{peer}"):
                print(f"terasort: no comparison with {peer}: {program} or mpirun.{peer} is missing", file=sys.stderr)
                continue
            for command in self.programs.under_mpi(peer, self.options.ranks, program, *words):
                yield command.impl, command.setting, command.words, command.environment, True
        if not self.options.no_gnu_sort and shutil.which("sort"):
            memory = max(3 * self.options.records * RECORD_BYTES, 1 << 20)  # so that it need not go to the disk
            words = ["sort", f"--parallel={cores()}", "-S", f"{memory}b", "-o", self.output, self.input]
            yield "gnu sort", "", words, {"LC_ALL": "C"}, False

    def take_turn(self, impl, setting, words, environment, reports):
        if any(failure["words"] == words for failure in self.failures):
            return
        self.clean()
        self.prepare_memory()
        try:
            start = time.monotonic()
            run(words, self.options.timeout, environment)
            seconds = {"wall": time.monotonic() - start}
            if reports:
                with open(self.report, encoding="utf-8") as file:
                    phases = json.load(file)["phases"]
                seconds |= {phase: phases[phase]["max_s"] for phase in PHASES}
            self.check((impl, setting))
            self.samples.setdefault((impl, setting), []).append(seconds)
        except Failure as failure:
            self.failures.append({"words": words, "text": str(failure)})
            print(f"failed: {failure}", file=sys.stderr)

    def clean(self):
        for path in (self.output, self.report):
            if os.path.exists(path):
                os.remove(path)
        os.sync()  # or the next one pays for writing the last one's output

    def prepare_memory(self):
        """The same for all. What was freed before belongs to the host again after a pause, and finding it anew takes longer than sorting."""
        time.sleep(self.options.pause)
        with open(self.input, "rb") as file:
            while file.read(1 << 22):
                pass
        if self.options.warm:
            free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
            touch(int(min(TOUCHED * self.options.records * RECORD_BYTES, free / 2)))

    def check(self, contestant):
        """A fast sort of the wrong records is none. Once for each: it takes longer than sorting."""
        if contestant not in self.checked:
            run([self.terasort, "validate", self.output, "--against", self.input], self.options.timeout)
            self.checked.add(contestant)

    def document(self):
        results = []
        for (impl, setting), turns in self.samples.items():
            median = {name: statistics.median(turn[name] for turn in turns) for name in turns[0]}
            results.append({"impl": impl, "setting": setting, "median_s": median, "turns": turns})
        return {
            "records": self.options.records, "bytes": self.options.records * RECORD_BYTES, "ranks": self.options.ranks,
            "cores": cores(), "turns": self.options.turns, "memory": "warm" if self.options.warm else f"after {self.options.pause:g} s", "results": results, "ratios": ratios(results),
            "failures": [failure["text"] for failure in self.failures],
        }


def touch(size):
    """Writes to memory in huge pages and frees it. A program that comes within a second finds it in the kernel's hands."""
    with mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as memory:
        memory.madvise(mmap.MADV_HUGEPAGE)
        ctypes.memset(ctypes.addressof(ctypes.c_char.from_buffer(memory)), 1, size)


def ratios(results):
    """How many times faster Polder is: its shuffle than the fastest MPI program's, the whole than GNU sort."""
    own = next((result["median_s"] for result in results if result["impl"] == "polder"), None)
    if own is None:
        return {}
    found = {}
    shuffles = [result["median_s"]["shuffle"] for result in results if result["impl"] in PEERS]
    if shuffles:
        found["shuffle"] = {"times": min(shuffles) / own["shuffle"], "goal": SHUFFLE_GOAL, "of": "the fastest MPI program"}
    for result in results:
        if result["impl"] == "gnu sort":
            found["total"] = {"times": result["median_s"]["wall"] / own["wall"], "goal": TOTAL_GOAL, "of": "GNU sort"}
    return found


def table(document):
    gigabytes = document["bytes"] / 1e9
    lines = [f"terasort: {document['records']} ASCII records ({gigabytes:.2f} GB), {document['ranks']} ranks on "
             f"{document['cores']} cores, median of {document['turns']} turns, memory {document['memory']}, seconds",
             f"{'':18}" + "".join(f"{name:>9}" for name in (*PHASES, "wall")) + f"{'shuffle':>15}"]
    for result in document["results"]:
        median = result["median_s"]
        name = f"{result['impl']} {result['setting']}".strip()
        cells = "".join(f"{median[phase]:9.3f}" if phase in median else f"{'-':>9}" for phase in (*PHASES, "wall"))
        rate = f"{gigabytes / median['shuffle']:10.2f} GB/s" if median.get("shuffle") else ""
        lines.append(f"{name:18}{cells}{rate}")
    for name, ratio in document["ratios"].items():
        verdict = "reached" if ratio["times"] >= ratio["goal"] else "missed"
        lines.append(f"{name}: {ratio['times']:.2f} times as fast as {ratio['of']} (goal {ratio['goal']}: {verdict})")
    return "\n".join(lines + [f"failed: {failure}" for failure in document["failures"]])


if __name__ == "__main__":
    run_as_program("terasort", main)
