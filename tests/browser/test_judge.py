"""Judging in a real Chromium: by keys, back and changed, other answers, marked words, on a phone, without script."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, expect

from assess.models import JudgmentEvent, Seat
from pooling.models import Topic
from pooling.services import collections
from tests.browser.desk import Desk, make_desk, said
from tests.browser.look import PHONE, look
from tests.browser.world import GUIDELINES
from tests.chromium import sign_in
from tests.site import Site

pytestmark = pytest.mark.once


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
    expect(desk.page).to_have_title(re.compile(r"^Topic 2 · Judge · Judging desk"))
    seconds = JudgmentEvent.objects.filter(judgment__assessor=desk.assessor).values_list("seconds", flat=True)
    assert all(value is not None and 0 <= value < 60 for value in seconds)


def test_topic_and_document_begin_on_one_line_with_what_changes_the_view(desk: Desk) -> None:
    middles = """() => [".judge-topic .eyebrow", ".judge-document article > .eyebrow", ".judge-looks > summary"].map(one => {
        const box = document.querySelector(one).getBoundingClientRect();
        return box.y + box.height / 2;
    })"""
    topic, number, view = desk.page.evaluate(middles)
    assert abs(topic - number) <= 2 and abs(number - view) <= 2
    desk.page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    _topic, number, view = desk.page.evaluate(middles)
    assert abs(number - view) <= 3
    desk.page.locator(".judge-looks > summary").click()
    _topic, number, view = desk.page.evaluate(middles)
    assert number > view + 40  # what is open has lines of its own


def test_to_the_end(desk: Desk) -> None:
    for _ in range(30):
        expect(desk.page.locator("article:not([aria-busy]) .judge-docno")).to_be_visible()  # faster than the server, one waits
        desk.page.keyboard.press("1")
    expect(desk.page.get_by_role("heading", name="All judged")).to_be_visible(timeout=60_000)
    assert len(desk.events()) == 30


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
    desk.reload()
    ready = desk.page.locator(".judge[data-ready] .judge-docno")  # keys are read from then on
    expect(ready).to_have_text(third)
    desk.page.keyboard.press("b")  # what this page never held comes from the server
    expect(ready).to_have_text(second)
    desk.page.keyboard.press("0")
    expect(desk.page.locator(".judge-docno")).to_have_text(third)
    desk.expect_light("saved")
    assert desk.events()[-1] == (second, 0)


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


def test_what_is_typed_stays_with_its_document(desk: Desk) -> None:
    """Whatever one does instead of saying it: back, on, to one's topics and again here, a reload, later."""
    page, note, reason = desk.page, desk.page.locator("[name=note]"), desk.page.locator("input[name=reason]")
    page.keyboard.press("1")
    second = desk.shown()
    page.keyboard.press("n")
    page.keyboard.type("half a thought")
    page.keyboard.press("Escape")
    expect(page.locator(".judge-said")).to_have_text("note typed, not yet sent")
    page.keyboard.press("b")
    expect(note).to_have_value("")
    page.keyboard.press("ArrowRight")
    assert desk.shown() == second
    expect(note).to_have_value("half a thought")
    expect(page.locator(".judge-said")).to_have_text("note typed, not yet sent")
    with page.expect_navigation():
        page.keyboard.press("j")
    desk.open()
    expect(note).to_have_value("half a thought")
    page.keyboard.press("c")
    page.keyboard.type("blurred")
    desk.reload()
    expect(reason).to_have_value("blurred")
    page.keyboard.press("l")
    expect(page.locator(".judge-docno")).not_to_have_text(second)
    expect(note).to_have_value("")
    page.keyboard.press("b")
    expect(page.locator(".judge-said")).to_have_text("put off, reason typed, not yet sent")
    page.keyboard.press("3")
    page.keyboard.press("b")
    expect(reason).to_have_value("")  # it has a grade now
    desk.expect_light("saved")
    kept = [("grade", 1, "", ""), ("later", None, "", "half a thought"), ("grade", 3, "", "half a thought")]
    assert [(answer, grade, why, words) for _, answer, grade, why, words, _ in said(desk)] == kept
    assert page.evaluate("Object.keys(localStorage).filter(key => key.startsWith('draft:'))") == []


