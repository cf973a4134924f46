"""A grid of cells as it is kept beside the sources: what it was measured on, and medians without what single turns gave."""

from . import machine

UNIT = "us; the time from the first start to the last end; medians of turns"
PER_TURN = ("samples", "pieces")
FIGURES = 4  # of a time or ratio; turns differ in the second one


def kept(document, programs):
    """What of a result stays: the head, the cells in a few figures, and all that failed."""
    rest = {name: value for name, value in document.items() if name not in (*PER_TURN, "cells", "failures", "cores")}
    cells = [{**cell, "us": {who: rounded(us) for who, us in cell["us"].items()}, "ratio": rounded(cell["ratio"])}
             for cell in document["cells"]]
    if "taken_with" in rest:  # of the rest the machine has its own words
        rest["taken_with"] = {name: value for name, value in rest["taken_with"].items() if name in ("device", "sample_ms", "kinds")}
    return {"machine": machine.describe(programs), **rest, "unit": UNIT, "cells": cells, "failures": document["failures"]}


def rounded(number):
    return None if number is None else float(f"{number:.{FIGURES}g}")
