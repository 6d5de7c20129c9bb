"""The styleguide: every component in every state, for administrators alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Page, expect

from tests.browser.look import look
from tests.browser.world import World

if TYPE_CHECKING:
    from config.models import User

pytestmark = pytest.mark.once


def test_styleguide(world: World, signed_in: Callable[[User], Page]) -> None:
    page = signed_in(world.staff)
    page.goto("/styleguide/")
    expect(page.get_by_role("heading", name="Styleguide")).to_be_visible()
    look(page, "styleguide")


def test_dialog_of_the_styleguide(world: World, signed_in: Callable[[User], Page]) -> None:
    page = signed_in(world.staff)
    page.goto("/styleguide/")
    page.get_by_role("button", name="Withdraw the run").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).to_be_hidden()
