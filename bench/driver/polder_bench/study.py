"""What the comparisons of bench/ share: from the command line to the exit code."""

import json
import sys
import tempfile

from polder_bench.machine import describe
from polder_bench.process import Failure
from polder_bench.results import write_document
from polder_bench.text import machine_text


def run_as_program(name, main):
    """Ends the process with what main() returns; with a sentence after a Failure; as shells do after an interrupt."""
    try:
        sys.exit(main())
    except Failure as failure:
        sys.exit(f"{name}: {failure}")
    except KeyboardInterrupt:
        sys.exit(130)


def study_in_turns(study, options, folder, page):
    """Prepares a study in a folder of its own below `folder`, measures it turn by turn and shows it; returns the exit code."""
    with tempfile.TemporaryDirectory(prefix="polder-bench-", dir=folder) as scratch:
        study.prepare(scratch)
        for turn in range(options.turns):
            print(f"turn {turn + 1} of {options.turns}", file=sys.stderr, flush=True)
            study.measure(turn)
    document = study.document()
    print(page(document))
    if options.json:
        write_document(options.json, document)
    return 1 if study.failures else 0


def show_rows(programs, options, rows, failures, page):
    """Prints the machine, the rows and what failed, and writes them where --json says; returns the exit code."""
    machine = describe(programs)
    print(machine_text(machine))
    print(page(rows))
    for failure in failures:
        print(f"failed: {failure}", file=sys.stderr)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"machine": machine, "turns": options.turns, "rows": rows, "failures": failures}, file, indent=1)
    return 1 if failures else 0
