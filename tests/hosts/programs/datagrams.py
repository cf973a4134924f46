"""datagrams.py receive: prints the numbers in the datagrams that arrive, until one says that it was all.
datagrams.py send HOST COUNT: sends that many, numbered, and then some that say so.
datagrams.py echo, datagrams.py ask HOST COUNT: prints round trips in seconds."""

import socket
import sys
import time

PORT = 9999
END = b"all"


def receive():
    link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    link.bind(("", PORT))
    print("ready", flush=True)
    while True:
        text = link.recv(64)
        if text == END:
            return
        print(text.decode(), flush=True)


def send(host, count):
    link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    for text in [str(number).encode() for number in range(int(count))] + [END] * 50:  # some get through
        link.sendto(text, (host, PORT))
        time.sleep(0.0005)


def echo():
    link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    link.bind(("", PORT))
    print("ready", flush=True)
    while True:
        link.sendto(*link.recvfrom(2048))


def ask(host, count):
    link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    link.settimeout(20)
    for _ in range(int(count)):
        start = time.monotonic()
        link.sendto(b"?", (host, PORT))
        link.recv(64)
        print(time.monotonic() - start)


if __name__ == "__main__":
    {"receive": receive, "send": send, "echo": echo, "ask": ask}[sys.argv[1]](*sys.argv[2:])
