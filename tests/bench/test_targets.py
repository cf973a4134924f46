import contextlib
import io
import tempfile
import unittest

from polder_bench import terasort
from polder_bench.key import Key
from polder_bench.programs import Programs
from polder_bench.targets import judge, limit_key, limit_of
from polder_bench.turns import Settings
from tables import table


def verdict(made, target, cores=2):
    """The one verdict whose text holds `target`."""
    found = [v for v in judge(made, cores) if target in v.target]
    assert len(found) == 1, found
    return found[0]


class Limits(unittest.TestCase):
    def put_notify(self, own):
        return verdict(table((own, {"name": "put_notify", "ranks": 2, "size": 8}),
                             (60, {"name": "handover", "ranks": 2, "impl": "limit"})), "hand-over")

    def test_within_and_beyond(self):
        self.assertIs(self.put_notify(90).met, True)
        self.assertIs(self.put_notify(91).met, False)

    def test_without_the_limit_nothing_is_said(self):
        self.assertIsNone(verdict(table((90, {"name": "put_notify", "ranks": 2, "size": 8})), "hand-over").met)

    def test_bandwidth_has_to_reach_the_limit_of_its_own_size(self):
        def met(own):
            return verdict(table((own, {"name": "put_bandwidth", "ranks": 2, "size": 65536}),
                                 (1000, {"name": "memcpy_there", "ranks": 2, "size": 65536, "impl": "limit"}),
                                 (1, {"name": "memcpy_there", "ranks": 2, "size": 262144, "impl": "limit"})), "memcpy").met
        self.assertIs(met(1050), True)
        self.assertIs(met(1060), False)

    def test_contended_addition_is_compared_at_the_same_number_of_ranks(self):
        made = table((30, {"name": "fetch_add", "ranks": 4, "size": 8}),
                     (5, {"name": "fetch_add", "ranks": 2, "size": 8, "impl": "limit"}),
                     (25, {"name": "fetch_add", "ranks": 4, "size": 8, "impl": "limit"}))
        self.assertAlmostEqual(verdict(made, "raw atomic").ratio, 1.2)

    def test_startup(self):
        self.assertIs(verdict(table((149e6, {"name": "startup", "ranks": 16})), "150 ms").met, True)
        self.assertIs(verdict(table((151e6, {"name": "startup", "ranks": 16})), "150 ms").met, False)


    def test_forms_stand_beside_the_blocking_call_of_their_size(self):
        def met(target, **own):
            return verdict(table((own.pop("ns"), {"ranks": 2, "size": 4 << 20, **own}),
                                 (1000, {"name": "form_blocking", "ranks": 2, "size": 4 << 20}),
                                 (1, {"name": "form_blocking", "ranks": 2, "size": 8})), target).met
        self.assertIs(met("1.1 x", name="form_persistent", ns=1100), True)
        self.assertIs(met("1.1 x", name="form_persistent", ns=1101), False)
        self.assertIs(met("hidden", name="form_beside_pause", ns=100), True)
        self.assertIs(met("hidden", name="form_beside_pause", ns=101), False)

    def test_a_stale_allreduce_without_slack_stands_beside_an_allreduce_and_an_addition(self):
        def met(own):
            return verdict(table((own, {"name": "stale_flat", "ranks": 4, "size": 4096}),
                                 (1000, {"name": "stale_consistent_added", "ranks": 4, "size": 4096}),
                                 (500, {"name": "stale_consistent", "ranks": 4, "size": 4096}),
                                 (1, {"name": "stale_consistent_added", "ranks": 2, "size": 4096})), "an addition").met
        self.assertIs(met(1100), True)
        self.assertIs(met(1101), False)


