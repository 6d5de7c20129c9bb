"""Judging in a real Chromium: by keys, fast, offline, over a reload, back and changed, without script, on a phone."""

from __future__ import annotations

import itertools
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Browser, BrowserContext, Dialog, Page, Route, expect

from assess.models import JudgmentEvent, Seat
from assess.services import assigning
from assess.services.assigning import Wanted
from pooling.models import Collection, Document, Role
from tests import factories
from tests.assess import factories as judged
from tests.browser.look import PHONE, look
from tests.browser.world import World
from tests.chromium import sign_in
from tests.site import Site

if TYPE_CHECKING:
    from config.models import User

pytestmark = [pytest.mark.browser, pytest.mark.live]
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

    def shown(self) -> str:
        return self.page.locator(".judge-docno").inner_text()

    def events(self) -> list[tuple[str, int | None]]:
        rows = JudgmentEvent.objects.filter(judgment__item__pool__collection=self.collection).order_by("pk")
        return list(rows.values_list("judgment__item__docno", "grade"))

    def expect_light(self, text: str | re.Pattern[str]) -> None:
        expect(self.page.locator("[data-light]")).to_have_text(text, timeout=20_000)


_sessions: dict[str, object] = {}


@pytest.fixture
def desk(site: Site, world: World, browser: Browser, request: pytest.FixtureRequest) -> Iterator[Desk]:
    """In a context of its own, which may be offline: nobody watches for failed requests here."""
    made, faults = make_desk(world, items=getattr(request, "param", 15)), list[str]()
    context = browser.new_context(base_url=site.url, viewport={"width": 1200, "height": 800}, reduced_motion="reduce")
    page = context.new_page()
    page.on("pageerror", lambda error: faults.append(str(error)))
    sign_in(page, made[1])
    desk = Desk(made[0], made[1], page, context)
    desk.open()
    yield desk
    context.close()
    assert faults == []


def make_desk(world: World, items: int = 15) -> tuple[Collection, User]:
    number = next(_count)
    collection = factories.make_collection(world.organizer, f"Judging desk {number}")
    assessor = factories.make_user(f"Jo Judge {number}")
    factories.join(collection, assessor, Role.ASSESSOR)
    topics = judged.make_work(collection, world.organizer, topics=2, items=items)
    wanted = [Wanted(topic, [assessor]) for topic in topics]
    assigning.assign(collection, by=world.organizer, wanted=wanted, overlap=0, seed=number)
    return collection, assessor


def test_twenty_documents_by_key(desk: Desk) -> None:
    wanted = []
    for number in range(20):
        expect(desk.page.locator("article:not([aria-busy]) .judge-docno")).to_be_visible()
        wanted.append((desk.shown(), number % 4))
        desk.page.keyboard.press(str(number % 4))
        expect(desk.page.locator("[data-done]")).to_have_text(str(number + 1))
    desk.expect_light("saved")
    assert desk.events() == wanted
    assert len({docno for docno, _ in wanted}) == 20
    order = Seat.objects.filter(assessor=desk.assessor).order_by("position").values_list("item__docno", flat=True)
    assert [docno for docno, _ in wanted] == list(order[:20])
    expect(desk.page.locator(".judge-topic .eyebrow")).to_contain_text("Topic 2")  # the second topic came by itself
    seconds = JudgmentEvent.objects.filter(judgment__assessor=desk.assessor).values_list("seconds", flat=True)
    assert all(value is not None and 0 <= value < 60 for value in seconds)


def test_to_the_end(desk: Desk) -> None:
    for _ in range(30):
        expect(desk.page.locator("article:not([aria-busy]) .judge-docno")).to_be_visible()  # faster than the server, one waits
        desk.page.keyboard.press("1")
    expect(desk.page.get_by_role("heading", name="All judged")).to_be_visible(timeout=20_000)
    assert len(desk.events()) == 30


