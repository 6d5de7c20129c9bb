"""Everything by keyboard, and everything without JavaScript."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Page, expect

from pooling.models import Role
from pooling.services import members
from tests import factories
from tests.browser.world import World
from tests.chromium import NewPage
from tests.site import Site

if TYPE_CHECKING:
    from config.models import User

pytestmark = pytest.mark.once


def focused(page: Page) -> str:
    """What has the focus, in its own words."""
    words: str = page.evaluate(
        "(e => e === document.body ? '' : (e.labels?.[0]?.innerText || e.ariaLabel || e.innerText || e.value || e.id))"
        "(document.activeElement)"
    )
    return words.split("\n")[0].strip()


def tab(page: Page, key: str = "Tab") -> str:
    """One step on; wherever the focus lands, it must show."""
    page.keyboard.press(key)
    outline = page.evaluate("(s => [s.outlineStyle, parseFloat(s.outlineWidth)])(getComputedStyle(document.activeElement))")
    words = focused(page)
    assert words == "" or (outline[0] != "none" and outline[1] >= 2), f"the focus on “{words}” does not show: {outline}"
    return words


def tab_to(page: Page, words: str, most: int = 40) -> list[str]:
    way: list[str] = []
    while not way or way[-1] != words:
        way.append(tab(page))
        assert len(way) < most, f"“{words}” is not reached: {way}"
    return way


def test_sign_in_and_create_by_keyboard_alone(site: Site, page: Page) -> None:
    person = factories.make_user("Kim Keyboard")
    page.goto("/sign-in/")
    expect(page.get_by_label("User name or e-mail")).to_be_focused()
    page.keyboard.type(person.username)
    assert tab(page) == "Password"
    page.keyboard.type(factories.PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()

    assert tab(page) == "Skip to the content"
    expect(page.get_by_role("link", name="Skip to the content")).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    assert tab(page) == "New collection"
    page.keyboard.press("Enter")

    expect(page.get_by_role("heading", level=1)).to_have_text("New collection")
    assert tab_to(page, "Name")[:3] == ["Skip to the content", "Assize", "Collections"]
    page.keyboard.type("Made by keys")
    assert tab(page) == "Address"
    page.keyboard.type("Not An Address")
    assert tab(page) == "Ad hoc search"
    page.keyboard.press("ArrowDown")
    assert tab(page) == "Description optional"
    assert tab(page) == "Private"
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    tab_to(page, "Make the collection")
    page.keyboard.press("Enter")

    # Refused: the reader is taken to the list of problems, and from there to the field.
    expect(page.get_by_role("alert")).to_be_focused()
    assert tab(page) == "Address"
    page.keyboard.press("Enter")
    expect(page.get_by_role("textbox", name="Address")).to_be_focused()
    page.keyboard.press("Control+a")
    page.keyboard.type("made-by-keys")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Made by keys")
    expect(page.get_by_text("Web search")).to_be_visible()  # the arrow chose the second task
    way = tab_to(page, "Settings")
    tabs = ["Overview", "Input", "Pool", "Judging", "Results", "Members", "Settings"]
    assert way[-8:] == ["Invite people", *tabs]


def test_dialog_by_keyboard(world: World, signed_in: Callable[[User], Page]) -> None:
    collection = factories.make_collection(world.organizer, "Dialog by keys")
    factories.join(collection, world.newcomer, Role.RESEARCHER)
    page = signed_in(world.organizer)
    page.goto(f"/c/{collection.slug}/members/")
    remove = page.get_by_role("row", name="Noor Haddad").get_by_role("button", name="Remove").first
    dialog = page.get_by_role("dialog")
    remove.focus()
    page.keyboard.press("Enter")
    expect(dialog).to_be_visible()
    expect(dialog.get_by_role("button", name="Cancel")).to_be_focused()  # the harmless one
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(remove).to_be_focused()
    page.keyboard.press("Space")
    expect(dialog).to_be_visible()
    page.keyboard.press("Enter")
    expect(dialog).to_be_hidden()
    expect(remove).to_be_focused()
    page.keyboard.press("Enter")
    assert tab(page) == "Remove"
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").first).to_contain_text("Noor Haddad is no longer researcher")


def test_copy_and_dismiss(world: World, signed_in: Callable[[User], Page]) -> None:
    page = signed_in(world.organizer)
    collection = factories.make_collection(world.organizer, "Copy by keys")
    page.goto(f"/c/{collection.slug}/members/")
    with page.expect_navigation():  # its script, too
        page.get_by_role("button", name="Make the invitation").press("Enter")
    toast = page.locator(".toast")
    expect(toast).to_be_visible()
    toast.get_by_role("button", name="Dismiss").press("Enter")
    expect(toast).to_have_count(0)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("region", name="Invitations").get_by_role("button", name="Copy").press("Enter")
    expect(page.locator("#say")).to_have_text("Copied.")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == page.get_by_role("textbox", name="Invitation link").input_value()


def test_without_javascript(world: World, site: Site, new_page: NewPage) -> None:
    person = factories.make_user("Nora Noscript")
    page = new_page(site, java_script_enabled=False)
    page.goto("/sign-in/")
    page.get_by_label("User name or e-mail").fill(person.username)
    page.get_by_label("Password").fill(factories.PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("link", name="New collection").click()
    page.get_by_label("Name").fill("Made without script")
    page.get_by_role("textbox", name="Address").fill("no-script")
    page.get_by_role("button", name="Make the collection").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Made without script")

    collection = person.memberships.get().collection
    factories.join(collection, world.newcomer, Role.ASSESSOR)
    members.invite(collection, by=person, role=Role.PARTICIPANT)
    page.get_by_role("link", name="Members", exact=True).click()
    expect(page.get_by_role("button", name="Copy")).to_have_count(0)  # what needs script is not offered
    page.get_by_role("row", name="Noor Haddad").get_by_role("button", name="Remove").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(page.get_by_role("status").first).to_contain_text("Noor Haddad is no longer assessor")
    page.get_by_role("button", name="Revoke").click()
    page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
    expect(page.get_by_role("status").first).to_contain_text("The invitation is revoked")
    page.get_by_role("link", name="Settings").click()
    page.get_by_role("button", name="Export").click()
    expect(page.locator(".job")).to_contain_text("Export of Made without script")


def test_upload_planner_members_and_scale_by_keyboard(world: World, signed_in: Callable[[User], Page], tmp_path: Path) -> None:
    collection = factories.make_collection(world.organizer, "Filled by keys")
    page, here = signed_in(world.organizer), f"/c/{collection.slug}/"
    _upload(page, here, tmp_path)
    _plan(page, f"/c/{world.line.slug}/pool/?strategy=depth")
    _invite(page, here)
    _scale(page, here)


def _upload(page: Page, here: str, folder: Path) -> None:
    topics = folder / "topics.tsv"
    topics.write_text("1\ttidal power\n2\tfish ladders\n")
    page.on("filechooser", lambda _: None)  # before the page: asked for with the key, it may come after it
    page.goto(f"{here}topics/")
    tab_to(page, "File of topics")
    with page.expect_file_chooser() as opened:
        page.keyboard.press("Enter")
    opened.value.set_files(topics)
    tab_to(page, "Upload and check")
    page.keyboard.press("Space")
    expect(page.get_by_text("2 topics are the collection's topics now.")).to_be_visible(timeout=30_000)


def _plan(page: Page, address: str) -> None:
    page.goto(address)
    tab_to(page, "Reciprocal rank fusion", 80)
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="Reciprocal rank fusion")).to_have_attribute("aria-current", "true")
    tab_to(page, "Documents per topic", 80)
    page.keyboard.press("Control+a")
    page.keyboard.type("4")
    page.keyboard.press("ArrowUp")  # a field of numbers
    tab_to(page, "Show the plan")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Documents per topic")).to_have_value("5")
    expect(page.locator("#plan .figures")).to_be_in_viewport()
    expect(page.locator("#plan")).to_be_focused()


def _invite(page: Page, here: str) -> None:
    page.goto(f"{here}members/")
    tab_to(page, "Role")
    page.keyboard.press("End")  # the last of the roles
    assert tab(page) == "Valid for, in days"
    page.keyboard.press("ArrowUp")
    tab_to(page, "Make the invitation")
    page.keyboard.press("Enter")
    expect(page.get_by_role("region", name="Invitations").locator("tbody tr th").first).to_have_text("researcher")


def _scale(page: Page, here: str) -> None:
    page.goto(f"{here}scale/")
    assert tab_to(page, "Label")[-3:] == ["Value", "Key", "Label"]
    page.keyboard.press("Control+a")
    page.keyboard.type("Off topic")
    for _grade in range(4):  # the last of these is of grade 3
        tab_to(page, "Remove")
    page.keyboard.press("Space")
    tab_to(page, "Save the scale")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").first).to_be_visible()
    expect(page.locator("[name=grade-0-label]")).to_have_value("Off topic")
    expect(page.get_by_label("Remove grade 3")).to_have_count(0)


@pytest.mark.parametrize(("path", "field"), [("releases/", "#at"), ("rules/", "#id_runs_open_at")])
def test_a_date_shows_that_it_has_the_focus(world: World, signed_in: Callable[[User], Page], path: str, field: str) -> None:
    """All parts of it: a browser moves from day to month to year within the field."""
    page = signed_in(world.organizer)
    page.goto(f"/c/{world.judged.slug}/{path}")
    part = page.locator(field)
    part.evaluate(
        "field => { const seen = [...document.querySelectorAll('a, button, input')].filter(one => one.checkVisibility());"
        " seen[seen.indexOf(field) - 1].focus() }"
    )
    for _part in range(3):
        page.keyboard.press("Tab")
        expect(part).to_be_focused()
        assert part.evaluate("field => getComputedStyle(field).outline").endswith("solid 2px")
