/* The document on screen: as a page in its frame, or as text; its marked words, its outline, where one was in it. */
import { keep, kept, part, place, say } from "./page.js";
import * as clock from "./clock.js";
import * as letters from "./letters.js";

/* Told by the page: a key in the frame, a selection in the document, the document ready to be marked. */
export const told = { key() {}, selected() {}, ready() {} };
const outline = part(".judge-outline"), grown = new ResizeObserver(() => fit());
let article = null, frame = null, hit = -1, at = null, texts = {}, waiting = null, returning = 0, behind = 0;

/** Show what stands in an article. `top`: where one was in it, as `where` told; null: stay. */
export function paint(shown, top = 0) {
  article = shown;
  frame = article.querySelector("iframe");
  hit = -1;
  at = null;
  texts = {};
  grown.disconnect();
  for (const name of ["evidence", "found", "found-now"]) highlight(name, []);
  if (!frame) return settle(top);
  frame.hidden = false;
  if (frame.contentDocument?.URL === "about:srcdoc" && frame.contentDocument.readyState === "complete") ready(top);
  else {
    const opened = frame;
    waiting = top;
    frame.addEventListener("load", () => { if (frame === opened && waiting !== null) ready(waiting); });
  }
}

/** No document is there at present. */
export function clear() {
  frame = null;
  texts = { own: { nodes: [], letters: "" } };
  outline.hidden = true;
  grown.disconnect();
}

function ready(top) {
  waiting = null;
  const inside = frame.contentDocument;
  inside.addEventListener("keydown", (event) => told.key(event));
  inside.addEventListener("selectionchange", () => told.selected());
  clock.listen(inside);
  dress();
  grown.observe(inside.body);
  fit();
  settle(top);
}

function settle(top) {
  clearTimeout(behind);
  behind = setTimeout(bring, asPage() ? 1000 : 0); // who only looks in goes on sooner; who marks a passage has it at once
  if (top?.at !== undefined) returnTo(blocks()[top.at], top.by);
  else if (top !== null) place.scrollTop = top || 0;
  if (top !== null) place.scrollIntoView({ block: "nearest" }); // where there is little height the page scrolls, too
  listHeadings();
  told.ready();
}

/** Until it stays: what comes into view has its true height only then, and moves the rest. Whoever scrolls meanwhile goes on. */
function returnTo(paragraph, by) {
  const mine = (returning += 1);
  let still = 0, turns = 0;
  const go = () => {
    if (mine !== returning || !paragraph?.isConnected) return;
    const off = topOf(paragraph) - place.getBoundingClientRect().top + by, before = place.scrollTop;
    if (Math.abs(off) >= 1) place.scrollTop += off;
    still = place.scrollTop === before ? still + 1 : 0;
    if (still < 4 && (turns += 1) < 60) requestAnimationFrame(go);
  };
  go();
}
for (const act of ["wheel", "touchstart", "pointerdown", "keydown"]) document.addEventListener(act, () => { returning += 1; }, { passive: true, capture: true });

/** The frame is as high as its page, so that one thing scrolls: the document. */
function fit() {
  const body = frame?.contentDocument?.body;
  if (body) frame.style.height = `${Math.ceil(body.getBoundingClientRect().height) + 16}px`;
}

export const plain = () => article?.querySelector(".judge-plain");
const asPage = () => frame !== null && !frame.hidden;
const inner = () => (asPage() ? frame.contentDocument : document);

/** The document's own text, and what is shown: the same, or a page. */
export function own() { bring(); return (texts.own ??= letters.read(plain())); }
export function seen() { return asPage() ? (texts.page ??= letters.read(inner().body)) : own(); }

/** The document's other fields, where words are sought too. */
export function beside() {
  const fields = article?.querySelector(".judge-facts");
  return (texts.beside ??= fields ? letters.read(fields) : { nodes: [], letters: "" });
}

/** What one goes to among fields that are folded is shown. */
export function unfold(target) {
  const fold = (target.startContainer?.parentElement ?? target).closest(".judge-fields");
  if (fold) fold.open = true;
}

/** Whether the text is there: that of a long page comes behind it. */
export const whole = () => !plain()?.querySelector("[data-behind]");

/** Fetch the text that is not there yet; asked for again whenever it is wanted, so that a lost connection costs nothing. */
export async function bring() {
  const fold = plain(), link = fold?.querySelector("[data-behind]:not([aria-busy])");
  if (!link) return;
  link.ariaBusy = "true";
  try {
    const answer = await fetch(link.href, { credentials: "same-origin" });
    const made = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector(".judge-plain"); // made and escaped by the server
    fold.replaceChildren(fold.querySelector("summary"), ...made.childNodes);
  } catch { link.ariaBusy = null; return; }
  if (plain() !== fold) return; // one has gone on; it is there when one comes back
  texts = {};
  if (!asPage()) listHeadings();
  told.ready();
}
addEventListener("online", () => { if (article) bring(); });

/** As a page, or as text. */
export function toggle() {
  if (!frame) return say("This document is text alone");
  const fold = plain();
  frame.hidden = !frame.hidden;
  fold.open = frame.hidden;
  say(frame.hidden ? "As text" : "As a page");
  fit();
  settle(0);
}

/** Where one has gone by key: to a marked word, or to one that was sought. */
export function standAt(range) {
  at = range;
  highlight("found-now", []);
  for (const mark of [...article.querySelectorAll(".mark-now"), ...inner().querySelectorAll(".mark-now")]) mark.classList.remove("mark-now");
}

