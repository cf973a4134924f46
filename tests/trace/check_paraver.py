"""A strict reader of Paraver's files: what Paraver itself drops or mislabels in silence is an error here.

    check_paraver.py STEM [CFG...]    reads STEM.prv, STEM.pcf and STEM.row, and configurations that are meant for them; prints
                                      each defect, exit code 1 if there is any
"""

import datetime
import re
import sys

# Types whose values are numbers as they are.
RAW = re.compile(r"size$|value$|^User counter ")
CALLS = {"GASPI call": "Outside GASPI", "Polder call": "End", "User region": "End", "Polder within calls": "End"}
EXTRAE = {69000000: "GASPI call", 69000001: "GASPI size", 69000002: "GASPI rank", 69000003: "GASPI queue",
          69000004: "GASPI notification_id"}
HEADER = re.compile(r"#Paraver \((\d\d/\d\d/\d{4} at \d\d:\d\d)\):(\d+)(_ns):(\d+)\(([\d,]+)\):1:(\d+)\(([\d:,]+)\),(\d+)$")


class Defects(list):
    def add(self, line, text):
        if len(self) < 100:
            self.append(f"line {line}: {text}")


def read_pcf(text, defects):
    labels, values, states = {}, {}, set()
    section, types = "", []
    for number, line in enumerate(text.split("\n"), 1):
        words = line.split(None, 1)
        if line.strip() in ("DEFAULT_OPTIONS", "DEFAULT_SEMANTIC", "STATES", "STATES_COLOR", "EVENT_TYPE", "VALUES"):
            section = line.strip()
            types = [] if section == "EVENT_TYPE" else types
            if section == "VALUES":
                values.update({kind: {} for kind in types})
        elif section == "DEFAULT_SEMANTIC" and words:
            if line.split() != ["THREAD_FUNC", "State", "As", "Is"]:
                defects.add(number, f".pcf: no semantic function of Paraver: {line}")
        elif section == "STATES" and len(words) == 2 and words[0].isdigit():
            states.add(int(words[0]))
        elif section == "EVENT_TYPE" and words:
            parts = line.split(None, 2)
            if len(parts) != 3 or not parts[1].isdigit():
                defects.add(number, f".pcf: no event type: {line}")
                continue
            if int(parts[1]) in labels or parts[2] in labels.values():
                defects.add(number, f".pcf: {parts[1]} {parts[2]} is there twice")
            labels[int(parts[1])] = parts[2]
            types.append(int(parts[1]))
        elif section == "VALUES" and words:
            if len(words) != 2 or not words[0].isdigit():
                defects.add(number, f".pcf: no value: {line}")
                continue
            for kind in types:
                values[kind][int(words[0])] = words[1]
    return labels, values, states


def read_row(text, defects):
    counts, lines, at = {}, text.split("\n"), 0
    while at < len(lines):
        match = re.fullmatch(r"LEVEL (\w+) SIZE (\d+)", lines[at])
        if match:
            end = at + 1
            while end < len(lines) and lines[end].strip():
                end += 1
            counts[match[1]] = int(match[2])
            if end - at - 1 != int(match[2]):
                defects.add(at + 1, f".row: {match[1]} says {match[2]} rows and has {end - at - 1}")
            at = end
        elif lines[at].strip():
            defects.add(at + 1, f".row: {lines[at]}")
        at += 1
    return counts


