#!/usr/bin/env python3
"""Finds functions that headers declare and nothing uses: neither the sources nor the tests name them anywhere else.

    tools/check_dead.py [ROOT]

A name counts as used if it stands anywhere besides its declarations and definitions, so a name that two functions share hides both:
what is found is dead, what is not found need not be alive. C symbols of a standard are called by others and not looked at.
Python's standard library only.
"""

import os
import re
import sys
from collections import Counter

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import shape  # noqa: E402  (beside this file)

HEADERS = ("include/polder", "src", "cli", "apps", "bench")
USERS = ("include", "src", "cli", "apps", "bench", "tests", "examples", "cmake", "docs")
SUFFIXES = (".cpp", ".hpp", ".c", ".h", ".in", ".f90", ".md")

# At the beginning of a statement: words of a type, a name, an opening bracket. What is called has no type before it.
DECLARATION = re.compile(r"^[ \t]*(?:template\s*<[^;{]*>\s*)?(?:\[\[[^\]]*\]\]\s*)*((?:[\w:<>,*&]|\[\[|\]\]|[ \t])+?[\s*&>])(\w+)\(", re.MULTILINE)
MEMBER = re.compile(r"^[ \t]*(?:template\s*<[^;{]*>\s*)?(?:\[\[[^\]]*\]\]\s*)*(?:[\w:<>,*&]|[ \t])+?[\s*&>](?:\w+(?:<[^()]*>)?::)+(\w+)\(", re.MULTILINE)
NO_TYPE = {"__asm__", "return", "new", "delete", "else", "case", "throw", "goto", "using", "typedef", "friend", "co_return", "co_await", "co_yield", "not", "operator"}
# Called by the language, the library or a program that loads this one.
CALLED_BY_OTHERS = re.compile(r"^(main|begin|end|size|get_return_object|initial_suspend|final_suspend|unhandled_exception|return_\w+|await_\w+|PrintTo|polder_\w+)$")


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def files_of(root, tops, suffixes):
    for top in tops:
        for folder, folders, names in os.walk(os.path.join(root, top)):
            folders.sort()
            for name in sorted(names):
                if name.endswith(suffixes):
                    yield os.path.relpath(os.path.join(folder, name), root)


def declared_in(text):
    """(name, line) of each function that the header declares; not what overrides another."""
    for match in DECLARATION.finditer(text):
        words = re.findall(r"\w+", match[1])
        rest = text[match.end():text.find("\n", match.end())]
        statement = text[match.start():match.end()] + rest
        if not words or NO_TYPE & set(words) or "=" in match[1] or re.search(r"\b(override|virtual|final)\b", tail(text, match.end()) + " " + match[1]):
            continue
        if statement.lstrip().startswith("#") or CALLED_BY_OTHERS.match(match[2]) or match[2].isupper():
            continue
        yield match[2], text.count("\n", 0, match.start(2)) + 1


def defined_in(text, free_ones):
    """The name of each function that is defined outside of its class, and with `free_ones` of those in no class."""
    for pattern, name in ((MEMBER, 1), (DECLARATION, 2)) if free_ones else ((MEMBER, 1),):
        for match in pattern.finditer(text):
            end = shape.closing(text, match.end() - 1)
            if re.match(r"\)[^;=]*?\{", text[end:end + 400]) and not (name == 2 and text[match.start()] in " \t"):
                yield match[name]


def tail(text, position):
    """From the bracket to the end of the declaration."""
    end = shape.closing(text, position - 1)
    return re.split(r"[;{]", text[end:end + 200])[0]


def dead(root):
    headers = {path: shape.blank(read(os.path.join(root, path))) for path in files_of(root, HEADERS, (".hpp",))}
    named, made = Counter(), Counter()
    for path in files_of(root, USERS, SUFFIXES):
        text = read(os.path.join(root, path))
        if not path.endswith((".md", ".in")):
            text = shape.blank(text)
            made.update(defined_in(text, path.endswith((".cpp", ".c"))))
        named.update(re.findall(r"\w+", text))
    declared = Counter(name for text in headers.values() for name, _ in declared_in(text))
    for path, text in headers.items():
        for name, line in declared_in(text):
            if named[name] <= declared[name] + made[name]:
                yield f"{path}:{line}: nothing uses {name}()"


def main(arguments):
    root = arguments[1] if len(arguments) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    found = sorted(set(dead(root)))
    print("\n".join(found) if found else "no function is declared in vain")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
