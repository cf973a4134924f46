#!/usr/bin/env python3
"""Holds the sources to the table of docs/design/overview.md: who may include and link whom.

    tools/check_deps.py [ROOT]

A module includes only from rows below its own; nobody includes a neighbour. A folder such as device/ holds a contract, and its
sub-folders include the contract but not each other; some modules have rooms, each with a row of its own inside the module. Programs
and C adapters see the public headers only. The same holds for polder_module(... DEPENDS ...) in the CMake files, and what is
included must be linked. A header and its source are a unit, and no
units may include each other in a circle. Python's standard library only.
"""

import os
import re
import sys
from dataclasses import dataclass, field

ROWS = {
    "util": 0,
    "trace": 1, "pattern": 1, "codec": 1,
    "bootstrap": 2, "device": 2,
    "core": 3,
    "coll": 4,
    "task": 5, "dsm": 5,
    "runtime": 6,
    "container": 7, "ckpt": 7, "topology": 7,
    "api": 8,
    "python": 9, "cli": 9, "apps": 9, "bench": 9,
}

# The rooms of a module or of a part of one, a sub-folder each: a room includes only from rooms below. No file lies outside of them,
# unless "" has a row.
ROOMS = {
    "trace": {
        "format": 0, "text": 0,
        "record": 1, "read": 1,
        "analyse": 2,
        "convert": 3, "report": 3,
    },
    "core": {
        "progress": 0,
        "peers": 1,
        "message": 2,
        "health": 3, "segment": 3,
        "direct": 4,
        "emulate": 5,
        "post": 6,
        "group": 7,
        "mutex": 8,
        "engine": 9,
    },
    # The device itself lies on top of its rooms.
    "device/wire": {
        "format": 0,
        "network": 1,
        "link": 2,
        "state": 3,
        "send": 4,
        "access": 5, "peers": 5,
        "receive": 6, "schedule": 6,
        "turns": 7,
        "memory": 8,
        "post": 9,
        "": 10,
    },
    "coll": {
        "task": 0,
        "port": 1, "agreement": 1,
        "algorithms": 2, "lane": 2, "window": 2,
        "letters": 3, "table": 3, "eventual": 3,
        "drive": 4,
        "consistent": 5,
        "stale": 6,
        "rows": 7, "model": 7,
    },
}

# Headers whose names, and what each brings along, are a standard's: there `armci.h` and `message.h` bring each other.
OF_A_STANDARD = "include/armci/"

# Of the sources of a module, the share that may have to be compiled again after a change of one of its headers.
MOST_REACHED = {"core": 0.6}
# Modules made of parts, a sub-folder each, that do not know each other; other modules may have folders as they like.
IN_PARTS = {"bootstrap", "device", "api", "apps", "bench"}

# Modules that see no inner header of another module.
PUBLIC_ONLY = {"container", "ckpt", "topology", "api", "apps", "bench"}

# Inner headers for those, too: each includes nothing of Polder, and needs nothing linked.
FOR_EVERYBODY = {"src/util/replaced_file.hpp"}

# What the programs of such a module share lies in its folder common/, which counts as the module itself.
SHARED_PART = "common"

# Neighbours that may know each other all the same, and why.
EXCEPTIONS = {
    ("bootstrap/gathered", "bootstrap/local"): "ranks started by others share the job page that polder run makes",
    ("bootstrap/pmix", "bootstrap/local"): "likewise",
    ("bootstrap/pmix", "bootstrap/gathered"): "the ranks of a node come together and watch each other in the same way",
    ("device/ofi", "device/wire"): "the same protocol between ranks over each network, which is a transport to it",
    ("device/tcp", "device/wire"): "the same protocol between ranks over each network, which is a transport to it",
    ("device/ucx", "device/wire"): "the same protocol between ranks over each network, which is a transport to it",
    ("topology", "util"): "its search draws numbers and its options are read as elsewhere; both know nothing of a runtime",
    ("bench", "apps"): "an application is measured over MPI too, with the same reading, sorting and checking",
    ("cli", "apps"): "what a number of a command line has to be is the same for all programs",
    ("api/gpi_cp", "api/gaspi"): "its standard is made of GASPI's types and calls",
}

