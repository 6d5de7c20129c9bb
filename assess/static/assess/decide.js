// Adjudication and practice by keys: a digit decides with its grade, u undoes; b and → go back and on; r, c and p go to reason, comment and precedent; ? lists them. Never inside a field.
(function () {
  "use strict";
  var form = document.querySelector("[data-decide]");
  if (!form) return;
  var more = form.querySelector(".judge-more"), sent = false;
  var keys = document.getElementById("keys"), ask = document.querySelector("[data-keys]");
  var fields = { r: "reason", c: "comment", p: "precedent" };
  var ways = { b: "back", ArrowLeft: "back", ArrowRight: "on" };
  document.addEventListener("submit", function (event) {
    if (event.target.method === "dialog") return;
    if (sent) event.preventDefault();
    sent = true;
  });
  if (ask) ask.addEventListener("click", function () { keys.showModal(); });
  function heed(event) {
    var inField = event.target.closest("input, textarea, select");
    if (event.key === "Escape" && inField) inField.blur();
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || inField || (keys && keys.open)) return;
    var button = form.querySelector('button[data-key="' + CSS.escape(event.key) + '"]');
    var link = ways[event.key] && form.querySelector('[data-go="' + ways[event.key] + '"]');
    if (event.key === "?" && keys) {
      event.preventDefault();
      keys.showModal();
    } else if (button && !button.disabled) {
      event.preventDefault();
      button.form.requestSubmit(button);
    } else if (link) {
      event.preventDefault();
      link.click();
    } else if (more && fields[event.key]) {
      event.preventDefault();
      more.open = true;
      form.elements[fields[event.key]].focus();
    }
  }
  document.addEventListener("keydown", heed);
  var frame = document.querySelector("iframe.judge-page"); // no key is lost in a document that is a page
  function listen() { if (frame.contentDocument) frame.contentDocument.addEventListener("keydown", heed); }
  if (frame) { frame.addEventListener("load", listen); listen(); }
  window.addEventListener("pageshow", function () { sent = false; });
})();
