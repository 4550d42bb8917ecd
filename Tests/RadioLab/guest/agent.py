"""Runs the host's commands in the guest.

Requests and replies are lines of JSON over a virtio serial port.

    received: {"id": 1, "run": ["bluetoothctl", "list"], "env": {…}, "cwd": "/lab/share"}
              {"id": 1, "signal": "INT"}                      for a running command
              {"id": 1, "in": "…"}                            for a command that was started with "talks": true
    sent:     {"ready": true}                                 once, at the start
              {"id": 1, "pid": 123}
              {"id": 1, "out": "…"}, {"id": 1, "err": "…"}    as the output comes
              {"id": 1, "exit": 0}                            last; minus the signal's number if a signal ended it

/run/held-up has the longest delay of the guest for lack of a core on the host, in seconds.

Commands run in parallel, each in its own session, so that a signal reaches it and its children.
"""

import asyncio
import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from typing import IO, Any


class Agent:
    def __init__(self, port: int) -> None:
        self.port = port
        self.running: dict[int, subprocess.Popen[bytes]] = {}
        self.tasks: set[asyncio.Task[None]] = set()
        self.unsent = bytearray()
        self.loop = asyncio.get_running_loop()

    def send(self, **message: Any) -> None:
        self.unsent += json.dumps(message).encode() + b"\n"
        self.flush()

    def flush(self) -> None:
        """Sends as much as the host accepts; the rest waits."""
        while self.unsent:
            try:
                sent = os.write(self.port, self.unsent[:4096])
            except BlockingIOError:
                self.loop.call_later(0.005, self.flush)
                return
            del self.unsent[:sent]

    def handle(self, request: dict[str, Any]) -> None:
        ident = request["id"]
        if "signal" in request:
            process = self.running.get(ident)
            if process is not None:
                number = signal.Signals["SIG" + request["signal"]]
                try:
                    os.killpg(process.pid, number)
                except ProcessLookupError:
                    pass
            return
        if "in" in request:
            process = self.running.get(ident)
            if process is not None and process.stdin is not None:
                try:
                    process.stdin.write(request["in"].encode())
                    process.stdin.flush()
                except BrokenPipeError:
                    pass
            return
        try:
            process = subprocess.Popen(
                request["run"],
                stdin=subprocess.PIPE if request.get("talks") else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=request.get("cwd", "/"),
                env={**os.environ, **request.get("env", {})},
                start_new_session=True,
            )
        except OSError as error:
            self.send(id=ident, err=f"{request['run'][0]}: {error.strerror}\n")
            self.send(id=ident, exit=127)
            return
        self.running[ident] = process
        self.send(id=ident, pid=process.pid)
        task = asyncio.create_task(self.follow(ident, process))
        self.tasks.add(task)  # The loop has only weak references to tasks, so they could be collected while they run.
        task.add_done_callback(self.tasks.discard)

    async def follow(self, ident: int, process: subprocess.Popen[bytes]) -> None:
        await asyncio.gather(self.pass_on(ident, "out", process.stdout), self.pass_on(ident, "err", process.stderr))
        while process.poll() is None:
            await asyncio.sleep(0.02)
        del self.running[ident]
        self.send(id=ident, exit=process.returncode)

    async def pass_on(self, ident: int, name: str, pipe: IO[bytes] | None) -> None:
        reader = asyncio.StreamReader()
        await self.loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), pipe)
        while chunk := await reader.read(65536):
            self.send(id=ident, **{name: chunk.decode(errors="replace")})

    def listen(self) -> None:
        """Reads requests, in its own thread, until the guest ends."""
        pending = b""
        poll = select.poll()
        poll.register(self.port, select.POLLIN)
        while True:
            poll.poll()
            try:
                chunk = os.read(self.port, 65536)
            except BlockingIOError:
                continue
            if not chunk:  # No process has the other end open, which the port reports continuously.
                time.sleep(0.05)
                continue
            *lines, pending = (pending + chunk).split(b"\n")
            for line in lines:
                self.loop.call_soon_threadsafe(self.handle, json.loads(line))


def watch_the_clock() -> None:
    """Measures the longest delay, in its own thread, until the guest ends."""
    longest = -1.0
    while True:
        before = time.monotonic()
        time.sleep(0.1)
        late = time.monotonic() - before - 0.1
        if late > longest:
            longest = late
            with open("/run/held-up", "w") as file:
                file.write(f"{longest:.2f}\n")


async def serve(path: str) -> None:
    agent = Agent(os.open(path, os.O_RDWR | os.O_NONBLOCK))
    threading.Thread(target=watch_the_clock, daemon=True).start()
    agent.send(ready=True)
    await asyncio.to_thread(agent.listen)


if __name__ == "__main__":
    asyncio.run(serve(sys.argv[1]))
