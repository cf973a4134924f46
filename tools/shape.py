#!/usr/bin/env python3
"""Prints the shape of the sources: how long files and functions are, how much is comment, how much is test.

    tools/shape.py [--check] [ROOT]

With --check it prints only what is beyond the limits, and fails if anything is.
The numbers to compare with are in docs/design/style.md. Functions are found by matching braces, which is right for code in this
project's style and no more than that. Python's standard library only.
"""

import os
import re
import sys
from dataclasses import dataclass

TOPS = ("include", "src", "cli", "apps", "bench", "python", "tests")
SUFFIXES = (".cpp", ".hpp", ".c", ".h")
NAMED = 5  # how many of the longest are named

# What --check holds: lines of the longest file and function, and the medians and 90th percentiles of the sources.
LIMITS = {"sources": (400, 60), "tests": (400, 100)}
SPREADS = {"lines in a file": (100, 390), "lines in a function": (5, 25)}


@dataclass
class Function:
    name: str
    path: str
    line: int
    length: int


@dataclass
class File:
    path: str
    lines: int
    code: int      # lines with code on them
    comments: int  # lines with nothing but comment
    functions: list

    @property
    def group(self):
        """The module, or the folder of programs or tests, that the file counts for."""
        parts = self.path.split("/")
        return "/".join(parts[:2]) if len(parts) > 2 else parts[0]


# ---- reading C++ ----

# In the order in which they are tried at each place of the text. A quote between digits (1'000) begins nothing.
TOKEN = re.compile(r"""
    (?P<comment>//[^\n]*|/\*.*?\*/)
  | (?P<raw>R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)")
  | (?P<string>"(?:\\.|[^"\\\n])*")
  | (?P<char>(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+')
""", re.DOTALL | re.VERBOSE)


def blank(text, keep_comments=False):
    """The text with comments and literals replaced by nothing that could be mistaken for code; line breaks stay."""
    def replacement(match):
        if match["comment"] is not None:
            return match[0] if keep_comments else re.sub(r"[^\n]", " ", match[0])
        return '""' + "\n" * match[0].count("\n")
    return TOKEN.sub(replacement, text)


def count_lines(text):
    """Lines with code and lines with nothing but comment."""
    code = comments = 0
    for with_comment, without in zip(text.split("\n"), blank(text).split("\n")):
        if without.strip():
            code += 1
        elif with_comment.strip():
            comments += 1
    return code, comments


SCOPE = re.compile(r"^(?:inline\s+)?(?:namespace|class|struct|union|extern)\b")
AFTER_PARAMETERS = re.compile(
    r"^\s*(?:(?:const|noexcept|override|final|mutable|volatile|try|&&?|""|\[\[[^\]]*\]\])\s*)*(?:->.*)?(?:requires\b.*)?$", re.DOTALL)
LABEL = re.compile(r"^\s*(?:(?:public|private|protected)\s*:|#[^\n]*\n|template\s*<)", re.DOTALL)


def find_functions(text, path):
    text = blank(text)
    text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda m: "\n" * m[0].count("\n"), text, flags=re.MULTILINE)
    found = []
    start = position = 0
    while position < len(text):
        letter = text[position]
        if letter in ";}":
            start = position + 1
        elif letter == "(":
            position = closing(text, position)
        elif letter == "{":
            kind, header = classify(text[start:position])
            if kind == "scope":
                start = position + 1
            else:
                end = closing(text, position)
                if kind == "function":
                    found.append(function(text, start, end, header, path))
                    start = end + 1
                position = end
        position += 1
    return found


def closing(text, position):
    """Where the bracket at `position` closes; the end of the text if it never does."""
    pairs = {"{": "}", "(": ")"}
    opening, ending = text[position], pairs[text[position]]
    depth = 0
    for place in range(position, len(text)):
        if text[place] == opening:
            depth += 1
        elif text[place] == ending:
            depth -= 1
            if depth == 0:
                return place
    return len(text) - 1


def classify(header):
    """What the brace after `header` opens: "scope", "function", or "other" (an initialiser, an enumeration)."""
    header = header.strip()
    while True:
        match = LABEL.match(header)
        if not match:
            break
        header = header[after_template(header) if match[0].rstrip().endswith("<") else match.end():].strip()
    bare = without_brackets(header)
    if SCOPE.match(re.sub(r'^""', "", header)) and not bare.rstrip().endswith(")"):
        return "scope", header
    if "(" not in bare:
        return "other", header
    initialisers = re.search(r"\)\s*(?:noexcept(?:\(\))?\s*)?:(?!:)", bare)
    if initialisers:
        # Of `a_{1}, b_(2) {` only the last brace opens the body: the others follow a name.
        return ("function" if re.search(r"[)}]$", bare) and initialisers.end() < len(bare) else "other"), header
    last = bare.rindex(")")
    return ("function" if AFTER_PARAMETERS.match(bare[last + 1:]) else "other"), header


def after_template(header):
    depth = 0
    for place in range(header.index("<"), len(header)):
        depth += {"<": 1, ">": -1}.get(header[place], 0)
        if depth == 0:
            return place + 1
    return len(header)


