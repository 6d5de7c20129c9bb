"""What a claim costs, and the cards of what is next: no more where ten times as much is pooled, whatever has become of it, on either database."""

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from assess import blind
from assess.models import Assignment, AssignmentPlan, Seat
from assess.services import claiming
from config.models import User
from config.statements import insert_many
from pooling.models import Collection, Corpus, Document, PoolItem, Topic
from pooling.services.work import tell_planner
from tests import factories as people
from tests.assess import factories

FEW, MANY, LARGE = 40, 400, 5000
CASES = {  # how many of three are found
    "all is free": 3,
    "most is judged": 3,
    "most is held": 3,
    "most was held too long": 3,
    "nothing is left": 0,
    "only another opinion is left": 0,
    "far ahead of others": 3,
}


def _seats(case: str, size: int, me: User, other: User, now: datetime) -> list[dict[str, Any]]:
    """The seats of a topic as they are in a case, in their order."""
    most = size - 10
    free: list[dict[str, Any]] = [{"position": place} for place in range(size)]
    if case == "nothing is left":
        return [{**seat, "assessor": other, "claimed_at": now} for seat in free]
    if case.startswith("far"):  # the first opinion is one's own, others are open
        own = {"assessor": me, "claimed_at": now, "judged_at": now}
        first = [{**seat, **(own if seat["position"] < most else {})} for seat in free]
        return [*first, *({**seat, "slot": slot} for slot in (2, 3) for seat in free)]
    told = {
        "most is judged": {"assessor": other, "claimed_at": now, "judged_at": now},
        "most is held": {"assessor": other, "claimed_at": now},
        "most was held too long": {"assessor": other, "claimed_at": now - timedelta(hours=2)},
    }.get(case, {})
    return [{**seat, **(told if seat["position"] < most else {})} for seat in free]


def make_cases(size: int) -> dict[str, tuple[Collection, User]]:
    """Each case is a topic of so many items, with an assessor of its own, among the topics of the others."""
    organizer, other = people.make_user(f"Olga {size}"), people.make_user(f"Bob {size}")
    made, now = {}, timezone.now()
    for by_item in (False, True):
        collection = people.make_collection(organizer, f"{size} {by_item}")
        cases = [case for case in CASES if case.startswith("far") == by_item]
        topics = factories.make_topics(collection, range(len(cases)))
        docnos = [f"D{n}" for n in range(size)]
        factories.make_documents(collection, docnos)
        pool = factories.make_pool(collection, organizer, dict.fromkeys(topics, docnos))
        AssignmentPlan.objects.create(collection=collection, by_item=by_item, seed=1, changed_by=organizer)
        assessors = factories.make_assessors(collection, *(f"{case} of {size}" for case in cases))
        for case, topic, me in zip(cases, topics, assessors, strict=True):
            slot = 2 if case == "only another opinion is left" else 1
            Assignment.objects.create(topic=topic, assessor=me, slot=slot, assigned_by=organizer)
            items = list(pool.items.filter(topic=topic).order_by("pk"))
            seats = _seats(case, size, me, other, now)
            Seat.objects.bulk_create(
                [Seat(collection=collection, topic=topic, item=items[seat["position"]], **seat) for seat in seats]
            )
            made[case] = collection, me
    return made


def cost(act: Callable[[], int]) -> tuple[int, int]:
    """Of an act that is taken back: what it found, and how many pages PostgreSQL read for it, or steps SQLite took."""
    steps = 0

    def count() -> None:
        nonlocal steps
        steps += 1

    with transaction.atomic(), CaptureQueriesContext(connection) as asked:
        if connection.vendor == "sqlite":
            connection.connection.set_progress_handler(count, 10)
        found = act()
        if connection.vendor == "sqlite":
            connection.connection.set_progress_handler(None, 0)
        transaction.set_rollback(True)
    if connection.vendor == "sqlite":
        return found, steps
    with transaction.atomic(), connection.cursor() as cursor:
        for query in asked:
            if "SELECT" in query["sql"]:
                cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {query['sql']}")
                plan = cursor.fetchone()[0][0]["Plan"]
                steps += plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]
        transaction.set_rollback(True)
    return found, steps


def claim(collection: Collection, assessor: User) -> int:
    return claiming.claim_seats(collection, assessor=assessor, count=3, room=3)


@pytest.mark.django_db
def test_a_claim_costs_no_more_where_the_pool_is_larger() -> None:
    few, many = make_cases(FEW), make_cases(MANY)
    for analysed in (False, True):  # as PostgreSQL guesses of new tables, and as it knows later
        if analysed:
            tell_planner(Seat, Assignment, AssignmentPlan, PoolItem, Document, Corpus, Topic)
        for case, wanted in CASES.items():
            found, small = cost(partial(claim, *few[case]))
            found_of_many, large = cost(partial(claim, *many[case]))
            assert found == found_of_many == wanted, case
            assert large < 2 * small, (case, analysed, small, large)


def make_own_topic(size: int) -> tuple[Collection, User]:
    """All of a topic is one assessor's; half of it is judged, and what is next comes after what was judged."""
    organizer = people.make_user(f"Olga of own {size}")
    collection = people.make_collection(organizer, f"Own {size}")
    (topic,) = factories.make_topics(collection, [1])
    docnos = [f"D{n}" for n in range(size)]
    corpus = Corpus.objects.create(collection=collection, generation=1, last_generation=1, document_count=size)
    insert_many(Document, ("docno",), ([docno] for docno in docnos), corpus_id=corpus.pk, generation=1, text="A text.")
    pool = factories.make_pool(collection, organizer, {topic: docnos})
    (me,) = factories.make_assessors(collection, f"Ann of own {size}")
    items, now = list(pool.items.order_by("pk").values_list("pk", flat=True)), timezone.now()
    same = {"collection_id": collection.pk, "topic_id": topic.pk, "assessor_id": me.pk}
    rows = [(item, place, uuid4()) for place, item in enumerate(items)]
    insert_many(Seat, ("item_id", "position", "token"), rows[: size // 2], **same, judged_at=now)
    insert_many(Seat, ("item_id", "position", "token"), rows[size // 2 :], **same)
    return collection, me


def cards(collection: Collection, assessor: User) -> int:
    return len(blind.next_cards(collection, assessor, 3))


@pytest.mark.django_db
def test_cards_cost_no_more_where_more_is_left_and_judged() -> None:
    few, many = make_own_topic(FEW), make_own_topic(LARGE)
    tell_planner(Seat, PoolItem, Document, Corpus, Topic)
    (found, small), (found_of_many, large) = cost(partial(cards, *few)), cost(partial(cards, *many))
    assert found == found_of_many == 3
    assert large < 2 * small, (small, large)
