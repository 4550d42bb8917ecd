"""The checks of the `Central` contract on the real BlueZ: `bluez-conformance` runs in the guest, with the same checks that the
virtual implementations pass. It requests each change of the world outside from this test case."""

import json
import os
import pathlib
import subprocess
import time
from collections.abc import Callable
from typing import Any

import pytest
from lab import guest_image
from lab.agent import Running
from lab.lab import Lab, adapter_address
from lab.radio.robo_sensor import ATTRIBUTES

PROGRAM = pathlib.Path(os.environ.get("BLUEZ_CONFORMANCE", guest_image.PROJECT / ".build/release/bluez-conformance"))

# The sensors of `ConformanceScenario`.
FAULTS: dict[int, dict[str, Any]] = {
    1: {},
    2: {},  # is switched off once it was received
    3: {"renamed": "ssid"},  # until its update
    4: {"drop_at_request": 4},
    5: {"no_notify": True},
    6: {"reject": "minor", "reject_code": 0x80},
    7: {"dead": True},
}

# Those of `ConformanceScenario.pairing`.
PAIRING: dict[int, dict[str, Any]] = {
    11: {"pairing": {}},
    12: {"pairing": {"passkey": 12345, "insists": True}},
    13: {"pairing": {}, "faults": {"refuses_pairing": True}},
    14: {"pairing": {}, "faults": {"silent_at_pairing": 1}},
}

TIMEOUT = 120  # s, for the slowest check


def sensor_address(number: int) -> str:
    return f"C4:7C:8D:00:00:{number:02X}"


# The checks use the first two adapters. The third takes the name hci0 when the first must come back as hci2. No packet is lost
# by chance.
@pytest.mark.long
@pytest.mark.setting(places=[(0, 0), (0.5, 0), (0, 0.5)], rooms=0, propagation={"shadowing": 0, "loss": 0})
def test_bluez_keeps_the_contract_of_central(lab: Lab, subtests: pytest.Subtests) -> None:
    assert PROGRAM.exists(), f"There is no {PROGRAM}: `make test-radio` builds it."
    subprocess.run(["strip", "-o", lab.share / "bluez-conformance", PROGRAM], check=True)
    lab.run("cp", "/lab/share/bluez-conformance", "/usr/bin/bluez-conformance").must()
    # Selects checks by parts of their descriptions, separated by `;`.
    chosen = [name for name in os.environ.get("CONFORMANCE_CHECKS", "").split(";") if name]

    program = lab.agent.start("/usr/bin/bluez-conformance", *chosen, talks=True)
    plan = json.loads(next_line(program))["checks"]
    assert plan
    world = World(lab)
    findings = [reply_until_finding(program, world) for _ in plan]
    assert [finding["check"] for finding in findings] == plan
    for finding in findings:
        with subtests.test(check=finding["check"]):
            assert finding["failure"] is None
    assert program.wait().code == 0


def next_line(program: Running) -> str:
    line = program.line(TIMEOUT)
    assert line is not None, f"The program has ended: {program.err}"
    return line


def reply_until_finding(program: Running, world: "World") -> dict[str, Any]:
    """Carries out the requests of one check, and returns its finding."""
    while True:
        message = json.loads(next_line(program))
        if "ask" not in message:
            failure = f": {message['failure']}" if message.get("failure") else ""
            print(f"  {message['seconds']:5.1f} s  {message['check']}{failure}", flush=True)
            return {"failure": None, **message}
        answer = world.requests[message["ask"]](message)
        program.write(json.dumps({"id": message["id"], **(answer or {})}) + "\n")


class World:
    """The world outside the guest, with a function for each request."""

    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        self.plugged = {0, 1, 2}
        self.requests: dict[str, Callable[[dict[str, Any]], dict[str, Any] | None]] = {
            "begin": self.begin,
            "power": self.power,
            "plug": self.plug,
            "drop": self.silence,
            "silence": self.silence,
            "update": self.update,
            "links": self.links,
            "attempts": self.attempts,
            "discovering": self.discovering,
            "writes": self.writes,
        }

    def begin(self, _message: dict[str, Any]) -> None:
        """Starts bluetoothd without stored devices, with two adapters and sensors in factory state."""
        self.lab.bluetoothd("stop")
        self.lab.run("sh", "-c", "rm -rf /var/lib/bluetooth/*").must()
        for number in sorted(self.plugged):
            self.lab.unplug(number)
        self.plugged = set()
        for address in self.lab.radio.sensors():
            self.lab.radio.do("power", address=address, on=False)
        self.lab.bluetoothd("start")
        for number in (0, 1):
            self.plug_in(number, f"hci{number}")
            (self.lab.share / "adapters").write_text(adapter_address(number))
            self.lab.client("power_on.py").must()
        sensors: list[dict[str, Any]] = [
            {"address": sensor_address(number), "place": [1, 0], "faults": faults} for number, faults in FAULTS.items()
        ]
        sensors.append({"address": sensor_address(8), "place": [1, 0], "family": "described"})
        sensors += [
            {"address": sensor_address(number), "place": [1, 0], "family": "keyed"} | details
            for number, details in PAIRING.items()
        ]
        self.lab.radio.do("add", sensors=sensors)

    def power(self, message: dict[str, Any]) -> None:
        self.lab.client("power.py", message["address"], "on" if message["isOn"] else "off").must()

    def plug(self, message: dict[str, Any]) -> None:
        number, name = int(message["address"][-2:], 16), message.get("name")
        if message["isOn"]:
            self.plug_in(number, name)
        else:
            self.lab.unplug(number)
            self.plugged.discard(number)

    def plug_in(self, number: int, name: str | None) -> None:
        if name == "hci2":
            self.plug_in(2, "hci0")
        self.lab.plug(number)
        self.plugged.add(number)
        if name:
            until = time.monotonic() + 20
            while self.lab.run("test", "-e", f"/sys/class/bluetooth/{name}").code != 0:
                assert time.monotonic() < until, f"no {name}"

    def silence(self, message: dict[str, Any]) -> None:
        self.lab.radio.do("power", address=message["address"], on=False)

    def update(self, message: dict[str, Any]) -> None:
        self.lab.radio.do("change", address=message["address"], faults={})
        self.lab.radio.do("power", address=message["address"], on=True)

    def links(self, message: dict[str, Any]) -> dict[str, Any]:
        address = message.get("address")
        adapters = self.lab.radio.state()["adapters"]
        return {"number": sum(a["connections"] for a in adapters if address in (None, a["address"]))}

    def attempts(self, message: dict[str, Any]) -> dict[str, Any]:
        """An adapter that neither discovers nor connects does not scan: BlueZ connects to a device once it receives it."""
        return {"number": int(self.adapter(message)["listening"])}

    def discovering(self, message: dict[str, Any]) -> dict[str, Any]:
        return {"number": int(self.adapter(message)["scanning"])}

    def adapter(self, message: dict[str, Any]) -> dict[str, Any]:
        adapters: list[dict[str, Any]] = self.lab.radio.state()["adapters"]
        return next(adapter for adapter in adapters if adapter["address"] == message["address"])

    def writes(self, message: dict[str, Any]) -> dict[str, Any]:
        writes = self.lab.radio.sensors()[message["address"]]["writes"]
        return {
            "writes": [
                {
                    "characteristic": ATTRIBUTES[write["attribute"]].to_hex_str("-"),
                    "value": list(bytes.fromhex(write["value"])),
                }
                for write in writes
            ]
        }
