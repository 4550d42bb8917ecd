"""Measurements of the time that a building takes on the real stack: with roboprov, and with a script for the same job that uses
bleak and bleak-retry-connector (`clients/building_script.py`)."""

import functools
import hashlib
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest
from lab import guest_image
from lab.lab import CLIENTS, Lab
from scenarios.building import NETWORKS, Building, SensorRoom
from scenarios.scenario import Place, install_roboprov

from . import stages

pytestmark = pytest.mark.measure

ROOMS = 40
REPETITIONS = 3
PLACES: list[Place] = [(10, 4), (0, 0), (21, 9)]  # of the adapters; each room is in the range of the first
ONE, ALL = ["hci0"], ["hci0", "hci1", "hci2"]
REQUIREMENTS = guest_image.PROJECT / "Tests/RadioLab/script-requirements.txt"
GUEST_PYTHON = "3.11"  # Debian 12's
_PLACE = "/tmp/script"  # in the guest, in memory
# On the guest's own disk, as on a laptop: over the share a synced line of the journal takes milliseconds, which slows the run.
_REPORTS = "/var/reports"
# The script makes as many links at once on each adapter as the lab's chips hold. With more it loses time by refused connections
# (`measure_script`): with seven it takes 26 to 31 s on one adapter, and 27 s on three.
AT_ONCE = 5


Way = Callable[[Lab, Building], dict[str, Any]]  # provisions the building in the lab, and returns the measurements

# --- The programs ---


def _libraries() -> pathlib.Path:
    """The script's libraries for the guest's Python, from PyPI; installed once."""
    made = guest_image.BUILD / f"script-{hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()[:16]}"
    if not made.exists():
        half = made.with_suffix(".part")
        shutil.rmtree(half, ignore_errors=True)
        platforms = [f"--platform=manylinux{name}_x86_64" for name in ("2014", "_2_17", "_2_28", "_2_34")]
        subprocess.run(
            [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--target", half,
             "--only-binary=:all:", "--python-version", GUEST_PYTHON, *platforms, "--requirement", REQUIREMENTS],
            check=True,
        )  # fmt: skip
        half.rename(made)
    return made


def _install_script(lab: Lab) -> None:
    """Installs the script on the guest's own disk; from the share, its imports would be read page by page."""
    shutil.make_archive(str(lab.share / "script"), "tar", _libraries())
    for file in CLIENTS.glob("building_*.py"):
        shutil.copy(file, lab.share)
    unpack = f"mkdir {_PLACE} && tar -xf /lab/share/script.tar -C {_PLACE} && cp /lab/share/building_*.py {_PLACE}"
    lab.run("sh", "-c", unpack, timeout=120).must()
    lab.run("python3", "-m", "compileall", "-q", _PLACE, timeout=300)


def _script(lab: Lab, building: Building, adapters: list[str], at_once: int) -> dict[str, Any]:
    rooms = []
    for room in building.rooms:
        assert isinstance(room, SensorRoom)
        ssid, password = NETWORKS[room.wifi] if room.wifi else (None, None)
        rooms.append({"address": room.address, "room": room.name, "minor": room.minor, "ssid": ssid, "password": password})
    job = {"adapters": adapters, "at_once": at_once, "rooms": rooms}
    (lab.share / "job.json").write_text(json.dumps(job))
    command = ["python3", f"{_PLACE}/building_script.py", "bleak", "/lab/share/job.json"]
    done = lab.agent.run(*command, timeout=900, env={"DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/run/dbus/system_bus_socket"}).must()
    result = json.loads(done.out.splitlines()[-1])
    # The time to load its libraries does not count: under emulation it takes seconds.
    return {
        "seconds": result["seconds"],
        "cpu": result["cpu_seconds"],
        "failures": result["failures"],
        "stages": result["stages"],
    }


def _roboprov(lab: Lab, _building: Building, *options: str) -> dict[str, Any]:
    lab.run("rm", "-rf", _REPORTS).must()
    done = lab.run(
        "busybox", "time", "-p", "roboprov", "apply", "building.yaml", "--yes", "--reports", _REPORTS, *options,
        timeout=900,
    )  # fmt: skip
    usage = dict(line.split() for line in done.err.splitlines() if line.startswith(("real ", "user ", "sys ")))
    lab.run("cp", f"{_REPORTS}/radio-lab/latest/journal.jsonl", "/lab/share").must()
    journal = lab.share / "journal.jsonl"
    spans = stages.spans(str(journal))
    failures = [
        f"{event['data']['room']}: {event['data']['failure']['code']}"
        for event in map(json.loads, journal.read_text().splitlines())
        if event["kind"] == "attempt_ended" and "failure" in event["data"]
    ]
    return {
        "seconds": float(usage["real"]), "cpu": float(usage["user"]) + float(usage["sys"]), "failures": failures,
        "stages": {name: [len(values), statistics.median(values), max(values)] for name, values in spans.items()},
    }  # fmt: skip


# --- The comparison ---


