"""The document itself: pages of HTML, passages, finding, reading, alike texts; hostile ones do nothing."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable

import pytest
from playwright.sync_api import Dialog, Locator, expect

from assess.models import JudgmentEvent, Seat
from pooling.core import extra
from pooling.core.html_text import html_text
from pooling.models import Document
from tests.assess.test_markup import HOSTILE
from tests.assess.test_reading import WRAPPED
from tests.browser.desk import Desk

pytestmark = pytest.mark.once
READING = """<h1>Eels 🐟 in spring</h1><p>Over two seasons the survey followed <b>tagged</b> smolts.</p><h2>Methods</h2>
<p>Receivers lay at the sill.<br>Eels kept to the slower water.</p>"""


def order(desk: Desk) -> list[str]:
    return list(Seat.objects.filter(assessor=desk.assessor).order_by("position").values_list("item__docno", flat=True))


def put(desk: Desk, docnos: list[str], html: str = "", text: str = "") -> None:
    Document.objects.filter(docno__in=docnos).update(html=html, text=text or html_text(html)[1])
    desk.reload()


def test_what_is_there_for_ears_alone_makes_no_page_longer(desk: Desk) -> None:
    """Documents without a title have a heading that is not seen; it stays within the pane that scrolls."""
    Document.objects.filter(docno__in=order(desk)).update(title="", text="\n\n".join(["Slow water under the bridge."] * 40))
    for address in (desk.home, f"{desk.home}many/"):
        desk.page.goto(address)
        expect(desk.page.locator(".judge[data-ready]")).to_be_visible()
        assert desk.page.evaluate("document.documentElement.scrollHeight <= innerHeight"), address


def noting(alerts: list[str]) -> Callable[[Dialog], None]:
    def note(dialog: Dialog) -> None:
        alerts.append(dialog.message)
        dialog.dismiss()

    return note


def test_hostile_document_does_nothing(desk: Desk) -> None:
    alerts: list[str] = []
    desk.page.on("dialog", noting(alerts))
    hostile = "<img src=x onerror=alert(1)><script>alert(2)</script></script><style>*{display:none}</style>"
    Document.objects.filter(docno__in=order(desk)[:3]).update(text=hostile, title=hostile, url="javascript:alert(3)")
    desk.reload()
    for _ in range(3):
        expect(desk.page.locator(".judge-text")).to_contain_text("<img src=x onerror=alert(1)>")
        assert desk.page.locator(".judge-document img, .judge-document script, .judge-document style").count() == 0
        desk.page.keyboard.press("0")
    desk.expect_light("saved")
    assert alerts == [] and len(desk.events()) == 3


def test_other_fields_are_shown_found_and_stepped_through(desk: Desk) -> None:
    """On the document with which the page came, on one that came later, and in the list; hostile ones do nothing."""
    alerts: list[str] = []
    desk.page.on("dialog", noting(alerts))
    few = extra.stored({"authors": "Tidal, A.; <img src=x onerror=alert(1)>", "year": "1958"})
    Document.objects.update(extra=few)
    many = extra.stored({f"field {n}": "an eel" for n in range(12)})
    Document.objects.filter(docno=order(desk)[1]).update(extra=many)
    desk.reload()
    page, fields = desk.page, desk.page.locator(".judge-document .judge-facts")
    expect(fields.locator("dd").first).to_have_text("Tidal, A.; <img src=x onerror=alert(1)>")
    page.keyboard.press("/")
    page.keyboard.type("1958")
    expect(page.locator(".judge-find output")).to_have_text("1")
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    page.keyboard.press("e")
    expect(page.locator("[data-why]")).to_have_text("Only the document’s text can be evidence, not its title or fields.")
    page.keyboard.press("2")
    expect(page.get_by_text("12 fields")).to_be_visible()
    expect(fields).to_be_hidden()
    page.keyboard.press("/")
    page.keyboard.type("an eel")
    page.keyboard.press("Enter")
    expect(fields).to_be_visible()  # it opens what it goes to
    page.keyboard.press("Escape")
    page.keyboard.press("1")
    expect(fields.locator("dd mark")).to_have_text("Tidal")
    for _ in range(page.locator(".judge-document h2 mark").count() + 1):
        page.keyboard.press(".")
    expect(fields.locator(".mark-now")).to_have_text("Tidal")
    page.get_by_role("link", name="List").click()
    expect(page.locator(".judge-list > li:nth-child(25) .judge-facts")).to_be_visible()  # it came later
    assert page.locator(".judge-document img").count() == 0 and alerts == []


def test_title_alone_or_none(desk: Desk) -> None:
    first, second = order(desk)[:2]
    Document.objects.filter(docno=first).update(text="")
    Document.objects.filter(docno=second).update(title="")
    desk.reload()
    article = desk.page.locator(".judge-document article")
    expect(article).to_contain_text("title only, 2 words")
    desk.page.keyboard.press("e")
    expect(desk.page.locator("[data-why]")).to_have_text("This document has no text to take a passage from.")
    desk.page.keyboard.press("2")
    expect(desk.page.locator("#say")).to_contain_text(f"document {second}")
    heading = article.get_by_role("heading", name=second)
    assert heading.bounding_box()["width"] <= 1  # type: ignore[index]


class Outside:
    """A listener on a port of its own: whoever connects to it is noted."""

    def __init__(self) -> None:
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.host, self.calls = f"127.0.0.1:{self.socket.getsockname()[1]}", 0
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        while True:
            try:
                self.socket.accept()[0].close()
            except OSError:
                return
            self.calls += 1


def test_hostile_page_runs_nothing_and_calls_nobody(desk: Desk) -> None:
    """And keys that are pressed in it judge, each document once."""
    outside, alerts, asked = Outside(), list[str](), list[str]()
    socket.create_connection(outside.socket.getsockname()).close()  # it does listen
    desk.page.on("dialog", noting(alerts))
    desk.page.on("request", lambda request: asked.append(request.url))
    put(desk, order(desk)[:3], HOSTILE.replace("out.example", outside.host))
    shown = []
    for key in "120":
        inside = desk.page.frame_locator("iframe.judge-page").locator("body")
        expect(inside).to_contain_text("One <b> two")
        inside.get_by_text("cell").click()  # the focus is in the frame now
        desk.page.wait_for_timeout(150)
        shown.append((desk.shown(), int(key)))
        desk.page.keyboard.press(key)
    desk.expect_light("saved")
    assert desk.events() == shown and alerts == []
    assert outside.calls == 1 and not [url for url in asked if outside.host in url or "sign-out" in url]
    assert desk.page.evaluate("document.forms.said.action").endswith("/")  # no name in the document hides the page's own
    outside.socket.close()


def select(inside: Locator, first: str, last: str) -> None:
    """Select from one word to another, as a hand would."""
    inside.evaluate(
        """(root, [first, last]) => {
            const doc = root.ownerDocument, walker = doc.createTreeWalker(root, 4), range = doc.createRange();
            for (let node; (node = walker.nextNode());) {
                if (node.data.includes(first)) range.setStart(node, node.data.indexOf(first));
                if (node.data.includes(last)) range.setEnd(node, node.data.indexOf(last) + last.length);
            }
            doc.getSelection().removeAllRanges();
            doc.getSelection().addRange(range);
        }""",
        [first, last],
    )


def test_a_passage_over_a_line_end_that_flows_has_its_place_in_the_text(desk: Desk) -> None:
    docno, text = order(desk)[0], "flat 🐟 in shear flow .\r\n  " + WRAPPED.replace("\n", "\r\n")
    put(desk, [docno], text=text)
    shown = desk.page.locator(".judge-text")
    expect(shown).to_have_count(2)
    assert "\n" not in shown.nth(1).inner_text()
    select(desk.page.locator(".judge-plain"), "flat plate", "studied at")
    desk.page.keyboard.press("e")
    expect(desk.page.locator(".judge-evidence li")).to_have_text(["flat plate was studied at×"])
    desk.expect_light("saved")
    start, end = map(int, JudgmentEvent.objects.get(judgment__item__docno=docno).evidence.split("-"))
    assert text[start:end] == "flat plate was\r\nstudied at"
    desk.reload()
    desk.expect_true("[...CSS.highlights.get('evidence') ?? []].join() === 'flat plate was  studied at'")


def test_passages_are_marked_in_page_and_text_and_survive_offline(desk: Desk) -> None:
    """In a page and in its text the same passage has the same place: that of the document's text."""
    first, second = order(desk)[:2]
    put(desk, [first, second], READING)
    text, page = html_text(READING)[1], desk.page.frame_locator("iframe.judge-page").locator("body")
    expect(page).to_contain_text("Receivers")
    desk.context.set_offline(True)
    select(page, "survey", "smolts.")
    desk.page.keyboard.press("e")
    chips = desk.page.locator(".judge-evidence li")
    expect(chips).to_have_text(["survey followed tagged smolts.×"])
    desk.page.keyboard.press("v")  # now as text
    select(desk.page.locator(".judge-plain"), "Receivers", "Eels kept")
    desk.page.get_by_role("button", name="Relevant passage").click()
    expect(chips).to_have_count(2)
    desk.page.keyboard.press("2")
    desk.page.keyboard.press("b")
    expect(chips).to_have_count(2)
    marked = "[...document.querySelector('iframe').contentWindow.CSS.highlights.get('evidence') ?? []].map(String)"
    desk.expect_true(f"{marked}.join('|') === 'survey followed tagged smolts.|Receivers lay at the sill.Eels kept'")
    desk.page.get_by_role("button", name="Take away the passage “survey").click()
    expect(chips).to_have_count(1)
    desk.expect_light("4 unsent")
    desk.context.set_offline(False)
    desk.expect_light("saved")
    events = list(
        JudgmentEvent.objects.filter(judgment__assessor=desk.assessor).order_by("pk").values_list("evidence", "grade")
    )
    kept = [[text[slice(*map(int, one.split("-")))] for one in words.split(",")] for words, _ in events]
    both = ["survey followed tagged smolts.", "Receivers lay at the sill.\nEels kept"]
    assert (kept, [grade for _, grade in events]) == ([both[:1], both, both, both[1:]], [None, None, 2, 2])
    desk.reload()
    desk.page.keyboard.press("b")
    expect(chips).to_have_text(["Receivers lay at the sill.Eels kept×"])
    desk.page.get_by_role("button", name="Take away").click()
    expect(chips).to_have_count(0)
    desk.page.keyboard.press("/")
    desk.page.keyboard.type("slower")
    desk.page.keyboard.press("Enter")
    desk.page.keyboard.press("Escape")
    desk.page.keyboard.press("e")  # its sentence, by keys alone
    expect(chips).to_have_text(["Eels kept to the slower water.×"])


