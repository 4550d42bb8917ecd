// Puts changes in place, and shows since when nothing has arrived.
"use strict";(() => {
const $ = id => document.getElementById(id);
// The server says something every 4 s.
const patience = 12000, pause = 5000;
let source, heard = Date.now(), opened = 0, grid = "", sounds;

const hear = () => { heard = Date.now(); $("lost").hidden = true; };
// Replaces only what differs, because a screen reader reads an alert again that is replaced. The copy is there because a browser
// returns HTML in a form of its own.
const copy = document.createElement("template");
const put = (id, html) => {
  copy.innerHTML = html;
  if ($(id).innerHTML !== copy.innerHTML) $(id).innerHTML = html;
};
const rows = () => [...document.querySelectorAll("#grid .floor")];
const isOver = mark => !["untried", "working", "unconfirmed"].includes(mark);

const tone = (pitch, at) => {
  const [wave, volume] = [sounds.createOscillator(), sounds.createGain()];
  wave.frequency.value = pitch;
  volume.gain.setValueAtTime(.3, sounds.currentTime + at);
  volume.gain.exponentialRampToValueAtTime(.001, sounds.currentTime + at + .3);
  wave.connect(volume).connect(sounds.destination);
  wave.start(sounds.currentTime + at);
  wave.stop(sounds.currentTime + at + .3);
};
// Two tones: up for a room that is done, down for any other end.
const ring = isDone => { tone(660, 0); tone(isDone ? 880 : 440, .2); document.body.dataset.rung = isDone; };

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
  hear();
};

const offer = () => {
  const chosen = $("sound").value;
  const options = rows().map((row, index) => new Option(row.getAttribute("aria-label").split(":")[0], index));
  $("sound").replaceChildren(new Option("none", ""), ...options);
  $("sound").value = options[chosen] ? chosen : "";
};
// A browser plays sounds only after a person did something on the page.
$("sound").addEventListener("change", () => {
  sounds ??= new AudioContext();
  sounds.resume();
  if ($("sound").value) ring(true);
});

const open = () => {
  source?.close();
  opened = Date.now();
  source = new EventSource("events");
  source.addEventListener("state", event => show(event.data));
  source.addEventListener("change", event => show(event.data));
  source.addEventListener("beat", hear);
};
const check = () => {
  const silence = Date.now() - heard;
  if (silence < patience) return;
  const since = new Date(heard).toLocaleTimeString();
  $("lost").textContent = `No news since ${since}, for ${Math.floor(silence / 1000)} s: what is below may have changed. `
    + "The laptop sleeps, is out of reach, or “roboprov serve” has ended there. After a new start scan its new code.";
  $("lost").hidden = false;
  if (Date.now() - opened > pause) open();
};
setInterval(check, 1000);
document.addEventListener("visibilitychange", () => { if (!document.hidden) check(); });

$("grid").addEventListener("click", event => {
  const cell = event.target.closest("a");
  if (!cell) return;
  $("chosen").textContent = cell.title;
  if (!$(cell.hash.slice(1))) event.preventDefault();
});
offer();
open();
})();
