#!/usr/bin/env python3
"""What a rank's death costs a sort: apps/terasort with a spare, beside starting again.

Everybody sorts the same file, in turn, again and again; medians count, and each output is validated once. Times are those of the whole
command, launcher included. A rank kills itself at a step of the sort (half of the shuffle done, all of it, half of the output written, all of it) and a spare takes its
place. `starting again` is what there is without: the same death with no spare left, up to the end of that job, and then an undisturbed run. The input is in
the page cache. Before each run there is a pause, in which the host of a virtual machine can take back what the run before has freed.

Spark, where pyspark can be imported, sorts the same records with as many executors, one of which is killed when a share of its undisturbed time is over. Its times are those of
the sort alone: the start of its cluster does not count.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections import defaultdict

FOLDER = os.path.dirname(os.path.realpath(__file__))
sys.dont_write_bytecode = True
# Beside polder-bench in a build tree or an installation, beside the driver in the source tree.
sys.path[:0] = [FOLDER, os.path.join(FOLDER, "driver")]

from polder_bench.machine import describe  # noqa: E402
from polder_bench.process import Failure, run  # noqa: E402
from polder_bench.programs import Programs, cores  # noqa: E402
from polder_bench.study import run_as_program, study_in_turns  # noqa: E402
from polder_bench.text import machine_text  # noqa: E402
from polder_bench.words import positive_count, positive_seconds, result_file  # noqa: E402

RECORD_BYTES = 100
GOAL = 0.25  # of the undisturbed run
STEPS = ("half-shuffled", "shuffled", "half-written", "written")
PLAIN, UNDISTURBED = "without spares", "undisturbed"
SPARK = "Spark, undisturbed"
SHARES = (0.25, 0.5, 0.75)  # of Spark's undisturbed time, after which an executor is killed


def spark_dies(share):
    return f"Spark, an executor dies after {share:.0%}"


def main():
    options = parse()
    study = Study(Programs(options.programs, options.polder), options)
    return study_in_turns(study, options, options.folder, page)


def parse():
    parser = argparse.ArgumentParser(prog="bench/terasort_spares.py", description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("-n", "--ranks", type=positive_count, help="that work, beside the spare (default: 8; 3 if quick)")
    parser.add_argument("--records", type=positive_count, help="of 100 bytes (default: 10,000,000; 100,000 if quick)")
    parser.add_argument("--turns", type=positive_count, help="default: 7; 1 if quick")
    parser.add_argument("--quick", action="store_true", help="a moment of each")
    parser.add_argument("--folder", help="where the files go (default: $TMPDIR or /tmp)")
    parser.add_argument("--pause", type=float, help="seconds before each run (default: 4; 0 if quick)")
    parser.add_argument("--timeout", type=positive_seconds, default=300, help="seconds that one run may take")
    parser.add_argument("--python", default="/usr/bin/python3", help="that imports pyspark")
    parser.add_argument("--no-spark", action="store_true", help="without it, though it is there")
    parser.add_argument("--executor-mb", type=positive_count, default=1024, help="memory of each of Spark's executors (default: 1024)")
    parser.add_argument("--json", type=result_file, help="write the result here")
    parser.add_argument("--programs", default=FOLDER, help="the folder of polder-bench")
    parser.add_argument("--polder", default="")
    parser.add_argument("--terasort", default="", help="default: beside polder")
    options = parser.parse_args()
    options.ranks = options.ranks or (3 if options.quick else 8)
    options.records = options.records or (100_000 if options.quick else 10_000_000)
    options.turns = options.turns or (1 if options.quick else 7)
    if options.pause is None:
        options.pause = 0 if options.quick else 4
    if options.ranks < 2:
        parser.error("--ranks: at least 2, of which one dies")
    return options


class Study:
    """Makes the runs in turn and keeps their seconds."""

    def __init__(self, programs, options):
        self.programs, self.options = programs, options
        self.terasort = programs.application("terasort", options.terasort)
        self.seconds = defaultdict(list)
        self.failures = []
        self.checked = set()
        looked = subprocess.run([options.python, "-c", "import pyspark"], stdin=subprocess.DEVNULL, capture_output=True, check=False)
        self.spark = looked.returncode == 0 and not options.no_spark

    def prepare(self, folder):
        self.input, self.output, self.report = (os.path.join(folder, name) for name in ("input", "output", "report.json"))
        self.spark_output = os.path.join(folder, "spark-output")
        run([self.terasort, "generate", str(self.options.records), self.input], self.options.timeout)

    def measure(self, turn):
        runs = [lambda: self.one(PLAIN, (), 0), lambda: self.one(UNDISTURBED, (), 1)]
        victim = self.options.ranks // 2
        for step in STEPS:
            runs.append(lambda step=step: self.one(step, (f"{step}:{victim}",), 1))
            # One more than there are spares, at the same moment.
            runs.append(lambda step=step: self.one(f"end at {step}", (f"{step}:{victim}", f"{step}:{victim - 1}"), 1))
        first = turn % len(runs)  # nobody is always the first
        for take in runs[first:] + runs[:first]:
            self.take(take)
        if self.spark:
            self.take(lambda: self.one_of_spark(SPARK, 0))
            for share in SHARES if self.seconds[SPARK] else ():
                self.take(lambda share=share: self.one_of_spark(spark_dies(share), share * statistics.median(self.seconds[SPARK])))

    def take(self, run_it):
        try:
            run_it()
        except Failure as failure:
            self.failures.append(str(failure))
            print(f"failed: {failure}", file=sys.stderr)

    def settle(self):
        """The same beginning for everybody."""
        for path in (self.output, self.report):
            if os.path.exists(path):
                os.remove(path)
        shutil.rmtree(self.spark_output, ignore_errors=True)
        os.sync()  # or this one pays for writing the last one's output
        time.sleep(self.options.pause)
        with open(self.input, "rb") as file:
            while file.read(1 << 22):
                pass

    def one_of_spark(self, what, after):
        self.settle()
        options = self.options
        words = [options.python, os.path.join(FOLDER, "peers", "terasort_spark.py"), self.input, self.spark_output, options.ranks, options.executor_mb, after]
        answer = json.loads(run([*map(str, words), *([] if what in self.checked else ["check"])], options.timeout).strip().splitlines()[-1])
        self.checked.add(what)
        if after > 0 and answer["killed"] != 1:
            print(f"{what}: this one was over before, and does not count", file=sys.stderr)
            return
        self.seconds[what].append(answer["seconds"])

    def one(self, what, deaths, spares):
        self.settle()
        command = self.programs.under_polder(self.options.ranks, self.terasort, "sort", self.input, self.output, "--no-progress", "--json", self.report)
        words = command.words[:]
        if spares:
            place = words.index("run") + 1
            words[place:place] = ["--spares", str(spares), "--keep-going"]
        if deaths:
            words += ["--kill-at", ",".join(deaths)]
        start = time.monotonic()
        try:
            run(words, self.options.timeout, command.environment)
        except Failure:
            # A rank that was killed makes the launcher's exit code; the report says whether the work was done.
            if not deaths or (len(deaths) == spares and not os.path.exists(self.report)):
                raise
        self.seconds[what].append(time.monotonic() - start)
        self.check(what, deaths, len(deaths) <= spares)

    def check(self, what, deaths, whole):
        if not whole:
            if os.path.exists(self.output):
                raise Failure(f"{what}: there is an output, though no spare was left")
            return
        with open(self.report, encoding="ascii") as file:
            lost = sum(len(each["lost"]) for each in json.load(file)["replacements"])
        if lost != len(deaths):
            raise Failure(f"{what}: {lost} ranks were replaced, and {len(deaths)} were to die")
        if what not in self.checked:
            run([self.terasort, "validate", self.output, "--against", self.input], self.options.timeout)
            self.checked.add(what)

    def document(self):
        options = self.options
        return {"machine": describe(self.programs), "records": options.records, "ranks": options.ranks, "cores": cores(), "turns": options.turns,
                "pause": options.pause, "median_s": {what: statistics.median(seconds) for what, seconds in self.seconds.items()},
                "all_s": dict(self.seconds), "failures": self.failures}


def page(document):
    median = document["median_s"]
    whole = median.get(UNDISTURBED)
    gigabytes = document["records"] * RECORD_BYTES / 1e9
    lines = [machine_text(document["machine"]), f"{gigabytes:.2f} GB, {document['ranks']} ranks and a spare on {document['cores']} cores; medians of {document['turns']} turns", "",
             "| | seconds | more than undisturbed | goal | starting again |", "|---|---:|---:|---|---:|"]
    if PLAIN in median:
        lines.append(f"| {PLAIN} | {median[PLAIN]:.3f} | | | |")
    if whole is None:
        return "\n".join(lines)
    lines.append(f"| {UNDISTURBED}, a spare waits | {whole:.3f} | | | |")
    for step in STEPS:
        if step not in median:
            continue
        share = median[step] / whole - 1
        judged = f"{GOAL:.0%}: " + ("met" if share <= GOAL else "NOT met")
        end = median.get(f"end at {step}")
        again = f"{end + whole:.3f} (+{end / whole:.1%})" if end is not None else ""
        lines.append(f"| a rank dies: {step} | {median[step]:.3f} | {share:+.1%} | {judged} | {again} |")
    lines += spark_rows(median)
    return "\n".join(lines + [f"failed: {failure}" for failure in document["failures"]])


def spark_rows(median):
    """Beside its own undisturbed run."""
    if SPARK not in median:
        return []
    lines = [f"| {SPARK} | {median[SPARK]:.3f} | | | |"]
    for what in map(spark_dies, SHARES):
        if what in median:
            lines.append(f"| {what} | {median[what]:.3f} | {median[what] / median[SPARK] - 1:+.1%} | | |")
    return lines


if __name__ == "__main__":
    run_as_program("terasort_spares", main)