# Modules that lie beside src/, not in it.
OUTSIDE_SRC = ("python", "cli", "apps", "bench")

PROGRAMS = ("cli", "apps", "bench", "tests")

# Who answers for a header of include/polder; one that is not in this table is an error.
PUBLIC_HEADERS = {
    "topology.hpp": "topology",
    "exchange.hpp": "util", "export.hpp": "util", "health.hpp": "util", "status.hpp": "util", "timeout.hpp": "util", "types.hpp": "util",
    "ordering.hpp": "util", "trace.hpp": "runtime", "shown_wait.hpp": "runtime", "trace.h": "trace", "trace_door.hpp": "trace",
    "continuation.hpp": "core", "accumulate.hpp": "core", "address_map.hpp": "core", "allocation.hpp": "core", "atomic.hpp": "core", "global_pointer.hpp": "util", "group.hpp": "core", "word.hpp": "util",
    "handle.hpp": "core", "message.hpp": "core", "mutex.hpp": "core", "queue.hpp": "core", "runtime.hpp": "core", "segment.hpp": "core", "shape.hpp": "core", "simulate.hpp": "core",
    "collective.hpp": "coll", "eventual.hpp": "coll", "stale.hpp": "coll", "stale_table.hpp": "coll", "exact_sum.hpp": "coll", "partitioned.hpp": "coll", "neighbours.hpp": "coll",
    "checkpoint.hpp": "ckpt", "working_set.hpp": "ckpt", "saved_parts.hpp": "ckpt", "clock.hpp": "runtime",
}

# Folders of include/polder that are a module each.
PUBLIC_FOLDERS = {"containers": "container"}

SUFFIXES = (".cpp", ".hpp", ".c", ".h")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
MODULE_CALL = re.compile(r"\bpolder_(?:module|plugin)\s*\(([^)]+)\)")
LINK_CALL = re.compile(r"\btarget_link_libraries\s*\(([^)]*)\)")


@dataclass(frozen=True)
class Unit:
    """A module, or the part of a module that lives in a sub-folder of it."""
    module: str
    part: str = ""

    def __str__(self):
        return f"{self.module}/{self.part}" if self.part else self.module

    @property
    def target(self):
        return f"{self.module}_{self.part}" if self.part else self.module


@dataclass
class Report:
    problems: list = field(default_factory=list)
    files: int = 0
    includes: int = 0
    between_files: list = field(default_factory=list)

    def add(self, path, line, text):
        self.problems.append(f"{path}:{line}: {text}")


# ---- where things lie ----

def unit_of(path):
    """The unit that a file (relative to the root) belongs to; None for tests and for what is no module's."""
    parts = path.split("/")
    if parts[0] == "src":
        parts = parts[1:]
    elif parts[0] == "include":
        return owner_of_public_header(parts)
    elif parts[0] not in OUTSIDE_SRC:
        return None
    if parts[0] not in ROWS:
        return None
    in_part = len(parts) > 2 and parts[0] in IN_PARTS and not (parts[0] in PUBLIC_ONLY and parts[1] == SHARED_PART)
    return Unit(parts[0], parts[1] if in_part else "")


def owner_of_public_header(parts):
    if len(parts) < 3:
        return None
    if parts[1] != "polder":
        return Unit("api", parts[1])
    if len(parts) > 3 and parts[2] in PUBLIC_FOLDERS:
        return Unit(PUBLIC_FOLDERS[parts[2]])
    owner = PUBLIC_HEADERS.get("/".join(parts[2:]))
    return Unit(owner) if owner else None


def room_of(path):
    """(module, room) of a file in a module or part that has rooms, else None; the room is "" where a file lies outside of them."""
    for module in ROOMS:
        if path.startswith(f"src/{module}/"):
            room, _, rest = path[len(f"src/{module}/"):].partition("/")
            return module, room if rest else ""
    return None


def is_public(path):
    return path.startswith("include/")


def source_files(root, tops=("include", "src", "tests") + OUTSIDE_SRC):
    for top in tops:
        for folder, folders, names in os.walk(os.path.join(root, top)):
            folders.sort()
            for name in sorted(names):
                if name.endswith(SUFFIXES):
                    yield os.path.relpath(os.path.join(folder, name), root).replace(os.sep, "/")


