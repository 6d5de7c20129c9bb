"""All coefficients of a set of ratings: the worked examples, section by section of the degenerate cases, and the spread."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from assess.core import figures as of
from assess.core.agreement import kappa_interval
from assess.core.bootstrap import Plan
from assess.core.figures import Figure, TopicMean, figures, notes, values
from assess.core.ratings import Ratings, pairs, ratings
from tests.golden import vectors

PLAN = Plan(resamples=400, seed=5)
Rows = Sequence[Sequence[int | None]]


def made(columns: Rows, levels: tuple[int, ...] = (0, 1), topics: list[int] | None = None) -> Ratings:
    """One list of grades for each assessor, None where there is none."""
    places = np.array([[-1 if one is None else levels.index(one) for one in column] for column in columns], np.int8).T
    return Ratings(levels, places, np.array(topics or [0] * len(places), np.int64))


def textbook() -> Ratings:
    """400 documents: 300 relevant to both, 70 to neither, 20 to the first alone, 10 to the second alone."""
    return made([[1] * 300 + [1] * 20 + [0] * 80, [1] * 300 + [0] * 20 + [1] * 10 + [0] * 70])


def of_sets(topics: list[list[list[str]]]) -> Ratings:
    """Each topic's relevant documents by assessor; every assessor judged every document that anyone found."""
    columns: list[list[int | None]] = [[] for _ in topics[0]]
    codes: list[int] = []
    for code, sets in enumerate(topics):
        docnos = sorted({docno for chosen in sets for docno in chosen} | {"other"})
        codes += [code] * len(docnos)
        for column, chosen in zip(columns, sets, strict=True):
            column += [int(docno in chosen) for docno in docnos]
    return made(columns, topics=codes)


def near(expected: float | None) -> Any:
    return None if expected is None else pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("vector", vectors("agreement", "overlap", "mean_overlap"))
def test_overlap_of_the_worked_examples(vector: dict[str, Any]) -> None:
    found = values(of_sets(vector["topics"] if "topics" in vector else [vector["sets"]]))
    assert found["overlap"] == near(vector["expected"])


@pytest.mark.parametrize("vector", vectors("agreement", "pairwise_mean"))
def test_pairs_of_the_worked_examples(vector: dict[str, Any]) -> None:
    found, expected = made(vector["ratings"], tuple(vector["categories"])), vector["expected"]
    by_pair = {f"{i}-{j}": values(found.of((i, j)))["cohen"] for i, j in pairs(found)}
    assert by_pair == {pair: near(value) for pair, value in expected["pairs"].items()}
    assert values(found)["pairwise"] == near(expected["mean"])


def test_textbook_example_of_400_documents() -> None:
    found = {figure.key: figure for figure in figures(textbook(), PLAN)}
    assert list(found) == [
        *("raw", "positive", "negative", "overlap", "cohen", "pooled", "alpha_nominal", "ac1", "brennan_prediger")
    ]
    assert {figure.n for figure in found.values()} == {400}
    shown = {key: round(figure.value or 0, 6) for key, figure in found.items()}
    assert (shown["raw"], shown["positive"], shown["negative"], shown["overlap"]) == (0.925, 0.952381, 0.823529, 0.909091)
    assert (shown["cohen"], shown["pooled"]) == (0.776119, 0.77591)
    assert found["cohen"].standard_error == pytest.approx(0.0388879569, abs=1e-9)
    table = np.array([[70, 10], [20, 300]])
    assert found["cohen"].large_sample == pytest.approx(kappa_interval(table), abs=1e-12)


def test_every_figure_has_an_error_and_an_interval_round_it() -> None:
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 4, 120)
    columns = np.where(rng.random((3, 120)) < 0.6, truth, rng.integers(0, 4, (3, 120)))
    for graded in (
        Ratings((0, 1, 2, 3), columns.T.astype(np.int8), np.arange(120) % 6),
        made([*columns.tolist()], (0, 1, 2, 3)),
    ):
        for seen in (graded, graded.binarised(2), graded.of((0, 1)), graded.of((0, 2)).binarised(1)):
            for figure in figures(seen, PLAN):
                assert figure.value is not None and figure.interval is not None and figure.standard_error is not None
                low, high = figure.interval
                assert low < figure.value < high
                assert high - low == pytest.approx(2 * 1.96 * figure.standard_error, rel=0.35)


