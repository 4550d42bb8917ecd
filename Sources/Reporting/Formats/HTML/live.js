// Puts changes in place.
(() => {
const $ = id => document.getElementById(id);
let grid = "";

// Replaces only what differs, because a screen reader reads an alert again that is replaced. The copy is there because a browser
// returns HTML in a form of its own.
const copy = document.createElement("template");
const put = (id, html) => {
  copy.innerHTML = html;
  if ($(id).innerHTML !== copy.innerHTML) $(id).innerHTML = html;
};
const rows = () => [...document.querySelectorAll("#grid .floor")];
const isOver = mark => !["untried", "working", "unconfirmed"].includes(mark);

const change = (place, mark, title) => {
  const cell = document.querySelector(`#grid a[href="#room-${place}"]`);
  if (!cell) return;
  const ended = !isOver(cell.className) && isOver(mark);
  const floor = rows().indexOf(cell.closest(".floor"));
  [cell.className, cell.title] = [mark, title];
  if (ended && sounds && $("sound").value === String(floor)) ring(mark === "done");
};
const show = text => {
  const news = JSON.parse(text);
  document.title = news.title;
  for (const id in news.parts) put(id, news.parts[id]);
  if (news.grid !== undefined && news.grid !== grid) {
    grid = news.grid;
    $("cells").outerHTML = grid;
    offer();
  }
  for (const [place, mark, title] of news.cells || []) change(place, mark, title);
  for (const [index, tally, label] of news.floors || []) {
    const row = rows()[index];
    row.setAttribute("aria-label", label);
    row.querySelector("p").lastChild.data = " " + tally;
  }
  if (news.cells) grid = "";
};

const offer = () => {
  const chosen = $("sound").value;
  const options = rows().map((row, index) => new Option(row.getAttribute("aria-label").split(":")[0], index));
  $("sound").replaceChildren(new Option("none", ""), ...options);
  $("sound").value = options[chosen] ? chosen : "";
};
$("sound").addEventListener("change", () => {
  wakeSounds();
  if ($("sound").value) ring(true);
});

$("grid").addEventListener("click", event => {
  const cell = event.target.closest("a");
  if (!cell) return;
  $("chosen").textContent = cell.title;
  if (!$(cell.hash.slice(1))) event.preventDefault();
});
offer();
follow({
  show,
  words: (since, seconds) => `No news since ${since}, for ${seconds} s: what is below may have changed. `
    + "The laptop sleeps, is out of reach, or “roboprov serve” has ended there. After a new start scan its new code.",
});
})();
