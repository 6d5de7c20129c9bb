/* Texts that one has judged already, or nearly the same: asked for a batch at a time, so that it works offline, too. */
import { home, part } from "./page.js";
import * as deck from "./deck.js";

const asked = new Set(), known = new Map(), line = part(".judge-alike");
let timer = null;

export function ask(after) {
  clearTimeout(timer);
  timer = setTimeout(async () => {
    const seats = deck.cards.map((card) => card.seat).filter((seat) => !asked.has(seat)).slice(0, 50);
    if (!seats.length) return;
    try {
      const answer = await fetch(`${home}alike/?seats=${seats.join(",")}`, { headers: { Accept: "application/json" }, credentials: "same-origin" });
      if (!answer.ok) return;
      const found = (await answer.json()).alike;
      seats.forEach((seat) => asked.add(seat));
      found.forEach(({ seat, others }) => known.set(seat, others));
      after();
    } catch { /* offline: another time */ }
  }, 600);
}

/** Of texts that are alike, the one judged last on this page, or before: with one's own grade. */
export function paint(card) {
  const others = (known.get(card.seat) || []).map((other) => ({ ...other, ...said(other) })).filter((other) => other.grade !== null);
  line.hidden = !others.length;
  if (!others.length) return;
  const other = others[0], link = document.createElement("a"), label = part(`button.grade[value="${other.grade}"] [data-label]`);
  link.href = `${home}${other.seat}/`;
  link.textContent = other.docno;
  line.replaceChildren(other.same ? "The same text as " : "Nearly the same text as ", link, `, which you judged ${other.grade}${label ? ` ${label.textContent}` : ""}`);
}

function said(other) {
  const card = deck.bySeat(other.seat);
  return card ? { grade: card.grade } : {};
}
