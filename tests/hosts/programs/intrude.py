"""intrude.py SEED SECONDS KIND,KIND FILE HOST:PORT...: a stranger who reaches the ports of a job. For that long it connects and
says nothing (silence), nonsense, half of what FILE holds of an older job (listen_in.py), or all of it (repetition)."""

import pickle
import random
import socket
import sys
import time

HELD = 40  # silent connections that stay open


class Intruder:
    def __init__(self, seed, kinds, recorded, doors):
        self.dice = random.Random(seed)
        self.recorded = [stream for stream in recorded if stream]
        self.doors = doors
        self.held = []
        self.visits = dict.fromkeys(kinds, 0)

    def enter(self, door):
        link = socket.create_connection(door, timeout=2)
        link.settimeout(0.2)
        return link

    def say(self, door, data):
        """Sends as much as they take, and reads what they answer."""
        with self.enter(door) as link:
            try:
                link.sendall(data)
                link.recv(4096)
            except OSError:
                pass

    def nonsense(self, door):
        self.say(door, self.dice.randbytes(self.dice.choice((1, 7, 64, 1500, 100_000))))

    def half(self, door):
        """The beginning of what a peer would say, and then silence or the end."""
        start = self.dice.choice(self.recorded)
        self.say(door, start[:self.dice.randrange(1, min(len(start), 200) + 1)])

    def repetition(self, door):
        """An older job's words, whole or with a byte changed."""
        data = bytearray(self.dice.choice(self.recorded))
        if self.dice.random() < 0.5:
            data[self.dice.randrange(len(data))] ^= 1 << self.dice.randrange(8)
        self.say(door, data)

    def silence(self, door):
        self.held.append(self.enter(door))
        if len(self.held) > HELD:
            self.held.pop(0).close()

    def visit(self):
        kind = self.dice.choice(list(self.visits))
        getattr(self, kind)(self.dice.choice(self.doors))
        self.visits[kind] += 1


def main(seed, seconds, kinds, file, *doors):
    with open(file, "rb") as recorded:
        places = [(host, int(port)) for host, port in (door.split(":") for door in doors)]
        intruder = Intruder(int(seed), kinds.split(","), pickle.load(recorded), places)
    end = time.monotonic() + float(seconds)
    while time.monotonic() < end:
        try:
            intruder.visit()
        except OSError:
            pass  # refused: as it should be
    print(*(f"{kind} {count}" for kind, count in intruder.visits.items()), sep="\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
