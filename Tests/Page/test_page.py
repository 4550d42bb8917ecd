"""building.html in a real browser: rendered, sorted, filtered, searched, printed, in both colour schemes, with hostile names.
axe-core checks what people with a screen reader or a keyboard get.

`make test-page` writes the pages to a folder and names it in ROBOPROV_PAGES. The pictures and PDFs stay there for inspection.
"""

import importlib.resources
import itertools
import os
import pathlib
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest
from chromium import Chromium

FOLDER = pathlib.Path(os.environ.get("ROBOPROV_PAGES", ".build-page"))

# The contrast of all text with its background (WCAG 2.1, 1.4.3), lowest first. Hidden text does not count.
CONTRAST = """(() => {
  const parse = c => (c.match(/[\\d.]+/g) || []).map(Number);
  const light = c => { const [r, g, b] = c.slice(0, 3).map(v => (v /= 255) <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
    return .2126 * r + .7152 * g + .0722 * b; };
  const ground = e => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor);
    if (c.length === 3 || c[3] > 0) return c; } return [255, 255, 255]; };
  const found = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node; node = walk.nextNode();) {
    const e = node.parentElement;
    if (!node.data.trim() || !e.checkVisibility() || e.closest("script,style,title")) continue;
    const style = getComputedStyle(e);
    const ink = e.closest("svg") ? parse(style.fill) : parse(style.color);
    const [a, b] = [light(ink), light(ground(e))].sort((x, y) => y - x);
    found.push([(a + .05) / (b + .05), e.tagName + "." + e.className, node.data.trim().slice(0, 30)]);
  }
  return found.sort((x, y) => x[0] - y[0]).slice(0, 3);
})()"""

# For each cell of the grid its state, its symbol, and the contrast of the symbol.
CELLS = """(() => {
  const light = c => { const [r, g, b] = c.match(/[\\d.]+/g).slice(0, 3).map(v => (v /= 255) <= .04045 ? v / 12.92
    : ((v + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b; };
  return [...document.querySelectorAll("#cells a")].map(e => {
    const style = getComputedStyle(e);
    const [a, b] = [light(style.color), light(style.backgroundColor)].sort((x, y) => y - x);
    return [e.className, getComputedStyle(e, "::before").content, (a + .05) / (b + .05)];
  });
})()"""

ROWS = """[...document.querySelectorAll("#room-table > tbody")].filter(b => !b.hidden && b.checkVisibility())
  .map(b => b.rows[0].cells[%d].textContent.trim())"""


class Page:
    """The pages of the folder in a browser."""

    def __init__(self, browser: Chromium) -> None:
        self.browser = browser

    def show(self, name: str, **view: Any) -> Chromium:
        self.browser.view(**view)
        self.browser.open(self.file(name + ".html"))
        return self.browser

    def rows(self, column: int = 0) -> list[str]:
        """The texts of a column in the visible rows."""
        texts: list[str] = self.browser.run(ROWS % column)
        return texts

    def file(self, name: str) -> pathlib.Path:
        return FOLDER / name

    def printed(self, name: str) -> list[str]:
        """The text of each page of the PDF."""
        self.browser.print(self.file(name + ".pdf"))
        command = ["pdftotext", "-layout", str(self.file(name + ".pdf")), "-"]
        text: str = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        return text.split("\f")[:-1]

    def complaints(self) -> list[Any]:
        kinds = ["Runtime.exceptionThrown", "Log.entryAdded"]
        return [e["params"] for e in self.browser.events if e["method"] in kinds]


@pytest.fixture(scope="module")
def browser() -> Iterator[Chromium]:
    assert (FOLDER / "varied.html").exists(), f"There are no pages in {FOLDER}: `make test-page` writes them."
    with Chromium() as browser:
        yield browser


@pytest.fixture
def page(browser: Chromium) -> Page:
    return Page(browser)


