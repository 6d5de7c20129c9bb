/* The text of a part of a page, letter by letter without blanks: where each stands, so that words are found and passages marked,
   in the text as in a page of the same words. `at` is the place in the document's own text, in characters (code points). */
const BLANK = /\s/;
const solid = (text) => text.replace(/\s+/g, "");
const points = (text) => { let count = text.length; for (const unit of text.match(/[\ud800-\udbff][\udc00-\udfff]/g) || []) count -= unit.length - 1; return count; };
const BLOCKS = "p, div, li, td, th, h1, h2, h3, h4, h5, h6, pre, blockquote, dt, dd, tr, section, article, body";

export function read(root) {
  const walker = root.ownerDocument.createTreeWalker(root, 4), nodes = [], parts = [];
  let start = 0, paragraph = null, at = 0;
  while (walker.nextNode()) {
    const node = walker.currentNode, marked = node.parentElement.closest("[data-at]");
    if (marked !== paragraph) { paragraph = marked; at = marked ? Number(marked.dataset.at) : 0; }
    const letters = solid(node.data);
    if (letters && (marked || !root.hasAttribute("data-text"))) {
      nodes.push({ node, start, size: letters.length, at: marked ? at : null });
      parts.push(letters);
      start += letters.length;
    }
    at += marked ? points(node.data) : 0;
  }
  return { nodes, letters: parts.join("") };
}

function holder(text, place) {
  let low = 0, high = text.nodes.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (text.nodes[middle].start <= place) low = middle; else high = middle - 1;
  }
  return text.nodes[low];
}

/** Where a letter stands in its node. */
function offset(entry, place) {
  const data = entry.node.data;
  let left = place - entry.start, i = 0;
  for (; i < data.length; i++) if (!BLANK.test(data[i]) && left-- === 0) break;
  return i;
}

export function range(text, start, end) {
  const made = text.nodes[0].node.ownerDocument.createRange(), first = holder(text, start), last = holder(text, end - 1);
  made.setStart(first.node, offset(first, start));
  made.setEnd(last.node, offset(last, end - 1) + 1);
  return made;
}

/** The sentence of a word; where the browser tells none, its paragraph. */
export function sentence(word) {
  const from = word.startContainer, block = from.parentElement.closest(BLOCKS), made = from.ownerDocument.createRange();
  made.selectNodeContents(block);
  if (!Intl.Segmenter) return made;
  const walker = from.ownerDocument.createTreeWalker(block, 5), nodes = [];
  let text = "", at = 0;
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (node === from) at = text.length + word.startOffset;
    if (node.nodeType === 3) nodes.push({ node, start: text.length });
    text += node.data ?? (node.tagName === "BR" ? " " : "");
  }
  // The end of a line is no end of a sentence; a full stop that stands alone is one, whatever letter comes then.
  const read = text.replace(/\s/g, " ").replace(/(?<=\s[.?!]\s+)[a-z]/g, (letter) => letter.toUpperCase());
  const found = new Intl.Segmenter(undefined, { granularity: "sentence" }).segment(read).containing(at);
  const holding = (place) => nodes.findLast((one) => one.start <= place), first = holding(found.index), end = found.index + found.segment.trimEnd().length, last = holding(end - 1);
  made.setStart(first.node, found.index - first.start);
  made.setEnd(last.node, end - last.start);
  return made;
}

/** The letters a selection covers, as [start, end]; null if none of this text. */
export function covered(text, selected) {
  const inside = text.nodes.filter((entry) => selected.intersectsNode(entry.node));
  if (!inside.length) return null;
  const edge = (entry, container, at, otherwise) => (entry.node === container ? entry.start + solid(entry.node.data.slice(0, at)).length : otherwise);
  const first = inside[0], last = inside[inside.length - 1];
  const start = edge(first, selected.startContainer, selected.startOffset, first.start);
  const end = edge(last, selected.endContainer, selected.endOffset, selected.endContainer.nodeType === 3 ? last.start + last.size : upTo(last, selected));
  return end > start ? [start, end] : null;
}

function upTo(last, selected) {
  const whole = last.node.ownerDocument.createRange();
  whole.selectNodeContents(last.node);
  return selected.compareBoundaryPoints(Range.END_TO_END, whole) >= 0 ? last.start + last.size : last.start;
}

/** Letters [start, end] as characters of the document's text. */
export function characters(text, start, end) {
  const count = (place) => { const entry = holder(text, place); return entry.at + points(entry.node.data.slice(0, offset(entry, place))); };
  const last = holder(text, end - 1), unit = last.node.data.codePointAt(offset(last, end - 1));
  return [count(start), count(end - 1) + (unit >= 0xdc00 && unit <= 0xdfff ? 0 : 1)];
}

/** Characters of the document's text as letters [start, end]. */
export function lettersOf(text, from, to) {
  const count = (place) => {
    let best = text.nodes[0];
    for (const entry of text.nodes) { if (entry.at > place) break; best = entry; }
    const units = Array.from(best.node.data).slice(0, Math.max(0, place - best.at)).join("");
    return best.start + solid(units).length;
  };
  return [count(from), count(to)];
}

/** The same letters in another rendering of the same words; the nearest, where the two are not quite the same. */
export function matching(from, to, [start, end]) {
  if (from === to || from.letters === to.letters) return [start, end];
  const wanted = from.letters.slice(start, end), near = (start * to.letters.length) / Math.max(from.letters.length, 1);
  let best = null;
  for (let at = to.letters.indexOf(wanted); at >= 0; at = to.letters.indexOf(wanted, at + 1)) {
    if (best !== null && Math.abs(at - near) > Math.abs(best - near)) break;
    best = at;
  }
  return best === null ? null : [best, best + wanted.length];
}

function gap(text, place) {
  const entry = holder(text, place), at = offset(entry, place);
  if (at > 0) return BLANK.test(entry.node.data[at - 1]);
  const before = text.nodes[text.nodes.indexOf(entry) - 1];
  return !before || BLANK.test(entry.node.data[0]) || BLANK.test(before.node.data.slice(-1))
    || before.node.parentElement.closest(BLOCKS) !== entry.node.parentElement.closest(BLOCKS);
}

/** Where words stand, whatever their case; blanks must be where they are asked for, and nowhere else. */
export function find(text, words, most = 1000) {
  const asked = words.trim(), wanted = solid(asked).toLowerCase(), found = [];
  if (!wanted) return found;
  let letters = text.letters.toLowerCase();
  if (letters.length !== text.letters.length) letters = text.letters; // a letter that has no small form of one letter
  const gaps = new Set();
  asked.split(/\s+/).reduce((sum, word) => { gaps.add(sum); return sum + word.length; }, 0);
  for (let at = letters.indexOf(wanted); at >= 0 && found.length < most; at = letters.indexOf(wanted, at + 1)) {
    let fits = true;
    for (let k = 1; fits && k < wanted.length; k++) fits = gap(text, at + k) === gaps.has(k);
    if (fits) found.push([at, at + wanted.length]);
  }
  return found;
}
