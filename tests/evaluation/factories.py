"""Runs, items and judgments made straight through the models, small enough to be judged by hand."""

import hashlib
import uuid
from collections.abc import Callable, Mapping

from django.conf import settings
from django.utils import timezone

from assess.models import Judgment, JudgmentEvent, Seat
from config.models import User
from evaluation.models import Release
from evaluation.services import releases
from pooling.core.rankings import Rankings
from pooling.models import Collection, Pool, PoolItem, Run, Topic, Upload
from pooling.services.work import Direct

Ranked = Mapping[str, Mapping[str, float]]
Graded = Mapping[str, Mapping[str, int]]

# Two topics that were judged, and one that nobody judged; the second run lacks topic 2 and answers topic 10 alone.
ALPHA = {"1": {"a": 9.0, "b": 8.0, "c": 7.0, "x": 6.0}, "2": {"e": 3.5, "d": 3.5, "f": 1.0}}
BETA = {"1": {"c": 0.9, "a": 0.5}, "10": {"a": 1.0}}
FIRST = {"1": {"a": 2, "b": 0, "c": 1}, "2": {"d": 3, "e": 0, "f": 1}}
SECOND = {"1": {"a": 2, "b": 1}, "2": {"d": 1}}


def make_run(collection: Collection, tag: str, ranked: Ranked, *, by: User, group: str = "") -> Run:
    rankings = Rankings.from_dict(tag, ranked)
    lines = [f"{topic} Q0 {docno} 1 {score!r} {tag}\n" for topic, docs in ranked.items() for docno, score in docs.items()]
    data = "".join(lines).encode()
    digest = hashlib.sha256(data).hexdigest()
    paths = {kind: f"files/tests/{collection.pk}-{tag}-{digest}.{kind}" for kind in ("txt", "npz")}
    (settings.DATA / paths["txt"]).parent.mkdir(parents=True, exist_ok=True)
    (settings.DATA / paths["txt"]).write_bytes(data)
    (settings.DATA / paths["npz"]).write_bytes(rankings.to_bytes())
    upload = Upload.objects.create(
        collection=collection,
        kind="run",
        name=f"{tag}.txt",
        path=paths["txt"],
        sha256=digest,
        size=len(data),
        uploaded_by=by,
        state="accepted",
    )
    return Run.objects.create(
        collection=collection,
        upload=upload,
        tag=tag,
        group=group,
        submitted_by=by,
        columns=paths["npz"],
        topic_count=len(rankings.topics),
        line_count=len(rankings),
    )


def make_topic(collection: Collection, number: str) -> Topic:
    return Topic.objects.get_or_create(collection=collection, number=number, defaults={"title": f"Topic named {number}"})[0]


def make_item(collection: Collection, topic: str, docno: str, *, by: User) -> PoolItem:
    pool, _made = Pool.objects.get_or_create(
        collection=collection, round=1, defaults={"drawn_by": by, "drawn_at": timezone.now()}
    )
    of = make_topic(collection, topic)
    return PoolItem.objects.get_or_create(topic=of, docno=docno, defaults={"pool": pool, "best_rank": 1, "run_count": 1})[0]


def judge(item: PoolItem, assessor: User, grade: int, *, slot: int = 1) -> Judgment:
    """What judging leaves behind: the seat, the present grade and the event."""
    seat = {"assessor": assessor, "position": 1, "judged_at": timezone.now()}
    seat |= {"collection": item.pool.collection, "topic": item.topic}
    Seat.objects.get_or_create(item=item, slot=slot, defaults=seat)
    judgment, made = Judgment.objects.get_or_create(item=item, assessor=assessor, defaults={"grade": grade})
    before = None if made else judgment.grade
    judgment.grade = grade
    judgment.save(update_fields=["grade"])
    JudgmentEvent.objects.create(judgment=judgment, client_id=uuid.uuid4(), grade=grade, previous_grade=before)
    return judgment


def judge_all(collection: Collection, grades: Graded, assessor: User, *, slot: int = 1) -> None:
    for topic, docs in grades.items():
        for docno, grade in docs.items():
            judge(make_item(collection, topic, docno, by=collection.created_by), assessor, grade, slot=slot)


def quiet(done: int, total: int, words: str) -> None:
    """Progress that nobody watches."""


def freeze(
    collection: Collection, by: User, rule: str | None = None, note: str = "", *, score: bool = False, state: str = "public"
) -> Release:
    """As most tests want it: for everybody who sees the collection."""
    with Direct(quiet) as work:
        return releases.freeze_release(collection, by=by, rule=rule, note=note, state=state, score=score, work=work)


def score(release: Release, tell: Callable[[int, int, str], None] = quiet) -> int:
    with Direct(tell) as work:
        return releases.score_release(release, work=work)
