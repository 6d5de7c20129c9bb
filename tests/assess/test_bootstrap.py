from typing import Any

import numpy as np
import pytest

from assess.core.agreement import kappas
from assess.core.bootstrap import Plan, percentile_interval, resamples, sample_itself, spread
from assess.core.ratings import Kinds, Patterns, Ratings, patterns
from tests.golden import vectors


@pytest.mark.parametrize("vector", vectors("agreement", "bootstrap_percentile"))
def test_replicates_and_interval_of_the_worked_example(vector: dict[str, Any]) -> None:
    first, second = np.array(vector["ratings"], np.int64)
    tables = np.array([np.bincount(first[drawn] * 2 + second[drawn], minlength=4) for drawn in vector["resamples"]])
    found = kappas(tables.reshape(-1, 2, 2))
    expected = vector["expected"]
    wanted = [np.nan if value is None else value for value in expected["replicates"]]
    assert found == pytest.approx(np.array(wanted), abs=1e-9, nan_ok=True)
    assert percentile_interval(found, vector["params"]["level"]) == pytest.approx(expected["interval"], abs=1e-9)
    assert spread(found, 0.9).undefined == expected["undefined"]


def some() -> Patterns:
    places = np.array([[0, 0], [0, 1], [1, 1], [1, 1], [0, 0], [0, 1], [1, 1]], np.int8)
    return patterns(Ratings((0, 1), places, np.array([0, 0, 0, 0, 1, 1, 1])))


def test_patterns_are_the_distinct_rows_of_each_topic() -> None:
    found = some()
    assert (found.topics.tolist(), found.times.tolist()) == ([0, 0, 0, 1, 1, 1], [1, 1, 2, 1, 1, 1])
    assert sample_itself(found).times.tolist() == [[1, 1, 2, 1, 1, 1]]


def test_resamples_keep_the_number_of_items_of_each_topic() -> None:
    found = Kinds(np.array([0, 0, 0, 1, 1, 1]), np.array([10, 10, 20, 5, 4, 1]))
    (drawn,) = resamples(found, Plan(resamples=50, seed=3))
    assert drawn.times.shape == (50, 6)
    assert (drawn.times[:, :3].sum(axis=1) == 40).all() and (drawn.times[:, 3:].sum(axis=1) == 10).all()
    assert len(np.unique(drawn.times, axis=0)) > 10


def test_thin_topics_are_drawn_from_as_one() -> None:
    found = Kinds(np.array([0, 1, 1, 2]), np.array([9, 30, 10, 5]))
    (drawn,) = resamples(found, Plan(resamples=50, seed=3))
    assert (drawn.times[:, [1, 2]].sum(axis=1) == 40).all() and (drawn.times[:, [0, 3]].sum(axis=1) == 14).all()
    assert len(np.unique(drawn.times[:, 0])) > 3


@pytest.mark.parametrize("items", [1, 9, 10])
def test_intervals_are_as_wide_where_topics_have_few_items(items: int) -> None:
    topics = np.arange(360) // items
    equal = np.arange(360) % 4 != 0  # raw agreement 0.75
    (drawn,) = resamples(Kinds(topics, np.ones(360, np.int64)), Plan(seed=3))
    assert spread(drawn.times @ equal / 360, 0.95).standard_error == pytest.approx((0.75 * 0.25 / 360) ** 0.5, rel=0.1)


def test_resamples_by_topic_take_topics_whole() -> None:
    (drawn,) = resamples(some(), Plan(resamples=50, seed=3, by_topic=True))
    assert (drawn.topics.sum(axis=1) == 2).all()
    assert (drawn.times == np.repeat(drawn.topics, 3, axis=1) * [1, 1, 2, 1, 1, 1]).all()


def test_same_seed_same_resamples() -> None:
    one, again, other = (next(resamples(some(), Plan(resamples=20, seed=seed))).times for seed in (7, 7, 8))
    assert (one == again).all() and (one != other).any()


def test_resamples_of_much_material_come_in_parts() -> None:
    topics = np.arange(300_000)
    parts = list(resamples(Kinds(topics, np.full(300_000, 2)), Plan(8, by_topic=True)))
    assert [len(part.times) for part in parts] == [6, 2]


def test_too_many_undefined_resamples_give_no_interval() -> None:
    values = np.linspace(0, 1, 100)
    values[:5] = np.nan
    assert spread(values, 0.95).interval is not None
    values[5] = np.nan
    assert (spread(values, 0.95).interval, spread(values, 0.95).undefined) == (None, 6)
