"""What is told of one run and of one topic, beside all the others."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation import columns, selectors, standings, told
from evaluation.boards import SAME, medians
from evaluation.columns import Column
from evaluation.core.curves import GainCurve, gain_curve
from evaluation.core.evaluate import evaluate_judged
from evaluation.core.judged import Judged, Level, join
from evaluation.core.registry import parse_measure
from evaluation.core.summary import SummaryPage, summary_page
from evaluation.standings import Standing
from pooling import selectors as pooling
from pooling.core.keys import find_topics
from pooling.models import Run, Topic

GAIN_RANKS = 20


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
    worst: float
    answered: bool
    sign: int = 1  # -1: a low score is a good one

    @property
    def difference(self) -> float:
        """NaN where the measure is not defined."""
        exact = self.value - self.median
        return 0.0 if abs(exact) <= SAME else exact


def run_topics(standing: Standing, place: int, measure: str) -> list[TopicRow]:
    """One run's score on each topic, beside the median, the best and the worst of all runs."""
    values = standing.of(measure)
    level, sign = parse_measure(measure).rel, columns.sign(measure)
    tops, lows = _extremes(values)
    strict = level is not None and level == standing.counts["strict_from"] and columns.has_strict(standing.counts)
    counts = _counts(standing, place, level if strict else None)
    titles = dict(Topic.objects.filter(collection_id=standing.collection.pk).values_list("number", "title"))
    numbers = [topic.decode() for topic in standing.topics.tolist()]
    rows = zip(
        numbers,
        [titles.get(number, "") for number in numbers],
        counts["NumRel"],
        counts["NumRet"],
        counts["NumRelRet"],
        values[place].tolist(),
        medians(values).tolist(),
        tops if sign > 0 else lows,
        lows if sign > 0 else tops,
        standing.answered[place].tolist(),
        [sign] * len(numbers),
        strict=True,
    )
    return sorted((TopicRow(*row) for row in rows), key=lambda row: selectors.natural(row.number))


def _counts(standing: Standing, place: int, level: int | None) -> dict[str, list[int]]:
    """Relevant, retrieved and found of each topic; under a sampled pool, which has no scores by them, of what was judged."""
    names = [f"{name}(rel={level})" if level and name != "NumRet" else name for name in columns.COUNTS]
    if set(names) <= set(standing.names):
        rows = [standing.of(name)[place] for name in names]
    else:
        (run,) = standings.runs_of(standing, [place])
        rel = level or standing.counts["lenient_from"]
        found = evaluate_judged(judged_run(standing, run), (run.tag,), list(columns.COUNTS), rel=rel)
        at = find_topics(found.topics, standing.topics)
        rows = [np.where(at >= 0, row[at], 0.0) for row in found.values[0]]
    return {name: row.astype(np.int64).tolist() for name, row in zip(columns.COUNTS, rows, strict=True)}


def _extremes(values: NDArray[np.float64]) -> tuple[list[float], list[float]]:
    """The highest and the lowest over the first axis; NaN where the measure is defined for nobody."""
    there = ~np.isnan(values)
    some = there.any(axis=0)
    high = np.where(there, values, -np.inf).max(axis=0, initial=-np.inf)
    low = np.where(there, values, np.inf).min(axis=0, initial=np.inf)
    return np.where(some, high, np.nan).tolist(), np.where(some, low, np.nan).tolist()


@dataclass(frozen=True)
class MeanRow:
    """A run's mean of a measure beside those of all runs."""

    column: Column
    value: float
    text: str
    median: str
    best: str
    rank: int


def run_means(standing: Standing, place: int, *, strict: bool = False) -> list[MeanRow]:
    """What a leaderboard says of one run; its place is among all runs."""
    found = []
    for column in (*columns.columns(standing.collection, standing.counts, strict=strict), columns.JUDGED_COLUMN):
        if column.name not in standing.names:
            continue
        values = standing.means[:, standing.names.index(column.name)]
        value, there = float(values[place]), values[~np.isnan(values)]
        if np.isnan(value):
            continue
        rank = 1 + int((column.sign * (there - value) > SAME).sum())
        best = column.text(float(column.sign * (column.sign * there).max())) if column.best else ""
        middle = column.text(float(np.median(there)))
        found.append(MeanRow(column, value, column.text(value), middle, best, rank if column.best else 0))
    return found


