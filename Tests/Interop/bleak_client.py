"""Provisions one Robo Sensor with bleak, as a third-party program does, and prints its observations.

Usage: bleak_client.py ADDRESS SSID PASSWORD ROOM MINOR

One JSON object a line: {"event": ..., ...}. The bus is the one of DBUS_SYSTEM_BUS_ADDRESS. The (virtual)
password is an argument here because nothing about it is secret.
"""

import asyncio
import json
import sys
from collections.abc import Callable
from typing import Any

from bleak import BleakClient, BleakScanner
from bleak.backends.device import BLEDevice
from bleak.backends.scanner import AdvertisementData

ROOM_SENSOR = "12345678-9abc-def0-1234-0000000000%02x"
SERVICE, SSID, PASSWORD, ROOM, MINOR, COMMAND, STATUS = (ROOM_SENSOR % n for n in range(1, 8))
APPLE = 0x004C
TIMEOUT = 3600


def say(event: str, **facts: Any) -> None:
    print(json.dumps({"event": event, **facts}), flush=True)


async def sighting(address: str, wanted: Callable[[AdvertisementData], bool]) -> tuple[BLEDevice, AdvertisementData]:
    """The first wanted advertisement of an address, and its device."""
    found: asyncio.Future[tuple[BLEDevice, AdvertisementData]] = asyncio.get_running_loop().create_future()

    def on_advertisement(device: BLEDevice, advertisement: AdvertisementData) -> None:
        if device.address == address and not found.done() and wanted(advertisement):
            found.set_result((device, advertisement))

    async with BleakScanner(on_advertisement):
        async with asyncio.timeout(TIMEOUT):
            return await found


async def main(address: str, ssid: str, password: str, room: str, minor: str) -> None:
    statuses: asyncio.Queue[str] = asyncio.Queue()
    gone = asyncio.Event()

    async with asyncio.timeout(TIMEOUT):
        device, advertisement = await sighting(address, lambda a: a.local_name == "Robo Sensor")
        say("sighted", name=advertisement.local_name, rssi=advertisement.rssi, services=advertisement.service_uuids)
        client = BleakClient(device, disconnected_callback=lambda _: gone.set(), timeout=TIMEOUT)
        await client.connect()
        service = client.services.get_service(SERVICE)
        assert service is not None
        characteristics = {c.uuid: c for c in service.characteristics}
        say("connected", characteristics={u: sorted(c.properties) for u, c in sorted(characteristics.items())})

        await client.start_notify(STATUS, lambda _, value: statuses.put_nowait(value.decode()))
        say("status", how="read", value=(await client.read_gatt_char(STATUS)).decode())

        await client.write_gatt_char(SSID, ssid.encode(), response=True)
        await client.write_gatt_char(PASSWORD, password.encode(), response=True)
        await client.write_gatt_char(ROOM, room.encode(), response=True)
        await client.write_gatt_char(MINOR, int(minor).to_bytes(2, "big"), response=True)
        say("written")
        try:
            await client.write_gatt_char(COMMAND, b"SAVE", response=True)
        except Exception as error:  # The reboot may come before the reply.
            say("save_unanswered", error=str(error))
        while True:
            status = await statuses.get()
            say("status", how="notified", value=status)
            if status == "saved":
                break
        await gone.wait()
        say("disconnected")

    _, advertisement = await sighting(address, lambda a: APPLE in a.manufacturer_data)
    say("beacon", data=advertisement.manufacturer_data[APPLE].hex(), name=advertisement.local_name)


asyncio.run(main(*sys.argv[1:]))
