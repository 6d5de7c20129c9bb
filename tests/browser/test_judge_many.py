"""Two hundred documents by keys alone, through all that may happen; and the list, one below the other."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from assess.models import JudgmentEvent, Seat
from tests.browser.desk import Desk, make_desk, press_fast, said
from tests.chromium import sign_in
from tests.site import Site

pytestmark = pytest.mark.once


def some(desk: Desk, count: int) -> list[tuple[str, int]]:
    """As many as wanted, as fast as the page has them."""
    found: list[tuple[str, int]] = []
    while len(found) < count:
        expect(desk.page.locator("article:not([aria-busy]) .judge-docno")).to_be_visible(timeout=60_000)
        found += press_fast(desk, count - len(found))
    return found


@pytest.mark.timeout(300)
@pytest.mark.parametrize("desk", [100], indirect=True)
def test_two_hundred_by_keys_offline_reload_signed_out_and_back(desk: Desk) -> None:
    with desk.page.expect_event("requestfinished", lambda request: request.url.endswith("/judge/hold/")):
        desk.reload()
    wanted = some(desk, 60)
    desk.expect_light("saved")
    desk.context.set_offline(True)
    wanted += some(desk, 25)
    desk.expect_light("25 unsent")
    desk.lose_judgments()  # a page that is to be reloaded must come from somewhere
    desk.context.set_offline(False)
    with desk.page.expect_event("requestfinished", lambda request: request.url.endswith("/judge/hold/")):
        desk.reload()
    desk.expect_light("25 unsent")
    desk.context.set_offline(True)
    wanted += some(desk, 25)
    desk.expect_light("50 unsent")
    desk.context.clear_cookies()  # the session has ended meanwhile
    desk.lose_none()
    desk.context.set_offline(False)
    desk.page.evaluate("dispatchEvent(new Event('online'))")
    expect(desk.page.get_by_role("alert")).to_contain_text("You are signed out")
    desk.expect_light("50 unsent")
    sign_in(desk.page, desk.assessor)
    desk.open()
    desk.expect_saved_in_time()
    assert desk.events() == wanted  # all 110, in order, none twice
    desk.page.route("**/judge/**", lambda route: route.abort() if route.request.method == "POST" else route.continue_())
    wanted += some(desk, 10)
    desk.reload()
    desk.expect_light("10 unsent")
    desk.page.unroute("**/judge/**")
    desk.page.evaluate("dispatchEvent(new Event('online'))")
    wanted += some(desk, 80)
    expect(desk.page.get_by_role("heading", name="All judged")).to_be_visible(timeout=120_000)
    assert desk.events() == wanted and len({docno for docno, _ in wanted}) == 200
    order = Seat.objects.filter(assessor=desk.assessor).order_by("position").values_list("item__docno", flat=True)
    assert [docno for docno, _ in wanted] == list(order)


def test_list_has_the_same_keys_and_the_same_saving(desk: Desk) -> None:
    page = desk.page
    names = list(Seat.objects.filter(assessor=desk.assessor).order_by("position").values_list("item__docno", flat=True))
    page.get_by_role("link", name="List").click()
    expect(page.locator(".judge[data-ready] .judge-list > li")).to_have_count(30)  # held by now, beyond the 20 it came with
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")  # the list scrolls, not the page behind it
    now, entries = page.locator(".judge-list > li.now .judge-docno"), page.locator(".judge-list > li")
    expect(now).to_have_text(names[0])
    for place in (0, 29):  # the last came later, and is an entry like the others
        expect(entries.nth(place).get_by_role("button", name=f"3 Highly relevant : {names[place]}", exact=True)).to_have_count(
            1
        )
    desk.context.set_offline(True)
    page.keyboard.press("2")
    page.keyboard.press("l")
    page.keyboard.press("ArrowRight")
    expect(now).to_have_text(names[3])
    entries.nth(5).get_by_role("button", name="3 Highly relevant").click()
    expect(now).to_have_text(names[6])
    page.keyboard.press("b")
    page.keyboard.press("b")
    expect(now).to_have_text(names[4])
    page.keyboard.press("1")
    page.keyboard.press("u")
    expect(now).to_have_text(names[4])
    expect(page.locator("[data-done]")).to_have_text("2")
    desk.expect_light("5 unsent")
    page.evaluate("document.querySelector('.judge-document').scrollTop = 0")
    desk.context.set_offline(False)
    desk.expect_light("saved")
    assert [(docno, answer, grade) for docno, answer, grade, *_ in said(desk)] == [
        (names[0], "grade", 2),
        (names[1], "later", None),
        (names[5], "grade", 3),
        (names[4], "grade", 1),
        (names[4], "open", None),
    ]
    desk.reload()
    expect(now).to_have_text(names[2])  # the first that waits; what was put off is at the end
    expect(entries.last.locator(".judge-docno")).to_have_text(names[1])


def test_without_script_all_answers_work(site: Site, browser: Browser) -> None:
    collection, assessor = make_desk()
    context = browser.new_context(base_url=site.url, java_script_enabled=False)
    page = context.new_page()
    sign_in(page, assessor)
    page.goto(f"/c/{collection.slug}/judge/")
    shown = page.locator(".judge-docno").inner_text
    first = shown()
    page.locator(".judge-more summary").click()
    page.get_by_label("Note").fill("look again")
    page.get_by_label("Already known").check()
    page.get_by_role("button", name="Save note").click()
    expect(page.locator(".judge-docno")).to_have_text(first)
    page.locator(".judge-more summary").click()
    page.get_by_role("button", name="Later").click()
    second = shown()
    page.goto(f"/c/{collection.slug}/judge/many/")
    page.locator(".judge-list > li").first.get_by_role("button", name="3 Highly relevant").click()
    expect(page.locator(".judge-list .judge-docno").first).not_to_have_text(second)
    page.get_by_role("link", name="Back").click()
    expect(page.locator(".judge-docno")).to_have_text(second)
    rows = JudgmentEvent.objects.filter(judgment__item__pool__collection=collection).order_by("pk")
    assert list(rows.values_list("judgment__item__docno", "answer", "grade", "note", "known")) == [
        (first, "open", None, "look again", True),
        (first, "later", None, "look again", True),
        (second, "grade", 3, "", False),
    ]
    context.close()
