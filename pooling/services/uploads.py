"""Files that come in: documents, topics, runs. Received at once, checked by a job, taken whole or refused whole."""

import hashlib
import re
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import BinaryIO

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from config import jobs, store
from config.errors import Conflict, Invalid, Refusal
from config.expected import EMPTY, WHOLE, require_between, require_one_of, require_text, shown
from config.models import Job, JobState, User
from pooling.core import packed
from pooling.core.documents import FORMATS
from pooling.core.encodings import ENCODINGS
from pooling.core.findings import Report
from pooling.core.lines import Unpackable
from pooling.core.metadata import MAX_BYTES
from pooling.core.repairs import REPAIRS
from pooling.core.runs import tag_fault
from pooling.models import Collection, RunKind, Upload, UploadKind, UploadState
from pooling.services.collections import require_not_archived
from pooling.services.documents import OTHERS, take_documents
from pooling.services.runs import figures_of, repairs_of, require_window, take_run
from pooling.services.taking import Refused, close
from pooling.services.topics import require_language, take_topics
from pooling.services.work import Work

KEEP_REFUSED = timedelta(days=1)  # of what can be repaired
STRAY_AFTER = 3600  # seconds until a file that no row knows is removed


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
    require_open(collection, kind, by)
    file = _Kept(collection, name, chunks)
    try:
        _require_content(file)
        (upload,) = _stored(collection, by, kind, [(file, cleaned)], later=later)
    except BaseException:
        file.remove()
        raise
    return upload


def receive_runs(
    collection: Collection,
    *,
    by: User,
    files: Iterable[tuple[str, Iterable[bytes]]],
    options: Mapping[str, str] | None = None,
    later: bool = True,
) -> list[Upload]:
    """Keep several run files, each to be checked by itself: archives are taken apart, a YAML file goes with its run.

    Whole or not at all, as far as receiving goes: an archive that cannot be unpacked refuses everything sent with it.
    """
    cleaned = _options(UploadKind.RUN, options or {})
    require_open(collection, UploadKind.RUN, by)
    kept: list[_Kept] = []
    try:
        for name, chunks in files:
            kept.append(_Kept(collection, name, chunks))
            _require_content(kept[-1])
            if _is_archive(kept[-1].path):
                archive = kept.pop()
                kept.extend(_taken_apart(collection, archive))
        about = {file.stem: file for file in kept if file.is_metadata}
        runs = [file for file in kept if not file.is_metadata]
        if not runs:
            raise Refusal("There is no run among the files; expected six columns: topic Q0 docno rank score tag.")
        if cleaned.get("tag") and len(runs) > 1:
            raise Invalid("tag", f"Expected a tag of one run; found {len(runs)} runs. Send them one by one, or without it.")
        told = [(file, _with_metadata(cleaned, about, file)) for file in runs]
        uploads = _stored(collection, by, UploadKind.RUN, told, later=later)
    except BaseException as error:
        for file in kept:
            file.remove()
        if isinstance(error, Unpackable):
            raise Refusal(str(error)) from error
        raise
    for file in about.values():
        file.remove()
    return uploads


class _Kept:
    """A file on disk that no row knows yet."""

    def __init__(self, collection: Collection, name: str, chunks: Iterable[bytes]) -> None:
        self.name = _name(name)
        self.relative = f"files/uploads/{collection.pk}/{secrets.token_hex(12)}"
        self.path: Path = settings.DATA / self.relative
        try:
            self.size, self.sha256 = _write(self.path, chunks)
        except BaseException:
            self.remove()
            raise

    @property
    def is_metadata(self) -> bool:
        return packed.is_metadata(self.name)

    @property
    def stem(self) -> str:
        return packed.stem(self.name)

    def remove(self) -> None:
        store.remove(self.relative)


def _require_content(file: _Kept) -> None:
    if not file.size:
        raise Invalid("file", EMPTY % {"value": file.name})


def _is_archive(path: Path) -> bool:
    with path.open("rb") as raw:
        return packed.is_archive(raw)


def _taken_apart(collection: Collection, archive: _Kept) -> list[_Kept]:
    kept: list[_Kept] = []
    left = settings.UPLOAD_MB * 1_000_000
    try:
        with archive.path.open("rb") as raw:
            for name, file in packed.runs_of(raw):
                kept.append(_Kept(collection, name, _bounded(file, left)))
                left -= kept[-1].size
    except BaseException:
        for made in kept:
            made.remove()
        raise
    finally:
        archive.remove()
    return kept


