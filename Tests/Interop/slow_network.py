"""A slow network for ssh's ProxyCommand: slow_network.py HOST PORT DELAY JITTER LOSS FOLDER.

Delays each direction by DELAY ± JITTER milliseconds and keeps the order. LOSS percent of the segments are lost, and all of
them while FOLDER/partition exists, of which neither side learns, also if the other one has ended: TCP sends each again after
its timeout, twice as late each time, and what follows it waits. The files FOLDER/traffic-* have how many bytes have passed.
"""

import os
import queue
import random
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable

SEGMENT = 1448  # bytes, on an Ethernet


class Network:
    """The network between the two ends of a connection."""

    def __init__(self, delay: str, jitter: str, loss: str, folder: str) -> None:
        self.delay, self.jitter, self.loss = float(delay) / 1000, float(jitter) / 1000, float(loss) / 100
        self.partition = os.path.join(folder, "partition")
        self.traffic = os.path.join(folder, f"traffic-{os.getpid()}")

    def wait(self, size: int, due: float) -> None:
        """Waits until so many bytes have passed, which are due without a loss."""
        timeout = 0.2 + 2 * self.delay
        time.sleep(max(0.0, due - time.monotonic()))
        while os.path.exists(self.partition) or any(random.random() < self.loss for _ in range(0, size, SEGMENT)):
            time.sleep(timeout)
            timeout, size = timeout * 2, 1


def relay(read: Callable[[], bytes], write: Callable[[bytes], None], network: Network, direction: str) -> None:
    """Passes bytes on until the end."""
    waiting: queue.Queue[tuple[float, bytes]] = queue.Queue()
    passed, counter = 0, os.open(f"{network.traffic}-{direction}", os.O_CREAT | os.O_WRONLY)

    def take() -> None:
        data = b"x"
        while data:
            try:
                data = read()
            except OSError:
                data = b""
            waiting.put((time.monotonic() + network.delay + random.uniform(-network.jitter, network.jitter), data))

    threading.Thread(target=take, daemon=True).start()
    while True:
        due, data = waiting.get()
        network.wait(len(data), due)
        if not data:
            return
        passed += len(data)
        # At each time, because ssh ends this program without a word.
        os.pwrite(counter, str(passed).encode(), 0)
        try:
            write(data)
        except OSError:
            return


def main() -> None:
    # ssh sends it when it ends, but its end has to reach the other side, too.
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    host, port, *described = sys.argv[1:]
    network = Network(*described)
    network.wait(0, 0)
    link = socket.create_connection((host, int(port)))
    link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(data: bytes) -> None:
        while data:
            data = data[os.write(1, data) :]

    def receive() -> None:
        relay(lambda: link.recv(1 << 16), send, network, "down")
        # Nothing more can come.
        os._exit(0)

    threading.Thread(target=receive, daemon=True).start()
    relay(lambda: os.read(0, 1 << 16), link.sendall, network, "up")
    link.shutdown(socket.SHUT_WR)
    # What is on its way back arrives, unless ssh ends this before.
    time.sleep(5)


if __name__ == "__main__":
    main()
