"""A device with Espressif's unified provisioning (docs/internals/protocols.md), security 2 on the host stack NimBLE. Its
ciphers are those of Python's `cryptography`; its half of SRP is written after the rules of that page."""

import asyncio
import dataclasses
import hashlib
import json
import os
from collections.abc import Callable
from typing import Any

from bumble import att, gatt
from bumble.core import UUID, AdvertisingData, BaseBumbleError
from bumble.device import Connection
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from .faults import Faults
from .peripheral import Peripheral, advertisement, characteristic
from .protobuf import field, fields, path

USER, PROOF = b"wifiprov", b"Kx7-label!"
ENDPOINTS = {
    "prov-ctrl": 0xFF4F, "prov-session": 0xFF51, "prov-config": 0xFF52, "proto-ver": 0xFF53, "custom-data": 0xFF54,
}  # fmt: skip
_VERSION = {"prov": {"ver": "v1.1", "sec_ver": 2, "sec_patch_ver": 1, "cap": []}}
_JOINING, _FAILED, _AUTH_ERROR = 1, 3, 0
_REFUSED = 0x04  # NimBLE's answer to everything that the firmware refuses

# The group of SRP: 3072 bits (RFC 5054), g = 5 as Espressif has it.
_LENGTH = 384
_PRIME = int(
    "FFFFFFFFFFFFFFFFC90FDAA22168C234C4C6628B80DC1CD129024E088A67CC74020BBEA63B139B22514A08798E3404DDEF9519B3CD3A431B"
    "302B0A6DF25F14374FE1356D6D51C245E485B576625E7EC6F44C42E9A637ED6B0BFF5CB6F406B7EDEE386BFB5A899FA5AE9F24117C4B1FE6"
    "49286651ECE45B3DC2007CB8A163BF0598DA48361C55D39A69163FA8FD24CF5F83655D23DCA3AD961C62F356208552BB9ED529077096966D"
    "670C354E4ABC9804F1746C08CA18217C32905E462E36CE3BE39E772C180E86039B2783A2EC07A28FB5C55DF06F4C52C9DE2BCBF695581718"
    "3995497CEA956AE515D2261898FA051015728E5A8AAAC42DAD33170D04507A33A85521ABDF1CBA64ECFB850458DBEF0A8AEA71575D060C7D"
    "B3970F85A6E1E4C7ABF5AE8CDB0933D71E8C94E04A25619DCEE3D2261AD2EE6BF12FFA06D98A0864D87602733EC86A64521F2B18177B200C"
    "BBE117577A615D6C770988C0BAD946E208E24FA074E5AB3143DB5BFCE0FD108E4B82D120A93AD2CAFFFFFFFFFFFFFFFF",
    16,
)


def _uuid(number: int) -> UUID:
    return UUID(f"021A{number:04X}-0382-4AEA-BFF4-6B3F1C5ADFB4")


def _hash(*parts: bytes) -> bytes:
    return hashlib.sha512(b"".join(parts)).digest()


