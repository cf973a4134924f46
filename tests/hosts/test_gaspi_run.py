"""gaspi_run with machine files that name several hosts: each rank where its line says, through mpirun, srun and ssh."""

import os
import time

import hosts

GASPI_RUN = os.path.join(hosts.BUILD, "gpi2", "bin", "gaspi_run")
PROGRAMS = os.environ.get("POLDER_GASPI_PROGRAMS", "")
LAUNCHERS = ("mpirun", "srun", "ssh")
WHERE = ["sh", "-c", 'echo "rank ${PMIX_RANK:-$GASPI_RANK} on $(hostname)"']


class Jobs(hosts.HostsTest):
    def machines(self, *lines):
        path = self.net.path("machines")
        with open(path, "w", encoding="utf-8") as file:
            file.write("".join(line + "\n" for line in lines))
        return path

    def environment(self, **more):
        return {"OMPI_MCA_plm_rsh_agent": self.net.path("rsh"), "GASPI_SSH": self.net.path("rsh"),
                "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", **more}

    def start(self, machines, *words, **more):
        return self.net.start("h0", GASPI_RUN, "-m", machines, *words, environment=self.environment(**more))

    def run_job(self, machines, *words, **more):
        return hosts.finish(self.start(machines, *words, **more))

    def ranks(self, host):
        """Processes of that host which run the program, not those that start it."""
        lines = self.net.run(host, "ps", "-e", "-ww", "-o", "args=").out.splitlines()
        return sum(line.endswith("test_gaspi_exits asleep") and " " not in line.removesuffix(" asleep") for line in lines)

    def wait_for(self, condition, what):
        end = time.monotonic() + hosts.PATIENCE
        while not condition():
            self.assertLess(time.monotonic(), end, f"{what}: not yet")
            time.sleep(0.2)

    def start_sleepers(self, launcher, *names):
        """A rank on each of these hosts, which sleeps until somebody ends it."""
        program = os.path.join(PROGRAMS, "test_gaspi_exits")
        job = self.start(self.machines(*names), program, "asleep", GASPI_LAUNCHER=launcher)
        self.addCleanup(hosts.end, job)
        self.wait_for(lambda: all(self.ranks(host) for host in names), "the ranks have started")
        return job


class GaspiRun(Jobs):
    slurm = True

    def test_a_rank_per_line(self):
        machines = self.machines("h1", "h0 # the second", "", "h1")
        for launcher in LAUNCHERS:
            with self.subTest(launcher=launcher):
                done = self.assert_well(self.run_job(machines, *WHERE, GASPI_LAUNCHER=launcher))
                self.assertEqual(done.lines, ["rank 0 on h1", "rank 1 on h0", "rank 2 on h1"], done)

    def test_first_lines_only(self):
        done = self.assert_well(self.run_job(self.machines("h0", "h1", "h1"), "--nodes", "2", *WHERE))
        self.assertEqual(done.lines, ["rank 0 on h0", "rank 1 on h1"], done)

    def test_programs(self):
        machines = self.machines("h0", "h1", "h0", "h1")
        for section in ("onesided", "collectives"):
            for launcher in LAUNCHERS:
                with self.subTest(section=section, launcher=launcher):
                    program = os.path.join(PROGRAMS, f"test_gaspi_{section}")
                    self.assert_well(self.run_job(machines, program, GASPI_LAUNCHER=launcher))

    def test_ping_and_master(self):
        machines = self.machines("h0", "h1")
        words = ["--ping", "-b", "/bin/echo", "sh", "-c", "hostname"]
        done = self.assert_well(self.run_job(machines, *words))
        self.assertEqual(done.lines, ["-c hostname", "h1"], done)
        done = self.run_job(self.machines("h0", "h9"), "--ping", "hostname")
        self.assertEqual(done.code, 2, done)
        self.assertIn("h9", done.err, done)

    def test_nothing_is_left(self):
        """The launcher is killed, as by a batch system; ranks on both hosts go."""
        for launcher, mark in (("mpirun", "--map-by seq"), ("ssh", "ssh.spawner h0")):
            with self.subTest(launcher=launcher):
                job = self.start_sleepers(launcher, "h0", "h1")
                self.net.run("h0", "sh", "-c", f"kill -9 $(ps -e -ww -o pid,args | awk '/{mark}/ && !/awk/ {{print $1}}')")
                hosts.finish(job)
                self.wait_for(lambda: not any(self.ranks(host) for host in self.net.hosts), "the ranks are gone")


class LostHost(Jobs):
    count = 3

    def test_the_others_end(self):
        """A host that the job needs goes; it does not come back, so that each launcher loses another one."""
        for launcher, lost in (("mpirun", "h1"), ("ssh", "h2")):
            with self.subTest(launcher=launcher):
                job = self.start_sleepers(launcher, "h0", lost)
                self.net.tell("kill", lost)
                self.assertNotEqual(hosts.finish(job).code, 0)
                self.wait_for(lambda: not self.ranks("h0"), "the rank is gone")


if __name__ == "__main__":
    hosts.main()
