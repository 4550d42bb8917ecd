"""roboprov pairs with ESP-IDF devices whose firmware demands an encrypted link, and with wall sockets that have a passkey on
their label."""

import os
import signal
import time
from collections.abc import Callable
from typing import Any

import pytest
from lab.lab import Lab, sensor_address
from lab.radio_client import Radio

from .building import Building, EspRoom, PairedEspRoom, Room, SocketRoom
from .families import ADAPTER, at
from .pairing import FAILED, SPARE, agent, check_no_agent, failure, keys, storage, until
from .scenario import LOSSLESS, SUCCESS, Scenario
from .steps import FOUND, add, steps

pytestmark = [pytest.mark.long, pytest.mark.setting(places=ADAPTER, propagation=LOSSLESS)]

PROVISIONED = set(SUCCESS)
OTHER_LABEL = {"passkey": 654321}


def bonds(scenario: Scenario, *kinds: str) -> list[tuple[str, str]]:
    """The devices and adapters of these events of the latest run."""
    return sorted((event["data"]["address"], event["data"]["adapter"]) for event in scenario.events(*kinds))


def check_bonds_removed(scenario: Scenario) -> None:
    """Each bond that the latest run intended has been removed by it."""
    assert set(bonds(scenario, "bond_intended")) <= set(bonds(scenario, "bond_removed"))


# --- Provisioned ---


def add_each_kind(building: Building) -> None:
    building.rooms = [
        at(PairedEspRoom, 1),
        at(PairedEspRoom, 2, rules={"keeps_key": False}),  # ESP-IDF's default
        at(PairedEspRoom, 3, rules={"legacy": True}, faults={"security": 1}),
        at(SocketRoom, 4),
        at(SocketRoom, 5, rules={"legacy": True}),
        at(SocketRoom, 0),  # The first digits of its passkey are zeros.
        at(SocketRoom, 6, rules={"keeps_key": False}),
        at(EspRoom, 7),  # needs no pairing
    ]


@pytest.mark.setting(prepare=add_each_kind)
def test_esp_devices_and_labelled_ones_are_paired_and_provisioned(scenario: Scenario, radio: Radio) -> None:
    done = scenario.apply()
    assert done.code == 0, done.err
    scenario.check_all_provisioned()
    paired = {room.address for room in scenario.building.rooms if type(room) is not EspRoom}
    assert {address for address, _ in bonds(scenario, "bond_intended")} == paired
    check_bonds_removed(scenario)
    scenario.check_clean()
    scenario.check_secrets()
    for room in scenario.building.rooms:
        state = radio.sensors()[room.address]
        print(f"{room.name}: {room.profile}, {state['pairings']} pairings, {state['connections']} connections")
        assert bool(state["pairings"]) == (room.address in paired)
    assert check_no_agent(scenario.lab)

    # The devices still have their keys, and the host has none.
    before = radio.sensors()
    again = scenario.apply()
    assert again.code == 0, again.err
    scenario.check_all_done()
    for address, state in radio.sensors().items():
        assert address == SPARE or state["writes"] == before[address]["writes"], address
    check_bonds_removed(scenario)
    scenario.check_clean()


def add_twenty(building: Building) -> None:
    kinds: list[Callable[[Room], Room]] = [
        lambda room: PairedEspRoom(room.number, room.address, room.place),
        lambda room: SocketRoom(room.number, room.address, room.place),
    ]
    building.rooms = [kinds[room.number % 2](room) for room in building.rooms]


@pytest.mark.setting(rooms=20, places=((10, 4), (0, 0), (21, 9)), prepare=add_twenty)
def test_twenty_devices_pair_on_three_adapters(scenario: Scenario, radio: Radio) -> None:
    began = time.monotonic()
    done = scenario.apply()
    assert done.code == 0, done.err
    report = scenario.check_all_provisioned()
    by_adapter = [room["adapter_name"] for room in report.values()]
    print(f"{time.monotonic() - began:.0f} s; { ({name: by_adapter.count(name) for name in sorted(set(by_adapter))}) }")
    print("charged:", *scenario.charges(), sep="\n  ")
    assert sum(state["pairings"] for state in radio.sensors().values()) >= 20
    check_bonds_removed(scenario)
    scenario.check_clean()
    scenario.check_secrets()


