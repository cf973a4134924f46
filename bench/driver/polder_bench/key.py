"""What a number is a number of."""

from dataclasses import dataclass, replace


@dataclass(frozen=True, order=True)
class Key:
    """Two results with keys that differ only in `impl` and `setting` are of the same experiment."""

    name: str  # of the measurement, as the measuring program prints it
    ranks: int = 1
    size: int = 0  # bytes per operation, 0 where there is no such thing
    threads: int = 1  # per rank
    hogs: bool = False  # a busy stranger on each core
    impl: str = "polder"  # polder, limit, openmpi, mpich; polder-NAME: over another device, beside
    setting: str = ""  # of the implementation, where several are tried: the best one counts

    def at(self, impl, setting=""):
        return replace(self, impl=impl, setting=setting)


# Other ways in which a program of MPI passes data and a flag: settings of the same experiment, for the best way counts.
WAYS_OF_PEERS = {"put_notify_by_message": ("put_notify", "message"), "put_notify_by_stores": ("put_notify", "stores")}


def by_its_way(key):
    """`key`, under the name that Polder has for the same where a peer measured a way of its own."""
    if key.name not in WAYS_OF_PEERS:
        return key
    name, way = WAYS_OF_PEERS[key.name]
    return replace(key, name=name, setting=f"{key.setting}, {way}" if key.setting else way)


class Table:
    """Summaries by key, with the look-ups that targets and printing need."""

    def __init__(self):
        self.summaries = {}

    def add(self, key, summary):
        self.summaries[key] = summary

    def __iter__(self):
        return iter(sorted(self.summaries.items()))

    def median(self, key):
        """Nanoseconds, or None where nothing was measured."""
        summary = self.summaries.get(key)
        return summary.median if summary else None

    def best(self, key, impl):
        """(nanoseconds, setting) of the fastest setting of `impl` for the experiment of `key`, or None."""
        found = [(s.median, k.setting) for k, s in self.summaries.items() if k.impl == impl and k.at("") == key.at("")]
        return min(found, default=None)

    def best_of_peers(self, key):
        """Nanoseconds of the fastest MPI in its fastest setting, or None."""
        found = [best[0] for impl in self.mpis() if (best := self.best(key, impl))]
        return min(found, default=None)

    def peers(self):
        return sorted({key.impl for key in self.summaries} - {"polder", "limit"})

    def mpis(self):
        """Those of them that are no other device of Polder."""
        return [peer for peer in self.peers() if not peer.startswith("polder-")]

    def experiments(self):
        """Keys of Polder's own measurements, in the order in which they were first added."""
        return [key for key in self.summaries if key.impl == "polder"]
