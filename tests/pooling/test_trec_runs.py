import io
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pooling.core import fast_runs, fields, runs
from pooling.core.findings import Report
from pooling.core.runs import careful_columns, quick_columns, read_run, write_run
from tests.calls import python_calls
from tests.golden import vectors


def findings(report: Report) -> list[tuple[str, str, int]]:
    return [(one.severity, one.code, one.line) for one in report.findings]


def messages(text: str, **options: Any) -> list[str]:
    return [one.message for one in read_run(text.encode(), **options)[2].findings]


@pytest.mark.parametrize("vector", vectors("formats", "validate_run"))
def test_findings_of_the_worked_examples(vector: dict[str, Any]) -> None:
    docnos = np.array([docno.encode() for docno in vector["docids"]]) if "docids" in vector else None
    rankings, _, report = read_run(vector["text"].encode(), topics=set(vector["topics"]), docnos=docnos, **vector["params"])
    assert sorted(findings(report)) == sorted(tuple(one) for one in vector["expected"])
    assert (rankings is None) == any(one[0] == "error" for one in vector["expected"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\n", "The file holds no result lines."),
        ("1 Q0 d 1 2\n", "Line 1 has 5 columns; 6 are needed: topic Q0 docno rank score tag."),
        ("1 0 d 1 2 t\n", 'Column 2 is "0", expected "Q0". The value is ignored.'),
        (
            "1 Q0 d 1 2 a/b\n",
            'Run tag "a/b" may only use letters, digits, "_", "-", "." and at most 25 characters; it has "/".',
        ),
        (
            "1 Q0 d 1 2 a-name-that-is-too-long-by+\n",
            'Run tag "a-name-that-is-too-long-by+" may only use letters, digits, "_", "-", "." and at most 25 characters; '
            'it has 27 characters, and "+".',
        ),
        ("1 Q0 d 1 2 a\n1 Q0 e 2 1 b\n", 'Line 2 has tag "b", the file began with "a". One file is one run.'),
        ("1 Q0 d 1 2 a\n1 Q0 d 2 1 a\n", "Document d appears again for topic 1 (first on line 1)."),
        ("1 Q0 d 12.5 2 t\n", 'Rank "12.5" is not an integer; are rank and score exchanged?'),
        ("1 Q0 d 1 12,5 t\n", 'Score "12,5" is not a number; use a decimal point.'),
        ("1 Q0 d 1 nan t\n", 'Score "nan" cannot be ranked.'),
        (
            "1 Q0 d 1 1 t\n1 Q0 e 2 2 t\n",
            "By rank line 2 comes second, by score first. Evaluation uses the score. Are these distances?",
        ),
        (
            "1 Q0 d 1 1 t\n1 Q0 e 2 2 t\n1 Q0 f 3 3 t\n",
            "By rank line 1 comes first, by score third. Evaluation uses the score. Are these distances?",
        ),
        ("1 Q0 d 1 1 t\n1 Q0 e 2 1 t\n", "All scores of topic 1 are equal; the order would depend on docnos."),
        ("1 Q0 d 3 2 t\n", "The ranks of topic 1 start at 3, expected 0 or 1. They are ignored."),
    ],
)
def test_messages_say_what_was_found(text: str, message: str) -> None:
    assert messages(text) == [message]


def test_large_numbers_are_told_with_separators() -> None:
    tied = "".join(f"1 Q0 d{rank} {rank} {-(rank // 2)} t\n" for rank in range(2, 1202))
    assert "1,200 tied scores; ties are broken by docno, descending." in messages(tied)


def test_messages_about_the_collection() -> None:
    text = "9 Q0 d 1 2 t\n1 Q0 x 1 2 t\n"
    known = np.array([b"d"])
    assert messages(text, topics={"1", "2"}, docnos=known, tag_taken="The tag “{}” is that of another run.".format) == [
        "Topic 9 is not part of this collection.",
        "Document x is not in the collection.",
        "The tag “t” is that of another run.",
        "No documents for topic 2; it will score 0.",
    ]


def test_unknown_document_is_a_warning_where_the_list_is_not_complete() -> None:
    rankings, _, report = read_run(b"1 Q0 x 1 2 t\n", docnos=np.array([b"d"]), complete=False)
    assert findings(report) == [("warning", "DOC_UNKNOWN", 1)]
    assert rankings is not None


def test_topic_shorter_than_the_pool_is_noted() -> None:
    assert messages("1 Q0 x 1 2 t\n", depth=100) == ["1 document for topic 1, fewer than the pool depth 100."]


def test_topic_with_leading_zeros_is_taken_as_the_collection_spells_it() -> None:
    text = b"051 Q0 a 1 2 t\n052 Q0 a 1 2 t\n051 Q0 b 2 1 t\n52 Q0 c 1 1 t\n"
    rankings, _, report = read_run(text, topics={"51", "52"})
    assert rankings is not None
    assert rankings.topics.tolist() == [b"51", b"52"]
    assert rankings.docnos.tolist() == [b"a", b"b", b"a", b"c"]
    assert ("warning", "TOPIC_ZEROS", 1) in findings(report)
    assert report.count("TOPIC_ZEROS") == 1


