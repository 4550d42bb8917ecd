"""Code for all test cases: roboprov in the guest of a lab, its reports and records, and the checks of its claims."""

import json
import os
import pathlib
import re
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from lab import guest_image
from lab.agent import Done, Running
from lab.errors import LabError
from lab.lab import Lab

from .building import NETWORKS, BeaconRoom, Building, SensorRoom

ROBOPROV = pathlib.Path(os.environ.get("ROBOPROV", guest_image.PROJECT / ".build/release/roboprov"))

Place = tuple[float, float]  # m

SUCCESS = ("provisioned", "provisioned_after_retry")
DONE = (*SUCCESS, "already_provisioned")
# The radio loses no packet and no device is out of range: an attempt that fails does not fail because of the radio.
LOSSLESS: dict[str, float] = {"exponent": 1.6, "shadowing": 1, "loss": 0, "half_lost": -130}
ONE_ADAPTER: list[Place] = [(6, 3)]
# Failure codes of the host: these attempts do not count against a device's retries.
HOST_FAILURES = ("adapter_lost", "stack_lost", "host_paused", "unknown_to_stack", "out_of_slots")
REPORTS = ("--reports", "/lab/share/reports")


@dataclass(frozen=True)
class Setting:
    """The requirements of a test case: the arguments of `pytest.mark.setting`."""

    # The first adapter is in the middle of the building and reaches every room; the others are at its ends.
    places: Sequence[Place] = ((10, 4), (0, 0), (21, 9))
    rooms: int = 12
    seed: int = 1
    propagation: dict[str, float] = field(default_factory=dict)  # of `lab.radio.air.Propagation`
    chips: Sequence[str] = ()  # of the adapters, by their names in `lab.chips`; an adapter without one has the default
    bluetoothd_options: str = ""  # in addition to Debian's own
    prepare: Callable[[Building], None] | None = None  # changes the building before its devices are switched on


def install_roboprov(lab: Lab) -> None:
    if not ROBOPROV.exists():
        raise LabError(f"There is no {ROBOPROV}: `make release` builds it.")
    # Without symbols: under emulation the guest needs time for each page of the program.
    subprocess.run(["strip", "-o", lab.share / "roboprov", ROBOPROV], check=True)
    lab.run("sh", "-c", "cp /lab/share/roboprov /usr/bin/roboprov && chmod 755 /usr/bin/roboprov").must()


