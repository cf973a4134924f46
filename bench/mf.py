#!/usr/bin/env python3
"""Matrix factorisation with stragglers: error and iterations over time, for several slacks of the stale-synchronous allreduce.

Figures 6 and 7 of Iakymchuk et al., "Efficient and eventually consistent collective operations", 2022, on generated ratings whose least
error is known. A late iteration takes five times as long. In virtual time (--ranks) nothing but sleeping takes time, so results are
exact and the same everywhere; on the clock (--real) ranks of this machine sleep, and everything else costs what it costs. Medians of several seeds
count.
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
from polder_bench.results import write_document  # noqa: E402
from polder_bench.study import run_as_program  # noqa: E402
from polder_bench.words import positive_count, positive_seconds, result_file  # noqa: E402

SLOWER = 5  # times as long a late iteration takes
GOALS = {("virtual", 16): 1.7, ("virtual", 32): 2.4, ("real", 8): 1.4}  # how much sooner slack 8 arrives than none


def main():
    options = parse()
    programs = Programs(options.programs, options.polder)
    mf = programs.application("mf", options.mf)
    study = Study(programs, mf, options)
    study.measure()
    document = study.document()
    print(table(document))
    if options.json:
        write_document(options.json, document)
    if options.plot:
        plot(document, options.plot)
    return 1 if document["failures"] else 0


def numbers(text):
    return [int(word) for word in text.split(",") if word]


def parse():
    parser = argparse.ArgumentParser(prog="bench/mf.py", description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("-n", "--ranks", type=numbers, help="in virtual time (default: 8,16,32; 4 if quick)")
    parser.add_argument("--real", type=numbers, help="on the clock (default: 8; 2 if quick)")
    parser.add_argument("--slack", type=numbers, help="default: 0,2,8,32,64; 0,4 if quick")
    parser.add_argument("--shapes", type=lambda text: text.split(","), help="default: hypercube,flat,sharded; flat if quick")
    parser.add_argument("--seeds", type=positive_count, help="how many (default: 5; 1 if quick)")
    parser.add_argument("--iterations", type=positive_count, help="default: 80; 20 if quick")
    parser.add_argument("--late", type=float, default=0.05, help="share of late iterations")
    parser.add_argument("--work", type=float, default=0.005, help="seconds of an iteration on the clock")
    parser.add_argument("--quick", action="store_true", help="a moment of each")
    parser.add_argument("--timeout", type=positive_seconds, default=300, help="seconds that one run may take")
    parser.add_argument("--json", type=result_file, help="write the result here")
    parser.add_argument("--plot", help="draw the figures into this folder; needs matplotlib")
    parser.add_argument("--programs", default=FOLDER, help="the folder of polder-bench")
    parser.add_argument("--polder", default="")
    parser.add_argument("--mf", default="", help="default: beside polder")
    options = parser.parse_args()
    options.ranks = [4] if options.ranks is None and options.quick else [8, 16, 32] if options.ranks is None else options.ranks
    options.real = [2] if options.real is None and options.quick else [8] if options.real is None else options.real
    options.slack = options.slack or ([0, 4] if options.quick else [0, 2, 8, 32, 64])
    options.shapes = options.shapes or (["flat"] if options.quick else ["hypercube", "flat", "sharded"])
    options.seeds = options.seeds or (1 if options.quick else 5)
    options.iterations = options.iterations or (20 if options.quick else 80)
    return options


class Study:
    """Makes the runs in turn and keeps their reports."""

    def __init__(self, programs, mf, options):
        self.programs = programs
        self.mf = mf
        self.options = options
        self.reports = {}  # (scene, ranks, shape, slack) -> reports
        self.failures = []

    def measure(self):
        options = self.options
        for seed in range(1, options.seeds + 1):
            for scene, counts in (("virtual", options.ranks), ("real", options.real)):
                for ranks in counts:
                    for shape in options.shapes:
                        for slack in options.slack:
                            self.take((scene, ranks, shape, slack), seed)

    def take(self, key, seed):
        scene, ranks, shape, slack = key
        options = self.options
        work = 1.0 if scene == "virtual" else options.work
        with tempfile.TemporaryDirectory(prefix="polder-mf-") as folder:
            path = os.path.join(folder, "report.json")
            words = [self.mf, "train", "--generate", "--seed", seed, "--iterations", options.iterations, "--slack", slack, "--shape", shape,
                     "--work", work, "--late", options.late, "--late-by", work * (SLOWER - 1), "--no-progress", "--json", path]
            words = [str(word) for word in words]
            environment = {}
            if scene == "virtual":
                words += ["--simulate", str(ranks)]
            else:
                command = self.programs.under_polder(ranks, *words)
                words, environment = command.words, command.environment
            try:
                run(words, options.timeout, environment)
                with open(path, encoding="utf-8") as file:
                    report = json.load(file)
                check(report)
            except Failure as failure:
                self.failures.append(str(failure))
                print(f"failed: {failure}", file=sys.stderr)
                return
        self.reports.setdefault(key, []).append(report)

    def document(self):
        options = self.options
        return {"cores": cores(), "late": options.late, "slower": SLOWER, "work": options.work, "iterations": options.iterations,
                "seeds": options.seeds, "results": [summary(key, reports) for key, reports in self.reports.items()],
                "failures": self.failures}


def check(report):
    """What the library promises, whatever the time it took."""
    if report["staleness"]["most"] > report["slack"]:
        raise Failure(f"slack {report['slack']}: something was {report['staleness']['most']} iterations old")


def summary(key, reports):
    scene, ranks, shape, slack = key
    reached = [report["reached"] for report in reports if "reached" in report]
    all_reach = len(reached) == len(reports)
    return {
        "scene": scene, "ranks": ranks, "shape": shape, "slack": slack,
        "target_seconds": statistics.median(one["seconds"] for one in reached) if all_reach else None,
        "target_iterations": statistics.median(one["iterations"] for one in reached) if all_reach else None,
        "seconds": statistics.median(report["seconds"] for report in reports),
        "communicating": statistics.median(report["communicating"] for report in reports),
        "waiting": statistics.median(report["waiting"] for report in reports),
        "staleness": statistics.median(report["staleness"]["mean"] for report in reports),
        "error": statistics.median(report["error"]["held_out"] for report in reports),
        "all_target_seconds": [one["seconds"] for one in reached],
        "curve": reports[0]["curve"],
    }


def gain_bound(ranks, late):
    """E[the slowest of all] / E[one]: how much waiting for all costs at most."""
    return (1 + (SLOWER - 1) * (1 - (1 - late) ** ranks)) / (1 + (SLOWER - 1) * late)


def table(document):
    lines = [f"mf: {document['late'] * 100:.0f} % of the iterations take {SLOWER} x as long; medians of {document['seeds']} seeds; "
             f"{document['cores']} cores",
             "scene    ranks  shape      slack   to target  iterations  against slack 0   all [s]   in the collective  waiting  staleness"]
    base = {(one["scene"], one["ranks"], one["shape"]): one for one in document["results"] if one["slack"] == 0}
    for one in document["results"]:
        none = base.get((one["scene"], one["ranks"], one["shape"]))
        gain = none["target_seconds"] / one["target_seconds"] if none and none["target_seconds"] and one["target_seconds"] else None
        target = "    not once" if one["target_seconds"] is None else f"{one['target_seconds']:10.3f} s"
        iterations = "         -" if one["target_iterations"] is None else f"{one['target_iterations']:10.1f}"
        goal = GOALS.get((one["scene"], one["ranks"])) if one["slack"] == 8 else None
        verdict = "" if goal is None or gain is None else f" (goal {goal}: {'reached' if gain >= goal else 'missed'})"
        lines.append(f"{one['scene']:8} {one['ranks']:5}  {one['shape']:9} {one['slack']:6} {target} {iterations} "
                     f"{'               -' if gain is None else f'{gain:14.2f} x'} {one['seconds']:10.3f} {one['communicating']:10.3f} s "
                     f"{100 * one['waiting'] / one['seconds']:12.1f} % {one['staleness']:8.2f}{verdict}")
    for ranks in sorted({one["ranks"] for one in document["results"]}):
        lines.append(f"{ranks} ranks: nobody can gain more than {gain_bound(ranks, document['late']):.2f} x by not waiting")
    return "\n".join(lines + [f"failed: {failure}" for failure in document["failures"]])


def plot(document, folder):
    """Error and iterations over time, and the time in the collective: a file for each scene, number of ranks and shape."""
    try:
        import matplotlib  # pylint: disable=import-outside-toplevel

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt  # pylint: disable=import-outside-toplevel
    except ImportError:
        sys.exit("mf: matplotlib is missing for this Python; run tools/setup bench, or use /usr/bin/python3")
    os.makedirs(folder, exist_ok=True)
    groups = {}
    for one in document["results"]:
        groups.setdefault((one["scene"], one["ranks"], one["shape"]), []).append(one)
    for (scene, ranks, shape), results in groups.items():
        canvas, (errors, iterations, collective) = plt.subplots(1, 3, figsize=(14, 4), constrained_layout=True)
        for one in results:
            times = [moment["seconds"] for moment in one["curve"]]
            errors.plot(times, [moment["error"] for moment in one["curve"]], label=f"slack {one['slack']}")
            iterations.plot(times, [moment["iterations"] for moment in one["curve"]], label=f"slack {one['slack']}")
        errors.set(xlabel=f"seconds ({scene})", ylabel="error at held-out ratings", yscale="log")
        iterations.set(xlabel=f"seconds ({scene})", ylabel="iterations")
        labels = [str(one["slack"]) for one in results]
        collective.bar(labels, [one["communicating"] for one in results], label="in the collective")
        collective.bar(labels, [one["waiting"] for one in results], label="of that, waiting")
        collective.set(xlabel="slack", ylabel="seconds of a rank")
        for axes in (errors, iterations, collective):
            axes.grid(True, alpha=0.3)
            axes.legend()
        canvas.suptitle(f"{ranks} ranks, {shape}")
        canvas.savefig(os.path.join(folder, f"mf-{scene}-{ranks}-{shape}.png"), dpi=120)
        plt.close(canvas)


if __name__ == "__main__":
    run_as_program("mf", main)
