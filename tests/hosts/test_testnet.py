"""tools/testnet itself, with programs that know nothing of Polder."""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import hosts
from hosts import PROGRAMS, Net

DATAGRAMS = [sys.executable, os.path.join(PROGRAMS, "datagrams.py")]


def wait_until(condition, what):
    end = time.monotonic() + hosts.PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"in vain: {what}")
        time.sleep(0.01)


def processes_with(marker):
    """Processes, of all hosts, that have `marker` in their environment."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            with contextlib.suppress(OSError):
                with open(f"/proc/{entry}/environ", "rb") as file:
                    if marker.encode() in file.read().split(b"\0"):
                        found.append(int(entry))
    return found


def links():
    return sorted(os.listdir("/sys/class/net"))


class Places(hosts.HostsTest):
    """What a host has of its own."""

    def test_name_and_address(self):
        for index, host in enumerate(self.net.hosts):
            self.assertEqual(self.assert_well(self.net.run(host, "hostname")).out, f"{host}\n")
            addresses = self.net.run(host, "ip", "-4", "-brief", "address", "show", "dev", "eth0").out
            self.assertIn(f"10.77.0.{index + 1}/24", addresses)

    def test_names_resolve(self):
        self.assertEqual(self.net.run("h0", "getent", "hosts", "h1").out.split(), ["10.77.0.2", "h1"])

    def test_folders_are_private(self):
        for folder in ("/tmp", "/dev/shm", "/run"):
            self.assert_well(self.net.run("h0", "touch", f"{folder}/mine"))
            self.assertNotIn("mine", self.net.run("h1", "ls", folder).out)
            self.assertFalse(os.path.exists(f"{folder}/mine"))

    def test_testnet_folder_is_shared(self):
        self.assert_well(self.net.run("h0", "touch", self.net.path("ours")))
        self.assertTrue(os.path.exists(self.net.path("ours")))
        self.assertIn("ours", self.net.run("h1", "ls", self.net.folder).out)

    def test_share_shows_a_folder(self):
        with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
            with open(f"{folder}/file", "w", encoding="ascii") as file:
                file.write("seen")
            net = Net(1, "--share", folder)
            try:
                self.assertEqual(net.run("h0", "cat", f"{folder}/file").out, "seen")
            finally:
                net.end()

    def test_processes_are_private(self):
        process = self.net.start("h1", "sleep", "1000.25")
        wait_until(lambda: self.net.processes("h1", "1000.25"), "the process on h1")
        self.assertEqual(self.net.processes("h0", "1000.25"), 0)
        process.terminate()
        process.communicate()

    def test_hosts_are_listed(self):
        self.assertEqual(self.net.tell("hosts").split(), ["h0", "h1"])


class Execution(hosts.HostsTest):
    """Starting programs on hosts."""

    def test_exit_codes(self):
        self.assertEqual(self.net.run("h0", "sh", "-c", "exit 7").code, 7)
        self.assertEqual(self.net.run("h0", "sh", "-c", "kill -9 $$").code, 128 + 9)

    def test_streams_folder_and_environment(self):
        done = subprocess.run([*hosts.TESTNET, "exec", "h1", "sh", "-c", "cat; pwd; echo $GREETING; echo bad >&2"], text=True,
                              input="typed\n", capture_output=True, cwd="/usr", env={**self.net.environment, "GREETING": "hi"})
        self.assertEqual((done.stdout, done.stderr), ("typed\n/usr\nhi\n", "bad\n"))

    def test_from_one_host_to_another(self):
        done = self.net.run("h0", *hosts.TESTNET, "exec", "h1", "hostname")
        self.assertEqual(done.out, "h1\n", done)

    def test_rsh_lets_a_shell_read_the_words(self):
        self.assertEqual(self.net.run("h0", self.net.path("rsh"), "h1", "echo", "'a  b'", "&&", "hostname").out, "a  b\nh1\n")

    def test_signals_are_passed_on(self):
        process = self.net.start("h0", "sh", "-c", "trap 'echo got it; exit 3' TERM; echo up; while :; do sleep 0.05; done")
        process.stdout.readline()
        process.terminate()
        done = hosts.finish(process)
        self.assertEqual((done.code, done.out), (3, "got it\n"))

    def test_who_loses_its_client_is_ended(self):
        process = self.net.start("h0", "sh", "-c", "trap '' TERM; echo up; while :; do sleep 0.1; : 4711; done")
        process.stdout.readline()
        process.kill()
        process.communicate()
        wait_until(lambda: self.net.processes("h0", "4711") == 0, "the end of the command")

    def test_daemons_stay(self):
        done = self.net.run("h1", "sh", "-c", "setsid sleep 1000.5 >/dev/null 2>&1 </dev/null & sleep 0.1")
        self.assert_well(done)
        self.assertEqual(self.net.processes("h1", "1000.5"), 1)

    def test_mistakes_are_explained(self):
        for words, text in ((["exec", "h9", "true"], "host 'h9'"), (["exec", "h0", "no-such-program"], "no-such-program"),
                            (["cut", "h0", "h7"], "no host 'h7'"), (["kill", "h7"], "no host 'h7'")):
            done = subprocess.run([*hosts.TESTNET, *words], env=self.net.environment, text=True, capture_output=True)
            self.assertEqual(done.returncode, 1, words)
            self.assertIn(text, done.stderr)
            self.assertNotIn("Traceback", done.stderr)
        environment = {name: value for name, value in self.net.environment.items() if name != "TESTNET"}
        done = subprocess.run([*hosts.TESTNET, "hosts"], env=environment, text=True, capture_output=True)
        self.assertIn("which testnet?", done.stderr)
        done = subprocess.run([*hosts.TESTNET, "hosts", "--net", "/nowhere"], text=True, capture_output=True)
        self.assertIn("there is no testnet in /nowhere", done.stderr)


class Paths:
    """Cuts, on both wires. Each test uses other hosts or heals, so that they share a testnet."""

    count = 3

    def arrived(self, source, target, patience=hosts.PATIENCE):
        """The numbers of the datagrams that got through. To see that none does one has to give up at some time."""
        receiver = self.net.start(target, *DATAGRAMS, "receive")
        receiver.stdout.readline()
        self.assert_well(self.net.run(source, *DATAGRAMS, "send", target, 20))
        try:
            receiver.wait(patience)
        except subprocess.TimeoutExpired:
            receiver.terminate()
        return [int(line) for line in receiver.communicate()[0].splitlines()]

    def assert_silent(self, source, target):
        self.assertEqual(self.arrived(source, target, 0.2), [])

    def assert_reaches(self, source, target):
        self.assertEqual(self.arrived(source, target), list(range(20)))

    def test_cut_and_heal(self):
        self.assert_reaches("h0", "h1")
        self.net.tell("cut", "h0", "h1")
        self.assert_silent("h0", "h1")
        self.assert_silent("h1", "h0")
        self.assert_reaches("h0", "h2")
        self.assert_reaches("h2", "h1")
        self.net.tell("heal", "h0", "h1")
        self.assert_reaches("h0", "h1")
        self.assert_reaches("h1", "h0")

    def test_one_way(self):
        self.net.tell("cut", "--one-way", "h0", "h1")
        self.assert_silent("h0", "h1")
        self.assert_reaches("h1", "h0")
        self.net.tell("heal", "h1", "h0")
        self.assert_reaches("h0", "h1")

    def test_heals_by_itself(self):
        start = time.monotonic()
        self.net.tell("cut", "h0", "h2", "--for", "1500ms")
        first = self.arrived("h0", "h2", 0.1)
        if time.monotonic() - start < 1.5:  # not so slow that it was healed meanwhile
            self.assertEqual(first, [])
        wait_until(lambda: self.arrived("h0", "h2", 0.1), "the path to heal")
        self.assertGreaterEqual(time.monotonic() - start, 1.5)


class KernelPaths(Paths, hosts.HostsTest):
    options = ("--wire", "kernel")


class UserPaths(Paths, hosts.HostsTest):
    options = ("--wire", "user")


class Weather(unittest.TestCase):
    """Delay, loss and rate."""

    def net(self, *options):
        net = Net(2, *options)
        self.addCleanup(net.end)
        return net

    def test_delay_is_added_each_way(self):
        net = self.net("--delay", "100ms")
        server = net.start("h1", *DATAGRAMS, "echo")
        server.stdout.readline()
        trips = [float(line) for line in net.run("h0", *DATAGRAMS, "ask", "h1", "3").out.split()]
        server.terminate()
        server.communicate()
        self.assertEqual(len(trips), 3)
        self.assertGreaterEqual(min(trips), 0.2)

    def losses(self, seed):
        net = self.net("--loss", "10", "--seed", str(seed))
        receiver = net.start("h1", *DATAGRAMS, "receive")
        receiver.stdout.readline()
        net.run("h0", *DATAGRAMS, "send", "h1", "300")
        return hosts.finish(receiver).out.split()

    def test_loss_follows_the_seed(self):
        first, again, other = self.losses(5), self.losses(5), self.losses(6)
        self.assertEqual(first, again)
        self.assertNotEqual(first, other)
        self.assertTrue(200 < len(first) < 300, len(first))

    def test_rate_limits(self):
        net = self.net("--rate", "8mbit")  # 1 MB/s: what exceeds the bucket of 256 kB takes its time
        script = ("import socket,sys,time\ns=socket.create_server(('',7777))\nprint('ready',flush=True)\nc,_=s.accept()\n"
                  "t=time.monotonic()\nwhile c.recv(65536): pass\nprint(time.monotonic()-t)")
        server = net.start("h1", sys.executable, "-c", script)
        server.stdout.readline()
        net.run("h0", sys.executable, "-c", "import socket;socket.create_connection(('h1',7777)).sendall(bytes(2000000))")
        self.assertGreaterEqual(float(hosts.finish(server).out), 1.0)


class CongestionControl(unittest.TestCase):
    """What paces TCP: the same on every machine, unless another is asked for."""

    FILE = "/proc/sys/net/ipv4/tcp_congestion_control"

    def of(self, *options):
        net = Net(2, *options)
        self.addCleanup(net.end)
        return {net.run(host, "cat", self.FILE).out.strip() for host in net.hosts}

    def test_is_cubic_whatever_this_machine_prefers(self):
        # What only the machine itself may choose is out of the hosts' reach; then they say so.
        with open("/proc/sys/net/ipv4/tcp_allowed_congestion_control", encoding="ascii") as file:
            is_allowed = "cubic" in file.read().split()
        with open(self.FILE, encoding="ascii") as file:
            here = file.read().strip()
        self.assertEqual(self.of(), {"cubic" if is_allowed else here})
        done = subprocess.run([*hosts.TESTNET, "1", "--", "true"], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=hosts.PATIENCE, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(f"is paced by {here}" in done.stderr, not is_allowed and here != "cubic", done.stderr)

    def test_can_be_chosen(self):
        self.assertEqual(self.of("--congestion", "reno"), {"reno"})

    def test_one_that_the_kernel_does_not_know_is_named(self):
        done = subprocess.run([*hosts.TESTNET, "2", "--congestion", "pigeons", "--", "true"], text=True, capture_output=True,
                              timeout=hosts.PATIENCE)
        self.assertEqual(done.returncode, 2)
        self.assertIn("not 'pigeons'", done.stderr)


class Deaths(unittest.TestCase):
    """Hosts that are killed, and testnets that end, however they do."""

    def setUp(self):
        self.marker = f"TESTNET_TEST={self.id()}.{os.getpid()}"
        name, value = self.marker.split("=")
        self.links = links()
        self.net = Net(2, environment={**os.environ, name: value})
        self.addCleanup(self.net.end)
        self.addCleanup(self.net.process.kill)

    def assert_nothing_left(self):
        wait_until(lambda: not processes_with(self.marker), "the end of all processes")
        wait_until(lambda: not os.path.exists(self.net.folder), "the end of the folder")
        self.assertEqual(links(), self.links)

    def connect(self):
        """A connection from h0 to h1 over which nothing is said; h0 prints what comes in the end."""
        listen = "import socket;s=socket.create_server(('',7777));print('ready',flush=True);c,_=s.accept();c.recv(1)"
        server = self.net.start("h1", sys.executable, "-c", listen)
        server.stdout.readline()
        script = ("import socket\nc=socket.create_connection(('h1',7777))\nprint('ready',flush=True)\nc.settimeout(2)\n"
                  "try: print('end' if c.recv(1)==b'' else 'data')\nexcept ConnectionError: print('end')\n"
                  "except TimeoutError: print('silence')")
        client = self.net.start("h0", sys.executable, "-c", script)
        client.stdout.readline()
        return server, client

    def kill(self, *how):
        server, client = self.connect()
        self.net.tell("kill", "h1", *how)
        self.assertIn("died", hosts.finish(server).err)
        self.assertEqual(self.net.tell("hosts").split(), ["h0"])
        return hosts.finish(client).out

    def test_a_killed_host_is_silent(self):
        self.assertEqual(self.kill(), "silence\n")

    def test_a_gently_killed_host_says_goodbye(self):
        self.assertEqual(self.kill("--gently"), "end\n")

    def test_killing_ends_every_process_of_the_host(self):
        self.net.run("h1", "sh", "-c", "setsid sleep 1000.75 >/dev/null 2>&1 </dev/null & sleep 0.1")
        self.net.tell("kill", "h1")
        self.assertFalse([pid for pid in processes_with(self.marker) if "1000.75" in command_line(pid)])

    def end_with(self, number):
        self.net.run("h1", "sh", "-c", "setsid sleep 1000 >/dev/null 2>&1 </dev/null & sleep 0.1")
        self.net.process.send_signal(number)
        self.net.process.wait(timeout=hosts.PATIENCE)
        self.assert_nothing_left()

    def test_terminated(self):
        self.end_with(signal.SIGTERM)

    def test_interrupted(self):
        self.end_with(signal.SIGINT)

    def test_murdered(self):
        self.end_with(signal.SIGKILL)

    def test_side_by_side(self):
        other = Net(2)
        self.addCleanup(other.end)
        self.assertNotEqual(other.folder, self.net.folder)
        for net in (self.net, other):
            self.assertEqual(net.run("h0", "hostname").out, "h0\n")
        self.net.tell("kill", "h1")
        self.assertEqual(other.tell("hosts").split(), ["h0", "h1"])
        self.assertEqual(other.run("h1", "hostname").out, "h1\n")


def command_line(pid):
    with contextlib.suppress(OSError):
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read().decode(errors="replace")
    return ""


class Commands(unittest.TestCase):
    """`tools/testnet N -- command`."""

    def test_exit_code_and_environment(self):
        done = subprocess.run([*hosts.TESTNET, "1", "--", "sh", "-c", 'test -d "$TESTNET" && echo "$TESTNET"; exit 5'], text=True,
                              capture_output=True, timeout=hosts.PATIENCE)
        if done.returncode == hosts.SKIP:
            self.skipTest(done.stderr)
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertFalse(os.path.exists(done.stdout.strip()))

    def test_where_namespaces_are_forbidden_it_says_so(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(f"{folder}/unshare", "w", encoding="ascii") as file:
                file.write("#!/bin/sh\necho 'unshare failed: Operation not permitted' >&2\nexit 1\n")
            os.chmod(f"{folder}/unshare", 0o755)
            done = subprocess.run([*hosts.TESTNET, "2", "--", "true"], text=True, capture_output=True, timeout=hosts.PATIENCE,
                                  env=dict(os.environ, PATH=folder + ":" + os.environ["PATH"]))
        self.assertEqual(done.returncode, hosts.SKIP)
        self.assertIn("Operation not permitted", done.stderr)


if __name__ == "__main__":
    hosts.main()
