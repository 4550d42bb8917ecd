"""Measurements of runs on an ordinary chip: directly after a scan, beside another client, and with a restart of bluetoothd."""

import json
import statistics
import time
from typing import Any

import pytest
from lab.chips import CHIPS
from lab.lab import Lab, adapter_address
from scenarios.building import Building
from scenarios.scenario import HOST_FAILURES, LOSSLESS, Place, install_roboprov

pytestmark = pytest.mark.measure

PLACES: list[Place] = [(10, 4)]
SCANS = (4, 4, 4, 10)  # s


def _furnished(lab: Lab, building: Building) -> None:
    lab.radio.do("add", sensors=building.sensors)
    (lab.share / "building.yaml").write_text(building.manifest)
    lab.copy_clients()


def _fresh_sensors(lab: Lab, building: Building) -> None:
    for room in building.rooms:
        lab.radio.do("reset", address=room.address)


def _replug(lab: Lab, chip: str) -> None:
    lab.unplug(0)
    lab.run("sleep", "1")
    lab.plug(0, **CHIPS[chip])
    lab.wait_for_adapters()


def measure_restart() -> None:
    """The signals of an orderly restart of bluetoothd with 3 links up, 9 more devices received, and discovery in progress: the
    first and the last time of each, in s since SIGTERM."""
    building = Building(12)
    with Lab(PLACES, propagation=LOSSLESS) as lab:
        _furnished(lab, building)
        addresses = [room.address for room in building.rooms[:3]]
        for repetition in range(3):
            done = lab.run("python3", "/lab/share/restart.py", adapter_address(0), *addresses, timeout=120).must()
            spans: dict[str, list[float]] = {}
            for line in map(json.loads, done.out.splitlines()):
                spans.setdefault(line["what"], []).append(line["s"])
            print(f"  restart {repetition + 1}:")
            for what, times in spans.items():
                print(f"    {times[0]:7.3f} … {times[-1]:7.3f} s  {len(times):3} × {what}", flush=True)
            lab.wait_for_adapters()


def measure_first_reports() -> None:
    """The number of 40 devices that a plain client receives in 4 s, with a chip that reports each once per scan, by the number
    of starts of discovery in this time: five windows each."""
    building = Building(40)
    with Lab(PLACES, propagation=LOSSLESS) as lab:
        _furnished(lab, building)
        for starts in (1, 2, 4):
            received = []
            for _ in range(5):
                done = lab.run("python3", "/lab/share/scan.py", "4", "{}", str(starts), timeout=60).must()
                received.append(len(json.loads(done.out)[adapter_address(0)]))
            print(f"  discovery started {starts} ×: {received}", flush=True)


def measure_consecutive_scans() -> None:
    """The number of 40 devices that each of four consecutive scans finds, by chip, and that a plain client receives in 4 s."""
    building = Building(40)
    with Lab(PLACES, propagation=LOSSLESS) as lab:
        _furnished(lab, building)
        install_roboprov(lab)
        for chip in CHIPS:
            _replug(lab, chip)
            found = []
            for seconds in SCANS:
                done = lab.run("roboprov", "scan", "--scan-time", str(seconds), "--output", "json", timeout=120).must()
                found.append(len(json.loads(done.out)["devices"]))
            plain = lab.run("python3", "/lab/share/scan.py", "4", "{}", "2", timeout=60)
            # With a chip that filters nothing, bluetoothd may have missed the end of a discovery (trap 59) and not reply.
            received = len(json.loads(plain.out)[adapter_address(0)]) if plain.code == 0 else "no reply"
            print(f"  chip {chip:14} scan --scan-time {SCANS}: {found}; a plain client in 4 s: {received}", flush=True)


def _apply(lab: Lab) -> tuple[float, int, list[dict[str, Any]]]:
    began = time.monotonic()
    done = lab.run("roboprov", "apply", "building.yaml", "--yes", "--reports", "/lab/share/reports", timeout=900)
    took = time.monotonic() - began
    journal = lab.share / "reports/radio-lab/latest/journal.jsonl"
    return took, done.code, [json.loads(line) for line in journal.read_text().splitlines()]


def _charged(events: list[dict[str, Any]]) -> list[str]:
    failures = [
        event["data"]["failure"]["code"] for event in events if event["kind"] == "attempt_ended" and "failure" in event["data"]
    ]
    return sorted(code for code in failures if code not in HOST_FAILURES)


def measure_after_scan() -> None:
    """The time of a run over 12 rooms right after a scan, without one, and right after another client's scan, in turn, each
    with sensors from the factory."""
    building, before = Building(12), {
        "nothing": None,
        "scan": ["roboprov", "scan", "--scan-time", "4"],
        "bluetoothctl": ["bluetoothctl", "--timeout", "3", "scan", "on"],
    }  # fmt: skip
    took: dict[str, list[float]] = {name: [] for name in before}
    with Lab(PLACES, propagation=LOSSLESS) as lab:
        _furnished(lab, building)
        install_roboprov(lab)
        for _ in range(3):
            for name, command in before.items():
                _fresh_sensors(lab, building)
                lab.run("sh", "-c", "rm -rf /lab/share/reports").must()
                # bluetoothd forgets a device that no client has discovered for half a minute.
                lab.run("sleep", "35", timeout=60)
                if command:
                    lab.run(*command, timeout=120).must()
                seconds, code, events = _apply(lab)
                took[name].append(seconds)
                print(f"  after {name:12} {seconds:6.1f} s, exit {code}, charged: {_charged(events)}", flush=True)
    for name, values in took.items():
        print(
            f"  after {name:12} median {statistics.median(values):6.1f} s, {min(values):.1f} to {max(values):.1f} s", flush=True
        )


def measure_charged() -> None:
    """Attempts charged to healthy sensors in 20 runs over 15 rooms: 10 with a restart of bluetoothd in the middle, 10 beside
    `bluetoothctl scan on`."""
    building = Building(15)
    total = 0
    with Lab(PLACES, propagation=LOSSLESS) as lab:
        _furnished(lab, building)
        install_roboprov(lab)
        for number in range(20):
            _fresh_sensors(lab, building)
            lab.run("sh", "-c", "rm -rf /lab/share/reports").must()
            since = len(lab.radio.events)
            other = None
            if number % 2:
                other = lab.agent.start("bluetoothctl", "scan", "on")
                time.sleep(1)
            running = lab.agent.start(
                "roboprov",
                "apply",
                "building.yaml",
                "--yes",
                "--reports",
                "/lab/share/reports",
                env={"HOME": "/root", "TMPDIR": "/tmp"},
            )
            if other is None:
                lab.radio.wait_for("connected", times=2 + number // 2, timeout=240, since=since)
                lab.bluetoothd("restart")
            done = running.wait(900)
            if other is not None:
                other.signal("KILL")
                other.wait(10)
            lab.wait_for_adapters()
            journal = lab.share / "reports/radio-lab/latest/journal.jsonl"
            found = _charged([json.loads(line) for line in journal.read_text().splitlines()])
            total += len(found)
            way = "beside bluetoothctl scan on" if number % 2 else "with a restart"
            print(f"  run {number + 1:2} {way:28} exit {done.code}, charged: {found}", flush=True)
    print(f"  charged in 20 runs: {total}", flush=True)
