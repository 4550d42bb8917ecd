"""The lab's devices that only get a network behave as their specifications say, also where no client of ours goes. These tests
need no guest: another implementation of Espressif's tool, and commands written by hand."""

import argparse
import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Callable
from typing import Any
from unittest import mock

import esp_client
import pytest
import pytest_asyncio
from bumble import att
from bumble.core import UUID
from lab.lab import sensor_address
from lab.radio import esp_idf, improv, shelly
from lab.radio.air import Air, Propagation
from lab.radio.esp_idf import EspIdf
from lab.radio.esp_session import PROOF, USER
from lab.radio.families import FAMILIES
from lab.radio.improv import Improv
from lab.radio.peripheral import Peripheral
from lab.radio.shelly import Shelly

pytestmark = pytest.mark.asyncio

Make = Callable[..., Any]


@pytest_asyncio.fixture
async def make(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Make]:
    """Makes a device of a family with these faults, switched on. Its waits are short."""
    for name in ("_UNTIL_JOIN", "_JOIN", "_SCAN", "_UNTIL_LEFT"):
        monkeypatch.setattr(esp_idf, name, 0.02)
    for name in ("_JOIN", "_GIVES_UP", "_SCANS", "_STOPS", "_STOPPED"):
        monkeypatch.setattr(improv, name, 0.02)
    for name in ("_ANSWERS", "_SCANS", "_ASSOCIATES", "_GETS_ADDRESS", "_LINGERS"):
        monkeypatch.setattr(shelly, name, 0.01)
    made: list[Peripheral] = []

    async def switch_on(family: str, networks: list[tuple[str, int]] | None = None, **faults: Any) -> Peripheral:
        device = FAMILIES[family](Air(Propagation(), seed=1), sensor_address(0), (0, 0), lambda *_, **__: None)
        device.faults = device.FAULTS().revised(faults)
        if networks is not None:
            device.networks = networks  # type: ignore[attr-defined]
        made.append(device)
        await device.power_on()
        return device

    yield switch_on
    for device in made:
        for task in device.tasks:
            task.cancel()
        await device.power_off()


