"""A script in place of roboprov: provisions a building's Robo Sensors on all adapters at once, with bleak and
bleak-retry-connector. `building_script.py JOB.json`, where the job is

    {"adapters": ["hci0", …], "at_once": 5, "rooms": [{"address": …, "room": …, "minor": …, "ssid": …, "password": …}, …]}

It works in rounds. All adapters scan until every unwritten sensor and the beacon of every written sensor have been received.
Then they stop scanning, which would make connections slow, and each adapter writes its share of the sensors, `at_once` at a
time. A sensor whose attempt failed gets another attempt in the next round.

Its last line is the result as JSON; `seconds` counts from the time when its libraries are loaded."""

import asyncio
import functools
import json
import resource
import statistics
import sys
import time
from typing import Any

from bleak import BleakScanner
from bleak.backends.bluezdbus.client import BleakClientBlueZDBus
from bleak.backends.device import BLEDevice
from bleak.backends.scanner import AdvertisementData
from bleak.exc import BleakError
from bleak_retry_connector import BleakClientWithServiceCache, establish_connection

ATTRIBUTE = "12345678-9abc-def0-1234-00000000000{}"
SSID, PASSWORD, ROOM, MINOR, COMMAND, STATUS = (ATTRIBUTE.format(number) for number in range(2, 8))
APPLE = 0x004C
LEAST_SCAN = 1.0  # s, so that each adapter can receive the sensors near it
LONGEST_SCAN = 6.0  # s
NEAR = -85  # dBm: any adapter that receives a sensor at this strength can write it
ATTEMPTS = 2  # for a sensor, each with two connection attempts
ROUNDS = 6


class Building:
    def __init__(self, job: dict[str, Any]) -> None:
        self.rooms = {room["address"]: room for room in job["rooms"]}
        self.adapters: list[str] = job["adapters"]
        self.at_once: int = job["at_once"]
        self.open = set(self.rooms)
        self.attempts = dict.fromkeys(self.rooms, 0)
        self.written: set[str] = set()
        self.proved: set[str] = set()
        self.received: dict[str, dict[str, tuple[int, BLEDevice]]] = {}
        self.stages: dict[str, list[float]] = {}
        self.failures: list[str] = []

    def note(self, stage: str, since: float) -> float:
        now = time.monotonic()
        self.stages.setdefault(stage, []).append(now - since)
        return now

    # --- Scanning ---

    def receive(self, adapter: str, device: BLEDevice, advertisement: AdvertisementData) -> None:
        address = device.address
        if address in self.open:
            self.received.setdefault(address, {})[adapter] = (advertisement.rssi, device)
        elif address in self.written:
            data = advertisement.manufacturer_data.get(APPLE, b"")
            if data[:2] == b"\x02\x15" and int.from_bytes(data[20:22], "big") == self.rooms[address]["minor"]:
                self.written.discard(address)
                self.proved.add(address)

    async def scan(self) -> None:
        began = time.monotonic()
        self.received.clear()
        scanners = [
            BleakScanner(functools.partial(self.receive, adapter), bluez={"adapter": adapter}) for adapter in self.adapters
        ]
        await asyncio.gather(*(scanner.start() for scanner in scanners))
        while (passed := time.monotonic() - began) < LONGEST_SCAN:
            if not self.written and self.open <= set(self.received) and (not self.open or passed >= LEAST_SCAN):
                break
            await asyncio.sleep(0.02)
        await asyncio.gather(*(scanner.stop() for scanner in scanners))
        self.note("(scanning)", began)

    # --- Writing ---

    def shared_out(self) -> dict[str, list[BLEDevice]]:
        """The sensors of each adapter. A sensor goes to the least busy adapter that receives it well, or else to the one that
        receives it best. Sensors with the smallest choice go first."""
        shares: dict[str, list[BLEDevice]] = {adapter: [] for adapter in self.adapters}
        choices = []
        for address, by in self.received.items():
            near = [adapter for adapter, (rssi, _) in by.items() if rssi >= NEAR]
            choices.append((near or [max(by, key=lambda adapter: by[adapter][0])], address))
        for choice, address in sorted(choices, key=lambda one: (len(one[0]), one[1])):
            adapter = min(choice, key=lambda one: (len(shares[one]), -self.received[address][one][0]))
            shares[adapter].append(self.received[address][adapter][1])
        return shares

    async def write_all(self, devices: list[BLEDevice]) -> None:
        places = asyncio.Semaphore(self.at_once)

        async def one(device: BLEDevice) -> None:
            async with places:
                try:
                    await self.write(device)
                except (BleakError, TimeoutError, EOFError, ValueError) as error:
                    self.failures.append(f"{device.address}: {type(error).__name__}: {error}")
                    self.attempts[device.address] += 1
                    if self.attempts[device.address] == ATTEMPTS:
                        self.open.discard(device.address)

        await asyncio.gather(*(one(device) for device in devices))

    async def complete(self, client: BleakClientWithServiceCache) -> None:
        """Waits until all characteristics are present. They may come after `ServicesResolved`, which is all that the library
        waits for; otherwise a third of all connections would be useless. The library has no public way to look again."""
        backend = client._backend
        assert isinstance(backend, BleakClientBlueZDBus)
        for _ in range(40):
            if all(
                client.services.get_characteristic(attribute) for attribute in (SSID, PASSWORD, ROOM, MINOR, COMMAND, STATUS)
            ):
                return
            await asyncio.sleep(0.05)
            backend.services = None
            await backend._get_services(dangerous_use_bleak_cache=False)

    async def write(self, device: BLEDevice) -> None:
        room, began = self.rooms[device.address], time.monotonic()
        statuses: asyncio.Queue[str] = asyncio.Queue()
        since = began
        client = await establish_connection(BleakClientWithServiceCache, device, room["room"], max_attempts=2)
        try:
            await self.complete(client)
            since = self.note("connect and discover", since)
            await client.start_notify(STATUS, lambda _, value: statuses.put_nowait(value.decode()))
            if (status := bytes(await client.read_gatt_char(STATUS)).decode()) != "ready":
                raise ValueError(f"its status is {status!r}")
            since = self.note("ready", since)
            values = [(ROOM, room["room"].encode()), (MINOR, room["minor"].to_bytes(2, "big"))]
            if room["ssid"] is not None:
                values = [(SSID, room["ssid"].encode()), (PASSWORD, room["password"].encode()), *values]
            for attribute, value in values:
                await client.write_gatt_char(attribute, value, response=True)
            since = self.note("writes", since)
            await client.write_gatt_char(COMMAND, b"SAVE", response=True)
            async with asyncio.timeout(10):
                while await statuses.get() != "saved":
                    pass
            since = self.note("save", since)
            self.open.discard(device.address)
            self.written.add(device.address)
        finally:
            await client.disconnect()
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
    with open(sys.argv[1], encoding="utf-8") as file:
        building = Building(json.load(file))
    print(json.dumps(asyncio.run(building.provision())), flush=True)
