"""What taking a file of any kind has in common: it ends accepted or refused, in one transaction, once."""

from collections.abc import Mapping
from pathlib import Path

from django.conf import settings

from config import jobs
from pooling.core.findings import Report, told
from pooling.core.lines import unpack
from pooling.models import Collection, Upload, UploadKind, UploadState


class Refused(Exception):
    """Leaves the switching transaction, so that nothing of the file stays."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code, self.message = code, message


def close(upload: Upload, state: UploadState, report: Report, facts: Mapping[str, object] | None = None) -> None:
    """End an upload that is still open, in the caller's transaction: of two that check it, one does."""
    values = {
        "state": state,
        "report": {**told(report), "facts": dict(facts or {})},
        # What a repair makes whole is kept for a day, so that nobody has to send it again.
        "path": "" if state == UploadState.REFUSED and not report.offers else upload.path,
    }
    if not Upload.objects.filter(pk=upload.pk, state=UploadState.RECEIVED).update(**values):
        raise jobs.Superseded(f"upload {upload.pk} was checked meanwhile")
    for name, value in values.items():
        setattr(upload, name, value)


def locked(collection_id: int, kind: UploadKind) -> Collection:
    """The collection's row, locked and still open to the file. Topics are replaced while nobody judges."""
    collection = Collection.objects.select_for_update(no_key=kind != UploadKind.TOPICS).get(pk=collection_id)
    if collection.is_archived:
        raise Refused("ARCHIVED", "The collection was archived meanwhile.")
    if kind == UploadKind.TOPICS and collection.topics_frozen:
        raise Refused("FROZEN", "The topics were frozen meanwhile.")
    return collection


def unpacked(path: Path) -> bytes:
    return plain(path.read_bytes())


def plain(data: bytes) -> bytes:
    """A run, qrels or topics, unpacked, within the site's limits of bytes and lines; else Unpackable."""
    return unpack(data, limit=settings.UPLOAD_MB * 1_000_000, most_lines=settings.UPLOAD_LINES)
