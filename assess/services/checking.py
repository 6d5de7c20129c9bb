"""A sample check: some of what an adaptive round left of a topic, drawn at random, to be judged like anything else."""

import secrets

import numpy as np
from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from assess import checking
from assess.services import adapting
from config import expected
from config.errors import Conflict
from config.models import User
from pooling import adaptives
from pooling.models import Collection, Pool, PoolItem, Topic
from pooling.services.collections import require_not_archived

MOST = 1000


@transaction.atomic
def draw_check(pool: Pool, topic: Topic, *, by: User, count: int) -> Pool:
    """Draw so many of what no round has of a topic, and seat them behind what waits. One at a time is open."""
    collection = Collection.objects.select_for_update(no_key=True).get(pk=pool.collection_id)
    require_not_archived(collection)
    if pool.kind != "adaptive":
        raise Conflict("Expected an adaptive round: of others the sample is a strategy of its own.")
    expected.require_between("count", count, 1, MOST)
    if collection.pools.filter(drawn_at=None).exists():
        raise Conflict("A round of the pool is being drawn; draw this when that is done.")
    known = checking.checks(collection, pool).get(topic.number)
    if known and known.bound is None:
        raise Conflict(f"A sample of topic {topic.number} waits to be judged: {known.judged} of {known.drawn} are.")
    left = adaptives.left(pool, topic, list(PoolItem.objects.filter(topic=topic).values_list("docno", flat=True)))
    if not left:
        raise Conflict(f"Nothing is left of topic {topic.number}: there is nothing to draw from.")
    return _store(pool, topic, by, left, min(count, len(left)))


def _store(pool: Pool, topic: Topic, by: User, left: list[tuple[str, int, int]], count: int) -> Pool:
    collection, seed = pool.collection, secrets.randbits(32)
    drawn = np.sort(np.random.default_rng(seed).choice(len(left), count, replace=False)).tolist()
    last = collection.pools.aggregate(last=Max("round"))["last"]
    facts = {"of": pool.round, "topic": topic.number, "candidates": len(left)}
    made = Pool.objects.create(
        collection=collection,
        round=last + 1,
        strategy=checking.CHECK,
        parameters=facts,
        seed=seed,
        drawn_by=by,
        drawn_at=timezone.now(),
        item_count=count,
    )
    items = [
        PoolItem(pool=made, topic=topic, docno=d, best_rank=b, run_count=n) for d, b, n in (left[place] for place in drawn)
    ]
    PoolItem.objects.bulk_create(items)
    adapting.seat(collection, items)
    return made
