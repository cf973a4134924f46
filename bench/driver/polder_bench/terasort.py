"""The sorting benchmark is a program of its own; this finds it and passes things on."""

import json
import os
import subprocess
import sys
import tempfile

from polder_bench.key import Key
from polder_bench.targets import Verdict


def program(folder):
    return os.path.join(folder, "terasort.py")


def hand_over(folder, arguments):
    """Becomes the sorting benchmark; returns the exit code if that is impossible."""
    path = program(folder)
    if not os.path.exists(path):
        print(f"polder bench: {path} is missing: this build has no terasort", file=sys.stderr)
        return 1
    os.execv(sys.executable, [sys.executable, path, *arguments])


def measure(programs, settings, failures):
    """What to add to the result file: the sorting benchmark's own result and its printed table. Appends to `failures` if there is none."""
    if not os.path.exists(program(programs.folder)):
        print("terasort: not part of this build; left out", file=sys.stderr)
        return {}
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "terasort.json")
        command = [sys.executable, program(programs.folder), "--json", path, "--polder", programs.polder,
                   "--against", ",".join(programs.peers()) or "none", "--turns", str(settings.turns), *(["--quick"] if settings.quick else [])]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=False)
        print(done.stdout, flush=True)
        if not os.path.exists(path):
            failures.append(f"{' '.join(command)}: exit code {done.returncode}")
            return {}
        # One that failed is named by the result; what the others took is in it all the same.
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        failures += [f"terasort, {failure}" for failure in document.get("failures", [])]
        return {"terasort": document, "terasort_table": done.stdout}


def verdicts(extra):
    """On what measure() returned."""
    document = extra.get("terasort", {})
    key = Key("terasort", document.get("ranks", 0))
    for name, ratio in document.get("ratios", {}).items():
        yield Verdict(key, f"{name} >= {ratio['goal']} x {ratio['of']}", ratio["times"], ratio["goal"], True)
