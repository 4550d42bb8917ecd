"""A slow network for ssh's ProxyCommand: slow_network.py HOST PORT DELAY JITTER FOLDER.

Delays each direction by DELAY ± JITTER milliseconds and keeps the order. While FOLDER/partition exists, nothing passes, and
neither side learns of it.
"""

import os
import queue
import random
import socket
import sys
import threading
import time
from collections.abc import Callable


def relay(read: Callable[[], bytes], write: Callable[[bytes], None], delay: float, jitter: float, partition: str) -> None:
    """Passes bytes on until the end."""
    waiting: queue.Queue[tuple[float, bytes]] = queue.Queue()

    def take() -> None:
        data = b"x"
        while data:
            try:
                data = read()
            except OSError:
                data = b""
            waiting.put((time.monotonic() + delay + random.uniform(-jitter, jitter), data))

    threading.Thread(target=take, daemon=True).start()
    while True:
        due, data = waiting.get()
        time.sleep(max(0.0, due - time.monotonic()))
        while os.path.exists(partition):
            time.sleep(0.02)
        if not data:
            return
        try:
            write(data)
        except OSError:
            return


def main() -> None:
    host, port, delay, jitter, folder = sys.argv[1:]
    partition = os.path.join(folder, "partition")
    link = socket.create_connection((host, int(port)))
    link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(data: bytes) -> None:
        while data:
            data = data[os.write(1, data) :]

    def receive() -> None:
        relay(lambda: link.recv(1 << 16), send, float(delay) / 1000, float(jitter) / 1000, partition)
        # Nothing more can come.
        os._exit(0)

    threading.Thread(target=receive, daemon=True).start()
    relay(lambda: os.read(0, 1 << 16), link.sendall, float(delay) / 1000, float(jitter) / 1000, partition)
    link.shutdown(socket.SHUT_WR)
    # What is on its way back arrives, unless ssh ends this before.
    time.sleep(5)


if __name__ == "__main__":
    main()
