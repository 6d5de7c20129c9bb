"""What pages, API, commands and downloads read of releases and scores. Nothing is computed anew: scores are stored."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from django.conf import settings
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery
from django.http import Http404
from django.urls import reverse
from numpy.typing import NDArray

from assess.models import DecisionEvent, JudgmentEvent
from assess.selectors import judgments, who_counts
from config.errors import Gone
from config.models import Job
from evaluation.core.qrels import Qrels
from evaluation.core.registry import Measure, MeasureError, parse_measure
from evaluation.models import Release, ReleaseState, ReleaseStep, Score, ScoreFile
from evaluation.score_files import ScoreTable
from pooling import access
from pooling.core.qrels import read_qrels
from pooling.models import Collection, Run, Topic, Visibility
from pooling.selectors import Stage

ALWAYS = ("AP", "Bpref", "nDCG", "nDCG@10", "P@10")
COUNTS = ("NumRet", "NumRel", "NumRelRet")
ESTIMATED = ("xinfAP", "infNDCG", "statAP", "statP@10")  # from a sampled pool
SHOWN_MISSING = ("AP", "nDCG", "P", "xinfAP", "infNDCG")  # named as missing where a sample does not support them
SAME = 1e-12  # sums of the same values in another order differ by less, and values that differ by more
LABELS = {"NumRet": "Retrieved", "NumRelRet": "Found"}
JUDGED = "Judged@10"  # a mean alone: of the run's top, not of what it is worth


# Releases


def _last_state() -> Subquery:
    return Subquery(ReleaseStep.objects.filter(release=OuterRef("pk")).order_by("-pk").values("state")[:1])


def releases(collection: Collection, *, withdrawn: bool = True) -> QuerySet[Release]:
    """Newest first, each with its state; those that whoever asks may see (pooling/access.py: narrowed)."""
    found = collection.releases.select_related("frozen_by").annotate(last_state=_last_state())
    if not withdrawn:
        found = found.exclude(last_state=ReleaseState.WITHDRAWN)
    seen = collection.release_states
    if seen is None:
        return found
    was = ReleaseStep.objects.filter(release=OuterRef("pk"), state__in=seen)
    return found.filter(Q(last_state__in=seen) | Q(Exists(was), last_state=ReleaseState.WITHDRAWN))


def newest(collection: Collection) -> Release | None:
    """The newest that is given out."""
    return releases(collection, withdrawn=False).first()


def tombstone(collection: Collection, number: int) -> Release:
    """The release of that number, withdrawn or not; Http404 if there is none."""
    one = releases(collection).filter(number=number).first()
    if one is None:
        raise Http404(f"There is no release {number}.")
    one.collection = collection
    return one


def release(collection: Collection, number: int | None = None) -> Release:
    """The release of that number, or the newest; Http404 if there is none, Gone if it was withdrawn."""
    if number is not None:
        one = tombstone(collection, number)
        if one.state == ReleaseState.WITHDRAWN:
            why = one.steps.latest("pk").note
            raise Gone(f"Release {number} was withdrawn{f': {why}' if why else '.'}")
        return one
    found = newest(collection)
    if found is None:
        raise Http404("There is no release yet.")
    found.collection = collection
    return found


def is_judged(collection: Collection) -> bool:
    return judgments(collection).exists()


def judgments_since(release: Release | None, collection: Collection) -> int:
    """How many judgments were made or changed after the release; without one, how many there are."""
    if release is None:
        return judgments(collection).count()
    events = JudgmentEvent.objects.filter(pk__gt=release.last_event, judgment__item__pool__collection=collection)
    decided = DecisionEvent.objects.filter(pk__gt=release.last_decision, decision__item__pool__collection=collection)
    events = events.filter(who_counts(collection, "judgment__assessor"))
    judged = events.aggregate(count=Count("judgment", distinct=True))["count"] or 0
    return judged + (decided.aggregate(count=Count("decision", distinct=True))["count"] or 0)


def qrels(release: Release) -> Qrels:
    columns, report = read_qrels((settings.DATA / release.path).read_bytes())
    if columns is None:
        raise ValueError(f"release {release.pk}: {release.path} holds no qrels: {report.findings[:1]}")
    return Qrels.from_columns(columns)


def public_releases(user: access.Anyone) -> QuerySet[Release]:
    """The newest releases of public collections, without those whose scores the user must not see."""
    found = Release.objects.annotate(last_state=_last_state()).filter(last_state=ReleaseState.PUBLIC)
    found = found.filter(collection__visibility=Visibility.PUBLIC).select_related("collection")
    if user.is_authenticated:
        found = found.exclude(collection_id__in=access.blind_in(user))
    return found.order_by("-pk")[:10]


def release_stage(collection: Collection, *, opens: bool) -> Stage:
    """The last step of the line; a link for who may open it."""
    found = newest(collection)
    if not opens:
        return Stage(
            "Release", f"{found.number}" if found else "–", "frozen" if found else "none yet", "done" if found else "todo"
        )
    href = reverse("releases", args=[collection.slug])
    since = judgments_since(found, collection)
    if found is None:
        return Stage("Release", "–", "none yet", "now" if since else "todo", href)
    note = f"{since:,} judgment{'' if since == 1 else 's'} since" if since else "up to date"
    return Stage("Release", f"{found.number}", note, "now" if since else "done", href)


def job_of(collection: Collection, *names: str) -> Job | None:
    """The latest job of these kinds."""
    return Job.objects.filter(collection_id=collection.pk, name__in=names).order_by("-pk").first()


# Measures


def measures(release: Release) -> list[Measure]:
    """What a run is scored by: official measures first, then the usual ones, counts, and those of the strict view."""
    plain = [measure for measure in _wanted(release) if _supports(release, measure)]
    return list(dict.fromkeys([*plain, *(_strict(release, measure) for measure in plain)]))


def unsupported(release: Release) -> list[str]:
    """Measures that would be shown, and that a sampled pool cannot support, or that need one."""
    return [str(measure) for measure in _wanted(release) if not _supports(release, measure)]


def _wanted(release: Release) -> list[Measure]:
    official = [measure for name in release.collection.measures if (measure := _known(name))]
    usual = (*(ESTIMATED if release.about.get("sample") else ()), *ALWAYS, *COUNTS)
    found = list(dict.fromkeys([*official, *(parse_measure(name) for name in usual)]))
    return [one for one in found if one in official or _supports(release, one) or one.definition.name in SHOWN_MISSING]


def _supports(release: Release, measure: Measure) -> bool:
    """A sample supports what is estimated from it, and what heeds judged documents alone; other pools all but estimates."""
    sample, needs = release.about.get("sample"), measure.definition.needs
    if not sample:
        return not needs
    if needs == "strata":
        return bool(sample["strategy"] != "ap-weighted")
    return needs == "inclusion" or measure.definition.name in ("Bpref", "NumRet")


def _known(name: str) -> Measure | None:
    try:
        return parse_measure(name)
    except MeasureError:
        return None


def unknown_measures(collection: Collection) -> list[str]:
    """Official measures that nothing here computes."""
    return [name for name in collection.measures if _known(name) is None]


def has_strict(release: Release) -> bool:
    """Whether the strict view differs: a threshold of its own, which measures can name."""
    lenient, strict = release.counts["lenient_from"], release.counts["strict_from"]
    return bool(strict > max(lenient, 0))


def _strict(release: Release, measure: Measure) -> Measure:
    if not has_strict(release) or not measure.definition.takes_rel or measure.rel is not None:
        return measure
    return measure.at(release.counts["strict_from"])


# Scores


def unscored(release: Release) -> QuerySet[Run]:
    """Runs that came, or were submitted again, after the scores were computed, or lack a measure that is official since."""
    names = [JUDGED, *map(str, measures(release))]
    there = Count("scores", filter=Q(scores__release=release, scores__measure__in=names))
    runs = release.collection.runs.select_related("upload").annotate(there=there)
    current = ScoreFile.objects.filter(release=release, run=OuterRef("pk"), run_sha256=OuterRef("upload__sha256"))
    return runs.filter(Q(there__lt=len(names)) | ~Exists(current)).order_by("tag")


@dataclass(frozen=True)
class Column:
    """A measure over a table. `sorted`: ascending, descending or ""; `sort` is what its link asks for."""

    name: str
    label: str
    about: str
    is_count: bool
    official: bool
    best: bool  # whether a high value is a good one
    sorted: str = ""
    sort: str = ""

    def text(self, value: float) -> str:
        return f"{value:,.0f}" if self.is_count else f"{value:.4f}"


@dataclass(frozen=True)
class Cell:
    value: float | None
    text: str
    best: bool


@dataclass(frozen=True)
class Row:
    run: Run
    cells: list[Cell]


@dataclass(frozen=True)
class Board:
    """Runs × measures, as shown. `run` and `group` are the columns before the measures."""

    run: Column
    group: Column
    columns: list[Column]
    rows: list[Row]
    medians: list[Cell]


def score_files(release: Release) -> QuerySet[ScoreFile]:
    """The runs that have scores, by tag; not the scores of a file that was replaced since."""
    return release.score_files.filter(run_sha256=F("run__upload__sha256")).select_related("run").order_by("run__tag")


def table(file: ScoreFile) -> ScoreTable:
    return ScoreTable.read(settings.DATA / file.path)


def columns(release: Release, *, strict: bool = False, means: bool = True) -> list[Column]:
    """The measures of a table in one view, official ones first."""
    official = [measure for name in release.collection.measures if (measure := _known(name)) and _supports(release, measure)]
    plain = [measure for measure in measures(release) if measure.rel is None or measure in official]
    plain = [measure for measure in plain if measure.definition.name != "NumRel"]  # the same for every run
    seen = list(dict.fromkeys(_strict(release, measure) if strict else measure for measure in plain))
    firsts = {_strict(release, measure) if strict else measure for measure in official}
    return [_column(measure, official=measure in firsts, means=means) for measure in seen]


def _column(measure: Measure, *, official: bool, means: bool) -> Column:
    definition = measure.definition
    name = str(measure)
    label = name.replace(definition.name, LABELS.get(definition.name, definition.name), 1)
    label = f"M{label}" if means and definition.name == "AP" else label
    is_count = definition.summary == "sum"
    about = definition.definition.removesuffix(".") + (f" ({definition.reference})." if definition.reference else ".")
    return Column(name, label, about, is_count, official, definition.better == "higher")


_RUN = Column("run", "Run", "", False, False, False)
_GROUP = Column("group", "Group", "", False, False, False)
_JUDGED = Column(JUDGED, "judged@10", "Share of the first ten documents that somebody judged.", False, False, False)


def means(release: Release) -> list[tuple[ScoreFile, dict[str, float]]]:
    """Every run that has scores, by tag, with its mean of each measure of both views."""
    found: dict[int, dict[str, float]] = {}
    for run, measure, mean in Score.objects.filter(release=release).values_list("run_id", "measure", "mean"):
        found.setdefault(run, {})[measure] = mean
    return [(file, found.get(file.run_id, {})) for file in score_files(release)]


def leaderboard(release: Release, *, sort: str = "", strict: bool = False) -> Board:
    """The means of all runs that have scores."""
    found = means(release)
    wanted = [*columns(release, strict=strict), _JUDGED]
    lines = [[by_measure.get(column.name, np.nan) for column in wanted] for _file, by_measure in found]
    values = np.array(lines, np.float64).reshape(len(found), len(wanted))
    return _board([file.run for file, _means in found], wanted, values, sort)


def on_topic(release: Release, topic: str) -> Iterator[tuple[Run, list[str], list[float]]]:
    """Each run with measures and their values on one topic; Http404 if the release lacks it."""
    for run, scores in per_topic(release):
        at = np.flatnonzero(scores.topics == topic.encode())
        if not len(at):
            raise Http404(f"Release {release.number} has no topic {topic}.")
        yield run, scores.names, scores.values[:, int(at[0])].tolist()


def topic_board(release: Release, topic: str, *, sort: str = "", strict: bool = False) -> Board:
    """The scores of all runs on one topic."""
    wanted = columns(release, strict=strict, means=False)
    found = [(run, dict(zip(names, values, strict=True))) for run, names, values in on_topic(release, topic)]
    lines = [[by_measure.get(column.name, np.nan) for column in wanted] for _run, by_measure in found]
    values = np.array(lines, np.float64).reshape(len(found), len(wanted))
    return _board([run for run, _values in found], wanted, values, sort)


def _board(runs: Sequence[Run], wanted: list[Column], values: NDArray[np.float64], sort: str) -> Board:
    order, head = _sorted(runs, wanted, values, sort)
    shown = np.where(np.isnan(values), -np.inf, values)
    top, low = shown.max(axis=0, initial=-np.inf), np.where(np.isnan(values), np.inf, values).min(axis=0, initial=np.inf)
    best = np.array([column.best for column in wanted]) & (top > low + SAME)  # where all are equal, none is best
    rows = [
        Row(
            runs[line],
            [_cell(c, v, bool(b and v > t - SAME)) for c, v, b, t in zip(wanted, values[line], best, top, strict=True)],
        )
        for line in order
    ]
    medians = [_cell(c, _median(values[:, place]), False) for place, c in enumerate(wanted)]
    return Board(head["run"], head["group"], [head[column.name] for column in wanted], rows, medians)


def medians(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Over the first axis, of what is defined; NaN where nothing is."""
    if not np.isnan(values).any():
        return np.asarray(np.median(values, axis=0))
    return np.apply_along_axis(_median, 0, values)


