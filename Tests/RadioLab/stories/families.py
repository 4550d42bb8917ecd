"""What the stories of buildings with several families share."""

from lab.lab import sensor_address

from .house import BeaconRoom, FireflyRoom, RegisteredRoom, Room, SensorRoom
from .story import SUCCESS, Story

NO_MIDI = "--noplugin=midi"  # Else bluetoothd keeps a Firefly's service for itself.
QUICK = {"advertising": 1.0}  # s between a Firefly's advertisements
PIANO = {"address": sensor_address(900), "family": "midi-keyboard", "place": [1, 1]}


def at(kind: type[Room], number: int, **details) -> Room:
    """The room of this number, its device within 3 m of the first adapter."""
    return kind(number, sensor_address(number), (10 + number % 3, 4 + number % 2), **details)


class Families(Story):
    places = [(10, 4)]
    bluetoothd_options = NO_MIDI
    residents: list[Room] = []

    def furnish(self) -> None:
        self.house.rooms = self.residents

    def check_outcomes(self, report: dict[str, dict], expected: dict[str, str | tuple[str, ...]]) -> None:
        for room in self.house.rooms:
            wanted = expected.get(room.name, SUCCESS)
            told = report[room.name]
            with self.subTest(room=room.name, profile=room.profile, faults=room.faults, reason=told["reason"]):
                self.assertIn(told["outcome"], (wanted,) if isinstance(wanted, str) else wanted)


class OneOfEach(Families):
    """With a beacon that somebody else has configured, and a keyboard that is nobody's."""

    residents = [at(SensorRoom, 1), at(BeaconRoom, 2), at(FireflyRoom, 3, timing=QUICK), at(RegisteredRoom, 4)]

    def furnish(self) -> None:
        super().furnish()
        self.house.bystanders = [PIANO]

    def provision(self) -> None:
        done = self.apply()
        self.assertEqual(done.code, 0, done.err)
        self.check_outcomes(self.check_truth(), {"Room 4": "already_provisioned"})
        self.check_clean()
        self.check_secrets()
