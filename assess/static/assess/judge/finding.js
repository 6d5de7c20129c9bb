/* Find in the document: a field over it, Enter for the next, Shift and Enter for the one before. */
import { part, place, say } from "./page.js";
import * as letters from "./letters.js";
import * as view from "./view.js";

const box = part(".judge-find"), field = box.querySelector("input"), count = box.querySelector("output");
let found = [], now = -1, asked = "";

function look() {
  asked = field.value;
  const texts = [view.beside(), view.seen()].filter((text) => text.nodes.length);
  found = texts.flatMap((text) => letters.find(text, asked).map(([start, end]) => letters.range(text, start, end)));
  now = -1;
  view.highlight("found", found);
  view.standAt(null);
  count.textContent = asked.trim() ? `${found.length || "none"}` : "";
}

function go(by) {
  if (asked !== field.value) look();
  if (!found.length) return say(asked.trim() ? "Not found" : "");
  now = now < 0 && by < 0 ? found.length - 1 : (now + by + found.length) % found.length;
  view.standAt(found[now]);
  view.highlight("found-now", [found[now]]);
  view.unfold(found[now]);
  view.reveal(found[now]);
  count.textContent = `${now + 1} of ${found.length}`;
  say(count.textContent);
}

export function open() {
  box.hidden = false;
  field.focus();
  field.select();
}

/** The word one has gone to stays: its sentence can be taken as evidence. */
export function close() {
  if (box.hidden) return;
  box.hidden = true;
  found = []; asked = "";
  view.highlight("found", []);
}

/** The next document: what is sought stays sought. */
export function renew() { if (!box.hidden) look(); }

box.addEventListener("submit", (event) => { event.preventDefault(); go(1); }); // Enter too
box.querySelector("[value=before]").addEventListener("click", () => go(-1));
field.addEventListener("input", look);
box.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && event.shiftKey) { event.preventDefault(); go(-1); }
  if (event.key === "Escape") { event.preventDefault(); close(); place.focus({ preventScroll: true }); }
});