def _median(values: NDArray[np.float64]) -> float:
    there = values[~np.isnan(values)]
    return float(np.median(there)) if len(there) else float("nan")


def _cell(column: Column, value: float, best: bool) -> Cell:
    if np.isnan(value):
        return Cell(None, "–", False)
    return Cell(float(value), column.text(value), best)


def _sorted(
    runs: Sequence[Run], wanted: list[Column], values: NDArray[np.float64], sort: str
) -> tuple[list[int], dict[str, Column]]:
    """The order of the rows, and the columns knowing theirs. “AP” is best first, “run” from A; “-” turns it round."""
    every = {column.name: column for column in (_RUN, _GROUP, *wanted)}
    name, turned = sort.removeprefix("-"), sort.startswith("-")
    if name not in every:
        name, turned = (wanted[0].name if wanted else "run"), False
    order = sorted(range(len(runs)), key=lambda line: runs[line].tag)
    words = name in {"run", "group"}
    if words:
        order.sort(key=lambda line: getattr(runs[line], "tag" if name == "run" else "group"), reverse=turned)
    else:
        place = [column.name for column in wanted].index(name)
        sign = 1 if turned else -1
        order.sort(key=lambda line: (bool(np.isnan(values[line, place])), sign * np.nan_to_num(values[line, place])))
    ascending = words != turned
    head = {
        key: _with(column, "" if key != name else "ascending" if ascending else "descending", turned)
        for key, column in every.items()
    }
    return order, head


