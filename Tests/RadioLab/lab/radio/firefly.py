"""The Firefly: it sleeps most of the time, is written the time of an event, and disconnects. And a keyboard that looks like
it, because the Firefly's UUIDs are those of BLE-MIDI."""

import asyncio
import dataclasses
from typing import Any

from bumble import gatt
from bumble.core import UUID, AdvertisingData, BaseBumbleError
from bumble.device import Connection

from .faults import Faults
from .peripheral import Peripheral, Timing, advertisement, characteristic

SERVICE = UUID("03B80E5A-EDE8-4B33-A751-6CE34EC4C700")
ATTRIBUTES = {"moment": UUID("7772E5DB-3868-4112-A1A9-F2669D106BF3")}
_LENGTH = 4  # bytes: value, control, elapsed time, range


@dataclasses.dataclass
class FireflyFaults(Faults):
    stays: bool = False  # never disconnects


@dataclasses.dataclass
class FireflyTiming(Timing):
    advertising: float = 3.0  # s between advertisements
    disconnects_after: float = 0.02  # s from the write until it disconnects


@dataclasses.dataclass
class KeyboardTiming(FireflyTiming):
    advertising: float = 0.1  # s


class Firefly(Peripheral):
    FAULTS = FireflyFaults
    TIMING = FireflyTiming
    faults: FireflyFaults
    timing: FireflyTiming
    LOCAL_NAME = "Firefl"

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.device_name = "Firefly"  # [assumed]: the advertised name looks cut off
        self.name_is_short = False  # whether it advertises its name as a shortened one
        self.moment: bytes | None = None

    # --- Flash ---

    def restore(self, past: dict[str, Any]) -> None:
        self.moment = bytes.fromhex(past["moment"]) if past.get("moment") else None

    def reset(self) -> None:
        self.moment = None

    def held(self) -> dict[str, Any]:
        """The four bytes of the last write."""
        return {"moment": self.moment.hex() if self.moment is not None else None}

    # --- On the air ---

    async def begin(self) -> None:
        commands = gatt.Characteristic.Properties.WRITE_WITHOUT_RESPONSE
        await self.serve(
            gatt.Service(SERVICE, [characteristic(ATTRIBUTES["moment"], commands, write=self.commanding("moment"))])
        )
        self.life = "waiting"
        await self.advertise()

    async def advertise(self) -> None:
        short, complete = AdvertisingData.SHORTENED_LOCAL_NAME, AdvertisingData.COMPLETE_LOCAL_NAME
        await self.broadcast(
            advertisement(
                (AdvertisingData.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS, bytes(SERVICE)),
                (short if self.name_is_short else complete, self.LOCAL_NAME.encode()),
            )
        )

    # --- Writes ---

    async def take(self, connection: Connection, name: str, value: bytes) -> None:
        """Stores a moment. It ignores a value of another length, because a write without response has no reply."""
        if len(value) == _LENGTH:
            self.moment = value
            self._emit("stored", self, attribute=name)

    async def taken(self, connection: Connection, name: str) -> None:
        if not self.faults.stays:
            self.soon(self._disconnect(connection))

    async def _disconnect(self, connection: Connection) -> None:
        await asyncio.sleep(self.timing.disconnects_after)
        try:
            await connection.disconnect()
        except BaseBumbleError:
            pass  # The other side disconnected first.


class MidiKeyboard(Firefly):
    """A digital piano. No run may connect to it: it plays what is written to it."""

    TIMING = KeyboardTiming
    LOCAL_NAME = "Piano"

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.device_name = self.LOCAL_NAME

    async def taken(self, connection: Connection, name: str) -> None:
        """The keyboard stays connected."""
