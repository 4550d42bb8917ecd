// The page of somebody who works with a phone. An action stays in a queue until the server has answered it: it has a number by
// which the server carries it out once, however often it arrives.
(() => {
const $ = id => document.getElementById(id);
const mostWaiting = 8;
const store = { floor: "", name: "", n: 0, session: "", unsent: [], ...JSON.parse(localStorage.getItem("roboprov") || "{}") };
const keep = () => localStorage.setItem("roboprov", JSON.stringify(store));
let me, state, room, typed = "", answer;

const put = (element, text) => { if (element.textContent !== text) element.textContent = text; };
const make = (tag, text, more) => Object.assign(document.createElement(tag), { textContent: text }, more);
const find = id => state?.rooms.find(each => each.id === id);
const others = id => state.people.filter(each => each.room === id && each.phone !== me.phone).map(each => each.name);
const words = { left: "", waiting: "label taken, waits", working: "at work", done: "✓ done", failed: "! failed", skipped: "skipped",
  labelled: "✓ label saved" };
const isTaken = each => ["waiting", "working", "done", "labelled"].includes(each.state);

addEventListener("click", wakeSounds, true);
// The second of two quick taps at one place is meant for what was there at the first one: it must not take back a second step, nor
// type a key of the room that follows. Keys are typed fast. A click without a pointer has no place.
let tap = { at: -Infinity };
addEventListener("click", event => {
  const before = tap, element = event.target.closest("button,label,summary");
  if (!event.detail) return;
  tap = { at: event.timeStamp, x: event.clientX, y: event.clientY, element };
  if (tap.at - before.at > 400 || Math.hypot(tap.x - before.x, tap.y - before.y) > 30) return;
  if (element === before.element && !element?.matches("button:not(#pad button)")) return;
  event.preventDefault();
  event.stopImmediatePropagation();
}, true);
const announce = isGood => {
  navigator.vibrate?.(isGood ? 200 : [200, 100, 200, 100, 200]);
  ring(isGood);
};

// MARK: Actions

const queue = [];
let isSending = false, wakeUp;
const show = name => {
  for (const id of ["who", "list", "room"]) $(id).hidden = id !== name;
  $(name).querySelector("h1").focus();
  scrollTo(0, 0);
};
const say = (text, isShown = true) => { $("news").classList.toggle("heard", !isShown); put($("news"), text); };
const noteUnsent = () => {
  store.unsent = queue.filter(each => !each.isQuestion).map(each => ({ n: each.n, words: each.words, session: store.session }));
  keep();
  const waiting = queue.filter(each => each.hasFailed).length;
  put($("sending"), queue.length ? "Sending …" : "");
  put($("waits"), waiting ? `No reception: ${queue.length === 1 ? "one action waits" : queue.length + " actions wait"} on this phone `
    + "and will be sent once. Keep this page open." : "");
};
const ask = async (path, options) => {
  // In another network a connection may stay silent. A photo takes long where the reception is bad.
  const limit = path.startsWith("photo") ? 60000 : 15000;
  const response = await fetch(path, { ...options, signal: AbortSignal.timeout(limit) });
  if (response.status === 503) throw new Error("busy");
  return response;
};
const getMe = async () => {
  const response = await ask("me");
  if (!response.ok) return false;
  me = await response.json();
  if (store.session !== me.session) [store.n, store.session] = [0, me.session];
  store.n = Math.max(store.n, me.n);
  keep();
  return true;
};
const post = item => item.photo
  ? ask(`photo?n=${item.n}&room=${encodeURIComponent(item.room)}&w=${item.photo.width}&h=${item.photo.height}`,
    { method: "POST", headers: { "Content-Type": "application/octet-stream" }, body: item.photo.grey })
  : ask("do", { method: "POST", headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ n: item.n, room: item.room, ...item.body }) });
