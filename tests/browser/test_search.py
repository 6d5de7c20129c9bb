"""Search and judge by keys, in a browser."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Page, expect

from assess.models import Judgment
from tests.browser.world import World

if TYPE_CHECKING:
    from config.models import User

pytestmark = [pytest.mark.browser, pytest.mark.live, pytest.mark.once]


def test_a_hit_is_judged_with_one_key(world: World, signed_in: "Callable[[User], Page]") -> None:
    page = signed_in(world.assessor)
    page.goto(f"/c/{world.adaptive.slug}/search/?topic=1&q=smolts")
    before = Judgment.objects.filter(item__topic__collection=world.adaptive).count()
    page.keyboard.press("ArrowDown")
    chosen = page.locator("[data-hit]:focus")
    expect(chosen).to_have_count(1)
    docno = chosen.locator("[name=docno]").input_value()
    page.keyboard.press("2")
    expect(page.locator("[data-hit]", has=page.locator(f"[value={docno}]")).locator("[aria-pressed=true]")).to_have_count(1)
    assert Judgment.objects.filter(item__topic__collection=world.adaptive).count() in (before, before + 1)
    assert Judgment.objects.get(item__topic__collection=world.adaptive, item__topic__number="1", item__docno=docno).grade == 2