@pytest.mark.parametrize("score", ["1_000.5", "١٢٣.٥", "１", "0x10", "1e", "--1", ".", "e5", "1.5f", "1 ", "+", "1,000"])
def test_scores_that_only_python_or_nobody_reads_are_refused(score: str) -> None:
    rankings, _, report = read_run(f"1 Q0 d 1 {score} t\n".encode())
    if score.strip() == "1":
        assert rankings is not None
    else:
        assert findings(report) == [("error", "SCORE_NOT_NUMBER", 1)]


@pytest.mark.parametrize("score", ["nan", "NaN", "inf", "-inf", "Infinity", "1e999", "-1e999", "9" * 400])
def test_scores_beyond_all_bounds_are_refused(score: str) -> None:
    assert findings(read_run(f"1 Q0 d 1 {score} t\n".encode())[2]) == [("error", "SCORE_NOT_FINITE", 1)]


@pytest.mark.parametrize("score", ["1", "+1.", ".5", "-1.5e-3", "1E5", "1e-999", "0.1000000000000000055511151231257827", "007"])
def test_scores_are_read_as_python_reads_them(score: str) -> None:
    rankings, _, _ = read_run(f"1 Q0 d 1 {score} t\n".encode())
    assert rankings is not None
    assert rankings.scores.tolist() == [float(score)]


@pytest.mark.parametrize("rank", ["1_0", "١", "+1", "1.0", "", "x"])
def test_ranks_that_are_not_integers_are_refused(rank: str) -> None:
    codes = {one[1] for one in findings(read_run(f"1 Q0 d {rank} 1 t\n".encode())[2])}
    assert codes == ({"RANK_NOT_INTEGER"} if rank else {"FIELDS"})


def test_ranks_beyond_64_bits_are_taken() -> None:
    rankings, _, report = read_run(f"1 Q0 d {'9' * 5000} 1 t\n1 Q0 e -{'9' * 30} 2 t\n".encode())
    assert rankings is not None
    assert findings(report) == [("warning", "RANK_START", 1)]


@pytest.mark.parametrize("blank", ["\u00a0", "\u2028", "\u0085", "\u3000"])
def test_only_spaces_and_tabs_are_blanks(blank: str) -> None:
    report = read_run(f"1{blank}Q0 d 1 2 t\n".encode())[2]
    assert findings(report) == [("error", "FIELDS", 1)]
    assert ("no-break space" in report.findings[0].message) == (blank == "\u00a0")
    rankings, _, _ = read_run(f"1 Q0 d{blank}e 1 2 t\n1 Q0 f 2 1 t\n".encode())
    assert rankings is not None
    assert rankings.docnos.tolist() == [f"d{blank}e".encode(), b"f"]


def test_ids_that_are_too_long_are_refused() -> None:
    long = "x" * 256
    assert messages(f"1 Q0 {long} 1 2 t\n") == [f'The docno "{"x" * 80}…" of line 1 has 256 bytes; at most 255 are allowed.']
    assert findings(read_run(f"{long} Q0 d 1 2 t\n".encode())[2]) == [("error", "ID_LONG", 1)]


def test_a_line_of_ten_megabytes_is_one_fault() -> None:
    report = read_run(b"1 Q0 d 1 2 t\n" + b"x" * 10_000_000 + b"\n")[2]
    assert findings(report) == [("error", "FIELDS", 2)]


def test_ten_thousand_errors_are_counted_and_a_hundred_listed() -> None:
    report = read_run(b"".join(b"1 Q0 d%d 1 1,%d t\n" % (n, n) for n in range(10_000)))[2]
    assert (report.errors, len(report.findings)) == (10_000, 101)
    assert [one.line for one in report.findings[:100]] == list(range(1, 101))


def test_faults_of_every_kind_are_named_in_the_order_of_lines() -> None:
    text = b"9 Q0 a 1 5 t\n1 Q0 b 1 x t\n1 Q0 c 2\n1 Q0 zz 3 2 t\n1 Q0 b 4 1 t\n"
    report = read_run(text, topics={"1"}, docnos=np.array([b"a", b"b", b"c"]))[2]
    assert [(one.code, one.line) for one in report.findings if one.severity == "error"] == [
        ("TOPIC_UNKNOWN", 1),
        ("SCORE_NOT_NUMBER", 2),
        ("FIELDS", 3),
        ("DOC_UNKNOWN", 4),
        ("DOC_DUPLICATE", 5),
    ]


