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
MEASURES += [
    "nDCG(dcg='exp-log2')",
    "nDCG(form='exp')@2",
    "nDCG(form='jk',b=3)",
    "nDCG(gains={1:1,2:5})@3",
    "nDCG(gains={1:0})",
]
RBP = ["RBP(p=0.5)@2", "RBP(p=0.9)@4", "RBP(p=0.5,gain='scale',gmax=2)", "RBP(p=0.7,gain='scale',gmax=3)@3"]


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


@given(st.lists(GRADE, min_size=1, max_size=5), st.sampled_from(RBP))
@settings(max_examples=40, deadline=None)
def test_range_of_rbp_is_what_some_judgments_and_a_longer_ranking_give(grades: list[int | None], name: str) -> None:
    """The highest has every unjudged document, and all that would follow, at the top; the lowest is the score itself."""
    ranking = {f"d{place}": -float(place) for place in range(len(grades))}
    judged = {f"d{place}": grade for place, grade in enumerate(grades) if grade is not None} | {"z": 0}
    longer = ranking | {f"more{place:03}": -10.0 - place for place in range(200)}
    best = dict.fromkeys(longer, 2) | {docno: grade for docno, grade in judged.items() if grade >= 0}
    found = score_range(join(Qrels.from_dict({"1": judged}), [Rankings.from_dict("t", {"1": ranking})], Given(top=2)), name)
    ends = [
        evaluate_rankings(Qrels.from_dict({"1": told}), [Rankings.from_dict("t", {"1": docs})], [name]).means[0, 0]
        for told, docs in ((judged, ranking), (best, longer))
    ]
    assert [found.low[0], found.high[0]] == pytest.approx(ends, abs=1e-12)


def test_many_topics_and_runs_at_once() -> None:
    qrels = Qrels.from_dict({"1": {"a": 1, "b": 0}, "2": {"c": 2}, "3": {"a": 1}})
    runs = [
        Rankings.from_dict("x", {"1": {"a": 2.0, "q": 1.0}, "2": {"q": 2.0, "c": 1.0}}),
        Rankings.from_dict("y", {"1": {"b": 1.0}}),
    ]
    for name in (*MEASURES, "RBP(p=0.5)", *RBP):
        together = score_range(join(qrels, runs), name)
        alone = [score_range(join(qrels, [run]), name) for run in runs]
        assert together.low.tolist() == [value for one in alone for value in one.low.tolist()]
        assert together.high.tolist() == [value for one in alone for value in one.high.tolist()]


def test_residual_of_rbp_is_its_range() -> None:
    found = score_range(
        join(Qrels.from_dict({"1": {"a": 1}}), [Rankings.from_dict("t", {"1": {"a": 2.0, "x": 1.0}})]), "RBP(p=0.5)"
    )
    assert (found.low.tolist(), found.high.tolist()) == ([0.5], [1.0])


@pytest.mark.parametrize(
    "name",
    [
        "Bpref",
        "AP(judged_only=True)",
        "nDCG(gains={0:1})",
        "nDCG(gains={1:3})",
        "nDCG(ideal='retrieved')",
        "RBP(gain='scale')",
        "RBP(gain='topic')",
    ],
)
def test_other_measures_have_none(name: str) -> None:
    table = join(Qrels.from_dict({"1": {"a": 2}}), [Rankings.from_dict("t", {"1": {"a": 2.0}})])
    with pytest.raises(MeasureError, match="has no known range; expected AP"):
        score_range(table, name)
