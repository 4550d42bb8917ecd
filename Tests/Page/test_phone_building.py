"""A building of 40 rooms that one phone commissions over a gateway, without a keyboard: record, page and flash agree.

The building is served in another process on a bus of its own, and a program called `ssh` is the network to it. One room has the
label of another one, one a device that is not on air, one answer is lost on its way, and once each the phone and the gateway
have no network.
"""

import asyncio
import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from typing import Any

import pytest
from chromium import Chromium
from dbus_fast import BusType, Message, MessageType
from dbus_fast.aio import MessageBus
from test_page import FOLDER
from test_phone import go_back, offline, open_room, settle, tap, text, wait_text
from test_phone_walk import Walk, begin, open_address
from test_serve import PROGRAM, WHEN

ROOMS = 40
# The room whose device is not on air, the one with the label of the room before, those where the phone and the gateway lose the
# network, and the one where an answer is lost.
DEAD, WRONG, OFFLINE, CUT, LOST = 13, 7, 10, 20, 30
# The company and the beginning of an iBeacon; its minor is in the bytes 20 and 21.
APPLE, IBEACON = 0x004C, b"\x02\x15"


def room(number: int) -> str:
    return f"Room {100 + number}"


def address(number: int) -> str:
    """The address of a room's device: `roboprov-bench serve` counts them from 0, and has none with the last number."""
    device = ROOMS if number == DEAD else number - 1
    return f"C4:7C:8D:00:00:{device:02X}"


def digits(number: int) -> str:
    return address(number).replace(":", "")[-4:]


BUILDING = """building: Harbour House
id: harbour
hosts: { floor-1: { ssh: gw1 } }
match: later
rooms:
""" + "".join(f'  - {{ room: {room(number)}, minor: {100 + number}, floor: "1" }}\n' for number in range(1, ROOMS + 1))


