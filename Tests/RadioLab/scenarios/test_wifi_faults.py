"""What ESP-IDF and Improv devices and Shellys do beyond a successful join, each at one device, and the possible outcomes. The
devices share no code and no messages with roboprov."""

import time
from typing import Any

import pytest
from lab.lab import adapter_address, sensor_address
from lab.radio_client import Radio

from .building import Building, EspRoom, ImprovRoom, Room, ShellyRoom
from .families import ADAPTER, at
from .scenario import LOSSLESS, SUCCESS, Scenario

PROVISIONED = set(SUCCESS)
REFUSED = {"failed", "action_required"}
OPEN = {"unconfirmed", "action_required", "failed"}
PIECES = 12  # of the writes to an ESP-IDF device with a long value for its endpoint
CROWD = [(f"Neighbour {number}", -30 - number) for number in range(60)]

# No packet is lost by chance: a last attempt without a link would end a room in another way.
pytestmark = [pytest.mark.long, pytest.mark.setting(places=ADAPTER, propagation=LOSSLESS)]

ESP: list[tuple[dict[str, Any], dict[str, Any], set[str]]] = [
    # faults, what the room says, outcomes
    ({"security": 1, "no_proof": True}, {"pop": ""}, PROVISIONED),
    ({"same_nonce": True}, {}, PROVISIONED),
    ({"bluedroid": True}, {}, PROVISIONED),
    ({"bluedroid": True, "security": 1}, {}, PROVISIONED),
    ({"bluedroid": True}, {"pop": "another label"}, {"action_required"}),
    ({"security": 0}, {}, {"action_required"}),
    ({"version": "odd"}, {}, PROVISIONED),
    ({"version": "text"}, {}, {"action_required"}),
    ({"version": "text", "same_nonce": True}, {"more": {"security": 2}}, PROVISIONED),  # The text does not name its patch.
    ({"thread_only": True}, {}, {"action_required"}),
    ({"fails_attempts": 3}, {}, PROVISIONED),
    ({"tries_for_ever": True}, {}, OPEN),
    ({"no_network": True}, {}, {"failed"}),
    ({"wrong_password": True, "no_control": True}, {}, {"failed"}),
    ({"busy": 5.0}, {}, PROVISIONED),
    ({"busy": 60.0}, {}, PROVISIONED | OPEN),
    ({"busy": 60.0, "busy_joins": True}, {}, OPEN),
    ({"cut": "proto-ver"}, {}, REFUSED),
    ({"cut": "prov-session"}, {}, REFUSED),
    ({"cut": "prov-config"}, {}, OPEN),
    ({"cut": "custom-data"}, {}, REFUSED),
    ({"not_connectable": 20.0}, {}, PROVISIONED | {"unreachable"}),
    ({"leaves_after_apply": True}, {}, {"unconfirmed"}),
    ({"slow": 1.0}, {}, PROVISIONED | OPEN),
]

IMPROV: list[tuple[dict[str, Any], set[str]]] = [
    ({"capabilities": -1}, PROVISIONED),
    ({"hides_state": True}, PROVISIONED),
    ({"needs_button": True}, {"action_required"}),
    ({"keeps_service": True}, PROVISIONED),
    ({"old_order": True}, PROVISIONED),
    ({"no_result": True}, PROVISIONED),
    ({"no_state": True}, PROVISIONED),
    ({"scans_one_by_one": True}, PROVISIONED),
    ({"six_strings": True}, PROVISIONED),
    ({"cannot_join": True}, {"failed"}),
    ({"part_of_command": "01ff07"}, PROVISIONED),
    ({"drops_command": 1}, PROVISIONED),
    ({"stale_error": True}, PROVISIONED),
    ({"busy": 60.0}, PROVISIONED | OPEN),
    ({"network_returns": True}, OPEN),
    ({"cut_result": True}, PROVISIONED),
    ({"odd_reports": True}, PROVISIONED),
    ({"odd_reports": True, "cannot_join": True}, {"failed"}),
    ({"repeats": True}, PROVISIONED),
    ({"leaves_while_joining": True}, PROVISIONED | {"unconfirmed"}),
]


