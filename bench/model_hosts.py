#!/usr/bin/env python3
"""Collectives between hosts, measured and by the model of `polder simulate`: how far the two are apart.

    bench/model_hosts.py --programs build/release/libexec/polder [--ranks 2,4,8,16] [--sizes 65536,262144,1048576] [--rate 50mbit]

tools/testnet makes as many hosts as there are ranks, and tc (htb) limits what each may send, so that the links and not the two cores of a
small machine decide. The model is told what two of the hosts measure: the time of a notification (L + 2 o) and what a byte more costs (1/G).
Kinds are those where no rank can run ahead of the others, because a sequence of calls is measured, and one is modelled. Some minutes;
needs root and tc, and says so.
"""

import argparse
import csv
import json
import os
import statistics
import sys

FOLDER = os.path.dirname(os.path.realpath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(FOLDER, "driver"))

from polder_bench.hosts import HostPrograms  # noqa: E402
from polder_bench.process import Failure, run  # noqa: E402
from polder_bench.programs import Programs  # noqa: E402
from polder_bench.testnet import Hosts, Refusal  # noqa: E402
from polder_bench.words import positive_count, result_file  # noqa: E402

KINDS = ("allreduce", "reduce_scatter", "allgather", "alltoall", "neighbours")
GOAL = 0.15  # of the measured time
STREAM = (1 << 16, 1 << 20)  # bytes of two notified puts, whose difference is what bytes cost
BURST = "16kb"  # that a host may send at once after a pause: little, or pauses would make links faster


def main():
    options = parse()
    programs = Programs(os.path.realpath(options.programs), options.polder)
    testnet = os.path.join(FOLDER, "..", "tools", "testnet")
    with Hosts(testnet, max(options.ranks), os.path.realpath(options.programs)) as hosts:
        for host in range(hosts.count):
            hosts.shape(host, ["qdisc add dev eth0 root handle 1: htb default 1 r2q 100",
                               f"class add dev eth0 parent 1: classid 1:1 htb rate {options.rate} burst {BURST} cburst {BURST}"])
        bench = Bench(programs, hosts, options)
        network = bench.network()
        cells = [cell for ranks in options.ranks for cell in compare(bench, network, ranks)]
    print(table(options, network, cells))
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"rate": options.rate, "network": network, "cells": cells}, file, indent=1)


def parse():
    def numbers(text):
        return [int(word) for word in text.split(",")]

    parser = argparse.ArgumentParser(prog="bench/model_hosts.py", description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--programs", default=FOLDER, help="the folder of polder-bench")
    parser.add_argument("--polder", default="")
    parser.add_argument("--ranks", type=numbers, default=[2, 4, 8, 16], help="a host each (default: 2,4,8,16)")
    parser.add_argument("--sizes", type=numbers, default=[65536, 262144, 1048576], help="bytes (default: 65536,262144,1048576)")
    parser.add_argument("--kinds", type=lambda text: text.split(","), default=KINDS, help=f"default: {','.join(KINDS)}")
    parser.add_argument("--rate", default="50mbit", help="that a host sends, as tc writes it (default: %(default)s)")
    parser.add_argument("--device", default="ucx")
    parser.add_argument("--sample-ms", type=positive_count, default=100, help="that a sample fills (default: %(default)s)")
    parser.add_argument("--json", type=result_file, help="write the result here")
    return parser.parse_args()


class Bench:
    def __init__(self, programs, hosts, options):
        self.programs, self.hosts, self.options = programs, hosts, options

    def measure(self, ranks, *words):
        """us by name and size."""
        names = [f"h{host}" for host in range(ranks)]
        programs = HostPrograms(self.programs.folder, self.programs.polder, self.options.device, (), names, self.hosts.agent)
        command = programs.micro(ranks, *words, "--sample-ms", str(self.options.sample_ms))
        done = self.hosts.run(0, "env", *(f"{name}={value}" for name, value in command.environment.items()), *command.words)
        found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        return {(line["name"], line["size"]): statistics.median(line["ns"]) / 1000 for line in found}

    def network(self):
        us = self.measure(2, "put_notify", "--sizes", ",".join(map(str, (8, *STREAM))))
        small, large = (us["put_notify", size] for size in STREAM)
        return {"notification_us": us["put_notify", 8], "us_per_byte": (large - small) / (STREAM[1] - STREAM[0])}

    def simulate(self, network, ranks, kind, size):
        """us, and the name of the algorithm."""
        if kind == "allgather":
            size *= ranks  # the model wants all parts
        if kind == "neighbours" and ranks == 2:
            size *= 2  # both sides of a ring are the same neighbour, who gets one letter
        overhead = min(0.3, network["notification_us"] / 4)
        words = [self.programs.polder, "simulate", kind, str(size), "-n", str(ranks), "--csv",
                 "--latency", str(network["notification_us"] - 2 * overhead), "--overhead", str(overhead),
                 "--bandwidth", str(1 / network["us_per_byte"] / 1000)]
        row = next(csv.DictReader(run(words, 120).splitlines()))
        return float(row["us"]), row["algorithm"]


def compare(bench, network, ranks):
    kinds, sizes = bench.options.kinds, bench.options.sizes
    print(f"{ranks} ranks", file=sys.stderr)
    us = bench.measure(ranks, "collectives", "--kinds", ",".join(kinds), "--sizes", ",".join(map(str, sizes)))
    for kind in kinds:
        for size in sizes:
            if (f"coll_{kind}", size) not in us:
                continue  # parts of all ranks together are more than the program has room for
            modelled, algorithm = bench.simulate(network, ranks, kind, size)
            # Over a network it is one whether vectors lie in segments; of both runs the median is better known.
            measured = statistics.median(us[f"coll_{kind}{where}", size] for where in ("", "_segment"))
            yield {"kind": kind, "ranks": ranks, "size": size, "algorithm": algorithm, "measured_us": measured, "model_us": modelled,
                   "ratio": modelled / measured}


def table(options, network, cells):
    lines = [f"hosts that send {options.rate} each; a notification {network['notification_us']:.0f} us, "
             f"{1 / network['us_per_byte']:.2f} MB/s",
             "kind            ranks    bytes  algorithm            measured us     model us  model/measured"]
    for cell in cells:
        missed = "" if abs(cell["ratio"] - 1) <= GOAL else "  NOT met"
        lines.append(f"{cell['kind']:14} {cell['ranks']:6} {cell['size']:8}  {cell['algorithm']:18} {cell['measured_us']:13.1f} "
                     f"{cell['model_us']:12.1f}  {cell['ratio']:14.3f}{missed}")
    within = sum(abs(cell["ratio"] - 1) <= GOAL for cell in cells)
    return "\n".join([*lines, f"{within} of {len(cells)} within {GOAL:.0%}"])


if __name__ == "__main__":
    try:
        main()
    except Refusal as refusal:
        print(f"model_hosts: {refusal}", file=sys.stderr)
        sys.exit(refusal.code)
    except Failure as failure:
        sys.exit(f"model_hosts: {failure}")