/** What is selected, else the sentence in which one stands. */
export const chosen = () => selection() ?? (at?.startContainer.isConnected ? letters.sentence(at) : null);

export function selection() {
  if (!article) return null;
  const found = inner().getSelection();
  return found && !found.isCollapsed && found.rangeCount ? found.getRangeAt(0) : null;
}

/** Whether a selection lies in the document at all, its title included. */
export const holds = (range) => Boolean(article && (article.contains(range.commonAncestorContainer) || frame?.contentDocument === range.commonAncestorContainer.ownerDocument));

export function deselect() { inner().getSelection()?.removeAllRanges(); standAt(null); }

export function highlight(name, ranges) {
  for (const world of new Set([window, frame?.contentWindow].filter(Boolean))) {
    if (!world.CSS?.highlights) continue;
    const here = ranges.filter((range) => range.startContainer.ownerDocument === world.document);
    if (here.length) world.CSS.highlights.set(name, new world.Highlight(...here)); else world.CSS.highlights.delete(name);
  }
}

const long = () => (asPage() ? inner()?.documentElement?.classList.contains("long") : Boolean(article.querySelector(".judge-long")));
const blocks = () => (asPage() ? [...inner().querySelectorAll("p, ul, ol, dl, pre, blockquote")] : [...plain().querySelectorAll("[data-at]")]);
const topOf = (target) => target.getBoundingClientRect().top + (frame && (target.startContainer || target).ownerDocument === frame.contentDocument ? frame.getBoundingClientRect().top : 0);

/** Where one is: in pixels, or from a paragraph of a long document, whose height above is a guess. */
export function where() {
  if (!article || !long() || !place.scrollTop) return place.scrollTop;
  const edge = place.getBoundingClientRect().top, all = blocks();
  const at = all.findIndex((block) => topOf(block) + block.getBoundingClientRect().height > edge);
  return at < 0 ? place.scrollTop : { at, by: edge - topOf(all[at]) };
}

/** Bring something into the middle of the document's part of the page; in a long one, laid out as it comes into view, until it stays. */
export function reveal(target, turns = 3) {
  if (turns === 3 && long() && !asPage()) (target.startContainer || target).parentElement.scrollIntoView({ block: "center" });
  const height = Math.min(target.getBoundingClientRect().height, place.clientHeight);
  place.scrollTop += topOf(target) - place.getBoundingClientRect().top - (place.clientHeight - height) / 2;
  if (turns && long()) requestAnimationFrame(() => reveal(target, turns - 1));
}

// Marked words

export function step(by) {
  const marks = [...article.querySelectorAll(":is(h2, .judge-facts) mark"), ...(asPage() ? inner().querySelectorAll("mark") : article.querySelectorAll(".judge-plain mark"))];
  if (!marks.length || place.classList.contains("marks-off")) return say("No marked word");
  hit = hit < 0 && by < 0 ? marks.length - 1 : (hit + by + marks.length) % marks.length;
  const word = marks[hit].ownerDocument.createRange();
  word.selectNodeContents(marks[hit].firstChild);
  standAt(word);
  marks[hit].classList.add("mark-now");
  unfold(marks[hit]);
  reveal(marks[hit]);
  say(`${marks[hit].textContent}, ${hit + 1} of ${marks.length}`);
}

export function showMarks(toggled) {
  const off = (kept("marks", "on") === "off") !== toggled;
  if (toggled) { keep("marks", off ? "off" : "on"); say(off ? "Words are not marked" : "Words are marked"); }
  place.classList.toggle("marks-off", off);
  if (article) standAt(null);
  dress();
}

// Headings

function listHeadings() {
  const heads = [...(asPage() ? inner().querySelectorAll("h1, h2, h3, h4, h5, h6") : plain().querySelectorAll(".judge-head"))].filter((head) => head.textContent.trim());
  const list = outline.querySelector("ol");
  outline.hidden = heads.length < 2;
  outline.open = false;
  list.replaceChildren(...heads.slice(0, 300).map((head) => {
    const line = document.createElement("li"), button = line.appendChild(document.createElement("button"));
    Object.assign(button, { type: "button", className: "linklike", textContent: head.textContent.trim().slice(0, 120), dir: "auto" });
    line.dataset.level = /^H[1-6]$/.test(head.tagName) ? head.tagName[1] : "1";
    button.addEventListener("click", () => { outline.open = false; reveal(head); place.focus({ preventScroll: true }); });
    return line;
  }));
}

export function toggleOutline() {
  if (outline.hidden) return say("No headings");
  outline.open = !outline.open;
  if (outline.open) outline.querySelector("button").focus();
}

// Size and width of the text, kept in this browser

const looks = { size: 0, width: 0, ...kept("reading", {}) };

function dress() {
  for (const target of [place, frame?.contentDocument?.documentElement].filter(Boolean)) {
    Object.assign(target.dataset, { size: looks.size, width: looks.width });
    target.classList.toggle("marks-off", place.classList.contains("marks-off"));
  }
}

export function resize(by) {
  looks.size = Math.max(-1, Math.min(3, looks.size + by));
  keep("reading", looks);
  dress();
  say(["Smaller text", "Normal text", "Larger text", "Large text", "Very large text"][looks.size + 1]);
}

export function widen() {
  looks.width = (looks.width + 1) % 3;
  keep("reading", looks);
  dress();
  say(["Normal width", "Wide", "Full width"][looks.width]);
}

dress();
document.addEventListener("selectionchange", () => told.selected());