def test_reading_a_long_page(desk: Desk) -> None:
    """Outline, find, marked words, size and width, and the place one was at; each by key, in a page as in a text."""
    page, docnos = desk.page, order(desk)
    put(desk, docnos[:2], READING.replace("</b>", "</b> " + "and more tidal water <br>" * 200))
    inside, place = page.frame_locator("iframe.judge-page").locator("body"), page.locator(".judge-document")
    top = "document.querySelector('.judge-document').scrollTop"
    expect(inside).to_contain_text("Receivers")
    page.keyboard.press("o")
    page.get_by_role("button", name="Methods").click()
    desk.expect_true(f"{top} > 2000")
    page.keyboard.press("/")
    page.keyboard.type("FOLLOWED  tagged")
    expect(page.locator(".judge-find output")).to_have_text("1")
    page.keyboard.press("Enter")
    expect(page.locator(".judge-find output")).to_have_text("1 of 1")
    desk.expect_true(f"{top} < 2000")
    page.keyboard.type("x")
    expect(page.locator(".judge-find output")).to_have_text("none")
    page.keyboard.press("Escape")
    page.keyboard.press(",")
    expect(inside.locator("mark.mark-now")).to_have_text("tidal")
    desk.expect_true(f"{top} > 1000")
    before = page.evaluate(top)
    page.keyboard.press("1")
    desk.expect_true(f"{top} === 0")
    page.keyboard.press("b")
    desk.expect_true(f"{top} === {before}")  # where one was
    desk.reload()
    page.keyboard.press("+")
    page.keyboard.press("w")
    expect(place).to_have_attribute("data-size", "1")
    desk.reload()
    expect(place).to_have_attribute("data-size", "1")
    expect(place).to_have_attribute("data-width", "1")
    desk.expect_sent()
    assert len(desk.events()) == 1


