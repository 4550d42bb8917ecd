"""`roboprov walk --phone` as a whole, with phones in a real browser: one that works, and one that is let in at the laptop."""

import contextlib
import os
import pathlib
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence

import pytest
from chromium import Chromium
from test_page import FOLDER
from test_phone import photograph, picture, settle, tap, text, wait_text
from test_serve import PROGRAM, WHEN

BUILDING = """
building: Harbour House
id: harbour
match: later
rooms:
  - { room: Room 101, minor: 101, floor: "1" }
  - { room: Room 102, minor: 102, floor: "1" }
  - { room: Room 201, minor: 201, floor: "2" }
"""
# The second sensor has the same last four characters as the first; the third is that of the code in Tests/Photos/Codes.
SENSORS = ["C4:7C:8D:6A:10:01", "C4:7C:8D:6B:10:01", "C4:7C:8D:00:00:01"]
SCENARIO = """
speed: 20
adapters: [{ name: hci0, address: "00:1A:7D:DA:71:13" }]
sensors:
""" + "".join(f'  - {{ address: "{sensor}" }}\n' for sensor in SENSORS)


class Walk:
    """The command, with a virtual building: that of the scenario, or one on a bus that the environment names."""

    def __init__(
        self,
        folder: pathlib.Path,
        building: str = BUILDING,
        scenario: str | None = SCENARIO,
        options: Sequence[str] = (),
        environment: dict[str, str] | None = None,
    ) -> None:
        self.folder = folder
        (folder / "building.yaml").write_text(building)
        rehearsal: list[str] = []
        if scenario is not None:
            (folder / "scenario.yaml").write_text(scenario)
            rehearsal = ["--simulate", "--scenario", "scenario.yaml"]
        self.errors = folder / "errors"
        with self.errors.open("w") as errors:
            self.process = subprocess.Popen(
                [PROGRAM.resolve(), "walk", "building.yaml", "--phone", *rehearsal, *options],
                cwd=folder,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                env=os.environ | {"XDG_CONFIG_HOME": str(folder)} | (environment or {}),
            )
        assert self.process.stdout
        self.address = self.process.stdout.readline().strip()
        assert self.address.startswith("http://127.0.0.1:"), self.errors.read_text()

    def says(self, words: str) -> None:
        """Waits until the laptop has said this."""
        for _ in range(600):
            if words in self.errors.read_text():
                return
            time.sleep(0.1)
        raise AssertionError(self.errors.read_text())

    def type(self, line: str) -> None:
        assert self.process.stdin
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()


@pytest.fixture
def walk(tmp_path: pathlib.Path) -> Iterator[Walk]:
    walk = Walk(tmp_path)
    yield walk
    if walk.process.poll() is None:
        walk.process.send_signal(signal.SIGINT)
        walk.process.wait(60)


def begin(browser: Chromium, name: str) -> None:
    # The page that waits for the laptop loads itself again and again.
    for _ in range(600):
        with contextlib.suppress(RuntimeError):
            if browser.run("!!document.querySelector('#who')"):
                break
        time.sleep(0.1)
    browser.run(WHEN % "document.querySelector('#who')?.checkVisibility()")
    tap(browser, "#name")
    browser.call("Input.insertText", text=name)
    tap(browser, "=Start")


def open_address(browser: Chromium, walk: Walk) -> None:
    browser.view(width=360, height=740)
    browser.call("Emulation.setTouchEmulationEnabled", enabled=True)
    browser.visit(walk.address)


def test_two_phones_do_a_building(walk: Walk) -> None:
    with Chromium() as anna, Chromium() as ben:
        open_address(anna, walk)
        begin(anna, "Anna")
        assert walk.address.rsplit("/", 1)[1] not in anna.run("document.documentElement.outerHTML + location.href")
        tap(anna, "#list .next")
        for key in "1001":
            tap(anna, f"={key}")
        # Two end so, once both are received: the characters before decide.
        while "2 devices on air have labels that end in 1001: type more digits" not in text(anna, "#answer"):
            settle(anna)
            tap(anna, "#delete")
            tap(anna, "=1")
        assert not anna.run("document.querySelectorAll('#candidates button').length")

        open_address(ben, walk)
        code = text(ben, ".code")
        ben.picture(FOLDER / "phone-waiting-360.png")
        walk.says("asks to work: type the four digits that it shows")
        walk.type("0000" if code != "0000" else "0001")
        walk.says("No phone that waits shows")
        walk.type(code)
        begin(ben, "Ben")
        wait_text(ben, "#list .next", "Next: Room 102")

        for _ in range(4):
            tap(anna, "#delete")
        for key in "6A1001":
            tap(anna, f"={key}")
        wait_text(anna, "#candidates", SENSORS[0])
        tap(anna, "#candidates button")
        wait_text(anna, "#big", "Room 101 done")
        assert anna.run("document.body.dataset.rung") == "true"
        wait_text(ben, "#rooms", "✓ done")
        assert ben.run("document.body.dataset.rung") is None

        # The room of another person is refused, and so is a device that has a room.
        tap(ben, "#list .next")
        wait_text(ben, "#room h1", "Room 102")
        tap(anna, "#back")
        tap(anna, "#rooms li:nth-child(2) button")
        wait_text(anna, "#answer", "Ben")
        tap(ben, "summary")
        tap(ben, "#label input")
        ben.call("Input.insertText", text=SENSORS[0])
        tap(ben, "=Use it")
        wait_text(ben, "#answer", "Room 101")
        settle(ben)

        # A photo of the label is enough.
        floor = "(s => { s.value = '2'; s.dispatchEvent(new Event('change')); })(document.querySelector('#floor'))"
        tap(anna, "#back")
        anna.run(floor)
        tap(anna, "#list .next")
        wait_text(anna, "#room h1", "Room 201")
        label(walk.folder / "label.png")
        photograph(anna, walk.folder / "label.png")
        wait_text(anna, "#big", "Room 201 done")
        assert SENSORS[2] in text(anna, "#words")
        walk.says("Room 201 done")

    # All ends with the command; a room is left.
    walk.process.send_signal(signal.SIGINT)
    assert walk.process.wait(60) == 100


def label(path: pathlib.Path) -> None:
    """A photo of a label that says C47C8D000001."""
    modules = (pathlib.Path(__file__).parents[1] / "Photos/Codes/datamatrix.txt").read_text().split()
    # As large as that of a phone, so that the page makes it smaller.
    side = 90
    blank = [b"\xe6\xe6\xe6" * side * (len(modules[0]) + 8)] * side * 4
    shades = {"#": b"\x1e\x1e\x1e" * side, ".": b"\xe6\xe6\xe6" * side}
    rows = [b"".join(shades[module] for module in f"....{row}....") for row in modules]
    picture(path, blank + [row for row in rows for _ in range(side)] + blank)
