"""Where the runs stand: every run's scores on every topic, under a release or by the judgments of now.

Under a release they are read as they were stored. Live ones are computed from the rank matrix of all runs: a judgment
changes one grade, and nothing is read or ranked again. Both are kept in memory until something changes.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from django.conf import settings
from django.http import Http404
from numpy.typing import NDArray

from assess import opinions
from assess.models import AssignmentPlan, MergePlan
from config import store
from config.expected import no_such
from config.keeping import kept
from evaluation import bundles, columns, selectors
from evaluation import live as lives
from evaluation.core.definitions import MeasureError
from evaluation.core.evaluate import Scores
from evaluation.core.judged import Given, Judged
from evaluation.core.matrix import StoredRuns
from evaluation.core.qrels import Qrels
from evaluation.core.registry import parse_measure
from evaluation.live import Live, Mark
from evaluation.models import Release, Score, Seen
from evaluation.score_files import ScoreTable
from pooling import matrices
from pooling.core.matrix import RankMatrix
from pooling.models import Collection, Run

LIVE = "live"
Values = NDArray[np.float64]


@dataclass(frozen=True)
class Entry:
    """A run as somebody may see it: of others, where they are not to be named, neither tag nor group."""

    pk: int
    tag: str
    group: str
    kind: str
    mine: bool
    named: bool
    sha256: str
    version: str = ""  # of Assize, which computed its scores

    @property
    def origin(self) -> dict[str, str]:
        """What a score of this run names beside the measure and the release."""
        return {"sha256": self.sha256, "version": self.version}


@dataclass(frozen=True, eq=False)
class Standing:
    """Runs × measures × topics. `means`, `low` and `high` are runs × measures: `low` to `high` is the range that unjudged
    documents allow a mean, NaN where it is not known. Judged@10, last of the `names`, has a mean alone. `live` is there
    for live standings. `key` tells two apart.

    `seen`: places of the runs that whoever asks may see, one by one; medians are of all.
    """

    collection: Collection
    release: Release | None
    entries: list[Entry]
    names: list[str]
    topics: NDArray[np.bytes_]
    values: NDArray[np.float64]
    means: Values
    low: Values
    high: Values
    answered: NDArray[np.bool_]
    no_relevant: NDArray[np.bool_]
    counts: columns.Counts
    key: str
    seen: list[int]
    live: Live | None = None

    @property
    def name(self) -> str:
        return f"release {self.release.number}" if self.release else "live"

    @property
    def which(self) -> str:
        """As an address asks for it."""
        return str(self.release.number) if self.release else LIVE

    @property
    def version(self) -> str:
        """Of Assize, which computed these scores: one, or several where runs were scored by and by."""
        return ", ".join(sorted({entry.version for entry in self.entries if entry.version})) or bundles.version()

    def stamp(self, places: Sequence[int] = ()) -> dict[str, str]:
        """Where the numbers of a file come from: the release, its qrels, these runs, and Assize's version."""
        told = {"release": self.which} | ({"qrels_sha256": self.release.sha256} if self.release else {})
        entries = [self.entries[place] for place in places]
        for entry in entries:
            told["run_sha256" if len(entries) == 1 else f"sha256 of {entry.tag}"] = entry.sha256
        versions = {entry.version for entry in entries} - {""}
        return told | {"version": ", ".join(sorted(versions)) or self.version}

    @property
    def small(self) -> bool:
        """Whether the ranks of all runs fit into memory, some 16 bytes each."""
        retrieved = self.means[:, self.names.index("NumRet")] if "NumRet" in self.names else np.zeros(0)
        return bool(np.nansum(retrieved) <= matrices.MOST_ENTRIES)

    def of(self, measure: str) -> Values:
        """Runs × topics."""
        return self.values[:, self.names.index(measure)]

    def place(self, tag: str) -> int:
        """The place of a run that is seen under this name."""
        for place in self.seen:
            if self.entries[place].tag == tag and self.entries[place].named:
                return place
        if self.release and selectors.late(self.release).filter(tag=tag).exists():
            organizes = self.collection.release_states is None
            own = "Score new runs on the leaderboard, or freeze the next release."
            remedy = own if organizes else "The organizers can score it, or the next release does."
            words = f"Run “{tag}” was submitted after release {self.release.number} was frozen, and has no scores under it."
            raise selectors.absent(self.collection, words, "Leaderboard", "leaderboard", remedy=remedy)
        words = no_such("run", tag, "with scores among those you see")
        raise selectors.absent(self.collection, words, "Leaderboard", "leaderboard")

    def scores(self, place: int, *, strict: bool = False) -> Scores:
        """One run's, in one view, as an evaluation of that run alone from that level on: measures have their plain names."""
        plain = [measure for measure in map(parse_measure, self.names[:-1]) if measure.rel is None]
        views = [str(columns.strict_view(measure, self.counts) if strict else measure) for measure in plain]
        there = {name: column for column, name in enumerate(self.names[:-1]) if not np.isnan(self.means[place, column])}
        both = [(measure, there[view]) for measure, view in zip(plain, views, strict=True) if view in there]
        kept = [column for _measure, column in both]
        return Scores(
            (self.entries[place].tag,),
            tuple(measure for measure, _column in both),
            self.topics,
            self.values[None, place, kept],
            self.means[None, place, kept],
            self.answered[None, place],
            self.no_relevant,
            self.counts["strict_from" if strict else "lenient_from"],
            True,
        )

    def range_of(self, measure: str) -> tuple[Values, Values]:
        """Of the means of all runs by one measure."""
        column = self.names.index(measure)
        if self.live is None:
            return self.low[:, column], self.high[:, column]
        low, high = self.live.range_of(measure)
        return low.mean(axis=1), high.mean(axis=1)


