#!/usr/bin/env python3
"""K-means by many ranks, some of which die: apps/kmeans beside scikit-learn, Spark's MLlib, and the same search over MPI.

Table 1 of Gall et al., "Optimization of Computationally and I/O Intense Patterns", 2019: 1 million points of 10 dimensions, 1,000 centroids.
Everybody gets the same points, first centroids and cores, and takes turns; medians count. An iteration takes what a run of many takes more than a
run of few, divided by the iterations between. What a death costs is taken from runs in which a rank kills itself in the middle, with a spare and
without. scikit-learn is Debian's python3-sklearn; Spark is measured where pyspark can be imported; each MPI where it is installed, at the better of its
settings.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
from collections import defaultdict

FOLDER = os.path.dirname(os.path.realpath(__file__))
sys.dont_write_bytecode = True
# Beside polder-bench in a build tree or an installation, beside the driver in the source tree.
sys.path[:0] = [FOLDER, os.path.join(FOLDER, "driver")]

from polder_bench.machine import describe  # noqa: E402
from polder_bench.process import Failure, run  # noqa: E402
from polder_bench.programs import PEERS, Programs, cores  # noqa: E402
from polder_bench.study import run_as_program, study_in_turns  # noqa: E402
from polder_bench.text import machine_text  # noqa: E402
from polder_bench.words import positive_count, positive_seconds, result_file  # noqa: E402

FEW = 2  # iterations of the short run
GOALS = {"scikit-learn": 1.3, "Spark": 10.0}  # an iteration of theirs takes so many times as long
DEATH_GOAL = 0.02  # of the undisturbed run, beside the iteration that is lost
MODULES = {"scikit-learn": ("sklearn", "kmeans_sklearn.py"), "Spark": ("pyspark", "kmeans_spark.py")}
SAME_INERTIA = 1e-9  # relative: all have found the same clusters


def main():
    options = parse()
    study = Study(Programs(options.programs, options.polder), options)
    return study_in_turns(study, options, options.scratch, page)


def parse():
    parser = argparse.ArgumentParser(prog="bench/kmeans.py", description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--points", type=positive_count, help="default: 1,000,000; 5,000 if quick")
    parser.add_argument("--dims", type=positive_count, default=10)
    parser.add_argument("-k", "--clusters", type=positive_count, help="default: 1,000; 20 if quick")
    parser.add_argument("-n", "--ranks", type=positive_count, default=cores(), help="that work, and threads of the others (default: as many as cores)")
    parser.add_argument("--iterations", type=positive_count, help="of the long run (default: 22; 6 if quick)")
    parser.add_argument("--turns", type=positive_count, help="default: 5; 1 if quick")
    parser.add_argument("--beside", type=lambda text: text.split(","), help="default: those of scikit-learn,Spark,openmpi,mpich that are installed")
    parser.add_argument("--python", default="/usr/bin/python3", help="that imports them")
    parser.add_argument("--quick", action="store_true", help="a moment of each")
    parser.add_argument("--timeout", type=positive_seconds, default=1200, help="seconds that one run may take")
    parser.add_argument("--scratch", help="where the points lie (default: the system's folder for temporary files)")
    parser.add_argument("--json", type=result_file, help="write the result here")
    parser.add_argument("--programs", default=FOLDER, help="the folder of polder-bench")
    parser.add_argument("--polder", default="")
    parser.add_argument("--kmeans", default="", help="default: beside polder")
    options = parser.parse_args()
    options.points = options.points or (5000 if options.quick else 1_000_000)
    options.clusters = options.clusters or (20 if options.quick else 1000)
    options.iterations = options.iterations or (6 if options.quick else 22)
    options.turns = options.turns or (1 if options.quick else 5)
    if options.iterations <= FEW:
        parser.error(f"--iterations: more than {FEW}, which the short run has")
    return options


def installed(python, name):
    return subprocess.run([python, "-c", f"import {MODULES[name][0]}"], stdin=subprocess.DEVNULL, capture_output=True, check=False).returncode == 0


class Study:
    """Makes the runs in turn and keeps their seconds."""

    def __init__(self, programs, options):
        self.programs = programs
        self.options = options
        self.kmeans = programs.application("kmeans", options.kmeans)
        self.beside = [name for name in options.beside or [*MODULES, *PEERS] if self.is_there(name)]
        self.seconds = defaultdict(list)  # (who, iterations) -> seconds
        self.deaths = defaultdict(list)  # what -> seconds
        self.inertias = {}  # who -> of the long run
        self.failures = []

    def is_there(self, name):
        if name in MODULES:
            return installed(self.options.python, name)
        return os.access(self.programs.path(f"kmeans-mpi-{name}"), os.X_OK) and shutil.which(f"mpirun.{name}") is not None

    def prepare(self, folder):
        """The points and the first centroids, as files that everybody reads."""
        options = self.options
        self.folder = folder
        program = ("import numpy, sys; n, d, k = map(int, sys.argv[1:4]); r = numpy.random.default_rng(1); c = r.uniform(-10, 10, (k, d));"
                   "x = c[r.integers(0, k, n)] + r.normal(0, 0.5, (n, d)); numpy.save(sys.argv[4], x); numpy.save(sys.argv[5], x[:k])")
        run([options.python, "-c", program, *map(str, (options.points, options.dims, options.clusters)), self.path("points.npy"), self.path("from.npy")],
            options.timeout)

    def path(self, name):
        return os.path.join(self.folder, name)

    def measure(self, turn):
        options = self.options
        everybody = ["Polder", *self.beside]
        first = turn % len(everybody)  # nobody is always the first
        for who in everybody[first:] + everybody[:first]:
            for iterations in (FEW, options.iterations):
                self.take(lambda who=who, i=iterations: self.one(who, i))
        self.take(self.undisturbed)
        self.take(lambda: self.with_death("with a spare", 1))
        if options.ranks > 1:
            self.take(lambda: self.with_death("without a spare", 0))

    def take(self, measure):
        try:
            measure()
        except Failure as failure:
            self.failures.append(str(failure))
            print(f"failed: {failure}", file=sys.stderr)

    def one(self, who, iterations):
        answer = self.polder(iterations) if who == "Polder" else self.other(who, iterations)
        self.seconds[(who, iterations)].append(answer["seconds"])
        if iterations == self.options.iterations:
            self.inertias[who] = answer["inertia"]

    def polder(self, iterations, ranks=0, words=()):
        options = self.options
        report = self.path("report.json")
        command = self.programs.under_polder(
            ranks or options.ranks, self.kmeans, self.path("points.npy"), "-k", str(options.clusters), "--from", self.path("from.npy"), "--tolerance", "0",
            "--iterations", str(iterations), "--no-progress", "--json", report, *words)
        place = command.words.index("run") + 1
        command.words.insert(place, "--keep-going")
        try:
            run(command.words, options.timeout, command.environment)
        except Failure:
            # A rank that was killed makes the launcher's exit code; the report says whether the work was done.
            if "--kill-at" not in words or not os.path.exists(report):
                raise
        with open(report, encoding="ascii") as file:
            document = json.load(file)
        os.remove(report)
        return {"seconds": document["seconds"]["iterating"], "total": document["seconds"]["total"], "inertia": document["inertia"],
                "recovery": document["seconds"]["recovery"], "recoveries": len(document["recoveries"])}

    def other(self, who, iterations):
        options = self.options
        if who in PEERS:
            return self.mpi(who, iterations)
        threads = str(options.ranks)
        environment = {"OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads}
        program = os.path.join(FOLDER, "peers", MODULES[who][1])
        answer = run([options.python, program, self.path("points.npy"), self.path("from.npy"), str(iterations), threads], options.timeout, environment)
        return json.loads(answer.strip().splitlines()[-1])

    def mpi(self, peer, iterations):
        """At the better of its settings."""
        words = [self.programs.path(f"kmeans-mpi-{peer}"), self.path("points.npy"), self.path("from.npy"), str(iterations)]
        answers = [json.loads(run(command.words, self.options.timeout, command.environment))
                   for command in self.programs.under_mpi(peer, self.options.ranks, *words)]
        return min(answers, key=lambda answer: answer["seconds"])

    def undisturbed(self):
        self.deaths["undisturbed"].append(self.polder(self.options.iterations)["total"])

    def with_death(self, what, spares):
        options = self.options
        words = ("--kill-at", f"{options.iterations // 2}:0", "--spares", str(spares))
        answer = self.polder(options.iterations, options.ranks + spares, words)
        if answer["recoveries"] != 1:
            raise Failure(f"{what}: {answer['recoveries']} recoveries where one rank killed itself")
        self.deaths[what].append(answer["total"])
        self.deaths[f"recovery {what}"].append(answer["recovery"])

    def document(self):
        options = self.options
        rows = []
        for who in ("Polder", *self.beside):
            few, many = self.seconds[(who, FEW)], self.seconds[(who, options.iterations)]
            if few and many:
                iteration = (statistics.median(many) - statistics.median(few)) / (options.iterations - FEW)
                rows.append({"who": who, "iteration": iteration, "inertia": self.inertias[who], "few": few, "many": many})
        return {"machine": describe(self.programs), "points": options.points, "dims": options.dims, "clusters": options.clusters,
                "ranks": options.ranks, "iterations": options.iterations, "turns": options.turns, "rows": rows,
                "deaths": {what: statistics.median(seconds) for what, seconds in self.deaths.items()}, "all_deaths": dict(self.deaths),
                "failures": self.failures}


def page(document):
    lines = [machine_text(document["machine"]),
             f"{document['points']} points of {document['dims']} dimensions, {document['clusters']} clusters; {document['ranks']} ranks or threads", "",
             "| | an iteration | as long as Polder's | goal | inertia |", "|---|---:|---:|---|---:|"]
    own = next((row for row in document["rows"] if row["who"] == "Polder"), None)
    for row in document["rows"]:
        ratio = row["iteration"] / own["iteration"] if own and own["iteration"] > 0 else 0
        goal = GOALS.get(row["who"])
        judged = f"{goal:g}: " + ("met" if ratio >= goal else "NOT met") if goal else ""
        same = own and abs(row["inertia"] - own["inertia"]) <= SAME_INERTIA * own["inertia"]
        lines.append(f"| {row['who']} | {1e3 * row['iteration']:.4g} ms | {ratio:.2f} | {judged} | {row['inertia']:.10g}{'' if same else ' (other clusters)'} |")
    return "\n".join(lines + [""] + deaths_table(document, own))


def deaths_table(document, own):
    deaths = document["deaths"]
    whole = deaths.get("undisturbed")
    if whole is None or own is None:
        return []
    lines = ["| | total | more than undisturbed | agreement | goal |", "|---|---:|---:|---:|---|", f"| undisturbed | {whole:.3f} s | | | |"]
    for what in ("with a spare", "without a spare"):
        if what not in deaths:
            continue
        more = deaths[what] - whole
        judged = ""
        if what == "with a spare":
            judged = f"{DEATH_GOAL:.0%} and one iteration: " + ("met" if more <= DEATH_GOAL * whole + own["iteration"] else "NOT met")
        lines.append(f"| a rank dies, {what} | {deaths[what]:.3f} s | {more:+.3f} s ({more / whole:+.1%}) | {deaths['recovery ' + what]:.3f} s | {judged} |")
    return lines


if __name__ == "__main__":
    run_as_program("kmeans", main)
