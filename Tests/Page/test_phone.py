"""The page of `roboprov walk --phone` in a real browser as a phone: touch, camera, no reception, keyboard, screen reader."""

import importlib.resources
import json
import math
import pathlib
import struct
import time
import zlib
from collections.abc import Iterator
from typing import Any

import pytest
from chromium import Chromium
from phone_stub import Stub
from test_page import CONTRAST, FOLDER
from test_serve import LOST, WHEN

ADDRESS = "C4:7C:8D:00:A1:F3"
CANDIDATE: dict[str, Any] = {"device": ADDRESS, "name": "RoboSensor", "rssi": -61, "words": "RoboSensor, -61 dBm"}


@pytest.fixture
def stub() -> Iterator[Stub]:
    with Stub() as stub:
        stub.name = "Anna"
        yield stub


@pytest.fixture
def browser() -> Iterator[Chromium]:
    with Chromium() as browser:
        yield browser


def show(browser: Chromium, stub: Stub, **view: Any) -> None:
    browser.view(**({"width": 360, "height": 740} | view))
    browser.call("Emulation.setTouchEmulationEnabled", enabled=True)
    browser.visit(stub.address)
    browser.run(WHEN % "document.querySelector('section:not([hidden])')")


def tap(browser: Chromium, selector: str) -> None:
    """Touches an element in its middle, as a finger does."""
    find = f"document.querySelector({selector!r})"
    if selector.startswith("="):
        shown = "[...document.querySelectorAll('button')].filter(b => b.checkVisibility())"
        find = f"{shown}.find(b => b.textContent.trim() === {selector[1:]!r})"
    browser.run(WHEN % f"{find}?.checkVisibility()")
    x, y = browser.run(
        f"(e => {{ window.tapped = false;"
        f" addEventListener('click', () => {{ window.tapped = true; }}, {{ capture: true, once: true }});"
        f" e.scrollIntoView({{ block: 'center' }}); const r = e.getBoundingClientRect();"
        f" return [r.x + r.width / 2, r.y + r.height / 2]; }})({find})"
    )
    # The page ignores a tap at the place of another one that soon, unless it is for the same key.
    before = browser.touched
    if before and before[0] != selector and math.dist(before[1:3], (x, y)) < 40:
        time.sleep(max(0, before[3] + 0.5 - time.time()))
    browser.touched = (selector, x, y, time.time())
    touch(browser, *browser.touched[1:])
    # The browser makes the click later.
    browser.run(WHEN % "window.tapped")


def touch(browser: Chromium, x: float, y: float, at: float) -> None:
    browser.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}], timestamp=at)
    browser.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[], timestamp=at)


def go_back(browser: Chromium) -> None:
    """Goes from a room to the list. When the room ends meanwhile, its screen moves under the finger."""
    for _ in range(3):
        tap(browser, "#back")
        if browser.run(
            "new Promise(done => { let left = 100; const ask = () => !document.querySelector('#list').hidden || !left--"
            " ? done(left >= 0) : setTimeout(ask, 10); ask(); })"
        ):
            return
    raise AssertionError(text(browser, "body"))


def open_room(browser: Chromium, place: int, name: str) -> None:
    """Opens the room at a place of the list, which may move under the finger when other rooms change."""
    for _ in range(5):
        tap(browser, f"#rooms li:nth-child({place}) button")
        if browser.run("!document.querySelector('#room').hidden"):
            if text(browser, "#room h1") == name:
                return
            go_back(browser)
    raise AssertionError(text(browser, "body"))


def text(browser: Chromium, selector: str) -> str:
    shown: str = browser.run(f"document.querySelector({selector!r}).innerText.trim()")
    return shown


def wait_text(browser: Chromium, selector: str, part: str) -> None:
    found = f"document.querySelector({selector!r})"
    try:
        browser.run(WHEN % f"{found}.checkVisibility() && {found}.innerText.includes({json.dumps(part)})")
    except TimeoutError:
        kept = browser.run("localStorage.getItem('roboprov')")
        raise AssertionError(f"no {part!r} in {selector}. Kept: {kept}. The page:\n{text(browser, 'body')}") from None


