"""From a run's file to what the measures need of it: the ranks of judged documents, and how many were retrieved.

The run itself is not kept. Large files go through in pieces, two at a time; a file that is odd in any way is read again
as a whole, by the reader that goes line by line.
"""

import io
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from evaluation.core.dialects import OWN, Rules
from evaluation.core.judged import Given, Judged, joined
from evaluation.core.qrels import Qrels
from evaluation.core.trec_files import DAMAGED, FileFault, RunTable, read_all, read_run_table
from pooling.core import fast_runs
from pooling.core.keys import find_topics, group_pairs
from pooling.core.rankings import Rankings

_MIX = np.uint64(0x9E3779B97F4A7C15)
_SEED = fast_runs.SEED
_AHEAD = 2  # pieces that may wait while two are worked on


@dataclass(frozen=True, eq=False)
class Repeated:
    """A document that stands twice in a topic of a run: the topic's place in the qrels, and the docno."""

    place: int
    docno: bytes


@dataclass(frozen=True, eq=False)
class RunHits:
    """One run seen from the qrels: aligned `places` (of topics in the qrels), `ranks` and `items` (of pairs there),
    sorted by place, then rank; `num_ret` for each topic of the qrels. `strangers`: topics of the run that nobody judged.
    `repeated`: the first document found twice, None if there is none. `guessed`: see `RunTable`.
    """

    tag: str
    places: NDArray[np.int64]
    ranks: NDArray[np.int64]
    items: NDArray[np.int64]
    num_ret: NDArray[np.int64]
    strangers: int = 0
    repeated: Repeated | None = None
    guessed: int = 0


def judged_rankings(qrels: Qrels, runs: Sequence[RunHits], given: Given | None = None) -> Judged:
    """Runs side by side, ready for the measures."""
    count = len(qrels.topics)
    rows = [number * count + run.places for number, run in enumerate(runs)]
    return Judged(
        qrels,
        len(runs),
        joined(rows),
        joined([run.ranks for run in runs]),
        joined([run.items for run in runs]),
        joined([run.num_ret for run in runs]),
        given or Given(),
    )


def hits_of_table(table: RunTable, qrels: Qrels, rules: Rules = OWN, depth: int | None = None) -> RunHits:
    """The hits of a run that is read as a whole."""
    rankings = Rankings.build("", table.topics, table.docnos, table.scores, dialect=rules.order)
    topics = find_topics(qrels.topics, rankings.topics)
    keep = np.repeat(topics, rankings.lengths) >= 0
    if depth is not None:
        keep &= rankings.ranks <= depth
    rows = np.flatnonzero(keep)
    places, docnos = np.repeat(topics, rankings.lengths)[rows], rankings.docnos[rows]
    found = qrels.index.find(places, docnos)
    hits = found >= 0
    num_ret = np.bincount(places, minlength=len(qrels.topics))
    tag = table.tag.decode("utf-8", "replace")
    return RunHits(
        tag,
        places[hits],
        rankings.ranks[rows][hits],
        found[hits],
        num_ret,
        int((topics < 0).sum()),
        first_repeated(places, docnos),
        table.guessed,
    )


def first_repeated(places: NDArray[np.int64], docnos: NDArray[np.bytes_]) -> Repeated | None:
    """The one of the lowest topic, then docno."""
    firsts, inverse = group_pairs(places, docnos)
    again = np.flatnonzero(firsts[inverse] != np.arange(len(places)))
    if not len(again):
        return None
    first = again[places[again] == places[again].min()]
    return Repeated(int(places[first[0]]), min(docnos[first].tolist()))


def read_hits(
    files: Sequence[Callable[[], BinaryIO]],
    qrels: Qrels,
    rules: Rules = OWN,
    depth: int | None = None,
    *,
    fast: bool = True,
    piece: int = fast_runs.PIECE,
) -> Iterator[RunHits]:
    """The hits of each run, one after the other; each of `files` opens one, and is asked twice for one that is odd."""
    if not fast or not fast_runs.available():
        for opened in files:
            yield _whole(opened, qrels, rules, depth)
        return
    matcher = _Matcher(qrels, rules, depth)
    numbered = _numbered(files, piece)
    first = list(islice(numbered, 2))
    if len(first) == len(files) == 1:  # one small file is done before a thread has begun
        yield _finished([matcher.match(first[0][1])], files[0], qrels, rules, depth)
        return
    with ThreadPoolExecutor(2) as pool:
        waiting: deque[tuple[int, Future[_Part | None]]] = deque()
        parts: dict[int, list[_Part | None]] = {number: [] for number in range(len(files))}
        done = 0
        for number, data in chain(first, numbered):
            waiting.append((number, pool.submit(matcher.match, data)))
            while len(waiting) > _AHEAD:
                run, part = waiting.popleft()
                parts[run].append(part.result())
                while done < run:
                    yield _finished(parts.pop(done), files[done], qrels, rules, depth)
                    done += 1
        for run, part in waiting:
            parts[run].append(part.result())
        for number in range(done, len(files)):
            yield _finished(parts.pop(number), files[number], qrels, rules, depth)


