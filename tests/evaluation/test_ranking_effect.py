"""Whether disagreement changes the order of systems: scores under each assessor's qrels, their union and intersection."""

import json
import re
from itertools import chain, combinations, product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import kendalltau, rankdata

from assess.core.adjudication import Rule, merge_grades
from config.models import User
from evaluation.core.evaluate import evaluate_rankings
from evaluation.core.one_per_topic import draw
from evaluation.core.qrels import Qrels
from evaluation.core.significance import paired_t
from evaluation.effect import Comparison, Effect, effect, sure_swaps
from evaluation.effect_pictures import LETTERS, bumps
from pooling.core.rankings import Rankings
from tests.conftest import Cast, ClientFor
from tests.evaluation.factories import judge_all, make_run
from tests.golden import vectors

Judged = dict[str, dict[str, int]]


def merged(first: Judged, second: Judged, rule: Rule) -> Judged:
    """Both assessors' qrels made one by a rule."""
    found: Judged = {}
    for topic, judged in first.items():
        grades = np.array([[grade, second[topic][docno]] for docno, grade in judged.items()]).ravel()
        final, _ = merge_grades(np.repeat(np.arange(len(judged)), 2), grades, len(judged), rule)
        found[topic] = dict(zip(judged, final.tolist(), strict=True))
    return found


@pytest.mark.parametrize("vector", vectors("agreement", "ranking_effect"))
def test_order_of_systems_under_each_qrels(vector: dict[str, Any]) -> None:
    qrels, expected = vector["qrels"], vector["expected"]
    assert merged(qrels["A"], qrels["B"], "max") == qrels["union"]
    assert merged(qrels["A"], qrels["B"], "min") == qrels["intersection"]
    runs = [
        Rankings.from_dict(tag, {topic: {docno: -place for place, docno in enumerate(ranked)} for topic, ranked in run.items()})
        for tag, run in vector["runs"].items()
    ]
    scored = {name: evaluate_rankings(Qrels.from_dict(judged), runs, ["AP"]).means[:, 0] for name, judged in qrels.items()}
    for name, means in scored.items():
        assert dict(zip(vector["runs"], means.tolist(), strict=True)) == pytest.approx(expected["MAP"][name], abs=1e-9)
    taus = {f"{one}|{other}": float(kendalltau(scored[one], scored[other])[0]) for one, other in combinations(scored, 2)}
    assert taus == pytest.approx(expected["tau_b"], abs=1e-9)


@pytest.mark.parametrize("vector", vectors("agreement", "ranking_effect"))
def test_the_page_has_the_numbers_of_the_definitions(cast: Cast, second: User, vector: dict[str, Any]) -> None:
    """The same four runs and three topics as rows of a site, against scipy and each definition written out."""
    for tag, run in vector["runs"].items():
        ranked = {topic: {docno: -float(place) for place, docno in enumerate(docs)} for topic, docs in run.items()}
        make_run(cast.collection, tag, ranked, by=cast.organizer)
    judge_all(cast.collection, vector["qrels"]["A"], cast.assessor)
    judge_all(cast.collection, vector["qrels"]["B"], second, slot=2)
    found = effect(cast.collection, "AP")
    names = {cast.assessor.name: "A", second.name: "B", "first (set)": "A", "max": "union", "min": "intersection"}
    expected = {ours: vector["expected"]["MAP"][theirs] for ours, theirs in names.items()}
    orders = {order.name: order for order in found.orders}
    for name, means in expected.items():
        assert dict(zip(found.runs, orders[name].means.tolist(), strict=True)) == pytest.approx(means, abs=1e-9)
        ranks = rankdata([-means[tag] for tag in found.runs], method="min").astype(int).tolist()
        assert orders[name].ranks.tolist() == ranks
    assert {order.name: order.kind for order in found.orders if order.kind != "rule"} == {
        cast.assessor.name: "assessor",
        second.name: "assessor",
    }
    [pair] = found.pairs
    one, other = (np.array([expected[name][tag] for tag in found.runs]) for name in (pair.first, pair.second))
    compared = [(pair, one, other)]
    compared += [(row, orders["first (set)"].means, orders[row.second].means) for row in found.rules]
    for row, x, y in compared:
        assert row.tau == pytest.approx(kendalltau(x, y)[0], abs=1e-12)
        assert row.tau_ap == pytest.approx((slow_tau_ap(x, y) + slow_tau_ap(y, x)) / 2, abs=1e-12)
        swaps = [(i, j) for i, j in combinations(range(4), 2) if (x[i] - x[j]) * (y[i] - y[j]) < -1e-12]
        assert row.swaps == len(swaps)
        moves = np.abs(rankdata(-x, method="min") - rankdata(-y, method="min"))
        assert (row.moved, moves[found.runs.index(row.run)]) == (moves.max(), moves.max())
    assert pair.tau == pytest.approx(-1 / 3)
    assert (pair.items, pair.topics) == (len([*chain(*vector["qrels"]["A"].values())]), 3)


def slow_tau_ap(truth: NDArray[np.float64], estimate: NDArray[np.float64]) -> float:
    """Going down the estimated order, the share of runs above each that the true order has above it, too."""
    order = sorted(range(len(truth)), key=lambda run: -estimate[run])
    shares = [sum(truth[above] > truth[run] for above in order[:place]) / place for place, run in enumerate(order) if place]
    return float(2 * sum(shares) / len(shares) - 1)


