"""`assize agree`: how far assessors agree, from files of their judgments."""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from assess.core.bootstrap import Plan
from assess.core.figures import TITLES
from assess.core.judgment_files import Judgments
from assess.core.report import report
from config.arguments import Parser, whole
from pooling.core.findings import shown

MOST_RESAMPLES = 100_000
HELP = "Tell how far assessors agree, from files of judgments; no site is needed."


def parser() -> argparse.ArgumentParser:
    made = Parser("assize agree", description=HELP)
    made.add_argument(
        "file", nargs="+", help="columns topic, docno, assessor, grade; or two or more qrels, one of each assessor; - is stdin"
    )
    made.add_argument(
        "--threshold", type=int, action="append", metavar="N", help="relevant from this grade on; 1; may be given again"
    )
    made.add_argument(
        "--levels", metavar="LEVELS", help="the scale, as 0-3 or 0,1,2; unless given 0 to the highest grade found"
    )
    made.add_argument("--pairs", action="store_true", help="each pair of assessors too, with its table of grades")
    made.add_argument("--topics", action="store_true", help="each topic too, and the mean over topics")
    made.add_argument(
        "--repeats",
        choices=("refuse", "first", "last"),
        default="refuse",
        help="what counts when an assessor judged a document twice, differently; refuse",
    )
    made.add_argument(
        "--resamples",
        type=whole(0, MOST_RESAMPLES),
        default=2000,
        metavar="N",
        help="of the bootstrap; 2000; 0 for no intervals",
    )
    made.add_argument("--unit", choices=("items", "topics"), default="items", help="what is resampled; items of each topic")
    made.add_argument("--confidence", type=float, default=0.95, metavar="SHARE", help="of the intervals; 0.95")
    made.add_argument("--seed", type=whole(0), default=0, metavar="N", help="of the resamples; 0")
    made.add_argument("--json", action="store_true", help="print one JSON document instead of tables")
    return made


def main(argv: list[str]) -> int:
    made = parser()
    options = made.parse_args(argv)
    levels = _levels(made, options.levels)
    if not 0 < options.confidence < 1:
        made.error("expected a --confidence between 0 and 1")
    judgments = Judgments(levels, options.repeats)
    if not _read(judgments, options.file):
        return 1
    ratings = judgments.ratings()
    thresholds = options.threshold or [1 if ratings.levels[0] < 1 else ratings.levels[1]]
    for threshold in thresholds:
        if not ratings.levels[0] < threshold <= ratings.levels[-1]:
            made.error(f"expected a threshold from {ratings.levels[1]} to {ratings.levels[-1]}, found {threshold}")
    if options.unit == "topics" and len(judgments.topics) < 10:
        _say(f"Error: expected at least 10 topics to resample topics, found {len(judgments.topics)}.")
        return 1
    plan = Plan(options.resamples, options.seed, options.confidence, options.unit == "topics") if options.resamples else None
    found = report(
        ratings,
        list(judgments.assessors),
        list(judgments.topics),
        thresholds=sorted(set(thresholds)),
        plan=plan,
        pairs=options.pairs,
        by_topic=options.topics,
    )
    if levels is None:
        _say(f"The scale is taken to be 0 to {ratings.levels[-1]}, the highest grade found; --levels tells another.")
    sys.stdout.write(json.dumps(found, indent=2, ensure_ascii=False) + "\n" if options.json else _words(found))
    return 0


def _levels(made: argparse.ArgumentParser, text: str | None) -> list[int] | None:
    if text is None:
        return None
    try:
        low, dash, high = text.partition("-")
        found = list(range(int(low), min(int(high), 128) + 1)) if dash else sorted({int(level) for level in text.split(",")})
    except ValueError:
        found = []
    if not 2 <= len(found) <= 128 or found[0] < 0 or found[-1] > 127:
        made.error(f"expected two or more levels from 0 to 127, as 0-3 or 0,1,2, found {text}")
    return found


def _read(judgments: Judgments, files: Sequence[str]) -> bool:
    """Whether all files could be taken; each fault is told as compilers tell them."""
    stems = [Path(name).name.split(".")[0] for name in files]
    good = True
    for name, stem in zip(files, stems, strict=True):
        try:
            data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
        except OSError as error:
            _say(f"Error: {shown(name)}: {error.strerror}.")
            good = False
            continue
        told = judgments.read(data, stem if stem and stems.count(stem) == 1 else name, alone=len(files) == 1)
        for one in told.findings:
            _say(f"{shown(name)}{f':{one.line}' if one.line else ''}: {one.severity}: {one.message}")
        if told.count("DUPLICATE_CONFLICT"):
            _say("To take the earlier or the later of two grades, add --repeats first or --repeats last.")
        good = good and told.ok
    return good


