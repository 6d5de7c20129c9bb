from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pooling.core.rankings import Rankings
from pooling.core.runs import read_run
from tests.golden import vectors

docnos = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=6)
scores = st.sampled_from([0.0, -0.0, 1.0, 1.0 + 2**-30, 16777216.0, 16777217.0, -2.5, 1e300])
runs = st.dictionaries(st.sampled_from(["1", "10", "9", "ä"]), st.dictionaries(docnos, scores, min_size=1), max_size=4)


def listed(rankings: Rankings) -> dict[str, list[str]]:
    bounds = zip(rankings.topics.tolist(), rankings.offsets[:-1].tolist(), rankings.offsets[1:].tolist(), strict=True)
    return {topic.decode(): [d.decode() for d in rankings.docnos[a:b].tolist()] for topic, a, b in bounds}


def slow_order(run: dict[str, dict[str, float]], single: bool) -> dict[str, list[str]]:
    def key(item: tuple[str, float]) -> tuple[float, bytes]:
        with np.errstate(over="ignore"):
            return float(np.float32(item[1])) if single else item[1], item[0].encode()

    return {t: [d for d, _ in sorted(run[t].items(), key=key, reverse=True)] for t in sorted(run, key=str.encode)}


@pytest.mark.parametrize("vector", vectors("measures", "ranking"))
def test_order_of_the_worked_example(vector: dict[str, Any]) -> None:
    rankings, _, _ = read_run(vector["run"].encode())
    assert rankings is not None
    assert listed(rankings) == vector["expected"]


@given(runs)
@settings(max_examples=80, deadline=None)
def test_order_is_score_then_docno_both_descending(run: dict[str, dict[str, float]]) -> None:
    assert listed(Rankings.from_dict("t", run)) == slow_order(run, single=False)
    assert listed(Rankings.from_dict("t", run, dialect="9")) == slow_order(run, single=True)
    assert listed(Rankings.from_dict("t", run).reordered("9")) == slow_order(run, single=True)


def test_dialect_9_ties_scores_that_differ_beyond_24_bits() -> None:
    run = {"1": {"a": 16777217.0, "b": 16777216.0}}
    assert listed(Rankings.from_dict("t", run)) == {"1": ["a", "b"]}
    assert listed(Rankings.from_dict("t", run, dialect="9")) == {"1": ["b", "a"]}


def test_ties_go_by_unsigned_bytes() -> None:
    run = {"1": dict.fromkeys(["a", "B", "b", "10", "1", "é", "doc1", "doc10"], 1.0)}
    assert listed(Rankings.from_dict("t", run)) == {"1": ["é", "doc10", "doc1", "b", "a", "B", "10", "1"]}


def test_cut_takes_exactly_the_first_of_each_topic() -> None:
    run = Rankings.from_dict("t", {"1": {"a": 1.0, "b": 1.0, "c": 1.0}, "2": {"x": 3.0}})
    assert listed(run.cut(2)) == {"1": ["c", "b"], "2": ["x"]}
    assert run.cut(2).ranks.tolist() == [1, 2, 1]
    with pytest.raises(ValueError, match="at least 1"):
        run.cut(0)


def test_rank_of_one_and_of_many() -> None:
    run = Rankings.from_dict("t", {"1": {"a": 1.0, "b": 2.0}, "2": {"a": 3.0}})
    assert (run.rank_of("1", "a"), run.rank_of("1", "x"), run.rank_of("3", "a")) == (2, None, None)
    topics, asked = np.array([b"2", b"1", b"2"]), np.array([b"a", b"b", b"b"])
    assert run.ranks_of(topics, asked).tolist() == [1, 1, 0]


@given(runs)
@settings(max_examples=30, deadline=None)
def test_stored_rankings_come_back_equal(run: dict[str, dict[str, float]]) -> None:
    rankings = Rankings.from_dict("räg", run)
    data = rankings.to_bytes()
    back = Rankings.from_bytes(data)
    assert (back.tag, listed(back)) == (rankings.tag, listed(rankings))
    assert back.scores.tobytes() == rankings.scores.tobytes()
    assert back.to_bytes() == data


def test_stored_bytes_are_the_same_for_any_order_of_the_file() -> None:
    lines = [b"1 Q0 a 1 2.5 t\n", b"1 Q0 b 2 1.5 t\n", b"2 Q0 a 1 9 t\n"]
    one, _, _ = read_run(b"".join(lines))
    other, _, _ = read_run(b"".join(reversed(lines)))
    assert one is not None and other is not None
    assert one.to_bytes() == other.to_bytes()


@pytest.mark.parametrize("data", [b"", b"no zip", b"PK\x03\x04 broken"])
def test_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="stored run"):
        Rankings.from_bytes(data)


def test_scores_that_are_nan_are_refused() -> None:
    with pytest.raises(ValueError, match="NaN"):
        Rankings.from_dict("t", {"1": {"a": float("nan")}})
