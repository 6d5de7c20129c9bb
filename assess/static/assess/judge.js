/* The judging page: a key is a grade, and the next document is there at once. What is not yet saved is kept in this
   browser, one entry for each act, and is sent in order until the server has answered; only then it counts as saved. */
(function () {
  "use strict";
  var root = document.querySelector("[data-home][data-user]");
  if (!root) return;
  var home = root.dataset.home, prefix = "assize.unsent." + root.dataset.user + ".";
  var part = function (query) { return document.querySelector(query); };
  var topic = part(".judge-topic"), place = part(".judge-document"), article = part(".judge-document > article");
  var form = part("form.judge-bar"), back = part(".judge-back"), on = part(".judge-on"), keys = part("#keys");
  var notices = part(".judge-notices"), light = part("[data-light]");
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

  // The unsent acts. An entry each, so that two tabs never overwrite each other's; in memory where storage is refused.

  var memory = {}, last = 0;

  function keep(act) {
    last = Math.max(Date.now(), last + 1);
    act.key = prefix + String(last).padStart(15, "0") + "." + act.client_id;
    try { localStorage.setItem(act.key, JSON.stringify(act)); } catch (error) { memory[act.key] = act; }
  }

  function unsent() {
    var found = Object.keys(memory).map(function (key) { return memory[key]; });
    try {
      for (var i = 0; i < localStorage.length; i++) {
        var key = localStorage.key(i);
        if (key.startsWith(prefix)) found.push(JSON.parse(localStorage.getItem(key)));
      }
    } catch (error) { /* storage is refused: what is in memory is all there is */ }
    return found.sort(function (a, b) { return a.key < b.key ? -1 : 1; });
  }

  function drop(act) {
    delete memory[act.key];
    try { localStorage.removeItem(act.key); } catch (error) { /* as above */ }
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
    for (var i = 0; i < cards.length; i++) if (cards[i].seen === 0) return i;
    return cards.length;
  }

  function show(at, still) {
    var card = cards[at];
    index = at;
    if (!card) return wait();
    if (beside !== card.topic) { // the topic that is on screen: while one waits there is no card to ask
      beside = card.topic;
      topic.innerHTML = card.topic_html; // made and escaped by the server
      topic.scrollTop = 0;
      say("Topic " + card.topic);
    }
    article.innerHTML = card.document_html;
    article.removeAttribute("aria-busy");
    form.action = card.url;
    form.elements.seen.value = card.seen;
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

  function judge(grade) {
    var card = cards[index];
    if (!card || archived) return;
    keep({ url: card.url, name: card.name, grade: grade, seen: card.seen, seconds: seconds(), client_id: uuid() });
    if (card.seen === 0) done += 1;
    card.seen += 1;
    card.grade = grade;
    show(frontier());
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
      if (navigator.locks) await navigator.locks.request(prefix, { ifAvailable: true }, function (lock) { return lock ? drain() : later(1000); });
      else await drain();
    } finally { busy = false; }
    refresh();
    if (form && index >= cards.length && !unsent().length) location.assign(home); // the server tells what is next
  }

  async function drain() {
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
    var waiting = cards.filter(function (card) { return card.seen === 0; });
    return waiting.slice(0, 50).map(function (card) { return card.seat; }).join(",");
  }

  function request(url, values, patience) {
    var headers = { Accept: "application/json", "X-CSRFToken": root.dataset.csrf };
    var options = { method: "POST", body: new URLSearchParams(values), headers: headers, credentials: "same-origin" };
    if (AbortSignal.timeout) options.signal = AbortSignal.timeout(patience);
    return fetch(url, options);
  }

  function post(act) {
    var values = { grade: act.grade, client_id: act.client_id, seconds: act.seconds, seen: act.seen };
    values.held = act.url.startsWith(home) ? held() : "";
    return request(act.url, values, 20000);
  }

  function add(more) {
    var known = new Set(cards.map(function (card) { return card.seat; }));
    more.forEach(function (card) { if (!known.has(card.seat)) cards.push(card); });
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
    if (card && status === 409) { card.grade = present.grade; card.seen = present.seen; }
    tell(about + "your grade " + act.grade + " was not taken. " + (error.message || ""), status === 409 ? act.url : "", "Look at it");
    if (cards[index] === card && card) show(index);
  }

  // Keys: never in a field, never with a modifier, never while held down

  function key(event) {
    if (event.defaultPrevented || event.repeat || event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
    if (event.target.closest("input, textarea, select, [contenteditable], dialog") || keys.open) return;
    var button = buttons.find(function (one) { return one.dataset.key === event.key; });
    if (button && !button.disabled) judge(Number(button.value));
    else if (event.key === "b" || event.key === "ArrowLeft") goBack();
    else if (event.key === "ArrowRight") goOn();
    else if (event.key === "t") topic.open = !topic.open;
    else if (event.key === "g") part("[data-guidelines]").click();
    else if (event.key === "?") keys.showModal();
    else return;
    event.preventDefault();
  }

  if (form) {
    unsent().forEach(function (act) { // made before a reload, and not yet with the server
      var card = cards.find(function (card) { return card.url === act.url; });
      if (!card) return;
      if (card.seen === 0) done += 1;
      card.grade = act.grade;
      card.seen = act.seen + 1;
    });
    if (matchMedia("(max-width: 64rem)").matches) topic.open = false;
    form.addEventListener("submit", function (event) {
      event.preventDefault();
      if (event.submitter && event.submitter.name === "grade") judge(Number(event.submitter.value));
    });
    back.addEventListener("click", function (event) { if (index > 0) { event.preventDefault(); goBack(); } });
    on.addEventListener("click", goOn);
    part("[data-keys]").addEventListener("click", function () { keys.showModal(); });
    document.addEventListener("keydown", key);
    document.addEventListener("visibilitychange", function () { watch(); hold(); });
    setInterval(hold, 300000);
    hold();
    if (location.pathname === home && cards[0].seen !== 0) show(frontier(), true);
    else { watch(); refresh(); }
    place.focus({ preventScroll: true });
  }
  addEventListener("online", function () { failures = 0; send(); });
  addEventListener("storage", refresh);
  var leave = part("form[action='/sign-out/']");
  if (leave) leave.addEventListener("submit", function (event) {
    var waiting = unsent();
    event.preventDefault();
    if (waiting.length && !confirm(waiting.length + " unsent: signing out now drops what was not saved. Sign out all the same?")) return;
    waiting.forEach(drop);
    request(home + "hold/", { leave: 1 }, 2000).catch(function () {}).finally(function () { leave.submit(); }); // others may have them
  });
  refresh();
  send();
})();