def test_one_assessor_of_each_topic_by_chance() -> None:
    """Two assessors of three topics have eight ways, each as likely; a topic with one assessor has no choice."""
    rng = np.random.default_rng(3)
    scores = [rng.random((2, 5)) for _ in range(3)] + [rng.random((1, 5))]
    truth = rng.random(5)
    found = draw(scores, truth, draws=4000)
    ways = list(product(range(2), range(2), range(2), range(1)))
    means = {way: np.mean([scores[topic][who] for topic, who in enumerate(way)], axis=0) for way in ways}
    counts = dict.fromkeys(ways, 0)
    for place in range(4000):
        [way] = [way for way in ways if np.allclose(means[way], found.means[place])]
        counts[way] += 1
        if counts[way] == 1:
            assert found.taus[place] == pytest.approx(kendalltau(truth, means[way])[0], abs=1e-12)
            assert found.ranks[place].tolist() == rankdata(-means[way], method="min").astype(int).tolist()
    assert len(found.taus) == 4000 and all(400 < count < 600 for count in counts.values())
    again = draw(scores, truth, draws=4000)
    assert np.array_equal(again.taus, found.taus) and np.array_equal(again.ranks, found.ranks)
    tied = draw([np.ones((2, 5))], truth, draws=10)
    assert np.isnan(tied.taus).all() and (tied.ranks == 1).all()


def test_the_page_draws_assessors_and_chance(judged: Cast, client_for: ClientFor) -> None:
    olga, here = client_for(judged.organizer), "/c/harbour-trials/effect/"
    found = effect(judged.collection)
    assert found.draws is not None
    assert (found.draws.draws, found.draws.topics, len(found.draws.taus) + found.draws.undefined) == (1000, 2, 1000)
    page = olga.get(here).content.decode()
    assert page.count('<svg class="bump"') == 2 and "One assessor for each topic" in page
    told = json.loads(olga.get(f"{here}?table=people&form=json").content)["rows"]
    assert set(told[0]) == {"run", "merged grades", judged.assessor.name, "Second Assessor"}
    assert sum(row["draws"] for row in json.loads(olga.get(f"{here}?table=draws&form=json").content)["rows"]) == len(
        found.draws.taus
    )
    assert {row["run"] for row in json.loads(olga.get(f"{here}?table=spread&form=json").content)["rows"]} == {"alpha", "beta"}
    assert olga.get(f"{here}?figure=draws&form=svg").content.startswith(b"<svg")


def test_names_over_the_ranks_leave_room_for_their_neighbours(judged: Cast) -> None:
    rules = bumps(effect(judged.collection))["rules"]
    first = [(down, part) for across, down, part, _ in rules.heads if across == rules.left]
    assert first == [(34.0, "assessor (set)"), (18.0, "primary")]
    assert all(len(part) <= LETTERS for _, _, part, _ in rules.heads)


def test_the_page_calls_rules_and_merged_grades_by_one_name(judged: Cast, client_for: ClientFor) -> None:
    olga, here = client_for(judged.organizer), "/c/harbour-trials/effect/"
    assert {row.second for row in effect(judged.collection).assessors} == {"merged grades"}
    rules = ["primary assessor (set)", "most frequent grade", "lower median", "upper median", "highest grade", "lowest grade"]
    head = olga.get(f"{here}?table=ranks&form=csv").content.decode().splitlines()[0]
    assert head == ",".join(["run", *rules])
    page = olga.get(here).content.decode()
    assert all(f'<th scope="col" class="num">{rule[0].upper()}{rule[1:]}</th>' in page for rule in rules)
    assert page.count(">assessor (set)<title>") == 1  # the merge rules' picture; that of people says merged grades
    assert not {"median_low", "official"} & set(re.findall(r"\w+", re.sub(r"<head>.*?</head>", "", page, flags=re.S)))


def test_the_verdict_in_words() -> None:
    def compared(tau: float | None, sure: int = 0, items: int = 40) -> Comparison:
        return Comparison("one", "other", items, 5, tau, tau, 1, sure, "run", 1, 1, 2, 0.9)

    def verdict(rules: list[Comparison], people: list[Comparison]) -> str:
        return Effect("AP", ["a", "b"], [], rules, people, [], []).verdict

    assert verdict([compared(0.95)], [compared(0.82), compared(0.99)]) == (
        "By merge rule the order hardly changes: the lowest τ is 0.950. By assessor it changes somewhat: the lowest τ is 0.820. "
        "No significant difference between two runs is turned around."
    )
    assert verdict([compared(0.3, sure=2)], []).endswith(
        "changes clearly: the lowest τ is 0.300. In one comparison 2 significant differences are turned around."
    )
    assert verdict([compared(None)], []) == ""
    assert "the lowest τ is 0.820. " in verdict([], [compared(0.82), compared(0.1, items=21)])
    assert "the lowest τ is 0.100, of 21 documents only. " in verdict([], [compared(0.1, items=21)])


def test_significant_swaps_are_those_of_the_paired_t_test() -> None:
    """Of all pairs at once; here one by one."""
    rng = np.random.default_rng(8)
    level = rng.normal(scale=0.1, size=(12, 1))
    a = np.round(level + rng.normal(scale=0.1, size=(12, 9)), 3)
    b = np.round(-0.5 * level + rng.normal(scale=0.1, size=(12, 9)), 3)
    a[1], b[0] = a[0] + 0.1, b[1] + 0.1  # always by as much: certain, though nothing varies
    turned = 0
    for one, other in combinations(range(12), 2):
        if (a[one].mean() - a[other].mean()) * (b[one].mean() - b[other].mean()) < 0:
            told = [paired_t(values[one], values[other]).p for values in (a, b)]
            turned += any(p is not None and p < 0.05 for p in told)
    assert 5 < turned < 66 and sure_swaps(a, b) == turned
    assert sure_swaps(a[:, :4], b[:, :4]) == 0  # of so few topics no test tells anything