def _with(column: Column, now: str, turned: bool) -> Column:
    return replace(column, sorted=now, sort=f"-{column.name}" if now and not turned else column.name)


# Topics


@dataclass(frozen=True)
class TopicRow:
    """A run's score on a topic, beside the others'."""

    number: str
    title: str
    relevant: int
    retrieved: int
    found: int
    value: float
    median: float
    best: float
    answered: bool

    @property
    def difference(self) -> float:
        exact = self.value - self.median
        return exact if abs(exact) > SAME else 0.0


def topics_of(release: Release) -> list[str]:
    """The topics of the release that are scored, in the order of people: 2 before 10."""
    file = score_files(release).first()
    return sorted((topic.decode() for topic in table(file).topics.tolist()), key=natural) if file else []


def natural(number: str) -> tuple[int, str]:
    return (int(number), "") if number.isascii() and number.isdigit() and len(number) < 19 else (10**19, number)


def score_file(release: Release, tag: str) -> ScoreFile:
    file = score_files(release).filter(run__tag=tag).first()
    if file is None:
        raise Http404(f"There are no scores of {tag} under release {release.number}.")
    return file


def stack(release: Release, names: Sequence[str]) -> NDArray[np.float64]:
    """The values per topic of all runs that have these measures: runs × measures × topics."""
    found = []
    for _run, scores in per_topic(release):
        if set(names) <= set(scores.names):
            found.append(scores.values[[scores.names.index(name) for name in names]])  # a copy: the file's array may go
    return np.stack(found)


