"""Leases of shared topics: they end by themselves, are renewed while somebody looks, and late judgments are kept."""

import random
import uuid
from datetime import timedelta

import pytest
from django.http import Http404
from django.test import Client
from django.utils import timezone

from assess import blind, opinions, own, selectors, watching
from assess.models import Judgment, Seat
from assess.services import assigning, judging, leases
from assess.services.assigning import Wanted
from config import housekeeping
from config.errors import Refusal
from config.models import User
from pooling.services import collections
from tests.api.conftest import CallerFor, caller_for
from tests.assess import factories
from tests.assess.conftest import Bench
from tests.conftest import ClientFor

__all__ = ["caller_for"]


@pytest.fixture
def shared(bench: Bench) -> Bench:
    """Twelve documents of one topic, which Ann and Bob share."""
    (topic,) = factories.make_work(bench.collection, bench.organizer, topics=1, items=12)
    assigning.assign(bench.collection, by=bench.organizer, wanted=[Wanted(topic, [bench.ann, bench.bob])], overlap=0)
    return bench


def judge(bench: Bench, user: User, token: uuid.UUID, grade: int = 2) -> judging.Saved:
    act = uuid.uuid4()
    return judging.record_judgment(bench.collection, assessor=user, seat=token, grade=grade, client_id=act).saved


def pass_time(minutes: int) -> None:
    for seat in Seat.objects.filter(claimed_at__isnull=False):
        assert seat.claimed_at
        Seat.objects.filter(pk=seat.pk).update(claimed_at=seat.claimed_at - timedelta(minutes=minutes))


def test_lease_ends_by_itself_and_the_next_gets_it(shared: Bench) -> None:
    held = [card.token for card in shared.cards(shared.ann, 5)]
    pass_time(29)
    assert not {card.token for card in shared.cards(shared.bob, 5)} & set(held)
    leases.free_leases(shared.collection, assessor=shared.bob)
    pass_time(2)
    assert blind.own_progress(shared.collection, shared.bob).free == 12
    assert [card.token for card in shared.cards(shared.bob, 5)] == held


def test_who_comes_back_has_the_same_documents(shared: Bench) -> None:
    held = [card.token for card in shared.cards(shared.ann, 5)]
    pass_time(45)
    assert [card.token for card in shared.cards(shared.ann, 5)] == held  # nobody took them: they are hers for another while
    assert not {card.token for card in shared.cards(shared.bob, 5)} & set(held)


def test_looking_and_judging_renew(shared: Bench) -> None:
    held = [card.token for card in shared.cards(shared.ann, 5)]
    pass_time(20)
    leases.hold_items(shared.collection, assessor=shared.ann, held=held)
    pass_time(20)
    judge(shared, shared.ann, held[0])
    pass_time(20)
    mine = {card.token for card in shared.cards(shared.bob, 12)}
    assert mine and not mine & set(held)
    assert all(seat.claimed_at for seat in Seat.objects.filter(token__in=held))


def counted(bench: Bench) -> list[int]:
    """The grades that count, now and where the history is replayed up to now."""
    tables = [selectors.judgment_table(bench.collection), opinions.opinions(bench.collection, timezone.now()).table]
    found: list[list[int]] = [table.grades.tolist() for table in tables]
    assert found[0] == found[1]
    return found[0]


def test_late_judgment_takes_the_seat_back(shared: Bench) -> None:
    first, *_ = [card.token for card in shared.cards(shared.ann, 5)]
    pass_time(31)
    assert shared.cards(shared.bob, 5)[0].token == first
    judge(shared, shared.ann, first, 3)
    judge(shared, shared.bob, first, 1)  # he had it on screen: kept, and counted nowhere
    rows = Judgment.objects.order_by("pk").values_list("assessor", "grade", "extra")
    assert list(rows) == [(shared.ann.pk, 3, False), (shared.bob.pk, 1, True)]
    assert counted(shared) == [3]
    assert [row["extra"] for row in selectors.exported(shared.collection)] == [False, True]
    assert Seat.objects.get(token=first).assessor == shared.ann
    assert first not in [card.token for card in shared.cards(shared.bob, 12)]


