"""Takes the measurements: everybody in turn, again and again, so that a disturbance hits all and not one."""

import contextlib
import shutil
import sys
from collections import defaultdict
from dataclasses import dataclass

from polder_bench.hogs import Hogs
from polder_bench.key import Key, Table, by_its_way
from polder_bench.process import Failure, run_measurements, wall_ns
from polder_bench.stats import summarise


# Limits that bench-micro measures itself, right beside what is held against them.
LIMITS_TAKEN_BESIDE = {"memcpy_there", "memcpy_back"}

# Among strangers a rank runs for some time slices and not for others; a sample has to span many of them.
BUSY = ("--sample-ms", "200")


@dataclass(frozen=True)
class Settings:
    turns: int = 5
    timeout: float = 120  # seconds that one start of one program may take
    quick: bool = False
    ranks: tuple = ()  # instead of the catalogue's, where it leaves the choice


@dataclass(frozen=True)
class Job:
    """One start of one program."""

    command: object  # programs.Command
    hogs: bool = False
    whole: Key = None  # take the time from start to end and book it under this key
    part: object = None  # catalogue.Part; None: a limit


class Turns:
    def __init__(self, programs, settings, log=sys.stderr, earlier=None):
        """`earlier` is a Table whose turns are added to."""
        self.programs = programs
        self.settings = settings
        self.log = log
        self.failures = []
        self._samples = defaultdict(list)  # Key -> a list of samples per turn
        for key, summary in earlier.summaries.items() if earlier else ():
            self._samples[key] = [[median] for median in summary.turns]
        self._turns_before = max((len(turns) for turns in self._samples.values()), default=0)
        self._lost = set()  # command lines that failed: not tried again in this session

    def measure(self, benchmarks):
        """Runs all of them; returns the Table. What failed is in `failures`, as sentences."""
        rounds = list(self._all_rounds(benchmarks))
        for turn in range(self.settings.turns):
            print(f"turn {turn + 1} of {self.settings.turns}", file=self.log, flush=True)
            for jobs in rounds:
                self._run_round(jobs, turn)
        table = Table()
        for key, turns in self._samples.items():
            table.add(key, summarise(turns))
        return table

    def _all_rounds(self, benchmarks):
        """Lists of jobs that run next to each other because they are compared. A limit runs once a turn, with its first user."""
        done = set()
        for benchmark in benchmarks:
            limits = [name for name in benchmark.limits if name not in done]
            done.update(limits)
            yield [Job(self.programs.limit(name, *self._quick())) for name in limits]
            yield from self._rounds(benchmark)

    def _rounds(self, benchmark):
        for part in benchmark.parts:
            for ranks in self._ranks(part):
                commands = self._commands(benchmark, part, ranks)
                yield [Job(c, part.hogs, self._whole_key(benchmark, c, ranks), part) for c in commands]

    def _commands(self, benchmark, part, ranks):
        peers = self.programs.peers() if part.peers else []
        if benchmark.whole == "true":
            program = shutil.which("true") or "/bin/true"
            own, others = self.programs.under_polder(ranks, program), [self.programs.under_mpi(p, ranks, program) for p in peers]
        else:
            words = ("empty",) if benchmark.whole else (part.measurement, *part.words, *(BUSY if part.hogs else ()), *self._quick())
            own, others = self._own(part, ranks, words), [self.programs.rivals(part.door, p, ranks, *words) for p in peers]
            others.append(self.programs.beside(part, ranks, words))
        return [*([own] if own else []), *(command for settings in others for command in settings)]

    def _own(self, part, ranks, words):
        return self.programs.door(part.door, ranks, *words) if part.door else self.programs.micro(ranks, *words)

    @staticmethod
    def _whole_key(benchmark, command, ranks):
        return Key(benchmark.name, ranks, impl=command.impl, setting=command.setting) if benchmark.whole else None

    def _ranks(self, part):
        if part.free_ranks and self.settings.ranks:
            return self.settings.ranks
        return part.ranks[:1] if self.settings.quick else part.ranks

    def _quick(self):
        return ("--quick",) if self.settings.quick else ()

    def _run_round(self, jobs, turn):
        start = (self._turns_before + turn) % max(len(jobs), 1)  # nobody is always the first
        for job in jobs[start:] + jobs[:start]:
            # Where devices are told apart by the environment their words are the same.
            line = (job.command.impl, job.command.setting, *job.command.words, *sorted(job.command.environment.items()), job.hogs)
            if line in self._lost:
                continue
            try:
                self._run(job)
            except Failure as failure:
                self._lost.add(line)
                who = f"{job.command.impl} ({job.command.setting})" if job.command.setting else job.command.impl
                self.failures.append(f"{who}, {failure}")
                print(f"failed: {who}, {failure}", file=self.log, flush=True)

    def _run(self, job):
        hogs = Hogs(self.programs.path("bench-limits")) if job.hogs else contextlib.nullcontext()
        words, environment = job.command.words, job.command.environment
        with hogs:
            if job.whole:
                repetitions = 2 if self.settings.quick else 5
                times = [wall_ns(words, self.settings.timeout, environment) for _ in range(repetitions)]
                self._samples[job.whole].append(times)
                return
            found = run_measurements(words, self.settings.timeout, environment)
        if not found:
            raise Failure(f"{' '.join(words)}: ended well but measured nothing")
        for one in found:
            impl = "limit" if one["name"] in LIMITS_TAKEN_BESIDE else job.command.impl
            name = one["name"] if impl in ("polder", "limit") else job.part.name_of(one["name"])
            key = by_its_way(Key(name, one["ranks"], one["size"], one["threads"], job.hogs, impl, job.command.setting))
            self._samples[key].append(one["ns"])
