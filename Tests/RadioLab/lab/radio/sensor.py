"""The Robo Sensor: its firmware on top of Bumble's host, GATT server and controller.

Two lives. While it waits to be provisioned it is a connectable peripheral called `Robo Sensor`; once its flash holds
a minor, an iBeacon that cannot be connected to."""

import asyncio
import dataclasses
import sys
import traceback
from collections.abc import Callable

from bumble import att, gatt, hci
from bumble.core import UUID, AdvertisingData, BaseBumbleError
from bumble.device import AdvertisingType, Connection, Device, DeviceConfiguration
from bumble.host import Host
from bumble.transport.common import AsyncPipeSink

from .air import Air
from .chip import Chip
from .faults import Faults

LOCAL_NAME = "Robo Sensor"
SERVICE = UUID("12345678-9ABC-DEF0-1234-000000000001")
ATTRIBUTES = {
    name: UUID(f"12345678-9ABC-DEF0-1234-00000000000{number}")
    for name, number in {
        "ssid": 2, "password": 3, "room": 4, "minor": 5, "command": 6, "status": 7, "wifi_scan": 8,
    }.items()
}  # fmt: skip
FORMER = UUID("12345678-9ABC-DEF0-1234-0000000000FF")
_LIMITS = {"ssid": (1, 32), "password": (0, 64), "room": (1, 64), "minor": (2, 2)}  # bytes

BEACON_UUID = bytes.fromhex("123456789ABCDEF0123456789ABCDEF0")
BEACON_MAJOR = 1
MEASURED_POWER = -59

_MTU = 247
_TO_DISCONNECT = 0.5  # s


@dataclasses.dataclass
class Settings:
    """What a sensor holds, in working memory or in flash. `minor` is None in a sensor from the factory."""

    ssid: str | None = None
    password: str | None = None
    room: str | None = None
    minor: int | None = None


@dataclasses.dataclass
class Timing:
    advertising: float = 0.1  # s between advertisements
    restart: float = 0.2  # s from `saved` until the connection is closed
    boot: float = 1.0  # s from there until it advertises


