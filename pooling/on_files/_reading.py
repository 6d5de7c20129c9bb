"""What the commands on files share: reading, and saying on stderr what was found."""

import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pooling.core import packed
from pooling.core.findings import Report


class Stop(Exception):
    """Ends a command with status 1 and these words."""


def read_bytes(name: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise Stop(f"{name}: {error.strerror}.") from error


def unpack(name: str) -> bytes:
    return unpacked(name, read_bytes(name))


def unpacked(name: str, raw: bytes) -> bytes:
    try:
        return packed.unpacked(raw)
    except packed.Unpackable as error:
        raise Stop(f"{name}: {error}") from error


def write(name: str, data: bytes) -> None:
    try:
        Path(name).write_bytes(data)
    except OSError as error:
        raise Stop(f"{name}: {error.strerror}.") from error


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


def docnos_of(name: str) -> "NDArray[np.bytes_]":
    """The docnos of a file of documents in any form, or of a list with one docno on each line."""
    from pooling.core.documents import read_documents

    first = next((line for line in unpack_head(name).split(b"\n") if line.strip()), b"")
    if len(first.split()) == 1 and not first.startswith((b"<", b"{", b".")):
        return np.unique(np.array(unpack(name).split(), np.bytes_))
    report, docnos = Report(), []
    try:
        with Path(name).open("rb") as file:
            docnos = [one.docno.encode() for chunk in read_documents(file, report, name=name) for one in chunk]
    except packed.Unpackable as error:
        raise Stop(f"{name}: {error}") from error
    if not report.ok:
        tell(name, report)
        raise Stop(f"The documents of {name} cannot be used.")
    return np.array(docnos, np.bytes_)


def unpack_head(name: str) -> bytes:
    try:
        with Path(name).open("rb") as raw:
            return next((file.read(1 << 16) for _, file in packed.members(raw)), b"")
    except OSError as error:
        raise Stop(f"{name}: {error.strerror}.") from error
    except packed.Unpackable as error:
        raise Stop(f"{name}: {error}") from error
