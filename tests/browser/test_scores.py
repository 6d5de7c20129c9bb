"""Charts by keyboard, and runs ticked on the leaderboard that are then compared."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Page, expect

from tests.browser.world import World

if TYPE_CHECKING:
    from config.models import User

pytestmark = pytest.mark.once


def test_ticked_runs_are_compared_and_charts_walked_by_keys(world: World, signed_in: Callable[[User], Page]) -> None:
    page = signed_in(world.newcomer)
    page.goto(f"/c/{world.frozen.slug}/leaderboard/")
    boxes = page.locator("table.board input[type=checkbox]")
    names = [box.get_attribute("value") for box in boxes.all()[:2]]
    for place in range(2):
        boxes.nth(place).check()
    page.get_by_role("button", name="Compare the ticked runs").click()
    expect(page.get_by_role("heading", name="In words")).to_be_visible()
    expect(page.locator(".rows li")).to_contain_text(f"{names[0]} has MAP")
    chart, tip = page.locator("svg.chart").first, page.locator(".chart-tip")
    expect(tip).to_be_hidden()
    chart.focus()
    page.keyboard.press("ArrowRight")
    expect(tip).to_contain_text(f"Topic 301: {names[0]}")
    expect(page.locator("#say")).to_have_text(tip.inner_text())
    page.keyboard.press("ArrowRight")
    expect(tip).to_contain_text("Topic 302")
    page.keyboard.press("Escape")
    expect(tip).to_be_hidden()