good = {
    "topic": st.sampled_from(["1", "2", "010", "ä"]),
    "q0": st.sampled_from(["Q0", "Q0", "0"]),
    "docno": st.sampled_from([f"d{n}" for n in range(30)] + ["é\u00a0x", "#d"]),
    "rank": st.integers(-2, 30).map(str) | st.sampled_from(["007", "-0"]),
    "score": st.sampled_from(["1", "1.0", "2.5", "-3e-2", "+.5", "1e5", "0"]) | st.floats(-9, 9).map(str),
    "tag": st.sampled_from(["t"]),
}
bad = {
    "topic": st.sampled_from(["#1", "x" * 256]),
    "q0": st.just("Q1"),
    "docno": st.just("y" * 300),
    "rank": st.sampled_from(["1.5", "x", "1_0", "-", "9" * 20]),
    "score": st.sampled_from(["1_0", "nan", "1e999", "1,5", "-", "1e", "٣"]),
    "tag": st.sampled_from(["u", "a/b", "t x", "", "z" * 26]),
}


@st.composite
def run_files(draw: st.DrawFn) -> bytes:
    lines = []
    for _ in range(draw(st.integers(0, 12))):
        wrong = draw(st.sampled_from(["", "", "", "", *bad]))
        fields = [draw(bad[name] if name == wrong else good[name]) for name in good]
        lines.append(draw(st.sampled_from([" ", "\t", "  "])).join(fields))
        lines.extend(draw(st.lists(st.sampled_from(["", "  ", "# a comment"]), max_size=1)))
    end = draw(st.sampled_from(["\n", "\n", "\r\n", "\r"]))
    return (draw(st.sampled_from(["", "", "\ufeff"])) + end.join(lines) + draw(st.sampled_from(["", end]))).encode()


@given(run_files(), st.booleans())
@settings(max_examples=200, deadline=None)
def test_quick_and_careful_readers_agree(data: bytes, strict: bool) -> None:
    """The quick reader takes a file only if the careful one finds nothing wrong by form, and both read the same."""
    options: dict[str, Any] = {"topics": {"1", "2", "10"}, "strict": strict, "max_per_topic": 5, "depth": 3}
    quick = read_run(data, **options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs, "quick_columns", lambda *_: None)
        careful = read_run(data, **options)
    assert quick[2].findings == careful[2].findings
    assert quick[1] == careful[1]
    assert (quick[0] is None) == (careful[0] is None)
    if quick[0] is not None and careful[0] is not None:
        assert quick[0].to_bytes() == careful[0].to_bytes()


def test_clean_files_take_the_quick_way() -> None:
    data = b"1 Q0 d1 1 2.5 t\n\n1 0 d2 2 2.5 t\n2 Q0 d1 1 1e-3 t"
    columns, report = quick_columns(data), Report()
    slow = careful_columns(data, report)
    assert columns is not None and slow is not None
    assert columns.lines.tolist() == slow.lines.tolist() == [1, 3, 4]
    assert columns.odd_q0 == slow.odd_q0 == (3, b"0")


def test_written_run_reads_back_equal() -> None:
    rankings, _, _ = read_run(b"2 Q0 b 1 0.1 t\n1 Q0 a 5 1e-7 t\n1 Q0 c 9 3 t\n")
    assert rankings is not None
    text = write_run(rankings)
    assert text == b"1\tQ0\tc\t1\t3.0\tt\n1\tQ0\ta\t2\t1e-07\tt\n2\tQ0\tb\t1\t0.1\tt\n"
    again, _, report = read_run(text)
    assert again is not None
    assert (again.to_bytes(), report.findings) == (rankings.to_bytes(), ())


def make_run(topics: int, documents: int) -> bytes:
    rows = ((t, d) for t in range(topics) for d in range(documents))
    return b"".join(b"%04d Q0 FT911-%07d %d %.6f runA\n" % (t, t * 977 + d * 13, d + 1, 50 - d * 0.004) for t, d in rows)


def test_read_run_makes_no_call_for_each_topic() -> None:
    few, many = make_run(5, 10), make_run(500, 10)
    numbers = [{f"{t:04}" for t in range(count)} for count in (5, 500)]
    known = np.unique(np.array([b"FT911-%07d" % (t * 977 + d * 13) for t in range(500) for d in range(10)]))
    calls_few = python_calls(lambda: read_run(few, topics=numbers[0], docnos=known))
    calls_many = python_calls(lambda: read_run(many, topics=numbers[1], docnos=known))
    assert calls_many < calls_few + 100  # longer docnos and fuller tables take a step more


def test_fifty_thousand_lines_are_read_whole() -> None:
    data = make_run(50, 1000)
    rankings, _, report = read_run(data)
    assert rankings is not None and report.findings == ()
    assert len(rankings) == 50_000


@pytest.mark.parametrize("size", [64, 300, 1000, 5000])
def test_pieces_end_where_topics_end_however_large_those_are(size: int) -> None:
    lines = [b"%d Q0 d%d %d %d.5 t\n" % (topic, rank, rank, 99 - rank) for topic in (1, 22, 3) for rank in range(1, 60)]
    found = [fields.unpadded(piece) for piece in fast_runs.pieces(io.BytesIO(b"".join(lines)), size)]
    assert b"".join(found) == b"".join(lines)
    topics = [{line.split()[0] for line in piece.splitlines()} for piece in found]
    assert sum(map(len, topics)) == len(set().union(*topics)) == 3
