"""A building for the lab: which rooms there are, as a manifest, and what their sensors must hold in the end."""

import dataclasses
import json
import random

from lab.lab import sensor_address

NETWORKS = {
    "office": ("Office", "correct horse battery"),
    "guest": ("Guest, 2nd floor", "ünïcödé pass"),
}
PROXIMITY = "5AF3C2D1-0B7E-4C9A-8E21-D4B6F0A1C3E5"  # of the beacons of this building


@dataclasses.dataclass
class Room:
    """A room and its device, of whatever family."""

    number: int
    address: str
    place: tuple[float, float]
    faults: dict = dataclasses.field(default_factory=dict)
    past: dict = dataclasses.field(default_factory=dict)  # what its device holds before anybody comes
    timing: dict = dataclasses.field(default_factory=dict)

    profile = "robo-sensor"
    grades = ("fresh_beacon",)  # the evidence that it can have when it has been provisioned

    @property
    def name(self) -> str:
        return f"Room {self.number}"

    @property
    def sensor(self) -> dict:
        """As the radio wants it."""
        return {
            "address": self.address, "place": list(self.place), "family": self.profile, "faults": self.faults,
            "flash": self.past, "timing": self.timing,
        }  # fmt: skip

    @property
    def entry(self) -> dict:
        """As the manifest wants it."""
        return {"room": self.name, "profile": self.profile, "address": self.address} | self.settings

    @property
    def settings(self) -> dict:
        raise NotImplementedError

    def is_done(self, sensor: dict) -> bool:
        """Whether its device, as the radio tells of it, is as the manifest wants it."""
        raise NotImplementedError

    def is_touched(self, sensor: dict) -> bool:
        """Whether its device holds something else than before."""
        raise NotImplementedError

    def fits(self, write: dict) -> bool:
        """Whether this write has nothing of another room."""
        raise NotImplementedError


@dataclasses.dataclass
class SensorRoom(Room):
    """With a Robo Sensor."""

    wifi: str | None = "office"

    @property
    def minor(self) -> int:
        return 1000 + self.number

    @property
    def settings(self) -> dict:
        return {"minor": self.minor} | ({"wifi": self.wifi} if self.wifi else {})

    @property
    def flash(self) -> dict:
        """What its sensor holds when it has been provisioned."""
        ssid, password = NETWORKS[self.wifi] if self.wifi else (None, None)
        return {"ssid": ssid, "password": password, "room": self.name, "minor": self.minor}

    def is_done(self, sensor: dict) -> bool:
        return sensor["flash"] == self.flash and sensor["life"] == "beacon"

    def is_touched(self, sensor: dict) -> bool:
        return sensor["flash"]["minor"] != self.past.get("minor")

    def fits(self, write: dict) -> bool:
        own = {name: str(value).encode().hex() for name, value in self.flash.items() if value is not None}
        own |= {"minor": self.minor.to_bytes(2, "big").hex(), "command": b"SAVE".hex(), "wifi_scan": b"SCAN".hex()}
        return write["value"] == own.get(write["attribute"])


@dataclasses.dataclass
class BeaconRoom(Room):
    """With a beacon of IoT Design Shop."""

    power: str | None = "high"
    interval: int | None = 200  # ms

    profile = "iot-design-shop"

    @property
    def minor(self) -> int:
        return 2000 + self.number

    @property
    def settings(self) -> dict:
        settings = {"uuid": PROXIMITY, "major": 7, "minor": self.minor}
        settings |= {"power": self.power} if self.power else {}
        return settings | ({"interval": f"{self.interval}ms"} if self.interval else {})

    @property
    def flash(self) -> dict:
        before = {"power": 2, "interval": 160} | self.past
        return {
            "uuid": PROXIMITY, "major": 7, "minor": self.minor,
            "power": ("low", "medium", "high").index(self.power) if self.power else before["power"],
            "interval": self.interval * 8 // 5 if self.interval else before["interval"],
        }  # fmt: skip

    def is_done(self, sensor: dict) -> bool:
        return sensor["flash"] == self.flash and sensor["life"] == "beacon"

    def is_touched(self, sensor: dict) -> bool:
        return bool(sensor["writes"])

    def fits(self, write: dict) -> bool:
        flash = self.flash
        own = {
            "beacon_uuid": flash["uuid"].replace("-", "").lower(),
            "beacon_id": _little_endian(flash["major"], flash["minor"]),
            "transmit": _little_endian(flash["power"], flash["interval"]),
        }
        return write["value"] == own[write["attribute"]]


@dataclasses.dataclass
class RegisteredRoom(BeaconRoom):
    """With a beacon that somebody else has configured: it is not to be touched."""

    @property
    def entry(self) -> dict:
        return {"room": self.name, "profile": self.profile, "address": self.address, "register": True} | {
            name: value for name, value in self.settings.items() if name in ("uuid", "major", "minor")
        }

    @property
    def flash(self) -> dict:
        return super().flash | self.past

    @property
    def sensor(self) -> dict:
        return super().sensor | {"flash": self.flash}

    def is_done(self, sensor: dict) -> bool:
        return super().is_done(sensor) and sensor["connections"] == 0

    def fits(self, write: dict) -> bool:
        return False


@dataclasses.dataclass
class FireflyRoom(Room):
    value: int = 90
    control: int = 4
    range: int = 60

    profile = "firefly"
    grades = ("self_disconnect",)

    @property
    def settings(self) -> dict:
        return {"control": self.control, "value": self.value, "range": self.range}

    def is_done(self, sensor: dict) -> bool:
        return bool(sensor["writes"]) and sensor["flash"]["moment"] == sensor["writes"][-1]["value"]

    def is_touched(self, sensor: dict) -> bool:
        return bool(sensor["writes"])

    def fits(self, write: dict) -> bool:
        value, control, _, range_ = bytes.fromhex(write["value"])
        return (value, control, range_) == (self.value, self.control, self.range)


def _little_endian(*numbers: int) -> str:
    return b"".join(number.to_bytes(2, "little") for number in numbers).hex()


class House:
    """`rooms` of them, 3 m apart, in rows of eight along a corridor."""

    def __init__(self, rooms: int, seed: int = 1) -> None:
        chance = random.Random(seed)
        self.rooms: list[Room] = [
            SensorRoom(
                number,
                sensor_address(number),
                (3.0 * (number % 8) + chance.uniform(-1, 1), 3.0 * (number // 8) + chance.uniform(-1, 1)),
                wifi=("office", "guest", None)[number % 3],
            )
            for number in range(rooms)
        ]
        self.bystanders: list[dict] = []  # devices of nobody's, as the radio wants them: they are to be left alone

    @property
    def sensors(self) -> list[dict]:
        return [room.sensor for room in self.rooms] + self.bystanders

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
                "defaults": {"retries": 2},
                "match": "address",
                "rooms": [room.entry for room in self.rooms],
            },
            ensure_ascii=False,
            indent=2,
        )
