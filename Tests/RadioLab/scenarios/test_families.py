"""Buildings with devices of several families."""

import time

import pytest
from lab.lab import sensor_address
from lab.radio_client import Radio

from .building import PROXIMITY, BeaconRoom, Building, EspRoom, FireflyRoom, ImprovRoom, RegisteredRoom
from .families import ADAPTER, KEYBOARD, NO_MIDI, QUICK, at, check_one_of_each, one_of_each
from .scenario import SUCCESS, Scenario

ELSEWHERE = {"uuid": "11111111-2222-3333-4444-555555555555", "major": 9, "minor": 9}
NOT_KEPT = {"failed", "unconfirmed"}  # The latter if the last attempt ended early by chance.
ALREADY = {"already_provisioned"}

pytestmark = [pytest.mark.long, pytest.mark.setting(places=ADAPTER, bluetoothd_options=NO_MIDI)]


@pytest.mark.setting(prepare=one_of_each)
def test_a_second_run_writes_only_moments(scenario: Scenario, radio: Radio) -> None:
    check_one_of_each(scenario)
    before = radio.sensors()
    again = scenario.apply()
    assert again.code == 0, again.err
    report = scenario.check_reports_are_true()
    for number in (1, 2, 4, 5, 6, 7, 8):
        assert report[f"Room {number}"]["outcome"] == "already_provisioned"
    for address, sensor in radio.sensors().items():
        if address != sensor_address(3):
            assert sensor["writes"] == before[address]["writes"], address
    scenario.check_clean()


def add_beacons(building: Building) -> None:
    building.rooms = [
        at(BeaconRoom, 1),
        at(BeaconRoom, 2, power=None, interval=None),  # keeps its own power and interval
        at(BeaconRoom, 3, past=ELSEWHERE),
        at(BeaconRoom, 4, faults={"drop_at_write": 2, "connections": 1}),
        at(BeaconRoom, 5, faults={"drop_at_write": 3, "stores_before_drop": True, "connections": 1}),
        at(BeaconRoom, 6, faults={"forgets": "beacon_id"}),
        at(BeaconRoom, 7, faults={"reads_back_wrong": "transmit"}),
        at(BeaconRoom, 8, past={"uuid": PROXIMITY, "major": 7, "minor": 2008, "power": 2, "interval": 160}),
    ]


@pytest.mark.setting(prepare=add_beacons)
def test_beacons_end_as_their_past_and_their_faults_require(scenario: Scenario, radio: Radio) -> None:
    done = scenario.apply()
    assert done.code == 100, done.err
    report = scenario.check_reports_are_true()
    scenario.check_outcomes(report, {"Room 3": {"action_required"}, "Room 6": NOT_KEPT, "Room 7": NOT_KEPT})
    sensors = radio.sensors()
    foreign = sensors[sensor_address(3)]
    assert (foreign["flash"]["uuid"], foreign["writes"]) == (ELSEWHERE["uuid"], [])
    assert str(ELSEWHERE["uuid"]).lower() in report["Room 3"]["reason"].lower(), "the report has the settings of the beacon"
    written = [write["attribute"] for write in sensors[sensor_address(8)]["writes"]]
    assert written == ["transmit"], "a correct value is not written, to spare the flash"

    permitted = scenario.apply("--overwrite", "Room 3")
    assert permitted.code == 100, permitted.err
    report = scenario.check_reports_are_true()
    finished = (1, 2, 4, 5, 8)
    scenario.check_outcomes(
        report, {"Room 6": NOT_KEPT, "Room 7": NOT_KEPT} | {f"Room {number}": ALREADY for number in finished}
    )
    after = radio.sensors()
    for number in finished:
        address = sensor_address(number)
        assert after[address]["writes"] == sensors[address]["writes"], address
    scenario.check_clean()


def add_one_beacon(building: Building) -> None:
    building.rooms = [at(BeaconRoom, 1)]