def resolve(root, path, bracket, name):
    """The file that an include means, relative to the root; None if it is the system's, "" if there is none such."""
    places = [f"include/{name}"] + [f"include/{standard}/{name}" for standard in public_roots(root)]
    if bracket == '"':
        parts = path.split("/")
        own = [os.path.dirname(path), "src", parts[0], "/".join(parts[:2])]
        places = [f"{place}/{name}" for place in own] + places
    for place in places:
        place = os.path.normpath(place)
        if os.path.isfile(os.path.join(root, place)):
            return place
        if os.path.isfile(os.path.join(root, place + ".in")):
            return None  # made by CMake
    if bracket == '"' and path.split("/")[0] in PROGRAMS:
        return nearest(root, path, name)
    return "" if bracket == '"' or name.startswith("polder/") else None


def nearest(root, path, name):
    """Programs and tests set include paths of their own: of the files that could be meant, the one that lies nearest."""
    fitting = [file for file in source_files(root, PROGRAMS) if f"/{file}".endswith("/" + name)]
    return max(fitting, key=lambda file: len(os.path.commonprefix([file, path])), default="")


def public_roots(root):
    include = os.path.join(root, "include")
    return sorted(name for name in os.listdir(include) if name != "polder") if os.path.isdir(include) else []


# ---- the rules ----

def forbidden(source, target, public):
    """Why `source` must not know `target`, or None. `public`: it would be by a header of include/."""
    if source == target:
        return None
    if (str(source), str(target)) in EXCEPTIONS and (public or source.module not in PUBLIC_ONLY):
        return None
    if source.module == target.module:
        if not target.part:
            return None
        if not source.part:
            return f"{source} is the contract of {target} and must not know who meets it"
        return f"{source} and {target} are neighbours"
    if (source.module, target.module) in EXCEPTIONS:
        return None
    if ROWS[target.module] == ROWS[source.module]:
        return f"{source} and {target} are neighbours (row {ROWS[source.module]})"
    if ROWS[target.module] > ROWS[source.module]:
        return f"upward: {source} is row {ROWS[source.module]}, {target} is row {ROWS[target.module]}"
    if source.module in PUBLIC_ONLY and not public:
        return f"{source} sees public headers only (include/)"
    return None


def check_public_headers(root, report):
    for path in source_files(root):
        parts = path.split("/")
        if parts[:2] == ["include", "polder"] and unit_of(path) is None:
            report.add(path, 1, "no module owns this public header: add it to PUBLIC_HEADERS in tools/check_deps.py")


def check_modules(root, report):
    for top in sorted(os.listdir(os.path.join(root, "src"))):
        if os.path.isdir(os.path.join(root, "src", top)) and top not in ROWS and top != "library":
            report.add(f"src/{top}", 1, "this folder is in no row of the table (ROWS in tools/check_deps.py)")


def check_rooms(root, report):
    for path in source_files(root, ["src"]):
        place = room_of(path)
        if place and place[1] not in ROOMS[place[0]]:
            report.add(path, 1, f"lies in no room of {place[0]} (ROOMS in tools/check_deps.py)")


def between_rooms(source, target):
    """Why the file `source` must not include `target`, as far as rooms go, or None."""
    here, there = room_of(source), room_of(target)
    if not here or not there or here[0] != there[0] or here == there:
        return None
    rows = ROOMS[here[0]]
    if here[1] not in rows or there[1] not in rows:
        return None  # said already
    if rows[there[1]] < rows[here[1]]:
        return None
    names = f"{'/'.join(filter(None, here))} is row {rows[here[1]]} of {here[0]}, {'/'.join(filter(None, there))} is row {rows[there[1]]}"
    return f"not downward: {names}"


def check_includes(root, report):
    """Returns the includes between units: {(source, target): "file:line of the first"}."""
    edges = {}
    for path in source_files(root):
        report.files += 1
        source = unit_of(path)
        with open(os.path.join(root, path), encoding="utf-8", errors="replace") as text:
            for number, line in enumerate(text, 1):
                match = INCLUDE.match(line)
                if not match:
                    continue
                report.includes += 1
                target_path = resolve(root, path, *match.groups())
                if target_path == "":
                    report.add(path, number, f"includes {match[2]}, which does not exist")
                elif target_path:
                    report.between_files.append((path, target_path))
                    check_include(path, number, source, target_path, edges, report)
    return edges


