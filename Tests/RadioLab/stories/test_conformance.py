"""What every `Central` must do, BlueZ's does on the real BlueZ: `bluez-conformance` examines it in the guest, with the
same checks that the virtual ones are held to. What a check wants done to the world it asks of this story."""

import json
import os
import pathlib
import subprocess
import time

from lab import guest_image
from lab.agent import Running
from lab.lab import adapter_address
from lab.radio.robo_sensor import ATTRIBUTES

from .story import Story

PROGRAM = pathlib.Path(os.environ.get("BLUEZ_CONFORMANCE", guest_image.PROJECT / ".build/release/bluez-conformance"))

# The sensors of `ConformanceScenario`.
FAULTS = {
    1: {},
    2: {},  # is silenced when it has been heard
    3: {"renamed": "ssid"},  # until its update
    4: {"drop_at_request": 4},
    5: {"no_notify": True},
    6: {"reject": "minor", "reject_code": 0x80},
    7: {"dead": True},
}

_PATIENCE = 120  # s, for the slowest check


def sensor_address(number: int) -> str:
    return f"C4:7C:8D:00:00:{number:02X}"


class Conformance(Story):
    # The first two are examined. The third is the dongle that takes hci0 when the first shall come back as hci2.
    places = [(0, 0), (0.5, 0), (0, 0.5)]
    rooms = 0
    propagation = {"shadowing": 0, "loss": 0}  # A contract is not examined by chance.
    needs_roboprov = False

    def test_the_contract_of_central(self) -> None:
        if not PROGRAM.exists():
            self.fail(f"There is no {PROGRAM}: `make test-radio` builds it.")
        subprocess.run(["strip", "-o", self.lab.share / "bluez-conformance", PROGRAM], check=True)
        self.lab.run("cp", "/lab/share/bluez-conformance", "/usr/bin/bluez-conformance").must()
        self.plugged = {0, 1, 2}
        # For whoever looks into one of them: the beginnings of some checks' descriptions, with `;` between.
        chosen = [name for name in os.environ.get("CONFORMANCE_CHECKS", "").split(";") if name]

        examiner = self.lab.agent.start("/usr/bin/bluez-conformance", *chosen, talks=True)
        plan = json.loads(self._next(examiner))["checks"]
        self.assertGreater(len(plan), 0)
        findings = [self._attend(examiner) for _ in plan]
        self.assertEqual([finding["check"] for finding in findings], plan)
        for finding in findings:
            with self.subTest(check=finding["check"]):
                self.assertIsNone(finding["failure"])
        self.assertEqual(examiner.wait().code, 0)

    def _next(self, examiner: Running) -> str:
        line = examiner.line(_PATIENCE)
        if line is None:
            self.fail(f"The examiner has ended: {examiner.err}")
        return line

    def _attend(self, examiner: Running) -> dict:
        """Does as a check asks until it has found something."""
        while True:
            word = json.loads(self._next(examiner))
            if "ask" not in word:
                print(f"  {word['seconds']:5.1f} s  {word['check']}{': ' + word['failure'] if word.get('failure') else ''}", flush=True)
                return {"failure": None, **word}
            answer = getattr(self, f"_{word['ask']}")(word.get("address"), word.get("isOn"), word.get("name"))
            examiner.say(json.dumps({"id": word["id"], **(answer or {})}) + "\n")

    # --- The beginning ---

    def _begin(self, *_) -> None:
        """Nobody has been here before: a new bluetoothd that remembers nothing, two adapters, sensors from the factory."""
        self.bluetoothd("stop")
        self.lab.run("sh", "-c", "rm -rf /var/lib/bluetooth/*").must()
        for number in sorted(self.plugged):
            self.lab.unplug(number)
        self.plugged = set()
        known = self.lab.radio.sensors()
        for address in known:
            self.lab.radio.do("power", address=address, on=False)
        self.bluetoothd("start")
        for number in (0, 1):
            self._plug(adapter_address(number), True, f"hci{number}")
            (self.lab.share / "adapters").write_text(adapter_address(number))
            self.client("power_on.py").must()
        sensors = [
            {"address": sensor_address(number), "place": [1, 0], "faults": faults} for number, faults in FAULTS.items()
        ]
        self.lab.radio.do("add", sensors=sensors)

    # --- What is asked for ---

    def _power(self, address: str, on: bool, _) -> None:
        self.client("power.py", address, "on" if on else "off").must()

    def _plug(self, address: str, present: bool, name: str | None) -> None:
        number = int(address[-2:], 16)
        if not present:
            self.lab.unplug(number)
            self.plugged.discard(number)
            return
        if name == "hci2":
            self.lab.plug(2)
            self.plugged.add(2)
            self._await_name("hci0")
        self.lab.plug(number)
        self.plugged.add(number)
        if name:
            self._await_name(name)

    def _await_name(self, name: str) -> None:
        until = time.monotonic() + 20
        while self.lab.run("test", "-e", f"/sys/class/bluetooth/{name}").code != 0:
            self.assertLess(time.monotonic(), until, f"no {name}")

    def _drop(self, address: str, *_) -> None:
        self.lab.radio.do("power", address=address, on=False)

    _silence = _drop

    def _update(self, address: str, *_) -> None:
        self.lab.radio.do("change", address=address, faults={})
        self.lab.radio.do("power", address=address, on=True)

    def _links(self, address: str | None, *_) -> dict:
        adapters = self.lab.radio.state()["adapters"]
        return {"number": sum(a["connections"] for a in adapters if address in (None, a["address"]))}

    def _attempts(self, address: str, *_) -> dict:
        """An adapter that neither discovers nor connects does not listen: BlueZ connects to whom it hears."""
        return {"number": int(self._adapter(address)["listening"])}

    def _discovering(self, address: str, *_) -> dict:
        return {"number": int(self._adapter(address)["scanning"])}

    def _adapter(self, address: str) -> dict:
        return next(a for a in self.lab.radio.state()["adapters"] if a["address"] == address)

    def _writes(self, address: str, *_) -> dict:
        writes = self.lab.radio.sensors()[address]["writes"]
        return {
            "writes": [
                {"characteristic": ATTRIBUTES[write["attribute"]].to_hex_str("-"), "value": list(bytes.fromhex(write["value"]))}
                for write in writes
            ]
        }
