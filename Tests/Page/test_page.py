"""building.html in a real browser: rendered, sorted, filtered, searched, printed, in both colour schemes, with hostile names.

`make test-page` writes the pages to a folder and gives it here. The pictures and PDFs stay there, to be looked at.
"""

import os
import subprocess
import sys
import unittest

from chromium import Chromium

FOLDER = sys.argv.pop(1)

# The contrast of all text with the ground behind it (WCAG 2.1, 1.4.3), the worst first. Text that is hidden does not count,
# nor the stamp, whose words are in the verdict.
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
    if (!node.data.trim() || !e.checkVisibility() || e.closest("script,style,.stamp,title")) continue;
    const style = getComputedStyle(e);
    const ink = e.closest("svg") ? parse(style.fill) : parse(style.color);
    const [a, b] = [light(ink), light(ground(e))].sort((x, y) => y - x);
    found.push([(a + .05) / (b + .05), e.tagName + "." + e.className, node.data.trim().slice(0, 30)]);
  }
  return found.sort((x, y) => x[0] - y[0]).slice(0, 3);
})()"""

ROWS = """[...document.querySelectorAll("#room-table > tbody")].filter(b => !b.hidden && b.checkVisibility())
  .map(b => b.rows[0].cells[%d].textContent.trim())"""


class PageTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = cls.enterClassContext(Chromium())

    def show(self, name, **view):
        self.browser.view(**view)
        self.browser.open(os.path.join(FOLDER, name + ".html"))
        return self.browser

    def rows(self, column=0):
        return self.browser.run(ROWS % column)

    def file(self, name):
        return os.path.join(FOLDER, name)

    def printed(self, name):
        """The text of each page of the PDF."""
        self.browser.print(self.file(name + ".pdf"))
        text = subprocess.run(
            ["pdftotext", "-layout", self.file(name + ".pdf"), "-"], check=True, capture_output=True, text=True).stdout
        return text.split("\f")[:-1]

    def complaints(self):
        kinds = ["Runtime.exceptionThrown", "Log.entryAdded"]
        return [e["params"] for e in self.browser.events if e["method"] in kinds]

    def test_the_page_is_whole_and_fetches_nothing(self):
        for name in ["lived", "hostile", "simulated", "large"]:
            browser = self.show(name)
            browser.run("new Promise(r => setTimeout(r, 0))")
            self.assertEqual(self.complaints(), [])
            fetched = [
                e["params"]["request"]["url"] for e in browser.events if e["method"] == "Network.requestWillBeSent"]
            self.assertEqual(len(fetched), 1, fetched)
            self.assertEqual(browser.run("document.compatMode"), "CSS1Compat")
            self.assertEqual(browser.run("document.documentElement.lang"), "en")
            self.assertEqual(browser.run("document.querySelectorAll('header,main,footer').length"), 3)
            self.assertEqual(browser.run("document.querySelectorAll('h1').length"), 1)
            twice = "(ids => ids.filter((id, i) => ids.indexOf(id) !== i))([...document.querySelectorAll('[id]')].map(e => e.id))"
            self.assertEqual(browser.run(twice), [])
            dead = "[...document.querySelectorAll('a')].filter(a => !document.getElementById(a.hash.slice(1))).length"
            self.assertEqual(browser.run(dead), 0)

    def test_headings_do_not_skip_a_level(self):
        levels = self.show("lived").run("[...document.querySelectorAll('h1,h2,h3,h4')].map(h => +h.tagName[1])")
        self.assertEqual(levels[0], 1)
        for before, level in zip(levels, levels[1:]):
            self.assertLessEqual(level, before + 1)

    def test_no_text_is_too_faint_and_nothing_overflows(self):
        for scheme in ["light", "dark"]:
            for width in [360, 768, 1280]:
                browser = self.show("lived", width=width, scheme=scheme)
                browser.run("document.querySelector('#stories').click()")
                worst = browser.run(CONTRAST)
                self.assertGreaterEqual(worst[0][0], 4.5, (scheme, worst))
                self.assertLessEqual(browser.run("document.documentElement.scrollWidth"), width)
                browser.run("document.querySelector('#stories').click()")
                browser.picture(self.file(f"lived-{width}-{scheme}.png"), whole=True)

    def test_schemes_differ(self):
        ground = "getComputedStyle(document.body).backgroundColor"
        self.assertEqual(self.show("lived", scheme="light").run(ground), "rgb(255, 255, 255)")
        self.assertNotEqual(self.show("lived", scheme="dark").run(ground), "rgb(255, 255, 255)")

    def test_each_column_sorts_both_ways(self):
        browser = self.show("lived")
        self.assertEqual(len(self.rows()), 40)
        for column in range(7):
            head = f"document.querySelectorAll('#room-table > thead th')[{column}]"
            browser.run(f"{head}.querySelector('button').click()")
            self.assertEqual(browser.run(f"{head}.ariaSort"), "ascending")
            up = self.rows(column)
            browser.run(f"{head}.querySelector('button').click()")
            self.assertEqual(browser.run(f"{head}.ariaSort"), "descending")
            down = self.rows(column)
            self.assertEqual(sorted(up), sorted(down))
            self.assertEqual([t for t in up if t][0], [t for t in down if t][-1], column)
            self.assertEqual(browser.run("document.querySelectorAll('[aria-sort]').length"), 1)
        browser.run("document.querySelectorAll('#room-table > thead th button')[3].click()")
        minors = [int(text) for text in self.rows(3) if text]
        self.assertEqual(minors, sorted(minors))

    def test_standings_filter_and_words_search(self):
        browser = self.show("lived")
        browser.run("document.querySelector('[data-standing=open]').click()")
        self.assertTrue(self.rows(1))
        self.assertTrue(all(text.endswith("open") for text in self.rows(1)))
        self.assertIn("of 40 rooms shown", browser.run("document.querySelector('#shown').textContent"))
        browser.run("document.querySelector('[data-standing=\"\"]').click()")
        self.assertEqual(len(self.rows()), 40)
        search = "(t => { const s = document.querySelector('#search'); s.value = t; s.dispatchEvent(new Event('input')); })"
        browser.run(search + "('küche')")
        self.assertEqual([name.split()[0] for name in self.rows()], ["Küche"])
        browser.run(search + "('out of SERVICE')")
        self.assertEqual(len(self.rows()), 1)
        browser.run(search + "('no such room')")
        self.assertEqual(self.rows(), [])
        browser.run(search + "('')")
        self.assertEqual(len(self.rows()), 40)

    def test_the_keyboard_reaches_everything(self):
        browser = self.show("lived")
        browser.run("document.querySelector('#search').focus()")
        seen = []
        for _ in range(30):
            browser.press("Tab")
            seen.append(browser.run("document.activeElement.textContent.trim().split(/\\s+/)[0]"))
            self.assertNotEqual(browser.run("getComputedStyle(document.activeElement).outlineStyle"), "none", seen[-1])
        self.assertIn("Standing", seen)
        browser.run("document.querySelector('.toggle').focus()")
        browser.press("Enter", text="\r")
        self.assertEqual(browser.run("document.activeElement.ariaExpanded"), "true")
        self.assertTrue(browser.run("document.querySelector('.story .settings').checkVisibility()"))

    def test_a_link_opens_the_history_of_its_room(self):
        browser = self.show("lived", width=360)
        browser.run("document.querySelector('[data-standing=accepted]').click()")
        browser.run("document.querySelector('#failures a[href^=\"#room-\"]').click()")
        browser.run("new Promise(r => setTimeout(r, 0))")
        self.assertEqual(browser.run("document.querySelectorAll('tbody.open').length"), 1)
        self.assertEqual(browser.run("document.activeElement.ariaExpanded"), "true")
        browser.picture(self.file("story-360.png"))
        self.show("lived", width=1280)
        browser.run("location.hash = document.querySelector('#failures a[href^=\"#room-\"]').hash")
        browser.run("new Promise(r => setTimeout(r, 50))")
        browser.picture(self.file("story-1280.png"))

    def test_without_script_everything_is_there(self):
        self.show("lived", script=False)
        self.browser.call("Emulation.setScriptExecutionDisabled", value=False)
        browser = self.browser
        self.assertFalse(browser.run("document.documentElement.classList.contains('js')"))
        self.assertEqual(len(self.rows()), 40)
        self.assertEqual(browser.run("[...document.querySelectorAll('summary')].filter(s => s.checkVisibility()).length"), 40)
        self.assertFalse(browser.run("document.querySelector('#controls').checkVisibility()"))
        browser.run("document.querySelector('summary').click()")
        self.assertTrue(browser.run("document.querySelector('.settings').checkVisibility()"))

    def test_hostile_names_are_text(self):
        browser = self.show("hostile")
        self.assertNotEqual(browser.run("document.title"), "owned")
        self.assertEqual(browser.run("document.querySelectorAll('script').length"), 1)
        self.assertEqual(browser.run("document.querySelectorAll('img').length"), 0)
        self.assertEqual(len(self.rows()), 40)
        self.assertEqual(browser.run("document.querySelectorAll('main > section').length"), 7)
        self.assertTrue(self.rows()[0].startswith("<script>document.title='owned'</script>"))
        browser.picture(self.file("hostile-1280.png"))

    def test_paper_has_every_room_whatever_is_shown(self):
        browser = self.show("lived", scheme="dark")
        browser.run("document.querySelector('[data-standing=accepted]').click()")
        pages = self.printed("lived")
        text = "".join(pages)
        for room in range(1, 41):
            self.assertIn(f"room-{room}", text)
        tables = [page for page in pages if "room-" in page and "C4:7C" in page]
        self.assertGreater(len(tables), 1)
        for page in tables:
            self.assertIn("Standing", page)
        # What is signed, and the digests of what it rests on, are on one page.
        self.assertIn("Checked by", pages[-1])
        self.assertEqual(pages[-1].count("c0ffee"), 4 * 8)
        self.assertIn("ab12" * 16, pages[-1])
        self.assertIn(f"Page 1 of {len(pages)}", pages[0])
        self.assertLess(len(pages), 9)
        subprocess.run(["pdftoppm", "-r", "60", "-png", self.file("lived.pdf"), self.file("lived-page")], check=True)
        # No dark ground on paper: the colour of the first page's corner is white.
        corner = subprocess.run(
            ["pdftoppm", "-r", "20", "-f", "1", "-l", "1", "-x", "2", "-y", "2", "-W", "1", "-H", "1", self.file("lived.pdf")],
            check=True, capture_output=True).stdout
        self.assertEqual(corner[-3:], b"\xff\xff\xff")

    def test_a_simulated_building_says_so_on_each_page(self):
        self.show("simulated").picture(self.file("simulated-1280.png"))
        for page in self.printed("simulated"):
            self.assertIn("SIMULATED", page)

    def test_two_thousand_rooms_stay_usable(self):
        for name in ["large.html", "recalled.html"]:
            self.assertLess(os.path.getsize(self.file(name)), 5_000_000)
        browser = self.show("large")
        self.assertEqual(len(self.rows()), 2000)
        browser.run("document.querySelectorAll('#room-table > thead th button')[4].click()")
        browser.run("document.querySelector('[data-standing=open]').click()")
        self.assertEqual(len(self.rows()), 40)
        browser.run("document.querySelector('#timeline').scrollIntoView()")
        browser.picture(self.file("large-timeline.png"))
        narrow = browser.run("document.querySelector('#strips').getBoundingClientRect().width")
        for _ in range(4):
            browser.run("document.querySelector('[data-zoom=\"2\"]').click()")
        wide = browser.run("document.querySelector('#strips').getBoundingClientRect().width")
        self.assertAlmostEqual(wide, 16 * narrow, delta=1)
        self.assertLessEqual(browser.run("document.documentElement.scrollWidth"), 1280)
        browser.picture(self.file("large-timeline-zoomed.png"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