def add_private(building: Building) -> None:
    building.rooms = [at(PairedEspRoom, 1, named="PROV_A1B2C3", rules={"private": True})]


@pytest.mark.setting(prepare=add_private)
def test_a_device_whose_address_resolves_only_after_pairing(scenario: Scenario, radio: Radio) -> None:
    (room,) = scenario.building.rooms
    done = scenario.apply()
    claimed, state = scenario.report()[room.name], radio.sensors()[room.address]
    print(f"{claimed['outcome']} ({claimed['reason_code']}): {claimed['address']}, shown {state['shown']}, is {room.address}")
    assert done.code == 0, done.err
    assert room.is_done(state)
    check_bonds_removed(scenario)
    scenario.check_clean()


# --- Faults ---

Kind = Callable[..., Room]
FAULTS: list[tuple[Kind, dict[str, Any], set[str], set[str] | None]] = [
    # room, its device, outcomes, reasons
    (PairedEspRoom, {"faults": {"refuses_pairing": True}}, {"action_required"}, {"pairing_refused"}),
    (PairedEspRoom, {"rules": {"most_keys": 0}}, {"action_required"}, {"pairing_refused"}),
    (EspRoom, {"more": {"pairing": "just_works"}}, {"action_required"}, {"pairing_refused"}),
    (SocketRoom, {"faults": {"refuses_pairing": True}}, {"action_required"}, {"pairing_refused"}),
    (SocketRoom, {"rules": OTHER_LABEL}, {"action_required"}, {"passkey_refused"}),
    (SocketRoom, {"rules": OTHER_LABEL | {"legacy": True}}, {"action_required"}, {"passkey_refused"}),
    (SocketRoom, {"rules": {"passkey": None}}, {"action_required"}, {"passkey_unused"}),
    (PairedEspRoom, {"rules": OTHER_LABEL}, {"action_required", "failed"}, None),
    (PairedEspRoom, {"pairing": ""}, {"failed", "unreachable"}, {"pairing_required", "link_lost", "stage_timed_out"}),
    (PairedEspRoom, {"faults": {"silent_at_pairing": 1}}, {"failed"}, {"pairing_lost"}),
    (SocketRoom, {"faults": {"drop_at_pairing": 5}}, {"failed"}, {"pairing_lost"}),
    (PairedEspRoom, {"faults": {"drop_at_pairing": 2, "connections": 1}}, PROVISIONED, None),
    (SocketRoom, {"faults": {"silent_at_pairing": 4, "connections": 1}}, PROVISIONED, None),
    (SocketRoom, {}, PROVISIONED, None),
    (EspRoom, {}, PROVISIONED, None),
]


def add_faults(building: Building) -> None:
    building.rooms = [kind_of_room(kind, number, details) for number, (kind, details, _, _) in enumerate(FAULTS)]


def kind_of_room(kind: Kind, number: int, details: dict[str, Any]) -> Room:
    return kind(number, sensor_address(number), (10 + number % 3, 4 + number % 2), **details)


@pytest.mark.setting(prepare=add_faults)
def test_each_fault_of_a_pairing_has_its_reason(scenario: Scenario, radio: Radio) -> None:
    done = scenario.apply(timeout=1800)
    assert done.code == 100, done.err
    report = scenario.check_reports_are_true()
    sensors = radio.sensors()
    for room, (_, details, outcomes, reasons) in zip(scenario.building.rooms, FAULTS, strict=True):
        claimed = report[room.name]
        code, attempts = claimed["reason_code"], claimed["attempts"]
        print(f"{type(room).__name__} {details}: {claimed['outcome']} ({code}), attempts {attempts}")
        with scenario.subtests.test(room=room.name, device=str(details), reason=claimed["reason"], attempts=attempts):
            assert claimed["outcome"] in outcomes
            assert reasons is None or code in reasons
            if claimed["outcome"] == "action_required":
                assert attempts == 1, "no other attempt can succeed"
            if claimed["outcome"] not in SUCCESS:
                assert sensors[room.address]["writes"] == []
    check_bonds_removed(scenario)
    scenario.check_clean()
    scenario.check_secrets()


