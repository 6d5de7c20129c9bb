"""What can be mended in a run without its makers, if they ask for it: the spec's three offers."""

from collections.abc import Collection
from dataclasses import fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pooling.core.findings import Report
from pooling.core.keys import code_topics, group_pairs
from pooling.core.rankings import evaluation_order
from pooling.core.run_checks import RunColumns

# Each with what a form says of it.
REPAIRS = {
    "ranks": "Take ranks as scores, where scores are all equal or contradict the ranks",
    "first": "Keep the first of a document that a topic has twice",
    "cut": "Cut topics at the most results that are allowed",
}
_MENDS = {"SCORES_CONSTANT": "ranks", "SCORE_RANK_DISAGREE": "ranks", "DOC_DUPLICATE": "first", "TOO_MANY_DOCS": "cut"}


def offers(report: Report, columns: RunColumns) -> tuple[str, ...]:
    """The repairs that something in the report calls for and that would help: not where the file is refused all the same."""
    wanted = {_MENDS[code] for _, code in report.counts if code in _MENDS}
    stays = {code for kind, code in report.counts if kind == "error"} - set(_MENDS)
    if stays or (wanted == {"ranks"} and not _ranks_tell(columns)):
        return ()
    return tuple(name for name in REPAIRS if name in wanted)


def calls_for_any(report: Report) -> bool:
    """Whether a fault was found that some repair mends."""
    return any(code in _MENDS for _, code in report.counts)


def _ranks_tell(columns: RunColumns) -> bool:
    """Whether two results of a topic have different ranks: where all are 1 there is nothing to take."""
    names, codes = code_topics(columns.topics)
    lowest, highest = np.full(len(names), np.iinfo(np.int64).max), np.full(len(names), np.iinfo(np.int64).min)
    np.minimum.at(lowest, codes, columns.ranks)
    np.maximum.at(highest, codes, columns.ranks)
    return bool((lowest < highest).any())


def repaired(columns: RunColumns, names: Collection[str], max_per_topic: int, report: Report) -> RunColumns:
    """The lines after these repairs, in the order of REPAIRS; the report notes what each did."""
    if "ranks" in names:
        columns = replace(columns, scores=-columns.ranks.astype(np.float64))
        _note(report, "Every score is now minus the rank.")
    if "first" in names:
        codes = code_topics(columns.topics)[1]
        keep = np.sort(group_pairs(codes, columns.units)[0])
        _note(report, _left_out(len(codes) - len(keep), "that named a document again"))
        columns = _only(columns, keep)
    if "cut" in names:
        names_, codes = code_topics(columns.topics)
        order = evaluation_order(codes, columns.units, columns.scores)
        counts = np.bincount(codes, minlength=len(names_))
        ranks = np.arange(len(order)) - np.repeat(np.cumsum(counts) - counts, counts)
        keep = np.sort(order[ranks < max_per_topic])
        _note(report, _left_out(len(order) - len(keep), f"beyond the {max_per_topic:,} best of their topic"))
        columns = _only(columns, keep)
    return columns


def _only(columns: RunColumns, keep: NDArray[np.int64]) -> RunColumns:
    held = {field.name: getattr(columns, field.name) for field in fields(columns)}
    kept: dict[str, Any] = {name: value[keep] for name, value in held.items() if isinstance(value, np.ndarray)}
    return replace(columns, **kept)


def _left_out(number: int, which: str) -> str:
    return f"{number:,} line{'' if number == 1 else 's'} {which} {'was' if number == 1 else 'were'} left out."


def _note(report: Report, words: str) -> None:
    report.add("info", "REPAIRED", 0, f"Repaired: {words}")
