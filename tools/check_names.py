#!/usr/bin/env python3
"""Refuses a type name that headers give to two things: whoever searches for it should find one.

    tools/check_names.py [ROOT]

Looks at what headers of include/polder, src and cli define at the level of namespaces; types inside of classes and of sources are their
own affair. ALLOWED says which names stand for the same thing in several places, and why. Python's standard library only.
"""

import os
import re
import sys
from collections import defaultdict

TOPS = ("include/polder", "src", "cli")
TYPE = re.compile(r"^(?:template\s*<[^;{]*>\s*)?(?:class|struct|union|enum class|enum)\s+(?:POLDER_\w+(?:\([^)]*\))?\s+|alignas\([^)]*\)\s+|\[\[[^\]]*\]\]\s*)*"
                  r"(\w+)\s*(?:final\s*)?(?::[^:;{][^;{]*)?\{", re.MULTILINE)

# The same role in rooms that are alternatives of each other: who knows one knows all.
SAME_ROLE = {
    "Context": "each door's C calls reach their one runtime through it",
    "Process": "likewise: this process as a rank of the door",
    "Waiting": "a thread inside a call of GASPI; what waits in a link",
    "Inbox": "each device receives messages in one",
    "Link": "each device has one for a peer",
    "Endpoint": "likewise, where the transport ends",
    "GroupTable": "groups by number: the core's, and the standard's numbers for them",
    "GroupEntry": "an entry of either",
    "Crew": "ranks of a machine that stick together: the launcher's, and those that nobody launched",
    "Program": "what the launcher starts; what MPI says of the program that runs",
    "Deadline": "doors see public headers only, so they have their own of util's; GASPI's counts its milliseconds",
    "Team": "ranks that do things together, with what that takes: of containers, and of ARMCI's job",
    "Job": "what bootstrap knows of a job; GASPI's adds what its environment says",
}


def definitions(root):
    """Type name -> the headers that define it."""
    found = defaultdict(set)
    for top in TOPS:
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in names:
                if name.endswith(".hpp"):
                    path = os.path.join(folder, name)
                    with open(path, encoding="utf-8") as file:
                        for match in TYPE.finditer(file.read()):
                            found[match[1]].add(os.path.relpath(path, root))
    return found


def problems(root):
    found = definitions(root)
    for name, paths in sorted(found.items()):
        if len(paths) > 1 and name not in SAME_ROLE:
            yield f"{name} is defined in {' and '.join(sorted(paths))}: one name for one thing"
    if root == own_root():
        for name in sorted(SAME_ROLE):
            if len(found[name]) < 2:
                yield f"tools/check_names.py: {name} is defined once and needs no exception"


def own_root():
    return os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))


def main(arguments):
    root = os.path.abspath(arguments[1]) if len(arguments) > 1 else own_root()
    found = list(problems(root))
    print("\n".join(found) if found else f"{len(definitions(root))} types: each name is one thing, {len(SAME_ROLE)} a role")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
