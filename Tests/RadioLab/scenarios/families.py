"""Code for the test cases of buildings with several device families."""

from typing import Any, TypeVar

from lab.lab import sensor_address

from .building import BeaconRoom, Building, EspRoom, FireflyRoom, ImprovRoom, RegisteredRoom, Room, SensorRoom, ShellyRoom
from .scenario import Place, Scenario

NO_MIDI = "--noplugin=midi"  # Without this option bluetoothd hides the service of a Firefly.
QUICK = {"advertising": 1.0}  # s between a Firefly's advertisements
KEYBOARD: dict[str, Any] = {"address": sensor_address(900), "family": "midi-keyboard", "place": [1, 1]}
ADAPTER: list[Place] = [(10, 4)]

AnyRoom = TypeVar("AnyRoom", bound=Room)


def at(kind: type[AnyRoom], number: int, **details: Any) -> AnyRoom:
    """The room of this number, with its device within 3 m of the adapter."""
    return kind(number, sensor_address(number), (10 + number % 3, 4 + number % 2), **details)


def one_of_each(building: Building) -> None:
    """A room of each family and each security, one with a beacon that was configured without roboprov, and a keyboard."""
    building.rooms = [
        at(SensorRoom, 1), at(BeaconRoom, 2), at(FireflyRoom, 3, timing=QUICK), at(RegisteredRoom, 4), at(EspRoom, 5),
        at(ImprovRoom, 6), at(EspRoom, 7, faults={"security": 1}), at(EspRoom, 8, faults={"security": 0}, more={"security": 0}),
        at(ShellyRoom, 9, more={"mqtt_server": "mqtt.lab:1883", "admin_password": "the boss alone"}),
    ]  # fmt: skip
    building.unassigned = [KEYBOARD]


def check_one_of_each(scenario: Scenario) -> None:
    done = scenario.apply()
    assert done.code == 0, done.err
    scenario.check_outcomes(scenario.check_reports_are_true(), {"Room 4": {"already_provisioned"}})
    scenario.check_clean()
    scenario.check_secrets()
