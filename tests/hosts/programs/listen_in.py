"""listen_in.py FILE HOST...: writes down what is sent over TCP to and from the hosts through this host's eth0, until it is
terminated: a list of the bytes of each connection and direction, as far as they were sent first."""

import pickle
import signal
import socket
import sys

ETH_P_ALL = 3
KEPT = 256 * 1024  # bytes of a stream
TCP = 6


def payload(frame):
    """((source, port, target, port), number, bytes) of a TCP segment in an Ethernet frame, or None."""
    if frame[12:14] != b"\x08\x00" or frame[23] != TCP:
        return None
    ip = frame[14:]
    tcp = ip[(ip[0] & 15) * 4:int.from_bytes(ip[2:4], "big")]
    ends = (ip[12:16], tcp[0:2], ip[16:20], tcp[2:4])
    return ends, int.from_bytes(tcp[4:8], "big"), tcp[(tcp[12] >> 4) * 4:]


def streams(segments):
    """Each stream's bytes in order, up to the first gap."""
    for parts in segments.values():
        data, wanted = b"", min(parts)
        while wanted in parts and len(data) < KEPT:
            data += parts[wanted]
            wanted += len(parts[wanted])
        yield data


def main(file):
    link = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
    link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 24)
    link.bind(("eth0", 0))
    segments = {}
    signal.signal(signal.SIGTERM, lambda *_: link.close())
    print("ready", flush=True)
    try:
        while True:
            found = payload(link.recv(1 << 17))
            if found and found[2]:
                ends, number, data = found
                parts = segments.setdefault(ends, {})
                if len(parts) < 2000:
                    parts.setdefault(number, data)
    except OSError:
        pass
    with open(file, "wb") as out:
        pickle.dump(list(streams(segments)), out)


if __name__ == "__main__":
    main(sys.argv[1])
