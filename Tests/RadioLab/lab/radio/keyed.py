"""A device whose only value demands what its rules say (`Tests/CentralConformance/PairingFirmware.swift`)."""

from typing import Any

from bumble import gatt
from bumble.core import UUID, AdvertisingData
from bumble.device import Connection

from .peripheral import Peripheral, advertisement, characteristic

SERVICE = UUID("5C2D0000-90B1-4A0E-8B1D-4E6F74657310")
VALUE = UUID("5C2D0000-90B1-4A0E-8B1D-4E6F74657311")
CONTENT = b"\x42"


class Keyed(Peripheral):
    LOCAL_NAME = "Pairing"

    def restore(self, past: dict[str, Any]) -> None:
        """It has no flash besides its keys."""

    def reset(self) -> None:
        """The same."""

    def held(self) -> dict[str, Any] | None:
        return None

    async def begin(self) -> None:
        permitted = gatt.Characteristic.Properties
        value = characteristic(
            VALUE, permitted.READ | permitted.WRITE | permitted.NOTIFY, read=lambda _: CONTENT, write=self.writing("value")
        )
        await self.serve(gatt.Service(SERVICE, [value]))
        await self.advertise()

    async def advertise(self) -> None:
        self.life = "waiting"
        await self.broadcast(advertisement((AdvertisingData.COMPLETE_LOCAL_NAME, self.LOCAL_NAME.encode())))

    async def take(self, connection: Connection, name: str, value: bytes) -> None:
        """It ignores what is written."""
