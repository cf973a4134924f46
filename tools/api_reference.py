#!/usr/bin/env python3
"""Puts the documentation together in a folder where mkdocs can build it: docs/, and a page for every public header.

    tools/api_reference.py FOLDER

The headers are written as pages of a manual; this only sets them in Markdown, so that the site's search finds them. FOLDER is
emptied first. Python's standard library only.
"""

import os
import re
import shutil
import sys
from dataclasses import dataclass

PLACE = "reference/api"
NAV_MARK = "api-pages-go-here"
REPOSITORY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")


@dataclass
class Entry:
    """A declaration at namespace level, with the comment above it."""
    comment: str
    code: str

    @property
    def title(self):
        code = re.sub(r"\[\[.*?\]\]|POLDER_API|template\s*<[^{;]*?>\s*(?=class|struct|inline|constexpr|using|\w)", " ", self.code)
        kind = re.search(r"\b(enum class|class|struct)\s+(\w+)", code.split("{")[0].split("(")[0])
        if kind:
            return f"{kind[1]} {kind[2]}"
        name = (re.search(r"\busing\s+(\w+)", code) or re.search(r"^[^(]*?\b(\w+)(?:<[^=]*>)?\s*=[^=]", code)
                or re.search(r"\b(operator\s*[^\s(]+|\w+)\s*\(", code))
        return name[1] if name else code.split("\n")[0]


def split_header(text):
    """The comment at the top of a header, and the declarations of its namespace polder."""
    lines = text.split("\n")
    top = [line for line in lines[:next((i for i, line in enumerate(lines) if not line.startswith("//")), 0)]]
    return uncomment(top), entries(namespace_body(text))


def uncomment(lines):
    return "\n".join(re.sub(r"^\s*// ?", "", line) for line in lines)


def namespace_body(text):
    match = re.search(r"^namespace polder(?:::\w+)? \{\n(.*)^\}  // namespace polder", text, re.DOTALL | re.MULTILINE)
    return match[1] if match else ""


def entries(body):
    found, comment, code, depth = [], [], [], 0
    for line in body.split("\n"):
        if not code and line.startswith("//"):
            comment.append(line)
            continue
        if not code and not line.strip():
            comment = []  # a comment that stands alone belongs to no declaration
            continue
        code.append(line)
        bare = re.sub(r'//.*|"(?:\\.|[^"\\])*"', "", line)
        depth += bare.count("{") + bare.count("(") - bare.count("}") - bare.count(")")
        if depth == 0 and re.search(r"[;}]\s*$", bare.rstrip()):
            add_entry(found, comment, code)
            comment, code = [], []
    return found


def add_entry(found, comment, code):
    text = without_private("\n".join(code)).replace("POLDER_API ", "")
    inner = re.match(r"namespace \w+ \{|(?:class|struct) \w+;|static_assert", text)
    if inner:
        return  # forward declarations and what is the library's own
    entry = Entry(uncomment(comment), text)
    one_liners = found and not comment and "\n" not in text and "\n" not in found[-1].code
    if one_liners or (found and not comment and entry.title == found[-1].title):
        found[-1].code += "\n" + text  # a run of them under one comment
    else:
        found.append(entry)


# A function of a class: the words before its name, its name. Not what only looks like one.
MEMBER = re.compile(r"^(?:template\s*<.*?>\s*(?:requires[^;{]*?\s)?)?(?:\[\[.*?\]\]\s*)?((?:[\w:<>,*&\s~]|\[\[.*?\]\])*?)"
                    r"(~?\w+|operator\s*[^\s\w(]+|operator\s+\w+)\s*\(", re.DOTALL)


@dataclass
class Member:
    """Declarations of one name within a class, and the comment above them; a section's title where `code` is empty."""
    names: list
    comment: str
    code: list
    function: bool = False

    @property
    def name(self):
        return self.names[0]


def members(code):
    """What a class offers, in its order. Empty: it is no class with functions."""
    lines = code.split("\n")
    if not re.match(r"(template\s*<.*>\s*)?(class|struct)\s", code) or not any(re.match(r" (public):|  [^ /}].*\(", line) for line in lines):
        return []
    first = next(i for i, line in enumerate(lines) if line.rstrip().endswith("{"))
    found, comment, statement = [], [], []
    for line in lines[first + 1:]:
        if line.startswith("}"):
            break
        if re.match(r" (public|private|protected):", line) or (not statement and not line.strip()):
            comment = []
            continue
        section = re.match(r"  // ---- (.*?) ----$", line)
        if section:
            found.append(Member([section[1]], "", []))
            comment = []
        elif not statement and line.startswith("  //"):
            comment.append(line)
        else:
            statement.append(line)
            if ends(statement):
                add_member(found, uncomment(comment), "\n".join(statement))
                comment, statement = [], []
    return found


def ends(statement):
    bare = [re.sub(r'//.*|"(?:\\.|[^"\\])*"', "", line) for line in statement]
    depth = sum(line.count("{") + line.count("(") - line.count("}") - line.count(")") for line in bare)
    return depth == 0 and re.search(r"[;}]\s*$", bare[-1].rstrip()) is not None


def add_member(found, comment, text):
    code = declaration(text)
    if re.match(r"\s*(friend|explicit\s+\w+\(std::unique_ptr<core|static_assert)", code) or " = delete;" in code or "core::" in code:
        return
    match = MEMBER.match(code)
    if match and "=" in match[1]:
        match = None  # a value that is called, not a function
    name = match[2].replace(" ", "") if match else (re.search(r"(\w+)\s*(?:=.*|\{.*\})?;", code) or [None, code])[1]
    last = found[-1] if found else None
    if last and last.code and (last.name == name or not (comment or last.comment or match or last.function)):
        last.comment = "\n\n".join(text for text in (last.comment, comment) if text)
        last.code.append(code)
        last.names.append(name)
    else:
        found.append(Member([name], comment, [code], match is not None))