class Network(unittest.TestCase):
    """Between hosts, which the raw TCP measurements in the table tell."""

    RAW = ((20e3, {"name": "tcp_ping_pong", "ranks": 2, "size": 8, "impl": "limit"}),
           (10e3, {"name": "tcp_ping_pong_polling", "ranks": 2, "size": 8, "impl": "limit"}),
           (1.5e6, {"name": "tcp_stream", "ranks": 2, "size": 1 << 20, "impl": "limit"}),
           (1e6, {"name": "tcp_stream_polling", "ranks": 2, "size": 1 << 20, "impl": "limit"}))

    def met(self, target, ns, *others, **fields):
        return verdict(table(*self.RAW, (ns, {"ranks": 2, **fields}), *others), target).met

    def test_the_better_way_of_waiting_counts(self):
        self.assertIs(self.met("1.25", 12.5e3, name="put_notify", size=8), True)
        self.assertIs(self.met("1.25", 12.6e3, name="put_notify", size=8), False)

    def test_what_is_shown_beside_is_what_is_judged_by(self):
        key = Key("put_notify", 2, 8)
        made = table(*self.RAW, (12e3, {"name": "put_notify", "ranks": 2, "size": 8}))
        self.assertEqual(limit_key(made, key).name, "tcp_ping_pong_polling")
        self.assertEqual(limit_of(made, key), 10e3)
        self.assertAlmostEqual(verdict(made, "1.25").ratio, 1.2)
        sleeping = table(self.RAW[0], (12e3, {"name": "put_notify", "ranks": 2, "size": 8}))
        self.assertEqual(limit_of(sleeping, key), 20e3)
        self.assertIsNone(limit_of(table(self.RAW[2]), key))

    def test_bandwidth(self):
        self.assertIs(self.met("0.9", 1.1e6, name="get_stream", size=1 << 20), True)
        self.assertIs(self.met("0.9", 1.2e6, name="put_stream", size=1 << 20), False)

    def test_rate_of_four_threads_is_compared_with_the_peers(self):
        fields = {"name": "rate", "size": 8, "threads": 4}
        peer = (500, {"ranks": 2, "impl": "mpich", **fields})
        self.assertIs(self.met("ahead", 400, peer, **fields), True)
        self.assertIs(self.met("ahead", 600, peer, **fields), False)

    def test_posted_atomics_are_compared_with_one_at_a_time(self):
        alone = (24e3, {"name": "fetch_add_alone", "ranks": 2, "size": 8})
        self.assertIs(self.met("8 x", 3e3, alone, name="fetch_add_posted", size=8), True)
        self.assertIs(self.met("8 x", 3.1e3, alone, name="fetch_add_posted", size=8), False)

    def test_bandwidth_of_armci_is_compared_with_the_packaged_one(self):
        fields = {"name": "armci_patch_acc", "size": 32 << 10}
        peers = [(300, {"ranks": 2, "impl": "mpich", **fields}), (400, {"ranks": 2, "impl": "openmpi", **fields})]
        self.assertIs(self.met("packaged", 200, *peers, **fields), True)
        self.assertIs(self.met("packaged", 201, *peers, **fields), False)

    def test_busy_targets_are_compared_with_idle_ones(self):
        idle = (10e3, {"name": "get_idle", "ranks": 2, "size": 8})
        self.assertIs(self.met("idle", 20e3, idle, name="get_busy", size=8), True)
        self.assertIs(self.met("idle", 21e3, idle, name="get_busy", size=8), False)

    def test_targets_of_one_machine_are_left_out(self):
        made = table(*self.RAW, (9e3, {"name": "put_notify", "ranks": 2, "size": 8}))
        self.assertFalse([v for v in judge(made, 2) if "hand-over" in v.target])


class Peers(unittest.TestCase):
    def barrier(self, own, openmpi, mpich, **fields):
        same = {"name": "barrier", "ranks": 2, **fields}
        return table((own, same), (openmpi, {**same, "impl": "openmpi", "setting": "default"}),
                     (mpich, {**same, "impl": "mpich", "setting": "default"}))

    def test_ahead_means_of_both(self):
        self.assertIs(verdict(self.barrier(100, 150, 300), "ahead").met, True)
        self.assertIs(verdict(self.barrier(200, 150, 300), "ahead").met, False)

    def test_the_best_setting_of_a_peer_counts(self):
        made = self.barrier(100, 150, 300)
        made.add(Key("barrier", 2, impl="openmpi", setting="yield"), made.summaries[Key("barrier", 2)])
        self.assertEqual(made.best(Key("barrier", 2), "openmpi"), (100, "yield"))
        self.assertAlmostEqual(verdict(made, "ahead").ratio, 1)

    def test_a_busy_machine_asks_for_ten_times(self):
        self.assertIs(verdict(self.barrier(100, 1000, 3000, hogs=True), "10 x").met, True)
        self.assertIs(verdict(self.barrier(100, 999, 3000, hogs=True), "10 x").met, False)
        self.assertFalse([v for v in judge(self.barrier(1, 2, 3, hogs=True), 2) if "ahead" in v.target])

    def test_put_is_held_against_open_mpi_only(self):
        same = {"name": "put", "ranks": 2, "size": 8}
        made = table((20, same), (10, {**same, "impl": "openmpi"}), (1, {**same, "impl": "mpich"}))
        self.assertAlmostEqual(verdict(made, "Open MPI").ratio, 2)

    def test_no_peers_no_comparison(self):
        self.assertFalse(judge(table((1, {"name": "ring", "ranks": 2, "size": 8})), 2))


class CrowdedBarrier(unittest.TestCase):
    def made(self, own):
        return table((own, {"name": "barrier", "ranks": 8}), (2000, {"name": "yield_same_core", "ranks": 2, "impl": "limit"}),
                     (1500, {"name": "futex_same_core", "ranks": 2, "impl": "limit"}))

    def test_cheaper_handover_times_ranks_per_core(self):
        self.assertIs(verdict(self.made(3 * 4 * 1500), "core hand-over").met, True)
        self.assertIs(verdict(self.made(3 * 4 * 1500 + 1), "core hand-over").met, False)

    def test_only_where_ranks_outnumber_cores(self):
        self.assertFalse([v for v in judge(self.made(1), 8) if "core hand-over" in v.target])


