"""What messages of Espressif's provisioning need on the wire, for scripts that share nothing with roboprov: as much of
protobuf's encoding as they have, and the prime of SRP."""

from typing import Any

_BYTES = 2  # the wire type of bytes and messages


def _varint(number: int) -> bytes:
    start = b""
    while number > 0x7F:
        start += bytes([number & 0x7F | 0x80])
        number >>= 7
    return start + bytes([number])


def field(number: int, value: int | bytes) -> bytes:
    """A field with its number: a number, or bytes, a text or a message."""
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    return _varint(number << 3 | _BYTES) + _varint(len(value)) + value


def all_fields(message: bytes) -> list[tuple[int, Any]]:
    """The fields of a message in their order, each with its number."""
    found: list[tuple[int, Any]] = []
    place = 0

    def varint() -> int:
        nonlocal place
        number = shift = 0
        while True:
            byte = message[place]
            place += 1
            number |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return number

    while place < len(message):
        tag = varint()
        if tag & 7 == _BYTES:
            length = varint()
            assert place + length <= len(message), "a field is longer than its message"
            found.append((tag >> 3, message[place : place + length]))
            place += length
        else:
            assert tag & 7 == 0, f"wire type {tag & 7}"
            found.append((tag >> 3, varint()))
    return found


def fields(message: bytes) -> dict[int, Any]:
    """The fields of a message by number; the last one of each counts."""
    return dict(all_fields(message))


def path(message: bytes, *numbers: int) -> Any:
    value: Any = message
    for number in numbers:
        value = fields(value)[number]
    return value


def prime() -> int:
    """The prime of 3072 bits, by the formula of RFC 3526 (group 15): it contains digits of pi."""
    one = 1 << 3100

    def arctangent(inverse: int) -> int:
        term = total = one // inverse
        divisor, sign = 1, 1
        while term:
            term //= inverse * inverse
            divisor, sign = divisor + 2, -sign
            total += sign * (term // divisor)
        return total

    pi = 4 * (4 * arctangent(5) - arctangent(239)) >> (3100 - 2942)
    return 2**3072 - 2**3008 - 1 + 2**64 * (pi + 1690314)
