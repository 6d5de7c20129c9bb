"""Documents in JSONL, read as a stream: one object on each line, any number of lines, constant memory."""

import hashlib
import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

from pooling.core.findings import Report, shown
from pooling.core.lines import BOM, MAX_ID

CHUNK = 2000
MAX_LINE = 16 << 20
MAX_DEPTH = 20

_BLOCK = 1 << 20
_DOCNO = ("id", "_id", "docno", "docid")
_TEXT = ("text", "contents", "body")
_OTHERS = ("title", "url", "lang", "date")
_BAD_DOCNO = re.compile(r"[\s\x00-\x1f\x7f]", re.ASCII)
_BAD_TEXT = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True)
class DocumentSpec:
    """One document as its file states it; `extra` holds the other keys, with their values as JSON gave them."""

    docno: str
    title: str = ""
    text: str = ""
    url: str = ""
    lang: str = ""
    date: str = ""
    extra: dict[str, object] = field(default_factory=dict)


class _Fault(ValueError):
    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def read_documents(
    file: BinaryIO, report: Report, *, chunk: int = CHUNK, max_line: int = MAX_LINE
) -> Iterator[list[DocumentSpec]]:
    """Documents in lists of `chunk`, the last one shorter; faults go to `report` while the file is read.

    Keys: `id`, `_id`, `docno` or `docid`; `text`, `contents` or `body`; `title`, `url`, `lang`, `date`; the rest is
    `extra`. Errors: ENCODING, LINE_LONG (more than `max_line` bytes), JSON (also nested too deep), NOT_OBJECT,
    DOCNO_MISSING, DOCNO_FORMAT (a blank, a control character, more than 255 bytes), DOC_DUPLICATE, FIELD_TYPE,
    CHARACTER (NUL or half a surrogate pair, which no database takes), DOCUMENTS_EMPTY. Warnings: TEXT_EMPTY, BOM, CRLF.
    Lines with an error are left out. Of each docno 8 bytes are remembered, nothing else: look at `report.ok` only
    after the last chunk, and store nothing for good before.
    """
    seen: set[bytes] = set()
    documents: list[DocumentSpec] = []
    any_line = False
    for line, data in _lines(file, report, max_line):
        if not data.strip() or data.startswith(b"#"):
            continue
        any_line = True
        try:
            document = _document(data)
            _remember(document.docno, seen)
        except _Fault as fault:
            report.add("error", fault.code, line, f"Line {line}: {fault}")
            continue
        if not document.text and not document.title:
            report.add("warning", "TEXT_EMPTY", line, f"Document {shown(document.docno)} has no text.")
        documents.append(document)
        if len(documents) == chunk:
            yield documents
            documents = []
    if not any_line and report.ok:
        report.add("error", "DOCUMENTS_EMPTY", 0, "The file holds no documents.")
    if documents:
        yield documents


def _lines(file: BinaryIO, report: Report, longest: int) -> Iterator[tuple[int, bytes]]:
    """Numbered lines ended by LF, CR LF or CR; one that is too long is reported and not kept in memory."""
    number, rest, dropping = 1, b"", False
    block = file.read(_BLOCK)
    if block.startswith(BOM):
        report.add("warning", "BOM", 1, "The file begins with a byte order mark. It is ignored.")
        block = block[len(BOM) :]
    while block:
        if b"\r" in block:
            report.add_once("warning", "CRLF", 0, "Lines end with CR LF or CR. They are read as line ends.")
            if block.endswith(b"\r"):  # its LF may be the next byte
                block += file.read(1)
            block = block.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        *whole, rest = (rest + block).split(b"\n")
        for line in whole:
            if not dropping and len(line) <= longest:
                yield number, line
            elif not dropping:
                _too_long(report, number, longest)
            dropping = False
            number += 1
        if len(rest) > longest:
            if not dropping:
                _too_long(report, number, longest)
            dropping = True
        if dropping:
            rest = b""
        block = file.read(_BLOCK)
    if rest and not dropping:
        yield number, rest


