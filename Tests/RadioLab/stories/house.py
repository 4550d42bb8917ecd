"""A building for the lab: which rooms there are, as a manifest, and what their sensors must hold in the end."""

import dataclasses
import json
import random

from lab.lab import sensor_address

NETWORKS = {
    "office": ("Office", "correct horse battery"),
    "guest": ("Guest, 2nd floor", "ünïcödé pass"),
}


@dataclasses.dataclass
class Room:
    number: int
    address: str
    place: tuple[float, float]
    wifi: str | None = "office"
    faults: dict = dataclasses.field(default_factory=dict)

    @property
    def name(self) -> str:
        return f"Room {self.number}"

    @property
    def minor(self) -> int:
        return 1000 + self.number

    @property
    def flash(self) -> dict:
        """What its sensor holds when it has been provisioned."""
        ssid, password = NETWORKS[self.wifi] if self.wifi else (None, None)
        return {"ssid": ssid, "password": password, "room": self.name, "minor": self.minor}

    @property
    def sensor(self) -> dict:
        """As the radio wants it."""
        return {"address": self.address, "place": list(self.place), "faults": self.faults}


class House:
    """`rooms` of them, 3 m apart, in rows of eight along a corridor."""

    def __init__(self, rooms: int, seed: int = 1) -> None:
        chance = random.Random(seed)
        self.rooms = [
            Room(
                number,
                sensor_address(number),
                (3.0 * (number % 8) + chance.uniform(-1, 1), 3.0 * (number // 8) + chance.uniform(-1, 1)),
                wifi=("office", "guest", None)[number % 3],
            )
            for number in range(rooms)
        ]

    @property
    def sensors(self) -> list[dict]:
        return [room.sensor for room in self.rooms]

    def room(self, name: str) -> Room:
        return next(room for room in self.rooms if room.name == name)

    @property
    def manifest(self) -> str:
        """YAML, of which JSON is a part."""
        return json.dumps(
            {
                "building": "The radio lab",
                "id": "radio-lab",
                "wifi": {name: {"ssid": ssid, "password": word} for name, (ssid, word) in NETWORKS.items()},
                "defaults": {"profile": "robo-sensor", "retries": 2},
                "assign": "address",
                "rooms": [
                    {"room": room.name, "minor": room.minor, "address": room.address}
                    | ({"wifi": room.wifi} if room.wifi else {})
                    for room in self.rooms
                ],
            },
            ensure_ascii=False,
            indent=2,
        )