def test_late_judgment_after_another_is_extra(shared: Bench) -> None:
    first, *_ = [card.token for card in shared.cards(shared.ann, 5)]
    pass_time(31)
    shared.cards(shared.bob, 5)
    judge(shared, shared.bob, first, 1)
    saved = judge(shared, shared.ann, first, 3)
    assert (saved.grade, saved.seen) == (3, 1)
    assert judge(shared, shared.ann, first, 2).seen == 2  # a changed mind
    assert counted(shared) == [1]
    assert watching.progress(shared.collection).total.done == 1
    with pytest.raises(Http404):
        judge(shared, shared.stranger, first)


def test_late_judgment_of_a_freed_seat(shared: Bench) -> None:
    first, *_ = [card.token for card in shared.cards(shared.ann, 5)]
    assert leases.free_leases(shared.collection, assessor=shared.ann) == 5
    assert Seat.objects.filter(assessor=shared.ann).count() == 0
    judge(shared, shared.ann, first)
    assert Seat.objects.get(token=first).assessor == shared.ann and not Judgment.objects.get().extra


def test_wherever_one_goes_the_document_stays(shared: Bench, client_for: ClientFor) -> None:
    """A hundred times at random: reload, back and on again, the list, a second tab, another device; one batch is held."""
    home, chance = f"/c/{shared.collection.slug}/judge/", random.Random(4)
    for card in shared.cards(shared.ann, 2):
        judge(shared, shared.ann, card.token)
    tabs = [client_for(shared.ann), client_for(shared.ann)]

    def shown(client: Client) -> str:
        return client.get(home).content.decode().partition('class="judge-bar" method="post" action="')[2].partition('"')[0]

    def held() -> set[uuid.UUID]:
        return set(Seat.objects.filter(assessor=shared.ann, judged_at=None).values_list("token", flat=True))

    first, batch = shown(tabs[0]), held()
    assert first.startswith(home) and 1 <= len(batch) <= 50
    other = [f"{home}{seat}/" for seat in Seat.objects.filter(assessor=shared.ann).values_list("token", flat=True)]
    for _ in range(100):
        client = chance.choice(tabs)
        path = chance.choice([home, f"{home}many/", f"{home}list/", f"{home}history/", *other])
        if path == home:
            assert shown(client) == first
        else:
            assert client.get(path).status_code == 200
    assert [shown(client) for client in tabs] == [first, first] and held() == batch


# The organizer changes who judges, while somebody still has the documents on screen


def reassign(bench: Bench, *first: User) -> None:
    topic = bench.collection.topics.order_by("pk").last()
    assert topic
    assigning.assign(bench.collection, by=bench.organizer, wanted=[Wanted(topic, first)], overlap=0)


def extras() -> list[tuple[int, int | None, bool]]:
    return list(Judgment.objects.order_by("pk").values_list("assessor", "grade", "extra"))


@pytest.fixture
def anns(shared: Bench) -> Bench:
    """The same twelve, all of them Ann's."""
    reassign(shared, shared.ann)
    return shared


def test_late_judgment_of_what_another_has_now_is_extra(anns: Bench) -> None:
    ann, bob = anns.ann, anns.bob
    first = anns.cards(ann, 5)[0].token
    reassign(anns, bob)
    act = uuid.uuid4()
    told = [
        judging.record_judgment(anns.collection, assessor=ann, seat=first, grade=3, client_id=act, seen=0).saved for _ in "12"
    ]
    assert told[0] == told[1] and (told[0].grade, told[0].seen) == (3, 1)
    assert watching.progress(anns.collection).total.done == 0
    judge(anns, bob, first, 1)
    judge(anns, ann, first, 2)  # a changed mind
    assert extras() == [(ann.pk, 2, True), (bob.pk, 1, False)]
    assert selectors.judgment_table(anns.collection).grades.tolist() == [1]
    reassign(anns, ann)
    assert Seat.objects.get(token=first).assessor == bob


def test_late_judgment_of_a_topic_that_nobody_has_any_more_counts(anns: Bench) -> None:
    first = anns.cards(anns.ann, 5)[0].token
    reassign(anns)
    assert Seat.objects.count() == 0
    judge(anns, anns.ann, first, 3)
    assert extras() == [(anns.ann.pk, 3, False)]
    seat = Seat.objects.get()
    assert (seat.token, seat.assessor, seat.slot) == (first, anns.ann, 1) and seat.judged_at
    with pytest.raises(Http404):  # Bob never had it
        judge(anns, anns.bob, first)


