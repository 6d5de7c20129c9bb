"""The range of a score: every way to judge the unjudged documents, tried one after the other."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.core.bounds import score_range
from evaluation.core.evaluate import evaluate_rankings
from evaluation.core.judged import Given, join
from evaluation.core.qrels import Qrels
from evaluation.core.registry import MeasureError
from pooling.core.rankings import Rankings

GRADE = st.one_of(st.none(), st.integers(-1, 2))
MEASURES = ["AP", "AP@2", "AP(rel=2)", "P@1", "P@3", "P@10", "nDCG", "nDCG@2"]


@given(st.lists(GRADE, min_size=1, max_size=5), st.lists(st.integers(0, 2), max_size=3))
@settings(max_examples=60)
def test_range_is_what_some_judgments_give(grades: list[int | None], missed: list[int]) -> None:
    docnos = [f"d{place}" for place in range(len(grades))]
    judged = {name: grade for name, grade in zip(docnos, grades, strict=True) if grade is not None}
    judged |= {f"m{place}": grade for place, grade in enumerate(missed)} | {"z": 0}
    rankings = [Rankings.from_dict("t", {"1": {name: -float(place) for place, name in enumerate(docnos)}})]
    free = [name for name, grade in zip(docnos, grades, strict=True) if grade is None or grade < 0]
    tried = [judged | dict(zip(free, told, strict=True)) for told in product(range(3), repeat=len(free))]
    scores = [evaluate_rankings(Qrels.from_dict({"1": one}), rankings, MEASURES).values[0, :, 0] for one in tried]
    table = join(Qrels.from_dict({"1": judged}), rankings, Given(top=2))
    for place, name in enumerate(MEASURES):
        found, values = score_range(table, name), [float(row[place]) for row in scores]
        assert (found.low[0], found.high[0]) == pytest.approx((min(values), max(values)), abs=1e-12), name


def test_many_topics_and_runs_at_once() -> None:
    qrels = Qrels.from_dict({"1": {"a": 1, "b": 0}, "2": {"c": 2}, "3": {"a": 1}})
    runs = [
        Rankings.from_dict("x", {"1": {"a": 2.0, "q": 1.0}, "2": {"q": 2.0, "c": 1.0}}),
        Rankings.from_dict("y", {"1": {"b": 1.0}}),
    ]
    for name in (*MEASURES, "RBP(p=0.5)"):
        together = score_range(join(qrels, runs), name)
        alone = [score_range(join(qrels, [run]), name) for run in runs]
        assert together.low.tolist() == [value for one in alone for value in one.low.tolist()]
        assert together.high.tolist() == [value for one in alone for value in one.high.tolist()]


def test_residual_of_rbp_is_its_range() -> None:
    found = score_range(
        join(Qrels.from_dict({"1": {"a": 1}}), [Rankings.from_dict("t", {"1": {"a": 2.0, "x": 1.0}})]), "RBP(p=0.5)"
    )
    assert (found.low.tolist(), found.high.tolist()) == ([0.5], [1.0])


@pytest.mark.parametrize("name", ["Bpref", "AP(judged_only=True)", "nDCG(dcg='exp-log2')", "RBP(gain='scale')", "RBP@10"])
def test_other_measures_have_none(name: str) -> None:
    table = join(Qrels.from_dict({"1": {"a": 1}}), [Rankings.from_dict("t", {"1": {"a": 2.0}})])
    with pytest.raises(MeasureError, match="has no known range; expected AP"):
        score_range(table, name)