def test_the_page_is_complete_and_loads_nothing(page: Page) -> None:
    for name in ["varied", "hostile", "large"]:
        browser = page.show(name)
        browser.run("new Promise(r => setTimeout(r, 0))")
        assert page.complaints() == []
        fetched = [e["params"]["request"]["url"] for e in browser.events if e["method"] == "Network.requestWillBeSent"]
        assert len(fetched) == 1, fetched
        assert browser.run("document.compatMode") == "CSS1Compat"
        assert browser.run("document.documentElement.lang") == "en"
        assert browser.run("document.querySelectorAll('header,main,footer').length") == 3
        assert browser.run("document.querySelectorAll('h1').length") == 1
        twice = "(ids => ids.filter((id, i) => ids.indexOf(id) !== i))([...document.querySelectorAll('[id]')].map(e => e.id))"
        assert browser.run(twice) == []
        dead = "[...document.querySelectorAll('a')].filter(a => !document.getElementById(a.hash.slice(1))).length"
        assert browser.run(dead) == 0


def test_headings_do_not_skip_a_level(page: Page) -> None:
    levels = page.show("varied").run("[...document.querySelectorAll('h1,h2,h3,h4')].map(h => +h.tagName[1])")
    assert levels[0] == 1
    for before, level in itertools.pairwise(levels):
        assert level <= before + 1


def test_no_text_is_too_faint_and_nothing_overflows(page: Page) -> None:
    for scheme in ["light", "dark"]:
        for width in [360, 768, 1280]:
            browser = page.show("varied", width=width, scheme=scheme)
            browser.run("document.querySelector('#histories').click()")
            worst = browser.run(CONTRAST)
            assert worst[0][0] >= 4.5, (scheme, worst)
            assert browser.run("document.documentElement.scrollWidth") <= width
            browser.run("document.querySelector('#histories').click()")
            faint = [cell for cell in browser.run(CELLS) if cell[2] < 4.5]
            assert not faint, (scheme, faint)
            browser.picture(page.file(f"varied-{width}-{scheme}.png"), whole=True)


def test_rooms_of_different_states_differ_without_colour(page: Page) -> None:
    cells = page.show("varied").run(CELLS)
    assert len({name for name, _, _ in cells}) == 7
    assert len({(name, symbol) for name, symbol, _ in cells}) == len({symbol for _, symbol, _ in cells}) == 7


def test_the_building_is_seen_at_a_glance(page: Page) -> None:
    for name, width, height in [("varied", 360, 640), ("middle", 360, 640), ("large", 1280, 720)]:
        browser = page.show(name, width=width, height=height)
        count, grid = browser.run(
            "(g => [g.querySelectorAll('a').length, g.getBoundingClientRect().height])(document.querySelector('#cells'))"
        )
        assert count == {"varied": 40, "middle": 300, "large": 2000}[name]
        assert grid <= height - 80, (name, grid)
        assert browser.run("document.documentElement.scrollWidth") <= width
        browser.run("document.querySelector('#cells').scrollIntoView()")
        browser.picture(page.file(f"{name}-grid-{width}.png"))


def test_the_accessibility_checker_finds_nothing(page: Page) -> None:
    axe = importlib.resources.files("axe_core_python").joinpath("axe.min.js").read_text()
    for name, width, scheme in [("varied", 1280, "light"), ("varied", 360, "dark"), ("hostile", 1280, "dark")]:
        browser = page.show(name, width=width, scheme=scheme)
        browser.run("document.querySelectorAll('details').forEach(d => d.open = true)")
        browser.run(axe + "; 0")
        found = browser.run("axe.run().then(r => r.violations.map(v => [v.id, v.help, v.nodes.slice(0, 3).map(n => n.html)]))")
        assert found == [], (name, width, scheme)


def test_schemes_differ(page: Page) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    assert page.show("varied", scheme="light").run(ground) == "rgb(255, 255, 255)"
    assert page.show("varied", scheme="dark").run(ground) != "rgb(255, 255, 255)"


def test_each_column_sorts_both_ways(page: Page) -> None:
    browser = page.show("varied")
    assert len(page.rows()) == 40
    for column in range(7):
        head = f"document.querySelectorAll('#room-table > thead th')[{column}]"
        browser.run(f"{head}.querySelector('button').click()")
        assert browser.run(f"{head}.ariaSort") == "ascending"
        up = page.rows(column)
        browser.run(f"{head}.querySelector('button').click()")
        assert browser.run(f"{head}.ariaSort") == "descending"
        down = page.rows(column)
        assert sorted(up) == sorted(down)
        assert next(t for t in up if t) == [t for t in down if t][-1], column
        assert browser.run("document.querySelectorAll('[aria-sort]').length") == 1
    browser.run("document.querySelectorAll('#room-table > thead th button')[3].click()")
    minors = [int(text.removeprefix("minor ")) for text in page.rows(3) if text]
    assert minors == sorted(minors)


