// The grid that assigns topics: a click on a cell goes on to the next number, arrows go from cell to cell, and only rows that
// were changed are sent. For Tab the whole grid is one stop. Without script the cells are plain choices, and the server tells
// what was changed.
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
  var CELLS = "select, input[type=checkbox]";
  function cells(row) { return row ? Array.from(row.querySelectorAll(CELLS)) : []; }
  function move(cell, down, right) {
    var row = cell.closest("tr"), all = rows();
    var next = cells(all[all.indexOf(row) + down])[cells(row).indexOf(cell) + right];
    if (next) { next.focus(); next.scrollIntoView({ block: "nearest", inline: "nearest" }); }
  }
  var stop = null; // where Tab comes in
  function stopAt(cell) {
    if (stop) stop.tabIndex = -1;
    stop = cell;
    if (stop) stop.tabIndex = 0;
  }
  grid.querySelectorAll(CELLS).forEach(function (cell) { cell.tabIndex = -1; });
  stopAt(grid.querySelector(CELLS));
  grid.addEventListener("focusin", function (event) { if (event.target.matches(CELLS)) stopAt(event.target); });
  grid.addEventListener("mousedown", function (event) {
    var cell = event.target.closest("select");
    if (!cell || event.button) return;
    event.preventDefault(); // no list drops down: the next number is one press away
    cell.focus();
    cell.selectedIndex = (cell.selectedIndex + (event.shiftKey ? cell.length - 1 : 1)) % cell.length;
    tell();
  });
  grid.parentElement.tabIndex = -1; // its cells scroll it
  var WAYS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  grid.addEventListener("keydown", function (event) {
    var cell = event.target.closest(CELLS), way = WAYS[event.key];
    if (!cell || event.ctrlKey || event.metaKey || event.altKey) return;
    if (way) move(cell, way[0], way[1]);
    else if (event.key === "Home" || event.key === "End") cells(cell.closest("tr")).at(event.key === "Home" ? 0 : -1).focus();
    else if (event.key === "PageUp" || event.key === "PageDown") move(cell, event.key === "PageUp" ? -5 : 5, 0);
    else if (cell.matches("select") && Array.from(cell.options).some(function (option) { return option.value && option.value === event.key; })) { cell.value = event.key; tell(); }
    else if (cell.matches("select") && ["0", "-", "Backspace", "Delete"].includes(event.key)) { cell.selectedIndex = 0; tell(); }
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
