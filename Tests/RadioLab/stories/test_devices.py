"""The devices around the adapters are what their families are said to be, each fault does what it says, and no more. No
guest is needed for this."""

import asyncio
import unittest
from unittest import mock

from bumble.core import AdvertisingData

from lab.lab import sensor_address
from lab.radio import firefly, iot_design_shop
from lab.radio.air import Air, Propagation
from lab.radio.families import FAMILIES
from lab.radio.peripheral import Peripheral
from lab.radio.robo_sensor import RoboSensor


class Devices(unittest.IsolatedAsyncioTestCase):
    def device(self, family: str, flash: dict | None = None, **faults) -> Peripheral:
        device = FAMILIES[family](Air(Propagation(), seed=1), sensor_address(0), (0, 0), lambda *_, **__: None)
        device.faults = device.FAULTS().revised(faults)
        device.restore(flash or {})
        self.addAsyncCleanup(device.power_off)
        return device

    @staticmethod
    async def write(device: Peripheral, name: str, value: bytes) -> mock.Mock:
        """Over a connection, which it may end; waits until it has done what it does by itself after that."""
        connection = mock.Mock(peer_address="00:1A:7D:DA:71:00/P", disconnect=mock.AsyncMock())
        uuid = {**iot_design_shop.ATTRIBUTES, **firefly.ATTRIBUTES}[name]
        attribute = next(one for one in device.device.gatt_server.attributes if one.type == uuid)
        try:
            await attribute.write_value(connection, value)
        except asyncio.CancelledError:
            pass  # No answer.
        while device._tasks:
            await asyncio.wait(device._tasks)
        return connection

    @staticmethod
    async def read(device: Peripheral, name: str) -> bytes:
        uuid = iot_design_shop.ATTRIBUTES[name]
        attribute = next(one for one in device.device.gatt_server.attributes if one.type == uuid)
        return await attribute.read_value(mock.Mock())

    @staticmethod
    def on_air(device: Peripheral) -> tuple[AdvertisingData, AdvertisingData, float]:
        """What it advertises, and how often, in s."""
        advertiser = device.chip.le_legacy_advertiser
        data, response = map(AdvertisingData.from_bytes, (advertiser.advertising_data, advertiser.scan_response_data))
        return data, response, advertiser.advertising_interval_min * 0.000625


class Beacon(Devices):
    async def test_from_the_factory_it_bears_its_services_uuid(self) -> None:
        beacon = self.device("iot-design-shop")
        await beacon.power_on()
        data, response, interval = self.on_air(beacon)
        self.assertEqual(
            data.get(AdvertisingData.MANUFACTURER_SPECIFIC_DATA, raw=True).hex(),
            "4c000215" + "2173e51991554862ab647953ab146156" + "0000" + "0000" + "c5",
        )
        self.assertEqual(response.get(AdvertisingData.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS), [iot_design_shop.SERVICE])
        self.assertEqual(interval, 0.1)

    async def test_what_is_written_is_kept_at_once_and_on_air_when_the_link_has_ended(self) -> None:
        beacon = self.device("iot-design-shop")
        await beacon.power_on()
        await self.write(beacon, "beacon_uuid", bytes(range(16)))
        await self.write(beacon, "beacon_id", bytes.fromhex("0100 0203"))
        await self.write(beacon, "transmit", bytes.fromhex("0000 4006"))
        held = {"uuid": "00010203-0405-0607-0809-0A0B0C0D0E0F", "major": 1, "minor": 0x0302, "power": 0, "interval": 1600}
        self.assertEqual(beacon.held(), held)
        self.assertEqual(self.on_air(beacon)[2], 0.1, "not yet")
        await beacon.advertise()
        data, _, interval = self.on_air(beacon)
        field = "4c000215" + bytes(range(16)).hex() + "0001" + "0302" + (-82 & 0xFF).to_bytes(1).hex()
        self.assertEqual((data.get(AdvertisingData.MANUFACTURER_SPECIFIC_DATA, raw=True).hex(), interval), (field, 1.0))
        self.assertEqual(beacon.chip.power, -23)
        self.assertEqual([write["answer"] for write in beacon.writes], ["confirmed"] * 3)

    async def test_nothing_is_checked(self) -> None:
        beacon = self.device("iot-design-shop", {"major": 0x0101, "minor": 0x0202})
        await beacon.power_on()
        for value, kept in ((b"\xff", "ff010202"), (b"", "ff010202"), (bytes(9), "00000000")):
            await self.write(beacon, "beacon_id", value)
            self.assertEqual((await self.read(beacon, "beacon_id")).hex(), kept)

    async def test_too_short_an_interval_hangs_the_radio_until_it_is_reset(self) -> None:
        beacon = self.device("iot-design-shop")
        await beacon.power_on()
        await self.write(beacon, "transmit", bytes.fromhex("0200 1f00"))
        await beacon.advertise()
        self.assertEqual((beacon.life, beacon.chip.le_legacy_advertiser.enabled), ("hung", False))
        beacon.reset()
        await beacon.power_on()
        self.assertEqual(beacon.life, "beacon")

    async def test_each_fault(self) -> None:
        before, after = "00000000", "01000200"
        for faults, kept, read, dropped in (
            ({}, after, after, False),
            ({"forgets": "beacon_id"}, before, before, False),
            ({"forgets": "transmit"}, after, after, False),
            ({"reads_back_wrong": "beacon_id"}, after, "01000201", False),
            ({"drop_at_write": 1}, before, before, True),
            ({"drop_at_write": 1, "stores_before_drop": True}, after, after, True),
            ({"drop_at_write": 2}, after, after, False),
        ):
            with self.subTest(faults=faults):
                beacon = self.device("iot-design-shop", **faults)
                await beacon.power_on()
                connection = await self.write(beacon, "beacon_id", bytes.fromhex(after))
                self.assertEqual(beacon.flash["beacon_id"].hex(), kept)
                self.assertEqual((await self.read(beacon, "beacon_id")).hex(), read)
                self.assertEqual(connection.disconnect.await_count, int(dropped))
                self.assertEqual(beacon.writes[0]["answer"], "none" if dropped else "confirmed")