@dataclass(frozen=True, eq=False)
class RunReport:
    """TREC's page for one run, and what belongs beside it. `gains`: cumulated and discounted, by rank."""

    run: Run
    rel: int
    summary: SummaryPage
    gains: GainCurve
    measure: str
    rows: list[TopicRow]
    means: list[MeanRow]
    users: list[told.Told]
    text: list[told.Told]
    missing: int
    no_relevant: int

    @property
    def area(self) -> float:
        """Under the recall-precision curve, by the trapezium rule."""
        levels = self.summary.recall_levels
        return (sum(levels) - (levels[0] + levels[-1]) / 2) / 10


def run_report(standing: Standing, place: int, measure: str = "", *, strict: bool = False) -> RunReport:
    """Of the run at this place. `measure` is the one shown topic by topic; AP unless given, or the first official one."""
    wanted = columns.strict_view(parse_measure(_topic_measure(standing, measure)), standing.counts) if strict else None
    name = str(wanted) if wanted else _topic_measure(standing, measure)
    rel = standing.counts["strict_from" if strict else "lenient_from"]
    (run,) = standings.runs_of(standing, [place])
    judged = judged_run(standing, run)
    rows = run_topics(standing, place, name)
    return RunReport(
        run,
        rel,
        summary_page(judged, rel=rel),
        gain_curve(Level(judged, rel), GAIN_RANKS),
        name,
        rows,
        run_means(standing, place, strict=strict),
        told.to_users(judged, run.tag, rel),
        told.of_text(standing.collection, run) if run.passages else [],
        sum(not row.answered for row in rows),
        sum(not row.relevant for row in rows),
    )


def judged_run(standing: Standing, run: Run) -> Judged:
    """One run alone against the qrels, with what users know and expect."""
    qrels = standings.qrels_of(standing)
    return join(qrels, [pooling.rankings(run)], told.given(standing.collection, qrels))


def _topic_measure(standing: Standing, name: str) -> str:
    shown = topic_measures(standing)
    return name if name in shown else shown[0]


def topic_measures(standing: Standing) -> list[str]:
    """What can be shown topic by topic: AP first, where the pool supports it."""
    listed = columns.columns(standing.collection, standing.counts)
    names = [column.name for column in listed if not column.is_count and column.name in standing.names[:-1]]
    return list(dict.fromkeys([*(["AP"] if "AP" in standing.names else []), *names]))


def run_document(standing: Standing, place: int, report: RunReport) -> dict[str, Any]:
    """The report as plain data."""
    entry, page = standing.entries[place], report.summary
    return {
        "release": standing.release.number if standing.release else None,
        "run": entry.tag,
        "group": entry.group,
        "run_sha256": entry.sha256,
        "version": entry.version,
        "relevant_from": report.rel,
        "topics": page.topics,
        "missing_topics": report.missing,
        "retrieved": page.retrieved,
        "relevant": page.relevant,
        "relevant_retrieved": page.relevant_retrieved,
        "micro_precision": page.micro_precision,
        "micro_recall": page.micro_recall,
        "recall_levels": list(page.recall_levels),
        "area": report.area,
        "average_precision": page.average_precision,
        "precision_at": {str(depth): value for depth, value in page.precision_at.items()},
        "r_precision": page.r_precision,
        "dcg": report.gains.mean.tolist(),
        "ideal_dcg": report.gains.ideal_mean.tolist(),
        "ndcg": report.gains.average_of_ratios.tolist(),
        "users": {one.name: one.mean for one in (*report.users, *report.text) if one.mean == one.mean},
        "efficiency": report.run.efficiency,
    }


# Topics


def topic_grades(standing: Standing, topic: str) -> dict[int, int]:
    """How many documents of a topic have each grade."""
    found = standings.qrels_of(standing)
    at = np.flatnonzero(found.topics == topic.encode())
    values, counts = np.unique(found.grades[found.codes == (at[0] if len(at) else -1)], return_counts=True)
    return dict(zip(values.tolist(), counts.tolist(), strict=True))
