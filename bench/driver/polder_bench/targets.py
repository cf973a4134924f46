"""What Polder has promised to reach, and whether it does."""

from polder_bench import network_targets
from polder_bench.key import Key
from polder_bench.verdict import Verdict, quotient


def judge(table, cores):
    """Verdicts on everything in `table` that has a target."""
    rules = network_targets.RULES if network_targets.are_for(table) else RULES
    verdicts = []
    for key in table.experiments():
        verdicts += [verdict for rule in rules for verdict in rule(table, key, cores)]
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
    if key.name in ("barrier", "ring") and not key.hogs and table.mpis():
        yield Verdict(key, "ahead of every MPI", quotient(table.best_of_peers(key), table.median(key)), 1, True)


def gaspi_ahead_of_mpi(table, key, _cores):
    if key.name in ("gaspi_barrier", "gaspi_allreduce") and table.mpis():
        bound = 10 if key.hogs else 1
        target = f">= {bound} x faster than the better MPI" if bound > 1 else "ahead of every MPI"
        yield Verdict(key, target, quotient(table.best_of_peers(key), table.median(key)), bound, True)


def gaspi_door(table, key, _cores):
    if key.name == "gaspi_write_notify":
        below = table.median(Key("cpp_put_notify", key.ranks, key.size))
        own = table.median(key)
        extra = own - below if own is not None and below is not None else None
        yield Verdict(key, "<= 30 ns over the C++ call", extra / 30 if extra is not None else None, 1)


def dart_door(table, key, _cores):
    if key.name.startswith("dart_"):
        below = table.median(Key(key.name.replace("dart_", "cpp_", 1), key.ranks, key.size))
        own = table.median(key)
        extra = own - below if own is not None and below is not None else None
        yield Verdict(key, "<= 20 ns over the C++ call", extra / 20 if extra is not None else None, 1)


def gaspi_waitsome(table, key, _cores):
    if key.name == "gaspi_waitsome":
        yield Verdict(key, "< 10 us", quotient(table.median(key), 10e3), 1)


def gaspi_rate(table, key, _cores):
    if key.name == "gaspi_rate" and key.threads > 1:
        alone = table.median(Key("gaspi_rate", key.ranks, key.size))
        yield Verdict(key, "<= 2 x slower than one thread", quotient(table.median(key), alone), 2)


def accumulate(table, key, _cores):
    if key.name == "accumulate_axpy" and key.size >= 1 << 20:
        yield Verdict(key, ">= 0.85 of the machine's own y += a * x", quotient(limit_of(table, key), table.median(key)), 0.85, True)


def fence(table, key, _cores):
    if key.name == "fence_all" and key.size >= 50 and table.mpis():
        yield Verdict(key, ">= 10 x cheaper than a flush of every window", quotient(table.best_of_peers(key), table.median(key)), 10, True)


def patches(table, key, _cores):
    """Against MPI's own calls. The factors of 2 and 3 are those over the packaged ARMCI: armci()."""
    if key.name in ("patch_put", "patch_get", "patch_accumulate") and key.size >= 2048 and table.mpis():
        yield Verdict(key, "ahead of every MPI", quotient(table.best_of_peers(key), table.median(key)), 1, True)


ARMCI = {"armci_put": 1, "armci_get": 1, "armci_acc": 2, "armci_patch_put": 2, "armci_patch_get": 2, "armci_patch_acc": 3,
         "armci_all_fence": 10, "armci_fetch_add": 3, "armci_temporary": 1}


def armci(table, key, _cores):
    """Against the better of the packaged ARMCIs. Small accumulates and small patches have no target, nor has the counter of 2 ranks."""
    bound = ARMCI.get(key.name)
    small = key.size < 2048 and key.name in ("armci_acc", "armci_patch_put", "armci_patch_get", "armci_patch_acc")
    if bound and not small and not (key.name == "armci_fetch_add" and key.ranks < 4) and table.mpis():
        target = f">= {bound} x the packaged ARMCI" if bound > 1 else "no slower than the packaged ARMCI"
        yield Verdict(key, target, quotient(table.best_of_peers(key), table.median(key)), bound, True)
    if key.size >= 1 << 20 and key.name in ("armci_put", "armci_get", "armci_acc"):
        bound, of = (0.85, "the machine's own y += a * x") if key.name == "armci_acc" else (0.95, "memcpy")
        yield Verdict(key, f">= {bound} of {of}", quotient(limit_of(table, key), table.median(key)), bound, True)


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
    if key.name == "barrier" and key.hogs and table.mpis():
        yield Verdict(key, ">= 10 x faster than the better MPI", quotient(table.best_of_peers(key), table.median(key)), 10, True)


def forms(table, key, _cores):
    blocking = table.median(Key("form_blocking", key.ranks, key.size))
    if key.name == "form_persistent":
        yield Verdict(key, "<= 1.1 x the blocking call", quotient(table.median(key), blocking), 1.1)
    if key.name == "form_beside_pause" and key.size >= 4 << 20:
        yield Verdict(key, "<= 0.1 x the blocking call: nine tenths are hidden", quotient(table.median(key), blocking), 0.1)


def stale(table, key, _cores):
    """What it returns has been added to what was there, so it stands beside an allreduce and that addition."""
    if key.name in ("stale_hypercube", "stale_flat", "stale_sharded"):
        beside = table.median(Key("stale_consistent_added", key.ranks, key.size))
        yield Verdict(key, "<= 1.1 x the consistent allreduce and an addition", quotient(table.median(key), beside), 1.1)


def startup(table, key, _cores):
    if key.name == "startup" and key.ranks == 16:
        yield Verdict(key, "< 150 ms", quotient(table.median(key), 150e6), 1)


RULES = (put_notify, put, bandwidth, fetch_add, ahead_of_mpi, crowded_barrier, barrier_among_hogs, startup, forms, stale,
         accumulate, fence, patches, gaspi_ahead_of_mpi, gaspi_door, dart_door, gaspi_waitsome, gaspi_rate, armci)

# The limit that a measurement is shown beside: Polder's name -> key of the limit, from Polder's key.
LIMIT_OF = {
    "barrier": lambda key: Key("turns", key.ranks, impl="limit"),
    "put_notify": lambda key: Key("handover", 2, impl="limit") if key.size <= 64 else None,
    "put": lambda key: Key("store", 1, 8, impl="limit") if key.size == 8 else Key("memcpy", 1, key.size, impl="limit"),
    "put_bandwidth": lambda key: Key("memcpy_there", key.ranks, key.size, impl="limit"),
    "get_bandwidth": lambda key: Key("memcpy_back", key.ranks, key.size, impl="limit"),
    "fetch_add": lambda key: Key("fetch_add", key.ranks, 8, impl="limit"),
    "fetch_add_alone": lambda key: Key("fetch_add", 1, 8, impl="limit"),
    "accumulate": lambda key: Key("stream", 1, key.size, impl="limit"),
    "accumulate_axpy": lambda key: Key("stream", 1, key.size, impl="limit"),
    "armci_put": lambda key: Key("memcpy", 1, key.size, impl="limit"),
    "armci_get": lambda key: Key("memcpy", 1, key.size, impl="limit"),
    "armci_acc": lambda key: Key("stream", 1, key.size, impl="limit"),
}


def limit_key(table, key):
    """Key of the limit that belongs to Polder's `key`, or None."""
    if network_targets.are_for(table):
        return network_targets.limit_key(table, key)
    return LIMIT_OF[key.name](key) if key.name in LIMIT_OF else None


def limit_of(table, key):
    """Nanoseconds of the limit that belongs to `key`, or None."""
    return table.median(limit_key(table, key))
