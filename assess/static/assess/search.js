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
  document.body.addEventListener("htmx:afterSettle", function () { if (at >= 0) choose(at); });
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
