"""Something to judge: topics, documents and a drawn pool, made straight in the tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count

from django.utils import timezone

from config.models import User
from pooling.models import Collection, Corpus, Document, Pool, PoolItem, Role, Run, Topic, Upload, UploadState
from tests import factories

_numbers = count(1)
# Words that must never reach an assessor.
TAG, GROUP = "kelp-dense-rr", "Harbour-Secret-Group"


def make_assessors(collection: Collection, *names: str) -> list[User]:
    people = [factories.make_user(name) for name in names]
    for user in people:
        factories.join(collection, user, Role.ASSESSOR)
    return people


def make_topics(collection: Collection, numbers: Sequence[int | str]) -> list[Topic]:
    return [
        Topic.objects.create(
            collection=collection,
            number=str(number),
            title="tidal energy and fish migration",  # without its number, which would be marked in docnos
            description="How do tidal turbines affect the migration of salmon and eel?",
            narrative="A relevant document reports observations.\n\nDocuments on wave power alone are not relevant.",
        )
        for number in numbers
    ]


def make_documents(collection: Collection, docnos: Sequence[str], **fields: str) -> Corpus:
    corpus, _ = Corpus.objects.get_or_create(collection=collection, defaults={"generation": 1, "last_generation": 1})
    rows = []
    for docno in docnos:
        given = {"title": f"Survey {docno}", "text": f"Text of {docno}.\n\nSecond paragraph.", **fields}
        rows.append(Document(corpus=corpus, generation=corpus.generation, docno=docno, **given))
    Document.objects.bulk_create(rows)
    corpus.document_count += len(rows)
    corpus.save()
    return corpus


def make_run(collection: Collection, by: User, tag: str = TAG) -> Run:
    upload = Upload.objects.create(
        collection=collection,
        kind="run",
        name=f"{tag}.txt",
        sha256="0" * 64,
        size=1,
        uploaded_by=by,
        state=UploadState.ACCEPTED,
    )
    return Run.objects.create(
        collection=collection, upload=upload, tag=tag, group=GROUP, submitted_by=by, columns="", topic_count=1, line_count=1
    )


def make_pool(collection: Collection, by: User, items: Mapping[Topic, Sequence[str]], *, drawn: bool = True) -> Pool:
    number = collection.pools.count() + 1
    pool = Pool.objects.create(
        collection=collection,
        round=number,
        drawn_by=by,
        drawn_at=timezone.now() if drawn else None,
        item_count=sum(map(len, items.values())),
    )
    rows = [
        PoolItem(pool=pool, topic=topic, docno=docno, best_rank=7000 + rank, run_count=1)
        for topic, docnos in items.items()
        for rank, docno in enumerate(docnos, 1)
    ]
    PoolItem.objects.bulk_create(rows)
    return pool


def make_work(collection: Collection, by: User, *, topics: int = 2, items: int = 5) -> list[Topic]:
    """Topics 1, 2 …, each with `items` documents of its own in a drawn pool, found by a run."""
    made = make_topics(collection, [collection.topics.count() + n + 1 for n in range(topics)])
    docnos = {topic: [f"D{topic.number}-{n:03}-{next(_numbers)}" for n in range(items)] for topic in made}
    make_documents(collection, [docno for found in docnos.values() for docno in found])
    pool = make_pool(collection, by, docnos)
    if not collection.runs.exists():
        pool.runs.add(make_run(collection, by))
    return made
