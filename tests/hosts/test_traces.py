"""Traces of jobs on several hosts. Their clocks are one here, and what is found out about them over the network must say so; or they are made
wrong for the trace, and it must come out right. To shared and to local folders, under each launcher."""

import csv
import os
import re
import subprocess
import time

import hosts
from hosts import OpenMpi, Slurm

WAITER = os.path.join(os.environ.get("POLDER_HOSTS_PROGRAMS", ""), "../../cli/programs/waiter")
ENDURE = os.path.join(os.environ.get("POLDER_HOSTS_PROGRAMS", ""), "endure")
UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
NUMBER = r"(-?[0-9.e+]+) (ns|us|ms|s)"


def seconds(number, unit):
    return float(number) * UNITS[unit]


def polder(*words):
    done = subprocess.run([os.path.join(hosts.BUILD, "bin", "polder"), *words], capture_output=True, text=True, timeout=hosts.PATIENCE, check=False)
    if done.returncode != 0:
        raise AssertionError(f"polder {' '.join(words)}: {done.stderr}")
    return done.stdout


def clock_of(host, text):
    """What was added to its clock, what a second, and how far that may be off; seconds."""
    found = re.search(rf"note: the clock of {host}: {NUMBER} and {NUMBER} a second were added to bring it to that of h0, right to {NUMBER}$", text, re.MULTILINE)
    if not found:
        raise AssertionError(text)
    return seconds(found[1], found[2]), seconds(found[3], found[4]), seconds(found[5], found[6])


class Clocks(hosts.HostsTest):
    def test_hosts_ask_for_each_others_clocks(self):
        """Flags of a barrier are no messages of the program: without questions there would be nothing to go by."""
        folder = self.net.path("trace")
        self.assert_well(OpenMpi(self.net).run(self.net.hosts, 2, WAITER, "barrier", environment={"POLDER_TRACE": folder}))
        offset, _, error = clock_of("h1", polder("trace", "stats", folder))
        self.assertGreater(error, 0)
        self.assertLess(error, 1, "a question takes less than that")
        self.assertLessEqual(abs(offset), error + 1e-6, "the hosts are one machine")


class WrongClocks(hosts.HostsTest):
    """The clock of h1 is 3.7 s behind as of the machine's start and goes faster by 400 millionths, that of h2 is ahead and slower."""

    count = 3
    wrong = {"h1": (-3_700_000_000, 400), "h2": (250_000_000, -300)}

    def test_they_are_brought_together(self):
        folder = self.net.path("wrong")
        cases = " ".join(f"{host}) export POLDER_TRACE_CLOCK={offset},{drift};;" for host, (offset, drift) in self.wrong.items())
        began = time.clock_gettime(time.CLOCK_MONOTONIC)
        self.assert_well(OpenMpi(self.net).run(self.net.hosts, 2, "sh", "-c", f'case $(hostname) in {cases} esac; exec "$@"', "sh", ENDURE, "2", "1500",
                                               environment={"POLDER_TRACE": folder}))
        ended = time.clock_gettime(time.CLOCK_MONOTONIC)
        text = polder("trace", "stats", folder)
        self.assertNotIn("backwards", text)
        for host, (offset, drift) in self.wrong.items():
            added, rate, error = clock_of(host, text)
            self.assertLess(error, 0.1)
            self.assertAlmostEqual(rate, -drift * 1e-6, delta=max(4 * error / 2, 4e-5), msg=text)
            shown = sorted(offset * 1e-9 + drift * 1e-6 * at for at in (began, ended))
            self.assertLessEqual(shown[0] - 2 * error, -added, text)
            self.assertLessEqual(-added, shown[1] + 2 * error, text)
        self.assert_meetings(folder, max(clock_of(host, text)[2] for host in self.wrong))

    def assert_meetings(self, folder, error):
        """Nobody leaves a barrier of all before the last one has come."""
        table = os.path.join(folder, "events.csv")
        polder("trace", "convert", folder, "--to", "csv", "-o", table)
        barriers = {}
        with open(table, newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                if row["kind"] == "barrier" and row["outcome"] == "ok":
                    barriers.setdefault((row["segment"], row["rank"]), []).append((int(row["begin_ns"]), int(row["end_ns"])))
        group = next(iter(barriers))[0]
        of_ranks = [spans for (segment, _), spans in barriers.items() if segment == group]
        self.assertEqual(len(of_ranks), 6)
        for meeting in zip(*of_ranks):
            self.assertGreaterEqual(min(end for _, end in meeting) - max(begin for begin, _ in meeting), -2e9 * error)


class LocalFolders(hosts.HostsTest):
    slurm = True

    def test_traces_of_each_host_are_brought_together_afterwards(self):
        for launcher in (OpenMpi(self.net), Slurm(self.net)):
            with self.subTest(launcher.name):
                place = self.net.path(f"local-{launcher.name}")
                self.assert_well(launcher.run(self.net.hosts, 2, "sh", "-c", f'POLDER_TRACE={place}/$(hostname) exec "$@"', "sh", WAITER, "barrier"))
                together = os.path.join(place, "all")
                os.mkdir(together)
                for host in self.net.hosts:
                    names = os.listdir(os.path.join(place, host))
                    self.assertEqual(len(names), 2, names)
                    for name in names:
                        os.link(os.path.join(place, host, name), os.path.join(together, name))
                text = polder("trace", "stats", together)
                self.assertRegex(text, r"^4 ranks, \d+ events")
                self.assertNotIn("no trace file", text)
                self.assertIn("barrier", text)
                # Half of it is what it says.
                self.assertIn("note: rank 2 to 3: no trace file", polder("trace", "stats", os.path.join(place, "h0")))


if __name__ == "__main__":
    hosts.main()