# Standings


def standing(collection: Collection, which: str = "") -> Standing:
    """By the number of a release, "live", or "" for the newest release; Http404 if it is not there for whoever asks."""
    if which == LIVE:
        if collection.release_states is not None:
            raise Http404("Live scores are for the organizers.")
        return live(collection)
    if which and not (which.isascii() and which.isdigit() and len(which) < 9):
        raise selectors.no_release(collection, which)
    return of_release(selectors.release(collection, int(which) if which else None))


def of_release(release: Release) -> Standing:
    """As they were stored."""
    collection, counts = release.collection, release.counts
    files = list(selectors.score_files(release))
    names = [str(measure) for measure in columns.measures(collection, counts)]
    paths = tuple(file.path for file in files)
    table = kept(("stored", release.pk, paths, tuple(names)), lambda: _stacked(paths, names))
    shares = dict(Score.objects.filter(release=release, measure=columns.JUDGED).values_list("run_id", "mean"))
    judged = np.array([shares.get(file.run_id) for file in files], np.float64)  # None, of no such score, is NaN
    key = hashlib.sha256(repr((release.pk, paths, names)).encode()).hexdigest()
    entries, seen = _entries(collection, [(file.run, file.run_sha256, file.version) for file in files], release.pk)
    return Standing(
        collection,
        release,
        entries,
        [*names, columns.JUDGED],
        table.topics,
        table.values,
        np.concatenate((table.means, judged[:, None]), axis=1),
        np.concatenate((table.low, judged[:, None]), axis=1),
        np.concatenate((table.high, judged[:, None]), axis=1),
        table.answered,
        table.no_relevant,
        counts,
        key,
        seen,
    )


@dataclass(frozen=True, eq=False)
class _Stacked:
    topics: NDArray[np.bytes_]
    values: NDArray[np.float64]
    means: Values
    low: Values
    high: Values
    answered: NDArray[np.bool_]
    no_relevant: NDArray[np.bool_]


def _stacked(paths: Sequence[str], names: list[str]) -> _Stacked:
    """The files of all runs as one table; NaN where a run lacks a measure that came later."""
    tables = [ScoreTable.read(store.path(path)) for path in paths]
    topics = tables[0].topics if tables else np.zeros(0, "S1")
    shape = len(tables), len(names), len(topics)
    values, means = np.full(shape, np.nan), np.full(shape[:2], np.nan)
    low, high = np.full(shape[:2], np.nan), np.full(shape[:2], np.nan)
    for run, table in enumerate(tables):
        there = {name: place for place, name in enumerate(table.names)}
        mine = [column for column, name in enumerate(names) if name in there]
        rows = [there[names[column]] for column in mine]
        values[run, mine], means[run, mine] = table.values[rows], table.means[rows]
        low[run, mine], high[run, mine] = table.low[rows], table.high[rows]
    answered = np.array([table.answered for table in tables], bool).reshape(len(tables), len(topics))
    nothing = tables[0].no_relevant if tables else np.zeros(0, bool)
    return _Stacked(topics, values, means, low, high, answered, nothing)


