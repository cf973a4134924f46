"""Process 1 of a host. Started by `unshare` inside new namespaces: makes the host's own /dev/shm, /tmp, /run and /etc/hosts,
reports to the controller, then starts what clients ask for (remote.py), as an ssh daemon would.

When it dies the kernel kills every process of the host and frees its namespaces: that is how hosts end and are killed.
"""

import contextlib
import json
import os
import selectors
import signal
import socket
import subprocess
import sys

import remote
from system import MS_BIND, MS_MOVE, MS_PRIVATE, MS_REC, TestnetError, mount

PRIVATE = ("/tmp", "/run", "/dev/shm")
GRACE = 2  # seconds between SIGTERM and SIGKILL for a command whose client is gone


def below(path, folder):
    return path == folder or path.startswith(folder + "/")


def make_private(folder, staging, shared):
    """An empty memory file system over `folder`, in which the shared paths below it stay visible. It is put together at
    `staging` first, because once it covers `folder` nobody can name what lies beneath."""
    with contextlib.suppress(FileExistsError):  # there since the folder before
        os.mkdir(staging)  # not its parents: once the testnet is gone, a host that comes late must not make its folder again
    mount("tmpfs", staging, "tmpfs", data="mode=1777")
    for path in sorted(path for path in shared if below(path, folder) and path != folder):
        place = staging + path[len(folder):]
        os.makedirs(place, exist_ok=True)
        mount(path, place, flags=MS_BIND)
    mount(staging, folder, flags=MS_MOVE)


def make_place(setup):
    """The view of this host on the file system."""
    mount("none", "/", flags=MS_REC | MS_PRIVATE)
    # Outside the private folders, or below the one that is made last: then it stays visible under its own name.
    staging = os.path.join(setup["directory"], "staging-" + setup["name"])
    for folder in sorted(PRIVATE, key=lambda folder: below(setup["directory"], folder)):
        make_private(folder, staging, setup["shared"])
    mount(os.path.join(setup["directory"], "hosts"), "/etc/hosts", flags=MS_BIND)
    if os.path.isdir("/etc/slurm"):
        mount(os.path.join(setup["directory"], "slurm"), "/etc/slurm", flags=MS_BIND)


def quiet_network():
    """No IPv6: its announcements would be frames that nobody sent."""
    for scope in ("all", "default"):
        try:
            with open(f"/proc/sys/net/ipv6/conf/{scope}/disable_ipv6", "w", encoding="ascii") as file:
                file.write("1")
        except OSError:
            pass  # a kernel without IPv6


def choose_congestion_control(name):
    """What paces TCP on this host; returns it. Where none is asked for it is Linux's own choice, cubic, whatever this machine prefers: BBR,
    which some prefer, guesses a bandwidth and sends no faster, and between hosts whose round trip is microseconds its guesses are wrong by a
    factor for as long as a connection lives. A machine need not let its hosts have cubic."""
    path = "/proc/sys/net/ipv4/tcp_congestion_control"
    try:
        with open(path, "w", encoding="ascii") as file:
            file.write(name or "cubic")
    except OSError as error:
        if name:
            raise TestnetError(f"congestion control '{name}' is not allowed here: {error.strerror}") from error
    with open(path, encoding="ascii") as file:
        return file.read().strip()


class Command:
    """A process group started for a client."""

    def __init__(self, connection, request, streams):
        self.connection = connection
        self.process = subprocess.Popen(request["argv"], cwd=request["cwd"], env=request["env"], start_new_session=True,
                                        stdin=streams[0], stdout=streams[1], stderr=streams[2])
        self.pid = self.process.pid

    def signal(self, number):
        try:
            os.killpg(self.pid, number)
        except ProcessLookupError:
            pass

    def ended(self, status):
        self.process.returncode = os.waitstatus_to_exitcode(status)  # so that Popen does not wait for it
        answer(self.connection, status=self.process.returncode)


def answer(connection, **fields):
    try:
        connection.sendall(json.dumps(fields).encode() + b"\n")
    except OSError:
        pass  # the client is gone


class Host:
    def __init__(self, listener):
        self.selector = selectors.DefaultSelector()
        self.listener = listener
        self.commands = {}  # by process
        self.selector.register(listener, selectors.EVENT_READ, self.accept)
        wake, self.wakeup = socket.socketpair()
        for end in (wake, self.wakeup):
            end.setblocking(False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGALRM, self.end_orphans)
        signal.set_wakeup_fd(self.wakeup.fileno())
        self.selector.register(wake, selectors.EVENT_READ, self.reap)
        self.orphans = set()

    def serve(self):
        while True:
            for key, _ in self.selector.select():
                key.data(key.fileobj)

    def accept(self, listener):
        connection, _ = listener.accept()
        streams = []
        try:
            request, streams = remote.receive(connection)
            command = Command(connection, request, streams)
        except (OSError, ValueError) as error:
            answer(connection, error=str(error))
            return connection.close()
        finally:
            for stream in streams:
                os.close(stream)
        self.commands[command.pid] = command
        self.selector.register(connection, selectors.EVENT_READ, lambda _: self.hear(command))

    def hear(self, command):
        """A client sends numbers of signals, one byte each; the end of its stream means that it is gone."""
        try:
            numbers = command.connection.recv(16)
        except OSError:
            numbers = b""
        for number in numbers:
            command.signal(number)
        if not numbers:
            self.forget(command)
            command.signal(signal.SIGTERM)
            self.orphans.add(command)
            signal.alarm(GRACE)

    def end_orphans(self, *_):
        for command in self.orphans:
            command.signal(signal.SIGKILL)
        self.orphans.clear()

    def forget(self, command):
        self.commands.pop(command.pid, None)
        self.selector.unregister(command.connection)

    def reap(self, wake):
        """Ends of commands, and of any process whose parent died: a host's process 1 inherits those."""
        wake.recv(4096)
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            command = self.commands.get(pid)
            if command:
                self.forget(command)
                command.ended(status)
                command.connection.close()


def report(setup, congestion):
    """Tells the controller that this host is up. The kernel tells it, on this connection, under which number it sees us."""
    with socket.socket(socket.AF_UNIX) as control:
        control.connect(os.path.join(setup["directory"], "control"))
        control.sendall(json.dumps({"verb": "up", "host": setup["name"], "congestion": congestion}).encode() + b"\n")
        control.recv(1)


def main():
    setup = json.loads(sys.argv[1])
    socket.sethostname(setup["name"])
    make_place(setup)
    quiet_network()
    congestion = choose_congestion_control(setup["congestion"])
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(remote.door(setup["directory"], setup["name"]))
    listener.listen(64)
    # What is not handled, the kernel keeps from a process 1. It must not be ignored: those that are started would inherit that.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    report(setup, congestion)
    Host(listener).serve()


if __name__ == "__main__":
    try:
        main()
    except TestnetError as problem:
        sys.exit(f"testnet: {problem}")
