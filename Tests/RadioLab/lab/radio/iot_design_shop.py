"""The beacon of IoT Design Shop: an iBeacon that is always connectable and stores every value that is written to it."""

import dataclasses
import uuid
from collections.abc import Callable
from typing import Any

from bumble import gatt
from bumble.core import UUID, AdvertisingData
from bumble.device import Connection

from .faults import Faults
from .peripheral import Peripheral, advertisement, characteristic, ibeacon

SERVICE = UUID("2173E519-9155-4862-AB64-7953AB146156")
ATTRIBUTES = {
    name: UUID(f"2173E519-9155-4862-AB64-7953AB14615{number}")
    for name, number in {"beacon_uuid": 7, "beacon_id": 8, "transmit": 9}.items()
}  # fmt: skip
POWERS = {0: -23, 1: -6, 2: 0}  # dBm
_MEASURED_POWER = -59  # dBm at 1 m, when sent with 0 dBm [assumed]
_UNIT = 0.000625  # s, the unit of the interval
_SHORTEST = 32  # units: below the 20 ms of the specification the radio hangs (known; the limit is assumed)


@dataclasses.dataclass
class BeaconFaults(Faults):
    stores_before_drop: bool = False  # with `drop_at_write`: the last write is stored nevertheless
    forgets: str = ""  # the attribute whose writes are confirmed and not stored
    reads_back_wrong: str = ""  # the attribute whose reads give a wrong value


@dataclasses.dataclass
class Past:
    """The stored settings in the form of a test; the default is the factory state."""

    uuid: str = "2173E519-9155-4862-AB64-7953AB146156"
    major: int = 0
    minor: int = 0
    power: int = 2
    interval: int = 160  # in units of 0.625 ms


class IotDesignShopBeacon(Peripheral):
    FAULTS = BeaconFaults
    faults: BeaconFaults

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.device_name = "Beacon"
        self.flash: dict[str, bytes] = {}  # by attribute, in its full length
        self.restore({})

    # --- Flash ---

    def restore(self, past: dict[str, Any]) -> None:
        before = Past(**past)
        self.flash = {
            "beacon_uuid": bytes.fromhex(before.uuid.replace("-", "")),
            "beacon_id": before.major.to_bytes(2, "little") + before.minor.to_bytes(2, "little"),
            "transmit": before.power.to_bytes(2, "little") + before.interval.to_bytes(2, "little"),
        }

    def reset(self) -> None:
        self.restore({})

    def held(self) -> dict[str, Any]:
        major, minor = self._numbers("beacon_id")
        power, interval = self._numbers("transmit")
        written = str(uuid.UUID(bytes=self.flash["beacon_uuid"])).upper()
        return dataclasses.asdict(Past(written, major, minor, power, interval))

    def _numbers(self, name: str) -> tuple[int, int]:
        return int.from_bytes(self.flash[name][:2], "little"), int.from_bytes(self.flash[name][2:], "little")

    # --- On the air ---

    async def begin(self) -> None:
        properties = gatt.Characteristic.Properties.READ | gatt.Characteristic.Properties.WRITE
        table = [
            characteristic(place, properties, read=self._reading(name), write=self.writing(name))
            for name, place in ATTRIBUTES.items()
        ]
        await self.serve(gatt.Service(SERVICE, table))
        await self.advertise()

    async def advertise(self) -> None:
        """Advertises the stored settings: a write is on the air after the end of the connection [assumed]."""
        power, interval = self._numbers("transmit")
        if interval < _SHORTEST:
            self.life = "hung"
            await self.host.stop_advertising()
            return
        self.life = "beacon"
        self.controller.power = POWERS.get(power, 0)
        field = ibeacon(self.flash["beacon_uuid"], *self._numbers("beacon_id"), _MEASURED_POWER + self.controller.power)
        service = AdvertisingData([(AdvertisingData.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS, bytes(SERVICE))])
        await self.broadcast(advertisement(field), scan_response=bytes(service), interval=interval * _UNIT)

    # --- Reads and writes ---

    def _reading(self, name: str) -> Callable[[Connection], bytes]:
        def read(_connection: Connection) -> bytes:
            value = self.flash[name]
            return value[:-1] + bytes([value[-1] ^ 1]) if self.faults.reads_back_wrong == name else value

        return read

    async def take(self, connection: Connection, name: str, value: bytes) -> None:
        """Stores a value without a check. Longer values are cut, and shorter ones leave the rest unchanged [assumed]."""
        if self.faults.forgets != name:
            before = self.flash[name]
            self.flash[name] = value[: len(before)] + before[len(value) :]
            self._emit("stored", self, attribute=name)

    async def drop(self, connection: Connection, name: str, value: bytes) -> None:
        if self.faults.stores_before_drop:
            await self.take(connection, name, value)
        await super().drop(connection, name, value)
