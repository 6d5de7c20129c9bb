"""Comparing systems: every worked example, and scipy where it has the same test."""

import json
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from evaluation.core import orders, several, significance, topics
from evaluation.core.judged import join
from evaluation.core.matrix import NOT_IN_QRELS, RankedItems
from evaluation.core.qrels import Qrels
from evaluation.core.stability import depth_curve, leave_out
from evaluation.core.summary import SummaryPage, summary_page
from pooling.core.rankings import Rankings
from tests.golden import FOLDER, vectors

Vector = dict[str, Any]


def near(expected: Any, tolerance: float = 1e-9) -> Any:
    return pytest.approx(expected, abs=tolerance)


def two(vector: Vector) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return np.array(vector["a"]), np.array(vector["b"])


def table(vector: Vector) -> tuple[list[str], NDArray[np.float64]]:
    return list(vector["scores"]), np.array(list(vector["scores"].values()))


def rng() -> np.random.Generator:
    return np.random.default_rng(2026)


@pytest.mark.parametrize("vector", vectors("analysis", "paired_t"))
def test_paired_t(vector: Vector) -> None:
    found, expected = significance.paired_t(*two(vector)), vector["expected"]
    assert [found.t, found.df, found.p, found.mean] == [near(expected[name]) for name in ("t", "df", "p", "mean")]
    assert found.interval == near(tuple(expected["ci"]))


@pytest.mark.parametrize("vector", vectors("analysis", "wilcoxon"))
def test_wilcoxon(vector: Vector) -> None:
    found = asdict(significance.wilcoxon(*two(vector)))
    names = {"plus": "w_plus", "minus": "w_minus"}
    assert {names.get(name, name): value for name, value in found.items()} == near(vector["expected"])


@pytest.mark.parametrize("vector", vectors("analysis", "sign_test"))
def test_sign(vector: Vector) -> None:
    assert asdict(significance.sign_test(*two(vector))) == near(vector["expected"])


@pytest.mark.parametrize("vector", vectors("analysis", "randomisation"))
def test_randomization(vector: Vector) -> None:
    found = significance.randomization(*two(vector), rng())
    assert {"p": found.p, "permutations": found.resamples, "hits": found.hits} == near(vector["expected"])
    assert found.exact


@pytest.mark.parametrize("vector", vectors("analysis", "bootstrap"))
def test_bootstrap(vector: Vector) -> None:
    found = significance.bootstrap_all(*two(vector))
    assert {"p": found.p, "resamples": found.resamples, "hits": found.hits} == near(vector["expected"])
    assert significance.bootstrap(*two(vector), rng()).p == pytest.approx(found.p, abs=0.02)


@pytest.mark.parametrize("vector", vectors("analysis", "effect_sizes"))
def test_effect_sizes(vector: Vector) -> None:
    found = asdict(significance.effect_sizes(*two(vector)))
    names = {"mean_difference": "mean", "relative_percent": "relative"}
    assert {name: found[names.get(name, name)] for name in vector["expected"]} == near(vector["expected"])
    low, high = found["g_interval"]
    assert low < found["g_z"] < high
    assert (low <= 0 <= high) == (significance.paired_t(*two(vector)).p > 0.05)  # type: ignore[operator]


@pytest.mark.parametrize("vector", vectors("analysis", "relative_change"))
def test_relative_change(vector: Vector) -> None:
    assert significance.relative_change(vector["value"], vector["baseline"]) == near(vector["expected"])


@pytest.mark.parametrize("vector", vectors("analysis", "adjust"))
def test_corrections(vector: Vector) -> None:
    assert significance.adjust(vector["p"], vector["params"]["method"]) == near(vector["expected"])


@pytest.mark.parametrize("vector", vectors("analysis", "anova2"))
def test_anova(vector: Vector) -> None:
    found, expected = several.anova(table(vector)[1]), vector["expected"]
    for name in ("system", "topic", "residual"):
        part = getattr(found, name)
        assert [part.ss, part.df, part.ms] == [near(expected[kind][name]) for kind in ("ss", "df", "ms")]
    for name in ("system", "topic"):
        assert [getattr(found, name).f, getattr(found, name).p] == [near(expected["F"][name]), near(expected["p"][name])]
    told = [expected["ss"]["total"], expected["eta2_partial_system"], expected["omega2_system"]]
    assert [found.total, found.eta2_partial, found.omega2] == near(told)


