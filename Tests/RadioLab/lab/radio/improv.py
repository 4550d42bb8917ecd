"""An Improv device (docs/internals/protocols.md) as ESPHome behaves, and as the specification permits beyond that: it gets its
network in one command, in pieces, and reports whether it joined."""

import asyncio
import dataclasses
from typing import Any

from bumble import att, gatt
from bumble.core import UUID, AdvertisingData
from bumble.device import Connection

from .faults import Faults
from .peripheral import Peripheral, advertisement, characteristic

_DATA = 0x4677  # the 16-bit UUID of its service data
_LOCKED, _READY, _JOINING, _ONLINE = 1, 2, 3, 4
_NO_ERROR, _INVALID, _UNKNOWN, _UNABLE, _NOT_AUTHORIZED, _BAD_HOSTNAME = range(6)
_WIFI, _IDENTIFY, _INFO, _SCAN, _HOSTNAME, _NAME = range(1, 7)
_URL = b"http://192.168.7.31/"

# s
_JOIN = 2.0
_GIVES_UP = 30.0
_SCANS = 2.0
_PERMITS = 60.0
_STOPS, _STOPPED = 10.0, 1.0  # after a success, now and before 2025


def _uuid(number: int) -> UUID:
    return UUID(f"00467768-6228-2272-4663-27747826800{number}")


def _frame(command: int, data: bytes = b"") -> bytes:
    start = bytes([command, len(data)]) + data
    return start + bytes([sum(start) & 0xFF])


def _strings(*texts: bytes) -> bytes:
    """A list of strings; those that do not fit are left out."""
    data = b""
    for text in texts:
        if len(data) + 1 + len(text) > 255:
            break
        data += bytes([len(text)]) + text
    return data


@dataclasses.dataclass
class ImprovFaults(Faults):
    # What it is:
    capabilities: int = 7  # identify, device info, WiFi scan, hostname; -1: an older one, without the characteristic
    hides_state: bool = False  # its service data is missing
    needs_button: bool = False  # nobody presses it
    keeps_service: bool = False  # it goes on advertising when it has joined
    old_order: bool = False  # the state before the result, and the service ends after 1 s
    no_result: bool = False  # the state only
    no_state: bool = False  # the result only
    scans_one_by_one: bool = False  # each network in a result of its own
    six_strings: bool = False  # its info has an operating system
    # What it does:
    cannot_join: bool = False
    part_of_command: str = ""  # hexadecimal digits that another client left in its buffer
    drops_command: int = 0  # so many commands are lost without a sign
    stale_error: bool = False  # its error is that of an earlier attempt
    busy: float = 0.0  # s after its start in which it tries to join the network of another client, in vain
    network_returns: bool = False  # its earlier network returns when it gets a command
    cut_result: bool = False  # its results lack their last byte, also when they are read
    odd_reports: bool = False  # while it joins, it reports values that are none
    repeats: bool = False  # it notifies each value twice
    leaves_while_joining: bool = False  # it ends the link, and joins


