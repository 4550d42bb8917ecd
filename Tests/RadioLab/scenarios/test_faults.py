"""Every fault of Robo Sensors, each at one sensor, and the possible outcomes."""

from typing import Any

import pytest

from .building import Building, SensorRoom
from .scenario import SUCCESS, Scenario

PROVISIONED = set(SUCCESS)

FAULTS: list[tuple[dict[str, Any], set[str]]] = [
    ({"no_ready": True}, PROVISIONED),
    ({"first_status": "error:left over"}, PROVISIONED),
    ({"no_notify": True}, PROVISIONED),
    ({"no_wifi_scan": True}, PROVISIONED),
    ({"other_table": True}, PROVISIONED),
    ({"slow": 1.0}, PROVISIONED),
    ({"no_saved": True}, PROVISIONED),
    ({"silent_reboot": True}, PROVISIONED),
    ({"reboot_before_answer": True}, PROVISIONED),
    ({"drop_at_write": 1, "connections": 1}, {"provisioned_after_retry"}),
    ({"reject": "room", "connections": 1}, PROVISIONED | {"failed"}),  # roboprov need not expect the end of the error.
    ({"reject": "ssid"}, {"failed"}),
    ({"reject": "minor", "reject_code": 0x0D}, {"failed"}),
    ({"save_error": "no space"}, {"failed"}),
    ({"ignore_save": True}, {"failed", "unconfirmed", "action_required"}),
    ({"wrong_minor": 9}, {"failed", "unconfirmed", "action_required"}),
    ({"no_beacon": True}, {"unconfirmed", "action_required"}),
    ({"no_save_then_reboot": True}, {"failed", "unconfirmed", "action_required"}),
    ({"no_service": True}, {"failed", "action_required", "unreachable"}),
    ({"drop_at_write": 3}, {"failed", "unreachable"}),
    ({"dead": True}, {"unreachable"}),
]


def add_faults(building: Building) -> None:
    for room, (faults, _) in zip(building.rooms, FAULTS, strict=True):
        assert isinstance(room, SensorRoom)
        room.faults = faults
        room.wifi = "office"


@pytest.mark.long
@pytest.mark.setting(rooms=len(FAULTS), prepare=add_faults)
def test_each_fault_ends_in_a_true_outcome(scenario: Scenario) -> None:
    done = scenario.apply(timeout=1800)
    report = scenario.check_reports_are_true()
    for room, (faults, outcomes) in zip(scenario.building.rooms, FAULTS, strict=True):
        claimed = report[room.name]
        print(f"{faults}: {claimed['outcome']} ({claimed['reason_code']}), attempts {claimed['attempts']}")
        with scenario.subtests.test(faults=faults, reason=claimed["reason"], attempts=claimed["attempts"]):
            assert claimed["outcome"] in outcomes
    assert done.code == 100, done.err
    scenario.check_clean()
    scenario.check_secrets()