def settle(browser: Chromium) -> None:
    """Waits until nothing is left to send."""
    browser.run(WHEN % "!document.querySelector('#sending').textContent")


def complaints(browser: Chromium) -> list[Any]:
    return [e["params"] for e in browser.events if e["method"] in ["Runtime.exceptionThrown", "Log.entryAdded"]]


def picture(path: pathlib.Path, rows: list[bytes]) -> None:
    """Writes a picture (PNG), whose rows have three bytes for each pixel."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", len(rows[0]) // 3, len(rows), 8, 2, 0, 0, 0)
    data = zlib.compress(b"".join(b"\0" + row for row in rows))
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b""))


def photograph(browser: Chromium, path: pathlib.Path) -> None:
    """Takes a photo: the picture comes from the camera's file."""
    root = browser.call("DOM.getDocument")["root"]["nodeId"]
    node = browser.call("DOM.querySelector", nodeId=root, selector="#photo")["nodeId"]
    browser.call("DOM.setFileInputFiles", nodeId=node, files=[str(path)])


def offline(browser: Chromium, is_offline: bool) -> None:
    browser.call("Network.emulateNetworkConditions", offline=is_offline, latency=0, downloadThroughput=-1, uploadThroughput=-1)


def do(stub: Stub) -> list[dict[str, Any]]:
    return [action for action in stub.done if action["do"] not in ["go"]]


def test_a_room_with_six_taps(browser: Chromium, stub: Stub) -> None:
    stub.name = None
    stub.answer = lambda action: {"words": "1 device matches", "candidates": [CANDIDATE]} if action["do"] == "digits" else {}
    show(browser, stub)
    # The name is asked for once.
    assert text(browser, "#who h1") == "Who works with this phone?"
    browser.picture(FOLDER / "phone-name-360.png")
    tap(browser, "#name")
    browser.call("Input.insertText", text="Anna")
    tap(browser, "=Start")
    wait_text(browser, "#list .next", "Next: Room 311")
    assert text(browser, "#me") == "Anna"
    browser.picture(FOLDER / "phone-rooms-360.png")

    tap(browser, "#list .next")
    for key in "A1F3":
        tap(browser, f"={key}")
    wait_text(browser, "#candidates", ADDRESS)
    browser.picture(FOLDER / "phone-candidate-360.png")
    assert "RoboSensor, -61 dBm" in text(browser, "#candidates")
    tap(browser, "#candidates button")
    settle(browser)
    assert do(stub) == [
        {"do": "digits", "room": "room-311", "text": "A1F3"},
        {"do": "bind", "room": "room-311", "device": ADDRESS},
    ]
    stub.change("room-311", state="working", by="Anna", device=ADDRESS)
    wait_text(browser, "#big", "At work")
    assert not browser.run("document.querySelector('#ways').checkVisibility()")
    stub.change("room-311", state="done")
    wait_text(browser, "#big", "Room 311 done")
    assert browser.run("document.body.dataset.rung") == "true"
    assert browser.run("parseFloat(getComputedStyle(document.querySelector('#big')).fontSize)") > 30
    browser.picture(FOLDER / "phone-done-360.png")
    tap(browser, "#room .next")
    wait_text(browser, "#room h1", "Room 312")
    assert complaints(browser) == []


