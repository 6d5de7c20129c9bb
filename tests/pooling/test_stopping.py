from typing import Any

import numpy as np
import pytest

from pooling.core import stopping
from tests.golden import vectors


@pytest.mark.parametrize("vector", vectors("pooling", "stopping"))
def test_rules_of_the_worked_example(vector: dict[str, Any]) -> None:
    params = {name: value for name, value in vector["params"].items() if name != "rule"}
    found = stopping.RULES[vector["params"]["rule"]](np.array(vector["gains"]), **params)
    assert {"stop_at": found.at, "found": found.found} == vector["expected"] and found.reached


@pytest.mark.parametrize("vector", vectors("pooling", "knee"))
def test_the_knee_of_the_worked_example(vector: dict[str, Any]) -> None:
    params = vector["params"]
    found = stopping.knee(np.array(vector["gains"]), params["bound"], adjust=params["adjust"], least=params["min_docs"])
    told = {"split": found.split, "rho": found.ratio, "needed": found.needed, "stop": found.stop}
    assert told == pytest.approx(vector["expected"], abs=1e-9)


@pytest.mark.parametrize("vector", vectors("pooling", "sample_recall_bound"))
def test_what_a_sample_of_the_rest_tells(vector: dict[str, Any]) -> None:
    params = vector["params"]
    found = stopping.recall_bound(params["found"], params["N"], params["n"], params["k"], params["level"])
    assert vars(found) == pytest.approx(vector["expected"], abs=1e-8)


def test_a_rule_that_is_never_met_ends_with_the_judgments() -> None:
    assert stopping.consecutive(np.array([1, 0, 1]), 5) == stopping.Stop(3, 2, reached=False)
    assert stopping.knee(np.zeros(0, np.int64)).split == stopping.knee(np.array([0, 0])).split == 0


def test_a_batch_without_anything_relevant_calls_for_a_stop() -> None:
    """Batches end at judgments 1, 3, 6 … 55, 66, 79: of 1 to 10, 11 and 13."""
    gains = np.zeros(79, np.int64)
    gains[[0, 50, 60]] = 1
    assert stopping.batch(gains) == stopping.Stop(79, 3, reached=True)
    assert stopping.batch(gains, 9) == stopping.Stop(45, 1, reached=True)
    assert stopping.batch(gains[:70]) == stopping.Stop(70, 3, reached=False)
    assert list(stopping._batches(66))[-2:] == [(45, 55), (55, 66)]


def test_advice_gives_its_reasons() -> None:
    told = stopping.advice([1] * 3 + [0] * 60, 100, 3)
    assert [(one.rule, one.stop) for one in told] == [
        ("budget", False),
        ("consecutive", True),
        ("half plus", True),
        ("window", False),
        ("batch", True),
        ("knee", False),
        ("target", True),
    ]
    assert told[0].why == "63 of 100 are judged, 3 of them relevant."
    assert told[1].why == "60 in a row were not relevant; 50 call for a stop."
    assert told[2].why == "60 in a row were not relevant, and 63 of 100 are judged; 25 call for a stop once half is done."
    assert told[4].why == "The last whole batch, judgments 46 to 55, had 0 relevant; none calls for a stop."
    assert told[6].why == "3 of the 3 relevant ones that are wanted are found."
    none = {one.rule: one.why for one in stopping.advice([])}
    assert none["knee"] == "The curve has no bend yet." and none["batch"] == "No batch of 10 or more is judged yet."
    assert none["target"] == "0 relevant ones are found; the round was begun without a number that is wanted."
