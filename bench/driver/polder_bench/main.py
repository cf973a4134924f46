"""The command line of polder-bench."""

import argparse
import os
import sys

from polder_bench import terasort
from polder_bench.catalogue import CATALOGUE
from polder_bench.hosts import NETWORK, HostPrograms
from polder_bench.machine import describe
from polder_bench.programs import PEERS, Programs
from polder_bench.results import file_name, hidden_by, medians, read_document, to_document, to_table, write_document, write_page
from polder_bench.targets import judge
from polder_bench.text import machine_text, rows, terminal_table
from polder_bench.turns import Settings, Turns
from polder_bench.words import check_folder, positive_count, positive_seconds, result_file


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
    made.add_argument("--json", metavar="FILE", type=result_file, help="write the result there")
    made.add_argument("--results", metavar="DIR", help="write the result to DIR under a name of its own, and a page of all results there; one of some benchmarks "
                           "hides no result that has more")
    made.add_argument("--raw", metavar="DIR", help="with --results: keep there what each turn gave, for --more; DIR itself gets medians only")
    made.add_argument("--more", action="store_true",
                      help="add to the result that is there already (--json, or today's in --raw) instead of replacing it: "
                           "for machines that are quiet for a short while only")
    made.add_argument("--quick", action="store_true", help="a few iterations, to see that all works; the numbers mean little, and are not kept in --results")
    made.add_argument("--turns", type=positive_count, metavar="N", help="how often everything is measured (default 5, quick 1)")
    made.add_argument("--timeout", type=positive_seconds, default=120, metavar="S", help="seconds for one start of one program (default 120)")
    made.add_argument("--device", default="", metavar="NAME", help="the device that Polder is to use")
    made.add_argument("--beside", type=lambda text: text.split(","), default=[], metavar="LIST",
                      help="with --hosts: further devices, each shown beside as polder-NAME")
    made.add_argument("--hosts", type=lambda text: text.split(","), default=[], metavar="LIST",
                      help="measure the network between these hosts instead; this program must run on the first one. Of the "
                           f"benchmarks there are then: {', '.join(b.name for b in NETWORK)}")
    made.add_argument("--agent", default="ssh", metavar="FILE", help="what reaches the hosts (default: ssh)")
    made.add_argument("--polder", default="", metavar="FILE", help="the launcher (default: the one of this build)")
    return made


def choose(names, catalogue, further=("terasort",)):
    """(benchmarks, whether terasort is among them). Ends the program if a name is unknown."""
    if "all" in names:
        return list(catalogue), "terasort" in further
    by_name = {benchmark.name: benchmark for benchmark in catalogue}
    for name in names:
        if name not in by_name and name not in further:
            sys.exit(f"polder bench: no benchmark is called {name}; there are {', '.join([*by_name, *further])} and all")
    return [by_name[name] for name in dict.fromkeys(names) if name in by_name], "terasort" in names


def what_and_with(folder, options):
    """(programs, benchmarks, whether terasort is measured)."""
    if options.hosts:
        programs = HostPrograms(folder, options.polder, options.device, options.against, options.hosts, options.agent, options.beside)
        return programs, *choose(options.names, NETWORK, ())
    return Programs(folder, options.polder, options.device, options.against), *choose(options.names, CATALOGUE)


def main(folder, arguments):
    if arguments[:1] == ["terasort"]:
        return terasort.hand_over(folder, arguments[1:])
    options = parser().parse_args(arguments)
    if options.more and not (options.json or options.raw):
        sys.exit("polder bench: --more adds to the turns of a result: which one? (--json, or --raw with --results)")
    if options.beside and not options.hosts:
        sys.exit("polder bench: --beside is for --hosts: on one machine choose with --device")
    for kept in (options.results, options.raw):
        if kept and not options.quick:
            check_folder(kept)
    programs, benchmarks, with_terasort = what_and_with(folder, options)
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
    earlier = earlier_document(options, machine)
    turns = Turns(programs, settings, earlier=to_table(earlier) if earlier else None)
    table = turns.measure(benchmarks)
    verdicts = judge(table, machine["cores"])
    print(terminal_table(rows(table, verdicts)), flush=True)
    extra = {name: earlier[name] for name in earlier or {} if name.startswith("terasort")}
    if with_terasort:
        extra.update(terasort.measure(programs, settings, turns.failures))
    verdicts += terasort.verdicts(extra)
    failures = [*(earlier["failures"] if earlier else []), *turns.failures]
    document = to_document(machine, settings, table, verdicts, failures, extra)
    document["settings"] |= {"device": options.device, "hosts": options.hosts}
    save(options, machine, document, is_all="all" in options.names or earlier is not None)
    print(closing_line(verdicts, document["failures"]))
    return 1 if turns.failures else 0


def earlier_document(options, machine):
    """What --more adds to, or None."""
    if not options.more:
        return None
    path = options.json or os.path.join(options.raw, file_name(machine))
    document = read_document(path)
    if document:
        before, now = taken_with(document["machine"], document["settings"]), taken_with(machine, vars(options))
        for name, value in now.items():
            if before[name] != value:
                sys.exit(f"polder bench: {path} is of another {name} ({before[name]}, now {value}): turns of both have no median")
    return document


def taken_with(machine, settings):
    """What has to be the same where turns are added to each other."""
    return {**{name: machine.get(name, "unknown") for name in ("commit", "build_type", "compiler")},
            "quick": settings.get("quick", False), "device": settings.get("device", "") or "chosen by itself", "hosts": settings.get("hosts", []) or "none"}


def save(options, machine, document, is_all):
    """`is_all`: what was measured is all that is wanted, or was added to it."""
    if options.json:
        write_document(options.json, document)
    if options.quick:
        if options.results:
            print(f"quick: nothing is kept in {options.results}, whose numbers mean something")
        return
    hidden = hidden_by(document, options.results) if options.results and not is_all else []
    if hidden:
        print(f"nothing is kept in {options.results}: there is a result with {', '.join(hidden)}; add to its turns (--more), or keep this one with --json")
        return
    if options.raw:
        write_document(os.path.join(options.raw, file_name(machine)), document)
    if options.results:
        write_document(os.path.join(options.results, file_name(machine)), medians(document))
        write_page(options.results)


def closing_line(verdicts, failures):
    met, missed, open_ = (sum(v.met is state for v in verdicts) for state in (True, False, None))
    return f"targets: {met} met, {missed} not met, {open_} not measured; {len(failures)} programs failed"