def _bounded(file: BinaryIO, most: int) -> Iterator[bytes]:
    while chunk := file.read(1 << 20):
        most -= len(chunk)
        if most < 0:
            raise Unpackable(f"Unpacked, the archive holds more than {settings.UPLOAD_MB:,} MB, the most that is allowed.")
        yield chunk


def _with_metadata(options: dict[str, str], about: Mapping[str, _Kept], file: _Kept) -> dict[str, str]:
    beside = about.get(file.stem)
    if beside is None:
        return options
    if beside.size > MAX_BYTES:
        raise Refusal(f"{beside.name} has {beside.size:,} bytes; at most {MAX_BYTES:,} of metadata are allowed.")
    return {**options, "metadata": beside.path.read_bytes().decode("utf-8", "replace").replace("\0", "")}


def _stored(
    collection: Collection, by: User, kind: str, files: Sequence[tuple[_Kept, dict[str, str]]], *, later: bool
) -> list[Upload]:
    uploads = []
    for file, options in files:  # all that can be done before others wait for the lock
        store.keep(file.relative)
        upload = Upload(collection=collection, kind=kind, name=file.name, path=file.relative)
        upload.sha256, upload.size, upload.options, upload.uploaded_by = file.sha256, file.size, options, by
        upload.full_clean(exclude=["job_id"])  # known once the job has its row
        uploads.append(upload)
    with transaction.atomic():
        locked = Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)
        require_open(locked, kind, by)
        for upload in uploads:
            upload.save()
            if later:
                _ask_for_check(upload)
    return uploads


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


def require_open(collection: Collection, kind: str, by: User) -> None:
    """May a file of this kind come now?"""
    require_not_archived(collection)
    if kind == UploadKind.TOPICS and collection.topics_frozen:
        why = "judging has begun" if collection.judging_started_at else "the organizers said so"
        raise Conflict(f"The topics are frozen: {why}. Each can still be changed on its own page.")
    if kind == UploadKind.RUN:
        if not collection.topics.exists():
            raise Conflict("There are no topics yet, and a run is checked against them: upload the topics first.")
        require_window(collection, by)
        return
    live = Job.objects.filter(name="check_upload", state__in=[JobState.WAITING, JobState.RUNNING])
    same = collection.uploads.filter(kind=kind, state=UploadState.RECEIVED)
    if same.filter(job_id__in=live.filter(collection_id=collection.pk).values("pk")).exists():
        raise Conflict(f"Another file of {kind} is being checked; wait until that is done.")


def is_open(collection: Collection, kind: str, by: User) -> bool:
    """May they send such a file now, as far as a page can tell?"""
    try:
        require_open(collection, kind, by)
    except Conflict:
        return False
    return True


def _options(kind: UploadKind, given: Mapping[str, str]) -> dict[str, str]:
    options = {name: str(value).strip() for name, value in given.items() if str(value).strip()}
    if kind == UploadKind.RUN:
        _check_run_options(options)
    else:
        require_one_of("encoding", options.get("encoding", "utf-8"), ENCODINGS)
        require_one_of("format", options.get("format", "auto"), FORMATS)
        require_one_of("numbering", options.get("numbering", "given"), ("given", "running"))
        require_one_of("only", options.get("only", "all"), ("all", "pool"))
        require_one_of("others", options.get("others", "refuse"), OTHERS)
    require_language(options.get("language", ""))
    return options


def _check_run_options(options: dict[str, str]) -> None:
    if "kind" in options:
        require_one_of("kind", options["kind"], RunKind.values)
    if "tag" in options and (fault := tag_fault(options["tag"])):
        raise Invalid("tag", fault)
    for name, most in (("group", 80), ("description", 5000), ("metadata", MAX_BYTES)):
        require_text(name, options.get(name, ""), most)
    for name in repairs_of(options):
        require_one_of("repair", name, REPAIRS)
    priority = options.get("priority", "1")
    if not re.fullmatch(r"-?[0-9]{1,9}", priority):
        raise Invalid("priority", WHOLE % {"value": shown(priority)})
    require_between("priority", int(priority), 1, 999)
    try:
        figures_of(options)
    except ValueError as error:
        raise Refusal(str(error)) from error


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
        store.sync(file)
    return size, digest.hexdigest()


