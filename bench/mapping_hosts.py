#!/usr/bin/env python3
"""The step of the 3-D stencil between hosts with unequal links, in the launcher's order of ranks and mapped.

    bench/mapping_hosts.py --programs build/release/libexec/polder [--hosts 4] [--per-host 4] [--near 1gbit] [--far 50mbit] [--quick]

tools/testnet makes the hosts. They stand in two racks, and the launcher gives them in turn, one of each: what a host sends inside its rack
goes at `near`, what it sends to the other rack at `far`, both for all ranks of the host together (tc's htb). POLDER_PLACE tells each rank
its rack. Open MPI's mpirun starts bench-mapping over UCX. About a minute; needs root, Open MPI and tc, and says so.
"""

import argparse
import json
import os
import shutil
import statistics
import sys

FOLDER = os.path.dirname(os.path.realpath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(FOLDER, "driver"))

from polder_bench.testnet import CANNOT, Hosts, Refusal  # noqa: E402

RACKS = 2


def shape(hosts, near, far):
    """What leaves a host is near unless its address is that of the other rack."""
    for host in range(hosts.count):
        lines = ["qdisc add dev eth0 root handle 1: htb default 1 r2q 100",
                 f"class add dev eth0 parent 1: classid 1:1 htb rate {near} burst 256kb",
                 f"class add dev eth0 parent 1: classid 1:2 htb rate {far} burst 64kb"]
        lines += [f"filter add dev eth0 parent 1: protocol ip u32 match ip dst 10.77.0.{other + 1}/32 flowid 1:2"
                  for other in range(hosts.count) if other % RACKS != host % RACKS]
        hosts.shape(host, lines)


def mpirun(hosts, words):
    command = ["mpirun.openmpi", "--allow-run-as-root", "--bind-to", "none", "--mca", "plm_rsh_agent", hosts.agent]
    for host in range(hosts.count):
        command += [] if host == 0 else [":"]
        command += ["--host", f"h{host}:{words.per_host}", "-n", str(words.per_host), "-x", f"POLDER_PLACE=rack{host % RACKS}",
                    "-x", f"POLDER_DEVICE={words.device}", os.path.join(os.path.realpath(words.programs), "bench-mapping"), "step"]
        command += ["--quick"] if words.quick else ["--sample-ms", "100"]
    return hosts.run(0, *command)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", default=os.path.join(FOLDER, "..", "build", "release", "libexec", "polder"))
    parser.add_argument("--hosts", type=int, default=4)
    parser.add_argument("--per-host", type=int, default=4)
    parser.add_argument("--near", default="1gbit", help="as tc writes it (default: %(default)s)")
    parser.add_argument("--far", default="50mbit", help="likewise (default: %(default)s)")
    parser.add_argument("--device", default="ucx")
    parser.add_argument("--quick", action="store_true", help="a few steps of each")
    words = parser.parse_args()
    if shutil.which("mpirun.openmpi") is None:
        raise Refusal("mpirun.openmpi is not installed; `tools/setup hosts` does that", CANNOT)
    testnet = os.path.join(FOLDER, "..", "tools", "testnet")
    with Hosts(testnet, words.hosts, os.path.realpath(words.programs)) as hosts:
        shape(hosts, words.near, words.far)
        done = mpirun(hosts, words)
    print(done.stderr.strip())
    us = {}
    for line in filter(None, done.stdout.splitlines()):
        found = json.loads(line)
        us.setdefault(found["size"], {})[found["name"]] = statistics.median(found["ns"]) / 1000
    print(f"{words.hosts} hosts of {words.per_host} ranks, {RACKS} racks, {words.near} inside, {words.far} between\n\n"
          "|   bytes |  us, launcher |    us, mapped |     x |\n|---|---|---|---|")
    for size, row in us.items():
        launcher, mapped = row["step_launcher"], row["step_mapped"]
        print(f"| {size:7} | {launcher:13.1f} | {mapped:13.1f} | {launcher / mapped:5.2f} |")


if __name__ == "__main__":
    try:
        main()
    except Refusal as refusal:
        print(f"mapping_hosts: {refusal}", file=sys.stderr)
        sys.exit(refusal.code)
