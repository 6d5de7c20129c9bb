/* What is typed and not said yet: kept in this browser with its document until it is, so that going on loses nothing.
   Signing out forgets it, as every draft (assize.js). */
const ours = `draft:${document.querySelector("[data-user]")?.dataset.user}:`;
const refused = new Map(); // what the browser would not keep lives as long as the page

export function recall(place) {
  try { return refused.get(place) ?? JSON.parse(localStorage.getItem(ours + place)) ?? {}; } catch { return {}; }
}

/** Nothing in it: nothing is kept. */
export function keep(place, typed) {
  refused.delete(place);
  try {
    if (Object.keys(typed).length) localStorage.setItem(ours + place, JSON.stringify(typed));
    else localStorage.removeItem(ours + place);
  } catch { refused.set(place, typed); }
}
