"""The figures of pages, each with the table that tells the same numbers."""

from collections.abc import Sequence

import numpy as np

from evaluation import columns, standings
from evaluation.core import charts
from evaluation.core.charts import Axis, Chart, Mark, Series
from evaluation.reports import RunReport, TopicRow
from evaluation.standings import Standing
from pooling.core.metadata import FIGURES
from pooling.tables import Table

LEVELS = [level / 10 for level in range(11)]


def recall_precision(reports: Sequence[RunReport]) -> Chart:
    """One line for each run, eleven points, with the area below it."""
    series = [
        Series(
            f"{report.run.tag} (area {report.area:.4f})",
            [
                Mark(level, value, f"{report.run.tag}: precision {value:.4f} at recall {level:.1f}")
                for level, value in zip(LEVELS, report.summary.recall_levels, strict=True)
            ],
            1 + place % charts.TONES,
        )
        for place, report in enumerate(reports)
    ]
    words = "Interpolated precision at eleven levels of recall, mean over topics"
    return charts.lines(words, Axis("Recall"), Axis("Precision"), series)


def recall_precision_table(reports: Sequence[RunReport]) -> Table:
    rows = [[level, *(report.summary.recall_levels[place] for report in reports)] for place, level in enumerate(LEVELS)]
    return Table("Interpolated precision at recall", ["recall", *(report.run.tag for report in reports)], rows)


def differences(measure: str, rows: Sequence[TopicRow]) -> Chart:
    """A bar for each topic: above or below the median of all runs."""
    measure = columns.topic_label(measure)
    marks = [
        Mark(
            place,
            row.difference,
            f"Topic {row.number}: {row.value:.4f}, median {row.median:.4f}, difference {row.difference:+.4f}",
            1 if row.difference * row.sign >= 0 else 4,
        )
        for place, row in enumerate(rows)
    ]
    y = charts.axis(f"{measure} − median", [mark.y for mark in marks])
    words = f"{measure} of each topic, minus the median of all runs"
    return charts.bars(words, "Topic", y, [row.number for row in rows], marks)


def topic_table(measure: str, rows: Sequence[TopicRow]) -> Table:
    measure = columns.topic_label(measure)
    head = ["topic", "title", measure, "median", "difference", "best", "worst", "relevant", "found", "retrieved", "answered"]
    return Table(
        f"{measure} by topic",
        head,
        [
            [
                *(row.number, row.title, row.value, row.median, row.difference, row.best, row.worst),
                *(row.relevant, row.found, row.retrieved, "yes" if row.answered else "no"),
            ]
            for row in rows
        ],
    )


def spreads(tag: str, measure: str, rows: Sequence[TopicRow]) -> Chart:
    """From the worst to the best run of each topic, with the median and this run on it."""
    measure = columns.topic_label(measure)
    marks: list[Mark] = []
    for place, row in enumerate(rows):
        marks.append(
            Mark(place, row.worst, f"Topic {row.number}: worst {row.worst:.4f}, best {row.best:.4f}", charts.GROUND, row.best)
        )
        marks.append(Mark(place, row.median, f"Topic {row.number}: median {row.median:.4f}", charts.INK))
        marks.append(Mark(place, row.value, f"Topic {row.number}: {tag} {row.value:.4f}", 1))
    y = charts.axis(measure, [value for row in rows for value in (row.worst, row.best)])
    words = f"{measure} on each topic: the worst, median and best of all runs, and {tag}"
    legend = ((charts.GROUND, "worst to best of all runs"), (charts.INK, "median"), (1, tag))
    return charts.ranges(words, "Topic", y, [row.number for row in rows], marks, legend)


def gains(reports: Sequence[RunReport]) -> Chart:
    """Discounted cumulated gain by rank, against the ideal."""
    ideal = reports[0].gains.ideal_mean
    series = [_by_rank("ideal", ideal.tolist(), 0)]
    series += [_by_rank(one.run.tag, one.gains.mean.tolist(), 1 + place % charts.TONES) for place, one in enumerate(reports)]
    y = charts.axis("DCG, mean over topics", ideal.tolist())
    words = "Discounted cumulated gain by rank, mean over topics, against that of the ideal ranking"
    return charts.lines(words, Axis("Rank", 1, len(ideal), 0), y, series)


def _by_rank(label: str, values: Sequence[float], tone: int) -> Series:
    marks = [Mark(rank, value, f"{label}: {value:.4f} at rank {rank}") for rank, value in enumerate(values, 1)]
    return Series(label, marks, tone)


def gains_table(reports: Sequence[RunReport]) -> Table:
    head = ["rank", "ideal DCG"]
    for report in reports:
        head += [f"{report.run.tag} DCG", f"{report.run.tag} nDCG", f"{report.run.tag} nDCG, ratio of averages"]
    rows = []
    for place, ideal in enumerate(reports[0].gains.ideal_mean.tolist()):
        row: list[object] = [place + 1, ideal]
        for report in reports:
            found = report.gains
            row += [float(found.mean[place]), float(found.average_of_ratios[place]), float(found.ratio_of_averages[place])]
        rows.append(row)
    return Table("Discounted cumulated gain by rank, mean over topics", head, rows)


def means_table(report: RunReport) -> Table:
    rows = [[one.column.name, one.value, one.median, one.best, one.rank or None] for one in report.means]
    return Table(f"{report.run.tag} beside the other runs", ["measure", "this run", "median", "best", "place"], rows)


def summary_table(report: RunReport) -> Table:
    """TREC's page as lines of name and figure."""
    page = report.summary
    rows: list[list[object]] = [
        *(["topics", page.topics], ["retrieved", page.retrieved], ["relevant", page.relevant]),
        *(["relevant retrieved", page.relevant_retrieved], ["micro precision", page.micro_precision]),
        *(["micro recall", page.micro_recall], ["average precision", page.average_precision]),
        *([f"precision at recall {level:.1f}", value] for level, value in zip(LEVELS, page.recall_levels, strict=True)),
        *([f"precision at {depth} documents", value] for depth, value in page.precision_at.items()),
        ["R-precision", page.r_precision],
        *([one.name, one.mean] for one in (*report.users, *report.text)),
    ]
    return Table(f"Summary of {report.run.tag}", ["figure", "value"], rows)


def efficiency(standing: Standing, place: int, measure: str) -> tuple[Chart, Table] | None:
    """The first figure of efficiency that this run and another one report, against effectiveness; None without one."""
    seen = [one for one in standing.seen if standing.entries[one].named]
    runs = {run.pk: run.efficiency for run in standings.runs_of(standing, seen)}
    mine = runs[standing.entries[place].pk]
    means, name = standing.means[:, standing.names.index(measure)], columns.label(measure)
    for figure in FIGURES:
        there = [one for one in seen if figure.name in runs[standing.entries[one].pk]]
        if figure.name in mine and len(there) > 1 and not np.isnan(means[there]).any():
            points = [
                (standing.entries[one].tag, float(runs[standing.entries[one].pk][figure.name]), float(means[one]), one)
                for one in there
            ]
            marks = [
                Mark(x, y, f"{tag}: {x:,g} {figure.unit}, {name} {y:.4f}", 1 if one == place else 0)
                for tag, x, y, one in points
            ]
            x_axis = charts.axis(f"{figure.label}, {figure.unit}", [mark.x for mark in marks])
            y_axis = charts.axis(name, [mark.y for mark in marks])
            words = f"{figure.label} against {name} of the runs that report it"
            table = Table(words, ["run", f"{figure.label} ({figure.unit})", name], [list(point[:3]) for point in points])
            return charts.scatter(words, x_axis, y_axis, marks), table
    return None
