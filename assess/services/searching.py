"""Search and judge: what somebody finds for a topic and judges joins the pool, as an interactive round."""

import uuid
from datetime import timedelta

from django.db import IntegrityError, transaction
from django.db.models import F, Max
from django.utils import timezone

from assess import blind
from assess.models import Assignment, Found, Search, Seat
from assess.searching import Results
from assess.services import judging
from config.errors import Conflict, Refusal
from config.expected import no_such
from config.models import User
from pooling import selectors as pooled
from pooling.core.query import MOST_LETTERS
from pooling.models import Collection, Pool, PoolItem, Topic

INTERACTIVE = "interactive"
SAME = timedelta(minutes=10)  # the same words after that are another search
NOBODYS = 2_147_483_647  # last in any order


def log(collection: Collection, *, searcher: User, topic: Topic | None, results: Results) -> Search:
    """Keep a search; another page of the same one, within ten minutes, only shows more of it."""
    same = collection.searches.filter(searcher=searcher, topic=topic).first()
    if same is not None and same.words == results.words and timezone.now() - same.at < SAME:
        Search.objects.filter(pk=same.pk, shown__lt=results.shown).update(shown=results.shown)
        return same
    facts = {"words": results.words[:MOST_LETTERS], "total": results.total, "shown": results.shown}
    return Search.objects.create(collection=collection, topic=topic, searcher=searcher, **facts)


def judge_hit(
    collection: Collection,
    *,
    assessor: User,
    topic: Topic,
    docno: str,
    grade: int,
    client_id: uuid.UUID,
    seconds: float | None = None,
    seen: int | None = None,
) -> judging.Saved:
    """Judge a document of one's own finding. One that is pooled and waits for somebody else stays theirs.

    `seen` as in `judging.record_judgment`: what was judged in another tab meanwhile is not overwritten unsaid.
    """
    if not Assignment.objects.filter(topic=topic, assessor=assessor).exists():
        raise Refusal(f"Topic {topic.number} is not assigned to you: expected one of your own.")
    seat = _seat(collection, assessor, topic, docno)
    act = {"grade": grade, "client_id": client_id, "seconds": seconds, "seen": seen}
    return judging.record_judgment(collection, assessor=assessor, seat=seat, ahead=0, **act).saved  # type: ignore[arg-type]


def _seat(collection: Collection, assessor: User, topic: Topic, docno: str) -> uuid.UUID:
    """One's own seat of the document; made, with the item, if there is none."""
    try:
        with transaction.atomic():
            Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)
            item = PoolItem.objects.filter(topic=topic, docno=docno).first() or _item(collection, assessor, topic, docno)
            mine = Seat.objects.filter(item=item, assessor=assessor, occasion=0).first()
            if mine is not None:
                return mine.token
            # As who claims: of one's own opinion, or of any where it goes item by item; and others claim at this moment.
            free = blind.free_seats(assessor).filter(item=item, occasion=0).order_by("slot").first()
            if free is not None:
                mine_now = blind.free_seats(assessor).filter(pk=free.pk).update(assessor=assessor, claimed_at=timezone.now())
                if not mine_now:
                    raise Conflict("Somebody else took this document at the same moment; search again.")
                return free.token
            if Seat.objects.filter(item=item, slot=1, occasion=0).exists():
                raise Conflict("This document is pooled for somebody else to judge.")
            told = {"collection": collection, "topic": topic, "slot": 1, "assessor": assessor, "position": NOBODYS}
            return Seat.objects.create(item=item, **told).token
    except IntegrityError:
        raise Conflict("Somebody else judged this document at the same moment; search again.") from None


def _item(collection: Collection, finder: User, topic: Topic, docno: str) -> PoolItem:
    if not pooled.documents(collection).filter(docno=docno).exists():
        raise Refusal(no_such("document", docno))
    pool = collection.pools.filter(strategy=INTERACTIVE).first()
    if pool is None:
        if collection.pools.filter(drawn_at=None).exists():
            raise Conflict("A round of the pool is being drawn; judge this when that is done.")
        last = collection.pools.aggregate(last=Max("round"))["last"] or 0
        pool = Pool.objects.create(
            collection=collection, round=last + 1, strategy=INTERACTIVE, drawn_by=finder, drawn_at=timezone.now()
        )
    item = PoolItem.objects.create(pool=pool, topic=topic, docno=docno, best_rank=0, run_count=0)
    search = collection.searches.filter(searcher=finder, topic=topic).first()
    Found.objects.create(item=item, finder=finder, search=search)
    Pool.objects.filter(pk=pool.pk).update(item_count=F("item_count") + 1)
    return item
