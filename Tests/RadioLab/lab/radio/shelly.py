"""A Shelly of generation 2 or later (docs/internals/protocols.md): JSON-RPC over the GATT service of Mongoose OS. It keeps each
setting at once, joins the network that it gets, and restarts when it is told."""

import asyncio
import dataclasses
import hashlib
import json
from typing import Any

from bumble import att, gatt
from bumble.core import UUID, AdvertisingData
from bumble.device import Connection

from .faults import Faults
from .peripheral import Peripheral, advertisement, characteristic

_COMPANY = 0x0BA9
_FLAGS, _MAC, _MODEL = 0x01, 0x0A, 0x0B
_LONGEST = 4096
_ATT_MOST = 512  # bytes of an attribute that Bumble sends; BlueZ takes no more either

# s
_ANSWERS = 0.02
_SCANS = 4.0
_ASSOCIATES = 1.0
_GETS_ADDRESS = 0.5
_LINGERS = 1.5
_REBOOTS = 0.3


def _uuid(part: str) -> UUID:
    return UUID(f"5F6D4F53-5F52-5043-{part}")


SERVICE, DATA = _uuid("5F53-56435F49445F"), _uuid("5F64-6174615F5F5F")
TX, RX = _uuid("5F74-785F63746C5F"), _uuid("5F72-785F63746C5F")


@dataclasses.dataclass
class ShellyFaults(Faults):
    # What it is:
    gen: int = 2
    mac: str = ""  # another one than it advertises, over the link
    password: str = ""  # of its user, before the first run
    without_mac: bool = False  # in its advertisement
    late_blocks: bool = False  # a block of an unknown type comes first
    no_status: bool = False  # older firmware, without Sys.GetStatus
    # What it does:
    garbage_length: bool = False
    empty_reads: int = 0  # before the first byte of each answer
    left_over: bool = False  # an earlier client did not read its answer
    notifies: bool = False  # a notification before each answer
    short_nonce: bool = False  # each nonce is for one request
    cannot_join: bool = False
    lingers: bool = False  # it shows the network before for a moment
    one_link: bool = False  # it accepts one link after each start
    whole_pieces: bool = False  # it takes a piece only if it fits into one packet of 23 bytes
    drops_answer: str = ""  # the link is lost instead of the answer to this method, once


