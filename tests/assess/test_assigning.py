"""Assignments and seats."""

import numpy as np
import pytest

from assess import selectors
from assess.core.balance import balance
from assess.models import Assignment, AssignmentPlan, Seat
from assess.services import assigning, claiming, seating
from assess.services.assigning import Wanted
from config.errors import Conflict, Refusal
from config.models import Job, User
from pooling.models import Collection, Topic
from pooling.services import collections
from pooling.services.work import Direct
from tests import factories as people
from tests.assess import factories
from tests.assess.conftest import Bench


def held(user: User, **more: object) -> list[tuple[str, str, int]]:
    rows = Seat.objects.filter(assessor=user, **more).order_by("position")
    return [(row.item.topic.number, row.item.docno, row.slot) for row in rows.select_related("item__topic")]


def test_balance_gives_about_as_much_to_each() -> None:
    sizes = np.array([50, 30, 20, 20, 10, 10, 5, 5], np.int64)
    first, second = balance(sizes, np.zeros(3, np.int64), [1, 0.2], np.random.default_rng(1))
    loads = np.bincount(first, sizes) + np.bincount(second, 0.2 * sizes)
    assert loads.max() - loads.min() <= 12
    assert (first != second).all() and (second >= 0).all()


def test_balance_counts_what_people_have_already() -> None:
    first, second = balance(np.array([5, 5], np.int64), np.array([100, 0], np.int64), [1, 0], np.random.default_rng(1))
    assert first.tolist() == [1, 1] and second.tolist() == [-1, -1]


def test_assign_seats_every_item_once_and_the_overlap_twice(bench: Bench) -> None:
    one, two = bench.topics
    done = assigning.assign(
        bench.collection,
        by=bench.organizer,
        wanted=[Wanted(one, [bench.ann], [bench.bob]), Wanted(two, [bench.bob])],
        overlap=0.4,
        seed=7,
    )
    assert (done.topics, done.made, done.moved, done.removed, done.job) == (2, 12, 0, 0, None)
    assert len(held(bench.ann)) == 5 and {slot for _, _, slot in held(bench.ann)} == {1}
    assert len(held(bench.bob, slot=1)) == 5 and len(held(bench.bob, slot=2)) == 2
    assert [topic for topic, _, _ in held(bench.bob)] == ["1"] * 2 + ["2"] * 5  # topic after topic
    assert AssignmentPlan.objects.get().seed == 7 and AssignmentPlan.objects.get().overlap == 0.4


def test_order_is_seeded_and_differs_between_assessors(bench: Bench) -> None:
    (topic,) = factories.make_work(bench.collection, bench.organizer, topics=1, items=30)
    docnos = sorted(topic.items.values_list("docno", flat=True))

    def order(user: User, seed: int) -> list[str]:
        assigning.assign(bench.collection, by=bench.organizer, wanted=[Wanted(topic, [user])], overlap=0, seed=seed)
        return [docno for _, docno, _ in held(user)]

    first = order(bench.ann, 1)
    assert sorted(first) == docnos and first != docnos
    assert order(bench.ann, 2) != first != order(bench.bob, 1)
    assert order(bench.ann, 1) == first


def test_reassigning_moves_only_what_is_not_judged(bench: Bench) -> None:
    one, _ = bench.topics
    bench.assign(overlap=0)
    before = held(bench.ann)
    bench.judge(bench.ann, 2)
    done = assigning.assign(bench.collection, by=bench.organizer, wanted=[Wanted(one, [bench.bob])], overlap=0)
    assert (done.made, done.moved, done.removed) == (0, 3, 0)
    assert held(bench.ann, judged_at__isnull=False) == before[:2]
    assert len(held(bench.bob)) == 5 + 3


def test_first_and_second_can_change_places(bench: Bench) -> None:
    one, _ = bench.topics
    assigning.assign(bench.collection, by=bench.organizer, wanted=[Wanted(one, [bench.ann], [bench.bob])], overlap=1)
    assigning.assign(bench.collection, by=bench.organizer, wanted=[Wanted(one, [bench.bob], [bench.ann])], overlap=1)
    assert len(held(bench.bob, slot=1)) == len(held(bench.ann, slot=2)) == 5
    assert Seat.objects.count() == 10


def test_change_of_places_after_judging_asks_nobody_twice(bench: Bench) -> None:
    one, _ = bench.topics
    assigning.assign(bench.collection, by=bench.organizer, wanted=[Wanted(one, [bench.ann], [bench.bob])], overlap=1)
    bench.judge(bench.bob, 2)
    assigning.assign(bench.collection, by=bench.organizer, wanted=[Wanted(one, [bench.bob], [bench.ann])], overlap=1)
    assert Seat.objects.filter(assessor=bench.bob).values("item").distinct().count() == 5
    assert Seat.objects.count() == 10 and not Seat.objects.filter(assessor=None).exists()


def test_unassigning_takes_back_what_is_not_judged(bench: Bench) -> None:
    bench.assign(overlap=0)
    bench.judge(bench.ann, 1)
    done = assigning.assign(bench.collection, by=bench.organizer, wanted=[Wanted(t) for t in bench.topics], overlap=0)
    assert (done.removed, Seat.objects.count(), Assignment.objects.count()) == (9, 1, 0)