@pytest.mark.parametrize("vector", vectors("analysis", "tukey_hsd"))
def test_tukey(vector: Vector) -> None:
    names, scores = table(vector)
    for pair in several.tukey(scores):
        expected = vector["expected"][f"{names[pair.first]}-{names[pair.second]}"]
        found = {"difference": pair.difference, "q": pair.statistic, "p": pair.p, "effect": pair.effect}
        assert found == near(expected, 1e-7)


@pytest.mark.parametrize("vector", vectors("analysis", "randomised_tukey"))
def test_randomized_tukey(vector: Vector) -> None:
    names, scores = table(vector)
    found = {f"{names[pair.first]}-{names[pair.second]}": pair.p for pair in several.randomized_tukey_all(scores)}
    assert found == near(vector["expected"]["p"])
    drawn = {f"{names[pair.first]}-{names[pair.second]}": pair.p for pair in several.randomized_tukey(scores, rng())}
    assert drawn == near(vector["expected"]["p"], 0.02)


@pytest.mark.parametrize("vector", vectors("analysis", "kendall"))
def test_kendall(vector: Vector) -> None:
    found = orders.kendall(np.array(vector["x"]), np.array(vector["y"]), ties=vector["params"]["kind"] == "b")
    assert found == (None if vector["expected"] is None else near(vector["expected"]))


@pytest.mark.parametrize("vector", vectors("analysis", "tau_ap", "tau_ap_symmetric"))
def test_tau_ap(vector: Vector) -> None:
    function = orders.tau_ap if vector["measure"] == "tau_ap" else orders.tau_ap_symmetric
    assert function(vector["estimate"], vector["truth"]) == near(vector["expected"])


@pytest.mark.parametrize("vector", vectors("analysis", "rbo"))
def test_rank_biased_overlap(vector: Vector) -> None:
    found = orders.rbo(vector["x"], vector["y"], p=vector["params"]["p"])
    assert {"ext": found.extrapolated, "min_at_common_depth": found.least} == near(vector["expected"])
    assert orders.rbo(vector["y"], vector["x"], p=vector["params"]["p"]) == found


@pytest.mark.parametrize("vector", vectors("analysis", "pearson"))
def test_pearson(vector: Vector) -> None:
    assert orders.pearson(np.array(vector["x"]), np.array(vector["y"])) == near(vector["expected"])


@pytest.mark.parametrize("vector", vectors("analysis", "difference_from_median"))
def test_difference_from_the_median(vector: Vector) -> None:
    names, scores = table(vector)
    found = dict(zip(names, topics.from_median(scores).tolist(), strict=True))
    assert found == {name: near(row) for name, row in vector["expected"].items()}


@pytest.mark.parametrize("vector", vectors("analysis", "topic_difficulty"))
def test_topic_difficulty(vector: Vector) -> None:
    found = topics.difficulty(table(vector)[1])
    names = {"mean": "mean", "median": "median", "max": "best", "sd": "deviation"}
    for place, expected in enumerate(vector["expected"]):
        assert {name: getattr(found, own)[place] for name, own in names.items()} == near(expected)
    assert found.separates.all()
    assert found.third.tolist() == [1, 0, 2, 0, 1]


@pytest.mark.parametrize("vector", vectors("analysis", "standardise"))
def test_standardized_scores(vector: Vector) -> None:
    names, scores = table(vector)
    z = topics.standardized(scores)
    for place, name in enumerate(names):
        pairs = zip(z[place], topics.normal(z)[place], strict=True)
        assert [{"z": one, "phi": share} for one, share in pairs] == [near(expected) for expected in vector["expected"][name]]