def test_more_characters_while_several_match_and_a_failure_with_its_advice(browser: Chromium, stub: Stub) -> None:
    other: dict[str, Any] = CANDIDATE | {"device": "C4:7C:8D:10:A1:F3"}

    def answer(action: dict[str, Any]) -> dict[str, Any]:
        if action["do"] == "digits":
            found = [CANDIDATE] if len(action["text"]) > 4 else [CANDIDATE, other]
            return {"words": "More characters are needed", "candidates": found, "good": len(found) == 1}
        return {}

    stub.answer = answer
    show(browser, stub)
    tap(browser, "#list .next")
    for key in "A1F3":
        tap(browser, f"={key}")
    wait_text(browser, "#candidates", other["device"])
    # A tap must not decide between two.
    assert browser.run("document.querySelectorAll('#candidates button').length") == 0
    tap(browser, "#delete")
    for key in "30":
        tap(browser, f"={key}")
    browser.run(WHEN % "document.querySelectorAll('#candidates button').length === 1")
    assert text(browser, "#typed") == "A1F30"
    tap(browser, "#candidates button")
    stub.change(
        "room-311", state="failed", by="Anna", device=ADDRESS, words="It does not answer.", advice="Press its button for 3 s."
    )
    wait_text(browser, "#big", "Room 311 failed")
    assert "Press its button for 3 s." in text(browser, "#words")
    assert browser.run("document.body.dataset.rung") == "false"
    browser.picture(FOLDER / "phone-failed-360.png", whole=True)
    tap(browser, "=Again")
    settle(browser)
    assert do(stub)[-1] == {"do": "provision", "room": "room-311"}
    for button, verb in [("Skip", "skip"), ("Undo: Room 310", "undo")]:
        tap(browser, f"={button}")
        settle(browser)
        assert do(stub)[-1] == {"do": verb, "room": "room-311"}


def test_a_photo_is_sent_as_grey_of_two_megapixels_at_most(browser: Chromium, stub: Stub, tmp_path: pathlib.Path) -> None:
    # Red, whose grey is known.
    picture(tmp_path / "large.png", [b"\xff\0\0" * 4000] * 3000)
    picture(tmp_path / "small.png", [b"\xff\0\0" * 40] * 30)
    (tmp_path / "none.png").write_text("no picture")
    stub.answer = lambda action: {"words": "The label is taken"} if action["do"] == "photo" else {}
    show(browser, stub)
    assert browser.run("document.querySelector('#photo').getAttribute('capture')") == "environment"
    tap(browser, "#list .next")
    photograph(browser, tmp_path / "large.png")
    wait_text(browser, "#answer", "The label is taken")
    assert 1_995_000 < len(stub.photo) <= 2_000_000
    assert set(stub.photo) == {76}
    stub.answer = lambda action: {"words": "The second one is taken"} if action["do"] == "photo" else {}
    photograph(browser, tmp_path / "small.png")
    wait_text(browser, "#answer", "The second one is taken")
    photograph(browser, tmp_path / "none.png")
    wait_text(browser, "#news", "cannot read the picture")
    assert len(stub.photo) == 1200
    assert [action["do"] for action in do(stub)] == ["photo", "photo"]
    assert complaints(browser) == []


def test_the_nearest_a_question_and_a_typed_label(browser: Chromium, stub: Stub) -> None:
    answers: dict[str, dict[str, Any]] = {
        "near": {"words": "Just switched on", "candidates": [CANDIDATE, CANDIDATE | {"device": "C4:7C:8D:00:00:09"}]},
        "bind": {"words": "", "question": "Is every address 2 above its label?"},
    }
    stub.answer = lambda action: answers.get(action["do"], {})
    stub.rooms[1]["needsLabel"] = True
    show(browser, stub)
    tap(browser, "#list .next")
    tap(browser, "#near")
    wait_text(browser, "#candidates", "C4:7C:8D:00:00:09")
    tap(browser, "#candidates button")
    wait_text(browser, "#question", "2 above its label?")
    browser.picture(FOLDER / "phone-question-360.png")
    tap(browser, "=No")
    settle(browser)
    assert do(stub)[-1] == {"do": "answer", "room": "room-311", "yes": False}
    # A room that needs its whole label has no keys for a part of it.
    tap(browser, "#back")
    tap(browser, "#rooms li:nth-child(2) button")
    wait_text(browser, "#whole-only", "product's label")
    assert not browser.run("document.querySelector('#pad').checkVisibility()")
    tap(browser, "summary")
    tap(browser, "#label input")
    browser.call("Input.insertText", text="MT:Y.K9042C00KA0648G00")
    tap(browser, "=Use it")
    settle(browser)
    assert do(stub)[-1] == {"do": "label", "room": "room-312", "text": "MT:Y.K9042C00KA0648G00"}


