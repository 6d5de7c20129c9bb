from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pooling.core.rankings import Rankings
from pooling.core.strategies import Pool, contributions, depth_pool, pool_sizes
from tests.calls import python_calls
from tests.golden import vectors

runs = st.lists(
    st.dictionaries(
        st.sampled_from(["1", "2", "10"]),
        st.dictionaries(st.sampled_from([f"d{n}" for n in range(8)]), st.integers(0, 3).map(float), min_size=1),
    ),
    max_size=4,
)


def ranked(tag: str, docnos: list[str]) -> Rankings:
    return Rankings.from_dict(tag, {"1": {docno: float(-place) for place, docno in enumerate(docnos)}})


def items(pool: Pool) -> list[tuple[str, str, int, int]]:
    rows = zip(pool.topics.tolist(), pool.docnos.tolist(), pool.best_ranks.tolist(), pool.runs.tolist(), strict=True)
    return [(topic.decode(), docno.decode(), best, count) for topic, docno, best, count in rows]


def slow_pool(rankings: list[Rankings], depth: int) -> list[tuple[str, str, int, int]]:
    found: dict[tuple[bytes, bytes], list[int]] = {}
    for run in rankings:
        for place, topic in enumerate(run.topics.tolist()):
            for rank, docno in enumerate(run.docnos[run.offsets[place] : run.offsets[place + 1]].tolist()[:depth], 1):
                found.setdefault((topic, docno), []).append(rank)
    return [(t.decode(), d.decode(), min(ranks), len(ranks)) for (t, d), ranks in sorted(found.items())]


@pytest.mark.parametrize("vector", vectors("pooling", "depth_pool"))
def test_depth_pool_of_the_worked_example(vector: dict[str, Any]) -> None:
    rankings = [ranked(tag, docnos) for tag, docnos in vector["runs"].items()]
    pool = depth_pool(rankings, vector["params"]["depth"])
    assert [docno for _, docno, _, _ in items(pool)] == vector["expected"]


@pytest.mark.parametrize("vector", vectors("pooling", "contributions"))
def test_contributions_of_the_worked_example(vector: dict[str, Any]) -> None:
    rankings = [ranked(tag, docnos) for tag, docnos in vector["runs"].items()]
    depth = vector["params"]["depth"]
    relevant = np.array([vector["qrels"][docno] > 0 for _, docno, _, _ in items(depth_pool(rankings, depth))])
    found = contributions(rankings, depth, groups=[vector["groups"][run.tag] for run in rankings], relevant=relevant)
    assert found.relevant is not None and found.unique_relevant is not None and found.group_unique_relevant is not None
    rows = {
        tag: {
            "contributed": int(found.contributed[i]),
            "unique": int(found.unique[i]),
            "share": float(found.shares[i]),
            "relevant": int(found.relevant[i]),
            "unique_relevant": int(found.unique_relevant[i]),
            "group_unique": int(found.group_unique[i]),
            "group_unique_relevant": int(found.group_unique_relevant[i]),
        }
        for i, tag in enumerate(found.tags)
    }
    assert {"pool_size": found.pool_size, "runs": rows} == vector["expected"]


def test_depth_pool_by_hand() -> None:
    one = Rankings.from_dict("a", {"1": {"d1": 2.0, "d2": 1.0}, "2": {"x": 1.0}})
    other = Rankings.from_dict("b", {"1": {"d2": 9.0, "d3": 8.0}})
    assert items(depth_pool([one, other], 1)) == [("1", "d1", 1, 1), ("1", "d2", 1, 1), ("2", "x", 1, 1)]
    assert items(depth_pool([one, other], 2)) == [("1", "d1", 1, 1), ("1", "d2", 1, 2), ("1", "d3", 2, 1), ("2", "x", 1, 1)]


@given(runs, st.integers(1, 5))
@settings(max_examples=60, deadline=None)
def test_depth_pool_is_its_definition(given_runs: list[dict[str, dict[str, float]]], depth: int) -> None:
    rankings = [Rankings.from_dict(f"r{i}", run) for i, run in enumerate(given_runs)]
    assert items(depth_pool(rankings, depth)) == slow_pool(rankings, depth)


@given(runs)
@settings(max_examples=30, deadline=None)
def test_pool_sizes_are_the_sizes_of_the_pools(given_runs: list[dict[str, dict[str, float]]]) -> None:
    rankings = [Rankings.from_dict(f"r{i}", run) for i, run in enumerate(given_runs)]
    sizes = pool_sizes(rankings, [1, 2, 5])
    pools = [depth_pool(rankings, depth) for depth in sizes.depths]
    assert sizes.totals.tolist() == [len(pool) for pool in pools]
    assert sizes.sizes.tolist() == [[int((pool.topics == topic).sum()) for topic in sizes.topics] for pool in pools]


def test_no_runs_make_an_empty_pool() -> None:
    assert len(depth_pool([], 10)) == 0
    assert contributions([], 10).pool_size == 0
    assert pool_sizes([], [5]).totals.tolist() == [0]


def test_depth_pool_makes_no_call_for_each_topic() -> None:
    def rankings(topics: int) -> list[Rankings]:
        run = {f"{t:04}": {f"d{t:04}-{d:02}": float(d % 7) for d in range(10)} for t in range(topics)}
        return [Rankings.from_dict("a", run), Rankings.from_dict("b", run)]

    few, many = rankings(5), rankings(500)
    assert python_calls(lambda: depth_pool(many, 5)) <= python_calls(lambda: depth_pool(few, 5))
    assert python_calls(lambda: pool_sizes(many, [2, 5])) <= python_calls(lambda: pool_sizes(few, [2, 5]))
    assert python_calls(lambda: contributions(many, 5)) <= python_calls(lambda: contributions(few, 5))
