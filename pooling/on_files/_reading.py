"""What the commands on files share: reading, and saying on stderr what was found."""

import io
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pooling.core import packed
from pooling.core.findings import Report
from pooling.core.lines import few_lines


class Stop(Exception):
    """Ends a command with status 1 and these words."""


def read_bytes(name: str) -> bytes:
    with _said(name):
        return sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()


def unpack(name: str) -> bytes:
    return unpacked(name, read_bytes(name))


def unpacked(name: str, raw: bytes) -> bytes:
    with _said(name):
        return packed.unpacked(raw)


def write(name: str, data: bytes) -> None:
    with _said(name):
        Path(name).write_bytes(data)


def say(words: str) -> None:
    sys.stderr.write(f"{words}\n")


def tell(name: str, report: Report) -> None:
    """Each finding as compilers print them, so that editors find the line."""
    for one in report.findings:
        where = f"{name}:{one.line}" if one.line else name
        say(f"{where}: {one.severity}: {one.message}")


def topics_of(name: str) -> set[str]:
    from pooling.core.topics import read_topics

    topics, report = read_topics(unpack(name))
    if not report.ok:
        tell(name, report)
        raise Stop(f"The topics of {name} cannot be used.")
    return {topic.number for topic in topics}


class Documents(NamedTuple):
    """The docnos, and how long the texts are, in code points; None where a list told no texts."""

    docnos: "NDArray[np.bytes_]"
    lengths: "NDArray[np.int64] | None" = None

    def text_lengths(self, asked: "NDArray[np.bytes_]") -> "NDArray[np.int64]":
        """Of each docno that is asked for; -1 where there is no such document, or no text of it."""
        if self.lengths is None or not len(self.docnos):
            return np.full(len(asked), -1, np.int64)
        order = np.argsort(self.docnos)
        place = order[np.minimum(np.searchsorted(self.docnos, asked, sorter=order), len(order) - 1)]
        return np.where(self.docnos[place] == asked, self.lengths[place], -1)


def documents_of(name: str) -> Documents:
    """Of a file of documents in any form, or of a list with one docno on each line."""
    from pooling.core.documents import read_documents

    first = next((line for line in unpack_head(name).split(b"\n") if line.strip()), b"")
    if len(first.split()) == 1 and not first.startswith((b"<", b"{", b".")):
        return Documents(np.unique(np.array(unpack(name).split(), np.bytes_)))
    report, read = Report(), []
    with _said(name), Path(name).open("rb") as file:
        for chunk in read_documents(file, report, name=name):
            read += [(one.docno.encode(), len(one.text)) for one in chunk]
    if not report.ok:
        tell(name, report)
        raise Stop(f"The documents of {name} cannot be used.")
    return Documents(np.array([docno for docno, _ in read], np.bytes_), np.array([size for _, size in read], np.int64))


def sent(name: str) -> Iterator[tuple[str, BinaryIO]]:
    """A file unpacked, or each file of an archive of runs, as a site takes it apart; each is read before the next."""
    with _said(name), io.BytesIO(read_bytes(name)) if name == "-" else Path(name).open("rb") as raw:
        for member, file in packed.runs_of(raw):
            yield f"{name}/{member}" if member else name, file


def whole(name: str, file: BinaryIO) -> bytes:
    with _said(name):
        return few_lines(packed.read_whole(file))


def metadata_of(names: Sequence[str]) -> dict[str, str]:
    """The YAML among the files, and in archives among them, by the stem that it has in common with its run."""
    found: dict[str, str] = {}
    for name in names:
        if name == "-" or not (packed.is_metadata(name) or _is_archive(name)):
            continue
        for shown, file in sent(name):
            if packed.is_metadata(shown):
                found[packed.stem(Path(shown).name)] = whole(shown, file).decode("utf-8", "replace")
    return found


def _is_archive(name: str) -> bool:
    with _said(name), Path(name).open("rb") as raw:
        return packed.is_archive(raw)


@contextmanager
def _said(name: str) -> Iterator[None]:
    """What keeps a file from being read ends the command with its name."""
    try:
        yield
    except OSError as error:
        raise Stop(f"{name}: {error.strerror}.") from error
    except packed.Unpackable as error:
        raise Stop(f"{name}: {error}") from error


def unpack_head(name: str) -> bytes:
    with _said(name), Path(name).open("rb") as raw:
        return next((file.read(1 << 16) for _, file in packed.members(raw)), b"")
