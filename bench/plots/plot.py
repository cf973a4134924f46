#!/usr/bin/env python3
"""Draws the curves of the newest result: bench/plots/plot.py [RESULT.json] [--out DIR]. Writes PNG and SVG of each."""

import argparse
import glob
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
RESULTS = os.path.normpath(os.path.join(HERE, os.pardir, "results"))
sys.path.insert(0, os.path.join(HERE, os.pardir, "driver"))
sys.dont_write_bytecode = True

try:
    import matplotlib

    matplotlib.use("Agg")  # no display is needed to write files
    import matplotlib.pyplot as plt
    from matplotlib.ticker import FuncFormatter, LogLocator
except ImportError:
    sys.exit("bench/plots: matplotlib is missing for this Python; run tools/setup bench, or use /usr/bin/python3")

from polder_bench.figures import FIGURES, curves  # noqa: E402: its folder has to be known first
from polder_bench.results import to_table  # noqa: E402

COLOURS = {"polder": "#0b6e4f", "openmpi": "#c8553d", "mpich": "#3d5a98", "limit": "#8a8a8a"}
MARKERS = {"polder": "o", "openmpi": "s", "mpich": "^", "limit": "x"}


def newest():
    """The result file that was measured last."""
    found = glob.glob(os.path.join(RESULTS, "*.json"))
    if not found:
        sys.exit("bench/plots: there is no result in bench/results yet; run make bench first")
    return max(found, key=lambda path: load(path)["machine"]["date"])


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def draw(figure, lines, machine, folder):
    """One figure as two files; returns their names."""
    canvas, axes = plt.subplots(figsize=(7, 4.5), constrained_layout=True)
    for line in lines:
        axes.plot(line.x, line.y, label=line.label, color=COLOURS.get(line.impl), marker=MARKERS.get(line.impl), linestyle=line.style)
    axes.set(title=figure.title, xlabel=figure.x_label, ylabel=figure.y_label, xscale="log", yscale=figure.y_scale)
    ticks = sorted({x for line in lines for x in line.x})
    axes.set_xticks(ticks, [figure.x_text(x) for x in ticks])
    axes.minorticks_off()
    if figure.y_scale == "linear":
        axes.set_ylim(bottom=0)
    else:
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.grid(True, alpha=0.3)
    axes.legend()
    canvas.text(0.01, -0.03, f"{machine['cpu']}, {machine['cores']} cores, {machine['date'][:10]}", fontsize=7, color="#666666")
    paths = [os.path.join(folder, f"{figure.name}.{kind}") for kind in ("png", "svg")]
    for path in paths:
        canvas.savefig(path, dpi=144, bbox_inches="tight")
    plt.close(canvas)
    return paths


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("result", nargs="?", help="default: the newest in bench/results")
    options.add_argument("--out", default=os.path.join(RESULTS, "plots"), help="folder for the pictures (default bench/results/plots)")
    given = options.parse_args()
    document = load(given.result or newest())
    os.makedirs(given.out, exist_ok=True)
    table = to_table(document)
    drawn = 0
    for figure in FIGURES:
        lines = curves(table, figure)
        if not any(line.impl == "polder" for line in lines):
            print(f"{figure.name}: not measured; left out")
            continue
        print("\n".join(draw(figure, lines, document["machine"], given.out)))
        drawn += 1
    if drawn == 0:
        sys.exit("bench/plots: the result holds nothing to draw")


if __name__ == "__main__":
    main()
