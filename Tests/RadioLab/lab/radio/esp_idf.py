"""A device with Espressif's unified provisioning (docs/internals/protocols.md): each security, both host stacks, and what real
devices do beyond a successful join. Its messages are its own; `esp_session.py` has its sessions."""

import asyncio
import dataclasses
import json
from collections.abc import Callable
from typing import Any

from bumble import att, gatt
from bumble.core import UUID, AdvertisingData
from bumble.device import Connection

from .esp_session import PROOF, USER, Curve, Open, Password, Refused, Session
from .faults import Faults
from .peripheral import Peripheral, advertisement, characteristic
from .protobuf import field, fields

ENDPOINTS = {
    "prov-ctrl": 0xFF4F, "prov-scan": 0xFF50, "prov-session": 0xFF51, "prov-config": 0xFF52, "proto-ver": 0xFF53,
    "custom-data": 0xFF54,
}  # fmt: skip
_INVALID_ARGUMENT, _INTERNAL_ERROR = 4, 5  # statuses
_CONNECTING, _FAILED = 1, 3  # states
_AUTH_ERROR, _NOT_FOUND = 0, 1
_REFUSED = 0x04  # NimBLE's answer to everything that the firmware refuses
_MOST_NETWORKS = 16
_OTHER_SERVICE = UUID("180A")

# s
_UNTIL_JOIN = 1.0
_JOIN = 1.0
_SCAN = 1.5
_UNTIL_LEFT = 1.0
_UNTIL_STOP = 30.0

_EARLIER = {"ssid": "Office", "password": "as it was before"}  # what another client had it join


def _uuid(number: int) -> UUID:
    return UUID(f"021A{number:04X}-0382-4AEA-BFF4-6B3F1C5ADFB4")


@dataclasses.dataclass
class EspFaults(Faults):
    # What it is:
    security: int = 2
    no_proof: bool = False  # security 1 without a proof of possession
    same_nonce: bool = False  # security 2 of early IDF 5
    bluedroid: bool = False  # the other host stack: a refusal ends the link
    no_control: bool = False  # before IDF 5.1: no `prov-ctrl`
    thread_only: bool = False  # for Thread networks: every command for WiFi has status InvalidArgument
    version: str = ""  # what `proto-ver` answers instead: "text" (IDF 3), "odd" (other keys, and other kinds of values)
    other_table: bool = False  # other firmware: the same endpoints at other places
    hidden: int = 0  # so many networks around it hide their names
    # What it does:
    wrong_password: bool = False  # the network does not take its password
    no_network: bool = False  # the network is out of its reach
    fails_attempts: int = 0  # it reports so many failed attempts, and then joins
    tries_for_ever: bool = False  # the join fails for a reason that has no number
    busy: float = 0.0  # s after its start in which it tries to join the network of another client, in vain
    busy_joins: bool = False  # with `busy`: not in vain
    cut: str = ""  # the endpoint whose answers lack their last byte
    leaves_after_apply: bool = False  # it ends the link when it has accepted the network, and joins it
    not_connectable: float = 0.0  # s after its start in which nobody can connect
    new_address: float = 0.0  # s after which it has another address, as long as nobody is connected


