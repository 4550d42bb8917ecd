"""Other clients of bluetoothd, or other processes of roboprov, scan before or during a run, or leave objects behind. This is
not charged to any device."""

import json

import pytest
from lab.agent import Running
from lab.lab import adapter_address
from lab.radio_client import Radio

from .scenario import LOSSLESS, ONE_ADAPTER, REPORTS, Scenario

pytestmark = [pytest.mark.long, pytest.mark.setting(places=ONE_ADAPTER, propagation=LOSSLESS, rooms=15)]

REPETITIONS = 8  # In one of eight the adapter was deaf before the defect was repaired.


def test_apply_directly_after_bluetoothctl_provisions_every_room(scenario: Scenario, radio: Radio) -> None:
    for number in range(1, REPETITIONS + 1):
        for room in scenario.building.rooms:
            radio.do("reset", address=room.address)
        scenario.lab.run("rm", "-rf", "/lab/share/reports").must()
        scenario.lab.run("bluetoothctl", "--timeout", "3", "scan", "on").must()
        done = scenario.apply()
        print(f"{number}: exit {done.code} in {done.seconds:.1f} s, charged {scenario.charges()}")
        with scenario.subtests.test(number=number):
            assert done.code == 0, done.err
            scenario.check_all_provisioned()
            scenario.check_nothing_charged()
    scenario.check_clean()


@pytest.mark.setting(rooms=12)
def test_apply_provisions_every_room_after_a_client_left_its_objects(scenario: Scenario) -> None:
    """The objects of devices that a client connected to stay, although nothing was paired."""
    addresses = [room.address for room in scenario.building.rooms]
    scenario.lab.client("connect.py", adapter_address(0), *addresses, timeout=240).must()
    done = scenario.apply()
    assert done.code == 0, done.err
    scenario.check_all_done()
    scenario.check_nothing_charged()
    scenario.check_clean()


def check_beside(scenario: Scenario, client: Running) -> None:
    """A scan of another client costs seconds for each connection (docs/internals/bluez.md). The run reports it once, and
    knows of it before its first connection."""
    done = scenario.apply(timeout=1200)
    client.signal("KILL")
    client.wait(10)
    detected = [event["data"] for event in scenario.events("foreign_scan_detected")]
    print(f"exit {done.code} in {done.seconds:.0f} s, charged {scenario.charges()}, detected {detected}")
    assert done.code == 0, done.err
    scenario.check_all_done()
    scenario.check_nothing_charged()
    assert len(detected) == 1, "one event for the other client"
    report = json.loads((scenario.latest / "report.json").read_text())
    assert len(report["run"]["foreign_scans"]) == 1
    for text in (done.out, done.err):
        assert " ".join(text.split()).count("scans with hci0") == 1, text
    scenario.check_clean()


def test_apply_beside_bluetoothctl(scenario: Scenario) -> None:
    client = scenario.lab.agent.start("bluetoothctl", "scan", "on")
    scenario.lab.run("sleep", "2")
    assert not client.ended
    check_beside(scenario, client)


@pytest.mark.parametrize(
    "discovery_filter",
    [pytest.param([], id="no-filter"), pytest.param([json.dumps({"Transport": "le", "RSSI": -60})], id="filter")],
)
def test_apply_beside_a_client_that_discovers(scenario: Scenario, discovery_filter: list[str]) -> None:
    client = scenario.lab.start_client("discover.py", "1200", *discovery_filter)
    assert client.line(30) == "discovering"
    check_beside(scenario, client)


@pytest.mark.setting(rooms=12)
def test_a_second_run_reports_once_that_the_adapter_is_in_use(scenario: Scenario, radio: Radio) -> None:
    second = json.loads(scenario.building.manifest) | {"id": "second-lab"}
    (scenario.lab.share / "second.yaml").write_text(json.dumps(second))
    first = scenario.start_apply()
    radio.wait_for("connected", timeout=240)
    done = scenario.start("apply", "second.yaml", "--yes", "--adapter-wait", "3", *REPORTS).wait(120)
    assert done.code != 0
    (holder,) = (folder.name for folder in (scenario.lab.share / "reports/radio-lab").glob("2*"))
    assert done.out.count(holder) == 1, "one line in the summary, not one for each room"
    assert done.err.count(holder) <= 1, "at most one line during the run"
    assert scenario.finish(first).code == 0
    scenario.check_all_done()
    scenario.check_nothing_charged()