def press_fast(desk: Desk, count: int) -> list[tuple[str, int]]:
    """Key after key without waiting; what was on screen at each key, and the key."""
    return [
        (docno, int(key))
        for docno, key in desk.page.evaluate(
            """count => Array.from({length: count}, (_, n) => {
                const shown = document.querySelector(".judge-docno").textContent, key = String(n % 4);
                document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
                return [shown, key];
            })""",
            count,
        )
    ]


def slow(seconds: float) -> Callable[[Route], None]:
    def answer(route: Route) -> None:
        if route.request.method == "POST":
            time.sleep(seconds)
        route.continue_()

    return answer


def test_fast_keys_with_a_slow_server(desk: Desk) -> None:
    desk.page.route("**/judge/**", slow(0.3))
    wanted = press_fast(desk, 10)
    assert len({docno for docno, _ in wanted}) == 10
    desk.expect_light(re.compile(r"\d+ unsent"))
    desk.expect_light("saved")
    assert desk.events() == wanted


def test_fast_keys_offline_then_online(desk: Desk) -> None:
    desk.context.set_offline(True)
    wanted = press_fast(desk, 10)
    desk.expect_light("10 unsent")
    expect(desk.page.locator("[data-done]")).to_have_text("10")
    time.sleep(1.5)
    assert desk.events() == []
    desk.context.set_offline(False)
    desk.expect_light("saved")
    assert desk.events() == wanted


@pytest.mark.parametrize("desk", [50], indirect=True)
def test_offline_to_the_end_of_a_topic_then_on_with_the_next(desk: Desk) -> None:
    """All that the page holds is judged while it is offline: what comes then is of another topic, and says so."""
    with desk.page.expect_event("requestfinished", lambda request: request.url.endswith("/judge/hold/")):
        desk.page.reload()  # now the page holds all of the topic: 30 beyond the 20 it came with
    time.sleep(0.5)
    expect(desk.page.locator(".judge-title")).to_contain_text("1")
    desk.context.set_offline(True)
    press_fast(desk, 50)
    expect(desk.page.locator("article[aria-busy]")).to_be_visible()
    desk.context.set_offline(False)
    expect(desk.page.locator("article:not([aria-busy]) .judge-docno")).to_be_visible(timeout=20_000)
    seat = Seat.objects.get(assessor=desk.assessor, item__docno=desk.shown(), item__topic__number="2")
    assert seat.judged_at is None
    expect(desk.page.locator(".judge-topic .eyebrow")).to_contain_text("Topic 2")
    desk.expect_light("saved")
    assert len(desk.events()) == 50


def test_errors_of_the_server_are_no_loss(desk: Desk) -> None:
    statuses = iter([500, 503, 429, 502])

    def fail(route: Route) -> None:
        status = next(statuses, 0) if route.request.method == "POST" else 0
        if status:
            route.fulfill(status=status, body="{}" if status != 502 else "<html>", headers={"Retry-After": "1"})
        else:
            route.continue_()

    desk.page.route("**/judge/**", fail)
    wanted = press_fast(desk, 3)
    desk.expect_light("3 unsent")
    desk.expect_light("saved")
    assert desk.events() == wanted


def test_answer_that_was_lost_makes_no_second_event(desk: Desk) -> None:
    lost: list[str] = []

    def lose(route: Route) -> None:
        if route.request.method == "POST" and len(lost) < 2:
            lost.append(route.request.post_data or "")
            route.fetch()
            route.abort()
        else:
            route.continue_()

    desk.page.route("**/judge/**", lose)
    wanted = press_fast(desk, 2)
    desk.expect_light("saved")
    assert len(lost) == 2 and desk.events() == wanted


def test_reload_keeps_what_is_unsent(desk: Desk) -> None:
    desk.page.route("**/judge/**", lambda route: route.abort() if route.request.method == "POST" else route.continue_())
    wanted = press_fast(desk, 4)
    following = desk.shown()
    desk.page.reload()
    desk.expect_light("4 unsent")
    assert desk.shown() == following  # goes on where it was, not at what the server still waits for
    desk.page.unroute("**/judge/**")
    desk.page.evaluate("dispatchEvent(new Event('online'))")
    desk.expect_light("saved")
    assert desk.events() == wanted