class Gateway:
    """The host with the adapter, and the network to it."""

    def __init__(self, folder: pathlib.Path) -> None:
        bench = PROGRAM.resolve().with_name("roboprov-bench")
        self.process = subprocess.Popen(
            [bench, "serve", "--sensors", str(ROOMS), "--speed", "10"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout
        self.bus = self.process.stdout.readline().strip()
        self.bridges = folder / "bridges"
        self.bridges.touch()
        self.programs, there = folder / "bin", folder / "there"
        # After the options come the host and the command.
        self.write(
            self.programs / "ssh",
            'while [ "$1" != -- ]; do shift; done',
            '[ "$2" = gw1 ] || exit 255',
            f'PATH="{there}:$PATH" exec sh -c "$3"',
        )
        self.write(
            there / "systemd-stdio-bridge",
            f"echo $$ >>'{self.bridges}'",
            f"exec /usr/bin/systemd-stdio-bridge --bus-path='{self.bus}'",
        )

    @staticmethod
    def write(path: pathlib.Path, *lines: str) -> None:
        path.parent.mkdir(exist_ok=True)
        path.write_text("\n".join(["#!/bin/sh", *lines, ""]))
        path.chmod(0o755)

    @property
    def environment(self) -> dict[str, str]:
        """In which the program reaches the building by the gateway only."""
        path = f"{self.programs}:{os.environ['PATH']}"
        return {"PATH": path, "DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={self.programs}/no-bus"}

    def cut(self) -> int:
        """Ends its connections, and gives how many there were."""
        count = 0
        for bridge in self.bridges.read_text().split():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(bridge), signal.SIGKILL)
                count += 1
        self.bridges.write_text("")
        return count

    def beacons(self) -> dict[str, int]:
        """The minors that devices advertise, by address. A device advertises what its flash has once that is saved."""
        return asyncio.run(self.receive())

    async def receive(self) -> dict[str, int]:
        bus = await MessageBus(bus_type=BusType.SYSTEM, bus_address=self.bus).connect()
        minors: dict[str, int] = {}

        async def call(path: str, interface: str, member: str) -> Message:
            reply = await bus.call(Message(destination="org.bluez", path=path, interface=interface, member=member))
            assert reply.message_type == MessageType.METHOD_RETURN, reply.body
            return reply

        await call("/org/bluez/hci0", "org.bluez.Adapter1", "StartDiscovery")
        # A device that was saved is on air within seconds; one that never was does not appear.
        for _ in range(20):
            await asyncio.sleep(0.2)
            objects = (await call("/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")).body[0]
            for interfaces in objects.values():
                device: dict[str, Any] = interfaces.get("org.bluez.Device1", {})
                data = device["ManufacturerData"].value if "ManufacturerData" in device else {}
                if APPLE in data and data[APPLE].value.startswith(IBEACON):
                    minors[device["Address"].value] = int.from_bytes(data[APPLE].value[20:22], "big")
            if len(minors) == ROOMS - 1:
                break
        bus.disconnect()
        return minors

    def end(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait(60)


@pytest.fixture
def gateway(tmp_path: pathlib.Path) -> Iterator[Gateway]:
    gateway = Gateway(tmp_path)
    yield gateway
    gateway.end()


@pytest.fixture
def walk(tmp_path: pathlib.Path, gateway: Gateway) -> Iterator[Walk]:
    options = ["--scan-time", "2", "--adapter-wait", "600"]
    walk = Walk(tmp_path, BUILDING, None, options, gateway.environment)
    yield walk
    if walk.process.poll() is None:
        walk.process.send_signal(signal.SIGINT)
        walk.process.wait(60)


# MARK: What the person does and sees


STATES = """Object.fromEntries([...document.querySelectorAll('#rooms li')].map(row =>
  [row.querySelector('span').textContent, row.querySelector('button').className]))"""


def find(browser: Chromium, last: str) -> None:
    """Gives the last characters of a label. The device may be received a while later, so they are given again."""
    for key in last:
        tap(browser, f"={key}")
    while True:
        browser.run(WHEN % "document.querySelector('#candidates li') || document.querySelector('#answer').textContent")
        settle(browser)
        if browser.run("!!document.querySelector('#candidates button')"):
            return
        assert "No free device on air" in text(browser, "#answer"), text(browser, "#answer")
        tap(browser, "#delete")
        tap(browser, f"={last[-1]}")


def find_nothing(browser: Chromium, last: str) -> None:
    """Gives the last characters of a label whose device is not on air."""
    for key in last:
        tap(browser, f"={key}")
    wait_text(browser, "#answer", "check that it has power")


def enter_label(browser: Chromium, number: int) -> None:
    """Gives the whole label by the keys of the page."""
    while text(browser, "#typed") != "last 4":
        tap(browser, "#delete")
    for key in address(number).replace(":", ""):
        tap(browser, f"={key}")


def lose_answer(browser: Chromium) -> dict[str, Any]:
    """Takes the device that is offered. The program does so, but its answer does not arrive."""
    browser.call("Fetch.enable", patterns=[{"urlPattern": "*/do", "requestStage": "Response"}])
    browser.events.clear()
    tap(browser, "#candidates button")
    answers = [event for event in browser.events if event["method"] == "Fetch.requestPaused"]
    answer = answers[0] if answers else browser.wait(lambda m: m.get("method") == "Fetch.requestPaused", "the answer")
    sent: dict[str, Any] = json.loads(answer["params"]["request"]["postData"])
    assert answer["params"]["responseStatusCode"] == 200
    browser.call("Fetch.failRequest", requestId=answer["params"]["requestId"], errorReason="ConnectionReset")
    browser.call("Fetch.disable")
    wait_text(browser, "#waits", "No reception: one action waits")
    return sent


def sent(browser: Chromium) -> list[dict[str, Any]]:
    """The actions that were sent since the events were cleared."""
    requests = [event["params"]["request"] for event in browser.events if event["method"] == "Network.requestWillBeSent"]
    return [json.loads(request["postData"]) for request in requests if request["url"].endswith("/do")]


def do_room(browser: Chromium, gateway: Gateway, number: int) -> None:
    """Gives the device of the room that is shown."""
    match number:
        case n if n == DEAD:
            find_nothing(browser, digits(number))
            enter_label(browser, number)
            wait_text(browser, "#big", "")
            settle(browser)
            return
        case n if n == WRONG:
            enter_label(browser, WRONG - 1)
            wait_text(browser, "#answer", f"Wrong label: {address(WRONG - 1)} is already the device of {room(WRONG - 1)}")
            browser.picture(FOLDER / "phone-wrong-label-360.png")
        case n if n == CUT:
            assert gateway.cut() > 0
    if number == WRONG:
        while text(browser, "#typed") != "last 4":
            tap(browser, "#delete")
    find(browser, digits(number))
    assert address(number) in text(browser, "#candidates")
    if number == OFFLINE:
        offline(browser, True)
        tap(browser, "#candidates button")
        wait_text(browser, "#waits", "No reception: one action waits")
        assert browser.run(STATES)[room(number)] == "left"
        browser.events.clear()
        offline(browser, False)
        settle(browser)
        [action] = {json.dumps(each): each for each in sent(browser)}.values()
        assert (action["do"], action["device"]) == ("bind", address(number))
    elif number == LOST:
        first = lose_answer(browser)
        settle(browser)
        # The same again, with its number.
        assert sent(browser).count(first) > 1
    else:
        tap(browser, "#candidates button")
        settle(browser)
    if number in [OFFLINE, LOST]:
        # Done once: the same again would be refused.
        assert re.fullmatch(f"({room(number)}: taken.*)?", text(browser, "#answer"))


def commission(browser: Chromium, gateway: Gateway) -> None:
    """Does all rooms, and again those that failed while the gateway was away."""
    for number in range(1, ROOMS + 1):
        open_room(browser, number, room(number))
        do_room(browser, gateway, number)
        go_back(browser)
    waits = "!document.querySelector('#rooms .left, #rooms .waiting, #rooms .working')"
    while True:
        browser.run(WHEN % waits)
        failed = [number for number in range(1, ROOMS + 1) if browser.run(STATES)[room(number)] == "failed"]
        if failed == [DEAD]:
            return
        for number in failed:
            if number == DEAD:
                continue
            open_room(browser, number, room(number))
            tap(browser, "=Again")
            settle(browser)
            go_back(browser)


def shown_devices(browser: Chromium) -> dict[str, str]:
    """The device of each room as its screen shows it."""
    devices = {}
    for number in range(1, ROOMS + 1):
        open_room(browser, number, room(number))
        [line] = [line for line in text(browser, "#words").split("\n") if line.startswith("Its device: ")]
        devices[room(number)] = line.removeprefix("Its device: ")
        go_back(browser)
    return devices


def test_one_phone_commissions_40_rooms_over_a_gateway(gateway: Gateway, walk: Walk) -> None:
    numbers = range(1, ROOMS + 1)
    with Chromium() as browser:
        open_address(browser, walk)
        begin(browser, "Anna")
        assert set(browser.run(STATES).values()) == {"left"}
        began = time.monotonic()
        commission(browser, gateway)
        print(f"{ROOMS} rooms in {time.monotonic() - began:.0f} s")
        browser.picture(FOLDER / "phone-building-360.png", whole=True)
        assert text(browser, "#tally") == f"{ROOMS - 1} of {ROOMS} rooms done"
        states, devices = browser.run(STATES), shown_devices(browser)
        open_room(browser, DEAD, room(DEAD))
        assert text(browser, "#big") == f"{room(DEAD)} failed"
        tap(browser, "=Skip")
        settle(browser)
    walk.process.send_signal(signal.SIGINT)
    assert walk.process.wait(60) == 100
    assert walk.process.stdout
    ending = walk.process.stdout.read()
    assert f"{ROOMS - 1} of {ROOMS} rooms done in this walk" in ending, ending
    assert f"Left: {room(DEAD)}\n" in ending, ending

    # The page, the record and what the devices have in their flash say the same.
    assert devices == {room(number): address(number) for number in numbers}
    assert states == {room(number): "failed" if number == DEAD else "done" for number in numbers}
    status = subprocess.run(
        [PROGRAM.resolve(), "status", "building.yaml", "--output", "json"], cwd=walk.folder, capture_output=True, check=False
    )
    building = json.loads(status.stdout)
    rooms = {each["room"]: each for each in building["rooms"]}
    assert {name for name, each in rooms.items() if each["state"] == "done"} == {
        name for name, state in states.items() if state == "done"
    }
    for number in numbers:
        if number != DEAD:
            assert rooms[room(number)]["devices"] == [address(number)]
            assert rooms[room(number)]["evidence"]["identity"].endswith(f", minor {100 + number}")
    assert gateway.beacons() == {address(number): 100 + number for number in numbers if number != DEAD}
    # All of it was done by the person with the phone.
    assert {run["operator"] for run in building["runs"]} == {"Anna"}
