"""Result files: written once per session, read by the plots and for the page that shows the latest ones.

What single turns gave stays in the build tree (--raw); what is kept beside the sources has medians and quartiles only."""

import json
import os
import re
import tempfile

from polder_bench.key import Key, Table, by_its_way
from polder_bench.stats import Summary
from polder_bench.targets import judge
from polder_bench.text import machine_text, markdown_table, rows

FORMAT = 1
PER_TURN = ("turns", "all_seconds")  # lists with a number for each turn


def to_document(machine, settings, table, verdicts, failures, extra):
    """What a result file holds. `extra` is what other programs (terasort) reported, by name."""
    return {
        "format": FORMAT,
        "machine": machine,
        "settings": {"turns": max((len(s.turns) for s in table.summaries.values()), default=settings.turns), "quick": settings.quick},
        "measurements": [{**vars(key), "ns": s.median, "low": s.low, "high": s.high, "turns": list(s.turns)}
                         for key, s in table.summaries.items()],
        "targets": [{**vars(v.key), "target": v.target, "ratio": v.ratio, "bound": v.bound, "met": v.met} for v in verdicts],
        "failures": once_each(map(told_anywhere, failures)),
        **extra,
    }


def told_anywhere(failure):
    """The sentence without what only this run knows, folders and process numbers: the same failure reads the same each time."""
    return re.sub(r"\[(\w+):\d+\]", r"[\1]", re.sub(r"(?<![\w.])(?:/[\w.+-]+)+/(?=[\w.+-])", "", failure))


def once_each(failures):
    """The first of each program: which of its ranks fails first, and how far the others come, differs from run to run."""
    first = {}
    for failure in failures:
        first.setdefault(failure.partition(": ")[0], failure)
    return list(first.values())


def to_table(document):
    """The Table that to_document() was given."""
    table = Table()
    for one in document["measurements"]:
        key = by_its_way(Key(**{name: one[name] for name in Key.__dataclass_fields__}))
        table.add(key, Summary(one["ns"], one["low"], one["high"], tuple(one.get("turns", ()))))
    return table


def write(path, text):
    """The whole file or nothing."""
    folder = os.path.dirname(os.path.abspath(path))
    os.makedirs(folder, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=folder, delete=False, encoding="utf-8") as file:
        file.write(text)
    os.chmod(file.name, 0o644)
    os.replace(file.name, path)


def medians(document):
    """The document without what each turn gave."""
    if isinstance(document, list):
        return [medians(one) for one in document]
    if not isinstance(document, dict):
        return document
    return {name: medians(value) for name, value in document.items() if not (name in PER_TURN and isinstance(value, list))}


def as_text(document):
    """JSON with one measurement a line, so that two results can be compared line by line."""
    if not isinstance(document, dict):
        return "[\n " + ",\n ".join(json.dumps(one) for one in document) + "\n]\n"
    parts = []
    for name, value in document.items():
        rows = isinstance(value, list) and value and isinstance(value[0], dict)
        text = "[\n  " + ",\n  ".join(json.dumps(one) for one in value) + "\n ]" if rows else json.dumps(value)
        parts.append(f" {json.dumps(name)}: {text}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def write_document(path, document):
    write(path, as_text(document))


def read_document(path):
    """The document that is there, or None."""
    try:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
    except FileNotFoundError:
        return None
    return document if document.get("format") == FORMAT else None


def read_documents(folder):
    """(file name, document) of every result file in `folder`, the oldest measurement first."""
    found = []
    for name in sorted(os.listdir(folder)):
        if name.endswith(".json"):
            document = read_document(os.path.join(folder, name))
            if document:
                found.append((name, document))
    return sorted(found, key=lambda item: item[1]["machine"]["date"])


def file_name(machine):
    """One per machine and day: measuring again replaces the day's earlier result."""
    cpu = re.sub(r"[^a-z0-9]+", "-", machine["cpu"].lower()).strip("-")
    return f"{machine['date'][:10]}-{cpu}-{machine['cores']}.json"


def newest_of_each(folder):
    """(CPU, cores) -> (file name, document)"""
    newest = {}
    for name, document in read_documents(folder) if os.path.isdir(folder) else ():
        newest[document["machine"]["cpu"], document["machine"]["cores"]] = (name, document)
    return newest


def hidden_by(document, folder):
    """What the newest result of its machine in `folder` has and `document` lacks: on the page nobody would see it any more."""
    _, newest = newest_of_each(folder).get((document["machine"]["cpu"], document["machine"]["cores"]), ("", None))
    return sorted(measured_names(newest) - measured_names(document)) if newest else []


def measured_names(document):
    return {one["name"] for one in document["measurements"] if one["impl"] == "polder"} | {"terasort"} & document.keys()


def write_page(folder):
    """README.md of `folder`: the newest result of each machine as a table."""
    newest = newest_of_each(folder)
    parts = ["# Results", "",
             "Generated by `make bench`; do not edit. Times are medians over turns; *ratio* is what the target compares, or,",
             "where there is no target, Polder's time over the limit's. MPI columns show the best of the settings tried.", ""]
    for name, document in newest.values():
        table, machine = to_table(document), document["machine"]
        verdicts = judge(table, machine["cores"])
        parts += [f"## {machine['cpu']}, {machine['cores']} cores", "", machine_text(machine) + f" ([{name}]({name}))", "",
                  markdown_table(rows(table, verdicts)), ""]
        parts += [f"- failed: {failure}" for failure in document["failures"]]
        parts += terasort_part(document)
    write(os.path.join(folder, "README.md"), "\n".join(parts).rstrip() + "\n")


def terasort_part(document):
    text = document.get("terasort_table")
    return ["", "### Terasort", "", "```", text.rstrip(), "```", ""] if text else []
