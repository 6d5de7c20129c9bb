"""Pages of a well-filled site, of people who are signed in already."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Browser, Page
from pytest_django import DjangoDbBlocker

from tests.browser.desk import Desk, make_desk
from tests.browser.world import World
from tests.chromium import NewPage, sign_in
from tests.site import Site

if TYPE_CHECKING:
    from config.models import User


@pytest.fixture(autouse=True)
def _quick_passwords() -> None:
    """Not here: the site checks these passwords with its own, slow hasher."""


@pytest.fixture
def page(site: Site, new_page: NewPage) -> Page:
    return new_page(site)


_kept: dict[str, object] = {}  # sessions that were signed in once by the form, and the world; the site lives as long


@pytest.fixture
def signed_in(site: Site, new_page: NewPage) -> Callable[[User], Page]:
    """`signed_in(user)`: a fresh page of somebody who has signed in, by the form, the first time they are asked for."""

    def make(user: User) -> Page:
        if user.username not in _kept:
            page = new_page(site)
            sign_in(page, user)
            _kept[user.username] = page.context.storage_state()
        return new_page(site, storage_state=_kept[user.username])

    return make


@pytest.fixture
def world(site: Site) -> World:
    """A well-filled site, made once."""
    if "world" not in _kept:
        _kept["world"] = World(site)
    made = _kept["world"]
    assert isinstance(made, World)
    return made


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
