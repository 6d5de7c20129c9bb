/* The judging page: a key is a grade, and the next document is there at once. What is not yet saved is kept in this
   browser, one entry for each act, and is sent in order until the server has answered; only then it counts as saved. */
import { form, here, home, mode, part, place, request, root, say } from "./judge/page.js";
import * as alike from "./judge/alike.js";
import * as clock from "./judge/clock.js";
import * as deck from "./judge/deck.js";
import * as drafts from "./judge/drafts.js";
import * as evidence from "./judge/evidence.js";
import * as finding from "./judge/finding.js";
import * as guide from "./judge/guide.js";
import * as keys from "./judge/keys.js";
import * as many from "./judge/many.js";
import * as sending from "./judge/sending.js";
import * as unsent from "./judge/unsent.js";
import * as view from "./judge/view.js";

const topic = part(".judge-topic"), back = part(".judge-back"), on = part(".judge-on"), undo = part(".judge-undo"), ask = document.querySelector("[data-ask]"), search = document.querySelector("[data-search]");
const light = part("[data-light]"), more = part(".judge-more"), said = part("#said"), field = said.elements;
const known = part("[type=checkbox][name=known]"), buttons = [...form.querySelectorAll("button[name=grade]")];
const archived = buttons.some((button) => button.disabled), listed = mode === "many";
const narrow = matchMedia("(max-width: 64rem)").matches; // as the page was opened; see judge.css
const undoable = []; // acts of this page: of which seat, and what was said of it before
let article = part(".judge-document article"), beside = deck.current().topic, ready = false;
const early = [];

// What is on screen

function show(at, still) {
  leave();
  const card = deck.cards[at];
  deck.deck.index = at;
  if (!still) more.open = false; // it was about the document before
  if (!card) return wait();
  if (beside !== card.topic) { // the topic that is on screen: while one waits there is no card to ask
    document.title = document.title.replace(`Topic ${beside} `, () => `Topic ${card.topic} `);
    beside = card.topic;
    topic.innerHTML = card.topic_html; // made and escaped by the server
    topic.scrollTop = 0;
  }
  if (listed) article = many.show(card, !still);
  else if (card.nodes) article.replaceChildren(...card.nodes);
  else article.innerHTML = card.document_html; // made and escaped by the server
  place.removeAttribute("aria-busy");
  article.removeAttribute("aria-busy");
  form.action = said.action = card.url;
  form.elements.seen.value = field.seen.value = card.seen;
  tools(card);
  if (!still) {
    place.focus({ preventScroll: true });
    if (location.pathname !== here) history.replaceState(null, "", here); // a reload goes on from here
  }
  view.paint(article, listed ? null : (card.top ?? 0));
  clock.restart();
  refresh();
}

/** Where one is in a long document is kept for when one comes back to it. */
function leave() {
  const card = deck.current();
  if (!card || listed || busy()) return;
  card.top = view.where();
  if (!card.document_html) card.nodes ??= [...article.childNodes]; // it came with the page, and not again
}

/** What was done, and what is there now; with `again`, that nothing was said of it, too. */
function announce(done = "", again = false) {
  const card = deck.current();
  if (!card) return say(`${done} Waiting for the next document`.trim());
  const title = article.querySelector("h2")?.textContent || card.name;
  say(`${done} Topic ${card.topic}, document ${title}${again || !card.waits ? `, ${standing(card)}` : ""}`.trim());
}

/** What is said of a document. */
function standing({ answer, grade, reason }) {
  const label = buttons.find((button) => Number(button.value) === grade)?.querySelector("[data-label]")?.textContent || "";
  return { grade: `graded ${grade} ${label}`, cannot: `can’t judge: ${reason}`, later: "put off" }[answer] || "not judged";
}

function doneBy(card) {
  const words = standing(card);
  return `${words[0].toUpperCase()}${words.slice(1)}.`;
}

function tools(card) {
  part("#words").elements.seat.value = card.seat;
  const typed = drafts.recall(card.url);
  field.reason.value = typed.reason ?? card.reason;
  field.note.value = typed.note ?? card.note;
  known.checked = card.known;
  lack(false);
  tellSaid(card);
  buttons.forEach((button) => {
    button.setAttribute("aria-pressed", String(card.grade !== null && Number(button.value) === card.grade));
    button.disabled = archived;
  });
  if (listed) many.mark(card);
  alike.paint(card);
}

/** Beside the fold: what was said of the document, and what is typed and not saved. */
function tellSaid(card) {
  const words = card.answer === "cannot" ? `can’t judge: ${card.reason}` : card.answer === "later" ? "put off" : "";
  const typed = Object.keys(drafts.recall(card.url)).map((name) => `${name} typed, not yet sent`);
  const line = [words || (card.note ? "note" : "") + (card.known ? " known to me" : ""), ...typed].filter(Boolean).join(", ");
  if (part(".judge-said").textContent !== line) part(".judge-said").textContent = line;
}

