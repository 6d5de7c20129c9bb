"""Nothing is lost: fast keys, slow or failing server, offline, reload, signed out, another tab."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from assess.models import Seat
from assess.services import judging
from pooling.models import Role
from tests import browser_setup, factories
from tests.browser.desk import Desk, make_desk, press_fast, said
from tests.chromium import FLAGS, sign_in, sign_in_by_form
from tests.site import Site


def slow(seconds: float) -> Callable[[Route], None]:
    def answer(route: Route) -> None:
        if route.request.method == "POST":
            time.sleep(seconds)
        route.continue_()

    return answer


def hold_first(desk: Desk) -> list[Route]:
    """The first that the page sends stays on its way, and is listed once it is there."""
    held: list[Route] = []

    def hold(route: Route) -> None:
        if route.request.method == "POST" and not held:
            held.append(route)
        else:
            route.continue_()

    desk.page.route("**/judge/**", hold)
    return held


def sign_out(page: Page, *, lost: str, answer: str) -> None:
    """Sign out, read what would be lost, and answer by the name of a button."""
    page.get_by_role("button", name="Sign out").click()
    question = page.get_by_role("dialog", name="Sign out and lose what was not saved?")
    expect(question).to_contain_text(f"Signing out drops what is in this browser alone: {lost}.")
    question.get_by_role("button", name=answer).click()


def test_fast_keys_with_a_slow_server(desk: Desk) -> None:
    desk.page.route("**/judge/**", slow(0.3))
    wanted = press_fast(desk, 10)
    assert len({docno for docno, _ in wanted}) == 10
    desk.expect_light(re.compile(r"\d+ unsent"))
    desk.expect_light("saved")
    assert desk.events() == wanted


@pytest.mark.once
def test_light_says_sending_before_saved(desk: Desk) -> None:
    """From the first moment it is there; and nothing is called saved before the server has answered, be it after three seconds."""
    desk.expect_light("saved")
    desk.watch_light()
    held = hold_first(desk)
    wanted = press_fast(desk, 1)
    desk.expect_light("sending")
    for _ in range(200):  # the word stands from the key on, before the request is on its way
        if held:
            break
        desk.page.wait_for_timeout(50)
    assert (len(held), desk.events()) == (1, [])
    wanted += press_fast(desk, 1)
    desk.page.wait_for_timeout(3000)
    assert (len(held), desk.told()) == (1, ["sending", "2 unsent"])
    held[0].continue_()
    desk.expect_light("saved")
    assert desk.events() == wanted
    assert desk.told() == ["sending", "2 unsent", "sending", "saved"]


@pytest.mark.once
def test_line_that_hangs_is_given_up_when_the_browser_is_online_again(desk: Desk) -> None:
    held = hold_first(desk)
    wanted = press_fast(desk, 3)
    desk.expect_light("3 unsent")
    for _ in range(200):
        if held:
            break
        desk.page.wait_for_timeout(50)
    desk.page.evaluate("dispatchEvent(new Event('online'))")
    desk.expect_saved_in_time()
    assert desk.events() == wanted


@pytest.mark.once
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


@pytest.mark.once
@pytest.mark.parametrize("desk", [50], indirect=True)
def test_offline_to_the_end_of_a_topic_then_on_with_the_next(desk: Desk) -> None:
    """All that the page holds is judged while it is offline: what comes then is of another topic, and says so."""
    with desk.page.expect_request(lambda request: "/alike/" in request.url and request.url.count(",") == 49):
        desk.reload()  # now the page holds all of the topic, 30 beyond the 20 it came with, and asks what is alike among them
    expect(desk.page.locator(".judge-topic .eyebrow")).to_contain_text("Topic 1")
    desk.context.set_offline(True)
    assert len(press_fast(desk, 50)) == 50
    expect(desk.page.locator("article[aria-busy]")).to_be_visible()
    desk.context.set_offline(False)
    expect(desk.page.locator("article:not([aria-busy]) .judge-docno")).to_be_visible(timeout=20_000)
    seat = Seat.objects.get(assessor=desk.assessor, item__docno=desk.shown(), item__topic__number="2")
    assert seat.judged_at is None
    expect(desk.page.locator(".judge-topic .eyebrow")).to_contain_text("Topic 2")
    desk.expect_light("saved")
    assert len(desk.events()) == 50


@pytest.mark.once
def test_errors_of_the_server_are_no_loss(desk: Desk) -> None:
    statuses = iter([500, 503, 429, 502])

    def fail(route: Route) -> None:
        status = next(statuses, 0) if route.request.method == "POST" else 0
        if status:
            route.fulfill(status=status, body="{}" if status != 502 else "<html>", headers={"Retry-After": "1"})
        else:
            route.continue_()

    desk.page.route("**/judge/**", fail)
    desk.expect_light("saved")
    desk.watch_light()
    wanted = press_fast(desk, 3)
    desk.expect_light("3 unsent")
    desk.expect_light("saved")
    assert desk.events() == wanted
    assert desk.told() == ["3 unsent", "2 unsent", "sending", "saved"]


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


@pytest.mark.once
@pytest.mark.parametrize(
    ("first", "told"), [("0", "All is answered; what is unsent goes out"), ("l", "The next document comes")]
)
def test_the_last_document_answered_offline_is_told(desk: Desk, first: str, told: str) -> None:
    """One that is put off is still to come."""
    expect(desk.page.locator("[data-total]")).to_have_text("30")
    press_fast(desk, 28)
    desk.expect_light("saved")
    desk.context.set_offline(True)
    desk.page.keyboard.press(first)
    wanted = press_fast(desk, 9)
    expect(desk.page.locator("article")).to_have_text(f"{told} as soon as the connection is back.")
    expect(desk.page.locator(".judge-said")).to_have_text("")
    desk.context.set_offline(False)
    expect(desk.page.locator("article[aria-busy]")).to_have_count(
        0
    )  # the one that was put off, or the page of who has judged all
    assert desk.events()[-1:] == wanted


@pytest.mark.once
def test_reload_keeps_what_is_unsent(desk: Desk) -> None:
    desk.page.route("**/judge/**", lambda route: route.abort() if route.request.method == "POST" else route.continue_())
    wanted = press_fast(desk, 4)
    following = desk.shown()
    desk.reload()
    desk.expect_light("4 unsent")
    assert desk.shown() == following  # goes on where it was, not at what the server still waits for
    desk.page.unroute("**/judge/**")
    desk.page.evaluate("dispatchEvent(new Event('online'))")
    desk.expect_light("saved")
    assert desk.events() == wanted


@pytest.mark.once
def test_page_that_was_made_before_a_judgment_arrived_knows_of_it(desk: Desk) -> None:
    held = hold_first(desk)
    wanted = press_fast(desk, 1)
    following = desk.shown()
    for _ in range(200):
        if held:
            break
        desk.page.wait_for_timeout(50)

    def late(route: Route) -> None:
        made = route.fetch()
        held[0].continue_()
        time.sleep(1)  # the page that is left gets its answer
        route.fulfill(response=made)

    desk.page.route(re.compile("/judge/$"), late)
    desk.reload()
    desk.expect_light("saved")
    assert (desk.shown(), desk.events()) == (following, wanted)
    wanted += press_fast(desk, 1)
    desk.expect_light("saved")
    assert desk.events() == wanted
    expect(desk.page.locator("[data-done]")).to_have_text("2")


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


@pytest.mark.once
def test_another_tab_is_never_overwritten_silently(desk: Desk) -> None:
    other = desk.context.new_page()
    other.goto(desk.home)
    docno = desk.shown()
    expect(other.locator(".judge[data-ready] .judge-docno")).to_have_text(docno)
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


@pytest.mark.once
def test_signing_out_with_unsent_asks_first(desk: Desk) -> None:
    desk.lose_judgments()
    press_fast(desk, 1)
    sign_out(desk.page, lost="1 judgment that is not sent", answer="Cancel")
    expect(desk.page.get_by_role("dialog")).to_be_hidden()
    desk.lose_none()
    desk.expect_light("saved")


@pytest.mark.once
def test_signing_out_offline_waits(desk: Desk) -> None:
    desk.context.set_offline(True)
    wanted = press_fast(desk, 1)
    desk.page.get_by_role("button", name="Sign out").click()
    later = desk.page.get_by_role("dialog", name="There is no connection")
    expect(later).to_contain_text("Nothing is dropped.")
    later.get_by_role("button", name="Close").click()
    desk.context.set_offline(False)
    desk.expect_light("saved")
    assert desk.events() == wanted


@pytest.mark.once
def test_nothing_is_dropped_until_one_is_signed_out(desk: Desk) -> None:
    """The site is away, though the browser does not know it."""
    desk.lose_judgments()
    wanted = press_fast(desk, 1)
    desk.page.route("**/sign-out/", lambda route: route.abort())
    with desk.page.expect_event("requestfailed", lambda request: "/sign-out/" in request.url):
        sign_out(desk.page, lost="1 judgment that is not sent", answer="Sign out")
    desk.lose_none()
    desk.open()
    desk.expect_saved_in_time()
    assert desk.events() == wanted


@pytest.mark.once
@pytest.mark.parametrize("elsewhere", [False, True])
def test_signing_out_all_the_same_drops_what_is_unsent(desk: Desk, elsewhere: bool) -> None:
    """From the judging page or any other, where no answer but yes signs out."""
    desk.lose_judgments()
    first = desk.shown()
    press_fast(desk, 2)
    desk.expect_light("2 unsent")
    if elsewhere:
        desk.page.goto(f"/c/{desk.collection.slug}/")
        sign_out(desk.page, lost="2 judgments that are not sent", answer="Cancel")
        assert desk.page.url.endswith(f"/c/{desk.collection.slug}/")
    sign_out(desk.page, lost="2 judgments that are not sent", answer="Sign out")
    expect(desk.page.get_by_role("button", name="Sign in")).to_be_visible()
    desk.lose_none()
    sign_in(desk.page, desk.assessor)
    desk.open()
    desk.expect_light("saved")
    assert (desk.shown(), desk.events()) == (first, [])


@pytest.mark.once
def test_what_is_unsent_is_dropped_though_the_next_page_is_left_at_once(desk: Desk) -> None:
    """Its database has not answered by then; the page after it is the same person's again."""
    desk.lose_judgments()
    press_fast(desk, 1)
    desk.expect_light(re.compile("unsent|sending"))
    desk.page.add_init_script(f'if (location.pathname !== "{desk.home}") IDBFactory.prototype.open = () => ({{}})')
    sign_out(desk.page, lost="1 judgment that is not sent", answer="Sign out")
    expect(desk.page.get_by_role("button", name="Sign in")).to_be_visible()
    desk.lose_none()
    sign_in(desk.page, desk.assessor)
    desk.open()
    desk.expect_true("sessionStorage.getItem('assize.left') === null")
    desk.expect_light("saved")
    assert desk.events() == []


