"""Every call that can sleep ends when the rank that it needs is gone, on another host: by exit(1), by a crash, in good order, or with
its host. The bound is the patience of the tests: a call that does not return fails."""

import os
import time

import hosts
from hosts import OpenMpi, Slurm

PROGRAMS = {"runtime": os.path.join(os.environ.get("POLDER_HOSTS_PROGRAMS", ""), "../../fault/programs/sleepers"),
            "gaspi": os.path.join(os.environ.get("POLDER_GASPI_PROGRAMS", ""), "test_gaspi_sleepers")}


class Sleepers(hosts.HostsTest):
    slurm = True

    def begin(self, launcher, door, end, per_host):
        process = launcher(self.net).start(self.net.hosts, per_host, PROGRAMS[door], end, survive=True)
        self.addCleanup(hosts.end, process)
        self.lines = []
        self.read(process, "ready", 2 * per_host)
        return process

    def read(self, process, first_word, count):
        """Until so many lines begin with it, or the job is over."""
        while sum(line.startswith(first_word) for line in self.lines) < count:
            line = process.stdout.readline()
            if not line:
                self.fail(f"the job ended: {hosts.finish(process)}\n{self.lines}")
            self.lines.append(line)

    def assert_all_told(self, process, survivors):
        """The launcher itself may wait for what is lost: not this test."""
        self.read(process, "well", survivors)
        self.assertEqual([line for line in self.lines if line.startswith("wrong")], [])
        process.terminate()
        hosts.finish(process)

    def sleep(self, end):
        for door in PROGRAMS:
            for per_host in (1, 2):
                with self.subTest(door=door, per_host=per_host):
                    self.assert_all_told(self.begin(OpenMpi, door, end, per_host), 2 * per_host - 1)


class Exit(Sleepers):
    def test_by_exit(self):
        self.sleep("exit")


class Crash(Sleepers):
    def test_by_a_crash(self):
        self.sleep("crash")


class Term(Sleepers):
    def test_in_good_order(self):
        self.sleep("term")


class KilledHost(Sleepers):
    """A new net for each: the host does not come back."""

    def test_runtime(self):
        self.lose_host("runtime")

    def lose_host(self, door):
        process = self.begin(Slurm, door, "wait", 1)
        time.sleep(2)
        self.net.tell("kill", "h1")
        self.assert_all_told(process, 1)


class KilledHostGaspi(KilledHost):
    def test_runtime(self):
        self.lose_host("gaspi")


if __name__ == "__main__":
    hosts.main()
