"""A page as somebody hears it who sees nothing: its parts in order, each with its name, and the state of a thing with the thing."""

from __future__ import annotations

from playwright.sync_api import Page

# Everything below is asked of the page in one go. What is not shown is not heard, so it is passed over.
_HEARD = r"""() => {
    const faults = [];
    const main = document.querySelector("main");
    const shown = part => part.checkVisibility({ visibilityProperty: true });
    const all = (selector, within = document) => [...within.querySelectorAll(selector)].filter(shown);
    const words = part => (part?.textContent ?? "").replace(/\s+/g, " ").trim();
    const named = part => part.getAttribute("aria-label") ||
        (part.getAttribute("aria-labelledby") ?? "").split(/\s+/).map(id => words(id && document.getElementById(id))).join(" ").trim();
    const at = part => part.cloneNode(false).outerHTML.slice(0, 160) + words(part).slice(0, 60);
    const SCROLLS = ".scroll, .judge-document, .choices";
    const fault = (what, part) => faults.push(what + (part ? ": " + at(part) : ""));
    const described = part => (part.getAttribute("aria-describedby") ?? "").split(/\s+/).filter(Boolean);

    // Where am I: one main part, one first heading, which says what the title says first.
    if (all("main").length !== 1) fault("not one main part");
    const headings = all("h1, h2, h3, h4, h5, h6, [role=heading]");
    const levels = headings.map(part => Number(part.ariaLevel ?? part.tagName[1]));
    if (levels.filter(level => level === 1).length !== 1) fault("not one heading of the first level");
    levels.forEach((level, place) => { if (level > (levels[place - 1] ?? 0) + 1) fault(`heading of level ${level} after ${levels[place - 1] ?? 0}`, headings[place]); });
    const first = headings.find((part, place) => levels[place] === 1), title = document.title.replace(/^Overview · /, "").split(" · ")[0].trim();
    const around = first?.closest("summary, header, .error-head") ?? first?.parentElement;
    if (first && !words(around).toLowerCase().includes(title.toLowerCase())) fault(`the first heading does not say “${title}”`, first);

    // Parts that one can go to have names of their own.
    const places = all("nav, aside, [role=region], section[aria-label], section[aria-labelledby], [role=search], dialog");
    const names = places.map(part => (part.getAttribute("role") ?? part.tagName) + " " + named(part));
    places.forEach((part, place) => {
        if (!named(part) && part.getAttribute("role") !== "search") fault("a part without a name", part);
        else if (names.indexOf(names[place]) !== place) fault("two parts of one name", part);
    });

    // Tables: a name, heads of columns and rows, one column said to be sorted where any can be, no cell that says nothing.
    for (const table of document.querySelectorAll("table")) {
        if (!words(table.caption) && !named(table)) fault("a table without a name", table);
        for (const head of table.querySelectorAll("th")) {
            if (!head.scope) fault("a head of neither column nor row", head);
            if (!words(head) && !named(head)) fault("a head that says nothing", head);
        }
        if (table.tHead) for (const row of table.querySelectorAll("tbody > tr"))
            if (!row.querySelector("th[scope=row], .empty-row")) fault("a row without a head", row);
        const sorts = all("thead a[href*='sort='], thead a[href*='order=']", table);
        if (sorts.length && table.querySelectorAll("thead [aria-sort]").length !== 1) fault("sorted, but not said by what", table);
        for (const cell of table.querySelectorAll("tbody td, tfoot td")) {
            const speaks = words(cell) || cell.querySelector("[aria-label], input, select, img[alt]") || cell.matches(".row-actions, .link-cell");
            if (!speaks && getComputedStyle(cell, "::before").content === "none") fault("a cell that says nothing", cell);
        }
    }

    // Fields: a label, and hint and error tied to them; a group has a legend.
    for (const field of all("input:not([type=hidden]), select, textarea")) {
        if (!field.labels?.length && !named(field)) fault("a field without a label", field);
        const box = field.closest(".field"), group = field.closest("fieldset.field");
        const tied = [...described(field), ...(group ? described(group) : [])];
        for (const part of box ? all(".help[id], .errors[id]", box) : [])
            if (!tied.includes(part.id)) fault(`a field that is not tied to “${words(part)}”`, field);
        if (box && all(".errors[id]", box).length && !group && field.ariaInvalid !== "true") fault("a refused field that does not say so", field);
        if (field.type === "radio" && !field.closest("fieldset, [role=radiogroup]")) fault("a choice outside a group", field);
    }
    for (const part of document.querySelectorAll("[aria-describedby], [aria-labelledby], [aria-controls]"))
        for (const kind of ["aria-describedby", "aria-labelledby", "aria-controls"])
            for (const id of (part.getAttribute(kind) ?? "").split(/\s+/).filter(Boolean))
                if (!document.getElementById(id)) fault(`${kind} of what is not there, ${id}`, part);
    for (const group of all("fieldset")) if (!words(group.querySelector(":scope > legend")) && !named(group)) fault("a group without a legend", group);

    // Pictures are named or passed over; bars say what they measure.
    for (const picture of all("svg, img, progress, meter, iframe")) {
        const passed = picture.closest("[aria-hidden=true]") || picture.alt === "";
        if (!passed && !named(picture) && !picture.alt && !picture.title && !picture.labels?.length) fault("a picture without a name", picture);
    }

    // Nothing is told by place or sign alone.
    const heard = document.createTreeWalker(main ?? document.body, NodeFilter.SHOW_TEXT);
    for (let text = heard.nextNode(); text; text = heard.nextNode()) {
        const around = text.parentElement;
        if (around.closest("[aria-hidden=true], article, .prose, code, pre, script, textarea, option, svg, time, .formula, kbd") || !shown(around)) continue;
        if (/^\s*[–—-]\s*$/.test(text.data)) fault("a dash that says nothing", around);
        if (/\d\s+\/\s+\d/.test(text.data) || /^\s*\/\s*$/.test(text.data)) fault("a stroke between numbers", around);
        if (/\d\s*→\s*\d/.test(text.data)) fault("an arrow between numbers", around);
    }

    // The way of the focus is the way of the eye: never back up and to the left.
    const stops = all("a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex]").filter(part => part.tabIndex >= 0 && !part.disabled && !part.closest("dialog, .skip, .top"));
    for (const part of document.querySelectorAll("[tabindex]")) if (part.tabIndex > 0) fault("a place in the order of its own", part);
    stops.map(part => [part, part.getBoundingClientRect()]).forEach(([part, box], place, rest) => {
        const [before, was] = rest[place - 1] ?? [];
        if (!before || before.contains(part) || part.closest(SCROLLS) !== before.closest(SCROLLS)) return;
        if (box.bottom <= was.top && box.left < was.right && box.width && was.width) fault("the focus goes back up from " + words(before).slice(0, 40), part);
    });
    return [...new Set(faults)];
}"""


def faults(page: Page) -> list[str]:
    """What would not be understood, or be understood wrongly, by ear alone."""
    return [str(fault) for fault in page.evaluate(_HEARD)]
