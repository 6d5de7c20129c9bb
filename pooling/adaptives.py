"""Topics of adaptive rounds as their strategies see them, kept as long as the process lives: derived data, made again at will."""

import threading
import zlib
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from django.db.models import Count, IntegerField, JSONField, QuerySet, Subquery, Sum
from django.db.models.functions import JSONObject
from numpy.typing import NDArray

from config.statements import statement
from pooling import selectors, vectors
from pooling.core import baseline
from pooling.core.adaptive import History, Next, TopicRanks, find
from pooling.core.learning import Learnable, Vectors, reads_all
from pooling.core.strategies import STRATEGIES, rank_ties, reach
from pooling.core.text import Texts
from pooling.core.topics import TEXTS
from pooling.matrices import matrix_of
from pooling.models import Corpus, Pool, Run, Topic

KEPT = 64  # topics


@dataclass(frozen=True, eq=False)
class View:
    """A topic's ranks in the runs of a round, and which of its documents are there to be judged.

    `key`: the version of the topic, the import of the documents, how many runs there are and the sum of their versions.
    """

    pool: Pool
    topic: Topic
    key: list[int]
    ranks: TopicRanks
    runs: tuple[Run, ...]
    there: NDArray[np.bool_]


@dataclass(frozen=True)
class Said:
    """A document that was picked, the run it came from, and what is known of it: relevant 1, not 0, not yet -1."""

    docno: str
    run: int | None
    outcome: int


@dataclass(frozen=True)
class Picked:
    """A document that comes next, the run it is picked from (None: none alone), its ranks in short, and why."""

    docno: str
    run: int | None
    best_rank: int
    run_count: int
    why: str


@dataclass(frozen=True)
class Known:
    """What there was when something was picked: topic, documents and runs (see `View`), so many picks, the newest act of
    judging, the picks that nobody had answered."""

    view: list[int]
    picked: int = 0
    newest: int = 0
    open: tuple[int, ...] = ()

    def before(self, place: int) -> dict[str, Any]:
        """As it is kept with a pick; those before it, from 0, were picked at the same time."""
        together = range(self.picked + 1, self.picked + 1 + place)
        return {"view": self.view, "newest": self.newest, "open": [*self.open, *together]}


_kept: "OrderedDict[tuple[object, ...], View]" = OrderedDict()
_lock = threading.Lock()


def stamp(pool: Any, topic: Any) -> QuerySet[Pool, Any]:
    """Whatever a view depends on, as one value: the words of the topic, the import of its documents, the runs as they are."""
    runs = Run.objects.filter(pools=pool).order_by().values("pools")
    facts = {
        "made": "created_at",
        "topic": Subquery(Topic.objects.filter(pk=topic).values("version"), output_field=IntegerField()),
        "documents": Subquery(Corpus.objects.filter(collection__topics=topic).values("generation")),
        "runs": Subquery(runs.annotate(n=Count("pk")).values("n")),
        "versions": Subquery(runs.annotate(n=Sum("version")).values("n")),
    }
    return Pool.objects.filter(pk=pool).order_by().values_list(JSONObject(**facts))


@statement
def _stamps(pool: Any, topic: Any) -> QuerySet[Pool, Any]:
    return (
        Pool.objects.filter(pk=pool).annotate(stamp=Subquery(stamp(pool, topic), output_field=JSONField())).values_list("stamp")
    )


def view(pool: Pool, topic: Topic) -> View:
    return view_at(pool.pk, topic.pk, _stamps(pool=pool, topic=topic)[0].stamp)


def view_at(pool: int, topic: int, made: Mapping[str, object]) -> View:
    """Kept by round, topic and their stamp: nothing is asked as long as that is the same."""
    key = (pool, topic, *sorted((name, str(value)) for name, value in made.items()))
    with _lock:
        if key in _kept:
            _kept.move_to_end(key)
            return _kept[key]
    round_ = Pool.objects.select_related("collection").get(pk=pool)
    runs = tuple(round_.runs.select_related("upload").order_by("pk"))
    versions = [int(str(made[name] or 0)) for name in ("topic", "documents", "runs", "versions")]
    found = _made(round_, Topic.objects.get(pk=topic), versions, runs)
    with _lock:
        _kept[key] = found
        while len(_kept) > KEPT:
            _kept.popitem(last=False)
    return found


def _made(pool: Pool, topic: Topic, key: list[int], runs: tuple[Run, ...]) -> View:
    matrix = matrix_of(runs, reach(pool.strategy, pool.parameters), rank_ties(pool.parameters))
    ranks = TopicRanks.of(matrix, topic.number.encode())
    words = baseline.query_of({name: getattr(topic, name) for name in TEXTS}, "all", topic.language)
    if reads_all(pool.strategy, pool.parameters):
        found = vectors.vectors(pool.collection)
        ranks = replace(ranks.among(found.docnos), texts=Learnable(found, words))
        return View(pool, topic, key, ranks, runs, np.ones(len(ranks), bool))
    docnos = [docno.decode() for docno in ranks.docnos.tolist()]
    present = selectors.present_docnos(pool.collection, docnos)
    if pool.strategy == "cal":
        ranks = replace(ranks, texts=Learnable(_vectors(pool, docnos), words))
    return View(pool, topic, key, ranks, runs, np.array([docno in present for docno in docnos], bool))


def _vectors(pool: Pool, docnos: Sequence[str]) -> Vectors:
    texts: dict[str, tuple[str, str]] = {}
    for start in range(0, len(docnos), 500):
        rows = selectors.documents(pool.collection).filter(docno__in=docnos[start : start + 500])
        for docno, title, text, language in rows.values_list("docno", "title", "text", "language"):
            texts[docno] = f"{title}\n{text}", language
    return Vectors.of(Texts.of((docno, *texts.get(docno, ("", ""))) for docno in docnos))


def next_picks(
    found: View, said: Sequence[Said], elsewhere: Mapping[int, int], others: Sequence[str], count: int
) -> list[Picked]:
    """The next so many documents, within the budget. `others` are judged in other rounds."""
    pool, ranks, pick = found.pool, found.ranks, STRATEGIES[found.pool.strategy].pick
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
    seed = [pool.seed, zlib.crc32(found.topic.number.encode())]
    picks: list[Picked] = []
    for _ in range(min(count, int(pool.parameters["budget"]) - len(said))):
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


def _told(found: View, chosen: Next) -> Picked:
    ranks = found.ranks
    mine = ranks.ranks[ranks.docs == chosen.doc]
    run = found.runs[chosen.run] if chosen.run >= 0 else None
    why = f"rank {ranks.rank(chosen.run, chosen.doc)}, {chosen.why}" if run else chosen.why
    best = int(mine.min()) if len(mine) else 0  # a learner finds what no run has
    return Picked(ranks.docnos[chosen.doc].decode(), run.pk if run else None, best, len(mine), why)
