"""The switch of UserWire, a process of its own: carries Ethernet frames between the TAPs of the hosts.

Started with the number of a socket on which commands come, one JSON object per line, answered with "done":
  {"hosts": {name: pid, ...}, "delay": seconds, "loss": percent, "seed": number}    first, once
  {"cut": [source, target]}, {"heal": [source, target]}

Which frames are lost depends only on the seed, the direction, and how many frames went that way before.
"""

import fcntl
import heapq
import itertools
import json
import os
import random
import select
import socket
import struct
import sys
import time

from system import enter_network

TUNSETIFF = 0x400454CA
IFF_TAP, IFF_NO_PI = 0x0002, 0x1000
LARGEST_FRAME = 65536 + 18
BATCH = 32  # frames of one host before the next one's turn


def open_tap(pid):
    enter_network(pid)
    tap = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(tap, TUNSETIFF, struct.pack("16sH22x", b"eth0", IFF_TAP | IFF_NO_PI))
    return tap


class Switch:
    def __init__(self, hosts, delay, loss, seed):
        self.names = list(hosts)
        self.taps = [open_tap(pid) for pid in hosts.values()]
        self.delay = delay
        self.loss = loss / 100
        pairs = itertools.permutations(range(len(self.taps)), 2)
        self.dice = {pair: random.Random(f"{seed}:{pair}") for pair in pairs}
        self.cuts = set()
        self.waiting = []  # (when due, number, target, frame)
        self.numbers = itertools.count()

    def pair(self, names):
        return tuple(self.names.index(name) for name in names)

    def targets(self, source, frame):
        last = frame[5]  # the last byte of the target's MAC is its index + 1, unless bit 0 of the first says 'to all'
        everyone = range(len(self.taps)) if frame[0] & 1 else [last - 1]
        return [target for target in everyone if target != source and 0 <= target < len(self.taps)]

    def read(self, source):
        for _ in range(BATCH):
            try:
                frame = os.read(self.taps[source], LARGEST_FRAME)
            except BlockingIOError:
                return
            for target in self.targets(source, frame):
                self.forward(source, target, frame)

    def forward(self, source, target, frame):
        lost = self.loss > 0 and self.dice[source, target].random() < self.loss
        if lost or (source, target) in self.cuts:
            return
        if self.delay == 0:
            return self.deliver(target, frame)
        heapq.heappush(self.waiting, (time.monotonic() + self.delay, next(self.numbers), target, frame))

    def deliver(self, target, frame):
        try:
            os.write(self.taps[target], frame)
        except OSError:
            pass  # the host is gone or its device is full: the frame is lost, as on any wire

    def deliver_due(self):
        """Returns how long until the next frame is due, None if none waits."""
        while self.waiting:
            pause = self.waiting[0][0] - time.monotonic()
            if pause > 0:
                return pause
            _, _, target, frame = heapq.heappop(self.waiting)
            self.deliver(target, frame)
        return None

    def command(self, order):
        if "cut" in order:
            self.cuts.add(self.pair(order["cut"]))
        if "heal" in order:
            self.cuts.discard(self.pair(order["heal"]))


class Loop:
    def __init__(self, channel):
        self.channel = channel
        self.lines = channel.makefile("r")
        self.switch = Switch(**json.loads(self.lines.readline()))
        self.open = dict(enumerate(self.switch.taps))
        self.answer()

    def answer(self):
        self.channel.sendall(b"done\n")

    def run(self):
        while True:
            sources = {tap: source for source, tap in self.open.items()}
            ready, _, _ = select.select([self.channel, *sources], [], [], self.switch.deliver_due())
            for item in ready:
                if item is self.channel:
                    if not self.obey():
                        return
                else:
                    self.carry(sources[item])

    def obey(self):
        line = self.lines.readline()
        if line:
            self.switch.command(json.loads(line))
            self.answer()
        return bool(line)

    def carry(self, source):
        try:
            self.switch.read(source)
        except OSError:
            del self.open[source]  # that host is gone


if __name__ == "__main__":
    Loop(socket.socket(fileno=int(sys.argv[1]))).run()
