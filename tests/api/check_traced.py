"""Every call that a door's headers declare stands in traces of programs that make it, or in a list of those that need not.

    check_traced.py --polder POLDER --calls REGEX --asks FILE --header HEADER... --run COMMAND...

COMMANDs are run with a trace, and together they make every call of the door. FILE names the calls that only ask for a number or set one of this
process, one a line with why; a call of it that is no longer declared, or that is recorded after all, is a mistake, too.
"""

import argparse
import csv
import os
import re
import shlex
import subprocess
import sys
import tempfile

PATIENCE = 110  # seconds for a command


def declared(headers, calls):
    text = ""
    for header in headers:
        with open(header, encoding="utf-8") as file:
            text += file.read()
    text = re.sub(r"/\*.*?\*/|//[^\n]*|^[ \t]*#[^\n]*", "", text, flags=re.DOTALL | re.MULTILINE)
    return set(re.findall(rf"\b({calls})\s*\(", text))


def listed(path):
    with open(path, encoding="utf-8") as file:
        return {line.split()[0] for line in file if line.strip() and not line.startswith("#")}


def recorded(polder, command, folder):
    trace, table = os.path.join(folder, "trace"), os.path.join(folder, "events.csv")
    done = subprocess.run(shlex.split(command), env={**os.environ, "POLDER_TRACE": trace}, capture_output=True, text=True, timeout=PATIENCE, check=False)
    if done.returncode != 0:
        sys.exit(f"{command}: exit code {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    subprocess.run([polder, "trace", "convert", trace, "--to", "csv", "-o", table], check=True, stdout=subprocess.DEVNULL, timeout=PATIENCE)
    with open(table, newline="", encoding="utf-8") as file:
        return {row["kind"] for row in csv.DictReader(file)}


def main():
    parser = argparse.ArgumentParser()
    for option in ("--polder", "--calls", "--asks"):
        parser.add_argument(option, required=True)
    for option in ("--header", "--run"):
        parser.add_argument(option, action="append", required=True)
    options = parser.parse_args()
    calls, asks, seen = declared(options.header, options.calls), listed(options.asks), set()
    for command in options.run:
        with tempfile.TemporaryDirectory() as folder:
            seen |= recorded(options.polder, command, folder)
    mistakes = [f"{call}: no event, and not listed in {options.asks}" for call in sorted(calls - asks - seen)]
    mistakes += [f"{call}: listed in {options.asks}, and recorded" for call in sorted(asks & seen)]
    mistakes += [f"{call}: listed in {options.asks}, and not declared" for call in sorted(asks - calls)]
    if len(calls) < 90 or len(calls - asks) < 40:
        mistakes.append(f"only {len(calls)} calls were found in the headers")
    print("\n".join(mistakes) or f"{len(calls - asks)} calls are recorded, {len(asks)} need not be")
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main())
