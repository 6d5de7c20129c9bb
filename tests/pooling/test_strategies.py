import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.core.evaluate import evaluate_rankings
from evaluation.core.qrels import Qrels
from pooling.core import adaptive, fused, planning, strategies
from pooling.core.matrix import RankMatrix
from pooling.core.planning import Pool, depth_pool
from pooling.core.rankings import Rankings
from pooling.core.strategies import choose
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
    matrix = RankMatrix.build(rankings)
    relevant = np.array([vector["qrels"][docno.decode()] > 0 for docno in matrix.docnos.tolist()])
    groups = [vector["groups"][run.tag] for run in rankings]
    found = planning.contributions(choose(matrix, "depth", vector["params"]), groups, relevant)
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
    sizes = planning.pool_sizes(RankMatrix.build(rankings, 5), [1, 2, 5])
    pools = [depth_pool(rankings, depth) for depth in sizes.depths]
    assert sizes.totals.tolist() == [len(pool) for pool in pools]
    assert sizes.sizes.tolist() == [[int((pool.topics == topic).sum()) for topic in sizes.topics] for pool in pools]


def test_no_runs_make_an_empty_pool() -> None:
    assert len(depth_pool([], 10)) == 0
    nothing = RankMatrix.build([], 10)
    assert planning.contributions(choose(nothing, "depth", {"depth": 10})).pool_size == 0
    assert planning.pool_sizes(nothing, [5]).totals.tolist() == [0]


def test_depth_pool_makes_no_call_for_each_topic() -> None:
    def rankings(topics: int) -> list[Rankings]:
        run = {f"{t:04}": {f"d{t:04}-{d:02}": float(d % 7) for d in range(10)} for t in range(topics)}
        return [Rankings.from_dict("a", run), Rankings.from_dict("b", run)]

    few, many = rankings(5), rankings(500)
    more = python_calls(lambda: depth_pool(many, 5)) - python_calls(lambda: depth_pool(few, 5))
    assert more < 100  # of 495 more topics; tables of more items have some more levels
    wide, narrow = (RankMatrix.build(runs, 5) for runs in (many, few))
    assert python_calls(lambda: planning.pool_sizes(wide, [2, 5])) <= python_calls(lambda: planning.pool_sizes(narrow, [2, 5]))
    shares = [lambda one=one: planning.contributions(choose(one, "depth", {"depth": 5})) for one in (wide, narrow)]
    assert python_calls(shares[0]) <= python_calls(shares[1])


def test_fixed_weights_count_to_fifteen_decimals() -> None:
    deep = [f"d{number:03}" for number in range(140, 0, -1)]  # by docno they would stand the other way round
    chosen = choose(RankMatrix.build([ranked("a", deep)]), "rbp", strategies.clean("rbp", {"budget": 135}))
    assert [docno.decode() for docno in chosen.matrix.docnos[chosen.items].tolist()] == deep[:135]


def test_equal_weights_by_chance_hang_on_the_seed_alone() -> None:
    ten = [f"d{number}" for number in range(10)]
    rankings = [ranked(f"r{number}", [docno, "e"]) for number, docno in enumerate(ten)]  # ten weigh the same, e less or more

    def order(name: str, seed: int, read: int | None = None, **values: object) -> list[str]:
        matrix = RankMatrix.build(rankings, read)
        chosen = choose(matrix, name, strategies.clean(name, {"ties": "random", **values}), seed=seed)
        return [docno.decode() for docno in matrix.docnos[chosen.items].tolist()]

    orders = [order("rrf", seed, budget=11) for seed in range(40)]
    assert all(sorted(found[1:]) == ten and found[0] == "e" for found in orders)  # where weights differ, they decide
    assert len({tuple(found) for found in orders}) == 40 and {found[1] for found in orders} == set(ten)
    for name, values in (("rrf", {"budget": 4}), ("take", {"budget": 4}), ("depth", {"depth": 1, "max_per_topic": 4})):
        assert order(name, 7, **values) == order(name, 7, **values) != order(name, 8, **values)
    assert order("depth", 7, 1, depth=1) == order("depth", 7, 2, depth=1)  # however deep the others are read


