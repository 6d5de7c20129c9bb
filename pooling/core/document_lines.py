"""Documents in lines: one a line (JSON, TSV), or parted by lines that begin with a full stop (SMART)."""

import re
from collections.abc import Callable, Iterator
from itertools import chain

from pooling.core import encodings
from pooling.core.document_json import json_document
from pooling.core.document_spec import BAD_TEXT, DocumentSpec, Fault, Read, checked_docno

Lines = Iterator[tuple[int, bytes]]

_BRACKETS = re.compile(rb'"(?:[^"\\]++|\\.)*+"|[][{}]')
_BETWEEN = b" \t,[]"  # objects of a list
_ESCAPES = {"\\t": "\t", "\\n": "\n", "\\\\": "\\"}
_ESCAPE = re.compile(r"\\[tn\\]")
_MARK = re.compile(rb"\.([A-Z])(?:[ \t]++(.*))?$")
_SMART = {"T": "title", "W": "text"}
_SMART_EXTRA = {"A": "authors", "B": "source", "N": "entry", "K": "keywords", "C": "classes"}


def read_json(lines: Lines, longest: int) -> Iterator[Read]:
    """An object a line; or, where the first line opens a list, or an object and no more, objects over any lines (Anserini)."""
    lines = ((line, data) for line, data in lines if data.strip() and not data.startswith(b"#"))
    first = next(lines, None)
    if first is None:
        return
    lines = chain((first,), lines)
    if first[1].strip() == b"{" or first[1].lstrip().startswith(b"["):
        yield from _spread(lines, longest)
    else:
        yield from ((line, _tried(json_document, data)) for line, data in lines)


def _spread(lines: Lines, longest: int) -> Iterator[Read]:
    """Objects one after the other, or in a list. A list that nobody closes is an error: its file was cut off."""
    begin = line = depth = lists = size = 0
    parts: list[bytes] = []
    for line, data in lines:
        begin, at = begin or line, 0
        for token in _BRACKETS.finditer(data):
            if not depth:
                lists += {b"[": 1, b"]": -1}.get(token[0], 0)
            depth += {b"{": 1, b"}": -1}.get(token[0], 0)
            if token[0] == b"}" and depth <= 0:
                yield begin, _tried(json_document, b"\n".join((*parts, data[at : token.end()])).lstrip(_BETWEEN))
                begin, at, depth, size, parts = line, token.end(), 0, 0, []
        rest = data[at:].strip(b"" if depth else _BETWEEN)
        if not rest:
            begin = 0
        elif (size := size + len(rest)) <= longest:
            parts.append(rest)
        else:
            yield begin, Fault("LINE_LONG", f"the document has more than {longest:,} bytes, the most it may have.")
            return
    if parts and not depth:
        yield begin, Fault("NOT_OBJECT", "expected JSON objects, {…}, and found other values.")
    elif depth or lists:
        yield begin or line, Fault("JSON", "the file ends before its last bracket is closed; was it cut off on the way?")


def read_tsv(lines: Lines, encoding: str = encodings.UTF8) -> Iterator[Read]:
    """`id text`, `id title text` or MS MARCO's `id url title text`, parted by tabs; `\\t` and `\\n` are theirs within."""
    for line, data in lines:
        if data.strip():
            yield line, _tried(lambda data: _tsv(_text(data, encoding)), data)


def _tried(read: Callable[[bytes], DocumentSpec], data: bytes) -> DocumentSpec | Fault:
    try:
        return read(data)
    except Fault as fault:
        return fault


def _text(data: bytes, encoding: str) -> str:
    try:
        text = encodings.decoded(data, encoding)
    except encodings.Undecodable as error:
        raise Fault("ENCODING", f"byte {error.offset} of the line is not UTF-8.") from error
    if BAD_TEXT.search(text):
        raise Fault("CHARACTER", "a NUL character cannot be stored.")
    return text


def _tsv(row: str) -> DocumentSpec:
    fields = [_ESCAPE.sub(lambda escape: _ESCAPES[escape[0]], value) for value in row.split("\t")]
    if not 2 <= len(fields) <= 4:
        words = f"{len(fields)} column{'' if len(fields) == 1 else 's'}; expected id, tab, text (or id, title, text)."
        raise Fault("FIELDS", words)
    docno = fields[0].strip()
    if not docno:
        raise Fault("DOCNO_MISSING", "the first column, the id, is empty.")
    url = fields[1] if len(fields) == 4 else ""
    return DocumentSpec(checked_docno(docno), fields[-2] if len(fields) > 2 else "", fields[-1], url)


def read_smart(lines: Lines, longest: int, encoding: str = encodings.UTF8) -> Iterator[Read]:
    """SMART's own form: `.I 1`, then `.T` title, `.A` authors, `.B` source, `.W` text; `.X` (citations) is not read."""
    for line, number, fields in smart_records(lines, longest):
        if sum(map(len, fields.values())) > longest:
            yield line, Fault("LINE_LONG", f"the document has more than {longest:,} bytes, the most it may have.")
            continue
        yield line, _tried(lambda _, number=number, fields=fields: _smart(number, fields, encoding), b"")  # type: ignore[misc]


def _smart(number: bytes, fields: dict[str, bytes], encoding: str) -> DocumentSpec:
    docno = _text(number, encoding).strip()
    values = {name: _text(value, encoding).strip() for name, value in fields.items()}
    values["A"] = "; ".join(values.get("A", "").split("\n"))  # an author a line
    extra: dict[str, object] = {word: values[mark] for mark, word in _SMART_EXTRA.items() if values.get(mark)}
    known = {word: values.get(mark, "") for mark, word in _SMART.items()}
    return DocumentSpec(checked_docno(docno), " ".join(known["title"].split()), known["text"], extra=extra)


def smart_records(lines: Lines, longest: int | None = None) -> Iterator[tuple[int, bytes, dict[str, bytes]]]:
    """(line, number, {mark: text}) of each `.I`; a mark that comes twice goes on. What stands before the first is dropped.

    One of more than `longest` bytes is cut soon after them.
    """
    begin, number, mark, size = 0, b"", "", 0
    parts: dict[str, bytearray] = {}
    for line, data in lines:
        found = _MARK.match(data.rstrip(b" \t"))
        if found and found[1] == b"I" and found[2]:
            if begin:
                yield begin, number, {name: bytes(rows[:-1]) for name, rows in parts.items()}
            begin, number, mark, size, parts = line, found[2], "", 0, {}
        elif found and not found[2]:
            mark = found[1].decode()
            parts.setdefault(mark, bytearray())
        elif mark and (longest is None or size <= longest + len(parts)):
            parts[mark] += data + b"\n"
            size += len(data) + 1
    if begin:
        yield begin, number, {name: bytes(rows[:-1]) for name, rows in parts.items()}
