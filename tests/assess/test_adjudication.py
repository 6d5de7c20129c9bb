from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assess.core.adjudication import SOURCES, Merged, Rule, merge_grades, resolve
from tests.golden import vectors

RULES: list[Rule] = ["first", "max", "min", "median_low", "median_high", "majority"]
judgments = st.lists(st.lists(st.integers(-1, 3), max_size=5), max_size=6)


def merged(rows: list[list[int]], rule: Rule) -> list[int | None]:
    items = np.array([item for item, row in enumerate(rows) for _ in row], np.int64)
    grades = np.array([grade for row in rows for grade in row], np.int64)
    found, decided = merge_grades(items, grades, len(rows), rule)
    return [grade if known else None for grade, known in zip(found.tolist(), decided.tolist(), strict=True)]


def slow(row: list[int], rule: Rule) -> int | None:
    if not row:
        return None
    if rule == "majority":
        (grade, votes), *others = Counter(row).most_common(2)
        return None if others and others[0][1] == votes else grade
    ordered = sorted(row)
    places = {"min": 0, "max": -1, "median_low": (len(row) - 1) // 2, "median_high": len(row) // 2}
    return row[0] if rule == "first" else ordered[places[rule]]


@pytest.mark.parametrize("vector", vectors("agreement", "merge"))
def test_rules_of_the_worked_examples(vector: dict[str, Any]) -> None:
    rows = [[grade for grade in row if grade is not None] for row in vector["judgements"].values()]
    assert dict(zip(vector["judgements"], merged(rows, vector["params"]["rule"]), strict=True)) == vector["expected"]


@given(judgments, st.sampled_from(RULES))
@settings(max_examples=100, deadline=None)
def test_rules_are_their_definitions(rows: list[list[int]], rule: Rule) -> None:
    assert merged(rows, rule) == [slow(row, rule) for row in rows]


def test_judgments_of_an_item_need_not_stand_together() -> None:
    found, decided = merge_grades(np.array([1, 0, 1, 0]), np.array([2, 0, 3, 1]), 3, "first")
    assert (found.tolist(), decided.tolist()) == ([0, 2, 0], [True, True, False])


# Decisions, ties and too few opinions


def resolved(rows: list[list[int]], rule: Rule, decisions: dict[int, int], opinions: int = 1) -> Merged:
    items = np.array([item for item, row in enumerate(rows) for _ in row], np.int64)
    grades = np.array([grade for row in rows for grade in row], np.int64)
    of, chosen = (np.array(list(column), np.int64) for column in (decisions.keys(), decisions.values()))
    return resolve(items, grades, len(rows), rule, decided_items=of, decided_grades=chosen, opinions=opinions)


def test_decisions_come_first_and_ties_wait_for_one() -> None:
    found = resolved([[2, 0], [2, 0], [1, 1, 3], [], []], "majority", {1: 1, 4: 2})
    assert found.grades.tolist() == [0, 1, 1, 0, 2]
    assert [SOURCES[source] for source in found.sources] == ["tie", "decision", "rule", "none", "decision"]
    assert found.decided.tolist() == [False, True, True, False, True]
    assert (found.count("tie"), found.places("tie").tolist(), found.count("decision")) == (1, [0], 2)


def test_fewer_opinions_than_asked_for_decide_nothing() -> None:
    found = resolved([[2], [2, 1], [3]], "max", {2: 0}, opinions=2)
    assert found.grades.tolist() == [0, 2, 0]
    assert [SOURCES[source] for source in found.sources] == ["few", "rule", "decision"]


@given(judgments, st.sampled_from(RULES), st.dictionaries(st.integers(0, 5), st.integers(0, 3)), st.integers(1, 3))
@settings(max_examples=100, deadline=None)
def test_decisions_opinions_and_rules_are_their_definition(
    rows: list[list[int]], rule: Rule, decisions: dict[int, int], opinions: int
) -> None:
    decisions = {item: grade for item, grade in decisions.items() if item < len(rows)}
    found = resolved(rows, rule, decisions, opinions)
    by_rule = [slow(row, rule) if len(row) >= opinions else None for row in rows]
    expected = [decisions.get(item, grade) for item, grade in enumerate(by_rule)]
    assert [g if known else None for g, known in zip(found.grades.tolist(), found.decided.tolist(), strict=True)] == expected


def test_asking_for_no_opinion_is_refused() -> None:
    with pytest.raises(ValueError, match="expected at least 1 opinion for an item, got 0"):
        resolve(np.array([0]), np.array([1]), 1, opinions=0)