@pytest.mark.setting(prepare=add_one_beacon)
def test_the_next_run_completes_a_half_written_beacon(scenario: Scenario, radio: Radio) -> None:
    running = scenario.start_apply()
    radio.wait_for("stored", times=1, timeout=120)
    running.signal("KILL")
    scenario.finish(running, timeout=20)
    half = radio.sensors()[sensor_address(1)]
    assert not scenario.building.rooms[0].is_done(half), "the run was killed before its last write"
    done = scenario.apply()
    assert done.code == 0, done.err
    scenario.check_outcomes(scenario.check_reports_are_true(), {})
    scenario.check_clean()


def add_slow_beacons(building: Building) -> None:
    """Debian's kernel does not connect to a device whose advertisements are more than 4 s apart (docs/internals/bluez.md)."""
    building.rooms = [
        at(BeaconRoom, 1, past={"interval": 5600}),  # 3.5 s
        at(BeaconRoom, 2, past={"interval": 32000}),  # 20 s
        at(RegisteredRoom, 3, past={"interval": 32000}),
        at(BeaconRoom, 4),
    ]


@pytest.mark.setting(prepare=add_slow_beacons)
def test_slow_beacons_within_reach_are_provisioned_and_the_run_is_bounded(scenario: Scenario) -> None:
    began = time.monotonic()
    done = scenario.apply()
    took = time.monotonic() - began
    assert done.code == 100, done.err
    scenario.check_outcomes(scenario.check_reports_are_true(), {"Room 2": {"unreachable", "failed"}, "Room 3": ALREADY})
    assert took < 420
    scenario.check_clean()


def add_fireflies(building: Building) -> None:
    building.rooms = [
        at(FireflyRoom, 1, timing=QUICK),
        at(FireflyRoom, 2, timing=QUICK, faults={"stays": True}),
        at(FireflyRoom, 3, timing=QUICK, faults={"mute": True}),
        at(FireflyRoom, 4, timing=QUICK, faults={"dead": True}),
        at(FireflyRoom, 5, timing={"advertising": 2.5}),
    ]
    building.unassigned = [KEYBOARD]


@pytest.mark.setting(prepare=add_fireflies)
def test_each_firefly_has_one_outcome_and_its_moment_is_that_of_the_write(scenario: Scenario, radio: Radio) -> None:
    since = time.monotonic()
    done = scenario.apply()
    assert done.code == 100, done.err
    report = scenario.check_reports_are_true()
    unreached = {"failed", "unreachable"}
    scenario.check_outcomes(report, {"Room 2": {"unconfirmed"}, "Room 3": unreached, "Room 4": unreached})
    sensors = radio.sensors()
    for number in (3, 4):
        assert sensors[sensor_address(number)]["writes"] == []
    connected = [event for event in radio.events if event["event"] == "connected"]
    for number in (1, 2, 5):
        address = sensor_address(number)
        for write in sensors[address]["writes"]:
            elapsed = bytes.fromhex(write["value"])[2] / 255 * 10  # s, and up to 0.04 s more
            link = max(event["at"] for event in connected if event["address"] == address and event["at"] < write["at"])
            assert elapsed + 0.04 > write["at"] - link - 0.3, "the session began before the link"
            assert elapsed < write["at"] - since, "the session began after the run"
    scenario.check_clean()


@pytest.mark.setting(prepare=add_fireflies)
def test_a_firefly_found_late_has_one_outcome(scenario: Scenario, radio: Radio) -> None:
    for room in scenario.building.rooms:
        radio.do("power", address=room.address, on=False)
    late = scenario.building.rooms[0]
    scenario.building.rooms[:] = [late]
    (scenario.lab.share / "building.yaml").write_text(scenario.building.manifest)
    running = scenario.start_apply()
    until = time.monotonic() + 60
    while not radio.state()["adapters"][0]["scanning"]:
        assert time.monotonic() < until, "no adapter scans"
        time.sleep(0.05)
    time.sleep(8.0)
    radio.do("power", address=late.address, on=True)
    done = scenario.finish(running)
    report = scenario.check_reports_are_true()
    outcome, writes = report[late.name]["outcome"], radio.sensors()[late.address]["writes"]
    if outcome in SUCCESS:
        assert (done.code, len(writes)) == (0, 1)
    else:
        assert (done.code, outcome, writes) == (100, "unreachable", [])
    scenario.check_clean()


