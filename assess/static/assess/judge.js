/* The judging page: a key is a grade, and the next document is there at once. What is not yet saved is kept in this
   browser (IndexedDB), one entry for each act, and is sent in order until the server has answered; only then it counts as saved. */
(function () {
  "use strict";
  var root = document.querySelector("[data-home][data-user]");
  if (!root) return;
  var home = root.dataset.home, store = "assize.unsent." + root.dataset.user;
  var part = function (query) { return document.querySelector(query); };
  var topic = part(".judge-topic"), place = part(".judge-document"), article = part(".judge-document > article");
  var form = part("form.judge-bar"), back = part(".judge-back"), on = part(".judge-on"), keys = part("#keys");
  var notices = part(".judge-notices"), light = part("[data-light]"), undo = part(".judge-undo");
  var more = part(".judge-more"), said = part("#said"), field = said ? said.elements : {}, known = part("[type=checkbox][name=known]");
  var buttons = form ? Array.prototype.slice.call(form.querySelectorAll("button[name=grade]")) : [];
  var archived = buttons.some(function (button) { return button.disabled; });
  var source = part("#judge-cards"), cards = source ? JSON.parse(source.textContent) : [];
  var index = 0, beside = cards[0] && cards[0].topic, done = number("[data-done]"), total = number("[data-total]");

  function number(query) { return part(query) ? Number(part(query).textContent) : 0; }

  function say(text) {
    var line = document.getElementById("say");
    if (!line) return;
    line.textContent = "";
    setTimeout(function () { line.textContent = text; }, 60);
  }

  // The unsent acts: in memory, in their order, and each an entry of the database, which all tabs of this person share.
  // Where the browser refuses a database, memory is all there is.

  var acts = new Map(), stored = new Set(), last = 0, base = null;
  var tabs = self.BroadcastChannel ? new BroadcastChannel(store) : null;

  function open() {
    return new Promise(function (resolve) {
      setTimeout(resolve, 3000); // a browser that never answers
      try {
        var asked = indexedDB.open(store, 1);
        asked.onupgradeneeded = function () { asked.result.createObjectStore("acts", { keyPath: "key" }); };
        asked.onsuccess = function () { base = asked.result; resolve(); };
        asked.onerror = resolve;
      } catch (error) { resolve(); }
    });
  }

  function change(what, after) {
    if (!base) return;
    try {
      var turn = base.transaction("acts", "readwrite", { durability: "strict" });
      turn.oncomplete = function () { if (after) after(); if (tabs) tabs.postMessage("changed"); };
      what(turn.objectStore("acts"));
      if (turn.commit) turn.commit(); // now, not when the page has time: it may be left in a moment
    } catch (error) { /* full or refused: it stays in memory */ }
  }

  function keep(act) {
    last = Math.max(Date.now(), last + 1);
    act.key = String(last).padStart(15, "0") + "." + act.client_id;
    acts.set(act.key, act);
    change(function (kept) { kept.put(act); }, function () { stored.add(act.key); });
  }

  function unsent() {
    return Array.from(acts.values()).sort(function (a, b) { return a.key < b.key ? -1 : 1; });
  }

  function drop(act) {
    acts.delete(act.key);
    change(function (kept) { kept.delete(act.key); });
  }

  // What other tabs, or this one before a reload, have kept and sent.
  function recall() {
    return new Promise(function (resolve) {
      if (!base) return resolve();
      var asked = base.transaction("acts").objectStore("acts").getAll();
      asked.onerror = resolve;
      asked.onsuccess = function () {
        var found = new Set(asked.result.map(function (act) { return act.key; }));
        stored.forEach(function (key) { if (!found.has(key)) { acts.delete(key); stored.delete(key); } });
        asked.result.forEach(function (act) { if (!stored.has(act.key)) { acts.set(act.key, act); stored.add(act.key); } });
        resolve();
      };
    });
  }

  // What is on screen

  var since = null, before = 0; // active time: only while the page is visible

  function watch() {
    var now = performance.now();
    if (since !== null) before += now - since;
    since = document.visibilityState === "visible" ? now : null;
  }

  function seconds() { watch(); return Math.round(before / 10) / 100; }

  function frontier() {
    for (var i = 0; i < cards.length; i++) if (cards[i].waits) return i;
    return cards.length;
  }

  function show(at, still) {
    var card = cards[at];
    index = at;
    if (more && !still) more.open = false; // it was about the document before
    if (!card) return wait();
    if (beside !== card.topic) { // the topic that is on screen: while one waits there is no card to ask
      beside = card.topic;
      topic.innerHTML = card.topic_html; // made and escaped by the server
      topic.scrollTop = 0;
      say("Topic " + card.topic);
    }
    article.innerHTML = card.document_html;
    article.removeAttribute("aria-busy");
    form.action = said.action = card.url;
    form.elements.seen.value = field.seen.value = card.seen;
    tools(card);
    buttons.forEach(function (button) {
      button.setAttribute("aria-pressed", String(card.grade !== null && Number(button.value) === card.grade));
      button.disabled = archived;
    });
    place.scrollTop = 0;
    if (!still) {
      place.focus({ preventScroll: true });
      if (location.pathname !== home) history.replaceState(null, "", home); // a reload goes on from here
    }
    since = null; before = 0; watch();
    refresh();
  }

  function tools(card) {
    part("#words").elements.seat.value = card.seat;
    hit = -1;
    field.reason.value = card.reason;
    field.note.value = card.note;
    known.checked = card.known;
    var words = card.answer === "cannot" ? "can’t judge: " + card.reason : card.answer === "later" ? "put off" : "";
    part(".judge-said").textContent = words || (card.note ? "note" : "") + (card.known ? " known to me" : "");
  }

  var hit = -1;

  function step(by) {
    var marks = article.querySelectorAll("mark");
    if (!marks.length || place.classList.contains("marks-off")) return say("No marked word");
    if (marks[hit]) marks[hit].classList.remove("mark-now");
    hit = hit < 0 && by < 0 ? marks.length - 1 : (hit + by + marks.length) % marks.length;
    marks[hit].classList.add("mark-now");
    marks[hit].scrollIntoView({ block: "center" });
    say(marks[hit].textContent + ", " + (hit + 1) + " of " + marks.length);
  }

  function showMarks(toggle) {
    var off = place.classList.contains("marks-off");
    try { off = localStorage.getItem("assize.marks") === "off"; } catch (error) { /* storage is refused: as the page has it */ }
    if (toggle) off = !off;
    place.classList.toggle("marks-off", off);
    try { localStorage.setItem("assize.marks", off ? "off" : "on"); } catch (error) { /* as above */ }
  }

  function wait() {
    article.setAttribute("aria-busy", "true");
    article.textContent = "";
    var line = article.appendChild(document.createElement("p"));
    line.className = "soft";
    line.textContent = unsent().length ? "The next document comes as soon as the connection is back." : "One moment …";
    buttons.forEach(function (button) { button.disabled = true; });
    refresh();
  }

  function refresh() {
    var count = unsent().length;
    light.textContent = count ? count + " unsent" : "saved";
    light.classList.toggle("light-unsent", count > 0);
    light.hidden = !form && !count;
    if (!form) return;
    part("[data-done]").textContent = done;
    total = Math.max(total, done);
    part("[data-total]").textContent = total;
    form.querySelector("progress").value = done;
    form.querySelector("progress").max = total;
    back.hidden = index === 0 && back.getAttribute("href") === part("[href$='/judge/list/']").getAttribute("href");
    on.hidden = index >= frontier() || index >= cards.length - 1;
    undo.hidden = !undoable.length;
  }

  function tell(text, href, label) {
    var box = notices.appendChild(document.createElement("div"));
    box.className = "notice notice-warn";
    box.appendChild(document.createElement("span")).textContent = text + " ";
    if (href) {
      var link = box.appendChild(document.createElement("a"));
      link.href = href;
      link.textContent = label;
    }
  }

  // Acts

  function uuid() {
    if (crypto.randomUUID) return crypto.randomUUID();
    var bytes = crypto.getRandomValues(new Uint8Array(16)); // plain http
    bytes[6] = (bytes[6] & 15) | 64;
    bytes[8] = (bytes[8] & 63) | 128;
    var hex = Array.from(bytes, function (b) { return (b + 256).toString(16).slice(1); }).join("");
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  }

  var undoable = []; // acts of this page, to undo: of which seat, and what was said of it before

  // What an act changes, in the page as on the server.
  function apply(card, values) {
    var waited = card.waits;
    var answer = values.grade !== undefined ? "grade" : values.answer;
    if (answer) {
      card.answer = answer;
      card.grade = values.grade === undefined ? null : values.grade;
      card.reason = answer === "cannot" ? values.reason : "";
      card.waits = answer === "open";
      var counts = answer === "grade" || answer === "cannot";
      if (counts && (waited || card.put_off)) done += 1;
      if (!counts && !waited && !card.put_off) done -= 1;
      card.put_off = answer === "later";
    }
    if (values.note !== undefined) card.note = values.note;
    if (values.known !== undefined) card.known = values.known;
    card.seen += 1;
  }

  function act(card, values) {
    keep({ url: card.url, name: card.name, values: values, seen: card.seen, seconds: seconds(), client_id: uuid() });
    apply(card, values);
  }

  // A note that was typed and not saved goes with whatever is said next.
  function tellOf(values) {
    var card = cards[index];
    if (!card || archived || article.hasAttribute("aria-busy")) return;
    if (field.note.value.trim() !== card.note) values.note = field.note.value.trim();
    undoable.push({ seat: card.seat, before: { answer: card.answer, grade: card.grade, reason: card.reason, note: card.note, known: card.known } });
    act(card, values);
    if (values.answer || values.grade !== undefined) show(frontier());
    else { tools(card); place.focus({ preventScroll: true }); say("Kept"); refresh(); }
    send();
  }

  function judge(grade) { tellOf({ grade: grade }); }

  function cannot() {
    var reason = field.reason.value.trim();
    if (reason) tellOf({ answer: "cannot", reason: reason });
    else { more.open = true; field.reason.focus(); }
  }

  function takeBack() {
    var undone = undoable.pop();
    if (!undone) return;
    var before = undone.before, values = { note: before.note, known: before.known };
    if (before.answer === "grade") values.grade = before.grade;
    else {
      values.answer = before.answer;
      if (before.answer === "cannot") values.reason = before.reason;
    }
    var at = cards.findIndex(function (card) { return card.seat === undone.seat; });
    act(cards[at], values);
    say("Undone");
    show(at);
    send();
  }

  function goBack() {
    if (index > 0) show(index - 1);
    else if (!back.hidden) location.assign(back.href);
  }

  function goOn() { if (!on.hidden) show(index + 1); }

  // Sending: one after the other, in order, again and again

  var busy = false, stopped = false, failures = 0, timer = null;

  function later(wait) {
    clearTimeout(timer);
    timer = setTimeout(send, wait);
  }

  async function send() {
    if (busy || stopped) return;
    busy = true;
    try {
      if (navigator.locks) await navigator.locks.request(store, { ifAvailable: true }, function (lock) { return lock ? drain() : later(1000); });
      else await drain();
    } finally { busy = false; }
    refresh();
    if (form && index >= cards.length && !unsent().length) location.assign(home); // the server tells what is next
  }

  async function drain() {
    await recall();
    for (var act; !stopped && (act = unsent()[0]); refresh()) {
      var answer, told;
      try {
        answer = await post(act);
        told = await answer.json();
      } catch (error) { return later(Math.min(1000 * Math.pow(2, failures++), 5000)); }
      if (answer.ok) { failures = 0; drop(act); took(act, told); }
      else if (answer.status >= 500 || answer.status === 429) {
        var pause = Number(answer.headers.get("Retry-After")) || Math.pow(2, failures);
        failures += 1;
        return later(1000 * Math.min(pause, 10));
      } else refused(act, answer.status, told.error || {});
    }
  }

  function held() {
    var waiting = cards.filter(function (card) { return card.waits; });
    return waiting.slice(0, 50).map(function (card) { return card.seat; }).join(",");
  }

  function request(url, values, patience) {
    var headers = { Accept: "application/json", "X-CSRFToken": root.dataset.csrf };
    var options = { method: "POST", body: new URLSearchParams(values), headers: headers, credentials: "same-origin" };
    if (AbortSignal.timeout) options.signal = AbortSignal.timeout(patience);
    return fetch(url, options);
  }

  function post(act) {
    var values = Object.assign({ client_id: act.client_id, seconds: act.seconds, seen: act.seen }, act.values);
    values.held = act.url.startsWith(home) ? held() : "";
    return request(act.url, values, 20000);
  }

  function add(more) {
    var unsaved = new Set(unsent().map(function (act) { return act.url; }));
    more.forEach(function (card) {
      var at = cards.findIndex(function (one) { return one.seat === card.seat; });
      if (at >= 0 && !(cards[at].put_off && at !== index && !unsaved.has(card.url))) return;
      if (at >= 0) { cards.splice(at, 1); if (at < index) index -= 1; } // put off, and now it is its turn
      cards.push(card);
    });
  }

  // While somebody looks at the page, what it holds stays theirs; it gets more, so that going offline stops nothing.
  async function hold() {
    if (!form || archived || stopped || document.visibilityState !== "visible") return;
    try {
      var answer = await request(home + "hold/", { held: held() }, 20000);
      if (answer.ok) add((await answer.json()).cards);
    } catch (error) { /* offline: a late judgment is kept all the same */ }
    if (article.hasAttribute("aria-busy") && frontier() < cards.length) show(frontier());
  }

  function took(act, told) {
    if (!form || !act.url.startsWith(home)) return;
    add(told.cards);
    if (!unsent().length) done = told.progress.done;
    if (article.hasAttribute("aria-busy") && frontier() < cards.length) show(frontier());
  }

  function refused(act, status, error) {
    var about = act.name + ": ";
    if (status === 401 || status === 403) {
      stopped = true;
      return tell("You are signed out, or your role has ended. What is unsent is kept in this browser.", home, "Sign in and send it");
    }
    var present = error.details || {};
    if (status === 409 && present.seen === undefined) {
      stopped = true;
      return tell(about + error.message + " What is unsent is kept in this browser.", home, "Try again");
    }
    // Its successors on the same document were made in the same belief.
    unsent().filter(function (other) { return other.url === act.url; }).forEach(drop);
    var card = cards.find(function (card) { return card.url === act.url; });
    if (card && status === 409) {
      card.seen = present.seen;
      if (card.grade !== present.grade) { card.grade = present.grade; card.answer = present.grade === null ? "open" : "grade"; }
      card.waits = card.grade === null;
    }
    var words = act.values.grade !== undefined ? "your grade " + act.values.grade : "what you said";
    tell(about + words + " was not taken. " + (error.message || ""), status === 409 ? act.url : "", "Look at it");
    if (cards[index] === card && card) show(index);
  }

  // Keys: never in a field, never with a modifier, never while held down

  function key(event) {
    if (!ready) return void early.push(event);
    if (event.defaultPrevented || event.repeat || event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
    if (event.target.closest("input, textarea, select, [contenteditable], dialog") || keys.open) return;
    var button = buttons.find(function (one) { return one.dataset.key === event.key; });
    if (button && !button.disabled) judge(Number(button.value));
    else if (event.key === "b" || event.key === "ArrowLeft") goBack();
    else if (event.key === "ArrowRight") goOn();
    else if (event.key === "u") takeBack();
    else if (event.key === "c") cannot();
    else if (event.key === "l") tellOf({ answer: "later" });
    else if (event.key === "k") tellOf({ known: !known.checked });
    else if (event.key === "n") { more.open = true; field.note.focus(); }
    else if (event.key === "h") showMarks(true);
    else if (event.key === ".") step(1);
    else if (event.key === ",") step(-1);
    else if (event.key === "t") topic.open = !topic.open;
    else if (event.key === "g") part("[data-guidelines]").click();
    else if (event.key === "?") keys.showModal();
    else return;
    event.preventDefault();
  }

  var ready = false, early = [];

  async function begin() {
    await open();
    await recall();
    if (form) {
      unsent().forEach(function (act) { // made before a reload, and not yet with the server
        var card = cards.find(function (card) { return card.url === act.url; });
        if (card && card.seen === act.seen) apply(card, act.values);
      });
      if (location.pathname === home && !cards[0].waits) show(frontier(), true);
      else refresh();
      hold();
    }
    ready = true;
    root.dataset.ready = "";
    early.splice(0).forEach(key);
    refresh();
    send();
  }

  if (form) {
    if (matchMedia("(max-width: 64rem)").matches) topic.open = false;
    form.addEventListener("submit", function (event) {
      event.preventDefault();
      if (ready && event.submitter && event.submitter.name === "grade") judge(Number(event.submitter.value));
    });
    said.addEventListener("submit", function (event) {
      event.preventDefault();
      var answer = event.submitter ? event.submitter.value : "";
      if (answer === "cannot") cannot();
      else if (answer === "later") tellOf({ answer: "later" });
      else tellOf({ note: field.note.value.trim() });
    });
    known.addEventListener("change", function () { tellOf({ known: known.checked }); });
    field.note.addEventListener("keydown", function (event) {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); tellOf({ note: field.note.value.trim() }); }
    });
    more.addEventListener("keydown", function (event) {
      if (event.key === "Escape") place.focus({ preventScroll: true });
    });
    back.addEventListener("click", function (event) { if (index > 0) { event.preventDefault(); goBack(); } });
    on.addEventListener("click", goOn);
    undo.addEventListener("click", takeBack);
    part("[data-keys]").addEventListener("click", function () { keys.showModal(); });
    document.addEventListener("keydown", key);
    document.addEventListener("visibilitychange", function () { watch(); hold(); });
    setInterval(hold, 300000);
    showMarks(false);
    watch();
    place.focus({ preventScroll: true });
  }
  addEventListener("online", function () { failures = 0; send(); });
  if (tabs) tabs.onmessage = function () { recall().then(refresh); };
  var leave = part("form[action='/sign-out/']");
  if (leave) leave.addEventListener("submit", function (event) {
    var waiting = unsent();
    event.preventDefault();
    if (waiting.length && !confirm(waiting.length + " unsent: signing out now drops what was not saved. Sign out all the same?")) return;
    waiting.forEach(drop);
    request(home + "hold/", { leave: 1 }, 2000).catch(function () {}).finally(function () { leave.submit(); }); // others may have them
  });
  begin();
})();
