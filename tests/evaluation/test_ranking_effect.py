"""Whether disagreement changes the order of systems: scores under each assessor's qrels, their union and intersection."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy.stats import kendalltau

from assess.core.adjudication import Rule, merge_grades
from evaluation.core.evaluate import evaluate_rankings
from evaluation.core.qrels import Qrels
from evaluation.effect import Comparison, Effect
from pooling.core.rankings import Rankings
from tests.golden import vectors

Judged = dict[str, dict[str, int]]


def merged(first: Judged, second: Judged, rule: Rule) -> Judged:
    """Both assessors' qrels made one by a rule."""
    found: Judged = {}
    for topic, judged in first.items():
        grades = np.array([[grade, second[topic][docno]] for docno, grade in judged.items()]).ravel()
        final, _ = merge_grades(np.repeat(np.arange(len(judged)), 2), grades, len(judged), rule)
        found[topic] = dict(zip(judged, final.tolist(), strict=True))
    return found


@pytest.mark.parametrize("vector", vectors("agreement", "ranking_effect"))
def test_order_of_systems_under_each_qrels(vector: dict[str, Any]) -> None:
    qrels, expected = vector["qrels"], vector["expected"]
    assert merged(qrels["A"], qrels["B"], "max") == qrels["union"]
    assert merged(qrels["A"], qrels["B"], "min") == qrels["intersection"]
    runs = [
        Rankings.from_dict(tag, {topic: {docno: -place for place, docno in enumerate(ranked)} for topic, ranked in run.items()})
        for tag, run in vector["runs"].items()
    ]
    scored = {name: evaluate_rankings(Qrels.from_dict(judged), runs, ["AP"]).means[:, 0] for name, judged in qrels.items()}
    for name, means in scored.items():
        assert dict(zip(vector["runs"], means.tolist(), strict=True)) == pytest.approx(expected["MAP"][name], abs=1e-9)
    taus = {f"{one}|{other}": float(kendalltau(scored[one], scored[other])[0]) for one, other in combinations(scored, 2)}
    assert taus == pytest.approx(expected["tau_b"], abs=1e-9)


def test_the_verdict_in_words() -> None:
    def compared(tau: float | None, sure: int = 0) -> Comparison:
        return Comparison("one", "other", 10, 5, tau, tau, 1, sure, "run", 1, 1, 2)

    def verdict(rules: list[Comparison], people: list[Comparison]) -> str:
        return Effect("AP", ["a", "b"], [], rules, people, [], []).verdict

    assert verdict([compared(0.95)], [compared(0.82), compared(0.99)]) == (
        "By merge rule the order changes hardly: the lowest τ is 0.950. By assessor it changes somewhat: the lowest τ is 0.820. "
        "No significant difference between two runs is turned around."
    )
    assert verdict([compared(0.3, sure=2)], []).endswith(
        "changes clearly: the lowest τ is 0.300. In one comparison 2 significant differences are turned around."
    )
    assert verdict([compared(None)], []) == ""
