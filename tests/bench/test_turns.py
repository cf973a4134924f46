"""Measuring in turns, and adding turns to an earlier result."""

import contextlib
import io
import json
import os
import tempfile
import unittest
from unittest import mock

from polder_bench.catalogue import Benchmark, Part
from polder_bench.key import Key
from polder_bench.main import earlier_document, main, parser, save
from polder_bench.programs import Command, whole_cores
from polder_bench.programs import Programs as MpiPrograms
from polder_bench.results import file_name, once_each, to_document, to_table, write_document
from polder_bench.turns import Settings, Turns

BENCHMARK = Benchmark("latency", "", (Part("put"),), ("store",))
MACHINE = {"cpu": "Some CPU", "cores": 2, "date": "2030-01-02T03:04:05+00:00"}


def saying(impl, name, ns):
    line = json.dumps({"name": name, "ranks": 2, "size": 8, "threads": 1, "ns": ns})
    return Command(impl, "", ["sh", "-c", f"echo '{line}'"], {})


class Programs:
    """Each is a shell that says one number; `ns` is Polder's."""

    def __init__(self, ns, mpi=()):
        self.ns = ns
        self.answers = mpi

    def peers(self):
        return ["mpich"] if self.answers else []

    def limit(self, name, *_):
        return saying("limit", name, [1.0])

    def micro(self, _ranks, name, *_):
        return saying("polder", name, [self.ns])

    def beside(self, *_):
        return []

    def rivals(self, _door, peer, _ranks, name, *_):
        return [saying(peer, name, [ns]) for ns in self.answers]


def measured(programs, turns, earlier=None):
    return Turns(programs, Settings(turns=turns), log=io.StringIO(), earlier=earlier).measure([BENCHMARK])


class Adding(unittest.TestCase):
    def test_without_an_earlier_result_there_are_as_many_turns_as_asked_for(self):
        self.assertEqual(measured(Programs(5.0), 3).summaries[Key("put", 2, 8)].turns, (5.0, 5.0, 5.0))

    def test_turns_are_added_to_those_that_are_there(self):
        first = measured(Programs(5.0), 2)
        both = measured(Programs(9.0), 1, earlier=first)
        self.assertEqual(both.summaries[Key("put", 2, 8)].turns, (5.0, 5.0, 9.0))
        self.assertEqual(both.median(Key("put", 2, 8)), 5.0)
        self.assertEqual(both.median(Key("store", 2, 8, impl="limit")), 1.0)

    def test_what_only_the_earlier_result_has_stays(self):
        first = measured(Programs(5.0, mpi=(7.0,)), 1)
        both = measured(Programs(5.0), 1, earlier=first)
        self.assertEqual(both.median(Key("put", 2, 8, impl="mpich")), 7.0)


class Failing(unittest.TestCase):
    def test_a_device_that_fails_leaves_the_others_what_is_told_by_the_environment(self):
        def over(impl, device):
            line = json.dumps({"name": "put", "ranks": 2, "size": 8, "threads": 1, "ns": [5.0]})
            return Command(impl, "", ["sh", "-c", f"[ $DEVICE = tcp ] || exit 1; echo '{line}'"], {"DEVICE": device})

        class Devices(Programs):
            def micro(self, *_):
                return over("polder", "tcp")

            def beside(self, *_):
                return [over("polder-ucx", "ucx"), over("polder-ofi", "ofi")]
        turns = Turns(Devices(5.0), Settings(turns=3), log=io.StringIO())
        table = turns.measure([BENCHMARK])
        self.assertEqual(table.summaries[Key("put", 2, 8)].turns, (5.0, 5.0, 5.0))
        self.assertEqual([failure.partition(",")[0] for failure in once_each(turns.failures)], ["polder-ucx", "polder-ofi"])


class WaysOfPeers(unittest.TestCase):
    def test_every_way_to_pass_data_and_a_flag_is_one_of_the_same_experiment(self):
        class Messages(Programs):
            def rivals(self, _door, peer, _ranks, name, *_):
                return [saying(peer, f"{name}_by_message", [6.0]), saying(peer, name, [9.0])]
        benchmark = Benchmark("latency", "", (Part("put_notify"),))
        table = Turns(Messages(7.0, mpi=(1.0,)), Settings(turns=1), log=io.StringIO()).measure([benchmark])
        self.assertEqual(table.best(Key("put_notify", 2, 8), "mpich"), (6.0, "message"))


