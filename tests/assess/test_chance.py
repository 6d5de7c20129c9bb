"""Fleiss, Gwet, Brennan and Prediger, Krippendorff: the worked examples, the reference libraries, slow definitions."""

import warnings
from collections.abc import Sequence
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assess.core import chance
from assess.core.agreement import cohen_kappa, confusion_matrix, kappa_standard_error, scott_pi
from assess.core.chance import Coefficient, coefficient, coefficients, coincidences, fleiss_kappa, krippendorff_alpha
from assess.core.ratings import Counts, Ratings
from tests.golden import vectors

LEVELS = [0, 1, 2, 3]
METRICS: tuple[chance.Metric, ...] = ("nominal", "ordinal", "interval")
MODELS: dict[str, chance.Chance] = {"AC1": "gwet", "AC2": "gwet", "fleiss_general": "fleiss", "brennan_prediger": "uniform"}
grade = st.one_of(st.none(), st.integers(0, 3))
gapped = st.integers(2, 4).flatmap(lambda m: st.lists(st.lists(grade, min_size=m, max_size=m), min_size=1, max_size=15))
full = st.integers(2, 4).flatmap(
    lambda m: st.lists(st.lists(st.integers(0, 3), min_size=m, max_size=m), min_size=2, max_size=15)
)


def counts_of(vector: dict[str, Any]) -> Counts:
    if "counts" in vector:
        return np.array(vector["counts"], np.int64)
    return counted([list(row) for row in zip(*vector["ratings"], strict=True)], vector["categories"])


def counted(rows: Sequence[Sequence[int | None]], levels: list[int]) -> Counts:
    places = np.array([[-1 if one is None else levels.index(one) for one in row] for row in rows], np.int8)
    return Ratings(tuple(levels), places, np.zeros(len(rows), np.int64)).counts()


def near(expected: float | None) -> Any:
    return None if expected is None else pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("vector", vectors("agreement", "fleiss"))
def test_fleiss_of_the_worked_examples(vector: dict[str, Any]) -> None:
    found, expected = fleiss_kappa(counts_of(vector)), vector["expected"]
    assert (found.observed, found.expected, found.value) == tuple(near(expected[key]) for key in ("po", "pe", "kappa"))


@pytest.mark.parametrize("vector", vectors("agreement", "fleiss_se_null"))
def test_null_error_of_fleiss(vector: dict[str, Any]) -> None:
    assert chance.fleiss_null_error(counts_of(vector)) == near(vector["expected"])


def test_null_error_of_fleiss_needs_two_levels() -> None:
    assert chance.fleiss_null_error(np.array([[2, 0], [2, 0]])) is None


@pytest.mark.parametrize("vector", vectors("agreement", *MODELS))
def test_coefficients_of_the_worked_examples(vector: dict[str, Any]) -> None:
    weights = vector["params"].get("weights", "identity")
    found = coefficient(counts_of(vector), MODELS[vector["measure"]], weights=weights, levels=vector["categories"])
    expected = vector["expected"]
    wanted = (near(expected[key]) for key in ("po", "pe", "coefficient", "se"))
    assert (found.observed, found.expected, found.value, found.standard_error) == tuple(wanted)


@pytest.mark.parametrize("vector", vectors("agreement", "alpha"))
def test_alpha_of_the_worked_examples(vector: dict[str, Any]) -> None:
    found = krippendorff_alpha(counts_of(vector), vector["params"]["level"], vector["categories"])
    assert found == near(vector["expected"])


@pytest.mark.parametrize("vector", vectors("agreement", "alpha_detail"))
def test_coincidences_of_the_published_example(vector: dict[str, Any]) -> None:
    counts, expected = counts_of(vector), vector["expected"]
    matrix = coincidences(counts).sum(axis=0)
    assert matrix == pytest.approx(np.array(expected["coincidences"]), abs=1e-9)
    assert (float(matrix.sum()), int((counts.sum(axis=1) >= 2).sum())) == (near(expected["pairable"]), expected["units"])


@given(full)
@settings(max_examples=60)
def test_fleiss_is_that_of_statsmodels(rows: list[list[int]]) -> None:
    from statsmodels.stats.inter_rater import fleiss_kappa as theirs

    counts = counted(rows, LEVELS)
    found = fleiss_kappa(counts).value
    if found is None:
        assert len({one for row in rows for one in row}) == 1
    else:
        assert found == pytest.approx(theirs(counts), abs=1e-12)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=40))
