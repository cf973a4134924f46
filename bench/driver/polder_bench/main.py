"""The command line of polder-bench."""

import argparse
import os
import sys

from polder_bench import terasort
from polder_bench.catalogue import BY_NAME, CATALOGUE
from polder_bench.machine import describe
from polder_bench.programs import PEERS, Programs
from polder_bench.results import file_name, to_document, write_document, write_page
from polder_bench.targets import judge
from polder_bench.text import machine_text, rows, terminal_table
from polder_bench.turns import Settings, Turns


def numbers(text):
    try:
        found = tuple(int(word) for word in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text} is not a list of numbers such as 2,4,8") from None
    if any(number < 1 for number in found):
        raise argparse.ArgumentTypeError(f"{text}: every number must be at least 1")
    return found


def peers(text):
    names = tuple(word for word in text.split(",") if word and word != "none")
    unknown = [name for name in names if name not in PEERS]
    if unknown:
        raise argparse.ArgumentTypeError(f"{unknown[0]} is none of {', '.join(PEERS)}, none")
    return names


def parser():
    names = "\n".join(f"  {b.name:<11} {b.help}" for b in CATALOGUE)
    made = argparse.ArgumentParser(
        prog="polder bench", formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Measures Polder beside the machine's own limits and the MPI libraries that are installed.",
        epilog=f"benchmarks:\n{names}\n  terasort    sorting, against MPI and GNU sort (its own options: terasort --help)\n  all         everything")
    made.add_argument("names", nargs="+", metavar="NAME", help="which benchmarks, or all")
    made.add_argument("--ranks", type=numbers, default=(), metavar="N,N", help="instead of the usual ones, where a benchmark leaves the choice")
    made.add_argument("--against", type=peers, default=PEERS, metavar="LIST", help="openmpi, mpich or none (default: all that are there)")
    made.add_argument("--json", metavar="FILE", help="write the result there")
    made.add_argument("--results", metavar="DIR", help="write the result to DIR under a name of its own, and a page of all results there")
    made.add_argument("--quick", action="store_true", help="a few iterations, to see that all works; the numbers mean little")
    made.add_argument("--turns", type=int, metavar="N", help="how often everything is measured (default 5, quick 1)")
    made.add_argument("--timeout", type=float, default=120, metavar="S", help="seconds for one start of one program (default 120)")
    made.add_argument("--device", default="", metavar="NAME", help="the device that Polder is to use")
    made.add_argument("--polder", default="", metavar="FILE", help="the launcher (default: the one of this build)")
    return made


def choose(names):
    """(benchmarks, whether terasort is among them). Ends the program if a name is unknown."""
    if "all" in names:
        return list(CATALOGUE), True
    for name in names:
        if name not in BY_NAME and name != "terasort":
            sys.exit(f"polder bench: no benchmark is called {name}; there are {', '.join(BY_NAME)}, terasort and all")
    return [BY_NAME[name] for name in dict.fromkeys(names) if name != "terasort"], "terasort" in names


def main(folder, arguments):
    if arguments[:1] == ["terasort"]:
        return terasort.hand_over(folder, arguments[1:])
    options = parser().parse_args(arguments)
    benchmarks, with_terasort = choose(options.names)
    programs = Programs(folder, options.polder, options.device, options.against)
    for missing in programs.missing():
        sys.exit(f"polder bench: {missing} is missing or cannot be executed; build the benchmarks (POLDER_BUILD_BENCH) first")
    settings = Settings(options.turns or (1 if options.quick else 5), options.timeout, options.quick, options.ranks)
    return session(programs, benchmarks, settings, options, with_terasort)


def session(programs, benchmarks, settings, options, with_terasort):
    """Measures, prints, writes. Returns the exit code: 1 if a measurement failed; a missed target is a result and no failure."""
    machine = describe(programs)
    print(machine_text(machine), flush=True)
    for peer in options.against:
        if peer not in programs.peers():
            print(f"{peer}: not installed or not built; left out", flush=True)
    turns = Turns(programs, settings)
    table = turns.measure(benchmarks)
    verdicts = judge(table, machine["cores"])
    print(terminal_table(rows(table, verdicts)), flush=True)
    extra = terasort.measure(programs, settings.quick, turns.failures) if with_terasort else {}
    verdicts += terasort.verdicts(extra)
    document = to_document(machine, settings, table, verdicts, turns.failures, extra)
    save(options, machine, document)
    print(closing_line(verdicts, turns.failures))
    return 1 if turns.failures else 0


def save(options, machine, document):
    if options.json:
        write_document(options.json, document)
    if options.results:
        write_document(os.path.join(options.results, file_name(machine)), document)
        write_page(options.results)


def closing_line(verdicts, failures):
    met, missed, open_ = (sum(v.met is state for v in verdicts) for state in (True, False, None))
    return f"targets: {met} met, {missed} not met, {open_} not measured; {len(failures)} programs failed"
