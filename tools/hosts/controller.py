"""The owner of a testnet: makes the hosts, obeys commands on a socket in the testnet's folder, and is what everything hangs on.

Nothing outlives it. Each host's process 1, the bridge's holder and the switch are killed by the kernel when it dies, and a
watchdog, which waits on a pipe that only the controller holds open, then removes the folder.
"""

import heapq
import itertools
import json
import os
import selectors
import shlex
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

from system import NotHere, TestnetError, die_with_parent
from wire import address, make_wire

START_LIMIT = 60  # seconds until all hosts must be up
BESIDE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.join(os.path.dirname(BESIDE), "testnet")
PROJECT = os.path.dirname(os.path.dirname(BESIDE))  # hosts start this program themselves, so they must see it


def remove(directory):
    """Removes the folder of a testnet. A host that is being killed while it starts may still make something in it meanwhile, where this has
    been already; soon none is left to do so."""
    for _ in range(500):
        shutil.rmtree(directory, ignore_errors=True)
        if not os.path.lexists(directory):
            return
        time.sleep(0.01)


def watch_over(directory):
    """Forks the watchdog. The end of the pipe that is returned must stay open as long as the controller lives."""
    reading, writing = os.pipe()
    if os.fork() == 0:
        os.setsid()
        os.closerange(0, reading)
        os.close(writing)
        os.read(reading, 1)
        remove(directory)
        os._exit(0)
    os.close(reading)
    return writing


