from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pooling.core import qrels
from pooling.core.qrels import read_qrels, write_qrels
from tests.golden import vectors


def findings(text: str, **options: Any) -> list[tuple[str, str, int]]:
    return [(one.severity, one.code, one.line) for one in read_qrels(text.encode(), **options)[1].findings]


@pytest.mark.parametrize("vector", vectors("formats", "validate_qrels"))
def test_findings_of_the_worked_examples(vector: dict[str, Any]) -> None:
    docnos = np.array([docno.encode() for docno in vector["docids"]]) if "docids" in vector else None
    found = findings(vector["text"], topics=set(vector["topics"]), docnos=docnos, levels=vector["levels"])
    assert sorted(found) == sorted(tuple(one) for one in vector["expected"])


def test_columns_keep_negative_grades_and_ignore_the_iteration() -> None:
    columns, report = read_qrels(b"1 Q0 a 2\n\n2 xyz b -1\n# end\n")
    assert columns is not None and report.findings == ()
    assert columns.topics.tolist() == [b"1", b"2"]
    assert columns.docnos.tolist() == [b"a", b"b"]
    assert columns.grades.tolist() == [2, -1]


def test_the_same_judgment_twice_is_kept_once() -> None:
    columns, _ = read_qrels(b"1 0 a 2\n1 0 a 2\n2 0 a 1\n")
    assert columns is not None
    assert columns.grades.tolist() == [2, 1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", [("error", "QRELS_EMPTY", 0)]),
        ("1 0 a\n", [("error", "FIELDS", 1)]),
        ("1 0 a 1.0\n", [("error", "GRADE_NOT_INTEGER", 1)]),
        ("1 0 a 1_0\n", [("error", "GRADE_NOT_INTEGER", 1)]),
        ("1 0 a ١\n", [("error", "GRADE_NOT_INTEGER", 1)]),
        ("1 0 a +1\n", [("error", "GRADE_NOT_INTEGER", 1)]),
        ("1 0 a 128\n", [("error", "GRADE_OUTSIDE_SCALE", 1)]),
        ("1 0 a -" + "9" * 5000 + "\n", [("error", "GRADE_OUTSIDE_SCALE", 1)]),
        ("1 0 " + "a" * 256 + " 1\n", [("error", "ID_LONG", 1)]),
        ("1 0 a 1\r\n", [("warning", "CRLF", 0)]),
    ],
)
def test_faults_are_named_by_line(text: str, expected: list[tuple[str, str, int]]) -> None:
    assert findings(text) == expected


def test_what_the_collection_does_not_know() -> None:
    text = "051 0 a 1\n9 0 a 1\n51 0 x 1\n"
    assert findings(text, topics={"51"}, docnos=np.array([b"a"])) == [
        ("error", "TOPIC_UNKNOWN", 2),
        ("warning", "TOPIC_ZEROS", 1),
        ("warning", "DOC_UNKNOWN", 3),
    ]


def test_written_qrels_are_sorted_by_bytes() -> None:
    topics, docnos, grades = np.array([b"9", b"10", b"10", b"10"]), np.array([b"a", b"b", b"a", b"B"]), np.array([1, 0, -1, 2])
    assert write_qrels(topics, docnos, grades) == b"10 0 B 2\n10 0 a -1\n10 0 b 0\n9 0 a 1\n"


lines = st.tuples(st.sampled_from(["1", "2"]), st.sampled_from("abcd"), st.sampled_from(["0", "1", "-1", "x", "1 2", "+1"]))


@given(st.lists(lines, max_size=8))
@settings(max_examples=80, deadline=None)
def test_quick_and_careful_readers_agree(rows: list[tuple[str, str, str]]) -> None:
    data = "\n".join(f"{topic} 0 {docno} {grade}" for topic, docno, grade in rows).encode()
    quick, report = read_qrels(data, levels=[0, 1])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(qrels, "_quick_rows", lambda data: None)
        careful, other = read_qrels(data, levels=[0, 1])
    assert report.findings == other.findings
    assert (quick is None) == (careful is None)
    if quick is not None and careful is not None:
        assert write_qrels(quick.topics, quick.docnos, quick.grades) == write_qrels(
            careful.topics, careful.docnos, careful.grades
        )
