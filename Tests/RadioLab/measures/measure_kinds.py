"""Measurements of the pace of roboprov with 40 devices of a kind, beside the pace of 40 of another kind and of both at once."""

import collections
import json
import os
import statistics
from collections.abc import Callable
from typing import Any

import pytest
from lab.lab import Lab
from scenarios.building import Building, EspRoom, PairedEspRoom, Room, SensorRoom, ShellyRoom, SocketRoom
from scenarios.families import ADAPTER, at
from scenarios.scenario import LOSSLESS, install_roboprov

pytestmark = [pytest.mark.measure, pytest.mark.setting(places=ADAPTER, rooms=0, propagation=LOSSLESS)]

COUNT = 40  # rooms of each kind

Kinds = dict[str, Callable[[int], Room]]
Groups = dict[str, list[Room]]


def _attempts(events: list[dict[str, Any]], rooms: list[Room]) -> str:
    """The attempts at these rooms: the time of those that succeeded, the failures of the others, and the end of the last."""
    names = {room.name for room in rooms}
    ids = {room["room"] for room in events[0]["data"]["rooms"] if room["name"] in names}
    ended = [event for event in events if event["kind"] == "attempt_ended" and event["data"]["room"] in ids]
    times = [event["data"]["seconds"] for event in ended if "failure" not in event["data"]]
    failures = collections.Counter(event["data"]["failure"]["code"] for event in ended if "failure" in event["data"])
    summary = f"{statistics.median(times):.2f} ({max(times):.2f}) s" if times else "none"
    return f"attempt {summary}, the last ended after {ended[-1]['elapsed_us'] / 1e6:.0f} s, failed: {dict(failures)}"


def _run(lab: Lab, everyone: Groups, names: list[str], number: int) -> None:
    """A run on the rooms of these kinds, whose devices are in their factory state; the others are off. bluetoothd has stored
    nothing."""
    for name, group in everyone.items():
        for room in group:
            if name in names:
                lab.radio.do("reset", address=room.address)
            else:
                lab.radio.do("power", address=room.address, on=False)
    lab.bluetoothd("stop")
    lab.run("sh", "-c", "rm -rf /var/lib/bluetooth/*").must()
    lab.bluetoothd("start")
    lab.wait_for_adapters()
    building = Building(0)
    building.rooms = [room for name in names for room in everyone[name]]
    for file, text in building.files.items():
        (lab.share / file).write_text(text)
    reports = f"reports-{number}"
    done = lab.agent.run(
        "roboprov", "apply", "building.yaml", "--yes", "--reports", f"/lab/share/{reports}",
        timeout=1800, env={"HOME": "/root", "TMPDIR": "/tmp"},
    )  # fmt: skip
    assert done.code in (0, 100), done.err
    sensors = lab.radio.sensors()
    right = sum(room.is_done(sensors[room.address]) for room in building.rooms)
    journal = lab.share / reports / "radio-lab/latest/journal.jsonl"
    events = [json.loads(line) for line in journal.read_text().splitlines()]
    print(
        f"{' and '.join(names)}: {right} of {len(building.rooms)} in {done.seconds:.0f} s,"
        f" {60 * right / done.seconds:.1f} a minute (exit {done.code}, load {os.getloadavg()[0]:.0f})",
        flush=True,
    )
    for name in names:
        print(f"    {name}: {_attempts(events, everyone[name])}", flush=True)


def _compare(lab: Lab, kinds: Kinds) -> None:
    """Runs on each kind, and on the last two at once, in one guest."""
    install_roboprov(lab)
    everyone: Groups = {
        name: [kind(COUNT * place + number) for number in range(COUNT)] for place, (name, kind) in enumerate(kinds.items())
    }
    lab.radio.do("add", sensors=[room.sensor for group in everyone.values() for room in group])
    print(f"bluetoothd {lab.guest.bluez}, {len(lab.places)} adapter")
    for number, names in enumerate([*([name] for name in kinds), list(kinds)[-2:]]):
        _run(lab, everyone, names, number)
    guest = float(lab.run("cat", "/run/held-up").must().out)
    print(f"held up at most: the guest {guest:.1f} s, the radio {lab.radio.state()['held_up']:.1f} s")


def measure_kinds_that_pair(lab: Lab) -> None:
    """40 ESP-IDF devices that pair by Just Works beside 40 that do not, and 40 wall sockets that pair by a passkey."""
    kinds: Kinds = {
        "socket, passkey": lambda number: at(SocketRoom, number),
        "ESP-IDF": lambda number: at(EspRoom, number),
        "ESP-IDF, Just Works": lambda number: at(PairedEspRoom, number),
    }
    _compare(lab, kinds)


def measure_kinds_with_shellys(lab: Lab) -> None:
    """40 Shellys beside 40 Robo Sensors."""
    kinds: Kinds = {"Robo Sensor": lambda number: at(SensorRoom, number), "Shelly": lambda number: at(ShellyRoom, number)}
    _compare(lab, kinds)
