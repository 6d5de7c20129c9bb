"""Topics of adaptive rounds as their strategies see them, kept as long as the process lives: derived data, made again at will."""

import threading
import zlib
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pooling import selectors, vectors
from pooling.core import baseline
from pooling.core.adaptive import History, Next, TopicRanks, find
from pooling.core.learning import Learnable, Vectors, reads_all
from pooling.core.strategies import STRATEGIES, rank_ties, reach
from pooling.core.text import Texts
from pooling.core.topics import TEXTS
from pooling.matrices import matrix_of
from pooling.models import Pool, Run, Topic

KEPT = 64  # topics


@dataclass(frozen=True, eq=False)
class View:
    """A topic's ranks in the runs of a round, and which of its documents are there to be judged."""

    ranks: TopicRanks
    runs: tuple[Run, ...]
    there: NDArray[np.bool_]


@dataclass(frozen=True)
class Said:
    """A document that was picked, the run it came from, and what is known of it: relevant 1, not 0, not yet -1."""

    docno: str
    run: int | None
    outcome: int


_kept: "OrderedDict[tuple[object, ...], View]" = OrderedDict()
_lock = threading.Lock()


def view(pool: Pool, topic: Topic) -> View:
    """Kept by round, topic and generation of the documents; a run that was submitted again changes no drawn round's key,
    since its columns are another file."""
    runs = tuple(pool.runs.select_related("upload").order_by("pk"))
    generation = selectors.corpus(pool.collection).generation
    key = (pool.pk, pool.created_at, topic.pk, topic.version, generation, tuple(run.columns for run in runs))
    with _lock:
        if key in _kept:
            _kept.move_to_end(key)
            return _kept[key]
    made = _made(pool, topic, runs)
    with _lock:
        _kept[key] = made
        while len(_kept) > KEPT:
            _kept.popitem(last=False)
    return made


def _made(pool: Pool, topic: Topic, runs: tuple[Run, ...]) -> View:
    matrix = matrix_of(runs, reach(pool.strategy, pool.parameters), rank_ties(pool.parameters))
    ranks = TopicRanks.of(matrix, topic.number.encode())
    words = baseline.query_of({name: getattr(topic, name) for name in TEXTS}, "all", topic.language)
    if reads_all(pool.strategy, pool.parameters):
        found = vectors.vectors(pool.collection)
        ranks = replace(ranks.among(found.docnos), texts=Learnable(found, words))
        return View(ranks, runs, np.ones(len(ranks), bool))
    docnos = [docno.decode() for docno in ranks.docnos.tolist()]
    present = selectors.present_docnos(pool.collection, docnos)
    if pool.strategy == "cal":
        ranks = replace(ranks, texts=Learnable(_vectors(pool, docnos), words))
    return View(ranks, runs, np.array([docno in present for docno in docnos], bool))


def _vectors(pool: Pool, docnos: Sequence[str]) -> Vectors:
    texts: dict[str, tuple[str, str]] = {}
    for start in range(0, len(docnos), 500):
        rows = selectors.documents(pool.collection).filter(docno__in=docnos[start : start + 500])
        for docno, title, text, language in rows.values_list("docno", "title", "text", "language"):
            texts[docno] = f"{title}\n{text}", language
    return Vectors.of(Texts.of((docno, *texts.get(docno, ("", ""))) for docno in docnos))


def next_picks(
    pool: Pool, topic: Topic, said: Sequence[Said], elsewhere: dict[int, int], others: Sequence[str], count: int
) -> list[tuple[str, Run | None, int, int, str]]:
    """The next so many documents: docno, run, best rank, number of runs, and why. `others` are judged in other rounds."""
    found = view(pool, topic)
    ranks, pick = found.ranks, STRATEGIES[pool.strategy].pick
    if pick is None:
        raise ValueError(f"expected an adaptive strategy, found {pool.strategy}")
    row = {run.pk: number for number, run in enumerate(found.runs)}
    places = _places(ranks, [one.docno for one in said])
    known = [one for one, place in zip(said, places.tolist(), strict=True) if place >= 0]
    taken = ~found.there
    for listed in (places, _places(ranks, others)):
        taken[listed[listed >= 0]] = True
    history = History(
        places[places >= 0],
        np.array([row.get(one.run or 0, -1) for one in known], np.int64),
        np.array([one.outcome for one in known], np.int64),
        taken,
        np.array([elsewhere.get(run.pk, 0) for run in found.runs], np.int64),
    )
    seed = [pool.seed, zlib.crc32(topic.number.encode())]
    picks = []
    for _ in range(count):
        chosen = pick(ranks, history, pool.parameters, seed)
        if chosen is None:
            break
        picks.append(_told(found, chosen))
        history = history.said(chosen.doc, chosen.run, -1)
    return picks


def left(pool: Pool, topic: Topic, others: Sequence[str]) -> list[tuple[str, int, int]]:
    """What a round could still pick of a topic, by docno: docno, best rank, number of runs. `others`: what is pooled."""
    found = view(pool, topic)
    ranks, free = found.ranks, found.there.copy()
    places = _places(ranks, others)
    free[places[places >= 0]] = False
    best, count = np.full(len(ranks), np.iinfo(np.int64).max), np.bincount(ranks.docs, minlength=len(ranks))
    np.minimum.at(best, ranks.docs, ranks.ranks)
    return [(ranks.docnos[doc].decode(), int(best[doc]) if count[doc] else 0, int(count[doc])) for doc in np.flatnonzero(free)]


def _places(ranks: TopicRanks, docnos: Sequence[str]) -> NDArray[np.int64]:
    return find(ranks.docnos, np.array([docno.encode() for docno in docnos], np.bytes_))


def _told(found: View, chosen: Next) -> tuple[str, Run | None, int, int, str]:
    ranks = found.ranks
    mine = ranks.ranks[ranks.docs == chosen.doc]
    run = found.runs[chosen.run] if chosen.run >= 0 else None
    why = f"rank {ranks.rank(chosen.run, chosen.doc)}, {chosen.why}" if run else chosen.why
    best = int(mine.min()) if len(mine) else 0  # a learner finds what no run has
    return ranks.docnos[chosen.doc].decode(), run, best, len(mine), why
