"""What Polder has promised to reach, and whether it does."""

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


def judge(table, cores):
    """Verdicts on everything in `table` that has a target."""
    verdicts = []
    for key in table.experiments():
        verdicts += [verdict for rule in RULES for verdict in rule(table, key, cores)]
    return verdicts


def put_notify(table, key, _cores):
    if key.name == "put_notify" and key.size == 8:
        limit = table.median(Key("handover", 2, impl="limit"))
        yield Verdict(key, "<= 1.5 x raw hand-over", quotient(table.median(key), limit), 1.5)


def put(table, key, _cores):
    if key.name == "put" and key.size == 8:
        peer = table.best(key, "openmpi")
        yield Verdict(key, "<= 2 x Open MPI's put", quotient(table.median(key), peer and peer[0]), 2)


def bandwidth(table, key, _cores):
    if key.name in ("put_bandwidth", "get_bandwidth"):
        limit = limit_of(table, key)
        yield Verdict(key, ">= 0.95 x memcpy", quotient(limit, table.median(key)), 0.95, True)


def fetch_add(table, key, _cores):
    if key.name == "fetch_add":
        limit = table.median(Key("fetch_add", key.ranks, 8, impl="limit"))
        yield Verdict(key, "<= 1.3 x raw atomic", quotient(table.median(key), limit), 1.3)


def ahead_of_mpi(table, key, _cores):
    if key.name in ("barrier", "ring") and not key.hogs and table.peers():
        yield Verdict(key, "ahead of every MPI", quotient(table.best_of_peers(key), table.median(key)), 1, True)


def core_handover(table):
    """Nanoseconds in which a core passes from one process to another, by the cheaper way."""
    ways = [table.median(Key(name, 2, impl="limit")) for name in ("yield_same_core", "futex_same_core")]
    return min((ns for ns in ways if ns is not None), default=None)


def crowded_barrier(table, key, cores):
    if key.name == "barrier" and not key.hogs and key.ranks > cores:
        handover = core_handover(table)
        allowed = handover * key.ranks / cores if handover else None
        yield Verdict(key, "<= 3 x ranks per core x core hand-over", quotient(table.median(key), allowed), 3)


def barrier_among_hogs(table, key, _cores):
    if key.name == "barrier" and key.hogs and table.peers():
        yield Verdict(key, ">= 10 x faster than the better MPI", quotient(table.best_of_peers(key), table.median(key)), 10, True)


def startup(table, key, _cores):
    if key.name == "startup" and key.ranks == 16:
        yield Verdict(key, "< 150 ms", quotient(table.median(key), 150e6), 1)


RULES = (put_notify, put, bandwidth, fetch_add, ahead_of_mpi, crowded_barrier, barrier_among_hogs, startup)

# The limit that a measurement is shown beside: Polder's name -> key of the limit, from Polder's key.
LIMIT_OF = {
    "put_notify": lambda key: Key("handover", 2, impl="limit") if key.size <= 64 else None,
    "put": lambda key: Key("store", 1, 8, impl="limit") if key.size == 8 else Key("memcpy", 1, key.size, impl="limit"),
    "put_bandwidth": lambda key: Key("memcpy_beside", key.ranks, key.size, impl="limit"),
    "get_bandwidth": lambda key: Key("memcpy_beside", key.ranks, key.size, impl="limit"),
    "fetch_add": lambda key: Key("fetch_add", key.ranks, 8, impl="limit"),
    "fetch_add_alone": lambda key: Key("fetch_add", 1, 8, impl="limit"),
    "accumulate": lambda key: Key("stream", 1, key.size, impl="limit"),
    "accumulate_axpy": lambda key: Key("stream", 1, key.size, impl="limit"),
}


def limit_key(key):
    """Key of the limit that belongs to Polder's `key`, or None."""
    return LIMIT_OF[key.name](key) if key.name in LIMIT_OF else None


def limit_of(table, key):
    """Nanoseconds of the limit that belongs to `key`, or None."""
    return table.median(limit_key(key))
