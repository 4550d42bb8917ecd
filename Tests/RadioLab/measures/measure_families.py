"""Measurements of devices that advertise rarely, can be rewritten or disconnect by themselves: the basis of their profiles."""

import json
import os
import statistics
from typing import Any

import pytest
from lab.lab import Lab, adapter_address
from lab.radio import firefly, iot_design_shop
from scenarios.building import Building

pytestmark = pytest.mark.measure

STEADY: dict[str, float] = {"shadowing": 0, "loss": 0}
BEACON, FIREFLY, KEYBOARD = (f"7C:DF:A1:00:02:0{number}" for number in range(3))
_NO_MIDI = "--noplugin=midi"
_MOMENT = firefly.ATTRIBUTES["moment"].to_hex_str("-").lower()
_ID = iot_design_shop.ATTRIBUTES["beacon_id"].to_hex_str("-").lower()


def _lab(*devices: dict[str, Any], plugins: bool = False, noise: int = 0, **propagation: float) -> Lab:
    """A lab with one adapter. `plugins`: whether bluetoothd loads the plugin that uses BLE-MIDI itself."""
    lab = Lab([(0, 0)], propagation=STEADY | propagation, kernel=os.environ.get("RADIOLAB_KERNEL"))
    lab.copy_clients()
    lab.radio.do("add", sensors=[{"place": [1, 0]} | device for device in devices])
    lab.radio.do("add", sensors=[sensor | {"place": [3, 0]} for sensor in Building(noise).sensors])
    if not plugins:
        lab.restart_bluetoothd(_NO_MIDI)
    return lab


def _steps(lab: Lab, address: str, *steps: str, timeout: float = 600) -> list[dict[str, Any]]:
    """The output of `steps.py`."""
    done = lab.run("python3", "/lab/share/steps.py", adapter_address(0), address, *steps, timeout=timeout).must()
    return [json.loads(line) for line in done.out.splitlines()]


def _step(log: list[dict[str, Any]], name: str) -> dict[str, Any]:
    return next(line for line in log if line.get("step", "").partition("=")[0] == name)


def _spread(values: list[float]) -> str:
    values = sorted(values)
    return (
        f"median {statistics.median(values):.2f} s, {values[0]:.2f} to {values[-1]:.2f} s of {len(values)}"
        if values
        else "never"
    )


def measure_scan_responses() -> None:
    """How an advertisement and its scan response arrive: an iBeacon whose service is in the scan response, among 20 other
    devices, as the first signal of a new object and as later signals, for each duplicate filter of the chip, near and at the
    edge of its range."""
    device = {"address": BEACON, "family": "iot-design-shop"}
    with _lab(device, noise=20, loss=0.01) as lab:
        for place in (1, 25):
            lab.radio.do("change", address=BEACON, place=[place, 0])
            for duplicates, memory in (("none", 0), ("by_data", 12), ("by_data", 1000), ("strict", 1000)):
                lab.unplug(0)
                lab.run("sleep", "1")
                lab.plug(0, duplicates=duplicates, memory=memory)
                lab.wait_for_adapters()
                log = _steps(lab, BEACON, "scan", *["receive=30", "wait=2", "forget"] * 12, "stop-scan")
                print(f"{place} m, chip {duplicates} {memory}:", _kinds(log), flush=True)


def _kinds(log: list[dict[str, Any]]) -> str:
    counts: dict[str, int] = {}
    for line in log:
        if line.get("signal") in ("added", "changed"):
            fields = [name for name in ("RSSI", "ManufacturerData", "UUIDs") if line.get(name)]
            if fields:
                kind = f"{line['signal']} with {'+'.join(fields)}"
                counts[kind] = counts.get(kind, 0) + 1
    return ", ".join(f"{number} × {kind}" for kind, number in sorted(counts.items()))


def measure_slow() -> None:
    """Connecting to a device that advertises rarely: the duration and result of `Connect`, and the lifetime of BlueZ's object
    meanwhile. The limit of an attempt is the kernel's default, the longest in bluetoothd's settings, and the longest that the
    kernel accepts."""
    device = {"address": FIREFLY, "family": "firefly", "place": [1, 0]}
    with _lab() as lab:
        for title, intervals in (
            ("the kernel's default limit", (0.5, 1, 2, 3, 3.8, 5, 10, 20)),
            ("main.conf, Autoconnecttimeout=16384", (5, 8, 10, 20)),
            ("management socket, 65535 ms", (10, 15, 19, 20, 30)),
        ):
            if title.startswith("main"):
                _configure(lab, "[LE]", "Autoconnecttimeout=16384")
            elif title.startswith("management"):
                # Set Default System Configuration, parameter 0x001b.
                lab.run("python3", "/lab/share/management.py", "0", "4c", "1b0002ffff").must()
            print(title, flush=True)
            for interval in intervals:
                lab.radio.do("add", sensors=[device | {"timing": {"advertising": interval}}])
                for _ in range(3 if interval < 4 else 2):
                    _connect_slowly(lab, interval)


def _connect_slowly(lab: Lab, interval: float) -> None:
    log = _steps(lab, FIREFLY, "scan", "receive=60", "stop-scan", "connect=90", "disconnect", "forget")
    asked = _step(log, "stop-scan")["at"]
    link = [round(line["at"] - asked, 1) for line in log if line.get("Connected")]
    removed = [round(line["at"] - asked, 1) for line in log if line.get("signal") == "removed"]
    connect = _step(log, "connect")
    print(
        f"  every {interval} s: received after {_step(log, 'receive')['took']:.1f} s; Connect: {connect['took']:.2f} s,"
        f" {connect.get('failure', 'connected').strip()}; link after {link}, object removed after {removed}", flush=True,
    )  # fmt: skip


