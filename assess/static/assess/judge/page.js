/* The page's parts, and how it speaks. */
export const root = document.querySelector("[data-home][data-user]");
export const { home, user, mode } = root.dataset;
export const here = root.dataset.here || home;
export const part = (query) => document.querySelector(query);
export const form = part("form.judge-bar");
export const place = part(".judge-document");

/** Read out by screen readers; the same words twice are read twice. */
export function say(text) {
  const line = document.getElementById("say");
  if (!line) return;
  line.textContent = "";
  clearTimeout(say.timer);
  say.timer = setTimeout(() => { line.textContent = text; }, 60);
}

/** A notice that stays until the page is left. */
export function tell(text, href, label) {
  const box = part(".judge-notices").appendChild(document.createElement("div"));
  box.className = "notice notice-warn";
  box.appendChild(document.createElement("span")).textContent = `${text} `;
  if (href) Object.assign(box.appendChild(document.createElement("a")), { href, textContent: label });
}

/** What this browser keeps; where it refuses, nothing is. */
export function kept(name, fallback) {
  try { return JSON.parse(localStorage.getItem(`assize.${name}`)) ?? fallback; } catch { return fallback; }
}

export function keep(name, value) {
  try { localStorage.setItem(`assize.${name}`, JSON.stringify(value)); } catch { /* as long as the page, then */ }
}

/** Given up when patience ends, or when it is cut. */
export function request(url, values, patience = 20000, cut = new AbortController()) {
  const headers = { Accept: "application/json", "X-CSRFToken": root.dataset.csrf };
  const options = { method: "POST", body: new URLSearchParams(values), headers, credentials: "same-origin", signal: cut.signal };
  setTimeout(() => cut.abort(), patience);
  return fetch(url, options);
}
