"""The Robo Sensor. In provisioning mode it is a connectable peripheral called `Robo Sensor`. Once its flash has a minor, it is
an iBeacon that cannot be connected to."""

import asyncio
import dataclasses
from typing import Any

from bumble import att, gatt
from bumble.core import UUID, AdvertisingData
from bumble.device import Connection

from . import peripheral
from .faults import Faults
from .peripheral import Peripheral, advertisement, characteristic, ibeacon

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


@dataclasses.dataclass
class Settings:
    """The settings of a sensor, in working memory or in flash. `minor` is None in factory state."""

    ssid: str | None = None
    password: str | None = None
    room: str | None = None
    minor: int | None = None


@dataclasses.dataclass
class Timing(peripheral.Timing):
    restart: float = 0.2  # s from `saved` until the connection is closed
    boot: float = 1.0  # s from there until it advertises


@dataclasses.dataclass
class SensorFaults(Faults):
    reject: str = ""  # the attribute whose write it refuses with an error
    reject_code: int = 0x80
    no_ready: bool = False  # its status stays empty
    first_status: str = ""  # its status instead of `ready`
    no_notify: bool = False  # refuses subscriptions
    no_wifi_scan: bool = False  # older firmware: the characteristic is absent
    other_table: bool = False  # other firmware: the same attributes elsewhere, so that a cached table is wrong
    renamed: str = ""  # the attribute that older firmware has under another UUID, at the same place in the same service
    no_service: bool = False  # other firmware: the provisioning service is missing
    save_error: str = ""  # responds to SAVE with `error:` and this text, and saves nothing
    no_saved: bool = False  # saves and reboots without the status `saved`
    ignore_save: bool = False  # confirms the write of SAVE and does nothing
    reboot_before_answer: bool = False  # saves, and reboots so fast that the write of SAVE is never confirmed
    no_save_then_reboot: bool = False  # reports `saved` and reboots, but the flash is unchanged
    wrong_minor: int = 0  # the minor of its iBeacon instead of the written one
    no_beacon: bool = False  # never advertises again after it has saved
    silent_reboot: bool = False  # reboots without closing the connection