@pytest.mark.parametrize("vector", vectors("analysis", "summary_page"))
def test_summary_page(vector: Vector) -> None:
    qrels, run = {}, {}
    for number, one in enumerate(vector["topics"]):
        docnos = [f"{number}-{place:02}" for place in range(len(one["grades"]))]
        qrels[str(number)] = dict(zip(docnos, one["grades"], strict=True))
        run[str(number)] = {docno: -float(place) for place, docno in enumerate(docnos)}
    found, expected = summary_page(join(Qrels.from_dict(qrels), [Rankings.from_dict("t", run)])), vector["expected"]
    counts = [found.topics, found.retrieved, found.relevant, found.relevant_retrieved]
    assert counts == [expected[name] for name in ("topics", "retrieved", "relevant", "rel_ret")]
    assert found.recall_levels == near(tuple(expected["recall_levels"]))
    assert {str(depth): value for depth, value in found.precision_at.items()} == near(expected["precision_at"])
    assert [found.average_precision, found.r_precision] == [near(expected["map"]), near(expected["r_precision"])]


PAGE = vectors("analysis", "micro_precision", "micro_recall", "mean_of", "rel_at_depth", "sum_of", "table_margins")


@pytest.mark.parametrize("vector", PAGE)
def test_figures_of_a_printed_page(vector: Vector) -> None:
    """What a page's figures imply about each other; sums and means are numpy's."""
    page = SummaryPage(50, vector.get("retrieved", 1), vector.get("relevant", 1), vector.get("rel_ret", 0), (), 0, {}, 0)
    found: dict[str, Callable[[], Any]] = {
        "micro_precision": lambda: page.micro_precision,
        "micro_recall": lambda: page.micro_recall,
        "mean_of": lambda: float(np.mean(vector["values"])),
        "sum_of": lambda: int(np.sum(vector["values"])),
        "rel_at_depth": lambda: round(vector["precision"] * vector["k"] * vector["topics"]),
        "table_margins": lambda: {
            "rows": np.sum(vector["table"], axis=1).tolist(),
            "columns": np.sum(vector["table"], axis=0).tolist(),
            "total": int(np.sum(vector["table"])),
        },
    }
    assert found[vector["measure"]]() == (
        vector["expected"] if isinstance(vector["expected"], dict) else near(vector["expected"])
    )


def ranked_items(vector: Vector) -> tuple[RankedItems, NDArray[np.int64]]:
    pairs = sorted({(name, docno) for run in vector["runs"].values() for name, docnos in run.items() for docno in docnos})
    code = {pair: number for number, pair in enumerate(pairs)}
    grades = np.array([vector["qrels"][name].get(docno, NOT_IN_QRELS) for name, docno in pairs])
    names = sorted(vector["qrels"])
    held = [np.array([code[name, docno] for name in names for docno in run[name]]) for run in vector["runs"].values()]
    of_topic = np.array([names.index(name) for name, _ in pairs])
    return RankedItems.build(list(vector["runs"]), np.array([name.encode() for name in names]), of_topic, held), grades


@pytest.mark.parametrize("vector", [*vectors("analysis", "leave_out"), *vectors("pooling", "leave_out")])
def test_leaving_runs_or_groups_out(vector: Vector) -> None:
    ranked, grades = ranked_items(vector)
    tags = list(vector["runs"])
    groups = [vector["groups"][tag] for tag in tags] if "groups" in vector else None
    for one in leave_out(ranked, grades, ["P@1", "AP"], depth=vector["params"]["depth"], groups=groups):
        expected = vector["expected"]["left_out"][one.name]
        runs = [tags[place] for place in one.runs]
        found = {
            "MAP": one.after[:, 1], "difference": one.difference[:, 1], "relative": one.relative[:, 1],
            "rank_before": one.rank_before[:, 1], "rank_after": one.rank_after[:, 1],
        }  # fmt: skip
        for name, values in found.items():
            assert dict(zip(runs, values.tolist(), strict=True)) == near(expected[name])
        assert [one.lost, one.lost_relevant, one.taus[1]] == [
            expected["lost"],
            expected["lost_relevant"],
            near(expected["tau_b"]),
        ]
        assert dict(zip(runs, one.before[:, 1], strict=True)) == {tag: near(vector["expected"]["full"][tag]) for tag in runs}


