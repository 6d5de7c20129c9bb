"""A real Chromium. A page that complains (console, policy, failed or foreign request) fails its test."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING

import pytest
from django.conf import settings
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, Response, expect, sync_playwright

from tests import browser_setup
from tests.factories import PASSWORD
from tests.site import Site

if TYPE_CHECKING:
    from config.models import User

FLAGS = ["--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
FLAGS += ["--no-first-run", "--disable-quic"]
expect.set_options(timeout=30_000)


if os.geteuid() == 0:
    FLAGS += ["--no-sandbox"]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = browser_setup.find()
    assert path, browser_setup.HELP
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield chromium
        chromium.close()


def is_a_page(response: Response) -> bool:
    """Whether the browser shows it, or a script does: files are sent by one, and what refuses them is put in the page."""
    sent = response.request.resource_type == "xhr" and response.status == 422
    return sent or response.request.is_navigation_request()


class Watch:
    """Notes everything that should not happen in a page."""

    def __init__(self) -> None:
        self.faults: list[str] = []
        self.told: set[str] = set()  # pages that answered with an error status: the browser says so on the console
        self.origin = ""

    def over(self, page: Page) -> None:
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.faults.append(f"error in {page.url}: {error}"))
        page.on("request", self._request)
        page.on("requestfailed", self._failed)
        page.on("response", self._response)

    def _console(self, message: ConsoleMessage) -> None:
        told = message.text.startswith("Failed to load resource") and message.location["url"] in self.told
        if message.type in {"error", "warning"} and not told:
            self.faults.append(f"console {message.type}: {message.text} ({message.location['url']})")

    def _request(self, request: Request) -> None:
        if not request.url.startswith((f"{self.origin}/", "data:image/svg+xml")):
            self.faults.append(f"foreign request: {request.url}")

    def _failed(self, request: Request) -> None:
        if request.failure != "net::ERR_ABORTED":  # the page was left meanwhile, or it became a download
            self.faults.append(f"failed request: {request.url} {request.failure}")

    def _response(self, response: Response) -> None:
        if response.status >= 400:
            if is_a_page(response):
                self.told.add(response.url)
            else:
                self.faults.append(f"{response.status} for {response.url}")


class OnceHasher(PBKDF2PasswordHasher):
    """Django's own, which takes its time, asked once for each password."""

    def salt(self) -> str:
        return "of-the-tests-alone-0123"

    @staticmethod
    @cache
    def _encoded(password: str, salt: str, iterations: int | None) -> str:
        return PBKDF2PasswordHasher().encode(password, salt, iterations)

    def encode(self, password: str, salt: str, iterations: int | None = None) -> str:
        return self._encoded(password, salt, iterations)


NewPage = Callable[..., Page]


@pytest.fixture
def new_page(browser: Browser) -> Iterator[NewPage]:
    """`new_page(site)`: a page in a context of its own, as if on another computer. Options go to the context."""
    contexts: list[BrowserContext] = []
    watches: list[Watch] = []

    def make(site: Site, **options: object) -> Page:
        page, watch = watched_page(browser, site, **options)
        contexts.append(page.context)
        watches.append(watch)
        return page

    yield make
    for context in contexts:
        context.close()
    faults = [fault for watch in watches for fault in watch.faults]
    assert not faults, "\n".join(faults)


def watched_page(browser: Browser, site: Site, **options: object) -> tuple[Page, Watch]:
    context = browser.new_context(
        **{"base_url": site.url, "viewport": {"width": 1200, "height": 800}, "reduced_motion": "reduce", **options}  # type: ignore[arg-type]
    )
    watch = Watch()
    watch.origin = site.url
    context.on("page", watch.over)
    return context.new_page(), watch


def sign_in(page: Page, user: User) -> None:
    """Give the page a session of the user, on the site whose database is open. The form is signed in by below, where it counts."""
    client = Client()
    client.force_login(user)
    value = client.cookies[settings.SESSION_COOKIE_NAME].value
    page.context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": value, "domain": "127.0.0.1", "path": "/"}])


def sign_in_by_form(page: Page, user: User) -> None:
    page.goto("/sign-in/")
    page.get_by_label("User name or e-mail").fill(user.username)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()
