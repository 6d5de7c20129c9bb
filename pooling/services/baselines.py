"""Baseline runs over a collection's own documents, so that it can start without participants."""

import json
from collections.abc import Iterator
from dataclasses import asdict

from django.db import transaction

from config import jobs
from config.errors import Conflict, Refusal
from config.models import Job, User
from pooling import selectors
from pooling.core import baseline
from pooling.core.runs import write_run
from pooling.core.text import Texts
from pooling.core.topics import TEXTS
from pooling.models import Collection, RunKind, Upload, UploadKind, UploadState
from pooling.services import uploads
from pooling.services.work import Work

GROUP = "Assize"


@transaction.atomic
def request_baseline(collection: Collection, *, by: User, model: baseline.Model) -> Job:
    """Ask for a run of this model; it then passes the same checks as any other."""
    _require(collection, by, model)
    return jobs.intend(
        "make_baseline",
        title=f"Baseline run {model.run_tag} of {collection.short_name}",
        args={"collection": collection.pk, "by": by.pk, "model": json.dumps(asdict(model))},
        started_by=by,
        collection_id=collection.pk,
        dedupe=f"baseline:{collection.pk}:{model.run_tag}",
    )


def make_baseline(collection: Collection, *, by: User, model: baseline.Model, work: Work) -> Upload:
    """Rank all topics against all documents, and take the run in. What a killed attempt left is removed first."""
    _require(collection, by, model)
    name = f"{model.run_tag}.run"
    for left in collection.uploads.filter(kind=UploadKind.RUN, name=name, state=UploadState.RECEIVED, job_id=None):
        uploads.dismiss_upload(left)
    documents = selectors.documents(collection)
    count, topics = documents.count(), list(selectors.topics(collection))
    rows = documents.values_list("docno", "title", "text", "language").iterator(chunk_size=500)

    def told() -> Iterator[tuple[str, str, str]]:
        for place, (docno, title, text, language) in enumerate(rows):
            if place % 500 == 0:
                work.progress(place, count + len(topics), f"{place:,} of {count:,} documents read")
            yield docno, f"{title}\n{text}", language

    texts = Texts.of(told())
    queries = [
        (topic.number, baseline.query_of({field: getattr(topic, field) for field in TEXTS}, model.fields, topic.language))
        for topic in topics
    ]
    run = baseline.rank(
        texts, queries, model, lambda done: work.progress(count + done, count + len(topics), f"{done:,} topics ranked")
    )
    if not len(run):
        raise Refusal("No document has a word of any topic; expected documents and topics in one language.")
    options = {"group": GROUP, "kind": RunKind.AUTOMATIC, "description": f"Made by Assize: {model}"}
    upload = uploads.receive_file(
        collection, by=by, kind=UploadKind.RUN, name=name, chunks=[write_run(run)], options=options, later=False
    )
    return uploads.check_upload(upload, work)


def _require(collection: Collection, by: User, model: baseline.Model) -> None:
    uploads.require_open(collection, UploadKind.RUN, by)
    if not selectors.documents(collection).exists():
        raise Conflict("There are no documents yet: import them first.")
    if model.depth > collection.max_per_topic:
        raise Refusal(f"A run may have {collection.max_per_topic:,} results for each topic; found a depth of {model.depth:,}.")
    if collection.runs.filter(tag=model.run_tag).exists():
        raise Refusal(f"There is a run {model.run_tag} already; choose another tag.")
