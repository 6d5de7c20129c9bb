/* The documents that the page holds, in their order, and what is said of each, as on the server. */
import * as unsent from "./unsent.js";

const source = document.getElementById("judge-cards");
export const cards = source ? JSON.parse(source.textContent) : [];
export const counts = { done: figure("[data-done]"), total: figure("[data-total]") };
export const deck = { index: 0 };

function figure(query) {
  const found = document.querySelector(query);
  return found ? Number(found.textContent.replaceAll(",", "")) : 0;
}

export const current = () => cards[deck.index];
export const bySeat = (seat) => cards.find((card) => card.seat === seat);
export const byUrl = (url) => cards.find((card) => card.url === url);

/** The first that waits for an answer; from `at` on, if there is one. */
export function frontier(at = 0) {
  const found = cards.findIndex((card, place) => place >= at && card.waits);
  return found < 0 && at ? frontier() : found < 0 ? cards.length : found;
}

/** What an act changes. */
export function apply(card, values) {
  const waited = card.waits, answer = values.grade !== undefined ? "grade" : values.answer;
  if (answer) {
    card.answer = answer;
    card.grade = values.grade === undefined ? null : values.grade;
    card.reason = answer === "cannot" ? values.reason : "";
    card.waits = answer === "open";
    const counted = answer === "grade" || answer === "cannot";
    if (counted && (waited || card.put_off)) counts.done += 1;
    if (!counted && !waited && !card.put_off) counts.done -= 1;
    card.put_off = answer === "later";
  }
  for (const name of ["note", "known", "evidence"]) if (values[name] !== undefined) card[name] = values[name];
  card.seen += 1;
}

export function act(card, values, seconds) {
  unsent.keep({ url: card.url, name: card.name, values, seen: card.seen, seconds, client_id: unsent.uuid() });
  apply(card, values);
}

const sent = []; // acts that the server took while this page is open

export function remember(act) { sent.push(act); }

/** A document may come from the server before it knows of an act: made before a reload, or sent while the answer was on its way. */
function catchUp(card) {
  const { done } = counts;
  for (const act of sent) if (act.url === card.url && act.seen === card.seen) apply(card, act.values);
  counts.done = done; // the server has counted them
  for (const act of unsent.all()) if (act.url === card.url && act.seen === card.seen) apply(card, act.values);
}

export function replay() { cards.forEach(catchUp); }

export function add(more) {
  const unsaved = new Set(unsent.all().map((act) => act.url));
  for (const card of more) {
    const at = cards.findIndex((one) => one.seat === card.seat);
    if (at >= 0 && !(cards[at].put_off && at !== deck.index && !unsaved.has(card.url))) continue;
    if (at >= 0) { cards.splice(at, 1); if (at < deck.index) deck.index -= 1; } // put off, and now it is its turn
    catchUp(card);
    cards.push(card);
  }
}

/** What the server need not hand out: documents that wait, and those whose answer it does not know yet. */
export function held() {
  const unsaved = new Set(unsent.all().map((act) => act.url));
  return cards.filter((card) => card.waits || unsaved.has(card.url)).slice(0, 50).map((card) => card.seat).join(",");
}