# Checking


def check_upload(upload: Upload, work: Work) -> Upload:
    """Check the whole file, then take it whole or refuse it whole, with every fault by line. Done once, it does no more."""
    if upload.state != UploadState.RECEIVED:
        return upload
    report = Report()
    take: Callable[[Upload, Path, Report, Work], Report] = {
        UploadKind.DOCUMENTS: take_documents,
        UploadKind.TOPICS: take_topics,
        UploadKind.RUN: take_run,
    }[UploadKind(upload.kind)]
    try:
        report = take(upload, store.path(upload.path), report, work)
    except (Unpackable, FileNotFoundError) as error:
        words = str(error) if isinstance(error, Unpackable) else "The file is no longer there; send it again."
        report.add("error", "FILE", 0, words)
    except Refused as refused:
        report.add("error", refused.code, 0, refused.message)
    if not report.ok:
        _refuse(upload, report, work)
    return upload


def _refuse(upload: Upload, report: Report, work: Work) -> None:
    """The report stays, the file goes, unless it can be repaired."""
    path = upload.path
    faults = f"{report.errors:,} fault{'' if report.errors == 1 else 's'}"
    with work.finish(f"{faults}. Nothing of the file was stored.", refused=True):
        close(upload, UploadState.REFUSED, report)
    if not upload.path:
        store.remove(path)


def repair_upload(upload: Upload, *, by: User, repairs: Sequence[str] = (), later: bool = True) -> Upload:
    """Check a refused run again with the repairs that were offered, all unless some are named; nobody sends it again."""
    with transaction.atomic():
        found = Upload.objects.select_for_update().get(pk=upload.pk)
        offered = list(found.report.get("offers", []))
        if found.state != UploadState.REFUSED or not offered:
            raise Conflict("Only a run that was refused, and that can be repaired, is checked again.")
        if found.file_path is None or not found.file_path.exists():
            raise Conflict("The file is no longer there; send it again, with the repair.")
        for name in repairs:
            require_one_of("repair", name, offered)
        require_open(Collection.objects.select_for_update(no_key=True).get(pk=found.collection_id), found.kind, by)
        again = Upload(collection=upload.collection, kind=found.kind, name=found.name, path=found.path, size=found.size)
        again.sha256, again.uploaded_by = found.sha256, found.uploaded_by
        done = [name for name in repairs_of(found.options) if name not in offered]  # else it is refused for that again
        again.options = {**found.options, "repair": ",".join([*done, *(repairs or offered)])}
        found.delete()
        again.save()
        if later:
            _ask_for_check(again)
    return again


def forget_refused() -> int:
    """What was kept to be repaired goes after a day; its report stays."""
    before, count = timezone.now() - KEEP_REFUSED, 0
    for upload in Upload.objects.filter(state=UploadState.REFUSED, uploaded_at__lt=before).exclude(path=""):
        store.remove(upload.path)
        count += Upload.objects.filter(pk=upload.pk, state=UploadState.REFUSED).update(path="")
    return count


def dismiss_upload(upload: Upload) -> None:
    """Take the report of a file that was not taken off the list; nothing else hangs on it."""
    with transaction.atomic():
        found = Upload.objects.select_for_update().get(pk=upload.pk)
        live = Job.objects.filter(pk__in=[found.job_id], state__in=[JobState.WAITING, JobState.RUNNING]).exists()
        if found.state == UploadState.ACCEPTED or (found.state == UploadState.RECEIVED and live):
            raise Conflict("Only the report of a file that was refused, or could not be checked, can be dismissed.")
        found.delete()
    if found.path:
        store.remove(found.path)


def forget_strays() -> int:
    """Files that no row knows: what a process left that was killed between file and row, or row and file."""
    before, count = time.time() - STRAY_AFTER, 0
    known = set(Upload.objects.exclude(path="").values_list("path", flat=True))
    for file in (settings.DATA / "files" / "uploads").glob("*/*"):
        name = file.relative_to(settings.DATA).as_posix()
        with suppress(FileNotFoundError):  # removed meanwhile by whoever knew it
            if name not in known and file.stat().st_mtime < before:
                store.remove(name)
                count += 1
    return count
