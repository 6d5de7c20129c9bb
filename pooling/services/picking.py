"""Adaptive rounds: the next items of a topic, chosen by what was judged so far."""

from collections.abc import Sequence

from django.db import transaction
from django.db.models import F

from config import expected
from config.errors import Conflict, Invalid
from config.models import User
from pooling import adaptives
from pooling.models import Pick, Pool, PoolItem, Topic, TopicStop
from pooling.services.work import Work

MOST_REASON = 300


@transaction.atomic
def add(found: adaptives.View, picks: Sequence[adaptives.Picked], known: adaptives.Known) -> list[PoolItem]:
    """Items for what was picked. If another did the same meanwhile, their numbers are taken."""
    pool, topic = found.pool, found.topic
    items = [
        PoolItem(pool=pool, topic=topic, docno=one.docno, best_rank=one.best_rank, run_count=one.run_count, place=place)
        for place, one in enumerate(picks, known.picked + 1)
    ]
    PoolItem.objects.bulk_create(items)
    Pick.objects.bulk_create(
        Pick(
            item=item,
            pool=pool,
            topic=topic,
            number=known.picked + 1 + place,
            run_id=one.run,
            why=one.why,
            known=known.before(place),
        )
        for place, (item, one) in enumerate(zip(items, picks, strict=True))
    )
    Pool.objects.filter(pk=pool.pk).update(item_count=F("item_count") + len(items))
    return items


def begin(pool: Pool, work: Work) -> int:
    """The first items of every topic, before anything of the round is judged."""
    topics = list(pool.collection.topics.all())
    count = 0
    for place, topic in enumerate(topics):
        work.progress(place, len(topics), f"{place:,} of {len(topics):,} topics begun")
        others = list(PoolItem.objects.filter(topic=topic).values_list("docno", flat=True))
        found = adaptives.view(pool, topic)
        picks = adaptives.next_picks(found, [], {}, others, int(pool.parameters["ahead"]))
        count += len(add(found, picks, adaptives.Known(found.key)))
    return count


@transaction.atomic
def stop_topic(pool: Pool, topic: Topic, *, by: User, reason: str) -> TopicStop:
    """Pick no more of a topic; what is picked and unjudged stays to be judged."""
    reason = " ".join(reason.split())
    if not reason:
        raise Invalid("reason", expected.NOTHING)
    expected.require_text("reason", reason, MOST_REASON)
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