class Fireflies(Devices):
    async def test_says_service_and_name_in_one_advertisement_and_rarely(self) -> None:
        device = self.device("firefly")
        await device.power_on()
        data, response, interval = self.on_air(device)
        self.assertEqual(data.get(AdvertisingData.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS), [firefly.SERVICE])
        self.assertEqual(data.get(AdvertisingData.COMPLETE_LOCAL_NAME), "Firefl")
        self.assertEqual((response.ad_structures, interval), ([], 3.0))

    async def test_hangs_up_when_it_was_written_and_keeps_four_bytes_alone(self) -> None:
        for faults, value, moment, hangs_up in (
            ({}, "01020304", "01020304", True),
            ({}, "010203", None, True),
            ({"stays": True}, "01020304", "01020304", False),
            ({"drop_at_write": 1}, "01020304", None, True),
        ):
            with self.subTest(faults=faults, value=value):
                device = self.device("firefly", **faults)
                await device.power_on()
                connection = await self.write(device, "moment", bytes.fromhex(value))
                self.assertEqual((device.held(), connection.disconnect.await_count), ({"moment": moment}, int(hangs_up)))
                self.assertEqual([write["value"] for write in device.writes], [value])

    async def test_a_keyboard_differs_in_its_name_and_stays(self) -> None:
        piano = self.device("midi-keyboard")
        await piano.power_on()
        data, _, _ = self.on_air(piano)
        self.assertEqual(data.get(AdvertisingData.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS), [firefly.SERVICE])
        self.assertEqual(data.get(AdvertisingData.COMPLETE_LOCAL_NAME), "Piano")
        connection = await self.write(piano, "moment", bytes(4))
        connection.disconnect.assert_not_awaited()
        self.assertEqual(len(piano.writes), 1)


class Everyone(Devices):
    async def test_knows_its_own_faults_alone(self) -> None:
        for family, fault in (("robo-sensor", "stays"), ("iot-design-shop", "save_error"), ("firefly", "forgets")):
            with self.assertRaisesRegex(ValueError, f"no such fault: {fault}"):
                self.device(family, **{fault: 1})

    async def test_a_mute_one_takes_the_connection_and_answers_nothing(self) -> None:
        for family in ("robo-sensor", "iot-design-shop", "firefly"):
            for mute in (False, True):
                device = self.device(family, mute=mute)
                with mock.patch("bumble.gatt_server.Server.on_gatt_pdu") as answer:
                    await device.power_on()
                    device.device.gatt_server.on_gatt_pdu(mock.Mock(), mock.Mock())
                self.assertEqual(answer.called, not mute)
                self.assertTrue(device.chip.accepts_connections)

    async def test_restarts_even_if_its_radio_never_says_that_the_link_is_closed(self) -> None:
        sensor = self.device("robo-sensor")
        self.assertIsInstance(sensor, RoboSensor)
        await sensor.power_on()
        sensor.flash.minor = 7
        stuck = mock.Mock(disconnect=mock.AsyncMock(side_effect=asyncio.Event().wait))
        with mock.patch.object(sensor.device, "connections", {1: stuck}):
            async with asyncio.timeout(20):
                await sensor._reboot()
        stuck.disconnect.assert_awaited_once()
        self.assertEqual((sensor.life, sensor.boots), ("beacon", 2))
