"""Runs as ranks of items: equal to scoring from the rankings, whatever changes."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.core.evaluate import Scores, evaluate_judged, evaluate_rankings
from evaluation.core.judged import Given
from evaluation.core.matrix import NOT_IN_QRELS, RankedItems, StoredRuns, evaluate_items, rescored
from evaluation.core.qrels import Qrels
from pooling.core.rankings import Rankings
from tests.evaluation import cases

MEASURES = [
    "AP",
    "nDCG",
    "nDCG@3",
    "Bpref",
    "P@3",
    "RR",
    "Rprec",
    "infAP",
    "RBP",
    "ERR",
    "Judged@3",
    "GMAP",
    "NumRel",
    "IPrec@0.5",
]
TOP = Given(top=3)


def same(one: Scores, other: Scores) -> bool:
    pairs = [(one.values, other.values), (one.means, other.means)]
    return one.tags == other.tags and all(np.array_equal(a, b, equal_nan=True) for a, b in pairs)


def items_of(
    qrels: cases.Qrels, runs: list[cases.Run]
) -> tuple[list[tuple[str, str]], np.ndarray[tuple[int], np.dtype[np.int64]]]:
    pairs = {(topic, docno) for topic, judged in qrels.items() for docno in judged}
    pairs |= {(topic, docno) for run in runs for topic, docs in run.items() if topic in qrels for docno in docs}
    listed = sorted(pairs, key=lambda pair: pair[1])
    return listed, np.array([qrels[topic].get(docno, NOT_IN_QRELS) for topic, docno in listed])


def ranked_items(qrels: cases.Qrels, runs: list[cases.Run], listed: list[tuple[str, str]]) -> RankedItems:
    names = list(qrels)
    number = {pair: place for place, pair in enumerate(listed)}
    held = []
    for run in runs:
        rankings = Rankings.from_dict("t", {topic: docs for topic, docs in run.items() if topic in qrels})
        topics = np.repeat(rankings.topics, rankings.lengths)
        rows = zip(topics.tolist(), rankings.docnos.tolist(), strict=True)
        held.append(np.array([number[topic.decode(), docno.decode()] for topic, docno in rows], np.int64))
    codes = np.array([names.index(topic) for topic, _ in listed], np.int64)
    tags = [f"r{place}" for place in range(len(runs))]
    return RankedItems.build(tags, np.array([name.encode() for name in names]), codes, held)


@given(cases.qrels, st.lists(cases.runs, min_size=1, max_size=3), st.integers(0, 3), st.integers(0, 100))
@settings(max_examples=50)
def test_scores_are_those_of_the_rankings(qrels: cases.Qrels, runs: list[cases.Run], grade: int, which: int) -> None:
    rankings = [Rankings.from_dict(f"r{place}", run) for place, run in enumerate(runs)]
    listed, grades = items_of(qrels, runs)
    ranked = ranked_items(qrels, runs, listed)
    before = evaluate_items(ranked, grades, MEASURES, given=TOP)
    assert same(before, evaluate_rankings(Qrels.from_dict(qrels), rankings, MEASURES, given=TOP))
    item = which % len(listed)
    topic, docno = listed[item]
    grades[item] = grade
    after = rescored(before, ranked, grades, np.array([item]), given=TOP)
    changed = qrels | {topic: qrels[topic] | {docno: grade}}
    assert same(after, evaluate_rankings(Qrels.from_dict(changed), rankings, MEASURES, given=TOP))


@given(cases.qrels, st.lists(cases.runs, max_size=3))
@settings(max_examples=50)
def test_stored_runs_score_as_rankings_do(qrels: cases.Qrels, runs: list[cases.Run]) -> None:
    rankings = [Rankings.from_dict(f"r{place}", run) for place, run in enumerate(runs)]
    stored, judged = StoredRuns.build(rankings), Qrels.from_dict(qrels)
    found = evaluate_judged(stored.judged(judged, TOP), stored.ranked.tags, MEASURES)
    assert same(found, evaluate_rankings(judged, rankings, MEASURES, given=TOP))


def test_few_judgments_of_long_runs_are_found_where_they_stand() -> None:
    runs = [{t: {f"d{n}": float(n * step % 101) for n in range(60)} for t in ("1", "2")} for step in (7, 31)]
    rankings = [Rankings.from_dict(f"r{place}", run) for place, run in enumerate(runs)]
    stored = StoredRuns.build(rankings)
    for judged in (
        {"1": {"d5": 1}},
        {"1": {"d5": 1, "d50": 2, "q": 1}, "3": {"d1": 1}},
        {"2": {f"d{n}": n % 3 for n in range(50)}},
    ):
        qrels = Qrels.from_dict(judged)
        found = evaluate_judged(stored.judged(qrels, TOP), stored.ranked.tags, MEASURES)
        assert same(found, evaluate_rankings(qrels, rankings, MEASURES, given=TOP))


def test_judgments_of_few_topics_are_found_among_their_ranks_alone() -> None:
    runs = [
        {f"{t}": {f"d{n}": float(n * step % 101) for n in range(20)} for t in range(t0, 20)} for step, t0 in ((7, 0), (31, 3))
    ]
    rankings = [Rankings.from_dict(f"r{place}", run) for place, run in enumerate(runs)]
    stored = StoredRuns.build(rankings)
    for judged in (
        {"2": {"d5": 1}},
        {"19": {f"d{n}": n % 3 for n in range(15)}, "3": {"d0": 2, "q": 1}, "x": {"d1": 1}},
        {"x": {"d1": 1}},
    ):
        qrels = Qrels.from_dict(judged)
        found = evaluate_judged(stored.judged(qrels, TOP), stored.ranked.tags, MEASURES)
        assert same(found, evaluate_rankings(qrels, rankings, MEASURES, given=TOP))
    assert "_places" not in vars(stored)  # nothing else was sorted
