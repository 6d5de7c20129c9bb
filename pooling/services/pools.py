"""Pools: which documents are to be judged. Planned at once, drawn by a job, one round after the other."""

from collections.abc import Iterable, Sequence

import numpy as np
from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from config import jobs
from config.errors import Conflict, Refusal
from config.models import Job, JobState, User
from config.statements import insert_many
from pooling import plans, selectors
from pooling.core import planning
from pooling.core.strategies import Chosen
from pooling.models import Collection, NotDrawn, Pool, PoolItem, Run
from pooling.services import picking
from pooling.services.collections import require_not_archived
from pooling.services.work import ROWS, Work, pause, remove_in_chunks, tell_planner


@transaction.atomic
def plan_pool(
    collection: Collection, *, by: User, runs: Iterable[Run], strategy: str = "depth", seed: int | None = None, **values: object
) -> Pool:
    """The next round, not yet drawn. One that was planned and never drawn is planned anew, with what it left behind."""
    locked = Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)
    require_not_archived(locked)
    choice = plans.choice(runs, strategy, values, seed)
    if collection.runs.filter(pk__in=[run.pk for run in choice.runs]).count() < len(choice.runs):
        raise Conflict("A run was withdrawn meanwhile; plan the round again.")
    if not collection.topics.exists():
        raise Conflict("There are no topics yet: upload them first.")
    live = Job.objects.filter(name="draw_pool", collection_id=collection.pk, state__in=[JobState.WAITING, JobState.RUNNING])
    if live.exists():
        raise Conflict("A pool is being drawn; wait until that is done.")
    if choice.kind == "sampled" and collection.pools.filter(drawn_at__isnull=False).exists():
        raise Conflict(
            "A sample needs a pool of its own: in this one documents were drawn otherwise, which no probability tells."
        )
    if choice.kind == "adaptive" and not selectors.documents(collection).exists():
        raise Conflict("An adaptive round picks among the documents that are there, and there are none yet: import them first.")
    pool = collection.pools.filter(drawn_at=None).first()
    if pool is None:
        last = collection.pools.aggregate(last=Max("round"))["last"] or 0
        pool = Pool(collection=collection, round=last + 1)
    pool.strategy, pool.parameters, pool.drawn_by = choice.strategy, choice.values, by
    pool.seed, pool.created_at = choice.seed, timezone.now()
    pool.full_clean(exclude=["drawn_at", "used"])
    pool.save()
    pool.runs.set(choice.runs)
    return pool


@transaction.atomic
def request_pool(
    collection: Collection, *, by: User, runs: Iterable[Run], strategy: str = "depth", seed: int | None = None, **values: object
) -> tuple[Pool, Job]:
    """Plan the next round and ask for it to be drawn."""
    pool = plan_pool(collection, by=by, runs=runs, strategy=strategy, seed=seed, **values)
    job = jobs.intend(
        "draw_pool",
        title=f"Drawing round {pool.round} of {collection.short_name}",
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
    remove_in_chunks(pool.not_drawn.all())
    runs = list(pool.runs.select_related("upload").order_by("pk"))
    work.progress(0, message=f"Reading {len(runs):,} runs")
    if pool.kind == "adaptive":
        count, found = picking.begin(pool, work), plans.picked(pool)
    else:
        found = plans.chosen(plans.Choice(pool.strategy, pool.parameters, tuple(runs), pool.seed))
        count = _write(_new_items(pool, found), work) if found.sample is None else _write_sample(pool, found, work)
    if not count:
        pool.delete()
        raise Refusal("Nothing is new: every document that this choice takes is in the pool already.")
    if pool.items.count() != count:
        raise RuntimeError(f"round {pool.pk} was disturbed by another drawing")
    used = [share.told() for share in plans.shares(found, runs)]
    tell_planner(PoolItem)
    with work.finish(f"Round {pool.round}: {count:,} items"):
        switch = Pool.objects.filter(pk=pool.pk, drawn_at=None, collection__archived_at=None)
        if not switch.update(drawn_at=timezone.now(), item_count=count, used=used):
            raise Conflict("The collection was archived, or the round was drawn, meanwhile.")
    pool.refresh_from_db()
    return pool


def _write(rows: Sequence[PoolItem] | Sequence[NotDrawn], work: Work) -> int:
    names = [field.attname for field in type(rows[0])._meta.concrete_fields if not field.primary_key] if rows else []
    for start in range(0, len(rows), ROWS):
        work.progress(start, len(rows), f"{len(rows):,} items")
        values = [[getattr(row, name) for name in names] for row in rows[start : start + ROWS]]
        with transaction.atomic():
            insert_many(type(rows[0]), names, values)
        pause()
    return len(rows)


def _write_sample(pool: Pool, found: Chosen, work: Work) -> int:
    """The items that were drawn, each with its stratum and probability, and beside them those that were not."""
    sample, matrix = found.sample, found.matrix
    if sample is None:
        raise ValueError("expected a sample")
    rows = zip(
        matrix.topics[matrix.codes[sample.items]].tolist(),
        matrix.docnos[sample.items].tolist(),
        sample.strata.tolist(),
        sample.inclusion.tolist(),
        np.isin(sample.items, found.items).tolist(),
        strict=True,
    )
    told = {(topic, docno): (stratum, chance, drawn) for topic, docno, stratum, chance, drawn in rows}
    items = _new_items(pool, found)
    numbers = {pk: number.encode() for pk, number in pool.collection.topics.values_list("pk", "number")}
    for item in items:
        item.stratum, item.inclusion, _ = told[numbers[item.topic_id], item.docno.encode()]
    known = {number: pk for pk, number in numbers.items()}
    left = [
        NotDrawn(pool=pool, topic_id=known[topic], docno=docno.decode(), stratum=stratum)
        for (topic, docno), (stratum, _, drawn) in told.items()
        if not drawn and topic in known
    ]
    _write(left, work)
    return _write(items, work)


def _new_items(pool: Pool, chosen: Chosen) -> list[PoolItem]:
    """Items for the pairs that no earlier round has, of topics that the collection still has."""
    found = planning.pool_of(chosen)
    known = dict(pool.collection.topics.values_list("number", "pk"))
    fresh = selectors.is_new(pool.collection, found.topics, found.docnos)
    return [
        PoolItem(pool=pool, topic_id=known[topic.decode()], docno=docno.decode(), best_rank=best, run_count=count, place=place)
        for topic, docno, best, count, place in zip(
            found.topics[fresh].tolist(),
            found.docnos[fresh].tolist(),
            found.best_ranks[fresh].tolist(),
            found.runs[fresh].tolist(),
            found.places[fresh].tolist(),
            strict=True,
        )
    ]
