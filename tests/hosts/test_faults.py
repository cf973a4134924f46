"""Networks and hosts that fail under a job. The launcher runs on h0, where no rank's path is ever cut from it, because what is
tested is Polder and not the launcher: the ranks of h1 and h2 lose each other, or h2 dies.

Three ranks, one a host, started by Slurm, which leaves the others alone. Whatever happens: no call takes longer than it may, no
wrong data, the states are right at each survivor soon, and nothing is left on any host."""

import os
import re
import time

import hosts
from hosts import OpenMpi, Slurm

ENDURE = os.path.join(os.environ.get("POLDER_HOSTS_PROGRAMS", ""), "endure")
WATCH = os.path.join(os.environ.get("POLDER_HOSTS_PROGRAMS", ""), "watch")
SURVIVE = os.path.join(os.environ.get("POLDER_HOSTS_PROGRAMS", ""), "survive")
LATE = os.path.join(os.environ.get("POLDER_HOSTS_PROGRAMS", ""), "late")
NOTICE = 10  # seconds after which every survivor must know, by default
LOADED = 5  # what a loaded machine may add
CALL_MS = 2000


class Report:
    """What the ranks of `endure` printed."""

    def __init__(self, done):
        self.done = done
        self.states, self.good, self.longest, self.saw = {}, {}, {}, {}
        for line in done.out.splitlines():
            words = line.split()
            if words[0] == "end":
                rank = int(words[1])
                self.states[rank], self.good[rank], self.longest[rank] = words[2], int(words[3]), float(words[4])
            elif words[0] == "saw" and words[3] == "F":
                self.saw[int(words[1]), int(words[2])] = float(words[4])
        self.bad = [line for line in done.out.splitlines() if line.startswith(("late", "wrong"))]


class Faults(hosts.HostsTest):
    count = 3
    slurm = True
    network = "tcp"

    def begin(self, program, *arguments, on_each=1):
        """Starts the program and returns when all ranks are at work."""
        process = Slurm(self.net).start(self.net.hosts, on_each, program, *arguments, survive=True,
                                             environment={"POLDER_NETWORK": self.network})
        self.addCleanup(hosts.end, process)
        self.lines = []
        while sum(line.startswith("ready") for line in self.lines) < self.count * on_each:
            line = process.stdout.readline()
            if not line:
                self.fail(f"the job did not start: {hosts.finish(process)}\n{self.lines}")
            self.lines.append(line)
        return process

    def finish(self, process):
        done = hosts.finish(process)
        return hosts.Done(done.code, "".join(self.lines) + done.out, done.err)

    def endure(self, seconds, fault):
        """Runs `endure` and lets `fault` happen when all are at work; returns the Report and the moment of the fault."""
        process = self.begin(ENDURE, seconds, CALL_MS)
        time.sleep(1)
        moment = time.monotonic()
        fault()
        report = Report(self.finish(process))
        self.assertEqual(report.bad, [], report.done)
        return report, moment

    def assert_saw(self, report, moment, rank, peer):
        """`rank` learned in time that `peer` is out of reach."""
        self.assertIn((rank, peer), report.saw, report.done)
        self.assertLessEqual(report.saw[rank, peer] - moment, NOTICE + LOADED, report.done)

    def assert_clean(self):
        """No process of the job, no file of it."""
        for host in self.net.tell("hosts").split():
            for program in (ENDURE, LATE, SURVIVE, WATCH):
                self.assertEqual(self.net.processes(host, program), 0, host)
            left = self.net.run(host, "find", "/dev/shm", "/tmp", "-name", "*polder*", "-not", "-path", f"{hosts.BUILD}/*",
                                "-not", "-path", f"{hosts.PROJECT}/*").out
            self.assertEqual(left, "", host)


class Cut(Faults):
    def test_for_good(self):
        report, moment = self.endure(15, lambda: self.net.tell("cut", "h1", "h2"))
        self.net.tell("heal", "h1", "h2")
        self.assert_saw(report, moment, 1, 2)
        self.assert_saw(report, moment, 2, 1)
        # Rank 0 reaches both: one of them has to go, and is alone.
        self.assertEqual(report.states, {0: "hhF", 1: "hhF", 2: "FFh"}, report.done)
        self.assert_clean()


class OneWay(Faults):
    def test_only_one_direction(self):
        report, moment = self.endure(15, lambda: self.net.tell("cut", "--one-way", "h1", "h2"))
        self.net.tell("heal", "h1", "h2")
        self.assert_saw(report, moment, 1, 2)
        self.assert_saw(report, moment, 2, 1)
        # Rank 0 reaches both: one of them has to go, and is alone.
        self.assertEqual(report.states, {0: "hhF", 1: "hhF", 2: "FFh"}, report.done)
        self.assert_clean()


