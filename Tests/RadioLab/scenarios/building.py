"""A building for the lab: the manifest with its rooms, and the state of their devices after a run."""

import dataclasses
import json
import random
from typing import Any, ClassVar

from lab.lab import sensor_address
from lab.radio.esp_session import PROOF

NETWORKS = {
    "office": ("Office", "correct horse battery"),
    "guest": ("Guest, 2nd floor", "ünïcödé pass"),
}
PROXIMITY = "5AF3C2D1-0B7E-4C9A-8E21-D4B6F0A1C3E5"  # of the beacons of this building


@dataclasses.dataclass
class Room:
    """A room and its device, of any family."""

    number: int
    address: str
    place: tuple[float, float]
    faults: dict[str, Any] = dataclasses.field(default_factory=dict[str, Any])
    past: dict[str, Any] = dataclasses.field(default_factory=dict[str, Any])  # the flash of its device before the first run
    timing: dict[str, Any] = dataclasses.field(default_factory=dict[str, Any])

    profile = "robo-sensor"
    # The possible evidence once it is provisioned: the acknowledgement of a save can be lost with the link.
    grades: ClassVar[tuple[str, ...]] = ("fresh_beacon", "fresh_beacon_unacknowledged")

    @property
    def name(self) -> str:
        return f"Room {self.number}"

    @property
    def sensor(self) -> dict[str, Any]:
        """The description of its device for the radio."""
        return {
            "address": self.address, "place": list(self.place), "family": self.profile, "faults": self.faults,
            "flash": self.past, "timing": self.timing,
        }  # fmt: skip

    @property
    def entry(self) -> dict[str, Any]:
        """Its entry of the manifest."""
        return {"room": self.name, "profile": self.profile, "address": self.address} | self.settings

    @property
    def settings(self) -> dict[str, Any]:
        raise NotImplementedError

    def is_done(self, sensor: dict[str, Any]) -> bool:
        """Whether its device, in the state that the radio reports, is as the manifest wants it."""
        raise NotImplementedError

    def is_touched(self, sensor: dict[str, Any]) -> bool:
        """Whether a run has changed its device."""
        raise NotImplementedError

    def fits(self, write: dict[str, Any]) -> bool:
        """Whether every byte of this write belongs to the room."""
        raise NotImplementedError


@dataclasses.dataclass
class SensorRoom(Room):
    """A room with a Robo Sensor."""

    wifi: str | None = "office"

    @property
    def minor(self) -> int:
        return 1000 + self.number

    @property
    def settings(self) -> dict[str, Any]:
        return {"minor": self.minor} | ({"wifi": self.wifi} if self.wifi else {})

    @property
    def flash(self) -> dict[str, Any]:
        """The flash of its sensor once it is provisioned."""
        ssid, password = NETWORKS[self.wifi] if self.wifi else (None, None)
        return {"ssid": ssid, "password": password, "room": self.name, "minor": self.minor}

    def is_done(self, sensor: dict[str, Any]) -> bool:
        return bool(sensor["flash"] == self.flash and sensor["life"] == "beacon")

    def is_touched(self, sensor: dict[str, Any]) -> bool:
        return bool(sensor["flash"]["minor"] != self.past.get("minor"))

    def fits(self, write: dict[str, Any]) -> bool:
        own = {name: str(value).encode().hex() for name, value in self.flash.items() if value is not None}
        own |= {"minor": self.minor.to_bytes(2, "big").hex(), "command": b"SAVE".hex(), "wifi_scan": b"SCAN".hex()}
        return bool(write["value"] == own.get(write["attribute"]))


@dataclasses.dataclass
class BeaconRoom(Room):
    """A room with a beacon of IoT Design Shop."""

    power: str | None = "high"
    interval: int | None = 200  # ms

    profile = "iot-design-shop"

    @property
    def minor(self) -> int:
        return 2000 + self.number

    @property
    def settings(self) -> dict[str, Any]:
        settings = {"uuid": PROXIMITY, "major": 7, "minor": self.minor}
        settings |= {"power": self.power} if self.power else {}
        return settings | ({"interval": f"{self.interval}ms"} if self.interval else {})

    @property
    def flash(self) -> dict[str, Any]:
        before = {"power": 2, "interval": 160} | self.past
        return {
            "uuid": PROXIMITY, "major": 7, "minor": self.minor,
            "power": ("low", "medium", "high").index(self.power) if self.power else before["power"],
            "interval": self.interval * 8 // 5 if self.interval else before["interval"],
        }  # fmt: skip

    def is_done(self, sensor: dict[str, Any]) -> bool:
        return bool(sensor["flash"] == self.flash and sensor["life"] == "beacon")

    def is_touched(self, sensor: dict[str, Any]) -> bool:
        return bool(sensor["writes"])

    def fits(self, write: dict[str, Any]) -> bool:
        flash = self.flash
        own = {
            "beacon_uuid": flash["uuid"].replace("-", "").lower(),
            "beacon_id": _little_endian(flash["major"], flash["minor"]),
            "transmit": _little_endian(flash["power"], flash["interval"]),
        }
        return bool(write["value"] == own[write["attribute"]])