@pytest.mark.once
@pytest.mark.parametrize("elsewhere", [False, True])
def test_signing_out_asks_about_a_note_that_was_typed(desk: Desk, elsewhere: bool) -> None:
    desk.page.keyboard.press("n")
    desk.page.keyboard.type("a thought")
    if elsewhere:
        desk.page.goto(f"/c/{desk.collection.slug}/")
    sign_out(desk.page, lost="1 text that is not saved", answer="Sign out")
    expect(desk.page.get_by_role("button", name="Sign in")).to_be_visible()
    sign_in(desk.page, desk.assessor)
    desk.open()
    desk.page.keyboard.press("n")
    expect(desk.page.get_by_label("Note")).to_have_value("")


KEPT = """() => new Promise((resolve) => {
    const asked = indexedDB.open(`assize.unsent.${document.querySelector("[data-user]").dataset.user}`);
    asked.onsuccess = () => {
        const found = asked.result.transaction("acts").objectStore("acts").count();
        found.onsuccess = () => { asked.result.close(); resolve(found.result); };
    };
})"""  # how many acts the browser's database holds


@pytest.mark.once
def test_browser_that_was_closed_keeps_what_is_unsent(site: Site, browser: Browser, tmp_path: Path) -> None:
    collection, assessor = make_desk()

    def start() -> Desk:
        options = {"executable_path": browser_setup.find(), "args": FLAGS, "base_url": site.url}
        context = browser.browser_type.launch_persistent_context(tmp_path / "profile", **options)  # type: ignore[arg-type]
        desk = Desk(collection, assessor, context.pages[0], context)
        sign_in(desk.page, assessor)
        desk.open()
        return desk

    desk = start()
    desk.context.set_offline(True)
    wanted = press_fast(desk, 5)
    desk.expect_light("5 unsent")
    while desk.page.evaluate(KEPT) < 5:  # on the disk: a browser that is closed within milliseconds has not written them yet
        desk.page.wait_for_timeout(50)
    desk.context.close()
    assert desk.events() == []
    again = start()
    again.expect_saved_in_time()
    assert again.events() == wanted
    again.context.close()


