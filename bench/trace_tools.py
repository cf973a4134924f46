#!/usr/bin/env python3
"""What reading a trace takes: reports and files for other tools, of made traces of any size.

    bench/trace_tools.py [--events N ...] [--ranks N] [--to WHAT ...] [--scratch DIR] [--json FILE]    from a build tree: build/release

For each size a trace is made (trace-lab make), and each tool run on it once. Printed are the processor's time and that of the clock, events a second of
the processor's time, the most memory, and the size of what was written. Each output is removed before the next is made; the scratch folder
needs 49 bytes an event for the trace, and 200 for the largest output with what it is sorted in: 25 GB for 100 million events.
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

FOLDER = os.path.dirname(os.path.realpath(__file__))
sys.dont_write_bytecode = True
WAYS = ("stats", "report", "csv", "perfetto", "chrome", "otf2", "paraver")
MEMORY_MB = 300  # what no tool may need more of
EVENTS_A_SECOND = 1e6  # of the processor's time, for files


class Failure(Exception):
    pass


def measured(command, environment=None):
    """(seconds of the processor, of the clock, the most MB, what it printed)."""
    began = time.monotonic()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ, **(environment or {})})
    with process.stdout:
        printed = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise Failure(f"{' '.join(command)}: exit code {process.returncode}: {printed.strip()[-300:]}")
    return usage.ru_utime + usage.ru_stime, time.monotonic() - began, usage.ru_maxrss * resource_unit() / 1e6, printed


def resource_unit():
    return 1024 if sys.platform.startswith("linux") else resource.getpagesize()


def bytes_of(path):
    if os.path.isfile(path):
        return os.path.getsize(path)
    return sum(os.path.getsize(os.path.join(folder, name)) for folder, _, names in os.walk(path) for name in names)


def command_of(polder, way, trace, output):
    if way == "stats":
        return [polder, "trace", "stats", trace]
    if way == "report":
        return [polder, "trace", "report", trace, "-o", os.path.join(output, "report.html")]
    name = {"otf2": "archive"}.get(way, "trace." + {"paraver": "prv", "perfetto": "perfetto-trace", "chrome": "json"}.get(way, way))
    return [polder, "trace", "convert", trace, "--to", way, "-o", os.path.join(output, name)]


def rows_of(polder, lab, events, ranks, ways, scratch):
    trace = os.path.join(scratch, "trace")
    cpu, wall, _, _ = measured([lab, "make", trace, str(ranks), str(events)])
    size = bytes_of(trace)
    print(f"{events} events of {ranks} ranks: {size / events:.1f} bytes each on disk, made in {wall:.0f} s", file=sys.stderr, flush=True)
    try:
        for way in ways:
            output = os.path.join(scratch, "output")
            os.makedirs(output)
            try:
                cpu, wall, memory, _ = measured(command_of(polder, way, trace, output), {"TMPDIR": scratch})
                yield {"way": way, "events": events, "ranks": ranks, "cpu_s": cpu, "wall_s": wall, "memory_mb": memory, "output_bytes": bytes_of(output),
                       "bytes_per_event": size / events}
            finally:
                shutil.rmtree(output)
    finally:
        shutil.rmtree(trace)


def line(row):
    rate = row["events"] / max(row["cpu_s"], 1e-9)
    fast = "" if row["way"] in ("stats", "report") else "met" if rate >= EVENTS_A_SECOND else "NOT met"
    return (f"| {row['way']} | {row['events'] / 1e6:g} M | {row['cpu_s']:.2f} s | {row['wall_s']:.1f} s | {rate / 1e6:.2f} M/s {fast} | "
            f"{row['memory_mb']:.0f} MB {'met' if row['memory_mb'] <= MEMORY_MB else 'NOT met'} | {row['output_bytes'] / 1e6:.1f} MB |")


def page(rows):
    head = ["| | events | processor | clock | events a second (goal 1 M) | memory (goal 300 MB) | output |", "|---|---:|---:|---:|---:|---:|---:|"]
    return "\n".join(head + [line(row) for row in rows])


def main():
    parser = argparse.ArgumentParser(prog="bench/trace_tools.py", description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--events", type=int, nargs="+", default=[1_000_000, 10_000_000, 100_000_000])
    parser.add_argument("--ranks", type=int, default=64)
    parser.add_argument("--to", nargs="+", choices=WAYS, default=list(WAYS))
    parser.add_argument("--build", default=os.path.join(FOLDER, "..", "..", ".."), help="the build tree (default: the one that this lies in)")
    parser.add_argument("--scratch", help="where the trace and the outputs lie (default: the system's folder for temporary files)")
    parser.add_argument("--json", help="write the result here")
    options = parser.parse_args()
    polder, lab = (os.path.join(options.build, *parts) for parts in (("bin", "polder"), ("tests", "bin", "trace-lab")))
    for path in (polder, lab):
        if not os.access(path, os.X_OK):
            sys.exit(f"bench/trace_tools.py: {path} is missing: configure with -DPOLDER_BUILD_BENCH=ON -DPOLDER_BUILD_TESTS=ON, build, and say --build")
    rows = []
    try:
        for events in options.events:
            with tempfile.TemporaryDirectory(dir=options.scratch) as scratch:
                for row in rows_of(polder, lab, events, options.ranks, options.to, scratch):
                    rows.append(row)
                    print(line(row), file=sys.stderr, flush=True)
    except Failure as failure:
        print(page(rows))
        sys.exit(f"bench/trace_tools.py: {failure}")
    print(page(rows))
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
