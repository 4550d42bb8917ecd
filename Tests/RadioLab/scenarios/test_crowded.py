"""200 sensors on air and three adapters: each start of a scan reports every sensor at once, more than bluetoothd can process in
that time. In one of four runs it then lost track of its adapters, and roboprov ended without a write."""

import pytest

from .scenario import LOSSLESS, Scenario

pytestmark = [pytest.mark.long, pytest.mark.setting(rooms=200, propagation=LOSSLESS)]


def test_a_run_among_two_hundred_sensors(scenario: Scenario) -> None:
    names = [room.name for room in scenario.building.rooms[:120]]
    done = scenario.apply(*(option for name in names for option in ("--only", name)), timeout=900)
    faults = [event["data"]["fault"] for event in scenario.events("adapter_faulted")]
    windows = len(scenario.events("scan_started"))
    print(f"exit {done.code} in {done.seconds:.0f} s, {windows} windows, faults {faults}, charged {len(scenario.charges())}")
    assert done.code == 0, done.err
    assert faults == []
    scenario.check_reports_are_true()
    scenario.check_clean()