@pytest.mark.parametrize("vector", vectors("pooling", "depth_curve"))
def test_shallower_pools_of_a_judged_one(vector: Vector) -> None:
    ranked, grades = ranked_items(vector)
    found = depth_curve(ranked, grades, depth=vector["params"]["depth"])
    for one, expected in zip(found, vector["expected"], strict=True):
        assert [one.depth, one.judged, one.relevant] == [expected["depth"], expected["judged"], expected["relevant"]]
        assert dict(zip(vector["runs"], one.means[:, 0].tolist(), strict=True)) == near(expected["MAP"])
        assert one.taus == [near(expected["tau_b"])]


def test_no_example_is_left_out() -> None:
    source = (FOLDER.parent / "evaluation" / "test_analysis.py").read_text()
    assert all(f'"{row["measure"]}"' in source for row in json.loads((FOLDER / "analysis.json").read_text()))


SCORES = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=5, max_size=40)


@given(SCORES)
@settings(max_examples=30)
def test_tests_agree_with_scipy(scores: list[tuple[int, int]]) -> None:
    a, b = (np.array(column) / 20 for column in zip(*scores, strict=True))
    if np.ptp(a - b) < 1e-9:
        return
    assert significance.paired_t(a, b).p == pytest.approx(stats.ttest_rel(a, b).pvalue)
    d = np.round(a - b, 12)
    expected = stats.wilcoxon(d[d != 0], method="asymptotic", correction=False).pvalue
    assert significance.wilcoxon(a, b).p_normal == pytest.approx(expected)
    if np.ptp(a) and np.ptp(b):
        assert orders.kendall(a, b) == pytest.approx(stats.kendalltau(a, b).statistic)


@given(st.lists(st.integers(1, 1000), min_size=3, max_size=12, unique=True))
@settings(max_examples=30)
def test_exact_wilcoxon_agrees_with_scipy_where_nothing_is_tied(values: list[int]) -> None:
    d = np.array([value * (-1) ** place for place, value in enumerate(values)]) / 1000
    assert significance.wilcoxon(d, 0 * d).p == pytest.approx(stats.wilcoxon(d, method="exact").pvalue)


def test_random_tests_come_near_the_exact_ones_and_repeat() -> None:
    a, b = rng().random(24), rng().random(24) * 0.9
    one, again = significance.randomization(a, b, rng()), significance.randomization(a, b, rng())
    assert one == again
    assert not one.exact
    assert one.p == pytest.approx(float(significance.paired_t(a, b).p or 0), abs=0.02)
    low, high = significance.bootstrap_interval(a, b, rng())
    assert (low, high) == pytest.approx(significance.paired_t(a, b).interval, abs=0.02)


def test_too_few_topics_and_other_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="expected at least 5 topics, found 4"):
        significance.bootstrap(np.zeros(4), np.ones(4), rng())
    with pytest.raises(ValueError, match="expected scores of two systems on the same topics, found 4 and 5"):
        significance.paired_t(np.zeros(4), np.ones(5))
    with pytest.raises(ValueError, match="expected at least 2 systems and 2 topics, found 1 and 4"):
        several.anova(np.zeros((1, 4)))
    with pytest.raises(ValueError, match="expected two orders of the same systems"):
        orders.tau_ap(["a", "b"], ["a", "c"])


def test_letters_join_systems_that_do_not_differ() -> None:
    scores = np.array([[0.2, 0.2], [0.9, 0.9], [0.6, 0.6], [0.5, 0.5]])
    pairs = [
        several.Pair(i, j, 0, None, 0.01 if {i, j} in ({0, 1}, {1, 3}, {0, 2}) else 0.5, None)
        for i in range(4)
        for j in range(i)
    ]
    assert several.letters(scores, pairs) == ["c", "a", "ab", "bc"]


def test_equal_systems_differ_by_nothing() -> None:
    scores = np.tile([0.1, 0.5, 0.9], (3, 1))
    assert [pair.p for pair in several.tukey(scores)] == [1.0] * 3
    assert [pair.p for pair in several.randomized_tukey(scores, rng(), samples=100)] == [1.0] * 3
    assert several.anova(scores).system.p is None