def add_a_pair(building: Building) -> None:
    building.rooms = [at(PairedEspRoom, 1), at(SocketRoom, 2)]


@pytest.mark.setting(prepare=add_a_pair)
def test_a_device_loses_power_while_it_pairs(scenario: Scenario, radio: Radio) -> None:
    for room in scenario.building.rooms:
        for on, after in ((False, 0.0), (True, 8.0)):
            power = {"do": "power", "address": room.address, "on": on}
            radio.do("when", event="pairing", match={"address": room.address, "number": 3}, then=power, after=after)
    done = scenario.apply()
    assert done.code == 0, done.err
    scenario.check_all_provisioned()
    assert {state["boots"] for state in radio.sensors().values()} == {2}
    check_bonds_removed(scenario)
    scenario.check_clean()


# --- Bonds and agents of others ---


def pair_as_another_program(lab: Lab, device: str, own_agent: str = "agent=NoInputNoOutput:no") -> set[str]:
    """The keys that bluetoothd has of it then."""
    log = steps(lab, device, own_agent, *FOUND, "pair=40", "disconnect", "gone=20")
    assert failure(log, "pair") == ""
    stored = keys(lab, device)
    assert stored
    return stored


def check_done_without_bond(scenario: Scenario, device: str) -> None:
    steps(scenario.lab, device, "forget")
    again = scenario.apply()
    assert again.code == 0, again.err
    scenario.check_all_done()
    scenario.check_clean()


@pytest.mark.setting(prepare=add_a_pair)
def test_a_bond_of_another_program_stays(scenario: Scenario, radio: Radio) -> None:
    """BlueZ shows nothing new of a device with a bond that advertises no data (trap 66), so it may be unreachable."""
    lab, (bonded, free) = scenario.lab, scenario.building.rooms
    stored = pair_as_another_program(lab, bonded.address)

    done = scenario.apply()
    report = scenario.check_reports_are_true()
    claimed = report[bonded.name]
    print(f"exit {done.code}, {claimed['outcome']} ({claimed['reason_code']}): {claimed['reason']} {claimed['advice']}")
    assert claimed["outcome"] in PROVISIONED | {"unreachable"}
    assert report[free.name]["outcome"] in PROVISIONED
    assert [address for address, _ in bonds(scenario, "bond_intended", "bond_removed") if address == bonded.address] == []
    assert keys(lab, bonded.address) == stored
    assert keys(lab, free.address) == set()
    assert radio.sensors()[bonded.address]["pairings"] == 1
    check_done_without_bond(scenario, bonded.address)


@pytest.mark.setting(prepare=add_a_pair)
def test_a_bond_of_another_program_does_not_replace_the_passkey(scenario: Scenario, radio: Radio) -> None:
    lab, (free, bonded) = scenario.lab, scenario.building.rooms
    assert isinstance(bonded, SocketRoom)
    own = f"agent=KeyboardOnly:{int(bonded.passkey)}"
    stored = pair_as_another_program(lab, bonded.address, own)

    done = scenario.apply()
    assert done.code == 100, done.err
    report = scenario.check_reports_are_true()
    claimed = report[bonded.name]
    print(f"{claimed['outcome']} ({claimed['reason_code']}): {claimed['reason']} {claimed['advice']}")
    assert claimed["reason_code"] in {"passkey_unused", "content_hidden"}
    assert "bluetoothctl remove" in claimed["advice"]
    assert radio.sensors()[bonded.address]["writes"] == []
    assert report[free.name]["outcome"] in PROVISIONED
    assert keys(lab, bonded.address) == stored


