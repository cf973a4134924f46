"""The command line: each verb of tools/testnet."""

import argparse
import json
import os
import socket
import sys

import remote
import slurm
from controller import Controller
from system import NotHere, TestnetError
from wire import MOST_HOSTS

SKIP = 77


def seconds(text):
    """'200ms', '5s' or a plain number of seconds."""
    if text.endswith("ms"):
        return float(text[:-2]) / 1000
    return float(text[:-1] if text.endswith("s") else text)


def count_of_hosts(text):
    number = int(text) if text.isdecimal() else 0
    if not 1 <= number <= MOST_HOSTS:
        raise argparse.ArgumentTypeError(f"'{text}' is no number of hosts from 1 to {MOST_HOSTS}")
    return number


def directory_of(arguments):
    directory = getattr(arguments, "net", None) or os.environ.get("TESTNET")
    if not directory:
        raise TestnetError("which testnet? Set TESTNET to its folder, as `tools/testnet N -- command` does, or give --net")
    return directory


def ask(directory, **request):
    """Sends a command to the controller of a testnet."""
    with socket.socket(socket.AF_UNIX) as control:
        try:
            control.connect(os.path.join(directory, "control"))
            control.sendall(json.dumps(request).encode() + b"\n")
            answer = json.loads(control.makefile("r").readline())
        except (OSError, ValueError):
            raise TestnetError(f"there is no testnet in {directory}") from None
    if "error" in answer:
        raise TestnetError(answer["error"])
    return answer


def enter_user_namespace(arguments):
    """Without root, a user namespace gives what it takes, where the machine allows that."""
    if os.geteuid() != 0:
        os.execvp("unshare", ["unshare", "--user", "--map-root-user", sys.executable, *sys.argv])


def make(arguments):
    enter_user_namespace(arguments)
    with Controller(arguments.count, arguments) as net:
        if arguments.command:
            return net.run(arguments.command)
        print(f"export TESTNET={net.directory}", flush=True)
        net.serve()


def execute(arguments):
    return remote.execute(directory_of(arguments), arguments.host, arguments.command)


def rsh(words):
    """What `ssh [options] host word...` does: the words are joined and a shell reads them. Launchers give ssh options on
    terminals and keys, which mean nothing here."""
    while words and words[0].startswith("-"):
        words = words[2 if words[0] in ("-l", "-o", "-p", "-i") else 1:]
    if len(words) < 2:
        raise TestnetError("usage: tools/testnet rsh HOST command...")
    return remote.execute(directory_of(None), words[0], ["/bin/sh", "-c", " ".join(words[1:])])


def cut(arguments):
    ask(directory_of(arguments), verb="cut", source=arguments.a, target=arguments.b, one_way=arguments.one_way,
        seconds=arguments.seconds)


def heal(arguments):
    ask(directory_of(arguments), verb="heal", source=arguments.a, target=arguments.b)


def kill(arguments):
    ask(directory_of(arguments), verb="kill", host=arguments.host, gently=arguments.gently)


def hosts(arguments):
    print(*ask(directory_of(arguments), verb="hosts")["networks" if arguments.networks else "hosts"])


def start_slurm(arguments):
    directory = directory_of(arguments)
    slurm.start(directory, ask(directory, verb="hosts")["hosts"], arguments.cpus)


def congestion_control(name):
    with open("/proc/sys/net/ipv4/tcp_available_congestion_control", encoding="ascii") as file:
        known = file.read().split()
    if name not in known:
        raise argparse.ArgumentTypeError(f"this kernel has {', '.join(known)}, not '{name}'")
    return name


def parser_of_make():
    parser = argparse.ArgumentParser(
        prog="tools/testnet", usage="tools/testnet COUNT [options] [-- COMMAND ...]",
        description="Makes COUNT hosts (h0, h1, ...) on this machine, runs COMMAND beside them with TESTNET set, and removes "
        "them. Without COMMAND they stay until this program is interrupted.",
        epilog="other verbs, for a testnet that runs: exec, rsh, cut, heal, kill, hosts, slurm; see `tools/testnet VERB -h`")
    parser.add_argument("count", type=count_of_hosts, metavar="COUNT")
    parser.add_argument("--delay", type=seconds, default=0, help="of every packet, one way: 200ms, 0.2s")
    parser.add_argument("--loss", type=float, default=0, metavar="PERCENT", help="of the packets that are lost")
    parser.add_argument("--rate", help="what each host can send: 1gbit, 100mbit (as tc writes it)")
    parser.add_argument("--seed", type=int, default=1, help="of the choice of packets that are lost (default 1)")
    parser.add_argument("--mtu", type=int, default=1500, help="largest packet in bytes (default 1500)")
    parser.add_argument("--congestion", type=congestion_control, metavar="NAME", help="congestion control of TCP (default: cubic, whatever this machine prefers)")
    parser.add_argument("--wire", choices=["auto", "kernel", "user"], default="auto",
                        help="veth and bridge, or a switch in user space; auto: kernel, unless delay or loss is asked for")
    parser.add_argument("--share", action="append", default=[], type=os.path.abspath, metavar="FOLDER",
                        help="a folder below /tmp, /run or /dev/shm that all hosts see, as they do the current one; "
                        "the rest of these is private")
    return parser


def parser_of_verbs():
    parser = argparse.ArgumentParser(prog="tools/testnet")
    verbs = parser.add_subparsers(required=True, metavar="VERB")

    def verb(name, function, text):
        added = verbs.add_parser(name, help=text, description=text)
        added.add_argument("--net", metavar="FOLDER", help="the testnet; default: the variable TESTNET")
        added.set_defaults(function=function)
        return added

    added = verb("exec", execute, "runs a program on a host")
    added.add_argument("host")
    added.add_argument("command", nargs=argparse.REMAINDER)
    verbs.add_parser("rsh", help="runs a shell command on a host: a launch agent, in the place of ssh")
    added = verb("cut", cut, "silences the path between two hosts")
    added.add_argument("a")
    added.add_argument("b")
    added.add_argument("--one-way", action="store_true", help="only from A to B")
    added.add_argument("--for", dest="seconds", type=seconds, help="heal it after that time")
    added = verb("heal", heal, "ends a cut, in both directions")
    added.add_argument("a")
    added.add_argument("b")
    added = verb("kill", kill, "ends a host as a power cut does")
    added.add_argument("host")
    added.add_argument("--gently", action="store_true", help="only its processes: its kernel still closes connections")
    added = verb("hosts", hosts, "prints the hosts that are alive")
    added.add_argument("--networks", action="store_true", help="where the kernel names their network namespaces, instead")
    added = verb("slurm", start_slurm, "starts Slurm on the hosts")
    added.add_argument("--cpus", type=int, default=8, help="that each host claims to have (default 8)")
    return parser


def split_at_dashes(words):
    """The command is split off first, because argparse would look for options in it."""
    at = words.index("--") if "--" in words else len(words)
    return words[:at], words[at + 1:]


def obey(words):
    if words[:1] == ["rsh"]:
        return rsh(words[1:])
    if not words or not (words[0].isdigit() or words[0].startswith("-")):
        arguments = parser_of_verbs().parse_args(words)
        return arguments.function(arguments)
    words, command = split_at_dashes(words)
    arguments = parser_of_make().parse_args(words)
    arguments.command = command
    return make(arguments)


def main():
    try:
        return obey(sys.argv[1:])
    except NotHere as reason:
        print(f"testnet: {reason}", file=sys.stderr)
        return SKIP
    except TestnetError as problem:
        print(f"testnet: {problem}", file=sys.stderr)
        return 1
