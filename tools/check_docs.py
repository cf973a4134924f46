#!/usr/bin/env python3
"""Holds the documentation to what is there.

    tools/check_docs.py [ROOT]

Every page of docs/ is in the navigation of mkdocs.yml, every link leads to a file and to a heading in it, every path in `backticks`
exists, and src/README.md has a line for each folder of src. A tour (a page with tables `file | functions`) names functions that are in
the file. The page of environment variables has each that the sources ask for, and so has the list with which the runtime compares
names that may be slips; no page names one that nothing knows; the reference leads to each public header. Results in bench/results are medians, of commits and not of trees with changes. Python's
standard library only.
"""

import json
import os
import re
import subprocess
import sys

GUIDE = "src/README.md"
MADE = ("reference/api/",)  # pages that are made from the headers
ROOTS = ("include", "src", "cli", "apps", "bench", "tests", "tools", "docs", "examples", "cmake", ".ci")
LINK = re.compile(r"\[(?:[^\]\[]|\[[^\]]*\])*\]\(([^)\s]+)\)")
CODE_PATH = re.compile(r"`((?:" + "|".join(re.escape(root) for root in ROOTS) + r")/[\w./{},+-]*)`")


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read()


def markdown_files(root):
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in ("build", "site", "node_modules") and not name.startswith("."))
        for name in sorted(names):
            if name.endswith(".md"):
                yield os.path.relpath(os.path.join(folder, name), root)


def prose(text):
    """Without blocks of code; lines stay where they are."""
    return re.sub(r"^(```|~~~).*?^\1", lambda match: "\n" * match[0].count("\n"), text, flags=re.DOTALL | re.MULTILINE)


def slug(heading):
    heading = re.sub(r"[`*]|\[|\]\([^)]*\)|\]", "", heading).strip().lower()
    return re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", heading)).strip("-")


def anchors(text):
    found, seen = set(), {}
    for heading in re.findall(r"^#{1,6}\s+(.*?)\s*#*$", prose(text), re.MULTILINE):
        named = re.search(r"\{#([\w-]+)\}", heading)
        name = named[1] if named else slug(heading)
        found.add(name if name not in seen else f"{name}_{seen[name]}")
        found.add(name if name not in seen else f"{name}-{seen[name]}")
        seen[name] = seen.get(name, 0) + 1
    return found | set(re.findall(r'(?:id|name)="([\w-]+)"', text))


def check_link(root, path, target):
    target, _, anchor = target.partition("#")
    if re.match(r"[a-z]+:", target):
        return None
    place = os.path.normpath(os.path.join(os.path.dirname(path), target)) if target else path
    if any(made in place for made in MADE):
        return None if os.path.exists(os.path.join(root, "include", "polder", os.path.basename(place)[:-3] + ".hpp")) else "leads nowhere"
    if not os.path.exists(os.path.join(root, place)):
        return "leads nowhere"
    if anchor and place.endswith(".md") and anchor not in anchors(read(root, place)):
        return "names no heading there"
    return None


def alternatives(path):
    """`a/{b,c}` means two."""
    match = re.search(r"\{([^{}]*)\}", path)
    if not match:
        return [path]
    return [name for word in match[1].split(",") for name in alternatives(path[:match.start()] + word + path[match.end():])]


def page_problems(root, path):
    text = prose(read(root, path))
    for number, line in enumerate(text.split("\n"), 1):
        for target in LINK.findall(line):
            problem = check_link(root, path, target)
            if problem:
                yield f"{path}:{number}: the link to {target} {problem}"
        for word in CODE_PATH.findall(line):
            for name in alternatives(word):
                stem = name.rstrip("./")
                if not os.path.exists(os.path.join(root, stem)) and not ignored(root, stem):
                    yield f"{path}:{number}: there is no {name}"


def ignored(root, path):
    """What a build or a run makes."""
    return subprocess.run(["git", "-C", root, "check-ignore", "-q", path], check=False, capture_output=True).returncode == 0


def navigation_problems(root):
    listed = set(re.findall(r"([\w/-]+\.md)\s*$", read(root, "mkdocs.yml"), re.MULTILINE))
    there = {path[len("docs/"):] for path in markdown_files(root) if path.startswith("docs/")}
    for page in sorted(there - listed):
        yield f"docs/{page}: not in the navigation (mkdocs.yml)"
    for page in sorted(listed - there):
        yield f"mkdocs.yml: there is no docs/{page}"


def folders_with_sources(root):
    for folder, folders, names in os.walk(os.path.join(root, "src")):
        folders.sort()
        if names and folder != os.path.join(root, "src"):
            yield os.path.relpath(folder, os.path.join(root, "src"))


def guide_problems(root):
    lines = set(re.findall(r"^\s*(?:[-*|]\s*)?`([\w/]+?)/?`", read(root, GUIDE), re.MULTILINE))
    there = set(folders_with_sources(root))
    for folder in sorted(there - lines):
        yield f"{GUIDE}: has no line for {folder}"
    for folder in sorted(lines):
        if not os.path.isdir(os.path.join(root, "src", folder)):
            yield f"{GUIDE}: there is no folder {folder}"


def tour_problems(root):
    """Of each row that begins with a file: what the next column calls by name is a word of that file."""
    path = "docs/design/tour.md"
    if not os.path.exists(os.path.join(root, path)):
        return
    for number, line in enumerate(read(root, path).split("\n"), 1):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) < 2 or not CODE_PATH.fullmatch(cells[0]) or not os.path.isfile(os.path.join(root, cells[0].strip("`"))):
            continue
        text = read(root, cells[0].strip("`"))
        for name in re.findall(r"`([\w:]+)(?:\(\))?`", cells[1]):
            if not all(re.search(rf"\b{word}\b", text) for word in name.split("::")):
                yield f"{path}:{number}: {cells[0]} knows no {name}"


