"""Checks a recorded session with an ESP-IDF device against implementations that we did not write: Python's `cryptography`, and
`srp`. Reads the session as JSON from standard input, and prints what the encrypted messages say.

    {"security": 2, "counts": true, "username": …, "proof": …, "private_key": hex, "messages": [[endpoint, request, answer]]}"""

import hashlib
import json
import sys
from typing import Any

import srp._pysrp as srp
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers import Cipher, CipherContext, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from esp_wire import fields, path, prime


class Stream:
    """Security 1: one stream over all messages."""

    def __init__(self, key: bytes, counter: bytes) -> None:
        self.context: CipherContext = Cipher(algorithms.AES(key), modes.CTR(counter)).encryptor()

    def open(self, message: bytes) -> bytes:
        return self.context.update(message)


class Sealed:
    """Security 2: each message has its own nonce, if the device counts them."""

    def __init__(self, key: bytes, nonce: bytes, counts: bool) -> None:
        self.cipher, self.nonce, self.counts = AESGCM(key), nonce, counts

    def open(self, message: bytes) -> bytes:
        text = self.cipher.decrypt(self.nonce, message, None)
        if self.counts:
            number = int.from_bytes(self.nonce[8:], "big") + 1
            self.nonce = self.nonce[:8] + number.to_bytes(4, "big")
        return text


class Plain:
    def open(self, message: bytes) -> bytes:
        return message


def curve(session: dict[str, Any], hello: list[bytes], proof: list[bytes]) -> Stream:
    private = X25519PrivateKey.from_private_bytes(bytes.fromhex(session["private_key"]))
    public = private.public_key().public_bytes_raw()
    assert path(hello[0], 11, 20, 1) == public, "another public key of the client"
    device = path(hello[1], 11, 21, 2)
    key = private.exchange(X25519PublicKey.from_public_bytes(device))
    if session["proof"]:
        digest = hashlib.sha256(session["proof"].encode()).digest()
        key = bytes(a ^ b for a, b in zip(key, digest, strict=True))
    stream = Stream(key, path(hello[1], 11, 21, 3))
    assert stream.open(path(proof[0], 11, 22, 2)) == device, "the client's proof is wrong"
    assert stream.open(path(proof[1], 11, 23, 3)) == public, "the device's proof is wrong"
    return stream


def password(session: dict[str, Any], hello: list[bytes], proof: list[bytes]) -> Sealed:
    srp.rfc5054_enable()
    private = bytes.fromhex(session["private_key"])
    user = srp.User(
        session["username"], session["proof"], hash_alg=srp.SHA512, ng_type=srp.NG_CUSTOM, n_hex=f"{prime():x}".encode(),
        g_hex=b"5", bytes_a=private.rjust(256, b"\0"),
    )  # fmt: skip
    name, public = user.start_authentication()
    assert path(hello[0], 12, 20, 1) == name.encode(), "another user name"
    assert path(hello[0], 12, 20, 2) == public.rjust(384, b"\0"), "another public key of the client"
    expected = user.process_challenge(path(hello[1], 12, 21, 3), path(hello[1], 12, 21, 2))
    assert path(proof[0], 12, 22, 1) == expected, "the client's proof is wrong"
    user.verify_session(path(proof[1], 12, 23, 2))
    assert user.authenticated(), "the device's proof is wrong"
    return Sealed(user.get_session_key()[:32], path(proof[1], 12, 23, 3), session["counts"])


def main() -> None:
    session = json.load(sys.stdin)
    messages = [(name, bytes.fromhex(request), bytes.fromhex(answer)) for name, request, answer in session["messages"]]
    handshake = [[request, answer] for name, request, answer in messages if name == "prov-session"]
    security = session["security"]
    for request, answer in handshake:
        for message in (request, answer):
            assert fields(message).get(2, 0) == security, "another security"
    if security == 0:
        assert handshake == [[bytes.fromhex("5203a20100"), bytes.fromhex("52050801aa0100")]]
        cipher: Plain | Stream | Sealed = Plain()
    else:
        cipher = (curve if security == 1 else password)(session, *handshake)
    opened = []
    for name, request, answer in messages:
        if name in ("prov-session", "proto-ver"):
            continue
        opened.append([name, cipher.open(request).hex(), cipher.open(answer).hex()])
    print(json.dumps(opened))


main()
