#!/usr/bin/env python3
"""Orders of units for the 3-D stencil of Idrees, Fuchs, Glass 2016, on models of machines, beside Scotch's static mapping.

    bench/mapping.py [--polder PATH] [--quick] [--draws N]

Prints, as the tables of docs/guide/mapping.md: hop-bytes, bytes over the busiest cable, and the simulated time of a step in which
each unit puts 1 B to 2 MB to its six neighbours, for the launcher's order (which is that of MPI_Cart_create too: Open MPI and MPICH
number a grid row-major and do not reorder), a random one, `polder topology`'s, and Scotch's where scotch_gmap is installed (Debian's
package scotch). Scotch maps to the nodes, by hops between them; inside a node its units follow the grid. About a minute.
"""

import argparse
import collections
import csv
import io
import itertools
import math
import os
import random
import shutil
import subprocess
import tempfile

SIZES = [1, 1 << 10, 1 << 16, 1 << 21]
GRID = (24, 24, 16)
PER_NODE = 24
PUT_US, CABLE_US = 0.6, 0.1  # of the model of polder topology --bytes
# Name, words of the machine, what Scotch calls the whole of it, how many nodes wide each level of its network is, and for each level how many
# cables a put takes more, at least, to another branch of it.
MACHINES = [
    ("Aries, 384 nodes in blocks", ["--model", "aries", "--machine", "7712"], "tleaf 4 21 7 6 4 16 3 4 2", (21, 6, 16, 4), (2, 2, 2, 2)),
    ("Aries, one group", ["--model", "aries"], "tleaf 3 6 4 16 3 4 2", (1, 6, 16, 4), (2, 2, 2, 2)),
    ("Fat tree, 432 nodes", ["--model", "fat_tree:12"], "tleaf 3 12 6 6 4 6 2", (12, 6, 6), (2, 2, 2)),
    ("Fat tree, 384 of 1,024 nodes in blocks", ["--model", "fat_tree:16", "--machine", "1024"], "tleaf 3 16 6 8 4 8 2", (16, 8, 8), (2, 2, 2)),
    ("Dragonfly, 384 of 1,056 nodes in blocks", ["--model", "dragonfly:33x8x4", "--machine", "1056"], "tleaf 3 33 5 8 3 4 2", (33, 8, 4), (0, 1, 2)),
    ("Torus 8 x 8 x 6", ["--model", "torus:8x8x6"], "torus3D 6 8 8", (8, 8, 6), (0, 0, 1)),
    ("Torus 12 x 8 x 8, half of it in blocks", ["--model", "torus:12x8x8", "--machine", "768"], "torus3D 8 8 12", (12, 8, 8), (0, 0, 1)),
]


def neighbours(place):
    x, y, z = place // (GRID[1] * GRID[2]), place // GRID[2] % GRID[1], place % GRID[2]
    for d, step in itertools.product(range(3), (-1, 1)):
        at = [x, y, z]
        at[d] += step
        if 0 <= at[d] < GRID[d]:
            yield (at[0] * GRID[1] + at[1]) * GRID[2] + at[2]


def nodes_of(polder, machine, extents):
    """Numbers of the job's nodes in the whole machine, in the order of units."""
    lines = run(polder, machine, ["--coordinates"]).splitlines()[1:]
    nodes = []
    for line in lines[::PER_NODE]:
        number = 0
        for extent, at in zip(extents, map(int, line.split(","))):
            number = number * extent + at
        nodes.append(number)
    return nodes


def least_step(polder, machine, cables):
    """us: no order of units takes less for a step of one byte. docs/design/mapping.md has the proofs."""
    coordinates = [line.split(",") for line in run(polder, machine, ["--coordinates"]).splitlines()[1:]]
    rooms = [sorted(collections.Counter(tuple(at[:level + 1]) for at in coordinates).values(), reverse=True) for level in range(len(cables))]
    return 6 * PUT_US + CABLE_US * max(cables_on_average(rooms, cables), cables_at_an_edge(rooms, cables))


INNER = [extent - 2 for extent in GRID]  # places with six neighbours