def test_a_reason_is_asked_for(desk: Desk) -> None:
    page, told, reason = (
        desk.page,
        desk.page.get_by_role("alert").get_by_text("needs a reason"),
        desk.page.get_by_label("Reason"),
    )
    docno = desk.shown()
    page.keyboard.press("c")
    expect(told).to_be_hidden()
    for typed in ("", "  "):
        page.keyboard.type(typed)
        page.keyboard.press("Enter")
        expect(told).to_be_visible()
        expect(reason).to_be_focused()
        expect(reason).to_have_attribute("aria-invalid", "true")
    page.keyboard.type("cut off")
    expect(told).to_be_hidden()
    page.keyboard.press("Enter")
    desk.expect_light("saved")
    assert [row[:4] for row in said(desk)] == [(docno, "cannot", None, "cut off")]


def test_the_topic_stays_as_it_was_when_words_are_marked(desk: Desk) -> None:
    """On a phone it is folded until one unfolds it; its field is below its text, where one scrolls to."""
    page, topic = desk.page, desk.page.locator(".judge-topic")
    page.set_viewport_size({"width": 360, "height": 740})
    Topic.objects.filter(collection=desk.collection).update(narrative="Say why. " * 80)
    desk.reload()
    expect(topic).not_to_have_attribute("open", "")
    topic.locator("summary").click()
    page.get_by_label("Also mark these words").fill("surveys")
    expect(topic).to_have_css("mask-image", "none")  # what one types in does not fade out
    expect(page.get_by_label("Also mark these words")).to_be_in_viewport(ratio=1)
    before = desk.settled("document.querySelector('.judge-topic').scrollTop")
    page.keyboard.press("Enter")
    expect(page.locator(".judge-document mark")).to_have_text(["Survey"])
    expect(topic).to_have_attribute("open", "")
    expect(page.get_by_label("Also mark these words")).to_be_in_viewport()
    assert before > 100 and desk.settled("document.querySelector('.judge-topic').scrollTop") == before
    topic.evaluate("one => one.scrollTo(0, 0)")
    topic.locator("summary").click()
    desk.reload()
    expect(topic).not_to_have_attribute("open", "")


# How far the words after a mark move when it is taken away.
BESIDE = """mark => {
    const line = mark.parentElement, told = new Range(), where = () => {
        const last = document.createTreeWalker(line, 4);
        while (last.nextNode());
        told.selectNodeContents(last.currentNode);
        return told.getBoundingClientRect().right;
    };
    const before = where(), words = document.createTextNode(mark.textContent);
    mark.replaceWith(words);
    const after = where();
    words.replaceWith(mark);
    return after - before;
}"""