/** What is typed and not yet said stays with its document. */
function keepTyped(card) {
  const typed = ["note", "reason"].filter((name) => field[name].value.trim() !== card[name]).map((name) => [name, field[name].value]);
  drafts.keep(card.url, Object.fromEntries(typed));
}

/** That “can’t judge” has no reason yet. */
function lack(lacks) {
  part("#lacks").hidden = !lacks;
  field.reason.ariaInvalid = lacks ? "true" : null;
}

function wait() {
  place.setAttribute("aria-busy", "true");
  const away = deck.counts.done < deck.counts.total ? "The next document comes as soon as the connection is back." : "All is answered; what is unsent goes out as soon as the connection is back.";
  const words = unsent.all().length ? away : "One moment …";
  part(".judge-said").textContent = "";
  if (listed) many.rest();
  else {
    article.setAttribute("aria-busy", "true");
    article.replaceChildren(Object.assign(document.createElement("p"), { className: "soft", textContent: words }));
  }
  view.clear();
  buttons.forEach((button) => { button.disabled = true; });
  refresh();
}

const busy = () => place.hasAttribute("aria-busy");

function refresh() {
  const { counts } = deck;
  if (ready) sending.shine(light); // before, nobody knows what is unsent
  counts.total = Math.max(counts.total, counts.done);
  part("[data-done]").textContent = counts.done.toLocaleString("en");
  part("[data-total]").textContent = counts.total.toLocaleString("en");
  ask.search = deck.current() ? `?seat=${deck.current().seat}` : "";
  if (deck.current()) search.search = `?topic=${encodeURIComponent(deck.current().topic)}`;
  Object.assign(form.querySelector("progress"), { max: counts.total, value: counts.done });
  back.hidden = deck.deck.index === 0 && !back.hasAttribute("data-previous");
  on.hidden = listed ? deck.deck.index >= deck.cards.length - 1 : deck.deck.index >= deck.frontier() || deck.deck.index >= deck.cards.length - 1;
  undo.hidden = !undoable.length;
}

// Acts

/** A note that was typed and not saved goes with whatever is said next. */
function tellOf(values) {
  const card = deck.current();
  if (!card || archived || busy()) return;
  if (field.note.value.trim() !== card.note) values.note = field.note.value.trim();
  const { seat, answer, grade, reason, note, known, evidence } = card;
  undoable.push({ seat, before: { answer, grade, reason, note, known, evidence } });
  deck.act(card, values, clock.seconds());
  if (values.answer === "cannot" || values.grade !== undefined) drafts.keep(card.url, {});
  else keepTyped(card);
  if (values.answer || values.grade !== undefined) {
    if (listed) many.mark(card);
    show(deck.frontier(listed ? deck.deck.index : 0));
    announce(doneBy(card));
  } else { tools(card); paintEvidence(); place.focus({ preventScroll: true }); say(values.known === undefined ? "Kept" : values.known ? "Known to me" : "Not known to me"); refresh(); }
  sending.send();
}

function cannot() {
  const reason = field.reason.value.trim();
  if (reason) tellOf({ answer: "cannot", reason });
  else { more.open = true; field.reason.focus(); }
}

function takeBack() {
  const undone = undoable.pop();
  if (!undone) return;
  const { answer, grade, reason, ...values } = undone.before;
  if (answer === "grade") values.grade = grade;
  else Object.assign(values, { answer }, answer === "cannot" ? { reason } : {});
  const card = deck.bySeat(undone.seat), said = standing(card);
  deck.act(card, values, clock.seconds());
  show(deck.cards.indexOf(card));
  announce(`Undone: ${standing(card) === said ? "a note, a mark or a passage" : said}.`, true);
  sending.send();
}

function addEvidence() {
  const card = deck.current(), words = card && !busy() ? evidence.withChosen(card) : null;
  if (words === null) return evidence.refuse();
  tellOf({ evidence: words });
  say("Passage marked");
}

function paintEvidence() {
  const card = deck.current();
  if (card && !busy()) evidence.paint(card, (words) => tellOf({ evidence: words }));
}

function goBack() {
  if (deck.deck.index > 0) { show(deck.deck.index - 1); announce("Back.", true); }
  else if (!back.hidden) location.assign(back.href);
}

function goOn() { if (!on.hidden) { show(deck.deck.index + 1); announce(); } }

const ACTS = {
  back: goBack, on: goOn, undo: takeBack, cannot, evidence: addEvidence,
  later: () => tellOf({ answer: "later" }),
  known: () => tellOf({ known: !known.checked }),
  note: () => { more.open = true; field.note.focus(); },
  marks: () => view.showMarks(true), next: () => view.step(1), previous: () => view.step(-1),
  find: finding.open, outline: view.toggleOutline, view: view.toggle,
  larger: () => view.resize(1), smaller: () => view.resize(-1), width: view.widen,
  topic: () => { topic.open = !topic.open; say(topic.open ? "Topic unfolded" : "Topic folded"); },
  guidelines: guide.toggle,
  history: () => part("[data-history]").click(),
  keys: keys.open,
};

