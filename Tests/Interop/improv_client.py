"""Provisions one Improv device with py-improv-ble-client, as Home Assistant does, and prints its observations.

Usage: improv_client.py ADDRESS SSID PASSWORD

One JSON object a line: {"event": ..., ...}. The bus is the one of DBUS_SYSTEM_BUS_ADDRESS. The (virtual)
password is an argument here because nothing about it is secret.
"""

import asyncio
import json
import sys
from typing import Any

from bleak import BleakScanner
from bleak.backends.device import BLEDevice
from bleak.backends.scanner import AdvertisementData
from improv_ble_client import ImprovBLEClient, State, device_filter, errors

TIMEOUT = 3600


def say(event: str, **facts: Any) -> None:
    print(json.dumps({"event": event, **facts}), flush=True)


async def sighting(address: str) -> tuple[BLEDevice, AdvertisementData]:
    """The first advertisement of an address that the client accepts, and its device."""
    found: asyncio.Future[tuple[BLEDevice, AdvertisementData]] = asyncio.get_running_loop().create_future()

    def on_advertisement(device: BLEDevice, advertisement: AdvertisementData) -> None:
        if device.address == address and not found.done() and device_filter(advertisement):
            found.set_result((device, advertisement))

    async with BleakScanner(on_advertisement):
        async with asyncio.timeout(TIMEOUT):
            return await found


async def main(address: str, ssid: str, password: str) -> None:
    device, advertisement = await sighting(address)
    say("sighted", services=advertisement.service_uuids)
    client = ImprovBLEClient(device, advertisement)
    async with asyncio.timeout(TIMEOUT):
        say("authorization", needed=await client.need_authorization())
        info = await client.get_device_info()
        say("device_info", firmware=info.firmware_name.decode(), hardware=info.hardware_chip.decode())
        say("networks", ssids=[ssid.decode() for ssid, _, _ in (await client.scan_wifi()).networks])
        await client.identify()
        say("hostname", value=await client.set_hostname("lobby-lamp"))

        def on_state(state: State) -> None:
            say("state", value=state.value)

        try:
            say("provisioned", url=await client.provision(ssid, password, on_state))
        except errors.ProvisioningFailed as error:
            say("failed", error=error.error.value)


asyncio.run(main(*sys.argv[1:]))
