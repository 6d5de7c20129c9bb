// Adjudication and practice by keys: a digit decides with its grade; r, c and p go to reason, comment and precedent. Never inside a field.
(function () {
  "use strict";
  var form = document.querySelector("[data-decide]");
  if (!form) return;
  var more = form.querySelector(".judge-more"), sent = false;
  var fields = { r: "reason", c: "comment", p: "precedent" };
  form.addEventListener("submit", function (event) {
    if (sent) event.preventDefault();
    sent = true;
  });
  document.addEventListener("keydown", function (event) {
    var inField = event.target.closest("input, textarea, select");
    if (event.key === "Escape" && inField) inField.blur();
    if (event.ctrlKey || event.metaKey || event.altKey || inField) return;
    var button = form.querySelector('button[data-key="' + CSS.escape(event.key) + '"]');
    if (button && !button.disabled) {
      event.preventDefault();
      form.requestSubmit(button);
    } else if (more && fields[event.key]) {
      event.preventDefault();
      more.open = true;
      form.elements[fields[event.key]].focus();
    }
  });
  window.addEventListener("pageshow", function () { sent = false; });
})();
