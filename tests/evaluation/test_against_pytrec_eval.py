"""Bit for bit equal to trec_eval 9.0.8, by way of pytrec_eval-terrier, on anything random that it survives.

It reads memory it never set, and then may crash or never return, when all grades of a topic are negative or the level
is two above the highest; such topics are for the slow definitions of test_measures.py.
"""

import math
import re

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given, settings

from evaluation.core.dialects import RULES
from evaluation.core.evaluate import evaluate_judged, evaluate_rankings
from evaluation.core.judged import Given
from evaluation.core.qrels import Qrels
from evaluation.core.trec_names import lines
from evaluation.core.trec_run import judged_rankings, opened_bytes, read_hits
from pooling.core.rankings import Dialect, Rankings
from tests.evaluation import cases
from tests.evaluation.compared import COUNTS, GEOMETRIC, MEASURES


def lowest_top(qrels: cases.Qrels) -> int:
    return min(max(judged.values()) for judged in qrels.values())


def with_a_judgment(qrels: cases.Qrels) -> cases.Qrels:
    return {topic: judged if max(judged.values()) >= 0 else {**judged, "d0": 0} for topic, judged in qrels.items()}


survivable = cases.qrels.map(with_a_judgment)


def reference(qrels: cases.Qrels, run: cases.Run, rel: int, *, judged_only: bool = False) -> dict[str, dict[str, float]]:
    asked = {re.sub(r"^(iprec_at_recall|Rprec_mult)_.*", r"\1", name) for name in (*MEASURES, *COUNTS)}
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, asked, relevance_level=rel, judged_docs_only_flag=judged_only)
    found: dict[str, dict[str, float]] = evaluator.evaluate(run)
    return found


def ours(qrels: cases.Qrels, run: cases.Run, rel: int, dialect: Dialect | None) -> dict[str, dict[str, float]]:
    names = MEASURES + COUNTS
    rankings, rules = Rankings.from_dict("t", run, dialect=dialect), RULES["9"]
    scores = evaluate_rankings(
        Qrels.from_dict(qrels), [rankings], names, rel=rel, given=Given(rules.recall_points), rules=rules
    )
    topics = zip(scores.topics.tolist(), scores.answered[0].tolist(), scores.values[0].T.tolist(), strict=True)
    return {topic.decode(): dict(zip(names, row, strict=True)) for topic, answered, row in topics if answered}


@given(survivable, cases.runs)
@settings(max_examples=100, deadline=None)
def test_dialect_9_is_equal_to_the_last_bit(qrels: cases.Qrels, run: cases.Run) -> None:
    for rel in range(1, min(lowest_top(qrels) + 1, 3) + 1):
        assert ours(qrels, run, rel, "9") == reference(qrels, run, rel)


@given(survivable, cases.runs)
@settings(max_examples=30, deadline=None)
def test_other_points_of_recall_are_equal_to_the_last_bit(qrels: cases.Qrels, run: cases.Run) -> None:
    expected = pytrec_eval.RelevanceEvaluator(qrels, {"11pt_avg.0.2,0.5,0.75"}).evaluate(run)
    rankings, rules = [Rankings.from_dict("t", run, dialect="9")], RULES["9"]
    measure = lines(["11pt_avg.0.2,0.5,0.75"])[0].measure
    assert measure is not None
    scores = evaluate_rankings(Qrels.from_dict(qrels), rankings, [measure], given=Given(rules.recall_points), rules=rules)
    rows = zip(scores.topics.tolist(), scores.answered[0].tolist(), scores.values[0, 0].tolist(), strict=True)
    assert {topic.decode(): value for topic, answered, value in rows if answered} == {
        topic: row["11pt_avg"] for topic, row in expected.items()
    }


@given(survivable, cases.runs)
@settings(max_examples=60, deadline=None)
def test_means_are_equal_to_the_last_bit(qrels: cases.Qrels, run: cases.Run) -> None:
    """trec_eval adds up topic by topic, in the order of their bytes, and divides by their number."""
    names, rules = MEASURES + COUNTS, RULES["9"]
    rankings, given_to = [Rankings.from_dict("t", run, dialect="9")], Given(rules.recall_points)
    scores = evaluate_rankings(Qrels.from_dict(qrels), rankings, names, complete=False, given=given_to, rules=rules)
    found = reference(qrels, run, 1)
    for name, mean in zip(names, scores.means[0].tolist(), strict=True):
        total = 0.0
        for topic in sorted(found, key=str.encode):
            total += found[topic][name]
        assert mean == (total if name.startswith("num_") else total / max(len(found), 1)), name


