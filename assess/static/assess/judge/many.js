/* List mode: the documents one below the other, the present one marked; each has its grades beside it, too. */
import { part, place } from "./page.js";
import * as deck from "./deck.js";

const list = part(".judge-list");
const entry = (card) => list.querySelector(`[data-seat="${card.seat}"]`);
let pattern = null;

export function start(chosen, graded) {
  pattern = list.querySelector("li").cloneNode(true);
  list.addEventListener("click", (event) => {
    const card = deck.bySeat(event.target.closest("li")?.dataset.seat);
    if (card && card !== deck.current() && !event.target.closest("button, a, summary")) chosen(card);
  });
  list.addEventListener("submit", (event) => {
    event.preventDefault();
    graded(deck.bySeat(event.target.closest("li").dataset.seat), Number(event.submitter.value));
  });
  deck.cards.forEach(mark);
}

/** Documents that came later are entries like the others; as text, since they are short. */
export function grow() {
  for (const card of deck.cards) {
    const old = entry(card);
    if (old) { if (card !== deck.current() && card.waits && old.matches(".put-off")) list.append(old); continue; }
    const line = pattern.cloneNode(true), made = document.createElement("template");
    line.dataset.seat = card.seat;
    line.classList.remove("now", "put-off");
    made.innerHTML = card.document_html; // made and escaped by the server
    made.content.querySelector("iframe")?.remove();
    made.content.querySelector("details.judge-plain")?.setAttribute("open", "");
    line.querySelector("article").replaceChildren(made.content);
    line.querySelector("form").action = card.url;
    line.querySelectorAll("[data-docno]").forEach((name) => { name.textContent = card.name; });
    list.append(line);
    mark(card);
  }
}

export function mark(card) {
  const line = entry(card);
  if (!line) return;
  line.classList.toggle("put-off", card.answer === "later");
  line.classList.toggle("said", !card.waits);
  line.querySelectorAll("button[name=grade]").forEach((button) => button.setAttribute("aria-pressed", String(card.grade === Number(button.value))));
  line.querySelector(".entry-said").textContent = card.answer === "cannot" ? `can’t judge: ${card.reason}` : card.answer === "later" ? "put off" : card.note ? "note" : "";
}

export function rest() { list.querySelector(".now")?.classList.remove("now"); }

/** The entry's article, in view. */
export function show(card, moved) {
  grow();
  rest();
  const line = entry(card);
  line.classList.add("now");
  if (moved) {
    const top = line.getBoundingClientRect().top - place.getBoundingClientRect().top;
    if (top < 0 || top + line.offsetHeight > place.clientHeight) place.scrollTop += top - place.clientHeight / 5;
  }
  return line.querySelector("article");
}
