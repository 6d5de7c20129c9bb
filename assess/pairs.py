"""How far two assessors agree, each pair of them and all first opinions with all second ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from assess.core import agreement as kappa
from assess.core.bootstrap import Plan, Spread
from assess.core.kappa_spread import kappa_spread
from assess.selectors import JudgmentTable, judgment_table
from config.models import User
from config.order import natural
from pooling.models import Collection

Both = tuple[NDArray[np.int64], NDArray[np.int64]]  # rows of a table, one of each pair of opinions and the other

MATRICES = 12  # shown at once
MOST_ROWS = 15  # of a table of pairs; what a longer one has beyond MATRICES is folded


@dataclass(frozen=True)
class Cell:
    """Of a confusion matrix: the grades of both, how often, and the shade."""

    row: int
    column: int
    count: int
    heat: int


@dataclass(frozen=True, eq=False)
class Pair:
    """Two assessors, or all first and second opinions, and how far they agree."""

    first: str
    second: str
    figures: kappa.Agreement
    spread: Spread  # of Cohen's kappa: standard error and interval
    first_user: str = ""
    second_user: str = ""

    @classmethod
    def of(
        cls, names: Sequence[str], table: "JudgmentTable", a: NDArray[np.int64], b: NDArray[np.int64], levels: Sequence[int]
    ) -> "Pair":
        """Of the rows `a` of the table against the rows `b`; the names shown, then the user names."""
        first, second = table.grades[a], table.grades[b]
        figures = kappa.agreement(first, second, levels)
        topics = np.unique(table.topics[a], return_inverse=True)[1] if len(a) else a
        found = kappa_spread(figures, table.items[a], topics, first, second, Plan())
        one, other, user, second_user = (*names, "", "")[:4]
        return cls(one, other, figures, found, user, second_user)

    @property
    def band(self) -> str:
        return kappa.band(self.figures.cohen)

    @property
    def why_undefined(self) -> str:
        """Why there is no kappa; empty when there is one."""
        if self.figures.n == 0:
            return "nothing was judged by both"
        return "both used one and the same grade throughout" if self.figures.cohen is None else ""

    @property
    def no_interval(self) -> str:
        """Why a kappa has no interval to show; empty when it has one. One without width would read as certainty."""
        if self.figures.cohen is None:
            return ""
        if self.spread.interval is not None:
            low, high = self.spread.interval
            return "resamples are all alike" if high - low < 1e-6 else ""
        if self.spread.undefined:
            return f"kappa is not defined in {self.spread.undefined:,} of {Plan().resamples:,} resamples"
        return "one document"

    @property
    def note(self) -> str:
        """For files and programs, what the page says beside the figures."""
        said = [f"not defined: {self.why_undefined}"] if self.why_undefined else []
        said += [f"0 because {self.used_one} used one grade only"] if self.used_one else []
        said += [f"no interval: {self.no_interval}"] if self.no_interval and not self.spread.interval else []
        return "; ".join(said)

    @property
    def used_one(self) -> str:
        """Who of the two gave one and the same grade throughout, where the other did not: kappa is then 0 by definition."""
        if self.figures.cohen is None:
            return ""
        sums = ((self.first, self.figures.table.sum(axis=1)), (self.second, self.figures.table.sum(axis=0)))
        return next((name for name, given in sums if (given > 0).sum() == 1), "")

    @property
    def rows(self) -> "list[list[Cell]]":
        """The confusion matrix: count, and its shade from 0 to 9 by its share of the largest cell."""
        most, levels = max(int(self.figures.table.max()), 1), self.figures.levels
        return [
            [Cell(row, column, count, -(-9 * count // most)) for column, count in zip(levels, line, strict=True)]
            for row, line in zip(levels, self.figures.table.tolist(), strict=True)
        ]


@dataclass(frozen=True)
class AgreementReport:
    """Pairs that share most come first; `pair_count` counts those beyond them, too, and `people` whoever graded."""

    levels: list[int]
    pairs: list[Pair]
    overall: Pair
    twice: int
    pair_count: int
    people: int

    @property
    def first(self) -> list[Pair]:
        """What a page shows at once: a few more are not worth folding."""
        return self.pairs if len(self.pairs) <= MOST_ROWS else self.pairs[:MATRICES]

    @property
    def further(self) -> list[Pair]:
        return self.pairs[len(self.first) :]

    @property
    def matrices(self) -> list[Pair]:
        return self.pairs[:MATRICES]


def agreement(
    collection: Collection, table: JudgmentTable | None = None, most: int | None = None, both: Both | None = None
) -> AgreementReport:
    """Agreement of each pair of assessors on the items both judged, those that share most first, and of first with second
    opinions over all. Of more than `most` pairs, the first of them; `both` are the table's pairs of opinions, if known."""
    levels = [grade.value for grade in collection.grades.all()]
    table = judgment_table(collection) if table is None else table
    a, b = twice_judged(table.items) if both is None else both
    people = {user.pk: user for user in User.objects.filter(pk__in=np.unique(table.assessors).tolist())}
    low, high = (np.minimum, np.maximum)
    one, two = low(table.assessors[a], table.assessors[b]), high(table.assessors[a], table.assessors[b])
    turned = table.assessors[a] != one
    of_one, of_two = np.where(turned, b, a), np.where(turned, a, b)
    order = np.lexsort((two, one))
    first = np.flatnonzero(np.diff(one[order], prepend=-1) | np.diff(two[order], prepend=-1))
    groups = np.split(order, first[1:]) if len(order) else []
    named = [(people[int(one[here[0]])], people[int(two[here[0]])], here) for here in groups]
    named.sort(key=lambda pair: (-len(pair[2]), natural(pair[0].name), natural(pair[1].name)))
    pairs = []
    for x, y, here in named[:most]:
        names = x.name, y.name, x.username, y.username
        pairs.append(Pair.of(names, table, of_one[here], of_two[here], levels))
    overall = Pair.of(("First opinions", "Second opinions"), table, a, b, levels)
    return AgreementReport(levels, pairs, overall, len(np.unique(table.items[a])), len(groups), len(people))


def of_two(table: JudgmentTable, both: Both, x: int, y: int) -> Both:
    """Of the pairs of opinions those of these two people, the first one's before the second one's."""
    one, two = both
    turned = (table.assessors[one] == y) & (table.assessors[two] == x)
    kept = turned | ((table.assessors[one] == x) & (table.assessors[two] == y))
    return np.where(turned, two, one)[kept], np.where(turned, one, two)[kept]


def chosen(collection: Collection, first: User, second: User) -> Pair:
    """A pair that somebody asks for; of people who have nothing in common it counts nothing."""
    table = judgment_table(collection)
    names = first.name, second.name, first.username, second.username
    rows = of_two(table, twice_judged(table.items), first.pk, second.pk)
    return Pair.of(names, table, *rows, [grade.value for grade in collection.grades.all()])


def twice_judged(items: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The rows of each pair of judgments of the same item; `items` is sorted. Two, as a rule; more after changes of seats."""
    _, starts, counts = np.unique(items, return_index=True, return_counts=True)
    first, second = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for size in np.unique(counts[counts > 1]).tolist():
        begin = starts[counts == size]
        for i, j in combinations(range(size), 2):
            first.append(begin + i)
            second.append(begin + j)
    return np.concatenate(first), np.concatenate(second)
