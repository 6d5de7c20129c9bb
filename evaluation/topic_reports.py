"""One topic: how hard it is, how the runs do on it, and how its relevant documents were found."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from config.keeping import kept
from evaluation import boards, columns, selectors, standings
from evaluation.core import charts
from evaluation.core.charts import Axis, Chart, Mark, Series
from evaluation.core.topics import Difficulty, difficulty
from evaluation.standings import Standing
from pooling.tables import Table

THIRDS = ("hard", "medium", "easy")
DEEPEST = 100


@dataclass(frozen=True)
class Hardness:
    """By one measure: the mean, median, best and spread of all runs, the topic's place from the hardest, and its third."""

    measure: str
    mean: float
    median: float
    best: float
    deviation: float
    place: int
    topics: int
    third: str
    separates: bool

    @property
    def is_defined(self) -> bool:
        return self.mean == self.mean


@dataclass(frozen=True)
class Found:
    """A relevant document: how many runs have it at all, the best rank, and the run that has it there."""

    docno: str
    grade: int
    runs: int
    rank: int | None
    tag: str


def hardness(standing: Standing, topic: str, measure: str) -> Hardness:
    at, found, sign = boards.topic_place(standing, topic), _difficulty(standing, measure), columns.sign(measure)
    place = 1 + int((found.mean < found.mean[at] - boards.SAME).sum())
    mean, median, best = (sign * float(one[at]) for one in (found.mean, found.median, found.best))
    third, separates = THIRDS[int(found.third[at])], bool(found.separates[at])
    defined = int((~np.isnan(found.mean)).sum())
    return Hardness(measure, mean, median, best, float(found.deviation[at]), place, defined, third, separates)


def _difficulty(standing: Standing, measure: str) -> Difficulty:
    """Of scores by their worth: turned round where a low one is better."""
    sign = columns.sign(measure)
    return kept((standing.key, "difficulty", measure), lambda: difficulty(sign * standing.of(measure)))


def strip(standing: Standing, topic: str, measure: str) -> tuple[Chart, Table]:
    """Every run that may be seen, along one line."""
    values = standing.of(measure)[:, boards.topic_place(standing, topic)]
    seen = [(standing.entries[place], float(values[place])) for place in standing.seen if not np.isnan(values[place])]
    marks = [Mark(value, 0, f"{entry.tag}: {value:.4f}", 2 if entry.mine else 1) for entry, value in seen]
    label = columns.topic_label(measure)
    chart = charts.strip(f"{label} of each run on topic {topic}", charts.axis(label, [mark.x for mark in marks]), marks)
    if any(entry.mine for entry, _value in seen):
        chart = replace(chart, legend=((2, "your runs"), (1, "others")), shapes=("dot",))
    sign = columns.sign(measure)
    listed = sorted(seen, key=lambda one: -sign * one[1])
    rows, origins = [[entry.tag, value] for entry, value in listed], [entry.origin for entry, _value in listed]
    return chart, Table(f"{label} on topic {topic}", ["run", label], rows, origins=origins)


def _best(standing: Standing, topic: str) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Of the topic's relevant documents: places in the qrels, best rank (0: none), its run, and how many runs have them."""
    judged = standings.judged_all(standing)
    qrels, at = judged.qrels, int(np.searchsorted(standings.judged_all(standing).qrels.topics, topic.encode()))
    items = np.flatnonzero((qrels.codes == at) & (qrels.grades >= standing.counts["lenient_from"]))
    mine = np.flatnonzero((judged.rows % len(qrels.topics) == at) & np.isin(judged.items, items))
    places = np.searchsorted(items, judged.items[mine])
    order = np.lexsort((judged.rows[mine], judged.ranks[mine], places))
    first = np.unique(places[order], return_index=True)
    rank, run = np.zeros(len(items), np.int64), np.full(len(items), -1)
    rank[first[0]] = judged.ranks[mine][order][first[1]]
    run[first[0]] = judged.rows[mine][order][first[1]] // len(qrels.topics)
    return items, rank, run, np.bincount(places, minlength=len(items))


def found_by(standing: Standing, topic: str) -> list[Found]:
    """How each relevant document was found; the highest grades first. It names runs: for organizers."""
    items, rank, run, runs = _best(standing, topic)
    qrels = standings.judged_all(standing).qrels
    rows = [
        Found(
            qrels.docnos[item].decode(),
            int(qrels.grades[item]),
            int(runs[n]),
            int(rank[n]) or None,
            standing.entries[run[n]].tag if run[n] >= 0 else "",
        )
        for n, item in enumerate(items.tolist())
    ]
    return sorted(rows, key=lambda row: (-row.grade, row.rank or 10**9, row.docno))


def found_table(topic: str, found: list[Found]) -> Table:
    head = ["document", "grade", "runs that have it", "best rank", "by"]
    rows = [[one.docno, one.grade, one.runs, one.rank, one.tag] for one in found]
    return Table(f"How each relevant document of topic {topic} was found", head, rows)


def _depth(standing: Standing, topic: str) -> int:
    """How deep the pool of a topic went: the rank of the judged document that the runs have furthest down at best."""
    judged = standings.judged_all(standing)
    at = int(np.searchsorted(judged.qrels.topics, topic.encode()))
    mine = judged.rows % len(judged.qrels.topics) == at
    best = np.full(len(judged.qrels.codes), DEEPEST + 1)
    np.minimum.at(best, judged.items[mine], judged.ranks[mine])
    return int(best[best <= DEEPEST].max(initial=1))


def rising(standing: Standing, topic: str) -> tuple[Chart, Table] | None:
    """Relevant documents that a pool of each depth holds: still rising at its end, there are more to find."""
    _items, rank, _run, _runs = _best(standing, topic)
    ranks = rank[(rank > 0) & (rank <= DEEPEST)]
    if not len(ranks):
        return None
    deepest = _depth(standing, topic)
    counts = np.cumsum(np.bincount(ranks, minlength=deepest + 1))[1:].tolist()
    steps = [depth for depth in sorted({1, 2, 3, 5, 7, *range(10, deepest, 5), deepest}) if depth <= deepest]
    marks = [Mark(depth, counts[depth - 1], f"Depth {depth}: {counts[depth - 1]:,} relevant") for depth in steps]
    words = f"Relevant documents of topic {topic} that a pool of each depth holds"
    y = charts.axis("Relevant documents", [mark.y for mark in marks])
    chart = charts.lines(words, Axis("Depth", 0, deepest, 0), y, [Series("relevant", marks)])
    return chart, Table(words, ["depth", "relevant"], [[depth, counts[depth - 1]] for depth in steps])


def ends(standing: Standing, measure: str) -> tuple[list[tuple[str, float]], list[tuple[str, float]]]:
    """The hardest and the easiest topics by the mean of all runs: five, and no more than a third."""
    mean, sign = _difficulty(standing, measure).mean, columns.sign(measure)
    order = [place for place in np.argsort(mean, kind="stable").tolist() if not np.isnan(mean[place])]
    named = [(standing.topics[place].decode(), sign * float(mean[place])) for place in order]
    count = min(5, max(1, len(named) // 3))
    return named[:count], named[::-1][:count]


def numbers(standing: Standing) -> list[str]:
    """The topics in the order of people: 2 before 10."""
    return sorted((topic.decode() for topic in standing.topics.tolist()), key=selectors.natural)
