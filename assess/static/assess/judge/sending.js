/* Sending: one after the other, in order, again and again, until the server has answered. */
import { home, request, tell } from "./page.js";
import * as deck from "./deck.js";
import * as unsent from "./unsent.js";

/* Told by the page: when something changed, when new documents came, when an act on a document was refused. */
export const told = { refresh() {}, came() {}, refused() {}, empty() {} };
export const state = { stopped: false };
let busy = false, failures = 0, timer = null, cut = null, leaving = false;

/** What the light says: nothing is called saved before the server has answered. One that is on its way is being sent; more, or
   one that did not get through, are unsent. */
export function shine(light) {
  const count = unsent.all().length, sends = count === 1 && !failures && !state.stopped && navigator.onLine;
  light.textContent = sends ? "sending" : count ? `${count} unsent` : "saved";
  light.classList.toggle("light-sending", sends);
  light.classList.toggle("light-unsent", count > 0 && !sends);
  light.hidden = false;
}

function later(wait) {
  clearTimeout(timer);
  timer = setTimeout(send, wait);
}

export async function send() {
  if (busy || state.stopped) return;
  busy = true;
  try {
    if (navigator.locks) await navigator.locks.request(unsent.name, { ifAvailable: true }, (lock) => (lock ? drain() : later(1000)));
    else await drain();
  } finally { busy = false; }
  told.refresh();
  if (!unsent.all().length) told.empty();
}

async function drain() {
  await unsent.recall();
  for (let act; !state.stopped && (act = unsent.all()[0]); told.refresh()) {
    let answer, words;
    try {
      answer = await post(act);
      words = await answer.json();
    } catch { failures += 1; return later(Math.min(500 * 2 ** failures, 5000)); }
    if (answer.ok && leaving) return;
    if (answer.ok) { failures = 0; unsent.drop(act); took(act, words); }
    else if (answer.status >= 500 || answer.status === 429) {
      const pause = Number(answer.headers.get("Retry-After")) || Math.min(2 ** failures, 5);
      failures += 1;
      return later(1000 * Math.min(pause, 10));
    } else refused(act, answer.status, words.error || {});
  }
}

function post(act) {
  const values = { client_id: act.client_id, seconds: act.seconds, seen: act.seen, ...act.values };
  values.held = act.url.startsWith(home) ? deck.held() : "";
  cut = new AbortController();
  return request(act.url, values, 20000, cut);
}

function took(act, words) {
  deck.remember(act);
  if (!act.url.startsWith(home)) return;
  deck.add(words.cards);
  if (!unsent.all().length) deck.counts.done = words.progress.done;
  told.came();
}

function refused(act, status, error) {
  const about = `${act.name}: `, present = error.details || {};
  if (status === 401 || status === 403) {
    state.stopped = true;
    return tell("You are signed out, or your role has ended. What is unsent is kept in this browser.", home, "Sign in and send it");
  }
  if (status === 409 && present.seen === undefined) {
    state.stopped = true;
    return tell(`${about}${error.message} What is unsent is kept in this browser.`, home, "Try again");
  }
  // Its successors on the same document were made in the same belief; the notice names them all.
  const dropped = unsent.all().filter((other) => other.url === act.url);
  dropped.forEach(unsent.drop);
  const card = deck.byUrl(act.url);
  if (card && status === 409) {
    card.seen = present.seen;
    if (card.grade !== present.grade) { card.grade = present.grade; card.answer = present.grade === null ? "open" : "grade"; }
    card.waits = card.grade === null;
  }
  tell(`${about}${dropped.map(named).join(", then ")} was not taken. ${error.message || ""}`, status === 409 ? act.url : "", "Look at it");
  if (card) told.refused(card);
}

function named({ values }) {
  if (values.grade !== undefined) return `your grade ${values.grade}${values.note ? ` with the note “${values.note}”` : ""}`;
  if (values.answer === "cannot") return `“can’t judge: ${values.reason}”`;
  return values.note ? `your note “${values.note}”` : "what you said";
}

/** While somebody looks at the page, what it holds stays theirs; it gets more, so that going offline stops nothing. */
export async function hold() {
  if (state.stopped || document.visibilityState !== "visible") return;
  try {
    const answer = await request(`${home}hold/`, { held: deck.held() });
    if (answer.ok) deck.add((await answer.json()).cards);
  } catch { /* offline: a late judgment is kept all the same */ }
  told.came();
}

addEventListener("online", () => { failures = 0; cut?.abort(); send(); }); // what hangs on the line before is sent again, and counted once

/* The next page may have been made before the server had what is on its way now: it stays in the browser, so that that page knows
   it. Sent again it is no second judgment. Who stays, after all, goes on in a moment. */
addEventListener("beforeunload", () => {
  leaving = true;
  setTimeout(() => { leaving = false; send(); }, 5000);
});
