"""Rules that hold for every text file: encoding, line ends, columns parted by blanks."""

import io
import re
from collections.abc import Callable, Iterable, Iterator, Set
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from pooling.core import packed
from pooling.core.fields import Fields, padded, plain_fields
from pooling.core.findings import Report, shown
from pooling.core.keys import PairIndex, find_topics

MOST_LINES = 20_000_000
MAX_ID = 255  # bytes of a topic number or docno
BOM = b"\xef\xbb\xbf"

_CHUNK = 4 << 20
_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_HEAD = 1024  # bytes that tell whether a file is text
_NO_TEXT = {b"\x89PNG": "a PNG picture", b"\xff\xd8\xff": "a JPEG picture", b"%PDF-": "a PDF"}
_NAMED = 20  # topics that a sentence names
_NUMERAL = re.compile(r"[0-9]{1,18}|[^0-9]+")
_BLANKS = bytes.maketrans(b"\t\r\v\f", b"    ")
BLANK_LINES = re.compile(rb"\n\n+")

Made = TypeVar("Made")


Unpackable = packed.Unpackable


def unpack(data: bytes, *, limit: int = packed.LIMIT, most_lines: int = MOST_LINES) -> bytes:
    """The bytes of a run, qrels or topics file, which may be packed; raises Unpackable, with a sentence for the uploader."""
    return few_lines(packed.unpacked(data, limit), most_lines)


def few_lines(data: bytes, most: int = MOST_LINES) -> bytes:
    """The same, if it has not more lines than are allowed."""
    lines = max(data.count(b"\n"), data.count(b"\r"))
    if lines > most:
        raise Unpackable(f"The file holds {lines:,} lines; at most {most:,} are allowed.")
    return data


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
    if any_control(data):
        for number, line in enumerate(data.split(b"\n"), 1):
            if found := _CONTROL.search(line):
                value = f"0x{line[found.start()]:02X}"
                report.add("error", "CONTROL", number, f"Line {number} holds the control character {value}; remove it.")
        return None
    return data


def any_control(data: bytes) -> bool:
    """Whether there is a control character but tab and line feed."""
    codes = np.frombuffer(data, np.uint8)
    low = np.count_nonzero(codes < ord(" "))
    return bool(low > sum(np.count_nonzero(codes == ord(blank)) for blank in "\n\t") or (codes == 127).any())


