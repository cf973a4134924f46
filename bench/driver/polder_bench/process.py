"""Running a program to its end, or to the end of our patience, and leaving nothing of it behind."""

import ctypes
import json
import os
import signal
import subprocess
import time

_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None, use_errno=True)


class Failure(Exception):
    """A measuring program failed; the text says which and why."""


def die_with_parent():
    """To be run in a child before it becomes another program: it ends when this driver ends, however that happens."""
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def run(command, timeout, environment=None):
    """Standard output of `command`. Raises Failure if it cannot start, fails, or takes longer than `timeout` seconds."""
    try:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            start_new_session=True, preexec_fn=die_with_parent, env={**os.environ, **(environment or {})})
    except OSError as error:
        raise Failure(f"{command[0]}: {error.strerror}") from error
    try:
        output, errors = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired as error:
        end_group(process)
        raise Failure(f"{' '.join(command)}: not done after {timeout:.0f} s") from error
    except BaseException:
        end_group(process)
        raise
    if process.returncode != 0:
        lines = [line for line in errors.splitlines() if line.strip()][-4:]
        raise Failure(f"{' '.join(command)}: exit code {process.returncode}: {' / '.join(lines) or 'no message'}")
    return output


def end_group(process):
    """Asks the process and its children to end, which lets launchers take their ranks along, then makes them."""
    for wave, patience in ((signal.SIGTERM, 3), (signal.SIGKILL, 10)):
        try:
            os.killpg(process.pid, wave)
        except ProcessLookupError:
            pass
        try:
            process.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            continue
    try:
        os.killpg(process.pid, signal.SIGKILL)  # what the leader left behind
    except ProcessLookupError:
        pass


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
