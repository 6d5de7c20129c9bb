"""Pools: which documents are to be judged. Planned at once, drawn by a job, one round after the other."""

import secrets
from collections.abc import Iterable

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from config import jobs
from config.errors import Conflict, Refusal
from config.models import Job, JobState, User
from pooling import plans, selectors
from pooling.core import planning
from pooling.models import Collection, Pool, PoolItem, Run
from pooling.services.work import ROWS, Work, pause, remove_in_chunks, tell_planner


@transaction.atomic
def plan_pool(collection: Collection, *, by: User, runs: Iterable[Run], strategy: str = "depth", **values: object) -> Pool:
    """The next round, not yet drawn. One that was planned and never drawn is planned anew, with what it left behind."""
    locked = Collection.objects.select_for_update().get(pk=collection.pk)
    if locked.is_archived:
        raise Conflict("This collection is archived; restore it first.")
    choice = plans.choice(runs, strategy, values)
    if not collection.topics.exists():
        raise Conflict("There are no topics yet: upload them first.")
    live = Job.objects.filter(name="draw_pool", collection_id=collection.pk, state__in=[JobState.WAITING, JobState.RUNNING])
    if live.exists():
        raise Conflict("A pool is being drawn; wait until that is done.")
    pool = collection.pools.filter(drawn_at=None).first()
    if pool is None:
        last = collection.pools.aggregate(last=Max("round"))["last"] or 0
        pool = Pool(collection=collection, round=last + 1)
    pool.strategy, pool.parameters, pool.drawn_by = choice.strategy, choice.values, by
    pool.seed, pool.created_at = secrets.randbits(32), timezone.now()
    pool.full_clean(exclude=["drawn_at", "used"])
    pool.save()
    pool.runs.set(choice.runs)
    return pool


@transaction.atomic
def request_pool(
    collection: Collection, *, by: User, runs: Iterable[Run], strategy: str = "depth", **values: object
) -> tuple[Pool, Job]:
    """Plan the next round and ask for it to be drawn."""
    pool = plan_pool(collection, by=by, runs=runs, strategy=strategy, **values)
    job = jobs.intend(
        "draw_pool",
        title=f"Drawing round {pool.round} of {collection.name}",
        args={"pool": pool.pk},
        started_by=by,
        collection_id=collection.pk,
        dedupe=f"draw:{collection.pk}",
    )
    return pool, job


def draw_pool(pool: Pool, work: Work) -> Pool:
    """Draw a planned round: its new items go in aside, and exist for others by one switch. Drawn once, it does no more."""
    if pool.drawn_at:
        return pool
    remove_in_chunks(pool.items.all())  # what a killed attempt left
    runs = list(pool.runs.select_related("upload").order_by("pk"))
    work.progress(0, 1, f"Reading {len(runs):,} runs")
    found = plans.chosen(plans.Choice(pool.strategy, pool.parameters, tuple(runs)))
    items = _new_items(pool, planning.pool_of(found))
    if not items:
        pool.delete()
        raise Refusal("Nothing is new: every document that this choice takes is in the pool already.")
    for start in range(0, len(items), ROWS):
        work.progress(start, len(items), f"{len(items):,} items")
        PoolItem.objects.bulk_create(items[start : start + ROWS])
        pause()
    if pool.items.count() != len(items):
        raise RuntimeError(f"round {pool.pk} was disturbed by another drawing")
    used = [share.told() for share in plans.shares(found, runs)]
    tell_planner(PoolItem)
    with work.finish(f"Round {pool.round}: {len(items):,} items"):
        switch = Pool.objects.filter(pk=pool.pk, drawn_at=None, collection__archived_at=None)
        if not switch.update(drawn_at=timezone.now(), item_count=len(items), used=used):
            raise Conflict("The collection was archived, or the round was drawn, meanwhile.")
    pool.refresh_from_db()
    return pool


def _new_items(pool: Pool, found: planning.Pool) -> list[PoolItem]:
    """Items for the pairs that no earlier round has, of topics that the collection still has."""
    known = dict(pool.collection.topics.values_list("number", "pk"))
    fresh = selectors.is_new(pool.collection, found)
    return [
        PoolItem(pool=pool, topic_id=known[topic.decode()], docno=docno.decode(), best_rank=best, run_count=count)
        for topic, docno, best, count in zip(
            found.topics[fresh].tolist(),
            found.docnos[fresh].tolist(),
            found.best_ranks[fresh].tolist(),
            found.runs[fresh].tolist(),
            strict=True,
        )
    ]