class Terasort(unittest.TestCase):
    def test_its_ratios_are_judged_like_the_rest(self):
        ratios = {"shuffle": {"times": 1.4, "goal": 1.5, "of": "MPI"}, "total": {"times": 3, "goal": 3, "of": "GNU sort"}}
        found = list(terasort.verdicts({"terasort": {"ranks": 4, "ratios": ratios}}))
        self.assertEqual([(v.target, v.met) for v in found], [("shuffle >= 1.5 x MPI", False), ("total >= 3 x GNU sort", True)])
        self.assertEqual(list(terasort.verdicts({})), [])

    def test_a_program_that_fails_takes_only_its_own_result_along(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(terasort.program(folder), "w", encoding="ascii") as file:
                file.write("import json, sys\n"
                           "with open(sys.argv[sys.argv.index('--json') + 1], 'w') as file:\n"
                           "    json.dump({'ranks': 4, 'failures': ['mpirun: exit code 9']}, file)\n"
                           "print('the table')\n"
                           "sys.exit(1)\n")
            failures = []
            with contextlib.redirect_stdout(io.StringIO()):
                found = terasort.measure(Programs(folder, "/polder", against=()), Settings(), failures)
        self.assertEqual((found["terasort"]["ranks"], found["terasort_table"]), (4, "the table\n"))
        self.assertEqual(failures, ["terasort, mpirun: exit code 9"])


class Armci(unittest.TestCase):
    """The interface against the better of the packaged ones, and against the machine."""

    def met(self, name, own, target, size=4096, ranks=4):
        return verdict(table((own, {"name": name, "ranks": ranks, "size": size}),
                             (900, {"name": name, "ranks": ranks, "size": size, "impl": "openmpi"}),
                             (1000, {"name": name, "ranks": ranks, "size": size, "impl": "mpich"}),
                             (90, {"name": "memcpy", "ranks": 1, "size": size, "impl": "limit"})), target).met

    def test_against_the_packaged_one(self):
        for name, times in (("armci_put", 1), ("armci_acc", 2), ("armci_patch_get", 2), ("armci_patch_acc", 3),
                            ("armci_all_fence", 10), ("armci_fetch_add", 3), ("armci_temporary", 1)):
            with self.subTest(name):
                self.assertIs(self.met(name, 900 / times - 1, "packaged"), True)
                self.assertIs(self.met(name, 900 / times + 1, "packaged"), False)

    def test_bandwidth_of_large_blocks(self):
        self.assertIs(self.met("armci_put", 94, "memcpy", 1 << 20), True)
        self.assertIs(self.met("armci_put", 96, "memcpy", 1 << 20), False)


class Dart(unittest.TestCase):
    """Each call of the interface against the C++ call below it."""

    def test_a_call_is_what_it_costs_beyond_the_one_below(self):
        def met(own):
            return verdict(table((own, {"name": "dart_put_flush", "ranks": 2, "size": 8}),
                                 (18, {"name": "cpp_put_flush", "ranks": 2, "size": 8})), "20 ns").met
        self.assertIs(met(38), True)
        self.assertIs(met(39), False)


class Gaspi(unittest.TestCase):
    """The interface against the C++ call below it, against one thread, and against MPI."""

    def test_the_door_is_what_it_costs_beyond_the_call(self):
        def met(own):
            return verdict(table((own, {"name": "gaspi_write_notify", "ranks": 2, "size": 8}),
                                 (40, {"name": "cpp_put_notify", "ranks": 2, "size": 8})), "30 ns").met
        self.assertIs(met(70), True)
        self.assertIs(met(71), False)

    def test_waitsome(self):
        self.assertIs(verdict(table((9e3, {"name": "gaspi_waitsome", "size": 262144})), "10 us").met, True)
        self.assertIs(verdict(table((11e3, {"name": "gaspi_waitsome", "size": 262144})), "10 us").met, False)

    def test_many_threads_against_one(self):
        def met(own):
            return verdict(table((50, {"name": "gaspi_rate", "ranks": 2, "size": 8}),
                                 (own, {"name": "gaspi_rate", "ranks": 2, "size": 8, "threads": 16})), "one thread").met
        self.assertIs(met(100), True)
        self.assertIs(met(101), False)

    def test_ahead_of_the_better_mpi(self):
        def one(name, own, target, **fields):
            return verdict(table((own, {"name": name, "ranks": 4, **fields}),
                                 (1000, {"name": name, "ranks": 4, "impl": "mpich", **fields}),
                                 (900, {"name": name, "ranks": 4, "impl": "openmpi", "setting": "yield", **fields})),
                           target).met
        for name in ("gaspi_barrier", "gaspi_allreduce"):
            self.assertIs(one(name, 899, "ahead"), True)
            self.assertIs(one(name, 901, "ahead"), False)
            self.assertIs(one(name, 90, "10 x", hogs=True), True)
            self.assertIs(one(name, 91, "10 x", hogs=True), False)


if __name__ == "__main__":
    unittest.main()
