"""The test's end of the radio's control socket."""

import json
import pathlib
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from . import processes
from .errors import LabError

_TIMEOUT = 30  # s


class Radio:
    """The radio, running in a process of its own at the speed of this machine, not of the guest."""

    def __init__(self, folder: pathlib.Path, seed: int, propagation: dict[str, Any] | None = None) -> None:
        path = folder / "radio.sock"
        self.log = folder / "radio.log"
        command = [sys.executable, "-m", "lab.radio", str(path), str(seed), json.dumps(propagation or {})]
        here = pathlib.Path(__file__).resolve().parents[1]
        with self.log.open("ab") as log:
            self._process = processes.start(command, cwd=here, stdout=subprocess.DEVNULL, stderr=log)
        self._changed = threading.Condition()
        self._answers: dict[int, dict[str, Any]] = {}
        self._asked = 0
        self.events: list[dict[str, Any]] = []
        self._socket = socket.socket(socket.AF_UNIX)
        until = time.monotonic() + _TIMEOUT
        while True:
            try:
                self._socket.connect(str(path))
                break
            except (FileNotFoundError, ConnectionRefusedError):
                self._check()
                if time.monotonic() > until:
                    raise LabError("The radio does not start.") from None
                time.sleep(0.02)
        threading.Thread(target=self._listen, daemon=True).start()

    def _check(self) -> None:
        if self._process.poll() is not None:
            raise LabError(f"The radio has ended: {self.log.read_text()}")

    def _listen(self) -> None:
        for line in self._socket.makefile("rb"):
            message = json.loads(line)
            with self._changed:
                if "event" in message:
                    self.events.append(message)
                else:
                    self._answers[message["id"]] = message
                self._changed.notify_all()

    def do(self, action: str, **details: Any) -> Any:
        """Sends the radio a request of `lab.radio.control`, and returns the reply."""
        with self._changed:
            self._asked += 1
            ident = self._asked
        self._socket.sendall(json.dumps({"id": ident, "do": action, **details}).encode() + b"\n")
        self._wait(lambda: ident in self._answers, _TIMEOUT, f"the radio to do {action}")
        answer = self._answers.pop(ident)
        if "error" in answer:
            raise LabError(f"The radio, asked to {action}: {answer['error']}")
        return answer["ok"]

    def wait_for(self, event: str, times: int = 1, timeout: float = 60, since: int = 0, **match: Any) -> dict[str, Any]:
        """Waits until an event with these details has happened `times` times after the first `since` of `events`.
        Returns the last of them."""

        def found() -> list[dict[str, Any]]:
            return [
                one for one in self.events[since:]
                if one["event"] == event and all(one.get(name) == value for name, value in match.items())
            ]  # fmt: skip

        self._wait(lambda: len(found()) >= times, timeout, f"{times} × {event} {match or ''}")
        return found()[times - 1]

    def _wait(self, condition: Callable[[], bool], timeout: float, what: str) -> None:
        until = time.monotonic() + timeout
        with self._changed:
            while not condition():
                if not self._changed.wait(min(0.5, max(0.0, until - time.monotonic()))):
                    self._check()
                    if time.monotonic() >= until:
                        raise LabError(f"Waited {timeout} s for {what}, which did not happen.")

    def state(self) -> dict[str, Any]:
        state: dict[str, Any] = self.do("state")
        return state

    def sensors(self) -> dict[str, dict[str, Any]]:
        """The state of each sensor, by address."""
        return {sensor["address"]: sensor for sensor in self.state()["sensors"]}

    def stop(self) -> None:
        processes.stop(self._process, timeout=0.5)