const send = async () => {
  if (isSending) return;
  isSending = true;
  while (queue.length) {
    const item = queue[0];
    if (!item.n) [item.n, store.n] = [store.n + 1, store.n + 1];
    noteUnsent();
    try {
      const response = await post(item);
      if (response.ok) {
        const result = await response.json();
        queue.shift();
        take(item, result);
        continue;
      }
      // Another page of this browser used the number. If this one may have arrived before, it must not be sent with a new one.
      if (response.status === 409 && !item.hasFailed && await getMe()) { item.n = 0; continue; }
      if (response.status === 403 || response.status === 404) { lose(true); break; }
      say(response.status === 409 ? `It is not known whether this was done: ${item.words}. Look at the room, and do it again if it was not.`
        : `The laptop did not take this: ${item.words}.`);
      queue.shift();
    } catch {
      item.hasFailed = true;
      noteUnsent();
      await new Promise(done => { wakeUp = done; setTimeout(done, 2000); });
    }
  }
  isSending = false;
  noteUnsent();
};
const act = (verb, text, more, photo) => {
  if (queue.filter(each => !each.isQuestion).length >= mostWaiting) { say("Too much waits to be sent. Wait for reception."); return; }
  answer = undefined;
  queue.push({ n: 0, room, body: { do: verb, ...more }, photo, words: `${find(room)?.name}: ${text}`,
    isQuestion: ["go", "digits", "near"].includes(verb) });
  draw();
  send();
};
const take = (item, result) => {
  if (item.room !== room) { if (!result.good) say(`${item.words}: ${result.words}`); return; }
  if (item.body.do === "digits" && typed !== item.body.text) { search(); return; }
  answer = { ...result, verb: item.body.do };
  if (!["go", "digits", "near"].includes(item.body.do) && result.good && !result.question) typed = "";
  draw();
};

// MARK: What is shown

const floors = () => [...new Set(state.rooms.map(each => each.floor ?? ""))];
const onFloor = () => state.rooms.filter(each => (each.floor ?? "") === store.floor);
// The next room to do: after the present one, or the first.
const next = () => {
  const rooms = onFloor(), place = rooms.findIndex(each => each.id === room);
  return [...rooms.slice(place + 1), ...rooms.slice(0, place + 1)].find(each => each.state === "left" && each.id !== room && !others(each.id).length);
};
const describe = each => [words[each.state], ...others(each.id).map(name => name + " is here")].filter(Boolean).join(" · ");
const drawList = () => {
  $("list").querySelector("h1").textContent = state.building;
  const ended = state.rooms.filter(each => ["done", "labelled"].includes(each.state)).length;
  put($("tally"), `${ended} of ${state.rooms.length} rooms ${state.provisions ? "done" : "have their label"}`);
  if ($("floor").options.length !== floors().length)
    $("floor").replaceChildren(...floors().map(each => new Option(each || "none", each)));
  $("floor").value = store.floor;
  $("floor").parentElement.hidden = floors().length < 2;
  const before = [...$("rooms").children];
  const rows = onFloor().map((each, index) => {
    const row = before[index]?.dataset.id === each.id ? before[index] : make("li", "");
    if (!row.firstChild) { row.dataset.id = each.id; row.append(make("button", "", { type: "button" })); row.firstChild.append(make("span", each.name), make("small", "")); }
    row.firstChild.className = each.state;
    put(row.querySelector("small"), describe(each));
    return row;
  });
  if (rows.length !== before.length || rows.some((row, index) => row !== before[index])) $("rooms").replaceChildren(...rows);
  put($("me"), me.name);
};
const candidate = each => {
  const row = make("li", "");
  // Several that match the same characters are told apart by more characters, not by a guess.
  const box = make(answer.verb === "digits" && answer.candidates.length > 1 ? "div" : "button", "");
  box.append(box.tagName === "BUTTON" ? "Take " : "", make("code", each.device), make("small", each.words));
  if (box.tagName === "BUTTON") Object.assign(box, { type: "button", className: "main",
    // The button goes away.
    onclick: () => { $("room").querySelector("h1").focus(); act("bind", "take " + each.device, { device: each.device }); } });
  row.append(box);
  return row;
};
const drawRoom = () => {
  const each = find(room);
  if (!each) return;
  $("room").querySelector("h1").textContent = each.name;
  const big = { waiting: "Label taken", working: "At work …", done: each.name + " done", failed: each.name + " failed", labelled: "Label saved" }[each.state] ?? "";
  put($("big"), big);
  $("big").className = each.state;
  put($("words"), [others(room).map(name => name + " is at this room.").join(" "), each.device && "Its device: " + each.device, each.words, each.advice]
    .filter(Boolean).join("\n"));
  $("ways").hidden = isTaken(each);
  $("pad").hidden = isTaken(each) || each.needsLabel;
  $("near").hidden = each.needsLabel;
  put($("answer"), answer?.words ?? "");
  $("whole-only").hidden = !each.needsLabel;
  put($("typed"), typed || "last 4");
  $("typed").classList.toggle("none", !typed);
  $("question").hidden = !answer?.question;
  put($("question").querySelector("p"), answer?.question ?? "");
  if ($("candidates").shown !== answer) $("candidates").replaceChildren(...(answer?.candidates ?? []).map(candidate));
  $("candidates").shown = answer;
  const does = { provision: state.provisions && each.device && !isTaken(each), identify: each.canIdentify && (each.device || answer?.candidates?.length === 1),
    skip: !isTaken(each), undo: state.people.find(other => other.phone === me.phone)?.undo };
  if (does.undo) put($("undo"), `Undo: ${does.undo}`);
  put($("start"), each.state === "failed" ? "Again" : "Start");
  for (const verb in does) $("room").querySelector(`[data-do=${verb}]`).hidden = !does[verb];
};
const draw = () => {
  if (!state || !me) return;
  if (!floors().includes(store.floor)) store.floor = (state.rooms.find(each => each.state === "left") ?? state.rooms[0])?.floor ?? "";
  $("simulated").hidden = !state.simulated;
  document.title = state.building;
  drawList();
  if (room) drawRoom();
  const to = next(), isFree = !room || !find(room) || isTaken(find(room)) || ["skipped", "failed"].includes(find(room).state);
  for (const button of document.querySelectorAll(".next")) {
    put(button, to ? "Next: " + to.name : "No room is left on this floor");
    button.hidden = !isFree && !$("room").hidden;
    button.disabled = !to;
  }
  if ($("who").hidden && $("list").hidden && $("room").hidden) {
    // A page that was loaded again shows the room that it showed before.
    if (me.name && find(history.state?.room)) enter(history.state.room);
    else show(me.name ? "list" : "who");
  }
};
// Says how rooms ended that this person did last.
const compare = before => {
  for (const each of state.rooms) {
    const old = before.find(other => other.id === each.id);
    if (!old || old.state === each.state || each.by !== me?.name || !["done", "failed", "labelled"].includes(each.state)) continue;
    announce(each.state !== "failed");
    // The room's own screen shows it in large letters already.
    const isHere = each.id === room && !$("room").hidden;
    say([`${each.name} ${words[each.state].slice(2)}`, each.state === "failed" ? each.words : "", each.state === "failed" ? each.advice : ""]
      .filter(Boolean).map(text => /[.!?]$/.test(text) ? text : text + ".").join(" "), !isHere);
  }
};
const enter = id => {
  // The phone's key for “back” leads to the list.
  history[history.state?.room ? "replaceState" : "pushState"]({ room: id }, "");
  // What was only asked about the room before need not be sent.
  for (let index = queue.length - 1; index > 0; index--) if (queue[index].isQuestion) queue.splice(index, 1);
  [room, typed, answer] = [id, "", undefined];
  say("");
  show("room");
  act("go", "go there");
};

