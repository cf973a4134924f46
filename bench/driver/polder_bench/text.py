"""The result as a table for a person: on the terminal and in bench/results/README.md."""

from polder_bench.targets import limit_key, limit_of, quotient

BANDWIDTHS = ("put_bandwidth", "get_bandwidth", "put_stream", "get_stream", "tcp_stream", "tcp_stream_polling", "memcpy", "memcpy_behind", "memcpy_there",
              "memcpy_back", "outward_write", "outward_read", "outward_write_past_cache", "outward_read_past_cache", "stream",
              "accumulate", "accumulate_axpy")


# Their size is how many allocations are alive.
COUNTED = ("fence_all", "fence_rank", "fence_segment", "armci_all_fence")


def time_text(ns):
    for unit, scale in (("ns", 1), ("us", 1e3), ("ms", 1e6)):
        if ns < 1000 * scale:
            return f"{ns / scale:.3g} {unit}"
    return f"{ns / 1e9:.3g} s"


def size_text(size):
    for unit, scale in (("MB", 1 << 20), ("kB", 1 << 10)):
        if size >= scale and size % scale == 0:
            return f"{size // scale} {unit}"
    return f"{size} B" if size else ""


def extent_text(key):
    """The size of a measurement, which is bytes of most of them."""
    return str(key.size) if key.name in COUNTED else size_text(key.size)


def value_text(key, ns):
    """In the unit that people think in for this kind of measurement."""
    if ns is None:
        return "-"
    if key.name in BANDWIDTHS and key.size >= 64 << 10:
        return f"{key.size / ns:.3g} GB/s"
    if key.name in ("rate", "gaspi_rate"):
        return f"{1e3 / ns:.3g} M/s"
    return time_text(ns)


def name_text(key):
    return key.name + (f", {key.threads} threads" if key.threads > 1 else "") + (", busy machine" if key.hogs else "")


def rows(table, verdicts):
    """Lists of cells, the head first. One row per measurement of Polder and one per target; limits by themselves at the end."""
    peers = table.peers()
    yield ["benchmark", "size", "ranks", "polder", *peers, "limit", "ratio", "target", ""]
    by_key = {}
    for verdict in verdicts:
        by_key.setdefault(verdict.key, []).append(verdict)
    for key in table.experiments():
        yield from experiment_rows(table, key, peers, by_key.get(key, []))
    shown = {limit_key(table, key) for key in table.experiments()}
    for key, summary in table:
        if key.impl == "limit" and key not in shown:
            yield [key.name, extent_text(key), str(key.ranks), *["-"] * (len(peers) + 1), value_text(key, summary.median), "", "", ""]


def experiment_rows(table, key, peers, verdicts):
    own, limit = table.median(key), limit_of(table, key)
    bests = [table.best(key, peer) for peer in peers]
    cells = [name_text(key), extent_text(key), str(key.ranks), value_text(key, own)]
    cells += [value_text(key, best and best[0]) for best in bests] + [value_text(key, limit)]
    if not verdicts:
        ratio = quotient(own, limit)
        yield [*cells, f"{ratio:.2f}" if ratio else "", "", ""]
    for index, verdict in enumerate(verdicts):
        lead = cells if index == 0 else [""] * len(cells)
        yield [*lead, f"{verdict.ratio:.2f}" if verdict.ratio is not None else "-", verdict.target, verdict.text()]


def terminal_table(lines):
    lines = list(lines)
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    out = []
    for number, line in enumerate(lines):
        cells = [c.ljust(w) if i in (0, len(line) - 2, len(line) - 1) else c.rjust(w) for i, (c, w) in enumerate(zip(line, widths))]
        out.append("  ".join(cells).rstrip())
        if number == 0:
            out.append("-" * len(out[0]))
    return "\n".join(out)


def markdown_table(lines):
    lines = list(lines)
    head, rest = lines[0], lines[1:]
    rule = ["---" if i in (0, len(head) - 2, len(head) - 1) else "---:" for i in range(len(head))]
    return "\n".join("| " + " | ".join(line) + " |" for line in [head, rule, *rest])


def machine_text(machine):
    mpis = ", ".join(f"{name} {version}" for name, version in machine["mpi"].items()) or "none"
    return (f"{machine['cpu']}, {machine['cores']} cores, {machine['memory_gib']} GiB, kernel {machine['kernel']}, "
            f"governor {machine['governor']}, virtualisation {machine['virtualisation']}; {machine['compiler']}, "
            f"{machine['build_type']}, commit {machine['commit']}; MPI: {mpis}; {machine['date']}")
