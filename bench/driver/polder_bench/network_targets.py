"""What Polder has promised to reach between hosts, beside a raw TCP connection between the same two."""

import math
from dataclasses import replace

from polder_bench.key import Key
from polder_bench.verdict import Verdict, quotient


def are_for(table):
    """Whether it was measured between hosts, which the raw measurements tell."""
    return any(key.name.startswith("tcp_") for key in table.summaries)


def raw_key(table, name, size):
    """Key of raw TCP, by the better way of waiting."""
    ways = [Key(way, 2, size, impl="limit") for way in (name, f"{name}_polling")]
    return min(ways, key=lambda way: table.median(way) or math.inf)


def raw(table, name, size):
    """Nanoseconds of it, or None."""
    return table.median(raw_key(table, name, size))


def ahead(table, key):
    if table.mpis():
        yield Verdict(key, "ahead of every MPI", quotient(table.best_of_peers(key), table.median(key)), 1, True)


def put_notify(table, key, _cores):
    if key.name == "put_notify" and key.size == 8:
        yield Verdict(key, "<= 1.25 x raw TCP", quotient(table.median(key), raw(table, "tcp_ping_pong", 8)), 1.25)
        yield from ahead(table, key)


def bandwidth(table, key, _cores):
    """A stream beside a stream: where each operation is awaited, a round trip is part of it."""
    if key.name in ("put_stream", "get_stream") and key.size >= 1 << 20:
        yield Verdict(key, ">= 0.9 x raw TCP", quotient(raw(table, "tcp_stream", key.size), table.median(key)), 0.9, True)


def rate(table, key, _cores):
    if key.name == "rate" and key.threads == 4:
        yield from ahead(table, key)


def posted_atomics(table, key, _cores):
    if key.name == "fetch_add_posted":
        alone = table.median(replace(key, name="fetch_add_alone"))
        yield Verdict(key, ">= 8 x as many as one at a time", quotient(alone, table.median(key)), 8, True)


def busy_target(table, key, _cores):
    if key.name.endswith("_busy"):
        idle = table.median(replace(key, name=key.name.removesuffix("_busy") + "_idle"))
        yield Verdict(key, "<= 2 x idle target", quotient(table.median(key), idle), 2)


def armci(table, key, _cores):
    """Accumulates and patches, once they are large enough for bandwidth to count."""
    if key.name in ("armci_acc", "armci_patch_acc", "armci_patch_put") and key.size >= 32 << 10 and table.mpis():
        yield Verdict(key, ">= 1.5 x the packaged ARMCI", quotient(table.best_of_peers(key), table.median(key)), 1.5, True)


RULES = (put_notify, bandwidth, rate, posted_atomics, busy_target, armci)

# The limit that a measurement is shown beside: the one that its target is judged by.
LIMIT_OF = {"put_notify": "tcp_ping_pong", **dict.fromkeys(("put_bandwidth", "get_bandwidth", "put_stream", "get_stream"), "tcp_stream")}


def limit_key(table, key):
    """Key of the limit that belongs to Polder's `key`, or None."""
    return raw_key(table, LIMIT_OF[key.name], key.size) if key.name in LIMIT_OF else None