VARIABLES = "docs/reference/variables.md"
# What else has tables of options of a runtime.
OTHER_TABLES = ("src/device/shm/options.cpp", "src/bootstrap/gathered/options.cpp", "src/trace/record/options.cpp")
KINDS = "POLDER_COLL_"  # begins a name for each kind of collectives
VARIABLE = re.compile(r"POLDER_[A-Z0-9_]*[A-Z0-9]\b")


def sources(root, folders):
    for top in folders:
        for folder, folders_below, names in os.walk(os.path.join(root, top)):
            folders_below[:] = [name for name in folders_below if name not in ("build", "__pycache__")]
            for name in names:
                if not name.endswith((".md", ".json", ".png", ".svg")):
                    with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
                        yield file.read()


def variable_problems(root):
    if not os.path.exists(os.path.join(root, VARIABLES)):
        return
    listed = set(VARIABLE.findall(read(root, VARIABLES)))
    asked = {name for text in sources(root, ("src", "cli", "apps")) for name in re.findall(r'"(POLDER_[A-Z0-9_]*[A-Z0-9])"', text)}
    for name in sorted(asked - listed):
        if name == "POLDER_COLL_TABLE" or not name.startswith(KINDS):
            yield f"{VARIABLES}: does not have {name}"
    options = "src/core/engine/options.cpp"
    if os.path.exists(os.path.join(root, options)):
        compared = {name for path in (options, *OTHER_TABLES) for name in re.findall(r'"(POLDER_[A-Z0-9_]+)"', read(root, path))}
        for name in sorted(asked - compared):
            yield f"{options}: does not have {name}, so nobody is told of a slip in it"
    known = {name for text in sources(root, (*ROOTS, "Makefile")) for name in VARIABLE.findall(text)}
    known |= set(VARIABLE.findall(read(root, "CMakeLists.txt")))
    for path in markdown_files(root):
        for name in sorted(set(VARIABLE.findall(prose(read(root, path)))) - known):
            if not name.startswith(KINDS):
                yield f"{path}: nothing knows {name}"


def header_problems(root):
    path = "docs/reference/index.md"
    headers = os.path.join(root, "include", "polder")
    if not os.path.exists(os.path.join(root, path)) or not os.path.isdir(headers):
        return
    text = read(root, path)
    for name in sorted(os.listdir(headers)):
        if name.endswith(".hpp") and name != "export.hpp" and f"(api/{name[:-4]}.md)" not in text:
            yield f"{path}: does not lead to {name}"


# Measured before results had to be of a commit; the next measurement of each takes its place.
OF_TREES_WITH_CHANGES = {
    "2026-11-22-amd-epyc-2.json", "armci/2026-11-21-amd-epyc-2.json", "features/2026-11-21-amd-epyc-2.json",
    "gaspi/2026-11-21-gaspi.json", "hosts/2026-11-22-amd-epyc-2.json",
}


# Written by programs that did not say then what they were built of.
OF_NO_KNOWN_COMMIT = {
    "armci/2026-11-21-ga-mpich.json", "armci/2026-11-21-ga-openmpi.json",
    "fmm/2026-11-21-amd-epyc-2-before-balance.json", "fmm/2026-11-22-amd-epyc-2.json",
    "terasort/2026-11-21-terasort-disk.json", "terasort/2026-11-21-terasort-tmpfs.json",
    "terasort/2026-11-22-terasort-disk-warm.json", "terasort/2026-11-22-terasort-disk.json",
}
PER_TURN = ("turns", "all_s", "all_seconds", "samples", "few", "many", "all_deaths", "ns")


def per_turn(document):
    """The name of what holds a number for each turn, a list or lists by name, or None."""
    for name, value in document.items() if isinstance(document, dict) else enumerate(document):
        if name == "all_s" or (name in PER_TURN and isinstance(value, list)):
            return name
        found = per_turn(value) if isinstance(value, (dict, list)) else None
        if found:
            return found
    return None


def commit_of(document):
    """What a result says of the tree that was measured, beside the machine or as a part of it; empty if nothing."""
    if not isinstance(document, dict):
        return ""
    machine = document.get("machine")
    return document.get("commit") or (machine.get("commit", "") if isinstance(machine, dict) else "")


def result_problems(root):
    results = os.path.join(root, "bench", "results")
    for folder, _, names in os.walk(results):
        for name in sorted(name for name in names if name.endswith(".json")):
            path = os.path.relpath(os.path.join(folder, name), results)
            document = json.loads(read(results, path))
            if per_turn(document):
                yield f"bench/results/{path}: holds what each turn gave ({per_turn(document)}); only medians belong here (bench/run)"
            commit = commit_of(document)
            if commit.endswith("+changes"):
                if path not in OF_TREES_WITH_CHANGES:
                    yield f"bench/results/{path}: measured on {commit}, which nobody can build again"
            elif not re.fullmatch("[0-9a-f]{7,40}", commit) and path not in OF_NO_KNOWN_COMMIT:
                yield f"bench/results/{path}: does not say which commit was measured ({commit or 'nothing'})"


def problems(root):
    yield from tour_problems(root)
    yield from result_problems(root)
    yield from navigation_problems(root)
    for path in markdown_files(root):
        if path != "CHANGELOG.md":
            yield from page_problems(root, path)
    yield from guide_problems(root)
    yield from variable_problems(root)
    yield from header_problems(root)


def main(arguments):
    root = os.path.abspath(arguments[1] if len(arguments) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    found = list(problems(root))
    print("\n".join(found) if found else f"{len(list(markdown_files(root)))} pages: all links lead somewhere")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