def test_an_action_without_reception_is_kept_and_sent_once(browser: Chromium, stub: Stub) -> None:
    show(browser, stub)
    tap(browser, "#list .next")
    settle(browser)
    offline(browser, True)
    tap(browser, "=Skip")
    wait_text(browser, "#waits", "No reception")
    browser.picture(FOLDER / "phone-offline-360.png")
    assert do(stub) == []
    # The next room is open to everything but what needs an answer now.
    tap(browser, "#back")
    offline(browser, False)
    settle(browser)
    assert do(stub) == [{"do": "skip", "room": "room-311"}]


def test_an_answer_that_is_lost_does_not_make_an_action_happen_twice(browser: Chromium, stub: Stub) -> None:
    show(browser, stub)
    tap(browser, "#list .next")
    settle(browser)
    stub.answer = lambda action: {"words": "Skipped"}
    stub.fault, before = "lost", stub.requests
    tap(browser, "=Skip")
    wait_text(browser, "#waits", "No reception")
    while stub.requests < before + 2:
        browser.run("new Promise(done => setTimeout(done, 100))")
    stub.fault = 503
    browser.run("new Promise(done => setTimeout(done, 3000))")
    stub.fault = None
    wait_text(browser, "#answer", "Skipped")
    assert do(stub) == [{"do": "skip", "room": "room-311"}]


def test_a_page_that_was_closed_says_what_was_not_sent(browser: Chromium, stub: Stub) -> None:
    show(browser, stub)
    tap(browser, "#list .next")
    settle(browser)
    offline(browser, True)
    tap(browser, "=Skip")
    wait_text(browser, "#waits", "No reception")
    # The browser may send an action while it leaves a page that is offline, and it may arrive late.
    stub.fault = "busy"
    browser.visit("about:blank")
    offline(browser, False)
    browser.visit(stub.address)
    wait_text(browser, "#unsent", "Not sent before this page was closed: Room 311: Skip.")
    stub.fault = None
    browser.picture(FOLDER / "phone-unsent-360.png")
    tap(browser, "=I have seen it")
    assert do(stub) == []
    browser.visit(stub.address)
    browser.run(WHEN % "document.querySelector('#list .next').checkVisibility()")
    assert browser.run("document.querySelector('#unsent').hidden")
    # What the server had begun before is not said, and its number is not used again.
    tap(browser, "#list .next")
    settle(browser)
    stub.fault = "lost"
    tap(browser, "=Skip")
    wait_text(browser, "#waits", "No reception")
    browser.visit("about:blank")
    stub.fault = None
    browser.visit(stub.address)
    tap(browser, "#list .next")
    settle(browser)
    assert browser.run("document.querySelector('#unsent').hidden")
    tap(browser, "=Undo: Room 310")
    settle(browser)
    assert [action["do"] for action in do(stub)] == ["skip", "undo"]


def test_a_page_whose_first_question_got_no_answer_asks_again(browser: Chromium, stub: Stub) -> None:
    stub.fault = "unnamed"
    browser.visit(stub.address)
    browser.run(WHEN % "performance.getEntriesByName(new URL('me', location).href)[0]?.responseEnd")
    stub.fault = None
    wait_text(browser, "#list h1", "Hotel <i>")


