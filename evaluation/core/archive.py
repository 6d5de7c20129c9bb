"""Archives whose bytes depend on their content alone, and differences between two qrels."""

import hashlib
import io
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from evaluation.core.qrels import Qrels

CHECKSUMS = "SHA256SUMS"


def packed(files: Mapping[str, bytes], folder: str) -> bytes:
    """One .zip of these files below a folder, with their SHA-256 beside them.

    The same files give the same bytes on every machine: names are sorted, no date is told, and nothing is compressed,
    since releases of zlib compress otherwise.
    """
    sums = "".join(f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in sorted(files.items()))
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
        for name, data in sorted({**files, CHECKSUMS: sums.encode()}.items()):
            entry = zipfile.ZipInfo(f"{folder}/{name}", (1980, 1, 1, 0, 0, 0))
            entry.create_system, entry.external_attr = 3, 0o100644 << 16
            archive.writestr(entry, data)
    return target.getvalue()


@dataclass(frozen=True)
class TopicChange:
    """How a topic's qrels differ: documents that came, that have another grade, that went, and that stayed."""

    topic: str
    added: int
    changed: int
    removed: int
    same: int


@dataclass(frozen=True)
class Change:
    """One document: the grade before and after; None: it had, or has, none."""

    topic: str
    docno: str
    before: int | None
    after: int | None


def difference(old: Qrels, new: Qrels) -> tuple[list[TopicChange], list[Change]]:
    """By topic, all topics of both; and each document that differs, by topic and docno in the order of bytes."""
    one, other = _grades(old), _grades(new)
    changes, counts = [], dict[bytes, list[int]]()
    for pair in sorted(one.keys() | other.keys()):
        before, after = one.get(pair), other.get(pair)
        kind = 0 if before is None else 2 if after is None else 1 if before != after else 3
        counts.setdefault(pair[0], [0, 0, 0, 0])[kind] += 1
        if kind != 3:
            changes.append(Change(pair[0].decode(), pair[1].decode(), before, after))
    return [TopicChange(topic.decode(), *numbers) for topic, numbers in counts.items()], changes


def _grades(qrels: Qrels) -> dict[tuple[bytes, bytes], int]:
    topics = np.asarray(qrels.topics)[qrels.codes].tolist()
    return dict(zip(zip(topics, qrels.docnos.tolist(), strict=True), qrels.grades.tolist(), strict=True))