def test_signed_out_meanwhile(desk: Desk) -> None:
    desk.context.clear_cookies()
    wanted = press_fast(desk, 2)
    notice = desk.page.get_by_role("alert")
    expect(notice).to_contain_text("You are signed out")
    desk.expect_light("2 unsent")
    sign_in(desk.page, desk.assessor)
    desk.open()
    desk.expect_light("saved")
    assert desk.events() == wanted


def test_back_and_change(desk: Desk) -> None:
    first = desk.shown()
    desk.page.keyboard.press("1")
    second = desk.shown()
    desk.page.keyboard.press("2")
    third = desk.shown()
    desk.page.keyboard.press("b")
    assert desk.shown() == second
    expect(desk.page.get_by_role("button", name="Relevant", exact=False).locator("visible=true").nth(2)).to_have_attribute(
        "aria-pressed", "true"
    )
    desk.page.keyboard.press("ArrowLeft")
    assert desk.shown() == first
    desk.page.keyboard.press("3")
    assert desk.shown() == third  # back to where the work is
    desk.page.get_by_role("link", name="Back").click()
    assert desk.shown() == second
    desk.page.keyboard.press("ArrowRight")
    assert desk.shown() == third
    desk.expect_light("saved")
    assert desk.events() == [(first, 1), (second, 2), (first, 3)]
    desk.page.reload()
    assert desk.shown() == third
    desk.page.keyboard.press("b")  # what this page never held comes from the server
    expect(desk.page.locator(".judge-docno")).to_have_text(second)
    desk.page.keyboard.press("0")
    expect(desk.page.locator(".judge-docno")).to_have_text(third)
    desk.expect_light("saved")
    assert desk.events()[-1] == (second, 0)


def test_another_tab_is_never_overwritten_silently(desk: Desk) -> None:
    other = desk.context.new_page()
    other.goto(desk.home)
    docno = desk.shown()
    assert other.locator(".judge-docno").inner_text() == docno
    desk.page.keyboard.press("3")
    desk.expect_light("saved")
    other.keyboard.press("1")
    expect(other.get_by_role("alert")).to_contain_text("was not taken")
    expect(other.get_by_role("alert")).to_contain_text("it is now 3")
    assert desk.events() == [(docno, 3)]
    other.get_by_role("link", name="Look at it").click()
    expect(other.locator(".judge-docno")).to_have_text(docno)
    other.keyboard.press("1")
    expect(other.locator("[data-light]")).to_have_text("saved")
    assert desk.events() == [(docno, 3), (docno, 1)]


def test_keys_do_not_fire_where_they_should_not(desk: Desk) -> None:
    docno = desk.shown()
    desk.page.evaluate(
        """() => { const field = Object.assign(document.createElement("input"), {id: "probe"});
            document.querySelector(".judge-document").append(field); field.focus(); }"""
    )
    desk.page.keyboard.type("0123b?")
    expect(desk.page.locator("#probe")).to_have_value("0123b?")
    desk.page.locator(".judge-document").focus()
    for chord in ("Control+1", "Alt+1", "Meta+1"):
        desk.page.keyboard.press(chord)
    desk.page.keyboard.down("9")  # no grade has it
    assert desk.shown() == docno
    desk.page.keyboard.press("?")
    expect(desk.page.get_by_role("dialog")).to_be_visible()
    desk.page.keyboard.press("1")
    desk.page.keyboard.press("Escape")
    expect(desk.page.get_by_role("dialog")).to_be_hidden()
    assert desk.shown() == docno and desk.events() == []
    desk.page.keyboard.down("2")
    for _ in range(5):
        desk.page.keyboard.down("2")  # held down: one judgment
    desk.page.keyboard.up("2")
    desk.expect_light("saved")
    assert desk.events() == [(docno, 2)]


def test_mouse_then_space_scrolls_and_does_not_judge(desk: Desk) -> None:
    docno = desk.shown()
    desk.page.get_by_role("button", name=re.compile("Not relevant")).click()
    expect(desk.page.locator(".judge-document")).to_be_focused()
    desk.page.keyboard.press("Space")
    desk.page.keyboard.press("Enter")
    desk.expect_light("saved")
    assert desk.events() == [(docno, 0)]


