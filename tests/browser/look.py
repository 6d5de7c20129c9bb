"""Looks at a page as people see it: wide and narrow, light and dark; keeps the pictures, asks axe about each, and goes
through it as those do who hear it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

from tests.browser import reading

SCREENS = Path(__file__).resolve().parents[2] / "artifacts" / "screens"
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
OF_COLOUR_AND_SIZE = ["color-contrast", "link-in-text-block", "scrollable-region-focusable", "target-size"]
# Lines that are like those before them: most of axe's time goes to the contrast of every cell.
REPEATED = ["tbody tr:nth-child(n+7):not(:last-child)", "ul > li:nth-child(n+7):not(:last-child)"]
REPEATED += ["ol > li:nth-child(n+7):not(:last-child)", "svg g > :nth-child(n+7)"]
WIDE = {"width": 1200, "height": 800}
PHONE = {"width": 360, "height": 740}
HUGE = {"width": 2560, "height": 1300}


kept: list[str] = ["styleguide"]  # pages whose pictures are kept; with --pictures all


def look(page: Page, name: str, *, dark: bool | None = None, both: bool = False) -> None:
    """Axe on the page wide and light and, on a phone in dark, by what colour and size decide; no sideways scrolling.

    With `dark` said, only this one of the two: another state of the same page is then seen in the other. Of a page that has
    no such state, `both`: the contrast of the other colours, too. A page looks the same on either database, so on PostgreSQL
    it is only opened: its console must stay silent.
    """
    if "ASSIZE_DATABASE_URL" in os.environ:
        return
    pictures, faults = _is_kept(name), []
    for scheme, size, shot in (("light", WIDE, "wide"), ("dark", WIDE, "wide-dark"), ("dark", PHONE, "360-dark")):
        if not pictures and (shot == "wide-dark" or dark is (scheme == "light")):
            continue
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        page.set_viewport_size(size)  # type: ignore[arg-type]
        if pictures:
            SCREENS.mkdir(parents=True, exist_ok=True)
            page.screenshot(path=SCREENS / f"{name}-{shot}.png", full_page=True, caret="initial")
        if shot != "wide-dark":
            narrowed = scheme == "dark" and dark is None
            rules = {"type": "rule", "values": OF_COLOUR_AND_SIZE} if narrowed else {"type": "tag", "values": TAGS}
            faults += [f"{shot}: {fault}" for fault in _axe(page, rules)]
    if both:
        page.emulate_media(color_scheme="light" if dark else "dark")
        faults += [f"the other colours: {fault}" for fault in _axe(page, {"type": "rule", "values": ["color-contrast"]})]
    page.emulate_media(color_scheme="light")
    for size in (PHONE, HUGE) if pictures else (PHONE,):
        page.set_viewport_size(size)  # type: ignore[arg-type]
        faults += _too_wide(page)
    page.set_viewport_size(WIDE)  # type: ignore[arg-type]
    faults += [f"by ear: {fault}" for fault in reading.faults(page)]
    assert not faults, f"{name}:\n" + "\n".join(faults)


def _is_kept(name: str) -> bool:
    return name in kept or "*" in kept


def _axe(page: Page, only: Mapping[str, object]) -> list[str]:
    """What axe finds. Handed over by the debugging protocol, so the page's own policy stays as strict as it is."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    options = {"resultTypes": ["violations"], "runOnly": only}
    script = "([context, options]) => axe.run(context, options).then(found => found.violations)"
    found = page.evaluate(script, [{"include": ["html"], "exclude": REPEATED}, options])
    return [
        f"{fault['id']}: {fault['help']}: {node['html'][:200]} {node.get('failureSummary', '')}"
        for fault in found
        for node in fault["nodes"]
    ]


_WIDTHS = """() => new Promise(told => requestAnimationFrame(() => requestAnimationFrame(() =>
    told([document.documentElement.scrollWidth, document.documentElement.clientWidth]))))"""  # a new size is drawn a frame later


def _too_wide(page: Page) -> list[str]:
    width, seen = page.evaluate(_WIDTHS)
    return [f"scrolls sideways: {width} px of content in {seen} px"] if width > seen else []