function perform(name) {
  if (!name.startsWith("grade ")) return ACTS[name]();
  const button = buttons.find((one) => one.value === name.slice(6));
  if (button.disabled) return false;
  tellOf({ grade: Number(button.value) });
}

function key(event) {
  if (!ready) early.push(event);
  else if (guide.holds(event.target) && keys.isFor(event, "guidelines")) { event.preventDefault(); guide.toggle(); }
  else if (guide.heed(event)) return;
  else if (event.key === "Escape" && !event.target.closest?.("input, textarea, select, dialog")) more.open = false;
  else keys.heed(event, perform);
}

// Wiring

Object.assign(view.told, { key, selected: evidence.offer, ready() { paintEvidence(); finding.renew(); } });
Object.assign(sending.told, {
  refresh,
  came() {
    if (listed) many.grow();
    if (busy() && deck.frontier() < deck.cards.length) show(deck.frontier());
    alike.ask(() => { if (deck.current()) alike.paint(deck.current()); });
  },
  refused(card) { if (listed) many.mark(card); if (deck.current() === card) show(deck.deck.index); },
  empty() { if (deck.deck.index >= deck.cards.length) location.assign(here); }, // the server tells what is next
});

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (ready && event.submitter?.name === "grade") tellOf({ grade: Number(event.submitter.value) });
});
said.addEventListener("submit", (event) => {
  event.preventDefault();
  const answer = event.submitter ? event.submitter.value : "";
  if (answer === "cannot") cannot();
  else if (answer === "later") tellOf({ answer: "later" });
  else tellOf({ note: field.note.value.trim() });
});
field.reason.addEventListener("invalid", (event) => { event.preventDefault(); field.reason.focus(); lack(true); });
for (const typed of [field.note, field.reason]) typed.addEventListener("input", () => {
  const card = deck.current();
  lack(false);
  if (card && !busy()) { keepTyped(card); tellSaid(card); }
});
known.addEventListener("change", () => tellOf({ known: known.checked }));
field.note.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); tellOf({ note: field.note.value.trim() }); }
});
more.addEventListener("keydown", (event) => { if (event.key === "Escape") place.focus({ preventScroll: true }); });
back.addEventListener("click", (event) => { if (deck.deck.index > 0) { event.preventDefault(); goBack(); } });
document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-do]");
  if (button && ready) perform(button.dataset.do);
});
part("[data-do=evidence]").addEventListener("pointerdown", (event) => event.preventDefault()); // what is selected stays selected
document.addEventListener("keydown", key);
document.addEventListener("visibilitychange", () => { if (!archived) sending.hold(); });
addEventListener("pagehide", () => {
  leave();
  const card = deck.current();
  const side = { narrow, open: topic.open, top: topic.scrollTop };
  try { if (card) sessionStorage.setItem("assize.place", JSON.stringify([card.seat, card.top, side])); } catch { /* refused */ }
});
setInterval(() => { if (!archived) sending.hold(); }, 300000);
unsent.onChange(refresh);

document.addEventListener("assize:sign-out", ({ detail }) => {
  detail.unsent = unsent.all().length;
  detail.before.push(() => request(`${home}hold/`, { leave: 1 }, 2000).catch(() => {})); // others may have them
});

/** Where one was when the page was left: at which document, how far down, and how the topic stood beside it. */
function wasAt() {
  try { return JSON.parse(sessionStorage.getItem("assize.place")) || []; } catch { return []; /* refused */ }
}

async function begin() {
  const first = deck.current(), [seat, top, was] = wasAt();
  first.topic_html = topic.innerHTML;
  if (seat === first.seat && was?.narrow === narrow) { // the same again, as when one's own words were marked
    topic.open = was.open;
    topic.scrollTop = was.top;
  } else if (narrow) topic.open = false;
  if (listed) many.start((card) => { if (ready) show(deck.cards.indexOf(card), true); }, (card, grade) => { show(deck.cards.indexOf(card), true); tellOf({ grade }); });
  view.showMarks(false);
  place.focus({ preventScroll: true });
  await unsent.open();
  await unsent.recall();
  deck.replay();
  if (seat) Object.assign(deck.bySeat(seat) || {}, { top });
  if (location.pathname === here && !first.waits) show(deck.frontier(), true);
  else { view.paint(article, listed ? null : (first.top ?? 0)); tools(first); if (listed) many.show(first, false); clock.restart(); refresh(); }
  if (!archived) sending.hold();
  ready = true;
  root.dataset.ready = "";
  if (location.pathname !== here) announce("", true); // somebody came back to it
  early.splice(0).forEach(key);
  refresh();
  sending.send();
}

begin();