def test_equal_runs_by_chance_hang_on_the_seed_and_the_place() -> None:
    matrix = RankMatrix.build([ranked(f"r{number}", [f"d{number}", f"e{number}"]) for number in range(6)])
    ranks, nothing = adaptive.TopicRanks.of(matrix, b"1"), np.zeros(12, bool)
    for name in ("mtf", "maxmean", "hedge", "rbp-adaptive"):
        values = strategies.clean(name, {"ties": "random"})
        pick = strategies.STRATEGIES[name].pick
        orders = [[one.doc for one in adaptive.simulate(ranks, pick, values, nothing, 6, [seed]).picks] for seed in range(20)]
        again = [one.doc for one in adaptive.simulate(ranks, pick, values, nothing, 6, [3]).picks]
        assert again == orders[3] and len({found[0] for found in orders}) > 3, name
        plain = strategies.clean(name, {})
        assert {adaptive.simulate(ranks, pick, plain, nothing, 1, [seed]).picks[0].doc for seed in range(5)} == {0}


FUSED = ("take", "rrf", "rbp", "dcg", "borda", "condorcet", "combsum", "combmnz", "combmax", "combanz")
WEIGH = {
    "rrf": fused.reciprocal_rank_fusion,
    "rbp": fused.rank_biased_precision,
    "dcg": fused.discounted_gain,
    "borda": fused.borda,
    "condorcet": fused.condorcet,
    "combsum": fused.comb_sum,
    "combmnz": fused.comb_mnz,
    "combmax": fused.comb_max,
    "combanz": fused.comb_anz,
}


@pytest.mark.parametrize("vector", vectors("pooling", *(f"pool_{name}" for name in FUSED)))
def test_fused_pools_of_the_worked_example(vector: dict[str, Any]) -> None:
    name = vector["measure"].removeprefix("pool_")
    scored = vector.get("scores") or {tag: {d: float(-i) for i, d in enumerate(ds)} for tag, ds in vector["runs"].items()}
    matrix = RankMatrix.build([Rankings.from_dict(tag, {"1": docs}) for tag, docs in scored.items()])
    values = strategies.clean(name, vector["params"])
    chosen = choose(matrix, name, values)
    assert [docno.decode() for docno in matrix.docnos[chosen.items].tolist()] == vector["expected"]["order"]
    if name == "take":
        return
    found = WEIGH[name](matrix, range(4), values)
    weights = {
        docno: found[matrix.find(np.array([b"1"]), np.array([docno.encode()]))[0]] for docno in vector["expected"]["weights"]
    }
    assert weights == pytest.approx(vector["expected"]["weights"], abs=1e-9)


@given(runs)
@settings(max_examples=20, deadline=None)
def test_condorcet_is_its_definition(given_runs: list[dict[str, dict[str, float]]]) -> None:
    rankings = [Rankings.from_dict(f"r{i}", run) for i, run in enumerate(given_runs)]
    matrix = RankMatrix.build(rankings)
    found = fused.condorcet(matrix, range(len(rankings)), {})
    ranks = np.where((table := matrix.ranks_of(np.arange(len(matrix)))) > 0, table, 10**6)
    for one in range(len(matrix)):
        others = [o for o in range(len(matrix)) if matrix.codes[o] == matrix.codes[one]]
        assert found[one] == sum(np.sign(ranks[:, o] - ranks[:, one]).sum() > 0 for o in others)


@pytest.mark.parametrize("vector", vectors("pooling", "pool_growth"))
def test_growth_adds_only_what_is_new(vector: dict[str, Any]) -> None:
    old = [ranked(tag, docnos) for tag, docnos in vector["runs"].items()]
    new = [ranked(tag, docnos) for tag, docnos in vector["new_runs"].items()]
    depth = vector["params"]["depth"]
    before, after = (depth_pool(runs, depth).docnos.tolist() for runs in (old, old + new))
    added = sorted({docno.decode() for docno in after} - {docno.decode() for docno in before})
    expected, judged = vector["expected"], set(vector["judged"])
    assert (len(before), added) == (expected["old"], expected["added"])
    assert sorted({docno.decode() for docno in after} - judged) == expected["to_judge"]
    qrels = Qrels.from_dict({"1": dict.fromkeys(judged, 0)})
    shares = {run.tag: evaluate_rankings(qrels, [run], [f"Judged@{depth}"]).means[0, 0] for run in new}
    assert shares == pytest.approx(expected["judged_at_k"])


