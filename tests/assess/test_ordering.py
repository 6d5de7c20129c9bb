import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assess.core.ordering import assessor_generator, overlap_choice, queue_order

topics = st.lists(st.integers(0, 4), max_size=40).map(lambda rows: np.array(rows, np.int64))


@given(topics, st.integers(0, 100))
@settings(max_examples=50, deadline=None)
def test_queue_keeps_topics_together_and_every_item_once(
    codes: "np.ndarray[tuple[int], np.dtype[np.int64]]", seed: int
) -> None:
    order = queue_order(codes, np.random.default_rng(seed))
    assert sorted(order.tolist()) == list(range(len(codes)))
    assert codes[order].tolist() == sorted(codes.tolist())


def test_queue_of_an_assessor_is_the_same_each_time_and_not_that_of_another() -> None:
    codes = np.zeros(50, np.int64)
    once, again, other = (queue_order(codes, assessor_generator(7, assessor)).tolist() for assessor in (1, 1, 2))
    assert once == again != other
    assert once != list(range(50))


@pytest.mark.parametrize(
    ("size", "share", "chosen"),
    [(10, 0.2, 2), (10, 0.25, 3), (10, 0.01, 1), (1, 0.5, 1), (10, 1.0, 10), (10, 0.0, 0), (5, 0.3, 2), (4, 0.1, 1)],
)
def test_overlap_takes_the_share_and_at_least_one(size: int, share: float, chosen: int) -> None:
    assert overlap_choice(np.zeros(size, np.int64), share, np.random.default_rng(1)).sum() == chosen


def test_overlap_is_taken_from_every_topic() -> None:
    codes = np.array([3, 1, 1, 1, 1, 2] + [5] * 20)
    chosen = overlap_choice(codes, 0.2, np.random.default_rng(1))
    assert np.bincount(codes[chosen], minlength=6).tolist() == [0, 1, 1, 1, 0, 4]
    again = overlap_choice(codes, 0.2, np.random.default_rng(1))
    assert chosen.tolist() == again.tolist()


def test_overlap_is_even_over_many_draws() -> None:
    generator = np.random.default_rng(3)
    hits = sum(overlap_choice(np.zeros(10, np.int64), 0.3, generator).astype(int) for _ in range(2000))
    assert (np.abs(np.asarray(hits) / 2000 - 0.3) < 0.05).all()


@pytest.mark.parametrize("share", [-0.1, 1.1])
def test_shares_beyond_all_or_nothing_are_refused(share: float) -> None:
    with pytest.raises(ValueError, match="share from 0 to 1"):
        overlap_choice(np.array([1]), share, np.random.default_rng(1))


def test_no_items_are_no_fault() -> None:
    none = np.zeros(0, np.int64)
    assert queue_order(none, np.random.default_rng(1)).tolist() == []
    assert overlap_choice(none, 0.5, np.random.default_rng(1)).tolist() == []