def test_marked_words(desk: Desk) -> None:
    """The titles of the documents say “Survey”, their texts “Second paragraph”: marked as soon as they are asked for."""
    docno, marks = desk.shown(), desk.page.locator(".judge-document mark")
    expect(marks).to_have_count(0)
    desk.page.get_by_label("Also mark these words").fill("surveys paragraphs")
    desk.page.keyboard.press("Enter")
    expect(marks).to_have_text(["Survey", "paragraph"])
    assert desk.shown() == docno
    assert marks.last.evaluate(BESIDE) == pytest.approx(0, abs=0.1)  # it moves nothing, whether it is seen or not
    for key, now in ((".", "Survey"), (".", "paragraph"), (".", "Survey"), (",", "paragraph")):
        desk.page.keyboard.press(key)
        expect(desk.page.locator("mark.mark-now")).to_have_text(now)
    chips, line = desk.page.locator(".judge-evidence li"), desk.page.locator("#say")
    desk.page.keyboard.press("e")  # where one stands, without a mouse
    expect(chips).to_have_text([re.compile("^Second paragraph")])
    desk.page.keyboard.press("e")
    expect(line).to_have_text(re.compile("^Select a passage"))
    desk.page.keyboard.press(".")
    desk.page.keyboard.press("e")
    expect(line).to_have_text(re.compile("not its title or fields"))
    desk.page.get_by_role("button", name="Take away").click()
    expect(chips).to_have_count(0)
    desk.page.keyboard.press("h")
    expect(desk.page.locator(".judge-document.marks-off")).to_be_visible()
    desk.page.keyboard.press("1")
    expect(marks).to_have_count(2)  # of the next document
    early = "getSelection().selectAllChildren(document.body); document.dispatchEvent(new Event('selectionchange'))"
    desk.page.add_init_script(f"addEventListener('DOMContentLoaded', () => {{ {early} }})")  # as when a browser goes back
    desk.reload()
    expect(desk.page.locator(".judge-document.marks-off")).to_be_visible()
    desk.expect_sent()
    assert desk.events() == [(docno, None), (docno, None), (docno, 1)]  # a passage, taken away, a grade


@pytest.mark.parametrize("desk", [2], indirect=True)
def test_later_comes_back_at_the_end(desk: Desk) -> None:
    shown = []
    for key in "l1111":
        expect(desk.page.locator("article:not([aria-busy]) .judge-docno")).to_be_visible()
        shown.append(desk.shown())
        desk.page.keyboard.press(key)
        desk.expect_sent()
    expect(desk.page.get_by_role("heading", name="All judged")).to_be_visible(timeout=60_000)
    assert len(set(shown)) == 4 and shown[0] == shown[-1]


def test_phone(desk: Desk) -> None:
    desk.page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    desk.reload()
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
    desk.page.locator(".judge-more summary").click()
    desk.page.set_viewport_size({"width": 360, "height": 640})
    box = document.bounding_box()
    assert box and box["height"] >= 150, box  # also while one writes
    desk.page.locator(".judge-more summary").click()
    look(desk.page, "judge-desk")
    for width, height in ((683, 384), (740, 360), (640, 400)):  # a laptop at 200 %, a phone on its side
        desk.page.set_viewport_size({"width": width, "height": height})
        desk.reload()
        box, bar = document.bounding_box(), desk.page.locator(".judge-bar").bounding_box()
        assert box and bar and box["height"] >= 200 and bar["y"] >= box["y"] + box["height"] - 1
        assert document.evaluate(
            "box => box.contains(document.elementFromPoint(box.getBoundingClientRect().x + 40, innerHeight / 2 + 40))"
        )
        desk.page.locator("button.grade").nth(1).scroll_into_view_if_needed()
        desk.page.locator("button.grade").nth(1).click()
        expect(document).to_be_in_viewport(ratio=1)  # the next one, whole


def test_guidelines_are_read_beside_the_document(desk: Desk) -> None:
    """Nothing of the document is covered, one stays where one was, and keys of the page do nothing in the panel."""
    page, document, panel = desk.page, desk.page.locator(".judge-document"), desk.page.get_by_role("dialog", name="Guidelines")
    organizer = desk.collection.created_by
    collections.write_guideline(desk.collection, by=organizer, text=GUIDELINES)
    docno = desk.shown()
    page.keyboard.press("g")
    expect(panel.get_by_text("the tenth good report")).to_be_visible()
    expect(panel.get_by_role("region", name="Guidelines")).to_be_focused()  # arrows and space scroll it
    text, beside = document.bounding_box(), panel.bounding_box()
    assert text and beside and text["width"] > 350 and text["x"] + text["width"] <= beside["x"] + 1
    look(page, "judge-guidelines")
    page.keyboard.press("2")
    assert (desk.shown(), desk.events()) == (docno, [])
    document.click()
    page.keyboard.press("2")  # both are in view: one judges, and they stay
    expect(page.locator(".judge-docno")).not_to_have_text(docno)
    desk.expect_light("saved")
    assert desk.events() == [(docno, 2)]
    collections.write_guideline(desk.collection, by=organizer, text="Take the lower grade.")
    desk.reload()
    expect(panel.get_by_text("Take the lower grade.")).to_be_visible()  # also after a reload, as they are now
    expect(document).to_be_focused()
    for opens, closes in (("g", "g"), ("g", "Escape"), ("link", "button")):
        page.keyboard.press("Escape")
        expect(panel).to_be_hidden()
        page.get_by_role("link", name="Guidelines").click() if opens == "link" else page.keyboard.press(opens)
        expect(panel).to_be_visible()
        panel.get_by_role("button", name="Close").click() if closes == "button" else page.keyboard.press(closes)
        expect(panel).to_be_hidden()
        expect(page.get_by_role("link", name="Guidelines") if opens == "link" else document).to_be_focused()
    assert page.url.endswith(desk.home)


