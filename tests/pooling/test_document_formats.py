import bz2
import gzip
import io
from typing import Any

import pytest

from pooling.core import document_markup
from pooling.core.document_markup import read_markup
from pooling.core.document_spec import DocumentSpec
from pooling.core.documents import FORMATS, read_documents
from pooling.core.findings import Report
from tests.golden import vectors
from tests.pooling.test_packed import tar_of, zip_of, zstd


def read(data: bytes, **options: Any) -> tuple[list[DocumentSpec], list[tuple[str, int]]]:
    report = Report()
    found = [one for chunk in read_documents(io.BytesIO(data), report, **options) for one in chunk]
    return found, [(one.code, one.line) for one in report.findings]


SGML = b"""<!-- a file of two -->
<DOC>
<DOCNO> FT911-1 </DOCNO>
<DATE>910514</DATE>
<HEADLINE>FT 14 MAY 91 / Tides &amp; turbines</HEADLINE>
<TEXT>
First <F P=105>line</F> &lt;here&gt;.
<P>
Second, with a bare & sign.
</TEXT>
</DOC>
<DOC id="NT-2"><TEXT>Two.</TEXT></DOC>
"""


@pytest.mark.parametrize("vector", vectors("formats", "read_docs"))
def test_documents_of_the_worked_example(vector: dict[str, Any]) -> None:
    """The example leaves entities as they are, and has title and text in one."""
    found = [one for _, one in read_markup(io.BytesIO(vector["text"].encode()), longest=1 << 20, entities=False)]
    plain = [{"docno": d.docno, "text": " ".join(f"{d.title} {d.text}".split())} for d in found if isinstance(d, DocumentSpec)]
    assert plain == vector["expected"]


def test_trec_sgml_by_hand() -> None:
    text = "First line <here>.\n\nSecond, with a bare & sign."
    assert read(SGML) == (
        [DocumentSpec("FT911-1", "FT 14 MAY 91 / Tides & turbines", text, date="910514"), DocumentSpec("NT-2", text="Two.")],
        [],
    )


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, zstd, lambda data: zip_of([("a/ft.sgml", data)])])
def test_every_packing_reads_the_same(pack) -> None:  # type: ignore[no-untyped-def]
    assert read(pack(SGML)) == read(SGML)


@pytest.mark.parametrize("block", [7, 64, 300])
def test_blocks_cut_anywhere_change_nothing(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document_markup, "_BLOCK", block)
    assert read(SGML * 1)[0] == read(SGML, chunk=1)[0]
    lines = [line for line, _ in read_markup(io.BytesIO(SGML), longest=1 << 20)]
    assert lines == [2, 12]


def test_odd_nesting() -> None:
    nested = b"<doc><docno>1</docno><text>a <doc>inner</doc> b</text></doc><DOC><DOCNO>2\n<TEXT>c</DOC>"
    assert [(d.docno, d.text.split()) for d in read(nested)[0]] == [("1", ["a", "inner", "b"]), ("2", ["c"])]
    unclosed = b"<DOC>\n<DOCNO>1</DOCNO>a\n<DOC>\n<DOCNO>2</DOCNO>b</DOC>\n<DOC><DOCNO>3</DOCNO>"
    found, faults = read(unclosed)
    assert ([d.docno for d in found], faults) == (["2"], [("DOC_UNCLOSED", 1), ("DOC_UNCLOSED", 5)])


def test_trecweb_keeps_the_page_and_reads_its_text() -> None:
    page = "<html><head><title>Tide\nmills</title><script>x()</script></head><body><p>Caf\xe9</p><p>two</p></body></html>"
    data = f"<DOC>\n<DOCNO>W1</DOCNO>\n<DOCHDR>\nhttp://x.org/a 1.2.3.4\nContent-type: text/html; charset=iso-8859-1\n</DOCHDR>\n{page}\n</DOC>"
    assert read(data.encode("latin-1"))[0] == [DocumentSpec("W1", "Tide mills", "Café\n\ntwo", "http://x.org/a", html=page)]


def test_smart() -> None:
    data = b".I 1\n.T\nlift of\na wing .\n.A\nprandtl,l.\n.B\nj. ae. scs.\n.W\nlift  is\n  seen .\n.X\n1 5 1\n.I 2\n.T\nempty\n"
    extra: dict[str, object] = {"authors": "prandtl,l.", "source": "j. ae. scs."}
    assert read(data)[0] == [
        DocumentSpec("1", "lift of a wing .", "lift  is\n  seen .", extra=extra),
        DocumentSpec("2", "empty"),
    ]


def test_tsv() -> None:
    data = b"7\tone\\ttext\n8\tTitle\ttext\\nmore\nD9\thttp://x/\tT\tb\n\nbad\n\tx\n"
    found, faults = read(data)
    assert found == [
        DocumentSpec("7", text="one\ttext"),
        DocumentSpec("8", "Title", "text\nmore"),
        DocumentSpec("D9", "T", "b", "http://x/"),
    ]
    assert faults == [("FIELDS", 5), ("DOCNO_MISSING", 6)]