def without_brackets(header):
    """The header with what stands inside of (...) taken out."""
    result, depth = [], 0
    for letter in header:
        depth -= letter == ")"
        if depth <= 0:
            result.append(letter)
        depth += letter == "("
    return "".join(result)


def function(text, start, end, header, path):
    # Blank lines, labels and the line break before the header are not part of it.
    begin = text.index(header, start) if header and header in text[start:end] else start
    line = text.count("\n", 0, begin) + 1
    return Function(name_of(header), path, line, text.count("\n", begin, end) + 1)


def name_of(header):
    test = re.match(r"(TEST(?:_F|_P)?)\s*\(([^)]*)\)", header)
    if test:
        return ".".join(word.strip() for word in test[2].split(","))
    match = re.search(r"((?:[\w~]+(?:<[^()]*>)?::)*(?:operator\s*[^\s\w(]+|operator\s*\(\)|operator\s+[\w:]+|~?\w+))\s*\(", header)
    return match[1] if match else "?"


# ---- the report ----

def read_file(root, path):
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
        text = file.read()
    code, comments = count_lines(text)
    return File(path, text.count("\n"), code, comments, find_functions(text, path))


def read_tree(root):
    files = []
    for top in TOPS:
        for folder, folders, names in os.walk(os.path.join(root, top)):
            folders.sort()
            files += [read_file(root, os.path.relpath(os.path.join(folder, name), root).replace(os.sep, "/"))
                      for name in sorted(names) if name.endswith(SUFFIXES)]
    return files


def spread(numbers):
    """Median, 90th percentile and maximum."""
    ordered = sorted(numbers)
    if not ordered:
        return "-"
    at = lambda share: ordered[min(len(ordered) - 1, int(share * len(ordered)))]
    return f"{at(0.5)} / {at(0.9)} / {ordered[-1]}"


def print_totals(title, files):
    functions = [function for file in files for function in file.functions]
    code, comments = sum(f.code for f in files), sum(f.comments for f in files)
    print(f"{title}: {len(files)} files, {sum(f.lines for f in files)} lines")
    print(f"  lines in a file       {spread([f.lines for f in files])}   (median / 90 % / longest)")
    print(f"  lines in a function   {spread([f.length for f in functions])}   ({len(functions)} functions)")
    if comments:
        print(f"  comments              one line for every {code / comments:.1f} of code")
    for file in sorted(files, key=lambda f: -f.lines)[:NAMED]:
        print(f"    {file.lines:5} {file.path}")
    for function in sorted(functions, key=lambda f: -f.length)[:NAMED]:
        print(f"    {function.length:5} {function.name} ({function.path}:{function.line})")


def print_groups(files):
    print(f"{'folder':24}{'files':>6}{'lines':>7}  {'file':16}{'function':14}")
    groups = {}
    for file in files:
        groups.setdefault(file.group, []).append(file)
    for name, members in groups.items():
        lengths = [function.length for file in members for function in file.functions]
        print(f"{name:24}{len(members):6}{sum(f.lines for f in members):7}  "
              f"{spread([f.lines for f in members]):16}{spread(lengths):14}")


def share_of(numbers, share):
    ordered = sorted(numbers)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0


def beyond(kind, files):
    """A line for each thing beyond its limit."""
    longest_file, longest_function = LIMITS[kind]
    for file in files:
        if file.lines > longest_file:
            yield f"{file.path}: {file.lines} lines; a file has at most {longest_file}"
        for function in file.functions:
            if function.length > longest_function:
                yield (f"{function.path}:{function.line}: {function.name} has {function.length} lines; a function of {kind} has at most "
                       f"{longest_function}")
    if kind == "sources":
        found = {"lines in a file": [f.lines for f in files], "lines in a function": [g.length for f in files for g in f.functions]}
        for name, limits in SPREADS.items():
            for share, limit in zip((0.5, 0.9), limits):
                if share_of(found[name], share) > limit:
                    yield f"{name}: {share:.0%} of them have up to {share_of(found[name], share)}, and the limit is {limit}"


def check(sources, tests):
    found = [*beyond("sources", sources), *beyond("tests", tests)]
    print("\n".join(found) if found else f"shape: {len(sources) + len(tests)} files within the limits")
    return 1 if found else 0


def main(arguments):
    checking = "--check" in arguments
    arguments = [word for word in arguments if word != "--check"]
    root = arguments[1] if len(arguments) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    files = read_tree(root)
    if not files:
        print(f"tools/shape.py: no source files in {root}", file=sys.stderr)
        return 1
    tests = [file for file in files if file.path.startswith("tests/")]
    sources = [file for file in files if not file.path.startswith("tests/")]
    if checking:
        return check(sources, tests)
    print_totals("sources", sources)
    print_totals("tests", tests)
    if sources:
        print(f"tests to sources: {sum(f.lines for f in tests) / sum(f.lines for f in sources):.2f}\n")
    print_groups(files)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
