"""A device of any family on the air: it is switched on, advertises, accepts connections and writes, and may have faults. It
uses Bumble's host, GATT server and controller; the file of its family has its behaviour."""

import asyncio
import collections
import dataclasses
import sys
import traceback
from collections.abc import Callable, Coroutine
from typing import Any

from bumble import att, gatt, hci
from bumble.core import UUID, AdvertisingData, BaseBumbleError
from bumble.device import AdvertisingType, Connection, Device, DeviceConfiguration
from bumble.host import Host
from bumble.l2cap import LeCreditBasedChannel
from bumble.transport.common import AsyncPipeSink

from .air import Air
from .chip import Chip
from .faults import Faults
from .pairing import Security

_MTU = 247
_TO_DISCONNECT = 0.5  # s
# The requests of which writes with response consist.
_PIECES = (att.ATT_Write_Request, att.ATT_Prepare_Write_Request, att.ATT_Execute_Write_Request)
_FLAGS = bytes([AdvertisingData.Flags.LE_GENERAL_DISCOVERABLE_MODE | AdvertisingData.Flags.BR_EDR_NOT_SUPPORTED])


def advertisement(*fields: tuple[int, bytes]) -> bytes:
    """The advertisement of a connectable device: the usual flags, then these fields."""
    data = bytes(AdvertisingData([(AdvertisingData.FLAGS, _FLAGS), *fields]))
    assert len(data) <= 31, "an advertisement has at most 31 bytes"
    return data


def ibeacon(uuid: bytes, major: int, minor: int, measured_power: int) -> tuple[int, bytes]:
    """The field that makes an advertisement an iBeacon."""
    numbers = major.to_bytes(2, "big") + minor.to_bytes(2, "big") + measured_power.to_bytes(1, "big", signed=True)
    return (AdvertisingData.MANUFACTURER_SPECIFIC_DATA, b"\x4c\x00\x02\x15" + uuid + numbers)


def characteristic(
    uuid: UUID,
    properties: gatt.Characteristic.Properties,
    read: Callable[..., Any] | None = None,
    write: Callable[..., Any] | None = None,
    descriptors: list[gatt.Descriptor] | None = None,
) -> gatt.Characteristic[bytes]:
    # In Bumble, the attribute itself refuses forbidden accesses.
    def unreadable(_connection: Connection) -> bytes:
        raise att.ATT_Error(att.ErrorCode.READ_NOT_PERMITTED)

    def unwritable(_connection: Connection, _value: bytes) -> None:
        raise att.ATT_Error(att.ErrorCode.WRITE_NOT_PERMITTED)

    permissions = (gatt.Characteristic.READABLE if read else 0) | (gatt.Characteristic.WRITEABLE if write else 0)
    value = gatt.CharacteristicValue(read=read or unreadable, write=write or unwritable)
    return gatt.Characteristic(uuid, properties, att.Attribute.Permissions(permissions), value, descriptors or [])


@dataclasses.dataclass
class Timing:
    advertising: float = 0.1  # s between advertisements


