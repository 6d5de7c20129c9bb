import io
import json
import tracemalloc
from collections.abc import Iterator
from typing import Any, cast

import pytest

from pooling.core import documents
from pooling.core.document_spec import DocumentSpec
from pooling.core.documents import read_documents
from pooling.core.findings import Report


def read(data: bytes, **options: Any) -> tuple[list[DocumentSpec], Report]:
    report = Report()
    found = [one for chunk in read_documents(io.BytesIO(data), report, **options) for one in chunk]
    return found, report


def findings(data: bytes, **options: Any) -> list[tuple[str, str, int]]:
    return [(one.severity, one.code, one.line) for one in read(data, **options)[1].findings]


def test_documents_with_all_fields() -> None:
    line = b'{"id": "d1", "title": "T", "text": "A\\nb", "url": "http://x/", "lang": "de", "date": "2020", "by": ["me"]}'
    assert read(line)[0] == [DocumentSpec("d1", "T", "A\nb", "http://x/", "de", "2020", {"by": "me"})]


@pytest.mark.parametrize("name", ["id", "_id", "docno", "docid"])
@pytest.mark.parametrize("text", ["text", "contents", "body"])
def test_other_names_of_the_fields(name: str, text: str) -> None:
    assert read(json.dumps({name: " d1 ", text: "x"}).encode())[0] == [DocumentSpec("d1", text="x")]


def test_numbers_are_taken_as_ids() -> None:
    assert read(b'{"id": 7, "text": "x", "title": null}')[0] == [DocumentSpec("7", text="x")]


def test_chunks_have_the_size_asked_for() -> None:
    data = b"".join(b'{"id": "%d", "text": "x"}\n' % n for n in range(5))
    assert [len(chunk) for chunk in read_documents(io.BytesIO(data), Report(), chunk=2)] == [2, 2, 1]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_line_ends_may_fall_anywhere_in_a_block(end: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    data = end.join(b'{"id": "d%d", "text": "x"}' % n for n in range(4)) + end + end + b"{"
    for size in range(1, 40):
        monkeypatch.setattr(documents, "_BLOCK", size)
        found, report = read(data)
        assert [one.docno for one in found] == ["d0", "d1", "d2", "d3"]
        assert [(one.code, one.line) for one in report.findings if one.severity == "error"] == [("JSON", 6)]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"{", "JSON"),
        (b'{"id": "d", "x": NaN}', "JSON"),
        (b'{"id": "d", "x": 1e999}', "JSON"),
        (b'{"id": "d", "x": ' + b"9" * 5000 + b"}", "JSON"),
        (b"[" * 100_000, "JSON"),
        (b'{"id": "d", "x": ' + b"[" * 30 + b"]" * 30 + b"}", "JSON"),
        (b'["d", "text"]', "NOT_OBJECT"),
        (b"7", "NOT_OBJECT"),
        (b'{"text": "x"}', "DOCNO_MISSING"),
        (b'{"id": "  ", "text": "x"}', "DOCNO_MISSING"),
        (b'{"id": null, "text": "x"}', "DOCNO_MISSING"),
        (b'{"id": "a b", "text": "x"}', "DOCNO_FORMAT"),
        (b'{"id": "a\\u0000b", "text": "x"}', "DOCNO_FORMAT"),
        (b'{"id": "a\\ud800", "text": "x"}', "DOCNO_FORMAT"),
        (b'{"id": "' + b"x" * 256 + b'", "text": "x"}', "DOCNO_FORMAT"),
        (b'{"id": "d", "text": "half \\ud800 pair"}', "CHARACTER"),
        (b'{"id": "d", "text": "\\u0000"}', "CHARACTER"),
        (b'{"id": "d", "text": "x", "more": {"a": ["\\udfff"]}}', "CHARACTER"),
        (b'{"id": true, "text": "x"}', "FIELD_TYPE"),
        (b'{"id": 1.5, "text": "x"}', "FIELD_TYPE"),
        (b'{"id": "d", "text": ["x"]}', "FIELD_TYPE"),
        (b'{"id": "d", "text": "\xe9"}', "ENCODING"),
        (b'{"id": "ok", "text": "again"}', "DOC_DUPLICATE"),
    ],
    ids=lambda value: value[:30].decode("latin-1") if isinstance(value, bytes) else value,
)
def test_faults_are_named_by_line_and_leave_the_rest(line: bytes, code: str) -> None:
    data = b'{"id": "ok", "text": "x"}\n' + line + b'\n{"id": "last", "text": "y"}\n'
    found, report = read(data)
    assert [(one.severity, one.code, one.line) for one in report.findings] == [("error", code, 2)]
    assert [one.docno for one in found] == ["ok", "last"]


def test_whole_surrogate_pairs_are_fine() -> None:
    assert read(b'{"id": "d", "text": "\\ud83d\\ude00 \\\\u0000"}')[0][0].text == "😀 \\u0000"


def test_remarks() -> None:
    assert findings(b'\xef\xbb\xbf{"id": "d", "text": ""}\r\n') == [
        ("warning", "BOM", 1),
        ("warning", "TEXT_EMPTY", 1),
        ("warning", "CRLF", 0),
    ]
    (told,) = read(b'{"id": "d", "title": "Eel", "html": "<p>eel", "language": "en"}\n')[1].findings
    assert (told.code, told.message) == ("TEXT_EMPTY", "Document d has no text; found title, html, language.")
    assert findings(b'{"id": "d", "title": "Eel"}\n') == []  # a heading may be all there is
    assert findings(b"\n# nothing\n") == [("error", "DOCUMENTS_EMPTY", 0)]


def test_lines_that_are_too_long_are_named_and_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "_BLOCK", 16)
    data = b'{"id": "a", "text": "x"}\n' + b"y" * 200 + b'\n{"id": "b", "text": "x"}\n' + b"z" * 200
    found, report = read(data, max_line=50)
    assert [one.docno for one in found] == ["a", "b"]
    assert [(one.code, one.line) for one in report.findings] == [("LINE_LONG", 2), ("LINE_LONG", 4)]


class Endless(io.RawIOBase):
    """Many megabytes of documents, made as they are read."""

    def __init__(self, count: int) -> None:
        self.lines: Iterator[bytes] = (b'{"id": "d%d", "text": "%b"}\n' % (n, b"x" * 900) for n in range(count))
        self.rest = b""

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        while len(self.rest) < size and (line := next(self.lines, b"")):
            self.rest += line
        data, self.rest = self.rest[:size], self.rest[size:]
        return data


def test_memory_does_not_grow_with_the_file() -> None:
    def peak(count: int) -> int:
        tracemalloc.start()
        for _ in read_documents(cast(io.BytesIO, Endless(count)), Report(), chunk=100):
            pass
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    assert peak(12_000) < peak(3_000) + 12_000 * 30  # some bytes of each docno, and no more


def test_docnos_that_come_again_are_told_among_many() -> None:
    docnos = [str(number) for number in range(5000)] + ["77", "4999", "0"]
    report = Report()
    data = "".join(f"{docno}\ttext\n" for docno in docnos).encode()
    kept = [one.docno for chunk in read_documents(io.BytesIO(data), report) for one in chunk]
    assert kept == docnos[:5000]
    assert [(one.code, one.line) for one in report.findings] == [("DOC_DUPLICATE", line) for line in (5001, 5002, 5003)]
