"""Which benchmarks there are, and what each of them runs."""

from dataclasses import dataclass

ALL_RANKS = (2, 4, 8, 16)


@dataclass(frozen=True)
class Part:
    """One measurement of bench-micro and, where the peers have it, of bench-mpi-*."""

    measurement: str
    ranks: tuple = (2,)
    free_ranks: bool = False  # --ranks may change them
    peers: bool = True
    hogs: bool = False
    words: tuple = ()  # further arguments
    door: str = ""  # measured through this interface, whose name stands before that of the measurement: "gaspi"

    def name_of(self, measured):
        """What the result of a peer is called, so that it stands beside Polder's."""
        prefix = f"{self.door}_" if self.door else ""
        return measured if measured.startswith(prefix) else prefix + measured


@dataclass(frozen=True)
class Benchmark:
    name: str
    help: str
    parts: tuple = ()
    limits: tuple = ()  # measurements of bench-limits that belong to it
    whole: str = ""  # program whose time from start to end is taken instead: "empty" (joins the job) or "true" (does not)


CATALOGUE = (
    Benchmark("latency", "put with notification one way, put alone, get alone; 8 B to 64 kB",
              (Part("put_notify"), Part("put"), Part("get")), ("handover", "store")),
    Benchmark("bandwidth", "put and get, 64 kB to 256 MB", (Part("bandwidth"),), ("memcpy",)),
    Benchmark("rate", "8-byte put_notify per second from 1 and 4 threads", (Part("rate", peers=False),)),
    Benchmark("barrier", "barrier of 2 to 16 ranks, on a quiet machine and with a busy stranger on each core",
              (Part("barrier", ALL_RANKS, True), Part("barrier", ALL_RANKS, True, hogs=True)), ("yield", "futex")),
    Benchmark("crowd", "barrier of 64 to 512 ranks on the cores that there are", (Part("barrier", (64, 128, 256, 512), True, peers=False),),
              ("yield", "futex", "turns")),
    Benchmark("one_core", "barrier of 2 ranks that share a core, although there are more", (Part("one_core", peers=False),), ("yield",)),
    Benchmark("step", "100 us of work and a barrier, on a quiet machine and with a busy stranger on each core",
              (Part("step", ALL_RANKS, True), Part("step", ALL_RANKS, True, hogs=True))),
    Benchmark("ring", "a notification once round 2 to 16 ranks", (Part("ring", ALL_RANKS, True),), ("handover",)),
    Benchmark("fetch_add", "atomic addition to one word, alone and contended", (Part("fetch_add", (2, 4), True),), ("fetch_add",)),
    Benchmark("accumulate", "sum and axpy of doubles, 8 B to 1 MB", (Part("accumulate"),), ("stream",)),
    Benchmark("patches", "strided put, get and accumulate of square patches of doubles, 128 B to 128 kB", (Part("patches"),)),
    Benchmark("fences", "fences with nothing under way, 1 and 50 live allocations", (Part("fences"),)),
    Benchmark("ordering", "a get after a put or accumulate in strict and partial order, here and over a simulated network",
              (Part("ordering", peers=False),)),
    Benchmark("mutex", "lock and unlock of a mutex, alone and contended", (Part("mutex", (2, 4), True, peers=False),)),
    Benchmark("fan_in", "everybody notifies one rank, which answers", (Part("fan_in", ALL_RANKS, True),)),
    Benchmark("allreduce", "sum of 1 to 255 doubles", (Part("allreduce", ALL_RANKS, True),)),
    Benchmark("collectives", "all kinds of collectives, of any length, in private memory and in segments",
              (Part("collectives", ALL_RANKS, True),), ("memcpy",)),
    Benchmark("forms", "an allreduce blocking, persistent and non-blocking, and how much of it is hidden behind a pause, and behind work",
              (Part("forms", (2, 4), True, peers=False),)),
    Benchmark("eventual", "broadcast and reduce that end with 25, 50, 75 % of the data or of the members, beside all of them",
              (Part("eventual", ALL_RANKS, True, peers=False),), ("memcpy",)),
    Benchmark("stale", "the stale-synchronous allreduce without slack beside the consistent one", (Part("stale", (2, 4, 8), True, peers=False),)),
    Benchmark("gaspi", "the GASPI interface: cost of its calls, many threads on one queue, barrier and allreduce",
              (Part("door", peers=False, door="gaspi"), Part("waitsome", (1,), peers=False, door="gaspi"),
               Part("rate", peers=False, door="gaspi"),
               Part("barrier", ALL_RANKS, True, door="gaspi"), Part("barrier", ALL_RANKS, True, hogs=True, door="gaspi"),
               Part("allreduce", ALL_RANKS, True, door="gaspi"), Part("allreduce", ALL_RANKS, True, hogs=True, door="gaspi"))),
    Benchmark("dart", "the DART interface: what its one-sided calls cost over the C++ ones", (Part("door", peers=False, door="dart"),)),
    Benchmark("armci", "the ARMCI interface against the packaged ARMCI: blocks, patches, AllFence, temporary memory, fetch-and-add, barrier and sum",
              (Part("contiguous", door="armci"), Part("patches", door="armci"), Part("fences", door="armci"),
               Part("memory", (2, 4), True, door="armci"),
               Part("fetch_add", (2, 4), True, door="armci"), Part("together", (2, 4), True, door="armci")), ("memcpy", "stream")),
    Benchmark("startup", "start to end of an empty 16-rank program that joins the job", (Part("startup", (16,), True),), whole="empty"),
    Benchmark("launch", "start to end of /bin/true as 16 ranks", (Part("launch", (16,), True),), whole="true"),
    Benchmark("limits", "the machine's own limits",
              limits=("handover", "fetch_add", "store", "memcpy", "outward", "stream", "futex", "yield", "turns")),
)

BY_NAME = {benchmark.name: benchmark for benchmark in CATALOGUE}