def _reset(lab: Lab, building: Building) -> None:
    """Resets the sensors to the factory state, and starts bluetoothd without stored devices."""
    for room in building.rooms:
        lab.radio.do("reset", address=room.address)
    lab.bluetoothd("stop")
    lab.run("sh", "-c", "rm -rf /var/lib/bluetooth/*").must()
    lab.bluetoothd("start")
    lab.wait_for_adapters()
    time.sleep(1.0)


def _furnished(lab: Lab, faults: list[dict[str, Any]]) -> Building:
    # Chips that report each advertisement once, for any number of devices. Chips with a smaller memory make two thousand
    # reports a second from 40 sensors at three adapters, more than an emulated bluetoothd can process
    # (docs/internals/bluez.md).
    for number in range(len(PLACES)):
        lab.unplug(number)
        lab.run("sleep", "1")
        lab.plug(number, duplicates="by_data", memory=1000)
        lab.run("sh", "-c", f"until [ -e /sys/class/bluetooth/hci{number} ]; do usleep 20000; done").must()
    lab.wait_for_adapters()
    building = Building(ROOMS)
    for number, fault in enumerate(faults):
        building.rooms[7 + 10 * number].faults = fault
    lab.radio.do("add", sensors=building.sensors)
    (lab.share / "building.yaml").write_text(building.manifest)
    install_roboprov(lab)
    _install_script(lab)
    return building


def _held_up(lab: Lab) -> str:
    guest = float(lab.run("cat", "/run/held-up").must().out)
    return f"held up at most: the guest {guest:.1f} s, the radio {lab.radio.state()['held_up']:.1f} s"


def _compare(ways: dict[str, Way], repetitions: int, faults: list[dict[str, Any]] | None = None) -> None:
    """Measures each way `repetitions` times, in turn, in one guest, and prints the table of medians."""
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in ways}
    with Lab(PLACES) as lab:
        building = _furnished(lab, faults or [])
        for repetition in range(repetitions):
            for name, way in ways.items():
                _reset(lab, building)
                one = way(lab, building)
                sensors = lab.radio.sensors()
                one["done"] = sum(room.is_done(sensors[room.address]) for room in building.rooms)
                found[name].append(one)
                print(
                    f"  {repetition + 1}: {name:44} {one['done']} of {ROOMS} in {one['seconds']:6.1f} s,"
                    f" {one['cpu']:5.1f} s of CPU, {len(one['failures'])} attempts failed {sorted(set(one['failures']))[:4]},"
                    f" load {os.getloadavg()[0]:.1f}",
                    flush=True,
                )  # fmt: skip
        print(_held_up(lab))
    print(f"\n{'':44} {'devices/min':>11}  {'s (each run)':26} {'CPU s':>6} {'failed attempts':>15}")
    for name, runs in found.items():
        pace = statistics.median(60 * run["done"] / run["seconds"] for run in runs)
        each = " ".join(f"{run['seconds']:.0f}" for run in runs)
        print(
            f"{name:44} {pace:11.1f}  {each:26} {statistics.median(run['cpu'] for run in runs):6.1f}"
            f" {sum(len(run['failures']) for run in runs):15}"
        )
    print("\nstages, median s (of the last run):")
    for name, runs in found.items():
        summary = ", ".join(f"{stage} {n} × {middle:.2f}" for stage, (n, middle, _) in runs[-1]["stages"].items())
        print(f"{name}: {summary}", flush=True)


def _ways() -> dict[str, Way]:
    return {
        "roboprov, 1 adapter, one after the other": lambda lab, building: _roboprov(
            lab, building, "--parallel", "1", "--adapter", "hci0"
        ),
        "roboprov, 1 adapter": lambda lab, building: _roboprov(lab, building, "--adapter", "hci0"),
        "roboprov, 3 adapters": _roboprov,
        f"script, 1 adapter, {AT_ONCE} at once": functools.partial(_script, adapters=ONE, at_once=AT_ONCE),
        f"script, 3 adapters, {AT_ONCE} at once on each": functools.partial(_script, adapters=ALL, at_once=AT_ONCE),
    }


def _ways_on_all() -> dict[str, Way]:
    return {name: way for name, way in _ways().items() if "3 adapters" in name}


def measure_building() -> None:
    """40 rooms with roboprov on one adapter (one device after the other, and in parallel) and on three, and with a script for
    the same job; in turn, with one seed."""
    _compare(_ways(), REPETITIONS)


def measure_faulty_building() -> None:
    """The same on three adapters with four sensors out of 40 that cannot be written, each for a different reason."""
    _compare(_ways_on_all(), REPETITIONS, [{"dead": True}, {"mute": True}, {"drop_at_write": 3}, {"save_error": "no space"}])


def measure_building_beside_load() -> None:
    """Pairs of roboprov and the script on three adapters, beside whatever else this machine does; prints its load."""
    _compare(_ways_on_all(), 3)


def measure_script() -> None:
    """The best number of devices at once on each adapter for the script."""
    ways: dict[str, Way] = {
        f"script, {len(adapters)} adapters, {at_once} at once on each": functools.partial(
            _script, adapters=adapters, at_once=at_once
        )
        for adapters in (ONE, ALL)
        for at_once in (1, 2, 3, 5, 7)
    }
    _compare(ways, 1)
