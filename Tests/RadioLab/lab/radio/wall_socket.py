"""The wall socket of docs/families.md, which a file describes: settings that can be read and written at any time."""

import struct
from typing import Any

from bumble import att, gatt
from bumble.core import UUID, AdvertisingData
from bumble.device import Connection

from .peripheral import Peripheral, advertisement, characteristic

SERVICE = UUID("3F2A0000-6B1D-4C5E-8D9F-0A1B2C3D4E5F")
SETTINGS = UUID("3F2A0001-6B1D-4C5E-8D9F-0A1B2C3D4E5F")
FACTORY = {"circuit": 1, "limit": 3680}
_LAYOUT = "<BH"


class WallSocket(Peripheral):
    LOCAL_NAME = "Socket"

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.reset()

    def restore(self, past: dict[str, Any]) -> None:
        self.flash |= past

    def reset(self) -> None:
        self.flash = dict(FACTORY)

    def held(self) -> dict[str, Any]:
        return dict(self.flash)

    async def begin(self) -> None:
        permitted = gatt.Characteristic.Properties
        settings = characteristic(
            SETTINGS,
            permitted.READ | permitted.WRITE,
            read=lambda _: struct.pack(_LAYOUT, self.flash["circuit"], self.flash["limit"]),
            write=self.writing("settings"),
        )
        await self.serve(gatt.Service(SERVICE, [settings]))
        await self.advertise()

    async def advertise(self) -> None:
        self.life = "waiting"
        await self.broadcast(
            advertisement(
                (AdvertisingData.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS, bytes(SERVICE)),
                (AdvertisingData.COMPLETE_LOCAL_NAME, self.LOCAL_NAME.encode()),
            )
        )

    async def take(self, connection: Connection, name: str, value: bytes) -> None:
        if len(value) != struct.calcsize(_LAYOUT):
            raise att.ATT_Error(att.ErrorCode.INVALID_ATTRIBUTE_LENGTH)
        circuit, limit = struct.unpack(_LAYOUT, value)
        self.flash = {"circuit": circuit, "limit": limit}
        self._emit("stored", self, attribute=name)
