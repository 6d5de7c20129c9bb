/* Relevant passages: selected in the document, marked there, listed below it, each to be gone to or taken away. */
import { part, say } from "./page.js";
import * as letters from "./letters.js";
import * as view from "./view.js";

const row = part(".judge-evidence"), list = row?.querySelector("ul"), button = row?.querySelector("[data-do=evidence]"), why = row?.querySelector("[data-why]");

export const read = (words) => (words ? words.split(",").map((one) => one.split("-").map(Number)) : []);
const write = (spans) => spans.map((span) => span.join("-")).join(",");

function ranges(card) {
  if (!card.evidence) return []; // a long text is not read for nothing
  const own = view.own(), seen = view.seen();
  return read(card.evidence).map(([from, to]) => {
    const there = own.nodes.length ? letters.matching(own, seen, letters.lettersOf(own, from, to)) : null;
    return there && there[1] > there[0] ? letters.range(seen, ...there) : null;
  });
}

/** The passages with what is selected now, or the sentence one stands in; those that meet become one. Null if that is nothing of the text. */
export function withChosen(card) {
  const selected = view.chosen();
  if (!selected) return null;
  const seen = view.seen(), own = view.own(), there = seen.nodes.length ? letters.covered(seen, selected) : null;
  const mine = there && letters.matching(seen, own, there);
  if (!mine) return null;
  const whole = [];
  for (const [start, end] of [...read(card.evidence), letters.characters(own, ...mine)].sort((a, b) => a[0] - b[0])) {
    const last = whole[whole.length - 1];
    if (last && start <= last[1]) last[1] = Math.max(last[1], end); else whole.push([start, end]);
  }
  view.deselect();
  return write(whole);
}

/** Whether something is chosen that is no part of the text: the title, the number. */
export const outside = () => { const selected = view.chosen(); return Boolean(selected && !letters.covered(view.seen(), selected)); };

/** Why what is chosen cannot be evidence. */
export const reason = () => (view.whole() && !view.own().nodes.length ? "This document has no text to take a passage from." : outside() ? "Only the document’s text can be evidence, not its title or fields." : view.whole() ? "Select a passage of the document first, or go to a marked or found word in it." : "The document’s text is on its way: one moment.");

/** Say so, for the eye as well. */
export function refuse() {
  say(why.textContent = reason());
  why.hidden = row.hidden = false;
}

/** Show a card's passages; `change` is called with what is left when one is taken away. */
export function paint(card, change) {
  const found = ranges(card);
  view.highlight("evidence", found.filter(Boolean));
  list.replaceChildren(...read(card.evidence).map((span, place) => {
    const line = document.createElement("li"), words = found[place] ? found[place].toString().replace(/\s+/g, " ").trim() : `characters ${span.join(" to ")}`;
    const go = line.appendChild(document.createElement("button")), away = line.appendChild(document.createElement("button"));
    Object.assign(go, { type: "button", className: "linklike passage", textContent: words, dir: "auto", disabled: !found[place] });
    go.addEventListener("click", () => view.reveal(found[place]));
    Object.assign(away, { type: "button", className: "linklike passage-away", textContent: "×", ariaLabel: `Take away the passage “${words.slice(0, 60)}”` });
    away.addEventListener("click", () => { say("Passage taken away"); change(write(read(card.evidence).filter((_, other) => other !== place))); });
    return line;
  }));
  offer();
}

/** The row is there when there is something in it. */
export function offer() {
  const selected = view.selection();
  if (selected) view.bring();
  button.hidden = !selected || outside() || !view.whole();
  if (selected) why.textContent = reason();
  why.hidden = !selected || !button.hidden || !view.holds(selected);
  row.hidden = button.hidden && why.hidden && !list.children.length;
}