@settings(max_examples=60)
def test_kappas_and_their_errors_are_those_of_statsmodels(rows: list[tuple[int, int]]) -> None:
    from statsmodels.stats.inter_rater import cohens_kappa

    first, second = np.array(rows, np.int64).T
    table = confusion_matrix(first, second, LEVELS)
    if cohen_kappa(table) is None:
        return
    for weights, name in (("identity", None), ("linear", "linear"), ("quadratic", "quadratic")):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a variance that is a hair below 0
            theirs = cohens_kappa(table, wt=name)
        assert cohen_kappa(table, weights=weights) == pytest.approx(theirs.kappa, abs=1e-12)  # type: ignore[arg-type]
        for null, expected in ((False, theirs.var_kappa), (True, theirs.var_kappa0)):
            found = kappa_standard_error(table, weights=weights, null=null)  # type: ignore[arg-type]
            assert found is not None
            assert found**2 == pytest.approx(max(expected, 0.0), abs=1e-12)


@given(gapped)
@settings(max_examples=60)
def test_alpha_is_that_of_krippendorff(rows: list[list[int | None]]) -> None:
    import krippendorff

    counts = counted(rows, LEVELS)
    pairable = [one for row in rows if sum(one is not None for one in row) >= 2 for one in row if one is not None]
    for metric in METRICS:
        found = krippendorff_alpha(counts, metric, LEVELS)
        assert (found is None) == (len(set(pairable)) < 2)
        if found is not None:
            data = np.array([[np.nan if one is None else one for one in row] for row in rows], float).T
            theirs = krippendorff.alpha(data, level_of_measurement=metric, value_domain=[0.0, 1.0, 2.0, 3.0])
            assert found == pytest.approx(theirs, abs=1e-9)


@given(gapped)
@settings(max_examples=60)
def test_gwet_is_its_definition(rows: list[list[int | None]]) -> None:
    rated = [[one for one in row if one is not None] for row in rows]
    rated = [row for row in rated if row]
    twice = [row for row in rated if len(row) >= 2]
    found = coefficient(counted(rows, LEVELS), "gwet", weights="quadratic", levels=LEVELS)
    if not twice:
        assert found == Coefficient(None, None, None, None)
        return
    weight = {(i, j): 1 - (i - j) ** 2 / 9 for i in LEVELS for j in LEVELS}
    observed = [np.mean([weight[pair] for pair in permutations(row, 2)]) for row in twice]
    share = [np.mean([row.count(level) / len(row) for row in rated]) for level in LEVELS]
    expected = sum(weight.values()) / 12 * sum(float(p * (1 - p)) for p in share)
    assert found.value == pytest.approx((np.mean(observed) - expected) / (1 - expected), abs=1e-9)


@given(full)
@settings(max_examples=30)
def test_fleiss_of_two_is_kappa_with_pooled_marginals(rows: list[list[int]]) -> None:
    first, second = np.array(rows, np.int64).T[:2]
    found = fleiss_kappa(counted([row[:2] for row in rows], LEVELS)).value
    assert found == near(scott_pi(confusion_matrix(first, second, LEVELS)))


@given(full, st.integers(0, 2**32 - 1))
@settings(max_examples=30)
def test_items_counted_several_times_are_so_many_items(rows: list[list[int]], seed: int) -> None:
    counts = counted(rows, LEVELS)
    times = np.random.default_rng(seed).integers(0, 3, (2, len(rows)))
    for model in ("fleiss", "gwet", "uniform"):
        found = coefficients(counts, model, times.astype(float))
        for value, number in zip(found, times, strict=True):
            wanted = coefficient(np.repeat(counts, number, axis=0), model).value
            assert (None if np.isnan(value) else float(value)) == near(wanted)


def test_one_item_has_no_standard_error() -> None:
    assert coefficient(np.array([[1, 1]]), "gwet") == Coefficient(0.0, 0.5, -1.0, None)


def test_unequal_numbers_of_grades_are_refused_by_fleiss() -> None:
    with pytest.raises(ValueError, match=r"expected the same number of grades for each item, got \[2, 3\]"):
        fleiss_kappa(np.array([[1, 1], [2, 1]]))
