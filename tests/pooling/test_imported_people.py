"""Accounts that stand for judgments of an import: told apart from people, wherever people are listed."""

import re

import pytest

from assess.services import importing
from config import accounts
from config.models import User
from pooling import selectors
from pooling.models import Role
from tests import factories
from tests.assess.factories import make_topics
from tests.conftest import Cast, ClientFor

LINES = "topic docno assessor grade\n" + "".join(f"1 d{n} W{n} 1\n" for n in (10, 2, 1))


@pytest.fixture
def imported(cast: Cast) -> Cast:
    make_topics(cast.collection, [1])
    found = importing.check_judgments(cast.collection, LINES.encode())
    assert found.report.ok, found.report.findings
    with importing.prepared(cast.collection, found.lines) as ready:
        importing.store_judgments(ready, by=cast.organizer)
    return cast


def names(page: str) -> list[str]:
    return re.findall(r'<th scope="row" class="name" dir="auto">([^<]*?)\s*<', page)


def test_whoever_stands_for_an_import_is_known(imported: Cast) -> None:
    closed = factories.make_user("Closed")  # somebody real whose account was closed
    factories.join(imported.collection, closed, Role.ASSESSOR)
    User.objects.filter(pk=closed.pk).update(is_active=False)
    named = accounts.create_account(username=f"{imported.collection.slug}.real", name="Real", password=None)
    User.objects.filter(pk=named.pk).update(is_active=False)  # so named, and no assessor there
    assert sorted(user.name for user in selectors.imported_people()) == ["W1", "W10", "W2"]


def test_people_hides_them_until_asked(imported: Cast, client_for: ClientFor) -> None:
    client = client_for(imported.staff)
    page = client.get("/people/").content.decode()
    assert "Show 3 imported assessors" in page and not {"W1", "W2", "W10"} & set(names(page))
    asked = client.get("/people/?imported=1").content.decode()
    assert names(asked) == ["W1", "W2", "W10"]
    assert asked.count("imported</span>") == 3 and "Show people" in asked
    assert "Show 1 imported assessor<" in client.get("/people/?q=W10").content.decode()


def test_members_says_imported(imported: Cast, client_for: ClientFor) -> None:
    page = client_for(imported.organizer).get(f"/c/{imported.collection.slug}/members/").content.decode()
    assert page.count("imported</span>") == 3 and "account closed" not in page
    assert names(page)[-3:] == ["W1", "W2", "W10"]  # whoever is somebody comes first


def test_overview_tells_them_apart(imported: Cast) -> None:
    stage = selectors.people_stage(imported.collection, [Role.ORGANIZER])
    assert (stage.note, stage.state) == ("1 assessor, 3 imported assessors", "done")
    imported.collection.memberships.filter(user=imported.assessor).delete()
    assert selectors.people_stage(imported.collection, [Role.ORGANIZER]).note == "3 imported assessors"
    imported.collection.memberships.filter(role=Role.ASSESSOR).delete()
    stage = selectors.people_stage(imported.collection, [Role.ORGANIZER])
    assert (stage.note, stage.state) == ("no assessor yet", "now")