@dataclasses.dataclass
class RegisteredRoom(BeaconRoom):
    """A room with a beacon that was configured without roboprov: no run may write to it."""

    @property
    def entry(self) -> dict[str, Any]:
        return {"room": self.name, "profile": self.profile, "address": self.address, "register": True} | {
            name: value for name, value in self.settings.items() if name in ("uuid", "major", "minor")
        }

    @property
    def flash(self) -> dict[str, Any]:
        return super().flash | self.past

    @property
    def sensor(self) -> dict[str, Any]:
        return super().sensor | {"flash": self.flash}

    def is_done(self, sensor: dict[str, Any]) -> bool:
        return super().is_done(sensor) and sensor["connections"] == 0

    def fits(self, write: dict[str, Any]) -> bool:
        return False


@dataclasses.dataclass
class FireflyRoom(Room):
    """A room with a Firefly."""

    value: int = 90
    control: int = 4
    range: int = 60

    profile = "firefly"
    grades = ("self_disconnect",)

    @property
    def settings(self) -> dict[str, Any]:
        return {"control": self.control, "value": self.value, "range": self.range}

    def is_done(self, sensor: dict[str, Any]) -> bool:
        return bool(sensor["writes"]) and sensor["flash"]["moment"] == sensor["writes"][-1]["value"]

    def is_touched(self, sensor: dict[str, Any]) -> bool:
        return bool(sensor["writes"])

    def fits(self, write: dict[str, Any]) -> bool:
        value, control, _, range_ = bytes.fromhex(write["value"])
        return (value, control, range_) == (self.value, self.control, self.range)


@dataclasses.dataclass
class WifiRoom(Room):
    """A room with a device that only gets its network."""

    wifi: str = "office"

    grades = ("device_status",)

    @property
    def settings(self) -> dict[str, Any]:
        return {"wifi": self.wifi}

    @property
    def flash(self) -> dict[str, Any]:
        ssid, password = NETWORKS[self.wifi]
        return {"ssid": ssid, "password": password}

    def is_done(self, sensor: dict[str, Any]) -> bool:
        return bool(self.flash.items() <= sensor["flash"].items())

    def is_touched(self, sensor: dict[str, Any]) -> bool:
        return "ssid" in sensor["flash"]

    def fits(self, write: dict[str, Any]) -> bool:
        """The flash decides: these writes are encrypted, or pieces."""
        return True


@dataclasses.dataclass
class EspRoom(WifiRoom):
    """A room with an ESP-IDF device, which has an endpoint of its own."""

    pop: str = PROOF.decode()
    product: str = "the floor plan"
    named: str = ""  # the name of its device, by which the manifest knows it instead of its address
    more: dict[str, Any] = dataclasses.field(default_factory=dict[str, Any])  # other keys of its entry

    profile = "esp-idf"

    @property
    def entry(self) -> dict[str, Any]:
        whose = {"device": self.named} if self.named else {"address": self.address}
        return {"room": self.name, "profile": self.profile} | whose | self.settings

    @property
    def settings(self) -> dict[str, Any]:
        return super().settings | {"pop": self.pop, "endpoints": {"custom-data": self.product}} | self.more

    @property
    def flash(self) -> dict[str, Any]:
        return super().flash | {"custom-data": self.product}


@dataclasses.dataclass
class ImprovRoom(WifiRoom):
    """A room with an Improv device."""

    wifi: str = "guest"

    profile = "improv-wifi"


@dataclasses.dataclass
class ShellyRoom(WifiRoom):
    """A room with a Shelly, by the address on its label, which is two less than the one on air."""

    more: dict[str, Any] = dataclasses.field(default_factory=dict[str, Any])  # other keys of its entry

    profile = "shelly"

    @property
    def mac(self) -> str:
        own = bytes.fromhex(self.address.replace(":", ""))
        return (own[:5] + bytes([(own[5] - 2) & 0xFF])).hex().upper()

    @property
    def entry(self) -> dict[str, Any]:
        return {"room": self.name, "profile": self.profile, "device": self.mac} | self.settings

    @property
    def settings(self) -> dict[str, Any]:
        return super().settings | self.more

    @property
    def flash(self) -> dict[str, Any]:
        return super().flash | {"name": self.name}

    def is_touched(self, sensor: dict[str, Any]) -> bool:
        return "name" in sensor["flash"]


