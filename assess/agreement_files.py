"""Figures of agreement as files: CSV, JSON, and a table for LaTeX."""

import csv
import io
import json
from typing import Any

from assess.core.figures import TITLES

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
    lines = [r"\begin{tabular}{lrrr}", r"\toprule", r"Coefficient & $n$ & Value & 95\,\% interval \\"]
    before = None
    for view, key, one in _rows(report):
        if view != before:
            head = "On the grades" if view == "grades" else f"Relevant from {view.removeprefix('from ')}"
            lines += [r"\midrule", rf"\multicolumn{{4}}{{l}}{{\emph{{{head}}}}} \\"]
            before = view
        value = "--" if one["value"] is None else f"${one['value']:.3f}$"
        interval = f"$[{one['interval'][0]:.3f}, {one['interval'][1]:.3f}]$" if one["interval"] else "--"
        lines.append(rf"{TITLES[key]} & {one['n']} & {value} & {interval} \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])
