"""Provisions one ESP-IDF device as Espressif's own tool (`esp_prov`, transport ble) does, and prints its observations.

Usage: esp_client.py --name PROV_A1B2C3 [--security 2] [--pop PROOF] [--user USER] [--custom-data TEXT] [--reset]
                     [--ssid SSID --passphrase PASSPHRASE] [--poll SECONDS] [--scan SECONDS]

One JSON object a line: {"event": ..., ...}. The bus is the one of DBUS_SYSTEM_BUS_ADDRESS. Nothing here is code of Espressif or
of roboprov: it sends the tool's messages in the tool's order (docs/internals/protocols.md). The tool leaves out the empty part
of `apply_config`, of the state of a scan and of a reset; asks `proto-ver` before everything that depends on it; scans for 5 s,
and finds its device by the name, the service by the advertisement, and the endpoints by their descriptions; reads four networks
at a time; and asks for the state 5 s after the network was applied and every 5 s from then on.
"""

import argparse
import asyncio
import hashlib
import json
import os
from typing import Any, Protocol

from bleak import BleakClient, BleakScanner
from bleak.backends.device import BLEDevice
from bleak.backends.scanner import AdvertisementData
from bleak.exc import BleakError
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers import Cipher, CipherContext, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from esp_wire import all_fields, field, fields, path, prime

TIMEOUT = 3600
DESCRIPTION = "2901"
PAGE = 4  # networks
STATES = ["connected", "connecting", "disconnected", "failed"]
LENGTH = 384  # the bytes of a number of SRP


def say(event: str, **facts: Any) -> None:
    print(json.dumps({"event": event, **facts}), flush=True)


class Refused(Exception):
    """What the tool stops at."""


# --- Securities: each message of the handshake follows from the last answer ---


class Security(Protocol):
    version: int

    def begin(self) -> bytes: ...
    def proceed(self, answer: bytes) -> bytes | None:
        """The next message; none when the session is set up."""

    def encrypt(self, text: bytes) -> bytes: ...
    def decrypt(self, message: bytes) -> bytes: ...


def session(version: int, part: bytes) -> bytes:
    """A message of the handshake. The number of a version is not sent if it is 0."""
    start = field(2, version) if version else b""
    return start + field(10 + version, part)


class Plain:
    """Security 0."""

    version = 0

    def begin(self) -> bytes:
        return session(0, field(20, b""))

    def proceed(self, answer: bytes) -> bytes | None:
        if fields(answer).get(2, 0) != 0:
            raise Refused("another security")
        return None

    def encrypt(self, text: bytes) -> bytes:
        return text

    decrypt = encrypt


class Curve:
    """Security 1: X25519, and AES-256 in counter mode over all messages of both sides."""

    version = 1

    def __init__(self, proof: bytes) -> None:
        self.proof = proof
        self.private = X25519PrivateKey.generate()
        self.public = self.private.public_key().public_bytes_raw()
        self.stream: CipherContext | None = None

    def begin(self) -> bytes:
        return session(1, field(20, field(1, self.public)))

    def proceed(self, answer: bytes) -> bytes | None:
        if self.stream is None:
            device = path(answer, 11, 21, 2)
            key = self.private.exchange(X25519PublicKey.from_public_bytes(device))
            if self.proof:
                digest = hashlib.sha256(self.proof).digest()
                key = bytes(a ^ b for a, b in zip(key, digest, strict=True))
            self.stream = Cipher(algorithms.AES(key), modes.CTR(path(answer, 11, 21, 3))).encryptor()
            return session(1, field(1, 2) + field(22, field(2, self.encrypt(device))))
        if self.decrypt(path(answer, 11, 23, 3)) != self.public:
            raise Refused("the device's proof is wrong")
        return None

    def encrypt(self, text: bytes) -> bytes:
        assert self.stream is not None, "no session"
        return self.stream.update(text)

    decrypt = encrypt


def digest(*parts: bytes) -> bytes:
    return hashlib.sha512(b"".join(parts)).digest()