class Trace:
    def __init__(self, stem):
        self.defects = Defects()
        try:
            with open(stem + ".prv", newline="", encoding="utf-8") as file:
                self.prv = file.read()
            with open(stem + ".pcf", encoding="utf-8") as file:
                self.labels, self.values, self.states = read_pcf(file.read(), self.defects)
            with open(stem + ".row", encoding="utf-8") as file:
                self.rows = read_row(file.read(), self.defects)
        except OSError as problem:
            self.defects.add(0, str(problem))
            return
        self.open_calls, self.tiled, self.last, self.seen = {}, {}, 0, set()
        self.counts = {"states": 0, "events": 0, "communications": 0}
        self.check()

    def check(self):
        if "\r" in self.prv:
            self.defects.add(1, "lines end with CR LF")
        lines = self.prv.split("\n")
        if lines.pop() != "":
            self.defects.add(len(lines) + 1, "the last line is cut off")
        if not lines or not self.header(lines[0]):
            return
        if len(lines) <= 1 + self.communicators:
            self.defects.add(1, "a header and no record")
        for number in range(1, 1 + self.communicators):
            self.communicator(number + 1, lines[number] if number < len(lines) else "")
        for number, line in enumerate(lines[1 + self.communicators:], 2 + self.communicators):
            self.record(number, line)
        for (row, kind), (value, since) in self.open_calls.items():
            if value:
                self.defects.add(len(lines), f"row {row}: {self.labels.get(kind, kind)} {value} of {since} never ends")
        for task, threads in enumerate(self.threads, 1):
            for thread in range(1, threads + 1):
                if self.tiled.get((task, thread), 0) != self.end:
                    self.defects.add(len(lines), f"states of {task}.{thread} end at {self.tiled.get((task, thread), 0)}")
        for kind, label in EXTRAE.items():
            if self.labels.get(kind) != label:
                self.defects.add(0, f".pcf: {kind} must be called {label}")
        if self.rows.get("THREAD") != sum(self.threads):
            self.defects.add(0, ".row: a name for each thread")

    def header(self, line):
        match = HEADER.match(line)
        if not match:
            self.defects.add(1, f"no header with _ns: {line[:80]}")
            return False
        try:
            datetime.datetime.strptime(match[1], "%d/%m/%Y at %H:%M")
        except ValueError:
            self.defects.add(1, f"there is no day {match[1]}")
        self.end, nodes = int(match[2]), int(match[4])
        cores = [int(c) for c in match[5].split(",")]
        tasks = [tuple(map(int, t.split(":"))) for t in match[7].split(",")]
        self.threads, self.communicators, self.cpus = [t[0] for t in tasks], int(match[8]), sum(cores)
        if len(cores) != nodes or len(tasks) != int(match[6]) or any(not 1 <= t[1] <= nodes for t in tasks):
            self.defects.add(1, "nodes or tasks do not add up")
            return False
        return True

    def communicator(self, number, line):
        fields = line.split(":")
        good = len(fields) > 4 and fields[0] == "c" and all(f.isdigit() for f in fields[1:])
        if not good or int(fields[3]) != len(fields) - 4 or any(not 1 <= int(f) <= len(self.threads) for f in fields[4:]):
            self.defects.add(number, f"no communicator: {line}")

    def record(self, number, line):
        fields = line.split(":")
        if not all(re.fullmatch(r"\d+", f) for f in fields):
            return self.defects.add(number, f"a field that is no number: {line}")
        n = [int(f) for f in fields]
        if n[0] not in (1, 2, 3) or len(n) < {1: 8, 2: 8, 3: 15}.get(n[0], 0):
            return self.defects.add(number, f"no record: {line}")
        if not self.place(number, n[1:5]):
            return None
        if n[5] < self.last:
            self.defects.add(number, f"at {n[5]}, after {self.last}")
        self.last = max(self.last, n[5])
        {1: self.state, 2: self.event, 3: self.communication}[n[0]](number, n)
        return None

    def place(self, number, place):
        cpu, application, task, thread = place
        good = cpu <= self.cpus and application == 1 and 1 <= task <= len(self.threads)
        if not good or not 1 <= thread <= self.threads[task - 1]:
            self.defects.add(number, f"there is no {place}")
            return False
        return True

    def state(self, number, n):
        self.counts["states"] += 1
        begin, end, row = n[5], n[6], (n[3], n[4])
        if len(n) != 8 or not begin < end <= self.end:
            self.defects.add(number, f"a state from {begin} to {end} of {self.end}")
        if self.tiled.get(row, 0) != begin:
            self.defects.add(number, f"states of {row}: {self.tiled.get(row, 0)}, then {begin}: a gap or an overlap")
        self.tiled[row] = end
        if n[7] not in self.states:
            self.defects.add(number, f"state {n[7]} has no name")

    def event(self, number, n):
        self.counts["events"] += 1
        if len(n) % 2 != 0:
            return self.defects.add(number, "an odd list of types and values")
        if n[5] > self.end:
            self.defects.add(number, f"at {n[5]}, after the end {self.end}")
        for kind, value in zip(n[6::2], n[7::2]):
            label = self.labels.get(kind)
            self.seen.add(kind)
            if label is None:
                self.defects.add(number, f"event type {kind} has no label")
                continue
            if not RAW.search(label) and value not in self.values.get(kind, {}):
                self.defects.add(number, f"{label}: value {value} has no label")
            if label in CALLS:
                self.call(number, (n[3], n[4]), kind, value, n[5])
        return None

    def call(self, number, row, kind, value, time):
        before, since = self.open_calls.get((row, kind), (0, -1))
        if self.labels[kind] == "GASPI call" and before and value:
            self.defects.add(number, f"GASPI call {before} of {since} has no exit before the next entry")
        if value == 0 and before == 0:
            self.defects.add(number, f"{self.labels[kind]}: an exit without an entry")
        if before and time <= since:
            self.defects.add(number, f"{self.labels[kind]}: it ends when it begins, at {time}; Paraver overlooks it")
        self.open_calls[(row, kind)] = (value, time)

    def communication(self, number, n):
        self.counts["communications"] += 1
        if len(n) != 15:
            return self.defects.add(number, "not 15 fields")
        self.place(number, n[7:11])
        if not n[5] <= n[6] <= n[12] <= self.end or n[11] > n[12]:
            self.defects.add(number, f"runs backwards: sent {n[5]} {n[6]}, received {n[11]} {n[12]}")
        return None


