"""What runs hold beyond six clean columns: spans, metadata, ids that are nearly right."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pooling.core.findings import Report, told
from pooling.core.metadata import FIGURES, checked_figures, read_metadata
from pooling.core.nearest import Nearest
from pooling.core.runs import RunRead, check_run

DOCNOS = np.array([b"LA010189-0001", b"LA010189-0002", b"FT911-1", b"FT911-10", b"clueweb09-en0000-00-00000"])


def read(text: str, **options: Any) -> RunRead:
    return check_run(text.encode(), **options)


def codes(found: RunRead) -> list[tuple[str, int]]:
    return [(one.code, one.line) for one in found.report.findings]


@pytest.mark.parametrize(
    ("asked", "near"),
    [
        ("CLUEWEB09-EN0000-00-00000", "clueweb09-en0000-00-00000"),  # case
        ("la010189-1", "LA010189-0001"),  # zeros before a number
        ("FT911-01", "FT911-1"),
        ("ft911_10", "FT911-10"),  # marks
        ("FT 911/10", "FT911-10"),
        ("ft-911-10", "FT911-10"),
        ("docs/1991/FT911-10", "FT911-10"),  # a path
        ("C:\\docs\\FT911-1", "FT911-1"),
        ("FT911-1.txt", "FT911-1"),  # an ending
        ("LA010189-0002.xml.gz", "LA010189-0002"),
        ("FT911-10v2", "FT911-10"),  # a version, or the number of a passage
        ("FT911-10#3", "FT911-10"),
        ("docs/ft911_010.TXT", "FT911-10"),  # all of it
        ("trec:FT911-10", "FT911-10"),  # a beginning that the collection has not
        ("LA010198-0001", "LA010189-0001"),  # slips: two changed places
        ("LA01089-0001", "LA010189-0001"),  # one is missing
        ("LA0101899-0001", "LA010189-0001"),  # too much
        ("LO010189-0001", "LA010189-0001"),  # wrong
        ("FT911-11", ""),  # may be FT911-1 as well as FT911-10
        ("LA010189-0003", ""),
        ("LA0101-1", ""),
        ("FT", ""),
        ("-", ""),
        ("", ""),
        ("something else", ""),
        ("x" * 5000, ""),
    ],
)
def test_what_was_probably_meant(asked: str, near: str) -> None:
    assert Nearest(DOCNOS).to(asked.encode()) == near
    assert Nearest(np.zeros(0, "S1")).to(asked.encode()) == ""


@pytest.mark.parametrize(
    ("known", "asked", "near"),
    [
        (["doc-1", "doc-2"], "2", "doc-2"),  # what all begin with
        (["1", "2", "3"], "doc-2", "2"),
        (["1", "2", "3"], "FT911-2", ""),  # a number of something else
        (["a.txt", "b.txt"], "b", "b.txt"),
        (["2101.00001v1", "2101.00002v1"], "2101.00002", "2101.00002v1"),
        (["news/a/x17.txt", "news/b/x18.txt"], "x18", "news/b/x18.txt"),
        (["news/a/x17.txt", "news/b/x17.txt"], "x17", ""),  # one as well as the other
        (["051", "052"], "51", "051"),
        (["301", "302"], "31", "301"),
        ([*map(str, range(301, 351))], "351", ""),  # in a series of numbers each is as near as the next
        ([*map(str, range(301, 351))], "400", ""),
        (["a-1", "a_1", "b-1"], "A_1", "a_1"),  # of those that are the same otherwise, the most alike
        (["clueweb09-en0000-00-00000", "clueweb09-enwp00-00-00000"], "en0000-00-00000", "clueweb09-en0000-00-00000"),
        (["документ-1", "справка-1"], "ДОКУМЕНТ-1", "документ-1"),
        (["документ-1", "документ-22"], "документ_022", "документ-22"),
        (["a1", "b1"], "c1", ""),
        (["1-23", "12-3"], "123", ""),  # marks part numbers
        (["q1"], "Q001", "q1"),
        (["x"], "y", ""),
    ],
)
def test_what_was_probably_meant_among(known: list[str], asked: str, near: str) -> None:
    assert Nearest(np.array([one.encode() for one in known], np.bytes_)).to(asked.encode()) == near


@given(
    st.lists(st.text("ab0-_./", min_size=1, max_size=8), min_size=1, max_size=30, unique=True), st.text("ab01-_./", max_size=8)
)
def test_what_was_meant_is_one_that_is_known(known: list[str], asked: str) -> None:
    nearest = Nearest(np.array([one.encode() for one in known], np.bytes_))
    assert nearest.to(asked.encode()) in {"", *known}
    for one in known:
        assert nearest.to(one.encode()) == one or not any(map(str.isalnum, one))


def test_of_many_unknown_topics_none_is_a_slip_for_one_that_the_run_has() -> None:
    lines = "".join(f"{topic} Q0 FT911-1 1 2 t\n" for topic in ("301", *range(3010, 3030)))
    found = read(lines, topics={"301", "302"}, docnos=DOCNOS)
    hints = {one.near for one in found.report.findings if one.code == "TOPIC_UNKNOWN"}
    assert "301" not in hints


def test_unknown_ids_are_told_with_the_nearest() -> None:
    found = read("301 Q0 la010189-1 1 2 t\n31 Q0 FT911-1 1 2 t\n", topics={"301", "302"}, docnos=DOCNOS)
    unknown = {one.code: (one.message, one.field, one.value, one.near) for one in found.report.findings}
    assert unknown["DOC_UNKNOWN"] == (
        "Document la010189-1 is not in the collection. Did you mean LA010189-0001?",
        "docno",
        "la010189-1",
        "LA010189-0001",
    )
    assert unknown["TOPIC_UNKNOWN"] == ("Topic 31 is not part of this collection. Did you mean 301?", "topic", "31", "301")


def test_the_report_as_json() -> None:
    told_of = told(read("1 Q0 d 1 1_000 t\n").report)
    assert told_of == {
        "errors": 1,
        "warnings": 0,
        "counts": {"SCORE_NOT_NUMBER": 1},
        "offers": [],
        "findings": [
            {
                "severity": "error",
                "code": "SCORE_NOT_NUMBER",
                "line": 1,
                "field": "score",
                "value": "1_000",
                "near": "",
                "lines": 1,
                "message": 'Score "1_000" is not a number; use a decimal point.',
            }
        ],
    }


EIGHT = "1 Q0 a 1 9 t 0 5\n1 Q0 b 2 8 t 10 5\n1 Q0 a 3 7 t 20 5\n2 Q0 b 1 9 t 0 1\n"
SUFFIX = "1 Q0 a:0-5 1 9 t\n1 Q0 b:10-15 2 8 t\n1 Q0 a:20-25 3 7 t\n2 Q0 b:0-1 1 9 t\n"


@pytest.mark.parametrize("text", [EIGHT, SUFFIX])
def test_sub_document_runs_rank_documents_by_their_best_passage(text: str) -> None:
    found = read(text)
    assert found.report.findings == () and found.rankings is not None and found.passages is not None
    assert found.passages.docnos.tolist() == [b"a:0-5", b"b:10-15", b"a:20-25", b"b:0-1"]
    assert (found.rankings.docnos.tolist(), found.rankings.scores.tolist()) == ([b"a", b"b", b"b"], [9, 8, 9])
    assert found.rankings.offsets.tolist() == [0, 2, 3]


def test_faults_of_spans() -> None:
    assert codes(read("1 Q0 a 1 9 t 0 5\n1 Q0 a 2 8 t 0 5\n")) == [("DOC_DUPLICATE", 2)]
    assert codes(read("1 Q0 a 1 9 t 0 0\n")) == [("SPAN_EMPTY", 1)]
    assert codes(read("1 Q0 a 1 9 t 0 3\n1 Q0 b 2 8 t -1 5\n1 Q0 c 3 7 t\n")) == [("SPAN_FORMAT", 2), ("FIELDS", 3)]
    assert codes(read("1 Q0 a:5-3 1 9 t\n")) == [("SPAN_FORMAT", 1)]
    short = read("1 Q0 a 1 9 t 0 5\n1 Q0 b 2 8 t 8 3\n", text_lengths=lambda docnos: np.array([5, 10]))
    assert [(one.code, one.line, one.message) for one in short.report.findings] == [
        ("SPAN_OUTSIDE", 2, "The span 8-11 ends outside the text of b, which has 10 characters.")
    ]


def test_a_docno_that_looks_like_a_span_is_one_where_it_is_known() -> None:
    known = np.array([b"a:1-2", b"b:3-4"])
    text = "1 Q0 a:1-2 1 9 t\n1 Q0 b:3-4 2 8 t\n"
    found = read(text, docnos=known)
    assert found.rankings is not None and found.rankings.docnos.tolist() == [b"a:1-2", b"b:3-4"]
    assert read(text).passages is not None
    assert read("1 Q0 a:1-2 1 9 t\n1 Q0 plain 2 8 t\n").passages is None


HEADER = """# ir_metadata.start
# ---
# tag: t
# actor:
#   team: Harbour Institute
# method:
#   automatic: false
#   description: BM25 with feedback
# efficiency:
#   latency_mean_ms: 12.5
#   index_bytes: 1048576
# made: 2026-01-02
# ir_metadata.end
"""


def test_metadata_in_the_comments() -> None:
    found = read(HEADER + "1 Q0 d 1 2 t\n")
    assert found.report.findings == ()
    about = read_metadata(found.header, found.report)
    assert (about.tag, about.group, about.kind, about.description) == ("t", "Harbour Institute", "manual", "BM25 with feedback")
    assert about.figures == {"latency_mean_ms": 12.5, "index_bytes": 1048576.0}
    assert about.whole["made"] == "2026-01-02"
    assert read("# just a remark\n1 Q0 d 1 2 t\n").header == ""


@pytest.mark.parametrize(
    "text",
    [
        "a: [1",
        "- a\n- b",
        "a: &x [1]\nb: *x",
        "efficiency: {latency_mean_ms: fast}",
        "efficiency: {index_bytes: -1}",
        "!!python/object/apply:os.system ['true']",
        "a: " + "[" * 50 + "]" * 50,
        "x: " + "y" * 300_000,
    ],
)
def test_metadata_that_cannot_be_used_is_an_error(text: str) -> None:
    report = Report()
    assert read_metadata(text, report).whole == {}
    assert [one.code for one in report.findings] == ["METADATA"]


def test_figures() -> None:
    assert checked_figures({"cpu_seconds": "3", "index_bytes": ""}) == {"cpu_seconds": 3.0}
    assert len({figure.name for figure in FIGURES}) == len(FIGURES) == 9
    for wrong in ({"speed": 1}, {"cpu_seconds": "nan"}, {"cpu_seconds": True}, {"cpu_seconds": "1_x"}):
        with pytest.raises(ValueError, match="expected"):
            checked_figures(wrong)


def test_an_unknown_topic_is_told_once_with_its_lines() -> None:
    lines = [f"{topic} Q0 d{n} {n} {-n} t\n" for topic in ("301", "7") for n in range(1, 201)]
    found = read("".join(lines), topics={"301"}).report
    told = [(one.line, one.message) for one in found.findings if one.severity == "error"]
    assert told == [(201, "Topic 7, on 200 lines (201, 202, 203 …), is not part of this collection.")]
    assert found.errors == 200
