"""Disturbances of the host during a run: its adapters, its daemon, other clients."""

import pytest
from lab.agent import Running
from lab.lab import adapter_address

from .scenario import ONE_ADAPTER, Scenario

pytestmark = pytest.mark.setting(places=ONE_ADAPTER, rooms=8)


def begin(scenario: Scenario) -> Running:
    """Starts a run, and returns when its third device is connected and partly written."""
    running = scenario.start_apply()
    third = scenario.lab.radio.wait_for("connected", times=3, timeout=240)
    scenario.lab.radio.wait_for("write", timeout=60, address=third["address"])
    return running


def check_end(scenario: Scenario, running: Running) -> None:
    """The run completes or ends in order, no room is wrong, and an undisturbed run does what is left."""
    done = scenario.finish(running)
    assert done.code in (0, 69, 100), done.err
    scenario.check_reports_are_true()
    if done.code != 0:
        scenario.lab.wait_for_adapters()
        press_buttons_where_required(scenario)
        again = scenario.apply()
        assert again.code == 0, again.err
    scenario.check_all_done()
    scenario.check_clean()


def press_buttons_where_required(scenario: Scenario) -> None:
    """Presses buttons as the operator does."""
    radio = scenario.lab.radio
    for name, room in scenario.report().items():
        if room["outcome"] in ("action_required", "unconfirmed"):
            address = scenario.building.room(name).address
            if radio.sensors()[address]["life"] != "beacon":
                radio.do("reset", address=address)


def test_adapter_powered_off_and_on(scenario: Scenario) -> None:
    running = begin(scenario)
    scenario.lab.power(0, False)
    scenario.lab.power(0, True)
    check_end(scenario, running)


def test_adapter_unplugged_and_plugged_in_again(scenario: Scenario) -> None:
    running = begin(scenario)
    scenario.lab.unplug(0)
    scenario.lab.run("sleep", "1")
    scenario.lab.plug(0)
    scenario.lab.wait_for_adapters()
    check_end(scenario, running)


@pytest.mark.parametrize("action", ["kill", "stop"])
def test_bluetoothd_ended_and_started(scenario: Scenario, action: str) -> None:
    running = begin(scenario)
    scenario.lab.bluetoothd(action)
    scenario.lab.bluetoothd("start")
    scenario.lab.wait_for_adapters()
    check_end(scenario, running)


def test_another_client_discovers_all_the_time(scenario: Scenario) -> None:
    other = scenario.lab.start_client("discover.py", "600")
    done = scenario.finish(begin(scenario), timeout=900)
    other.signal("KILL")
    other.wait(10)
    assert done.code == 0, done.err
    scenario.check_all_done()
    scenario.check_clean()


@pytest.mark.setting(places=[(9, 3), (12, 3)])
def test_two_adapters_come_back_under_each_others_names(scenario: Scenario) -> None:
    lab = scenario.lab
    running = begin(scenario)
    lab.unplug(0)
    lab.unplug(1)
    lab.run("sleep", "1")
    lab.plug(1)
    lab.radio.wait_for("plugged", times=2, adapter=adapter_address(1))
    lab.run("sleep", "1")
    lab.plug(0)
    lab.wait_for_adapters()
    check_end(scenario, running)


@pytest.mark.long
@pytest.mark.setting(places=[(10, 4), (0, 0), (21, 9)], rooms=40)
def test_one_of_three_adapters_is_unplugged_for_a_while_and_bluetoothd_restarted(scenario: Scenario) -> None:
    """The disturbances come during many simultaneous sessions."""
    lab = scenario.lab
    running = scenario.start_apply()
    lab.radio.wait_for("connected", times=8, timeout=240)
    lab.unplug(1)
    lab.run("sleep", "3")
    lab.plug(1)
    lab.radio.wait_for("connected", times=24, timeout=240)
    lab.bluetoothd("kill")
    lab.run("sleep", "1")
    lab.bluetoothd("start")
    lab.wait_for_adapters()
    check_end(scenario, running)
