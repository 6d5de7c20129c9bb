"""Drawing: exact sizes before, only what is new after, and nothing half."""

from pathlib import Path

import pytest
from pytest_django import Settings

from config import jobs
from config.errors import Conflict, Refusal
from config.models import Job
from pooling import plans, selectors
from pooling.models import Collection, Pool, PoolItem, Run, UploadKind
from pooling.plans import Size
from pooling.services import collections, pools
from pooling.services import work as work_
from tests.conftest import Cast
from tests.pooling.files import Cut, CutOff, documents, draw, fill, run_file, take, take_run, take_topics


@pytest.fixture(autouse=True)
def _own_data(settings: Settings, tmp_path: Path) -> None:
    settings.DATA = tmp_path


@pytest.fixture
def runs(cast: Cast) -> list[Run]:
    return fill(cast.collection, cast.organizer)


def items(collection: Collection) -> list[tuple[str, str, int, int]]:
    found = PoolItem.objects.filter(pool__collection=collection, pool__drawn_at__isnull=False)
    return sorted(found.values_list("topic__number", "docno", "best_rank", "run_count"))


def test_pool_is_the_union_of_the_first_documents(cast: Cast, runs: list[Run]) -> None:
    pool = draw(cast.collection, cast.organizer, 1)
    assert items(cast.collection) == [
        ("1", "d1", 1, 1),
        ("1", "d2", 1, 1),
        ("10", "d5", 1, 2),
        ("2", "d1", 1, 1),
        ("2", "d3", 1, 1),
    ]
    assert (pool.round, pool.strategy, pool.parameters, pool.item_count) == (1, "depth", {"depth": 1, "ties": "evaluation"}, 5)
    assert (pool.drawn_by, list(pool.runs.all())) == (cast.organizer, runs)
    assert pool.drawn_at


def test_sizes_are_exact_before_and_tell_what_is_new(cast: Cast, runs: list[Run]) -> None:
    assert plans.sizes(cast.collection, runs, [1, 2, 100]) == [Size(1, 5, 5), Size(2, 7, 7), Size(100, 8, 8)]
    draw(cast.collection, cast.organizer, 1)
    cast.collection.seconds_per_judgment = 1800
    assert plans.sizes(cast.collection, runs, [1, 2]) == [Size(1, 5, 0, 0.0), Size(2, 7, 2, 1.0)]
    assert plans.sizes(cast.collection, []) == []


def test_later_round_adds_only_what_is_new(cast: Cast, runs: list[Run]) -> None:
    draw(cast.collection, cast.organizer, 1, runs[0])
    second = draw(cast.collection, cast.organizer, 2)
    assert (second.round, second.item_count) == (2, 4)
    assert len(items(cast.collection)) == 7
    with pytest.raises(Refusal, match="Nothing is new"):
        draw(cast.collection, cast.organizer, 2)
    assert [pool.round for pool in selectors.pools(cast.collection)] == [1, 2]
    assert draw(cast.collection, cast.organizer, 3).round == 3


def test_missing_documents_wait(cast: Cast) -> None:
    take_topics(cast.collection, cast.organizer)
    take_run(cast.collection, cast.organizer, run_file("a", t1="d1 gone", t2="d2"))
    draw(cast.collection, cast.organizer, 2)
    assert selectors.drawn_items(cast.collection).count() == 0
    take(cast.collection, cast.organizer, UploadKind.DOCUMENTS, documents())
    assert sorted(selectors.drawn_items(cast.collection).values_list("docno", flat=True)) == ["d1", "d2"]
    assert [item.docno for item in selectors.missing_items(cast.collection)] == ["gone"]


def test_topics_that_went_are_left_out(cast: Cast, runs: list[Run]) -> None:
    take(cast.collection, cast.organizer, UploadKind.TOPICS, b"1\tone\n", drop="yes")
    assert plans.sizes(cast.collection, runs, [1]) == [Size(1, 2, 2)]
    assert draw(cast.collection, cast.organizer, 1).item_count == 2


@pytest.mark.parametrize(
    ("depth", "words"), [(0, "depth: Expected at least 1; found 0"), (1001, "Expected at most 1000; found 1001")]
)
def test_odd_depth_is_refused(cast: Cast, runs: list[Run], depth: int, words: str) -> None:
    with pytest.raises(Refusal, match=words):
        pools.plan_pool(cast.collection, by=cast.organizer, runs=runs, depth=depth)


def test_refused_without_runs_or_when_archived(cast: Cast, runs: list[Run]) -> None:
    with pytest.raises(Refusal, match="at least one run"):
        pools.plan_pool(cast.collection, by=cast.organizer, runs=[], depth=5)
    collections.archive_collection(cast.collection)
    with pytest.raises(Conflict, match="archived"):
        pools.request_pool(cast.collection, by=cast.organizer, runs=runs, depth=5)
    assert (Pool.objects.count(), Job.objects.filter(name="draw_pool").count()) == (0, 0)


def test_one_drawing_at_a_time(cast: Cast, runs: list[Run]) -> None:
    pools.request_pool(cast.collection, by=cast.organizer, runs=runs, depth=5)
    with pytest.raises(Conflict, match="A pool is being drawn"):
        pools.request_pool(cast.collection, by=cast.organizer, runs=runs, depth=5)
    assert Pool.objects.count() == 1


@pytest.mark.parametrize("at", [1, 2, 3, 4, None])
def test_drawing_cut_off_shows_nothing_and_repeats(
    cast: Cast, runs: list[Run], monkeypatch: pytest.MonkeyPatch, at: int | None
) -> None:
    monkeypatch.setattr(pools, "ROWS", 2)
    monkeypatch.setattr(work_, "ROWS", 2)
    pool = pools.plan_pool(cast.collection, by=cast.organizer, runs=runs, depth=1)
    with pytest.raises(Cut):
        pools.draw_pool(pool, CutOff(at))
    assert (items(cast.collection), list(selectors.pools(cast.collection))) == ([], [])
    assert selectors.drawn_items(cast.collection).count() == 0
    again = draw(cast.collection, cast.organizer, 2)  # planned anew: the round that was begun is used
    assert (again.pk, again.round, again.item_count) == (pool.pk, 1, 7)
    assert len(items(cast.collection)) == PoolItem.objects.count() == 7
    assert pools.draw_pool(again, CutOff(1)) == again  # drawn already: nothing is done


def test_archived_while_it_is_drawn(cast: Cast, runs: list[Run]) -> None:
    pool = pools.plan_pool(cast.collection, by=cast.organizer, runs=runs, depth=1)
    collections.archive_collection(cast.collection)
    with pytest.raises(Conflict, match="archived"), work_.Direct(lambda done, total, words: None) as work:
        pools.draw_pool(pool, work)
    assert items(cast.collection) == []


@pytest.mark.django_db(transaction=True)
def test_job_draws_and_twice_does_no_harm(cast: Cast, runs: list[Run]) -> None:
    pool, job = pools.request_pool(cast.collection, by=cast.organizer, runs=runs, depth=1)
    for _ in range(2):
        jobs.run(job.pk)
    job.refresh_from_db()
    pool.refresh_from_db()
    assert (job.state, job.message, pool.item_count) == ("done", "Round 1: 5 items", 5)
    _, job = pools.request_pool(cast.collection, by=cast.organizer, runs=runs, depth=1)
    jobs.run(job.pk)
    job.refresh_from_db()
    assert (job.state, Pool.objects.count()) == ("failed", 1)
    assert job.message.startswith("Nothing is new")