def test_what_appears_does_not_move_skip_under_the_finger(browser: Chromium, stub: Stub) -> None:
    place = "(r => [r.x, r.y, r.width, r.height].join())(document.querySelector('[data-do=skip]').getBoundingClientRect())"
    undo = "document.querySelector('#undo')"
    stub.undo = None
    show(browser, stub)
    tap(browser, "#list .next")
    wait_text(browser, "#room", "Skip")
    settle(browser)
    before = browser.run(place)
    assert not browser.run(f"{undo}.checkVisibility({{ visibilityProperty: true }})")
    stub.people[0]["undo"] = "Room 310"
    stub.tell("change", {"rooms": [], "people": stub.people})
    browser.run(WHEN % f"{undo}.checkVisibility({{ visibilityProperty: true }})")
    assert browser.run(place) == before
    # A room that is taken cannot be skipped: Undo does not come in the place of Skip.
    left = f"{undo}.getBoundingClientRect().x"
    before = browser.run(left)
    stub.change("room-311", state="waiting", by="Anna")
    wait_text(browser, "#big", "Label taken")
    assert browser.run(left) == before


def test_a_phone_that_slept_gets_the_state_again_and_hears_of_its_room(browser: Chromium, stub: Stub) -> None:
    show(browser, stub)
    stub.change("room-311", state="working", by="Anna")
    wait_text(browser, "#rooms", "at work")
    assert not browser.run(LOST)
    # The network is another one, and a minute has gone.
    stub.fault = 503
    stub.end_events()
    browser.run("(now => { Date.now = () => now() + 60000; })(Date.now)")
    browser.run(WHEN % LOST)
    assert "No news since" in text(browser, "#lost")
    stub.rooms[0]["state"] = "done"
    stub.fault = None
    browser.run(WHEN % "document.querySelector('#lost').hidden")
    wait_text(browser, "#news", "Room 311 done")
    assert browser.run("document.body.dataset.rung") == "true"


def test_a_server_that_was_started_anew_is_named_as_such(browser: Chromium, stub: Stub) -> None:
    show(browser, stub)
    stub.fault = 403
    stub.end_events()
    browser.run("(now => { Date.now = () => now() + 60000; })(Date.now)")
    wait_text(browser, "#lost", "Scan its code")


def test_what_the_laptop_refuses_is_said_and_does_not_stop_the_rest(browser: Chromium, stub: Stub) -> None:
    show(browser, stub)
    tap(browser, "#list .next")
    settle(browser)
    stub.fault = 400
    tap(browser, "=Skip")
    wait_text(browser, "#news", "The laptop did not take this: Room 311: Skip.")
    stub.fault = None
    tap(browser, "=Undo: Room 310")
    settle(browser)
    assert do(stub) == [{"do": "undo", "room": "room-311"}]


def test_two_pages_of_one_browser_do_not_take_an_action_from_each_other(browser: Chromium, stub: Stub) -> None:
    show(browser, stub)
    tap(browser, "#list .next")
    settle(browser)
    # Another page of this browser was faster.
    stub.number += 1
    stub.last = "{}"
    before = stub.number
    stub.number += 3
    tap(browser, "=Skip")
    settle(browser)
    assert do(stub) == [{"do": "skip", "room": "room-311"}]
    assert stub.number > before


def test_other_people_and_other_floors(browser: Chromium, stub: Stub) -> None:
    stub.people.append({"phone": 2, "name": "Ben", "room": "room-311"})
    stub.people.append({"phone": 3, "name": "Anna", "room": "room-312"})
    show(browser, stub)
    # A room where somebody works is not the next one, not even if the name is the same.
    wait_text(browser, "#list .next", "Next: Room 313")
    for name in ["Ben", "Anna"]:
        assert f"{name} is here" in text(browser, "#rooms")
    assert len(text(browser, "#rooms").split("Room")) == 5
    browser.run("(s => { s.value = '4'; s.dispatchEvent(new Event('change')); })(document.querySelector('#floor'))")
    wait_text(browser, "#list .next", "Next: Room 401")
    browser.visit(stub.address)
    wait_text(browser, "#list .next", "Next: Room 401")
    for room in ["room-401", "room-402"]:
        stub.change(room, state="done", by="Ben")
    wait_text(browser, "#list .next", "No room is left on this floor")
    assert browser.run("document.body.dataset.rung") is None, "Ben's rooms sound at Ben's phone"
    stub.answer = lambda action: {"words": "Ben is at Room 311", "good": False}
    browser.run("(s => { s.value = '3'; s.dispatchEvent(new Event('change')); })(document.querySelector('#floor'))")
    tap(browser, "#rooms li:first-child button")
    wait_text(browser, "#answer", "Ben is at Room 311")