def run_topics(release: Release, file: ScoreFile, measure: str) -> list[TopicRow]:
    """One run's score on each topic, beside the median and the best of all runs."""
    mine = table(file)
    stacked = stack(release, [measure])[:, 0]
    counts = {name: mine.values[mine.names.index(name)].astype(np.int64).tolist() for name in COUNTS}
    titles = dict(Topic.objects.filter(collection_id=release.collection_id).values_list("number", "title"))
    numbers = [topic.decode() for topic in mine.topics.tolist()]
    rows = zip(
        numbers,
        [titles.get(number, "") for number in numbers],
        counts["NumRel"],
        counts["NumRet"],
        counts["NumRelRet"],
        mine.values[mine.names.index(measure)].tolist(),
        medians(stacked).tolist(),
        [float(np.max(column[~np.isnan(column)], initial=-np.inf)) for column in stacked.T],
        mine.answered.tolist(),
        strict=True,
    )
    return sorted((TopicRow(*row) for row in rows), key=lambda row: natural(row.number))


@dataclass(frozen=True)
class MeanRow:
    """A run's mean of a measure beside those of all runs."""

    column: Column
    text: str
    median: str
    best: str
    rank: int


def run_means(board: Board, run: Run) -> list[MeanRow]:
    """What a leaderboard says of one run."""
    [mine] = [row for row in board.rows if row.run.pk == run.pk]
    found = []
    for place, column in enumerate(board.columns):
        values = [value for row in board.rows if (value := row.cells[place].value) is not None]
        value = mine.cells[place].value
        if value is not None:
            rank = 1 + sum(other > value + SAME for other in values)
            best = column.text(max(values)) if column.best else ""
            found.append(MeanRow(column, mine.cells[place].text, board.medians[place].text, best, rank if column.best else 0))
    return found


def topic_grades(release: Release, topic: str) -> dict[int, int]:
    """How many documents of a topic have each grade."""
    found = qrels(release)
    at = np.flatnonzero(found.topics == topic.encode())
    values, counts = np.unique(found.grades[found.codes == (at[0] if len(at) else -1)], return_counts=True)
    return dict(zip(values.tolist(), counts.tolist(), strict=True))


def per_topic(release: Release) -> Iterator[tuple[Run, ScoreTable]]:
    """Every run with its file, one after the other: all at once may be too much."""
    for file in score_files(release):
        yield file.run, table(file)