@pytest.mark.setting(prepare=add_a_pair)
def test_a_device_that_lost_the_bond_of_another_program(scenario: Scenario, radio: Radio) -> None:
    """roboprov does not delete a bond that it did not make, and does not blame the distance alone."""
    lab, (bonded, free) = scenario.lab, scenario.building.rooms
    stored = pair_as_another_program(lab, bonded.address)
    radio.do("lose_keys", address=bonded.address)
    done = scenario.apply()
    assert done.code == 100, done.err
    report = scenario.check_reports_are_true()
    claimed = report[bonded.name]
    print(f"{claimed['outcome']} ({claimed['reason_code']}): {claimed['reason']} {claimed['advice']}")
    assert claimed["reason_code"] in {"pairing_lost", "content_hidden"}
    assert "bluetoothctl remove" in claimed["advice"]
    assert report[free.name]["outcome"] in PROVISIONED
    assert keys(lab, bonded.address) == stored
    check_done_without_bond(scenario, bonded.address)


@pytest.mark.setting(prepare=add_a_pair)
def test_another_programs_default_agent_is_asked_nothing(scenario: Scenario) -> None:
    with agent(scenario.lab, "KeyboardDisplay", "yes") as default:
        done = scenario.apply()
        assert done.code == 0, done.err
        scenario.check_all_provisioned()
        assert default.questions == []
        # It is still the default one. Its passkey is wrong.
        add(scenario.lab, SPARE, family="keyed", pairing={"passkey": 777})
        log = steps(scenario.lab, SPARE, *FOUND, "pair=40", "disconnect", "forget")
        assert failure(log, "pair").startswith(FAILED)
        assert default.questions == [("RequestPasskey", SPARE)]
    scenario.check_clean()


# --- Killed ---

MOMENTS = ("on record", "pairing", "bonded", "configured")
KILLS = int(os.environ.get("RADIOLAB_KILLS", "12"))


def wait_for(moment: str, scenario: Scenario, radio: Radio, since: int) -> None:
    if moment == "on record":
        journals = scenario.lab.share / "reports/radio-lab"
        until(lambda: any('"bond_intended"' in path.read_text() for path in journals.glob("2*/journal.jsonl")), moment, 240)
    elif moment == "pairing":
        radio.wait_for("pairing", number=2, since=since, timeout=240)
    else:
        radio.wait_for("paired" if moment == "bonded" else "stored", since=since, timeout=240)


def add_three(building: Building) -> None:
    building.rooms = [at(SocketRoom, 1), at(PairedEspRoom, 2), at(SocketRoom, 3)]


@pytest.mark.setting(prepare=add_three)
def test_the_run_after_kill_9_leaves_no_bond_and_no_agent(scenario: Scenario, radio: Radio) -> None:
    """A guest takes longer to start than such a run, so all moments are in one guest."""
    lab = scenario.lab
    left = 0
    for number in range(KILLS):
        moment = MOMENTS[number % len(MOMENTS)]
        for room in scenario.building.rooms:
            radio.do("reset", address=room.address)
        lab.run("rm", "-rf", "/lab/share/reports").must()
        since = len(radio.events)
        running = scenario.start_apply()
        wait_for(moment, scenario, radio, since)
        running.signal("KILL")
        killed = scenario.finish(running, timeout=20)
        bonded = [room.name for room in scenario.building.rooms if keys(lab, room.address)]
        left += bool(bonded)
        with scenario.subtests.test(number=number + 1, moment=moment):
            assert killed.code == -signal.SIGKILL
            is_stuck = not check_no_agent(lab)
            done = scenario.apply()
            then = f"exit {done.code} in {done.seconds:.0f} s"
            print(f"{number + 1}: killed {moment}, left {bonded}{', adapter stuck' * is_stuck}, then {then}", flush=True)
            if is_stuck:
                assert check_no_agent(lab), "the run has switched the adapter off and on"
            report = scenario.check_reports_are_true()
            for room in scenario.building.rooms:
                # A killed run may have given an ESP-IDF device its network, which then vanishes.
                vanished = (
                    {"unconfirmed", "unreachable"} if moment == "configured" and isinstance(room, EspRoom) else set[str]()
                )
                assert report[room.name]["outcome"] in {*SUCCESS, "already_provisioned"} | vanished, room.name
            check_bonds_removed(scenario)
            scenario.check_clean()
    print(f"{KILLS} kills, {left} left a bond")
    assert left > 0, "no kill left a bond, so nothing was tested"
    assert check_no_agent(lab)
    assert storage(lab) == {}
    scenario.check_secrets()
