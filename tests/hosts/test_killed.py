"""Processes that end by SIGKILL on several hosts: checkpoints bring the others to the right answer. A few rounds; kill_rounds.py plays more."""

import hosts
from kill_rounds import HOSTS, Rounds


class Checkpoints(hosts.HostsTest):
    count = HOSTS

    def test_one_or_two_processes_or_a_whole_host(self):
        rounds = Rounds(self.net)
        for turn in (1, 4, 5):  # two die one after the other; all of a host; one
            with self.subTest(turn):
                rounds.checkpoints(turn)


class GpiCp(hosts.HostsTest):
    count = HOSTS

    def test_one_or_two_processes(self):
        rounds = Rounds(self.net)
        for turn in (0, 4):  # two die; one, and the one that joins for it
            with self.subTest(turn):
                rounds.gpi_cp(turn)


if __name__ == "__main__":
    hosts.main()
