"""Runs every benchmark for a moment, with the real programs, and looks at what it wrote."""

import json
import os
import platform
import subprocess
import tempfile
import unittest

from polder_bench.catalogue import CATALOGUE

PROGRAM = os.environ.get("POLDER_BENCH", "")

# What has to be measured: by Polder, and by bench-limits.
POLDER = {
    "limits": set(),
    "latency": {"put_notify", "put", "put_flush", "get"},
    "bandwidth": {"put_bandwidth", "get_bandwidth"},
    "rate": {"rate"},
    "barrier": {"barrier"},
    "crowd": {"barrier"},
    "step": {"step"},
    "ring": {"ring"},
    "fetch_add": {"fetch_add", "fetch_add_alone", "fetch_add_posted"},
    "accumulate": {"accumulate", "accumulate_axpy"},
    "patches": {"patch_put", "patch_get", "patch_accumulate", "patch_put_self", "patch_get_self", "patch_accumulate_self"},
    "one_core": {"one_core"},
    "fences": {"fence_all", "fence_rank", "fence_segment"},
    "ordering": {prefix + name for prefix in ("", "sim_")
                 for name in ("get_partial", "get_strict", "get_strict_elsewhere", "get_partial_accumulated", "get_strict_accumulated")},
    "mutex": {"mutex", "mutex_contended"},
    "fan_in": {"fan_in"},
    "allreduce": {"allreduce"},
    "collectives": {"coll_barrier"} | {f"coll_{kind}{where}" for where in ("", "_segment")
                                       for kind in ("bcast", "reduce", "allreduce", "reduce_scatter", "allgather", "gather", "scatter", "alltoall",
                                                    "scan", "exscan", "neighbours")},
    "eventual": {f"eventual_{kind}{share}" for kind in ("bcast_data", "reduce_data", "reduce_members") for share in (25, 50, 75, 100)},
    "forms": {"form_blocking", "form_persistent", "form_nonblocking", "form_beside_pause", "form_beside_work"},
    "stale": {"stale_consistent", "stale_consistent_added", "stale_hypercube", "stale_flat", "stale_sharded"},
    "gaspi": {"gaspi_write_notify", "cpp_put_notify", "gaspi_waitsome", "gaspi_rate", "gaspi_barrier", "gaspi_allreduce"},
    "dart": {side + call for side in ("dart_", "cpp_") for call in ("put_blocking", "get_blocking", "put_flush", "put_handle", "get_handle", "fetch_and_add")},
    "armci": {"armci_put", "armci_get", "armci_acc", "armci_patch_put", "armci_patch_get", "armci_patch_acc", "armci_all_fence",
              "armci_fetch_add", "armci_barrier", "armci_dgop", "armci_temporary"},
    "startup": {"startup"},
    "launch": {"launch"},
}
if not any(os.access(os.path.join(os.path.dirname(PROGRAM), f"bench-armci-{mpi}"), os.X_OK) for mpi in ("openmpi", "mpich")):
    POLDER["armci"] = set()  # there is no MPI here
LIMITS = {"fetch_add", "store", "memcpy", "memcpy_behind", "stream", "futex_same_core", "yield_same_core", "turns"}
if len(os.sched_getaffinity(0)) > 1:
    LIMITS |= {"handover", "futex_other_core", "outward_write", "outward_read"}
    if platform.machine() in ("x86_64", "AMD64"):
        LIMITS |= {"outward_write_past_cache", "outward_read_past_cache"}


def bench(*arguments):
    """(exit code, output, result file's document or None)."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "result.json")
        done = subprocess.run([PROGRAM, *arguments, "--json", path], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=400, check=False)
        if not os.path.exists(path):
            return done.returncode, done.stdout, None
        with open(path, encoding="utf-8") as file:
            return done.returncode, done.stdout, json.load(file)


def names(document, impl):
    return {one["name"] for one in document["measurements"] if one["impl"] == impl}


class Quick(unittest.TestCase):
    def check(self, code, output, document):
        self.assertEqual(code, 0, output)
        self.assertEqual(document["failures"], [])
        self.assertGreater(document["machine"]["cores"], 0)
        for one in document["measurements"]:
            # What is left of a collective beside other work may be nothing.
            self.assertGreater(one["ns"], -1 if one["name"].startswith("form_beside") else 0, one)
            self.assertLess(one["ns"], 60e9, one)
            self.assertLessEqual(one["low"], one["high"], one)

    def test_every_benchmark_has_an_expectation(self):
        self.assertEqual({benchmark.name for benchmark in CATALOGUE}, set(POLDER))

    def test_each_benchmark(self):
        for name, expected in POLDER.items():
            with self.subTest(name):
                code, output, document = bench(name, "--quick", "--against", "none")
                self.check(code, output, document)
                self.assertEqual(names(document, "polder"), expected)

    def test_limits(self):
        code, output, document = bench("limits", "--quick")
        self.check(code, output, document)
        self.assertEqual(names(document, "limit"), LIMITS)

    def test_ranks_can_be_chosen(self):
        code, output, document = bench("ring", "--quick", "--ranks", "3,5", "--against", "none")
        self.check(code, output, document)
        self.assertEqual({one["ranks"] for one in document["measurements"] if one["name"] == "ring"}, {3, 5})

    def test_peers_measure_the_same(self):
        code, output, document = bench("ring", "barrier", "--quick")
        self.check(code, output, document)
        for peer in document["machine"]["mpi"]:
            self.assertEqual(names(document, peer), {"ring", "barrier"}, output)


class Refusals(unittest.TestCase):
    def test_unknown_words(self):
        for arguments, word in ((["nonsense"], "nonsense"), (["ring", "--against", "lam"], "lam"), (["ring", "--ranks", "2,x"], "2,x"),
                                (["ring", "--ranks", "0"], "0"), ([], "NAME")):
            with self.subTest(arguments):
                code, output, document = bench(*arguments)
                self.assertNotEqual(code, 0)
                self.assertIn(word, output)
                self.assertIsNone(document)

    def test_a_launcher_that_is_not_there(self):
        code, output, _ = bench("ring", "--quick", "--polder", "/no/such/polder")
        self.assertEqual(code, 1)
        self.assertIn("/no/such/polder", output)


if __name__ == "__main__":
    unittest.main()
