#!/usr/bin/env python3
"""Two builds of Polder beside each other: what a change, or a hundred of them, made faster or slower.

    bench/builds.py BEFORE AFTER [--turns N] [--json FILE]      two build folders (build/release of two checkouts)

Measurements of bench-micro that both builds have, the start of jobs of many ranks, and a sort with its shuffle. The builds take turns and
each begins every other turn. What is printed is the median of each and the median of the ratios AFTER/BEFORE turn by turn, with
the quartiles between which half of them lie: a disturbance of one turn does not decide.
"""

import argparse
import os
import statistics
import sys
import tempfile
from collections import defaultdict

FOLDER = os.path.dirname(os.path.realpath(__file__))
sys.dont_write_bytecode = True
# Beside polder-bench in a build tree or an installation, beside the driver in the source tree.
sys.path[:0] = [FOLDER, os.path.join(FOLDER, "driver")]

from polder_bench.process import Failure, run, run_measurements, wall_ns  # noqa: E402
from polder_bench.programs import Programs  # noqa: E402
from polder_bench.stats import quantile  # noqa: E402
from polder_bench.study import run_as_program, show_rows  # noqa: E402
from polder_bench.text import size_text, time_text  # noqa: E402
from polder_bench.words import positive_count, positive_seconds, result_file  # noqa: E402

# Measurement of bench-micro, the numbers of ranks it is taken with, and what it prints that counts here: (name, size, threads).
MEASUREMENTS = (
    ("put", (2,), {("put", 8, 1), ("put_flush", 8, 1)}),
    ("put_notify", (2,), {("put_notify", 8, 1)}),
    ("fetch_add", (2, 4), {("fetch_add", 8, 1)}),
    ("rate", (2,), {("rate", 8, 4)}),
    ("barrier", (2, 4, 8, 16), {("barrier", 0, 1)}),
    ("allreduce", (2, 4, 8, 16), {("allreduce", 8, 1), ("allreduce", 2040, 1)}),
)
STARTS = (16, 64, 128, 256, 512)
SORTED_MB = 256
RECORDS_PER_MB = (1 << 20) // 100


def main():
    options = parse()
    builds = {"before": Build(options.before), "after": Build(options.after)}
    ratios, times, failures = defaultdict(list), defaultdict(lambda: defaultdict(list)), []
    with tempfile.TemporaryDirectory(dir=options.scratch) as scratch:
        for turn in range(options.turns):
            print(f"turn {turn + 1} of {options.turns}", file=sys.stderr, flush=True)
            for measure in measurements(scratch, options):
                take_pair(builds, measure, turn % 2 == 1, (ratios, times, failures))
    table = [row(key, times[key], ratios[key]) for key in times if ratios[key]]
    return show_rows(builds["after"].programs, options, table, failures, page)


def parse():
    parser = argparse.ArgumentParser(prog="bench/builds.py", description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("before", help="a build folder")
    parser.add_argument("after", help="another one")
    parser.add_argument("--turns", type=positive_count, default=7)
    parser.add_argument("--quick", action="store_true", help="a few iterations, to see that all works")
    parser.add_argument("--timeout", type=positive_seconds, default=120, help="seconds for one start of one program")
    parser.add_argument("--scratch", help="where the sorted file lies (default: the system's folder for temporary files)")
    parser.add_argument("--json", type=result_file, help="write the result here")
    return parser.parse_args()


class Build:
    """A build folder and its programs."""

    def __init__(self, folder):
        self.folder = os.path.abspath(folder)
        self.programs = Programs(os.path.join(self.folder, "libexec", "polder"))
        for path in self.programs.missing():
            sys.exit(f"bench/builds.py: {path} is missing: configure with -DPOLDER_BUILD_BENCH=ON and build first")

    def path(self, program):
        return os.path.join(self.folder, "bin", program)


def measurements(scratch, options):
    """Functions of a build that give {(name, size, threads, ranks): nanoseconds}, in the order of the table."""
    quick = ["--quick"] if options.quick else []
    for name, all_ranks, wanted in MEASUREMENTS:
        for ranks in all_ranks:
            yield lambda build, name=name, ranks=ranks, wanted=wanted: of_micro(build, [name, *quick], ranks, wanted, options.timeout)
    for ranks in STARTS[:1] if options.quick else STARTS:
        yield lambda build, ranks=ranks: start_and_end(build, ranks, options.timeout)
    yield lambda build: sort(build, scratch, 8 if options.quick else SORTED_MB, options.timeout)


def of_micro(build, words, ranks, wanted, timeout):
    command = build.programs.micro(ranks, *words)
    return {(one["name"], one["size"], one["threads"], ranks): statistics.median(one["ns"])
            for one in run_measurements(command.words, timeout, command.environment)
            if (one["name"], one["size"], one["threads"]) in wanted}


def start_and_end(build, ranks, timeout):
    return {("start and end", 0, 1, ranks): wall_ns(build.programs.micro(ranks, "empty").words, timeout)}


def sort(build, scratch, megabytes, timeout):
    """The whole program, from its start to its end; input and output lie in `scratch`."""
    unsorted, result = os.path.join(scratch, "in"), os.path.join(scratch, "out")
    if not os.path.exists(unsorted):
        run([build.path("terasort"), "generate", str(megabytes * RECORDS_PER_MB), unsorted], timeout)
    taken = wall_ns([build.programs.polder, "run", "-n", "4", build.path("terasort"), "sort", unsorted, result], timeout)
    os.remove(result)
    return {("terasort", megabytes << 20, 1, 4): taken}


def take_pair(builds, measure, turned, into):
    """One turn of one measurement with both builds, one right after the other."""
    ratios, times, failures = into
    found = {}
    for name in reversed(builds) if turned else builds:
        try:
            found[name] = measure(builds[name])
        except Failure as failure:
            failures.append(f"{name}: {failure}")
            return
    for key, after in found["after"].items():
        if key not in found["before"]:
            continue
        before = found["before"][key]
        times[key]["before"].append(before)
        times[key]["after"].append(after)
        ratios[key].append(after / before)


def row(key, times, ratios):
    name, size, threads, ranks = key
    return {"name": name, "size": size, "threads": threads, "ranks": ranks,
            "before_ns": statistics.median(times["before"]), "after_ns": statistics.median(times["after"]),
            "ratio": statistics.median(ratios), "low": quantile(ratios, 0.25), "high": quantile(ratios, 0.75)}


def page(table):
    lines = ["| | size | ranks | before | after | after / before | half of the turns |", "|---|---:|---:|---:|---:|---:|---:|"]
    for one in table:
        name = one["name"] + (f", {one['threads']} threads" if one["threads"] > 1 else "")
        lines.append(f"| {name} | {size_text(one['size'])} | {one['ranks']} | {time_text(one['before_ns'])} | {time_text(one['after_ns'])} "
                     f"| {one['ratio']:.2f} | {one['low']:.2f} to {one['high']:.2f} |")
    return "\n".join(lines)


if __name__ == "__main__":
    run_as_program("builds", main)