def test_rooms_are_filtered_by_state_and_by_words(page: Page) -> None:
    browser = page.show("varied")
    browser.run("document.querySelector('[data-state=open]').click()")
    assert page.rows(1)
    assert all(text.endswith("open") for text in page.rows(1))
    assert "of 40 rooms shown" in browser.run("document.querySelector('#shown').textContent")
    browser.run("document.querySelector('[data-state=\"\"]').click()")
    assert len(page.rows()) == 40
    search = "(t => { const s = document.querySelector('#search'); s.value = t; s.dispatchEvent(new Event('input')); })"
    browser.run(search + "('küche')")
    assert [name.split()[0] for name in page.rows()] == ["Küche"]
    browser.run(search + "('RETIRED')")
    assert len(page.rows()) == 1
    browser.run(search + "('no such room')")
    assert page.rows() == []
    browser.run(search + "('')")
    assert len(page.rows()) == 40


def test_the_keyboard_reaches_everything(page: Page) -> None:
    browser = page.show("varied")
    browser.run("document.querySelector('#search').focus()")
    seen = []
    for _ in range(30):
        browser.press("Tab")
        seen.append(browser.run("document.activeElement.textContent.trim().split(/\\s+/)[0]"))
        assert browser.run("getComputedStyle(document.activeElement).outlineStyle") != "none", seen[-1]
    assert "State" in seen
    browser.run("document.querySelector('#room-table summary').focus()")
    browser.press("Enter", text="\r")
    assert browser.run("document.activeElement.parentElement.open")
    assert browser.run("document.querySelector('.settings').checkVisibility()")


def test_arrow_keys_move_within_the_grid_and_one_tab_leaves_it(page: Page) -> None:
    browser = page.show("varied")
    browser.run("document.querySelector('#cells a').focus()")
    for key, place in [("ArrowRight", 2), ("ArrowDown", 3), ("ArrowLeft", 2), ("End", 40), ("ArrowRight", 40), ("Home", 1)]:
        browser.press(key)
        cell = browser.run(f"document.querySelectorAll('#cells a')[{place - 1}].hash")
        assert browser.run("document.activeElement.hash") == cell, key
    browser.press("Tab")
    assert not browser.run("document.querySelector('#cells').contains(document.activeElement)")
    browser.run("document.querySelector('#cells [href=\"#room-12\"]').focus()")
    browser.press("Enter", text="\r")
    browser.run("new Promise(r => setTimeout(r, 0))")
    assert browser.run("document.activeElement.closest('tbody').id") == "room-12"
    assert browser.run("document.querySelector('#room-12 details').open")


def test_a_link_opens_the_history_of_its_room(page: Page) -> None:
    browser = page.show("varied", width=360)
    browser.run("document.querySelector('[data-state=accepted]').click()")
    browser.run("document.querySelector('#open a[href^=\"#room-\"]').click()")
    browser.run("new Promise(r => setTimeout(r, 0))")
    assert browser.run("document.querySelectorAll('tbody details[open]').length") == 1
    assert browser.run("document.activeElement.parentElement.open")
    browser.picture(page.file("history-360.png"))
    page.show("varied", width=1280)
    browser.run("location.hash = document.querySelector('#open a[href^=\"#room-\"]').hash")
    browser.run("new Promise(r => setTimeout(r, 50))")
    browser.picture(page.file("history-1280.png"))


def test_the_page_is_complete_without_script(page: Page) -> None:
    page.show("varied", script=False)
    page.browser.call("Emulation.setScriptExecutionDisabled", value=False)
    browser = page.browser
    assert not browser.run("document.documentElement.classList.contains('js')")
    assert len(page.rows()) == 40
    assert browser.run("[...document.querySelectorAll('summary')].filter(s => s.checkVisibility()).length") == 40
    assert not browser.run("document.querySelector('#controls').checkVisibility()")
    browser.run("document.querySelector('summary').click()")
    assert browser.run("document.querySelector('.settings').checkVisibility()")
    browser.run("document.querySelector('#cells [href=\"#room-20\"]').click()")
    assert browser.run("document.querySelector('tbody:target').id") == "room-20"


