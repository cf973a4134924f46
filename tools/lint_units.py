#!/usr/bin/env python3
"""Runs clang-tidy (.clang-tidy) over many sources, a folder's sources as one translation unit.

    tools/lint_units.py FILE...        needs build/dev/compile_commands.json; `tools/lint all` calls it

clang-tidy spends nine tenths of its time in the headers of the standard library, for each source anew: the sources of a
folder that are compiled with the same flags are therefore included into one unit. Sources that cannot be compiled
together, because two of them use one name for two things, are halved until they can. What a unit cannot show is found by
`tools/lint FILE`, which takes each source alone: using declarations that nobody uses.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATABASE = ROOT / "build/dev/compile_commands.json"
UNITS = ROOT / "build/lint"
# What clang 14 cannot compile, and why.
BEYOND_CLANG = {
    "apps/mf/item_exchange.cpp": "std::ranges::unique of libstdc++ 12",
    "tests/containers/range_test.cpp": "views of libstdc++ 12",
    "tests/api/gaspi/programs/cxx_layer.cpp": "a variable template without an initializer",
    "tests/api/gaspi/programs/halo_exchange.c": "omp.h, which is another package",
}
# suspicious-include is the unit itself; reserved-identifier takes a seventh of the time, mostly in the headers of others.
NOT_IN_UNITS = "-bugprone-suspicious-include,-bugprone-reserved-identifier"
# Without the first the analyzer passes over what is included, and so over all; it looks at a function for 20,000 steps, a
# tenth of what it would.
ANALYZER = ["-Xclang", "-analyzer-opt-analyze-headers", "-Xclang", "-analyzer-config", "-Xclang", "max-nodes=20000"]
FINDING = re.compile(r"^(/\S+:\d+:\d+): (?:warning|error): (.*)$", re.M)
MOST_AT_ONCE = 24  # sources in a unit
crashes = []  # sources in which the analyzer crashes; they are checked without it


def flags_by_source():
    commands = json.loads(DATABASE.read_text())
    return {pathlib.Path(c["file"]).relative_to(ROOT): (re.sub(r" -o \S+ -c \S+$", "", c["command"]), c["directory"])
            for c in commands if c["file"].startswith(f"{ROOT}/") and not c["file"].startswith(f"{ROOT}/build/")}


def group_sources(sources):
    """Lists of sources of one folder and one set of flags, each with its flags."""
    flags = flags_by_source()
    groups = {}
    for source in sources:
        if source in flags and str(source) not in BEYOND_CLANG:
            groups.setdefault((source.parent, source.suffix, flags[source]), []).append(source)
    for (_, _, how), members in groups.items():
        for first in range(0, len(members), MOST_AT_ONCE):
            yield members[first:first + MOST_AT_ONCE], how


def configuration(source):
    """The .clang-tidy that holds for the source: a unit lies elsewhere."""
    return next(folder / ".clang-tidy" for folder in (ROOT / source).parents if (folder / ".clang-tidy").exists())


def check(tool, sources, how, checks=NOT_IN_UNITS):
    """The findings in the sources, each once: {place: sentence}."""
    flags, directory = how
    name = "_".join(sources[0].with_suffix("").parts) + f"_{len(sources)}"
    folder = UNITS / name
    folder.mkdir(parents=True, exist_ok=True)
    unit = folder / f"unit{sources[0].suffix}"
    unit.write_text("".join(f'#include "{ROOT / source}"\n' for source in sources))
    entry = {"directory": directory, "file": str(unit), "command": f"{flags} -c {unit}"}
    (folder / "compile_commands.json").write_text(json.dumps([entry]))
    run = subprocess.run(
        [tool, "-p", folder, f"--config-file={configuration(sources[0])}", f"--checks={checks}", "--quiet",
         # The first knows g++'s options, the second is of names that meet in a unit; the third, of C headers' attributes.
         "--extra-arg=-Wno-unknown-warning-option", "--extra-arg=-Wno-shadow", "--extra-arg=-Wno-missing-exception-spec",
         *(f"--extra-arg={word}" for word in ANALYZER), unit],
        capture_output=True, text=True, check=False)
    findings = dict(FINDING.findall(run.stdout))
    # Findings alone end it well; what cannot be compiled, or makes it crash, does not.
    if run.returncode == 0:
        return findings
    if len(sources) == 1 and run.returncode < 0 and checks == NOT_IN_UNITS:
        crashes.append(str(sources[0]))
        return check(tool, sources, how, f"{NOT_IN_UNITS},-clang-analyzer-*")
    if len(sources) == 1:
        return findings or {str(sources[0]): f"{tool} ended with {run.returncode}: {run.stderr[-200:]}"}
    half = len(sources) // 2
    return check(tool, sources[:half], how) | check(tool, sources[half:], how)


def main():
    tool = shutil.which("clang-tidy-14") or shutil.which("clang-tidy")
    if not tool:
        sys.exit("lint: clang-tidy is not installed; run tools/setup lint")
    if not DATABASE.exists():
        sys.exit(f"lint: there is no {DATABASE.relative_to(ROOT)}; run cmake --preset dev")
    shutil.rmtree(UNITS, ignore_errors=True)
    sources = sorted(pathlib.Path(f) for f in sys.argv[1:])
    groups = list(group_sources(sources))
    findings = {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for done, found in enumerate(pool.map(lambda group: check(tool, *group), groups), 1):
            for place, sentence in sorted(found.items()):
                if findings.setdefault(place, sentence) is sentence:
                    print(f"{place.removeprefix(f'{ROOT}/')}: {sentence}", flush=True)
            if sys.stderr.isatty():
                print(f"lint: {done} of {len(groups)} units", end="\r", file=sys.stderr)
    count = sum(len(members) for members, _ in groups)
    if crashes:
        print(f"lint: the analyzer crashes in {', '.join(sorted(crashes))}")
    if findings:
        sys.exit(f"lint: {len(findings)} findings in {count} files")
    known = flags_by_source()
    left = sorted(str(source) for source in sources if source not in known)
    if left:
        print(f"lint: not looked at, as the dev preset does not compile them here: {', '.join(left)}")
    print(f"lint: {count} files clean, without those that clang cannot compile: {', '.join(BEYOND_CLANG)}")


if __name__ == "__main__":
    main()
