"""The styleguide: every component in every state, for administrators alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.look import look
from tests.browser.world import World
from tests.chromium import sign_in
from tests.site import Site

if TYPE_CHECKING:
    from config.models import User

pytestmark = pytest.mark.once


def test_styleguide(world: World, signed_in: Callable[[User], Page]) -> None:
    page = signed_in(world.staff)
    page.goto("/styleguide/")
    expect(page.get_by_role("heading", name="Styleguide")).to_be_visible()
    nowhere = "[...document.links].filter(link => link.hash && !document.getElementById(link.hash.slice(1))).map(String)"
    assert page.evaluate(nowhere) == []
    look(page, "styleguide")


def test_a_finger_leaves_no_trace(site: Site, browser: Browser, world: World) -> None:
    """Where nothing hovers, a grade that was tapped looks as before."""
    context = browser.new_context(base_url=site.url, is_mobile=True, has_touch=True, viewport={"width": 360, "height": 740})
    page = context.new_page()
    sign_in(page, world.staff)
    page.goto("/styleguide/")
    button = page.locator("button.grade[aria-pressed=false]").first
    fill = "button => getComputedStyle(button).backgroundColor"
    before = button.evaluate(fill)
    button.hover()
    assert button.evaluate("button => button.matches(':hover')") and button.evaluate(fill) == before
    context.close()


def test_dialog_of_the_styleguide(world: World, signed_in: Callable[[User], Page]) -> None:
    page = signed_in(world.staff)
    page.goto("/styleguide/")
    page.get_by_role("button", name="Withdraw the run").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).to_be_hidden()
