"""Figures of agreement as files: CSV, JSON, and a table for LaTeX."""

import csv
import io
import json
from collections.abc import Sequence
from typing import Any

from assess.agreeing import Overview
from assess.core.figures import TITLES
from assess.pairs import AgreementReport, Pair
from pooling.tables import Table

FORMS = {"csv": "text/csv", "json": "application/json", "tex": "application/x-tex"}


def written(report: dict[str, Any], form: str) -> str:
    return {"csv": _csv, "json": _json, "tex": _tex}[form](report)


def _json(report: dict[str, Any]) -> str:
    return json.dumps(report, indent=2, ensure_ascii=False) + "\n"


def _rows(report: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    return [
        ("grades" if view["threshold"] is None else f"from {view['threshold']}", key, figure)
        for view in report["views"]
        for key, figure in view["figures"].items()
    ]


def _csv(report: dict[str, Any]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("view", "coefficient", "n", "value", "standard_error", "low", "high", "band", "note"))
    for view, key, one in _rows(report):
        low, high = one["interval"] or ("", "")
        shown = ["" if value is None else repr(value) for value in (one["value"], one["standard_error"])]
        writer.writerow((view, key, one["n"], *shown, low, high, one["band"] or "", one["note"]))
    return text.getvalue()


def _tex(report: dict[str, Any]) -> str:
    """For a paper: booktabs' rules, one block for each view."""
    lines = [r"\begin{tabular}{lrrrr}", r"\toprule", r"Coefficient & $n$ & Value & Std. error & 95\,\% interval \\"]
    before = None
    for view, key, one in _rows(report):
        if view != before:
            head = "On the grades" if view == "grades" else f"Relevant from {view.removeprefix('from ')}"
            lines += [r"\midrule", rf"\multicolumn{{5}}{{l}}{{\emph{{{head}}}}} \\"]
            before = view
        value, error = ("--" if one[name] is None else f"${one[name]:.3f}$" for name in ("value", "standard_error"))
        interval = f"$[{one['interval'][0]:.3f}, {one['interval'][1]:.3f}]$" if one["interval"] else "--"
        lines.append(rf"{TITLES[key]} & {one['n']} & {value} & {error} & {interval} \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


# The other tables of the page

CAPTIONS = {
    "pairs": "Agreement of each pair of assessors",
    "matrices": "How often one gave one grade and the other another",
    "rest": "Each assessor against every other opinion on the same documents",
    "repeats": "Each assessor's first and second grade of the same documents",
    "checks": "How each assessor judges, beside agreement",
    "topics": "Agreement by topic",
    "times": "Agreement by when the later of two opinions came",
}
_FIGURES = ("n", "raw agreement", "Cohen's kappa", "standard error", "low", "high", "pooled kappa", "band", "note")


def tables(report: AgreementReport, overview: Overview | None) -> dict[str, Table]:
    """Each table of the page by its name; empty where nothing was judged by two."""
    if overview is None:
        return {name: Table(caption, ["n"], []) for name, caption in CAPTIONS.items()}
    pairs = [*report.pairs, report.overall]
    main = TITLES[overview.topics[0].key] if overview.topics else ""
    cells = [
        (pair.first, pair.second, cell.row, cell.column, cell.count) for pair in pairs for line in pair.rows for cell in line
    ]
    rows: dict[str, tuple[Sequence[str], Sequence[Sequence[object]]]] = {
        "pairs": (("first", "second", *_FIGURES), [(pair.first, pair.second, *_figures(pair)) for pair in pairs]),
        "matrices": (("first", "second", "grade of the first", "grade of the second", "documents"), cells),
        "rest": (("assessor", *_FIGURES), [(pair.first, *_figures(pair)) for pair in overview.rest]),
        "repeats": (("assessor", *_FIGURES), [(pair.first, *_figures(pair)) for pair in overview.repeats]),
        "checks": (
            (
                *(
                    "assessor",
                    "judgments",
                    "median seconds",
                    "per active hour",
                    *(f"share of {level}" for level in report.levels),
                ),
                *("longest run", "held against a majority", "with the majority"),
            ),
            [(c.name, c.judgments, c.seconds, c.per_hour, *c.shares, c.run, c.held, c.majority) for c in overview.checks],
        ),
        "topics": (("topic", "n", "raw agreement", main), [(row.topic, row.n, row.raw, row.main) for row in overview.topics]),
        "times": (
            ("from", "until", "pairs of opinions", "raw agreement", "Cohen's kappa", "pooled kappa"),
            [
                (part.start.isoformat(), part.end.isoformat(), f.n, f.raw, f.cohen, f.pooled)
                for part in overview.times
                for f in [part.figures]
            ],
        ),
    }
    return {name: Table(CAPTIONS[name], *found) for name, found in rows.items()}


def _figures(pair: Pair) -> tuple[object, ...]:
    low, high = pair.spread.interval or (None, None)
    f = pair.figures
    return f.n, f.raw, f.cohen, pair.spread.standard_error, low, high, f.pooled, pair.band, pair.note
