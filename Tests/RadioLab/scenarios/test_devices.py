"""The devices of the radio behave as their families require, and each fault has exactly its described effect. These tests need
no guest."""

import asyncio
import functools
from collections.abc import AsyncIterator, Callable
from typing import Any
from unittest import mock

import pytest
import pytest_asyncio
from bumble.core import AdvertisingData
from lab.lab import adapter_address, sensor_address
from lab.radio import firefly, iot_design_shop
from lab.radio.adapter import Adapter, AdapterSettings
from lab.radio.air import Air, Link, Propagation
from lab.radio.families import FAMILIES
from lab.radio.iot_design_shop import IotDesignShopBeacon
from lab.radio.peripheral import Peripheral
from lab.radio.robo_sensor import RoboSensor

pytestmark = pytest.mark.asyncio

MakeDevice = Callable[..., Peripheral]
MakeBeacon = Callable[..., IotDesignShopBeacon]
ATTRIBUTES = {**iot_design_shop.ATTRIBUTES, **firefly.ATTRIBUTES}


@pytest_asyncio.fixture
async def make_device() -> AsyncIterator[MakeDevice]:
    """Makes a device of a family, not yet powered, with this flash and these faults."""
    made: list[Peripheral] = []

    def make(family: str, flash: dict[str, Any] | None = None, **faults: Any) -> Peripheral:
        device = FAMILIES[family](Air(Propagation(), seed=1), sensor_address(0), (0, 0), lambda *_, **__: None)
        device.faults = device.FAULTS().revised(faults)
        device.restore(flash or {})
        made.append(device)
        return device

    yield make
    for device in made:
        await device.power_off()


@pytest_asyncio.fixture
async def make_beacon(make_device: MakeDevice) -> MakeBeacon:
    def make(flash: dict[str, Any] | None = None, **faults: Any) -> IotDesignShopBeacon:
        device = make_device("iot-design-shop", flash, **faults)
        assert isinstance(device, IotDesignShopBeacon)
        return device

    return make


async def write(device: Peripheral, name: str, value: bytes) -> mock.Mock:
    """Writes over a connection, which the device may end; waits until the device has handled the write."""
    connection = mock.Mock(peer_address="00:1A:7D:DA:71:00/P", disconnect=mock.AsyncMock())
    try:
        await attribute(device, name).write_value(connection, value)
    except asyncio.CancelledError:
        pass  # No reply.
    while device.tasks:
        await asyncio.wait(device.tasks)
    return connection


async def read(device: Peripheral, name: str) -> bytes:
    value: bytes = await attribute(device, name).read_value(mock.Mock())
    return value


def attribute(device: Peripheral, name: str) -> Any:
    return next(one for one in device.host.gatt_server.attributes if one.type == ATTRIBUTES[name])


def advertised(device: Peripheral) -> tuple[AdvertisingData, AdvertisingData, float]:
    """The advertisement, the scan response and the interval in s."""
    advertiser = device.controller.le_legacy_advertiser
    data, response = map(AdvertisingData.from_bytes, (advertiser.advertising_data, advertiser.scan_response_data))
    return data, response, advertiser.advertising_interval_min * 0.000625


def manufacturer_data(data: AdvertisingData) -> str:
    value = data.get(AdvertisingData.MANUFACTURER_SPECIFIC_DATA, raw=True)
    assert isinstance(value, bytes)
    return value.hex()


async def test_a_beacon_from_the_factory_advertises_its_service(make_beacon: MakeBeacon) -> None:
    beacon = make_beacon()
    await beacon.power_on()
    data, response, interval = advertised(beacon)
    assert manufacturer_data(data) == "4c000215" + "2173e51991554862ab647953ab146156" + "0000" + "0000" + "c5"
    assert response.get(AdvertisingData.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS) == [iot_design_shop.SERVICE]
    assert interval == 0.1


async def test_a_beacon_keeps_a_write_at_once_and_advertises_it_after_the_link(make_beacon: MakeBeacon) -> None:
    beacon = make_beacon()
    await beacon.power_on()
    await write(beacon, "beacon_uuid", bytes(range(16)))
    await write(beacon, "beacon_id", bytes.fromhex("0100 0203"))
    await write(beacon, "transmit", bytes.fromhex("0000 4006"))
    held = {"uuid": "00010203-0405-0607-0809-0A0B0C0D0E0F", "major": 1, "minor": 0x0302, "power": 0, "interval": 1600}
    assert beacon.held() == held
    assert advertised(beacon)[2] == 0.1, "not yet"
    await beacon.advertise()
    data, _, interval = advertised(beacon)
    field = "4c000215" + bytes(range(16)).hex() + "0001" + "0302" + (-82 & 0xFF).to_bytes(1, "big").hex()
    assert (manufacturer_data(data), interval) == (field, 1.0)
    assert beacon.controller.power == -23
    assert [one["answer"] for one in beacon.writes] == ["confirmed"] * 3


async def test_a_beacon_checks_no_value(make_beacon: MakeBeacon) -> None:
    beacon = make_beacon({"major": 0x0101, "minor": 0x0202})
    await beacon.power_on()
    for value, kept in ((b"\xff", "ff010202"), (b"", "ff010202"), (bytes(9), "00000000")):
        await write(beacon, "beacon_id", value)
        assert (await read(beacon, "beacon_id")).hex() == kept


async def test_too_short_an_interval_hangs_a_beacon_until_it_is_reset(make_beacon: MakeBeacon) -> None:
    beacon = make_beacon()
    await beacon.power_on()
    await write(beacon, "transmit", bytes.fromhex("0200 1f00"))
    await beacon.advertise()
    assert (beacon.life, beacon.controller.le_legacy_advertiser.enabled) == ("hung", False)
    beacon.reset()
    await beacon.power_on()
    assert beacon.life == "beacon"


