"""Measures the work of a person at the rooms of a building, by each way to give a device: `measure_phone.py ROOMS BENCH`.

ROOMS rooms of a virtual building of 300 are done by each way, with the page on a phone of 360 pixels and at the terminal, in
real time. A room begins when the list of rooms is shown (at the terminal: when the room is asked for), and ends when its end
is on the screen. `Operator` makes each tap and key, and counts it. The machine's share of the time is measured. That of the
person is an estimate: the keystroke-level model's 0.5 s for each key when random letters are typed (Card, Moran, Newell: The
keystroke-level model for user performance time with interactive systems. Communications of the ACM 23 (7), 1980), also for
each tap. To walk, to read the label, and to aim the camera come on top.

BENCH is `roboprov-bench`, which serves the building in another process for the second table: memory and processor time of the
program with four phones. ROBOPROV_PROGRAM names the program.
"""

import contextlib
import fcntl
import os
import pathlib
import pty
import re
import select
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field

from chromium import Chromium
from photos import label
from PIL import Image
from test_phone import go_back, open_room, settle, tap, text, wait_text
from test_phone_walk import Walk, begin, open_address
from test_serve import PROGRAM, WHEN

BUILDING_ROOMS = 300
# Of the estimate: seconds for a key or a tap.
KEY_SECONDS = 0.5
# Where each device is switched on when the person is at its room: seconds from the start, and between two rooms.
FIRST_ON, NEXT_ON = 25, 20
TIMEOUT = 120


def room(number: int) -> str:
    """The name of a room, counted from 1."""
    return f"Room {number:03}"


def address(number: int) -> str:
    """The address of its device. The last four characters differ."""
    return ":".join(f"{0xC47C8D6A0000 + 37 * number:012X}"[place : place + 2] for place in range(0, 12, 2))


def digits(number: int) -> str:
    """Its label."""
    return address(number).replace(":", "")


def building() -> str:
    """The manifest."""
    rooms = "".join(f'  - {{ room: {room(number)}, minor: {number}, floor: "1" }}\n' for number in range(1, BUILDING_ROOMS + 1))
    return f"building: Bench\nid: bench\nmatch: later\nrooms:\n{rooms}"


def scenario(switched_on: int = 0) -> str:
    """The devices, as strong as in the corridors.

    The first `switched_on` are switched on one after the other, beside the person.
    """
    sensors = "".join(
        f'  - {{ address: "{address(number)}", '
        + (f"rssi: -40, appears: {FIRST_ON + NEXT_ON * (number - 1)}s }}\n" if number <= switched_on else "rssi: -75 }\n")
        for number in range(1, BUILDING_ROOMS + 1)
    )
    return f'speed: 1\nadapters: [{{ name: hci0, address: "00:1A:7D:DA:71:13" }}]\nsensors:\n{sensors}'


@dataclass
class Result:
    """What the rooms of one way took."""

    way: str
    taps: list[int] = field(default_factory=list)
    keys: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    def add(self, operator: "Operator", began: float) -> None:
        """Adds a room that has ended now, and begins to count anew."""
        self.seconds.append(time.monotonic() - began)
        self.taps.append(operator.taps)
        self.keys.append(operator.keys)
        operator.taps = operator.keys = 0

    def row(self) -> str:
        def range_of(counts: list[int]) -> str:
            middle = round(statistics.median(counts))
            return str(middle) + (f" (at most {max(counts)})" if max(counts) > middle else "")

        actions = statistics.median(a + b for a, b in zip(self.taps, self.keys, strict=True))
        return (
            f"| {self.way} | {range_of(self.taps)} | {range_of(self.keys)} | {statistics.median(self.seconds):.1f} | "
            f"{max(self.seconds):.1f} | {actions * KEY_SECONDS:.1f} |"
        )