def test_late_judgment_of_a_document_one_has_again_is_that_one(anns: Bench) -> None:
    """Removed and handed out anew it has another name; what the old page sends is about the same document."""
    old = anns.cards(anns.ann, 5)[0]
    reassign(anns)
    reassign(anns, anns.ann)
    seat = Seat.objects.get(item__docno=old.docno)
    assert seat.token != old.token
    judge(anns, anns.ann, old.token, 3)
    seat.refresh_from_db()
    assert seat.judged_at and extras() == [(anns.ann.pk, 3, False)]


def test_late_judgment_of_a_freed_seat_that_others_share_now(shared: Bench) -> None:
    first = shared.cards(shared.ann, 5)[0].token
    leases.free_leases(shared.collection, assessor=shared.ann)
    reassign(shared, shared.bob, *factories.make_assessors(shared.collection, "Cleo"))
    judge(shared, shared.ann, first, 3)  # nobody has taken it
    assert Seat.objects.get(token=first).assessor == shared.ann and extras() == [(shared.ann.pk, 3, False)]


def test_page_holds_a_fair_share_within_its_size(shared: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    held = [card.token for card in shared.cards(shared.ann, 20)]
    more = leases.hold_items(shared.collection, assessor=shared.ann, held=held[:3])
    assert len(held) == 5 and [card.token for card in more] == held[3:]  # of 12, shared by two, she has what is fair
    size = len(more[0].text)
    monkeypatch.setattr(blind, "MOST_LETTERS", 4 * size)
    assert len(leases.hold_items(shared.collection, assessor=shared.ann, held=held[:3])) == 1
    monkeypatch.setattr(blind, "MOST_LETTERS", 1)
    assert leases.hold_items(shared.collection, assessor=shared.ann, held=held[:3]) == []
    collections.archive_collection(shared.collection)
    assert leases.hold_items(shared.collection, assessor=shared.ann, held=[]) == []


def test_page_holds_fifty_of_ones_own(bench: Bench, client_for: ClientFor) -> None:
    (topic,) = factories.make_work(bench.collection, bench.organizer, topics=1, items=60)
    assigning.assign(bench.collection, by=bench.organizer, wanted=[Wanted(topic, [bench.ann])], overlap=0)
    held = [card.token for card in bench.cards(bench.ann, judging.PAGE)]
    client = client_for(bench.ann)
    told = client.post("/c/harbour-trials/judge/hold/", {"held": ",".join(map(str, held))}).json()
    assert len(held) == 20 and len(told["cards"]) == 30
    assert not {card["seat"] for card in told["cards"]} & set(map(str, held))
    odd = client.post("/c/harbour-trials/judge/hold/", {"held": "x"})
    assert odd.status_code == 422


def test_leaving_gives_back(shared: Bench, client_for: ClientFor, caller_for: CallerFor) -> None:
    shared.cards(shared.ann, 5)
    assert client_for(shared.ann).post("/c/harbour-trials/judge/hold/", {"leave": "1"}).json() == {"cards": []}
    assert not Seat.objects.filter(assessor=shared.ann).exists()
    ann = caller_for(shared.ann, "read", "judge")
    assert len(ann("POST", "/collections/harbour-trials/queue/hold", {})) == 6  # half of what is free
    assert ann("DELETE", "/collections/harbour-trials/queue/hold") == {"freed": 6}


def test_organizer_sees_and_frees(shared: Bench, client_for: ClientFor, caller_for: CallerFor) -> None:
    shared.cards(shared.ann, 5)
    pass_time(31)
    (lease,) = selectors.leases(shared.collection)
    assert (lease.assessor, lease.items, lease.ended) == (shared.ann, 5, True)
    assert lease.renewed_at < timezone.now() - timedelta(minutes=30)
    client, base = client_for(shared.organizer), "/c/harbour-trials/progress/"
    assert "5 documents" in client.get(base).content.decode() and "lease ended" in client.get(base).content.decode()
    assert client.post(f"{base}held/ann-assessor/").status_code == 302
    assert not Seat.objects.filter(assessor=shared.ann).exists()
    assert "Freed 5 documents that Ann Assessor held." in client.get(base).content.decode()
    with pytest.raises(Refusal, match="found “ann-assessor”"):
        selectors.lease(shared.collection, "ann-assessor")
    shared.cards(shared.ann, 3)
    organizer = caller_for(shared.organizer)
    assert [(row["user"], row["items"], row["ended"]) for row in organizer("GET", "/collections/harbour-trials/leases")] == [
        ("ann-assessor", 3, False)
    ]
    assert organizer("DELETE", "/collections/harbour-trials/leases/ann-assessor") == {"freed": 3}


def test_organizer_frees_one_document(shared: Bench, caller_for: CallerFor) -> None:
    first, second, third = [card.docno for card in shared.cards(shared.ann, 3)]
    organizer, hers = caller_for(shared.organizer), "/collections/harbour-trials/leases/ann-assessor"
    assert [(row["topic"], row["docno"]) for row in organizer("GET", hers)] == [("3", first), ("3", second), ("3", third)]
    assert organizer("DELETE", f"{hers}?topic=3&docno={second}") == {"freed": 1}
    assert [row["docno"] for row in organizer("GET", hers)] == [first, third]
    told = f"Expected the topic and docno of a document that ann-assessor holds; found “3”, “{second}”."
    assert organizer("DELETE", f"{hers}?topic=3&docno={second}")["error"]["message"] == told
    organizer("DELETE", f"{hers}?docno={first}")
    assert organizer.status == 422 and len(organizer("GET", hers)) == 2
    assert second in {card.docno for card in shared.cards(shared.bob, 5)}


def test_organizer_frees_one_document_on_the_page(shared: Bench, client_for: ClientFor) -> None:
    first, second, third = [card.docno for card in shared.cards(shared.ann, 3)]
    organizer, hers = client_for(shared.organizer), "/c/harbour-trials/progress/held/ann-assessor/"
    assert f'<a href="{hers}">3 documents</a>' in organizer.get("/c/harbour-trials/progress/").content.decode()
    shown = organizer.get(hers).content.decode()
    assert [shown.count(f'name="docno" value="{docno}"') for docno in (first, second, third)] == [1, 1, 1]
    one = {"topic": "3", "docno": second}
    assert organizer.post(hers, one, follow=True).redirect_chain == [(hers, 302)]
    refused = organizer.post(hers, one)
    told = f"Expected the topic and docno of a document that ann-assessor holds; found “3”, “{second}”."
    assert refused.status_code == 422 and told in refused.content.decode()
    assert organizer.post(hers).url == "/c/harbour-trials/progress/"  # type: ignore[attr-defined]
    assert "Nothing is held" in organizer.get(hers).content.decode() and organizer.post(hers).status_code == 422
    assert {first, second, third} <= {card.docno for card in shared.cards(shared.bob, 5)}


def test_a_server_whose_clock_is_set_back_loses_no_lease_and_keeps_none_for_ever(
    shared: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An hour back: what is held stays held, and ends when its time has passed by the new clock. History is in the order of its acts."""
    true = timezone.now
    held = [card.token for card in shared.cards(shared.ann, 5)]
    judge(shared, shared.ann, held[0], 1)
    monkeypatch.setattr(timezone, "now", lambda: true() - timedelta(hours=1))
    assert not {card.token for card in shared.cards(shared.bob, 5)} & set(held)
    judge(shared, shared.ann, held[1], 2)
    assert [told.grade for told in own.history(shared.collection, shared.ann, own.Filters())] == [2, 1]
    judge(shared, shared.ann, held[0], 3)
    assert [row["grade"] for row in selectors.exported(shared.collection, history=True)] == [1, 2, 3]
    housekeeping.mend_times()
    leases.free_leases(shared.collection, assessor=shared.bob)
    assert not {card.token for card in shared.cards(shared.bob, 5)} & set(held)
    monkeypatch.setattr(timezone, "now", lambda: true() - timedelta(minutes=29))
    leases.free_leases(shared.collection, assessor=shared.bob)
    assert set(held[2:]) <= {card.token for card in shared.cards(shared.bob, 5)}
    judge(shared, shared.bob, held[2])
    assert Judgment.objects.get(assessor=shared.bob).extra is False