def test_new_round_is_seated_by_assigning_again(bench: Bench) -> None:
    bench.assign(overlap=0.4)
    bench.judge(bench.ann, 2)
    twice = set(Seat.objects.filter(slot=2).values_list("item", flat=True))
    factories.make_documents(bench.collection, ["N1", "N2", "N3"])
    factories.make_pool(bench.collection, bench.organizer, {bench.topics[0]: ["N1", "N2", "N3", "not-there"]})
    assert [line.unseated for line in selectors.topic_plans(bench.collection)] == [3, 0]
    done = assigning.seat_new_items(bench.collection, by=bench.organizer)
    assert done.removed == 0 and done.made in {4, 5}  # three first opinions, and one or two second ones
    assert twice < set(Seat.objects.filter(slot=2).values_list("item", flat=True))
    again = assigning.seat_new_items(bench.collection, by=bench.organizer)
    assert (again.made, again.moved, again.removed, again.words) == (0, 0, 0, "Nobody’s work has changed")


def test_larger_overlap_keeps_the_smaller_one(bench: Bench) -> None:
    bench.assign(overlap=0.2)
    few = set(Seat.objects.filter(slot=2).values_list("item", flat=True))
    bench.assign(overlap=0.6)
    more = set(Seat.objects.filter(slot=2).values_list("item", flat=True))
    assert few < more and len(more) == 6
    bench.assign(overlap=0)
    assert not Seat.objects.filter(slot=2).exists()


def test_undrawn_pool_is_not_seated(bench: Bench) -> None:
    bench.assign(overlap=0)
    factories.make_documents(bench.collection, ["U1"])
    factories.make_pool(bench.collection, bench.organizer, {bench.topics[0]: ["U1"]}, drawn=False)
    assert assigning.seat_new_items(bench.collection, by=bench.organizer).made == 0


def test_shared_topic_has_free_seats(bench: Bench) -> None:
    one, _ = bench.topics
    assigning.assign(bench.collection, by=bench.organizer, wanted=[Wanted(one, [bench.ann, bench.bob])], overlap=0)
    assert Seat.objects.filter(assessor=None).count() == 5
    assert claiming.claim_seats(bench.collection, assessor=bench.ann, count=2) == 2
    assert claiming.claim_seats(bench.collection, assessor=bench.stranger, count=2) == 0
    assigning.assign(bench.collection, by=bench.organizer, wanted=[Wanted(one, [bench.ann, bench.bob])], overlap=0)
    assert Seat.objects.filter(assessor=bench.ann).count() == 2  # taken a moment ago
    Seat.objects.filter(assessor=bench.ann).update(claimed_at="2020-01-01T00:00:00Z")
    assigning.assign(bench.collection, by=bench.organizer, wanted=[Wanted(one, [bench.ann, bench.bob])], overlap=0)
    assert Seat.objects.filter(assessor=None).count() == 5


def test_auto_assign_covers_all_topics(bench: Bench) -> None:
    factories.make_work(bench.collection, bench.organizer, topics=4, items=3)
    done = assigning.auto_assign(bench.collection, by=bench.organizer, overlap=0.2, seed=3)
    assert done.topics == 6
    sizes = [Seat.objects.filter(assessor=user).count() for user in (bench.ann, bench.bob)]
    assert abs(sizes[0] - sizes[1]) <= 3
    with pytest.raises(Conflict, match="Every topic has its assessor already"):
        assigning.auto_assign(bench.collection, by=bench.organizer)
    again = assigning.auto_assign(bench.collection, by=bench.organizer, overlap=0.2, seed=3, everything=True)
    assert (again.made, again.moved, again.removed) == (0, 0, 0)


def test_auto_assign_uses_the_chosen_and_needs_a_pool(bench: Bench) -> None:
    assigning.auto_assign(bench.collection, by=bench.organizer, assessors=[bench.ann])
    assert not Seat.objects.exclude(assessor=bench.ann).exists()
    with pytest.raises(Refusal, match="needs a second assessor"):
        assigning.auto_assign(bench.collection, by=bench.organizer, assessors=[bench.ann], overlap=0.1)
    other = people.make_collection(bench.organizer, "Without a pool")
    with pytest.raises(Conflict, match="no assessor yet"):
        assigning.auto_assign(other, by=bench.organizer)
    factories.make_assessors(other, "Cora Critic")
    factories.make_topics(other, [1])
    with pytest.raises(Conflict, match="draw a pool first"):
        assigning.auto_assign(other, by=bench.organizer)


