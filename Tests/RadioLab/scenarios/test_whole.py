"""A whole building."""

import pytest
from lab.radio_client import Radio

from .scenario import Scenario

pytestmark = [pytest.mark.long, pytest.mark.setting(rooms=40)]


def test_forty_rooms_are_provisioned_and_nothing_is_left_behind(scenario: Scenario) -> None:
    done = scenario.apply(timeout=900)
    scenario.check_all_provisioned()
    assert done.code == 0, done.err
    scenario.check_clean()
    scenario.check_secrets()
    print(f"40 rooms in {done.seconds:.0f} s: {40 / done.seconds * 60:.1f} a minute")


def test_a_second_run_over_forty_rooms_writes_nothing(scenario: Scenario, radio: Radio) -> None:
    scenario.apply(timeout=900)
    before = radio.sensors()
    done = scenario.apply(timeout=900)
    report = scenario.check_all_done()
    assert {room["outcome"] for room in report.values()} == {"already_provisioned"}
    assert done.code == 0, done.err
    for address, sensor in radio.sensors().items():
        assert sensor["writes"] == before[address]["writes"]