def cables_on_average(rooms, cables):
    """Of the inner places one sends over as many: what branches can hold is bounded by their surface."""
    places = math.prod(INNER)
    pairs = sum(places // extent * (extent - 1) for extent in INNER)
    sent = 0.0  # over cables, by all inner places to inner ones
    for branches, more in zip(rooms, cables):
        left, inside = places, 0.0
        for room in branches:
            taken = min(room, left)
            inside += 3 * (room - room ** (2 / 3)) * taken / room
            left -= taken
        sent += more * 2 * max(0.0, pairs - inside)
    unit = 2 if min(cables) == 2 else 1  # ways in a tree are even
    return unit * math.ceil(sent / places / unit)


def cables_at_an_edge(rooms, cables):
    """An inner place has two neighbours outside of its branch, unless branches that can hold two planes of inner places hold all of these."""
    planes = 2 * math.prod(INNER) // max(INNER)
    return max(2 * sum(cables[level:]) if sum(room for room in branches if room >= planes) < math.prod(INNER) else 0
               for level, branches in enumerate(rooms))


def scotch_order(target, extents, taken, folder):
    """The order that puts on each node the places that Scotch gives it; those too many for a node go where there is room."""
    places = GRID[0] * GRID[1] * GRID[2]
    around = [list(neighbours(place)) for place in range(places)]
    source, machine, mapping = (os.path.join(folder, name) for name in ("grid.grf", "machine.tgt", "result.map"))
    with open(source, "w", encoding="ascii") as file:
        file.write(f"0\n{places} {sum(map(len, around))}\n0 000\n")
        file.writelines(f"{len(near)} {' '.join(map(str, near))}\n" for near in around)
    with open(machine, "w", encoding="ascii") as file:
        whole = len(taken) == math.prod(extents)
        file.write(target if whole else f"sub {len(taken)} {' '.join(map(str, taken))} {target}")
    subprocess.run(["scotch_gmap", "-b0", source, machine, mapping], check=True, capture_output=True)
    nodes = places // PER_NODE
    free = [list(range(node * PER_NODE, (node + 1) * PER_NODE))[::-1] for node in range(nodes)]
    order, left = [None] * places, []
    with open(mapping, encoding="ascii") as file:
        for place, node in (map(int, line.split()) for line in file.readlines()[1:]):
            if free[node]:
                order[place] = free[node].pop()
            else:
                left.append(place)
    rest = [unit for units in free for unit in units]
    for place, unit in zip(left, rest):
        order[place] = unit
    return order


def shuffle_switches(polder, machine, levels, draws, folder):
    """Files of mapped orders in which the nodes of each innermost switch have changed places: hop-bytes are the same."""
    coordinates = [line.split(",") for line in run(polder, machine, ["--coordinates"]).splitlines()[1:]]
    switches = collections.defaultdict(list)
    for node in range(len(coordinates) // PER_NODE):
        switches[tuple(coordinates[node * PER_NODE][:levels - 1])].append(node)
    order = [int(unit) for unit in run(polder, machine, ["--order"]).split()]
    chance = random.Random(1)
    for draw in range(draws):
        moved = {}
        for nodes in switches.values():
            moved.update(zip(nodes, chance.sample(nodes, len(nodes))))
        path = os.path.join(folder, f"draw{draw}")
        with open(path, "w", encoding="ascii") as file:
            file.writelines(f"{moved[unit // PER_NODE] * PER_NODE + unit % PER_NODE}\n" for unit in order)
        yield path


def print_draws(polder, name, machine, levels, draws):
    with tempfile.TemporaryDirectory() as folder:
        size = SIZES[2]
        rows = measure(polder, machine, ["--compare", ",".join(shuffle_switches(polder, machine, levels, draws, folder))], [size])
    us = {row["order"]: float(row[f"us_{size}"]) for row in rows}
    drawn = [time for order, time in us.items() if order.startswith("draw")]
    print(f"{name}, {size} B: launcher {us['launcher']:.0f} us, mapped {us['mapped']:.0f}, nodes of each switch in {draws} other orders "
          f"{min(drawn):.0f} to {max(drawn):.0f}")


def run(polder, machine, words):
    command = [polder, "topology", *machine, "--nodes", "384", "--per-node", str(PER_NODE), "--grid", "x".join(map(str, GRID)), *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def measure(polder, machine, compare, sizes):
    return list(csv.DictReader(io.StringIO(run(polder, machine, ["--csv", "--bytes", ",".join(map(str, sizes)), *compare]))))


def print_table(name, rows, sizes):
    print(f"\n**{name}**\n\n| order | hop-bytes | busiest cable | between nodes | s |"
          + "".join(f" us, {size} B |" for size in sizes) + "\n" + "|---" * (5 + len(sizes)) + "|")
    for row in rows:
        print(f"| {row['order']} | {float(row['hop_bytes']):.0f} | {float(row['busiest']):.1f} | {float(row['between_nodes']):.0f} | "
              f"{row['seconds']} |" + "".join(f" {float(row[f'us_{size}']):.1f} |" for size in sizes))
    launcher, mapped = (next(row for row in rows if row["order"] == name) for name in ("launcher", "mapped"))
    gains = [float(launcher[key]) / float(mapped[key]) for key in ["hop_bytes"] + [f"us_{size}" for size in sizes]]
    print(f"\nLauncher's over mapped: hop-bytes {gains[0]:.2f} x, time " + ", ".join(f"{gain:.2f} x" for gain in gains[1:]) + ".")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--polder", default=os.path.join(os.path.dirname(__file__), "..", "build", "dev", "bin", "polder"))
    parser.add_argument("--quick", action="store_true", help="the smallest size only")
    parser.add_argument("--draws", type=int, default=0, metavar="N", help="only this: fat trees with the nodes of each switch in N other orders")
    words = parser.parse_args()
    if words.draws:
        for name, machine, _, extents, _ in MACHINES:
            if name.startswith("Fat tree"):
                print_draws(words.polder, name, machine, len(extents), words.draws)
        return
    sizes = SIZES[:1] if words.quick else SIZES
    for name, machine, target, extents, cables in MACHINES:
        with tempfile.TemporaryDirectory() as folder:
            compare = []
            if shutil.which("scotch_gmap"):
                path = os.path.join(folder, "scotch")
                with open(path, "w", encoding="ascii") as file:
                    file.writelines(f"{unit}\n" for unit in scotch_order(target, extents, nodes_of(words.polder, machine, extents), folder))
                compare = ["--compare", path]
            rows = measure(words.polder, machine, compare, sizes)
            print_table(name, rows, sizes)
            least, launcher = least_step(words.polder, machine, cables), float(next(row for row in rows if row["order"] == "launcher")["us_1"])
            print(f"At 1 B no order takes less than {least:.1f} us: the launcher's over that {launcher / least:.2f} x.")
    large = measure_large(words.polder)
    print(f"\n100,000 units on 4,167 nodes of Aries in blocks: mapped in {large['seconds']} s.")


def measure_large(polder):
    command = [polder, "topology", "--model", "aries", "--nodes", "4167", "--machine", "7712", "--units", "100000", "--grid", "50x50x40",
               "--csv"]
    rows = csv.DictReader(io.StringIO(subprocess.run(command, check=True, capture_output=True, text=True).stdout))
    return next(row for row in rows if row["order"] == "mapped")


if __name__ == "__main__":
    main()
