"""Restarts during a run: of bluetoothd in order, as systemd does it; of roboprov by SIGKILL; of dbus-daemon."""

import signal
import time

import pytest
from lab.radio_client import Radio

from .building import Building
from .scenario import LOSSLESS, ONE_ADAPTER, Scenario

pytestmark = [pytest.mark.long, pytest.mark.setting(rooms=15, propagation=LOSSLESS, places=ONE_ADAPTER)]
THREE_ADAPTERS = pytest.mark.setting(rooms=40, places=[(10, 4), (0, 0), (21, 9)])


@pytest.mark.parametrize(
    "instants",
    [
        pytest.param([("connected", 1)], id="after-the-first-connection"),
        pytest.param([("connected", 7)], id="in-the-middle"),
        pytest.param([("save", 5)], id="while-a-device-restarts"),
        pytest.param([("connected", 15)], id="three-adapters", marks=THREE_ADAPTERS),
        pytest.param([("connected", 8), ("connected", 30)], id="three-adapters-twice", marks=THREE_ADAPTERS),
    ],
)
def test_an_orderly_restart_of_bluetoothd_charges_no_device(
    scenario: Scenario, radio: Radio, instants: list[tuple[str, int]]
) -> None:
    running = scenario.start_apply()
    for event, times in instants:
        radio.wait_for(event, times=times, timeout=240)
        scenario.lab.bluetoothd("restart")
    done = scenario.finish(running)
    print(f"exit {done.code} in {done.seconds:.0f} s, charged:", *scenario.charges(), sep="\n  ")
    assert done.code == 0, done.err
    scenario.check_all_done()
    scenario.check_nothing_charged()
    assert scenario.events("foreign_scan_detected") == [], "there is no other client"
    scenario.check_clean()


def make_slow(building: Building) -> None:
    """Puts so many slow devices near each adapter that all links are in use at once."""
    for room in building.rooms:
        room.faults = {"slow": 1.5}


@pytest.mark.setting(rooms=24, places=[(10, 4), (0, 0), (21, 9)], prepare=make_slow)
def test_the_run_after_kill_9_scans_at_once_and_releases_15_links_concurrently(scenario: Scenario, radio: Radio) -> None:
    def links() -> int:
        return sum(adapter["connections"] for adapter in radio.state()["adapters"])

    running = scenario.start_apply()
    until = time.monotonic() + 180
    while links() < 15 and time.monotonic() < until and not running.ended:
        time.sleep(0.2)
    running.signal("KILL")
    assert running.wait(20).code == -signal.SIGKILL
    held = links()
    for room in scenario.building.rooms:
        radio.do("change", address=room.address, faults={})
    done = scenario.apply()
    assert done.code == 0, done.err

    def instants(kind: str) -> list[float]:
        """The instants of these events in s since the start of the run."""
        return [round(event["elapsed_us"] / 1e6, 2) for event in scenario.events(kind)]

    released, scanned, attempts = instants("link_released"), instants("scan_started"), instants("attempt_started")
    print(f"{held} links held; first scan window {scanned[0]} s, links released {released} s, first attempt {attempts[0]} s")
    scenario.check_all_done()
    scenario.check_clean()
    scenario.check_nothing_charged()
    assert held >= 12, "bluetoothd holds the links of the killed run"
    assert len(released) == held
    assert scanned[0] < 2.0, "the survey does not wait for the links"
    # One `Disconnect` takes 2.0 to 2.8 s, and an adapter makes one after the other at the worst.
    assert released[-1] - scanned[0] < held * 2.0 / 2, "links are released concurrently"


def test_after_dbus_daemon_was_killed_the_next_run_leaves_nothing_behind(scenario: Scenario, radio: Radio) -> None:
    lab = scenario.lab
    running = scenario.start_apply()
    radio.wait_for("connected", times=4, timeout=240)
    lab.bus("kill")
    # bluetoothd exits by itself; a service manager starts both again.
    while lab.run("/lab/bluetoothd", "status").code == 0:
        lab.run("usleep", "50000")
    lab.bus("start")
    lab.bluetoothd("start")
    lab.wait_for_adapters()
    done = scenario.finish(running)
    stored = lab.run("sh", "-c", "find /var/lib/bluetooth -name info 2>/dev/null; true").out.split()
    print(f"exit {done.code} in {done.seconds:.0f} s, charged {scenario.charges()}, {len(stored)} devices stored")
    assert done.code in (0, 69, 100), done.err
    scenario.check_reports_are_true()
    scenario.check_nothing_charged()
    again = scenario.apply()
    assert again.code == 0, again.err
    scenario.check_all_done()
    scenario.check_clean()