class RoboSensor(Peripheral):
    FAULTS = SensorFaults
    TIMING = Timing
    faults: SensorFaults
    timing: Timing
    LOCAL_NAME = "Robo Sensor"

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.networks: list[tuple[str, int]] = [("Guest, 2nd floor", -48), ("Office", -61)]
        self.flash = Settings()
        self.staged = Settings()
        self.saves = 0
        self.status = ""
        self._has_rebooted = False

    # --- Flash ---

    def restore(self, past: dict[str, Any]) -> None:
        self.flash = Settings(**past)

    def reset(self) -> None:
        """Returns to provisioning mode."""
        self.flash = Settings()

    def held(self) -> dict[str, Any]:
        return dataclasses.asdict(self.flash)

    # --- Power ---

    async def power_on(self) -> None:
        self.staged = Settings()
        if self.flash.minor is not None and self._has_rebooted and self.faults.no_beacon:
            await self.power_off()
            self.boots += 1
        else:
            await super().power_on()

    async def begin(self) -> None:
        if self.flash.minor is None:
            await self._wait_to_be_provisioned()
        else:
            await self._be_a_beacon()

    async def reboot(self) -> None:
        is_quiet = self.faults.silent_reboot or self.faults.reboot_before_answer
        if self.device is not None and not is_quiet:
            await self.end_links()
            await asyncio.sleep(0.15)  # The link layer needs this time to send the disconnect.
        await self.power_off()
        self._has_rebooted = True
        await asyncio.sleep(self.timing.boot)
        await self.power_on()

    # --- Provisioning mode ---

    async def _wait_to_be_provisioned(self) -> None:
        self.status = self.faults.first_status or ("" if self.faults.no_ready else "ready")
        await self.serve(*self._lay_out_table())
        self.life = "provisioning"
        await self.advertise()

    async def advertise(self) -> None:
        await self.broadcast(advertisement((AdvertisingData.COMPLETE_LOCAL_NAME, self.LOCAL_NAME.encode())))

    def recovered(self) -> None:
        self.status = "ready"

    def link_ended(self) -> None:
        if self.life == "provisioning":
            super().link_ended()

    def _lay_out_table(self) -> list[gatt.Service]:
        read, write, notify = (getattr(gatt.Characteristic.Properties, name) for name in ("READ", "WRITE", "NOTIFY"))

        def attribute(name: str, properties: gatt.Characteristic.Properties, **access: Any) -> gatt.Characteristic[bytes]:
            uuid = FORMER if name == self.faults.renamed else ATTRIBUTES[name]
            descriptors = [_refusing_switch()] if properties & notify and self.faults.no_notify else []
            return characteristic(uuid, properties, **access, descriptors=descriptors)

        table = [attribute(name, write, write=self.writing(name)) for name in ("ssid", "password", "room", "minor", "command")]
        self._status = attribute("status", read | notify, read=lambda _: self.status.encode())
        table.append(self._status)
        self._scan = None
        if not self.faults.no_wifi_scan:
            self._scan = attribute("wifi_scan", write | notify, write=self.writing("wifi_scan"))
            table.append(self._scan)
        services = [] if self.faults.no_service else [gatt.Service(SERVICE, table)]
        if self.faults.other_table:
            table.reverse()
            services.insert(0, gatt.Service(UUID("180A"), [
                gatt.Characteristic("2A29", read, gatt.Characteristic.READABLE, b"Robo"),
                gatt.Characteristic("2A26", read, gatt.Characteristic.READABLE, b"2.0"),
            ]))  # fmt: skip
        return services

    # --- Writes ---

    async def take(self, connection: Connection, name: str, value: bytes) -> None:
        if self.faults.reject == name:
            raise att.ATT_Error(self.faults.reject_code)
        if name in _LIMITS:
            low, high = _LIMITS[name]
            if not low <= len(value) <= high:
                raise att.ATT_Error(att.ErrorCode.INVALID_ATTRIBUTE_LENGTH)
            setattr(self.staged, name, int.from_bytes(value, "big") if name == "minor" else value.decode(errors="replace"))
        elif value != {"command": b"SAVE", "wifi_scan": b"SCAN"}[name]:
            raise att.ATT_Error(att.ErrorCode.VALUE_NOT_ALLOWED)

    async def taken(self, connection: Connection, name: str) -> None:
        if name == "command":
            await self._save()
        elif name == "wifi_scan":
            self.soon(self._scan_wifi(connection))

    async def _save(self) -> None:
        self._emit("save", self)
        if self.faults.ignore_save:
            return
        if self.faults.save_error or self.staged.room is None or self.staged.minor is None:
            self.soon(self._report(f"error:{self.faults.save_error or 'incomplete'}"))
            return
        if not self.faults.no_save_then_reboot:
            staged = {name: value for name, value in dataclasses.asdict(self.staged).items() if value is not None}
            self.flash = dataclasses.replace(self.flash, **staged)
            self.saves += 1
            self._emit("saved", self, minor=self.flash.minor)
        if self.faults.reboot_before_answer:
            self.soon(self.reboot())
            await self.power_off()
            raise asyncio.CancelledError
        self.soon(self._confirm_and_reboot())

    async def _confirm_and_reboot(self) -> None:
        if not self.faults.no_saved:
            await self._report("saved")
        await asyncio.sleep(self.timing.restart)
        await self.reboot()

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
        assert self._scan is not None, "a write to it started the scan"
        for number, part in enumerate(parts, 1):
            text = part + ("END" if number == len(parts) else "MORE")
            await self.host.notify_subscribers(self._scan, text.encode())

    # --- The beacon ---

    async def _be_a_beacon(self) -> None:
        assert self.flash.minor is not None
        minor = self.faults.wrong_minor or self.flash.minor
        await self.host.power_on()
        self.life = "beacon"
        await self.broadcast(advertisement(ibeacon(BEACON_UUID, BEACON_MAJOR, minor, MEASURED_POWER)), connectable=False)

    # --- For the test ---

    def state(self) -> dict[str, Any]:
        return super().state() | {"status": self.status, "saves": self.saves}


def _refusing_switch() -> gatt.Descriptor:
    """A descriptor that refuses subscriptions. Bumble's server ignores permissions, so it needs an explicit refusal."""

    def refuse(_connection: Connection, _value: bytes) -> None:
        raise att.ATT_Error(att.ErrorCode.WRITE_NOT_PERMITTED)

    switch = gatt.CharacteristicValue(read=lambda _: bytes(2), write=refuse)
    return gatt.Descriptor(gatt.GATT_CLIENT_CHARACTERISTIC_CONFIGURATION_DESCRIPTOR, gatt.Characteristic.READABLE, switch)
