"""Tests of the lab itself, on which all its results depend."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import time
from typing import Any
from unittest import mock

import pytest
from lab import guests
from lab.lab import Lab, adapter_address
from lab.machine import oops_in
from lab.radio_client import Radio

from .building import Building, SensorRoom

RADIO_LAB = pathlib.Path(__file__).resolve().parents[1]
forty_rooms = pytest.mark.setting(rooms=40)


@forty_rooms
def test_three_adapters_receive_forty_sensors_with_different_rssi(lab: Lab, building: Building) -> None:
    # A report whose scan response is lost reaches bluetoothd with the next one or not at all: one start may miss some.
    received = json.loads(lab.client("scan.py", "12", "{}", "4").must().out)
    everything = {room.address for room in building.rooms}
    assert sorted(received) == [adapter_address(number) for number in range(3)]
    for adapter, sensors in received.items():
        assert set(sensors) == everything, adapter
        assert {sensor["name"] for sensor in sensors.values()} == {"Robo Sensor"}
    # A sensor beside one adapter, and at the far end of the corridor for another adapter.
    near, far = (received[adapter_address(number)][building.rooms[0].address]["rssi"] for number in (1, 2))
    assert near > far + 8


@forty_rooms
def test_a_plain_client_provisions(lab: Lab, building: Building, radio: Radio) -> None:
    minors = {room.address: room.minor for room in building.rooms[:4] if isinstance(room, SensorRoom)}
    orders = [f"{address}={minor}" for address, minor in minors.items()]
    print(lab.client("provision.py", adapter_address(0), *orders, timeout=240).must().out)
    sensors = radio.sensors()
    for address, minor in minors.items():
        held = {"ssid": "Office", "password": "correct horse", "room": f"Room {minor}", "minor": minor}
        assert sensors[address]["flash"] == held
        assert sensors[address]["life"] == "beacon"
    for room in building.rooms[4:]:
        assert sensors[room.address]["writes"] == []


@forty_rooms
def test_adapters_are_unplugged_and_plugged_in(lab: Lab) -> None:
    def wait_for(*numbers: int) -> None:
        until = time.monotonic() + 30
        wanted = {adapter_address(number) for number in numbers}
        while (known := {line.split()[1] for line in lab.run("bluetoothctl", "list").must().out.splitlines()}) != wanted:
            assert time.monotonic() < until, f"bluetoothd knows {known}"

    for number in (0, 1):
        lab.unplug(number)
    wait_for(2)
    lab.plug(1)
    wait_for(1, 2)
    lab.plug(0)
    wait_for(0, 1, 2)
    listing = lab.run("sh", "-c", "for a in /sys/class/bluetooth/hci?; do basename $a; done").must().out
    assert listing.split() == ["hci0", "hci1", "hci2"]


@pytest.mark.parametrize(
    ("console", "oops"),
    [
        (
            "[    4.71] BUG: kernel NULL pointer dereference, address: 0000000000000070\n[    4.71] #PF: supervisor",
            "BUG: kernel NULL pointer dereference, address: 0000000000000070",
        ),
        (
            "[    3.10] general protection fault, probably for non-canonical address 0xdead000000000122: 0000 [#1] SMP",
            "general protection fault, probably for non-canonical address 0xdead000000000122: 0000 [#1] SMP",
        ),
        ("[    3.20] Oops: 0002 [#1] PREEMPT SMP NOPTI", "Oops: 0002 [#1] PREEMPT SMP NOPTI"),
        ("[    9.99] kernel BUG at net/bluetooth/hci_core.c:2745!", "kernel BUG at net/bluetooth/hci_core.c:2745!"),
        (
            "[    1.50] Kernel panic - not syncing: Attempted to kill init!",
            "Kernel panic - not syncing: Attempted to kill init!",
        ),
        ("[    0.93] Invalid ELF header magic: != \x7fELF\n[    2.01] Bluetooth: hci0: unexpected event", None),
        ("", None),
    ],
    ids=["null-dereference", "protection-fault", "oops", "bug", "panic", "harmless", "empty"],
)
def test_what_counts_as_a_broken_kernel(console: str, oops: str | None) -> None:
    assert oops_in(console) == oops


def test_another_kernel_is_used_when_one_breaks_as_an_adapter_appears(tmp_path: pathlib.Path) -> None:
    """The first kernel works here, but the test case writes a sign of an oops to its console; the second must be used."""
    good, other = guests.chosen().kernels[:2]
    real, broken = Lab.plug, tmp_path / "broken-kernels"
    written: list[str] = []

    def plug(lab: Lab, number: int, **settings: Any) -> None:
        if lab.machine.kernel == good:
            written.append(good)
            lab.run("sh", "-c", "echo 'BUG: kernel NULL pointer dereference' >/dev/console").must()
        real(lab, number, **settings)

    with mock.patch.object(Lab, "plug", plug), mock.patch("lab.lab._BROKEN", broken), Lab([(0, 0)]) as lab:
        assert (written, lab.machine.kernel) == ([good], other)
        assert other.removeprefix("linux-image-").removesuffix("-amd64") in lab.run("uname", "-r").out
    assert broken.read_text().split() == [f"{lab.guest.release}/{good}"], "it is recorded"


def start_python(script: str, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", script, *arguments]
    return subprocess.Popen(command, cwd=RADIO_LAB, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def read_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline()


TAKE_TURN = """
import pathlib, sys, time
from lab.turns import Turn
turn = Turn(pathlib.Path(sys.argv[1]), places=1)
print('mine', flush=True)
time.sleep(600)
"""


def test_labs_take_turns_and_the_death_of_one_releases_its_place(tmp_path: pathlib.Path) -> None:
    first = start_python(TAKE_TURN, str(tmp_path))
    assert read_line(first) == "mine\n"
    second = start_python(TAKE_TURN, str(tmp_path))
    assert second.stderr is not None
    assert "waiting for another lab" in second.stderr.readline()
    first.kill()
    first.communicate()
    assert read_line(second) == "mine\n"
    second.kill()
    second.communicate()


START_LAB = """
import time
from lab.lab import Lab
with Lab([(0, 0)]) as lab:
    print(lab.folder, flush=True)
    time.sleep(600)
"""


def test_no_process_of_a_lab_survives_its_owner() -> None:
    owner = start_python(START_LAB)
    folder = read_line(owner).strip()
    assert folder, owner.communicate()
    assert len(processes_that_name(folder)) == 2, "the machine and the radio"
    os.kill(owner.pid, signal.SIGKILL)
    owner.communicate()
    until = time.monotonic() + 10
    while left := processes_that_name(folder):
        assert time.monotonic() < until, f"still running: {left}"
        time.sleep(0.05)


def processes_that_name(folder: str) -> list[str]:
    """The command lines that contain this text."""
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes().decode(errors="replace")
            state = (process / "stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if folder in command and state != "Z" and int(process.name) != os.getpid():
            found.append(command.replace("\0", " "))
    return found
