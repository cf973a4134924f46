"""Where the measuring programs are, and the command lines that start them."""

import os
import shutil
from dataclasses import dataclass

from .process import Failure

PEERS = ("openmpi", "mpich")


@dataclass(frozen=True)
class Command:
    impl: str
    setting: str
    words: list
    environment: dict


class Programs:
    """`folder` holds bench-limits, bench-micro and the bench-mpi-* that could be built: the folder of polder-bench itself."""

    def __init__(self, folder, polder="", device="", against=PEERS):
        self.folder = folder
        self.polder = polder or self._find_polder()
        self.device = device
        self.against = tuple(against)
        self.tables = {}  # number of ranks -> the file of what `polder tune` found among them, which they take

    def _find_polder(self):
        beside = os.path.normpath(os.path.join(self.folder, "..", "..", "bin", "polder"))
        return beside if os.access(beside, os.X_OK) else shutil.which("polder") or beside

    def path(self, name):
        return os.path.join(self.folder, name)

    def build_note(self, name):
        """A file that the build left about itself."""
        return self.path(os.path.join("build", name))

    def missing(self):
        """What has to be there and is not."""
        return [p for p in (self.path("bench-limits"), self.path("bench-micro"), self.polder) if not os.access(p, os.X_OK)]

    def application(self, name, given=""):
        """The path of an application, `given` or beside polder; Failure where it, or polder, is none."""
        path = given or os.path.join(os.path.dirname(self.polder), name)
        for program in (self.polder, path):
            if not os.access(program, os.X_OK):
                raise Failure(f"{program} is missing or no program; give --polder and --{name}")
        return path

    def peers(self):
        """The MPIs asked for that are built and can be started."""
        return [p for p in self.against if os.access(self.path(f"bench-mpi-{p}"), os.X_OK) and shutil.which(f"mpirun.{p}")]

    def limit(self, *words):
        return Command("limit", "", [self.path("bench-limits"), *words], {})

    def micro(self, ranks, *words):
        return self.under_polder(ranks, self.path("bench-micro"), *words)

    def door(self, interface, ranks, *words):
        """bench-gaspi and its like: Polder through one of its other interfaces. None: it was not built. ARMCI lives in programs of MPI."""
        if interface == "armci":
            return self._armci(ranks, words)
        return self.under_polder(ranks, self.path(f"bench-{interface}"), *words)

    def _armci(self, ranks, words):
        there = [p for p in PEERS if os.access(self.path(f"bench-armci-{p}"), os.X_OK) and shutil.which(f"mpirun.{p}")]
        if not there:
            return None
        started = self.under_mpi(there[0], ranks, self.path(f"bench-armci-{there[0]}"), *words)[0]
        device = {"POLDER_DEVICE": self.device} if self.device else {}
        return Command("polder", "", started.words, {**started.environment, **device})

    def rivals(self, interface, peer, ranks, *words):
        """What is measured beside Polder with this MPI: MPI itself, or for ARMCI the packaged one. One command per setting."""
        if interface != "armci":
            return self.mpi(peer, ranks, *words)
        program = self.path(f"bench-armci-packaged-{peer}")
        return self.under_mpi(peer, ranks, program, *words) if os.access(program, os.X_OK) else []

    def beside(self, _part, _ranks, _words):
        """Polder once more, over other devices. One command for each."""
        return []

    def under_polder(self, ranks, *words):
        device = ["--device", self.device] if self.device else []
        bind = ["--bind", "core"] if fits(ranks) else []
        return Command("polder", "", [self.polder, "run", "-n", str(ranks), *bind, *device, *words], self.table(ranks))

    def table(self, ranks):
        """How ranks are told of their table."""
        return {"POLDER_COLL_TABLE": self.tables[ranks]} if ranks in self.tables else {}

    def mpi(self, peer, ranks, *words):
        """One command per setting worth trying."""
        return self.under_mpi(peer, ranks, self.path(f"bench-mpi-{peer}"), *words)

    def gloo(self, ranks, *words):
        """One command, or none where it was not built. It starts its processes itself, on this machine."""
        program = self.path("bench-gloo")
        return [Command("gloo", "default", [program, *words, "--procs", str(ranks)], {})] if os.access(program, os.X_OK) else []

    def under_mpi(self, peer, ranks, *words):
        if peer == "openmpi":
            return self._under_openmpi(ranks, words)
        return [Command(peer, "default", ["mpirun.mpich", "-bind-to", binding(ranks), "-n", str(ranks), *words], {})]

    @staticmethod
    def _under_openmpi(ranks, words):
        # Root is refused otherwise, and containers often have no other user.
        environment = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        bind = binding(ranks)
        threads = ["--use-hwthread-cpus"] if bind == "hwthread" else []
        start = ["mpirun.openmpi", "--oversubscribe", "--bind-to", bind, *threads, "-n", str(ranks)]
        idle = ["--mca", "mpi_yield_when_idle", "1"]
        return [Command("openmpi", "default", [*start, *words], environment),
                Command("openmpi", "yield", [*start, *idle, *words], environment)]


def cores():
    return len(os.sched_getaffinity(0))


def fits(ranks):
    """Whether every rank can have a core of its own, be it a thread of the hardware."""
    return ranks <= cores()


def binding(ranks):
    """What an MPI is to pin a rank to. Its cores may be of several threads each: it refuses more ranks than them, or has two share one."""
    if not fits(ranks):
        return "none"
    return "core" if ranks <= whole_cores() else "hwthread"


def whole_cores(folder="/sys/devices/system/cpu"):
    """Those of which this program may use any thread."""
    siblings = set()
    for cpu in os.sched_getaffinity(0):
        try:
            with open(f"{folder}/cpu{cpu}/topology/thread_siblings_list", encoding="ascii") as file:
                siblings.add(file.read())
        except OSError:
            siblings.add(str(cpu))
    return len(siblings)
