#!/usr/bin/env python3
"""What a trace costs: the same program with and without --trace, in turns.

    bench/tracing.py [--turns N] [--quick] [--json FILE]       from a build tree: build/release/libexec/polder/tracing.py

A put of 8 bytes, a put with a notification, a barrier of 2 ranks and of 4, and a sort from start to end. The untraced and the traced
program take turns, and each begins every other turn. What is printed is the median of each, the median of the differences and of the ratios turn by
turn, and the quartiles between which half of the ratios lie: a disturbance of one turn does not decide. Then what the trace took on disk. Every
call is an event: nothing is filtered, and nothing bounds the files.

`trace-lab span` in the build tree measures the same without a program around it: what a call pays for the question whether there is a trace, and what
an event costs beside the two time stamps that it needs.
"""

import argparse
import os
import shutil
import statistics
import sys
import tempfile

FOLDER = os.path.dirname(os.path.realpath(__file__))
sys.dont_write_bytecode = True
# Beside polder-bench in a build tree or an installation, beside the driver in the source tree.
sys.path[:0] = [FOLDER, os.path.join(FOLDER, "driver")]

from polder_bench.process import Failure, run, run_measurements, wall_ns  # noqa: E402
from polder_bench.programs import Programs  # noqa: E402
from polder_bench.stats import quantile  # noqa: E402
from polder_bench.study import run_as_program, show_rows  # noqa: E402
from polder_bench.text import time_text  # noqa: E402
from polder_bench.words import positive_count, positive_seconds, result_file  # noqa: E402

# Measurement of bench-micro, ranks, and which of what it prints: (name, size, threads).
MEASUREMENTS = (
    ("put", 2, ("put", 8, 1)),
    ("put_notify", 2, ("put_notify", 8, 1)),
    ("barrier", 2, ("barrier", 0, 1)),
    ("barrier", 4, ("barrier", 0, 1)),
)
SORTED_MB = 1024
RECORDS_PER_MB = (1 << 20) // 100
WAYS = ("untraced", "traced")


def main():
    options = parse()
    programs = Programs(options.folder, options.polder)
    for path in programs.missing():
        sys.exit(f"bench/tracing.py: {path} is missing: configure with -DPOLDER_BUILD_BENCH=ON and build first")
    rows, failures = [], []
    with tempfile.TemporaryDirectory(dir=options.scratch) as scratch:
        for name, measure in measurements(programs, scratch, options):
            print(f"{name}, {options.turns} turns", file=sys.stderr, flush=True)
            try:
                rows.append(row(name, *take_turns(measure, options.turns, scratch)))
            except Failure as failure:
                failures.append(f"{name}: {failure}")
    return show_rows(programs, options, rows, failures, page)


def parse():
    parser = argparse.ArgumentParser(prog="bench/tracing.py", description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--turns", type=positive_count, default=7)
    parser.add_argument("--quick", action="store_true", help="a few iterations, to see that all works")
    parser.add_argument("--timeout", type=positive_seconds, default=120, help="seconds for one start of one program")
    parser.add_argument("--folder", default=FOLDER, help="where bench-micro lies (default: beside this program)")
    parser.add_argument("--polder", default="", help="the launcher (default: that of the same build)")
    parser.add_argument("--scratch", help="where traces and the sorted file lie (default: the system's folder for temporary files)")
    parser.add_argument("--json", type=result_file, help="write the result here")
    return parser.parse_args()


def measurements(programs, scratch, options):
    """Pairs of a name and a function of the words that ask for a trace, which gives nanoseconds."""
    quick = ["--quick"] if options.quick else []
    for name, ranks, wanted in MEASUREMENTS:
        command = programs.micro(ranks, name, *quick)
        yield f"{name}, {ranks} ranks", lambda words, command=command, wanted=wanted: of_micro(with_words(command.words, words), wanted, options.timeout)
    try:
        terasort = programs.application("terasort")
    except Failure as absent:
        print(f"left out: {absent}", file=sys.stderr)
        return
    megabytes = 8 if options.quick else SORTED_MB
    unsorted, result = os.path.join(scratch, "in"), os.path.join(scratch, "out")
    run([terasort, "generate", str(megabytes * RECORDS_PER_MB), unsorted], options.timeout)

    def sort(words):
        taken = wall_ns(with_words([programs.polder, "run", "-n", "4", terasort, "sort", unsorted, result], words), options.timeout)
        os.remove(result)
        return taken

    yield f"terasort of {megabytes} MB, 4 ranks, whole", sort


def with_words(command, words):
    """The launcher's own options stand behind its "run"."""
    at = command.index("run") + 1
    return [*command[:at], *words, *command[at:]]


def of_micro(command, wanted, timeout):
    for one in run_measurements(command, timeout):
        if (one["name"], one["size"], one["threads"]) == wanted:
            return statistics.median(one["ns"])
    raise Failure(f"{' '.join(command)}: it did not measure {wanted[0]}")


def take_turns(measure, turns, scratch):
    """{way: nanoseconds of each turn}, and the bytes of the last trace. The first call of each way is not counted."""
    times, trace, traced_bytes = {way: [] for way in WAYS}, os.path.join(scratch, "trace"), 0
    for turn in range(-1, turns):
        for way in reversed(WAYS) if turn % 2 else WAYS:
            shutil.rmtree(trace, ignore_errors=True)
            ns = measure(["--trace", trace] if way == "traced" else [])
            if turn >= 0:
                times[way].append(ns)
            if way == "traced":
                traced_bytes = bytes_of(trace)
    shutil.rmtree(trace, ignore_errors=True)
    return times, traced_bytes


def bytes_of(folder):
    sizes = [os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder)] if os.path.isdir(folder) else []
    if not sizes:
        raise Failure(f"no trace was left in {folder}: what was measured as traced was not")
    return sum(sizes)


def row(name, times, traced_bytes):
    pairs = list(zip(times["untraced"], times["traced"]))
    ratios = [traced / untraced for untraced, traced in pairs]
    return {"name": name, "untraced_ns": statistics.median(times["untraced"]), "traced_ns": statistics.median(times["traced"]),
            "more_ns": statistics.median(traced - untraced for untraced, traced in pairs),
            "ratio": statistics.median(ratios), "low": quantile(ratios, 0.25), "high": quantile(ratios, 0.75), "trace_bytes": traced_bytes}


def page(rows):
    lines = ["| | untraced | traced | more | traced / untraced | half of the turns | trace |", "|---|---:|---:|---:|---:|---:|---:|"]
    for one in rows:
        more = ("-" if one["more_ns"] < 0 else "") + time_text(abs(one["more_ns"]))
        lines.append(f"| {one['name']} | {time_text(one['untraced_ns'])} | {time_text(one['traced_ns'])} | {more} | {one['ratio']:.3f} "
                     f"| {one['low']:.3f} to {one['high']:.3f} | {one['trace_bytes'] / 1e6:.1f} MB |")
    return "\n".join(lines)


if __name__ == "__main__":
    run_as_program("tracing", main)