class Operator:
    """Makes each tap and each key, and counts it."""

    def __init__(self) -> None:
        self.taps = self.keys = 0

    def tap(self, browser: Chromium, selector: str) -> None:
        self.taps += 1
        tap(browser, selector)

    def type(self, browser: Chromium, letters: str) -> None:
        """Types at the keyboard of the phone's screen."""
        for letter in letters:
            self.keys += 1
            browser.call("Input.insertText", text=letter)

    def press(self, terminal: "Terminal", keys: str) -> None:
        """Types at the terminal's keyboard."""
        for key in keys:
            self.keys += 1
            terminal.write(key)

    def scan(self, terminal: "Terminal", letters: str) -> None:
        """Pulls the trigger of a scanner, which types a line."""
        self.taps += 1
        terminal.write(letters + "\r")

    def photograph(self, browser: Chromium, selector: str, path: pathlib.Path) -> None:
        """Opens the camera. What is done in the camera's own program is neither done nor counted."""
        browser.call("Page.setInterceptFileChooserDialog", enabled=True)
        browser.events.clear()
        self.tap(browser, selector)
        opened = [event for event in browser.events if event["method"] == "Page.fileChooserOpened"]
        chosen = opened[0] if opened else browser.wait(lambda m: m.get("method") == "Page.fileChooserOpened", "the camera")
        browser.call("DOM.setFileInputFiles", backendNodeId=chosen["params"]["backendNodeId"], files=[str(path)])