def declaration(text):
    """Without the body, in lines of at most WIDTH columns; a comment behind it stays behind it."""
    remark = re.search(r"[;}]\s*(//.*)$", text)
    text = re.sub(r"//[^\n]*", "", text)
    text = " ".join(text.split())
    depth = 0
    for i, sign in enumerate(text):
        depth += (sign in "([") - (sign in ")]")
        if sign == "{" and depth == 0 and ")" in text[:i]:
            text = re.sub(r"\)\s*:\s.*$", ")", text[:i].rstrip()) + ";"
            break
    return wrapped(text) + (f"  {remark[1]}" if remark else "")


WIDTH = 84


def wrapped(text):
    """Broken behind commas, with what follows below the first argument."""
    if len(text) <= WIDTH:
        return text
    lines, line = [], ""
    template = re.match(r"template <.*?> ", text)
    if template:
        lines.append(template[0].rstrip())
        text = text[len(template[0]):]
    indent = " " * (text.find("(") + 1 if text.find("(") < 24 else 4)
    for part in re.split(r"(?<=,) ", text):
        if line and len(line) + 1 + len(part) > WIDTH:
            lines.append(line)
            line = indent + part
        else:
            line = f"{line} {part}" if line else part
    return "\n".join([*lines, line])


def anchor_of(owner, name, taken):
    anchor = re.sub(r"[^a-z0-9_]+", "-", f"{owner}-{name.replace('~', 'end-')}".lower()).strip("-")
    taken[anchor] = taken.get(anchor, 0) + 1
    return anchor if taken[anchor] == 1 else f"{anchor}-{taken[anchor]}"


def class_page(entry, found):
    """A heading with an anchor for each function, so that each can be linked to."""
    owner = entry.title.split()[-1]
    parts, taken = [], {}
    for member in found:
        if not member.code:
            parts.append(f"### {owner}: {escape(member.name)}")
            continue
        parts.append(f"#### `{member.name}` {{#{anchor_of(owner, member.name, taken)}}}" if member.function else "")
        parts.append("```cpp\n" + "\n".join(member.code) + "\n```")
        if member.comment:
            parts.append(markdown(member.comment))
    return parts


def without_private(code):
    kept, hidden = [], False
    for line in code.split("\n"):
        label = re.match(r"^ (public|private|protected):", line)
        if label:
            hidden = label[1] != "public"
        if line.startswith("}"):
            hidden = False
        if not hidden:
            kept.append(line)
    return re.sub(r"\n\n+(?=\};)", "\n", "\n".join(kept))


def markdown(comment):
    """The prose of a comment; what is indented in it is code."""
    result, code = [], False
    for line in comment.split("\n"):
        indented = line.startswith("  ") and not re.match(r"\s+[-*] ", line)
        if indented != code:
            result.append("```" if code else "\n```cpp")
            code = indented
        result.append(line[2:] if indented else escape(line))
    if code:
        result.append("```")
    return "\n".join(result)


def escape(line):
    return re.sub(r"([*_<])", r"\\\1", line) if "`" not in line else line


def page(name, text):
    prose, declarations = split_header(text)
    parts = [f"# {name}", f"```cpp\n#include <{name}>\n```", markdown(prose)]
    for entry in declarations:
        parts.append(f"## {entry.title.replace('<', '&lt;')}")
        if entry.comment:
            parts.append(markdown(entry.comment))
        found = members(entry.code)
        parts += class_page(entry, found) if any(member.function for member in found) else [f"```cpp\n{entry.code}\n```"]
    return "\n\n".join(parts) + "\n"


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def headers(repository):
    """Those of include/polder and its folders, from there."""
    top = os.path.join(repository, "include", "polder")
    found = [os.path.relpath(os.path.join(folder, name), top) for folder, _, names in os.walk(top) for name in names]
    return sorted(name.replace(os.sep, "/") for name in found if name.endswith(".hpp"))


def assemble(repository, folder):
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(os.path.join(repository, "docs"), os.path.join(folder, "docs"))
    shutil.copytree(os.path.join(repository, "tools", "site"), folder, dirs_exist_ok=True)
    nav = []
    for header in headers(repository):
        text = read(os.path.join(repository, "include", "polder", header))
        if not split_header(text)[1]:
            continue  # macros only
        target = f"{PLACE}/{header[:-len('.hpp')].replace('/', '-')}.md"
        write(os.path.join(folder, "docs", target), page(f"polder/{header}", text))
        nav.append(f"          - {header}: {target}")
    config = read(os.path.join(repository, "mkdocs.yml"))
    if NAV_MARK not in config:
        raise SystemExit(f"tools/api_reference.py: mkdocs.yml has no line with '{NAV_MARK}' to put the pages of the headers")
    write(os.path.join(folder, "mkdocs.yml"), re.sub(rf"^.*{NAV_MARK}.*$", "\n".join(nav), config, flags=re.MULTILINE))
    return len(nav)


def main(arguments):
    if len(arguments) != 2:
        print("usage: tools/api_reference.py FOLDER", file=sys.stderr)
        return 2
    count = assemble(REPOSITORY, arguments[1])
    print(f"documentation of {count} headers put together in {arguments[1]}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
