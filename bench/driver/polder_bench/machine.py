"""What the numbers were measured on: without it they mean nothing."""

import datetime
import os
import platform
import re
import subprocess


SOURCES = ("src", "include", "cli", "apps", "bench", "cmake")  # folders whose files are compiled as soon as they are there


def describe(programs):
    """A dict of strings and numbers for the head of a result file."""
    return {
        "cpu": cpu_model(),
        "cores": len(os.sched_getaffinity(0)),
        "architecture": platform.machine(),
        "memory_gib": round(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30, 1),
        "kernel": platform.release(),
        "governor": read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor") or "unknown",
        "virtualisation": virtualisation(),
        "load": os.getloadavg()[0],
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "compiler": read(programs.build_note("compiler")) or "unknown",
        "build_type": read(programs.build_note("build_type")) or "unknown",
        "commit": commit(read(programs.build_note("source"))),
        "mpi": {peer: mpi_version(peer) for peer in programs.peers()},
    }


def read(path):
    """The text of a small file without its line end; empty if it cannot be read."""
    try:
        with open(path, encoding="utf-8") as file:
            return file.read().strip()
    except OSError:
        return ""


def output_of(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=20, check=False).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        return ""


def cpu_model():
    found = re.search(r"^model name\s*:\s*(.+)$", read("/proc/cpuinfo"), re.MULTILINE)
    return found.group(1) if found else platform.processor() or "unknown"


def virtualisation():
    return output_of("systemd-detect-virt") or ("virtual machine" if " hypervisor" in read("/proc/cpuinfo") else "none seen")


def commit(source):
    """Of the tree that was built, marked if it holds changes that no commit has, new files where sources are found by their names
    among them. What earlier turns wrote there as results is none."""
    if not source:
        return "unknown"
    name = output_of("git", "-C", source, "rev-parse", "--short=12", "HEAD")
    if not name or name == "HEAD":
        return "unknown"
    changes = output_of("git", "-C", source, "status", "--porcelain", "--untracked-files=no", "--", ".", ":(exclude)bench/results")
    new = output_of("git", "-C", source, "ls-files", "--others", "--exclude-standard", "--", *SOURCES, ":(exclude)bench/results")
    return name + ("+changes" if changes or new else "")


def mpi_version(peer):
    text = output_of(f"mpirun.{peer}", "--version")
    found = re.search(r"(?:\(Open ?\w*\)\s+|Version:\s+)(\d[\w.]*)", text)
    return found.group(1) if found else "unknown"