def add_wifi_devices(building: Building) -> None:
    building.rooms = [
        at(EspRoom, 1),
        at(EspRoom, 2, pop="another label"),
        at(EspRoom, 3, faults={"wrong_password": True, "connections": 3}),
        at(EspRoom, 4, faults={"leaves_after_apply": True}),
        at(EspRoom, 5, product="x" * 400),
        at(ImprovRoom, 6),
    ]


@pytest.mark.setting(prepare=add_wifi_devices)
def test_devices_that_only_join_a_network_say_so_and_vanish(scenario: Scenario, radio: Radio) -> None:
    done = scenario.apply()
    assert done.code == 100, done.err
    report = scenario.check_reports_are_true()
    scenario.check_outcomes(report, {"Room 2": {"action_required"}, "Room 3": {"failed"}, "Room 4": {"unconfirmed"}})
    failures = {
        event["data"]["room"]: event["data"]["failure"]["code"]
        for event in scenario.events("attempt_ended") if event["data"].get("failure")
    }  # fmt: skip
    assert (failures["room-2"], failures["room-3"]) == ("credentials_refused", "wifi_refused"), failures
    sensors = radio.sensors()
    assert sensors[sensor_address(2)]["connections"] == 1, "a wrong secret is not tried again"
    assert sensors[sensor_address(3)]["flash"]["phase"] == "ready", "it was reset, so that it can be given another network"
    # The first message of the handshake and its answer, and the product's value, are longer than a packet.
    long = sensors[sensor_address(5)]
    print(long["flash"]["longest"], long["requests"])
    assert (long["flash"]["longest"]["prov-session"], long["flash"]["longest"]["custom-data"]) == (406, 416)
    assert long["requests"]["Prepare_Write_Request"] == 4
    assert long["requests"]["Execute_Write_Request"] == 2
    assert long["requests"]["Read_Blob_Request"] >= 1
    scenario.check_clean()
    scenario.check_secrets()

    # A device that has joined is silent: the record alone says that the room is done.
    again = scenario.apply("--only", "Room 1", "Room 5", "Room 6")
    assert again.code == 0, again.err
    after = radio.sensors()
    for number in (1, 5, 6):
        assert after[sensor_address(number)]["connections"] == sensors[sensor_address(number)]["connections"]
    scenario.check_clean()


def add_a_firefly_and_a_beacon(building: Building) -> None:
    building.rooms = [at(FireflyRoom, 1, timing=QUICK), at(BeaconRoom, 2)]


@pytest.mark.setting(prepare=add_a_firefly_and_a_beacon, bluetoothd_options="")
def test_bluetoothd_as_debian_starts_it_hides_a_firefly(scenario: Scenario, radio: Radio) -> None:
    """BlueZ's own plugin for BLE-MIDI takes the Firefly's characteristic (docs/internals/bluez.md). The report names the
    command that shows how to release it."""
    done = scenario.apply()
    assert done.code == 100, done.err
    report = scenario.check_reports_are_true()
    scenario.check_outcomes(report, {"Room 1": {"failed"}})
    assert "roboprov doctor" in report["Room 1"]["advice"]
    doctor = scenario.finish(scenario.start("doctor", "building.yaml"))
    assert NO_MIDI in doctor.out, doctor.out + doctor.err
    assert radio.sensors()[sensor_address(1)]["writes"] == []
    scenario.check_clean()
