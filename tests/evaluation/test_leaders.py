"""Against the best: the vectorised tests say what the tests of a pair say, and intervals are those of a bootstrap."""

import numpy as np
import pytest

from evaluation.core import leaders, significance
from evaluation.core.comparison import TESTS, Test, compare_scores

RNG = np.random.default_rng(3)
FEW = np.clip(RNG.beta(2, 4, (4, 12)) + np.array([[0.3], [0.28], [0.1], [0.0]]), 0, 1)
MANY = np.clip(RNG.beta(2, 4, (5, 40)) + np.array([[0.15], [0.14], [0.1], [0.05], [0.0]]), 0, 1)


@pytest.mark.parametrize("test", ["randomization", "t", "wilcoxon", "sign", "tukey"])
def test_exact_tests_equal_those_of_a_comparison(test: Test) -> None:
    found = leaders.against_best(FEW, test=test)
    told = compare_scores("abcd", FEW, "AP", test=test, baseline=found.best)
    by_tag = {pair.first: pair.p_adjusted for pair in told.pairs}
    expected = [1.0 if place == found.best else by_tag["abcd"[place]] for place in range(4)]
    assert found.p.tolist() == pytest.approx(expected, rel=1e-9)
    assert found.same.tolist() == [p is not None and p >= 0.05 for p in expected]


@pytest.mark.parametrize("test", ["randomization", "bootstrap", "randomized-tukey"])
def test_random_tests_come_near_those_of_a_comparison(test: Test) -> None:
    found = leaders.against_best(MANY, test=test)
    told = compare_scores("abcde", MANY, "AP", test=test, baseline=found.best)
    by_tag = {pair.first: pair.p_adjusted for pair in told.pairs}
    for place in range(5):
        if place != found.best:
            assert found.p[place] == pytest.approx(by_tag["abcde"[place]], abs=0.03)


@pytest.mark.parametrize("test", TESTS)
def test_equal_systems_are_not_told_apart(test: Test) -> None:
    found = leaders.against_best(np.vstack((FEW[:2], FEW[:1])), test=test)
    assert (found.best, found.p[2], bool(found.same[2])) == (0, pytest.approx(1.0), True)


def test_too_few_are_not_tested() -> None:
    for scores in (FEW[:, :4], FEW[:1], np.zeros((0, 0))):
        found = leaders.against_best(scores)
        assert not found.tested and not found.same.any()


def test_intervals_are_those_of_resampled_topics() -> None:
    low, high = leaders.mean_intervals(MANY, samples=4000)
    assert (low < MANY.mean(axis=1)).all() and (MANY.mean(axis=1) < high).all()
    expected = significance.bootstrap_interval(MANY[0], np.zeros(40), np.random.default_rng(1), samples=4000)
    assert (low[0], high[0]) == pytest.approx(expected, abs=0.01)
    assert np.isnan(leaders.mean_intervals(np.zeros((2, 0)))[0]).all()