@dataclasses.dataclass
class PairedEspRoom(EspRoom):
    """A room with an ESP-IDF device whose firmware demands an encrypted link."""

    rules: dict[str, Any] = dataclasses.field(default_factory=dict[str, Any])  # of its device (`lab.radio.pairing.Rules`)
    pairing: str = "just_works"  # what the room says; nothing if empty

    @property
    def sensor(self) -> dict[str, Any]:
        return super().sensor | {"pairing": self.rules}

    @property
    def settings(self) -> dict[str, Any]:
        return super().settings | ({"pairing": self.pairing} if self.pairing else {})


@dataclasses.dataclass
class SocketRoom(Room):
    """A room with a wall socket, which a file describes, and which has a passkey on its label."""

    rules: dict[str, Any] = dataclasses.field(default_factory=dict[str, Any])  # of its device
    limit: int = 2000

    profile = "wall-socket"
    grades = ("settings_read_back",)

    @property
    def passkey(self) -> str:
        return f"{(self.number * 104_729 + 1234) % 1_000_000:06}"

    @property
    def flash(self) -> dict[str, Any]:
        return {"circuit": 10 + self.number, "limit": self.limit}

    @property
    def sensor(self) -> dict[str, Any]:
        return super().sensor | {"pairing": {"passkey": int(self.passkey)} | self.rules}

    @property
    def settings(self) -> dict[str, Any]:
        return self.flash | {"passkey": self.passkey}

    def is_done(self, sensor: dict[str, Any]) -> bool:
        return bool(sensor["flash"] == self.flash)

    def is_touched(self, sensor: dict[str, Any]) -> bool:
        return bool(sensor["writes"])

    def fits(self, write: dict[str, Any]) -> bool:
        flash = self.flash
        return bool(write["value"] == bytes([flash["circuit"]]).hex() + _little_endian(flash["limit"]))


WALL_SOCKET: dict[str, Any] = {
    "family": "wall-socket",
    "title": "Wall socket",
    "service": "3F2A0000-6B1D-4C5E-8D9F-0A1B2C3D4E5F",
    "access": "any_time",
    "pairing": "passkey",
    "recognise": [{"state": "present", "service": "3F2A0000-6B1D-4C5E-8D9F-0A1B2C3D4E5F"}],
    "settings": {
        "circuit": {"type": "integer", "range": "1..64", "factory": 1, "about": "The circuit in the plan."},
        "limit": {"type": "integer", "range": "1..3680", "shared": True, "title": "power limit", "about": "In watts."},
    },
    "characteristics": [{"uuid": "3F2A0001-6B1D-4C5E-8D9F-0A1B2C3D4E5F", "holds": {"circuit": "uint8", "limit": "uint16_le"}}],
    "read_first": True,
    "read_back": True,
    "proof": "read_back",
}


def _little_endian(*numbers: int) -> str:
    return b"".join(number.to_bytes(2, "little") for number in numbers).hex()


class Building:
    """A building with rooms 3 m apart, in rows of eight along a corridor."""

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
        self.unassigned: list[dict[str, Any]] = []  # devices without a room, for the radio: no run may connect to them

    @property
    def sensors(self) -> list[dict[str, Any]]:
        return [room.sensor for room in self.rooms] + self.unassigned

    def room(self, name: str) -> Room:
        return next(room for room in self.rooms if room.name == name)

    @property
    def passkeys(self) -> list[str]:
        return [room.passkey for room in self.rooms if isinstance(room, SocketRoom)]

    @property
    def files(self) -> dict[str, str]:
        """The manifest, and the families that it names."""
        files = {"building.yaml": self.manifest}
        return files | ({"wall-socket.yaml": json.dumps(WALL_SOCKET)} if self.passkeys else {})

    @property
    def manifest(self) -> str:
        """The manifest as JSON, which is also YAML."""
        return json.dumps(
            {
                "building": "The radio lab",
                "id": "radio-lab",
                "wifi": {name: {"ssid": ssid, "password": word} for name, (ssid, word) in NETWORKS.items()},
                "defaults": {"retries": 2},
                "match": "address",
                **({"families": ["wall-socket.yaml"]} if self.passkeys else {}),
                "rooms": [room.entry for room in self.rooms],
            },
            ensure_ascii=False,
            indent=2,
        )