def test_a_long_text_is_where_one_left_it(desk: Desk) -> None:
    """Its paragraphs have their true heights only once they were in view: the line at the edge counts, not pixels."""
    page, docnos = desk.page, order(desk)
    lengths = [3 + 97 * (number * 7919 % 11 == 0) + number * 31 % 40 for number in range(900)]
    put(desk, docnos[:2], text="\n\n".join(f"{n}: " + "slow water " * length for n, length in enumerate(lengths)))
    line = """(() => {
        const edge = document.querySelector(".judge-document").getBoundingClientRect().top;
        const first = [...document.querySelectorAll(".judge-text")].find((one) => one.getBoundingClientRect().bottom > edge);
        return [first.dataset.at, Math.round(edge - first.getBoundingClientRect().top)];
    })()"""
    page.evaluate("document.querySelector('.judge-document').scrollTop = 41_000")
    before, offset = desk.settled(line)
    same = f"(([at, by]) => at === '{before}' && Math.abs(by - {offset}) < 3)({line})"
    page.keyboard.press("1")
    expect(page.locator(".judge-docno")).to_have_text(docnos[1])
    page.keyboard.press("b")
    expect(page.locator(".judge-docno")).to_have_text(docnos[0])
    desk.expect_true(same)
    desk.settled(line)
    assert page.evaluate(same), page.evaluate(line)
    page.keyboard.press("ArrowRight")
    expect(page.locator(".judge-docno")).to_have_text(docnos[1])
    page.evaluate("document.querySelector('.judge-document').scrollTop = 52_000")
    before, offset = desk.settled(line)
    desk.reload()
    desk.expect_true(f"(([at, by]) => at === '{before}' && Math.abs(by - {offset}) < 3)({line})")


