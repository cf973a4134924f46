"""Running a program to its end, or to the end of our patience, and leaving nothing of it behind."""

import contextlib
import ctypes
import itertools
import json
import os
import signal
import subprocess
import time

_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None, use_errno=True)
_RUNS = itertools.count()


class Failure(Exception):
    """A measuring program failed; the text says which and why."""


def die_with_parent():
    """To be run in a child before it becomes another program: it ends when this driver ends, however that happens."""
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def run(command, timeout, environment=None):
    """Standard output of `command`. Raises Failure if it cannot start, fails, or takes longer than `timeout` seconds."""
    mark = f"BENCH_RUN_{os.getpid()}_{next(_RUNS)}"
    try:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            start_new_session=True, preexec_fn=die_with_parent, env={**os.environ, **(environment or {}), mark: "1"})
    except OSError as error:
        raise Failure(f"{command[0]}: {error.strerror}") from error
    try:
        output, errors = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired as error:
        end_all(process, mark)
        raise Failure(f"{' '.join(command)}: not done after {timeout:.0f} s") from error
    except BaseException:
        end_all(process, mark)
        raise
    if process.returncode != 0:
        lines = [line for line in errors.splitlines() if line.strip()][-4:]
        raise Failure(f"{' '.join(command)}: exit code {process.returncode}: {' / '.join(lines) or 'no message'}")
    return output


def end_all(process, mark):
    """Asks the process and its children to end, which lets launchers take their ranks along, then makes them."""
    # One that is stopped hears nothing but SIGCONT and SIGKILL, and keeps the launcher above it waiting.
    for wave in (signal.SIGTERM, signal.SIGCONT):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, wave)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.communicate(timeout=3)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    end_marked(mark)  # before the pipes are read to their end: who is left holds them open
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.communicate(timeout=10)


def end_marked(mark):
    """Kills what the leader left behind. MPICH's launcher puts its helper and each rank into a session of its own, where no signal to the group
    comes, but what has been started has inherited the variable `mark`."""
    end = time.monotonic() + 10
    while (left := marked(mark)) and time.monotonic() < end:
        for pid in left:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.01)


def marked(mark):
    """Processes whose environment has the variable `mark`; those that only wait to be reaped have none."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            with contextlib.suppress(OSError):
                with open(f"/proc/{entry}/environ", "rb") as file:
                    if any(word.startswith(mark.encode() + b"=") for word in file.read().split(b"\0")):
                        found.append(int(entry))
    return found


def run_measurements(command, timeout, environment=None):
    """The JSON objects that the measuring program printed, one a line; other lines (launchers talk, too) are passed over."""
    found = []
    for line in run(command, timeout, environment).splitlines():
        if line.startswith('{"name"'):
            found.append(json.loads(line))
    return found


def wall_ns(command, timeout, environment=None):
    """Nanoseconds from before the start of `command` to after its end."""
    start = time.monotonic_ns()
    run(command, timeout, environment)
    return time.monotonic_ns() - start