def check_cfg(path, trace):
    """What a configuration selects and `trace` does not have. A label is what counts, where the trace knows it; else the number."""
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")
    except OSError as problem:
        return trace.defects.add(0, str(problem))
    if lines[0] != "#ParaverCFG":
        trace.defects.add(1, f"{path}: no configuration of Paraver")
    windows = [number for number, line in enumerate(lines, 1) if line.startswith("< NEW DISPLAYING WINDOW ")]
    if f"ConfigFile.NumWindows: {len(windows)}" not in lines:
        trace.defects.add(0, f"{path}: it has {len(windows)} windows and does not say so")
    for first, behind in zip(windows, [*windows[1:], len(lines) + 1]):
        check_window(path, trace, first, lines[first - 1:behind - 1])
    return None


def check_window(path, trace, first, lines):
    """Each type that it selects has to have events: Paraver shows what there is of the others, as if that were all."""
    numbers = {label: kind for kind, label in trace.labels.items()}
    labels = next((re.findall(r'"([^"]*)"', line) for line in lines if line.startswith("window_filter_module evt_type_label ")), [])
    for number, line in enumerate(lines, first):
        if not line.startswith("window_filter_module evt_type "):
            continue
        count, *types = map(int, line.split()[2:])
        if count != len(types) or len(labels) not in (0, count):
            trace.defects.add(number, f"{path}: {count} types are announced, {len(types)} and {len(labels)} labels are there")
        for at, kind in enumerate(types):
            label = labels[at] if at < len(labels) else None
            if numbers.get(label, kind) not in trace.seen:
                trace.defects.add(number, f"{path}: no event of type {kind} {label or ''} in the trace")


def check(stem, configurations=()):
    """The defects, and how many records of each kind there are."""
    trace = Trace(stem)
    if hasattr(trace, "seen"):
        for path in configurations:
            check_cfg(path, trace)
    return list(trace.defects), getattr(trace, "counts", {})


if __name__ == "__main__":
    found, counted = check(sys.argv[1], sys.argv[2:])
    print("\n".join(found) if found else " ".join(f"{count} {what}" for what, count in counted.items()))
    sys.exit(1 if found else 0)