def check_include(path, number, source, target_path, edges, report):
    reason = between_rooms(path, target_path)
    if reason:
        report.add(path, number, f"includes {target_path}: {reason}")
    target = unit_of(target_path)
    if path in FOR_EVERYBODY and target is not None:
        report.add(path, number, f"includes {target_path}: it is for everybody (FOR_EVERYBODY in tools/check_deps.py) and includes nothing of Polder")
    if source is None or target is None or source == target:
        return
    reason = forbidden(source, target, is_public(target_path) or target_path in FOR_EVERYBODY)
    if reason:
        report.add(path, number, f"includes {target_path}: {reason}")
    edges.setdefault((source, target), f"{path}:{number}")


def check_cycles(edges, report):
    graph = {}
    for source, target in edges:
        graph.setdefault(source, set()).add(target)
    cycle = find_cycle(graph)
    if cycle:
        first = edges[(cycle[0], cycle[1])].rsplit(":", 1)
        report.add(first[0], first[1], "folders include each other in a cycle: " + " -> ".join(map(str, cycle)))


def find_cycle(graph):
    done, path = set(), []

    def visit(node):
        if node in path:
            return path[path.index(node):] + [node]
        if node in done:
            return None
        path.append(node)
        for following in sorted(graph.get(node, ()), key=str):
            cycle = visit(following)
            if cycle:
                return cycle
        path.pop()
        done.add(node)
        return None

    for start in sorted(graph, key=str):
        cycle = visit(start)
        if cycle:
            return cycle
    return None


# ---- circles ----

def check_circles(report):
    """Nobody can take one part of a circle out, read it alone, or know what it was built from."""
    graph = {}
    for source, target in report.between_files:
        if not source.startswith(OF_A_STANDARD):
            graph.setdefault(stem(source), set()).add(stem(target))
    for circle in circles(graph):
        names = sorted(circle)
        report.add(names[0], 1, f"{len(circle)} units include each other in a circle: " + ", ".join(names))


def check_reach(report):
    """A header that most of a module is compiled from is a knot, too, for whoever waits for the compiler."""
    graph = {}
    for source, target in report.between_files:
        graph.setdefault(source, set()).add(target)
    for module, share in MOST_REACHED.items():
        inside = f"src/{module}/"
        sources = sorted(path for path in graph if path.startswith(inside) and path.endswith(".cpp"))
        reached = {}
        for source in sources:
            for header in walk(graph, source):
                if header.startswith(inside):
                    reached[header] = reached.get(header, 0) + 1
        for header, count in sorted(reached.items()):
            if count > share * len(sources) and len(sources) > 5:
                report.add(header, 1, f"{count} of {len(sources)} sources of {module} include it, by way of others too; "
                                      f"{share:.0%} at most may: declare what they only name, see core/progress/waits.hpp")


def walk(graph, start):
    seen, todo = set(), [start]
    while todo:
        for target in graph.get(todo.pop(), ()):
            if target not in seen:
                seen.add(target)
                todo.append(target)
    return seen


def stem(path):
    return os.path.splitext(path)[0]


def circles(graph):
    """The sets of nodes that reach each other (Tarjan 1972), without those of one."""
    found, number, lowest, path, on_path = [], {}, {}, [], set()

    def visit(start):
        todo = [(start, iter(sorted(graph.get(start, ()))))]
        enter(start)
        while todo:
            node, following = todo[-1]
            for other in following:
                if other not in number:
                    enter(other)
                    todo.append((other, iter(sorted(graph.get(other, ())))))
                    break
                if other in on_path:
                    lowest[node] = min(lowest[node], number[other])
            else:
                todo.pop()
                if todo:
                    lowest[todo[-1][0]] = min(lowest[todo[-1][0]], lowest[node])
                if lowest[node] == number[node]:
                    found.append(leave(node))

    def enter(node):
        number[node] = lowest[node] = len(number)
        path.append(node)
        on_path.add(node)

    def leave(node):
        at = path.index(node)
        circle = path[at:]
        del path[at:]
        on_path.difference_update(circle)
        return circle

    for start in sorted(graph):
        if start not in number:
            visit(start)
    return [circle for circle in found if len(circle) > 1]