class Peripheral:
    # Set by each family:
    FAULTS: type[Faults] = Faults
    TIMING: type[Timing] = Timing
    LOCAL_NAME = ""  # the advertised name

    def __init__(
        self,
        air: Air,
        address: str,
        place: tuple[float, float],
        emit: Callable[..., None],
        strengths: dict[str, float] | None = None,
    ) -> None:
        self.air = air
        self.address = hci.Address(address, hci.Address.PUBLIC_DEVICE_ADDRESS)
        self.shown = self.address  # on the air
        self.moves = 0
        self.place = place
        self.strengths = strengths or {}
        self.timing = self.TIMING()
        self.device_name = self.LOCAL_NAME  # the name in the GAP service
        self.faults = self.FAULTS()
        self.security = Security(self)
        self.life = "off"
        self.boots = 0
        self.connections = 0
        self.writes: list[dict[str, Any]] = []
        self.requests: collections.Counter[str] = collections.Counter()  # ATT requests by name, in all connections
        self.chip: Chip | None = None
        self.device: Device | None = None
        self._emit = emit
        self._requests_of_connection = 0
        self._pieces_of_connection = 0
        self._writes_of_connection = 0
        self.tasks: set[asyncio.Task[Any]] = set()

    @property
    def controller(self) -> Chip:
        """Its radio. It must have power."""
        assert self.chip is not None, "no power"
        return self.chip

    @property
    def host(self) -> Device:
        """Its Bluetooth stack. It must have power."""
        assert self.device is not None, "no power"
        return self.device

    # --- Implemented by each family ---

    async def begin(self) -> None:
        """Starts the firmware after power-on."""
        raise NotImplementedError

    async def advertise(self) -> None:
        """Starts advertising, also after the end of each connection."""
        raise NotImplementedError

    async def take(self, connection: Connection, name: str, value: bytes) -> None:
        """Handles a write. Raises ATT_Error to refuse it, and CancelledError to send no reply."""
        raise NotImplementedError

    async def taken(self, connection: Connection, name: str) -> None:
        """Runs after `take`, before the write is confirmed."""

    def restore(self, past: dict[str, Any]) -> None:
        """Sets the flash before the device is switched on."""
        raise NotImplementedError

    def reset(self) -> None:
        """Changes the flash as a press of the button does."""
        raise NotImplementedError

    def held(self) -> dict[str, Any] | None:
        """The content of the flash, for the test."""
        raise NotImplementedError

    # --- Power ---

    async def power_on(self) -> None:
        await self.power_off()
        self.boots += 1
        if self.security.is_private and self.shown == self.address:
            self.shown = self.security.new_address()
        self.chip = Chip(self.shown, self.air, self.place, self.strengths)
        configuration = DeviceConfiguration(name=self.device_name, address=self.shown, gatt_service_enabled=False)
        self.device = Device(config=configuration, host=Host(self.chip, AsyncPipeSink(self.chip)))
        self.device.gatt_server.max_mtu = _MTU
        await self.begin()
        self._emit("booted", self, life=self.life)

    async def move(self) -> None:
        """Starts anew with another address on the air. A test still knows it by its own."""
        self.moves += 1
        if self.security.is_private:
            self.shown = self.security.new_address()
        else:
            parts = str(self.address).removesuffix("/P").split(":")
            parts[0], parts[4] = "7E", f"{self.moves % 256:02X}"
            self.shown = hci.Address(":".join(parts), hci.Address.PUBLIC_DEVICE_ADDRESS)
        await self.power_on()

    async def power_off(self) -> None:
        """Switches off without a disconnect: the other end notices when its supervision timer expires."""
        if self.chip is not None:
            self.chip.power_off()
        self.chip = self.device = None
        self.life = "off"

    def announce(self, event: str, **details: Any) -> None:
        """Tells the test of an event."""
        self._emit(event, self, **details)

    def soon(self, coroutine: Coroutine[Any, Any, Any]) -> None:
        task = asyncio.create_task(coroutine)
        self.tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self.tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            # The radio's log gets it: a device that is silent because of our defect proves nothing.
            print(f"{self.address} has crashed:", *traceback.format_exception(error), file=sys.stderr, flush=True)

    # --- On the air ---

    async def serve(self, *services: gatt.Service) -> None:
        """Makes the device connectable, with these services."""
        for service in services:
            self.host.add_service(service)
        self._attend_to_requests()
        self.security.install(self.host, services)
        self.host.on("connection", self._connected)
        await self.host.power_on()
        if self.security.is_private:
            self.host.public_address = self.address  # its identity, which it gives while it pairs
        self.obey_faults()

    async def broadcast(
        self, data: bytes, scan_response: bytes = b"", interval: float | None = None, connectable: bool = True
    ) -> None:
        """Advertises. `interval`: in s, by default that of `timing`."""
        milliseconds = (self.timing.advertising if interval is None else interval) * 1000
        await self.host.start_advertising(
            AdvertisingType.UNDIRECTED_CONNECTABLE_SCANNABLE if connectable else AdvertisingType.UNDIRECTED,
            own_address_type=hci.OwnAddressType.PUBLIC, advertising_data=data, scan_response_data=scan_response,
            advertising_interval_min=milliseconds, advertising_interval_max=milliseconds,
        )  # fmt: skip

    def obey_faults(self) -> None:
        if self.chip is not None:
            self.chip.lateness = self.faults.slow
            self.chip.accepts_connections = not self.faults.dead

    def _attend_to_requests(self) -> None:
        server = self.host.gatt_server
        answer = server.on_gatt_pdu

        def attend(connection: Connection | LeCreditBasedChannel, request: att.ATT_PDU) -> None:
            self._requests_of_connection += 1
            self.requests[type(request).__name__.removeprefix("ATT_")] += 1
            is_last = self._requests_of_connection == self.faults.drop_at_request
            if isinstance(request, _PIECES):
                self._pieces_of_connection += 1
                is_last = is_last or self._pieces_of_connection == self.faults.drop_at_piece
            if is_last:
                self.soon(connection.disconnect())
            elif not self.faults.mute:
                refusal = self.security.refusal(connection, request) if isinstance(connection, Connection) else None
                if refusal is None:
                    answer(connection, request)
                elif not isinstance(request, att.ATT_Write_Command):
                    server.send_response(connection, refusal)

        server.on_gatt_pdu = attend  # type: ignore[method-assign, assignment]

    def _connected(self, connection: Connection) -> None:
        self.connections += 1
        self._requests_of_connection = 0
        self._pieces_of_connection = 0
        self._writes_of_connection = 0
        if self.faults.connections and self.connections > self.faults.connections:
            self.faults = self.FAULTS()
            self.recovered()
            self.obey_faults()
        self.security.connected(connection)
        by = str(connection.peer_address).removesuffix("/P")
        intervals = [link.interval * 1000 for link in self.air.links if link.peripheral is self.chip]
        self._emit("connected", self, by=by, interval_ms=round(intervals[-1], 2) if intervals else None)
        device = self.device

        def disconnected(reason: int) -> None:
            self._emit("disconnected", self, by=by, reason=reason)
            if device is self.device:
                self.link_ended()

        connection.on("disconnection", disconnected)

    def recovered(self) -> None:
        """Runs when the faults end."""

    def link_ended(self) -> None:
        self.soon(self.advertise())

    async def end_links(self) -> None:
        for connection in list(self.device.connections.values()) if self.device is not None else []:
            try:
                # Bumble never reports the end of a connection that ends in the same moment.
                async with asyncio.timeout(_TO_DISCONNECT):
                    await connection.disconnect()
            except (TimeoutError, BaseBumbleError):
                pass  # The other side disconnected first.

    # --- Writes ---

    def writing(self, name: str) -> Callable[..., Any]:
        """The handler of writes with response to the attribute of this name."""

        async def write(connection: Connection, value: bytes) -> None:
            entry = self._note(connection, name, bytes(value))
            if self.faults.drop_at_write == self._writes_of_connection:
                await self.drop(connection, name, bytes(value))
                raise asyncio.CancelledError
            try:
                await self.take(connection, name, bytes(value))
            except att.ATT_Error as error:
                entry["answer"] = f"error {error.error_code:#04x}"
                raise
            entry["answer"] = "confirmed"
            await self.taken(connection, name)

        return write

    def commanding(self, name: str) -> Callable[..., Any]:
        """The handler of writes without response, which the device may ignore."""

        async def write(connection: Connection, value: bytes) -> None:
            self._note(connection, name, bytes(value))
            if self.faults.drop_at_write == self._writes_of_connection:
                await self.drop(connection, name, bytes(value))
                return
            await self.take(connection, name, bytes(value))
            await self.taken(connection, name)

        return write

    def _note(self, connection: Connection, name: str, value: bytes) -> dict[str, Any]:
        self._writes_of_connection += 1
        entry = {
            "at": round(self.air.now(), 4), "by": str(connection.peer_address).removesuffix("/P"),
            "attribute": name, "value": value.hex(), "answer": "none",
        }  # fmt: skip
        self.writes.append(entry)
        self._emit("write", self, attribute=name, number=self._writes_of_connection)
        return entry

    async def drop(self, connection: Connection, _name: str, _value: bytes) -> None:
        """Ends the connection instead of replying to a write."""
        await connection.disconnect()

    # --- For the test ---

    def state(self) -> dict[str, Any]:
        return {
            "address": str(self.address).removesuffix("/P"), "life": self.life, "flash": self.held(), "boots": self.boots,
            "connections": self.connections, "writes": self.writes, "requests": self.requests,
            "shown": str(self.shown).removesuffix("/P"), **self.security.state(),
            "connected_to": [link.central.settings.address for link in self.air.links if link.peripheral is self.chip],
        }  # fmt: skip
