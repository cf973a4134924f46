"""What Python's standard library does not offer of Linux, and how other programs are called."""

import ctypes
import os
import signal
import subprocess

MS_BIND, MS_MOVE, MS_REC, MS_PRIVATE = 0x1000, 0x2000, 0x4000, 0x40000
PR_SET_PDEATHSIG = 1
CLONE_NEWNET = 0x40000000

_libc = ctypes.CDLL(None, use_errno=True)


class TestnetError(Exception):
    """Something the user must know; its text is the whole message."""


class NotHere(TestnetError):
    """This machine does not allow or have what a testnet needs. The tool ends with 77, which tests take for 'skip'."""


def _check(result, what):
    if result != 0:
        code = ctypes.get_errno()
        raise TestnetError(f"{what}: {os.strerror(code)}")


def mount(source, target, kind=None, flags=0, data=None):
    encode = [None if text is None else os.fsencode(text) for text in (source, target, kind, data)]
    _check(_libc.mount(encode[0], encode[1], encode[2], ctypes.c_ulong(flags), encode[3]),
           f"cannot mount {kind or source} at {target}")


def enter_network(pid):
    """Moves this process into the network namespace of `pid`; what it opens there stays there."""
    with open(f"/proc/{pid}/ns/net", "rb") as namespace:
        _check(_libc.setns(namespace.fileno(), CLONE_NEWNET), f"cannot enter the network of process {pid}")


def die_with_parent(number=signal.SIGKILL):
    """The kernel sends this process `number` when its parent is gone, however that ended. For Popen's preexec_fn."""
    _libc.prctl(PR_SET_PDEATHSIG, ctypes.c_ulong(number), 0, 0, 0)


def run(*argv, stdin=None):
    """Runs a program to its end and returns what it printed."""
    try:
        done = subprocess.run(argv, input=stdin, text=True, capture_output=True)
    except FileNotFoundError:
        raise NotHere(f"the program '{argv[0]}' is missing; `tools/setup hosts` installs it") from None
    if done.returncode != 0:
        raise TestnetError(f"'{' '.join(argv)}' failed: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


def in_network(pid, *argv, stdin=None):
    """The same in the network namespace of process `pid`, with everything else as here."""
    return run("nsenter", "--target", str(pid), "--net", *argv, stdin=stdin)
