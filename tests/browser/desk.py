"""A desk to judge at: an assessor with documents of two topics, and the judging page open in a real Chromium."""

from __future__ import annotations

import itertools
import re
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from playwright.sync_api import BrowserContext, Page, expect

from assess.models import JudgmentEvent
from assess.services import assigning
from assess.services.assigning import Wanted
from pooling.models import Collection, Role
from tests import factories
from tests.assess import factories as judged

if TYPE_CHECKING:
    from config.models import User

_count = itertools.count(1)


@dataclass
class Desk:
    """An assessor with 30 documents of two topics to judge, and the judging page open."""

    collection: Collection
    assessor: User
    page: Page
    context: BrowserContext

    @property
    def home(self) -> str:
        return f"/c/{self.collection.slug}/judge/"

    def open(self) -> None:
        self.page.goto(self.home)
        expect(self.page.locator(".judge[data-ready] .judge-document h2")).to_be_visible()

    def reload(self) -> None:
        """Until keys are read again."""
        self.page.reload()
        expect(self.page.locator(".judge[data-ready]")).to_be_visible()

    def shown(self) -> str:
        return self.page.locator(".judge-docno").inner_text()

    def events(self) -> list[tuple[str, int | None]]:
        rows = JudgmentEvent.objects.filter(judgment__item__pool__collection=self.collection).order_by("pk")
        return list(rows.values_list("judgment__item__docno", "grade"))

    def expect_sent(self) -> None:
        """Where nothing is left to judge there is no light."""
        saved = self.page.locator("[data-light]").filter(has_text=re.compile("^saved$"))
        ended = self.page.get_by_role("heading", name="All judged")
        expect(saved.or_(ended).first).to_be_visible(timeout=60_000)

    def expect_true(self, script: str) -> None:
        """Asked until it holds. Playwright's own way is an eval within the page, which the page's policy refuses."""
        until = time.monotonic() + 60
        while not self.page.evaluate(script):
            assert time.monotonic() < until, script
            self.page.wait_for_timeout(50)

    def settled(self, script: str) -> Any:
        """What it gives once that stays the same for a while."""
        found, same = self.page.evaluate(script), 0
        while same < 3:
            self.page.wait_for_timeout(100)
            before, found = found, self.page.evaluate(script)
            same = same + 1 if found == before else 0
        return found

    def expect_light(self, text: str | re.Pattern[str]) -> None:
        expect(self.page.locator("[data-light]")).to_have_text(text, timeout=60_000)

    def expect_saved_in_time(self) -> None:
        """As promised after the connection is back, or after signing in again."""
        expect(self.page.locator("[data-light]")).to_have_text("saved", timeout=10_000)

    def watch_light(self) -> None:
        """From now on what the light says is noted, until the page is left."""
        self.page.evaluate(
            """() => { const light = document.querySelector("[data-light]"); self.told = [];
                const note = () => { const word = light.hidden ? "" : light.textContent; if (word !== told.at(-1)) told.push(word); };
                new MutationObserver(note).observe(light,
                    {attributes: true, childList: true, characterData: true, subtree: true}); }"""
        )

    def told(self) -> list[str]:
        found: list[str] = self.page.evaluate("told")
        return found

    def lose_judgments(self) -> None:
        """What the page says is lost on its way; all else comes through."""
        self.page.route(
            re.compile(r"/judge/[0-9a-f-]{36}/$"),
            lambda route: route.abort() if route.request.method == "POST" else route.continue_(),
        )

    def lose_none(self) -> None:
        self.page.unroute_all()


def make_desk(items: int = 15) -> tuple[Collection, User]:
    number = next(_count)
    organizer = factories.make_user(f"Owen Organizer {number}")
    collection = factories.make_collection(organizer, f"Judging desk {number}")
    assessor = factories.make_user(f"Jo Judge {number}")
    factories.join(collection, assessor, Role.ASSESSOR)
    topics = judged.make_work(collection, organizer, topics=2, items=items)
    wanted = [Wanted(topic, [assessor]) for topic in topics]
    assigning.assign(collection, by=organizer, wanted=wanted, overlap=0, seed=number)
    return collection, assessor


def press_fast(desk: Desk, count: int) -> list[tuple[str, int]]:
    """Key after key without waiting, as long as there is a document; what was on screen at each key, and the key."""
    return [
        (docno, int(key))
        for docno, key in desk.page.evaluate(
            """count => {
                const pressed = [];
                for (let n = 0; n < count; n++) {
                    const shown = document.querySelector("article:not([aria-busy]) .judge-docno"), key = String(n % 4);
                    if (!shown) break; // one waits for more
                    pressed.push([shown.textContent, key]);
                    document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
                }
                return pressed;
            }""",
            count,
        )
    ]


def said(desk: Desk) -> list[tuple[str, str, int | None, str, str, bool]]:
    rows = JudgmentEvent.objects.filter(judgment__item__pool__collection=desk.collection).order_by("pk")
    return list(rows.values_list("judgment__item__docno", "answer", "grade", "reason", "note", "known"))
