"""Judgments of several assessors as text: every form, and every fault by line."""

import gzip

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assess.core.judgment_files import Judgments, Repeats
from assess.core.ratings import MISSING

PLAIN = b"1 d1 Ida 0\n1 d1 Max 1\n2 d1 Max 2\n"


def read(data: bytes, *, repeats: Repeats = "refuse", levels: list[int] | None = None) -> tuple[Judgments, list[str]]:
    found = Judgments(levels, repeats)
    report = found.read(data, "file", alone=True)
    return found, [f"{one.line} {one.severity} {one.code}: {one.message}" for one in report.findings]


def grades(found: Judgments) -> dict[tuple[str, str, str], int]:
    ratings = found.ratings()
    return {
        (topic, docno, assessor): ratings.levels[place]
        for (topic, docno), row in zip(found.items, ratings.places.tolist(), strict=True)
        for assessor, place in zip(found.assessors, row, strict=True)
        if place != MISSING
    }


WANTED = {("1", "d1", "Ida"): 0, ("1", "d1", "Max"): 1, ("2", "d1", "Max"): 2}


@pytest.mark.parametrize(
    "data",
    [
        PLAIN,
        PLAIN.replace(b" ", b"\t"),
        PLAIN.replace(b" ", b","),
        b"\n# made by hand\n" + PLAIN,
        b"topic docno assessor grade\n" + PLAIN,
        b"Topic,DocID,Assessor,Grade\n" + PLAIN.replace(b" ", b","),
        b'note;grade;assessor;document;topic\n"a ""b"";\n\nc";0;Ida;d1;1\n;1;Max;d1;1\n;2; Max ;d1;2\n',
        b'topic\tdocno\tassessor\tgrade\tnote\n1\td1\tIda\t0\t"so\n1\td1\tMax\t1\t\n2\td1\tMax\t2\t\n',
        gzip.compress(PLAIN),
    ],
    ids=["blanks", "tabs", "commas", "comment", "head", "head-in-capitals", "quoted", "lone-quote", "gzip"],
)
def test_forms(data: bytes) -> None:
    found, said = read(data)
    assert (said, grades(found)) == ([], WANTED)
    assert found.ratings().levels == (0, 1, 2)


def test_topics_are_the_collections_though_they_have_zeros_before_them() -> None:
    found = Judgments(of={"1", "2", "03"})
    report = found.read(b"01 d1 Ida 0\n1 d1 Max 1\n002 d1 Max 2\n03 d2 Ida 1\n", "file", alone=True)
    assert [(one.line, one.severity, one.message) for one in report.findings] == [
        (1, "warning", "Topic 01 is taken as topic 1 of this collection.")
    ]
    assert grades(found) == {**WANTED, ("03", "d2", "Ida"): 1}
    twice = Judgments(of={"1"}).read(b"01 d1 Ida 0\n1 d1 Ida 1\n", "file", alone=True)
    assert [(one.line, one.code) for one in twice.findings] == [(2, "DUPLICATE_CONFLICT"), (1, "TOPIC_ZEROS")]


def test_qrels_of_each_assessor() -> None:
    found = Judgments()
    for name, data in (("ida", b"1 0 d1 0\n1 0 d2 -1\n"), ("max", b"1 0 d1 1\n2 0 d1 2\n")):
        assert found.read(data, name, alone=False).ok
    assert grades(found) == {("1", "d1", "ida"): 0, ("1", "d1", "max"): 1, ("2", "d1", "max"): 2}


def test_a_head_tells_a_table_from_qrels() -> None:
    found = Judgments()
    assert found.read(b"topic,docno,assessor,grade\n" + PLAIN.replace(b" ", b","), "one", alone=False).ok
    assert found.read(b"1 0 d1 2\n", "nora", alone=False).ok
    assert grades(found) == WANTED | {("1", "d1", "nora"): 2}