def live(collection: Collection) -> Standing:
    """By the judgments of now, merged by the collection's rule; nothing is stored, and no job is needed."""
    runs = list(collection.runs.select_related("upload").order_by("tag"))
    counts, plan = columns.live_counts(collection), opinions.plan(collection)
    given = Given(top=columns.top_grade(collection), documents=counts["documents"])
    names = [str(measure) for measure in columns.measures(collection, counts)]
    told = live_key(collection, plan, counts, runs, names)
    mark = Mark.of(collection)
    everything = [*names, columns.JUDGED]
    found = lives.live(told, collection, mark, plan, lambda: stored(runs), everything, counts["lenient_from"], given)
    scores = found.scores
    unknown = np.full(scores.means.shape, np.nan)
    version = bundles.version()  # read from a file
    entries, seen = _entries(collection, [(run, run.upload.sha256, version) for run in runs], 0)
    key = hashlib.sha256(repr((told, mark)).encode()).hexdigest()
    return Standing(
        *(collection, None, entries, everything, scores.topics, scores.values[:, :-1], scores.means, unknown, unknown),
        *(scores.answered, scores.no_relevant, counts, key, seen, found),
    )


def live_key(collection: Collection, plan: MergePlan, counts: columns.Counts, runs: list[Run], names: list[str]) -> str:
    """Changes when anything does that live scores depend on, but for judging and deciding."""
    machines = AssignmentPlan.objects.filter(collection=collection, count_machines=True).exists()
    merged = plan.rule, plan.opinions, plan.missing
    return repr((collection.pk, machines, merged, counts, [(run.pk, run.upload.sha256) for run in runs], names))


def stored(runs: Sequence[Run]) -> StoredRuns:
    """The rank matrix of these runs, as evaluation sees it; kept as long as the matrix is."""
    return _stored(matrices.matrix_of(runs, None))


@lru_cache(maxsize=2)
def _stored(matrix: RankMatrix) -> StoredRuns:
    return StoredRuns.of(matrix)


def judged_all(standing: Standing) -> Judged:
    """All runs against the qrels: which judged documents each has, at which rank."""
    if standing.live:
        return standing.live.judged
    places = range(len(standing.entries))
    return kept((standing.key, "judged"), lambda: stored(runs_of(standing, places)).judged(qrels_of(standing)))


def qrels_of(standing: Standing) -> Qrels:
    if standing.live:
        return standing.live.qrels
    assert standing.release is not None  # noqa: S101  (a standing is of a release, or live)
    release = standing.release
    return kept(("qrels", release.sha256), lambda: selectors.qrels(release))


def runs_of(standing: Standing, places: Sequence[int]) -> list[Run]:
    """The runs of these places, in their order."""
    found = Run.objects.select_related("upload").in_bulk([standing.entries[place].pk for place in places])
    return [found[standing.entries[place].pk] for place in places]


# Who is named


def _entries(collection: Collection, runs: Sequence[tuple[Run, str, str]], salt: int) -> tuple[list[Entry], list[int]]:
    """The runs as whoever asks may see them, and the places of those they may see at all."""
    seen, user = collection.scores_seen
    mine = [user is not None and run.submitted_by_id == user for run, _digest, _version in runs]
    order = sorted(range(len(runs)), key=lambda place: _shuffled(runs[place][0].pk, salt))
    number = {place: rank for rank, place in enumerate(order, 1)}
    entries = []
    for place, (run, digest, version) in enumerate(runs):
        if seen == Seen.ALL or mine[place]:
            entries.append(Entry(run.pk, run.tag, run.group, run.kind, mine[place], True, digest, version))
        else:
            entries.append(Entry(run.pk, f"run {number[place]}", "", "", False, False, "", version))
    return entries, [place for place in range(len(runs)) if seen != Seen.OWN or mine[place]]


def _shuffled(pk: int, salt: int) -> str:
    """An order that tells nothing: of tags, of when runs came, or of the same runs under another release."""
    return hashlib.sha256(f"{settings.SECRET_KEY}:{salt}:{pk}".encode()).hexdigest()


def measure_of(standing: Standing, name: str) -> str:
    """The measure that is asked for, if there are scores by it; else the first official one."""
    listed = [column.name for column in columns.columns(standing.collection, standing.counts) if not column.is_count]
    try:
        wanted = str(parse_measure(name)) if name else ""
    except MeasureError:
        wanted = ""
    return wanted if wanted in standing.names and wanted != columns.JUDGED else listed[0]


def groups_of(standing: Standing) -> list[str]:
    return sorted({standing.entries[place].group for place in standing.seen} - {""})