@pytest.mark.once
def test_another_person_with_the_same_browser(desk: Desk) -> None:
    """Neither sees nor sends what the first one left, not from the tab that the first one left open either."""
    desk.lose_judgments()
    wanted = press_fast(desk, 3)
    desk.expect_light("3 unsent")
    desk.context.clear_cookies()
    collection, assessor = make_desk()
    factories.join(desk.collection, assessor, Role.ASSESSOR)
    second = Desk(collection, assessor, desk.context.new_page(), desk.context)
    sign_in_by_form(second.page, assessor)
    second.page.goto(desk.home)
    expect(second.page.locator("[data-light]")).to_be_hidden()
    second.open()
    second.expect_light("saved")
    theirs = press_fast(second, 1)
    second.expect_light("saved")
    desk.lose_none()
    desk.page.evaluate("dispatchEvent(new Event('online'))")
    expect(desk.page.get_by_role("alert")).to_contain_text("You are signed out")
    desk.expect_light("3 unsent")
    second.page.get_by_role("button", name="Sign out").click()
    expect(second.page.get_by_role("button", name="Sign in")).to_be_visible()
    assert (desk.events(), second.events()) == ([], theirs)
    sign_in(desk.page, desk.assessor)
    desk.open()
    desk.expect_saved_in_time()
    assert (desk.events(), second.events()) == (wanted, theirs)


