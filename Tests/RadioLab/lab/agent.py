"""The host's end of the agent: runs commands in the guest."""

import json
import pathlib
import queue
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .errors import LabError


@dataclass
class Done:
    """A command that has ended: its exit code, or minus the number of the signal that ended it."""

    command: list[str]
    code: int
    out: str
    err: str
    seconds: float

    def must(self) -> "Done":
        if self.code != 0:
            raise LabError(f"In the guest, {' '.join(self.command)} ended with {self.code}:\n{self.out}{self.err}")
        return self


@dataclass
class Running:
    """A command that runs in the guest."""

    agent: "Agent"
    ident: int
    command: list[str]
    pid: int = 0
    began: float = field(default_factory=time.monotonic)
    _messages: queue.Queue[dict[str, Any]] = field(default_factory=queue.Queue)
    _out: list[str] = field(default_factory=list)
    _err: list[str] = field(default_factory=list)
    _done: Done | None = None
    _read: int = 0

    @property
    def out(self) -> str:
        """Its standard output so far."""
        self._take(0)
        return "".join(self._out)

    @property
    def err(self) -> str:
        self._take(0)
        return "".join(self._err)

    def write(self, text: str) -> None:
        """Writes to its standard input, if it was started with one."""
        self.agent.send({"id": self.ident, "in": text})

    def line(self, timeout: float) -> str | None:
        """The next line of its standard output; None if it has ended without another line."""
        until = time.monotonic() + timeout
        while True:
            ended = self._done is not None
            line, newline, _ = "".join(self._out)[self._read :].partition("\n")
            if newline:
                self._read += len(line) + 1
                return line
            if ended:
                return None
            left = until - time.monotonic()
            if left <= 0:
                raise LabError(f"In the guest, {' '.join(self.command)} printed nothing for {timeout} s.\n{self.out}{self.err}")
            self.agent.check()
            self._take(min(left, 0.5))

    def signal(self, name: str) -> None:
        """Sends a signal such as "INT" to the command and its children."""
        self.agent.send({"id": self.ident, "signal": name})

    def wait(self, timeout: float = 60) -> Done:
        until = time.monotonic() + timeout
        while self._done is None:
            left = until - time.monotonic()
            if left <= 0:
                self.signal("KILL")
                raise LabError(f"In the guest, {' '.join(self.command)} did not end within {timeout} s.\n{self.out}{self.err}")
            self.agent.check()
            self._take(min(left, 0.5))
        return self._done

    @property
    def ended(self) -> bool:
        self._take(0)
        return self._done is not None

    def _take(self, timeout: float) -> None:
        while self._done is None:
            try:
                message = self._messages.get(timeout=timeout) if timeout else self._messages.get_nowait()
            except queue.Empty:
                return
            timeout = 0
            if "pid" in message:
                self.pid = message["pid"]
            elif "out" in message:
                self._out.append(message["out"])
            elif "err" in message:
                self._err.append(message["err"])
            elif "exit" in message:
                seconds = time.monotonic() - self.began
                self._done = Done(self.command, message["exit"], "".join(self._out), "".join(self._err), seconds)


class Agent:
    """The connection to the agent. `check` is called during each wait, and raises if the guest has failed."""

    def __init__(self, path: pathlib.Path, check: Callable[[], None], timeout: float) -> None:
        self.check = check
        self._commands: dict[int, Running] = {}
        self._ready = threading.Event()
        self._socket = socket.socket(socket.AF_UNIX)
        until = time.monotonic() + timeout
        while True:
            try:
                self._socket.connect(str(path))
                break
            except (FileNotFoundError, ConnectionRefusedError):
                check()
                if time.monotonic() > until:
                    raise LabError("QEMU does not open its sockets.") from None
                time.sleep(0.02)
        threading.Thread(target=self._listen, daemon=True).start()
        while not self._ready.wait(0.1):
            check()
            if time.monotonic() > until:
                raise LabError(f"The guest did not come up within {timeout} s.")

    def _listen(self) -> None:
        for line in self._socket.makefile("rb"):
            try:
                message = json.loads(line)
            except ValueError:
                continue
            if message.get("ready"):
                self._ready.set()
            elif (command := self._commands.get(message.get("id"))) is not None:
                command._messages.put(message)

    def send(self, request: dict[str, Any]) -> None:
        self._socket.sendall(json.dumps(request).encode() + b"\n")

    def start(self, *command: str, env: dict[str, str] | None = None, cwd: str = "/lab/share", talks: bool = False) -> Running:
        running = Running(self, len(self._commands) + 1, list(command))
        self._commands[running.ident] = running
        self.send({"id": running.ident, "run": list(command), "env": env or {}, "cwd": cwd, "talks": talks})
        return running

    def run(self, *command: str, timeout: float = 60, env: dict[str, str] | None = None) -> Done:
        return self.start(*command, env=env).wait(timeout)
