"""Agreement of a collection's assessors: ratings out of judgments, and the report that pages, files and commands share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assess.core.bootstrap import Plan
from assess.core.ratings import Ratings, ratings
from assess.core.report import report
from assess.selectors import JudgmentTable
from pooling.models import Collection

PAIRS_SHOWN = 60  # pairs beyond which only what they have in common is computed
RESAMPLES = 2000


@dataclass(frozen=True, eq=False)
class Rated:
    """Ratings with the names of their columns and topics; `items` are the rows' item ids."""

    ratings: Ratings
    people: list[int]
    names: list[str]
    topics: list[str]
    items: list[int]


def rated(table: JudgmentTable, levels: Sequence[int], names: Mapping[int, str]) -> Rated:
    """People by name, topics and items in the order of bytes: the same figures whatever the database's order."""
    people = sorted(set(table.assessors.tolist()), key=lambda pk: (natural(names.get(pk, "")), pk))
    numbers, topic_codes = np.unique(table.topics, return_inverse=True)
    items, first, codes = np.unique(table.items, return_index=True, return_inverse=True)
    order = np.lexsort((table.docnos[first], table.topics[first]))
    place = np.empty(len(items), np.int64)
    place[order] = np.arange(len(items))
    columns = np.array([people.index(pk) for pk in table.assessors.tolist()], np.int64)
    found = ratings(place[codes], columns, table.grades, list(levels), topic_codes[first][order].astype(np.int64))
    return Rated(
        found,
        people,
        [names.get(pk, "A0") for pk in people],
        [number.decode() for number in numbers.tolist()],
        items[order].tolist(),
    )


def natural(name: str) -> tuple[str, int, str]:
    """A2 before A10."""
    letters = name.rstrip("0123456789")
    digits = name[len(letters) :]
    return letters, int(digits[:9] or 0), name


def told(
    found: Rated, collection: Collection, *, resamples: int = RESAMPLES, pairs: bool = False, by_topic: bool = False
) -> dict[str, Any]:
    """The whole report. Where a crowd makes very many pairs, these are left out."""
    thresholds = sorted({collection.lenient_from, collection.strict_from})
    lowest, highest = found.ratings.levels[0], found.ratings.levels[-1]
    few = len(found.people) * (len(found.people) - 1) // 2 <= PAIRS_SHOWN
    return report(
        found.ratings,
        found.names,
        found.topics,
        thresholds=[level for level in thresholds if lowest < level <= highest],
        plan=Plan(resamples) if resamples else None,
        pairs=pairs and few,
        by_topic=by_topic,
    )
