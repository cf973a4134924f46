#!/usr/bin/env python3
"""The fast multipole method: time, error, and how both numbers of ranks and of particles scale.

Strong scaling: the same particles on more and more ranks. Weak scaling: as many particles for each rank. Runs are taken in turn, again
and again; medians count. The time is that of one evaluation at the slowest rank, without start-up and without the check of the result,
which every run makes: a run that misses the requested accuracy is a failure.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile

FOLDER = os.path.dirname(os.path.realpath(__file__))
sys.dont_write_bytecode = True
# Beside polder-bench in a build tree or an installation, beside the driver in the source tree.
sys.path[:0] = [FOLDER, os.path.join(FOLDER, "driver")]

from polder_bench.process import Failure, run  # noqa: E402
from polder_bench.programs import Programs, cores  # noqa: E402
from polder_bench.results import medians, write_document  # noqa: E402
from polder_bench.study import run_as_program  # noqa: E402
from polder_bench.words import positive_count, positive_seconds, result_file  # noqa: E402

EFFICIENCY_GOAL = 0.7  # of ideal, from 1 to 2 ranks where there are 2 cores


def main():
    options = parse()
    programs = Programs(options.programs, options.polder)
    fmm = programs.application("fmm", options.fmm)
    study = Study(programs, fmm, options)
    study.measure()
    document = study.document()
    print(table(document))
    if options.json:
        write_document(options.json, medians(document))
    return 1 if document["failures"] else 0


def parse():
    parser = argparse.ArgumentParser(prog="bench/fmm.py", description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("-n", "--ranks", type=lambda text: [int(word) for word in text.split(",")], default=[1, 2, 4],
                        help="default: 1,2,4")
    parser.add_argument("--particles", type=positive_count, help="of strong scaling (default: 1,000,000; 100,000 if quick)")
    parser.add_argument("--each", type=positive_count, help="particles for each rank of weak scaling (default: half of --particles)")
    parser.add_argument("--accuracy", type=float, default=1e-5)
    parser.add_argument("--steps", type=positive_count, default=2, help="evaluations of a run; the last one counts, balanced by the first")
    parser.add_argument("--turns", type=positive_count, help="how often each run is made (default: 3; 1 if quick)")
    parser.add_argument("--shapes", type=lambda text: text.split(","), default=["cube", "plummer"])
    parser.add_argument("--quick", action="store_true", help="few particles and turns")
    parser.add_argument("--timeout", type=positive_seconds, default=300, help="seconds that one run may take")
    parser.add_argument("--json", type=result_file, help="write the result here")
    parser.add_argument("--programs", default=FOLDER, help="the folder of polder-bench")
    parser.add_argument("--polder", default="")
    parser.add_argument("--fmm", default="", help="default: beside polder")
    options = parser.parse_args()
    options.particles = options.particles or (100_000 if options.quick else 1_000_000)
    options.each = options.each or options.particles // 2
    options.turns = options.turns or (1 if options.quick else 3)
    return options


class Study:
    """Makes the runs in turn and keeps their reports."""

    def __init__(self, programs, fmm, options):
        self.programs = programs
        self.fmm = fmm
        self.options = options
        self.reports = {}  # (shape, ranks, particles) -> reports
        self.failures = []

    def cases(self):
        """(shape, ranks, particles), each once."""
        found = {}
        for shape in self.options.shapes:
            for ranks in self.options.ranks:
                found[(shape, ranks, self.options.particles)] = True
                found[(shape, ranks, ranks * self.options.each)] = True
        return list(found)

    def measure(self):
        cases = self.cases()
        for turn in range(self.options.turns):
            first = turn % len(cases)  # nobody is always the first
            for case in cases[first:] + cases[:first]:
                self.take(*case)

    def take(self, shape, ranks, particles):
        with tempfile.TemporaryDirectory(prefix="polder-fmm-") as folder:
            path = os.path.join(folder, "report.json")
            command = self.programs.under_polder(
                ranks, self.fmm, f"--{shape}", str(particles), "--accuracy", str(self.options.accuracy), "--steps",
                str(self.options.steps), "--quiet", "--json", path)
            try:
                run(command.words, self.options.timeout, command.environment)
                with open(path, encoding="utf-8") as file:
                    report = json.load(file)
                check(report)
            except Failure as failure:
                self.failures.append(str(failure))
                print(f"failed: {failure}", file=sys.stderr)
                return
        self.reports.setdefault((shape, ranks, particles), []).append(report)

    def document(self):
        options = self.options
        results = [summary(key, reports) for key, reports in self.reports.items()]
        document = {"cores": cores(), "accuracy": options.accuracy, "turns": options.turns, "results": results,
                    "strong": [], "weak": [], "failures": self.failures}
        for shape in options.shapes:
            document["strong"] += scaling(results, shape, lambda ranks: options.particles, weak=False)
            document["weak"] += scaling(results, shape, lambda ranks: ranks * options.each, weak=True)
        return document


def check(report):
    error = report["steps"][-1]["error"]
    reached = max(error["potential"], error["field"])
    if reached > report["accuracy"]:
        raise Failure(f"{report['particles']} particles ({report['source']}): error {reached:.1e} of {report['accuracy']:.1e}")


def summary(key, reports):
    shape, ranks, particles = key
    last = [report["steps"][-1] for report in reports]
    return {
        "shape": shape, "ranks": ranks, "particles": particles, "order": last[0]["order"],
        "seconds": statistics.median(report["seconds"] for report in reports),
        "direct_seconds": statistics.median(report["direct_seconds"] for report in reports),
        "potential_error": max(step["error"]["potential"] for step in last),
        "field_error": max(step["error"]["field"] for step in last),
        "imbalance": statistics.median(step["imbalance"] for step in last),
        "bytes_per_particle": statistics.median(report["bytes_per_particle"] for report in reports),
        "all_seconds": [report["seconds"] for report in reports],
    }


def scaling(results, shape, particles_of, weak):
    """Efficiency against the fewest ranks. With more ranks than cores the ideal is that of the cores."""
    found = {result["ranks"]: result for result in results
             if result["shape"] == shape and result["particles"] == particles_of(result["ranks"])}
    if not found:
        return []
    base = found[min(found)]
    lines = []
    for ranks, result in sorted(found.items()):
        workers = min(ranks, cores()) / min(base["ranks"], cores())
        work = result["particles"] / base["particles"] if weak else 1
        ideal = base["seconds"] * work / workers
        lines.append({"shape": shape, "ranks": ranks, "particles": result["particles"], "seconds": result["seconds"],
                      "efficiency": ideal / result["seconds"]})
    return lines


def table(document):
    lines = [f"fmm: accuracy {document['accuracy']:.0e}, {document['cores']} cores, median of {document['turns']} turns",
             "shape      particles ranks order  seconds   potential     field  imbalance  bytes/particle  direct/fmm"]
    for result in sorted(document["results"], key=lambda r: (r["shape"], r["particles"], r["ranks"])):
        lines.append(f"{result['shape']:8} {result['particles']:11} {result['ranks']:5} {result['order']:5} {result['seconds']:8.3f} "
                     f"{result['potential_error']:11.1e} {result['field_error']:9.1e} {result['imbalance'] * 100:8.1f} % "
                     f"{result['bytes_per_particle']:15.0f} {result['direct_seconds'] / result['seconds']:11.0f}")
    for name in ("strong", "weak"):
        for line in document[name]:
            verdict = ""
            if name == "strong" and line["ranks"] == 2 and document["cores"] >= 2:
                verdict = f" (goal {EFFICIENCY_GOAL}: {'reached' if line['efficiency'] >= EFFICIENCY_GOAL else 'missed'})"
            lines.append(f"{name} scaling, {line['shape']}, {line['ranks']} ranks: {line['seconds']:.3f} s, "
                         f"efficiency {line['efficiency']:.2f}{verdict}")
    return "\n".join(lines + [f"failed: {failure}" for failure in document["failures"]])


if __name__ == "__main__":
    run_as_program("fmm", main)
