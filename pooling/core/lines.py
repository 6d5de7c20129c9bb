"""Rules that hold for every text file: encoding, line ends, columns parted by blanks."""

import re
from collections.abc import Iterator, Set
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pooling.core import packed
from pooling.core.findings import Report, shown
from pooling.core.keys import find_topics

MAX_ID = 255  # bytes of a topic number or docno
BOM = b"\xef\xbb\xbf"

_CHUNK = 4 << 20
_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_IS_BLANK = np.zeros(256, bool)
_IS_BLANK[list(b" \t\n")] = True


Unpackable = packed.Unpackable


def unpack(data: bytes, *, limit: int = packed.LIMIT) -> bytes:
    """The bytes of a run, qrels or topics file, which may be packed; raises Unpackable, with a sentence for the uploader."""
    return packed.unpacked(data, limit)


def clean_text(data: bytes, report: Report) -> bytes | None:
    """The file as UTF-8 bytes with LF line ends, or None if it is no such text.

    A byte order mark is dropped and CR LF or CR become LF, each with one warning. The first byte that is not UTF-8 is
    named with its offset from 0, and refuses the file; so does each line with a control character other than a tab:
    no identifier holds one, and NUL would end the docno in some tools.
    """
    if not data.isascii():
        try:
            data.decode()
        except UnicodeDecodeError as error:
            report.add("error", "ENCODING", line_at(data, error.start), encoding_message(data, error.start))
            return None
    if data.startswith(BOM):
        report.add("warning", "BOM", 1, "The file begins with a byte order mark. It is ignored.")
        data = data[len(BOM) :]
    if b"\r" in data:
        report.add("warning", "CRLF", 0, "Lines end with CR LF or CR. They are read as line ends.")
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if _CONTROL.search(data):
        for number, line in enumerate(data.split(b"\n"), 1):
            if found := _CONTROL.search(line):
                value = f"0x{line[found.start()]:02X}"
                report.add("error", "CONTROL", number, f"Line {number} holds the control character {value}; remove it.")
        return None
    return data


def encoding_message(data: bytes, offset: int) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "The file is UTF-16; save it as UTF-8 (byte 0 is not UTF-8)."
    return f"Byte {offset} (0x{data[offset]:02X}) is not UTF-8; save the file as UTF-8."


def line_at(data: bytes, offset: int) -> int:
    """The number of the line that holds a byte, with CR LF, CR and LF all ending a line."""
    before = data[:offset]
    return 1 + before.count(b"\n") + before.count(b"\r") - before.count(b"\r\n")


def spelled_topics(
    names: NDArray[np.bytes_], topics: Set[str]
) -> tuple[NDArray[np.bytes_], NDArray[np.bool_], NDArray[np.bool_]]:
    """Topics of a file as the collection spells them: "051" is "51" if the collection has that and no "051".

    Returns the names, where they changed, and where the collection knows them; all aligned with `names`.
    """
    collection = np.strings.encode(np.array(sorted(topics), np.str_), "utf-8")
    bare = np.strings.lstrip(names, b"0")
    known = find_topics(collection, names) >= 0
    changed = ~known & (bare != names) & (bare != b"") & (find_topics(collection, bare) >= 0)
    return np.where(changed, bare, names), changed, known | changed


def zeros_message(given: bytes, taken: bytes) -> str:
    return f"Topic {shown(given)} is taken as topic {shown(taken)} of this collection."


def careful_rows(data: bytes) -> Iterator[tuple[int, list[bytes]]]:
    """Number and fields of every line that is neither blank nor a comment (`#`, with or without blanks before it)."""
    for number, line in enumerate(data.split(b"\n"), 1):
        fields = line.split()  # of what it splits at, `clean_text` leaves only spaces and tabs
        if fields and not fields[0].startswith(b"#"):
            yield number, fields


@dataclass(frozen=True)
class Table:
    """The fields of a file whose every line has the same number of them; `lines` are their line numbers."""

    lines: NDArray[np.int64]
    columns: tuple[NDArray[np.bytes_], ...]


def quick_table(data: bytes, width: int, *, longest: int = MAX_ID, chunk: int = _CHUNK) -> Table | None:
    """All fields of a clean file at once, without a loop over lines; None if anything is odd.

    Odd is: a line that has not `width` fields, a comment, a field of more than `longest` bytes, no line at all. Blank
    lines are no oddity. `data` is as `clean_text` gives it. Memory grows with the columns, not with the file: it is
    read in chunks that end at a line's end. What is odd is for `careful_rows` to name.
    """
    tables: list[Table] = []
    start = line = 0
    while start < len(data):
        end = len(data) if start + chunk >= len(data) else data.rfind(b"\n", start, start + chunk) + 1
        if end <= start:  # a line longer than a chunk
            return None
        part = data[start:end]
        table = _quick_chunk(part, width, longest, line)
        if table is None:
            return None
        tables.append(table)
        line += part.count(b"\n")
        start = end
    lines = np.concatenate([np.zeros(0, np.int64), *(table.lines for table in tables)])
    if not len(lines):
        return None
    return Table(lines, tuple(np.concatenate([table.columns[i] for table in tables]) for i in range(width)))


def _quick_chunk(data: bytes, width: int, longest: int, line: int) -> Table | None:
    array = np.frombuffer(data + bytes(longest + 1), np.uint8)  # padded, so that a window fits behind each field
    blank = np.ones(len(data) + 2, bool)
    blank[1:-1] = _IS_BLANK[array[: len(data)]]
    edges = np.flatnonzero(blank[1:] != blank[:-1])
    starts, lengths = edges[0::2], edges[1::2] - edges[0::2]
    if len(starts) % width or (len(lengths) and lengths.max() > longest):
        return None
    if not len(starts):
        return Table(np.zeros(0, np.int64), (np.zeros(0, "S1"),) * width)
    breaks = np.flatnonzero(array[: len(data)] == ord("\n"))
    first, last = np.searchsorted(breaks, starts[0::width]), np.searchsorted(breaks, starts[width - 1 :: width])
    if (first != last).any() or (first[1:] <= last[:-1]).any() or (array[starts[0::width]] == ord("#")).any():
        return None
    columns = tuple(_gather(array, starts[i::width], lengths[i::width]) for i in range(width))
    return Table(first.astype(np.int64) + line + 1, columns)


def _gather(array: NDArray[np.uint8], starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.bytes_]:
    """The fields at `starts` as one 'S' array, by windows of the longest field's width with the rest set to zero."""
    width = int(lengths.max())
    windows = np.lib.stride_tricks.sliding_window_view(array, width)[starts]
    windows[np.arange(width) >= lengths[:, None]] = 0
    return windows.view(f"S{width}").reshape(len(starts))