class Improv(Peripheral):
    FAULTS = ImprovFaults
    faults: ImprovFaults
    LOCAL_NAME = "lamp"

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.networks: list[tuple[str, int]] = [("Guest, 2nd floor", -48), ("Office", -61)]
        self.reset()

    def restore(self, past: dict[str, Any]) -> None:
        """It is new."""

    def reset(self) -> None:
        self.flash: dict[str, Any] = {}
        self.phase = _READY
        self.error = _NO_ERROR
        self.buffer = self.result = b""
        self.blinks = self.commands = 0
        self.hostname = self.name = b"lamp"
        self.is_over = False

    def held(self) -> dict[str, Any]:
        return {"phase": self.phase, "blinks": self.blinks, "commands": self.commands, **self.flash}

    # --- On the air ---

    async def begin(self) -> None:
        if self.phase != _ONLINE:
            self.phase = _LOCKED if self.faults.needs_button else _READY
        self.error = _UNABLE if self.faults.stale_error else _NO_ERROR
        self.buffer = bytes.fromhex(self.faults.part_of_command)
        permitted = gatt.Characteristic.Properties
        reports = permitted.READ | permitted.NOTIFY
        self.reports = {
            "state": characteristic(_uuid(1), reports, read=lambda _: bytes([self.phase])),
            "error": characteristic(_uuid(2), reports, read=lambda _: bytes([self.error])),
            "result": characteristic(_uuid(4), reports, read=lambda _: self.result),
        }
        command = characteristic(_uuid(3), permitted.WRITE, write=self.writing("command"))
        table = [*self.reports.values(), command]
        if self.faults.capabilities >= 0:
            capabilities = bytes([self.faults.capabilities])
            table.append(characteristic(_uuid(5), permitted.READ, read=lambda _: capabilities))
        await self.serve(gatt.Service(_uuid(0), table))
        if self.faults.busy and self.phase == _READY:
            self.phase = _JOINING
            self.soon(self._give_up_earlier(self.boots))
        await self.advertise()

    async def advertise(self) -> None:
        """With its service and its state, which fill an advertisement."""
        if self.is_over:
            return
        self.life = "joined" if self.phase == _ONLINE else "waiting"
        service = (AdvertisingData.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS, bytes(_uuid(0)))
        data = _DATA.to_bytes(2, "little") + bytes([self.phase, max(0, self.faults.capabilities), 0, 0, 0, 0])
        parts = [service] if self.faults.hides_state else [service, (AdvertisingData.SERVICE_DATA, data)]
        await self.broadcast(advertisement(*parts))

    def link_ended(self) -> None:
        if not self.faults.stale_error:
            self.error = _NO_ERROR
        super().link_ended()

    async def _advertise_anew(self) -> None:
        """Its state is on the air, so it changes with it."""
        if self.device is not None and not self.device.connections and self.device.is_advertising:
            await self.device.stop_advertising()
            await self.advertise()

    # --- Commands ---

    async def take(self, connection: Connection, name: str, value: bytes) -> None:
        """Puts a command together from its pieces. Too many bytes make it drop all, and the end of a link drops nothing."""
        if self.is_over:
            raise att.ATT_Error(att.ErrorCode.INVALID_HANDLE)
        self.buffer += value
        if len(self.buffer) < 3 or len(self.buffer) < self.buffer[1] + 3:
            return
        frame, self.buffer = self.buffer, b""
        if len(frame) > frame[1] + 3:
            return
        self.commands += 1
        if frame[0] == _WIFI and self.faults.drops_command:
            self.faults.drops_command -= 1
            return
        self.soon(self._carry_out(frame))

    async def _carry_out(self, frame: bytes) -> None:
        if not self.faults.stale_error:
            await self._set_error(_NO_ERROR)
        command, data = frame[0], frame[2:-1]
        if frame != _frame(command, data):
            await self._set_error(_INVALID)
        elif command == _WIFI:
            await self._wifi(data)
        elif self.faults.capabilities < 0 or command not in range(_IDENTIFY, _NAME + 1):
            await self._set_error(_UNKNOWN)
        elif command == _IDENTIFY:
            self.blinks += 1
        elif command == _INFO:
            system = [b"ESP-IDF", b"5.4"] if self.faults.six_strings else []
            await self._answer(_INFO, b"lab", b"1", b"chip", self.name, *system)
        elif command == _SCAN:
            await asyncio.sleep(_SCANS)
            await self._list_networks()
        else:
            await self._rename(command, data)

    async def _list_networks(self) -> None:
        strongest = sorted(self.networks, key=lambda network: -network[1])
        entries = [(ssid.encode(), str(rssi).encode(), b"WPA2/WPA3") for ssid, rssi in strongest]
        if not self.faults.scans_one_by_one:
            await self._answer(_SCAN, *(text for entry in entries for text in entry))
            return
        for entry in entries:
            await self._answer(_SCAN, *entry)
        await self._answer(_SCAN)

    async def _rename(self, command: int, data: bytes) -> None:
        """Clients disagree on whether a second length precedes the name."""
        if data:
            name = data[1:] if data[0] == len(data) - 1 else data
            if command == _HOSTNAME and not name.replace(b"-", b"").replace(b".", b"").isalnum():
                await self._set_error(_BAD_HOSTNAME)
                return
            if command == _HOSTNAME:
                self.hostname = name
            else:
                self.name = name
        await self._answer(command, self.hostname if command == _HOSTNAME else self.name)

    # --- The network ---

    async def _wifi(self, data: bytes) -> None:
        network = _network(data)
        if network is None:
            await self._set_error(_UNKNOWN)
            return
        if self.faults.network_returns and self.phase == _READY:
            await self._set_phase(_ONLINE)
        if self.phase != _READY:
            await self._set_error(_NOT_AUTHORIZED)
            return
        await self._set_phase(_JOINING)
        if self.faults.odd_reports:
            await self._report_oddly()
        if self.faults.leaves_while_joining:
            self.soon(self._end_link(0.5))
        self.soon(self._join(network))

    async def _report_oddly(self) -> None:
        """Strings longer than the frame, a frame longer than its length, a frame alone with its length, a result of another
        command, and a state and an error of several bytes and of none."""
        for name, value in (
            ("result", _frame(_WIFI, b"\x09x")), ("result", _frame(_WIFI) + b"\0"), ("result", b"\x01"),
            ("result", _frame(_INFO, _strings(b"another"))), ("state", bytes([_ONLINE, 0])), ("state", b""),
            ("state", b"\x63"), ("error", bytes([_UNABLE, 0])), ("error", b""),
        ):  # fmt: skip
            await self._notify(name, value)

    async def _join(self, network: tuple[bytes, bytes]) -> None:
        if self.faults.cannot_join:
            await asyncio.sleep(_GIVES_UP)
            await self._give_up()
            return
        await asyncio.sleep(_JOIN)
        self.flash = {"ssid": network[0].decode(), "password": network[1].decode()}
        if self.faults.old_order:
            await self._set_phase(_ONLINE)
        if not self.faults.no_result:
            await self._answer(_WIFI, _URL, b"http://lamp.local/")
        self._emit("stored", self)
        if not self.faults.old_order and not self.faults.no_state:
            await self._set_phase(_ONLINE)
        if not self.faults.keeps_service:
            self.soon(self._stop(_STOPPED if self.faults.old_order else _STOPS))

    async def _give_up(self) -> None:
        await self._set_error(_UNABLE)
        await self._set_phase(_READY)
        if self.faults.needs_button:
            self.soon(self._lock())

    async def _lock(self) -> None:
        await asyncio.sleep(_PERMITS)
        if self.phase == _READY:
            await self._set_phase(_LOCKED)

    async def _give_up_earlier(self, boot: int) -> None:
        await asyncio.sleep(self.faults.busy)
        if self.boots == boot and self.phase == _JOINING:
            await self._give_up()

    async def _stop(self, after: float) -> None:
        """Its service ends, and it keeps the link."""
        await asyncio.sleep(after)
        self.is_over, self.phase = True, _ONLINE
        if self.device is not None:
            await self.device.stop_advertising()

    async def _end_link(self, after: float) -> None:
        await asyncio.sleep(after)
        await self.end_links()

    # --- Reports ---

    async def _set_phase(self, phase: int) -> None:
        self.phase = phase
        self.life = "joined" if phase == _ONLINE else "waiting"
        await self._notify("state", bytes([phase]))
        await self._advertise_anew()

    async def _set_error(self, error: int) -> None:
        """It is notified only when it changes."""
        if error != self.error:
            self.error = error
            await self._notify("error", bytes([error]))

    async def _answer(self, command: int, *texts: bytes) -> None:
        self.result = _frame(command, _strings(*texts))
        if self.faults.cut_result:
            self.result = self.result[:-1]
        await self._notify("result", self.result)

    async def _notify(self, name: str, value: bytes) -> None:
        """A notification ends at the MTU, a read does not."""
        if self.device is None:
            return
        for _ in range(2 if self.faults.repeats else 1):
            for connection in list(self.device.connections.values()):
                part = value[: connection.att_mtu - 3]
                await self.device.notify_subscriber(connection, self.reports[name], part)


def _network(data: bytes) -> tuple[bytes, bytes] | None:
    """Name and password. What follows them is ignored; none if they do not fit."""
    if not data or len(data) < data[0] + 2:
        return None
    ssid, rest = data[1 : 1 + data[0]], data[1 + data[0] :]
    return (ssid, rest[1 : 1 + rest[0]]) if len(rest) > rest[0] else None
