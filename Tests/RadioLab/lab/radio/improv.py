"""An Improv device as ESPHome behaves (docs/internals/protocols.md): it gets its network in one command, in pieces, and
reports that it joined."""

import asyncio
from typing import Any

from bumble import gatt
from bumble.core import UUID, AdvertisingData
from bumble.device import Connection

from .peripheral import Peripheral, advertisement, characteristic

_DATA = 0x4677  # the 16-bit UUID of its service data
_READY, _JOINING, _ONLINE = 2, 3, 4
_CAPABILITIES = 1  # identify


def _uuid(number: int) -> UUID:
    return UUID(f"00467768-6228-2272-4663-27747826800{number}")


def _frame(command: int, data: bytes = b"") -> bytes:
    start = bytes([command, len(data)]) + data
    return start + bytes([sum(start) & 0xFF])


class Improv(Peripheral):
    LOCAL_NAME = "lamp"

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.reset()

    def restore(self, past: dict[str, Any]) -> None:
        """It is new."""

    def reset(self) -> None:
        self.flash: dict[str, Any] = {}
        self.phase = _READY
        self.buffer = self.result = b""
        self.blinks = 0

    def held(self) -> dict[str, Any]:
        return {"phase": self.phase, "blinks": self.blinks, **self.flash}

    # --- On the air ---

    async def begin(self) -> None:
        permitted = gatt.Characteristic.Properties
        reports = permitted.READ | permitted.NOTIFY
        self.reports = {
            "state": characteristic(_uuid(1), reports, read=lambda _: bytes([self.phase])),
            "error": characteristic(_uuid(2), reports, read=lambda _: b"\0"),
            "result": characteristic(_uuid(4), reports, read=lambda _: self.result),
        }
        command = characteristic(_uuid(3), permitted.WRITE, write=self.writing("command"))
        capabilities = characteristic(_uuid(5), permitted.READ, read=lambda _: bytes([_CAPABILITIES]))
        await self.serve(gatt.Service(_uuid(0), [*self.reports.values(), command, capabilities]))
        await self.advertise()

    async def advertise(self) -> None:
        """With its service and its state, which fill an advertisement."""
        self.life = "waiting" if self.phase == _READY else "joined"
        data = _DATA.to_bytes(2, "little") + bytes([self.phase, _CAPABILITIES, 0, 0, 0, 0])
        await self.broadcast(
            advertisement(
                (AdvertisingData.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS, bytes(_uuid(0))),
                (AdvertisingData.SERVICE_DATA, data),
            )
        )

    # --- Commands ---

    async def take(self, connection: Connection, name: str, value: bytes) -> None:
        """Puts a command together from its pieces."""
        self.buffer += value
        if len(self.buffer) < 3 or len(self.buffer) < self.buffer[1] + 3:
            return
        frame, self.buffer = self.buffer, b""
        if frame != _frame(frame[0], frame[2:-1]):
            return  # A real one reports error 1; no test sends that.
        if frame[0] == 1:
            self.soon(self._join(frame[2:-1]))
        elif frame[0] == 2:
            self.blinks += 1

    async def _join(self, data: bytes) -> None:
        await self._report("state", bytes([_JOINING]))
        await asyncio.sleep(2.0)
        ssid, rest = data[1 : 1 + data[0]], data[1 + data[0] :]
        self.flash = {"ssid": ssid.decode(), "password": rest[1:].decode()}
        self.result = _frame(1, bytes([20]) + b"http://192.168.7.31/")
        await self._report("result", self.result)
        await self._report("state", bytes([_ONLINE]))
        self._emit("stored", self)

    async def _report(self, name: str, value: bytes) -> None:
        if name == "state":
            self.phase = value[0]
        await self.host.notify_subscribers(self.reports[name], value)
