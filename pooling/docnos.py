"""The docnos of a collection's documents, read from the database once for each import of documents and kept in a file.

Every run is checked against all of them, and most of a short check would be asking for what has not changed. The file is
derived data of this machine: made again at will, left out of backups."""

import uuid
import zlib
from contextlib import suppress
from pathlib import Path

import numpy as np
from django.conf import settings
from numpy.typing import NDArray

from pooling import selectors
from pooling.models import Collection, Corpus

FOLDER = "cache"
_BATCH = 100_000


def all_docnos(collection: Collection) -> "NDArray[np.bytes_] | None":
    """Of the visible documents, None if none were imported. When some were, they are all there is."""
    while True:
        corpus = selectors.corpus(collection)
        if not corpus.generation or not (name := _name(corpus)):
            return None
        kept: Path = settings.DATA / FOLDER / name
        with suppress(OSError, ValueError, EOFError):  # not there yet, or cut off
            there: NDArray[np.bytes_] = np.load(kept, mmap_mode="r")
            return there
        found = _read(corpus)
        if Corpus.objects.filter(pk=corpus.pk, generation=corpus.generation).exists():
            with suppress(OSError):  # no room: it is read again the next time
                _keep(kept, corpus, found)
            return found  # else others were imported meanwhile, and these are being removed


def _name(corpus: Corpus) -> str:
    """Another for other documents: which are the first and the last tells those of a database that was put back, too."""
    rows = corpus.documents.filter(generation=corpus.generation).values_list("pk", "docno")
    ends = [*rows.order_by("docno")[:1], *rows.order_by("-docno")[:1]]
    told = zlib.crc32(repr((corpus.document_count, ends)).encode())
    return f"docnos-{corpus.pk}-{corpus.generation}-{told:08x}.npy" if ends else ""


def _read(corpus: Corpus) -> "NDArray[np.bytes_]":
    found: list[NDArray[np.bytes_]] = []
    batch: list[bytes] = []
    rows = corpus.documents.filter(generation=corpus.generation).values_list("docno", flat=True)
    for docno in rows.iterator(chunk_size=20_000):
        batch.append(docno.encode())
        if len(batch) == _BATCH:
            found.append(np.array(batch, np.bytes_))
            batch = []
    return np.concatenate([*found, np.array(batch, np.bytes_)])


def _keep(kept: Path, corpus: Corpus, found: "NDArray[np.bytes_]") -> None:
    """Whole or not at all; what was kept of this corpus before goes."""
    kept.parent.mkdir(exist_ok=True)
    aside = kept.with_name(f".{uuid.uuid4().hex}.npy")
    try:
        np.save(aside, found)
        aside.replace(kept)
    finally:
        aside.unlink(missing_ok=True)
    for other in kept.parent.glob(f"docnos-{corpus.pk}-*.npy"):
        if other != kept:
            other.unlink(missing_ok=True)
