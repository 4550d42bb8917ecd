"""What all stories share: a lab with a house in it, roboprov at work there, and the truth to hold its claims against."""

import json
import os
import pathlib
import shutil
import subprocess
import unittest

from lab import guest_image
from lab.agent import Done, Running
from lab.errors import LabError
from lab.lab import Lab

from .house import House

ROBOPROV = pathlib.Path(os.environ.get("ROBOPROV", guest_image.PROJECT / ".build/release/roboprov"))
CLIENTS = guest_image.PROJECT / "Tests/RadioLab/clients"

SUCCESS = ("provisioned", "provisioned_after_retry")
# No packet is lost by chance, and no sensor of a house is out of range: an attempt that fails is not the radio's either.
LOSSLESS = {"exponent": 1.6, "shadowing": 1, "loss": 0, "half_lost": -130}
# Reasons of an attempt that are the host's: they cost the device none of its retries.
NOT_THE_DEVICES = ("adapter_lost", "stack_lost", "host_paused", "unknown_to_stack")


def install_roboprov(lab: Lab) -> None:
    if not ROBOPROV.exists():
        raise LabError(f"There is no {ROBOPROV}: `make release` builds it.")
    # Without symbols, since under emulation each page of it costs time.
    subprocess.run(["strip", "-o", lab.share / "roboprov", ROBOPROV], check=True)
    lab.run("sh", "-c", "cp /lab/share/roboprov /usr/bin/roboprov && chmod 755 /usr/bin/roboprov").must()