def encoding_message(data: bytes, offset: int) -> str:
    """Why these bytes, wrong from `offset` on, are not UTF-8, as well as one can tell."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "The file is UTF-16; save it as UTF-8 (byte 0 is not UTF-8)."
    if what := no_text(data):
        return f"Expected a text file; found {what} (byte {offset}, 0x{data[offset]:02X}, is not UTF-8)."
    return f"Byte {offset} (0x{data[offset]:02X}) is not UTF-8; save the file as UTF-8."


def no_text(data: bytes) -> str:
    """What a file is that is no text in any encoding we read bytewise; "" for what may be one."""
    known = next((what for start, what in _NO_TEXT.items() if data.startswith(start)), "")
    return known or ("a binary one" if _CONTROL.search(data, 0, _HEAD) else "")


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


def without_zeros(names: NDArray[np.bytes_], known: NDArray[np.bytes_]) -> NDArray[np.bool_]:
    """Which names the known ones have only without the zeros before them: 0858, where there is an 858 and no 0858."""
    nowhere = np.zeros(len(names), np.int64)
    index, bare = PairIndex.build(np.zeros(len(known), np.int64), known), np.strings.lstrip(names, b"0")
    found: NDArray[np.bool_] = (bare != names) & (bare != b"")
    return found & (index.find(nowhere, names) < 0) & (index.find(nowhere, bare) >= 0)


def docnos_message(number: int, given: bytes | str, taken: bytes | str) -> str:
    if number == 1:
        return f"Document {shown(given)} is taken as {shown(taken)}, which the collection has."
    return f"{number:,} lines are taken without the zeros before their docnos, the first {shown(given)} as {shown(taken)}."


def listed_topics(numbers: Iterable[str]) -> str:
    """Topics as a sentence names them, 9 before 10: "topic 7", "topics 7, 9 and 10", of many the first and how many more."""
    ordered = [shown(number) for number in sorted(numbers, key=_natural)]
    if len(ordered) == 1:
        return f"topic {ordered[0]}"
    named, more = ordered[:_NAMED], len(ordered) - _NAMED
    last = f"{more:,} more" if more > 0 else named.pop()
    return f"topics {', '.join(named)} and {last}"


def _natural(text: str) -> tuple[tuple[bool, int, str], ...]:
    """Digits compare as numbers."""
    parts = _NUMERAL.findall(text)
    return tuple(
        (not part.isascii() or not part.isdigit(), int(part) if part.isascii() and part.isdigit() else 0, part)
        for part in parts
    )


def zeros_message(given: bytes, taken: bytes) -> str:
    return f"Topic {shown(given)} is taken as topic {shown(taken)} of this collection."


def careful_rows(data: bytes) -> Iterator[tuple[int, list[bytes]]]:
    """Number and fields of every line that is neither blank nor a comment (`#`, with or without blanks before it)."""
    for number, line in enumerate(io.BytesIO(data), 1):
        fields = line.split()  # of what it splits at, `clean_text` leaves only spaces and tabs
        if fields and not fields[0].startswith(b"#"):
            yield number, fields


def quick_lines(
    data: bytes,
    width: int,
    take: Callable[[NDArray[np.int64], Fields], Made | None],
    *,
    longest: int = MAX_ID,
    chunk: int = _CHUNK,
) -> list[Made] | None:
    """What `take` makes of the line numbers and fields of each chunk of a clean file; None if anything is odd, or it is.

    Odd is: a line that has not `width` fields, a comment, a field of more than `longest` bytes, no line at all. Blank
    lines and several blanks are no oddity. `data` is as `clean_text` gives it. Memory grows with what is taken, not with
    the file: it is read in chunks that end at a line's end. What is odd is for `careful_rows` to name.
    """
    made: list[Made] = []
    start = line = 0
    while start < len(data):
        end = len(data) if start + chunk >= len(data) else data.rfind(b"\n", start, start + chunk) + 1
        if end <= start:  # a line longer than a chunk
            return None
        part = data[start:end]
        start = end
        if (found := quick_chunk(part, width, longest)) is not None:
            taken = take(found[0] + line, found[1])
            if taken is None:
                return None
            made.append(taken)
        elif not part.isspace():
            return None
        line += part.count(b"\n")
    return made or None


def quick_chunk(data: bytes, width: int, longest: int) -> tuple[NDArray[np.int64], Fields] | None:
    """Numbers and fields of lines of plain columns, all at once; None: something is odd, and has to be read line by line."""
    fields = plain_fields(padded(data), width)
    if fields is not None:
        lines = np.arange(1, len(fields) + 1)
    else:
        tidy = single_blanks(data)
        filled = np.diff(np.flatnonzero(np.frombuffer(b"\n" + tidy + b"\n", np.uint8) == ord("\n"))) > 1
        text = padded(BLANK_LINES.sub(b"\n", tidy).lstrip(b"\n"))
        fields, lines = plain_fields(text, width), np.flatnonzero(filled) + 1
    if fields is None or fields.longest > longest or (fields.text[fields.column(0).starts] == ord("#")).any():
        return None
    return lines, fields


def single_blanks(data: bytes) -> bytes:
    """The same lines with one blank between fields and none before or behind them."""
    data = data.translate(_BLANKS)
    while b"  " in data:
        data = data.replace(b"  ", b" ")
    return data.replace(b" \n", b"\n").replace(b"\n ", b"\n").strip(b" ")


def without_comments(text: str, put: Callable[[str], str]) -> str:
    """SGML's comments, each replaced. One that nobody closes stays, and the text is read once, whatever is in it."""
    parts, at = [], 0
    while (begin := text.find("<!--", at)) >= 0 and (end := text.find("-->", begin + 4)) >= 0:
        parts += [text[at:begin], put(text[begin : end + 3])]
        at = end + 3
    return "".join([*parts, text[at:]])
