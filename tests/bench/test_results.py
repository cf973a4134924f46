import json
import os
import subprocess
import tempfile
import unittest

from polder_bench.machine import commit
from polder_bench.results import as_text, file_name, medians, read_documents, to_document, to_table, write, write_document, write_page
from polder_bench.targets import judge
from polder_bench.text import rows, size_text, terminal_table, time_text, value_text
from polder_bench.key import Key
from polder_bench.turns import Settings
from tables import table

MACHINE = {"cpu": "Some CPU (R) 9", "cores": 2, "memory_gib": 4, "kernel": "6.1", "governor": "unknown", "virtualisation": "none",
           "compiler": "GNU 12", "build_type": "Release", "commit": "abc", "mpi": {}, "date": "2030-01-02T03:04:05+00:00"}


def example():
    return table((90, {"name": "put_notify", "ranks": 2, "size": 8}), (60, {"name": "handover", "ranks": 2, "impl": "limit"}),
                 (700, {"name": "put_notify", "ranks": 2, "size": 8, "impl": "mpich", "setting": "default"}))


def document(date=MACHINE["date"], failures=()):
    made = example()
    return to_document({**MACHINE, "date": date}, Settings(), made, judge(made, 2), list(failures), {})


class Failures(unittest.TestCase):
    def test_the_same_one_in_another_run_is_told_once(self):
        lines = [f"mpirun --agent /tmp/net.{run}/rsh -n 2 /home/x/bin/bench rate: exit code {run}: [h0:{run}] aborted" for run in (17, 21)]
        self.assertEqual(document(failures=lines)["failures"], ["mpirun --agent rsh -n 2 bench rate: exit code 17: [h0] aborted"])


class Files(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name

    def test_a_document_gives_back_its_table(self):
        self.assertEqual(to_table(json.loads(json.dumps(document()))).summaries, example().summaries)

    def test_a_peer_that_is_faster_in_another_way_is_ahead(self):
        raw = {"name": "tcp_ping_pong", "ranks": 2, "size": 8, "impl": "limit"}
        own = {"name": "put_notify", "ranks": 2, "size": 8}
        peer = {**own, "impl": "mpich", "setting": "default"}
        made = table((7, own), (5, raw), (38, peer), (6, {**peer, "name": "put_notify_by_message"}))
        read = to_table(to_document(MACHINE, Settings(), made, [], [], {}))
        self.assertEqual(read.best(Key("put_notify", 2, 8), "mpich"), (6, "default, message"))
        verdicts = judge(read, 2)
        self.assertIs(next(v for v in verdicts if "ahead" in v.target).met, False)
        self.assertEqual(list(rows(read, verdicts))[1][:5], ["put_notify", "8 B", "2", "7 ns", "6 ns"])

    def test_medians_are_all_that_is_kept_of_turns(self):
        kept = medians({**document(), "terasort": {"turns": 3, "results": [{"turns": [{"wall": 1.0}], "median_s": {"wall": 1.0}}]}})
        self.assertEqual([one["ns"] for one in kept["measurements"]], [90, 60, 700])
        self.assertFalse(any("turns" in one for one in kept["measurements"]))
        self.assertEqual(kept["terasort"], {"turns": 3, "results": [{"median_s": {"wall": 1.0}}]})
        self.assertEqual(to_table(kept).median(Key("put_notify", 2, 8)), 90)

    def test_a_measurement_is_a_line(self):
        text = as_text(document())
        self.assertEqual(json.loads(text), json.loads(json.dumps(document())))
        self.assertEqual(sum('"impl"' in line and '"ns"' in line for line in text.splitlines()), 3)
        self.assertEqual(json.loads(as_text([{"a": 1}, {"a": 2}])), [{"a": 1}, {"a": 2}])

    def test_the_page_shows_the_newest_of_a_machine(self):
        write_document(os.path.join(self.folder, "b.json"), document("2030-01-01T00:00:00+00:00", ["old failure"]))
        write_document(os.path.join(self.folder, "a.json"), document("2030-06-01T00:00:00+00:00"))
        write(os.path.join(self.folder, "other.json"), "{}")
        write_page(self.folder)
        with open(os.path.join(self.folder, "README.md"), encoding="utf-8") as file:
            page = file.read()
        self.assertIn("(a.json)", page)
        self.assertNotIn("b.json", page)
        self.assertIn("| put_notify | 8 B | 2 | 90 ns | 700 ns | 60 ns | 1.50 | <= 1.5 x raw hand-over | met |", page)
        self.assertEqual([name for name, _ in read_documents(self.folder)], ["b.json", "a.json"])

    def test_names_say_day_and_machine(self):
        self.assertEqual(file_name(MACHINE), "2030-01-02-some-cpu-r-9-2.json")


class Commit(unittest.TestCase):
    def test_a_new_source_is_a_change_and_a_new_result_is_none(self):
        with tempfile.TemporaryDirectory() as root:
            git = ["git", "-C", root, "-c", "user.name=a", "-c", "user.email=a@b"]
            subprocess.run([*git, "init", "-q"], check=True)
            subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "all"], check=True)
            self.assertRegex(commit(root), "^[0-9a-f]{12}$")
            write(os.path.join(root, "bench", "results", "new.json"), "{}")
            write(os.path.join(root, "notes.txt"), "")
            self.assertNotIn("+", commit(root))
            write(os.path.join(root, "src", "util", "new.cpp"), "")
            self.assertTrue(commit(root).endswith("+changes"))


class Text(unittest.TestCase):
    def test_units(self):
        self.assertEqual([time_text(ns) for ns in (5, 5e3, 5e6, 5e9)], ["5 ns", "5 us", "5 ms", "5 s"])
        self.assertEqual([size_text(s) for s in (0, 8, 2040, 4096, 1 << 20)], ["", "8 B", "2040 B", "4 kB", "1 MB"])
        self.assertEqual(value_text(Key("put_bandwidth", 2, 1 << 20), 1 << 17), "8 GB/s")
        self.assertEqual(value_text(Key("rate", 2, 8), 20), "50 M/s")
        self.assertEqual(value_text(Key("barrier"), None), "-")

    def test_the_size_of_a_fence_is_a_number_of_allocations(self):
        made = table((8, {"name": "armci_all_fence", "ranks": 2, "size": 50}))
        self.assertEqual(list(rows(made, []))[1][:3], ["armci_all_fence", "50", "2"])

    def test_limits_without_a_measurement_have_rows_of_their_own(self):
        made = table((3, {"name": "yield_same_core", "ranks": 2, "impl": "limit"}))
        self.assertEqual(list(rows(made, []))[1][0], "yield_same_core")
        self.assertEqual([line[0] for line in rows(example(), [])], ["benchmark", "put_notify"])

    def test_columns_line_up(self):
        lines = terminal_table(rows(example(), judge(example(), 2))).splitlines()
        self.assertEqual(lines[0].index("target"), lines[2].index("<= 1.5"))


if __name__ == "__main__":
    unittest.main()
