"""A controller that holds fewer links than roboprov would like answers `LE Create Connection` with command status 0x09, and
bluetoothd removes the device's object without answering `Connect`. roboprov learns how many links the controller holds."""

from typing import Any

import pytest
from lab.lab import adapter_address

from .scenario import LOSSLESS, ONE_ADAPTER, Scenario

pytestmark = [pytest.mark.long, pytest.mark.setting(places=ONE_ADAPTER, rooms=80, propagation=LOSSLESS)]


def failures(scenario: Scenario) -> list[dict[str, Any]]:
    ended = [event["data"] for event in scenario.events("attempt_ended")]
    return [data for data in ended if data.get("failure")]


@pytest.mark.parametrize("links", [3, 5, 7])
def test_a_full_controller_is_recognised_and_remembered(scenario: Scenario, links: int) -> None:
    scenario.lab.unplug(0)
    scenario.lab.run("sleep", "1")
    scenario.lab.plug(0, connections=links)
    scenario.lab.wait_for_adapters()
    names = [room.name for room in scenario.building.rooms]
    for count, (rooms, most) in enumerate([(names[:40], links + 2), (names[40:], 0)], 1):
        done = scenario.apply(*(option for room in rooms for option in ("--only", room)), timeout=900)
        found = failures(scenario)
        codes = sorted(data["failure"]["code"] for data in found)
        print(f"chip for {links} links, run {count}: exit {done.code} in {done.seconds:.0f} s, failed attempts {codes}")
        assert done.code == 0, done.err
        refused = [data for data in found if data.get("not_counted") == "adapter_full"]
        assert len(refused) <= most, found
        assert not [data for data in found if data["failure"]["code"] == "unknown_to_stack"], found
        assert not scenario.charges()
        held = [event["data"] for event in scenario.events("links_held")][-1:]
        if count == 1 and links < 7:
            assert held == [{"adapter": adapter_address(0), "links": links, "full": True}]
        report, sensors = scenario.report(), scenario.lab.radio.sensors()
        assert {report[name]["outcome"] for name in rooms} == {"provisioned"}
        assert all(room.is_done(sensors[room.address]) for room in scenario.building.rooms if room.name in rooms)
        scenario.check_no_mixture(sensors)
    scenario.check_clean()
