"""A script in place of roboprov: provisions a building's Robo Sensors on all adapters at once. `building_script.py bleak JOB`
uses bleak and bleak-retry-connector (building_bleak.py), `… dbus_fast JOB` dbus-fast alone (building_dbus_fast.py). The job is

    {"adapters": ["hci0", …], "at_once": 5, "rooms": [{"address": …, "room": …, "minor": …, "ssid": …, "password": …}, …]}

It works in rounds. All adapters scan until every unwritten sensor and the beacon of every written sensor have been received.
Then they stop scanning, which would make connections slow, and each adapter writes its share of the sensors, `at_once` at a
time. A sensor whose attempt failed gets another attempt in the next round.

Its last line is the result as JSON; `seconds` counts from the time when its libraries are loaded."""

import asyncio
import functools
import importlib
import json
import resource
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any, Protocol

ATTRIBUTE = "12345678-9abc-def0-1234-00000000000{}"
ATTRIBUTES = SSID, PASSWORD, ROOM, MINOR, COMMAND, STATUS = tuple(ATTRIBUTE.format(number) for number in range(2, 8))
APPLE = 0x004C
LEAST_SCAN = 1.0  # s, so that each adapter can receive the sensors near it
LONGEST_SCAN = 6.0  # s
NEAR = -85  # dBm: any adapter that receives a sensor at this strength can write it
ATTEMPTS = 2  # for a sensor
ROUNDS = 6

# Address, RSSI, the library's own object for the device, and the manufacturer's data of an advertisement.
Receive = Callable[[str, int, Any, dict[int, bytes]], None]


class Link(Protocol):
    """A connection to a sensor whose characteristics are present."""

    async def subscribe(self, attribute: str, receive: Callable[[bytes], None]) -> None: ...
    async def read(self, attribute: str) -> bytes: ...
    async def write(self, attribute: str, value: bytes) -> None: ...
    async def end(self) -> None: ...


class Stack(Protocol):
    """A library."""

    failures: tuple[type[Exception], ...]

    async def start_scan(self, adapter: str, receive: Receive) -> None: ...
    async def stop_scan(self) -> None: ...
    async def connect(self, device: Any, name: str) -> Link: ...


