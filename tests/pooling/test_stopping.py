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


def test_advice_gives_its_reasons() -> None:
    told = stopping.advice([1] * 3 + [0] * 60, 100)
    assert [(one.rule, one.stop) for one in told] == [
        ("budget", False),
        ("consecutive", True),
        ("window", False),
        ("knee", False),
    ]
    assert told[0].why == "63 of 100 are judged, 3 of them relevant."
    assert told[1].why == "60 in a row were not relevant; 50 call for a stop."
    assert stopping.advice([])[-1].why == "The curve has no bend yet."
