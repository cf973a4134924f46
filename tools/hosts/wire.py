"""How the hosts are joined: addresses, and two wirings with the same methods.

KernelWire   a veth pair per host and a bridge: as fast as this kernel. Delay and loss need its netem.
UserWire     a TAP per host and a switch in user space (switch.py): slower, with seeded delay and loss on any kernel.

Both cut and heal single directions: cut("h0", "h1") drops silently what h0 sends to h1, as a broken network does.
"""

import json
import os
import socket
import subprocess
import sys

from system import NotHere, TestnetError, die_with_parent, in_network

SUBNET = "10.77.0"


MOST_HOSTS = 254  # addresses of the subnet


def address(index):
    return f"{SUBNET}.{index + 1}"


def mac(index):
    return f"02:00:00:00:00:{index + 1:02x}"


def configure(pid, index, count, options):
    """Gives eth0 of host `index` its address. The others are fixed neighbours: no ARP whose loss would blur a test, and a
    host that was cut off answers with silence, as one behind a router, not with 'no route to host'."""
    lines = ["link set lo up", f"link set eth0 address {mac(index)} mtu {options.mtu}",
             f"address add {address(index)}/24 dev eth0", "link set eth0 up"]
    lines += [f"neighbour add {address(other)} lladdr {mac(other)} dev eth0 nud permanent"
              for other in range(count) if other != index]
    in_network(pid, "ip", "-batch", "-", stdin="\n".join(lines))


def limit_rate(pid, rate):
    if rate:
        in_network(pid, "tc", "qdisc", "add", "dev", "eth0", "root", "tbf", "rate", rate, "burst", "256kb", "latency", "50ms")


class KernelWire:
    """The bridge lives in a network namespace of its own, which `sleep` holds and which goes with it."""

    def __init__(self, options):
        self.options = options
        self.ports = {}
        self.filtering = False
        self.holder = subprocess.Popen(
            ["unshare", "--net", "sh", "-c", "ip link add switch type bridge && ip link set switch up && echo up && "
             "exec sleep infinity"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            start_new_session=True, preexec_fn=die_with_parent)
        if self.holder.stdout.readline() != "up\n":
            raise NotHere(f"this machine allows no network namespace with a bridge: {self.holder.communicate()[1].strip()}")

    def attach(self, pids):
        for index, (name, pid) in enumerate(pids.items()):
            port = f"port{index}"
            in_network(self.holder.pid, "ip", "link", "add", port, "type", "veth", "peer", "name", "eth0", "netns", str(pid))
            in_network(self.holder.pid, "ip", "link", "set", port, "master", "switch", "mtu", str(self.options.mtu), "up")
            configure(pid, index, len(pids), self.options)
            self.shape(pid)
            self.ports[name] = port

    def shape(self, pid):
        options = self.options
        if not options.delay and not options.loss:
            return limit_rate(pid, options.rate)
        netem = ["tc", "qdisc", "add", "dev", "eth0", "root", "netem", "limit", "100000",
                 "delay", f"{options.delay * 1000:g}ms", "loss", f"{options.loss:g}%"]
        try:
            in_network(pid, *netem, *(["rate", options.rate] if options.rate else []))
        except TestnetError as error:
            raise NotHere(f"this kernel cannot delay or lose packets ({error}); use --wire user") from None

    def cut(self, source, target):
        if not self.filtering:
            self.nft("add table bridge testnet\n"
                     "add set bridge testnet cuts { type ifname . ifname; }\n"
                     "add chain bridge testnet forward { type filter hook forward priority 0; }\n"
                     "add rule bridge testnet forward iifname . oifname @cuts drop\n")
            self.filtering = True
        self.nft(f"add element bridge testnet cuts {{ {self.ports[source]} . {self.ports[target]} }}")

    def heal(self, source, target):
        if self.filtering:
            pair = f"{{ {self.ports[source]} . {self.ports[target]} }}"
            # Added first, because deleting what is not there is an error.
            self.nft(f"add element bridge testnet cuts {pair}\ndelete element bridge testnet cuts {pair}")

    def nft(self, commands):
        in_network(self.holder.pid, "nft", "-f", "-", stdin=commands)


class UserWire:
    def __init__(self, options):
        self.options = options
        if not os.access("/dev/net/tun", os.R_OK | os.W_OK):
            raise NotHere("/dev/net/tun cannot be opened here, and --wire user needs it")
        self.commands, theirs = socket.socketpair()
        with theirs:
            self.switch = subprocess.Popen(
                [sys.executable, os.path.join(os.path.dirname(__file__), "switch.py"), str(theirs.fileno())],
                stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()], start_new_session=True, preexec_fn=die_with_parent)
        self.answers = self.commands.makefile("r")

    def attach(self, pids):
        self.order(hosts=pids, delay=self.options.delay, loss=self.options.loss, seed=self.options.seed)
        for index, pid in enumerate(pids.values()):
            configure(pid, index, len(pids), self.options)
            limit_rate(pid, self.options.rate)

    def cut(self, source, target):
        self.order(cut=[source, target])

    def heal(self, source, target):
        self.order(heal=[source, target])

    def order(self, **command):
        self.commands.sendall(json.dumps(command).encode() + b"\n")
        answer = self.answers.readline()
        if answer != "done\n":
            raise TestnetError(f"the switch failed: {answer.strip() or 'it has ended'}")


def make_wire(options):
    """A kernel's own wiring unless packets must be delayed or lost, which only the switch does by a seed and everywhere."""
    kind = options.wire
    if kind == "auto":
        kind = "user" if options.delay or options.loss else "kernel"
    return KernelWire(options) if kind == "kernel" else UserWire(options)
