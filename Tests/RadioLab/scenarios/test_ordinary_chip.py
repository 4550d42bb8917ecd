"""Runs on adapters with ordinary chips, most of which report each device once per scan. What an earlier scan left in bluetoothd
must not hide a device."""

import json

import pytest
from lab.chips import BY_DATA, ONCE_PER_SCAN, SMALL_MEMORY, UNFILTERED
from lab.lab import adapter_address

from .scenario import LOSSLESS, Scenario

pytestmark = [pytest.mark.long, pytest.mark.setting(places=[(10, 4)], rooms=40, propagation=LOSSLESS)]


def scan(scenario: Scenario, seconds: int) -> set[str]:
    """The addresses of the devices that a scan of roboprov reports."""
    done = scenario.finish(scenario.start("scan", "--scan-time", str(seconds), "--output", "json"), timeout=120)
    assert done.code == 0, done.err
    return {device["address"] for device in json.loads(done.out)["devices"]}


@pytest.mark.parametrize(
    "chip",
    [
        pytest.param(chip, marks=pytest.mark.setting(chips=[chip]))
        for chip in (ONCE_PER_SCAN, BY_DATA, SMALL_MEMORY, UNFILTERED)
    ],
)
def test_each_of_four_scans_finds_every_device(scenario: Scenario, chip: str) -> None:
    addresses = {room.address for room in scenario.building.rooms}
    counts = [len(scan(scenario, seconds) & addresses) for seconds in (4, 4, 4, 10)]
    # Two starts, because the chip's reports during the first start may be lost (docs/internals/bluez.md).
    plain = json.loads(scenario.lab.client("scan.py", "4", "{}", "2").must().out)[adapter_address(0)]
    print(f"chip {chip}: scans found {counts}, a plain client {len(plain)}")
    assert counts == [len(addresses)] * 4
    scenario.check_clean()


@pytest.mark.setting(chips=[ONCE_PER_SCAN])
def test_a_scan_finds_every_device_after_another_client_left_its_objects(scenario: Scenario) -> None:
    """Objects that expire by themselves, and objects that stay because the client connected to the devices."""
    some = [room.address for room in scenario.building.rooms[:5]]
    scenario.lab.client("connect.py", adapter_address(0), *some, timeout=120).must()
    scenario.lab.run("bluetoothctl", "--timeout", "3", "scan", "on").must()
    counts = [len(scan(scenario, 4)), len(scan(scenario, 4))]
    print(f"after another client: {counts}")
    assert counts == [len(scenario.building.rooms)] * 2


@pytest.mark.setting(rooms=12)
def test_apply_directly_after_a_scan_charges_no_device(scenario: Scenario) -> None:
    scenario.start("scan", "--scan-time", "4").wait(120).must()
    done = scenario.apply()
    assert done.code == 0, done.err
    scenario.check_all_provisioned()
    scenario.check_nothing_charged()
    scenario.check_clean()


@pytest.mark.parametrize(
    "adapters",
    [
        pytest.param(1, marks=pytest.mark.setting(places=[(10, 22)])),
        pytest.param(3, marks=pytest.mark.setting(places=[(10, 22), (4, 8), (17, 36)])),
    ],
)
@pytest.mark.setting(rooms=120)
def test_a_run_over_120_devices_charges_none(scenario: Scenario, adapters: int) -> None:
    scenario.lab.run("bluetoothctl", "--timeout", "3", "scan", "on").must()
    done = scenario.apply(timeout=1800)
    print(f"{adapters} adapters: {done.seconds:.0f} s, exit {done.code}, charged:", *scenario.charges(), sep="\n  ")
    assert done.code == 0, done.err
    scenario.check_all_done()
    scenario.check_nothing_charged()
    scenario.check_clean()