def test_it_can_be_used_with_a_keyboard_and_a_scanner(browser: Chromium, stub: Stub) -> None:
    stub.answer = lambda action: {"candidates": [CANDIDATE]} if action["do"] == "digits" else {}
    show(browser, stub)
    assert browser.run("document.activeElement.tagName") == "H1"
    browser.press("Tab")
    browser.press("Enter", text="\r")
    wait_text(browser, "#room h1", "Room 311")
    assert browser.run("document.activeElement.textContent") == "Room 311"
    for key in "00a1f3":
        browser.press(key, text=key)
    browser.press("Backspace")
    wait_text(browser, "#typed", "00A1F")
    settle(browser)
    browser.run(WHEN % "document.querySelector('#candidates button')")
    for _ in range(40):
        if browser.run("!!document.activeElement.closest('#candidates')"):
            break
        browser.press("Tab")
    browser.press("Enter", text="\r")
    settle(browser)
    assert do(stub)[-1] == {"do": "bind", "room": "room-311", "device": ADDRESS}
    assert do(stub)[-2] == {"do": "digits", "room": "room-311", "text": "00A1F"}
    # A scanner gives the whole address.
    for key in "c47c8d00a1f3":
        browser.press(key, text=key)
    browser.run(WHEN % "!document.querySelector('#typed').textContent.startsWith('C')")
    assert do(stub)[-1] == {"do": "label", "room": "room-311", "text": "C47C8D00A1F3"}


