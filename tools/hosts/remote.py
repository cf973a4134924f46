"""Starting a program on a host, from outside or from another host. The client hands its own standard streams to the host's
process 1 through a socket in the file system, which network namespaces do not divide."""

import json
import os
import select
import signal
import socket
import struct

from system import TestnetError

FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2)
LENGTH = struct.Struct("!I")


def door(directory, host):
    return os.path.join(directory, host + ".socket")


def receive(connection):
    """The host's side: the request and the three standard streams of the client."""
    head, streams, _, _ = socket.recv_fds(connection, LENGTH.size, 3)
    if len(head) < LENGTH.size or len(streams) != 3:
        raise ValueError("not a client of this host")
    rest, = LENGTH.unpack(head)
    text = b""
    while len(text) < rest:
        part = connection.recv(rest - len(text))
        if not part:
            raise ValueError("a client ended in the middle of its request")
        text += part
    return json.loads(text), list(streams)


def _connect(directory, host):
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(door(directory, host))
    except OSError as error:
        connection.close()
        raise TestnetError(f"host '{host}' of {directory} cannot be reached: {error.strerror}") from None
    return connection


def _answer(connection):
    """A line, or nothing if the host died. Signals go to the host meanwhile, as bytes with their numbers, in which form Python
    writes them to a socket: a handler would wait for the answer if its signal came just before `recv` begins."""
    wake, wakeup = socket.socketpair()
    with wake, wakeup:
        wakeup.setblocking(False)
        before = signal.set_wakeup_fd(wakeup.fileno())
        for number in FORWARDED:
            signal.signal(number, lambda *_: None)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, FORWARDED)
        text = b""
        try:
            while not text.endswith(b"\n"):
                ready, _, _ = select.select([connection, wake], [], [])
                if wake in ready:
                    connection.send(wake.recv(64))
                if connection in ready:
                    part = connection.recv(4096)
                    if not part:
                        return b""
                    text += part
        except (ConnectionResetError, BrokenPipeError):
            return b""
        finally:
            signal.set_wakeup_fd(before)
    return text


def execute(directory, host, argv, env=None):
    """Runs `argv` on `host` with this process's streams, folder and environment; returns as the shell counts: the exit
    code, or 128 and the number of the signal that ended it. Signals that come here go there."""
    request = json.dumps({"argv": argv, "cwd": os.getcwd(), "env": dict(env or os.environ)}).encode()
    with _connect(directory, host) as connection:
        signal.pthread_sigmask(signal.SIG_BLOCK, FORWARDED)  # until they can be passed on
        socket.send_fds(connection, [LENGTH.pack(len(request))], [0, 1, 2])
        connection.sendall(request)
        text = _answer(connection)
    if not text:
        raise TestnetError(f"host '{host}' died")
    answer = json.loads(text)
    if "error" in answer:
        raise TestnetError(f"host '{host}': {answer['error']}")
    status = answer["status"]
    return status if status >= 0 else 128 - status