BOSS = {"admin_password": "the boss alone"}
MQTT = {"mqtt_server": "mqtt.lab:1883"}

SHELLY: list[tuple[dict[str, Any], dict[str, Any], set[str]]] = [
    # faults, what the room says, outcomes
    ({}, BOSS | MQTT | {"ip": "10.1.2.3/24", "access_point": "off"}, PROVISIONED),
    ({}, BOSS | {"ble_rpc": "off"}, PROVISIONED),
    ({"gen": 1}, {}, {"action_required"}),
    ({"mac": "A8032AFFFFFF"}, {}, {"action_required"}),
    ({"password": "another"}, BOSS, {"action_required"}),
    ({"password": "the boss alone"}, BOSS, PROVISIONED),
    ({"password": "the boss alone", "short_nonce": True}, BOSS, PROVISIONED),
    ({"without_mac": True}, {}, PROVISIONED),
    ({"late_blocks": True}, {}, PROVISIONED),
    ({"no_status": True}, MQTT, PROVISIONED),
    ({"garbage_length": True}, {}, PROVISIONED),
    ({"empty_reads": 2}, {}, PROVISIONED),
    ({"left_over": True}, {}, PROVISIONED),
    ({"notifies": True}, {}, PROVISIONED),
    ({"whole_pieces": True}, {}, PROVISIONED),
    ({"cannot_join": True}, {}, {"failed"}),
    ({"one_link": True}, MQTT, PROVISIONED),
    ({"drops_answer": "WiFi.SetConfig"}, BOSS, PROVISIONED),
    ({"drops_answer": "Shelly.SetAuth"}, BOSS, PROVISIONED),
    ({"drops_answer": "Shelly.Reboot"}, MQTT, PROVISIONED),
    ({"slow": 1.0}, {}, PROVISIONED | OPEN),
]


def check(scenario: Scenario, expected: list[set[str]]) -> None:
    report = scenario.check_reports_are_true()
    for room, outcomes in zip(scenario.building.rooms, expected, strict=True):
        claimed = report[room.name]
        print(f"{room.faults}: {claimed['outcome']} ({claimed['reason_code']}), attempts {claimed['attempts']}")
        with scenario.subtests.test(faults=room.faults, reason=claimed["reason"], attempts=claimed["attempts"]):
            assert claimed["outcome"] in outcomes
    scenario.check_clean()
    scenario.check_secrets()


def add_esp(building: Building) -> None:
    building.rooms = [at(EspRoom, number, faults=faults, **details) for number, (faults, details, _) in enumerate(ESP)]


@pytest.mark.setting(prepare=add_esp)
def test_each_esp_idf_device_ends_in_a_true_outcome(scenario: Scenario) -> None:
    done = scenario.apply(timeout=1800)
    assert done.code == 100, done.err
    check(scenario, [outcomes for _, _, outcomes in ESP])


def add_improv(building: Building) -> None:
    building.rooms = [at(ImprovRoom, number, faults=faults) for number, (faults, _) in enumerate(IMPROV)]


@pytest.mark.setting(prepare=add_improv)
def test_each_improv_device_ends_in_a_true_outcome(scenario: Scenario) -> None:
    done = scenario.apply(timeout=1800)
    assert done.code == 100, done.err
    check(scenario, [outcomes for _, outcomes in IMPROV])


def add_shellys(building: Building) -> None:
    building.rooms = [at(ShellyRoom, number, faults=faults, more=more) for number, (faults, more, _) in enumerate(SHELLY)]


@pytest.mark.setting(prepare=add_shellys)
def test_each_shelly_ends_in_a_true_outcome(scenario: Scenario) -> None:
    done = scenario.apply(timeout=1800)
    assert done.code == 100, done.err
    check(scenario, [outcomes for _, _, outcomes in SHELLY])