class Building:
    def __init__(self, job: dict[str, Any], stack: Stack) -> None:
        self.stack = stack
        self.rooms = {room["address"]: room for room in job["rooms"]}
        self.adapters: list[str] = job["adapters"]
        self.at_once: int = job["at_once"]
        self.open = set(self.rooms)
        self.attempts = dict.fromkeys(self.rooms, 0)
        self.written: set[str] = set()
        self.proved: set[str] = set()
        self.received: dict[str, dict[str, tuple[int, Any]]] = {}
        self.stages: dict[str, list[float]] = {}
        self.failures: list[str] = []

    def note(self, stage: str, since: float) -> float:
        now = time.monotonic()
        self.stages.setdefault(stage, []).append(now - since)
        return now

    # --- Scanning ---

    def receive(self, adapter: str, address: str, rssi: int, device: Any, manufacturer_data: dict[int, bytes]) -> None:
        if address in self.open:
            self.received.setdefault(address, {})[adapter] = (rssi, device)
        elif address in self.written:
            data = manufacturer_data.get(APPLE, b"")
            if data[:2] == b"\x02\x15" and int.from_bytes(data[20:22], "big") == self.rooms[address]["minor"]:
                self.written.discard(address)
                self.proved.add(address)

    async def scan(self) -> None:
        began = time.monotonic()
        self.received.clear()
        await asyncio.gather(
            *(self.stack.start_scan(adapter, functools.partial(self.receive, adapter)) for adapter in self.adapters)
        )
        while (passed := time.monotonic() - began) < LONGEST_SCAN:
            if not self.written and self.open <= set(self.received) and (not self.open or passed >= LEAST_SCAN):
                break
            await asyncio.sleep(0.02)
        await self.stack.stop_scan()
        self.note("(scanning)", began)

    # --- Writing ---

    def shared_out(self) -> dict[str, list[tuple[str, Any]]]:
        """The sensors of each adapter. A sensor goes to the least busy adapter that receives it well, or else to the one that
        receives it best. Sensors with the smallest choice go first."""
        shares: dict[str, list[tuple[str, Any]]] = {adapter: [] for adapter in self.adapters}
        choices = []
        for address, by in self.received.items():
            near = [adapter for adapter, (rssi, _) in by.items() if rssi >= NEAR]
            choices.append((near or [max(by, key=lambda adapter: by[adapter][0])], address))
        for choice, address in sorted(choices, key=lambda one: (len(one[0]), one[1])):
            adapter = min(choice, key=lambda one: (len(shares[one]), -self.received[address][one][0]))
            shares[adapter].append((address, self.received[address][adapter][1]))
        return shares

    async def write_all(self, devices: list[tuple[str, Any]]) -> None:
        places = asyncio.Semaphore(self.at_once)
        expected: tuple[type[Exception], ...] = (*self.stack.failures, TimeoutError, ValueError)

        async def one(address: str, device: Any) -> None:
            async with places:
                try:
                    await self.write(address, device)
                except expected as error:
                    self.failures.append(f"{address}: {type(error).__name__}: {error}")
                    self.attempts[address] += 1
                    if self.attempts[address] == ATTEMPTS:
                        self.open.discard(address)

        await asyncio.gather(*(one(address, device) for address, device in devices))

    async def write(self, address: str, device: Any) -> None:
        room, began = self.rooms[address], time.monotonic()
        statuses: asyncio.Queue[str] = asyncio.Queue()
        since = began
        link = await self.stack.connect(device, room["room"])
        try:
            since = self.note("connect and discover", since)
            await link.subscribe(STATUS, lambda value: statuses.put_nowait(value.decode()))
            if (status := (await link.read(STATUS)).decode()) != "ready":
                raise ValueError(f"its status is {status!r}")
            since = self.note("ready", since)
            values = [(ROOM, room["room"].encode()), (MINOR, room["minor"].to_bytes(2, "big"))]
            if room["ssid"] is not None:
                values = [(SSID, room["ssid"].encode()), (PASSWORD, room["password"].encode()), *values]
            for attribute, value in values:
                await link.write(attribute, value)
            since = self.note("writes", since)
            await link.write(COMMAND, b"SAVE")
            async with asyncio.timeout(10):
                while await statuses.get() != "saved":
                    pass
            since = self.note("save", since)
            self.open.discard(address)
            self.written.add(address)
        finally:
            await link.end()
            self.note("disconnect", since)
        self.note("(a sensor)", began)

    # --- All rounds ---

    async def provision(self) -> dict[str, Any]:
        began, rounds = time.monotonic(), 0
        while (self.open or self.written) and rounds < ROUNDS:
            rounds += 1
            await self.scan()
            writing = time.monotonic()
            await asyncio.gather(*(self.write_all(devices) for devices in self.shared_out().values()))
            if self.open or self.written:
                self.note("(writing)", writing)
        usage = resource.getrusage(resource.RUSAGE_SELF)
        return {
            "seconds": time.monotonic() - began, "proved": len(self.proved), "rounds": rounds,
            "cpu_seconds": usage.ru_utime + usage.ru_stime, "failures": self.failures,
            "stages": {name: [len(values), statistics.median(values), max(values)] for name, values in self.stages.items()},
        }  # fmt: skip


if __name__ == "__main__":
    stack: Stack = importlib.import_module(f"building_{sys.argv[1]}").Stack(ATTRIBUTES)
    with open(sys.argv[2], encoding="utf-8") as file:
        building = Building(json.load(file), stack)
    print(json.dumps(asyncio.run(building.provision())), flush=True)