def test_a_long_page_is_where_one_left_it(desk: Desk) -> None:
    """As a long text is; and what is sought far below comes into view."""
    page, docnos = desk.page, order(desk)
    lengths = [3 + 97 * (number * 7919 % 11 == 0) + number * 31 % 40 for number in range(900)]
    put(desk, docnos[:1], html="".join(f"<p>{n}: {'slow water ' * length}</p>" for n, length in enumerate(lengths)))
    seen = """(() => {
        const frame = document.querySelector("iframe.judge-page"), edge = document.querySelector(".judge-document").getBoundingClientRect().top;
        const box = (one) => { const {top, bottom} = one.getBoundingClientRect(), above = frame.getBoundingClientRect().top; return [top + above, bottom + above]; };
        const first = [...frame.contentDocument.querySelectorAll("p")].find((one) => box(one)[1] > edge);
        return first ? [parseInt(first.textContent), Math.round(edge - box(first)[0])] : null;
    })()"""
    expect(page.frame_locator("iframe.judge-page").locator("html.long p").first).to_contain_text("0: slow")
    page.evaluate("document.querySelector('.judge-document').scrollTop = 41_000")
    before, offset = desk.settled(seen)
    assert before > 100
    page.keyboard.press("1")
    expect(page.locator(".judge-docno")).to_have_text(docnos[1])
    page.keyboard.press("b")
    expect(page.locator(".judge-docno")).to_have_text(docnos[0])
    desk.expect_true(f"((it) => it && it[0] === {before} && Math.abs(it[1] - {offset}) < 3)({seen})")
    page.keyboard.press("/")
    page.keyboard.type("880: slow")
    page.keyboard.press("Enter")
    desk.expect_true(f"((it) => it && it[0] > 870 && it[0] <= 880)({seen})")


