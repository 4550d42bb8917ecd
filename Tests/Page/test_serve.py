"""The page of `roboprov serve` in a real browser, while a journal grows line by line.

The lines are those of a run that `make test-page` writes; the test holds the building's lock as a run does.
"""

import fcntl
import json
import os
import pathlib
import signal
import statistics
import subprocess
import time
from collections.abc import Iterator
from typing import IO, Any

import pytest
from chromium import Chromium
from test_page import CONTRAST, FOLDER

PROGRAM = pathlib.Path(os.environ.get("ROBOPROV_PROGRAM", ".build/debug/roboprov"))
BUILDING = "harbour-house"

# Waits until a condition holds, and gives the time; the page is asked 100 times a second.
WHEN = "new Promise(done => { const ask = () => (%s) ? done(Date.now()) : setTimeout(ask, 10); ask(); })"


class Record:
    """The record of a building whose only run is in progress."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder / "reports" / BUILDING
        self.lines = (FOLDER / "journal.jsonl").read_bytes().splitlines(keepends=True)
        self.events: list[dict[str, Any]] = [json.loads(line) for line in self.lines]
        self.run = self.events[0]["data"]["run"]
        self.journal = self.folder / self.run / "journal.jsonl"
        self.journal.parent.mkdir(parents=True)
        self.done = 0
        self.lock: IO[str] | None = None

    def begin(self) -> None:
        """Takes the lock as a run does, and writes the first line."""
        self.lock = (self.folder / ".lock").open("w")
        fcntl.flock(self.lock, fcntl.LOCK_EX)
        self.lock.write(json.dumps({"pid": os.getpid(), "run": self.run, "since": self.events[0]["at"]}) + "\n")
        self.lock.flush()
        self.write(1)

    def end(self) -> None:
        """Releases the lock."""
        if self.lock:
            self.lock.close()

    def write(self, count: int) -> None:
        """Appends this number of lines."""
        with self.journal.open("ab") as file:
            file.write(b"".join(self.lines[self.done : self.done + count]))
        self.done += count

    def write_up_to(self, kind: str) -> dict[str, Any]:
        """Appends the lines up to and with the next event of a kind, and gives its data."""
        place = next(i for i in range(self.done, len(self.events)) if self.events[i]["kind"] == kind)
        self.write(place + 1 - self.done)
        data: dict[str, Any] = self.events[place]["data"]
        return data

    def cell(self, room: str) -> str:
        """The cell of a room, in JavaScript."""
        place = [entry["room"] for entry in self.events[0]["data"]["rooms"]].index(room) + 1
        return f"document.querySelector('#grid a[href=\"#room-{place}\"]')"

    def ended(self, finished: dict[str, Any]) -> str:
        """Whether the page shows the outcome of a room, in JavaScript."""
        mark = "done" if finished["outcome"] == "provisioned" else "open"
        return f"{self.cell(finished['room'])}.className === '{mark}'"


class Served:
    """`roboprov serve` for such a record."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.record = Record(folder)
        self.process = subprocess.Popen(
            [PROGRAM, "serve", BUILDING, "--reports", folder / "reports"], stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout
        self.address = self.process.stdout.readline().strip()
        self.root, self.token = self.address.rsplit("/", 1)

    def end(self) -> None:
        self.process.send_signal(signal.SIGCONT)
        self.process.terminate()
        assert self.process.wait(60) == 0
        self.record.end()


@pytest.fixture
def served(tmp_path: pathlib.Path) -> Iterator[Served]:
    assert (FOLDER / "journal.jsonl").exists(), f"There is no journal in {FOLDER}: `make test-page` writes it."
    served = Served(tmp_path)
    yield served
    served.end()


@pytest.fixture(scope="module")
def browser() -> Iterator[Chromium]:
    with Chromium() as browser:
        yield browser


def show(browser: Chromium, served: Served, **view: Any) -> None:
    browser.view(**view)
    browser.visit(served.address)


def complaints(browser: Chromium) -> list[Any]:
    return [e["params"] for e in browser.events if e["method"] in ["Runtime.exceptionThrown", "Log.entryAdded"]]


def test_the_page_follows_the_journal_line_by_line(browser: Chromium, served: Served) -> None:
    record = served.record
    show(browser, served)
    assert "No run is on record" in browser.run("document.querySelector('#verdict').textContent")
    record.begin()
    browser.run(WHEN % "document.querySelectorAll('#grid a').length > 50")
    assert browser.run("document.querySelectorAll('#grid .floor').length") == 3
    record.write_up_to("attempt_started")
    browser.run(WHEN % "document.querySelectorAll('#grid .working').length > 0")
    assert "has been at work since" in browser.run("document.querySelector('#verdict').textContent")
    delays = []
    for _ in range(25):
        finished = record.write_up_to("room_finished")
        written = time.time()
        shown = browser.run(WHEN % record.ended(finished))
        delays.append(shown / 1000 - written)
    print(f"from the line to the page: median {statistics.median(delays):.2f} s, at most {max(delays):.2f} s")
    assert statistics.median(delays) < 1
    tally = browser.run("document.querySelector('#grid .floor p').textContent")
    done = browser.run("document.querySelectorAll('#grid .floor:first-child .done').length")
    assert tally.split()[-1].startswith(f"{done}/")
    assert complaints(browser) == []


def test_the_token_is_in_no_place_that_is_kept(browser: Chromium, served: Served) -> None:
    show(browser, served)
    assert browser.run("location.href") == served.root + "/"
    assert browser.run("document.cookie") == ""
    assert served.token not in browser.run("document.documentElement.outerHTML + document.referrer")
    history = browser.call("Page.getNavigationHistory")["entries"]
    assert not [entry for entry in history if served.token in entry["url"]]
    cookies = browser.call("Network.getCookies")["cookies"]
    [cookie] = [cookie for cookie in cookies if cookie["name"] == f"roboprov-{served.root.rsplit(':', 1)[1]}"]
    assert (cookie["httpOnly"], cookie["sameSite"], cookie["session"]) == (True, "Lax", True)
    with Chromium() as stranger:
        stranger.visit(served.root + "/")
        assert "harbour" not in stranger.run("document.documentElement.outerHTML").lower()


LOST = "!document.querySelector('#lost').hidden"


def lose(browser: Chromium, served: Served) -> None:
    """The laptop is gone, and the phone sleeps for a minute."""
    served.process.send_signal(signal.SIGSTOP)
    browser.run("(now => { Date.now = () => now() + 60000; })(Date.now)")
    browser.run(WHEN % LOST)


def test_a_phone_that_slept_shows_since_when_and_gets_the_state_again(browser: Chromium, served: Served) -> None:
    record = served.record
    record.begin()
    show(browser, served, width=360, height=740)
    browser.run(WHEN % "document.querySelectorAll('#grid a').length > 50")
    assert not browser.run(LOST)
    lose(browser, served)
    assert "No news since" in browser.run("document.querySelector('#lost').textContent")
    assert browser.run("document.documentElement.scrollWidth") <= 360
    browser.picture(FOLDER / "serve-lost-360.png")
    finished = record.write_up_to("room_finished")
    served.process.send_signal(signal.SIGCONT)
    browser.run(WHEN % "document.querySelector('#lost').hidden")
    browser.run(WHEN % record.ended(finished))


def test_what_is_the_same_in_a_new_state_stays(browser: Chromium, served: Served) -> None:
    record = served.record
    record.begin()
    record.write(len(record.lines) - record.done)
    show(browser, served)
    browser.run(WHEN % "document.querySelector('#verdict').textContent.includes('No run is at work')")
    browser.run("document.querySelector('#left li').kept = true")
    lose(browser, served)
    served.process.send_signal(signal.SIGCONT)
    browser.run(WHEN % "document.querySelector('#lost').hidden")
    assert browser.run("document.querySelector('#left li').kept")


def test_a_phone_that_stands_still_goes_on(served: Served) -> None:
    record = served.record
    record.begin()
    with Chromium() as browser:
        show(browser, served)
        browser.run(WHEN % "document.querySelectorAll('#grid a').length > 50")
        os.killpg(browser.process.pid, signal.SIGSTOP)
        for _ in range(10):
            finished = record.write_up_to("room_finished")
            time.sleep(0.3)
        os.killpg(browser.process.pid, signal.SIGCONT)
        browser.run(WHEN % record.ended(finished))


def test_an_interrupted_run_and_a_removed_record_are_shown(browser: Chromium, served: Served) -> None:
    record = served.record
    record.begin()
    record.write_up_to("attempt_started")
    show(browser, served)
    browser.run(WHEN % "document.querySelectorAll('#grid .working').length > 0")
    record.end()
    browser.run(WHEN % "document.querySelectorAll('#grid .working').length === 0")
    assert "it was interrupted" in browser.run("document.querySelector('#verdict').textContent")
    record.folder.rename(record.folder.with_name("aside"))
    browser.run(WHEN % "document.querySelector('#problem').textContent.includes('was removed')")
    assert browser.run("document.querySelectorAll('#grid a').length") > 50
    browser.picture(FOLDER / "serve-removed-1280.png")


def test_a_sound_when_a_room_of_the_chosen_floor_ends(browser: Chromium, served: Served) -> None:
    record = served.record
    record.begin()
    record.write_up_to("attempt_started")
    show(browser, served)
    browser.run(WHEN % "document.querySelectorAll('#sound option').length === 4")
    names = browser.run("[...document.querySelectorAll('#sound option')].map(o => o.textContent)")
    assert names == ["none", "Floor <i>2", "Floor 1", "Floor Ground"]
    choose = "(s => { s.value = '%d'; s.dispatchEvent(new Event('change')); delete document.body.dataset.rung; })"
    browser.run(choose % 0 + "(document.querySelector('#sound'))")
    finished = record.write_up_to("room_finished")
    browser.run(WHEN % record.ended(finished))
    assert browser.run("document.body.dataset.rung") is None
    browser.run(choose % 2 + "(document.querySelector('#sound'))")
    finished = record.write_up_to("room_finished")
    browser.run(WHEN % record.ended(finished))
    assert browser.run("document.body.dataset.rung") == str(finished["outcome"] == "provisioned").lower()


def test_hostile_names_are_text_and_everything_fits_a_phone(browser: Chromium, served: Served) -> None:
    record = served.record
    record.begin()
    record.write(len(record.lines) - record.done)
    for scheme in ["light", "dark"]:
        for width in [360, 1280]:
            show(browser, served, width=width, scheme=scheme)
            browser.run(WHEN % "document.querySelectorAll('#grid .done').length > 40")
            assert browser.run("document.title") != "owned"
            assert browser.run("document.querySelectorAll('script').length") == 1
            assert browser.run("document.querySelectorAll('img, main i:not(.cells i)').length") == 0
            assert browser.run("document.documentElement.scrollWidth") <= width
            worst = browser.run(CONTRAST)
            assert worst[0][0] >= 4.5, (scheme, worst)
            assert complaints(browser) == []
            browser.picture(FOLDER / f"serve-{width}-{scheme}.png", whole=True)
    # Advice is larger than the text around it.
    size = "parseFloat(getComputedStyle(document.querySelector('%s')).fontSize)"
    assert browser.run(size % ".advice") > 1.3 * browser.run(size % "body")
    chosen = browser.run(
        "[...document.querySelectorAll('#grid a')].map(a => (a.click(), document.querySelector('#chosen').textContent))"
    )
    assert any(text.startswith("<script>document.title='owned'</script>: done") for text in chosen), chosen
