"""Strategies that look at the judgments so far, by the worked examples and by their speed."""

import json
from functools import partial
from typing import Any

import numpy as np
import pytest

from pooling.core import adaptive, learning
from pooling.core.adaptive import History, TopicRanks, simulate
from pooling.core.matrix import RankMatrix
from pooling.core.rankings import Rankings
from pooling.core.strategies import STRATEGIES, clean
from pooling.core.text import Texts, cosines
from tests.calls import python_calls
from tests.golden import FOLDER, vectors
from tests.pooling.test_strategies import ranked

NAMES = {"pool_mtf": "mtf", "pool_maxmean": "maxmean", "pool_hedge": "hedge", "pool_rbp_adaptive": "rbp-adaptive"}


def topic(vector: dict[str, Any]) -> tuple[TopicRanks, np.ndarray[Any, np.dtype[np.bool_]], list[str]]:
    rankings = [ranked(tag, docnos) for tag, docnos in vector["runs"].items()]
    ranks = TopicRanks.of(RankMatrix.build(rankings, vector["params"].get("depth")), b"1")
    relevant = np.array([vector["qrels"][docno.decode()] > 0 for docno in ranks.docnos.tolist()])
    return ranks, relevant, list(vector["runs"])


def trace(ranks: TopicRanks, found: adaptive.Order, runs: list[str]) -> list[list[object]]:
    said = found.history.outcomes.tolist()
    return [[runs[p.run], ranks.docnos[p.doc].decode(), o] for p, o in zip(found.picks, said, strict=True)]


@pytest.mark.parametrize("vector", vectors("pooling", *NAMES))
def test_orders_of_the_worked_example(vector: dict[str, Any]) -> None:
    ranks, relevant, runs = topic(vector)
    name, params, expected = NAMES[vector["measure"]], vector["params"], vector["expected"]
    values = {key: value for key, value in params.items() if key not in ("budget", "depth")}
    found = simulate(ranks, STRATEGIES[name].pick, values, relevant, params["budget"])
    docs = [ranks.docnos[pick.doc].decode() for pick in found.picks]
    assert docs == expected["order"]
    assert int((found.history.outcomes == 1).sum()) == expected["relevant_found"]
    if "trace" in expected:
        assert trace(ranks, found, runs) == expected["trace"]
    if name == "mtf":
        assert dict(zip(runs, adaptive.priorities(ranks, found.history).tolist(), strict=True)) == expected["priorities"]
    if name == "maxmean":
        good, bad = adaptive.posterior(ranks, found.history, params.get("rate", 1.0))
        assert dict(zip(runs, map(list, zip(good, bad, strict=True)), strict=True)) == expected["posterior"]
    if name == "hedge":
        assert float(found.picks[0].why.split()[1]) == pytest.approx(expected["first_score"], abs=1e-6)
        losses = adaptive.hedge_losses(ranks, found.history)[0]
        weights = adaptive.hedge_weights(ranks, found.history, params["beta"])[0]
        assert dict(zip(runs, losses, strict=True)) == pytest.approx(expected["loss"], abs=1e-9)
        assert dict(zip(runs, weights, strict=True)) == pytest.approx(expected["weights"], abs=1e-9)
    if name == "rbp-adaptive":
        told = [float(pick.why.split()[1]) for pick in found.picks]
        assert told == pytest.approx(expected["weights"], abs=1e-6)


@pytest.mark.parametrize("vector", vectors("pooling", "pool_thompson"))
def test_thompson_with_the_draws_given(vector: dict[str, Any]) -> None:
    ranks, relevant, runs = topic(vector)

    def pick(ranks: TopicRanks, history: History, values: Any, seed: Any) -> adaptive.Next | None:
        return adaptive.play(ranks, history, np.array(vector["draws"][len(history.docs)]), "draw", {}, [0])

    found = simulate(ranks, pick, {}, relevant, vector["params"]["budget"])
    assert trace(ranks, found, runs) == vector["expected"]["trace"]
    good, bad = adaptive.posterior(ranks, found.history)
    assert dict(zip(runs, map(list, zip(good, bad, strict=True)), strict=True)) == vector["expected"]["posterior"]


