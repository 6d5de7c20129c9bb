"""Charts by keyboard, runs ticked on the leaderboard that are then compared, and a release that is frozen."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Page, expect

from tests import factories
from tests.browser.test_pages import score_own
from tests.browser.world import World
from tests.chromium import NewPage, sign_in
from tests.evaluation import factories as graded
from tests.site import Site

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
    with page.expect_navigation():  # its script, too: it reads keys below
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


def test_charts_are_read_on_a_phone(world: World, signed_in: Callable[[User], Page]) -> None:
    """As wide as the screen and no wider, in type of at least ten pixels; a finger near a mark is told what it stands for."""
    page = signed_in(world.newcomer)
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(f"/c/{world.frozen.slug}/compare/")
    page.locator("svg.chart").first.wait_for()
    sizes = page.locator("svg.chart").evaluate_all(
        """charts => charts.map(chart => {
            const box = chart.getBoundingClientRect(), scale = box.width / chart.viewBox.baseVal.width
            const type = parseFloat(getComputedStyle(chart.querySelector(".chart-tick")).fontSize) * scale
            return [box.left, box.right, type]
        })"""
    )
    assert len(sizes) >= 3
    assert all(left >= 0 and right <= 360 and type_ >= 10 for left, right, type_ in sizes), sizes
    chart, tip = page.locator("svg.chart").first, page.locator(".chart-tip")
    chart.scroll_into_view_if_needed()
    point = chart.evaluate(
        """chart => {
            const box = chart.querySelector(".chart-mark").getBoundingClientRect()
            const told = {pointerType: "touch", bubbles: true, clientX: box.left - 6, clientY: box.top}
            chart.dispatchEvent(new PointerEvent("pointerdown", told))
            chart.dispatchEvent(new PointerEvent("pointerleave", told))
            return chart.querySelector(".chart-mark title").textContent
        }"""
    )
    expect(tip).to_have_text(point)
    page.locator("h1").dispatch_event("pointerdown")
    expect(tip).to_be_hidden()


def test_the_report_of_an_own_run_is_taken_away_as_files(world: World, signed_in: Callable[[User], Page]) -> None:
    """What is not kept has no address: the page itself carries the files, and the policy lets them be saved."""
    page = signed_in(world.newcomer)
    page.goto(f"/c/{world.frozen.slug}/try/")
    score_own(page)
    shown = page.get_by_role("row", name=re.compile("^MAP ")).get_by_role("cell").first.inner_text()
    for name, ending, part in (
        ("CSV", "csv", f",{shown}"),
        ("JSON", "json", shown),
        ("LaTeX", "tex", shown),
        ("trec_eval", "txt", shown),
    ):
        with page.expect_download() as waiting:
            page.locator(".downloads").get_by_role("link", name=name).click()
        saved = waiting.value
        assert saved.suggested_filename.endswith(f".{ending}")
        assert part in Path(saved.path()).read_text(), name


def test_a_table_that_goes_on_says_so_until_its_end(world: World, signed_in: Callable[[User], Page]) -> None:
    page = signed_in(world.newcomer)
    page.set_viewport_size({"width": 700, "height": 800})
    page.goto(f"/c/{world.frozen.slug}/leaderboard/")
    box = page.get_by_role("region", name="Leaderboard")
    expect(box).to_have_attribute("data-more", "")
    box.evaluate("box => { box.scrollLeft = box.scrollWidth }")
    expect(box).not_to_have_attribute("data-more", "")
    box.evaluate("box => { box.scrollLeft = 0 }")
    expect(box).to_have_attribute("data-more", "")
    page.set_viewport_size({"width": 2560, "height": 1300})
    expect(box).not_to_have_attribute("data-more", "")


def test_the_leaderboards_filters_are_folded_on_a_phone_alone(world: World, signed_in: Callable[[User], Page]) -> None:
    page = signed_in(world.organizer)
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(f"/c/{world.frozen.slug}/leaderboard/")
    fold, release = page.locator("summary", has_text="Choose what is shown"), page.get_by_label("Scores of")
    expect(fold).to_be_hidden()
    expect(release).to_be_visible()
    room = "box => box.clientWidth - parseFloat(getComputedStyle(box).paddingLeft) - parseFloat(getComputedStyle(box).paddingRight)"
    words = """box => { const pen = document.createElement("canvas").getContext("2d"); pen.font = getComputedStyle(box).font;
        return pen.measureText("release 10 (private)").width }"""
    assert release.evaluate(room) >= release.evaluate(words)
    page.set_viewport_size({"width": 360, "height": 740})
    expect(release).to_be_hidden()
    fold.click()
    expect(release).to_be_visible()
    assert release.evaluate(room) >= release.evaluate(words)
    page.goto(f"/c/{world.frozen.slug}/leaderboard/?find=a")
    expect(release).to_be_visible()  # what is filtered says by what


@pytest.mark.parametrize("script", [True, False])
def test_freezing_asks_first(world: World, site: Site, new_page: NewPage, script: bool) -> None:
    """With script or without, and Enter in a field freezes nothing."""
    collection = factories.make_collection(world.organizer, f"Frozen {'with' if script else 'without'} script")
    graded.judge_all(collection, graded.FIRST, world.assessor)
    page = new_page(site, java_script_enabled=script)
    sign_in(page, world.organizer)
    page.goto(f"/c/{collection.slug}/releases/")
    page.get_by_label("Take the highest grade").check()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog")
    page.get_by_role("button", name="Freeze a release…").click()
    expect(dialog).to_contain_text("It holds the grades of 6 documents of 2 topics")
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).to_be_hidden()
    expect(page.get_by_label("Take the highest grade")).to_be_checked()
    page.get_by_role("button", name="Freeze a release…").click()
    dialog.get_by_role("button", name="Freeze a release").click()
    expect(page.get_by_role("main")).to_contain_text(re.compile("is (being )?frozen"))
    expect(page.get_by_role("button", name="Freeze a release…")).to_have_count(0)
