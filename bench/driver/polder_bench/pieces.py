"""A grid that takes hours, in pieces: each is taken in a turn of its own, and what a file has from before is joined.

A piece is one number of ranks and one size, with all kinds and everybody. Turns go round: those that have the fewest come first,
and among them the one with the worst cell.
"""

import json
import math
import os
import time

from . import beside
from .process import Failure


def in_words(place):
    return ", ".join(f"{count} {name}" for name, count in place.items())


class Pieces:
    def __init__(self, ranks, sizes):
        self.found = {}
        self.taken = {(count, size): {"turns": 0, "seconds": 0.0} for count in ranks for size in sizes}
        self.failures = []

    def join(self, path, place, taken_with):
        """What an earlier run has written there, if anything. Its pieces outside of this grid stay in the file. `place` is what the
        document has to say about where it was taken, `taken_with` what it must have as taken_with: turns of both have one median."""
        if not os.path.exists(path):
            return
        try:
            with open(path, encoding="utf-8") as file:
                document = json.load(file)
            taken = {"cores": document["cores"], **{word: document[word] for word in ("hosts", "placement", "tuned") if word in document}}
            if taken != place:
                raise Failure(f"{path} was taken on {in_words(taken)}, and here are {in_words(place)}")
            before = document["taken_with"]
            for name, value in taken_with.items():
                if before[name] != value:
                    raise Failure(f"{path} is of another {name} ({before[name]}, now {value}): turns of both have no median")
            for one in document["samples"]:
                settings = self.found.setdefault((one["kind"], one["size"], one["ranks"]), {}).setdefault(one["who"], {})
                settings.setdefault(one["setting"], []).extend(one["ns"])
            for one in document["pieces"]:
                self.taken[one["ranks"], one["size"]] = {"turns": one["turns"], "seconds": one["seconds"]}
            self.failures = list(document["failures"])
        except (KeyError, TypeError, ValueError) as error:
            raise Failure(f"{path} is no result of this program with --minutes: {error!r}") from error

    def order(self, ranks, sizes):
        """The pieces of this grid, those to be taken first in front."""
        worst = {}
        for cell in beside.cells(self.found):
            piece = (cell["ranks"], cell["size"])
            if cell["ratio"] is not None:
                worst[piece] = min(worst.get(piece, math.inf), cell["ratio"])
        grid = [(count, size) for count in ranks for size in sizes]
        return sorted(grid, key=lambda piece: (self.taken[piece]["turns"], worst.get(piece, math.inf)))

    def spend(self, seconds, ranks, sizes, take, clock=time.monotonic):
        """Takes pieces until the time is up; none is begun that took longer the last time than is left. `take(ranks, size)`
        returns what beside.measure() does. Returns how many were taken."""
        begun, count = clock(), 0
        while True:
            left = seconds - (clock() - begun)
            fitting = [piece for piece in self.order(ranks, sizes) if self.taken[piece]["seconds"] <= left]
            if left <= 0 or not fitting:
                return count
            piece, start = fitting[0], clock()
            found, failures = take(*piece)
            for cell, people in found.items():
                for who, settings in people.items():
                    for setting, turns in settings.items():
                        self.found.setdefault(cell, {}).setdefault(who, {}).setdefault(setting, []).extend(turns)
            self.failures += failures
            self.taken[piece] = {"turns": self.taken[piece]["turns"] + 1, "seconds": round(clock() - start, 3)}
            count += 1

    def document(self):
        """What join() reads."""
        return {"samples": [{"kind": kind, "size": size, "ranks": ranks, "who": who, "setting": setting, "ns": turns}
                            for (kind, size, ranks), people in sorted(self.found.items())
                            for who, settings in people.items() for setting, turns in settings.items()],
                "pieces": [{"ranks": ranks, "size": size, **taken} for (ranks, size), taken in sorted(self.taken.items())]}