def _too_long(report: Report, line: int, longest: int) -> None:
    report.add("error", "LINE_LONG", line, f"Line {line} has more than {longest:,} bytes, the most a document may have.")


def _document(data: bytes) -> DocumentSpec:
    record = _record(data)
    docno = _docno(record)
    texts = [record.pop(name) for name in _TEXT if name in record]
    text = _string("text", next((value for value in texts if value is not None), None))
    title, url, lang, date = (_string(name, record.pop(name, None)) for name in _OTHERS)
    if b"\\u" in data:
        _check_characters([docno, title, text, url, lang, date])
    if record:
        _check_extra(record)
    return DocumentSpec(docno, title, text, url, lang, date, record)


def _record(data: bytes) -> dict[str, object]:
    try:
        record = json.loads(data.decode(), parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        message = f"byte {error.start} of the line (0x{data[error.start]:02X}) is not UTF-8."
        raise _Fault("ENCODING", message) from error
    except RecursionError as error:
        raise _Fault("JSON", "brackets are nested too deep.") from error
    except json.JSONDecodeError as error:
        raise _Fault("JSON", f"not JSON at column {error.colno}: {error.msg}.") from error
    except _Fault:
        raise
    except ValueError as error:  # Python reads no integer of thousands of digits
        raise _Fault("JSON", "a number has too many digits.") from error
    if not isinstance(record, dict):
        raise _Fault("NOT_OBJECT", f"expected a JSON object, found {_kind(record)}.")
    return record


def _refuse_constant(name: str) -> object:
    raise _Fault("JSON", f"{name} is not a JSON number.")


def _check_characters(values: list[str]) -> None:
    if any(_BAD_TEXT.search(value) for value in values):
        raise _Fault("CHARACTER", "a NUL character or half a surrogate pair cannot be stored.")


def _check_extra(record: dict[str, object]) -> None:
    """What the other keys hold must be storable as JSON too; walked without recursion, since depth is the danger."""
    left: list[tuple[int, object]] = [(1, record)]
    while left:
        depth, value = left.pop()
        if depth > MAX_DEPTH:
            raise _Fault("JSON", f"brackets are nested more than {MAX_DEPTH} deep.")
        if isinstance(value, str):
            _check_characters([value])
        elif isinstance(value, float) and not math.isfinite(value):
            raise _Fault("JSON", "a number is too large.")
        elif isinstance(value, dict):
            left.extend((depth + 1, inner) for pair in value.items() for inner in pair)
        elif isinstance(value, list):
            left.extend((depth + 1, inner) for inner in value)


def _docno(record: dict[str, object]) -> str:
    values = [record.pop(name) for name in _DOCNO if name in record]
    docno = _string("id", next((value for value in values if value is not None), None)).strip()
    if not docno:
        raise _Fault("DOCNO_MISSING", 'expected an "id" (or "_id", "docno", "docid").')
    if _BAD_DOCNO.search(docno) or _BAD_TEXT.search(docno) or len(docno.encode()) > MAX_ID:
        raise _Fault("DOCNO_FORMAT", f'the id "{shown(docno)}" may hold no blank and at most {MAX_ID} bytes.')
    return docno


def _string(name: str, value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise _Fault("FIELD_TYPE", f'"{name}" must be text, found {_kind(value)}.')


def _kind(value: object) -> str:
    kinds = {list: "a list", dict: "an object", bool: "true or false", float: "a decimal number", str: "text", int: "a number"}
    return kinds.get(type(value), "null")


def _remember(docno: str, seen: set[bytes]) -> None:
    digest = hashlib.blake2b(docno.encode(), digest_size=8).digest()
    if digest in seen:
        raise _Fault("DOC_DUPLICATE", f"document {shown(docno)} appears again.")
    seen.add(digest)