class EspIdf(Peripheral):
    FAULTS = EspFaults
    faults: EspFaults
    LOCAL_NAME = "PROV_A1B2C3"

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.networks: list[tuple[str, int]] = [("Guest, 2nd floor", -48), ("Office", -61)]
        self.resets = 0
        self.reset()

    # --- Flash ---

    def restore(self, past: dict[str, Any]) -> None:
        """It is new."""

    def reset(self) -> None:
        self.resets += 1
        self.flash: dict[str, str] = {}
        self.product: dict[str, str] = {}  # what its own endpoint got
        self.wanted: dict[str, str] | None = None  # set, and not applied
        self.answers: dict[str, bytes] = {}
        self.session: Session = Open()
        self.phase = "ready"
        self.report = field(2, _CONNECTING)  # what it says of the network; a reset does not change it
        self.found: list[tuple[str, int]] = []
        self.is_scanning = self.is_leaving = False
        self.is_connectable = True
        self.longest: dict[str, int] = {}  # of each endpoint: the longest request

    def held(self) -> dict[str, Any]:
        return {"phase": self.phase, "longest": self.longest, **self.flash}

    # --- On the air ---

    async def begin(self) -> None:
        self.is_connectable = not self.faults.not_connectable
        properties = gatt.Characteristic.Properties.READ | gatt.Characteristic.Properties.WRITE
        table = [
            characteristic(
                _uuid(number), properties, read=self._reading(name), write=self.writing(name),
                descriptors=[
                    gatt.Descriptor(gatt.GATT_CHARACTERISTIC_USER_DESCRIPTION_DESCRIPTOR, att.Attribute.READABLE, name.encode())
                ],
            )
            for name, number in ENDPOINTS.items() if name != "prov-ctrl" or not self.faults.no_control
        ]  # fmt: skip
        services = [gatt.Service(_uuid(0x9004), table)]
        if self.faults.other_table:
            table.reverse()
            readable = gatt.Characteristic.READABLE
            version = gatt.Characteristic("2A26", gatt.Characteristic.Properties.READ, readable, b"2.0")
            services.insert(0, gatt.Service(_OTHER_SERVICE, [version]))
        await self.serve(*services)
        if self.faults.busy and self.phase == "ready":
            self.phase = "joining"
            self.soon(self._try_earlier_network(self.boots))
        if not self.is_connectable:
            self.soon(self._become_connectable(self.boots))
        if self.faults.new_address:
            self.soon(self._change_address(self.boots))
        await self.advertise()

    async def advertise(self) -> None:
        """A device that has joined its network advertises nothing. The name is in the scan response."""
        self.session = self._new_session()
        if self.phase == "over":
            return
        if self.phase != "joined":
            self.life = "waiting"
        name = AdvertisingData([(AdvertisingData.COMPLETE_LOCAL_NAME, self.LOCAL_NAME.encode())])
        await self.broadcast(
            advertisement((AdvertisingData.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS, bytes(_uuid(0x9004)))),
            scan_response=bytes(name), connectable=self.is_connectable,
        )  # fmt: skip

    def _new_session(self) -> Session:
        if self.faults.security == 2:
            return Password(USER, PROOF, counts=not self.faults.same_nonce)
        return Open() if self.faults.security == 0 else Curve(b"" if self.faults.no_proof else PROOF)

    def _is(self, boot: int) -> bool:
        """Whether it is still switched on since that start."""
        return self.device is not None and self.boots == boot

    async def _become_connectable(self, boot: int) -> None:
        await asyncio.sleep(self.faults.not_connectable)
        if self._is(boot):
            self.is_connectable = True
            await self.host.stop_advertising()
            await self.advertise()

    async def _change_address(self, boot: int) -> None:
        while self._is(boot) and self.phase != "over":
            await asyncio.sleep(self.faults.new_address)
            if self._is(boot) and not self.host.connections and self.faults.new_address:
                await self.move()
                return  # It has started anew.

    def _reading(self, name: str) -> Callable[[Connection], bytes]:
        return lambda _connection: self.answers.get(name, b"")

    # --- Requests ---

    async def take(self, connection: Connection, name: str, value: bytes) -> None:
        """Carries out a request. After a refusal the last answer stays."""
        self.longest[name] = max(self.longest.get(name, 0), len(value))
        if not value and self.faults.bluedroid:
            raise att.ATT_Error(att.ErrorCode.INVALID_ATTRIBUTE_LENGTH)
        if not value:
            return
        try:
            answer = await self._answer(name, value)
        except (Refused, KeyError, ValueError):
            if self.faults.bluedroid:
                await connection.disconnect()
                raise asyncio.CancelledError from None
            raise att.ATT_Error(att.ErrorCode(_REFUSED)) from None
        self.answers[name] = answer[:-1] if self.faults.cut == name else answer

    async def _answer(self, name: str, value: bytes) -> bytes:
        if name == "proto-ver":
            return self._version()
        if name == "prov-session":
            return self.session.answer(value)
        text = self.session.decrypt(value)
        if name == "custom-data":
            self.product[name] = text.decode(errors="backslashreplace")
            return self.session.encrypt(b"SUCCESS\0")
        message = fields(text)
        number = message.get(1, 0)
        if name == "prov-ctrl":
            answer = self._control(number)
        elif name == "prov-scan":
            answer = await self._networks(number, message)
        else:
            answer = self._configuration(number, message)
        return self.session.encrypt(field(1, number + 1) + answer)

    def _version(self) -> bytes:
        if self.faults.version == "text":
            return b"V0.1"
        faults = self.faults
        # As the firmware has them: a proof of possession is named only if it is missing.
        capabilities = ["no_sec"] if faults.security == 0 else ["no_pop"] if faults.security == 1 and faults.no_proof else []
        capabilities += ["thread_prov", "thread_scan"] if faults.thread_only else ["wifi_prov", "wifi_scan"]
        security: dict[str, Any] = {"sec_ver": faults.security}
        if not faults.same_nonce:
            security["sec_patch_ver"] = 1 if faults.security == 2 else 0
        prov: dict[str, Any] = {"ver": "netprov-v1.2", **security, "cap": capabilities}
        if faults.version == "odd":
            product = {"ver": 3, "cap": [1, {"deep": [None, True]}], "ünïcödé": "\t"}
            return json.dumps({"lamp": product, "prov": {**prov, "cap": [7, *capabilities]}, "more": []}).encode()
        return json.dumps({"prov": prov}, indent="\t").encode()

    # --- prov-ctrl ---

    def _control(self, number: int) -> bytes:
        if number not in (1, 3):
            raise Refused("an unknown number")
        if self.faults.thread_only:
            status = _INVALID_ARGUMENT
        elif number == 1 and self.phase == "failed":
            self.phase, status = "ready", 0
        else:
            # It is in no failed state; to be provisioned again it would have to go on with Bluetooth.
            status = _INTERNAL_ERROR
        return (field(2, status) if status else b"") + field(12 if number == 1 else 14, b"")

    # --- prov-scan ---

    async def _networks(self, number: int, message: dict[int, Any]) -> bytes:
        if number not in (0, 2, 4):
            raise Refused("an unknown number")
        if self.faults.thread_only:
            return field(2, _INVALID_ARGUMENT) + field(11 + number, b"")
        if number == 0:
            await self._scan(is_blocking=fields(message[10]).get(1, 0) == 1)
            return field(11, b"")
        if number == 2:
            status = b"" if self.is_scanning else field(1, 1)
            return field(13, status + (field(2, len(self.found)) if self.found else b""))
        page = fields(message[14])
        start, count = page.get(1, 0), page.get(2, 0)
        last = len(self.found) if count else _MOST_NETWORKS
        if start >= _MOST_NETWORKS or start + count > last:
            raise Refused("beyond the list")
        entries = [self._entry(index) for index in range(start, start + count)]
        return field(15, b"".join(field(1, entry) for entry in entries))

    async def _scan(self, is_blocking: bool) -> None:
        if self.is_scanning:
            return
        self.is_scanning, self.found = True, []
        if self.phase != "ready":
            # It never ends, and a blocking one holds up the whole Bluetooth stack.
            await asyncio.sleep(3600 if is_blocking else 0)
            return
        if is_blocking:
            await self._finish_scan()
        else:
            self.soon(self._finish_scan())

    async def _finish_scan(self) -> None:
        await asyncio.sleep(_SCAN)
        strongest = sorted(self.networks, key=lambda network: -network[1])
        self.found = strongest[self.faults.hidden :][:_MOST_NETWORKS]
        self.is_scanning = False

    def _entry(self, index: int) -> bytes:
        ssid, rssi = self.found[index]
        address = bytes([0x24, 0x0A, 0xC4, 0, 1, index])
        return (
            field(1, ssid.encode()[:32]) + field(2, 6) + field(3, rssi & (1 << 64) - 1) + field(4, address) + field(5, 3)
        )  # fmt: skip

    # --- prov-config ---

    def _configuration(self, number: int, message: dict[int, Any]) -> bytes:
        if number not in (0, 2, 4):
            raise Refused("an unknown number")
        if self.faults.thread_only:
            return field(11 + number, field(1, _INVALID_ARGUMENT))
        if number == 0:
            return field(11, self._state())
        status = self._set(fields(message[12])) if number == 2 else self._apply()
        return field(11 + number, field(1, status) if status else b"")

    def _set(self, network: dict[int, Any]) -> int:
        ssid, password, address = (network.get(number, b"") for number in (1, 2, 3))
        if len(ssid) > 32 or len(password) > 63 or len(address) not in (0, 6):
            return _INVALID_ARGUMENT
        # Both are kept as texts of C.
        self.wanted = {"ssid": ssid.split(b"\0")[0].decode(), "password": password.split(b"\0")[0].decode()}
        return 0

    def _apply(self) -> int:
        wanted, self.wanted = self.wanted, None
        if wanted is None or self.phase != "ready":
            return _INTERNAL_ERROR
        self.phase, self.report = "joining", field(2, _CONNECTING)
        if self.faults.leaves_after_apply:
            self.soon(self._leave(0.3))
        self.soon(self._join(wanted))
        return 0

    def _state(self) -> bytes:
        if self.phase == "joined" and not self.is_leaving:
            self.is_leaving = True
            self.soon(self._leave(_UNTIL_LEFT))
        return self.report

    # --- The network ---

    async def _join(self, wanted: dict[str, str]) -> None:
        faults, resets = self.faults, self.resets
        await asyncio.sleep(_UNTIL_JOIN + _JOIN)
        if self.resets != resets:
            return
        for rest in reversed(range(faults.fails_attempts)):
            self.report = field(2, _CONNECTING) + field(12, field(1, rest + 1))
            await asyncio.sleep(_JOIN)
        if faults.tries_for_ever:
            return
        if faults.wrong_password or faults.no_network:
            self._fail(_AUTH_ERROR if faults.wrong_password else _NOT_FOUND)
        else:
            self._keep(wanted)

    def _fail(self, reason: int) -> None:
        self.phase, self.report = "failed", field(2, _FAILED) + field(10, reason)
        self._emit("stored", self, phase=self.phase)

    def _keep(self, network: dict[str, str]) -> None:
        self.flash = {**self.product, **network}
        network_part = field(1, b"192.168.4.20") + field(2, 3) + field(3, network["ssid"].encode())
        address = bytes([0x24, 0x0A, 0xC4, 0x31, 0x32, 0x33])
        self.report = field(11, network_part + field(4, address) + field(5, 6))
        self.phase = self.life = "joined"
        self.is_leaving = False
        self.soon(self._leave(_UNTIL_STOP))
        self._emit("stored", self, phase=self.phase)

    async def _try_earlier_network(self, boot: int) -> None:
        await asyncio.sleep(self.faults.busy)
        if not self._is(boot):
            return
        if self.faults.busy_joins:
            self._keep(_EARLIER)
        else:
            self._fail(_AUTH_ERROR)

    async def _leave(self, after: float) -> None:
        """Ends its Bluetooth: nobody sees it again."""
        resets = self.resets
        await asyncio.sleep(after)
        device = self.device
        if device is None or self.resets != resets or self.phase not in ("joining", "joined"):
            return
        if self.phase == "joined" or self.faults.leaves_after_apply:
            self.phase = "over"
        await self.end_links()
        await device.stop_advertising()
