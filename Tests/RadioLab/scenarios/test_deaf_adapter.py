"""An adapter that discovers and receives no advertisement. roboprov suspects the adapter before the devices: it restarts
discovery, then powers the adapter off and on. If neither helps, it reports the adapter, once."""

import pytest
from lab.lab import adapter_address

from .scenario import LOSSLESS, ONE_ADAPTER, Scenario

THREE_ADAPTERS = [(6, 3), (3, 1), (9, 5)]

pytestmark = pytest.mark.setting(places=ONE_ADAPTER, rooms=12, propagation=LOSSLESS)
one_and_three_adapters = pytest.mark.parametrize(
    "adapters",
    [
        pytest.param(1, id="one-adapter"),
        pytest.param(3, id="three-adapters", marks=pytest.mark.setting(places=THREE_ADAPTERS)),
    ],
)


def make_deaf(scenario: Scenario, until: str, number: int = 0) -> None:
    scenario.lab.radio.do("deafen", address=adapter_address(number), until=until)


def check_provisioned(scenario: Scenario) -> None:
    done = scenario.apply()
    print(f"exit {done.code} in {done.seconds:.0f} s, charged {scenario.charges()}")
    assert done.code == 0, done.err
    scenario.check_all_provisioned()
    scenario.check_nothing_charged()
    scenario.check_clean()


@one_and_three_adapters
def test_deaf_until_its_scan_ends(scenario: Scenario, adapters: int) -> None:
    make_deaf(scenario, "scan")
    check_provisioned(scenario)


@one_and_three_adapters
def test_deaf_until_it_is_powered_off_and_on(scenario: Scenario, adapters: int) -> None:
    make_deaf(scenario, "reset")
    check_provisioned(scenario)


def test_deaf_for_good(scenario: Scenario) -> None:
    make_deaf(scenario, "never")
    done = scenario.apply()
    print(f"exit {done.code} in {done.seconds:.0f} s\n{done.out}{done.err}")
    assert done.code != 0
    report = scenario.check_reports_are_true()
    assert "has power" not in done.out + done.err, "no device is suspected"
    assert {room["attempts"] for room in report.values()} == {0}
    faults = [event["data"] for event in scenario.events("adapter_faulted")]
    found = [(fault["fault"], fault.get("power_cycled", False)) for fault in faults]
    assert found == [("receives_nothing", True), ("receives_nothing", False)], "it is powered off and on, then reported"
    for text in (done.out, done.err):
        assert " ".join(text.split()).count("No adapter received any device") <= 1, "one message, not one for each room"
    make_deaf(scenario, "scan")
    check_provisioned(scenario)


@pytest.mark.setting(places=THREE_ADAPTERS)
def test_one_of_three_is_deaf_for_good(scenario: Scenario) -> None:
    make_deaf(scenario, "never", 1)
    check_provisioned(scenario)
