"""Adaptive rounds: the next items of a topic, chosen by what was judged so far."""

from collections.abc import Sequence

from django.db import IntegrityError, transaction
from django.db.models import F

from config.errors import Conflict, Refusal
from config.models import User
from pooling import adaptives
from pooling.models import Pick, Pool, PoolItem, Topic, TopicStop
from pooling.services.work import Work

MOST_REASON = 300


def extend(
    pool: Pool, topic: Topic, *, said: Sequence[adaptives.Said], elsewhere: dict[int, int] | None = None, count: int
) -> list[PoolItem]:
    """Pick the next items and keep why. What is known of the earlier ones is passed in, in their order.

    Worked out without any lock; if another did the same meanwhile, the numbers are taken, and nothing is added.
    """
    count = min(count, int(pool.parameters["budget"]) - len(said))
    if count <= 0 or pool.stops.filter(topic=topic).exists():
        return []
    mine = [one.docno for one in said]
    others = list(PoolItem.objects.filter(topic=topic).exclude(docno__in=mine).values_list("docno", flat=True))
    picks = adaptives.next_picks(pool, topic, said, elsewhere or {}, others, count)
    if not picks:
        return []
    try:
        with transaction.atomic():
            return _store(pool, topic, len(said), picks)
    except IntegrityError:
        return []


def _store(pool: Pool, topic: Topic, before: int, picks: Sequence[tuple[str, object, int, int, str]]) -> list[PoolItem]:
    items = [
        PoolItem(pool=pool, topic=topic, docno=docno, best_rank=best, run_count=runs, place=place)
        for place, (docno, _, best, runs, _) in enumerate(picks, before + 1)
    ]
    PoolItem.objects.bulk_create(items)
    Pick.objects.bulk_create(
        Pick(item=item, pool=pool, topic=topic, number=before + place, run=run, why=why)  # type: ignore[misc]
        for place, (item, (_, run, _, _, why)) in enumerate(zip(items, picks, strict=True), 1)
    )
    Pool.objects.filter(pk=pool.pk).update(item_count=F("item_count") + len(items))
    return items


def begin(pool: Pool, work: Work) -> int:
    """The first items of every topic, before anything of the round is judged."""
    topics = list(pool.collection.topics.all())
    count = 0
    for place, topic in enumerate(topics):
        work.progress(place, len(topics), f"{place:,} of {len(topics):,} topics begun")
        count += len(extend(pool, topic, said=[], count=int(pool.parameters["ahead"])))
    return count


@transaction.atomic
def stop_topic(pool: Pool, topic: Topic, *, by: User, reason: str) -> TopicStop:
    """Pick no more of a topic; what is picked and unjudged stays to be judged."""
    reason = " ".join(reason.split())
    if not reason or len(reason) > MOST_REASON:
        raise Refusal(f"Expected a reason of at most {MOST_REASON} characters; found {len(reason)}.")
    if pool.kind != "adaptive":
        raise Conflict("This round was drawn at once: there is nothing to stop.")
    stop, new = TopicStop.objects.get_or_create(pool=pool, topic=topic, defaults={"reason": reason, "stopped_by": by})
    if not new:
        raise Conflict(f"Topic {topic.number} was stopped already.")
    return stop


@transaction.atomic
def resume_topic(pool: Pool, topic: Topic) -> None:
    """Go on with a topic that was stopped."""
    if not TopicStop.objects.filter(pool=pool, topic=topic).delete()[0]:
        raise Conflict(f"Topic {topic.number} is not stopped.")
