"""Tells the stories of Tests/TraceTests to the real stack, and records what is seen on its bus:
`Tests/RadioLab/run --record [STORY…]`. Each is told several times, since only what stays the same counts."""

import json
import pathlib
import shutil
import subprocess
import sys
import time

from lab import guest_image, processes
from lab.errors import LabError
from lab.lab import Lab, sensor_address

TELLINGS = 5
TOOL = guest_image.PROJECT / ".build/release/bluez-trace"
STORIES = guest_image.PROJECT / "Tests/TraceTests/Stories"
RECORDINGS = guest_image.PROJECT / "Tests/TraceTests/Recordings"
# With a chip that filters duplicates it is a matter of chance whether a sensor is heard in the first tenth of a second or,
# when the kernel was not listening yet, 10 s later. So most stories want one that does not.
CHIPS = {None: {"duplicates": "none", "memory": 0}, "filters duplicates": {"duplicates": "by_data", "memory": 1000}}
PLACE = [2.0, 0.0]  # m from the adapter: near, so that nothing depends on how well the radio carries


class Recorder:
    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        self.sensors = 0
        self.chip: dict = {}
        subprocess.run(["strip", "-o", lab.share / "bluez-trace", TOOL], check=True)
        lab.run("sh", "-c", "cp /lab/share/bluez-trace /usr/bin/ && chmod 755 /usr/bin/bluez-trace").must()

    def origin(self) -> dict:
        version = self.lab.run("bluetoothctl", "--version").must().out.split()[-1]
        machine = self.lab.machine
        return {"recorded": {"bluez": version, "kernel": machine.kernel, "acceleration": machine.acceleration}}

    def record(self, story: pathlib.Path) -> str:
        shutil.copy(story, self.lab.share / "story.json")
        lines = [json.dumps(self.origin())]
        for telling in range(1, TELLINGS + 1):
            began = time.monotonic()
            lines += self._tell_if_possible(telling, json.loads(story.read_text())).splitlines()
            print(f"{story.stem}: {telling} of {TELLINGS}, {time.monotonic() - began:.0f} s", flush=True)
        return "\n".join(lines) + "\n"

    def _begin_anew(self, story: dict) -> None:
        """New sensors, and a bluetoothd that knows of none."""
        radio = self.lab.radio
        for number in range(1, self.sensors + 1):
            radio.do("power", address=sensor_address(number), on=False)
        if self.chip != CHIPS[story.get("chip")]:
            self.chip = CHIPS[story.get("chip")]
            self.lab.unplug(0)
            time.sleep(1)
            self.lab.plug(0, **self.chip)
        self.lab.run("sh", "-c", "/lab/bluetoothd stop; rm -rf /var/lib/bluetooth/*; /lab/bluetoothd start").must()
        radio.do("add", sensors=[
            {"address": sensor_address(number), "place": PLACE, "faults": faults}
            for number, faults in enumerate(story["sensors"], 1)
        ])  # fmt: skip
        self.sensors = len(story["sensors"])
        self.lab.wait_for_adapters()

    def _tell_if_possible(self, telling: int, story: dict) -> str:
        """A story may get stuck for reasons that are not its own, now and then."""
        for _ in range(2):
            try:
                self._begin_anew(story)
                return self._tell(telling)
            except LabError as error:
                print(f"once more: {error}", file=sys.stderr, flush=True)
        self._begin_anew(story)
        return self._tell(telling)

    def _tell(self, telling: int) -> str:
        folder = self.lab.share / "asked"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        running = self.lab.agent.start("bluez-trace", "/lab/share/story.json", str(telling), "/lab/share/asked")
        asked, began = 1, time.monotonic()
        while not running.ended:
            if time.monotonic() - began > 120:
                running.signal("KILL")
            question = folder / f"ask-{asked}"
            if question.exists():
                self._carry_out(question.read_text())
                (folder / f"done-{asked}").touch()
                asked += 1
            time.sleep(0.005)
        return running.wait().must().out

    def _carry_out(self, event: str) -> None:
        match event:
            case "unplug":
                self.lab.unplug(0)
            case "plug":
                self.lab.plug(0, **self.chip)
            case "kill bluetoothd" | "stop bluetoothd" | "start bluetoothd":
                self.lab.run("/lab/bluetoothd", event.split()[0], timeout=20).must()
            case "silence sensor 1":
                self.lab.radio.do("power", address=sensor_address(1), on=False)
            case _:
                raise LabError(f"Nobody here can “{event}”.")


def main(names: list[str]) -> int:
    stories = [story for story in sorted(STORIES.glob("*.json")) if not names or story.stem in names]
    if not TOOL.exists():
        print(f"There is no {TOOL}: `make trace` builds it.", file=sys.stderr)
        return 1
    stuck = 0
    with Lab([(0, 0)], propagation={"loss": 0}) as lab:
        recorder = Recorder(lab)
        for story in stories:
            try:
                recording = recorder.record(story)
            except LabError as error:
                # The others can still be told; what the file holds is what it held.
                print(f"{story.stem}: {error}", file=sys.stderr, flush=True)
                stuck += 1
                continue
            RECORDINGS.mkdir(exist_ok=True)
            (RECORDINGS / f"{story.stem}.jsonl").write_text(recording)
    return 1 if stuck else 0


if __name__ == "__main__":
    processes.turn_signals_into_exits()
    try:
        sys.exit(main(sys.argv[1:]))
    except LabError as error:
        sys.exit(f"radio lab: {error}")
