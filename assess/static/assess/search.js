// Results by keys: arrows choose a hit, a digit grades the one that is chosen, or the only one there is on the page of a
// document. Never inside a field.
(function () {
  "use strict";
  if (!document.querySelector("[data-hits]")) return;
  var alone = !!document.querySelector("[data-hits=one]"), at = alone ? 0 : -1;
  function hits() { return Array.from(document.querySelectorAll("[data-hits] [data-hit]")); }
  function choose(place) {
    var all = hits();
    if (!all.length) return;
    at = Math.max(0, Math.min(place, all.length - 1));
    all[at].focus();
  }
  document.addEventListener("focusin", function (event) {
    var found = hits().indexOf(event.target.closest("[data-hit]"));
    if (found >= 0) at = found;
  });
  // While a grade of a hit is on its way its line is about to be replaced: what is pressed then waits for the new line, so
  // that it is an act of its own, made in the knowledge of the first.
  var waiting = new Map();
  function nameOf(hit) { return hit.querySelector("[name=docno]").value; }
  function goOn() {
    hits().forEach(function (hit) {
      var key = waiting.get(nameOf(hit));
      if (key === undefined || hit.matches("[data-sending]")) return;
      waiting.delete(nameOf(hit));
      hit.querySelector('button[data-key="' + CSS.escape(key) + '"]').click();
    });
  }
  document.addEventListener("click", function (event) {
    var button = event.target.closest("[data-hit] button[data-key]"), hit = button && button.closest("[data-hit]");
    if (!hit || !button.form.hasAttribute("hx-post")) return;
    if (hit.hasAttribute("data-sending")) { event.preventDefault(); event.stopPropagation(); waiting.set(nameOf(hit), button.dataset.key); }
    else hit.setAttribute("data-sending", "");
  }, true);
  document.addEventListener("htmx:beforeSwap", function (event) {
    // Judged elsewhere meanwhile: the line says so, with the present grade. What waited was made in the same belief.
    if (event.detail.xhr.status !== 409 || !event.detail.xhr.responseText.includes("data-hit")) return;
    event.detail.shouldSwap = true;
    event.detail.isError = false;
    waiting.clear();
  });
  document.addEventListener("htmx:afterRequest", function (event) {
    var hit = event.target.closest && event.target.closest("[data-hit]");
    if (hit && !event.detail.successful) { hit.removeAttribute("data-sending"); waiting.delete(nameOf(hit)); }
  });
  document.body.addEventListener("htmx:afterSettle", function () { if (at >= 0) choose(at); goOn(); });
  document.addEventListener("keydown", function (event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select")) return;
    if (!alone && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      event.preventDefault();
      choose(at + (event.key === "ArrowDown" ? 1 : -1));
    } else if (at >= 0 && hits()[at]) {
      var button = hits()[at].querySelector('button[data-key="' + CSS.escape(event.key) + '"]');
      if (button) { event.preventDefault(); button.click(); }
    }
  });
})();
