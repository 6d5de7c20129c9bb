"""The rank matrix: for runs × (topic, docno), the rank each run gave; sparse, and grown by one run at a time.

Planner, contributions and pools are array operations on it. A further run costs what it holds itself: the ranks of the
others are shared, and its new items go behind those that are there.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pooling.core.keys import PairIndex, find_topics
from pooling.core.rankings import Rankings

Ties = Literal["evaluation", "docno-ascending"]

_NEVER = np.iinfo(np.int32).max


@dataclass(frozen=True, eq=False)
class Ranks:
    """One run's row: the items it has, best first within each topic, their ranks from 1, and the run's own scores."""

    items: NDArray[np.int64]
    ranks: NDArray[np.int32]
    scores: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RankMatrix:
    """Ranks up to `depth` (None: all) of each run `tags[i]` in `rows[i]`; item j is `topics[codes[j]]` and `docnos[j]`.

    Items and topics are numbered as they came, so that a number never changes when a run is added. `ties` is the order
    of equal scores: as evaluation has it (docno descending), or docno ascending, as NIST's own pools were made.
    """

    depth: int | None
    ties: Ties
    tags: tuple[str, ...]
    topics: NDArray[np.bytes_]
    rows: tuple[Ranks, ...]
    index: PairIndex  # of the items

    @property
    def codes(self) -> NDArray[np.int64]:
        return self.index.codes

    @property
    def docnos(self) -> NDArray[np.bytes_]:
        return self.index.docnos

    @classmethod
    def empty(cls, depth: int | None = None, ties: Ties = "evaluation") -> "RankMatrix":
        if depth is not None and depth < 1:
            raise ValueError(f"expected a depth of at least 1, got {depth}")
        nothing = np.zeros(0, "S1")
        return cls(depth, ties, (), nothing, (), PairIndex.build(np.zeros(0, np.int64), nothing))

    @classmethod
    def build(cls, rankings: Iterable[Rankings], depth: int | None = None, ties: Ties = "evaluation") -> "RankMatrix":
        """Of runs in the order given."""
        matrix = cls.empty(depth, ties)
        for run in rankings:
            matrix = matrix.extended(run)
        return matrix

    def __len__(self) -> int:
        """How many items there are."""
        return len(self.docnos)

    def extended(self, run: Rankings) -> "RankMatrix":
        """The same with one run more; this one stays as it is."""
        run = _tied(run, self.ties)
        run = run if self.depth is None else run.cut(self.depth)
        topics, of_topic = self._known_topics(run.topics)
        codes = np.repeat(of_topic, run.lengths)
        items = self.index.find(codes, run.docnos)
        fresh = np.flatnonzero(items < 0)
        items[fresh] = np.arange(len(self), len(self) + len(fresh))
        return RankMatrix(
            self.depth,
            self.ties,
            (*self.tags, run.tag),
            topics,
            (*self.rows, Ranks(items, run.ranks.astype(np.int32), run.scores)),
            self.index.extended(codes[fresh], run.docnos[fresh]),
        )

    def _known_topics(self, asked: NDArray[np.bytes_]) -> tuple[NDArray[np.bytes_], NDArray[np.int64]]:
        """Our topics and those of `asked` that are new, behind them; and the code of each that is asked for."""
        order = np.argsort(self.topics)
        found = find_topics(self.topics[order], asked)
        fresh = asked[found < 0]
        codes = np.append(order, -1)[found]
        codes[found < 0] = np.arange(len(self.topics), len(self.topics) + len(fresh))
        return np.concatenate((self.topics, fresh)), codes.astype(np.int64)

    def find(self, topics: NDArray[np.bytes_], docnos: NDArray[np.bytes_]) -> NDArray[np.int64]:
        """The item of each pair asked for, -1 where no run has it."""
        order = np.argsort(self.topics)
        codes = np.append(order, -1)[find_topics(self.topics[order], topics)]
        return self.index.find(codes, docnos)

    def ranks_of(self, items: NDArray[np.int64]) -> NDArray[np.int32]:
        """runs × items: the rank each run gave, 0 where it has it not."""
        found = np.zeros((len(self.rows), len(items)), np.int32)
        column = np.zeros(len(self) + 1, np.int32)
        for place, row in enumerate(self.rows):
            column[row.items] = row.ranks
            found[place] = np.where(items >= 0, column[items], 0)
            column[row.items] = 0
        return found

    def best(self, runs: Sequence[int] | None = None) -> "Best":
        """The best rank of each item over some runs (all), and how many runs have it, and have it at that rank."""
        rank = np.full(len(self), _NEVER, np.int32)
        count, top = np.zeros(len(self), np.int64), np.zeros(len(self), np.int64)
        for place in range(len(self.rows)) if runs is None else runs:
            row = self.rows[place]
            before = rank[row.items]
            count[row.items] += 1
            top[row.items] = np.where(row.ranks < before, 1, top[row.items] + (row.ranks == before))
            rank[row.items] = np.minimum(before, row.ranks)
        return Best(rank, count, top)


@dataclass(frozen=True, eq=False)
class Best:
    """Of every item: its best rank (`there` is false where no run has it), and the number of runs."""

    rank: NDArray[np.int32]
    runs: NDArray[np.int64]
    runs_at_best: NDArray[np.int64]

    @property
    def there(self) -> NDArray[np.bool_]:
        return self.runs > 0


def _tied(run: Rankings, ties: Ties) -> Rankings:
    """The run with equal scores in the order asked for; only stretches of equal scores are touched."""
    if ties == "evaluation":
        return run
    codes = run.codes
    tied = np.zeros(len(run), bool)
    tied[1:] = (run.scores[1:] == run.scores[:-1]) & (codes[1:] == codes[:-1])
    if not tied.any():
        return run
    member = tied.copy()
    member[:-1] |= tied[1:]
    rows, stretch = np.flatnonzero(member), np.cumsum(~tied)[member]
    order = np.arange(len(run))
    order[rows] = rows[np.lexsort((run.docnos[rows], stretch))]
    return Rankings(run.tag, run.topics, run.offsets, run.docnos[order], run.scores[order])