def test_signing_out_with_unsent_asks_first(desk: Desk) -> None:
    desk.context.set_offline(True)
    press_fast(desk, 1)
    asked: list[str] = []

    def dismiss(dialog: object) -> None:
        asked.append(dialog.message)  # type: ignore[attr-defined]
        dialog.dismiss()  # type: ignore[attr-defined]

    desk.page.on("dialog", dismiss)
    desk.page.get_by_role("button", name="Sign out").click()
    assert asked and asked[0].startswith("1 unsent")
    desk.context.set_offline(False)
    desk.expect_light("saved")


def test_hostile_document_does_nothing(desk: Desk) -> None:
    alerts: list[str] = []

    def note(dialog: Dialog) -> None:
        alerts.append(dialog.message)
        dialog.dismiss()

    desk.page.on("dialog", note)
    names = Seat.objects.filter(assessor=desk.assessor).order_by("position").values_list("item__docno", flat=True)
    hostile = "<img src=x onerror=alert(1)><script>alert(2)</script></script><style>*{display:none}</style>"
    Document.objects.filter(docno__in=list(names[:3])).update(text=hostile, title=hostile, url="javascript:alert(3)")
    desk.page.reload()
    for _ in range(3):
        expect(desk.page.locator(".judge-text")).to_contain_text("<img src=x onerror=alert(1)>")
        assert desk.page.locator(".judge-document img, .judge-document script, .judge-document style").count() == 0
        desk.page.keyboard.press("0")
    desk.expect_light("saved")
    assert alerts == [] and len(desk.events()) == 3


def said(desk: Desk) -> list[tuple[str, str, int | None, str, str, bool]]:
    rows = JudgmentEvent.objects.filter(judgment__item__pool__collection=desk.collection).order_by("pk")
    return list(rows.values_list("judgment__item__docno", "answer", "grade", "reason", "note", "known"))


def test_other_answers_by_key(desk: Desk) -> None:
    first = desk.shown()
    desk.page.keyboard.press("c")
    desk.page.keyboard.type("1 page lost")  # a digit in a field is no grade
    desk.page.keyboard.press("Enter")
    second = desk.shown()
    desk.page.keyboard.press("l")
    third = desk.shown()
    desk.page.keyboard.press("n")
    desk.page.keyboard.type("look again")
    desk.page.keyboard.press("Control+Enter")
    assert desk.shown() == third
    desk.page.keyboard.press("k")
    desk.page.keyboard.press("3")
    fourth = desk.shown()
    desk.page.keyboard.press("u")
    assert desk.shown() == third
    expect(desk.page.locator("[data-done]")).to_have_text("1")
    desk.page.keyboard.press("2")
    assert desk.shown() == fourth and len({first, second, third, fourth}) == 4
    desk.expect_light("saved")
    assert said(desk) == [
        (first, "cannot", None, "1 page lost", "", False),
        (second, "later", None, "", "", False),
        (third, "open", None, "", "look again", False),
        (third, "open", None, "", "look again", True),
        (third, "grade", 3, "", "look again", True),
        (third, "open", None, "", "look again", True),
        (third, "grade", 2, "", "look again", True),
    ]


def test_marked_words(desk: Desk) -> None:
    """The titles of the documents say “Survey”, their texts “Second paragraph”: marked as soon as they are asked for."""
    docno, marks = desk.shown(), desk.page.locator(".judge-document mark")
    expect(marks).to_have_count(0)
    desk.page.get_by_label("Of the title, and").fill("surveys paragraphs")
    desk.page.keyboard.press("Enter")
    expect(marks).to_have_text(["Survey", "paragraph"])
    assert desk.shown() == docno
    for key, now in ((".", "Survey"), (".", "paragraph"), (".", "Survey"), (",", "paragraph")):
        desk.page.keyboard.press(key)
        expect(desk.page.locator("mark.mark-now")).to_have_text(now)
    desk.page.keyboard.press("h")
    expect(desk.page.locator(".judge-document.marks-off")).to_be_visible()
    desk.page.keyboard.press("1")
    expect(marks).to_have_count(2)  # of the next document
    desk.page.reload()
    expect(desk.page.locator(".judge-document.marks-off")).to_be_visible()
    desk.expect_light("saved")
    assert desk.events() == [(docno, 1)]


