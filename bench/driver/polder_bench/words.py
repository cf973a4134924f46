"""What the words of command lines mean, for argparse: numbers that make sense, and files that can be written. All is known before hours of
measuring."""

import argparse
import math
import os
import sys
import tempfile


def positive_count(text):
    """How often something is done: at least once."""
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a number of at least 1")
    return number


def positive_seconds(text):
    """That something may take: a wait that ends, and not before it begins."""
    try:
        number = float(text)
    except ValueError:
        number = 0
    if not (number > 0 and math.isfinite(number)):
        raise argparse.ArgumentTypeError(f"{text} is not a number of seconds above 0")
    return number


def result_file(path):
    """Where the result will be written; its folder is made."""
    if os.path.isdir(path):
        raise argparse.ArgumentTypeError(f"{path} cannot be written: it is a folder")
    reason = why_closed(os.path.dirname(os.path.abspath(path)))
    if reason:
        raise argparse.ArgumentTypeError(f"{path} cannot be written: {reason}")
    return path


def check_folder(folder):
    """Ends the program where results cannot be written to `folder`, which is made."""
    reason = why_closed(folder)
    if reason:
        sys.exit(f"polder bench: {folder} cannot be written: {reason}")


def why_closed(folder):
    """Why nothing can be written to it, or None."""
    try:
        os.makedirs(folder, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return None
    except OSError as error:
        return error.strerror