def test_guidelines_are_a_sheet_on_a_phone(desk: Desk) -> None:
    collections.write_guideline(desk.collection, by=desk.collection.created_by, text=GUIDELINES)
    desk.page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    desk.reload()
    docno, panel = desk.shown(), desk.page.get_by_role("dialog", name="Guidelines")
    desk.page.get_by_role("link", name="Guidelines").click()
    expect(panel.get_by_text("the tenth good report")).to_be_visible()
    box = panel.bounding_box()
    assert box and (box["x"], box["width"], round(box["y"] + box["height"])) == (0, PHONE["width"], PHONE["height"])
    desk.page.keyboard.press("1")  # the document is covered: nobody judges it
    desk.page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    desk.page.get_by_role("link", name="Guidelines").click()
    panel.get_by_role("button", name="Close").click()
    expect(panel).to_be_hidden()
    assert (desk.shown(), desk.events()) == (docno, [])


def test_guidelines_that_do_not_come_are_told_and_nothing_is_lost(desk: Desk) -> None:
    docno, panel = desk.shown(), desk.page.get_by_role("dialog", name="Guidelines")
    desk.page.keyboard.press("g")
    expect(panel.get_by_text("The organizers have not written any.")).to_be_visible()
    desk.page.keyboard.press("g")
    desk.reload()
    desk.context.set_offline(True)
    desk.page.keyboard.press("g")
    expect(panel.get_by_text("The guidelines did not come.")).to_be_visible()
    desk.page.keyboard.press("Escape")
    desk.page.keyboard.press("1")
    desk.context.set_offline(False)
    desk.expect_light("saved")
    assert desk.events() == [(docno, 1)]


def test_without_script(site: Site, browser: Browser) -> None:
    collection, assessor = make_desk()
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
    expect(page.locator(".judge-count")).to_contain_text("1 of 30")
    page.locator(".judge-more summary").click()
    page.get_by_label("Reason").fill("cut off")
    page.get_by_role("button", name="Can’t judge").click()
    expect(page.locator(".judge-count")).to_contain_text("2 of 30")
    rows = JudgmentEvent.objects.filter(judgment__item__pool__collection=collection).order_by("pk")
    assert list(rows.values_list("judgment__item__docno", "grade"))[:2] == [(first, 1), (first, 3)]
    assert [row.reason for row in rows] == ["", "", "cut off"]
    context.close()


# A clock that goes only when it is told to.
CLOCK = """let now = 0, state = "visible";
performance.now = () => now;
self.pass = (seconds) => { now += 1000 * seconds; };
Object.defineProperty(document, "visibilityState", {get: () => state});
self.turn = (shown) => { state = shown; document.dispatchEvent(new Event("visibilitychange")); };"""


