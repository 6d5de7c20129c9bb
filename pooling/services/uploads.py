"""Files that come in: documents, topics, runs. Received at once, checked by a job, taken whole or refused whole."""

import hashlib
import secrets
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import ProtectedError

from config import jobs
from config.errors import Conflict, Refusal
from config.models import Job, JobState, User
from pooling import selectors
from pooling.core.document_spec import DocumentSpec
from pooling.core.documents import read_documents
from pooling.core.findings import Report
from pooling.core.lines import Unpackable, unpack
from pooling.core.rankings import Rankings
from pooling.core.runs import read_run
from pooling.core.topics import TopicSpec, read_topics
from pooling.models import Collection, Corpus, Document, Run, RunKind, Topic, Upload, UploadKind, UploadState
from pooling.services.work import Work, pause, remove_in_chunks

DOCUMENTS_AT_ONCE = 500  # fewer than rows elsewhere: a document may be large
STRAY_AFTER = 3600  # seconds until a file that no row knows is removed
ENCODINGS = ("utf-8", "cp1252")


class _Refused(Exception):
    """Only inside this module: leaves the switching transaction, so that nothing of the file stays."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code, self.message = code, message


# Receiving


def receive_file(
    collection: Collection,
    *,
    by: User,
    kind: str,
    name: str,
    chunks: Iterable[bytes],
    options: Mapping[str, str] | None = None,
    later: bool = True,
) -> Upload:
    """Keep a file as it comes and ask for its check. `later=False`: the caller checks it at once, without a job."""
    cleaned = _options(UploadKind(kind), options or {})
    require_open(collection, kind)
    path = f"files/uploads/{collection.pk}/{secrets.token_hex(12)}"
    target: Path = settings.DATA / path
    try:
        size, digest = _write(target, chunks)
        with transaction.atomic():
            locked = Collection.objects.select_for_update().get(pk=collection.pk)
            require_open(locked, kind)
            upload = Upload(collection=collection, kind=kind, name=_name(name), path=path, sha256=digest, size=size)
            upload.options, upload.uploaded_by = cleaned, by
            upload.full_clean(exclude=["job_id"])  # known once the job has its row
            upload.save()
            if later:
                _ask_for_check(upload)
    except BaseException:
        target.unlink(missing_ok=True)
        raise
    return upload


def _ask_for_check(upload: Upload) -> None:
    job = jobs.intend(
        "check_upload",
        title=f"Check of {upload.name}",
        args={"upload": upload.pk},
        started_by=upload.uploaded_by,
        collection_id=upload.collection_id,
    )
    upload.job_id, upload.job = job.pk, job
    upload.save(update_fields=["job_id"])


def require_open(collection: Collection, kind: str) -> None:
    """May a file of this kind come now?"""
    if collection.is_archived:
        raise Conflict("This collection is archived; restore it first.")
    if kind == UploadKind.TOPICS and collection.judging_started_at:
        raise Conflict("The topics are frozen: judging has begun.")
    if kind == UploadKind.RUN and not collection.topics.exists():
        raise Conflict("There are no topics yet, and a run is checked against them: upload the topics first.")
    if kind != UploadKind.RUN:
        live = Job.objects.filter(name="check_upload", state__in=[JobState.WAITING, JobState.RUNNING])
        same = collection.uploads.filter(kind=kind, state=UploadState.RECEIVED)
        if same.filter(job_id__in=live.filter(collection_id=collection.pk).values("pk")).exists():
            raise Conflict(f"Another file of {kind} is being checked; wait until that is done.")


def _options(kind: UploadKind, given: Mapping[str, str]) -> dict[str, str]:
    options = {name: value.strip() for name, value in given.items() if value.strip()}
    if kind == UploadKind.RUN:
        if options.setdefault("kind", RunKind.AUTOMATIC) not in RunKind.values:
            raise Refusal(f"Expected automatic or manual as the kind of run; found “{options['kind']}”.")
        for name, most in (("group", 80), ("description", 5000)):
            if len(options.get(name, "")) > most:
                raise Refusal(f"The {name} may have {most:,} characters; found {len(options[name]):,}.")
    elif kind == UploadKind.TOPICS and options.get("encoding", "utf-8") not in ENCODINGS:
        raise Refusal(f"Expected the encoding {' or '.join(ENCODINGS)}; found “{options['encoding']}”.")
    return options


def _name(name: str) -> str:
    """The file's own name, as a page may show it and a download may bear it."""
    plain = "".join(letter for letter in name.replace("\\", "/").rsplit("/", 1)[-1] if letter.isprintable())
    return plain.strip()[-200:] or "file"


def _write(target: Path, chunks: Iterable[bytes]) -> tuple[int, str]:
    target.parent.mkdir(parents=True, exist_ok=True)
    size, digest = 0, hashlib.sha256()
    with target.open("xb") as file:
        for chunk in chunks:
            size += len(chunk)
            digest.update(chunk)
            file.write(chunk)
    return size, digest.hexdigest()


# Checking


