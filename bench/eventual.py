#!/usr/bin/env python3
"""Eventually consistent broadcast and reduce on the model: figures 8 to 10 of Iakymchuk et al., "Efficient and eventually consistent
collective operations", 2022, for as many ranks as they had and beyond.

Times come from `polder simulate`, so they are exact and the same everywhere, in no time. Each is also shown as a ratio: how much sooner it
ends than with all of the data and of the ranks, and than the consistent collective that the table of Polder chooses. Beside them stands
what the paper measured.
"""

import argparse
import csv
import io
import os
import sys

FOLDER = os.path.dirname(os.path.realpath(__file__))
sys.dont_write_bytecode = True
# Beside polder-bench in a build tree or an installation, beside the driver in the source tree.
sys.path[:0] = [FOLDER, os.path.join(FOLDER, "driver")]

from polder_bench.process import run  # noqa: E402
from polder_bench.programs import Programs  # noqa: E402
from polder_bench.results import write_document  # noqa: E402
from polder_bench.study import run_as_program  # noqa: E402
from polder_bench.words import positive_seconds, result_file  # noqa: E402

SHARES = (25, 50, 75, 100)
# name: collective, what is asked for less of, further words, what the paper says of it
FIGURES = {
    "figure 8": ("broadcast", "data", [], "a quarter of the data 3.25 to 3.58 times as fast as all"),
    "figure 9": ("reduce", "data", [], "a quarter of 8 MB about 5 times as fast as all"),
    "figure 10": ("reduce", "members", ["--leave-out", "stages"], "three quarters of the ranks take what all take"),
}


def main():
    options = parse()
    polder = Programs(options.programs, options.polder).polder
    document = {"network": options.network, "ranks": options.ranks, "results": []}
    for size in options.sizes:
        for figure, (kind, asked, words, _) in FIGURES.items():
            if figure == "figure 10" and size == min(options.sizes) and len(options.sizes) > 1:
                continue  # the paper has it for long vectors only
            document["results"].append(measure(polder, options, figure, kind, asked, words, size))
    print(table(document))
    if options.json:
        write_document(options.json, document)
    if options.plot:
        plot(document, options.plot)
    return 0


def parse():
    parser = argparse.ArgumentParser(prog="bench/eventual.py", description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("-n", "--ranks", default="2..1024", help="as polder simulate takes them (default: 2..1024)")
    parser.add_argument("--sizes", type=lambda text: [int(word) for word in text.split(",")], default=[80_000, 8_000_000],
                        help="bytes of a vector (default: 80000,8000000, as in the paper)")
    parser.add_argument("--network", default="ideal", help="as polder simulate takes it (default: ideal)")
    parser.add_argument("--json", type=result_file, help="write the result here")
    parser.add_argument("--plot", help="draw the figures into this file; needs matplotlib")
    parser.add_argument("--programs", default=FOLDER, help="the folder of polder-bench")
    parser.add_argument("--polder", default="")
    parser.add_argument("--timeout", type=positive_seconds, default=300, help="seconds that one run may take")
    return parser.parse_args()


def simulated(polder, options, *words):
    words = [polder, "simulate", *words, "-n", options.ranks, "--network", options.network, "--csv"]
    return list(csv.DictReader(io.StringIO(run([str(word) for word in words], options.timeout))))


def measure(polder, options, figure, kind, asked, words, size):
    shares = ",".join(f"{share}%" for share in SHARES)
    rows = simulated(polder, options, "eventual-" + kind, size, "--" + asked, shares, *words)
    full = {int(row["ranks"]): float(row["us"]) for row in simulated(polder, options, kind, size)}
    times = {}
    for row in rows:
        times.setdefault(int(row["ranks"]), {})[int(row[asked].rstrip("%"))] = float(row["root us"])
    return {"figure": figure, "collective": kind, "asked": asked, "bytes": size,
            "points": [{"ranks": ranks, "us": each, "consistent_us": full[ranks]} for ranks, each in times.items()]}


def table(document):
    lines = [f"eventual collectives on the model, over {document['network']}: us until the root has left (a broadcast: until all have it);",
             "in brackets, how many times as fast as all of it. `full` is the consistent collective."]
    for one in document["results"]:
        lines.append(f"\n{one['figure']}: {one['collective']} of {one['bytes']:,} bytes, shares of the {one['asked']} "
                     f"(paper: {FIGURES[one['figure']][3]})")
        lines.append("  ranks" + "".join(f"{f'{share} %':>22}" for share in SHARES) + f"{'full':>14}")
        for point in one["points"]:
            times = point["us"]
            cells = "".join(f"{times[share]:13.1f} ({times[100] / times[share]:5.2f})" for share in SHARES)
            lines.append(f"{point['ranks']:7}{cells}{point['consistent_us']:14.1f}")
    return "\n".join(lines)


def plot(document, path):
    """A picture for each figure and size: time by ranks, a curve for each share and one for the consistent collective."""
    try:
        import matplotlib  # pylint: disable=import-outside-toplevel

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt  # pylint: disable=import-outside-toplevel
    except ImportError:
        sys.exit("eventual: matplotlib is missing for this Python; run tools/setup bench, or use /usr/bin/python3")
    results = document["results"]
    canvas, all_axes = plt.subplots(1, len(results), figsize=(4.2 * len(results), 4), constrained_layout=True, squeeze=False)
    for axes, one in zip(all_axes[0], results):
        ranks = [point["ranks"] for point in one["points"]]
        for share in SHARES:
            axes.plot(ranks, [point["us"][share] for point in one["points"]], marker="o", markersize=3, label=f"{share} %")
        axes.plot(ranks, [point["consistent_us"] for point in one["points"]], linestyle="--", color="#8a8a8a", label="consistent")
        axes.set(xscale="log", yscale="log", xlabel="ranks", ylabel="us",
                 title=f"{one['figure']}: {one['collective']}\n{one['bytes']:,} bytes, of the {one['asked']}")
        axes.set_xticks(ranks[::2], [str(each) for each in ranks[::2]])
        axes.minorticks_off()
        axes.grid(True, alpha=0.3)
        axes.legend(fontsize=8)
    canvas.savefig(path, dpi=100)
    plt.close(canvas)


if __name__ == "__main__":
    run_as_program("eventual", main)
