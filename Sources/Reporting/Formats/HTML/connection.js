// What the pages of `serve` and of `walk --phone` share: the events of the server, and two tones.
"use strict";

// A browser plays sounds only after a person did something on the page.
let sounds;
const wakeSounds = () => { sounds ??= new AudioContext(); sounds.resume(); };
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
const ring = isDone => {
  document.body.dataset.rung = isDone;
  if (sounds) { tone(660, 0); tone(isDone ? 880 : 440, .2); }
};

// Shows each event, and in #lost since when nothing has arrived; then it connects anew. Returns what looks whether that is so.
const follow = ({ show, words, hear = () => {}, isLost = () => false, again = () => {} }) => {
  // The server says something every 4 s.
  const patience = 12000, pause = 5000, lost = document.getElementById("lost");
  let source, heard = Date.now(), opened = 0;
  const beat = () => { heard = Date.now(); hear(); lost.hidden = true; };
  const open = () => {
    source?.close();
    opened = Date.now();
    source = new EventSource("events");
    for (const name of ["state", "change"]) source.addEventListener(name, event => { show(event.data); beat(); });
    source.addEventListener("beat", beat);
  };
  const check = () => {
    const silence = Date.now() - heard;
    if (silence < patience && !isLost()) return;
    const text = words(new Date(heard).toLocaleTimeString(), Math.floor(silence / 1000));
    if (lost.textContent !== text) lost.textContent = text;
    lost.hidden = false;
    if (Date.now() - opened > pause) { open(); again(); }
  };
  setInterval(check, 1000);
  document.addEventListener("visibilitychange", () => { if (!document.hidden) check(); });
  open();
  return check;
};