class Healed(Faults):
    def test_for_five_seconds(self):
        """Shorter than what counts as a failure: all go on."""
        report, _ = self.endure(13, lambda: self.net.tell("cut", "h1", "h2", "--for", "5s"))
        self.assertEqual(report.done.code, 0, report.done)
        self.assertEqual(report.saw, {}, report.done)
        self.assertEqual(report.states, {0: "hhh", 1: "hhh", 2: "hhh"}, report.done)
        self.assertGreater(min(report.longest.values()), 0)
        self.assert_clean()


class KilledHost(Faults):
    def test_power_cut(self):
        report, moment = self.endure(15, lambda: self.net.tell("kill", "h2"))
        self.assert_saw(report, moment, 0, 2)
        self.assert_saw(report, moment, 1, 2)
        self.assertEqual(report.states, {0: "hhF", 1: "hhF"}, report.done)
        self.assert_clean()


class Unlinked(Faults):
    def test_who_has_no_link_to_a_host_learns_of_its_end(self):
        """Two ranks on each host, of which the second has spoken to its neighbour only."""
        process = self.begin(WATCH, 17, on_each=2)
        time.sleep(1)
        moment = time.monotonic()
        self.net.tell("kill", "h2")
        report = Report(self.finish(process))
        for rank in range(4):
            for peer in (4, 5):
                self.assert_saw(report, moment, rank, peer)
        self.assertEqual(report.states, {rank: "hhhhFF" for rank in range(4)}, report.done)
        self.assert_clean()


class KilledProcesses(Faults):
    def test_all_processes_of_a_host_die(self):
        report, moment = self.endure(10, lambda: self.net.tell("kill", "--gently", "h2"))
        self.assert_saw(report, moment, 0, 2)
        self.assert_saw(report, moment, 1, 2)
        self.assertEqual(report.states, {0: "hhF", 1: "hhF"}, report.done)
        self.assert_clean()


class KilledRank(Faults):
    """One process dies; the one beside it, which alone notices, tells the other hosts, and all go on in a group without it. Slurm
    does not let them: its PMIx plug-in ends the step when a process of it is lost."""

    slurm = False

    def test_the_others_go_on(self):
        process = OpenMpi(self.net).start(self.net.hosts, 2, SURVIVE, survive=True)
        self.addCleanup(hosts.end, process)
        lines = sorted(process.stdout.readline() for _ in range(5))
        self.assertEqual(lines, [f"survived {rank}\n" for rank in range(5)])
        process.terminate()  # this mpirun waits for the lost process, too
        hosts.finish(process)
        self.assert_clean()


class BadWeather(Faults):
    """200 ms each way and 1 % of the packets lost: slow, and nothing fails."""

    options = ("--delay", "200ms", "--loss", "1")

    def test_slow_and_right(self):
        report, _ = self.endure(15, lambda: None)
        self.assertEqual(report.done.code, 0, report.done)
        self.assertEqual(report.states, {0: "hhh", 1: "hhh", 2: "hhh"}, report.done)
        self.assertGreater(min(report.good.values()), 0, report.done)
        self.assert_clean()


class NothingLate(Faults):
    def test_failed_operations_write_nothing(self):
        process = self.begin(LATE, 22)
        self.net.tell("cut", "h1", "h2", "--for", "14s")
        done = self.finish(process)
        failed = re.search(r"^failed (\S+)$", done.out, re.M)
        changed = re.search(r"^changed (\S+)$", done.out, re.M)
        self.assertTrue(failed and changed, done)
        self.assertLessEqual(float(changed[1]), float(failed[1]), done)
        self.assertIn("intact", done.lines)
        self.assert_clean()


class UcxCut(Cut):
    network = "ucx"


class UcxHealed(Healed):
    network = "ucx"


class UcxKilledHost(KilledHost):
    network = "ucx"


class UcxKilledProcesses(KilledProcesses):
    network = "ucx"


class UcxBadWeather(BadWeather):
    network = "ucx"


class OfiCut(Cut):
    network = "ofi"


class OfiHealed(Healed):
    network = "ofi"


class OfiKilledHost(KilledHost):
    network = "ofi"


class OfiKilledProcesses(KilledProcesses):
    network = "ofi"


class OfiBadWeather(BadWeather):
    network = "ofi"


if __name__ == "__main__":
    hosts.main()