class RoboSensor:
    def __init__(
        self,
        air: Air,
        address: str,
        place: tuple[float, float],
        tell: Callable[..., None],
        strengths: dict[str, float] | None = None,
        timing: Timing = Timing(),
    ) -> None:
        self.air = air
        self.address = hci.Address(address, hci.Address.PUBLIC_DEVICE_ADDRESS)
        self.place = place
        self.strengths = strengths or {}
        self.timing = timing
        self.device_name = LOCAL_NAME  # what it says once connected; it advertises LOCAL_NAME
        self.networks: list[tuple[str, int]] = [("Guest, 2nd floor", -48), ("Office", -61)]
        self.flash = Settings()
        self.staged = Settings()
        self.faults = Faults()
        self.life = "off"
        self.boots = 0
        self.saves = 0
        self.connections = 0
        self.writes: list[dict] = []
        self.chip: Chip | None = None
        self.device: Device | None = None
        self.status = ""
        self._tell = tell
        self._requests_of_connection = 0
        self._writes_of_connection = 0
        self._has_rebooted = False
        self._tasks: set[asyncio.Task] = set()

    # --- Power ---

    async def power_on(self) -> None:
        await self.power_off()
        self.boots += 1
        self.staged = Settings()
        if self.flash.minor is not None and self._has_rebooted and self.faults.no_beacon:
            return
        self.chip = Chip(self.address, self.air, self.place, self.strengths)
        configuration = DeviceConfiguration(
            name=self.device_name, address=self.address, gatt_service_enabled=False,
            advertising_interval_min=self.timing.advertising * 1000,
            advertising_interval_max=self.timing.advertising * 1000,
        )  # fmt: skip
        self.device = Device(config=configuration, host=Host(self.chip, AsyncPipeSink(self.chip)))
        self.device.gatt_server.max_mtu = _MTU
        if self.flash.minor is None:
            await self._wait_to_be_provisioned()
        else:
            await self._be_a_beacon()
        self._tell("booted", self, life=self.life)

    async def power_off(self) -> None:
        """Without a word: a link is noticed to be lost when its supervision timer runs out."""
        if self.chip is not None:
            self.chip.power_off()
        self.chip = self.device = None
        self.life = "off"

    async def _reboot(self) -> None:
        device, quiet = self.device, self.faults.silent_reboot or self.faults.reboot_before_answer
        if device is not None and not quiet:
            for connection in list(device.connections.values()):
                try:
                    # Bumble never says that a connection is closed which ended in the same moment.
                    async with asyncio.timeout(_TO_DISCONNECT):
                        await connection.disconnect()
                except (TimeoutError, BaseBumbleError):
                    pass  # A sensor restarts, whatever its radio thinks of it.
            await asyncio.sleep(0.15)  # The link layer is let finish: the host on the other side hears of it.
        await self.power_off()
        self._has_rebooted = True
        await asyncio.sleep(self.timing.boot)
        await self.power_on()

    def _soon(self, coroutine) -> None:
        task = asyncio.create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            # Into the radio's log: a sensor that fell silent for a reason of ours proves nothing.
            print(f"{self.address} has crashed:", *traceback.format_exception(error), file=sys.stderr, flush=True)

    # --- The first life ---

    async def _wait_to_be_provisioned(self) -> None:
        self.status = self.faults.first_status or ("" if self.faults.no_ready else "ready")
        self._lay_out_table()
        self._attend_to_requests()
        self.device.on("connection", self._connected)
        await self.device.power_on()
        self.life = "provisioning"
        self._obey_faults()
        await self._advertise()

    def _obey_faults(self) -> None:
        if self.chip is not None:
            self.chip.lateness = self.faults.slow
            self.chip.accepts_connections = not self.faults.dead

    async def _advertise(self) -> None:
        name = LOCAL_NAME.encode()
        flags = bytes([AdvertisingData.Flags.LE_GENERAL_DISCOVERABLE_MODE | AdvertisingData.Flags.BR_EDR_NOT_SUPPORTED])
        data = AdvertisingData([(AdvertisingData.FLAGS, flags), (AdvertisingData.COMPLETE_LOCAL_NAME, name)])
        await self.device.start_advertising(
            own_address_type=hci.OwnAddressType.PUBLIC, advertising_data=bytes(data), scan_response_data=b""
        )

    def _lay_out_table(self) -> None:
        read, write, notify = (getattr(gatt.Characteristic.Properties, name) for name in ("READ", "WRITE", "NOTIFY"))
        may_read, may_write = gatt.Characteristic.READABLE, gatt.Characteristic.WRITEABLE

        # Bumble leaves it to the attribute to say what may not be done with it.
        def unreadable(_connection):
            raise att.ATT_Error(att.ErrorCode.READ_NOT_PERMITTED)

        def unwritable(_connection, _value):
            raise att.ATT_Error(att.ErrorCode.WRITE_NOT_PERMITTED)

        def characteristic(name, properties, permissions, **access):
            descriptors = []
            if properties & notify and self.faults.no_notify:
                # Bumble's server heeds no permissions: the refusal has to be said.
                switch = gatt.CharacteristicValue(read=lambda _: bytes(2), write=unwritable)
                descriptors = [
                    gatt.Descriptor(gatt.GATT_CLIENT_CHARACTERISTIC_CONFIGURATION_DESCRIPTOR, may_read, switch)
                ]
            value = gatt.CharacteristicValue(**{"read": unreadable, "write": unwritable} | access)
            uuid = FORMER if name == self.faults.renamed else ATTRIBUTES[name]
            return gatt.Characteristic(uuid, properties, permissions, value, descriptors)

        def taking(name):
            async def take(connection, value):
                await self._written(connection, name, bytes(value))

            return take

        table = [characteristic(name, write, may_write, write=taking(name)) for name in ("ssid", "password", "room", "minor", "command")]
        self._status = characteristic(
            "status", read | notify, may_read, read=lambda _: self.status.encode()
        )
        table.append(self._status)
        self._scan = None
        if not self.faults.no_wifi_scan:
            self._scan = characteristic("wifi_scan", write | notify, may_write, write=taking("wifi_scan"))
            table.append(self._scan)
        if self.faults.other_table:
            table.reverse()
            self.device.add_service(gatt.Service(UUID("180A"), [
                gatt.Characteristic("2A29", read, may_read, b"Robo"),
                gatt.Characteristic("2A26", read, may_read, b"2.0"),
            ]))  # fmt: skip
        if not self.faults.no_service:
            self.device.add_service(gatt.Service(SERVICE, table))

    def _attend_to_requests(self) -> None:
        server = self.device.gatt_server
        answer = server.on_gatt_pdu

        def attend(connection: Connection, request: att.ATT_PDU) -> None:
            self._requests_of_connection += 1
            if self._requests_of_connection == self.faults.drop_at_request:
                self._soon(connection.disconnect())
            else:
                answer(connection, request)

        server.on_gatt_pdu = attend

    def _connected(self, connection: Connection) -> None:
        self.connections += 1
        self._requests_of_connection = 0
        self._writes_of_connection = 0
        if self.faults.connections and self.connections > self.faults.connections:
            self.faults = Faults()
            self.status = "ready"
            self._obey_faults()
        by = str(connection.peer_address).removesuffix("/P")
        intervals = [link.interval * 1000 for link in self.air.links if link.peripheral is self.chip]
        self._tell("connected", self, by=by, interval_ms=round(intervals[-1], 2) if intervals else None)

        def disconnected(reason: int) -> None:
            self._tell("disconnected", self, by=by, reason=reason)
            if self.life == "provisioning":
                self._soon(self._advertise())

        connection.on("disconnection", disconnected)

    # --- Writes ---

    async def _written(self, connection: Connection, name: str, value: bytes) -> None:
        self._writes_of_connection += 1
        entry = {
            "at": round(self.air.now(), 4), "by": str(connection.peer_address).removesuffix("/P"),
            "attribute": name, "value": value.hex(), "answer": "none",
        }  # fmt: skip
        self.writes.append(entry)
        self._tell("write", self, attribute=name, number=self._writes_of_connection)
        if self.faults.drop_at_write == self._writes_of_connection:
            await connection.disconnect()
            raise asyncio.CancelledError
        try:
            self._take(name, value)
        except att.ATT_Error as error:
            entry["answer"] = f"error {error.error_code:#04x}"
            raise
        entry["answer"] = "confirmed"
        if name == "command":
            await self._save(connection)
        elif name == "wifi_scan":
            self._soon(self._scan_wifi(connection))

    def _take(self, name: str, value: bytes) -> None:
        if self.faults.reject == name:
            raise att.ATT_Error(self.faults.reject_code)
        if name in _LIMITS:
            low, high = _LIMITS[name]
            if not low <= len(value) <= high:
                raise att.ATT_Error(att.ErrorCode.INVALID_ATTRIBUTE_LENGTH)
            setattr(self.staged, name, int.from_bytes(value, "big") if name == "minor" else value.decode(errors="replace"))
        elif value != {"command": b"SAVE", "wifi_scan": b"SCAN"}[name]:
            raise att.ATT_Error(att.ErrorCode.VALUE_NOT_ALLOWED)

    async def _save(self, connection: Connection) -> None:
        self._tell("save", self)
        if self.faults.ignore_save:
            return
        if self.faults.save_error or self.staged.room is None or self.staged.minor is None:
            self._soon(self._report(f"error:{self.faults.save_error or 'incomplete'}"))
            return
        if not self.faults.no_save_then_reboot:
            staged = {name: value for name, value in dataclasses.asdict(self.staged).items() if value is not None}
            self.flash = dataclasses.replace(self.flash, **staged)
            self.saves += 1
            self._tell("saved", self, minor=self.flash.minor)
        if self.faults.reboot_before_answer:
            self._soon(self._reboot())
            await self.power_off()
            raise asyncio.CancelledError
        self._soon(self._confirm_and_reboot())

    async def _confirm_and_reboot(self) -> None:
        if not self.faults.no_saved:
            await self._report("saved")
        await asyncio.sleep(self.timing.restart)
        await self._reboot()

    async def _report(self, status: str) -> None:
        self.status = status
        if self.device is not None:
            await self.device.notify_subscribers(self._status)

    async def _scan_wifi(self, connection: Connection) -> None:
        await asyncio.sleep(1.5)
        lines = [f"{ssid},{rssi}\n" for ssid, rssi in sorted(self.networks, key=lambda network: -network[1])[:10]]
        room = connection.att_mtu - 3
        parts = [""]
        for line in lines:
            if len((parts[-1] + line + "MORE").encode()) > room:
                parts.append("")
            parts[-1] += line
        for number, part in enumerate(parts, 1):
            text = part + ("END" if number == len(parts) else "MORE")
            await self.device.notify_subscribers(self._scan, text.encode())

    # --- The second life ---

    async def _be_a_beacon(self) -> None:
        minor = self.faults.wrong_minor or self.flash.minor
        beacon = (
            b"\x4c\x00\x02\x15" + BEACON_UUID + BEACON_MAJOR.to_bytes(2, "big") + minor.to_bytes(2, "big")
            + MEASURED_POWER.to_bytes(1, "big", signed=True)
        )  # fmt: skip
        flags = bytes([AdvertisingData.Flags.LE_GENERAL_DISCOVERABLE_MODE | AdvertisingData.Flags.BR_EDR_NOT_SUPPORTED])
        data = AdvertisingData(
            [(AdvertisingData.FLAGS, flags), (AdvertisingData.MANUFACTURER_SPECIFIC_DATA, beacon)]
        )
        await self.device.power_on()
        self.life = "beacon"
        await self.device.start_advertising(
            AdvertisingType.UNDIRECTED,
            own_address_type=hci.OwnAddressType.PUBLIC, advertising_data=bytes(data), scan_response_data=b"",
        )  # fmt: skip

    # --- For the test ---

    def state(self) -> dict:
        return {
            "address": str(self.address).removesuffix("/P"), "life": self.life, "status": self.status,
            "flash": dataclasses.asdict(self.flash), "saves": self.saves, "boots": self.boots,
            "connections": self.connections, "writes": self.writes,
            "connected_to": [link.central.settings.address for link in self.air.links if link.peripheral is self.chip],
        }  # fmt: skip
