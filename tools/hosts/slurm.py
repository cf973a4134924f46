"""Slurm on the hosts of a testnet: munge and one slurmd on each, slurmctld on the first, all from the distribution.

The folder "slurm" of the testnet lies over /etc/slurm on every host, so programs find the configuration at its usual place.
"""

import glob
import os
import subprocess
import sys
import time

import remote
from system import NotHere, TestnetError

START_LIMIT = 60
TESTNET_PROGRAM = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "testnet")

CONFIGURATION = """\
ClusterName=testnet
SlurmctldHost={first}
SlurmUser=root
AuthType=auth/munge
NodeName={hosts} CPUs={cpus} RealMemory=1000 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
# The hosts have as many cores as they claim, whatever this machine has; ranks are not bound to cores.
SlurmdParameters=config_overrides
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
TaskPlugin=task/none
ProctrackType=proctrack/linuxproc
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
ReturnToService=2
SlurmctldTimeout=10
SlurmdTimeout=10
InactiveLimit=0
KillWait=2
WaitTime=0
StateSaveLocation=/run/slurmctld
SlurmdSpoolDir=/run/slurmd
SlurmctldPidFile=/run/slurmctld.pid
SlurmdPidFile=/run/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%h.log
"""


def on(directory, host, script):
    """Runs a shell script on a host, as root's shell would; returns (exit code, what it printed)."""
    environment = dict(os.environ, TESTNET=directory, PATH=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    done = subprocess.run([sys.executable, TESTNET_PROGRAM, "rsh", host, script], text=True, capture_output=True,
                          stdin=subprocess.DEVNULL, env=environment)
    return done.returncode, done.stdout + done.stderr


def must(directory, host, script):
    code, text = on(directory, host, script)
    if code != 0:
        raise TestnetError(f"on host {host}, '{script}' failed: {text.strip()}")
    return text


def configure(directory, hosts, cpus):
    folder = os.path.join(directory, "slurm")
    with open(os.path.join(folder, "slurm.conf"), "w", encoding="ascii") as file:
        file.write(CONFIGURATION.format(first=hosts[0], hosts=",".join(hosts), cpus=cpus, folder=folder))
    key = os.open(os.path.join(folder, "munge.key"), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o400)
    os.write(key, os.urandom(128))
    os.close(key)
    return folder


def start_daemons(directory, hosts, folder):
    for host in hosts:
        must(directory, host, "mkdir -p /run/munge /run/slurmd /run/slurmctld && chmod 755 /run/munge && "
             f"munged --force --key-file={folder}/munge.key --log-file={folder}/munged.{host}.log "
             "--pid-file=/run/munge/munged.pid --seed-file=/run/munge/seed --num-threads=2")
    must(directory, hosts[0], "slurmctld")
    for host in hosts:
        must(directory, host, f"slurmd -N {host}")


def wait_until_idle(directory, hosts, folder):
    end = time.monotonic() + START_LIMIT
    while True:
        _, text = on(directory, hosts[0], "sinfo --noheader --Node --format=%t")
        if text.split() == ["idle"] * len(hosts):
            return
        if time.monotonic() > end:
            logs = "".join(open(name, encoding="utf-8").read()[-2000:] for name in glob.glob(folder + "/*.log"))
            raise TestnetError(f"Slurm's nodes did not become idle within {START_LIMIT} s:\n{text}\n{logs}")
        time.sleep(0.2)


def start(directory, hosts, cpus):
    if not os.path.isdir("/etc/slurm"):
        raise NotHere("Slurm is not installed; `tools/setup hosts` installs it")
    with open("/proc/self/uid_map", encoding="ascii") as users:
        if os.geteuid() != 0 or users.read().split()[2] == "1":
            raise NotHere("Slurm's daemons need root")
    folder = configure(directory, hosts, cpus)
    start_daemons(directory, hosts, folder)
    wait_until_idle(directory, hosts, folder)
