"""Hosts on this machine (tools/testnet) for tests: made, used through real launchers, and looked at when they are gone."""

import os
import shutil
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOLS = os.path.join(PROJECT, "tools")
TESTNET = [sys.executable, os.path.join(TOOLS, "testnet")]
PROGRAMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs")
BUILD = os.environ.get("POLDER_BUILD", "")  # a folder that all hosts must see
SKIP = 77  # what testnet and these tests end with where the machine cannot do it
NETWORKS = os.environ.get("POLDER_NETWORKS_BUILT", "tcp,ucx,ofi").split(",")
PATIENCE = 120  # seconds; for what must happen, however slow the machine


def needs(network):
    """For a test, or a class of them, over a network that is built only where its library is."""
    return unittest.skipUnless(network in NETWORKS, f"{network} was not built")


class Done:
    """A program that has ended on a host."""

    def __init__(self, code, out, err):
        self.code = code
        self.out = out
        self.err = err
        self.lines = sorted(out.splitlines())

    def __repr__(self):
        return f"exit code {self.code}\n--- standard output\n{self.out}\n--- standard error\n{self.err}"


class Net:
    """`tools/testnet COUNT options`, which lives until end() or until this process is gone."""

    def __init__(self, count, *options, environment=None):
        share = ["--share", BUILD] if BUILD else []
        self.environment = dict(environment or os.environ)
        self.process = subprocess.Popen([*TESTNET, str(count), *share, *options], text=True, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.environment)
        line = self.process.stdout.readline()
        if not line.startswith("export TESTNET="):
            error = self.process.communicate()[1].strip()
            if self.process.returncode == SKIP:
                raise unittest.SkipTest(error)
            raise AssertionError(f"testnet does not start: {error}")
        self.folder = line.split("=", 1)[1].strip()
        self.environment["TESTNET"] = self.folder
        self.hosts = [f"h{index}" for index in range(count)]

    def end(self):
        self.process.terminate()
        self.process.communicate(timeout=PATIENCE)

    def path(self, name):
        """A place for a file that all hosts see."""
        return os.path.join(self.folder, name)

    def tell(self, *words):
        """A verb of tools/testnet: cut, heal, kill, slurm."""
        done = subprocess.run([*TESTNET, *words], env=self.environment, text=True, capture_output=True, timeout=PATIENCE,
                              stdin=subprocess.DEVNULL)
        if done.returncode == SKIP:
            raise unittest.SkipTest(done.stderr.strip())
        if done.returncode != 0:
            raise AssertionError(f"testnet {' '.join(words)}: {done.stderr.strip()}")
        return done.stdout

    def start(self, host, *argv, environment=None):
        return subprocess.Popen([*TESTNET, "exec", host, *map(str, argv)], text=True, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                env={**self.environment, **(environment or {})})

    def run(self, host, *argv, environment=None, patience=PATIENCE):
        return finish(self.start(host, *argv, environment=environment), patience)

    def processes(self, host, name):
        """How many processes of that host have `name` in their command line."""
        text = self.run(host, "ps", "-e", "-ww", "-o", "args=").out
        return sum(name in line and not line.startswith("ps ") for line in text.splitlines())


def finish(process, patience=PATIENCE):
    try:
        out, err = process.communicate(timeout=patience)
    except subprocess.TimeoutExpired:
        process.terminate()
        out, err = process.communicate()
        raise AssertionError(f"not done after {patience} s:\n{out}\n{err}") from None
    return Done(process.returncode, out, err)


def end(process):
    """For cleaning up after a test that may have failed."""
    if process.poll() is None:
        process.terminate()
    process.communicate()


class Launcher:
    """Starts the same number of ranks on each of some hosts. `hosts` in the order of ranks."""

    name = ""
    program = ""

    def __init__(self, net):
        if not shutil.which(self.program):
            raise unittest.SkipTest(f"{self.program} is not installed; `tools/setup hosts` does that")
        self.net = net

    def start(self, hosts, per_host, *argv, environment=None, survive=False):
        """survive: the launcher is to leave the others alone when a rank or a host dies."""
        words = self.command(hosts, per_host, environment or {}, survive)
        return self.net.start(self.net.hosts[0], *words, *argv, environment=environment)

    def run(self, hosts, per_host, *argv, environment=None, survive=False, patience=PATIENCE):
        return finish(self.start(hosts, per_host, *argv, environment=environment, survive=survive), patience)


class OpenMpi(Launcher):
    name = "mpirun"
    program = "mpirun.openmpi"

    def command(self, hosts, per_host, environment, survive):
        slots = ",".join(f"{host}:{per_host}" for host in hosts)
        exported = [word for name in environment for word in ("-x", name)]
        recovery = ["--enable-recovery", "--mca", "orte_abort_on_non_zero_status", "0"] if survive else []
        return [self.program, "--allow-run-as-root", "--bind-to", "none", "--host", slots, "-n", str(len(hosts) * per_host),
                "--mca", "plm_rsh_agent", self.net.path("rsh"), *recovery, *exported]


class Slurm(Launcher):
    """Needs `net.tell("slurm")` once."""

    name = "srun"
    program = "srun"

    def command(self, hosts, per_host, environment, survive):
        tolerance = ["--no-kill", "--kill-on-bad-exit=0"] if survive else ["--kill-on-bad-exit=1"]
        return [self.program, "--mpi=pmix", "--quiet", f"--nodelist={','.join(hosts)}", f"--nodes={len(hosts)}",
                f"--ntasks={len(hosts) * per_host}", f"--ntasks-per-node={per_host}", "--distribution=block", "--overcommit",
                *tolerance]


class HostsTest(unittest.TestCase):
    """All tests of a class share a testnet of `count` hosts, with Slurm where `slurm` says so."""

    count = 2
    options = ()
    slurm = False

    @classmethod
    def setUpClass(cls):
        cls.net = Net(cls.count, *cls.options)
        cls.addClassCleanup(cls.net.end)
        if cls.slurm:
            cls.net.tell("slurm")

    def assert_well(self, done):
        self.assertEqual(done.code, 0, done)
        return done


def main():
    """unittest.main(), which ends with 77 and prints why if every test was skipped: ctest then says so, too."""
    program = unittest.main(exit=False)
    result = program.result
    if not result.wasSuccessful():
        sys.exit(1)
    reasons = {reason for _, reason in result.skipped}
    if reasons and len(result.skipped) >= max(result.testsRun, 1):
        print("skipped:", *reasons)
        sys.exit(SKIP)
