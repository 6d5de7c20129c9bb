"""Documents: a file of them takes the place of those that are there, or is added to them, at one moment."""

import shutil
from pathlib import Path

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, F, OuterRef, QuerySet

from config import health
from pooling import search, selectors, vectors
from pooling.core import extra, learning
from pooling.core.document_spec import DocumentSpec
from pooling.core.documents import read_documents
from pooling.core.findings import Report, shown
from pooling.core.lines import Unpackable
from pooling.models import Collection, Corpus, Document, Upload, UploadKind, UploadState
from pooling.services import indexing
from pooling.services.taking import Refused, close, locked
from pooling.services.work import Work, pause, remove_in_chunks, tell_planner

AT_ONCE = 500  # fewer than rows elsewhere: a document may be large
ROOM_ASKED = 64 << 20  # so many characters stored, and the disk is asked
MISSING_LISTED = 1000
OTHERS = ("refuse", "keep", "drop")  # what becomes of documents that the file lacks


def take_documents(upload: Upload, path: Path, report: Report, work: Work) -> Report:
    """Rows go in under a generation that nobody sees; one short transaction makes it the one that everybody sees."""
    with transaction.atomic():
        corpus, _ = Corpus.objects.get_or_create(collection_id=upload.collection_id)
        corpus = Corpus.objects.select_for_update().get(pk=corpus.pk)
        corpus.last_generation += 1
        corpus.save(update_fields=["last_generation"])
    generation = corpus.last_generation
    indexed = search.index_of(upload.collection).is_ready()
    unseen = Document.objects.filter(corpus=corpus, generation__lt=generation).exclude(generation=corpus.generation)
    remove_in_chunks(unseen)  # what killed or refused attempts left
    mine = Document.objects.filter(corpus=corpus, generation=generation)
    try:
        facts = _store(upload, corpus, path, report, work)
        if report.ok:
            _switch(upload, corpus, facts, report, work)
    except (Unpackable, Refused):
        remove_in_chunks(mine)
        raise
    remove_in_chunks(Document.objects.filter(corpus=corpus, generation__lt=generation) if report.ok else mine)
    if report.ok and indexed:  # whoever searches need not ask for it again
        indexing.request_index(upload.collection, by=upload.uploaded_by)
    if report.ok and any(learning.reads_all(pool.strategy, pool.parameters) for pool in upload.collection.pools.all()):
        vectors.vectors(upload.collection)  # here, and not in the request of whoever judges next
    return report


def forget_replaced() -> int:
    """Documents of earlier generations that an import, killed at its very end, did not come to remove; how many."""
    return remove_in_chunks(Document.objects.filter(generation__lt=F("corpus__generation")))


def _refuse_loss(collection: Collection, missing: list[str], report: Report) -> None:
    """Once judging has begun, no import takes away what assessors have or wait for."""
    if collection.judging_started_at is None:
        return
    present = selectors.documents(collection)
    gone = sum(present.filter(docno__in=missing[start : start + 500]).count() for start in range(0, len(missing), 500))
    if gone:
        words = f"{gone:,} pooled documents that are there now are not in the file; judging has begun, so they must stay."
        report.add("error", "DOC_MISSING", 0, words)


def _switch(upload: Upload, corpus: Corpus, facts: dict[str, object], report: Report, work: Work) -> None:
    generation, count = corpus.last_generation, facts["documents"]
    if Document.objects.filter(corpus=corpus, generation=generation).count() != count:
        raise RuntimeError(f"generation {generation} of corpus {corpus.pk} was disturbed by another import")
    tell_planner(Document)
    with work.finish(f"{count:,} document{'' if count == 1 else 's'}"):
        locked(upload.collection_id, UploadKind.DOCUMENTS)
        switch = Corpus.objects.filter(pk=corpus.pk, generation=corpus.generation)  # what it was compared with
        complete = upload.options.get("only") != "pool" and (corpus.is_complete or not facts.get("kept"))
        if not switch.update(generation=generation, document_count=count, is_complete=complete):
            raise Refused("NEWER", "Other documents were imported meanwhile.")
        close(upload, UploadState.ACCEPTED, report, facts)


