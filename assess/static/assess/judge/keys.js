/* Keys: never in a field, never with a modifier, never while held down. Each can be another, kept in this browser. */
import { form, keep, kept, part, user } from "./page.js";

const KEYS = {
  back: ["b", "ArrowLeft"], on: ["ArrowRight"], undo: ["u"], cannot: ["c"], later: ["l"], note: ["n"], known: ["k"], evidence: ["e"],
  marks: ["h"], next: ["."], previous: [","], find: ["/"], outline: ["o"], view: ["v"], larger: ["+"], smaller: ["-"], width: ["w"],
  topic: ["t"], guidelines: ["g"], history: ["j"], keys: ["?"],
};
const NAMES = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", " ": "space" };
const shelf = `keys.${user}`, dialog = part("#keys"), line = part("#keys-said");
let changed = kept(shelf, {}), awaited = null;

for (const button of form?.querySelectorAll("button[name=grade]") || []) KEYS[`grade ${button.value}`] = [button.dataset.key];

const keysOf = (act) => (changed[act] ? [changed[act], ...KEYS[act].slice(1)] : KEYS[act]);
const actOf = (key) => Object.keys(KEYS).find((act) => keysOf(act).includes(key));

export const isFor = (event, act) => !event.repeat && keysOf(act).includes(event.key);

export function open() { dialog.showModal(); }

/** Calls `act(name)` for each key that means something; it answers whether it did something. */
export function heed(event, act) {
  if (event.defaultPrevented || event.repeat || event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
  if (event.target.closest?.("input, textarea, select, [contenteditable], dialog") || dialog.open) return;
  const found = actOf(event.key);
  if (found && act(found) !== false) event.preventDefault();
}

function label() {
  document.querySelectorAll("kbd[data-act]").forEach((kbd) => {
    const key = keysOf(kbd.dataset.act)?.[Number(kbd.dataset.place || 0)];
    if (key) kbd.textContent = NAMES[key] || key;
  });
  part("[data-keys-reset]").hidden = !Object.keys(changed).length;
}

function await_(button) {
  awaited?.removeAttribute("aria-pressed");
  awaited = button;
  if (!button) return void (line.textContent = "");
  button.setAttribute("aria-pressed", "true");
  line.textContent = `Press the new key for “${button.dataset.name}”, or Escape.`;
}

if (dialog) {
  dialog.addEventListener("click", (event) => {
    const button = event.target.closest("[data-remap]");
    if (button) await_(button);
    if (event.target.closest("[data-keys-reset]")) { changed = {}; keep(shelf, changed); await_(null); label(); }
  });
  dialog.addEventListener("keydown", (event) => {
    if (!awaited || ["Tab", "Shift", "Control", "Alt", "Meta"].includes(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    const act = awaited.dataset.remap, other = actOf(event.key), button = awaited;
    if (event.key === "Escape") return await_(null);
    if (event.key.length > 1 && !NAMES[event.key]) return void (line.textContent = `${event.key} cannot be used: press a letter, a digit or a sign.`);
    if (other && other !== act) return void (line.textContent = `${NAMES[event.key] || event.key} is taken, for “${part(`[data-remap="${other}"]`)?.dataset.name || other}”. Press another.`);
    changed = { ...changed, [act]: event.key };
    keep(shelf, changed);
    await_(null);
    label();
    line.textContent = `“${button.dataset.name}” is ${NAMES[event.key] || event.key} now.`;
  });
  dialog.addEventListener("cancel", (event) => { if (awaited) event.preventDefault(); });
  label();
}
