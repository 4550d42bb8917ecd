"""The lab's devices pair as their rules say. These tests need no guest: Bumble's own central is in place of BlueZ, with the
same adapter and air."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from typing import Any
from unittest import mock

import pytest
import pytest_asyncio
from bumble import att, core, gatt, hci
from bumble.core import UUID
from bumble.device import Connection, Device, DeviceConfiguration, Peer
from bumble.host import Host
from bumble.pairing import PairingConfig, PairingDelegate
from bumble.transport.common import AsyncPipeSink
from lab.lab import adapter_address, sensor_address
from lab.radio import keyed
from lab.radio.adapter import Adapter, AdapterSettings
from lab.radio.air import Air, Propagation
from lab.radio.families import FAMILIES
from lab.radio.pairing import Rules
from lab.radio.peripheral import Peripheral

pytestmark = pytest.mark.asyncio

PASSKEY = 12345
HOST = adapter_address(0)


class Keyboard(PairingDelegate):
    """A host that can enter a passkey, or, with None, nothing."""

    def __init__(self, passkey: int | None) -> None:
        super().__init__(self.NO_OUTPUT_NO_INPUT if passkey is None else self.KEYBOARD_INPUT_ONLY)
        self.passkey = passkey
        self.asked = 0

    async def get_number(self) -> int | None:
        self.asked += 1
        return self.passkey


class Central:
    """Bumble as a host that keeps its keys."""

    def __init__(self, air: Air) -> None:
        self.adapter = Adapter(AdapterSettings(HOST), air, mock.Mock(source=None, sink=None))
        address = hci.Address(HOST, hci.Address.PUBLIC_DEVICE_ADDRESS)
        configuration = DeviceConfiguration(name="host", address=address)
        self.host = Device(config=configuration, host=Host(self.adapter, AsyncPipeSink(self.adapter)))
        self.keyboard = Keyboard(None)
        self.host.pairing_config_factory = lambda _: PairingConfig(delegate=self.keyboard)

    async def connect(self, device: Peripheral) -> Connection:
        connection: Connection = await self.host.connect(device.shown, own_address_type=hci.OwnAddressType.PUBLIC, timeout=10)
        return connection

    async def pair(self, device: Peripheral, passkey: int | None = None) -> Connection:
        self.keyboard = Keyboard(passkey)
        connection = await self.connect(device)
        await self.pair_over(connection)
        return connection

    async def pair_over(self, connection: Connection) -> None:
        async with asyncio.timeout(20):
            await connection.pair()


@pytest_asyncio.fixture
async def central() -> AsyncIterator[Central]:
    central = Central(Air(Propagation(shadowing=0, fading=0, loss=0), seed=1))
    await central.host.power_on()
    yield central


Make = Callable[..., Any]


@pytest_asyncio.fixture
async def make(central: Central) -> AsyncIterator[Make]:
    """Makes a device with these rules and faults, switched on; its events are in the list `events`."""
    made: list[Peripheral] = []

    async def switch_on(rules: Rules | None, family: str = "keyed", **faults: Any) -> Peripheral:
        events: list[dict[str, Any]] = []

        def emit(event: str, _device: Any = None, **details: Any) -> None:
            events.append({"event": event, **details})

        device = FAMILIES[family](central.adapter.air, sensor_address(len(made)), (1, 0), emit)
        device.security.rules = rules
        device.faults = device.FAULTS().revised(faults)
        device.events = events  # type: ignore[attr-defined]
        made.append(device)
        await device.power_on()
        return device

    yield switch_on
    for device in made:
        for task in device.tasks:
            task.cancel()
        await device.power_off()


async def read(connection: Connection, uuid: UUID = keyed.VALUE) -> bytes | int:
    """The value, or the number of the ATT error."""
    peer = Peer(connection)
    await peer.discover_services()
    await peer.discover_characteristics()
    (found,) = peer.get_characteristics_by_uuid(uuid)
    try:
        return bytes(await found.read_value())
    except att.ATT_Error as error:
        return int(error.error_code)


async def write_without_response(connection: Connection, value: bytes) -> None:
    peer = Peer(connection)
    await peer.discover_services()
    await peer.discover_characteristics()
    (found,) = peer.get_characteristics_by_uuid(keyed.VALUE)
    await found.write_value(value)
    await peer.discover_services()  # The answer comes after the write.


async def until(is_met: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not is_met():
            await asyncio.sleep(0.01)


async def end(connection: Connection, device: Peripheral) -> None:
    with contextlib.suppress(core.BaseBumbleError):
        await connection.disconnect()
    await until(lambda: not device.host.connections)


def happened(device: Any, event: str) -> list[dict[str, Any]]:
    return [one for one in device.events if one["event"] == event]


@pytest.mark.parametrize("legacy", [False, True])
@pytest.mark.parametrize("passkey", [None, PASSKEY])
async def test_a_device_pairs_and_its_key_protects_later_links(
    make: Make, central: Central, passkey: int | None, legacy: bool
) -> None:
    device = await make(Rules(passkey=passkey, legacy=legacy))
    connection = await central.connect(device)
    assert await read(connection) == att.ErrorCode.INSUFFICIENT_AUTHENTICATION
    await end(connection, device)

    connection = await central.pair(device, passkey)
    await until(lambda: device.security.pairings == 1)
    assert await read(connection) == keyed.CONTENT
    assert central.keyboard.asked == (passkey is not None)
    wanted = {"event": "paired", "by": HOST, "passkey": passkey is not None, "bonded": True, "legacy": legacy}
    assert happened(device, "paired") == [wanted]
    assert device.state()["keys"] == [HOST]
    await end(connection, device)

    await device.power_on()
    connection = await central.connect(device)
    assert await read(connection) == att.ErrorCode.INSUFFICIENT_ENCRYPTION, "it has a key"
    await connection.encrypt()
    assert await read(connection) == keyed.CONTENT
    assert device.security.resumed == 1
    await end(connection, device)


@pytest.mark.parametrize("legacy", [False, True])
async def test_a_device_without_bonding_keeps_no_key(make: Make, central: Central, legacy: bool) -> None:
    device = await make(Rules(keeps_key=False, legacy=legacy))
    connection = await central.pair(device)
    await until(lambda: device.security.pairings == 1)
    assert await read(connection) == keyed.CONTENT
    assert device.state()["keys"] == []
    await end(connection, device)
    connection = await central.connect(device)
    assert await read(connection) == att.ErrorCode.INSUFFICIENT_AUTHENTICATION, "it has no key"
    await end(connection, device)


async def test_a_write_without_response_needs_a_secure_link_too(make: Make, central: Central) -> None:
    device = await make(Rules())
    connection = await central.connect(device)
    await write_without_response(connection, b"\x01")
    await central.pair_over(connection)
    await write_without_response(connection, b"\x02")
    assert [write["value"] for write in device.writes] == ["02"]
    await end(connection, device)


async def test_just_works_does_not_suffice_where_a_passkey_is_demanded(make: Make, central: Central) -> None:
    device = await make(Rules(passkey=PASSKEY))
    connection = await central.pair(device, None)
    await until(lambda: device.security.pairings == 1)
    assert await read(connection) == att.ErrorCode.INSUFFICIENT_AUTHENTICATION
    await end(connection, device)


@pytest.mark.parametrize(
    ("rules", "faults", "passkey"),
    [
        (None, {}, None),
        (Rules(), {"refuses_pairing": True}, None),
        (Rules(most_keys=0), {}, None),
        (Rules(passkey=PASSKEY), {}, PASSKEY + 1),
        (Rules(passkey=PASSKEY, legacy=True), {}, PASSKEY + 1),
        (Rules(passkey=PASSKEY, insists=True), {}, None),
    ],
    ids=str,
)
async def test_a_device_refuses_and_can_pair_again(
    make: Make, central: Central, rules: Rules | None, faults: dict[str, Any], passkey: int | None
) -> None:
    device = await make(rules, **faults)
    with pytest.raises(core.ProtocolError):
        await central.pair(device, passkey)
    await until(lambda: bool(happened(device, "pairing_failed")))
    (connection,) = central.host.connections.values()
    assert happened(device, "paired") == []
    assert device.state()["keys"] == []
    await end(connection, device)

    device.security.rules = Rules(passkey=PASSKEY, insists=True)
    device.faults = device.FAULTS()
    connection = await central.pair(device, PASSKEY)
    await until(lambda: device.security.pairings == 1)
    await end(connection, device)


async def test_a_device_that_does_not_answer_still_has_its_link(make: Make, central: Central) -> None:
    device = await make(Rules(), silent_at_pairing=1)
    connection = await central.connect(device)
    pairing = asyncio.ensure_future(connection.pair())
    await until(lambda: bool(happened(device, "pairing")))
    await asyncio.sleep(0.5)
    assert not pairing.done()
    assert await read(connection) == att.ErrorCode.INSUFFICIENT_AUTHENTICATION
    pairing.cancel()
    await end(connection, device)


@pytest.mark.parametrize("number", [1, 2, 3, 4])
async def test_a_device_ends_the_link_at_any_message(make: Make, central: Central, number: int) -> None:
    device = await make(Rules(), drop_at_pairing=number)
    with pytest.raises((asyncio.CancelledError, core.BaseBumbleError)):
        await central.pair(device)
    await until(lambda: not device.host.connections)
    assert [one["number"] for one in happened(device, "pairing")] == list(range(1, number + 1))
    assert device.state()["keys"] == []


async def test_a_private_address_resolves_by_the_key_that_it_gives(make: Make, central: Central) -> None:
    device = await make(Rules(private=True))
    first = device.shown
    assert first.is_resolvable
    connection = await central.pair(device)
    await until(lambda: device.security.pairings == 1)
    assert connection.peer_address == device.address, "its identity"
    await end(connection, device)
    await device.move()
    assert device.shown != first
    assert central.host.address_resolver is not None
    assert central.host.address_resolver.resolve(device.shown) == device.address


async def test_a_device_that_lost_its_keys_says_so(make: Make, central: Central) -> None:
    device = await make(Rules())
    connection = await central.pair(device)
    await until(lambda: device.security.pairings == 1)
    await end(connection, device)
    device.security.forget()
    connection = await central.connect(device)
    with pytest.raises(hci.HCI_Error) as failure:
        await connection.encrypt()
    assert failure.value.error_code == hci.HCI_ErrorCode.PIN_OR_KEY_MISSING_ERROR
    await end(connection, device)


async def test_a_family_has_its_own_values_protected_and_no_others(make: Make, central: Central) -> None:
    device = await make(Rules(passkey=PASSKEY), "wall-socket")
    connection = await central.connect(device)
    assert await read(connection, gatt.GATT_DEVICE_NAME_CHARACTERISTIC) == b"Socket"
    await end(connection, device)
