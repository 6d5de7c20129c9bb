"""The page of agreement where assessors are many: which pairs come first, any other pair, and what is not waited for."""

from collections import OrderedDict

import pytest
from django.utils import timezone

from assess import agreeing, selectors
from assess.models import Judgment, Seat
from tests.assess import factories
from tests.conftest import Cast, ClientFor

HERE = "/c/harbour-trials/agreement/"
DOCUMENTS = 16


@pytest.fixture
def crowd(cast: Cast) -> Cast:
    """Eight assessors, W1 to W8 (and W10), each of whom judged one document more than the one before."""
    [topic] = factories.make_topics(cast.collection, [1])
    numbers = (1, 2, 3, 4, 5, 6, 7, 10)
    people = factories.make_assessors(cast.collection, *(f"W{number}" for number in numbers))
    pool = factories.make_pool(cast.collection, cast.organizer, {topic: [f"d{n:02}" for n in range(DOCUMENTS)]})
    items, now = list(pool.items.order_by("docno")), timezone.now()
    for number, user in zip(numbers, people, strict=True):
        judged = items[: number + 2]
        Seat.objects.bulk_create(
            Seat(collection=cast.collection, topic=topic, item=item, slot=number, assessor=user, position=1, judged_at=now)
            for item in judged
        )
        Judgment.objects.bulk_create(Judgment(item=item, assessor=user, grade=n % 2) for n, item in enumerate(judged))
    return cast


def test_pairs_that_share_most_come_first_and_names_in_their_order(crowd: Cast) -> None:
    report, _ = agreeing.shown(crowd.collection)
    assert [(p.first, p.second, p.figures.n) for p in report.pairs[:4]] == [
        ("W7", "W10", 9),
        ("W6", "W7", 8),
        ("W6", "W10", 8),
        ("W5", "W6", 7),
    ]
    assert (report.pair_count, len(report.matrices), report.people) == (28, 12, 8)


def test_page_says_of_how_many_and_shows_any_other(crowd: Cast, client_for: ClientFor) -> None:
    client = client_for(crowd.organizer)
    page = client.get(HERE).content.decode()
    assert "Below are 12 of 28 pairs" in page and "Rows: <bdi>W1</bdi>. Columns: <bdi>W2</bdi>" not in page
    assert page.index(">W2</option>") < page.index(">W10</option>")
    asked = client.get(f"{HERE}?first=w2&second=w1").content.decode()
    assert "Rows: <bdi>W2</bdi>. Columns: <bdi>W1</bdi>. 3 documents" in asked
    assert "Choose two different assessors" in client.get(f"{HERE}?first=w2&second=w2").content.decode()
    assert client.get(f"{HERE}?first=w2&second=nobody").status_code == 200
    Judgment.objects.filter(assessor__username="w1").exclude(item__docno="d00").delete()
    Judgment.objects.filter(assessor__username="w2", item__docno="d00").delete()
    none = client.get(f"{HERE}?first=w1&second=w2").content.decode()
    assert "judged no document in common" in none


def test_two_assessors_have_nothing_to_choose(crowd: Cast, client_for: ClientFor) -> None:
    Judgment.objects.exclude(assessor__username__in=["w1", "w2"]).delete()
    page = client_for(crowd.organizer).get(HERE).content.decode()
    assert "Show this pair" not in page and "Below are" not in page


def test_long_lists_are_folded_with_their_number(crowd: Cast, client_for: ClientFor, monkeypatch: pytest.MonkeyPatch) -> None:
    client = client_for(crowd.organizer)
    assert "<summary>16 more pairs, which share fewer documents</summary>" in client.get(HERE).content.decode()
    monkeypatch.setattr("assess.pairs.MOST_ROWS", 28)
    assert "more pairs, which share fewer" not in client.get(HERE).content.decode()


def test_of_many_judgments_the_resampled_comes_later(
    crowd: Cast, client_for: ClientFor, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = client_for(crowd.organizer)
    monkeypatch.setattr(agreeing, "SOON", 10)
    first = client.get(HERE).content.decode()
    assert "Intervals are being computed" in first and "Fleiss" not in first and 'href="?whole=1#coefficients"' in first
    asked = client.get(HERE, headers={"HX-Request": "true"}).content.decode()
    assert "Intervals are being computed" not in asked and "Fleiss" in asked and "W1</bdi>" in asked
    assert "Fleiss" in client.get(HERE).content.decode()  # it is kept now
    quick, whole = (agreeing._shown(crowd.collection, wait) for wait in (False, True))
    assert [pair.spread for pair in quick[0].pairs] == [pair.spread for pair in whole[0].pairs]
    assert quick[1] and whole[1] and quick[1].topics == whole[1].topics and whole[1].topics[0].key == "alpha_ordinal"
    monkeypatch.setattr("config.keeping._kept", OrderedDict())
    rest = client.get(f"{HERE}?form=csv&table=rest").content.decode()
    assert len(rest.splitlines()) == 9  # a file waits for what it holds


def test_who_graded_is_whom_one_can_ask_for(crowd: Cast) -> None:
    assert {user.username for user in selectors.graders(crowd.collection)} == {f"w{n}" for n in (1, 2, 3, 4, 5, 6, 7, 10)}