@pytest.mark.parametrize(
    ("first", "second", "overlap", "words"),
    [
        (["ann"], ["ann"], 0.5, "Topic 1: Ann Assessor cannot give the second opinion on their own judgments."),
        ([], ["ann"], 0.5, "Topic 1: a second opinion needs a first one; choose a first assessor."),
        (["ann"], ["bob"], 0, "Topic 1 has a second assessor, but the overlap is 0 %: set how much two judge."),
        (["stranger"], [], 0, "Topic 1: Sam Stranger is not an assessor of this collection."),
        (["ann"], [], 1.5, "The overlap is a share from 0 to 1 (0 to 100 %); found 1.5."),
    ],
)
def test_nonsense_is_refused(bench: Bench, first: list[str], second: list[str], overlap: float, words: str) -> None:
    wanted = Wanted(bench.topics[0], [getattr(bench, n) for n in first], [getattr(bench, n) for n in second])
    with pytest.raises(Refusal) as refused:
        assigning.assign(bench.collection, by=bench.organizer, wanted=[wanted], overlap=overlap)
    assert refused.value.message == words
    assert not Assignment.objects.exists() and not AssignmentPlan.objects.exists()


def test_seed_and_foreign_topic_and_archived_are_refused(bench: Bench) -> None:
    with pytest.raises(Refusal, match="seed: Expected at least 0; found -1"):
        assigning.assign(bench.collection, by=bench.organizer, wanted=[], overlap=0, seed=-1)
    other = people.make_collection(bench.organizer, "Other one")
    (foreign,) = factories.make_topics(other, [9])
    with pytest.raises(Refusal, match="Topic 9 is not of this collection"):
        assigning.assign(bench.collection, by=bench.organizer, wanted=[Wanted(foreign)], overlap=0)
    collections.archive_collection(bench.collection)
    with pytest.raises(Conflict, match="archived"):
        bench.assign(overlap=0)


def test_many_seats_are_made_by_a_job(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seating, "ROWS", 3)
    monkeypatch.setattr(seating, "pause", lambda: None)
    done = bench.assign(overlap=0.4)
    assert done.job and done.job.name == "seat_items" and Job.objects.count() == 1
    assert not Seat.objects.exists() and Assignment.objects.count() == 4
    told: list[tuple[int, int, str]] = []
    with Direct(lambda *words: told.append(words)) as work:
        assert seating.seat_items(bench.collection, work).made == 14
        assert seating.seat_items(bench.collection, work).made == 0
    assert Seat.objects.count() == 14 and told[0] == (0, 14, "14 judgments")


def test_what_is_judged_between_two_chunks_stays_and_the_rest_is_seated(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.assign(overlap=1)
    monkeypatch.setattr(seating, "ROWS", 3)
    monkeypatch.setattr(seating, "pause", lambda: bench.judge(bench.ann) if Seat.objects.filter(assessor=bench.ann) else None)
    one, two = bench.topics
    swapped = [Wanted(one, [bench.bob], [bench.ann]), Wanted(two, [bench.ann], [bench.bob])]
    with Direct(lambda *words: None) as work:
        assigning.assign(bench.collection, by=bench.organizer, wanted=swapped, overlap=1, work=work)
    assert Seat.objects.filter(judged_at__isnull=False).exists()
    pairs = sorted(Seat.objects.values_list("item", "assessor"))
    items = [item for topic in bench.topics for item in topic.items.values_list("pk", flat=True)]
    assert pairs == sorted((item, user.pk) for item in items for user in (bench.ann, bench.bob))


def test_by_command_at_once(bench: Bench) -> None:
    with Direct(lambda *words: None) as work:
        done = assigning.auto_assign(bench.collection, by=bench.organizer, overlap=0.4, work=work)
    assert (done.topics, done.made, done.job) == (2, 14, None)


def test_other_collections_are_left_alone(bench: Bench) -> None:
    other: Collection = people.make_collection(bench.organizer, "Other one")
    factories.make_assessors(other, "Cora Critic")
    topics: list[Topic] = factories.make_work(other, bench.organizer)
    assigning.auto_assign(other, by=bench.organizer)
    bench.assign(overlap=0)
    assert Seat.objects.filter(item__topic__in=topics).count() == 10


def test_second_opinions_spread_over_ranks_with_their_probability(bench: Bench) -> None:
    (topic,) = factories.make_work(bench.collection, bench.organizer, topics=1, items=40)
    for place, item in enumerate(topic.items.order_by("pk")):
        topic.items.filter(pk=item.pk).update(best_rank=place * 5 + 1)  # 2, 8 and 30 in the three strata
    wanted = [Wanted(topic, [bench.ann], [bench.bob])]
    assigning.assign(bench.collection, by=bench.organizer, wanted=wanted, overlap=0.5, seed=4)
    second = Seat.objects.filter(slot=2)
    assert set(second.values_list("inclusion", flat=True)) == {0.5}
    assert set(Seat.objects.filter(slot=1).values_list("inclusion", flat=True)) == {1.0}
    ranks = list(second.values_list("item__best_rank", flat=True))
    assert [sum(low < rank <= high for rank in ranks) for low, high in ((0, 10), (10, 50), (50, 999))] == [1, 4, 15]
    bench.judge(bench.bob, 1)
    assigning.assign(bench.collection, by=bench.organizer, wanted=wanted, overlap=0.25, seed=4)
    assert set(second.filter(judged_at=None).values_list("inclusion", flat=True)) == {0.25}
    (row,) = selectors.exported(bench.collection)
    assert (row["slot"], row["inclusion"]) == (2, 0.5)  # as it was drawn when it was judged
