"""Search and judge by keys, continuous active learning, and strategies compared, in a browser."""

import json
import time
import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Browser, Page, Route, expect
from pytest_django import Settings

from assess.models import Judgment, JudgmentEvent
from assess.services import assigning
from assess.services import searching as acts
from pooling.models import Pick
from tests import factories
from tests.assess import factories as judged
from tests.browser.world import World
from tests.chromium import sign_in
from tests.pooling import files
from tests.site import Site

if TYPE_CHECKING:
    from config.models import User

pytestmark = pytest.mark.once


def test_a_hit_is_judged_with_one_key(world: World, signed_in: "Callable[[User], Page]") -> None:
    page = signed_in(world.assessor)
    page.goto(f"/c/{world.adaptive.slug}/search/?topic=1&q=smolts")
    before = Judgment.objects.filter(item__topic__collection=world.adaptive).count()
    page.keyboard.press("ArrowDown")
    chosen = page.locator("[data-hit]:focus")
    expect(chosen).to_have_count(1)
    docno = chosen.locator("[name=docno]").input_value()
    page.keyboard.press("2")
    expect(page.locator("#say")).to_have_text(f"{docno}: 2 Relevant")
    expect(
        page.locator("[data-hit]", has=page.locator(f"[value={docno}]")).locator('[value="2"][aria-pressed=true]')
    ).to_have_count(1)
    hit = page.locator("[data-hit]", has=page.locator(f"[value={docno}]"))
    colours = "parts => new Set(parts.map(part => getComputedStyle(part).backgroundColor)).size"
    assert hit.locator(".grade-badge, [aria-pressed=true]").evaluate_all(colours) == 1  # badge and button in the grade's colour
    assert Judgment.objects.filter(item__topic__collection=world.adaptive).count() in (before, before + 1)
    assert Judgment.objects.get(item__topic__collection=world.adaptive, item__topic__number="1", item__docno=docno).grade == 2


def test_two_quick_digits_on_a_hit_are_two_acts(world: World, signed_in: "Callable[[User], Page]") -> None:
    page = signed_in(world.assessor)
    page.goto(f"/c/{world.adaptive.slug}/search/?topic=1&q=smolts")
    page.keyboard.press("ArrowDown")
    docno = page.locator("[data-hit]:focus [name=docno]").input_value()
    rows = JudgmentEvent.objects.filter(judgment__item__topic__collection=world.adaptive, judgment__item__docno=docno)
    before = rows.count()

    def slow(route: Route) -> None:
        time.sleep(0.3)
        route.continue_()

    page.route("**/search/judge/", slow)
    page.keyboard.press("1")
    page.keyboard.press("3")
    hit = page.locator("[data-hit]", has=page.locator(f"[value={docno}]"))
    expect(hit.locator("[aria-pressed=true]")).to_contain_text("3")
    page.unroute("**/search/judge/")
    assert [row.grade for row in rows.order_by("pk")[before:]] == [1, 3]


def test_a_hit_judged_in_another_tab_says_so(world: World, site: Site, browser: Browser) -> None:
    """In a context of its own: a refusal is wanted here."""
    context = browser.new_context(base_url=site.url)
    page = context.new_page()
    sign_in(page, world.assessor)
    page.goto(f"/c/{world.adaptive.slug}/search/?topic=1&q=smolts")
    docno = page.locator("[data-hit] [name=docno]").first.input_value()
    acts.judge_hit(
        world.adaptive,
        assessor=world.assessor,
        topic=world.adaptive.topics.get(number="1"),
        docno=docno,
        grade=2,
        client_id=uuid.uuid4(),
    )
    page.keyboard.press("ArrowDown")
    with page.expect_response("**/search/judge/") as answered:
        page.evaluate("""() => document.querySelector("[data-hit]:focus button[value='0']").click()""")
    assert answered.value.status == 409
    hit = page.locator("[data-hit]", has=page.locator(f"[value={docno}]"))
    expect(hit.get_by_role("alert")).to_contain_text(
        "Your grade 0 was not taken. This document was judged elsewhere meanwhile: it is now 2"
    )
    expect(hit.locator("[aria-pressed=true]")).to_contain_text("2")
    context.close()


def test_a_classifier_picks_what_looks_like_the_relevant_and_strategies_are_compared(
    site: Site, world: World, settings: Settings, signed_in: "Callable[[User], Page]"
) -> None:
    """An assessor judges a round of continuous active learning by keys; the organizer then has all strategies played through."""
    by, settings.DATA = world.organizer, site.data
    collection = factories.make_collection(by, "Cranes and wine")
    (assessor,) = judged.make_assessors(collection, "Carla Learner")
    texts = {f"d{n:02}": "harbour crane quay cargo" if n % 3 == 0 else "vineyard valley grape" for n in range(18)}
    files.take(collection, by, "topics", b"1\tharbour cranes\n")
    rows = "".join(json.dumps({"id": docno, "text": f"{text} {docno}"}) + "\n" for docno, text in texts.items())
    files.take(collection, by, "documents", rows.encode())
    for tag, step in (("a", 1), ("b", 5)):
        files.take_run(collection, by, files.run_file(tag, t1=" ".join(f"d{n * step % 18:02}" for n in range(18))))
    files.draw_round(collection, by, "cal", ahead=1, budget=8)
    assigning.auto_assign(collection, by=by)
    page = signed_in(assessor)
    page.goto(f"/c/{collection.slug}/judge/")
    expect(page.locator(".judge[data-ready]")).to_be_visible()
    order = []
    for _ in range(7):
        order.append(page.locator(".judge-docno").inner_text())
        page.keyboard.press("2" if "crane" in texts[order[-1]] else "0")
        expect(page.locator(".judge-docno")).not_to_have_text(order[-1], timeout=60_000)
    expect(page.locator("[data-light]")).not_to_contain_text("unsent")
    found = ["crane" in texts[docno] for docno in order]
    assert len(set(order)) == 7 and sum(found) >= 5  # of 18 every third: by chance there would be two or three
    assert Pick.objects.filter(pool__collection=collection, run=None).count() == 8
    page = signed_in(by)
    page.goto(f"/c/{collection.slug}/pool/compare/")
    page.locator("[name=budget]").fill("5")
    page.get_by_role("button", name="Simulate").click()
    expect(page.get_by_role("region", name="Strategies", exact=True).get_by_text("Move to front")).to_be_visible(timeout=30_000)
    expect(page.get_by_role("columnheader", name="Against depth-k")).to_be_visible()
