import gzip
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pooling.core.fields import Fields
from pooling.core.findings import Report
from pooling.core.lines import Unpackable, careful_rows, clean_text, quick_lines, spelled_topics, unpack


def findings(report: Report) -> list[tuple[str, str, int]]:
    return [(one.severity, one.code, one.line) for one in report.findings]


def test_unpack_knows_gzip_by_its_content() -> None:
    assert unpack(b"plain") == b"plain"
    assert unpack(gzip.compress(b"packed")) == b"packed"
    assert unpack(gzip.compress(b"two ") + gzip.compress(b"members")) == b"two members"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (gzip.compress(bytes(10_000)), "more than 1,000 bytes"),
        (bytes(1001), "1,001 bytes; at most 1,000"),
        (gzip.compress(b"cut off" * 50)[:-12], "cut off"),
        (b"\x1f\x8b\x08 not gzip at all", "damaged"),
    ],
)
def test_unpack_refuses_what_is_broken_or_too_large(data: bytes, message: str) -> None:
    with pytest.raises(Unpackable, match=message):
        unpack(data, limit=1000)


def test_text_with_a_mark_and_foreign_line_ends_is_cleaned() -> None:
    report = Report()
    assert clean_text(b"\xef\xbb\xbfa\r\nb\rc\n", report) == b"a\nb\nc\n"
    assert findings(report) == [("warning", "BOM", 1), ("warning", "CRLF", 0)]


def test_bytes_that_are_not_utf8_are_named_with_line_and_offset() -> None:
    report = Report()
    assert clean_text(b"one\r\ntwo\n\xe9t\xe9", report) is None
    assert findings(report) == [("error", "ENCODING", 3)]
    assert report.findings[0].message == "Byte 9 (0xE9) is not UTF-8; save the file as UTF-8."


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\x89PNG\r\n\x1a\n\x00\x00", "Expected a text file; found a PNG picture (byte 0, 0x89, is not UTF-8)."),
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "Expected a text file; found a PDF (byte 10, 0xE2, is not UTF-8)."),
        (b"MZ\x90\x00\x03\x00", "Expected a text file; found a binary one (byte 2, 0x90, is not UTF-8)."),
        (b"1 Q0 caf\xe9 1 9 tag\n" * 100 + b"\x00", "Byte 8 (0xE9) is not UTF-8; save the file as UTF-8."),
    ],
)
def test_what_is_no_text_is_told_so(data: bytes, message: str) -> None:
    report = Report()
    assert clean_text(data, report) is None
    assert [(one.code, one.line, one.message) for one in report.findings] == [("ENCODING", 2 if b"PDF" in data else 1, message)]


def test_utf16_is_told_by_name() -> None:
    report = Report()
    assert clean_text("1 Q0".encode("utf-16"), report) is None
    assert "UTF-16" in report.findings[0].message


@pytest.mark.parametrize("byte", [0x00, 0x0B, 0x0C, 0x1C, 0x7F])
def test_control_characters_are_named_by_line(byte: int) -> None:
    report = Report()
    assert clean_text(b"fine\nnot" + bytes([byte]) + b"fine\n", report) is None
    assert findings(report) == [("error", "CONTROL", 2)]
    assert f"0x{byte:02X}" in report.findings[0].message


def test_only_spaces_and_tabs_part_fields() -> None:
    text = "a\u00a0b\u2028c\u0085 \t d\n  \n# no\n  # no\ne".encode()
    assert list(careful_rows(text)) == [(1, ["a\u00a0b\u2028c\u0085".encode(), b"d"]), (5, [b"e"])]


words = st.text(st.sampled_from("ab#é\u00a0\u2028"), min_size=1, max_size=5).map(str.encode)
blanks = st.sampled_from([b" ", b"\t", b"  ", b" \t"])
ends = st.sampled_from([b"\n", b"\n\n", b" \n", b"\n \t\n"])


def pairs(lines: Any, fields: Fields) -> list[tuple[int, list[bytes]]]:
    columns = (fields.column(number).values().tolist() for number in range(2))
    return [(line, list(row)) for line, *row in zip(lines.tolist(), *columns, strict=True)]


@given(st.lists(st.tuples(st.lists(words, min_size=1, max_size=3), blanks, ends), max_size=8), st.integers(1, 40))
@settings(max_examples=150, deadline=None)
def test_the_quick_reader_agrees_with_the_careful_rows(lines: list[tuple[list[bytes], bytes, bytes]], chunk: int) -> None:
    """Whatever the quick reader takes, the careful one reads the same; what it leaves is odd indeed."""
    data = b"".join(blank.join(fields) + end for fields, blank, end in lines)
    taken = quick_lines(data, 2, pairs, chunk=chunk)
    rows = list(careful_rows(data))
    if taken is not None:
        assert [row for part in taken for row in part] == rows
    else:
        long = any(len(line) >= chunk for line in data.split(b"\n"))
        comment = any(line.split()[:1] and line.split()[0].startswith(b"#") for line in data.split(b"\n"))
        assert long or comment or not rows or any(len(fields) != 2 for _, fields in rows)


def test_the_quick_reader_leaves_long_fields_to_the_careful_reader() -> None:
    assert quick_lines(b"a " + b"x" * 255, 2, pairs) is not None
    assert quick_lines(b"a " + b"x" * 256, 2, pairs) is None


def test_leading_zeros_match_only_where_the_collection_has_no_such_topic() -> None:
    names = np.array([b"051", b"52", b"0053", b"000", b"x"])
    spelled, changed, known = spelled_topics(names, {"51", "052", "52", "0053", "53"})
    assert spelled.tolist() == [b"51", b"52", b"0053", b"000", b"x"]
    assert changed.tolist() == [True, False, False, False, False]
    assert known.tolist() == [True, True, True, False, False]
