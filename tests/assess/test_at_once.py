"""Many at the same moment: claims, and the same act sent several times. Real threads, real transactions."""

import threading
import uuid
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import close_old_connections, connection, transaction
from django.db.models import Count
from django.utils import timezone
from pytest_django import Settings

from assess.models import Judgment, JudgmentEvent, Seat
from assess.services import assigning, judging
from assess.services.assigning import Rules, Wanted
from config.models import User
from pooling.selectors import documents
from pooling.services import collections, pools
from tests.assess import factories
from tests.assess.conftest import Bench, make_bench
from tests.assess.test_adapting import VECTOR, World
from tests.pooling import files

pytestmark = pytest.mark.usefixtures("committed")


def at_once(count: int, act: Callable[[int], Any]) -> list[Any]:
    """The results of `count` threads that begin together; an exception counts as a result."""
    barrier = threading.Barrier(count)
    results: list[Any] = [None] * count

    def run(number: int) -> None:
        close_old_connections()
        barrier.wait()
        try:
            results[number] = act(number)
        except Exception as error:
            results[number] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def test_no_seat_is_claimed_twice() -> None:
    bench = make_bench()
    people = factories.make_assessors(bench.collection, *(f"Crowd {n}" for n in range(8)))
    (topic,) = factories.make_work(bench.collection, bench.organizer, topics=1, items=60)
    assigning.assign(bench.collection, by=bench.organizer, wanted=[Wanted(topic, people)], overlap=0)

    def judge_all(number: int) -> list[uuid.UUID]:
        done = []
        while cards := judging.next_items(bench.collection, assessor=people[number], count=2):
            for card in cards:
                judging.record_judgment(
                    bench.collection, assessor=people[number], seat=card.token, grade=1, client_id=uuid.uuid4(), ahead=0
                )
                done.append(card.token)
        return done

    results = at_once(8, judge_all)
    assert not [result for result in results if isinstance(result, Exception)]
    tokens = [token for result in results for token in result]
    assert len(tokens) == len(set(tokens)) == 60
    assert Judgment.objects.count() == JudgmentEvent.objects.count() == 60
    assert not Seat.objects.filter(judged_at=None).exists()


@pytest.mark.larger
def test_nobody_who_judges_keeps_a_file_waiting(settings: Settings, tmp_path: Path) -> None:
    """In a crowd somebody always judges: who waits until nobody does waits for long. Rounds and guidelines do not, either."""
    settings.DATA = tmp_path / "data"
    bench = make_bench()
    bench.assign(overlap=0)
    bench.judge(bench.ann)  # the first of all is noted in the collection itself
    bench.collection.refresh_from_db()
    (card,) = judging.next_items(bench.collection, assessor=bench.ann, count=1)

    def send(_number: int) -> str:
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '10s'")
        known = " ".join(documents(bench.collection).values_list("docno", flat=True)[:2])
        data = files.run_file("beside", **{f"t{topic.number}": known for topic in bench.topics})
        run = files.take_run(bench.collection, bench.organizer, data)
        pools.plan_pool(bench.collection, by=bench.organizer, runs=[run])
        collections.write_guideline(bench.collection, by=bench.organizer, text="By the text alone.")
        return run.tag

    with transaction.atomic():
        judging.record_judgment(bench.collection, assessor=bench.ann, seat=card.token, grade=1, client_id=uuid.uuid4(), ahead=0)
        assert at_once(1, send) == ["beside"]


def test_two_who_share_a_topic_of_an_adaptive_round_pick_each_number_once(settings: Settings, tmp_path: Path) -> None:
    settings.DATA = tmp_path / "data"
    world = World()
    pool = world.draw("maxmean", ahead=2)
    world.assign(world.ann, world.bob)
    results = at_once(2, lambda number: world.judge((world.ann, world.bob)[number]))
    assert sorted(docno for result in results for docno in result) == sorted(VECTOR["qrels"])
    assert list(pool.picks.order_by("number").values_list("number", flat=True)) == list(range(1, 17))
    pool.refresh_from_db()
    assert pool.item_count == Seat.objects.filter(judged_at__isnull=False).count() == 16


def test_the_same_act_sent_at_once_is_one_event() -> None:
    bench = make_bench()
    bench.assign(overlap=0)
    card, act = bench.cards(bench.ann)[0], uuid.uuid4()

    def send(number: int = 0) -> judging.Saved:
        told = {"seat": card.token, "grade": 2, "client_id": act, "seen": 0}
        return judging.record_judgment(bench.collection, assessor=bench.ann, **told).saved  # type: ignore[arg-type]

    assert at_once(20, send) == [judging.Saved(card.token, act, 2, 1)] * 20
    assert JudgmentEvent.objects.count() == 1 and Judgment.objects.get().event_count == 1
    judging.record_judgment(bench.collection, assessor=bench.ann, seat=card.token, grade=3, client_id=uuid.uuid4())
    assert at_once(20, send) == [judging.Saved(card.token, act, 2, 1)] * 20  # much later, and after a change of mind
    assert JudgmentEvent.objects.count() == 2 and Judgment.objects.get().grade == 3


def test_two_acts_at_once_of_which_one_is_told() -> None:
    bench = make_bench()
    bench.assign(overlap=0)
    card = bench.cards(bench.ann)[0]
    results = at_once(
        4,
        lambda number: judging.record_judgment(
            bench.collection, assessor=bench.ann, seat=card.token, grade=number, client_id=uuid.uuid4(), seen=0
        ),
    )
    stale = [result for result in results if isinstance(result, judging.Stale)]
    assert len(stale) == 3 and JudgmentEvent.objects.count() == 1


