/* The unsent acts: in memory, in their order, and each an entry of the browser's database, which all tabs of this person share.
   Where the browser refuses a database, memory is all there is. Each is numbered above all that is kept: clocks may go back. */
import { user } from "./page.js";

export const name = `assize.unsent.${user}`;
const acts = new Map(), stored = new Set();
const tabs = self.BroadcastChannel ? new BroadcastChannel(name) : null;
let last = 0, base = null;

export function open() {
  return new Promise((resolve) => {
    setTimeout(resolve, 3000); // a browser that never answers
    try {
      const asked = indexedDB.open(name, 1);
      asked.onupgradeneeded = () => { asked.result.createObjectStore("acts", { keyPath: "key" }); };
      asked.onsuccess = () => { base = asked.result; recall().then(settle).then(resolve); };
      asked.onerror = resolve;
    } catch { resolve(); }
  });
}

function change(what, after) {
  if (!base) return;
  try {
    const turn = base.transaction("acts", "readwrite", { durability: "strict" });
    turn.oncomplete = () => { if (after) after(); if (tabs) tabs.postMessage("changed"); };
    what(turn.objectStore("acts"));
    if (turn.commit) turn.commit(); // now, not when the page has time: it may be left in a moment
  } catch { /* full or refused: it stays in memory */ }
}

export function keep(act) {
  last += 1;
  act.key = `${String(last).padStart(15, "0")}.${act.client_id}`;
  act.homeless = !base;
  acts.set(act.key, act);
  change((kept) => kept.put(act), () => stored.add(act.key));
}

/** The database answered late: what was done meanwhile comes after what it had kept. */
function settle() {
  for (const act of all().filter((one) => one.homeless)) { acts.delete(act.key); keep(act); }
}

export function all() {
  return Array.from(acts.values()).sort((a, b) => (a.key < b.key ? -1 : 1));
}

export function drop(act) {
  acts.delete(act.key);
  change((kept) => kept.delete(act.key));
}

/** What other tabs, or this one before a reload, have kept and sent. */
export function recall() {
  return new Promise((resolve) => {
    if (!base) return resolve();
    const asked = base.transaction("acts").objectStore("acts").getAll();
    asked.onerror = resolve;
    asked.onsuccess = () => {
      const found = new Set(asked.result.map((act) => act.key));
      stored.forEach((key) => { if (!found.has(key)) { acts.delete(key); stored.delete(key); } });
      asked.result.forEach((act) => {
        last = Math.max(last, Number.parseInt(act.key, 10));
        if (!stored.has(act.key)) { acts.set(act.key, act); stored.add(act.key); }
      });
      resolve();
    };
  });
}

export function onChange(what) {
  if (tabs) tabs.onmessage = () => recall().then(what);
}

/** A random name for an act. */
export function uuid() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16)); // plain http
  bytes[6] = (bytes[6] & 15) | 64;
  bytes[8] = (bytes[8] & 63) | 128;
  const hex = Array.from(bytes, (b) => (b + 256).toString(16).slice(1)).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
