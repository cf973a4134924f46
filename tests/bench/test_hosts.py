"""How programs are started on several hosts."""

import os
import shutil
import subprocess
import tempfile
import unittest

from polder_bench.catalogue import Part
from polder_bench.hosts import NETWORK, HostPrograms
from polder_bench.key import Key, Table
from polder_bench.main import main, parser, what_and_with
from polder_bench.stats import summarise


ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


class RunHosts(unittest.TestCase):
    """bench/run-hosts with a made-up polder-bench, and a testnet that starts it at once."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name
        os.makedirs(os.path.join(self.folder, "bench"))
        shutil.copy(os.path.join(ROOT, "bench", "run-hosts"), os.path.join(self.folder, "bench"))
        self.program("tools/testnet", 'if [ "$1" = exec ]; then shift 2; exec "$@"; fi; while [ "$1" != -- ]; do shift; done; shift; exec "$@"')

    def program(self, path, body):
        path = os.path.join(self.folder, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="ascii") as file:
            file.write(f"#!/bin/bash\n{body}\n")
        os.chmod(path, 0o755)

    def code(self, body):
        self.program("build/libexec/polder/polder-bench", f"echo done; {body}")
        words = [os.path.join(self.folder, "bench", "run-hosts"), os.path.join(self.folder, "build")]
        return subprocess.run(words, env={**os.environ, "TURNS": "2", "UNDER": ""}, capture_output=True, timeout=60, check=False).returncode

    def test_it_ends_with_the_worst_of_its_pieces(self):
        self.assertEqual(self.code("exit 0"), 0)
        self.assertEqual(self.code('[ "$1" != rate ]'), 1)
        self.assertEqual(self.code('[ "$1" != rate ] || exit 3'), 3)


    def test_results_are_kept_where_all_pieces_are_in_them(self):
        calls = os.path.join(self.folder, "calls")
        self.assertEqual(self.code(f'echo "$@" >>{calls}'), 0)
        with open(calls, encoding="ascii") as file:
            lines = file.read().splitlines()
        self.assertEqual([line.split()[0] for line in lines if "--results" in line], ["armci_busy", "armci_busy"])
        self.assertEqual([line.split()[0] for line in lines if "--more" not in line], ["latency"])
        self.assertEqual(len(lines), 18)
        self.assertTrue(all("--raw" in line for line in lines))


class Starting(unittest.TestCase):
    def setUp(self):
        self.programs = HostPrograms("/bench", "", "ucx", ("openmpi", "mpich"), ["n1", "n2"], "/the/agent")

    def assert_in_order(self, words, *wanted):
        """`wanted` stand one behind the other in `words`."""
        places = [i for i in range(len(words)) if tuple(words[i:i + len(wanted)]) == wanted]
        self.assertTrue(places, words)

    def test_polder_gets_its_device_on_every_host(self):
        command = self.programs.micro(2, "put")
        self.assert_in_order(command.words, "-x", "POLDER_DEVICE", "/bench/bench-micro", "put")
        self.assertEqual(command.environment["POLDER_DEVICE"], "ucx")

    def test_ranks_get_the_table_of_their_number(self):
        self.programs.tables[4] = "/shared/table"
        command = self.programs.micro(4, "scan")
        self.assert_in_order(command.words, "-x", "POLDER_COLL_TABLE", "/bench/bench-micro", "scan")
        self.assertEqual(command.environment["POLDER_COLL_TABLE"], "/shared/table")
        self.assertNotIn("POLDER_COLL_TABLE", self.programs.micro(2, "scan").environment)

    def test_ranks_go_to_the_hosts_in_turn_by_the_agent(self):
        words = self.programs.micro(4, "barrier").words
        self.assert_in_order(words, "--map-by", "node", "--host", "n1:4,n2:4", "-n", "4")
        self.assert_in_order(words, "plm_rsh_agent", "/the/agent")

    def test_ranks_of_a_host_follow_each_other_in_blocks(self):
        programs = HostPrograms("/bench", "", "ucx", ("mpich",), ["n1", "n2"], "/the/agent", in_blocks=True)
        for ranks, at_once in ((2, "1"), (4, "2"), (5, "3")):
            self.assert_in_order(programs.micro(ranks, "barrier").words, "--map-by", "slot", "--host", f"n1:{at_once},n2:{at_once}",
                                 "-n", str(ranks))
        self.assert_in_order(programs.mpi("mpich", 2, "barrier")[0].words, "-ppn", "1")

    def test_the_raw_connection_listens_at_the_first_host(self):
        command = self.programs.limit("ping_pong")
        self.assertEqual(command.impl, "limit")
        self.assertTrue(command.environment["BENCH_WIRE_AT"].startswith("n1:"))

    def test_open_mpi_is_tried_in_two_ways(self):
        self.assertEqual([c.setting for c in self.programs.mpi("openmpi", 2, "get")], ["tcp", "ucx"])

    def test_armci_is_started_by_open_mpi_with_polders_device(self):
        with tempfile.TemporaryDirectory() as folder:
            programs = HostPrograms(folder, "", "ucx", ("openmpi",), ["n1", "n2"], "/the/agent")
            self.assertIsNone(programs.door("armci", 2, "patches"))
            program = os.path.join(folder, "bench-armci-openmpi")
            with open(program, "w", encoding="ascii"):
                os.chmod(program, 0o755)
            command = programs.door("armci", 2, "patches")
            self.assertEqual(command.impl, "polder")
            self.assert_in_order(command.words, "-x", "POLDER_DEVICE", program, "patches")

    def test_other_devices_stand_beside(self):
        programs = HostPrograms("/bench", "", "ucx", (), ["n1", "n2"], "/the/agent", ["ofi"])
        command, = programs.beside(Part("put"), 2, ("put",))
        self.assertEqual(command.impl, "polder-ofi")
        self.assertEqual(command.environment["POLDER_DEVICE"], "ofi")
        self.assert_in_order(command.words, "/bench/bench-micro", "put")
        self.assertEqual(self.programs.beside(Part("put"), 2, ("put",)), [])
        self.assertEqual(programs.beside(Part("patches", door="armci"), 2, ("patches",)), [])  # not built

    def test_other_devices_are_no_mpi(self):
        table = Table()
        for impl, ns in (("polder", 3), ("polder-ofi", 1), ("mpich", 2)):
            table.add(Key("put", 2, impl=impl), summarise([[ns]]))
        self.assertEqual(table.peers(), ["mpich", "polder-ofi"])
        self.assertEqual(table.best_of_peers(Key("put", 2)), 2)

    def test_mpich_uses_the_agent(self):
        command, = self.programs.mpi("mpich", 2, "get")
        self.assert_in_order(command.words, "-launcher-exec", "/the/agent", "-hosts", "n1,n2")

    def test_armci_gets_its_device_and_stands_beside_the_packaged_one(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("bench-armci-openmpi", "bench-armci-packaged-openmpi"):
                with open(os.path.join(folder, name), "w", encoding="ascii") as file:
                    os.chmod(file.name, 0o755)
            programs = HostPrograms(folder, "", "ucx", ("openmpi",), ["n1", "n2"], "/the/agent")
            own = programs.door("armci", 2, "patches")
            self.assertEqual(own.impl, "polder")
            self.assert_in_order(own.words, "-x", "POLDER_DEVICE", f"{folder}/bench-armci-openmpi", "patches")
            rivals = programs.rivals("armci", "openmpi", 2, "patches")
            self.assertEqual([c.setting for c in rivals], ["tcp", "ucx"])
            self.assertIn(f"{folder}/bench-armci-packaged-openmpi", rivals[0].words)

    def test_what_is_missing_is_named(self):
        self.assertIn("/bench/bench-wire", self.programs.missing())


class Choosing(unittest.TestCase):
    def chosen(self, *words):
        programs, benchmarks, with_terasort = what_and_with("/bench", parser().parse_args(words))
        return type(programs).__name__, [b.name for b in benchmarks], with_terasort

    def test_hosts_have_benchmarks_of_their_own(self):
        self.assertEqual(self.chosen("all", "--hosts", "a,b"), ("HostPrograms", [b.name for b in NETWORK], False))
        self.assertEqual(self.chosen("busy", "--hosts", "a,b")[1], ["busy"])

    def test_without_hosts_all_is_as_before(self):
        kind, names, with_terasort = self.chosen("all")
        self.assertEqual(kind, "Programs")
        self.assertIn("allreduce", names)
        self.assertTrue(with_terasort)

    def test_other_devices_are_for_hosts(self):
        with self.assertRaises(SystemExit) as refused:
            main("/bench", ["latency", "--beside", "ofi"])
        self.assertIn("--hosts", str(refused.exception))

    def test_unknown_names_are_refused(self):
        with self.assertRaises(SystemExit) as refused:
            self.chosen("barrier", "--hosts", "a,b")
        self.assertIn("latency", str(refused.exception))