class Terminal:
    """`roboprov walk` at a terminal of 80 columns."""

    def __init__(self, folder: pathlib.Path, scenario: str) -> None:
        (folder / "building.yaml").write_text(building())
        (folder / "scenario.yaml").write_text(scenario)
        self.output, self.place = "", 0
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.chdir(folder)
            environment = os.environ | {"XDG_CONFIG_HOME": str(folder), "TERM": "xterm"}
            command = [str(PROGRAM), "walk", "building.yaml", "--simulate", "--scenario", "scenario.yaml"]
            os.execve(command[0], command, environment)
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))

    def write(self, keys: str) -> None:
        os.write(self.terminal, keys.encode())

    def wait(self, pattern: str) -> str:
        """Waits until the terminal shows this after what it showed before; gives what it was."""
        deadline = time.monotonic() + TIMEOUT
        while True:
            if found := re.search(pattern, self.output[self.place :]):
                self.place += found.end()
                return found.group()
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.terminal], [], [], left)[0]:
                raise TimeoutError(f"{pattern} in {self.output[-2000:]!r}")
            self.output += os.read(self.terminal, 1 << 16).decode(errors="replace")

    def end(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        os.close(self.terminal)


# MARK: The ways on a phone


def until(browser: Chromium, condition: str) -> None:
    """Waits until the page fulfils a condition; rooms of others may be done before."""
    deadline = time.monotonic() + TIMEOUT
    look = (
        "new Promise(done => { let left = 500; "
        f"const ask = () => ({condition}) || !left-- ? done(left >= 0) : setTimeout(ask, 10); ask(); }})"
    )
    while not browser.run(look):
        if time.monotonic() > deadline:
            raise TimeoutError(f"{condition}: {browser.run('document.body.innerText')}")


def take(operator: Operator, browser: Chromium, again: Callable[[], None], device: str) -> None:
    """Takes the device that is offered, and asks again while there is none."""
    ready = "document.querySelector('#candidates button') || (%s && !document.querySelector('#sending').textContent)"
    while True:
        browser.run(WHEN % (ready % "document.querySelector('#answer').textContent"))
        if browser.run("!!document.querySelector('#candidates button')"):
            break
        again()
    assert device in text(browser, "#candidates"), (device, text(browser, "#candidates"))
    operator.tap(browser, "#candidates button")


def by_last_four(operator: Operator, browser: Chromium, number: int, folder: pathlib.Path) -> None:
    last = digits(number)[-4:]
    for key in last:
        operator.tap(browser, f"={key}")

    def again() -> None:
        operator.tap(browser, "#delete")
        operator.tap(browser, f"={last[-1]}")

    take(operator, browser, again, address(number))


def by_keypad(operator: Operator, browser: Chromium, number: int, folder: pathlib.Path) -> None:
    for key in digits(number):
        operator.tap(browser, f"={key}")


def by_field(operator: Operator, browser: Chromium, number: int, folder: pathlib.Path) -> None:
    # It stays open after the first room.
    if not browser.run("document.querySelector('#room details').open"):
        operator.tap(browser, "#room summary")
    operator.tap(browser, "#label input")
    operator.type(browser, digits(number))
    operator.tap(browser, "=Use it")


def by_photo(operator: Operator, browser: Chromium, number: int, folder: pathlib.Path) -> None:
    operator.photograph(browser, "#ways label.button", photo(folder, number))


def by_nearness(operator: Operator, browser: Chromium, number: int, folder: pathlib.Path) -> None:
    operator.tap(browser, "#near")
    take(operator, browser, lambda: operator.tap(browser, "#near"), address(number))


def photo(folder: pathlib.Path, number: int) -> pathlib.Path:
    """A photo of twelve megapixels of the label of a room's device."""
    path = folder / f"label-{number}.jpg"
    if not path.exists():
        sheet = label([("DataMatrix", digits(number))], 60)
        picture = Image.new("L", (4000, 3000), 120)
        picture.paste(sheet, ((4000 - sheet.width) // 2, (3000 - sheet.height) // 2))
        picture.convert("RGB").save(path, quality=90)
    return path


OnPhone = Callable[[Operator, Chromium, int, pathlib.Path], None]
ON_PHONE: dict[str, OnPhone] = {
    "phone: last four characters on its keys": by_last_four,
    "phone: whole label on its keys": by_keypad,
    "phone: whole label in the text field": by_field,
    "phone: photo of the label": by_photo,
    "phone: nothing typed, device just switched on": by_nearness,
}


def await_device(started: float, number: int) -> None:
    """Waits until a device that is switched on beside the person is received."""
    time.sleep(max(0, started + FIRST_ON + NEXT_ON * (number - 1) + 3 - time.monotonic()))


def on_phone(way: str, rooms: int) -> Result:
    """Does rooms by one way, on a phone."""
    result, operator, do = Result(way), Operator(), ON_PHONE[way]
    is_near = do is by_nearness
    with tempfile.TemporaryDirectory() as place, Chromium() as browser:
        folder = pathlib.Path(place)
        photos = [photo(folder, number) for number in range(1, rooms + 1)] if do is by_photo else []
        started = time.monotonic()
        walk = Walk(folder, building(), scenario(rooms if is_near else 0))
        try:
            open_address(browser, walk)
            begin(browser, "Anna")
            # As long as it takes to receive the devices.
            time.sleep(10)
            for number in range(1, rooms + 1):
                until(browser, f"document.querySelector('#list .next').innerText === 'Next: {room(number)}'")
                if is_near:
                    await_device(started, number)
                began = time.monotonic()
                operator.tap(browser, "#list .next")
                do(operator, browser, number, folder)
                until(browser, f"['{room(number)} done', '{room(number)} failed'].includes({BIG})")
                assert browser.run(BIG) == f"{room(number)} done"
                result.add(operator, began)
                settle(browser)
                go_back(browser)
        finally:
            walk.process.kill()
            walk.process.wait()
        assert len(photos) in [0, rooms]
    return result


BIG = "document.querySelector('#big').textContent"


# MARK: The ways at the terminal


def type_last_four(operator: Operator, terminal: Terminal, number: int) -> None:
    while True:
        operator.press(terminal, digits(number)[-4:] + "\r")
        if "Take" in terminal.wait(rf"{address(number)}[^?]*Take\s+it\?|No\s+free\s+device"):
            break
    # Sooner than that, the program takes Enter for the end of a line that a scanner typed.
    time.sleep(0.2)
    operator.press(terminal, "\r")


def type_whole(operator: Operator, terminal: Terminal, number: int) -> None:
    operator.press(terminal, digits(number) + "\r")


def scan_whole(operator: Operator, terminal: Terminal, number: int) -> None:
    operator.scan(terminal, digits(number))


def press_enter(operator: Operator, terminal: Terminal, number: int) -> None:
    terminal.wait(f"(New on air|Nearest): {address(number)}")
    operator.press(terminal, "\r")


AtTerminal = Callable[[Operator, Terminal, int], None]
AT_TERMINAL: dict[str, AtTerminal] = {
    "terminal: last four characters": type_last_four,
    "terminal: whole label": type_whole,
    "terminal: scanner": scan_whole,
    "terminal: nothing typed, device just switched on": press_enter,
}


def at_terminal(way: str, rooms: int) -> Result:
    """Does rooms by one way, at the terminal."""
    result, operator, do = Result(way), Operator(), AT_TERMINAL[way]
    is_near = do is press_enter
    with tempfile.TemporaryDirectory() as place:
        started = time.monotonic()
        terminal = Terminal(pathlib.Path(place), scenario(rooms if is_near else 0))
        try:
            for number in range(1, rooms + 1):
                terminal.wait(rf"\[{number}/{BUILDING_ROOMS}\] {room(number)}")
                if number == 1:
                    time.sleep(10)
                if is_near:
                    await_device(started, number)
                began = time.monotonic()
                do(operator, terminal, number)
                ended = terminal.wait(rf"[✓✗] {room(number)}[^\r\n]*")
                assert ended.startswith(f"✓ {room(number)} done"), ended
                result.add(operator, began)
        finally:
            terminal.end()
    return result


# MARK: Memory and processor time


@dataclass
class Cost:
    """What a process used up to now."""

    at: float
    processor: float
    kib: int

    @classmethod
    def of(cls, process: int) -> "Cost":
        fields = pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
        status = pathlib.Path(f"/proc/{process}/status").read_text()
        memory = re.search(r"VmRSS:\s+(\d+)", status)
        assert memory
        # Its own time, and that of the processes for photos that have ended.
        return cls(time.monotonic(), sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK"), int(memory[1]))

    def row(self, what: str, before: "Cost", most: int) -> str:
        used, took = self.processor - before.processor, self.at - before.at
        return f"| {what} | {took:.0f} | {used:.2f} | {100 * used / took:.1f} % | {max(self.kib, most) / 1024:.0f} |"


@contextlib.contextmanager
def served(bench: str) -> Iterator[str]:
    """The bus of a building in another process."""
    process = subprocess.Popen(
        [bench, "serve", "--sensors", str(BUILDING_ROOMS)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin
    assert process.stdout
    try:
        yield process.stdout.readline().strip()
    finally:
        process.stdin.close()
        process.wait(60)


class Costs:
    """The program with phones, and a building on a bus."""

    def __init__(self, count: int, rooms: int) -> None:
        self.count, self.rooms = count, rooms

    def rows(self, bench: str) -> list[str]:
        """The program without a phone, with phones that do nothing, and with phones that work."""
        with contextlib.ExitStack() as stack:
            folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory()))
            bus = stack.enter_context(served(bench))
            walk = Walk(folder, building(), None, environment={"DBUS_SYSTEM_BUS_ADDRESS": bus})
            stack.callback(walk.process.wait)
            stack.callback(walk.process.kill)
            process = walk.process.pid
            phones = [stack.enter_context(Chromium()) for _ in range(self.count)]
            time.sleep(5)
            rows = [self.idle(process, "no phone, idle")]
            for number, browser in enumerate(phones):
                open_address(browser, walk)
                if number:
                    browser.run(WHEN % "document.querySelector('.code')")
                    walk.says("asks to work")
                    walk.type(text(browser, ".code"))
                begin(browser, f"Person {number + 1}")
                wait_text(browser, "#list .next", "Next: ")
            rows.append(self.idle(process, f"{self.count} phones, idle"))
            before, most = Cost.of(process), 0
            with ThreadPoolExecutor() as pool:
                works = [pool.submit(self.work, browser, number) for number, browser in enumerate(phones)]
                while wait(works, 0.2).not_done:
                    most = max(most, Cost.of(process).kib)
                for work in works:
                    work.result()
            what = f"{self.count} phones do {self.count * self.rooms} rooms by the last four characters"
            return [*rows, Cost.of(process).row(what, before, most)]

    def idle(self, process: int, what: str) -> str:
        before = Cost.of(process)
        time.sleep(20)
        return Cost.of(process).row(what, before, 0)

    def work(self, browser: Chromium, place: int) -> None:
        """Does the rooms of one person."""
        operator = Operator()
        for number in range(place + 1, self.count * self.rooms + 1, self.count):
            # The sensors of `roboprov-bench serve` are numbered from 0.
            last = f"{number - 1:04X}"
            open_room(browser, number, room(number))
            for key in last:
                tap(browser, f"={key}")

            def again(key: str = last[-1]) -> None:
                tap(browser, "#delete")
                tap(browser, f"={key}")

            take(operator, browser, again, f"C4:7C:8D:00:{last[:2]}:{last[2:]}")
            until(browser, f"{BIG} === '{room(number)} done'")
            settle(browser)
            go_back(browser)


def main() -> None:
    """Prints the two tables."""
    rooms, bench = int(sys.argv[1]), sys.argv[2]
    print(f"Load before: {os.getloadavg()[0]:.2f}. {rooms} rooms of {BUILDING_ROOMS} by each way.\n", flush=True)
    print(
        "| way | taps | keys | machine, s (median) | machine, s (most) | person, s (estimate) |\n|---|---|---|---|---|---|",
        flush=True,
    )
    for way in ON_PHONE:
        print(on_phone(way, rooms).row(), flush=True)
    for way in AT_TERMINAL:
        print(at_terminal(way, rooms).row(), flush=True)
    print("\n| roboprov | s | processor time, s | of one processor | memory, MiB |\n|---|---|---|---|---|", flush=True)
    print("\n".join(Costs(4, max(1, rooms // 2)).rows(bench)), flush=True)


if __name__ == "__main__":
    main()
