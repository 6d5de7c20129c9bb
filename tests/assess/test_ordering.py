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
    none = np.zeros(size, np.int64)
    found = overlap_choice(none, none, share, np.random.default_rng(1))
    assert found.chosen.sum() == chosen and found.inclusion.tolist() == [chosen / size] * size


def test_overlap_is_taken_from_every_topic() -> None:
    codes = np.array([3, 1, 1, 1, 1, 2] + [5] * 20)
    chosen = overlap_choice(codes, codes, 0.2, np.random.default_rng(1)).chosen
    assert np.bincount(codes[chosen], minlength=6).tolist() == [0, 1, 1, 1, 0, 4]
    again = overlap_choice(codes, codes, 0.2, np.random.default_rng(1)).chosen
    assert chosen.tolist() == again.tolist()


def test_overlap_is_even_over_many_draws() -> None:
    generator = np.random.default_rng(3)
    topic, ranks = np.zeros(10, np.int64), np.array([1, 2, 3, 4, 5, 6, 7, 20, 30, 900])
    hits = sum(overlap_choice(topic, ranks, 0.3, generator).chosen.astype(int) for _ in range(2000))
    assert (np.abs(np.asarray(hits) / 2000 - 0.3) < 0.05).all()


@pytest.mark.parametrize("share", [-0.1, 1.1])
def test_shares_beyond_all_or_nothing_are_refused(share: float) -> None:
    with pytest.raises(ValueError, match="share from 0 to 1"):
        overlap_choice(np.array([1]), np.array([1]), share, np.random.default_rng(1))


def test_no_items_are_no_fault() -> None:
    none = np.zeros(0, np.int64)
    assert queue_order(none, np.random.default_rng(1)).tolist() == []
    assert overlap_choice(none, none, 0.5, np.random.default_rng(1)).chosen.tolist() == []


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(1, 100)), max_size=60), st.floats(0, 1), st.integers(0, 50))
@settings(max_examples=60, deadline=None)
def test_overlap_gives_every_stratum_its_share_to_within_one(rows: list[tuple[int, int]], share: float, seed: int) -> None:
    codes, ranks = (np.array([row[n] for row in rows], np.int64) for n in (0, 1))
    found = overlap_choice(codes, ranks, share, np.random.default_rng(seed))
    for topic in set(codes.tolist()):
        for low, high in ((0, 10), (10, 50), (50, 1000)):
            here = (codes == topic) & (ranks > low) & (ranks <= high)
            assert abs(found.chosen[here].sum() - found.inclusion[here].sum()) < 1 + 1e-9