def check_upload(upload: Upload, work: Work) -> Upload:
    """Check the whole file, then take it whole or refuse it whole, with every fault by line. Done once, it does no more."""
    if upload.state != UploadState.RECEIVED:
        return upload
    _remove_strays(upload.collection)
    report = Report()
    take: Callable[[Upload, Path, Report, Work], Report] = {
        UploadKind.DOCUMENTS: _take_documents,
        UploadKind.TOPICS: _take_topics,
        UploadKind.RUN: _take_run,
    }[UploadKind(upload.kind)]
    try:
        report = take(upload, settings.DATA / upload.path, report, work)
    except (Unpackable, FileNotFoundError) as error:
        words = str(error) if isinstance(error, Unpackable) else "The file is no longer there; send it again."
        report.add("error", "FILE", 0, words)
    except _Refused as refused:
        report.add("error", refused.code, 0, refused.message)
    if not report.ok:
        _refuse(upload, report, work)
    return upload


def _refuse(upload: Upload, report: Report, work: Work) -> None:
    """The report stays, the file goes."""
    path: Path = settings.DATA / upload.path
    faults = f"{report.errors:,} fault{'' if report.errors == 1 else 's'}"
    with work.finish(f"Refused: {faults}. Nothing of the file was stored."):
        _close(upload, UploadState.REFUSED, report)
    path.unlink(missing_ok=True)


def _close(upload: Upload, state: UploadState, report: Report, **facts: object) -> None:
    """End an upload that is still open, in the caller's transaction: of two that check it, one does."""
    values = {"state": state, "report": _told(report, facts), "path": "" if state == UploadState.REFUSED else upload.path}
    if not Upload.objects.filter(pk=upload.pk, state=UploadState.RECEIVED).update(**values):
        raise jobs.Superseded(f"upload {upload.pk} was checked meanwhile")
    for name, value in values.items():
        setattr(upload, name, value)


def _told(report: Report, facts: Mapping[str, object]) -> dict[str, object]:
    found = [{"severity": f.severity, "code": f.code, "line": f.line, "message": f.message} for f in report.findings]
    counts = {code: number for (_, code), number in sorted(report.counts.items())}
    return {"errors": report.errors, "warnings": report.warnings, "counts": counts, "findings": found, "facts": dict(facts)}


def _locked(collection_id: int, kind: UploadKind) -> Collection:
    """The collection's row, locked and still open to the file."""
    collection = Collection.objects.select_for_update().get(pk=collection_id)
    if collection.is_archived:
        raise _Refused("ARCHIVED", "The collection was archived meanwhile.")
    if kind == UploadKind.TOPICS and collection.judging_started_at:
        raise _Refused("FROZEN", "Judging began meanwhile; the topics are frozen.")
    return collection


def _remove_strays(collection: Collection) -> None:
    """Files that no row knows: what a process left that was killed between file and row, or row and file."""
    folder: Path = settings.DATA / "files" / "uploads" / str(collection.pk)
    before = time.time() - STRAY_AFTER
    known = set(collection.uploads.exclude(path="").values_list("path", flat=True))
    for file in folder.iterdir() if folder.is_dir() else ():
        if f"files/uploads/{collection.pk}/{file.name}" not in known and file.stat().st_mtime < before:
            file.unlink(missing_ok=True)


def _unpacked(path: Path) -> bytes:
    return unpack(path.read_bytes(), limit=settings.UPLOAD_MB * 1_000_000)


# Topics


def _take_topics(upload: Upload, path: Path, report: Report, work: Work) -> Report:
    work.progress(0, 2, "Reading the topics")
    topics, report = read_topics(_unpacked(path), encoding=upload.options.get("encoding", "utf-8"))
    if not report.ok:
        return report
    work.progress(1, 2, f"Storing {len(topics):,} topics")
    with work.finish(f"{len(topics):,} topics"):
        _replace_topics(_locked(upload.collection_id, UploadKind.TOPICS), topics)
        _close(upload, UploadState.ACCEPTED, report, topics=len(topics))
    return report


def _replace_topics(collection: Collection, specs: list[TopicSpec]) -> None:
    """The collection's topics become these. One that stays keeps its row, since pooled items hang on it."""
    present = {topic.number: topic for topic in collection.topics.all()}
    changed: list[Topic] = []
    fresh: list[Topic] = []
    for spec in specs:
        old = present.pop(spec.number, None)
        topic = old or Topic(collection=collection, number=spec.number)
        topic.title, topic.description, topic.narrative = spec.title, spec.description, spec.narrative
        topic.extra = spec.extra
        (changed if old else fresh).append(topic)
    try:
        Topic.objects.filter(pk__in=[topic.pk for topic in present.values()]).delete()
    except ProtectedError:
        pooled = collection.topics.filter(number__in=present, items__isnull=False).order_by("pk")
        number = pooled.values_list("number", flat=True)[0]
        words = f"Topic {number} is not in the file, but documents were pooled for it; leave it in."
        raise _Refused("TOPIC_POOLED", words) from None
    Topic.objects.bulk_create(fresh, batch_size=500)
    Topic.objects.bulk_update(changed, ["title", "description", "narrative", "extra"], batch_size=200)


