"""The cast: an organizer with a collection, a member of each role, a stranger, and an administrator."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import hypothesis
import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from pytest_django import DjangoDbBlocker, Settings
from whitenoise import WhiteNoise  # type: ignore[import-untyped]

from config.models import User
from pooling.models import Collection, Role
from tests import factories
from tests.remembered import remembered
from tests.site import Site

pytest_plugins = ["tests.chromium"]
# The same examples every time: a run that passed passes again, and the C library that some compare with is asked nothing new.
hypothesis.settings.register_profile("steady", derandomize=True, deadline=None)
hypothesis.settings.load_profile("steady")
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"  # Playwright's loop runs in the thread that asks the database


@pytest.fixture(autouse=True)
def _quick_passwords(settings: Settings) -> None:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture(scope="session")
def django_db_modify_db_settings() -> None:
    """SQLite in a file, as in production: workers and commands are other processes and must see it."""
    if connection.vendor == "sqlite":
        connection.settings_dict["TEST"]["NAME"] = connection.settings_dict["NAME"]


@pytest.fixture(scope="session", autouse=True)
def _static_files() -> Iterator[None]:
    """As in production: hashed names, from a manifest; and looked at once, not for each client that a test makes."""
    call_command("collectstatic", interactive=False, verbosity=0)
    look, seen = WhiteNoise.update_files_dictionary, dict[str, dict[str, Any]]()

    def look_once(self: WhiteNoise, root: str, prefix: str) -> None:
        if root not in seen:
            look(self, root, prefix)
            seen[root] = dict(self.files)
        self.files.update(seen[root])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WhiteNoise, "update_files_dictionary", look_once)
        yield


@pytest.fixture
def committed(transactional_db: None) -> Iterator[None]:
    """For tests whose commits are real, and that leave rows which triggers guard: those would refuse the flush too."""
    yield
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
            lift = {f"DROP TRIGGER {name}": sql for name, sql in cursor.fetchall()}
        else:
            cursor.execute("SELECT DISTINCT tgrelid::regclass::text FROM pg_trigger WHERE NOT tgisinternal")
            alter = "ALTER TABLE {} {}ABLE TRIGGER USER"
            lift = {alter.format(table, "DIS"): alter.format(table, "EN") for (table,) in cursor.fetchall()}
        for statement in lift:
            cursor.execute(statement)
        call_command("flush", interactive=False, verbosity=0)
        for statement in lift.values():
            cursor.execute(statement)


@dataclass
class Cast:
    collection: Collection
    organizer: User
    assessor: User
    adjudicator: User
    participant: User
    researcher: User
    stranger: User
    other_organizer: User
    staff: User


@pytest.fixture
def cast(db: None) -> Cast:
    return remembered(make_cast)


def make_cast(mark: str = "") -> Cast:
    """`mark`: before every name, so that there can be a second one beside the first."""
    organizer = factories.make_user(f"{mark}Olga Organizer")
    collection = factories.make_collection(organizer, f"{mark}Harbour trials")
    members = {role.value: factories.make_user(f"{mark}Member {role.value}") for role in Role if role != Role.ORGANIZER}
    for role, user in members.items():
        factories.join(collection, user, Role(role))
    other = factories.make_user(f"{mark}Other Organizer")
    factories.make_collection(other, f"{mark}Another one")
    return Cast(
        collection=collection,
        organizer=organizer,
        stranger=factories.make_user(f"{mark}Stranger"),
        other_organizer=other,
        staff=factories.make_user(f"{mark}Ada Admin", staff=True),
        **members,
    )


@pytest.fixture
def client_for() -> "ClientFor":
    return ClientFor()


class ClientFor:
    """`client_for(user)`: a browser-like client that is signed in as the user (or as nobody)."""

    def __call__(self, user: User | None = None, *, csrf: bool = False) -> Client:
        client = Client(enforce_csrf_checks=csrf)
        if user is not None:
            client.force_login(user)
        return client


@pytest.fixture(scope="session")
def _session_site(django_db_setup: None) -> Iterator[Site]:
    """On PostgreSQL in the form of a larger site: two web processes (as everywhere) and three workers share its jobs."""
    site = Site(**({"ASSIZE_WORKERS": "3"} if connection.vendor == "postgresql" else {})).start()
    yield site
    site.remove()


@pytest.fixture
def site(_session_site: Site, django_db_blocker: DjangoDbBlocker) -> Iterator[Site]:
    """The site that all tests share, its database open to the factories. Rows stay: make names of your own."""
    with django_db_blocker.unblock(), _session_site.database():
        yield _session_site


@pytest.fixture
def own_site(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Site]:
    """A site for one test alone, which may kill its parts; the smallest there is on SQLite."""
    site = Site(**({} if connection.vendor == "postgresql" else {"ASSIZE_WEB_PROCESSES": "1"})).start()
    with django_db_blocker.unblock(), site.database():
        yield site
    site.remove()
