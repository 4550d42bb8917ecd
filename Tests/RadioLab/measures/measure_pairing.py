"""Measurements of the time that pairing adds on the real stack, by method; by version with `GUEST=13`."""

import json
import statistics
import time
from collections.abc import Callable
from typing import Any

import pytest
from lab.lab import Lab, sensor_address
from scenarios.building import Building, EspRoom, PairedEspRoom, Room, SocketRoom
from scenarios.families import ADAPTER, at
from scenarios.scenario import LOSSLESS, ONE_ADAPTER, Scenario
from scenarios.steps import FOUND, add, start

pytestmark = pytest.mark.measure

PASSKEY = 12345
METHODS: dict[str, dict[str, Any] | None] = {
    "no pairing": None,
    "Just Works": {},
    "Just Works, legacy": {"legacy": True},
    "passkey": {"passkey": PASSKEY},
    "passkey, legacy": {"passkey": PASSKEY, "legacy": True},
}
DEVICES = 8  # of each method


def _summary(values: list[float]) -> str:
    return f"{statistics.median(values):.2f} ({max(values):.2f})"


@pytest.mark.setting(places=ONE_ADAPTER, rooms=0, propagation=LOSSLESS)
def measure_pairing(lab: Lab) -> None:
    """The time from `Pair`, or `Connect` without pairing, until the services are resolved, and the same from `Connect` with the
    key of that pairing; median (slowest) in s."""
    print(f"bluetoothd {lab.guest.bluez}")
    for place, (method, rules) in enumerate(METHODS.items()):
        first, again = [], []
        for number in range(DEVICES):
            address = sensor_address(100 * (place + 1) + number)
            add(lab, address, family="keyed", **({} if rules is None else {"pairing": rules}))
            passkey = (rules or {}).get("passkey")
            agent = "agent=NoInputNoOutput:no" if passkey is None else f"agent=KeyboardOnly:{passkey}"
            way = "connect=30" if rules is None else "pair=60"
            done = start(
                lab, address, agent, *FOUND, way, "resolved=30", "disconnect", "gone=20",
                "connect=30", "resolved=30", "disconnect", "forget",
            ).wait(180).must()  # fmt: skip
            log = [json.loads(line) for line in done.out.splitlines()]
            assert [line for line in log if "failure" in line] == []
            timed = ("pair", "connect", "resolved")
            took = [line["took"] for line in log if line.get("step", "").partition("=")[0] in timed]
            first.append(sum(took[:2]))
            again.append(sum(took[2:]))
            lab.radio.do("power", address=address, on=False)
        print(f"{method:20} {_summary(first):14} again {_summary(again)}", flush=True)


MOMENTS = [0.02 * number for number in range(16)]  # after the call, in s
ENDS: dict[str, tuple[str, str]] = {
    "Pair, client killed": ("begin-pair", ""),
    "Pair, Disconnect": ("begin-pair", "disconnect"),
    "Connect, client killed": ("begin-connect", ""),
    "Connect, Disconnect": ("begin-connect", "disconnect"),
}


@pytest.mark.setting(places=ONE_ADAPTER, rooms=0, propagation=LOSSLESS)
def measure_abandoned_attempts(lab: Lab) -> None:
    """How often an adapter makes no connection any more after an attempt was given up early, and what helps."""
    print(f"bluetoothd {lab.guest.bluez}")
    other = sensor_address(99)
    agent = "agent=NoInputNoOutput:no"
    for place, (what, (begin, end)) in enumerate(ENDS.items()):
        stuck = []
        for number, moment in enumerate(MOMENTS):
            address = sensor_address(100 * (place + 1) + number)
            add(lab, address, family="keyed", pairing={})
            add(lab, other, family="keyed", pairing={})
            running = start(lab, address, agent, *FOUND, begin, f"wait={moment:.2f}", *([end] if end else ["wait=60"]))
            while end == "" and (line := running.line(60)) is not None and f'"{begin}"' not in line:
                pass
            if not end:
                time.sleep(moment)
                running.signal("KILL")
            running.wait(60)
            before = start(lab, other, agent, *FOUND, "pair=20", "disconnect", "forget").wait(120).must().out
            if '"failure"' in before:
                later = start(lab, other, agent, *FOUND, "pair=20", "disconnect", "forget").wait(120).must().out
                lab.power(0, False)
                lab.power(0, True)
                cured = start(lab, other, agent, *FOUND, "pair=20", "disconnect", "forget").wait(120).must().out
                stuck.append((round(moment, 2), '"failure"' in later, '"failure"' not in cured))
            start(lab, address, "forget").wait(60)
            for gone in (address, other):
                lab.radio.do("power", address=gone, on=False)
        print(f"{what}: {len(stuck)} of {len(MOMENTS)} stuck; (moment, still after 20 s, cured by power): {stuck}", flush=True)


KINDS: dict[str, Callable[[int], Room]] = {
    "ESP-IDF, no pairing": lambda number: at(EspRoom, number),
    "ESP-IDF, Just Works": lambda number: at(PairedEspRoom, number),
    "ESP-IDF, Just Works, legacy": lambda number: at(PairedEspRoom, number, rules={"legacy": True}),
    "socket, passkey": lambda number: at(SocketRoom, number),
    "socket, passkey, legacy": lambda number: at(SocketRoom, number, rules={"legacy": True}),
}
ROOMS = 5  # of each kind


def add_kinds(building: Building) -> None:
    building.rooms = [kind(ROOMS * place + number) for place, kind in enumerate(KINDS.values()) for number in range(ROOMS)]


@pytest.mark.setting(places=ADAPTER, propagation=LOSSLESS, prepare=add_kinds)
def measure_paired_rooms(scenario: Scenario) -> None:
    """The time of roboprov's stage `connect`, which pairs, and of a whole attempt, one room after the other; median (slowest)
    in s."""
    print(f"bluetoothd {scenario.lab.guest.bluez}")
    done = scenario.apply("--parallel", "1", timeout=1800)
    assert done.code == 0, done.err
    events = scenario.events()
    rooms = {room["room"]: room["name"] for room in events[0]["data"]["rooms"]}
    connects: dict[str, list[float]] = {}
    attempts: dict[str, list[float]] = {}
    for event in events:
        data = event["data"]
        if "failure" in data:
            continue
        if event["kind"] == "stage_ended" and data["stage"] == "connect":
            connects.setdefault(rooms[data["room"]], []).append(data["seconds"])
        elif event["kind"] == "attempt_ended":
            attempts.setdefault(rooms[data["room"]], []).append(data["seconds"])
    for place, kind in enumerate(KINDS):
        names = [room.name for room in scenario.building.rooms[ROOMS * place :][:ROOMS]]
        connect, attempt = ([time for name in names for time in times[name]] for times in (connects, attempts))
        print(f"{kind:28} connect {_summary(connect):14} attempt {_summary(attempt)}", flush=True)
