"""Runs what tests of whole jobs start, and tells what it said where it fails."""

import os
import subprocess


def run(*words, **environment):
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100, check=False, env={**os.environ, **environment})
    if done.returncode != 0:
        raise AssertionError(f"{words}: {done.stdout}{done.stderr}")
    return done.stdout
