/* Charts: what a mark tells is shown where the pointer is, and said aloud when arrow keys walk from mark to mark. Without script each mark has its title. */
(function () {
  "use strict";
  var tip = document.createElement("div"), say = document.getElementById("say");
  tip.className = "chart-tip";
  tip.hidden = true;
  document.body.append(tip);

  function show(mark, x, y) {
    var title = mark.querySelector("title");
    if (!title) return;
    tip.textContent = title.textContent;
    tip.hidden = false;
    tip.style.left = Math.max(4, Math.min(x + 12, window.innerWidth - tip.offsetWidth - 8)) + "px";
    tip.style.top = Math.max(4, y - tip.offsetHeight - 10) + "px";
  }

  function hide() { tip.hidden = true; }

  document.addEventListener("pointerdown", function (event) { if (!event.target.closest(".chart")) hide(); });

  function wake(chart) {
    var marks = Array.from(chart.querySelectorAll(".chart-mark")), at = -1;
    if (!marks.length || chart.hasAttribute("tabindex")) return;
    chart.setAttribute("tabindex", "0");
    function point(event) {
      var mark = event.target.closest(".chart-mark") || (event.pointerType === "touch" && nearest(event));
      if (mark) show(mark, event.clientX, event.clientY); else hide();
    }
    // A finger covers several marks, and is gone before what it asked for is read.
    function nearest(event) {
      var found = null, least = 24;
      marks.forEach(function (mark) {
        var box = mark.getBoundingClientRect();
        var away = Math.hypot(event.clientX - (box.left + box.right) / 2, Math.max(box.top - event.clientY, event.clientY - box.bottom, 0));
        if (away < least) { least = away; found = mark; }
      });
      return found;
    }
    chart.addEventListener("pointermove", point);
    chart.addEventListener("pointerdown", point);
    chart.addEventListener("pointerleave", function (event) { if (event.pointerType !== "touch") hide(); });
    function walk(to) {
      if (at >= 0) marks[at].classList.remove("here");
      at = to;
      if (at < 0) return hide();
      marks[at].classList.add("here");
      var box = marks[at].getBoundingClientRect();
      show(marks[at], box.right, box.top);
      if (say) say.textContent = tip.textContent;
    }
    chart.addEventListener("keydown", function (event) {
      var step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (event.key === "Escape") return walk(-1);
      if (event.key === "Home") step = -marks.length;
      if (event.key === "End") step = marks.length;
      if (!step) return;
      event.preventDefault();
      walk(Math.max(0, Math.min(marks.length - 1, at < 0 && step < 0 ? 0 : at + step)));
    });
    chart.addEventListener("blur", function () { walk(-1); });
  }

  function wakeAll() { document.querySelectorAll("svg.chart").forEach(wake); }
  wakeAll();
  document.addEventListener("htmx:afterSettle", wakeAll); // some come later
})();