@pytest.mark.parametrize("desk", [2], indirect=True)
def test_later_comes_back_at_the_end(desk: Desk) -> None:
    shown = []
    for key in "l1111":
        expect(desk.page.locator("article:not([aria-busy]) .judge-docno")).to_be_visible()
        shown.append(desk.shown())
        desk.page.keyboard.press(key)
        desk.expect_light("saved")
    expect(desk.page.get_by_role("heading", name="All judged")).to_be_visible(timeout=20_000)
    assert len(set(shown)) == 4 and shown[0] == shown[-1]


def test_other_answers_survive_offline_and_reload(desk: Desk) -> None:
    desk.page.route("**/judge/**", lambda route: route.abort() if route.request.method == "POST" else route.continue_())
    first = desk.shown()
    desk.page.keyboard.press("k")
    desk.page.keyboard.press("2")
    second = desk.shown()
    desk.page.keyboard.press("l")
    third = desk.shown()
    desk.page.reload()
    desk.expect_light("3 unsent")
    assert desk.shown() == third
    desk.page.unroute("**/judge/**")
    desk.page.evaluate("dispatchEvent(new Event('online'))")
    desk.expect_light("saved")
    assert [(docno, answer, grade) for docno, answer, grade, *_ in said(desk)] == [
        (first, "open", None),
        (first, "grade", 2),
        (second, "later", None),
    ]


def test_without_a_database_in_the_browser(desk: Desk) -> None:
    desk.page.add_init_script("Object.defineProperty(self, 'indexedDB', {get() { throw new Error('refused'); }})")
    desk.open()
    wanted = press_fast(desk, 3)
    desk.expect_light("saved")
    assert desk.events() == wanted


def test_phone(desk: Desk) -> None:
    desk.page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    desk.page.reload()
    topic, document = desk.page.locator(".judge-topic"), desk.page.locator(".judge-document")
    expect(topic.get_by_text("Narrative")).to_be_hidden()
    topic.locator("summary").click()
    expect(topic.get_by_text("Narrative")).to_be_visible()
    topic.locator("summary").click()
    box, bar = document.bounding_box(), desk.page.locator(".judge-bar").bounding_box()
    assert box and bar and box["height"] > 250 and round(bar["y"] + bar["height"]) <= PHONE["height"]
    docno = desk.shown()
    desk.page.locator("button.grade").nth(2).click()
    desk.expect_light("saved")
    assert desk.events() == [(docno, 2)]
    look(desk.page, "judge-desk")


def test_without_script(site: Site, world: World, browser: Browser) -> None:
    collection, assessor = make_desk(world)
    context = browser.new_context(base_url=site.url, java_script_enabled=False)
    page = context.new_page()
    sign_in(page, assessor)
    page.goto("/")
    page.get_by_role("link", name=re.compile("^Judge")).click()
    first = page.locator(".judge-docno").inner_text()
    page.locator("button.grade").nth(1).click()
    expect(page.locator(".judge-docno")).not_to_have_text(first)
    page.get_by_role("link", name="Back").click()
    expect(page.locator(".judge-docno")).to_have_text(first)
    page.locator("button.grade").nth(3).click()
    expect(page.locator(".judge-count")).to_contain_text("1 / 30")
    page.locator(".judge-more summary").click()
    page.get_by_label("Reason").fill("cut off")
    page.get_by_role("button", name="Can’t judge").click()
    expect(page.locator(".judge-count")).to_contain_text("2 / 30")
    rows = JudgmentEvent.objects.filter(judgment__item__pool__collection=collection).order_by("pk")
    assert list(rows.values_list("judgment__item__docno", "grade"))[:2] == [(first, 1), (first, 3)]
    assert [row.reason for row in rows] == ["", "", "cut off"]
    context.close()