def test_hostile_names_are_text(page: Page) -> None:
    browser = page.show("hostile")
    assert browser.run("document.title") != "owned"
    assert browser.run("document.querySelectorAll('script').length") == 1
    assert browser.run("document.querySelectorAll('img').length") == 0
    assert len(page.rows()) == 40
    assert browser.run("document.querySelectorAll('main > section').length") == 6
    assert page.rows()[0].startswith("<script>document.title='owned'</script>")
    browser.picture(page.file("hostile-1280.png"))


def test_paper_has_every_room_for_any_filter(page: Page) -> None:
    browser = page.show("varied", scheme="dark")
    browser.run("document.querySelector('[data-state=accepted]').click()")
    pages = page.printed("varied")
    text = "".join(pages)
    for room in range(1, 41):
        assert f"room-{room}" in text
    tables = [sheet for sheet in pages if "room-" in sheet and "C4:7C" in sheet]
    assert len(tables) > 1
    for sheet in tables:
        assert "State" in sheet
    # The signatures and the digests of the signed files are on one page.
    assert "Checked by" in pages[-1]
    assert pages[-1].count("c0ffee") == 4 * 8
    assert "ab12" * 16 in pages[-1]
    assert f"Page 1 of {len(pages)}" in pages[0]
    assert len(pages) < 7
    subprocess.run(["pdftoppm", "-r", "60", "-png", page.file("varied.pdf"), page.file("varied-page")], check=True)
    # Paper has no dark background: the corner of the first page is white.
    corner = subprocess.run(
        ["pdftoppm", "-r", "20", "-f", "1", "-l", "1", "-x", "2", "-y", "2", "-W", "1", "-H", "1", page.file("varied.pdf")],
        check=True,
        capture_output=True,
    ).stdout
    assert corner[-3:] == b"\xff\xff\xff"


def test_three_hundred_rooms_fit_on_ten_pages(page: Page) -> None:
    page.show("middle")
    pages = page.printed("middle")
    assert len(pages) <= 10
    text = "".join(pages)
    for room in range(1, 301):
        assert f"room-{room}" in text
    subprocess.run(["pdftoppm", "-r", "60", "-png", page.file("middle.pdf"), page.file("middle-page")], check=True)


def test_two_thousand_rooms_stay_usable(page: Page) -> None:
    for name in ["large.html", "recalled.html"]:
        assert page.file(name).stat().st_size < 3_000_000
    browser = page.show("large")
    assert len(page.rows()) == 2000
    browser.run("document.querySelectorAll('#room-table > thead th button')[4].click()")
    browser.run("document.querySelector('[data-state=open]').click()")
    assert len(page.rows()) == 40
    browser.run("document.querySelector('#plots').scrollIntoView()")
    browser.picture(page.file("large-plots.png"))
    assert browser.run("document.documentElement.scrollWidth") <= 1280


def test_each_plot_is_a_table_with_its_answer_as_title(page: Page) -> None:
    browser = page.show("varied", script=False)
    browser.call("Emulation.setScriptExecutionDisabled", value=False)
    plots = browser.run(
        "[...document.querySelectorAll('.plot')].map(t => [t.caption.textContent.trim(), t.tBodies[0].rows.length, "
        "[...t.querySelectorAll('.bar')].every(b => b.querySelector('rect > title'))])"
    )
    assert len(plots) == 3, plots
    for answer, rows, is_drawn in plots:
        assert answer.endswith("."), answer
        assert rows > 0, answer
        assert is_drawn, answer


def test_only_the_script_of_the_page_runs(page: Page) -> None:
    source = page.file("varied.html").read_text()
    assert "unsafe-inline" not in source
    page.file("injected.html").write_text(
        source.replace("<main>", "<main><script>document.title = 'injected'</script><p id=p onclick=x>", 1)
    )
    browser = page.show("injected")
    assert browser.run("document.title") != "injected"
    assert browser.run("document.documentElement.className") == "js", "the page's own script runs"
    assert any("Content Security Policy" in str(complaint) for complaint in page.complaints())