def test_quotas_fill_from_deeper_ranks_and_cut_the_least_preferred() -> None:
    one, other = ranked("a", ["d1", "d2", "d3", "d4"]), ranked("b", ["d1", "d5", "d6", "d7"])
    matrix = RankMatrix.build([one, other])

    def pooled(**values: object) -> list[bytes]:
        docnos: list[bytes] = planning.pool_of(choose(matrix, "depth", strategies.clean("depth", values))).docnos.tolist()
        return docnos

    assert pooled(depth=1) == [b"d1"]
    assert pooled(depth=1, min_per_topic=4) == [b"d1", b"d2", b"d3", b"d5"]
    assert pooled(depth=3, max_per_topic=2) == [b"d1", b"d2"]
    assert pooled(depth=1, min_per_topic=100) == sorted({*one.docnos.tolist(), *other.docnos.tolist()})
    for values in ({"min_per_topic": 4}, {"max_per_topic": 2}, {}):
        sizes = planning.pool_sizes(matrix, [1, 2, 3], values)
        assert sizes.totals.tolist() == [len(pooled(depth=depth, **values)) for depth in (1, 2, 3)]


def test_ties_at_the_cut_go_by_evaluation_order_or_by_docno() -> None:
    run = Rankings.from_dict("a", {"1": {"x": 2.0, "b": 1.0, "a": 1.0, "c": 1.0}})
    assert planning.pool_of(choose(RankMatrix.build([run], 2), "depth", {"depth": 2})).docnos.tolist() == [b"c", b"x"]
    nist = RankMatrix.build([run], 2, "docno-ascending")
    assert planning.pool_of(choose(nist, "depth", {"depth": 2})).docnos.tolist() == [b"a", b"x"]


def test_a_budget_in_proportion_is_split_by_largest_remainder() -> None:
    assert fused.proportional(np.array([10, 20, 30]), 10).tolist() == [2, 3, 5]
    assert fused.proportional(np.array([1, 1, 1]), 10).tolist() == [4, 3, 3]
    assert fused.proportional(np.array([0, 5]), 4, 1).tolist() == [1, 4]
    assert fused.proportional(np.array([0, 0]), 4).tolist() == [0, 0]


def test_the_first_runs_of_each_group_by_priority() -> None:
    groups, priorities = ["x", "x", "y", "", "", "x"], [2, 1, 5, 1, 1, 1]
    assert strategies.choose_runs(groups, priorities, 1) == [1, 2, 3, 4]
    assert strategies.choose_runs(groups, priorities, 2) == [1, 2, 3, 4, 5]
    assert strategies.choose_runs(groups, priorities, None) == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("name", "values", "words"),
    [
        ("best", {}, "strategy: Expected one of depth, take, rrf, rbp"),
        ("depth", {"depth": 0}, "depth: Expected at least 1; found 0."),
        ("depth", {"depth": "ten"}, "depth: Expected a whole number; found “ten”."),
        ("depth", {"budget": 3}, "The strategy depth has no parameter “budget”"),
        ("rrf", {"ties": "dice"}, "ties: Expected one of evaluation, docno-ascending, random; found “dice”."),
        ("depth", {"min_per_topic": 5, "max_per_topic": 4}, "At least 5 and at most 4 per topic cannot both be"),
    ],
)
def test_wrong_parameters_are_told_apart(name: str, values: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        strategies.clean(name, values)


def test_every_strategy_runs_with_its_defaults() -> None:
    matrix = RankMatrix.build([ranked("a", ["d1", "d2"]), ranked("b", ["d3", "d1"])])
    for name, one in strategies.STRATEGIES.items():
        assert one.label and one.about
        found = choose(matrix, name, strategies.clean(name, {}))
        assert len(found.items) == 3 and (found.sample is not None) == (one.kind == "sampled")