def test_thompson_is_replayed_by_its_seed() -> None:
    ranks, relevant, _ = topic(vectors("pooling", "pool_thompson")[0].values[0])

    def order(seed: int) -> list[int]:
        return [pick.doc for pick in simulate(ranks, adaptive.thompson, {}, relevant, 16, [seed]).picks]

    assert order(3) == order(3) and sorted(order(3)) == list(range(16))
    assert len({tuple(order(seed)) for seed in range(8)}) > 1


def test_what_somebody_is_at_is_not_picked_again_and_teaches_nothing() -> None:
    ranks, _, _ = topic(vectors("pooling", "pool_mtf")[0].values[0])
    for name, one in STRATEGIES.items():
        if one.kind != "adaptive" or name == "cal":
            continue
        history = History.start(ranks)
        picks = []
        for _ in range(16):
            found = one.pick(ranks, history, clean(name, {}), [1])  # type: ignore[misc]
            assert found is not None
            picks.append(found.doc)
            history = history.said(found.doc, found.run, adaptive.UNKNOWN)
        assert sorted(picks) == list(range(16)), name
        assert one.pick(ranks, history, clean(name, {}), [1]) is None  # type: ignore[misc]


def test_global_priorities_count_other_topics() -> None:
    ranks = TopicRanks.of(RankMatrix.build([ranked("a", ["d1", "d2"]), ranked("b", ["d3", "d1"])]), b"1")
    start = History.start(ranks)
    weak = History(start.docs, start.runs, start.outcomes, start.taken, np.array([2, 0]))
    assert [adaptive.move_to_front(ranks, weak, {"scope": scope}, []).run for scope in ("local", "global")] == [0, 1]  # type: ignore[union-attr]


def many(runs: int, depth: int) -> TopicRanks:
    generator = np.random.default_rng(5)
    rankings = []
    for run in range(runs):
        docs = generator.choice(depth * 4, depth, replace=False).tolist()
        rankings.append(Rankings.from_dict(f"r{run}", {"1": {f"d{doc:05}": float(-place) for place, doc in enumerate(docs)}}))
    return TopicRanks.of(RankMatrix.build(rankings, depth), b"1")


def test_the_next_document_takes_no_call_for_each_run_or_document() -> None:
    """A few passes over the ranks, whatever their number: some milliseconds for 200 runs × 1000 documents."""
    small, large = many(4, 10), many(40, 200)
    for name, one in STRATEGIES.items():
        if one.kind == "adaptive" and name != "cal":
            values, pick = clean(name, {}), one.pick
            starts = [simulate(ranks, pick, values, np.arange(len(ranks)) % 3 == 0, 9, [1]).history for ranks in (small, large)]
            calls = [
                python_calls(partial(pick, ranks, start, values, [1]))  # type: ignore[arg-type,misc]
                for ranks, start in zip((small, large), starts, strict=True)
            ]
            assert calls[1] <= calls[0], name


def test_batches_of_continuous_active_learning() -> None:
    vector = vectors("pooling", "cal_schedule")[0].values[0]
    starts = sorted({learning.batch_of(place)[1] for place in range(265)})
    sizes = np.diff([*starts, 265]).tolist()
    assert sizes == vector["expected"]["batch"] and np.cumsum(sizes).tolist() == vector["expected"]["cumulative"]


