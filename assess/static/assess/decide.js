// Adjudication and practice by keys: a digit decides with its grade, u undoes; b and → go back and on; r, c and p go to reason, comment and precedent; g opens the guidelines; ? lists them. Never inside a field.
import * as drafts from "./judge/drafts.js";
import * as guide from "./judge/guide.js";

const FIELDS = { r: "reason", c: "comment", p: "precedent" }, WAYS = { b: "back", ArrowLeft: "back", ArrowRight: "on" };
const form = document.querySelector("[data-decide]"), more = form?.querySelector(".judge-more");
const place = document.querySelector(".judge-document"), keys = document.getElementById("keys"), frame = document.querySelector("iframe.judge-page");
let sent = false;

function heed(event) {
  const inField = event.target.closest("input, textarea, select");
  const leaves = event.key === "Escape" || (event.key === "Enter" && inField?.matches("input"));
  if (leaves && inField) { inField.blur(); place?.focus({ preventScroll: true }); }
  else if (!keys?.open && !inField && guide.heed(event)) return;
  else if (event.key === "Escape" && more && !keys?.open) more.open = false;
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || inField || keys?.open) return;
  if (guide.holds(event.target)) return void (event.key === "g" && guide.toggle());
  const button = form.querySelector(`button[data-key="${CSS.escape(event.key)}"]`);
  const link = WAYS[event.key] && form.querySelector(`[data-go="${WAYS[event.key]}"]`);
  if (event.key === "?" && keys) {
    event.preventDefault();
    keys.showModal();
  } else if (button && !button.disabled) {
    event.preventDefault();
    button.form.requestSubmit(button);
  } else if (link) {
    event.preventDefault();
    link.click();
  } else if (event.key === "g") {
    event.preventDefault();
    guide.toggle();
  } else if (more && FIELDS[event.key]) {
    event.preventDefault();
    more.open = true;
    form.elements[FIELDS[event.key]].focus();
  }
}

/** What is typed and not decided stays with its document; what went with a decision that the server knows is no draft any longer. */
function remember() {
  const place = `${new URL(form.action).pathname}#${form.elements.docno.value}`, typed = drafts.recall(place);
  if (form.dataset.known.split(" ").includes(typed.sent)) drafts.keep(place, {});
  else for (const name of Object.values(FIELDS)) if (typed[name]) { form.elements[name].value = typed[name]; more.open = true; }
  const keep = (act) => {
    const now = Object.values(FIELDS).filter((name) => form.elements[name].value).map((name) => [name, form.elements[name].value]);
    drafts.keep(place, now.length ? { ...Object.fromEntries(now), ...act } : {});
  };
  more.addEventListener("input", () => keep());
  form.addEventListener("submit", () => keep({ sent: form.elements.client_id.value }));
}

const DONE = "assize.decided"; // what was done, for the page that comes: read out there if the server has taken it

function note(done) {
  try { sessionStorage.setItem(DONE, JSON.stringify(done)); } catch { /* refused: then only what comes is read out */ }
}

function noted() {
  try {
    const done = JSON.parse(sessionStorage.getItem(DONE)) || {};
    sessionStorage.removeItem(DONE);
    return done;
  } catch { return {}; }
}

/** What was done, and what is there now. */
function announce() {
  const done = noted(), undo = document.querySelector("[data-undo]")?.dataset, told = document.querySelector(".toast > span");
  const taken = done.grade !== undefined && undo?.undo === done.docno && undo.grade === done.grade;
  const words = [done.back && "Back.", taken && `Decided ${done.grade} ${done.label} for ${done.docno}.`, told?.textContent, form.dataset.now];
  setTimeout(() => { document.getElementById("say").textContent = words.filter(Boolean).join(" "); }, 60);
}

if (form) {
  document.addEventListener("submit", (event) => {
    if (event.target.method === "dialog") return;
    if (sent) event.preventDefault();
    else if (event.submitter?.name === "grade") note({ grade: event.submitter.value, label: event.submitter.querySelector("[data-label]")?.textContent, docno: form.elements.docno?.value });
    sent = true;
  });
  document.querySelector("[data-keys]")?.addEventListener("click", () => keys.showModal());
  document.addEventListener("keydown", heed);
  const listen = () => frame.contentDocument?.addEventListener("keydown", heed); // no key is lost in a document that is a page
  if (frame) { frame.addEventListener("load", listen); listen(); }
  addEventListener("pageshow", () => { sent = false; });
  form.querySelector("[data-go=back]")?.addEventListener("click", () => note({ back: true }));
  if (more) { remember(); announce(); }
  place?.focus({ preventScroll: true }); // space and page keys scroll it at once
}