def _numbered(files: Sequence[Callable[[], BinaryIO]], size: int) -> Iterator[tuple[int, bytes]]:
    """Pieces of all files, with the number of the file. One that cannot be read ends with an empty piece, which is odd:
    the fault is met again, and told, when its turn comes, so that the files before it are done."""
    for number, opened in enumerate(files):
        try:
            with opened() as file:
                for data in fast_runs.pieces(file, size):
                    yield number, data
        except (FileFault, *DAMAGED):
            yield number, b""


def _whole(opened: Callable[[], BinaryIO], qrels: Qrels, rules: Rules, depth: int | None) -> RunHits:
    return hits_of_table(read_run_table(read_all(opened, "results"), rules), qrels, rules, depth)


@dataclass(frozen=True, eq=False)
class _Part:
    """The hits of a piece; `topics` are all it has, `repeated` as places in the order of the qrels."""

    topics: list[str]
    tag: bytes
    places: NDArray[np.int64]
    ranks: NDArray[np.int64]
    items: NDArray[np.int64]
    lengths: NDArray[np.int64]
    codes: NDArray[np.int64]
    repeated: bool


def _finished(
    parts: list[_Part | None], opened: Callable[[], BinaryIO], qrels: Qrels, rules: Rules, depth: int | None
) -> RunHits:
    """The pieces of a run joined; read again as a whole where a piece is odd, or a topic stands in two of them."""
    sound = [part for part in parts if part is not None and not part.repeated]
    topics = [topic for part in sound for topic in part.topics]
    if len(sound) < len(parts) or not sound or len(set(topics)) < len(topics):
        return _whole(opened, qrels, rules, depth)
    codes, lengths = joined([part.codes for part in sound]), joined([part.lengths for part in sound])
    num_ret = np.zeros(len(qrels.topics), np.int64)
    num_ret[codes[codes >= 0]] = lengths[codes >= 0]
    places, ranks, items = (joined([getattr(part, name) for part in sound]) for name in ("places", "ranks", "items"))
    if (places[1:] < places[:-1]).any():
        order = np.lexsort((ranks, places))
        places, ranks, items = places[order], ranks[order], items[order]
    tag = sound[-1].tag.decode("utf-8", "replace")
    return RunHits(tag, places, ranks, items, num_ret, int((codes < 0).sum()))


class _Matcher:
    """Finds judged documents in pieces of runs.

    Each pair of topic and docno of the qrels has a 64-bit key. A table of bits sorts out nearly all documents that have
    none of these keys; what is left is looked up by key, and confirmed by the docno itself.
    """

    def __init__(self, qrels: Qrels, rules: Rules, depth: int | None) -> None:
        self._rules, self._depth = rules, depth
        self.places = {topic.decode("utf-8", "surrogateescape"): place for place, topic in enumerate(qrels.topics.tolist())}
        self._docnos = qrels.texts
        keys = self._keys(self._docnos.hash(_SEED).to_numpy(), qrels.codes[: len(self._docnos)])
        self._items = np.argsort(keys)
        self._sorted = keys[self._items]
        self._codes = qrels.codes
        self._shift = np.uint64(64 - min(max(16, len(keys).bit_length() + 4), 26))
        self._bits = np.zeros(1 << (64 - int(self._shift)), bool)
        self._bits[keys >> self._shift] = True

    @staticmethod
    def _keys(hashes: NDArray[np.uint64], codes: NDArray[np.int64]) -> NDArray[np.uint64]:
        keys: NDArray[np.uint64] = hashes + (codes.astype(np.uint64) + np.uint64(1)) * _MIX
        keys ^= keys >> np.uint64(29)
        keys *= _MIX
        return keys

    def match(self, data: bytes) -> _Part | None:
        """The hits of a piece, None if it must be read with care."""
        columns = fast_runs.run_columns(data)
        if columns is None or len(set(columns.heads)) < len(columns.heads):
            return None
        codes = np.array([self.places.get(head, -1) for head in columns.heads], np.int64)
        return _Piece(self, columns, codes).part(self._depth)

    def found(
        self, columns: fast_runs.Columns, codes: NDArray[np.int64]
    ) -> tuple["_Keys", NDArray[np.int64], NDArray[np.int64]]:
        """The keys of all rows; and the rows that are judged, with their place in the qrels."""
        keys = self._keys(columns.hashes, codes)
        rows = np.flatnonzero(self._bits[keys >> self._shift])
        places = np.minimum(np.searchsorted(self._sorted, keys[rows]), max(len(self._sorted) - 1, 0))
        if not len(self._sorted):
            return _Keys(keys), rows[:0], rows[:0]
        same = self._sorted[places] == keys[rows]
        rows, items = rows[same], self._items[places[same]]
        sure = (columns.docnos[rows] == self._docnos[items]).to_numpy() & (codes[rows] == self._codes[items])
        return _Keys(keys), rows[sure], items[sure]

    @property
    def single(self) -> bool:
        return self._rules.order == "9"


