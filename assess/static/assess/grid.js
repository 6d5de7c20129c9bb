// The grid that assigns topics: a click on a cell goes on to the next number, arrows go from cell to cell, and only rows that
// were changed are sent. Without script the cells are plain choices, and the server tells what was changed.
(function () {
  "use strict";
  var grid = document.querySelector("[data-grid]");
  if (!grid) return;
  var count = document.querySelector("[data-grid-count]");
  function isChanged(row) {
    return !!row.querySelector("option:checked:not([selected]), input:checked");
  }
  function rows() { return Array.from(grid.tBodies[0].rows); }
  function tell() {
    var changed = rows().filter(isChanged).length;
    count.textContent = changed ? changed + (changed === 1 ? " topic" : " topics") + " changed" : "";
  }
  function move(cell, by) {
    var all = Array.from(cell.closest("tr").querySelectorAll("select")), next = all[all.indexOf(cell) + by];
    if (next) { next.focus(); next.scrollIntoView({ block: "nearest", inline: "nearest" }); }
  }
  grid.addEventListener("mousedown", function (event) {
    var cell = event.target.closest("select");
    if (!cell || event.button) return;
    event.preventDefault(); // no list drops down: the next number is one press away
    cell.focus();
    cell.selectedIndex = (cell.selectedIndex + (event.shiftKey ? cell.length - 1 : 1)) % cell.length;
    tell();
  });
  grid.addEventListener("keydown", function (event) {
    var cell = event.target.closest("select");
    if (!cell || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "ArrowRight" || event.key === "ArrowLeft") move(cell, event.key === "ArrowRight" ? 1 : -1);
    else if (["0", "-", "Backspace", "Delete"].includes(event.key)) { cell.selectedIndex = 0; tell(); }
    else return;
    event.preventDefault();
  });
  grid.addEventListener("change", tell);
  grid.closest("form").addEventListener("submit", function () {
    rows().forEach(function (row) {
      if (!isChanged(row)) row.querySelectorAll("select, input").forEach(function (field) { field.disabled = true; });
    });
  });
  // Gone back to by the browser, what was not sent is there again.
  addEventListener("pageshow", function () { grid.querySelectorAll(":disabled").forEach(function (field) { field.disabled = false; }); tell(); });
})();