# What is printed


def _words(found: Mapping[str, Any]) -> str:
    levels = ", ".join(map(str, found["levels"]))
    parts = [
        f"{_number(len(found['assessors']), 'assessor')}, {_number(found['topics'], 'topic')}, {_number(found['items'], 'item')}, "
        f"{found['shared']:,} judged by two or more. Levels {levels}.\n"
    ]
    for view in found["views"]:
        title = "On the grades" if view["threshold"] is None else f"Relevant from {view['threshold']} on"
        parts.append(
            "\n".join([f"{title}:", *(f"  {note}" for note in view["notes"]), _figure_table(view, found["bootstrap"])])
        )
        if view.get("pairs"):
            parts.append(_short_table(("first", "second"), view["pairs"]))
        if view.get("by_topic"):
            parts.append(_short_table(("topic",), view["by_topic"]) + _mean_line(view["topic_means"]))
    for one in found.get("tables", ()):
        parts.append(_grade_table(one, found["levels"]))
    if found["bootstrap"]:
        plan = found["bootstrap"]
        parts.append(
            f"Intervals: {plan['resamples']:,} resamples of {plan['unit']}, {plan['generator']}, seed {plan['seed']}.\n"
        )
    return "\n".join(parts)


def _figure_table(view: Mapping[str, Any], plan: Mapping[str, Any] | None) -> str:
    head = ["", "N", "VALUE", "STD ERROR", f"{100 * plan['confidence']:g} % INTERVAL" if plan else "INTERVAL", "BAND OR NOTE"]
    rows = []
    for key, one in view["figures"].items():
        between = "-"
        if one["interval"]:
            low, high = one["interval"]
            between = f"{_shown(low)} to {_shown(min(high, 1.0))}"
        word = one["note"] or one["band"] or ""
        rows.append([TITLES[key], str(one["n"]), _shown(one["value"]), _shown(one["standard_error"]), between, word])
    return _aligned([head, *rows], left={0, 5})


def _short_table(keys: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> str:
    """A row for each pair or topic, with the figures that fit in a line."""
    fitting = ("raw", "positive", "overlap", "cohen", "pooled", "linear", "pairwise", "fleiss", "alpha_nominal", "ac1")
    some = [key for key in fitting if key in rows[0]["figures"]]
    if "alpha_ordinal" in rows[0]["figures"]:
        some[some.index("alpha_nominal")] = "alpha_ordinal"
    cells = [[*(key.upper() for key in keys), "N", *(key.upper().replace("_", " ") for key in some), ""]]
    for row in rows:
        figures = row["figures"]
        note = "few items" if row.get("few") else "; ".join(row.get("notes", ()))
        names = [shown(str(row[key])) for key in keys]
        cells.append([*names, str(figures["raw"]["n"]), *(_shown(figures[key]["value"]) for key in some), note])
    return _aligned(cells, left={*range(len(keys)), len(cells[0]) - 1})


def _mean_line(means: Mapping[str, Mapping[str, Any]]) -> str:
    cells = [["MEAN OVER TOPICS", "TOPICS", "MEAN", "WITHOUT A VALUE"]]
    cells += [[TITLES[key], str(one["topics"]), _shown(one["mean"]), str(one["undefined"])] for key, one in means.items()]
    return "\n" + _aligned(cells, left={0})


def _grade_table(one: Mapping[str, Any], levels: Sequence[int]) -> str:
    head = f"Grades of {shown(one['first'])} (rows) and {shown(one['second'])} (columns):"
    rows = [[str(level), *map(str, line)] for level, line in zip(levels, one["counts"], strict=True)]
    return f"{head}\n" + _aligned([["", *map(str, levels)], *rows], left=set())


def _aligned(cells: Sequence[Sequence[str]], left: set[int]) -> str:
    widths = [max(len(row[place]) for row in cells) for place in range(len(cells[0]))]
    lines = (
        "  ".join(
            cell.ljust(width) if place in left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in cells
    )
    return "".join(f"  {line}".rstrip() + "\n" for line in lines)


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _shown(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def _say(words: str) -> None:
    sys.stderr.write(f"{words}\n")
