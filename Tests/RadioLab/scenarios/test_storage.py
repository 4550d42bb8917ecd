"""Failures of the host between a save and its proof. bluetoothd stores each device that it connects to, and keeps it for ever
if nobody removes it. A guest takes longer to start than a run of four rooms, so all failures happen in one guest."""

import time

import pytest
from lab.radio_client import Radio

from .scenario import LOSSLESS, ONE_ADAPTER, Scenario

ROOMS = 4
FAILURES = ("bluetoothd killed", "bus killed", "adapter unplugged", "bluetoothd restarted") * 5

pytestmark = [pytest.mark.long, pytest.mark.setting(places=ONE_ADAPTER, rooms=ROOMS, propagation=LOSSLESS)]


def strike(scenario: Scenario, failure: str) -> None:
    lab = scenario.lab
    match failure:
        case "bluetoothd killed":
            lab.bluetoothd("kill")
            lab.bluetoothd("start")
        case "bluetoothd restarted":
            lab.bluetoothd("restart")
        case "bus killed":
            lab.bus("kill")
            # bluetoothd exits by itself; a service manager starts both again.
            while lab.run("/lab/bluetoothd", "status").code == 0:
                lab.run("usleep", "50000")
            lab.bus("start")
            lab.bluetoothd("start")
        case _:
            lab.unplug(0)
            lab.run("sleep", "1")
            lab.plug(0)
    lab.wait_for_adapters()


def unproved(scenario: Scenario, radio: Radio, since: int) -> int:
    """How many devices have saved and wait for their proof."""
    saved = len([event for event in radio.events[since:] if event["event"] == "saved"])
    (journal,) = (scenario.lab.share / "reports/radio-lab").glob("2*/journal.jsonl")
    return saved - journal.read_text().count('"kind":"proof_received"')


def test_bluetoothd_stores_no_device_after_a_failure_of_the_host(scenario: Scenario, radio: Radio) -> None:
    met = 0
    for number, failure in enumerate(FAILURES):
        for room in scenario.building.rooms:
            radio.do("reset", address=room.address)
        scenario.lab.run("rm", "-rf", "/lab/share/reports").must()
        since = len(radio.events)
        running = scenario.start_apply()
        radio.wait_for("saved", times=1 + number // 4 % ROOMS, since=since, timeout=240)
        time.sleep(0.1 * (number % 5))
        waiting = unproved(scenario, radio, since)
        met += waiting > 0
        strike(scenario, failure)
        done = scenario.finish(running)
        print(
            f"{number + 1}: {failure}, {waiting} saved and not proved, exit {done.code} in {done.seconds:.0f} s,"
            f" charged {scenario.charges()}",
            flush=True,
        )
        with scenario.subtests.test(number=number + 1, failure=failure):
            assert done.code == 0, done.err
            scenario.check_all_done()
            scenario.check_nothing_charged()
            scenario.check_clean()
    assert met > len(FAILURES) / 2, "most failures came between a save and its proof"
