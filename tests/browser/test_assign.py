"""The grid that assigns topics: one press for a number, by keyboard alone, and only what was changed is sent."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import parse_qs

import pytest
from playwright.sync_api import Page, expect

from assess.models import Assignment
from config.models import User
from tests.assess import factories as judged
from tests.browser.desk import make_desk
from tests.browser.look import look

pytestmark = pytest.mark.once


def test_grid_by_mouse_and_keyboard(signed_in: Callable[[User], Page]) -> None:
    collection, jo = make_desk(items=2)
    (kim,) = judged.make_assessors(collection, f"Kim of {collection.slug}")
    organizer = collection.memberships.get(role="organizer").user
    page = signed_in(organizer)
    page.goto(f"/c/{collection.slug}/assign/")
    cell = {(who, topic): page.get_by_label(f"{who.name}, topic {topic}") for who in (jo, kim) for topic in (1, 2)}
    expect(cell[jo, 1]).to_have_value("1")
    cell[kim, 1].click()
    expect(cell[kim, 1]).to_have_value("1")
    cell[kim, 1].click()
    expect(cell[kim, 1]).to_have_value("2")
    page.keyboard.press("Backspace")
    expect(cell[kim, 1]).to_have_value("")
    expect(page.locator("[data-grid-count]")).to_have_text("")
    page.keyboard.type("1")
    expect(page.locator("[data-grid-count]")).to_have_text("1 topic changed")
    names = [user.name for user in sorted((jo, kim), key=lambda user: user.name)]
    page.keyboard.press("ArrowLeft" if names[1] == kim.name else "ArrowRight")
    expect(cell[jo, 1]).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(cell[jo, 2]).to_be_focused()
    expect(cell[jo, 2]).to_have_value("1")  # an arrow changes nothing
    page.keyboard.press("Tab")
    expect(page.locator("[data-grid] :focus")).to_have_count(0)  # the whole grid is one stop
    page.keyboard.press("Shift+Tab")
    expect(cell[jo, 2]).to_be_focused()
    page.keyboard.press("ArrowUp")
    page.keyboard.type("21")  # the last word counts, however quick
    expect(cell[jo, 1]).to_have_value("1")
    page.keyboard.press("Home")
    page.keyboard.press("PageUp")
    expect(cell[jo, 1]).to_have_value("1")
    cell[jo, 1].focus()
    page.keyboard.press("0")
    with page.expect_request(lambda request: request.method == "POST") as sent:
        page.get_by_role("button", name="Assign these topics").click()
    expect(page.locator("#toasts").get_by_text("Saved. Topics handed out:")).to_be_visible()
    one, two = collection.topics.order_by("number")
    fields = [name for name in parse_qs(sent.value.post_data or "", keep_blank_values=True) if "-" in name]
    assert sorted(fields) == sorted([f"was-{one.pk}", f"s-{one.pk}-{jo.pk}", f"s-{one.pk}-{kim.pk}"])
    found = Assignment.objects.filter(topic__collection=collection).order_by("topic__number")
    assert list(found.values_list("topic", "assessor", "slot")) == [(one.pk, kim.pk, 1), (two.pk, jo.pk, 1)]


def test_handing_much_out_is_told_on_the_page(signed_in: Callable[[User], Page]) -> None:
    collection, _ = make_desk(items=1)
    organizer = collection.memberships.get(role="organizer").user
    judged.make_work(collection, organizer, topics=20, items=101)
    page = signed_in(organizer)
    page.goto(f"/c/{collection.slug}/assign/")
    page.locator("#auto").evaluate("fold => { fold.open = true }")
    page.get_by_role("button", name="Share the topics out").click()
    job = page.locator(".job")
    expect(job).to_contain_text("Topics handed out: 2,020 judgments wanted", timeout=30_000)
    expect(job).to_be_focused()
    expect(page.locator("#say")).to_contain_text("done. Topics handed out: 2,020 judgments wanted")
    expect(page.get_by_role("navigation", name="Collection")).to_be_visible()
    look(page, "assign-handed-out")


def test_grid_keeps_topics_and_names_in_view(signed_in: Callable[[User], Page]) -> None:
    collection, _ = make_desk(items=1)
    organizer = collection.memberships.get(role="organizer").user
    crowd = judged.make_assessors(collection, *(f"Number {n} of {collection.slug}" for n in range(29)))
    judged.make_work(collection, organizer, topics=58, items=1)
    page = signed_in(organizer)
    page.goto(f"/c/{collection.slug}/assign/")
    last = page.get_by_label(f"{crowd[9].name}, topic 50")
    last.scroll_into_view_if_needed()
    page.locator(".scroll:has([data-grid])").evaluate(
        "box => { box.scrollIntoView(); box.scrollTo(box.scrollWidth, box.scrollHeight) }"
    )
    expect(page.get_by_role("rowheader", name="50 tidal energy")).to_be_in_viewport()
    expect(page.locator(".scroll:has([data-grid])")).not_to_have_attribute("data-below", "")
    expect(page.get_by_role("columnheader", name=crowd[9].name)).to_be_in_viewport()
    expect(last).to_be_in_viewport()
    page.locator(".scroll:has([data-grid])").evaluate("box => box.scrollTo(0, 0)")
    expect(page.locator(".scroll:has([data-grid])")).to_have_attribute("data-below", "")  # it goes on below, and fades there
    look(page, "assign-grid")