def test_intervals_by_topic_are_wider_when_topics_differ() -> None:
    agreed, split = [[0, 1] * 10, [0, 1] * 10], [[0, 1] * 10, [1, 0] * 10]
    both: Rows = [[*(agreed[place] * 5), *(split[place] * 5)] for place in (0, 1)]
    found = made(both, topics=[item // 20 for item in range(200)])
    spans = []
    for plan in (PLAN, Plan(resamples=400, seed=5, by_topic=True)):
        cohen = next(figure for figure in figures(found, plan) if figure.key == "cohen")
        assert cohen.interval is not None
        spans.append(cohen.interval[1] - cohen.interval[0])
    assert 5 * spans[0] < spans[1]  # within a topic all items agree, or none


def test_only_items_that_two_judged_count() -> None:
    some: Rows = [[0, 1, 1, None, 0, None], [0, 1, 0, 1, None, None]]
    assert values(made(some)) == values(made([[0, 1, 1], [0, 1, 0]]))


def test_grades_are_seen_at_any_threshold() -> None:
    graded = made([[0, 1, 2, 3, None], [1, 1, 2, 2, 3]], (0, 1, 2, 3))
    assert graded.binarised(2).places.tolist() == [[0, 0], [0, 0], [1, 1], [1, 1], [-1, 1]]
    assert (values(graded)["raw"], values(graded.binarised(1))["raw"], values(graded.binarised(2))["raw"]) == (0.5, 0.75, 1.0)


# Degenerate cases


def picked(columns: Rows) -> dict[str, float | None]:
    found = values(made(columns))
    return {key: found[key] for key in ("raw", "cohen", "pooled", "alpha_nominal", "ac1")}


def test_one_level() -> None:
    assert picked([[1, 1, 1], [1, 1, 1]]) == {"raw": 1, "cohen": None, "pooled": None, "alpha_nominal": None, "ac1": 1}
    found = made([[1, 1, 1], [1, 1, 1]])
    assert {figure.note for figure in figures(found, PLAN) if figure.key in ("cohen", "pooled")} == {"only one level used"}
    assert notes(found, ["Ida", "Max"]) == ["only one level used: agreement beyond chance is not defined"]


def test_no_overlap() -> None:
    found = made([[1, 0, None, None], [None, None, 1, 0]])
    assert {(figure.n, figure.value, figure.note) for figure in figures(found, PLAN)} == {(0, None, "no overlap")}
    assert notes(found, ["Ida", "Max"]) == ["no overlap: no item was judged by two assessors"]


def test_one_item() -> None:
    assert picked([[1], [1]]) == {"raw": 1, "cohen": None, "pooled": None, "alpha_nominal": None, "ac1": 1}
    assert picked([[1], [0]]) == {"raw": 0, "cohen": 0, "pooled": -1, "alpha_nominal": 0, "ac1": -1}
    found = next(figure for figure in figures(made([[1], [0]]), PLAN) if figure.key == "cohen")
    assert found == Figure("cohen", 1, 0.0, note="one item, no interval")
    assert notes(made([[1], [0]]), ["Ida", "Max"]) == ["one item: no interval"]


def test_one_assessor_constant() -> None:
    found = made([[1, 1, 1, 1], [1, 0, 1, 1]])
    assert values(found)["cohen"] == 0
    assert notes(found, ["Ida", "Max"]) == ["Ida used one level only: Cohen's kappa is 0 whatever the agreement"]


def test_perfect_with_two_levels() -> None:
    found = made([[1, 0] * 20, [1, 0] * 20])
    assert picked([[1, 0] * 20, [1, 0] * 20]) == {"raw": 1, "cohen": 1, "pooled": 1, "alpha_nominal": 1, "ac1": 1}
    assert {figure.large_sample for figure in figures(found, PLAN)} == {None}
    assert notes(found, ["Ida", "Max"]) == ["perfect agreement: no large-sample interval"]


def test_reversed_scale() -> None:
    found = picked([[1, 0, 1, 0], [0, 1, 0, 1]])
    assert (found["raw"], found["cohen"], found["pooled"], found["ac1"]) == (0, -1, -1, -1)
    assert -1 < (found["alpha_nominal"] or 0) < 0
    assert notes(made([[1, 0, 1, 0], [0, 1, 0, 1]]), ["Ida", "Max"]) == ["never the same grade: is one scale turned round?"]


def test_nothing_relevant_or_everything() -> None:
    said = {figure.key: (figure.value, figure.note) for figure in figures(made([[0, 0], [0, 0]]))}
    assert said["positive"] == said["overlap"] == (None, "no item relevant to anyone")
    said = {figure.key: (figure.value, figure.note) for figure in figures(made([[1, 1], [1, 1]]))}
    assert said["negative"] == (None, "every item relevant to everyone")


def test_resamples_without_a_value_are_told() -> None:
    found = next(figure for figure in figures(made([[0] * 9 + [1], [0] * 9 + [1]]), PLAN) if figure.key == "cohen")
    assert found.value == 1 and found.interval is None and found.undefined > 20
    assert found.note == f"no interval: not defined in {found.undefined} of 400 resamples"


def test_no_item_judged_by_all_of_a_topic() -> None:
    found = made([[1, None, 1], [1, 1, None], [None, 1, 1]])
    overlap = next(figure for figure in figures(found) if figure.key == "overlap")
    assert (overlap.n, overlap.value, overlap.note) == (0, None, "no item judged by all assessors of its topic")


# Topics and rows


def test_topics_one_by_one_and_their_mean() -> None:
    first = [0] * 4 + [1] * 6 + [0] * 5 + [1] * 3 + [1, 1]
    second = [0] * 3 + [1] * 7 + [0] * 5 + [0, 0, 1] + [1, 1]
    found = made([first, second], topics=[0] * 10 + [1] * 8 + [2] * 2)
    rows = of.by_topic(found)
    assert [topic for topic, _ in rows] == [0, 1, 2]
    kappas = [figure.value for _, row in rows for figure in row if figure.key == "cohen"]
    assert kappas == [near(0.7826086957), near(0.3846153846), None]
    mean = next(one for one in of.topic_means(rows) if one.key == "cohen")
    assert mean == TopicMean("cohen", near((0.7826086957 + 0.3846153846) / 2), 2, 1)


def test_rows_of_judgments_become_a_matrix() -> None:
    items, who, grades = np.array([0, 0, 1, 2, 2, 0]), np.array([0, 1, 1, 0, 1, 0]), np.array([1, 2, -1, 5, 0, 3])
    found = ratings(items, who, grades, [0, 1, 2, 3, 5], np.array([0, 0, 1]))
    assert found.places.tolist() == [[3, 2], [-1, -1], [4, 0]]  # the later grade of an assessor counts, -1 is none
    with pytest.raises(ValueError, match=r"expected 2 to 128 distinct levels, got \[1\]"):
        ratings(items, who, grades, [1], np.array([0, 0, 1]))