# Everything that can be touched, with its size.
TARGETS = """[...document.querySelectorAll("button,select,summary,input,label.button")]
  .filter(e => e.checkVisibility() && !e.closest("[hidden]")).map(e => { const r = e.getBoundingClientRect();
  return [Math.min(r.width, r.height), e.outerHTML.slice(0, 60)]; }).sort((x, y) => x[0] - y[0])"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_screen_fits_a_phone_and_is_read_aloud(browser: Chromium, stub: Stub, scheme: str) -> None:
    axe = (importlib.resources.files("axe_core_python") / "axe.min.js").read_text()
    stub.answer = lambda action: {"candidates": [CANDIDATE], "words": "A device matches"} if action["do"] == "digits" else {}
    for place, state in enumerate(["done", "failed", "working", "left"]):
        stub.rooms[place] |= {
            "state": state,
            "by": "Anna",
            "words": "It does not answer.",
            "device": ADDRESS,
            "canIdentify": True,
        }

    def check(name: str) -> None:
        assert browser.run("document.documentElement.scrollWidth") <= 360, name
        targets = browser.run(TARGETS)
        assert targets[0][0] >= 44, (name, targets[0])
        worst = browser.run(CONTRAST)
        assert worst[0][0] >= 4.5, (name, worst)
        browser.run(axe + "; 0")
        found = browser.run("axe.run().then(r => r.violations.map(v => [v.id,"
                            " v.nodes[0].html]))")  # fmt: skip
        assert found == [], (name, found)
        browser.picture(FOLDER / f"phone-{name}-{scheme}.png", whole=True)

    show(browser, stub, scheme=scheme)
    check("list")
    assert browser.run("document.querySelectorAll('i, img').length") == 0, "the building's name is text"
    for place, name in enumerate(["done", "failed", "working", "left"]):
        tap(browser, f"#rooms li:nth-child({place + 1}) button")
        wait_text(browser, "#room h1", f"Room 31{place + 1}")
        settle(browser)
        if name == "left":
            for key in "A1F3":
                tap(browser, f"={key}")
            wait_text(browser, "#candidates", ADDRESS)
            tap(browser, "summary")
            # What a screen reader says of the parts without a text of their own.
            nodes = browser.call("Accessibility.getFullAXTree")["nodes"]
            names = {(node["role"]["value"], node["name"]["value"]) for node in nodes if node.get("name")}
            assert {
                ("group", "The last four characters of the label"), ("button", "Delete the last character"), ("button", "A"),
                ("textbox", "The label's text"), ("heading", "Room 314"),
            } <= names  # fmt: skip
            assert "Photo of the label" in " ".join(name for _, name in names)
        check(name)
        tap(browser, "#back")
    tap(browser, "#rename")
    check("who")
    assert complaints(browser) == []


def tap_twice(browser: Chromium, selector: str) -> None:
    """Touches an element, and the same place again 0.2 s later by the clock of the browser, however busy the machine is."""
    tap(browser, selector)
    assert browser.touched
    _, x, y, at = browser.touched
    touch(browser, x, y, at + 0.2)
    # As long as the browser may take to make a click of it.
    browser.run("new Promise(done => setTimeout(done, 300))")
    settle(browser)


def test_the_second_of_two_quick_taps_does_nothing(browser: Chromium, stub: Stub) -> None:
    stub.answer = lambda action: {"candidates": [CANDIDATE]} if action["do"] == "digits" else {}
    show(browser, stub)
    tap(browser, "#list .next")
    for key in "A1F":
        tap(browser, f"={key}")
    # Not so of keys.
    tap_twice(browser, "=F")
    assert text(browser, "#typed") == "A1FFF"
    wait_text(browser, "#candidates", ADDRESS)
    browser.call("Page.setInterceptFileChooserDialog", enabled=True)
    tap_twice(browser, "#candidates button")
    assert not [event for event in browser.events if event["method"] == "Page.fileChooserOpened"], "the camera"
    for button, verb in [("Skip", "skip"), ("Undo: Room 310", "undo")]:
        tap_twice(browser, f"={button}")
        assert [action["do"] for action in do(stub)].count(verb) == 1
    stub.change("room-311", state="done", by="Anna", device=ADDRESS)
    wait_text(browser, "#big", "Room 311 done")
    tap_twice(browser, "#room .next")
    wait_text(browser, "#room h1", "Room 312")
    assert text(browser, "#typed") == "last 4"
    # A little later it is another tap.
    for _ in range(2):
        browser.run("new Promise(done => setTimeout(done, 600))")
        tap(browser, "=Undo: Room 310")
    settle(browser)
    assert [action["do"] for action in do(stub)].count("undo") == 3


def test_the_back_key_leads_to_the_list_and_a_page_loaded_again_shows_its_room(browser: Chromium, stub: Stub) -> None:
    show(browser, stub)
    visible = "[...document.querySelectorAll('section')].filter(s => !s.hidden).map(s => s.id).join()"
    tap(browser, "#list .next")
    wait_text(browser, "#room h1", "Room 311")
    # From room to room is one step.
    stub.change("room-311", state="done", by="Anna", device=ADDRESS)
    tap(browser, "#room .next")
    wait_text(browser, "#room h1", "Room 312")
    settle(browser)
    browser.reload()
    wait_text(browser, "#room h1", "Room 312")
    settle(browser)
    assert do(stub) == []
    browser.run("history.back()")
    browser.run(WHEN % f"{visible} === 'list'")
    browser.run("history.forward()")
    wait_text(browser, "#room h1", "Room 312")
    tap(browser, "#back")
    browser.run(WHEN % f"{visible} === 'list'")
    assert browser.run("document.activeElement.tagName") == "H1"
    assert complaints(browser) == []


def test_after_a_label_that_was_refused_a_key_begins_another_one(browser: Chromium, stub: Stub) -> None:
    stub.answer = lambda action: {"words": "Wrong label", "good": False} if action["do"] == "label" else {}
    show(browser, stub)
    tap(browser, "#list .next")
    for key in "C47C8D00A1F4":
        tap(browser, f"={key}")
    wait_text(browser, "#answer", "Wrong label")
    assert text(browser, "#typed") == "C47C8D00A1F4"
    tap(browser, "=3")
    assert text(browser, "#typed") == "3"
    assert text(browser, "#answer") == ""


def test_a_failed_room_can_be_started_again_without_scrolling_and_a_known_device_started(browser: Chromium, stub: Stub) -> None:
    stub.rooms[0] |= {"state": "failed", "by": "Anna", "words": "It does not answer.", "advice": "Press it.", "device": ADDRESS}
    stub.rooms[1] |= {"device": "C4:7C:8D:00:A1:F4"}
    show(browser, stub)
    tap(browser, "#rooms li:nth-child(1) button")
    wait_text(browser, "#room h1", "Room 311")
    assert browser.run("document.querySelector('#start').getBoundingClientRect().bottom") < 400
    assert text(browser, "#start") == "Again"
    tap(browser, "#back")
    tap(browser, "#rooms li:nth-child(2) button")
    wait_text(browser, "#start", "Start")
    tap(browser, "#start")
    settle(browser)
    assert do(stub) == [{"do": "provision", "room": "room-312"}]


def test_a_device_that_is_offered_can_blink_before_it_is_taken(browser: Chromium, stub: Stub) -> None:
    stub.rooms[0] |= {"canIdentify": True}
    stub.answer = lambda action: {"candidates": [CANDIDATE]} if action["do"] in ["digits", "identify"] else {}
    show(browser, stub)
    tap(browser, "#list .next")
    settle(browser)
    assert not browser.run("document.querySelector('[data-do=identify]').checkVisibility()")
    for key in "A1F3":
        tap(browser, f"={key}")
    wait_text(browser, "#candidates", ADDRESS)
    tap(browser, "=Blink")
    settle(browser)
    tap(browser, "#candidates button")
    settle(browser)
    assert [action["do"] for action in do(stub)][-2:] == ["identify", "bind"]


def test_a_screen_reader_is_told_of_a_device_and_keeps_its_place(browser: Chromium, stub: Stub) -> None:
    stub.answer = lambda action: {"candidates": [CANDIDATE]} if action["do"] == "digits" else {}
    show(browser, stub)
    tap(browser, "#list .next")
    for key in "A1F3":
        tap(browser, f"={key}")
    wait_text(browser, "#candidates", ADDRESS)
    assert browser.run("document.querySelector('#candidates').closest('[role=status]') !== null")
    browser.run("document.querySelector('#candidates button').focus()")
    browser.press("Enter", text="\r")
    settle(browser)
    assert browser.run("document.activeElement.tagName") == "H1"


def test_a_room_that_changes_does_not_move_the_others(browser: Chromium, stub: Stub) -> None:
    show(browser, stub)
    place = "document.querySelector('#rooms li:nth-child(3) button').getBoundingClientRect().top"
    before = browser.run(place)
    stub.change("room-311", state="working", by="Ben")
    wait_text(browser, "#rooms", "at work")
    assert browser.run(place) == before


def test_long_news_leave_the_page_usable_and_go_away_at_a_touch(browser: Chromium, stub: Stub) -> None:
    show(browser, stub)
    stub.change("room-311", state="working", by="Anna")
    wait_text(browser, "#rooms", "at work")
    stub.change("room-311", state="failed", by="Anna", words="It was not received.", advice="Check its power. " * 20)
    wait_text(browser, "#news", "Room 311 failed. It was not received. Check its power.")
    assert browser.run("document.querySelector('#news').offsetHeight") < 200
    tap(browser, "#news")
    assert text(browser, "#news") == ""
