import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from assess.core.agreement import (
    Table,
    agreement,
    band,
    binarised,
    chance_agreement,
    cohen_kappa,
    confusion_matrix,
    kappa_interval,
    kappa_standard_error,
    overlap,
    pooled_shares,
    raw_agreement,
    scott_pi,
    specific_agreement,
)
from tests.golden import vectors

LEVELS = [0, 1, 2, 3]
grades = st.lists(st.tuples(st.integers(-1, 3), st.integers(-1, 3)), max_size=40)


def columns(pairs: list[tuple[int, int]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    return np.array([one for one, _ in pairs], np.int64), np.array([other for _, other in pairs], np.int64)


def table_of(vector: dict[str, Any]) -> Table:
    if "table" in vector:
        return np.array(vector["table"], np.int64)
    first, second = (np.array([-1 if grade is None else grade for grade in row], np.int64) for row in vector["ratings"])
    return confusion_matrix(first, second, vector["categories"])


def slow_kappa(pairs: list[tuple[int, int]], pooled: bool) -> float | None:
    """(P(A) - P(E)) / (1 - P(E)), level by level."""
    pairs = [pair for pair in pairs if min(pair) >= 0]
    if not pairs:
        return None
    n = len(pairs)
    observed = sum(one == other for one, other in pairs) / n
    chance = 0.0
    for level in LEVELS:
        p, q = sum(one == level for one, _ in pairs) / n, sum(other == level for _, other in pairs) / n
        chance += ((p + q) / 2) ** 2 if pooled else p * q
    return None if chance > 1 - 1e-12 else (observed - chance) / (1 - chance)


def test_ten_documents_by_hand() -> None:
    first = np.array([0, 0, 0, 0, 1, 1, 1, 1, 1, 1])
    second = np.array([0, 0, 0, 1, 1, 1, 1, 1, 1, 1])
    found = agreement(first, second, [0, 1])
    assert found.table.tolist() == [[3, 1], [0, 6]]
    assert (found.n, found.raw) == (10, 0.9)
    assert found.cohen == pytest.approx((0.9 - 0.54) / (1 - 0.54), abs=1e-12)
    assert found.pooled == pytest.approx((0.9 - 0.545) / (1 - 0.545), abs=1e-12)
    assert found.linear == found.cohen


def test_grades_off_the_scale_are_missing_data() -> None:
    found = agreement(np.array([1, -1, 2, 9]), np.array([1, 1, -2, 9]), LEVELS)
    assert (found.n, found.raw, found.cohen, found.interval) == (1, 1.0, None, None)


def test_nothing_in_common_is_undefined() -> None:
    none = np.zeros(0, np.int64)
    found = agreement(none, none, LEVELS)
    assert (found.n, found.raw, found.cohen, found.pooled, found.linear, found.standard_error) == (0, *[None] * 5)
    assert found.table.shape == (4, 4)


@pytest.mark.parametrize("vector", vectors("agreement", "kappa", "kappa_pooled"))
def test_kappa_of_the_worked_examples(vector: dict[str, Any]) -> None:
    kappa = scott_pi if vector["measure"] == "kappa_pooled" else cohen_kappa
    found = kappa(table_of(vector), weights=vector["params"].get("weights", "identity"))
    assert found == (None if vector["expected"] is None else pytest.approx(vector["expected"], abs=1e-9))


@pytest.mark.parametrize("vector", vectors("agreement", "kappa_detail", "kappa_pooled_detail"))
def test_raw_agreement_and_kappa_of_the_worked_examples(vector: dict[str, Any]) -> None:
    kappa = scott_pi if vector["measure"] == "kappa_pooled_detail" else cohen_kappa
    table = table_of(vector)
    pooled = vector["measure"] == "kappa_pooled_detail"
    assert raw_agreement(table) == pytest.approx(vector["expected"]["po"], abs=1e-9)
    assert chance_agreement(table, pooled=pooled) == pytest.approx(vector["expected"]["pe"], abs=1e-9)
    assert kappa(table) == pytest.approx(vector["expected"]["kappa"], abs=1e-9)


@pytest.mark.parametrize("vector", vectors("agreement", "pooled_share"))
def test_pooled_shares_of_the_worked_example(vector: dict[str, Any]) -> None:
    assert pooled_shares(table_of(vector))[vector["params"]["category"]] == pytest.approx(vector["expected"], abs=1e-9)


def test_chance_agrees_on_nothing_without_items() -> None:
    assert chance_agreement(np.zeros((2, 2), np.int64)) is None


@pytest.mark.parametrize("vector", vectors("agreement", "kappa_se"))
def test_standard_errors_of_the_worked_examples(vector: dict[str, Any]) -> None:
    found = kappa_standard_error(table_of(vector), levels=vector["categories"], **vector["params"])
    assert found == pytest.approx(vector["expected"], abs=1e-9)


@pytest.mark.parametrize("vector", vectors("agreement", "kappa_ci"))
def test_interval_of_the_worked_example(vector: dict[str, Any]) -> None:
    assert kappa_interval(table_of(vector), **vector["params"]) == pytest.approx(tuple(vector["expected"]), abs=1e-9)


@pytest.mark.parametrize("vector", vectors("agreement", "raw_agreement"))
def test_raw_agreement_of_the_worked_examples(vector: dict[str, Any]) -> None:
    expected = vector["expected"]
    assert raw_agreement(table_of(vector)) == (None if expected is None else pytest.approx(expected, abs=1e-9))


@pytest.mark.parametrize(
    "vector",
    vectors("agreement", "kappa_binarised", "positive_agreement", "negative_agreement", "overlap_table", "specific_agreement"),
)
def test_binary_views_of_the_worked_examples(vector: dict[str, Any]) -> None:
    table, params = table_of(vector), vector["params"]
    binary = binarised(table, vector["categories"], params.get("rel", 1))
    found: dict[str, float | None] = {
        "kappa_binarised": cohen_kappa(binary),
        "positive_agreement": specific_agreement(binary)[1],
        "negative_agreement": specific_agreement(binary)[0],
        "overlap_table": overlap(binary),
    }
    if vector["measure"] == "specific_agreement":
        found["specific_agreement"] = specific_agreement(table)[vector["categories"].index(params["category"])]
    expected = vector["expected"]
    assert found[vector["measure"]] == (None if expected is None else pytest.approx(expected, abs=1e-9))


@pytest.mark.parametrize("vector", vectors("agreement", "band"))
def test_bands_of_the_rule_of_thumb(vector: dict[str, Any]) -> None:
    assert band(vector["value"]) == vector["expected"]


@given(grades)
@settings(max_examples=100, deadline=None)
def test_kappas_are_their_definitions(pairs: list[tuple[int, int]]) -> None:
    table = confusion_matrix(*columns(pairs), LEVELS)
    for found, expected in ((cohen_kappa(table), slow_kappa(pairs, False)), (scott_pi(table), slow_kappa(pairs, True))):
        assert found == (None if expected is None else pytest.approx(expected, abs=1e-9))


@given(grades)
@settings(max_examples=100, deadline=None)
def test_kappas_are_those_of_scikit_learn(pairs: list[tuple[int, int]]) -> None:
    from sklearn.metrics import cohen_kappa_score  # type: ignore[import-untyped]

    pairs = [pair for pair in pairs if min(pair) >= 0]
    first, second = columns(pairs)
    table = confusion_matrix(first, second, LEVELS)
    for weights, name in (("identity", None), ("linear", "linear"), ("quadratic", "quadratic")):
        found = cohen_kappa(table, weights=weights)  # type: ignore[arg-type]
        if found is None:
            assert len(set(pairs)) <= 1
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = cohen_kappa_score(first, second, labels=LEVELS, weights=name)
        assert found == pytest.approx(expected, abs=1e-12)


@given(grades)
@settings(max_examples=50, deadline=None)
def test_changing_places_changes_no_figure(pairs: list[tuple[int, int]]) -> None:
    first, second = columns(pairs)
    one, other = agreement(first, second, LEVELS), agreement(second, first, LEVELS)
    assert (one.table == other.table.T).all()
    for name in ("n", "raw", "cohen", "pooled", "linear"):
        value, again = getattr(one, name), getattr(other, name)
        assert value == (None if again is None else pytest.approx(again, abs=1e-12))


@given(grades)
@settings(max_examples=50, deadline=None)
def test_agreeing_with_oneself_is_perfect_or_undefined(pairs: list[tuple[int, int]]) -> None:
    own, _ = columns(pairs)
    found = agreement(own, own, LEVELS)
    several = len(set(own[own >= 0].tolist())) > 1
    assert (found.cohen, found.pooled, found.linear) == ((1.0, 1.0, 1.0) if several else (None, None, None))


def test_levels_with_gaps_are_weighted_by_their_values() -> None:
    table = confusion_matrix(np.array([0, 1, 5, 0]), np.array([1, 1, 5, 5]), [0, 1, 5])
    cost = np.array([[0, 0.2, 1], [0.2, 0, 0.8], [1, 0.8, 0]])
    expected = 1 - 4 * (cost * table).sum() / (cost * np.outer(table.sum(1), table.sum(0))).sum()
    assert cohen_kappa(table, weights="linear", levels=[0, 1, 5]) == pytest.approx(expected, abs=1e-12)


def test_material_that_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="distinct levels"):
        confusion_matrix(np.array([1]), np.array([1]), [0, 0])
    with pytest.raises(ValueError, match="two grades for each item"):
        confusion_matrix(np.array([1]), np.array([1, 2]), [0, 1])
