"""From a run's file to what the measures need of it: the ranks of judged documents, and how many were retrieved.

The run itself is not kept. Large files go through in pieces, two at a time; a file that is odd in any way is read again
as a whole, by the reader that goes line by line.
"""

import io
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain, islice
from typing import BinaryIO, TypeVar

import numpy as np
from numpy.typing import NDArray

from evaluation.core.dialects import OWN, Rules
from evaluation.core.judged import Given, Judged, joined
from evaluation.core.qrels import Qrels
from evaluation.core.trec_files import DAMAGED, FileFault, RunTable, read_all, read_run_table
from pooling.core import fast_runs
from pooling.core.fields import padded
from pooling.core.keys import FEW, any_twice, find_topics, group_pairs
from pooling.core.rankings import Rankings

Asked = TypeVar("Asked")
Made = TypeVar("Made")

_AHEAD = 3  # pieces that are worked on or wait


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
    if not fast:
        for opened in files:
            yield _whole(opened, qrels, rules, depth)
        return
    matcher = _Matcher(qrels, rules, depth)
    numbered = ((number, data) for number, opened in enumerate(files) for data in _pieces(opened, piece))
    first = list(islice(numbered, 2))
    if len(first) == len(files) == 1:  # one small file is done before a thread has begun
        yield _finished([matcher.match(first[0][1])], files[0], qrels, rules, depth)
        return
    parts: list[_Part | None] = []
    now = 0
    for number, part in _two_at_once(lambda given: (given[0], matcher.match(given[1])), chain(first, numbered)):
        while now < number:
            yield _finished(parts, files[now], qrels, rules, depth)
            parts, now = [], now + 1
        parts.append(part)
    while now < len(files):
        yield _finished(parts, files[now], qrels, rules, depth)
        parts, now = [], now + 1


def _two_at_once(act: Callable[[Asked], Made], given: Iterable[Asked]) -> Iterator[Made]:
    """What `act` makes of each, in order, two threads at work; numpy lets the other go on while it computes."""
    with ThreadPoolExecutor(2) as pool:
        waiting: deque[Future[Made]] = deque()
        for one in given:
            waiting.append(pool.submit(act, one))
            if len(waiting) > _AHEAD:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def _pieces(opened: Callable[[], BinaryIO], size: int) -> Iterator[NDArray[np.uint8]]:
    """A file that cannot be read ends with an empty piece, which is odd: the fault is met again, and told, by who reads with
    care."""
    try:
        with opened() as file:
            yield from fast_runs.pieces(file, size)
    except (FileFault, *DAMAGED):
        yield padded(b"")


def _whole(opened: Callable[[], BinaryIO], qrels: Qrels, rules: Rules, depth: int | None) -> RunHits:
    return hits_of_table(read_run_table(read_all(opened, "results"), rules), qrels, rules, depth)


@dataclass(frozen=True, eq=False)
class _Part:
    """The hits of a piece; `topics` are all it has, `repeated` as places in the order of the qrels."""

    topics: NDArray[np.bytes_]
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
    topics = [topic for part in sound for topic in part.topics.tolist()]
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
    """Finds judged documents in pieces of runs: by key, confirmed by the docno itself."""

    def __init__(self, qrels: Qrels, rules: Rules, depth: int | None) -> None:
        self._qrels, self._index, self._dialect, self._depth = qrels, qrels.index, rules.order, depth

    def match(self, data: NDArray[np.uint8]) -> "_Part | None":
        """The hits of a piece, None if it must be read with care."""
        columns = fast_runs.run_columns(data)
        if columns is None or len(set(columns.heads.tolist())) < len(columns.heads):
            return None
        topics = find_topics(self._qrels.topics, columns.heads)
        strangers = len(self._qrels.topics) + np.arange(len(topics))  # codes that no judged pair has
        codes = np.where(topics >= 0, topics, strangers)
        keys = columns.keys(codes, self._index.seed)
        rows, items = self._index.proposed(keys)
        sure = self._index.confirmed(items, codes[columns.places[rows]], tuple(word[rows] for word in columns.docnos.words))
        if not sure.all():
            rows, items = rows[sure], items[sure]
        rows, items = _in_order(columns.order(self._dialect), rows, items)
        places = codes[columns.places[rows]]
        ranks, lengths = rows - columns.offsets[columns.places[rows]] + 1, columns.lengths
        if self._depth is not None:
            places, items, ranks = (array[ranks <= self._depth] for array in (places, items, ranks))
            lengths = np.minimum(lengths, self._depth)
        return _Part(columns.heads, columns.tag, places, ranks, items, lengths, topics, _any_twice(keys, columns.offsets))


def _any_twice(keys: NDArray[np.uint64], offsets: NDArray[np.int64]) -> bool:
    """Whether a topic has a key twice; a few topics at a time, which the processor holds at once."""
    parts = -(-len(keys) // FEW)
    wanted = [len(keys) * part // parts for part in range(1, parts)]
    cuts = offsets[np.minimum(np.searchsorted(offsets, wanted), len(offsets) - 1)]
    return any(any_twice(part) for part in np.split(keys, cuts))


def _in_order(
    order: NDArray[np.int64] | None, rows: NDArray[np.int64], items: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where rows stand when they are put into an order, ascending, and the item of each."""
    if order is None:
        return rows, items
    held = np.full(len(order), -1, np.int64)
    held[rows] = items
    held = held[order]
    places = np.flatnonzero(held >= 0)
    return places, held[places]


def opened_bytes(data: bytes) -> Callable[[], BinaryIO]:
    """For data that is in memory already."""
    return lambda: io.BytesIO(data)