class Pinned(unittest.TestCase):
    """One core with two threads, and a core of its own."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name
        for cpu, siblings in ((0, "0-1"), (1, "0-1"), (2, "2")):
            os.makedirs(os.path.join(self.folder, f"cpu{cpu}", "topology"))
            with open(os.path.join(self.folder, f"cpu{cpu}", "topology", "thread_siblings_list"), "w", encoding="ascii") as file:
                file.write(siblings)

    def test_threads_of_a_core_are_one_core(self):
        with mock.patch("os.sched_getaffinity", lambda _: {0, 1, 2, 7}):
            self.assertEqual(whole_cores(self.folder), 3)

    def test_an_mpi_pins_to_threads_where_there_are_fewer_cores(self):
        with mock.patch("os.sched_getaffinity", lambda _: {0, 1, 2}), mock.patch("polder_bench.programs.whole_cores", lambda: 2):
            started = [[command.words for peer in ("openmpi", "mpich") for command in MpiPrograms("/").mpi(peer, ranks)] for ranks in (2, 3, 4)]
        for words, bind in zip(started, ("core", "hwthread", "none")):
            self.assertEqual([line[line.index(next(word for word in line if "bind-to" in word)) + 1] for line in words], 3 * [bind])
            self.assertEqual(["--use-hwthread-cpus" in line for line in words], [bind == "hwthread", bind == "hwthread", False])


class Options(unittest.TestCase):
    def earlier(self, folder, *words):
        return earlier_document(parser().parse_args(["all", "--results", "elsewhere", "--raw", folder, *words]), MACHINE)

    def test_the_result_of_the_day_is_added_to_only_if_asked(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertIsNone(self.earlier(folder, "--more"))
            table = measured(Programs(5.0), 2)
            document = to_document(MACHINE, Settings(), table, [], ["one failed"], {})
            write_document(os.path.join(folder, file_name(MACHINE)), document)
            self.assertIsNone(self.earlier(folder))
            found = self.earlier(folder, "--more")
            self.assertEqual(to_table(found).summaries, table.summaries)
            self.assertEqual(found["settings"]["turns"], 2)
            self.assertEqual(found["failures"], ["one failed"])

    def test_turns_of_another_build_or_setting_are_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            document = to_document({**MACHINE, "commit": "abc"}, Settings(), measured(Programs(5.0), 2), [], [], {})
            write_document(os.path.join(folder, file_name(MACHINE)), document)
            options = parser().parse_args(["all", "--results", "elsewhere", "--raw", folder, "--more"])
            self.assertIsNotNone(earlier_document(options, {**MACHINE, "commit": "abc"}))
            with self.assertRaisesRegex(SystemExit, "another commit"):
                earlier_document(options, {**MACHINE, "commit": "def"})
            for words, name in ((("--quick",), "quick"), (("--device", "ucx"), "device"), (("--hosts", "a,b"), "hosts")):
                with self.assertRaisesRegex(SystemExit, f"another {name}"):
                    earlier_document(parser().parse_args(["all", "--results", "elsewhere", "--raw", folder, "--more", *words]),
                                     {**MACHINE, "commit": "abc"})

    def test_what_makes_no_sense_is_refused_before_anything_is_measured(self):
        for words, why in ((("--turns", "0"), "0 is not a number of at least 1"), (("--turns", "x"), "x is not a number"),
                           (("--timeout", "-1"), "-1 is not a number of seconds above 0"), (("--timeout", "nan"), "nan is not"),
                           (("--timeout", "inf"), "inf is not"), (("--json", "/proc/self/x/y"), "/proc/self/x/y cannot be written"),
                           (("--json", "/"), "it is a folder")):
            with self.assertRaises(SystemExit) as refused, contextlib.redirect_stderr(io.StringIO()) as said:
                parser().parse_args(["all", *words])
            self.assertEqual(refused.exception.code, 2)
            self.assertIn(why, said.getvalue())
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "new", "result.json")
            self.assertEqual(parser().parse_args(["all", "--turns", "1", "--timeout", "0.5", "--json", path]).json, path)
            self.assertEqual(os.listdir(os.path.dirname(path)), [])
        for option in ("--results", "--raw"):
            with self.assertRaises(SystemExit) as refused:
                main("/no/benchmarks/here", ["all", option, "/proc/self/x"])
            self.assertIn("/proc/self/x cannot be written", str(refused.exception.code))

    def test_a_quick_run_replaces_no_result(self):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
            document = to_document(MACHINE, Settings(quick=True), measured(Programs(5.0), 1), [], [], {})
            save(parser().parse_args(["all", "--quick", "--results", folder, "--raw", folder]), MACHINE, document, True)
            self.assertEqual(os.listdir(folder), [])

    def test_a_run_of_some_benchmarks_replaces_no_result_of_more(self):
        machine = {**MACHINE, **{name: "" for name in ("memory_gib", "kernel", "governor", "virtualisation", "compiler", "build_type", "commit")}, "mpi": {}}
        day_after = {**machine, "date": "2030-01-03T03:04:05+00:00"}
        table = measured(Programs(5.0), 1)
        some = to_document(day_after, Settings(), table, [], [], {})
        more = to_document(machine, Settings(), table, [], [], {"terasort": {}})
        with tempfile.TemporaryDirectory() as folder:
            raw = os.path.join(folder, "raw")
            options = parser().parse_args(["latency", "--results", folder, "--raw", raw])
            with contextlib.redirect_stdout(io.StringIO()) as said:
                save(options, machine, more, False)  # none is there yet
                save(options, day_after, some, False)
            self.assertIn("there is a result with terasort", said.getvalue())
            self.assertEqual(sorted(os.listdir(folder)), [file_name(machine), "README.md", "raw"])
            self.assertEqual(os.listdir(raw), [file_name(machine)])
            save(options, day_after, some, True)
            self.assertIn(file_name(day_after), os.listdir(folder))


if __name__ == "__main__":
    unittest.main()