def test_the_toy_of_continuous_active_learning() -> None:
    """With Rocchio and the cosine in place of the classifier."""
    vector = vectors("pooling", "cal_toy")[0].values[0]
    documents = vector["documents"]
    texts = Texts.build((docno, [term for term, n in words.items() for _ in range(n)]) for docno, words in documents.items())
    judged: dict[int, bool] = {}
    order: list[str] = []
    while len(order) < vector["params"]["budget"]:
        start = learning.batch_of(len(order))[1]
        before = dict(list(judged.items())[:start])
        model = learning.feedback_model(
            texts, vector["query"], [d for d, good in before.items() if good], [d for d, good in before.items() if not good]
        )
        scores = np.round(cosines(texts, model), 12)
        if not order:
            expected = vector["expected"]["first_scores"]
            assert dict(zip(documents, scores.tolist(), strict=True)) == pytest.approx(expected, abs=1e-9)
        scores[list(judged)] = -1
        doc = int(np.argmax(scores))
        judged[doc] = vector["qrels"].get(texts.docnos[doc].decode(), 0) > 0
        order.append(texts.docnos[doc].decode())
    assert order == vector["expected"]["order"] and sum(judged.values()) == vector["expected"]["relevant_found"]


def learnable(documents: dict[str, str], topic: str) -> TopicRanks:
    ranks = TopicRanks.of(RankMatrix.build([ranked("a", list(documents))]), b"1")
    texts = Texts.of((docno.decode(), documents[docno.decode()], "en") for docno in ranks.docnos.tolist())
    words = dict.fromkeys(topic.split(), 1.0)
    return TopicRanks(
        ranks.docnos,
        ranks.items,
        ranks.lengths,
        ranks.runs,
        ranks.docs,
        ranks.ranks,
        learning.Learnable(learning.Vectors.of(texts), words),
    )


def test_the_classifier_finds_what_is_like_the_relevant_ones() -> None:
    """Harbours are relevant, in words that the topic does not have; rivers share the topic's word and are not."""
    harbours = {f"h{n:02}": f"crane quay cargo pier ship{n}" for n in range(10)}
    rivers = {f"r{n:02}": f"port wine vineyard grape bottle{n}" for n in range(10)}
    ranks = learnable({**rivers, **harbours, "h99": "port crane quay"}, "port")
    relevant = np.array([docno.startswith(b"h") for docno in ranks.docnos.tolist()])
    found = simulate(ranks, learning.continuous_active_learning, {"presumed": 5}, relevant, 14, [1])
    assert found.history.outcomes[6:].tolist() == [1] * 8  # rivers at first, by the topic's word
    again = simulate(ranks, learning.continuous_active_learning, {"presumed": 5}, relevant, 14, [1])
    assert [pick.doc for pick in again.picks] == [pick.doc for pick in found.picks]


def test_vectors_are_read_as_they_were_written() -> None:
    found = learning.Vectors.of(Texts.of([("b", "crane quay", "en"), ("a", "crane crane wine", "en")]), np.float32)
    again = learning.Vectors.from_bytes(found.to_bytes())
    assert again.docnos.tolist() == [b"a", b"b"] and again.vocabulary == found.vocabulary == {"crane": 0, "quay": 1, "wine": 2}
    assert again.rows.toarray().tolist() == found.rows.toarray().tolist() == [[0, 0, 1], [0, 1, 0]]  # all have a crane
    none = learning.Vectors.from_bytes(learning.Vectors.of(Texts.of([])).to_bytes())
    assert none.rows.shape == (0, 0)


def test_learning_without_texts_is_told() -> None:
    ranks = TopicRanks.of(RankMatrix.build([ranked("a", ["d1"])]), b"1")
    with pytest.raises(ValueError, match="expected their texts, found ranks alone"):
        learning.continuous_active_learning(ranks, History.start(ranks), {}, [1])


def test_no_worked_example_is_left_out() -> None:
    folder = FOLDER.parent
    tests = [
        *(folder / "pooling").glob("test_*.py"),
        folder / "evaluation/test_sampled.py",
        folder / "evaluation/test_analysis.py",
    ]
    source = "".join(path.read_text() for path in tests)
    for row in json.loads((FOLDER / "pooling.json").read_text()):
        assert f'"{row["measure"]}"' in source or f'"{row["measure"].removeprefix("pool_")}"' in source, row["id"]