@pytest.mark.once
def test_other_answers_survive_offline_and_reload(desk: Desk) -> None:
    desk.page.route("**/judge/**", lambda route: route.abort() if route.request.method == "POST" else route.continue_())
    first = desk.shown()
    desk.page.keyboard.press("k")
    desk.page.keyboard.press("2")
    second = desk.shown()
    desk.page.keyboard.press("l")
    third = desk.shown()
    desk.reload()
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


@pytest.mark.once
def test_without_a_database_in_the_browser(desk: Desk) -> None:
    desk.page.add_init_script("Object.defineProperty(self, 'indexedDB', {get() { throw new Error('refused'); }})")
    desk.open()
    wanted = press_fast(desk, 3)
    desk.expect_light("saved")
    assert desk.events() == wanted


@pytest.mark.once
def test_clock_that_goes_back_changes_no_order(desk: Desk) -> None:
    """A grade, then, after a reload with the clock a day back, another one of the same document: both go out, in order."""
    desk.page.route("**/judge/**", lambda route: route.abort() if route.request.method == "POST" else route.continue_())
    docno = desk.shown()
    (first,) = press_fast(desk, 1)
    desk.page.add_init_script("const now = Date.now; Date.now = () => now() - 86400000;")
    desk.reload()
    desk.expect_light("1 unsent")
    desk.page.keyboard.press("b")
    expect(desk.page.locator(".judge-docno")).to_have_text(docno)
    desk.page.keyboard.press("3")
    desk.expect_light("2 unsent")
    desk.reload()
    desk.expect_light("2 unsent")
    desk.page.unroute("**/judge/**")
    desk.page.evaluate("dispatchEvent(new Event('online'))")
    desk.expect_light("saved")
    assert desk.events() == [first, (docno, 3)]
    expect(desk.page.get_by_role("alert")).to_have_text("")


@pytest.mark.once
def test_a_notice_names_all_that_was_not_taken(desk: Desk) -> None:
    other = desk.context.new_page()
    other.goto(desk.home)
    expect(other.locator(".judge[data-ready]")).to_be_visible()
    other.route("**/judge/**", lambda route: route.abort() if route.request.method == "POST" else route.continue_())
    other.keyboard.press("1")
    other.keyboard.press("b")
    other.keyboard.press("2")
    expect(other.locator("[data-light]")).to_have_text("2 unsent")
    docno = desk.shown()
    judging.record_judgment(
        desk.collection, assessor=desk.assessor, seat=Seat.objects.get(item__docno=docno).token, client_id=uuid4(), grade=3
    )
    other.unroute("**/judge/**")
    other.evaluate("dispatchEvent(new Event('online'))")
    expect(other.get_by_role("alert")).to_contain_text(f"{docno}: your grade 1, then your grade 2 was not taken")
    assert desk.events() == [(docno, 3)]
