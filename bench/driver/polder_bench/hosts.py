"""The same programs on several hosts: what is measured there, and how it is started."""

import os
from dataclasses import replace

from polder_bench.catalogue import Benchmark, Part
from polder_bench.programs import Command, Programs, cores

MEETING_PORT = 7412  # of the raw measurement, at the first host

LARGE = ("--sizes", "65536,262144,1048576,4194304,16777216")
COLLECTED = ("--sizes", "64,8192,1048576")

NETWORK = (
    Benchmark("latency", "put with notification one way, put alone, get alone; 8 B to 64 kB",
              (Part("put_notify"), Part("put"), Part("get")), ("ping_pong",)),
    Benchmark("bandwidth", "put and get, 64 kB to 16 MB, each awaited, and many under way at a time",
              (Part("bandwidth", words=LARGE), Part("stream", words=LARGE)), ("stream",)),
    Benchmark("rate", "8-byte put_notify (MPI: put) per second from 1 and 4 threads", (Part("rate"),), ("ping_pong",)),
    Benchmark("atomics", "8-byte fetch_add, one after the other and many under way at a time", (Part("fetch_add"),), ("ping_pong",)),
    Benchmark("busy", "get and accumulate while the target waits, and while it computes", (Part("busy_target"),), ("ping_pong",)),
    Benchmark("collectives", "barrier, allreduce, and six kinds of collectives of any length",
              (Part("barrier"), Part("allreduce"), Part("collectives", words=COLLECTED)), ("ping_pong",)),
    Benchmark("eventual", "broadcast and reduce that end with 25, 50, 75 % of the data or of the members, beside all of them",
              (Part("eventual", (2, 4), peers=False),), ("ping_pong",)),
    Benchmark("armci", "the ARMCI interface against the packaged ARMCI: blocks",
              (Part("contiguous", words=("--sizes", "8,2048,16384,131072,1048576"), door="armci"),), ("ping_pong",)),
    Benchmark("patches", "the same for square patches of doubles", (Part("patches", door="armci"),), ("ping_pong",)),
    Benchmark("armci_busy", "the same while the target computes", (Part("busy_target", door="armci"),), ("ping_pong",)),
)

# As Open MPI comes it chooses windows over UCX and messages over TCP, and then makes no window.
OPENMPI_TCP = ("--mca", "pml", "ob1", "--mca", "btl", "tcp,vader,self", "--mca", "osc", "pt2pt")
OPENMPI_UCX = ("--mca", "pml", "ucx", "--mca", "osc", "ucx", "--mca", "pml_ucx_tls", "any", "--mca", "pml_ucx_devices", "any")


class HostPrograms(Programs):
    """Ranks go to the hosts in turn, or, `in_blocks`, those of a host follow each other. Open MPI's mpirun starts Polder's, MPICH's are started by its own; both reach the hosts by
    `agent`, a program that is called as ssh is. Nobody is pinned: a launcher on one of several hosts knows nothing of the others.
    Hosts of a testnet share the cores of one machine."""

    def __init__(self, folder, polder, device, against, hosts, agent, devices_beside=(), in_blocks=False):
        super().__init__(folder, polder, device, against)
        self.hosts = hosts
        self.agent = agent
        self.devices_beside = tuple(devices_beside)
        self.in_blocks = in_blocks

    def missing(self):
        return [p for p in (self.path("bench-wire"), self.path("bench-micro")) if not os.access(p, os.X_OK)]

    def limit(self, *words):
        place = f"{self.hosts[0]}:{MEETING_PORT}"
        return self._mpirun("limit", "", 2, (), {"BENCH_WIRE_AT": place}, (self.path("bench-wire"), *words))

    def under_polder(self, ranks, *words):
        return self._mpirun("polder", "", ranks, (), {**self._device(ranks), **self.table(ranks)}, words)

    def beside(self, part, ranks, words):
        found = []
        for device in self.devices_beside:
            other = HostPrograms(self.folder, self.polder, device, (), self.hosts, self.agent, in_blocks=self.in_blocks)
            command = other.door(part.door, ranks, *words) if part.door else other.micro(ranks, *words)
            if command:
                found.append(replace(command, impl=f"polder-{device}"))
        return found

    def gloo(self, _ranks, *_words):
        """None: bench-gloo knows one machine only."""
        return []

    def under_mpi(self, peer, ranks, *words):
        crowded = ranks > cores() * (1 if "TESTNET" in os.environ else len(self.hosts))
        if peer == "mpich":
            # Its ranks do not yield: where they outnumber cores each step takes a time slice, 4 to 8 ms.
            if crowded:
                return []
            start = ["mpirun.mpich", "-launcher", "ssh", "-launcher-exec", self.agent, "-hosts", ",".join(self.hosts), "-ppn", str(self._at_once(ranks))]
            return [Command("mpich", "default", [*start, "-n", str(ranks), *words], {})]
        idle = ("--mca", "mpi_yield_when_idle", "1") if crowded else ()
        return [self._mpirun("openmpi", setting, ranks, (*options, *idle), {}, words)
                for setting, options in (("tcp", OPENMPI_TCP), ("ucx", OPENMPI_UCX))]

    def _armci(self, ranks, words):
        program = self.path("bench-armci-openmpi")
        if not os.access(program, os.X_OK):
            return None
        return self._mpirun("polder", "", ranks, OPENMPI_TCP, self._device(ranks), (program, *words))

    def _device(self, ranks):
        """By itself, or between hosts whose ranks share memory."""
        name = "POLDER_NETWORK" if ranks > len(self.hosts) else "POLDER_DEVICE"
        return {name: self.device} if self.device else {}

    def _at_once(self, ranks):
        """So many ranks go to a host before the next one has any."""
        return -(-ranks // len(self.hosts)) if self.in_blocks else 1

    def _mpirun(self, impl, setting, ranks, options, environment, words):
        slots = ",".join(f"{host}:{self._at_once(ranks) if self.in_blocks else ranks}" for host in self.hosts)
        start = ["mpirun.openmpi", "--bind-to", "none", "--map-by", "slot" if self.in_blocks else "node", "--host", slots, "-n", str(ranks),
                 "--mca", "plm_rsh_agent", self.agent, *options]
        exported = [word for name in environment for word in ("-x", name)]
        # Root is refused otherwise, and containers often have no other user.
        root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        return Command(impl, setting, [*start, *exported, *words], {**root, **environment})