class Story(unittest.TestCase):
    """Each story has a lab of its own, so that none can spoil another."""

    # The first is in the middle of the house, from where it reaches every room; the others are at its ends.
    places: list[tuple[float, float]] = [(10, 4), (0, 0), (21, 9)]
    rooms = 12
    seed = 1
    propagation: dict = {}
    chips: list[str] = []  # of the adapters, by their names in `lab.chips`; without, the ordinary one
    needs_roboprov = True
    bluetoothd_options = ""  # beyond Debian's own

    def setUp(self) -> None:
        self.house = House(self.rooms, self.seed)
        self.furnish()
        self.lab = self.enterContext(
            Lab(self.places, self.seed, self.propagation, os.environ.get("RADIOLAB_KERNEL") or None, self.chips)
        )
        if self.bluetoothd_options:
            self.lab.restart_bluetoothd(self.bluetoothd_options)
        if self.needs_roboprov:
            install_roboprov(self.lab)
        self.lab.radio.do("add", sensors=self.house.sensors)
        (self.lab.share / "building.yaml").write_text(self.house.manifest)
        self.said: list[str] = []

    def furnish(self) -> None:
        """Overridden to give the house's sensors their faults."""

    # --- roboprov ---

    def start(self, *arguments: str) -> Running:
        return self.lab.agent.start("roboprov", *arguments, env={"HOME": "/root", "TMPDIR": "/tmp"})

    def start_apply(self, *options: str) -> Running:
        return self.start("apply", "building.yaml", "--yes", "--reports", "/lab/share/reports", *options)

    def finish(self, running: Running, timeout: float = 600) -> Done:
        done = running.wait(timeout)
        self.said += [done.out, done.err]
        return done

    def apply(self, *options: str, timeout: float = 600) -> Done:
        return self.finish(self.start_apply(*options), timeout)

    @property
    def latest(self) -> pathlib.Path:
        return self.lab.share / "reports/radio-lab/latest"

    def report(self) -> dict[str, dict]:
        """The rooms of the latest report, by name."""
        report = json.loads((self.latest / "report.json").read_text())
        self.assertEqual(report["schema"], "roboprov/report/2")
        names = [room["room"] for room in report["rooms"]]
        self.assertEqual(sorted(names), sorted(room.name for room in self.house.rooms), "each room is there once")
        return {room["room"]: room for room in report["rooms"]}

    # --- The record ---

    def events(self, *kinds: str, run: pathlib.Path | None = None) -> list[dict]:
        """The events of a run's journal, by default the latest's, with these kinds or all. What a killed run has left
        may have a torn last line."""
        events = []
        for line in ((run or self.latest) / "journal.jsonl").read_text().splitlines():
            try:
                events.append(json.loads(line))
            except ValueError:
                break
        return [event for event in events if not kinds or event["kind"] in kinds]

    def charges(self, healthy: list[str] | None = None, run: pathlib.Path | None = None) -> list[str]:
        """Attempts of a run that count against a sensor that has no fault, by default against any: those that ended for
        another reason than the host's, and retries that follow on them."""
        events = self.events(run=run)
        names = {room["room"]: room["name"] for room in events[0]["data"]["rooms"]}
        found, last_code = [], {}
        for event in events:
            data, kind = event["data"], event["kind"]
            room = names.get(data.get("room"), "")
            if kind == "attempt_ended":
                failure = data.get("failure") or {}
                last_code[room] = failure.get("code")
                if failure and failure["code"] not in (*NOT_THE_DEVICES, "interrupted"):
                    text = failure.get("stack_text") or ""
                    found.append((room, f"{room}: attempt {data['number']} {failure['code']} after {data['seconds']:.3f} s {text}".strip()))
            elif kind == "retry_scheduled" and last_code.get(room) not in (*NOT_THE_DEVICES, None):
                found.append((room, f"{room}: retry after {last_code[room]}"))
        return [words for room, words in found if healthy is None or room in healthy]

    def check_nothing_charged(self, healthy: list[str] | None = None) -> None:
        self.assertEqual(self.charges(healthy), [], "attempts charged to healthy sensors")

    # --- The truth ---

    def check_truth(self) -> dict[str, dict]:
        """No claim without the flash to match it, and no device with anything of another room."""
        report, sensors = self.report(), self.lab.radio.sensors()
        for room in self.house.rooms:
            claimed, sensor = report[room.name], sensors[room.address]
            with self.subTest(room=room.name, outcome=claimed["outcome"], reason=claimed["reason"]):
                if claimed["outcome"] in (*SUCCESS, "already_provisioned"):
                    self.assertTrue(room.is_done(sensor), sensor)
                    self.assertEqual(claimed["address"], room.address)
                if claimed["outcome"] in SUCCESS:
                    self.assertIn(claimed["evidence"]["grade"], room.grades)
                    self.assertEqual(claimed["evidence"]["address"], room.address)
                    if hasattr(room, "minor"):
                        self.assertEqual(claimed["evidence"]["minor"], room.minor)
                elif room.is_touched(sensor) and claimed["outcome"] != "already_provisioned":
                    self.assertIn(claimed["outcome"], ("unconfirmed", "needs_hands", "failed", "cancelled"))
        self.check_no_mixture(sensors)
        return report

    def check_no_mixture(self, sensors: dict[str, dict]) -> None:
        """Every byte that a device was ever sent belongs to its own room."""
        for room in self.house.rooms:
            for write in sensors[room.address]["writes"]:
                with self.subTest(room=room.name, attribute=write["attribute"]):
                    self.assertTrue(room.fits(write), write)
        for bystander in self.house.bystanders:
            sensor = sensors[bystander["address"]]
            self.assertEqual((sensor["connections"], sensor["writes"]), (0, []), bystander)

    def check_all_done(self) -> dict[str, dict]:
        report = self.check_truth()
        open_rooms = {name: (room["outcome"], room["reason"]) for name, room in report.items() if room["outcome"] not in (*SUCCESS, "already_provisioned")}
        self.assertEqual(open_rooms, {})
        return report

    def check_clean(self) -> None:
        """Nothing of ours is left in BlueZ: no connection, no device on record, no discovery, no running process."""
        links = {a["address"]: a["connections"] for a in self.lab.radio.state()["adapters"] if a["connections"]}
        self.assertEqual(links, {}, "connections left open")
        # bluetoothd rewrites its cache all the time: that a file is gone again is no failure of find's.
        find = "find /var/lib/bluetooth -name info 2>/dev/null; true"
        stored = self.lab.run("sh", "-c", find).must().out.split()
        self.assertEqual(stored, [], "devices left in bluetoothd's storage")
        self.assertEqual(self.lab.run("pidof", "roboprov").out.strip(), "", "roboprov left running")
        objects = self.client("objects.py").must().out
        self.assertNotIn("Discovering", objects)

    def check_secrets(self) -> None:
        """No password in anything that roboprov has said or written."""
        from .house import NETWORKS

        texts = {"its output": "".join(self.said)}
        for file in (self.lab.share / "reports").rglob("*"):
            if file.is_file():
                texts[str(file)] = file.read_text(errors="replace")
        self.assertGreater(len(texts), 3)
        for place, text in texts.items():
            for _, password in NETWORKS.values():
                self.assertNotIn(password, text, place)

    # --- Others on the bus ---

    def client(self, name: str, *arguments: str, timeout: float = 60) -> Done:
        """Runs a client that is not ours in the guest."""
        return self.start_client(name, *arguments).wait(timeout)

    def start_client(self, name: str, *arguments: str) -> Running:
        shutil.copy(CLIENTS / name, self.lab.share / name)
        return self.lab.agent.start("python3", "-u", f"/lab/share/{name}", *arguments)

    def bluetoothd(self, action: str) -> None:
        """`start`, `stop` (in order), `kill` (by SIGKILL) or `restart`; checks that it took effect, or the test would
        prove nothing."""
        self.lab.bluetoothd(action)
        alive = self.lab.run("/lab/bluetoothd", "status").code == 0
        self.assertEqual(alive, action in ("start", "restart"), f"bluetoothd after {action}")
