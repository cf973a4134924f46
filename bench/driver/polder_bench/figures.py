"""Which curves go into which picture. Knows nothing of how they are drawn."""

from collections.abc import Callable
from dataclasses import dataclass

from polder_bench.targets import limit_of
from polder_bench.text import size_text


def by_size(key):
    return key.size


def by_ranks(key):
    return key.ranks


def microseconds(_key, ns):
    return ns / 1e3


def gigabytes(key, ns):
    return key.size / ns


@dataclass(frozen=True)
class Figure:
    name: str  # of the file
    title: str
    measurement: str
    x: Callable  # of a Key
    value: Callable  # of a Key and nanoseconds
    y_label: str
    y_scale: str = "log"
    hogs: bool = False

    @property
    def x_label(self):
        return "bytes" if self.x is by_size else "ranks"

    def x_text(self, x):
        return size_text(x) if self.x is by_size else str(x)


@dataclass(frozen=True)
class Curve:
    impl: str
    label: str
    x: tuple
    y: tuple
    style: str = "-"


FIGURES = (
    Figure("latency", "Put with notification, one way", "put_notify", by_size, microseconds, "us"),
    Figure("put", "Put, back to back", "put", by_size, microseconds, "us"),
    Figure("get", "Get, each awaited", "get", by_size, microseconds, "us"),
    Figure("put_bandwidth", "Put bandwidth", "put_bandwidth", by_size, gigabytes, "GB/s", "linear"),
    Figure("get_bandwidth", "Get bandwidth", "get_bandwidth", by_size, gigabytes, "GB/s", "linear"),
    Figure("accumulate", "Accumulate, sum of doubles", "accumulate", by_size, microseconds, "us"),
    Figure("allreduce", "Allreduce, sum of doubles, 2 ranks", "allreduce", by_size, microseconds, "us"),
    Figure("barrier", "Barrier", "barrier", by_ranks, microseconds, "us"),
    Figure("barrier_busy", "Barrier, a busy stranger on each core", "barrier", by_ranks, microseconds, "us", hogs=True),
    Figure("step_busy", "100 us of work and a barrier, a busy stranger on each core", "step", by_ranks, microseconds, "us", hogs=True),
    Figure("ring", "Notification once round the ring", "ring", by_ranks, microseconds, "us"),
    Figure("fan_in", "Everybody notifies one, which answers", "fan_in", by_ranks, microseconds, "us"),
    Figure("fetch_add", "Contended fetch_add", "fetch_add", by_ranks, microseconds, "us"),
)


def experiments(table, figure):
    """Keys of the figure, as Polder's, in the order of their x. Curves over sizes are those of the fewest ranks measured."""
    keys = {key.at("polder") for key, _ in table if key.name == figure.measurement and key.hogs == figure.hogs and key.impl != "limit"}
    if figure.x is by_size and keys:
        fewest = min(key.ranks for key in keys)
        keys = {key for key in keys if key.ranks == fewest}
    return sorted(keys, key=figure.x)


def curves(table, figure):
    """Polder's curve, each MPI's (its best setting at each point) and the limit's, as far as they were measured."""
    keys = experiments(table, figure)
    found = [curve(figure, keys, "polder", "Polder", [table.median(key) for key in keys])]
    for peer in table.peers():
        bests = [table.best(key, peer) for key in keys]
        found.append(curve(figure, keys, peer, {"openmpi": "Open MPI", "mpich": "MPICH"}.get(peer, peer), [b and b[0] for b in bests]))
    found.append(curve(figure, keys, "limit", "limit of the machine", [limit_of(table, key) for key in keys], "--"))
    return [one for one in found if one.x]


def curve(figure, keys, impl, label, times, style="-"):
    points = [(figure.x(key), figure.value(key, ns)) for key, ns in zip(keys, times) if ns is not None]
    return Curve(impl, label, tuple(x for x, _ in points), tuple(y for _, y in points), style)
