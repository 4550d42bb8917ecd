"""Measurements of the real stack, for docs/internals/bluez.md."""

import json
import statistics
import struct
import time
from typing import Any

import pytest
from lab.lab import Lab, adapter_address
from scenarios.building import Building
from scenarios.scenario import install_roboprov

from . import stages

pytestmark = pytest.mark.measure

STEADY: dict[str, float] = {"shadowing": 0, "loss": 0}  # The distance alone sets the RSSI, and no packet is lost by chance.


def _furnished(lab: Lab, building: Building, **details: Any) -> Lab:
    lab.radio.do("add", sensors=[sensor | details for sensor in building.sensors])
    lab.copy_clients()
    return lab


def measure_rssi() -> None:
    """The number of RSSI reports of a sensor that does not move, by discovery filter and by duplicate filter of the chip."""
    building = Building(20)
    with Lab([(10, 4)]) as lab:
        _furnished(lab, building)
        for duplicates, memory in (("none", 0), ("by_data", 12), ("by_data", 1000), ("strict", 1000)):
            lab.unplug(0)
            lab.run("sleep", "1")
            lab.plug(0, duplicates=duplicates, memory=memory)
            lab.wait_for_adapters()
            for wishes in ({}, {"DuplicateData": False}, {"RSSI": -127}, {"Pattern": "Robo"}):
                done = lab.run("python3", "/lab/share/scan.py", "15", json.dumps(wishes), timeout=60).must()
                received = json.loads(done.out)[adapter_address(0)]
                reports = sorted(sensor["reports"] for sensor in received.values())
                middle = reports[len(reports) // 2] if reports else 0
                print(
                    f"chip {duplicates:8} {memory:4}  filter {json.dumps(wishes):45} received {len(received):2} of 20;"
                    f" RSSI reports in 15 s: {reports[:1]} … {middle} … {reports[-1:]}",
                    flush=True,
                )


def measure_connections() -> None:
    """The time of a connection, and the result of one connection too many."""
    building = Building(12)
    with Lab([(10, 4)]) as lab:
        _furnished(lab, building)
        for limit in (3, 5, 7):
            lab.unplug(0)
            time.sleep(1)
            lab.plug(0, connections=limit)
            lab.wait_for_adapters()
            addresses = [room.address for room in building.rooms[: limit + 2]]
            print(f"a chip for {limit} connections, asked for {limit + 2}:")
            print(lab.run("python3", "/lab/share/hold.py", adapter_address(0), *addresses, timeout=200).out, flush=True)


def measure_names() -> None:
    """Whether a connection overwrites `Name`: a sensor advertises `Robo Sensor` and has another name in its GAP service."""
    building = Building(1)
    with Lab([(1, 1)], propagation=STEADY) as lab:
        _furnished(lab, building, device_name="Other Name")
        print(lab.run("python3", "/lab/share/names.py", adapter_address(0), building.rooms[0].address, timeout=120).must().out)


def measure_windows() -> None:
    """The cost of discovery before a connection: until `StartDiscovery` replies, until any sensor and until the wanted sensor
    is received, until `StopDiscovery` replies, and until `Connect` replies; by the time of `Connect`, and by whether the chip
    reports a sensor once or repeatedly."""
    building = Building(8)
    addresses = [room.address for room in building.rooms]
    with Lab([(10, 4)], propagation=STEADY) as lab:
        _furnished(lab, building)
        for mode, duplicates in (
            ("at_once", "by_data"),
            ("later", "by_data"),
            ("discovering", "none"),
            ("discovering", "strict"),
        ):
            lab.unplug(0)
            lab.run("sleep", "1")
            lab.plug(0, duplicates=duplicates, memory=1000)
            lab.wait_for_adapters()
            some = addresses[:4] if mode == "discovering" else addresses
            done = lab.run("python3", "/lab/share/windows.py", adapter_address(0), mode, *some, timeout=400).must()
            lines = [json.loads(line) for line in done.out.splitlines()]
            print(f"Connect {mode.replace('_', ' ')}, chip {duplicates}: {len(lines)} sensors; median, and the slowest, in s")
            for name in lines[0]:
                if name != "error":
                    values = sorted(line[name] for line in lines)
                    print(f"  {name:14} {statistics.median(values):7.3f} {values[-1]:7.3f}", flush=True)
            print("  refused:", [line["error"] for line in lines if "error" in line], flush=True)


def measure_pace() -> None:
    """The time of each stage and the devices per minute, with the kernel's default connection interval and with those that root
    can set; and the time until a rebooted sensor is received."""
    building = Building(8)
    with Lab([(10, 4)], propagation=STEADY) as lab:
        _furnished(lab, building)
        install_roboprov(lab)
        (lab.share / "building.yaml").write_text(building.manifest)
        for units in (None, 12, 6):
            # The kernel remembers the interval of known sensors, so it must not know any.
            lab.unplug(0)
            lab.run("sleep", "1")
            lab.plug(0)
            lab.wait_for_adapters()
            if units is not None:
                _set_interval(lab, units, units)
            _run_and_print(lab, building, f"interval {units * 1.25} ms" if units else "the kernel's own interval")


def _set_interval(lab: Lab, low: int, high: int) -> None:
    """Sets the connection interval in debugfs, in units of 1.25 ms."""
    lab.run("mount", "-t", "debugfs", "none", "/sys/kernel/debug")  # It may be mounted already.
    knob = "/sys/kernel/debug/bluetooth/hci0/conn_{}_interval"
    # The kernel refuses a minimum above the maximum, even for a moment.
    orders = [f"echo {low} >{knob.format('min')}", f"echo {high} >{knob.format('max')}"]
    lab.run("sh", "-c", "; ".join(orders + orders[:1])).must()


_LOAD_CONNECTION_PARAMETERS = "35"


def _connection_parameters(low: int, high: int, address: str) -> str:
    """Parameters for the management socket: one device with a public address, no latency, supervision timeout 420 ms."""
    return (
        struct.pack("<H", 1) + bytes.fromhex(address.replace(":", ""))[::-1] + struct.pack("<BHHHH", 1, low, high, 0, 42)
    ).hex()


def measure_parameters() -> None:
    """The connection interval that a sensor sees, for each user and way of setting it, each time with a sensor that the kernel
    does not know yet."""
    building = Building(5)
    addresses = [room.address for room in building.rooms]
    with Lab([(6, 2)], propagation=STEADY) as lab:
        _furnished(lab, building)

        def connect(label: str, address: str) -> None:
            since = len(lab.radio.events)
            lab.run("python3", "/lab/share/connect.py", adapter_address(0), address, timeout=120).must()
            seen = lab.radio.wait_for("connected", since=since)
            print(f"{label:58} {seen['interval_ms']} ms", flush=True)

        def as_installer(command: str) -> str:
            done = lab.run("busybox", "su", "installer", "-s", "/bin/sh", "-c", command)
            return (done.err or done.out).strip()

        connect("the kernel's own", addresses[0])
        _set_interval(lab, 12, 12)
        connect("debugfs 12 to 12", addresses[1])
        connect("debugfs 12 to 12, a sensor that was known before", addresses[0])
        print("debugfs, not root:", as_installer("echo 6 >/sys/kernel/debug/bluetooth/hci0/conn_min_interval"), flush=True)
        _set_interval(lab, 24, 40)
        command = (
            f"python3 /lab/share/management.py 0 {_LOAD_CONNECTION_PARAMETERS} {_connection_parameters(6, 6, addresses[2])}"
        )
        print("management socket, not root:", as_installer(command), flush=True)
        print("management socket, root:", lab.run("sh", "-c", command).out.strip(), flush=True)
        connect("management socket 6 to 6", addresses[2])
        main = "[LE]\\nMinConnectionInterval=8\\nMaxConnectionInterval=8\\n"
        lab.run("sh", "-c", f"mkdir -p /etc/bluetooth && printf '{main}' >/etc/bluetooth/main.conf").must()
        lab.run("/lab/bluetoothd", "stop").must()
        lab.run("/lab/bluetoothd", "start").must()
        lab.wait_for_adapters()
        connect("main.conf, [LE], 8 to 8, bluetoothd started again", addresses[3])


def _run_and_print(lab: Lab, building: Building, label: str) -> None:
    """Runs roboprov over all rooms, with sensors in factory state, and prints the times."""
    for room in building.rooms:
        lab.radio.do("reset", address=room.address)
    since = len(lab.radio.events)
    began = time.monotonic()
    done = lab.run("roboprov", "apply", "building.yaml", "--yes", "--reports", "/lab/share/reports", timeout=600)
    took = time.monotonic() - began
    intervals = {event["interval_ms"] for event in lab.radio.events[since:] if event["event"] == "connected"}
    print(f"{label}: exit {done.code}, on the air {sorted(intervals)} ms; {len(building.rooms)} rooms in {took:.1f} s,"
          f" {len(building.rooms) / took * 60:.1f} a minute", flush=True)  # fmt: skip
    journal = lab.share / "reports/radio-lab/latest/journal.jsonl"
    stages.main([str(journal)])
    # Both are durations, each of one clock: from SAVE to the first advertisement, and from SAVE to its proof.
    saved, booted = (
        {n["address"]: n["at"] for n in lab.radio.events[since:] if n["event"] == event} for event in ("save", "booted")
    )
    late = sorted(proof - (booted[address] - saved[address]) for address, proof in stages.proofs(str(journal)).items())
    print(f"received after it began to advertise: median {statistics.median(late):.2f} s, at most {late[-1]:.2f} s"
          " (including its way to the sensor)\n", flush=True)  # fmt: skip
