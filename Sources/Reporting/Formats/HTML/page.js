// Sorts, filters, searches, opens histories, and moves within the grid by arrow keys. The page is complete without it.
"use strict";(() => {
const $ = id => document.getElementById(id);
const table = $("room-table");
if (!table) return;
document.documentElement.classList.add("js");
$("controls").hidden = false;
const bodies = [...table.tBodies];
const cell = (body, column) => body.rows[0].cells[column];
const details = body => body.querySelector("details");
const texts = new Map(bodies.map(body => [body,
  (body.rows[0].textContent + " " + (body.querySelector("td summary")?.textContent ?? "")).toLowerCase()]));
let state = "";
const show = () => {
  const words = $("search").value.toLowerCase().split(" ").filter(Boolean);
  let count = 0;
  for (const body of bodies) {
    body.hidden = (state && body.dataset.state !== state)
      || !words.every(word => texts.get(body).includes(word));
    if (!body.hidden) count++;
  }
  $("shown").textContent = count + " of " + bodies.length + " rooms shown";
};
$("histories").addEventListener("click", () => {
  const isOpen = $("histories").getAttribute("aria-pressed") !== "true";
  $("histories").setAttribute("aria-pressed", isOpen);
  for (const body of bodies) details(body).open = isOpen;
});
$("search").addEventListener("input", show);
const filters = [...$("controls").querySelectorAll("[data-state]")];
for (const filter of filters) filter.addEventListener("click", () => {
  state = filter.dataset.state;
  for (const other of filters) other.setAttribute("aria-pressed", other === filter);
  show();
});
const collator = new Intl.Collator("en", { numeric: true });
const key = (body, column) => {
  const time = cell(body, column).querySelector("time");
  return time ? time.title : cell(body, column).textContent.trim();
};
[...table.tHead.rows[0].cells].forEach((head, column) => {
  const button = document.createElement("button");
  button.type = "button";
  head.dataset.title = head.textContent;
  button.append(...head.childNodes);
  head.append(button);
  button.addEventListener("click", () => {
    const isDown = head.getAttribute("aria-sort") === "ascending";
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", isDown ? "descending" : "ascending");
    const keys = new Map(bodies.map(body => [body, key(body, column)]));
    bodies.sort((a, b) => {
      const [x, y] = [keys.get(a), keys.get(b)];
      if (!x || !y) return !x - !y;
      return isDown ? collator.compare(y, x) : collator.compare(x, y);
    });
    table.append(...bodies);
  });
});
const follow = () => {
  const body = location.hash.startsWith("#room-") && $(location.hash.slice(1));
  if (!body || body.tagName !== "TBODY") return;
  if (body.hidden) { $("search").value = ""; filters[0].click(); }
  details(body).open = true;
  body.scrollIntoView();
  details(body).firstChild.focus({ preventScroll: true });
};
addEventListener("hashchange", follow);
const cells = [...$("cells").querySelectorAll("a")];
const enter = cell => { for (const other of cells) other.tabIndex = other === cell ? 0 : -1; };
enter(cells[0]);
$("cells").addEventListener("keydown", event => {
  const place = cells.indexOf(document.activeElement);
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -place, End: cells.length - 1 - place }[event.key];
  const next = cells[place + step];
  if (!next) return;
  event.preventDefault();
  enter(next);
  next.focus();
});
show();
follow();
})();