@dataclass(frozen=True, eq=False)
class _Keys:
    keys: NDArray[np.uint64]

    def any_twice(self) -> bool:
        """Whether two rows may hold the same pair: exactly, but for clashes of 64-bit keys, which cost only time.

        Halves of keys are sorted, at a fraction of the time; where two are equal the whole keys are compared.
        """
        halves = (self.keys >> np.uint64(32)).astype(np.uint32)
        ordered = np.sort(halves)
        met = ordered[1:][ordered[1:] == ordered[:-1]]
        if not len(met):
            return False
        crowd = np.sort(self.keys[np.isin(halves, met)])
        return bool((crowd[1:] == crowd[:-1]).any())


class _Piece:
    """A piece of a run in evaluation order."""

    def __init__(self, matcher: _Matcher, columns: fast_runs.Columns, codes: NDArray[np.int64]) -> None:
        self._matcher, self._columns, self._codes = matcher, columns, codes
        self._offsets = np.cumsum(columns.lengths) - columns.lengths

    @cached_property
    def _scores(self) -> NDArray[np.floating]:
        if not self._matcher.single:
            return self._columns.scores
        with np.errstate(over="ignore"):
            return self._columns.scores.astype(np.float32)

    def part(self, depth: int | None) -> _Part:
        columns = self._columns
        strangers = len(self._matcher.places) + np.arange(len(self._codes))  # codes that no judged pair has
        rows_codes = np.where(self._codes >= 0, self._codes, strangers)[self._local]
        keys, rows, items = self._matcher.found(columns, rows_codes)
        ranks = self._ranks(rows)
        lengths = columns.lengths
        if depth is not None:
            rows, items, ranks = (array[ranks <= depth] for array in (rows, items, ranks))
            lengths = np.minimum(lengths, depth)
        places = rows_codes[rows]
        order = np.lexsort((ranks, places)) if self._shuffled or (places[1:] < places[:-1]).any() else slice(None)
        return _Part(
            columns.heads,
            columns.tag,
            places[order],
            ranks[order],
            items[order],
            lengths,
            self._codes,
            keys.any_twice(),
        )

    @cached_property
    def _shuffled(self) -> bool:
        return self._order is not None

    @cached_property
    def _order(self) -> NDArray[np.int64] | None:
        """The permutation into evaluation order, None where the file has it already."""
        scores = self._scores
        rising, tied = scores[1:] > scores[:-1], scores[1:] == scores[:-1]
        starts = self._offsets[1:] - 1
        rising[starts] = False
        tied[starts] = False
        if rising.any():
            order = np.lexsort((-scores, self._local))
            scores, codes = scores[order], self._local[order]
            return self._untied(order, (scores[1:] == scores[:-1]) & (codes[1:] == codes[:-1]))
        pairs = np.flatnonzero(tied)
        docnos = self._columns.docnos
        if not len(pairs) or not (docnos[pairs] < docnos[pairs + 1]).any():
            return None
        return self._untied(np.arange(len(scores)), tied)

    def _untied(self, order: NDArray[np.int64], tied: NDArray[np.bool_]) -> NDArray[np.int64]:
        """The order with docnos descending where a row is tied with the one before it."""
        member = np.zeros(len(order), bool)
        member[1:] = tied
        member[:-1] |= tied
        rows = order[member]
        if len(rows):
            stretch = np.cumsum(np.concatenate(([True], ~tied)))[member]
            places = self._columns.docnos[rows].rank("dense").to_numpy().astype(np.int64)
            order[member] = rows[np.lexsort((-places, stretch))]
        return order

    @cached_property
    def _local(self) -> NDArray[np.int64]:
        """The place of each row's topic in the piece."""
        return np.repeat(np.arange(len(self._codes)), self._columns.lengths)

    def _ranks(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The rank of each of these rows in its topic."""
        before = self._offsets[self._local[rows]]
        if self._order is None:
            return rows - before + 1
        position = np.empty(len(self._order), np.int64)
        position[self._order] = np.arange(len(self._order))
        return position[rows] - before + 1


def opened_bytes(data: bytes) -> Callable[[], BinaryIO]:
    """For data that is in memory already."""
    return lambda: io.BytesIO(data)
