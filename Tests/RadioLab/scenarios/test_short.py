"""The test cases of continuous integration: 12 rooms, 3 of them with a fault, and a room of each family."""

import pytest

from .building import Building
from .families import ADAPTER, NO_MIDI, check_one_of_each, one_of_each
from .scenario import Scenario

pytestmark = pytest.mark.short


def add_three_faults(building: Building) -> None:
    building.rooms[3].faults = {"save_error": "flash write failed"}
    building.rooms[6].faults = {"drop_at_write": 2, "connections": 1}
    building.rooms[9].faults = {"dead": True}


@pytest.mark.setting(rooms=12, prepare=add_three_faults)
def test_healthy_sensors_are_provisioned_and_each_fault_is_reported(scenario: Scenario) -> None:
    done = scenario.apply()
    report = scenario.check_reports_are_true()
    expected = {"Room 3": {"failed"}, "Room 6": {"provisioned_after_retry"}, "Room 9": {"unreachable"}}
    scenario.check_outcomes(report, expected)
    assert "flash write failed" in report["Room 3"]["reason"]
    assert done.code == 100, done.err
    scenario.check_clean()
    scenario.check_secrets()


@pytest.mark.setting(places=ADAPTER, bluetoothd_options=NO_MIDI, prepare=one_of_each)
def test_one_of_each_family_is_provisioned_and_a_keyboard_left_alone(scenario: Scenario) -> None:
    check_one_of_each(scenario)