class Scenario:
    """roboprov at work in a lab."""

    def __init__(self, lab: Lab, building: Building, subtests: pytest.Subtests) -> None:
        self.lab = lab
        self.building = building
        self.subtests = subtests
        self.output: list[str] = []
        self.environment = {"HOME": "/root", "TMPDIR": "/tmp"}

    # --- Running roboprov ---

    def start(self, *arguments: str) -> Running:
        return self.lab.agent.start("roboprov", *arguments, env=self.environment)

    def start_apply(self, *options: str) -> Running:
        return self.start("apply", "building.yaml", "--yes", *REPORTS, *options)

    def finish(self, running: Running, timeout: float = 600) -> Done:
        done = running.wait(timeout)
        self.output += [done.out, done.err]
        return done

    def apply(self, *options: str, timeout: float = 600) -> Done:
        return self.finish(self.start_apply(*options), timeout)

    # --- Reports and record ---

    @property
    def latest(self) -> pathlib.Path:
        return self.lab.share / "reports/radio-lab/latest"

    def report(self) -> dict[str, dict[str, Any]]:
        """The rooms of the latest report, by name. Each room of the building must be there once."""
        report = json.loads((self.latest / "report.json").read_text())
        assert report["schema"] == "roboprov/report/1"
        assert sorted(room["room"] for room in report["rooms"]) == sorted(room.name for room in self.building.rooms)
        return {room["room"]: room for room in report["rooms"]}

    def events(self, *kinds: str) -> list[dict[str, Any]]:
        """The events of the latest run with these kinds, or all. A killed run may leave a torn last line."""
        events = []
        for line in (self.latest / "journal.jsonl").read_text().splitlines():
            try:
                events.append(json.loads(line))
            except ValueError:
                break
        return [event for event in events if not kinds or event["kind"] in kinds]

    def charges(self) -> list[str]:
        """Attempts of the latest run that count against a device: those that failed for another reason than the host's, and
        the retries after them."""
        events = self.events()
        names = {room["room"]: room["name"] for room in events[0]["data"]["rooms"]}
        found: list[str] = []
        last_code: dict[str, str | None] = {}
        for event in events:
            data, kind = event["data"], event["kind"]
            room = names.get(data.get("room"), "")
            if kind == "attempt_ended":
                failure = data.get("failure") or {}
                last_code[room] = failure.get("code")
                if failure and failure["code"] not in (*HOST_FAILURES, "interrupted"):
                    text = failure.get("stack_text") or ""
                    summary = f"{room}: attempt {data['number']} {failure['code']} after {data['seconds']:.3f} s {text}"
                    found.append(summary.strip())
            elif kind == "retry_scheduled" and last_code.get(room) not in (*HOST_FAILURES, None):
                found.append(f"{room}: retry after {last_code[room]}")
        return found

    # --- Checks ---

    def check_nothing_charged(self) -> None:
        assert self.charges() == []

    def check_reports_are_true(self) -> dict[str, dict[str, Any]]:
        """The flash of each device matches what the report claims, and no device has a value of another room. Returns the
        rooms of the report."""
        report, sensors = self.report(), self.lab.radio.sensors()
        for room in self.building.rooms:
            claimed, sensor = report[room.name], sensors[room.address]
            outcome = claimed["outcome"]
            with self.subtests.test(room=room.name, outcome=outcome, reason=claimed["reason"]):
                if outcome in DONE:
                    assert room.is_done(sensor), sensor
                    assert claimed["address"] == room.address
                if outcome in SUCCESS:
                    evidence = claimed["evidence"]
                    assert evidence["grade"] in room.grades
                    assert evidence["address"] == room.address
                    if isinstance(room, SensorRoom | BeaconRoom):
                        assert evidence["identity"].endswith(f", minor {room.minor}")
                elif room.is_touched(sensor) and outcome != "already_provisioned":
                    assert outcome in ("unconfirmed", "action_required", "failed", "cancelled")
        self.check_no_mixture(sensors)
        return report

    def check_no_mixture(self, sensors: dict[str, dict[str, Any]]) -> None:
        """Every write to a device belongs to its own room, and devices of no room are left alone."""
        for room in self.building.rooms:
            for write in sensors[room.address]["writes"]:
                with self.subtests.test(room=room.name, attribute=write["attribute"]):
                    assert room.fits(write), write
        for device in self.building.unassigned:
            sensor = sensors[device["address"]]
            assert (sensor["connections"], sensor["writes"]) == (0, []), device

    def check_all_done(self) -> dict[str, dict[str, Any]]:
        report = self.check_reports_are_true()
        assert {name: room["reason"] for name, room in report.items() if room["outcome"] not in DONE} == {}
        return report

    def check_all_provisioned(self) -> dict[str, dict[str, Any]]:
        """All rooms were provisioned by this run, not by an earlier one."""
        report = self.check_all_done()
        assert {room["outcome"] for room in report.values()} <= set(SUCCESS)
        return report

    def check_outcomes(self, report: dict[str, dict[str, Any]], expected: dict[str, set[str]]) -> None:
        """The outcome of each room is one of those expected, by default a success."""
        for room in self.building.rooms:
            claimed = report[room.name]
            with self.subtests.test(room=room.name, profile=room.profile, faults=room.faults, reason=claimed["reason"]):
                assert claimed["outcome"] in expected.get(room.name, set(SUCCESS))

    def check_clean(self) -> None:
        """roboprov left nothing in BlueZ: no connection, no stored device, no discovery, no running process."""
        links = {a["address"]: a["connections"] for a in self.lab.radio.state()["adapters"] if a["connections"]}
        assert links == {}, "connections left open"
        # bluetoothd rewrites its cache all the time, so `find` may miss a file that it listed.
        find = "find /var/lib/bluetooth -name info 2>/dev/null; true"
        stored = self.lab.run("sh", "-c", find).must().out.split()
        assert stored == [], "devices left in bluetoothd's storage"
        assert self.lab.run("pidof", "roboprov").out.strip() == "", "roboprov left running"
        assert "Discovering" not in self.lab.client("objects.py").must().out

    def check_secrets(self) -> None:
        """No password and no passkey is in anything that roboprov printed or wrote."""
        texts = {"its output": "".join(self.output)}
        for file in (self.lab.share / "reports").rglob("*"):
            if file.is_file():
                texts[str(file)] = file.read_text(errors="replace")
        assert len(texts) > 3
        for place, text in texts.items():
            for _, password in NETWORKS.values():
                assert password not in text, place
            # Six digits may be part of a time or of another number.
            shown = [passkey for passkey in self.building.passkeys if re.search(rf"(?<![\d.]){passkey}(?!\d)", text)]
            assert shown == [], place