def test_an_archive_of_texts_and_pages() -> None:
    files = [("c/CACM-1.html", b"<html><title>A</title><pre>one</pre></html>"), ("c/notes.txt", "zwölf".encode())]
    expected = [DocumentSpec("CACM-1", "A", "one", html=files[0][1].decode()), DocumentSpec("notes", text="zwölf")]
    assert read(zip_of(files))[0] == read(tar_of(files))[0] == expected
    again = [("a/x.txt", b"1"), ("b/x.txt", b"2"), ("has blank.txt", b"3")]
    assert read(zip_of(again))[1] == [("DOC_DUPLICATE", 0), ("DOCNO_FORMAT", 0)]


def test_an_archive_of_files_of_documents() -> None:
    """A note beside them is none."""
    files = [("a.jsonl", b'{"id": "1", "text": "x"}\n{"id": 2'), ("b.sgml", SGML), ("readme.txt", b"hello")]
    report = Report()
    found = [one.docno for chunk in read_documents(io.BytesIO(zip_of(files)), report) for one in chunk]
    assert found == ["1", "FT911-1", "NT-2"]
    told = [(one.code, one.line, one.message.split(":")[0]) for one in report.findings]
    assert told == [
        ("JSON", 2, "a.jsonl"),
        ("FILE_SKIPPED", 0, "readme.txt holds no documents that we know of; it is left out."),
    ]


def test_only_what_is_wanted_is_kept_and_all_is_checked() -> None:
    data = b'{"id": "a", "text": "x"}\n{"id": "b", "text": "x"}\n{"id": "b", "text": "x"}\n'
    found, faults = read(data, keep={"a"}.__contains__)
    assert ([d.docno for d in found], faults) == (["a"], [("DOC_DUPLICATE", 3)])


@pytest.mark.parametrize("data", [b"just words\nand more\n", b"a b c\n", b"<p>markup of nothing</p>"])
def test_what_is_none_of_the_forms_is_refused(data: bytes) -> None:
    assert read(data) == ([], [("FORMAT", 0)])


def test_encodings_are_declared_asked_for_or_refused() -> None:
    latin = "1\tété\n2\tab\n".encode("latin-1")
    assert read(latin)[1] == [("ENCODING", 1)]
    assert [d.text for d in read(latin, encoding="utf-8-or-latin-1")[0]] == ["été", "ab"]
    assert [d.text for d in read("1\tмир\n".encode("koi8-r"), encoding="koi8-r")[0]] == ["мир"]
    assert [d.text for d in read("1\tété\n".encode("utf-16"), encoding="utf-16")[0]] == ["été"]
    declared = '<?xml version="1.0" encoding="ISO-8859-1"?>\n<ROOT><DOC><DOCNO>1</DOCNO><TEXT>été</TEXT></DOC></ROOT>'
    assert [d.text for d in read(declared.encode("latin-1"))[0]] == ["été"]
    page = '<html><meta charset="windows-1251"><body>мир</body></html>'.encode("cp1251")
    assert [d.text for d in read(zip_of([("p.html", page)]))[0]] == ["мир"]
    _found, faults = read(b"1\tab\n" + b"\xff\xff", encoding="gb18030")
    assert faults == [("ENCODING", 0)]


def test_a_document_that_is_too_long_is_named_and_dropped() -> None:
    data = b"<DOC><DOCNO>1</DOCNO>" + b"x" * 3_000_000 + b"</DOC>\n<DOC><DOCNO>2</DOCNO>y</DOC>"
    found, faults = read(data, max_line=100_000)
    assert ([d.docno for d in found], faults) == (["2"], [("LINE_LONG", 1)])


def test_forms_can_be_named() -> None:
    assert set(FORMATS) == {"auto", "jsonl", "sgml", "tsv", "smart", "files"}
    assert read(b"a\tb\n", format="jsonl")[1] == [("JSON", 1)]
    assert read(b"a\tb\n", format="files", name="x.txt")[0] == [DocumentSpec("x", text="a\tb\n")]


@pytest.mark.parametrize(
    ("data", "expected", "faults"),
    [
        (b'{\n  "id": "1",\n  "contents": "a } b"\n}\n{\n  "id": "2",\n  "contents": "c"\n}\n', "12", []),
        (b'[\n  {"id": "1", "x": {"y": [{}]}},\n  {"id": "2"}\n]', "12", [("EXTRA_LEFT", 2)]),
        (b'[{"id": "1"}, {"id": "2", "text": "] \\" ["}]\n', "12", []),
        (b'[\n{"id": "1"},\n{"contents": "no id"}\n]\n', "1", [("DOCNO_MISSING", 3)]),
        (b'[\n{"id": "1"},\n{"id": "2"}\n', "12", [("JSON", 3)]),  # cut off: nothing of it is stored
        (b'[\n{"id": "1"},\n{"id": "2",\n"te', "1", [("JSON", 3)]),
        (b'{\n"id": "1",\n"text": oops\n}\n{\n"id": "2"\n}\n', "2", [("JSON", 1)]),
        (b"[1, 2]\n", "", [("NOT_OBJECT", 1)]),
        (b"[]\n", "", [("DOCUMENTS_EMPTY", 0)]),
    ],
)
def test_json_may_be_spread_over_lines_or_be_a_list(data: bytes, expected: str, faults: list[tuple[str, int]]) -> None:
    documents, found = read(data)
    assert ("".join(one.docno for one in documents), [one for one in found if one[0] != "TEXT_EMPTY"]) == (expected, faults)
