"""Pages of a well-filled site, of people who are signed in already."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Browser, Page
from pytest_django import DjangoDbBlocker, Settings

from tests.browser import look
from tests.browser.desk import Desk, make_desk
from tests.browser.world import World
from tests.chromium import NewPage, Watch, sign_in, watched_page
from tests.site import Site

if TYPE_CHECKING:
    from config.models import User


@pytest.fixture(scope="session")
def django_db_setup() -> None:
    """None: every site has a database of its own."""


@pytest.fixture(autouse=True)
def _quick_passwords(settings: Settings) -> None:
    """The site checks passwords with its own, slow hasher: here it is asked once for each."""
    settings.PASSWORD_HASHERS = ["tests.chromium.OnceHasher"]


@pytest.fixture(scope="session", autouse=True)
def _pictures(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--pictures"):
        look.kept.append("*")


@pytest.fixture
def page(site: Site, new_page: NewPage) -> Page:
    return new_page(site)


@pytest.fixture
def signed_in(site: Site, new_page: NewPage) -> Callable[[User], Page]:
    """`signed_in(user)`: a fresh page of somebody who has signed in."""

    def make(user: User) -> Page:
        page = new_page(site)
        sign_in(page, user)
        return page

    return make


_kept: dict[int | None, tuple[Page, Watch]] = {}


@pytest.fixture
def going_on(site: Site, browser: Browser) -> Iterator[Callable[[User | None], Page]]:
    """`going_on(user)`: the page of somebody who goes from one to the next, at a third of the cost of a fresh one."""
    used: list[Watch] = []

    def give(user: User | None) -> Page:
        key = user.pk if user else None
        if key not in _kept:
            _kept[key] = watched_page(browser, site)
            if user:
                sign_in(_kept[key][0], user)
        page, watch = _kept[key]
        watch.faults.clear()
        used.append(watch)
        return page

    yield give
    assert [fault for watch in used for fault in watch.faults] == []


_made: list[World] = []


@pytest.fixture
def world(site: Site) -> World:
    """A well-filled site, made once."""
    if not _made:
        _made.append(World(site))
    return _made[0]


@pytest.fixture
def desk(site: Site, browser: Browser, request: pytest.FixtureRequest) -> Iterator[Desk]:
    """In a context of its own, which may be offline: nobody watches for failed requests here."""
    made, faults = make_desk(items=getattr(request, "param", 15)), list[str]()
    context = browser.new_context(base_url=site.url, viewport={"width": 1200, "height": 800}, reduced_motion="reduce")
    page = context.new_page()
    page.on("pageerror", lambda error: faults.append(str(error)))
    sign_in(page, made[1])
    desk = Desk(made[0], made[1], page, context)
    desk.open()
    yield desk
    context.close()
    assert faults == []


@pytest.fixture(scope="session")
def _alone(django_db_setup: None) -> Iterator[Site]:
    nowhere = Path(tempfile.gettempdir()) / f"assize-no-queue-{os.getpid()}.sock"  # nothing is ever made there
    site = Site(ASSIZE_REDIS_URL=f"unix://{nowhere}", ASSIZE_WORKERS="0", ASSIZE_OPEN_SIGNUP="1").start(ready=False)
    yield site
    site.stop()


@pytest.fixture
def queueless_site(_alone: Site, django_db_blocker: DjangoDbBlocker) -> Iterator[Site]:
    """A site whose queue and workers are away, and where anybody may make an account."""
    with django_db_blocker.unblock(), _alone.database():
        yield _alone