def test_only_active_seconds_count(desk: Desk) -> None:
    """Not while the page is hidden, and no longer than a minute after somebody last moved."""
    desk.page.add_init_script(CLOCK)
    desk.open()
    desk.page.evaluate("pass(10); turn('hidden'); pass(3600); turn('visible'); pass(5)")
    desk.page.keyboard.press("1")
    desk.page.evaluate("pass(600)")  # away from the desk
    desk.page.keyboard.press("2")
    desk.page.evaluate("pass(50)")
    desk.page.mouse.move(400, 300)
    desk.page.evaluate("pass(40)")
    desk.page.keyboard.press("3")
    desk.expect_light("saved")
    rows = JudgmentEvent.objects.filter(judgment__item__pool__collection=desk.collection).order_by("pk")
    assert list(rows.values_list("seconds", flat=True)) == [15, 60, 90]


def test_document_that_one_comes_back_to_by_its_address_is_announced(desk: Desk) -> None:
    page = desk.page
    page.keyboard.press("3")
    desk.expect_light("saved")
    desk.reload()
    with page.expect_navigation():
        page.keyboard.press("b")
    expect(page.locator("#say")).to_have_text(re.compile(r"^Topic \d, document .+, graded 3 Highly relevant$"))


def test_escape_leaves_the_field_and_then_closes_the_drawer(desk: Desk) -> None:
    page, more = desk.page, desk.page.locator(".judge-more")
    page.keyboard.press("n")
    page.keyboard.type("A note")
    page.keyboard.press("Escape")
    expect(page.locator(".judge-document")).to_be_focused()
    expect(more).to_have_attribute("open", "")
    page.keyboard.press("Escape")
    expect(more).not_to_have_attribute("open", "")
    more.locator("summary").click()
    page.keyboard.press("Escape")
    expect(more).not_to_have_attribute("open", "")
    expect(page.locator(".judge-document")).to_be_focused()


@pytest.mark.parametrize("width", [1280, 700])
def test_tab_goes_through_the_bar_as_it_is_seen(desk: Desk, width: int) -> None:
    page = desk.page
    page.set_viewport_size({"width": width, "height": 900})
    page.keyboard.press("2")
    for opened in (False, True):
        page.locator(".judge-more").evaluate("(fold, opened) => { fold.open = opened }", opened)
        places = page.locator(".judge-bar :is(a, button, summary):visible").evaluate_all(
            "all => all.map(one => one.getBoundingClientRect()).map(box => [Math.round(box.bottom / 20), Math.round(box.x)])"
        )
        assert places == sorted(places)


def test_each_change_is_announced(desk: Desk) -> None:
    """To those who hear the page: what was done, and which document is there now."""
    page, line = desk.page, desk.page.locator("#say")
    expect(line).to_have_attribute("role", "status")

    def titled() -> str:
        return page.locator(".judge-document h2").inner_text()

    first = titled()
    page.keyboard.press("2")
    expect(line).to_have_text(re.compile(rf"^Graded 2 .+\. Topic \d, document {re.escape(titled())}$"))
    page.keyboard.press("b")
    expect(line).to_have_text(re.compile(rf"^Back\. Topic \d, document {re.escape(first)}, graded 2 Relevant$"))
    page.keyboard.press("u")
    expect(line).to_have_text(re.compile(rf"^Undone: graded 2 Relevant\. Topic \d, document {re.escape(first)}, not judged$"))
    page.keyboard.press("l")
    expect(line).to_have_text(re.compile(rf"^Put off\. Topic \d, document {re.escape(titled())}$"))
    for key, words in (
        ("k", "Known to me"),
        ("k", "Not known to me"),
        ("t", "Topic folded"),
        ("t", "Topic unfolded"),
        ("h", "Words are not marked"),
        ("h", "Words are marked"),
        (".", "No marked word"),
    ):
        page.keyboard.press(key)
        expect(line).to_have_text(words)
    for key, words in (
        ("+", "Larger text"),
        ("-", "Normal text"),
        ("w", "Wide"),
        ("o", "No headings"),
        ("v", "This document is text alone"),
    ):
        page.keyboard.press(key)
        expect(line).to_have_text(words)
