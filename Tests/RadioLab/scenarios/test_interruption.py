"""A run that is interrupted."""

import json
import signal

import pytest
from lab.radio_client import Radio

from .scenario import ONE_ADAPTER, Scenario

pytestmark = pytest.mark.setting(places=ONE_ADAPTER, rooms=8)


def test_ctrl_c_leaves_no_connection_and_complete_reports(scenario: Scenario, radio: Radio) -> None:
    running = scenario.start_apply()
    radio.wait_for("connected", times=3, timeout=240)
    running.signal("INT")
    done = scenario.finish(running, timeout=60)
    assert done.code == 130, done.err
    report = scenario.check_reports_are_true()
    assert "cancelled" in {room["outcome"] for room in report.values()}
    scenario.check_clean()
    scenario.check_secrets()


def test_the_run_after_kill_9_releases_the_connections(scenario: Scenario, radio: Radio) -> None:
    """The link outlives the process, because bluetoothd holds it."""
    running = scenario.start_apply()
    third = radio.wait_for("connected", times=3, timeout=240)
    radio.wait_for("write", timeout=60, address=third["address"])
    running.signal("KILL")
    done = scenario.finish(running, timeout=20)
    assert done.code == -signal.SIGKILL
    (journal,) = (scenario.lab.share / "reports/radio-lab").glob("*/journal.jsonl")
    for line in journal.read_text().splitlines()[:-1]:
        json.loads(line)
    held = [adapter["connections"] for adapter in radio.state()["adapters"]]
    assert held[0] >= 1, "bluetoothd holds the connections of the killed run"
    again = scenario.apply()
    assert again.code == 0, again.err
    scenario.check_all_done()
    scenario.check_clean()