# Documents


def _take_documents(upload: Upload, path: Path, report: Report, work: Work) -> Report:
    """Rows go in under a generation that nobody sees; one short transaction makes it the one that everybody sees."""
    with transaction.atomic():
        corpus, _ = Corpus.objects.get_or_create(collection_id=upload.collection_id)
        corpus = Corpus.objects.select_for_update().get(pk=corpus.pk)
        corpus.last_generation += 1
        corpus.save(update_fields=["last_generation"])
    generation = corpus.last_generation
    unseen = Document.objects.filter(corpus=corpus, generation__lt=generation).exclude(generation=corpus.generation)
    remove_in_chunks(unseen)  # what killed or refused attempts left
    mine = Document.objects.filter(corpus=corpus, generation=generation)
    try:
        count = _store_documents(corpus, generation, path, report, work)
        if report.ok:
            _switch_documents(upload, corpus, generation, count, report, work)
    except (Unpackable, _Refused):
        remove_in_chunks(mine)
        raise
    remove_in_chunks(Document.objects.filter(corpus=corpus, generation__lt=generation) if report.ok else mine)
    return report


def _switch_documents(upload: Upload, corpus: Corpus, generation: int, count: int, report: Report, work: Work) -> None:
    if Document.objects.filter(corpus=corpus, generation=generation).count() != count:
        raise RuntimeError(f"generation {generation} of corpus {corpus.pk} was disturbed by another import")
    with work.finish(f"{count:,} documents"):
        _locked(upload.collection_id, UploadKind.DOCUMENTS)
        switch = Corpus.objects.filter(pk=corpus.pk, generation__lt=generation)
        if not switch.update(generation=generation, document_count=count):
            raise _Refused("NEWER", "Other documents were imported meanwhile.")
        _close(upload, UploadState.ACCEPTED, report, documents=count)


def _store_documents(corpus: Corpus, generation: int, path: Path, report: Report, work: Work) -> int:
    count, size = 0, path.stat().st_size
    with path.open("rb") as raw:
        for documents in read_documents(raw, report, chunk=DOCUMENTS_AT_ONCE):
            count += len(documents)
            work.progress(min(raw.tell(), size - 1), size, f"{count:,} documents read")
            if report.ok:
                Document.objects.bulk_create([_document(corpus, generation, spec) for spec in documents])
                pause()
    return count


def _document(corpus: Corpus, generation: int, spec: DocumentSpec) -> Document:
    given = {"title": spec.title, "text": spec.text, "url": spec.url, "language": spec.lang, "date": spec.date}
    return Document(corpus=corpus, generation=generation, docno=spec.docno, **given)


# Runs


def _take_run(upload: Upload, path: Path, report: Report, work: Work) -> Report:
    collection = upload.collection
    work.progress(0, 3, "Reading the file")
    data = _unpacked(path)
    topics = set(collection.topics.values_list("number", flat=True))
    docnos = selectors.docnos(collection)
    work.progress(1, 3, "Checking every line")
    taken = list(collection.runs.values_list("tag", flat=True))
    rankings, tag, report = read_run(data, topics=topics, docnos=docnos, tags_taken=taken)
    del data
    if tag in {".", ".."}:  # it could not stand in an address
        report.add("error", "TAG_FORMAT", 0, f'The run tag "{tag}" needs a letter, a digit or "_".')
    if docnos is None:
        words = "No documents are imported yet, so document ids were not checked."
        report.add("warning", "DOCS_UNCHECKED", 0, words)
    if rankings is None or not report.ok:
        return report
    work.progress(2, 3, "Storing the run")
    columns = f"files/runs/{collection.pk}/{upload.pk}.npz"
    aside = work.folder() / "columns.npz"
    aside.write_bytes(rankings.to_bytes())
    facts = {"tag": tag, "topics": len(rankings.topics), "lines": len(rankings)}
    try:
        with work.finish(f"Run {tag}: {len(rankings):,} lines, {len(rankings.topics):,} topics"):
            _locked(collection.pk, UploadKind.RUN)
            _store_run(upload, rankings, columns)
            _close(upload, UploadState.ACCEPTED, report, **facts)
            target: Path = settings.DATA / columns
            target.parent.mkdir(parents=True, exist_ok=True)
            aside.replace(target)
    except IntegrityError:  # the same file twice at once: the other was first
        raise _Refused("TAG_TAKEN", f'The tag "{tag}" is in use; choose another or replace the run.') from None
    return report


def _store_run(upload: Upload, rankings: Rankings, columns: str) -> Run:
    run = Run(collection=upload.collection, upload=upload, tag=rankings.tag, columns=columns, submitted_by=upload.uploaded_by)
    run.group, run.description = upload.options.get("group", ""), upload.options.get("description", "")
    run.kind = upload.options.get("kind", RunKind.AUTOMATIC)
    run.topic_count, run.line_count = len(rankings.topics), len(rankings)
    run.save(force_insert=True)
    return run