def _store(upload: Upload, corpus: Corpus, path: Path, report: Report, work: Work) -> dict[str, object]:
    """Write the documents aside; returns what is told of them."""
    options, size, count = upload.options, path.stat().st_size, 0
    pooled = selectors.pooled_docnos(upload.collection)
    left, stored = set(pooled), 0
    with path.open("rb") as raw:
        reading = read_documents(
            raw,
            report,
            format=options.get("format", "auto"),
            encoding=options.get("encoding", "utf-8"),
            name=upload.name,
            keep=pooled.__contains__ if options.get("only") == "pool" else None,
            chunk=AT_ONCE,
        )
        for documents in reading:
            count += len(documents)
            left.difference_update(spec.docno for spec in documents)
            work.progress(min(raw.tell(), size - 1), size, f"{count:,} documents read")
            if report.ok:
                rows = Document.objects.bulk_create([_document(corpus, spec) for spec in documents])
                stored += sum(_letters(row) for row in rows)
                if stored > ROOM_ASKED:
                    _require_room()
                    stored = 0
                pause()
    unread = not count and not report.ok  # of what is no file of documents, that says all
    if unread:
        return {}
    facts = _others(upload, corpus, count, left, report, work) if report.ok else {}
    if not pooled and options.get("only") != "pool":
        return facts
    missing = sorted(left, key=str.encode)
    _refuse_loss(upload.collection, missing, report)
    for docno in missing:
        report.add("warning", "DOC_MISSING", 0, f"Document {shown(docno)} is pooled, and not in the file.", shown(docno))
    return {**facts, "missing": len(missing), "missing_docnos": missing[:MISSING_LISTED]}


def _require_room() -> None:
    """Documents have no size of their own that would be too much: they are refused before the disk is called too full."""
    free = shutil.disk_usage(settings.DATA).free
    if free < 2 * health.DISK_LEAST:
        words = f"The documents need more room than the disk has: {free // 1_000_000:,} MB are left, and nothing was stored."
        raise Refused("DISK", f"{words} Send fewer documents, or ask an administrator for a larger disk.")


def _others(upload: Upload, corpus: Corpus, count: int, left: set[str], report: Report, work: Work) -> dict[str, object]:
    """What becomes of present documents that the file lacks: they stay, or go if somebody said so. How many there are then."""
    present, new = (Document.objects.filter(corpus=corpus, generation=n) for n in (corpus.generation, corpus.last_generation))
    absent = present.filter(~Exists(new.filter(docno=OuterRef("docno")))).order_by("pk")
    number = absent.count()
    if not number:
        return {"documents": count}
    if upload.options.get("others") == "keep":
        _copy(absent, corpus, left, work)
        return {"documents": count + number, "kept": number}
    if upload.options.get("others") != "drop":
        those = f"{number:,} documents" if number > 1 else "1 document"
        words = f"{those} of the collection {'are' if number > 1 else 'is'} not in the file and would be dropped"
        ask = "send the file again and say whether it is added to them or they are dropped"
        report.add("error", "DOCUMENTS_DROPPED", 0, f"{words}; {ask}.")
    return {"documents": count, "dropped": number}


def _copy(absent: "QuerySet[Document]", corpus: Corpus, left: set[str], work: Work) -> None:
    """Give documents to the new generation, too, without keeping anybody waiting."""
    last = 0
    while rows := list(absent.filter(pk__gt=last)[:AT_ONCE]):
        last = rows[-1].pk
        left.difference_update(row.docno for row in rows)
        for row in rows:
            row.pk, row.generation = None, corpus.last_generation
        Document.objects.bulk_create(rows)
        work.progress(0, message="Keeping the other documents")
        pause()


def _document(corpus: Corpus, spec: DocumentSpec) -> Document:
    given: dict[str, str | None] = {
        "title": spec.title,
        "text": spec.text,
        "html": spec.html,
        "url": spec.url,
        "language": spec.lang,
    }
    given |= {"date": spec.date, "extra": extra.stored(spec.extra)}
    return Document(corpus=corpus, generation=corpus.last_generation, docno=spec.docno, **given)


def _letters(row: Document) -> int:
    return len(row.text) + len(row.html) + len(row.extra or "")
