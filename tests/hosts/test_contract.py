"""The contract of devices (tests/device) over TCP, UCX and libfabric with each rank's device on another host: the ranks are threads of one process
outside of the hosts, which enter a host's network for each call."""

import json
import os
import subprocess
import unittest

import hosts

PROGRAM = os.path.join(os.environ.get("POLDER_GASPI_PROGRAMS", ""), "test_device_contract")
FILTER = "*/tcp*:*/ucx*:*/ofi*-*/ucx_card*"  # that card needs no network


class Suite(hosts.HostsTest):
    def networks(self):
        """Paths that this process may enter: without root they belong to a user namespace of the testnet."""
        if os.geteuid() != 0:
            raise unittest.SkipTest("only root may enter the networks of a testnet from outside")
        return self.net.tell("hosts", "--networks").split()

    def sent(self, host):
        """Bytes that have left the host by its veth."""
        counters = json.loads(self.net.run(host, "ip", "-s", "-json", "link", "show", "eth0").out)
        return counters[0]["stats64"]["tx"]["bytes"]

    def test_holds_between_hosts(self):
        environment = {**os.environ, "POLDER_TEST_NETWORKS": ":".join(self.networks()), "POLDER_UCX_DEVICES": "eth0",
                       "POLDER_OFI_DEVICES": "eth0", "POLDER_TCP_DEVICES": "eth0", "UCX_MEM_EVENTS": "n"}
        ranks = self.net.hosts[:3]  # so many ranks the suite has
        before = [self.sent(host) for host in ranks]
        done = subprocess.run([PROGRAM, f"--gtest_filter={FILTER}"], env=environment, text=True, capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=6 * hosts.PATIENCE)  # under a sanitizer it takes its time
        self.assertEqual(done.returncode, 0, done.stdout[-4000:] + done.stderr[-4000:])
        self.assertNotIn("Running 0 tests", done.stdout, "the filter finds nothing")
        for host, earlier in zip(ranks, before):
            self.assertGreater(self.sent(host) - earlier, 1 << 20, f"{host} took no part")


class TwoHosts(Suite):
    pass


class FourHosts(Suite):
    count = 4


if __name__ == "__main__":
    hosts.main()