def _configure(lab: Lab, *lines: str) -> None:
    """Sets bluetoothd's settings, and plugs the adapter in again: some reach the kernel only when an adapter appears."""
    text = "".join(f"{line}\\n" for line in lines)
    lab.run("sh", "-c", f"mkdir -p /etc/bluetooth && printf '{text}' >/etc/bluetooth/main.conf").must()
    lab.bluetoothd("stop")
    lab.unplug(0)
    lab.bluetoothd("start")
    lab.plug(0)
    lab.wait_for_adapters()


def measure_commands() -> None:
    """A write without response: the time until `WriteValue` replies, the time from there until the device's own disconnect is
    signalled, and whether the write arrives if `Disconnect` follows at once. Also: whether a client can write to BLE-MIDI."""
    swift = {"advertising": 0.1}
    device = {"address": FIREFLY, "family": "firefly", "timing": swift | {"disconnects_after": 0.0}}
    connect = ["scan", "receive=20", "stop-scan", "connect=30", "resolved=20"]
    write = f"write={_MOMENT}:01020304:command"
    with _lab(device, plugins=True) as lab:
        log = _steps(lab, FIREFLY, *connect, write, "disconnect", "forget")
        print("bluetoothd as Debian starts it:", _step(log, "write").get("failure", "written"), flush=True)
        lab.restart_bluetoothd(_NO_MIDI)
        answers, ends = [], []
        for _ in range(10):
            log = _steps(lab, FIREFLY, *connect, write, "gone=20", "forget")
            answers.append(_step(log, "write")["took"])
            ends.append(_step(log, "gone")["at"] - _step(log, "write")["at"])
        print("bluetoothd -P midi. WriteValue replied:", _spread(answers), flush=True)
        print("its own disconnect signalled after that reply:", _spread(ends), flush=True)
        lab.radio.do("change", address=FIREFLY, faults={"stays": True})
        before, ends = len(lab.radio.sensors()[FIREFLY]["writes"]), []
        for _ in range(10):
            log = _steps(lab, FIREFLY, *connect, write, "disconnect", "gone=10", "forget")
            ends.append(_step(log, "disconnect")["took"])
        arrived = len(lab.radio.sensors()[FIREFLY]["writes"]) - before
        print(f"Disconnect right after the reply: {arrived} of 10 writes arrived; Disconnect took", _spread(ends), flush=True)
        since = len(lab.radio.sensors()[FIREFLY]["writes"])
        for _ in range(5):
            _steps(lab, FIREFLY, *connect, write, "forget", "wait=3")
        arrived = len(lab.radio.sensors()[FIREFLY]["writes"]) - since
        print(f"RemoveDevice right after the reply: {arrived} of 5 writes arrived", flush=True)
        lab.radio.do("change", address=FIREFLY, faults={"mute": True})
        log = _steps(lab, FIREFLY, *connect[:-2], "connect=60", "resolved=60", "gone=60", "disconnect", "forget")
        for line in log:
            print("  a device that stops responding once connected:", json.dumps(line), flush=True)


def measure_rewritten() -> None:
    """The time from the end of the link over which a beacon was written until its new data is received, and whether its old
    data is reported once more."""
    connect = ["scan", "receive=20", "stop-scan", "connect=30", "resolved=20"]
    for interval in (160, 800, 1600):
        device = {"address": BEACON, "family": "iot-design-shop", "flash": {"interval": interval}}
        with _lab(device, noise=10) as lab:
            delays, stale = [], 0
            for minor in range(1, 7):
                write = f"write={_ID}:0100{minor:02x}00:request"
                # BlueZ either forgets the device first, as with roboprov, or keeps the object.
                end = ["disconnect", "forget"] if minor % 2 else ["disconnect"]
                log = _steps(lab, BEACON, *connect, "changes=10", write, *end, "scan", "wait=5", "stop-scan", "forget")
                ended = _step(log, "disconnect")["at"]
                data = [
                    (line["at"], line["ManufacturerData"]["76"])
                    for line in log
                    if "ManufacturerData" in line and line["at"] > ended
                ]
                wanted = f"0001{minor:04x}"
                stale += sum(wanted not in value for _, value in data)
                delays += [min(at for at, value in data if wanted in value) - ended] if data else []
            print(
                f"every {interval * 0.000625} s: new data received after Disconnect's reply:",
                _spread(delays),
                f"; old data reported {stale} times",
                flush=True,
            )


def measure_short_names() -> None:
    """The `Name` of a device whose advertised name is cut off and whose GAP service has the full name."""
    for short in (False, True):
        device = {"address": FIREFLY, "family": "firefly", "timing": {"advertising": 0.1}, "name_is_short": short}
        with _lab(device) as lab:
            scan = ["scan", "receive=20", "wait=1", "stop-scan"]
            log = _steps(
                lab, FIREFLY, *scan, "connect=30", "resolved=20", "wait=1", "disconnect", *scan, "forget", *scan, "forget"
            )
            for line in log:
                if "Name" in line or line.get("step") in ("forget", "scan", "resolved=20", "disconnect"):
                    texts = [line.get(key, "") for key in ("step", "signal", "Name")]
                    print(f"  {'shortened' if short else 'complete'}:", *texts, flush=True)