def short(number: int) -> bytes:
    """Without leading zeros."""
    return number.to_bytes((number.bit_length() + 7) // 8, "big")


def full(number: int) -> bytes:
    return number.to_bytes(LENGTH, "big")


class Password:
    """Security 2: SRP-6a, and AES-256-GCM with a nonce that counts the messages of both sides, if the device says so."""

    version = 2

    def __init__(self, user: bytes, password: bytes, counts: bool) -> None:
        self.user, self.password, self.counts = user, password, counts
        self.prime = prime()
        self.public = b""
        # As the tool, which takes no public key with a leading zero.
        while len(self.public) != LENGTH:
            self.secret = int.from_bytes(os.urandom(32), "big") | 1 << 255
            self.public = short(pow(5, self.secret, self.prime))
        self.key = self.proof = b""
        self.cipher: AESGCM | None = None
        self.nonce = b""

    def begin(self) -> bytes:
        return session(2, field(20, field(1, self.user) + field(2, self.public)))

    def proceed(self, answer: bytes) -> bytes | None:
        if not self.proof:
            self._prove(path(answer, 12, 21, 3), path(answer, 12, 21, 2))
            return session(2, field(1, 2) + field(22, field(1, self.proof)))
        if path(answer, 12, 23, 2) != digest(self.public, self.proof, self.key):
            raise Refused("the device's proof is wrong")
        self.cipher, self.nonce = AESGCM(self.key[:32]), path(answer, 12, 23, 3)
        return None

    def _prove(self, salt: bytes, device: bytes) -> None:
        number = int.from_bytes(device, "big")
        scramble = int.from_bytes(digest(self.public, full(number)), "big")
        if number % self.prime == 0 or scramble == 0:
            raise Refused("the device's public key is none")
        factor = int.from_bytes(digest(full(self.prime), full(5)), "big")
        private = int.from_bytes(digest(salt, digest(self.user, b":", self.password)), "big")
        base = number - factor * pow(5, private, self.prime)
        self.key = digest(short(pow(base, self.secret + scramble * private, self.prime)))
        group = bytes(a ^ b for a, b in zip(digest(full(self.prime)), digest(full(5)), strict=True))
        self.proof = digest(group, digest(self.user), salt, self.public, device, self.key)

    def _next(self) -> bytes:
        nonce = self.nonce
        if self.counts:
            self.nonce = nonce[:8] + (int.from_bytes(nonce[8:], "big") + 1).to_bytes(4, "big")
        return nonce

    def encrypt(self, text: bytes) -> bytes:
        assert self.cipher is not None, "no session"
        return self.cipher.encrypt(self._next(), text, None)

    def decrypt(self, message: bytes) -> bytes:
        assert self.cipher is not None, "no session"
        return self.cipher.decrypt(self._next(), message, None)


# --- The device ---


class Device:
    """The endpoints of a connected device, by their names."""

    def __init__(self, client: BleakClient, endpoints: dict[str, str]) -> None:
        self.client, self.endpoints = client, endpoints

    async def ask(self, endpoint: str, request: bytes) -> bytes:
        """Writes a request, and reads its answer from the same characteristic."""
        uuid = self.endpoints[endpoint]
        await self.client.write_gatt_char(uuid, request, response=True)
        return bytes(await self.client.read_gatt_char(uuid))

    async def version(self, about: str) -> dict[str, Any]:
        """What `proto-ver` says; the tool asks with the name of what it wants to know."""
        answer: dict[str, Any] = json.loads(await self.ask("proto-ver", about.encode()))["prov"]
        return answer

    async def can(self, capability: str) -> bool:
        return capability in (await self.version(capability))["cap"]


async def find(name: str, scan: float) -> tuple[str, list[str]]:
    """The address of the device of a name, and its services on air. The tool scans once only."""
    found: list[tuple[BLEDevice, AdvertisementData]] = []
    while not found:
        seen = await BleakScanner.discover(timeout=scan, return_adv=True)
        found = [pair for pair in seen.values() if pair[0].name == name]
    device, advertisement = found[-1]
    say("sighted", address=device.address, services=advertisement.service_uuids)
    return device.address, advertisement.service_uuids


async def open_device(client: BleakClient, services: list[str]) -> Device:
    # BlueZ adds the services that it has discovered to the advertised ones: those of the Bluetooth SIG are not the product's.
    own = [uuid for uuid in services if not uuid.endswith("-0000-1000-8000-00805f9b34fb")]
    service = client.services.get_service(own[0])
    if service is None:
        raise Refused("the advertised service is missing")
    endpoints = {}
    for characteristic in service.characteristics:
        for descriptor in characteristic.descriptors:
            if descriptor.uuid[4:8] == DESCRIPTION:
                text = await client.read_gatt_descriptor(descriptor.handle)
                endpoints[text.decode().lower()] = characteristic.uuid
    say("connected", endpoints=sorted(endpoints))
    return Device(client, endpoints)


class Provisioning:
    """What the tool does over a connection."""

    def __init__(self, device: Device, security: Security) -> None:
        self.device, self.security = device, security

    async def handshake(self) -> None:
        request: bytes | None = self.security.begin()
        while request is not None:
            request = self.security.proceed(await self.device.ask("prov-session", request))
        say("session", security=self.security.version)

    async def ask(self, endpoint: str, request: bytes) -> bytes:
        return self.security.decrypt(await self.device.ask(endpoint, self.security.encrypt(request)))

    async def reset(self) -> None:
        answer = fields(await self.ask("prov-ctrl", field(1, 1)))
        say("reset", number=answer[1], status=answer.get(2, 0))

    async def send(self, text: str) -> None:
        answer = await self.ask("custom-data", text.encode())
        say("custom_data", answer=answer.decode().rstrip("\0"))

    async def scan(self) -> None:
        """Blocking, over all channels at once; 0 and false are not sent."""
        answer = fields(await self.ask("prov-scan", field(10, field(1, 1) + field(4, 120))))
        if answer.get(2, 0) != 0:
            raise Refused(f"scan: status {answer[2]}")
        answer = fields(await self.ask("prov-scan", field(1, 2)))
        status = fields(answer[13])
        count, networks = status.get(2, 0), []
        for start in range(0, count, PAGE):
            page = (field(1, start) if start else b"") + field(2, min(PAGE, count - start))
            answer = fields(await self.ask("prov-scan", field(1, 4) + field(14, page)))
            if answer.get(2, 0) != 0:
                raise Refused(f"results: status {answer[2]}")
            networks += [fields(entry) for number, entry in all_fields(answer[15]) if number == 1]
        say(
            "networks", finished=status.get(1, 0) == 1, ssids=[network[1].decode() for network in networks],
            bssids=len({network[4] for network in networks}), lengths=sorted({len(network[4]) for network in networks}),
            rssi=[network[3] - (1 << 64) for network in networks],
        )  # fmt: skip

    async def configure(self, ssid: str, passphrase: str) -> None:
        network = field(1, ssid.encode()) + field(2, passphrase.encode())
        answer = fields(await self.ask("prov-config", field(1, 2) + field(12, network)))
        say("configured", number=answer[1], status=fields(answer[13]).get(1, 0))
        answer = fields(await self.ask("prov-config", field(1, 4)))
        status = fields(answer[15]).get(1, 0)
        say("applied", number=answer[1], status=status)
        if status != 0:
            raise Refused(f"apply: status {status}")

    async def wait(self, poll: float) -> None:
        """The tool gives up after three answers that are neither *connecting* nor *connected*."""
        for rest in (3, 2, 1, 0):
            while (state := await self._state(poll)) == "connecting":
                pass
            if state == "connected":
                return
            if rest == 0:
                raise Refused("the device could not join")

    async def _state(self, poll: float) -> str:
        await asyncio.sleep(poll)
        report = fields(fields(await self.ask("prov-config", field(10, b"")))[11])
        state: str = STATES[report.get(2, 0)]
        facts: dict[str, Any] = {"reason": report[10]} if 10 in report else {}
        if 11 in report:
            network = fields(report[11])
            facts = {"address": network[1].decode(), "ssid": network[3].decode()}
        say("state", value=state, **facts)
        return state


async def choose(device: Device, options: argparse.Namespace) -> Security:
    """The security, as the tool chooses it: without an order by the capabilities, and never 2."""
    version = options.security
    if version is None:
        version = 0 if await device.can("no_sec") else 1
    if version == 0:
        return Plain()
    if version == 1:
        return Curve(b"" if await device.can("no_pop") else options.pop.encode())
    patch = (await device.version("---")).get("sec_patch_ver", 0)
    return Password(options.user.encode(), options.pop.encode(), patch == 1)


async def provision(device: Device, options: argparse.Namespace) -> None:
    work = Provisioning(device, await choose(device, options))
    await work.handshake()
    if await device.can("thread_prov"):
        raise Refused("a device for Thread")
    say("capabilities", wifi_prov=await device.can("wifi_prov"), wifi_scan=await device.can("wifi_scan"))
    if options.reset:
        await work.reset()
        return
    if options.custom_data:
        await work.send(options.custom_data)
    await work.scan()
    await work.configure(options.ssid, options.passphrase)
    await work.wait(options.poll)


async def main(options: argparse.Namespace) -> None:
    async with asyncio.timeout(TIMEOUT):
        try:
            address, services = await find(options.name, options.scan)
            async with BleakClient(address, timeout=TIMEOUT) as client:
                await provision(await open_device(client, services), options)
        except (Refused, InvalidTag, BleakError) as error:
            say("failed", error=str(error))
        else:
            say("done")


def ordered() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--name", required=True)
    parser.add_argument("--security", type=int)
    parser.add_argument("--pop", default="")
    parser.add_argument("--user", default="")
    parser.add_argument("--custom-data", default="")
    parser.add_argument("--ssid", default="")
    parser.add_argument("--passphrase", default="")
    parser.add_argument("--reset", action="store_true")
    parser.add_argument("--poll", type=float, default=5.0)
    parser.add_argument("--scan", type=float, default=5.0)
    return parser.parse_args()


if __name__ == "__main__":
    asyncio.run(main(ordered()))