BEFORE, AFTER = "00000000", "01000200"


@pytest.mark.parametrize(
    ("faults", "kept", "value", "is_dropped"),
    [
        ({}, AFTER, AFTER, False),
        ({"forgets": "beacon_id"}, BEFORE, BEFORE, False),
        ({"forgets": "transmit"}, AFTER, AFTER, False),
        ({"reads_back_wrong": "beacon_id"}, AFTER, "01000201", False),
        ({"drop_at_write": 1}, BEFORE, BEFORE, True),
        ({"drop_at_write": 1, "stores_before_drop": True}, AFTER, AFTER, True),
        ({"drop_at_write": 2}, AFTER, AFTER, False),
    ],
    ids=str,
)
async def test_faults_of_a_beacon(
    make_beacon: MakeBeacon, faults: dict[str, Any], kept: str, value: str, is_dropped: bool
) -> None:
    beacon = make_beacon(**faults)
    await beacon.power_on()
    connection = await write(beacon, "beacon_id", bytes.fromhex(AFTER))
    assert beacon.flash["beacon_id"].hex() == kept
    assert (await read(beacon, "beacon_id")).hex() == value
    assert connection.disconnect.await_count == int(is_dropped)
    assert beacon.writes[0]["answer"] == ("none" if is_dropped else "confirmed")


async def test_a_firefly_advertises_service_and_name_together_and_rarely(make_device: MakeDevice) -> None:
    device = make_device("firefly")
    await device.power_on()
    data, response, interval = advertised(device)
    assert data.get(AdvertisingData.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS) == [firefly.SERVICE]
    assert data.get(AdvertisingData.COMPLETE_LOCAL_NAME) == "Firefl"
    assert (response.ad_structures, interval) == ([], 3.0)


@pytest.mark.parametrize(
    ("faults", "value", "moment", "disconnects"),
    [
        ({}, "01020304", "01020304", True),
        ({}, "010203", None, True),
        ({"stays": True}, "01020304", "01020304", False),
        ({"drop_at_write": 1}, "01020304", None, True),
    ],
    ids=str,
)
async def test_a_firefly_disconnects_after_a_write_and_keeps_only_four_bytes(
    make_device: MakeDevice, faults: dict[str, Any], value: str, moment: str | None, disconnects: bool
) -> None:
    device = make_device("firefly", **faults)
    await device.power_on()
    connection = await write(device, "moment", bytes.fromhex(value))
    assert (device.held(), connection.disconnect.await_count) == ({"moment": moment}, int(disconnects))
    assert [one["value"] for one in device.writes] == [value]


async def test_a_keyboard_differs_in_its_name_and_stays_connected(make_device: MakeDevice) -> None:
    keyboard = make_device("midi-keyboard")
    await keyboard.power_on()
    data, _, _ = advertised(keyboard)
    assert data.get(AdvertisingData.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS) == [firefly.SERVICE]
    assert data.get(AdvertisingData.COMPLETE_LOCAL_NAME) == "Piano"
    connection = await write(keyboard, "moment", bytes(4))
    connection.disconnect.assert_not_awaited()
    assert len(keyboard.writes) == 1


@pytest.mark.parametrize(
    ("family", "fault"), [("robo-sensor", "stays"), ("iot-design-shop", "save_error"), ("firefly", "forgets")]
)
async def test_a_family_rejects_faults_of_another(make_device: MakeDevice, family: str, fault: str) -> None:
    with pytest.raises(ValueError, match=f"no such fault: {fault}"):
        make_device(family, **{fault: 1})


@pytest.mark.parametrize("family", ["robo-sensor", "iot-design-shop", "firefly"])
@pytest.mark.parametrize("is_mute", [False, True])
async def test_a_mute_device_takes_the_connection_and_answers_nothing(
    make_device: MakeDevice, family: str, is_mute: bool
) -> None:
    device = make_device(family, mute=is_mute)
    with mock.patch("bumble.gatt_server.Server.on_gatt_pdu") as answer:
        await device.power_on()
        device.host.gatt_server.on_gatt_pdu(mock.Mock(), mock.Mock())
    assert answer.called != is_mute
    assert device.controller.accepts_connections


async def test_a_sensor_restarts_although_its_radio_never_reports_the_end_of_the_link(make_device: MakeDevice) -> None:
    sensor = make_device("robo-sensor")
    assert isinstance(sensor, RoboSensor)
    await sensor.power_on()
    sensor.flash.minor = 7
    stuck = mock.Mock(disconnect=mock.AsyncMock(side_effect=asyncio.Event().wait))
    with mock.patch.object(sensor.device, "connections", {1: stuck}):
        async with asyncio.timeout(20):
            await sensor.reboot()
    stuck.disconnect.assert_awaited_once()
    assert (sensor.life, sensor.boots) == ("beacon", 2)


@pytest.mark.parametrize("loss", [0, 0.3])
async def test_a_link_delivers_in_the_order_of_sending(make_device: MakeDevice, loss: float) -> None:
    device = make_device("firefly")
    device.air.propagation = Propagation(shadowing=0, fading=0, loss=loss)
    await device.power_on()
    adapter = Adapter(AdapterSettings(adapter_address(0)), device.air, mock.Mock(source=None, sink=None))
    link = Link(device.air, adapter, device.controller, (adapter.public_address, device.address), interval=0.0075)
    link.supervision_timeout = 10
    delivered: list[int] = []
    everything = asyncio.Event()
    for number in range(40):
        link.carry(device.controller, functools.partial(delivered.append, number))
    link.carry(device.controller, everything.set)
    async with asyncio.timeout(10):
        await everything.wait()
    assert delivered == list(range(40))