// MARK: Entries

const search = () => {
  const waiting = queue.some(each => each.body.do === "digits" && each.room === room);
  if (typed.length === 12) act("label", "label that was typed", { text: typed });
  else if (typed.length >= 4 && !waiting) act("digits", "find " + typed, { text: typed });
};
const type = key => {
  const isRefused = typed.length === 12 && answer;
  if (key !== "⌫" && typed.length === 12 && !isRefused) return;
  // After a label that was refused the next key begins another one.
  typed = key === "⌫" ? typed.slice(0, -1) : (isRefused ? "" : typed) + key;
  answer = undefined;
  draw();
  search();
};
$("keys").append(..."123A456B789C0DEF".split("").map(key => make("button", key, { type: "button", onclick: () => type(key) })));
$("delete").onclick = () => type("⌫");
addEventListener("keydown", event => {
  if ($("room").hidden || $("pad").hidden || event.target.matches("input,select") || event.ctrlKey || event.metaKey || event.altKey) return;
  const key = event.key === "Backspace" ? "⌫" : event.key.toUpperCase();
  if (!/^([0-9A-F]|⌫)$/.test(key)) return;
  event.preventDefault();
  type(key);
});
$("photo").onchange = async () => {
  const file = $("photo").files[0], at = room;
  $("photo").value = "";
  if (!file) return;
  try {
    const picture = await createImageBitmap(file);
    const scale = Math.min(1, Math.sqrt(me.pixels / (picture.width * picture.height)), 8192 / Math.max(picture.width, picture.height));
    const width = Math.max(1, Math.floor(picture.width * scale)), height = Math.max(1, Math.floor(picture.height * scale));
    const canvas = make("canvas", "", { width, height }), context = canvas.getContext("2d");
    context.imageSmoothingQuality = "high";
    context.drawImage(picture, 0, 0, width, height);
    picture.close();
    const pixels = context.getImageData(0, 0, width, height).data, grey = new Uint8Array(width * height);
    for (let i = 0; i < grey.length; i++) grey[i] = (pixels[4 * i] * 299 + pixels[4 * i + 1] * 587 + pixels[4 * i + 2] * 114) / 1000;
    if (room === at) act("label", "photo of the label", {}, { width, height, grey });
  } catch { say("This phone cannot read the picture. Take another one, or use the keys."); }
};
$("label").onsubmit = event => {
  event.preventDefault();
  act("label", "label that was typed", { text: $("label").querySelector("input").value });
  event.target.reset();
};
$("near").onclick = () => act("near", "find the nearest");
for (const button of $("question").querySelectorAll("button")) button.onclick = () => {
  $("room").querySelector("h1").focus();
  act("answer", "answer " + button.textContent, { yes: button.value === "true" });
};
for (const button of document.querySelectorAll("[data-do]")) button.onclick = () => act(button.dataset.do, button.textContent);
for (const button of document.querySelectorAll(".next")) button.onclick = () => enter(next().id);
$("rooms").onclick = event => { const row = event.target.closest("li"); if (row) enter(row.dataset.id); };
$("back").onclick = () => history.back();
addEventListener("popstate", () => {
  if (!me?.name || !state) return;
  if (find(history.state?.room)) enter(history.state.room);
  else { draw(); show("list"); }
});
$("floor").onchange = () => { store.floor = $("floor").value; keep(); draw(); };
$("rename").onclick = () => { $("name").value = me.name; show("who"); };
$("who").querySelector("form").onsubmit = async event => {
  event.preventDefault();
  const name = $("name").value.trim();
  const response = await ask("name", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ name }) }).catch(() => null);
  put($("name-wrong"), response?.ok ? "" : response?.status === 400 ? "This is no name: 1 to 40 characters." : "No reception. Try again.");
  if (!response?.ok) return;
  [me.name, store.name] = [name, name];
  keep();
  draw();
  show("list");
};
// It may cover what is below.
$("news").onclick = () => say("");
$("unsent").querySelector("button").onclick = () => { $("unsent").hidden = true; };

