"""The frame on wide screens: every page has the same edges, and only a table that does not fit goes on to the right."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Page

from tests.browser.look import HUGE
from tests.browser.world import World

if TYPE_CHECKING:
    from config.models import User

pytestmark = pytest.mark.once
EDGES = """() => ["header.top > .brand", "main h1", "main :is(.tabs, .back, form, article, .rows)", ".foot > span"].map(
    part => Math.round(document.querySelector(part)?.getBoundingClientRect().left))"""
ENDS = "box => [box, document.querySelector('main .tabs')].map(part => part.getBoundingClientRect().right)"


@pytest.mark.parametrize("width", [HUGE["width"], 1920])
def test_every_page_begins_at_one_edge(world: World, signed_in: Callable[[User], Page], width: int) -> None:
    page, scores = signed_in(world.organizer), f"/c/{world.frozen.slug}/leaderboard/"
    page.set_viewport_size({"width": width, "height": 1300})
    begin = set()
    for path in (
        scores,
        f"{scores}topics/301/",
        f"/c/{world.line.slug}/runs/",
        "/collections/new/",
        "/jobs/",
        "/docs/guides/assessors/",
    ):
        page.goto(path)
        begin |= {edge for edge in page.evaluate(EDGES) if edge is not None}
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
    assert len(begin) == 1


@pytest.mark.parametrize("width", [1440, 1920])
def test_a_board_of_the_usual_measures_ends_where_the_page_does(
    world: World, signed_in: Callable[[User], Page], width: int
) -> None:
    page, scores = signed_in(world.organizer), f"/c/{world.frozen.slug}/leaderboard/"
    page.set_viewport_size({"width": width, "height": 1300})
    page.goto(scores)
    table, tabs = page.locator(".board").evaluate(ENDS)
    assert round(table) == round(tabs)
    page.locator(".board thead tr").evaluate(
        "row => { for (const cell of [...row.cells].slice(3, 8)) row.append(cell.cloneNode(true)) }"
    )
    table, tabs = page.locator(".board").evaluate(ENDS)
    assert tabs < table


def test_judging_has_the_whole_screen(world: World, signed_in: Callable[[User], Page]) -> None:
    page = signed_in(world.assessor)
    page.set_viewport_size(HUGE)  # type: ignore[arg-type]
    page.goto(f"/c/{world.judged.slug}/judge/")
    assert page.locator("header.top > .brand").evaluate("part => part.getBoundingClientRect().left") < 40
