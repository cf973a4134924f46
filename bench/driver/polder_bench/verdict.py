"""How a target was met."""

from dataclasses import dataclass

from polder_bench.key import Key


@dataclass(frozen=True)
class Verdict:
    key: Key
    target: str  # for a person
    ratio: float = None  # what is compared with the bound; None: one side of it was not measured
    bound: float = 0
    at_least: bool = False  # the ratio has to reach the bound, else it has to stay within it

    @property
    def met(self):
        """True, False, or None where it cannot be said."""
        if self.ratio is None:
            return None
        return self.ratio >= self.bound if self.at_least else self.ratio <= self.bound

    def text(self):
        return {True: "met", False: "NOT met", None: "not measured"}[self.met]


def quotient(above, below):
    return above / below if above is not None and below else None
