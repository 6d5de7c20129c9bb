/* Small helps for every page: dismissing toasts, modal questions, copying, an address out of a name, how much of an upload is sent, that a table goes on, that what a button says is out of date, saying aloud what happened and a job's new state. All works without it. */
(function () {
  "use strict";
  document.documentElement.classList.add("js");

  function say(text) {
    var place = document.getElementById("say");
    if (!place) return;
    place.textContent = "";
    // An emptied region that is filled a moment later is read out even when the words are the same as last time.
    setTimeout(function () { place.textContent = text; }, 60);
  }

  // What a page opens with is read out, too: a region that is filled from the beginning is passed over.
  var told = Array.from(document.querySelectorAll(".toast > span, [data-tell]"), function (part) { return part.innerText.replace(/\s+/g, " "); });
  if (told.length) say(told.join(" "));

  async function copy(button) {
    var source = button.dataset.copy ? document.querySelector(button.dataset.copy) : null;
    var text = source ? ("value" in source ? source.value : source.textContent) : button.dataset.copyText || "";
    try {
      // Absent on plain http, where the older command still copies a selection.
      if (navigator.clipboard) await navigator.clipboard.writeText(text);
      else { source.select(); if (!document.execCommand("copy")) throw new Error("refused"); }
    } catch (error) {
      if (source && source.select) source.select();
      say("Could not copy. The text is selected: copy it with the keyboard.");
      return;
    }
    say("Copied.");
    if (button.dataset.was) return;
    button.dataset.was = button.textContent;
    button.textContent = "Copied";
    setTimeout(function () { button.textContent = button.dataset.was; delete button.dataset.was; }, 2000);
  }

  document.addEventListener("click", function (event) {
    var button = event.target.closest("[data-dismiss], [data-copy], [data-copy-text]");
    if (!button) return;
    if (button.hasAttribute("data-dismiss")) button.closest(".toast").remove();
    else copy(button);
  });

  // What a button says of a form is no longer so once the form is changed.
  document.addEventListener("input", function (event) {
    var form = event.target.form;
    if (form && form.id) document.querySelectorAll('button[data-stale][form="' + form.id + '"]').forEach(function (button) {
      button.disabled = true;
      button.textContent = button.dataset.stale;
    });
  });

  // A question holds the focus until it is answered.
  document.addEventListener("click", function (event) {
    var button = event.target.closest("[popovertarget]"), dialog = button && document.getElementById(button.getAttribute("popovertarget"));
    if (!dialog || dialog.tagName !== "DIALOG") return;
    event.preventDefault();
    if (button.getAttribute("popovertargetaction") === "hide") dialog.close();
    else dialog.showModal();
  });

  // A long text that is being written is kept in this browser until the page shows it as saved; signing out forgets it.
  document.querySelectorAll("form[data-draft]").forEach(function (form) {
    var field = form.querySelector("textarea"), key = "draft:" + form.dataset.draft, saved = field.value;
    var kept = localStorage.getItem(key);
    if (kept === saved) localStorage.removeItem(key);
    else if (kept !== null) {
      var note = document.createElement("div"), button = document.createElement("button");
      note.className = "notice";
      note.append("This browser has text of yours that was not saved. ");
      button.type = "button";
      button.className = "small";
      button.textContent = "Put it back";
      button.addEventListener("click", function () { field.value = kept; note.remove(); field.focus(); });
      note.append(button);
      form.before(note);
    }
    field.addEventListener("input", function () { localStorage.setItem(key, field.value); });
  });
  // Signing out drops what this browser keeps, not without a question where some of it was never saved, and not before the next
  // page shows that somebody is signed out. A page adds what it knows better: how many are unsent, what to do before it is left.
  document.addEventListener("submit", async function (event) {
    var form = event.target, leaving = { unsent: null, before: [] }, lost = [];
    if (!form.matches("[data-forget]")) return;
    event.preventDefault();
    if (!navigator.onLine) return document.getElementById("sign-out-offline").showModal();
    document.dispatchEvent(new CustomEvent("assize:sign-out", { detail: leaving }));
    if (leaving.unsent === null) leaving.unsent = await unsent(form.dataset.forget, "count");
    if (leaving.unsent) lost.push(leaving.unsent === 1 ? "1 judgment that is not sent" : leaving.unsent + " judgments that are not sent");
    var typed = drafts("draft:" + form.dataset.forget + ":/").length; // beside documents (judge/drafts.js)
    if (typed) lost.push(typed === 1 ? "1 text that is not saved" : typed + " texts that are not saved");
    if (!lost.length) return leave();
    var dialog = document.getElementById("sign-out");
    dialog.querySelector("[data-lost]").textContent = lost.join(", ");
    dialog.returnValue = "";
    dialog.onclose = function () { if (dialog.returnValue === "leave") leave(); };
    dialog.showModal();
    async function leave() {
      await Promise.all(leaving.before.map(function (step) { return step(); }));
      try { sessionStorage.setItem("assize.left", form.dataset.forget); } catch (error) { /* refused: then nothing was kept */ }
      form.submit();
    }
  });
  var left = null, present = document.querySelector(".account [data-forget], .account [data-nobody]");
  try { left = sessionStorage.getItem("assize.left"); } catch (error) { /* refused */ }
  if (left !== null && present) {
    var gone = left.indexOf("gone:") === 0, whose = gone ? left.slice(5) : left;
    if (gone || present.dataset.forget !== whose) {
      sessionStorage.setItem("assize.left", "gone:" + whose); // a page that is left at once is not the last to try
      drafts("draft:").forEach(function (key) { localStorage.removeItem(key); });
      unsent(whose, "clear").then(function () { sessionStorage.removeItem("assize.left"); });
    } else sessionStorage.removeItem("assize.left");
  }

  function drafts(name) { return Object.keys(localStorage).filter(function (key) { return key.indexOf(name) === 0; }); }

  // The judgments that could not be sent yet (judge/unsent.js): counted, or cleared.
  function unsent(user, what) {
    return new Promise(function (resolve) {
      var asked;
      setTimeout(resolve, 3000, 0); // a browser that never answers
      try { asked = indexedDB.open("assize.unsent." + user); } catch (error) { return resolve(0); }
      asked.onupgradeneeded = function () { asked.transaction.abort(); }; // there is none
      asked.onerror = function (event) { event.preventDefault(); resolve(0); };
      asked.onsuccess = function () {
        var turn = asked.result.transaction("acts", "readwrite", { durability: "strict" }), answer = turn.objectStore("acts")[what]();
        turn.oncomplete = turn.onabort = function () { asked.result.close(); resolve(answer.result || 0); };
      };
    });
  }

  // An address follows the name until somebody writes one.
  document.querySelectorAll("[data-address-of]").forEach(function (field) {
    var name = field.form.elements[field.dataset.addressOf], own = field.value !== "";
    field.addEventListener("input", function () { own = field.value !== ""; });
    name.addEventListener("input", function () {
      if (own) return;
      var plain = name.value.normalize("NFKD").toLowerCase().replace(/[\u0300-\u036f]/g, "");
      var words = plain.replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "");
      field.value = words.length > 60 ? words.slice(0, 61).replace(/(.)-[^-]*$/, "$1").slice(0, 60) : words;
    });
  });

  // Files that are sent: how much of them has arrived. The answer is gone to, or shown in place of the page if it is a refusal.
  function megabytes(bytes) { return (bytes / 1e6).toFixed(1); }

  function sendingBar(form) {
    var box = document.createElement("div"), words = document.createElement("div"), bar = document.createElement("progress");
    var what = document.createElement("span"), sofar = document.createElement("span");
    box.className = "progress";
    words.className = "progress-text";
    bar.setAttribute("aria-label", "Sent");
    words.append(what, sofar);
    box.append(words, bar);
    form.querySelector(".form-actions").after(box);
    return { box: box, bar: bar, what: what, sofar: sofar };
  }

  function showAnswer(html, form) {
    var fresh = new DOMParser().parseFromString(html, "text/html"), main = fresh.getElementById("main");
    if (!main) { form.submit(); return; }
    document.getElementById("main").replaceWith(main);
    document.title = fresh.title;
    if (window.htmx) window.htmx.process(main);
    var fault = main.querySelector("[aria-invalid=true], .notice-bad") || main;
    fault.scrollIntoView({ block: "center" });
    if (!fault.matches("input, select, textarea")) fault.tabIndex = -1;
    fault.focus({ preventScroll: true });
  }

  document.addEventListener("submit", function (event) {
    var form = event.target;
    if (event.defaultPrevented || !form.matches("form[data-upload]")) return;
    event.preventDefault();
    var request = new XMLHttpRequest(), shown = sendingBar(form), button = form.querySelector(".form-actions button");
    var files = form.querySelector("input[type=file]").files;
    shown.what.textContent = files.length === 1 ? "Sending " + files[0].name : "Sending " + files.length + " files";
    function over() { shown.box.remove(); button.disabled = false; }
    request.upload.addEventListener("progress", function (sent) {
      if (!sent.lengthComputable) return;
      shown.bar.max = sent.total;
      shown.bar.value = sent.loaded;
      shown.sofar.textContent = megabytes(sent.loaded) + " of " + megabytes(sent.total) + " MB";
    });
    request.upload.addEventListener("load", function () { shown.what.textContent = "Sent; the site is taking it in"; });
    request.addEventListener("load", function () {
      over();
      if (request.status < 400) location.assign(request.responseURL);
      else showAnswer(request.responseText, form);
    });
    request.addEventListener("error", function () {
      over();
      var notice = document.createElement("div");
      notice.className = "notice notice-bad";
      notice.setAttribute("role", "alert");
      notice.textContent = "The connection broke before everything had arrived. Nothing was kept; send it again.";
      form.querySelector(".form-actions").before(notice);
    });
    form.querySelectorAll("[role=alert]").forEach(function (old) { old.remove(); });
    request.open("POST", form.action);
    request.send(new FormData(form));
    button.disabled = true;
    say(shown.what.textContent);
  });

  // A table or a row of tabs that goes on at its right edge fades out there, and so does a tall table below. The tab one is at is in view.
  function edge(box) {
    box.toggleAttribute("data-more", box.scrollLeft + box.clientWidth < box.scrollWidth - 1);
    box.toggleAttribute("data-below", box.scrollTop + box.clientHeight < box.scrollHeight - 1);
  }
  var EDGED = ".scroll, .tabs, .judge-topic";
  function edges() { document.querySelectorAll(EDGED).forEach(edge); }
  document.addEventListener("scroll", function (event) { if (event.target.matches && event.target.matches(EDGED)) edge(event.target); }, true);
  document.addEventListener("toggle", edges, true);
  document.addEventListener("htmx:load", edges);
  window.addEventListener("resize", edges);
  document.querySelectorAll(".tabs [aria-current]").forEach(function (tab) {
    var row = tab.parentElement, middle = tab.offsetLeft - row.offsetLeft + tab.offsetWidth / 2;
    row.scrollLeft = middle - row.clientWidth / 2;
  });
  edges();

  // A polled fragment that is as before stays, so that nobody who reads it is torn from it; a new one has the focus where the
  // old one had it.
  var held = {}; // by the part's id, since several may be on their way at once
  var NAMES = ["id", "href", "name", "value", "aria-label"];
  function bare(part) {
    var copy = part.cloneNode(true);
    copy.querySelectorAll("input[type=hidden], noscript").forEach(function (field) { field.remove(); });
    return copy.innerHTML;
  }
  document.addEventListener("htmx:beforeSwap", function (event) {
    var old = event.detail.target, now = document.activeElement, polled = old && /every /.test(old.getAttribute("hx-trigger") || "");
    if (!old || !old.id) return;
    if (polled && event.detail.xhr.status === 200) {
      var fresh = new DOMParser().parseFromString(event.detail.serverResponse, "text/html").getElementById(old.id);
      if (fresh && fresh.getAttribute("hx-trigger") === old.getAttribute("hx-trigger") && bare(fresh) === bare(old)) event.detail.shouldSwap = false;
    }
    if (event.detail.shouldSwap && old.contains(now)) held[old.id] = now;
  });
  document.addEventListener("htmx:afterSettle", function () {
    Object.keys(held).forEach(function (id) {
      var was = held[id], place = document.getElementById(id);
      if (was.isConnected) return; // it is another part that has come
      delete held[id];
      if (!place || document.activeElement !== document.body) return;
      var again = Array.from(place.querySelectorAll(was.tagName)).find(function (part) {
        return NAMES.every(function (name) { return part.getAttribute(name) === was.getAttribute(name); }) && (was.getAttributeNames().length || part.textContent === was.textContent);
      }) || place;
      if (again === place) place.tabIndex = -1;
      again.focus({ preventScroll: true });
    });
  });

  // A polled fragment carries data-say; it is read out only when the words change (waiting, running, done).
  var said = {};
  document.addEventListener("htmx:beforeSwap", function (event) {
    var old = event.detail.target;
    if (old && old.id && old.dataset.say) said[old.id] = old.dataset.say;
  });
  document.addEventListener("htmx:load", function (event) {
    var fresh = event.detail.elt;
    if (!fresh.id || !fresh.dataset.say || !(fresh.id in said)) return;
    if (said[fresh.id] !== fresh.dataset.say) say(fresh.dataset.say);
  });

  // So is what an act has led to: the answer's address names the fragment, and the browser gives it the focus.
  var led = location.hash && document.getElementById(location.hash.slice(1));
  if (led && led.dataset.say) say(led.dataset.say);
})();
