"""Runs the scenarios of Tests/TraceTests on the real stack, and records the signals on its bus (`make trace`). Each is recorded
several times: only observations that all recordings share count."""

import json
import pathlib
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest
from lab import guest_image, guests
from lab.errors import LabError
from lab.lab import Lab, sensor_address

REPETITIONS = 5
TOOL = guest_image.PROJECT / ".build/release/bluez-trace"
SCENARIOS = sorted((guest_image.PROJECT / "Tests/TraceTests/Scenarios").glob("*.json"))
RECORDINGS = guest_image.PROJECT / "Tests/TraceTests/Recordings"
# If a chip filters duplicates, its first report of a sensor may come before the kernel receives reports; the next report then
# comes 10 s later. So most scenarios use a chip that does not filter.
CHIPS: dict[str | None, dict[str, Any]] = {
    None: {"duplicates": "none", "memory": 0},
    "filters duplicates": {"duplicates": "by_data", "memory": 1000},
}
PLACE = [2.0, 0.0]  # m; near the adapter, so that no result depends on the propagation
TIMEOUT = 120  # s


class Recorder:
    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        self.sensors = 0
        self.chip: dict[str, Any] = {}
        subprocess.run(["strip", "-o", lab.share / "bluez-trace", TOOL], check=True)
        lab.run("sh", "-c", "cp /lab/share/bluez-trace /usr/bin/ && chmod 755 /usr/bin/bluez-trace").must()

    def origin(self) -> dict[str, Any]:
        version = self.lab.run("bluetoothctl", "--version").must().out.split()[-1]
        machine = self.lab.machine
        return {"recorded": {"bluez": version, "kernel": machine.kernel, "acceleration": machine.acceleration}}

    def record(self, path: pathlib.Path) -> str:
        """The lines of all repetitions."""
        shutil.copy(path, self.lab.share / "scenario.json")
        scenario = json.loads(path.read_text())
        lines = [json.dumps(self.origin())]
        for number in range(1, REPETITIONS + 1):
            began = time.monotonic()
            lines += self._run_with_retry(number, scenario).splitlines()
            print(f"{path.stem}: {number} of {REPETITIONS}, {time.monotonic() - began:.0f} s", flush=True)
        return "\n".join(lines) + "\n"

    def _run_with_retry(self, number: int, scenario: dict[str, Any]) -> str:
        """Runs a scenario, and repeats it once: occasionally a run stops for a reason outside its scenario."""
        for _ in range(2):
            try:
                self._reset(scenario)
                return self._run(number)
            except LabError as error:
                print(f"once more: {error}", file=sys.stderr, flush=True)
        self._reset(scenario)
        return self._run(number)

    def _reset(self, scenario: dict[str, Any]) -> None:
        """Creates new sensors, and starts bluetoothd without stored devices."""
        radio = self.lab.radio
        for number in range(1, self.sensors + 1):
            radio.do("power", address=sensor_address(number), on=False)
        chip = CHIPS[scenario.get("chip")]
        if self.chip != chip:
            self.chip = chip
            self.lab.unplug(0)
            time.sleep(1)
            self.lab.plug(0, **self.chip)
        self.lab.run("sh", "-c", "/lab/bluetoothd stop; rm -rf /var/lib/bluetooth/*; /lab/bluetoothd start").must()
        sensors = [
            {"address": sensor_address(number), "place": PLACE, "faults": faults}
            for number, faults in enumerate(scenario["sensors"], 1)
        ]
        radio.do("add", sensors=sensors)
        self.sensors = len(sensors)
        self.lab.wait_for_adapters()

    def _run(self, number: int) -> str:
        """`bluez-trace` writes each event that the lab must cause to a file, and waits for another file as the reply."""
        folder = self.lab.share / "asked"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        running = self.lab.agent.start("bluez-trace", "/lab/share/scenario.json", str(number), "/lab/share/asked")
        request, began = 1, time.monotonic()
        while not running.ended:
            if time.monotonic() - began > TIMEOUT:
                running.signal("KILL")
            file = folder / f"ask-{request}"
            if file.exists():
                self._cause(file.read_text())
                (folder / f"done-{request}").touch()
                request += 1
            time.sleep(0.005)
        return running.wait().must().out

    def _cause(self, event: str) -> None:
        match event:
            case "unplug":
                self.lab.unplug(0)
            case "plug":
                self.lab.plug(0, **self.chip)
            case "kill bluetoothd" | "stop bluetoothd" | "start bluetoothd":
                self.lab.run("/lab/bluetoothd", event.split(maxsplit=1)[0], timeout=20).must()
            case "silence sensor 1":
                self.lab.radio.do("power", address=sensor_address(1), on=False)
            case _:
                raise LabError(f"The lab cannot cause “{event}”.")


@pytest.fixture(scope="module")
def shared_lab() -> Iterator[Lab]:
    assert TOOL.exists(), f"There is no {TOOL}: `make trace` builds it."
    assert guests.chosen().release == "12", "TraceTests compare with 5.66."
    with Lab([(0, 0)], propagation={"loss": 0}) as lab:
        yield lab


@pytest.fixture(scope="module")
def recorder(shared_lab: Lab) -> Recorder:
    return Recorder(shared_lab)


@pytest.mark.record
@pytest.mark.parametrize("path", [pytest.param(path, id=path.stem) for path in SCENARIOS])
def test_scenario_can_be_recorded(recorder: Recorder, path: pathlib.Path) -> None:
    """A recording is written only if every repetition succeeded."""
    recording = recorder.record(path)
    RECORDINGS.mkdir(exist_ok=True)
    (RECORDINGS / f"{path.stem}.jsonl").write_text(recording)
