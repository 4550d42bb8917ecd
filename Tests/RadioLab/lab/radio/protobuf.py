"""As much of protobuf's encoding as the messages of Espressif's provisioning need."""

from typing import Any

_BYTES = 2  # the wire type of bytes and messages


def _varint(number: int) -> bytes:
    if number < 0x80:
        return bytes([number])
    return bytes([number & 0x7F | 0x80]) + _varint(number >> 7)


def field(number: int, value: int | bytes) -> bytes:
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    return _varint(number << 3 | _BYTES) + _varint(len(value)) + value


def fields(message: bytes) -> dict[int, Any]:
    """The fields of a message by number. Raises `ValueError` for what is none."""
    found: dict[int, Any] = {}
    rest = message

    def varint() -> int:
        nonlocal rest
        number = shift = 0
        while True:
            if not rest:
                raise ValueError("truncated")
            byte, rest = rest[0], rest[1:]
            number |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return number

    while rest:
        tag = varint()
        value: int | bytes = varint()
        if tag & 7 == _BYTES:
            length = int(value)
            if length > len(rest):
                raise ValueError("truncated")
            value, rest = rest[:length], rest[length:]
        elif tag & 7:
            raise ValueError("another wire type")
        found[tag >> 3] = value
    return found