def add_lost_pieces(building: Building) -> None:
    """Each device loses its first link at another piece of its writes; the values are long enough for prepared ones."""
    lost = [{"drop_at_piece": number + 1, "connections": 1} for number in range(PIECES)]
    esp: list[Room] = [at(EspRoom, number, faults=dict(faults), product="x" * 400) for number, faults in enumerate(lost)]
    improv: list[Room] = [at(ImprovRoom, PIECES + number, faults=dict(faults)) for number, faults in enumerate(lost)]
    building.rooms = esp + improv


@pytest.mark.setting(prepare=add_lost_pieces)
def test_a_link_lost_at_any_piece_of_a_write_leaves_a_true_outcome(scenario: Scenario, radio: Radio) -> None:
    scenario.apply(timeout=1800)
    # A command whose answer was lost may have been another's; an Improv device shows on air what became of it.
    check(scenario, [PROVISIONED | {"unconfirmed", "action_required"}] * (2 * PIECES))
    requests = radio.sensors()[sensor_address(0)]["requests"]
    print(requests)
    assert requests["Prepare_Write_Request"] >= 4


def add_restless(building: Building) -> None:
    building.rooms = [at(EspRoom, 1, named="PROV_A1B2C3", faults={"new_address": 5.0})]


@pytest.mark.setting(prepare=add_restless)
def test_a_device_that_changes_its_address_is_found_by_its_name_or_left_alone(scenario: Scenario, radio: Radio) -> None:
    """Its address changes every 5 s, so only its name says which device it is; a link keeps its address."""
    (room,) = scenario.building.rooms
    done = scenario.apply()
    outcome = scenario.report()[room.name]["outcome"]
    sensor = radio.sensors()[room.address]
    print(outcome, sensor["flash"], sensor["connections"], done.code)
    if outcome in SUCCESS:
        assert room.is_done(sensor)
    else:
        assert outcome in {"unreachable", "unconfirmed", "ambiguous", "pending", "failed", "action_required"}
        assert outcome in {"unconfirmed", "action_required"} or not room.is_touched(sensor)


def add_crowd(building: Building) -> None:
    checked = {"more": {"wifi_check": True}}
    building.rooms = [at(EspRoom, number, **checked) for number in range(1, 5)]


@pytest.mark.setting(prepare=add_crowd)
def test_a_full_list_of_networks_refuses_no_room(scenario: Scenario, radio: Radio) -> None:
    """60 networks are in the air, of which a device lists 16. One that lists eight strong ones may have left out others."""
    rooms = scenario.building.rooms
    around = ([*CROWD, ("Office", -95)], [("Office", -20), *CROWD], CROWD[:8], [*CROWD[:8], ("Far", -84)])
    radio.do("add", sensors=[room.sensor | {"networks": seen} for room, seen in zip(rooms, around, strict=True)])
    done = scenario.apply()
    assert done.code == 100, done.err
    expected = [PROVISIONED, PROVISIONED, PROVISIONED, REFUSED]
    check(scenario, expected)
    assert scenario.report()[rooms[3].name]["reason_code"] == "network_not_received"
    checks = {event["data"]["room"]: event["data"]["result"] for event in scenario.events("wifi_checked")}
    assert checks == {"room-1": "list_full", "room-2": "received", "room-3": "list_ends_strong", "room-4": "not_received"}


def add_updated(building: Building) -> None:
    building.rooms = [at(EspRoom, number) for number in range(1, 3)]


@pytest.mark.setting(prepare=add_updated)
def test_new_firmware_with_its_endpoints_at_other_places_is_provisioned(scenario: Scenario, radio: Radio) -> None:
    """BlueZ has stored the table of the old firmware."""
    addresses = [room.address for room in scenario.building.rooms]
    scenario.lab.client("connect.py", adapter_address(0), *addresses, timeout=120).must()
    for address in addresses:
        radio.do("change", address=address, faults={"other_table": True})
        radio.do("power", address=address, on=True)
    began = time.monotonic()
    done = scenario.apply()
    assert done.code == 0, done.err
    print(f"{time.monotonic() - began:.0f} s")
    scenario.check_all_provisioned()
    scenario.check_clean()