class Controller:
    def __init__(self, count, options):
        self.names = [f"h{index}" for index in range(count)]
        self.options = options
        self.directory = tempfile.mkdtemp(prefix=f"testnet.{os.getpid()}.")
        self.watchdog = watch_over(self.directory)
        self.selector = selectors.DefaultSelector()
        self.timers = []  # (when, number, action)
        self.numbers = itertools.count()
        self.processes = {}  # host -> the `unshare` that holds it
        self.pids = {}  # host -> its process 1
        self.congestion = ""  # what paces TCP on each
        self.reports = []  # connections of hosts that wait until all are up

    def __enter__(self):
        try:
            self.prepare_files()
            self.listen()
            self.wire = make_wire(self.options)
            for name in self.names:
                self.processes[name] = self.start_host(name)
            self.wait_for_hosts()
            self.say_what_paces()
            self.wire.attach({name: self.pids[name] for name in self.names})
            for connection in self.reports:
                connection.close()
        except BaseException:
            self.end()
            raise
        return self

    def __exit__(self, *_):
        self.end()

    def end(self):
        """Kills what would die with this process anyway, and waits, so that nothing is left when the tool has ended."""
        for process in self.processes.values():
            process.kill()
        for process in self.processes.values():
            process.wait()
        for pid in self.pids.values():
            wait_for_end(pid)
        remove(self.directory)

    def prepare_files(self):
        os.mkdir(os.path.join(self.directory, "slurm"))
        with open(os.path.join(self.directory, "hosts"), "w", encoding="ascii") as file:
            file.write("127.0.0.1 localhost\n")
            file.writelines(f"{address(index)} {name}\n" for index, name in enumerate(self.names))

        agent = os.path.join(self.directory, "rsh")  # for launchers that take the name of one program and nothing more
        with open(agent, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {shlex.quote(PROGRAM)} rsh "$@"\n')
        os.chmod(agent, 0o755)

    def listen(self):
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(os.path.join(self.directory, "control"))
        listener.listen(64)
        self.selector.register(listener, selectors.EVENT_READ, self.accept)

    def start_host(self, name):
        setup = {"name": name, "directory": self.directory, "congestion": self.options.congestion,
                 "shared": [self.directory, PROJECT, os.getcwd(), *self.options.share]}
        return subprocess.Popen(
            ["unshare", "--net", "--mount", "--uts", "--ipc", "--pid", "--fork", "--kill-child", "--mount-proc",
             sys.executable, os.path.join(BESIDE, "host.py"), json.dumps(setup)],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            start_new_session=True, preexec_fn=die_with_parent)

    def wait_for_hosts(self):
        end = time.monotonic() + START_LIMIT
        while len(self.pids) < len(self.names):
            self.turn(0.1)
            for name, process in self.processes.items():
                if process.poll() is not None:
                    raise NotHere(f"host {name} cannot be made here: {process.stderr.read().strip()}")
            if time.monotonic() > end:
                raise TestnetError(f"hosts did not come up within {START_LIMIT} s")

    def say_what_paces(self):
        """Whoever measures is to know that it is not what they were promised."""
        if self.options.congestion is None and self.congestion != "cubic":
            print(f"testnet: TCP between these hosts is paced by {self.congestion}: this machine lets them have no cubic "
                  "(net.ipv4.tcp_allowed_congestion_control)", file=sys.stderr)

    def turn(self, limit=None):
        """Waits for events, for `limit` seconds at most, and handles them."""
        while self.timers and self.timers[0][0] <= time.monotonic():
            heapq.heappop(self.timers)[2]()
        if self.timers:
            pause = self.timers[0][0] - time.monotonic()
            limit = pause if limit is None else min(limit, pause)
        for key, _ in self.selector.select(limit):
            key.data(key.fileobj)

    def accept(self, listener):
        connection, _ = listener.accept()
        connection.settimeout(5)  # a client that says nothing must not stop the others for good
        try:
            with connection.makefile("r") as lines:
                request = json.loads(lines.readline())
        except (OSError, ValueError):
            return connection.close()
        if request["verb"] == "up":
            self.congestion = request["congestion"]
            return self.host_is_up(request["host"], connection)
        try:
            answer = getattr(self, "do_" + request.pop("verb"))(**request)
        except (TestnetError, KeyError, ValueError, TypeError) as error:
            answer = {"error": f"{error}"}
        with connection:
            connection.sendall(json.dumps(answer or {}).encode() + b"\n")

    def host_is_up(self, name, connection):
        pid, _, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
        self.pids[name] = pid
        self.reports.append(connection)

    def known(self, *names):
        for name in names:
            if name not in self.names:
                raise TestnetError(f"there is no host '{name}' here; there are: {' '.join(self.names)}")

    def do_hosts(self):
        alive = [name for name in self.names if name in self.pids]
        return {"hosts": alive, "networks": [f"/proc/{self.pids[name]}/ns/net" for name in alive]}

    def do_cut(self, source, target, one_way, seconds):
        """Silence from `source` to `target`, and back unless one_way; for good, or for `seconds`."""
        self.known(source, target)
        self.wire.cut(source, target)
        if not one_way:
            self.wire.cut(target, source)
        if seconds is not None:
            heal = (time.monotonic() + seconds, next(self.numbers), lambda: self.do_heal(source, target))
            heapq.heappush(self.timers, heal)

    def do_heal(self, source, target):
        self.known(source, target)
        self.wire.heal(source, target)
        self.wire.heal(target, source)

    def do_kill(self, host, gently):
        """As if somebody pulled the plug: silence first, so that no peer hears the kernel close the connections.
        Gently: the processes die, and the kernel that still runs says so to the peers."""
        self.known(host)
        if host not in self.pids:
            raise TestnetError(f"host '{host}' is dead already")
        if not gently:
            for other in self.names:
                if other != host:
                    self.wire.cut(host, other)
                    self.wire.cut(other, host)
        pid = self.pids.pop(host)
        os.kill(pid, signal.SIGKILL)
        self.processes[host].wait()
        wait_for_end(pid)

    def run(self, argv):
        """Runs `argv` beside the hosts, with TESTNET set, and serves until it ends; returns its exit code."""
        environment = dict(os.environ, TESTNET=self.directory)
        process = subprocess.Popen(argv, env=environment, preexec_fn=lambda: die_with_parent(signal.SIGTERM))
        self.on_signals(lambda got, _: process.send_signal(got))
        handle = os.pidfd_open(process.pid)
        self.selector.register(handle, selectors.EVENT_READ, lambda _: process.poll())
        while process.returncode is None:
            self.turn()
        return process.returncode if process.returncode >= 0 else 128 - process.returncode

    def serve(self):
        """Serves until a signal ends this process."""
        self.on_signals(lambda got, _: sys.exit(0))
        while True:
            self.turn()

    def on_signals(self, handler):
        """One that comes between two steps of Python would wait for the next event: it wakes turn() through a socket."""
        wake, self.wakeup = socket.socketpair()
        for end in (wake, self.wakeup):
            end.setblocking(False)
        signal.set_wakeup_fd(self.wakeup.fileno())
        self.selector.register(wake, selectors.EVENT_READ, lambda _: wake.recv(4096))
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, handler)


def wait_for_end(pid):
    """The kernel kills the processes of a host before its process 1 may go: once that is gone, so are they."""
    while True:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.005)
