"""A device for the checks of the `Central` contract (`Tests/CentralConformance/DescribedFirmware.swift`): a characteristic
with a description that keeps any value, and one without a description."""

from typing import Any

from bumble import att, gatt
from bumble.core import UUID, AdvertisingData
from bumble.device import Connection

from .peripheral import Peripheral, advertisement, characteristic

SERVICE = UUID("5C2D0000-90B1-4A0E-8B1D-4E6F74657300")
MEMORY = UUID("5C2D0000-90B1-4A0E-8B1D-4E6F74657301")
OTHER = UUID("5C2D0000-90B1-4A0E-8B1D-4E6F74657302")
DESCRIPTION = b"memory of the device"


class Described(Peripheral):
    LOCAL_NAME = "Described"

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.value = b""

    def restore(self, past: dict[str, Any]) -> None:
        """It has no flash."""

    def reset(self) -> None:
        self.value = b""

    def held(self) -> dict[str, Any] | None:
        return None

    async def begin(self) -> None:
        permitted = gatt.Characteristic.Properties
        description = gatt.Descriptor(gatt.GATT_CHARACTERISTIC_USER_DESCRIPTION_DESCRIPTOR, att.Attribute.READABLE, DESCRIPTION)
        memory = characteristic(
            MEMORY,
            permitted.READ | permitted.WRITE | permitted.NOTIFY,
            read=lambda _connection: self.value,
            write=self.writing("memory"),
            descriptors=[description],
        )
        other = characteristic(OTHER, permitted.READ, read=lambda _connection: self.value)
        await self.serve(gatt.Service(SERVICE, [memory, other]))
        await self.advertise()

    async def advertise(self) -> None:
        self.life = "waiting"
        await self.broadcast(advertisement((AdvertisingData.COMPLETE_LOCAL_NAME, self.LOCAL_NAME.encode())))

    async def take(self, connection: Connection, name: str, value: bytes) -> None:
        self.value = value
