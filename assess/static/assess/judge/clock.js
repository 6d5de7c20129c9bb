/* Active seconds: only while the page is visible, and no longer than a minute after the last sign of life. */
const IDLE = 60000;
let since = null, before = 0, lively = performance.now();

function watch() {
  const now = performance.now();
  if (since !== null) before += Math.max(0, Math.min(now, lively + IDLE) - since);
  since = document.visibilityState === "visible" ? now : null;
}

export function restart() { since = null; before = 0; lively = performance.now(); watch(); }

export function seconds() { watch(); return Math.round(before / 10) / 100; }

/** Somebody moves, types or scrolls, here or in the document's frame. */
export function alive() { watch(); lively = performance.now(); }

export function listen(target) {
  for (const name of ["keydown", "pointermove", "pointerdown", "wheel", "touchmove"]) target.addEventListener(name, alive, { passive: true });
}

listen(document);
document.addEventListener("scroll", alive, { passive: true, capture: true });
document.addEventListener("visibilitychange", alive); // coming back is a sign of life
