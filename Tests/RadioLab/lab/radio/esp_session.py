"""The device's half of the handshakes of Espressif's provisioning (docs/internals/protocols.md), written after the rules of
that page: no security, security 1 and security 2. The ciphers are those of Python's `cryptography`.

A session takes the messages of `prov-session`, and encrypts those of the other endpoints. It raises `Refused` for what the
firmware refuses. As there, the number of a message decides, its part must be the one of that number, and the first message
begins anew at any time."""

import abc
import hashlib
import os
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers import Cipher, CipherContext, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from .protobuf import field, fields

USER, PROOF = b"wifiprov", b"Kx7-label!"

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


class Refused(Exception):
    """The firmware refuses a request."""


def _part(message: bytes, version: int) -> tuple[int, dict[int, Any]]:
    """The number of a message of the handshake, and its parts."""
    try:
        whole = fields(message)
        parts = fields(whole[10 + version])
    except (KeyError, ValueError):
        raise Refused("no message of this security") from None
    if whole.get(2, 0) != version:
        raise Refused("another security")
    return parts.get(1, 0), parts


def _value(parts: dict[int, Any], part: int, number: int, length: int) -> bytes:
    """A value of a part, which must have this length."""
    try:
        value = fields(parts[part]).get(number, b"")
    except (KeyError, ValueError):
        raise Refused("the part is missing") from None
    if len(value) != length:
        raise Refused("another length")
    return bytes(value)


class Open:
    """Security 0: the handshake looks at the version only, and nobody needs it."""

    def answer(self, message: bytes) -> bytes:
        try:
            if fields(message).get(2, 0) != 0:
                raise Refused("another security")
        except ValueError:
            raise Refused("no message") from None
        return field(10, field(1, 1) + field(21, b""))

    def decrypt(self, message: bytes) -> bytes:
        return message

    encrypt = decrypt


class _Proved(abc.ABC):
    """A security with two messages of the handshake: after the first one the client proves itself by the second."""

    version: int
    phase = "new"

    def answer(self, message: bytes) -> bytes:
        number, parts = _part(message, self.version)
        if number == 0:
            if 20 not in parts:
                raise Refused("the part is missing")
            self.phase = "new"
            answer, after = self._hello(parts), "begun"
        elif number == 2:
            if self.phase != "begun":
                raise Refused("no handshake has begun")
            answer, after = self._verify(parts), "open"
        else:
            raise Refused("an unknown number")
        self.phase = after
        return field(2, self.version) + field(10 + self.version, field(1, number + 1) + field(21 + number, answer))

    @abc.abstractmethod
    def _hello(self, parts: dict[int, Any]) -> bytes:
        """Begins anew; the answer to the first message."""

    @abc.abstractmethod
    def _verify(self, parts: dict[int, Any]) -> bytes:
        """The answer to the client's proof."""

    def decrypt(self, message: bytes) -> bytes:
        if self.phase != "open":
            raise Refused("no session")
        return self._open(message)

    @abc.abstractmethod
    def _open(self, message: bytes, /) -> bytes: ...


class Curve(_Proved):
    """Security 1: X25519, and AES-256 in counter mode over all messages of both sides."""

    version = 1

    def __init__(self, proof: bytes) -> None:
        self.proof = proof
        self.stream: CipherContext | None = None
        self.public = self.client = b""

    def _hello(self, parts: dict[int, Any]) -> bytes:
        self.client = _value(parts, 20, 1, 32)
        private = X25519PrivateKey.generate()
        self.public = private.public_key().public_bytes_raw()
        try:
            key = private.exchange(X25519PublicKey.from_public_bytes(self.client))
        except ValueError:
            raise Refused("a key without a secret") from None
        if self.proof:
            digest = hashlib.sha256(self.proof).digest()
            key = bytes(a ^ b for a, b in zip(key, digest, strict=True))
        counter = os.urandom(16)
        self.stream = Cipher(algorithms.AES(key), modes.CTR(counter)).encryptor()
        return field(2, self.public) + field(3, counter)

    def _verify(self, parts: dict[int, Any]) -> bytes:
        if self.encrypt(_value(parts, 22, 2, 32)) != self.public:
            raise Refused("another proof of possession")
        return field(3, self.encrypt(self.client))

    def encrypt(self, text: bytes) -> bytes:
        assert self.stream is not None, "a handshake has begun"
        return self.stream.update(text)

    _open = encrypt


def _hash(*parts: bytes) -> bytes:
    return hashlib.sha512(b"".join(parts)).digest()


def _bytes(number: int) -> bytes:
    """Without leading zeros."""
    return number.to_bytes((number.bit_length() + 7) // 8, "big")


def _full(number: int) -> bytes:
    return number.to_bytes(_LENGTH, "big")


class Password(_Proved):
    """Security 2: SRP-6a, and AES-256-GCM. The nonce counts the messages of both sides, unless the firmware is an early one."""

    version = 2

    def __init__(self, user: bytes, password: bytes, counts: bool) -> None:
        self.counts = counts
        self.salt = os.urandom(16)
        inner = _hash(user + b":" + password)
        self.verifier = pow(5, int.from_bytes(_hash(self.salt, inner), "big"), _PRIME)
        self.public = 0
        self.key = self.client = self.user = self.nonce = b""

    def _hello(self, parts: dict[int, Any]) -> bytes:
        secret = int.from_bytes(os.urandom(32), "big")
        factor = int.from_bytes(_hash(_full(_PRIME), _full(5)), "big")
        self.public = (factor * self.verifier + pow(5, secret, _PRIME)) % _PRIME
        self.nonce = os.urandom(8) + bytes([0, 0, 0, 1])
        self.client = _value(parts, 20, 2, _LENGTH)
        self.user = fields(parts[20]).get(1, b"")
        number = int.from_bytes(self.client, "big")
        scramble = int.from_bytes(_hash(self.client, _full(self.public)), "big")
        if not self.user or number % _PRIME == 0 or scramble == 0:
            raise Refused("no user, or no public key")
        shared = pow(number * pow(self.verifier, scramble, _PRIME), secret, _PRIME)
        self.key = _hash(_bytes(shared))
        return field(2, _bytes(self.public)) + field(3, self.salt)

    def _verify(self, parts: dict[int, Any]) -> bytes:
        proof = _value(parts, 22, 1, 64)
        group = bytes(a ^ b for a, b in zip(_hash(_full(_PRIME)), _hash(_full(5)), strict=True))
        expected = _hash(group, _hash(self.user), self.salt, self.client, _bytes(self.public), self.key)
        if proof != expected:
            raise Refused("another user or proof of possession")
        return field(2, _hash(self.client, proof, self.key)) + field(3, self.nonce)

    def _next(self) -> bytes:
        nonce = self.nonce
        if self.counts:
            self.nonce = nonce[:8] + (int.from_bytes(nonce[8:], "big") + 1).to_bytes(4, "big")
        return nonce

    def _open(self, message: bytes) -> bytes:
        try:
            text = AESGCM(self.key[:32]).decrypt(self.nonce, message, None)
        except (InvalidTag, ValueError):
            raise Refused("not authentic") from None
        self._next()
        return text

    def encrypt(self, text: bytes) -> bytes:
        return AESGCM(self.key[:32]).encrypt(self._next(), text, None)


Session = Open | Curve | Password
