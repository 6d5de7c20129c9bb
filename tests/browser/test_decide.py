"""Adjudication in a real Chromium: what differs comes one by one, and a key decides."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Page, expect

from assess.models import Decision
from assess.services import assigning, judging
from assess.services.assigning import Wanted
from pooling.models import Role
from tests import factories
from tests.assess import factories as judged
from tests.browser.look import PHONE, WIDE, look
from tests.browser.world import World

if TYPE_CHECKING:
    from config.models import User

pytestmark = pytest.mark.once


def test_decide_by_keys(world: World, signed_in: Callable[[User], Page]) -> None:
    collection = factories.make_collection(world.organizer, "To be decided")
    people = [factories.make_user(f"Opinion {number}") for number in (1, 2)]
    umpire = factories.make_user("Ursula Umpire")
    for user, role in ((people[0], Role.ASSESSOR), (people[1], Role.ASSESSOR), (umpire, Role.ADJUDICATOR)):
        factories.join(collection, user, role)
    (topic,) = judged.make_work(collection, world.organizer, topics=1, items=3)
    assigning.assign(collection, by=world.organizer, wanted=[Wanted(topic, people[:1], people[1:])], overlap=1)
    for user, grade in zip(people, (0, 3), strict=True):
        for card in judging.next_items(collection, assessor=user, count=3):
            said = {"grade": grade, "evidence": [(0, 12)] if grade else None}
            judging.record_judgment(collection, assessor=user, seat=card.token, client_id=uuid.uuid4(), ahead=0, **said)  # type: ignore[arg-type]
    page, docno = signed_in(umpire), ".judge-docno"
    page.goto(f"/c/{collection.slug}/adjudicate/topics/{topic.number}/")
    first = page.locator(docno).inner_text()
    text = page.locator(".judge-plain").inner_text()
    expect(page.locator(".opinion-passage")).to_have_text([text[:12]])
    page.keyboard.press("?")
    page.keyboard.press("2")  # decides nothing while the keys are read
    expect(page.locator("#keys")).to_contain_text("Precedent")
    expect(page.locator("#keys-title")).to_be_focused()  # a list longer than the screen begins at its beginning
    page.get_by_role("button", name="Close").click()
    beside = page.get_by_role("dialog", name="Guidelines")
    page.keyboard.press("g")
    expect(beside.get_by_text("The organizers have not written any.")).to_be_visible()
    page.keyboard.press("2")  # nor while the guidelines are
    look(page, "decide-guidelines")
    page.keyboard.press("Escape")
    expect(beside).to_be_hidden()
    expect(page.locator(".judge-document")).to_be_focused()
    page.keyboard.press("c")
    page.keyboard.type("2 is what I mean")  # a digit in a field decides nothing
    page.keyboard.press("Escape")
    page.keyboard.press("p")
    page.keyboard.press("Enter")  # leaves the field, and decides nothing either
    expect(page.locator(".judge-document")).to_be_focused()
    with page.expect_navigation():
        page.keyboard.press("ArrowRight")
    expect(page.locator("[name=comment]")).to_have_value("")
    with page.expect_navigation():
        page.keyboard.press("b")
    expect(page.locator("[name=comment]")).to_have_value("2 is what I mean")  # going on lost nothing
    expect(page.locator("[name=comment]")).to_be_visible()
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    room = page.locator(".judge-document").bounding_box()
    assert room and room["height"] >= 200  # what is written hides the document from nobody
    page.set_viewport_size({"width": 683, "height": 384})  # a laptop at 200 %
    room, bar = page.locator(".judge-document").bounding_box(), page.locator(".judge-bar").bounding_box()
    assert room and bar and room["height"] >= 200 and bar["y"] >= room["y"] + room["height"] - 1
    page.set_viewport_size(WIDE)  # type: ignore[arg-type]

    def decide(key: str) -> None:
        """The next page comes, with the script that reads the next key."""
        with page.expect_navigation():
            page.keyboard.press(key)
        expect(page.locator(".judge-document")).to_be_focused()  # space and page keys scroll it

    page.keyboard.press("Escape")
    expect(page.locator(".judge-more")).not_to_have_attribute("open", "")
    line = page.locator("#say")
    decide("2")
    expect(page.locator(docno)).not_to_have_text(first)
    expect(page.locator(".judge-count")).to_contain_text("1 of 3 decided")
    expect(line).to_have_text(re.compile(rf"^Decided 2 Relevant for {first}\. Topic {topic.number}, document .+, open$"))
    expect(page.locator("[data-undo]")).to_have_text(f"Undo u grade 2 for document {first}")
    place = page.locator(".judge-document").bounding_box()
    decide("u")
    expect(page.locator(docno)).to_have_text(first)
    expect(page.locator(".toast")).to_contain_text("is open again")
    assert page.locator(".judge-document").bounding_box() == place  # what is told lies over the page
    expect(line).to_have_text(re.compile(rf"^{first} of topic {topic.number} is open again\. Topic .+, open$"))
    expect(page.locator("[name=comment]")).to_have_value("")  # it was said
    expect(page.locator(".judge-count")).to_contain_text("0 of 3 decided")
    decide("1")
    expect(page.locator(".judge-count")).to_contain_text("1 of 3 decided")
    decide("b")
    expect(page.locator(docno)).to_have_text(first)
    expect(line).to_have_text(re.compile(r"^Back\. Topic .+, decided 1$"))
    decide("2")
    expect(page.locator(docno)).not_to_have_text(first)
    decide("0")
    expect(page.locator(".judge-count")).to_contain_text("2 of 3 decided")
    kept = Decision.objects.filter(item__pool__collection=collection).order_by("pk")
    assert list(kept.values_list("grade", "comment")) == [(2, ""), (0, "")]
    acts = kept[0].events.order_by("pk").values_list("grade", "comment")
    assert list(acts) == [(2, "2 is what I mean"), (None, ""), (1, ""), (2, "")]
    assert kept[0].item.docno == first
