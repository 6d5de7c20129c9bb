"""However a file is written, the quick reader finds what the careful one finds, or leaves it to that."""

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from evaluation.core.dialects import RULES
from evaluation.core.qrels import Qrels
from evaluation.core.trec_files import FileFault, read_qrels_table, read_run_table
from evaluation.core.trec_run import opened_bytes, read_hits
from pooling.core import fast_runs
from pooling.core.fields import padded

BLANK = st.sampled_from([b" ", b" ", b" ", b"\t", b"  ", b" \t", b"\v"])
TOPIC = st.sampled_from([b"1", b"2", b"10", b"#3", "Ä".encode()])
DOCNO = st.sampled_from([b"a", b"b", b"c", b"d10", b"d1", "é".encode(), b"\xff", b'"q'])
SCORE = st.sampled_from([b"1", b"2.5", b"-3e-2", b"16777217", b"16777216", b"1e400", b"abc", b"7x", b"0x10", b"inf", b"nan"])
END = st.sampled_from([b"\n", b"\n", b"\n", b"\r\n", b" \n", b"\n\n"])
JUDGED = Qrels.from_dict({"1": {"a": 1, "b": 0, "d1": 2}, "10": {"a": 1, "é": 1}, "Ä": {"c": 1}})


@st.composite
def run_lines(draw: st.DrawFn, *, plain: bool) -> bytes:
    blank = b" " if plain else draw(BLANK)
    score = draw(st.sampled_from([b"1", b"2.5", b"-3e-2", b"9"])) if plain else draw(SCORE)
    fields = [draw(TOPIC), b"Q0", draw(DOCNO), b"1", score, b"tag"]
    if not plain:
        fields = fields[: draw(st.sampled_from([6, 6, 6, 6, 5]))] + draw(st.sampled_from([[], [], [], [b"more"]]))
    lead = b"" if plain else draw(st.sampled_from([b"", b"", b"", b" "]))
    return lead + blank.join(fields) + (b"\n" if plain else draw(END))


files = st.one_of(
    st.lists(run_lines(plain=True), min_size=1, max_size=12).map(b"".join),
    st.lists(st.one_of(run_lines(plain=True), run_lines(plain=False)), max_size=8).map(b"".join),
)


def found(data: bytes, rules: Any, **options: Any) -> Any:
    try:
        (hits,) = read_hits([opened_bytes(data)], JUDGED, rules, **options)
    except FileFault as fault:
        return str(fault)
    told = [hits.tag, hits.strangers, hits.guessed, hits.repeated and (hits.repeated.place, hits.repeated.docno)]
    return [*told, *(getattr(hits, name).tolist() for name in ("places", "ranks", "items", "num_ret"))]


@given(files, st.sampled_from([1, 30, 1000]), st.sampled_from([None, 1, 2]))
@settings(max_examples=70)
@example(b"1  a 1 1 t\n", 1000, None)
@example(b"1 Q0 a\t1 1 1 5 t\n1 Q0 b 1 1\n", 1000, None)
@example(b"1 Q0 a 1 1 t", 1, None)
def test_both_readers_of_runs_find_the_same(data: bytes, piece: int, depth: int | None) -> None:
    for rules in RULES.values():
        careful = found(data, rules, depth=depth, fast=False)
        assert found(data, rules, depth=depth, piece=piece) == careful


@given(st.lists(st.tuples(TOPIC, DOCNO, st.sampled_from([b"1", b"0", b"-1", b"2x", b"1.0", b"+1"]), BLANK, END), max_size=6))
@settings(max_examples=50)
def test_both_readers_of_qrels_find_the_same(rows: list[tuple[bytes, bytes, bytes, bytes, bytes]]) -> None:
    data = b"".join(blank.join([topic, b"0", docno, grade]) + end for topic, docno, grade, blank, end in rows)

    def pairs(*, fast: bool) -> Any:
        try:
            qrels, twice = read_qrels_table(data, fast=fast)
        except FileFault as fault:
            return str(fault)
        listed = zip(qrels.topics[qrels.codes].tolist(), qrels.docnos.tolist(), qrels.grades.tolist(), strict=True)
        return sorted(listed), twice

    assert pairs(fast=True) == pairs(fast=False)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (b"12abc", 12.0),
        (b"abc", 0.0),
        (b"1,5", 1.0),
        (b"0x1p3", 8.0),
        (b"1e400", float("inf")),
        (b"-inf", float("-inf")),
        (b".5.", 0.5),
    ],
)
def test_scores_are_read_as_far_as_they_are_numbers(text: bytes, value: float) -> None:
    assert read_run_table(b"1 Q0 a 1 " + text + b" t\n").scores.tolist() == [value]


def test_large_files_are_read_by_the_quick_reader() -> None:
    """The ways it may go slow are other tests; this one tells that it does not for plain files, tabs, CR LF and wide gaps."""
    for line in (b"1 Q0 a 1 2.5 t\n", b"1\tQ0\ta\t1\t2.5\tt\n", b"1 Q0 a 1 2.5 t\r\n", b" 1  Q0\ta 1 2.5 t \n\n"):
        columns = fast_runs.run_columns(padded(line * 3))
        assert columns is not None
        assert (columns.heads.tolist(), columns.lengths.tolist(), columns.scores.tolist()) == ([b"1"], [3], [2.5] * 3)
