"""terasort from end to end, as a person starts it: generate, sort under `polder run`, validate, and everything that can go wrong."""

import glob
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

import kill_rounds

POLDER = os.environ["POLDER"]
TERASORT = os.environ["TERASORT"]
PEERS = os.environ.get("TERASORT_PEERS", "")
PATIENCE = 120  # seconds that a command may take here before it counts as hanging
RECORD_BYTES = 100


def run(*words, limit=None, cwd=None, environment=None):
    """The finished command. Its exit code is never negative by chance: a hang is an error of the test."""
    return subprocess.run(
        [str(word) for word in words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE, check=False,
        preexec_fn=limit, cwd=cwd, env={**os.environ, **(environment or {})})


class Terasort(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="terasort-test-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.input = self.path("in")
        self.output = self.path("out")

    def path(self, name):
        return os.path.join(self.folder, name)

    def generate(self, records, *options):
        done = run(TERASORT, "generate", *options, records, self.input)
        self.assertEqual(done.returncode, 0, done.stderr)

    def sort(self, ranks, *options, **how):
        return run(POLDER, "run", "-n", ranks, TERASORT, "sort", self.input, self.output, *options, **how)

    def wait_for_output(self):
        end = time.monotonic() + PATIENCE
        while not glob.glob(self.path(".out.partial-*")):
            self.assertLess(time.monotonic(), end, "the sort never made its output")
            time.sleep(0.005)

    def validate(self, *options):
        return run(TERASORT, "validate", self.output, *options)

    def assert_sorts(self, ranks, *options):
        done = self.sort(ranks, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        checked = self.validate("--against", self.input)
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
        self.assertEqual(os.path.getsize(self.output), os.path.getsize(self.input))

    def assert_fails(self, done, *texts):
        """Non-zero, with a sentence that names a rank, and neither an output nor a part of one."""
        self.assertNotEqual(done.returncode, 0, done.stdout)
        for text in ("terasort: rank ", *texts):
            self.assertIn(text, done.stderr)
        self.assertEqual(glob.glob(self.path(".*partial*")), [])
        self.assertFalse(os.path.exists(self.output))


class Sorting(Terasort):
    def test_any_number_of_ranks_gives_the_same_file(self):
        self.generate(60_007)
        files = set()
        for ranks in (1, 2, 4, 8):
            self.assert_sorts(ranks)
            with open(self.output, "rb") as file:
                files.add(file.read())
        self.assertEqual(len(files), 1)

    def test_agrees_with_gnu_sort(self):
        self.generate(20_000, "-a")
        self.assert_sorts(3)
        expected = run("sort", self.input, environment={"LC_ALL": "C"}).stdout
        with open(self.output, encoding="ascii", newline="") as file:
            lines = [line.rstrip("\r\n") for line in file.read().split("\n")]
        self.assertEqual(lines, [line.rstrip("\r") for line in expected.split("\n")])

    def test_buffers_of_all_sizes(self):
        self.generate(10_000)
        for buffer in ("100", "250", "10k", "4M"):
            self.assert_sorts(4, "--buffer", buffer, "--chunk", "7k")

    def test_uneven_and_equal_keys_are_shared_out(self):
        report = self.path("report.json")
        for keys in ("skewed", "few", "equal"):
            self.generate(80_000, "--keys", keys)
            self.assert_sorts(4, "--json", report)
            with open(report, encoding="utf-8") as file:
                self.assertLess(json.load(file)["imbalance"], 0.05, keys)

    def test_sorted_and_reversed_input(self):
        self.generate(50_000)
        self.assert_sorts(4)
        with open(self.output, "rb") as file:
            data = file.read()
        os.replace(self.output, self.input)
        self.assert_sorts(4)
        records = [data[at : at + RECORD_BYTES] for at in range(0, len(data), RECORD_BYTES)]
        with open(self.input, "wb") as file:
            file.write(b"".join(reversed(records)))
        self.assert_sorts(4)

    def test_empty_and_tiny_files(self):
        for records in (0, 1, 3):
            self.generate(records)
            self.assert_sorts(4)

    def test_output_may_be_the_input(self):
        self.generate(5000)
        before = run(TERASORT, "validate", self.input).stdout.splitlines()
        done = run(POLDER, "run", "-n", 3, TERASORT, "sort", self.input, self.input)
        self.assertEqual(done.returncode, 0, done.stderr)
        after = run(TERASORT, "validate", self.input)
        self.assertEqual(after.returncode, 0, after.stdout)
        checksum = next(line for line in before if line.startswith("Checksum"))
        self.assertIn(checksum, after.stdout.splitlines())

    def test_report_says_what_was_done(self):
        self.generate(30_000)
        report = self.path("report.json")
        self.assert_sorts(4, "--json", report, "--fsync")
        with open(report, encoding="utf-8") as file:
            document = json.load(file)
        self.assertEqual((document["records"], document["ranks"], document["program"]), (30_000, 4, "polder"))
        phases = document["phases"]
        self.assertEqual(list(phases), ["sample", "shuffle", "sort", "write", "total"])
        self.assertGreaterEqual(phases["total"]["max_s"], max(phases[name]["max_s"] for name in ("shuffle", "sort", "write")))

    def test_no_progress_line_without_a_terminal(self):
        self.generate(1000)
        self.assertNotIn("\r", self.sort(2).stderr)

    def test_ranks_generate_the_same_file_together(self):
        self.generate(10_001, "-b", 12345)
        together = self.path("together")
        done = run(POLDER, "run", "-n", 3, TERASORT, "generate", "-b", 12345, 10_001, together)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.input, "rb") as one, open(together, "rb") as other:
            self.assertEqual(one.read() == other.read(), True)


class Validation(Terasort):
    def setUp(self):
        super().setUp()
        self.generate(5000)
        self.assert_sorts(2)

    def change(self, function):
        with open(self.output, "rb") as file:
            data = bytearray(file.read())
        with open(self.output, "wb") as file:
            file.write(function(data))

    def assert_wrong(self, text):
        done = self.validate("--against", self.input)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn(text, done.stdout)

    def test_swapped_records(self):
        self.change(lambda data: data[:300] + data[400:500] + data[300:400] + data[500:])
        self.assert_wrong("First unordered record is record: 4")

    def test_lost_record(self):
        self.change(lambda data: data[:300] + data[400:])
        self.assert_wrong("ERROR - not the records of")

    def test_doubled_record(self):
        self.change(lambda data: data[:400] + data[300:400] + data[500:])
        self.assert_wrong("ERROR - not the records of")
        self.assertIn("Duplicate keys: 1", self.validate().stdout)

    def test_changed_byte(self):
        self.change(lambda data: data[:350] + bytes([data[350] ^ 1]) + data[351:])
        self.assert_wrong("ERROR - not the records of")

    def test_unreadable_is_another_exit_code_than_wrong(self):
        os.truncate(self.output, 250)
        done = self.validate()
        self.assertEqual(done.returncode, 2)
        self.assertIn("not a multiple", done.stderr)


class Failures(Terasort):
    def test_half_a_record(self):
        with open(self.input, "wb") as file:
            file.write(bytes(1050))
        self.assert_fails(self.sort(4), "50 bytes are left over", self.input)

    def test_missing_input(self):
        self.assert_fails(self.sort(4), self.input, "No such file")

    @unittest.skipIf(os.geteuid() == 0, "root may read everything")
    def test_unreadable_input(self):
        self.generate(100)
        os.chmod(self.input, 0)
        self.assert_fails(self.sort(4), self.input, "Permission denied")

    def test_missing_output_folder(self):
        self.generate(100)
        self.output = self.path("nowhere/out")
        self.assert_fails(self.sort(4), "nowhere")

    def test_output_is_a_folder(self):
        self.generate(100)
        done = run(POLDER, "run", "-n", 2, TERASORT, "sort", self.input, self.folder)
        self.assert_fails(done, "not a regular file")

    def test_too_little_memory(self):
        self.generate(10_000)
        self.assert_fails(self.sort(4, "--memory", "1M"), "needs up to", self.input)

    def test_file_size_limit(self):
        # The limit holds for the runtime's shared memory, too, so it must not be small.
        self.generate(700_000)
        limit = 64 << 20
        done = self.sort(4, limit=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        self.assert_fails(done, "File too large", "reserve 70000000 bytes")

    def test_full_disk(self):
        self.generate(50_000)
        disk = self.path("disk")
        os.mkdir(disk)
        if run("mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", disk).returncode != 0:
            self.skipTest("only root can mount a small disk")
        self.addCleanup(run, "umount", disk)
        done = run(POLDER, "run", "-n", 4, TERASORT, "sort", self.input, os.path.join(disk, "out"))
        self.assert_fails(done, "No space left")
        self.assertEqual(os.listdir(disk), [])

    def test_a_failure_leaves_the_old_output(self):
        self.generate(10_000)
        with open(self.output, "w", encoding="ascii") as file:
            file.write("old")
        self.assertNotEqual(self.sort(3, "--memory", "1M").returncode, 0)
        with open(self.output, encoding="ascii") as file:
            self.assertEqual(file.read(), "old")


class LostRanks(Terasort):
    """Messages of one record make the shuffle slow enough to interfere with."""

    def start(self, *launcher_options):
        self.generate(2_000_000)
        words = [POLDER, "run", "-n", "4", *launcher_options, TERASORT, "sort", self.input, self.output, "--buffer", "100",
                 "--patience", "3", "--no-progress"]
        job = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(job.stderr.close)
        self.addCleanup(job.stdout.close)
        self.addCleanup(job.kill)
        line = job.stderr.readline()
        self.assertIn("memory bound", line)
        self.wait_for_output()
        return job

    def ranks_of(self, job):
        """Process ids. The launcher has other children, too."""
        with open(f"/proc/{job.pid}/task/{job.pid}/children", encoding="ascii") as file:
            children = file.read().split()
        return [int(pid) for pid in children if os.path.samefile(f"/proc/{pid}/exe", TERASORT)]

    def assert_ends(self, job):
        _, errors = job.communicate(timeout=PATIENCE)
        self.assertNotEqual(job.returncode, 0)
        self.assertFalse(os.path.exists(self.output))
        self.assertEqual(glob.glob(self.path(".out.partial-*")), [], errors)
        return errors

    def test_a_killed_rank_ends_the_others_with_an_error(self):
        job = self.start("--keep-going")
        os.kill(self.ranks_of(job)[2], signal.SIGKILL)
        self.assertIn("terasort: rank ", self.assert_ends(job))

    def test_a_rank_that_hangs_is_given_up(self):
        job = self.start()
        os.kill(self.ranks_of(job)[1], signal.SIGSTOP)
        self.assertIn("no news from the other ranks", self.assert_ends(job))


class Spares(Terasort):
    """Ranks that die, and others that take their places."""

    MEMBERS = 3

    def spared(self, spares, *options, **how):
        return run(POLDER, "run", "-n", self.MEMBERS, "--spares", spares, "--keep-going", TERASORT, "sort", self.input, self.output, *options, **how)

    def assert_right(self, about):
        checked = self.validate("--against", self.input)
        self.assertEqual(checked.returncode, 0, f"{about}\n{checked.stdout}{checked.stderr}")
        self.assertEqual(glob.glob(self.path(".*partial*")), [], about)
        os.remove(self.output)

    def test_a_rank_that_dies_at_any_step_changes_nothing(self):
        self.generate(1_200_000)  # more than one bucket a rank
        report = self.path("report.json")
        for kills in ("sample:0", "half-shuffled:0", "shuffled:1", "half-written:0", "half-written:2", "written:1", "named:0", "half-shuffled:3"):
            done = self.spared(1, "--kill-at", kills, "--json", report)
            self.assert_right(f"{kills}: {done.stderr}")
            with open(report, encoding="ascii") as file:
                document = json.load(file)
            rank = int(kills.split(":")[1])
            self.assertEqual([each["lost"] for each in document["replacements"]], [[rank]] if rank < self.MEMBERS else [], kills)
            self.assertEqual(document["ranks"], self.MEMBERS)
            self.assertIn("died" if rank < self.MEMBERS else "total", done.stdout)

    def test_two_ranks_or_a_spare_that_has_begun(self):
        self.generate(200_000)
        for kills in ("half-shuffled:0,written:2", "shuffle:1,shuffle:2", "half-shuffled:1,half-shuffled:3", "written:0,sample:3"):
            self.assert_right(f"{kills}: {self.spared(2, '--kill-at', kills).stderr}")

    def test_no_spare_left_is_told_and_leaves_nothing(self):
        self.generate(20_000)
        done = self.spared(1, "--kill-at", "half-shuffled:1,shuffled:2")
        self.assert_fails(done, "no spare is left")
        self.assertFalse(os.path.exists(self.output))

    def test_wrong_words_are_named(self):
        self.generate(100)
        self.assertIn("STEP:RANK", self.spared(1, "--kill-at", "lunch:1").stderr)
        self.assertIn("STEP:RANK", self.spared(1, "--kill-at", "sample:-1").stderr)
        self.assertIn("needs spares", self.spared(0, "--kill-at", "sample:1").stderr)
        done = run(POLDER, "run", "-n", 2, TERASORT, "sort", self.input, self.output, "--spares", 2)
        self.assert_fails(done, "spares leave no member")

    def test_a_rank_that_hangs_ends_the_job_with_a_sentence(self):
        self.generate(2_000_000)
        words = [POLDER, "run", "-n", "3", "--spares", "1", "--keep-going", TERASORT, "sort", self.input, self.output, "--buffer", "100", "--patience", "2"]
        with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as job:
            self.addCleanup(job.kill)
            self.wait_for_output()
            os.kill(kill_rounds.ranks_of(job, TERASORT)[1], signal.SIGSTOP)
            _, errors = job.communicate(timeout=PATIENCE)
        self.assertEqual(job.returncode, 1, errors)
        self.assertIn("no news from the other ranks", errors)
        self.assertEqual(sorted(os.listdir(self.folder)), ["in"])

    def test_ranks_that_are_killed_from_outside_change_nothing(self):
        rounds = kill_rounds.Rounds(self.folder, 300_000)
        chance = random.Random(7)
        for _ in range(6):
            rounds.sort(rounds.draw(chance))


class Peers(Terasort):
    """The MPI programs that we compare with must sort, too."""

    def test_peers_sort(self):
        programs = [path for path in PEERS.split(":") if path and os.access(path, os.X_OK)]
        if not programs:
            self.skipTest("no MPI program was built")
        self.generate(30_000)
        root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        for program in programs:
            name = program.rsplit("-", maxsplit=1)[1]
            start = [f"mpirun.{name}", "-n", "3", *(["--oversubscribe"] if name == "openmpi" else [])]
            done = run(*start, program, "sort", self.input, self.output, environment=root)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(self.validate("--against", self.input).returncode, 0, name)
            os.remove(self.output)


if __name__ == "__main__":
    unittest.main()