async def until(is_met: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not is_met():
            await asyncio.sleep(0.01)


class Link:
    """As much of bleak's client as the tool needs, without a radio."""

    def __init__(self, device: Peripheral) -> None:
        self.device = device
        self.ended = False

    def attribute(self, uuid: str) -> Any:
        return next(one for one in self.device.host.gatt_server.attributes if one.type == UUID(uuid))

    async def write_gatt_char(self, uuid: str, value: bytes, response: bool = True) -> None:
        async def end() -> None:
            self.ended = True

        connection = mock.Mock(peer_address="00:1A:7D:DA:71:00/P", disconnect=end)
        await self.attribute(uuid).write_value(connection, value)

    async def read_gatt_char(self, uuid: str) -> bytes:
        value: bytes = await self.attribute(uuid).read_value(mock.Mock())
        return value


# --- ESP-IDF ---


def endpoints() -> dict[str, str]:
    return {name: f"021A{number:04X}-0382-4AEA-BFF4-6B3F1C5ADFB4" for name, number in esp_idf.ENDPOINTS.items()}


def client(device: EspIdf) -> esp_client.Device:
    return esp_client.Device(Link(device), endpoints())  # type: ignore[arg-type]


def order(**more: Any) -> argparse.Namespace:
    usual = {
        "security": None, "pop": PROOF.decode(), "user": USER.decode(), "custom_data": "", "ssid": "Office",
        "passphrase": "correct horse", "reset": False, "poll": 0.03,
    }  # fmt: skip
    return argparse.Namespace(**(usual | more))


async def ask(device: EspIdf, endpoint: str, request: str) -> str:
    """The answer to a message without security; how it was refused, if it was."""
    link = Link(device)
    try:
        await link.write_gatt_char(endpoints()[endpoint], bytes.fromhex(request))
    except att.ATT_Error as error:
        return f"refused {error.error_code}"
    except asyncio.CancelledError:
        assert link.ended
        return "link ended"
    return (await link.read_gatt_char(endpoints()[endpoint])).hex()


@pytest.mark.parametrize(
    ("faults", "security", "pop"),
    [
        ({"security": 0}, None, ""),
        ({"security": 1}, None, PROOF.decode()),
        ({"security": 1, "no_proof": True}, None, "not asked for"),
        ({"security": 1, "bluedroid": True}, 1, PROOF.decode()),
        ({}, 2, PROOF.decode()),
        ({"same_nonce": True}, 2, PROOF.decode()),
        ({"fails_attempts": 3}, 2, PROOF.decode()),
    ],
    ids=str,
)
async def test_espressifs_tool_provisions_each(make: Make, faults: dict[str, Any], security: int | None, pop: str) -> None:
    networks = [(f"N{number}", -90 + number) for number in range(60)]
    device = await make("esp-idf", networks=networks, hidden=2, **faults)
    with mock.patch.object(esp_client, "say") as say:
        await esp_client.provision(client(device), order(security=security, pop=pop, custom_data="floor plan"))
    said = {call.args[0]: call.kwargs for call in say.call_args_list}
    assert said["custom_data"] == {"answer": "SUCCESS"}
    assert said["networks"]["ssids"] == [f"N{number}" for number in range(57, 41, -1)], "16, without the two that hide"
    assert (said["configured"], said["applied"]) == ({"number": 3, "status": 0}, {"number": 5, "status": 0})
    assert said["state"] == {"value": "connected", "address": "192.168.4.20", "ssid": "Office"}
    kept = {"ssid": "Office", "password": "correct horse", "custom-data": "floor plan"}
    assert kept.items() <= device.held().items()
    await until(lambda: device.phase == "over")


@pytest.mark.parametrize("security", [1, 2])
@pytest.mark.parametrize("bluedroid", [False, True])
async def test_another_proof_of_possession_is_refused(make: Make, security: int, bluedroid: bool) -> None:
    device = await make("esp-idf", security=security, bluedroid=bluedroid)
    with pytest.raises(asyncio.CancelledError if bluedroid else att.ATT_Error):
        await esp_client.provision(client(device), order(security=security, pop="another"))
    assert device.held()["phase"] == "ready"


async def test_a_join_that_failed_is_reported_until_the_next_and_can_be_reset(make: Make) -> None:
    device = await make("esp-idf", wrong_password=True)
    with mock.patch.object(esp_client, "say") as say, pytest.raises(esp_client.Refused, match="could not join"):
        await esp_client.provision(client(device), order(security=2))
    assert [call.kwargs for call in say.call_args_list[-4:]] == [{"value": "failed", "reason": 0}] * 4
    device.faults.wrong_password = False
    with mock.patch.object(esp_client, "say") as say:
        await esp_client.provision(client(device), order(security=2, reset=True))
        assert say.call_args == mock.call("reset", number=2, status=0)
        await esp_client.provision(client(device), order(security=2))
    assert device.held()["ssid"] == "Office"


PLANT = "080262070a05506c616e74"
CONNECTING = "08015a021001"


@pytest.mark.parametrize(
    ("endpoint", "request_", "answer"),
    [
        ("prov-config", "5200", CONNECTING),
        ("prov-config", "0800", CONNECTING),
        ("prov-config", "0804", "08057a020805"),
        ("prov-config", "0802", "refused 4"),
        ("prov-config", "08025200", "refused 4"),
        ("prov-config", PLANT, "08036a00"),
        ("prov-config", "080262421240" + "61" * 64, "08036a020804"),
        ("prov-config", "080262071a050000000000", "08036a020804"),
        ("prov-config", "0806", "refused 4"),
        ("prov-config", "ff", "refused 4"),
        ("prov-config", "", ""),
        ("prov-ctrl", "0801", "080210056200"),
        ("prov-ctrl", "0803", "080410057200"),
        ("prov-ctrl", "0800", "refused 4"),
        ("prov-scan", "0802", "08036a020801"),
        ("prov-scan", "5200", "08015a00"),
        ("prov-scan", "0800", "refused 4"),
        ("prov-scan", "0804", "refused 4"),
        ("prov-scan", "08047200", "08057a00"),
        ("prov-scan", "080472021001", "refused 4"),
        ("prov-session", "5203a20100", "52050801aa0100"),
        ("prov-session", "1000", "52050801aa0100"),
        ("prov-session", "10015a00", "refused 4"),
    ],
)
async def test_a_command_is_the_number_of_its_message(make: Make, endpoint: str, request_: str, answer: str) -> None:
    device = await make("esp-idf", security=0)
    # The answer of the handshake has no number of a version, which is 0.
    assert (await ask(device, endpoint, request_)) == answer


async def test_what_it_answers_depends_on_what_it_is(make: Make) -> None:
    thread = await make("esp-idf", security=0, thread_only=True)
    for endpoint, request, answer in (
        ("prov-config", PLANT, "08036a020804"), ("prov-config", "0804", "08057a020804"), ("prov-scan", "5200", "080110045a00"),
        ("prov-ctrl", "0801", "080210046200"),
    ):  # fmt: skip
        assert await ask(thread, endpoint, request) == answer
    version = (await client(thread).version("x"))["cap"]
    assert version == ["no_sec", "thread_prov", "thread_scan"]
    plain = await make("esp-idf", version="text")
    assert bytes.fromhex(await ask(plain, "proto-ver", "00")) == b"V0.1"
    odd = await make("esp-idf", version="odd")
    assert (await client(odd).version("x"))["sec_ver"] == 2
    cut = await make("esp-idf", security=0, cut="prov-config")
    assert await ask(cut, "prov-config", "5200") == CONNECTING[:-2]
    ended = await make("esp-idf", bluedroid=True)
    assert await ask(ended, "prov-config", "5200") == "link ended"
    assert await ask(ended, "prov-config", "") == "refused 13"


async def test_an_earlier_command_holds_it_up(make: Make) -> None:
    device = await make("esp-idf", security=0, busy=3600)
    assert await ask(device, "prov-config", PLANT) == "08036a00"
    assert await ask(device, "prov-config", "0804") == "08057a020805"
    assert await ask(device, "prov-config", "5200") == CONNECTING
    failed = await make("esp-idf", security=0, busy=0.01)
    await until(lambda: failed.phase == "failed")
    assert await ask(failed, "prov-config", "5200") == "08015a0410035000"
    joined = await make("esp-idf", security=0, busy=0.01, busy_joins=True)
    await until(lambda: joined.phase == "joined")
    assert b"192.168.4.20".hex() in await ask(joined, "prov-config", "5200")
    assert joined.held()["password"] == "as it was before"


async def test_it_has_another_address_and_lets_nobody_in_for_a_while(make: Make) -> None:
    device = await make("esp-idf", new_address=0.05)
    before = device.shown
    await until(lambda: device.moves >= 2)
    assert device.shown != before
    assert str(device.shown).startswith("7E:")

    def kind(device: EspIdf) -> int:
        return int(device.controller.le_legacy_advertiser.advertising_type)

    closed, opened = await make("esp-idf", not_connectable=3600), await make("esp-idf", not_connectable=0.01)
    await until(lambda: kind(opened) != kind(closed))
    shifted = await make("esp-idf", other_table=True)
    handles = [Link(one).attribute(endpoints()["proto-ver"]).handle for one in (device, shifted)]
    assert handles[0] != handles[1]


# --- Improv ---


def frame(command: int, data: bytes = b"") -> bytes:
    start = bytes([command, len(data)]) + data
    return start + bytes([sum(start) & 0xFF])


async def reports(device: Improv, *writes: bytes) -> list[str]:
    """What it notifies after these writes until nothing of them is left to do: the characteristic and the value."""
    seen: list[str] = []
    before = set(device.tasks)

    async def notify(name: str, value: bytes) -> None:
        seen.append(f"{name} {value.hex()}")

    with mock.patch.object(device, "_notify", notify):
        for value in writes:
            await Link(device).write_gatt_char("00467768-6228-2272-4663-277478268003", value)
            await asyncio.sleep(0)
        while device.tasks - before:
            await asyncio.wait(device.tasks - before)
    return seen


JOIN = frame(1, b"\x06Office\x05horse")
JOINED = ["state 03", "result " + frame(1, b"\x14http://192.168.7.31/\x12http://lamp.local/").hex(), "state 04"]


@pytest.mark.parametrize(
    ("faults", "command", "seen"),
    [
        ({}, JOIN, JOINED),
        ({"old_order": True}, JOIN, [JOINED[0], JOINED[2], JOINED[1]]),
        ({"no_result": True}, JOIN, [JOINED[0], JOINED[2]]),
        ({"no_state": True}, JOIN, JOINED[:2]),
        ({"cut_result": True}, JOIN, [JOINED[0], JOINED[1][:-2], JOINED[2]]),
        ({"cannot_join": True}, JOIN, ["state 03", "error 03", "state 02"]),
        ({"stale_error": True, "cannot_join": True}, JOIN, ["state 03", "state 02"]),
        ({"needs_button": True}, JOIN, ["error 04"]),
        ({"network_returns": True}, JOIN, ["state 04", "error 04"]),
        ({"drops_command": 1}, JOIN, []),
        ({"part_of_command": "01ff07"}, JOIN, []),
        ({}, frame(1, b"\x06Office\x05horse and more"), JOINED),
        ({}, frame(1, b"\x06Office\x06horse"), ["error 02"]),
        ({}, frame(1), ["error 02"]),
        ({}, JOIN[:-1] + b"\0", ["error 01"]),
        ({}, JOIN + b"\0", []),
        ({}, frame(9), ["error 02"]),
        ({"capabilities": -1}, frame(3), ["error 02"]),
        ({}, frame(3), ["result " + frame(3, b"\x03lab\x011\x04chip\x04lamp").hex()]),
        ({"six_strings": True}, frame(3), ["result " + frame(3, b"\x03lab\x011\x04chip\x04lamp\x07ESP-IDF\x035.4").hex()]),
        ({}, frame(5, b"a b"), ["error 05"]),
        ({}, frame(6, b"a b"), ["result " + frame(6, b"\x03a b").hex()]),
    ],
    ids=str,
)
async def test_an_improv_device_reports(make: Make, faults: dict[str, Any], command: bytes, seen: list[str]) -> None:
    device = await make("improv-wifi", **faults)
    assert await reports(device, command) == seen
    assert ("ssid" in device.held()) == (JOINED[1] in seen or "state 04" in seen[1:] or bool(faults.get("cut_result")))
    if len(command) == command[1] + 3:
        pieces = await make("improv-wifi", **faults)
        assert await reports(pieces, *(bytes([byte]) for byte in command)) == seen


async def test_an_improv_device_takes_an_error_away_and_reports_it_anew(make: Make) -> None:
    device = await make("improv-wifi")
    assert await reports(device, frame(9), frame(9), frame(2)) == ["error 02", "error 00", "error 02", "error 00"]
    assert device.held()["blinks"] == 1


async def test_an_improv_device_lists_what_fits(make: Make) -> None:
    networks = [(f"Network {number:02}", -40 - number) for number in range(60)]
    device = await make("improv-wifi", networks=networks)
    (result,) = await reports(device, frame(4))
    assert len(bytes.fromhex(result.removeprefix("result "))) <= 258
    one_by_one = await make("improv-wifi", networks=networks, scans_one_by_one=True)
    assert len(await reports(one_by_one, frame(4))) == 61


async def test_an_improv_device_that_is_busy_accepts_nothing(make: Make) -> None:
    device = await make("improv-wifi", busy=3600)
    assert await reports(device, JOIN) == ["error 04"]
    freed = await make("improv-wifi", busy=0.01)
    await until(lambda: not freed.tasks)
    assert await reports(freed, JOIN) == ["error 00", *JOINED]


async def test_an_improv_device_reports_oddly_while_it_joins(make: Make) -> None:
    device = await make("improv-wifi", odd_reports=True)
    seen = await reports(device, JOIN)
    assert seen[:1] + seen[-2:] == JOINED
    assert {"state 0400", "state ", "state 63", "error 0300", "error ", "result 01"} <= set(seen)


# --- Shelly ---


async def call(device: Shelly, request: dict[str, Any], mtu: int = 247) -> Any:
    """The answer to a request, in pieces of 20 bytes."""
    link, frame = Link(device), json.dumps(request).encode()
    await link.write_gatt_char(str(shelly.TX), len(frame).to_bytes(4, "big"))
    for start in range(0, len(frame), 20):
        await link.write_gatt_char(str(shelly.DATA), frame[start : start + 20])
    return await answer(device, mtu)


async def answer(device: Shelly, mtu: int = 247) -> Any:
    link, connection = Link(device), mock.Mock(att_mtu=mtu)
    await until(lambda: device.outgoing is not None)
    assert int.from_bytes(await link.read_gatt_char(str(shelly.RX)), "big") > 0
    received = b""
    while device.outgoing is not None:
        received += await link.attribute(str(shelly.DATA)).read_value(connection)
    return json.loads(received)


STATION = {"ssid": "Office", "pass": "correct horse", "enable": True}


async def test_a_shelly_keeps_what_it_gets_and_says_its_address(make: Make) -> None:
    device = await make("shelly")
    info = await call(device, {"id": 1, "method": "Shelly.GetDeviceInfo"})
    assert (info["id"], info["result"]["gen"], info["result"]["auth_en"]) == (1, 2, False)
    assert info["result"]["mac"] != str(device.address).replace(":", "").removesuffix("/P")
    assert (await call(device, {"id": 2, "method": "Cover.Open"}))["error"]["code"] == 404
    kept = await call(device, {"id": 3, "method": "WiFi.SetConfig", "params": {"config": {"sta": STATION}}})
    assert kept["result"] == {"restart_required": False}
    await until(lambda: device.wifi == "got ip")
    status = (await call(device, {"id": 4, "method": "WiFi.GetStatus"}, mtu=40))["result"]
    assert (status["status"], status["ssid"], status["sta_ip"]) == ("got ip", "Office", "10.0.0.9")
    server = {"config": {"enable": True, "server": "mqtt.lab:1883"}}
    assert (await call(device, {"id": 5, "method": "MQTT.SetConfig", "params": server}))["result"] == {"restart_required": True}
    assert (await call(device, {"id": 6, "method": "Shelly.Reboot"}))["result"] is None
    await until(lambda: device.boots == 2 and device.wifi == "got ip")
    assert (await call(device, {"id": 7, "method": "Sys.GetStatus"}))["result"]["restart_required"] is False


async def test_a_shelly_with_a_password_demands_its_proof_each_time_anew(make: Make) -> None:
    device = await make("shelly", password="the boss alone")
    request = {"id": 1, "method": "WiFi.GetStatus"}
    demand = json.loads((await call(device, request))["error"]["message"])

    def proof(password: str, count: int) -> dict[str, Any]:
        def hash_of(*parts: str) -> str:
            return hashlib.sha256(":".join(parts).encode()).hexdigest()

        first = hash_of("admin", demand["realm"], password)
        last = hash_of("dummy_method", "dummy_uri")
        response = hash_of(first, str(demand["nonce"]), str(count), "abc", "auth", last)
        return {"auth": {**demand, "username": "admin", "nc": count, "cnonce": "abc", "response": response}}

    assert "result" in await call(device, request | proof("the boss alone", 1))
    assert "result" in await call(device, request | proof("the boss alone", 2))
    assert (await call(device, request | proof("the boss alone", 2)))["error"]["code"] == 401
    assert (await call(device, request | proof("another", 3)))["error"]["code"] == 401


async def test_the_frames_of_a_shelly_are_bounded_and_its_answers_wait(make: Make) -> None:
    device = await make("shelly", left_over=True)
    link = Link(device)
    for attribute, value, code in (
        (shelly.DATA, b"{", 0x07), (shelly.TX, b"\0\0\x10\x01", 0x11), (shelly.TX, b"\0", 0x0D),
    ):  # fmt: skip
        with pytest.raises(att.ATT_Error) as refused:
            await link.write_gatt_char(str(attribute), value)
        assert refused.value.error_code == code
    device.outgoing = b'{"id":9}'
    assert await call(device, {"id": 10, "method": "WiFi.GetStatus"}) == {"id": 9}, "what waits is not replaced"
