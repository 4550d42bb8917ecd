"""200 sensors on air and three adapters: each start of a scan reports every sensor at once, more than bluetoothd can process in
that time. In one of four runs it then lost track of its adapters, and roboprov ended without a write."""

import pytest
from lab.radio_client import Radio

from .scenario import LOSSLESS, Scenario

RUNS = 10

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


def test_short_runs_among_two_hundred_sensors(scenario: Scenario, radio: Radio) -> None:
    """Each start of a scan is such a burst, however few rooms are selected. Every other run meets a new bluetoothd, which makes
    all objects in the burst; the others meet the objects of the run before, and remove them first."""
    rooms = scenario.building.rooms[:6]
    for number in range(1, RUNS + 1):
        for room in rooms:
            radio.do("reset", address=room.address)
        scenario.lab.run("rm", "-rf", "/lab/share/reports").must()
        if number % 2:
            scenario.lab.bluetoothd("kill")
            scenario.lab.bluetoothd("start")
            scenario.lab.wait_for_adapters()
        done = scenario.apply(*(option for room in rooms for option in ("--only", room.name)))
        faults = [event["data"]["fault"] for event in scenario.events("adapter_faulted")]
        sighted = len({event["data"]["address"] for event in scenario.events("device_sighted")})
        print(
            f"{number}: exit {done.code} in {done.seconds:.0f} s, {sighted} sensors received,"
            f" {len(scenario.events('scan_started'))} windows, faults {faults}, charged {scenario.charges()}",
            flush=True,
        )
        with scenario.subtests.test(number=number):
            assert done.code == 0, done.err
            assert faults == []
            scenario.check_reports_are_true()
    scenario.check_clean()
