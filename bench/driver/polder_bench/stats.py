"""What becomes of many samples: medians, because the disturbances of a shared machine only ever add."""

import statistics
from dataclasses import dataclass


@dataclass(frozen=True)
class Summary:
    """Of one measurement over all turns, in nanoseconds per operation."""

    median: float
    low: float  # lower quartile of the turns' medians: how far another run may be off
    high: float  # upper quartile
    turns: tuple[float, ...]  # the median of each turn, in order


def quantile(values, fraction):
    """Linear between the two nearest of the sorted values. `values` must not be empty, `fraction` is 0 to 1."""
    if not values:
        raise ValueError("quantile of no values")
    if not 0 <= fraction <= 1:
        raise ValueError(f"fraction {fraction} is not between 0 and 1")
    ordered = sorted(values)
    place = fraction * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def summarise(turns):
    """`turns` holds a list of samples per turn. The median over turns of each turn's median."""
    medians = [statistics.median(samples) for samples in turns if samples]
    if not medians:
        raise ValueError("summary of no samples")
    return Summary(statistics.median(medians), quantile(medians, 0.25), quantile(medians, 0.75), tuple(medians))