FAULTS = {
    "columns": (
        b"1 d1 Ida 0\n1 d1 Max\n",
        "2 error FIELDS: Line 2 has 3 columns; 4 are needed: topic docno assessor grade (qrels: topic 0 docno grade).",
    ),
    "word": (b"1 d1 Ida 0\n1 d1 Max yes\n", '2 error GRADE_NOT_INTEGER: Grade "yes" is not an integer.'),
    "fraction": (b"1 d1 Ida 1.0\n", '1 error GRADE_NOT_INTEGER: Grade "1.0" is not an integer.'),
    "huge": (
        b"1 d1 Ida 128\n",
        "1 error GRADE_OUTSIDE_SCALE: Grade 128 is not on the scale (0 to 127); extend the scale or map the grade.",
    ),
    "empty": (
        b"\n\n",
        "0 error EMPTY: The file holds no judgments; topic, docno, assessor and grade are expected on each line.",
    ),
    "nameless": (b"topic,docno,assessor,grade\n1,d1,,2\n", "2 error FIELD_EMPTY: Line 2 has no assessor."),
    "head": (
        b"topic,docno,assessor,label\n1,d1,Ida,2\n",
        "1 error COLUMNS: Expected one column each of topic, docno, assessor and grade, found: topic, docno, assessor, label."
        " Wrong is: grade.",
    ),
    "quote": (
        b'topic,docno,assessor,grade\n1,d1,Ida,"2\n',
        "2 error CSV: Line 2 cannot be parted into columns: unexpected end of data.",
    ),
    "qrels": (
        b"1 0 d1 0\n1 Q0 d2 1\n",
        "1 error QRELS_ALONE: This reads as qrels (topic, iteration, docno, grade), which name no assessor. To import them, say"
        " whose they are; for agreement, give another assessor's beside them. If it is a table, give it a head:"
        " topic docno assessor grade.",
    ),
    "twice": (
        b"1 d1 Ida 0\n1 d1 Max 1\n1 d1 Ida 2\n",
        "3 error DUPLICATE_CONFLICT: Ida judged document d1 of topic 1 on line 1 with grade 0, here with 2;"
        " one of them is expected.",
    ),
    "latin": (b"1 d\xe9 Ida 0\n", "1 error ENCODING: Byte 3 (0xE9) is not UTF-8; save the file as UTF-8."),
    "bomb": (b"\x1f\x8b\x08", "0 error PACKED: The gzip file ends too early; it was probably cut off on the way."),
    "long": (b"1 " + b"d" * 256 + b" Ida 0\n", "1 error ID_LONG: A field of line 1 has more than 255 bytes, the most allowed."),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_fault_is_named_by_line(fault: str) -> None:
    data, message = FAULTS[fault]
    assert read(data)[1] == [message]


def test_grades_off_the_given_scale_are_faults() -> None:
    said = read(PLAIN, levels=[0, 1])[1]
    assert said == ["3 error GRADE_OUTSIDE_SCALE: Grade 2 is not on the scale (0, 1); extend the scale or map the grade."]
    assert read(PLAIN, levels=[0, 1, 2, 3])[0].ratings().levels == (0, 1, 2, 3)


def test_faults_of_qrels_are_those_of_an_upload() -> None:
    report = Judgments().read(b"1 0 d1 0\n1 0 d1 1\n1 0\n", "ida", alone=False)
    assert [(one.line, one.code) for one in report.findings] == [(2, "DUPLICATE_CONFLICT"), (3, "FIELDS")]


def test_missing_and_negative_grades_are_left_out() -> None:
    found, said = read(b"topic,docno,assessor,grade\n1,d1,Ida,\n1,d1,Max,-2\n1,d1,Nora,1\n")
    assert said == [
        "2 warning GRADE_MISSING: Line 2 has no grade. It is left out.",
        "3 warning GRADE_NEGATIVE: Grade -2 is negative: not judged. It is left out.",
    ]
    assert grades(found) == {("1", "d1", "Nora"): 1}


def test_repeats_of_an_assessor() -> None:
    data = b"1 d1 Ida 0\n1 d1 Ida 1\n1 d1 Ida 1\n"
    for repeats, grade in (("first", 0), ("last", 1)):
        found, said = read(data, repeats=repeats)  # type: ignore[arg-type]
        assert (said, grades(found)) == ([], {("1", "d1", "Ida"): grade})
    assert read(b"1 d1 Ida 1\n1 d1 Ida 1\n")[1] == [
        "2 warning DUPLICATE_SAME: Ida judged document d1 of topic 1 on line 1 with the same grade; one is kept."
    ]


def test_repeats_in_another_file_name_it() -> None:
    found, head = Judgments(), b"topic docno assessor grade\n"
    assert found.read(head + b"1 d1 Ida 0\n", "one.csv", alone=False).ok
    report = found.read(head + b"1 d1 Ida 2\n", "two.csv", alone=False)
    assert report.findings[0].message.startswith("Ida judged document d1 of topic 1 in one.csv, line 2 with grade 0")


words = st.text(st.characters(categories=("L", "N")), min_size=1, max_size=4)
keys = st.tuples(words, words, words)


@given(st.dictionaries(keys, st.integers(0, 3), min_size=1, max_size=12))
@settings(max_examples=50)
def test_what_is_written_is_read(wanted: dict[tuple[str, str, str], int]) -> None:
    rows = "".join(f"{topic},{docno},{assessor},{grade}\n" for (topic, docno, assessor), grade in wanted.items())
    found, said = read(f"topic,docno,assessor,grade\n{rows}".encode(), levels=[0, 1, 2, 3])
    assert (said, grades(found)) == ([], wanted)
    assert found.ratings().topics.tolist() == [list(found.topics).index(topic) for topic, _ in found.items]
    assert np.count_nonzero(found.ratings().places != MISSING) == len(wanted)


@pytest.mark.parametrize(
    ("data", "is_qrels"),
    [
        (b"1 0.5 010vptx3 2\n1 1 02f0opkr 1\n2 1 04ftw7k9 0\n", True),  # rounds for iterations, as TREC-COVID has them
        (b"1 8651770 A1 2\n1 8651770 A2 1\n1 8651771 A3 0\n", False),  # documents that are numbers
        (b"1 1 ann 2\n1 2 ann 1\n1 3 bob 0\n", False),  # more documents than assessors
        (b"topic docno assessor grade\n1 1 ann 2\n1 1 bob 1\n", False),  # a head tells
    ],
    ids=["rounds", "numbers", "few", "head"],
)
def test_qrels_are_told_from_a_table_without_a_head(data: bytes, is_qrels: bool) -> None:
    found, said = read(data)
    assert ["QRELS_ALONE" in one for one in said] == [True] * is_qrels
    assert bool(found.items) != is_qrels