class Shelly(Peripheral):
    FAULTS = ShellyFaults
    faults: ShellyFaults

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.flash: dict[str, Any] = {}
        self.shown_ssid: str | None = None
        self.networks: list[tuple[str | None, int]] = [(None, -40), ("Guest, 2nd floor", -48), ("Office", -61)]
        # The station's: the address on air is two higher, without carry.
        own = bytes(self.address)[::-1]
        self.mac = own[:5] + bytes([(own[5] - 2) & 0xFF])
        self.id = f"shellyplus1-{self.mac.hex()}"
        self.reset()

    def restore(self, past: dict[str, Any]) -> None:
        self.flash = dict(past)

    def reset(self) -> None:
        self.flash = {}
        self.calls: list[str] = []
        self.incoming: tuple[int, bytes] | None = None
        self.outgoing: bytes | None = None
        self.place_in_answer = 0
        self.skips = 0
        self.nonce, self.used = 1000, 0
        self.wifi, self.shown_ssid = "disconnected", None
        self.must_restart = False
        self.links = 0

    def held(self) -> dict[str, Any]:
        return {"calls": self.calls, "wifi": self.wifi, **self.flash}

    # --- On the air ---

    async def begin(self) -> None:
        self.outgoing, self.incoming, self.links, self.must_restart = None, None, 0, False
        self.wifi, self.shown_ssid = "disconnected", None
        if self.faults.password and "ha1" not in self.flash:
            self.flash["ha1"] = self._secret(self.faults.password)
        permitted = gatt.Characteristic.Properties
        table = [
            characteristic(DATA, permitted.READ | permitted.WRITE, read=self._read, write=self.writing("data")),
            characteristic(TX, permitted.WRITE, write=self.writing("tx")),
            characteristic(RX, permitted.READ | permitted.NOTIFY, read=self._announce),
        ]
        await self.serve(*([] if self.flash.get("rpc") is False else [gatt.Service(SERVICE, table)]))
        if self.flash.get("ssid"):
            self.soon(self._join(self.flash["ssid"], self.boots))
        await self.advertise()

    async def advertise(self) -> None:
        self.life = "waiting"
        blocks = b"" if not self.faults.late_blocks else bytes([0x7F, 1, 2])
        blocks += bytes([_FLAGS, 0x05 | (0x02 if "ha1" in self.flash else 0), 0])
        if not self.faults.without_mac:
            blocks += bytes([_MAC]) + self.mac[::-1]
        blocks += bytes([_MODEL, 0x01, 0x10])
        data = (AdvertisingData.MANUFACTURER_SPECIFIC_DATA, _COMPANY.to_bytes(2, "little") + blocks)
        name = f"ShellyPlus1-{self.mac.hex().upper()}".encode()
        response = bytes(AdvertisingData([(AdvertisingData.COMPLETE_LOCAL_NAME, name)]))
        await self.broadcast(advertisement(data), scan_response=response)

    def _connected(self, connection: Connection) -> None:
        super()._connected(connection)
        self.links += 1
        self.incoming, self.outgoing = None, None
        self.skips = self.faults.empty_reads
        if self.faults.left_over:
            self.outgoing = b'{"id":41,"result":{"an":"other client"}}'
        if self.faults.one_link and self.links > 1:
            self.soon(connection.disconnect())

    # --- Frames ---

    def _announce(self, _connection: Connection) -> bytes:
        """The length of the answer, which begins anew with each question."""
        self.place_in_answer = 0
        length = len(self.outgoing or b"")
        return (0x7F000001 if length and self.faults.garbage_length else length).to_bytes(4, "big")

    def _read(self, connection: Connection) -> bytes:
        answer = self.outgoing
        if answer is None:
            return b""
        if self.skips and not self.place_in_answer:
            self.skips -= 1
            return b""
        piece = answer[self.place_in_answer :][: min(connection.att_mtu - 2, _ATT_MOST)]
        self.place_in_answer += len(piece)
        if self.place_in_answer >= len(answer):
            self.outgoing, self.skips = None, self.faults.empty_reads
        return piece

    async def take(self, connection: Connection, name: str, value: bytes) -> None:
        if name == "tx":
            if len(value) < 4:
                raise att.ATT_Error(att.ErrorCode.INVALID_ATTRIBUTE_LENGTH)
            if (length := int.from_bytes(value[:4], "big")) > _LONGEST:
                raise att.ATT_Error(att.ErrorCode.INSUFFICIENT_RESOURCES)
            self.incoming = (length, b"")
            return
        if self.faults.whole_pieces and len(value) > 20:
            raise att.ATT_Error(att.ErrorCode.REQUEST_NOT_SUPPORTED)
        if self.incoming is None or len(self.incoming[1]) + len(value) > self.incoming[0]:
            raise att.ATT_Error(att.ErrorCode.INVALID_OFFSET)
        length, frame = self.incoming[0], self.incoming[1] + value
        self.incoming = (length, frame) if len(frame) < length else None
        if self.incoming is None:
            self.soon(self._carry_out(frame, connection))

    async def _carry_out(self, frame: bytes, connection: Connection) -> None:
        try:
            request = json.loads(frame)
            method = request["method"]
        except (ValueError, KeyError, TypeError):
            return
        self.calls.append(method)
        params = request.get("params") or {}
        answer: dict[str, Any] = {"id": request.get("id"), "src": self.id}
        if refusal := self._refusal(method, request.get("auth")):
            answer["error"] = {"code": 401, "message": refusal}
        elif (call := self._methods().get(method)) is None:
            answer["error"] = {"code": 404, "message": f"No handler for {method}"}
        else:
            if method == "WiFi.Scan":
                await asyncio.sleep(_SCANS)
            answer["result"] = call(params)
            self._emit("called", self, method=method)
        if self.faults.drops_answer == method:
            self.faults.drops_answer = ""
            await connection.disconnect()
            return
        await asyncio.sleep(_ANSWERS)
        if self.faults.notifies:
            await self._send({"method": "NotifyFullStatus", "params": {"ts": 1}})
        await self._send(answer)

    async def _send(self, answer: dict[str, Any]) -> None:
        """A notification is waited for; an answer that finds another one in its place is lost."""
        if "method" in answer:
            self.outgoing = self.outgoing or json.dumps(answer).encode()
            while self._waits() and self.host.connections:
                await asyncio.sleep(_ANSWERS)
        elif self.outgoing is None:
            self.outgoing = json.dumps(answer).encode()

    def _waits(self) -> bool:
        return self.outgoing is not None

    # --- The password ---

    def _secret(self, password: str) -> str:
        return hashlib.sha256(f"admin:{self.id}:{password}".encode()).hexdigest()

    def _refusal(self, method: str, proof: Any) -> str | None:
        """JSON within JSON; none if the request is permitted."""
        if "ha1" not in self.flash or method == "Shelly.GetDeviceInfo":
            return None
        if isinstance(proof, dict) and proof.get("nonce") == self.nonce and proof.get("nc", 0) > self.used:
            parts = [self.flash["ha1"], str(self.nonce), str(proof["nc"]), str(proof.get("cnonce")), "auth"]
            parts.append(hashlib.sha256(b"dummy_method:dummy_uri").hexdigest())
            if proof.get("response") == hashlib.sha256(":".join(parts).encode()).hexdigest():
                self.used = proof["nc"]
                if self.faults.short_nonce:
                    self.nonce += 1
                return None
        self.nonce, self.used = self.nonce + 7, 0
        demand = {"auth_type": "digest", "nonce": self.nonce, "nc": 1, "realm": self.id, "algorithm": "SHA-256"}
        return json.dumps(demand)

    # --- Methods ---

    def _methods(self) -> dict[str, Any]:
        methods = {
            "Shelly.GetDeviceInfo": lambda _: self._info(), "WiFi.GetStatus": lambda _: self._status(),
            "WiFi.GetConfig": lambda _: self._config(), "WiFi.Scan": lambda _: self._scan(),
            "WiFi.SetConfig": self._set_wifi, "Sys.SetConfig": self._set_system, "MQTT.SetConfig": self._set_mqtt,
            "Cloud.SetConfig": lambda params: self._keep(cloud=params["config"]["enable"]),
            "BLE.SetConfig": lambda params: self._keep(restarts=True, rpc=params["config"]["rpc"]["enable"]),
            "Shelly.SetAuth": self._set_password, "Shelly.Reboot": self._reboot,
            "Sys.GetStatus": lambda _: {"restart_required": self.must_restart, "uptime": 12},
        }  # fmt: skip
        return {name: call for name, call in methods.items() if name != "Sys.GetStatus" or not self.faults.no_status}

    def _info(self) -> dict[str, Any]:
        mac = self.faults.mac or self.mac.hex().upper()
        return {
            "id": f"shellyplus1-{mac.lower()}", "mac": mac, "model": "SNSW-001X16EU", "gen": self.faults.gen, "ver": "1.4.4",
            "app": "Plus1", "auth_en": "ha1" in self.flash, "auth_domain": self.id if "ha1" in self.flash else None,
            "name": self.flash.get("name"),
        }  # fmt: skip

    def _status(self) -> dict[str, Any]:
        address = self.flash.get("ip") or "10.0.0.9"
        return {
            "sta_ip": address if self.wifi == "got ip" else None, "status": self.wifi, "ssid": self.shown_ssid, "rssi": -61,
        }  # fmt: skip

    def _config(self) -> dict[str, Any]:
        ssid = self.flash.get("ssid")
        station = {"ssid": ssid, "is_open": not self.flash.get("password"), "enable": ssid is not None}
        return {"ap": {"enable": self.flash.get("ap", True)}, "sta": station, "sta1": {"ssid": None, "enable": False}}

    def _scan(self) -> dict[str, Any]:
        return {"results": [{"ssid": ssid, "auth": 3, "channel": 1, "rssi": rssi} for ssid, rssi in self.networks]}

    def _keep(self, *, restarts: bool = False, **values: Any) -> dict[str, Any]:
        given = {name: value for name, value in values.items() if value is not None}
        self.must_restart |= restarts and any(self.flash.get(name) != value for name, value in given.items())
        self.flash |= given
        return {"restart_required": self.must_restart}

    def _set_system(self, params: dict[str, Any]) -> dict[str, Any]:
        config = params["config"]
        return self._keep(name=config.get("device", {}).get("name"), tz=config.get("location", {}).get("tz"))

    def _set_mqtt(self, params: dict[str, Any]) -> dict[str, Any]:
        return self._keep(restarts=True, mqtt=params["config"]["server"])

    def _set_password(self, params: dict[str, Any]) -> None:
        assert (params["user"], params["realm"]) == ("admin", self.id)
        self._keep(ha1=params["ha1"])

    def _set_wifi(self, params: dict[str, Any]) -> dict[str, Any]:
        station = params["config"]["sta"]
        if not station["enable"]:
            for name in ("ssid", "password", "ip"):
                self.flash.pop(name, None)
            self.wifi, self.shown_ssid = "disconnected", None
            return {"restart_required": self.must_restart}
        ip = station.get("ip") if station.get("ipv4mode") == "static" else None
        access_point = params["config"].get("ap", {}).get("enable")
        self._keep(ssid=station["ssid"], password=station.get("pass") or "", ip=ip, ap=access_point)
        self.soon(self._join(station["ssid"], self.boots))
        return {"restart_required": self.must_restart}

    def _reboot(self, _params: dict[str, Any]) -> None:
        self.soon(self._restart())

    async def _restart(self) -> None:
        await asyncio.sleep(_REBOOTS)
        await self.power_on()

    async def _join(self, ssid: str, boot: int) -> None:
        if self.faults.lingers and self.wifi == "got ip":
            await asyncio.sleep(_LINGERS)
        self.wifi, self.shown_ssid = "connecting", None
        await asyncio.sleep(_ASSOCIATES)
        if self.boots != boot or self.flash.get("ssid") != ssid or self.faults.cannot_join:
            return
        self.wifi, self.shown_ssid = "connected", ssid
        await asyncio.sleep(_GETS_ADDRESS)
        if self.boots == boot and self.flash.get("ssid") == ssid:
            self.wifi = "got ip"
            self._emit("stored", self)
