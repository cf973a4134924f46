#!/usr/bin/env python3
"""Reads an OTF2 archive by the library's own reader, strictly.

    check_otf2.py ARCHIVE

Exit code 0: it is sound; what is in it is printed, a line for each kind of record and its number, then the definitions. 1: it is not; the
defects are printed. 77: Python has no module otf2 (Debian: python3-otf2, for /usr/bin/python3).
"""

import collections
import os
import subprocess
import sys

try:
    import otf2
    from otf2 import events
    from otf2.enums import GroupType, RmaSyncType
except ImportError:
    system = "/usr/bin/python3"
    if os.path.realpath(sys.executable) == os.path.realpath(system) or not os.path.exists(system):
        sys.exit(77)
    sys.exit(subprocess.run([system, *sys.argv], check=False).returncode)


class Location:
    """What one thread has done so far."""

    def __init__(self, name):
        self.name = name
        self.time = -1
        self.regions = []
        self.posted = {}  # operation -> window
        self.collectives = 0
        self.events = 0


class Checker:
    def __init__(self, path):
        self.path = path
        self.defects = []
        self.counts = collections.Counter()
        self.notified = collections.Counter()  # (window, to) -> sent minus received
        self.locations = {}

    def defect(self, location, text):
        if len(self.defects) < 50:
            self.defects.append(f"{location.name}: {text}")

    def run(self):
        with otf2.reader.open(os.path.join(self.path, "traces.otf2")) as trace:
            self.check_definitions(trace.definitions)
            for location, event in trace.events:
                self.take(location, event)
            for location in trace.definitions.locations:
                self.check_end(location)
            self.describe(trace.definitions)
        for (window, rank), rest in sorted(self.notified.items()):
            if rest < 0:
                self.defects.append(f"{window}: rank {rank} has seen {-rest} notifications more than were sent")

    def check_definitions(self, known):
        clock = known.clock_properties
        if clock.timer_resolution != 1_000_000_000:
            self.defects.append(f"the clock has {clock.timer_resolution} ticks a second")
        self.end = clock.global_offset + clock.trace_length
        lists = [group for group in known.groups if group.group_type == GroupType.COMM_LOCATIONS]
        if len(lists) != 1:
            self.defects.append(f"{len(lists)} lists of locations that communicate")
        for communicator in known.comms:
            if communicator.group.group_type != GroupType.COMM_GROUP:
                self.defects.append(f"{communicator.name} is no group of a communicator")
        for window in known.rma_wins:
            if window.comm not in list(known.comms):
                self.defects.append(f"{window.name} has no communicator")
        for region in known.regions:
            if not region.name:
                self.defects.append("a region without a name")

    def take(self, definition, event):
        location = self.locations.setdefault(definition, Location(f"{definition.group.name}, {definition.name}"))
        kind = type(event).__name__
        self.counts[kind] += 1
        location.events += 1
        if event.time < location.time:
            self.defect(location, f"{kind} at {event.time}, after {location.time}")
        if event.time > self.end:
            self.defect(location, f"{kind} at {event.time}, after the end at {self.end}")
        location.time = event.time
        if isinstance(event, events.Enter):
            location.regions.append(event.region)
        elif isinstance(event, events.Leave):
            if not location.regions or location.regions[-1] is not event.region:
                self.defect(location, f"leaves {event.region.name} at {event.time}, and is not in it")
            else:
                location.regions.pop()
        elif hasattr(event, "win"):
            self.take_rma(location, definition, event)
        elif isinstance(event, events.RmaCollectiveBegin):
            location.collectives += 1

    def take_rma(self, location, definition, event):
        members = len(event.win.comm.group.members)
        remote = getattr(event, "remote", None)
        if remote is not None and remote >= members:
            self.defect(location, f"{type(event).__name__} to {remote} of {members}")
        if isinstance(event, (events.RmaPut, events.RmaGet, events.RmaAtomic)):
            if event.matching_id in location.posted:
                self.defect(location, f"operation {event.matching_id} is begun twice")
            location.posted[event.matching_id] = event.win
        elif isinstance(event, (events.RmaOpCompleteBlocking, events.RmaOpCompleteNonBlocking, events.RmaOpCompleteRemote)):
            if location.posted.pop(event.matching_id, None) is not event.win:
                self.defect(location, f"operation {event.matching_id} completes in {event.win.name}, and was not begun there")
        elif isinstance(event, events.RmaSync) and event.sync_type != RmaSyncType.MEMORY:
            is_out = event.sync_type == RmaSyncType.NOTIFY_OUT
            self.counts["notified" if is_out else "seen"] += 1
            to = remote if is_out else int(definition.group.name.split()[1])
            self.notified[event.win.name, to] += 1 if is_out else -1
        elif isinstance(event, events.RmaCollectiveEnd):
            location.collectives -= 1
            if location.collectives < 0:
                self.defect(location, f"a collective ends at {event.time} and has not begun")

    def check_end(self, definition):
        location = self.locations.get(definition, Location(definition.name))
        if location.events != definition.number_of_events:
            self.defect(location, f"{location.events} events, its definition says {definition.number_of_events}")
        if location.regions:
            self.defect(location, f"is still in {location.regions[-1].name}")
        if location.collectives != 0:
            self.defect(location, f"{location.collectives} collectives have no end")

    def describe(self, known):
        self.lines = [f"{kind} {count}" for kind, count in sorted(self.counts.items())]
        self.lines += [f"location {each.group.name}, {each.name}: {each.number_of_events}" for each in known.locations]
        self.lines += [f"node {each.name}" for each in known.system_tree_nodes]
        self.lines += [f"communicator {each.name}: {len(each.group.members)}" for each in known.comms]
        self.lines += [f"window {each.name} of {each.comm.name}" for each in known.rma_wins]
        self.lines += [f"region {each.name}: {str(each.region_role).rpartition('.')[2]}" for each in known.regions]


def main():
    checker = Checker(sys.argv[1])
    checker.run()
    print("\n".join(checker.defects or checker.lines))
    return 1 if checker.defects else 0


if __name__ == "__main__":
    sys.exit(main())
