from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assess.core.adjudication import Rule, merge_grades
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
