"""The first hour of a new site, in the browser alone: administrator, collection, guidelines, an assessor by link."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.look import look
from tests.chromium import NewPage
from tests.site import Site

pytestmark = pytest.mark.once
PASSWORD = "seven quiet harbours"


def fill_account(page: Page, *, name: str, username: str) -> None:
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("User name").fill(username)
    page.get_by_label("E-mail").fill(f"{username}@example.org")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("The same again").fill(PASSWORD)


def test_first_hour(own_site: Site, new_page: NewPage) -> None:
    ada = new_page(own_site)
    link = own_site.first_link()

    # The first administrator, by the link that the terminal showed; it works once.
    ada.goto(link)
    look(ada, "welcome")
    fill_account(ada, name="Ada Lindqvist", username="ada")
    ada.get_by_role("button", name="Make the account").click()
    expect(ada.get_by_role("status").first).to_contain_text("Welcome, Ada Lindqvist")
    expect(ada.get_by_role("heading", name="No collection yet")).to_be_visible()
    stranger = new_page(own_site)
    stranger.goto(link)
    expect(stranger.get_by_text("This link has been used")).to_be_visible()

    # A collection from a preset, and its guidelines.
    ada.get_by_role("link", name="New collection").click()
    ada.get_by_label("Name").fill("Harbour trials 2026")
    ada.get_by_role("textbox", name="Address").fill("harbour-2026")
    ada.get_by_label("Discussion search").check()
    ada.get_by_role("button", name="Make the collection").click()
    expect(ada.get_by_role("heading", level=1)).to_have_text("Harbour trials 2026")
    expect(ada.get_by_text("Discusses it")).to_be_visible()
    ada.get_by_role("link", name="Write them").click()
    ada.get_by_label("Guidelines").fill("# How to judge\n\nBy the text *alone*.")
    ada.get_by_role("button", name="Save as version 1").click()
    expect(ada.get_by_role("heading", name="How to judge")).to_be_visible()

    # An invitation for one assessor.
    ada.get_by_role("link", name="Members").click()
    ada.locator("#invite").get_by_label("Role").select_option("assessor")
    ada.get_by_role("button", name="Make the invitation").click()
    expect(ada.get_by_role("status").first).to_contain_text("The link for assessors is ready")
    invitation = ada.get_by_role("textbox", name="Invitation link").first.input_value()
    assert invitation.startswith(f"{own_site.url}/join/")

    # She opens it on another computer, makes an account, and is in.
    mirja = new_page(own_site)
    mirja.goto(invitation)
    expect(mirja.get_by_text("Ada Lindqvist invites you to take part as assessor")).to_be_visible()
    fill_account(mirja, name="Mirja Lehtonen", username="mirja")
    mirja.get_by_role("button", name="Make the account and join").click()
    expect(mirja).to_have_url(f"{own_site.url}/c/harbour-2026/")
    expect(mirja.get_by_text("you: assessor")).to_be_visible()
    expect(mirja.get_by_role("link", name="Members")).to_have_count(0)
    mirja.get_by_role("button", name="Sign out").click()
    expect(mirja.get_by_role("status").first).to_contain_text("You are signed out")
    mirja.get_by_label("User name or e-mail").fill("mirja")
    mirja.get_by_label("Password").fill(PASSWORD)
    mirja.get_by_role("button", name="Sign in").click()
    mirja.get_by_role("link", name="Harbour trials 2026").click()
    expect(mirja.get_by_role("heading", level=1)).to_have_text("Harbour trials 2026")

    # The link was for one person.
    stranger.goto(invitation)
    expect(stranger.get_by_text("This invitation is used up")).to_be_visible()

    # The organizer sees her, and takes the role away; from then on there is nothing for her there.
    ada.reload()
    row = ada.get_by_role("row", name="Mirja Lehtonen")
    expect(row).to_contain_text("assessor")
    row.get_by_role("button", name="Remove").click()
    ada.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(ada.get_by_role("status").first).to_contain_text("Mirja Lehtonen is no longer assessor")
    expect(ada.get_by_role("region", name="Members")).not_to_contain_text("Mirja Lehtonen")
    mirja.reload()
    expect(mirja.locator(".error-status")).to_contain_text("404")
    expect(mirja.get_by_role("heading", name="Nothing here")).to_be_visible()