// MARK: The connection

let isLost = false, check, later;
const lose = isUnknown => { isLost ||= isUnknown; check(); };
const news = text => {
  const { rooms, people, ...more } = JSON.parse(text), before = state?.rooms ?? [];
  state = more.building === undefined ? { ...state, people, rooms: before.map(each => rooms.find(other => other.id === each.id) ?? each) }
    : { ...more, people, rooms };
  compare(before);
  draw();
};
const start = async () => {
  try {
    if (!await getMe()) return lose(true);
    if (store.unsent.length && !queue.length) {
      // The last number tells which of them the server has begun.
      const lost = store.unsent.filter(each => !each.n || each.n > me.n || each.session !== me.session)
        .map(each => each.words + (each.n && each.session !== me.session ? " (or sent to the laptop before it was started anew)" : ""));
      $("unsent").hidden = !lost.length;
      put($("unsent").querySelector("p"), "Not sent before this page was closed: " + lost.join("; ") + ".");
      store.unsent = [];
      keep();
    }
    if (!me.name && !$("name").value) $("name").value = store.name;
    draw();
    if (!me.name && $("who").hidden) show("who");
    send();
  } catch {
    // Once the phone is known, what is sent shows whether the server is there.
    clearTimeout(later);
    if (!me) later = setTimeout(start, 2000);
  }
};
for (const event of ["online", "pageshow", "visibilitychange"]) addEventListener(event, () => { if (!document.hidden) { wakeUp?.(); check(); } });
check = follow({
  show: news,
  words: since => isLost ? "The laptop does not know this phone: “roboprov” has ended there, or was started anew. Scan its code."
    : `No news since ${since}. No reception, or the laptop sleeps.`,
  hear: () => { isLost = false; wakeUp?.(); },
  isLost: () => isLost,
  again: start,
});
start();
})();