# ---- the link graph of CMake ----

@dataclass
class Module:
    unit: Unit
    path: str
    line: int
    depends: list


def cmake_files(root, top):
    for folder, folders, names in os.walk(os.path.join(root, top)):
        folders.sort()
        if "CMakeLists.txt" in names:
            path = os.path.relpath(os.path.join(folder, "CMakeLists.txt"), root).replace(os.sep, "/")
            with open(os.path.join(root, path), encoding="utf-8") as text:
                # Comments go, their lines stay, so that line numbers hold.
                yield path, re.sub(r"#[^\n]*", "", text.read())


def read_modules(root, report):
    modules = {}
    for path, text in cmake_files(root, "src"):
        for call in MODULE_CALL.finditer(text):
            line = text.count("\n", 0, call.start()) + 1
            words = call[1].split()
            unit = unit_of(path[:-len("CMakeLists.txt")] + "x.cpp")
            if not words or unit is None or words[0] != unit.target:
                wanted = unit.target if unit else "?"
                report.add(path, line, f"polder_module({' '.join(words[:1])}): the module of this folder is named {wanted}")
                continue
            modules[words[0]] = Module(unit, path, line, depends_of(words))
    return modules


def depends_of(words):
    depends, taking = [], False
    for word in words[1:]:
        if word in ("DEPENDS", "LINK", "OUTPUT"):
            taking = word == "DEPENDS"
        elif taking:
            depends.append(word)
    return depends


def check_links(modules, report):
    for name, module in modules.items():
        for depend in module.depends:
            if depend not in modules:
                report.add(module.path, module.line, f"{name} DEPENDS {depend}: there is no such module")
                continue
            # What public headers declare is linked from where it is made.
            reason = forbidden(module.unit, modules[depend].unit, module.unit.module in PUBLIC_ONLY)
            if reason:
                report.add(module.path, module.line, f"{name} DEPENDS {depend}: {reason}")


def check_included_is_linked(edges, modules, report):
    for (source, target), place in edges.items():
        # A contract of headers only has no target to link.
        if source.target not in modules or target.target not in modules:
            continue
        if forbidden(source, target, True):
            continue  # said already
        if target.target not in reachable(modules, source.target):
            path, line = place.rsplit(":", 1)
            report.add(path, line, f"{source} includes {target} but does not link it: {modules[source.target].path} "
                                   f"needs DEPENDS {target.target}, or a module that has it")


def reachable(modules, start):
    seen, todo = set(), [start]
    while todo:
        name = todo.pop()
        if name in seen or name not in modules:
            continue
        seen.add(name)
        todo.extend(modules[name].depends)
    return seen


def check_programs_link_the_library(root, modules, report):
    for top in ("src/api", "apps", "bench"):
        for path, text in cmake_files(root, top):
            for call in LINK_CALL.finditer(text):
                line = text.count("\n", 0, call.start()) + 1
                for word in call[1].split()[1:]:
                    if word.startswith("polder_") and word[len("polder_"):] in modules:
                        report.add(path, line, f"links {word}: programs and adapters link polder::polder or polder::static")


def check(root):
    report = Report()
    check_public_headers(root, report)
    check_modules(root, report)
    check_rooms(root, report)
    edges = check_includes(root, report)
    check_cycles(edges, report)
    check_circles(report)
    check_reach(report)
    modules = read_modules(root, report)
    check_links(modules, report)
    check_included_is_linked(edges, modules, report)
    check_programs_link_the_library(root, modules, report)
    if report.files == 0:
        report.add(root, 0, "no source files here")
    return report


def main(arguments):
    root = arguments[1] if len(arguments) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    if not os.path.isdir(os.path.join(root, "src")):
        print(f"tools/check_deps.py: {root} has no folder src/", file=sys.stderr)
        return 2
    report = check(root)
    for problem in report.problems:
        print(problem)
    state = f"{len(report.problems)} violations" if report.problems else "clean"
    print(f"{report.files} files, {report.includes} includes: {state}")
    return 1 if report.problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
