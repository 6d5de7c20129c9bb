"""Several grades of an item become one."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Rule = Literal["first", "max", "min", "median_low", "median_high", "majority"]
Source = Literal["decision", "rule", "tie", "few", "none"]
SOURCES: tuple[Source, ...] = ("none", "few", "tie", "rule", "decision")


@dataclass(frozen=True, eq=False)
class Merged:
    """One grade for each item, 0 where there is none yet, and where it comes from, as places in SOURCES.

    `decision`: an adjudicator's; `rule`: the rule's; `tie`: the opinions are even, an adjudicator must decide; `few`: fewer
    opinions than asked for; `none`: nobody judged.
    """

    grades: NDArray[np.int64]
    sources: NDArray[np.int64]

    @property
    def decided(self) -> NDArray[np.bool_]:
        return self.sources >= SOURCES.index("rule")

    def count(self, source: Source) -> int:
        return int((self.sources == SOURCES.index(source)).sum())

    def places(self, source: Source) -> NDArray[np.intp]:
        return np.flatnonzero(self.sources == SOURCES.index(source))


def resolve(
    items: NDArray[np.int64],
    grades: NDArray[np.int64],
    size: int,
    rule: Rule = "first",
    *,
    decided_items: NDArray[np.int64] | None = None,
    decided_grades: NDArray[np.int64] | None = None,
    opinions: int = 1,
) -> Merged:
    """Decisions first, then the rule, where an item has at least so many opinions.

    Judgments as in `merge_grades`; decisions are aligned item and grade, the last one of an item stands, and it stands
    however few the opinions are. A decision overrides, and never counts as an opinion.
    """
    if opinions < 1:
        raise ValueError(f"expected at least 1 opinion for an item, got {opinions}")
    merged, known = merge_grades(items, grades, size, rule)
    number = np.bincount(items, minlength=size)
    sources = np.select(
        [number == 0, number < opinions, ~known],
        [SOURCES.index("none"), SOURCES.index("few"), SOURCES.index("tie")],
        SOURCES.index("rule"),
    )
    if decided_items is not None and decided_grades is not None:
        merged[decided_items] = decided_grades
        sources[decided_items] = SOURCES.index("decision")
    return Merged(np.where(sources >= SOURCES.index("rule"), merged, 0), sources)


def merge_grades(
    items: NDArray[np.int64], grades: NDArray[np.int64], size: int, rule: Rule = "first"
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """One grade for each of `size` items, and whether there is one.

    `items` and `grades` are aligned, one row for each judgment; the judgments of an item stand in the order of
    seniority, the primary assessor's before the others. Rules: `first`, the primary's (TREC's way, the default); `max`
    and `min`, the highest and lowest; `median_low` and `median_high`, the median, of an even number the lower or upper
    one; `majority`, the most frequent grade, where a tie decides nothing. Without a decision the grade is 0 and the
    second array false: an item nobody judged, or a tie, which is for the adjudicator.
    """
    merged = np.zeros(size, np.int64)
    decided = np.zeros(size, bool)
    if not len(items):
        return merged, decided
    if rule == "majority":
        return _majority(items, grades, merged, decided)
    if rule == "first":
        judged, place = np.unique(items, return_index=True)
        merged[judged], decided[judged] = grades[place], True
        return merged, decided
    order = np.lexsort((grades, items))
    judged, begin, count = np.unique(items[order], return_index=True, return_counts=True)
    last = count - 1
    place = {"min": 0 * last, "max": last, "median_low": last // 2, "median_high": count // 2}[rule]
    merged[judged], decided[judged] = grades[order][begin + place], True
    return merged, decided


def _majority(
    items: NDArray[np.int64], grades: NDArray[np.int64], merged: NDArray[np.int64], decided: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    choices, votes = np.unique(np.stack((items, grades)), axis=1, return_counts=True)
    most = np.zeros(len(merged), np.int64)
    np.maximum.at(most, choices[0], votes)
    top = votes == most[choices[0]]
    winners = np.bincount(choices[0][top], minlength=len(merged))
    sole = top & (winners[choices[0]] == 1)
    merged[choices[0][sole]], decided[choices[0][sole]] = choices[1][sole], True
    return merged, decided
