"""Provisions one Robo Sensor with bluetoothctl, with the commands that a person types, and prints its observations.

Usage: bluetoothctl_session.py ADDRESS SSID PASSWORD ROOM MINOR

One JSON object a line: {"event": ..., ...}; on failure the whole screen on stderr. The bus is the one of
DBUS_SYSTEM_BUS_ADDRESS. The (virtual) password is an argument here because nothing about it is secret.
"""

import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
from typing import Any

ROOM_SENSOR = "12345678-9abc-def0-1234-0000000000%02x"
SSID, PASSWORD, ROOM, MINOR, COMMAND, STATUS = (ROOM_SENSOR % n for n in range(2, 8))
TIMEOUT = 60
ESCAPES = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]|[\x01\x02\r]")
# What a read can end within.
PART = re.compile(rb"\x1b(\[[0-9;?]*)?$")


def say(event: str, **facts: Any) -> None:
    print(json.dumps({"event": event, **facts}), flush=True)


class Bluetoothctl:
    """The program on its own terminal."""

    def __init__(self) -> None:
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.environ["TERM"] = "dumb"
            os.execvp("bluetoothctl", ["bluetoothctl"])
        # The terminal is so wide that readline never breaks a line.
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 500, 0, 0))
        self.screen = ""
        self.read_to = 0
        self.part = b""

    def type(self, line: str) -> None:
        os.write(self.terminal, line.encode() + b"\n")

    def expect(self, *patterns: str) -> re.Match[str]:
        """Waits for texts behind the last expected one, in whatever order. Returns the first one's match."""
        deadline = time.monotonic() + TIMEOUT
        while True:
            matches = [re.compile(pattern, re.S).search(self.screen, self.read_to) for pattern in patterns]
            found = [match for match in matches if match]
            if len(found) == len(patterns):
                self.read_to = max(match.end() for match in found)
                return found[0]
            ready, _, _ = select.select([self.terminal], [], [], max(0, deadline - time.monotonic()))
            if not ready:
                raise TimeoutError(f"waited for {patterns!r}")
            text = self.part + os.read(self.terminal, 65536)
            part = PART.search(text)
            self.part = part.group() if part else b""
            self.screen += ESCAPES.sub(b"", text.removesuffix(self.part)).decode(errors="replace")

    def end(self) -> None:
        os.kill(self.pid, signal.SIGTERM)
        os.waitpid(self.pid, 0)


def main(address: str, ssid: str, password: str, room: str, minor: str) -> None:
    ctl = Bluetoothctl()
    try:
        ctl.expect(r"Agent registered")
        say("agent_registered")

        ctl.type("scan on")
        ctl.expect(r"Discovery started", rf"\[NEW\] Device {address} Robo Sensor")
        say("sighted")
        ctl.type("scan off")
        ctl.expect(r"Discovery stopped")

        ctl.type(f"connect {address}")
        # On a slow machine the services can be resolved before the reply arrives.
        ctl.expect(r"Connection successful", r"ServicesResolved: yes")
        say("connected")

        ctl.type(f"info {address}")
        ctl.expect(rf"Device {address} \(public\)")
        ctl.expect(r"Name: Robo Sensor")
        ctl.expect(r"Connected: yes")
        ctl.expect(r"UUID: .*\(12345678-9abc-def0-1234-000000000001\)")

        ctl.type("menu gatt")
        ctl.expect(r"Menu gatt")
        select_attribute(ctl, STATUS)
        ctl.type("notify on")
        ctl.expect(r"Notify started")
        ctl.type("read")
        ctl.expect(r"Attempting to read [^\n]*\n")
        say("status", value=dumped(ctl).decode())

        for uuid, value in [
            (SSID, ssid.encode()),
            (PASSWORD, password.encode()),
            (ROOM, room.encode()),
            (MINOR, int(minor).to_bytes(2, "big")),
            (COMMAND, b"SAVE"),
        ]:
            select_attribute(ctl, uuid)
            ctl.type('write "' + " ".join(f"0x{byte:02x}" for byte in value) + '"')
            # bluetoothctl prints nothing when a write is confirmed.
            ctl.expect(r"Attempting to write [^\n]*\n")
        # bluetoothctl shows only the notifications of the selected attribute.
        select_attribute(ctl, STATUS)
        say("written")

        ctl.expect(r"\[CHG\] Attribute [^\n]* Value:")
        say("status", value=dumped(ctl).decode())
        ctl.expect(r"Connected: no")
        say("disconnected")

        ctl.type("back")
        ctl.type("scan on")
        ctl.expect(rf"Device {address} ManufacturerData[ .]Key: 0x004c")
        ctl.expect(r"ManufacturerData[ .]Value:")
        say("beacon", data=(dumped(ctl) + dumped(ctl)).hex())
        ctl.type("quit")
    except BaseException:
        print(ctl.screen, file=sys.stderr)
        raise
    finally:
        ctl.end()


def select_attribute(ctl: Bluetoothctl, uuid: str) -> None:
    ctl.type(f"select-attribute {uuid}")
    # The prompt names the selected attribute.
    ctl.expect(r"char[0-9a-f]{4}\]")


def dumped(ctl: Bluetoothctl) -> bytes:
    """The bytes of the next line of a hex dump, which comes after a prompt: up to 16 pairs, then the same as text.

    The prompt of BlueZ 5.66 ends with `#`, that of 5.82 with `>`.
    """
    match = ctl.expect(r"[#>]\s+((?:[0-9a-f]{2} )+)\s[^\n]*\n")
    return bytes.fromhex(match.group(1))


main(*sys.argv[1:])