@pytest.mark.parametrize("same", [True, False], ids=["the same", "another"])
def test_an_act_that_waits_for_another_knows_of_it_afterwards(same: bool) -> None:
    """The first is not committed when the second comes: that one reads what its answer depends on when it has waited."""
    bench = make_bench()
    bench.assign(overlap=0)
    before, card = bench.cards(bench.ann, 2)
    first, found = uuid.uuid4(), list[object]()

    def judge(client_id: uuid.UUID, grade: int, seat: uuid.UUID = card.token) -> object:
        act = {"seat": seat, "client_id": client_id, "grade": grade, "seen": 0, "ahead": 0}
        return judging.record_judgment(bench.collection, assessor=bench.ann, **act).saved  # type: ignore[arg-type]

    def later() -> None:
        try:
            found.append(judge(first if same else uuid.uuid4(), 1))
        except Exception as error:
            found.append(error)
        finally:
            connection.close()

    judge(uuid.uuid4(), 0, before.token)  # the first of a collection waits for its row, too
    with transaction.atomic():
        saved, waits = judge(first, 2), threading.Thread(target=later)
        waits.start()
        waits.join(0.5)
        assert found == []
    waits.join()
    assert found[0] == saved if same else isinstance(found[0], judging.Stale), found
    assert list(JudgmentEvent.objects.order_by("pk").values_list("grade", flat=True)) == [0, 2]


def test_assigning_anew_while_people_judge() -> None:
    bench = make_bench()
    factories.make_work(bench.collection, bench.organizer, topics=2, items=30)
    assigning.auto_assign(bench.collection, by=bench.organizer, overlap=0.5, seed=1)

    def act(number: int) -> None:
        user = (bench.ann, bench.bob)[number % 2]
        if number == 2:
            for seed in range(4):
                assigning.auto_assign(bench.collection, by=bench.organizer, overlap=0.5, seed=seed, everything=True)
            return
        for card in judging.next_items(bench.collection, assessor=user, count=20):
            judging.record_judgment(bench.collection, assessor=user, seat=card.token, grade=1, client_id=uuid.uuid4(), ahead=0)
            shown.append((card.docno, user.pk))

    shown: list[tuple[str, int]] = []
    results = at_once(3, act)
    assert not [result for result in results if result is not None]
    # Whatever was given to somebody else a moment before is kept as well, as an extra.
    assert sorted(Judgment.objects.values_list("item__docno", "assessor")) == sorted(shown)
    seats = Seat.objects.filter(judged_at__isnull=False)
    counted = Judgment.objects.filter(extra=False).values_list("item", "assessor")
    assert sorted(seats.values_list("item", "assessor")) == sorted(counted)


def drain(bench: Bench, user: User, limit: int = 1000) -> list[uuid.UUID]:
    """Judge what is next until nothing is left for this one; with a limit, vanish with what is then held."""
    done: list[uuid.UUID] = []
    while len(done) < limit and (cards := judging.next_items(bench.collection, assessor=user, count=5)):
        judging.record_judgment(bench.collection, assessor=user, seat=cards[0].token, grade=1, client_id=uuid.uuid4(), ahead=0)
        done.append(cards[0].token)
    return done


@pytest.mark.parametrize("opinions", [1, 2, 3])
def test_a_crowd_completes_a_pool_and_some_vanish(opinions: int) -> None:
    """Nobody gets what another has, every item ends with as many judgments as are wanted, and no lease is stuck. In full, with
    fifty over HTTP: `make claims`."""
    bench = make_bench()
    crowd = factories.make_assessors(bench.collection, *(f"Crowd {n}" for n in range(20)))
    items = 96 // opinions
    (topic,) = factories.make_work(bench.collection, bench.organizer, topics=1, items=items)
    # Two: by slots of their own. Three: item by item, whoever is free gives whichever opinion is wanted.
    groups = [crowd[:10], crowd[10:]] if opinions == 2 else [crowd]
    rules = Rules(third=float(opinions == 3), by_item=opinions == 3)
    told = {"overlap": float(opinions > 1), "rules": rules}
    assigning.assign(bench.collection, by=bench.organizer, wanted=[Wanted(topic, *groups)], **told)  # type: ignore[arg-type]
    # Who vanishes comes first: late in the crowd there may be nothing left to vanish with.
    vanishing = crowd[::4]
    results = at_once(5, lambda number: drain(bench, vanishing[number], 1))
    held = Seat.objects.filter(judged_at=None, assessor__isnull=False)
    assert set(held.values_list("assessor", flat=True)) == {user.pk for user in vanishing}
    staying = [user for user in crowd if user not in vanishing]
    results += at_once(15, lambda number: drain(bench, staying[number]))
    assert not [result for result in results if isinstance(result, Exception)]
    Seat.objects.filter(judged_at=None).update(claimed_at=timezone.now() - timedelta(minutes=31))
    rest = [drain(bench, user) for user in crowd[1::2]]
    tokens = [token for result in (*results, *rest) for token in result]
    assert len(tokens) == len(set(tokens)) == items * opinions
    assert not Seat.objects.filter(collection=bench.collection, judged_at=None).exists()
    counts = Judgment.objects.values_list("item").annotate(count=Count("pk")).values_list("count", flat=True)
    assert set(counts) == {opinions} and not Judgment.objects.filter(extra=True).exists()