def test_passages_of_a_long_page_once_its_text_came(desk: Desk) -> None:
    """Its text comes behind it, and again where the connection was lost; the page says so meanwhile."""
    page, (first, second) = desk.page, order(desk)[:2]
    html = "".join(f"<p>{n}: slow  🐟 water {'and more ' * 12}</p>" for n in range(1500))
    page.route("**/text/", lambda route: route.abort())
    put(desk, [first], html=html)
    inside, row = page.frame_locator("iframe.judge-page").locator("body"), page.locator(".judge-evidence")
    expect(inside).to_contain_text("1499: slow")
    select(inside, "1200: slow", "1200: slow  🐟 water")
    page.keyboard.press("e")
    expect(row).to_contain_text("The document’s text is on its way")
    expect(row.get_by_role("button", name="Relevant passage")).to_be_hidden()
    page.unroute("**/text/")
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(row.get_by_role("button", name="Relevant passage")).to_be_visible()
    page.keyboard.press("e")
    expect(row.locator("li")).to_have_text(["1200: slow 🐟 water×"])
    page.keyboard.press("v")
    desk.expect_true("String([...CSS.highlights.get('evidence')][0]) === '1200: slow 🐟 water'")
    page.keyboard.press("1")
    expect(page.locator(".judge-docno")).to_have_text(second)
    desk.context.set_offline(True)
    page.keyboard.press("b")  # the text that came is there, too
    expect(row.locator("li")).to_have_text(["1200: slow 🐟 water×"])
    desk.context.set_offline(False)
    desk.expect_light("saved")
    text, spans = html_text(html)[1], JudgmentEvent.objects.filter(judgment__assessor=desk.assessor).values_list("evidence")
    assert {text[slice(*map(int, words.split("-")))] for (words,) in spans} == {"1200: slow 🐟 water"}


def test_alike_text_is_pointed_out_with_own_grade(desk: Desk) -> None:
    docnos = order(desk)[:3]
    put(desk, docnos[1:2], text="Something else, about wave power and its cables on the bed of the sea.")
    put(desk, [docnos[0], docnos[2]], text=" ".join(f"Eel number {n} went down the river." for n in range(50)))
    line = desk.page.locator(".judge-alike")
    with desk.page.expect_response("**/alike/**"):
        desk.reload()
    expect(line).to_be_hidden()
    desk.context.set_offline(True)  # it is known already which are alike
    desk.page.keyboard.press("3")
    desk.page.keyboard.press("0")
    expect(line).to_have_text(f"The same text as {docnos[0]}, which you judged 3 Highly relevant")
    desk.context.set_offline(False)
    desk.expect_light("saved")


def test_keys_can_be_others(desk: Desk) -> None:
    page, first = desk.page, desk.shown()
    page.keyboard.press("?")
    expect(page.locator("#keys-title")).to_be_focused()
    page.get_by_role("button", name="3 change").click()
    page.keyboard.press("b")
    expect(page.locator("#keys-said")).to_contain_text("b is taken, for “Back”")
    page.keyboard.press("x")
    expect(page.locator("#keys-said")).to_contain_text("“Highly relevant” is x now")
    page.keyboard.press("Escape")
    page.keyboard.press("3")
    assert desk.shown() == first
    page.keyboard.press("x")
    desk.expect_light("saved")
    desk.reload()
    second = desk.shown()
    page.keyboard.press("x")
    desk.expect_light("saved")
    assert desk.events() == [(first, 3), (second, 3)]
    expect(page.locator("button.grade kbd")).to_have_text(["0", "1", "2", "x"])