@given(survivable, cases.runs)
@settings(max_examples=30, deadline=None)
def test_geometric_means_are_those_of_trec_eval(qrels: cases.Qrels, run: cases.Run) -> None:
    """Which adds up logs, of at least 0.00001; to some last bits, since logs are of other libraries."""
    found = pytrec_eval.RelevanceEvaluator(qrels, set(GEOMETRIC)).evaluate(run)
    scores = evaluate_rankings(Qrels.from_dict(qrels), [Rankings.from_dict("t", run, dialect="9")], GEOMETRIC, complete=False)
    for name, mean in zip(GEOMETRIC, scores.means[0].tolist(), strict=True):
        logs = [row[name] for row in found.values()]
        assert mean == pytest.approx(math.exp(sum(logs) / len(logs)) if logs else 0.0, rel=1e-13), name


def test_a_million_documents_of_one_topic_are_equal_to_the_last_bit() -> None:
    """Read from a file in pieces; ten documents of each score, 2,000 judged ones all over the ranking."""
    rng, number, rules = np.random.default_rng(7), 1_000_000, RULES["9"]
    docnos = [f"d{place:06}" for place in range(number)]
    scores = (rng.permutation(number) // 10).astype(np.float64).tolist()
    drawn, grades = rng.choice(number, 2_000, replace=False).tolist(), rng.integers(-1, 4, 2_000).tolist()
    judgments = {"1": {docnos[place]: grade for place, grade in zip(drawn, grades, strict=True)}}
    data = "".join(f"1 Q0 {docno} 1 {score} t\n" for docno, score in zip(docnos, scores, strict=True)).encode()
    qrels = Qrels.from_dict(judgments)
    (hits,) = read_hits([opened_bytes(data)], qrels, rules, piece=1 << 20)
    judged = judged_rankings(qrels, [hits], Given(rules.recall_points))
    found = evaluate_judged(judged, ("t",), MEASURES + COUNTS, rules=rules).values[0, :, 0].tolist()
    run = {"1": dict(zip(docnos, scores, strict=True))}
    assert dict(zip(MEASURES + COUNTS, found, strict=True)) == reference(judgments, run, 1)["1"]


@given(survivable, cases.runs)
@settings(max_examples=60, deadline=None)
def test_judged_documents_alone_are_equal_to_the_last_bit(qrels: cases.Qrels, run: cases.Run) -> None:
    """Where any are left; where none are, trec_eval divides 0 by 0."""
    judged = {
        topic: set(docs) & {docno for docno, grade in qrels.get(topic, {}).items() if grade >= 0} for topic, docs in run.items()
    }
    some = {topic: docs for topic, docs in run.items() if judged[topic]}
    rules = RULES["9"]
    rankings, given_to = [Rankings.from_dict("t", some, dialect="9")], Given(rules.recall_points)
    scores = evaluate_rankings(Qrels.from_dict(qrels), rankings, MEASURES, judged_only=True, given=given_to, rules=rules)
    expected = reference(qrels, some, 1, judged_only=True)
    rows = dict(zip((topic.decode() for topic in scores.topics.tolist()), scores.values[0].T.tolist(), strict=True))
    for topic, row in expected.items():
        assert dict(zip(MEASURES, rows[topic], strict=True)) == {name: row[name] for name in MEASURES}


@given(survivable, cases.runs)
@settings(max_examples=60, deadline=None)
def test_doubles_are_equal_to_the_last_bit_where_24_bits_tell_the_same_order(qrels: cases.Qrels, run: cases.Run) -> None:
    plain = {
        topic: {docno: float(np.float32(min(score, 3e38))) for docno, score in docs.items()} for topic, docs in run.items()
    }
    assert ours(qrels, plain, 1, None) == reference(qrels, plain, 1)


def test_long_rankings_are_equal_to_the_last_bit() -> None:
    """A thousand documents, many tied, sums long enough for the order of additions to show."""
    rng = np.random.default_rng(5)
    qrels, run = {}, {}
    for topic in range(12):
        docnos = [f"d{number:05}" for number in rng.choice(20_000, 1500, replace=False)]
        grades = rng.choice([-1, 0, 1, 2, 3], 900, p=[0.1, 0.4, 0.2, 0.2, 0.1])
        qrels[str(topic)] = dict(zip(docnos[400:1300], grades.tolist(), strict=True))
        scores = np.round(rng.gamma(2, 5, 1000), int(rng.integers(0, 8)))
        run[str(topic)] = dict(zip(docnos[:1000], scores.tolist(), strict=True))
    assert ours(qrels, run, 1, "9") == reference(qrels, run, 1)
