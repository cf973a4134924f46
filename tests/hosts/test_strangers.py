"""Who can reach the ports of a job is not part of it: on a third host somebody tries whatever comes to mind while a job runs on
two others. The job must end as if nobody had."""

import os
import re
import sys

import hosts
from hosts import OpenMpi

ENDURE = os.path.join(os.environ.get("POLDER_HOSTS_PROGRAMS", ""), "endure")
LISTEN_IN = [sys.executable, os.path.join(hosts.PROGRAMS, "listen_in.py")]
INTRUDE = [sys.executable, os.path.join(hosts.PROGRAMS, "intrude.py")]
JOB_HOSTS = ["h0", "h1"]
PER_HOST = 2
SECONDS = 12


class Strangers(hosts.HostsTest):
    count = 3
    environment = {"POLDER_TCP_DEVICES": "eth0", "POLDER_UCX_DEVICES": "eth0"}

    def begin(self, seconds):
        process = OpenMpi(self.net).start(JOB_HOSTS, PER_HOST, ENDURE, seconds, 5000, environment=self.environment)
        self.addCleanup(hosts.end, process)
        lines = []
        while sum(line.startswith("ready") for line in lines) < len(JOB_HOSTS) * PER_HOST:
            lines.append(process.stdout.readline())
            if not lines[-1]:
                self.fail(f"the job did not start: {hosts.finish(process)}\n{lines}")
        return process

    def assert_undisturbed(self, process):
        done = hosts.finish(process)
        self.assert_well(done)
        self.assertFalse([line for line in done.lines if line.startswith(("wrong", "late", "saw"))], done)
        ends = [line.split() for line in done.lines if line.startswith("end")]
        self.assertEqual([words[2] for words in ends], ["hhhh"] * 4, done)
        self.assertGreater(min(int(words[3]) for words in ends), 0, done)
        return done

    def listeners(self):
        """host:port of every socket on which a rank listens."""
        found = []
        for host in JOB_HOSTS:
            for line in self.net.run(host, "ss", "-H", "-l", "-t", "-n", "-p").out.splitlines():
                if '"endure"' in line:
                    found.append(line.split()[3])
        return found

    def record(self):
        """What an older job said on the network."""
        file = self.net.path("recorded")
        listener = self.net.start("h1", *LISTEN_IN, file)
        listener.stdout.readline()
        self.assert_undisturbed(self.begin(2))
        listener.terminate()
        self.assertEqual(hosts.finish(listener).code, 0)
        return file

    def intrude(self, *kinds):
        """A job at whose ports somebody tries the kinds of things that intrude.py knows; what the job wrote."""
        file = self.record()
        process = self.begin(SECONDS)
        doors = self.listeners()
        self.assertTrue(doors)
        # They are bound to the interface that was chosen, and to no other.
        self.assertFalse([door for door in doors if not door.startswith("10.77.0.")], doors)
        intruder = self.net.start("h2", *INTRUDE, 7, SECONDS - 4, ",".join(kinds), file, *doors)
        visits = hosts.finish(intruder)
        self.assertEqual(visits.code, 0, visits)
        done = self.assert_undisturbed(process)
        for kind in kinds:
            count = int(re.search(rf"^{kind} (\d+)$", visits.out, re.M)[1])
            self.assertGreater(count, 0, visits)
        return done


class Noise(Strangers):
    def test_nonsense_and_silence(self):
        self.intrude("nonsense", "silence")


class Words(Strangers):
    """Of an older job, or what begins like them."""

    def test_an_older_jobs_words(self):
        done = self.intrude("half", "repetition")
        self.assertRegex(done.err, "(?i)stranger", done)


@hosts.needs("ucx")
class UcxNoise(Noise):
    """The ports are those of a library, behind the connection guard."""
    environment = {"POLDER_NETWORK": "ucx", **Strangers.environment}


@hosts.needs("ucx")
class UcxWords(Words):
    environment = UcxNoise.environment


if __name__ == "__main__":
    hosts.main()
