"""Code for the test cases that pair: another program's agent, and what bluetoothd stores."""

import contextlib
import json
import time
from collections.abc import Callable, Iterator

from lab.agent import Running
from lab.lab import Lab, sensor_address

from .steps import FOUND, Log, add, step, steps

SPARE = sensor_address(950)
FAILED = "org.bluez.Error.AuthenticationFailed"


class Agent:
    """Another program with an agent."""

    def __init__(self, running: Running) -> None:
        self.running = running
        first = running.line(30)
        assert first is not None, running.err
        assert json.loads(first) == {"ready": True}

    @property
    def questions(self) -> list[tuple[str, str]]:
        lines = [json.loads(line) for line in self.running.out.splitlines()[1:]]
        return [(line["question"], line["device"]) for line in lines if "device" in line]


@contextlib.contextmanager
def agent(lab: Lab, capability: str, answer: str) -> Iterator[Agent]:
    """Another program with the default agent."""
    running = lab.start_client("pairing_agent.py", capability, answer, "default")
    try:
        yield Agent(running)
    finally:
        running.signal("KILL")
        running.wait(20)


def failure(log: Log, name: str) -> str:
    return str(step(log, name).get("failure", ""))


def storage(lab: Lab) -> dict[str, list[str]]:
    """The sections of what bluetoothd stores about each device."""
    lines = lab.run("sh", "-c", "cd /var/lib/bluetooth && grep -H '^\\[' */*/info; true").must().out.splitlines()
    found: dict[str, list[str]] = {}
    for line in lines:
        path, _, section = line.rpartition("/info:")
        found.setdefault(path.rpartition("/")[2], []).append(section.strip("[]"))
    return found


def keys(lab: Lab, address: str) -> set[str]:
    return {section for section in storage(lab).get(address, []) if "Key" in section}


def until(condition: Callable[[], bool], what: str, timeout: float = 60) -> None:
    end = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < end, f"waited {timeout} s for {what}"
        time.sleep(0.1)


def check_no_agent(lab: Lab) -> bool:
    """Only without any agent a device that does not ask for a passkey is refused (trap 69). False if the adapter makes no link
    at all (trap 75)."""
    add(lab, SPARE, family="keyed", pairing={})
    log = steps(lab, SPARE, *FOUND, "pair=60", "disconnect", "forget")
    lab.radio.do("power", address=SPARE, on=False)
    reached = any(line.get("Connected") for line in log)
    assert not reached or failure(log, "pair").startswith(FAILED), "an agent is left"
    return reached
