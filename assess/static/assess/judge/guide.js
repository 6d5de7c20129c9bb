/* The guidelines beside the document, so that nobody leaves it to look something up: a panel where there is room for both,
   which stays open from one document to the next; elsewhere a sheet over the page. They are fetched at each opening, for they
   may have changed. */
const link = document.querySelector("[data-guidelines]"), panel = document.querySelector(".judge-guide");
const text = panel.querySelector(".prose"), place = document.querySelector(".judge-document"), narrow = matchMedia("(max-width: 64rem)");
const isSheet = () => narrow.matches || !panel.closest(".judge");
let from = null;

export function toggle() {
  if (panel.open) return panel.close();
  from = document.activeElement;
  show();
  text.focus({ preventScroll: true });
}

/** Escape closes them, wherever one is, but in a field; tells whether it did. */
export function heed(event) {
  if (event.key !== "Escape" || !panel.open || event.target.closest?.("input, textarea, select")) return false;
  event.preventDefault();
  panel.close();
  return true;
}

export const holds = (target) => panel.contains(target);

function show() {
  if (isSheet()) panel.showModal(); else panel.show();
  remember(!isSheet());
  fill();
}

async function fill() {
  try {
    const answer = await fetch(link.href, { credentials: "same-origin" });
    const made = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("main :is(.prose, .empty)"); // made and escaped by the server
    if (made.innerHTML !== text.innerHTML) text.replaceChildren(...made.childNodes);
  } catch {
    const waiting = text.querySelector(".judge-guide-waiting"); // else what came before is still there
    if (waiting) waiting.textContent = "The guidelines did not come. Once you are connected and signed in, open them again.";
  }
}

function remember(open) {
  try { if (open) sessionStorage.setItem("assize.guide", "open"); else sessionStorage.removeItem("assize.guide"); } catch { /* refused */ }
}

function wasOpen() {
  try { return sessionStorage.getItem("assize.guide") === "open"; } catch { return false; }
}

panel.addEventListener("close", () => {
  if (panel.open) return; // from a panel to a sheet
  remember(false);
  const here = document.activeElement;
  if (here === document.body || panel.contains(here)) (from?.isConnected && from !== document.body ? from : place)?.focus({ preventScroll: true });
});
panel.addEventListener("click", (event) => { if (event.target.closest("[data-close]")) panel.close(); });
link.addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return; // a tab of its own, then
  event.preventDefault();
  toggle();
});
narrow.addEventListener("change", () => { if (panel.open) { panel.close(); show(); } });
if (wasOpen() && !isSheet()) show();
