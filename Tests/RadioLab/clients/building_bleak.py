"""bleak and bleak-retry-connector for building_script.py."""

import asyncio
from collections.abc import Callable
from typing import Any

from bleak import BleakScanner
from bleak.backends.bluezdbus.client import BleakClientBlueZDBus
from bleak.backends.device import BLEDevice
from bleak.exc import BleakError
from bleak_retry_connector import BleakClientWithServiceCache, establish_connection

Receive = Callable[[str, int, Any, dict[int, bytes]], None]


class Link:
    def __init__(self, client: BleakClientWithServiceCache, attributes: tuple[str, ...]) -> None:
        self.client, self.attributes = client, attributes

    async def complete(self) -> None:
        """Waits until all characteristics are present. They may come after `ServicesResolved`, which is all that the library
        waits for; otherwise a third of all connections would be useless. The library has no public way to look again."""
        backend = self.client._backend
        assert isinstance(backend, BleakClientBlueZDBus)
        for _ in range(40):
            services = self.client.services
            if all(services.get_characteristic(attribute) for attribute in self.attributes):
                return
            await asyncio.sleep(0.05)
            backend.services = None
            await backend._get_services(dangerous_use_bleak_cache=False)

    async def subscribe(self, attribute: str, receive: Callable[[bytes], None]) -> None:
        await self.client.start_notify(attribute, lambda _, value: receive(bytes(value)))

    async def read(self, attribute: str) -> bytes:
        return bytes(await self.client.read_gatt_char(attribute))

    async def write(self, attribute: str, value: bytes) -> None:
        await self.client.write_gatt_char(attribute, value, response=True)

    async def end(self) -> None:
        await self.client.disconnect()


class Stack:
    failures = (BleakError, EOFError)

    def __init__(self, attributes: tuple[str, ...]) -> None:
        self.attributes = attributes
        self.scanners: list[BleakScanner] = []

    async def start_scan(self, adapter: str, receive: Receive) -> None:
        scanner = BleakScanner(
            lambda device, data: receive(device.address, data.rssi, device, data.manufacturer_data), bluez={"adapter": adapter}
        )
        self.scanners.append(scanner)
        await scanner.start()

    async def stop_scan(self) -> None:
        await asyncio.gather(*(scanner.stop() for scanner in self.scanners))
        self.scanners.clear()

    async def connect(self, device: BLEDevice, name: str) -> Link:
        client = await establish_connection(BleakClientWithServiceCache, device, name, max_attempts=2)
        link = Link(client, self.attributes)
        try:
            await link.complete()
        except BaseException:
            await link.end()
            raise
        return link