def _bytes(number: int) -> bytes:
    """Without leading zeros."""
    return number.to_bytes((number.bit_length() + 7) // 8, "big")


def _full(number: int) -> bytes:
    return number.to_bytes(_LENGTH, "big")


class Session:
    """The device's half of security 2."""

    def __init__(self) -> None:
        self.salt, self.secret = os.urandom(16), int.from_bytes(os.urandom(32), "big")
        inner = _hash(USER + b":" + PROOF)
        self.verifier = pow(5, int.from_bytes(_hash(self.salt, inner), "big"), _PRIME)
        factor = int.from_bytes(_hash(_full(_PRIME), _full(5)), "big")
        self.public = (factor * self.verifier + pow(5, self.secret, _PRIME)) % _PRIME
        self.key = self.client = self.user = b""
        self.nonce = os.urandom(8) + bytes([0, 0, 0, 1])
        self.is_open = False

    def answer(self, request: bytes) -> bytes:
        """The answer to a message of the handshake. Raises `KeyError` and `ValueError` to refuse it."""
        command = path(request, 12)
        if fields(command).get(1, 0) == 0:
            self.user, self.client = path(command, 20, 1), path(command, 20, 2)
            number = int.from_bytes(self.client, "big")
            if len(self.client) != _LENGTH or number % _PRIME == 0:
                raise ValueError("no public key")
            scramble = int.from_bytes(_hash(self.client, _full(self.public)), "big")
            shared = pow(number * pow(self.verifier, scramble, _PRIME), self.secret, _PRIME)
            self.key = _hash(_bytes(shared))
            reply = field(1, 1) + field(21, field(2, _bytes(self.public)) + field(3, self.salt))
        else:
            proof = self._proof()
            if path(command, 22, 1) != proof:
                raise ValueError("another proof of possession")
            self.is_open = True
            reply = field(1, 3) + field(23, field(2, _hash(self.client, proof, self.key)) + field(3, self.nonce))
        return field(2, 2) + field(12, reply)

    def _proof(self) -> bytes:
        group = bytes(a ^ b for a, b in zip(_hash(_full(_PRIME)), _hash(_full(5)), strict=True))
        return _hash(group, _hash(self.user), self.salt, self.client, _bytes(self.public), self.key)

    def _next(self) -> bytes:
        nonce = self.nonce
        self.nonce = nonce[:8] + (int.from_bytes(nonce[8:], "big") + 1).to_bytes(4, "big")
        return nonce

    def decrypt(self, message: bytes) -> bytes:
        if not self.is_open:
            raise ValueError("no session")
        return AESGCM(self.key[:32]).decrypt(self._next(), message, None)

    def encrypt(self, message: bytes) -> bytes:
        return AESGCM(self.key[:32]).encrypt(self._next(), message, None)


@dataclasses.dataclass
class EspFaults(Faults):
    wrong_password: bool = False  # it cannot join the network
    leaves_after_apply: bool = False  # it ends the link when it has accepted the network, and joins it


class EspIdf(Peripheral):
    FAULTS = EspFaults
    faults: EspFaults
    LOCAL_NAME = "PROV_A1B2C3"

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.reset()

    # --- Flash ---

    def restore(self, past: dict[str, Any]) -> None:
        """It is new."""

    def reset(self) -> None:
        self.flash: dict[str, str] = {}
        self.wanted: dict[str, str] = {}
        self.answers: dict[str, bytes] = {}
        self.session: Session | None = None
        self.phase = "ready"
        self.longest: dict[str, int] = {}  # of each endpoint: the longest request

    def held(self) -> dict[str, Any]:
        return {"phase": self.phase, "longest": self.longest, **self.flash}

    # --- On the air ---

    async def begin(self) -> None:
        properties = gatt.Characteristic.Properties.READ | gatt.Characteristic.Properties.WRITE
        table = [
            characteristic(
                _uuid(number), properties, read=self._reading(name), write=self.writing(name),
                descriptors=[
                    gatt.Descriptor(gatt.GATT_CHARACTERISTIC_USER_DESCRIPTION_DESCRIPTOR, att.Attribute.READABLE, name.encode())
                ],
            )
            for name, number in ENDPOINTS.items()
        ]  # fmt: skip
        await self.serve(gatt.Service(_uuid(0x9004), table))
        await self.advertise()

    async def advertise(self) -> None:
        """A device that has joined its network advertises nothing. The name is in the scan response."""
        self.session = None
        if self.phase in ("joined", "over"):
            return
        self.life = "waiting"
        name = AdvertisingData([(AdvertisingData.COMPLETE_LOCAL_NAME, self.LOCAL_NAME.encode())])
        await self.broadcast(
            advertisement((AdvertisingData.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS, bytes(_uuid(0x9004)))),
            scan_response=bytes(name),
        )

    def _reading(self, name: str) -> Callable[[Connection], bytes]:
        return lambda _connection: self.answers.get(name, b"")

    # --- Requests ---

    async def take(self, connection: Connection, name: str, value: bytes) -> None:
        """Carries out a request. After a refusal the last answer stays."""
        self.longest[name] = max(self.longest.get(name, 0), len(value))
        try:
            self.answers[name] = self._answer(connection, name, value)
        except (KeyError, ValueError, InvalidTag):
            raise att.ATT_Error(att.ErrorCode(_REFUSED)) from None

    def _answer(self, connection: Connection, name: str, value: bytes) -> bytes:
        if name == "proto-ver":
            return json.dumps(_VERSION, indent="\t").encode()
        if name == "prov-session":
            self.session = self.session or Session()
            return self.session.answer(value)
        if self.session is None:
            raise ValueError("no session")
        text = self.session.decrypt(value)
        if name == "custom-data":
            self.wanted[name] = text.decode()
            return self.session.encrypt(b"SUCCESS\0")
        return self.session.encrypt(self._control() if name == "prov-ctrl" else self._configuration(connection, text))

    def _control(self) -> bytes:
        self.phase = "ready"
        return field(1, 2) + field(12, b"")

    def _configuration(self, connection: Connection, request: bytes) -> bytes:
        parts = fields(request)
        if 12 in parts:
            network = fields(parts[12])
            self.wanted |= {"ssid": network[1].decode(), "password": network.get(2, b"").decode()}
            return field(1, 3) + field(13, b"")
        if 14 in parts:
            self.phase = "joining"
            self.soon(self._join(connection))
            return field(1, 5) + field(15, b"")
        return field(1, 1) + field(11, self._status(connection))

    def _status(self, connection: Connection) -> bytes:
        if self.phase == "failed":
            return field(2, _FAILED) + field(10, _AUTH_ERROR)
        if self.phase not in ("joined", "over"):
            return field(2, _JOINING)
        if self.phase == "joined":
            self.phase = "over"
            self.soon(self._leave(connection, 1.0))
        return field(11, field(1, b"192.168.4.20") + field(2, 3) + field(3, self.flash["ssid"].encode()) + field(5, 6))

    async def _join(self, connection: Connection) -> None:
        if self.faults.leaves_after_apply:
            self.soon(self._leave(connection, 0.3))
        await asyncio.sleep(2.0)
        if self.faults.wrong_password:
            self.phase = "failed"
        else:
            self.flash = dict(self.wanted)
            self.phase = self.life = "joined"
        self._emit("stored", self, phase=self.phase)

    async def _leave(self, connection: Connection, after: float) -> None:
        await asyncio.sleep(after)
        if self.faults.leaves_after_apply:
            self.phase = "over"  # nobody sees it again
        try:
            await connection.disconnect()
        except BaseBumbleError:
            pass  # The other side disconnected first.
