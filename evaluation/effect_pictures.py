"""The tables and pictures of “Does it matter?”: comparisons, ranks as a bump chart, τ of many draws."""

import textwrap
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np

from assess.templatetags.agreement import rule
from evaluation import columns
from evaluation.core import charts
from evaluation.core.charts import Axis, Chart, Mark
from evaluation.effect import MERGED, Draws, Effect, Order
from pooling.tables import Table

PARTS = {
    "rules": "Merge rules compared with the one that is set",
    "assessors": "Each assessor against the merged grades",
    "pairs": "Pairs of assessors",
    "machines": "Each machine against the merged grades",
}


def told(found: Effect) -> dict[str, Table]:
    """The ranks under each rule, and the comparisons, as tables."""
    head = [
        "first",
        "second",
        "documents",
        "topics",
        "τ",
        "τ-AP",
        "swaps",
        "significant swaps",
        "run",
        "before",
        "after",
        "RBO",
    ]
    tables = {
        name: Table(
            words,
            head,
            [
                [
                    *(one.first, one.second, one.items, one.topics, one.tau, one.tau_ap),
                    *(one.swaps, one.sure, one.run, one.before, one.after, one.rbo),
                ]
                for one in getattr(found, name)
            ],
        )
        for name, words in PARTS.items()
    }
    label = columns.label(found.measure)
    tables["ranks"] = _rank_table(f"Rank of each run by {label} under each merge rule", found.runs, found.of("rule"))
    words = f"Rank of each run by {label} under each assessor and machine"
    tables["people"] = _rank_table(words, found.runs, _people(found))
    if found.draws:
        spread = ["run", "score", "low", "median", "high", "rank", "best", "middle", "worst"]
        words = f"{label} and rank of each run, by the merged grades and in 95 of 100 draws of one assessor for each topic"
        tables["spread"] = Table(words, spread, [list(asdict(row).values()) for row in found.draws.runs])
    return tables


def _rank_table(caption: str, runs: list[str], orders: list[Order]) -> Table:
    rows = [[run, *(int(order.ranks[place]) for order in orders)] for place, run in enumerate(runs)]
    return Table(caption, ["run", *map(_name, orders)], rows)


def _name(order: Order) -> str:
    return rule(order.name) if order.kind == "rule" else order.name


def _people(found: Effect) -> list[Order]:
    """The merged grades, by the rule that is set, and each assessor and machine beside them."""
    merged = [replace(order, name=MERGED, kind="merged") for order in found.of("rule")[:1]]
    return [*merged, *found.of("assessor"), *found.of("machine")]


@dataclass(frozen=True)
class Line:
    """A run's way through the columns of a bump chart."""

    tag: str
    points: str
    marks: list[tuple[float, float]]
    start: int
    end: int
    moved: int


@dataclass(frozen=True)
class Bump:
    width: int
    height: int
    heads: list[tuple[float, float, str, str]]  # across, down, a line of a column's name, the whole name
    lines: list[Line]
    left: int
    right: int


STEP, LONGEST, MOST_LINES = 104, 25, 40  # from column to column; letters of a tag
LETTERS = 15  # in a line of a column's name, of which there are two
MOST_COLUMNS = 13  # of more, the table tells


def bumps(found: Effect) -> dict[str, Bump]:
    """Ranks of the runs under each rule, and under each assessor and machine beside the merged grades."""
    people = _people(found)
    parts = {"rules": found.of("rule"), "people": people[:MOST_COLUMNS] if len(people) > 1 else []}
    return {name: _bump(found.runs, orders) for name, orders in parts.items() if orders}


def _bump(runs: Sequence[str], orders: Sequence[Order]) -> Bump:
    """Column by column; of many runs the best under the rule that is set, which comes first."""
    ranks = np.array([order.ranks for order in orders])
    shown = np.argsort(ranks[0], kind="stable")[:MOST_LINES]
    left = 24 + 7 * min(max((len(runs[run]) for run in shown), default=0), LONGEST)
    right = left + STEP * (len(orders) - 1)
    # Equal ranks would lie over each other: each column has an order of its own, equal ones by the first column.
    places = np.array([np.argsort(np.lexsort((ranks[0][shown], row[shown]))) for row in ranks])
    lines = []
    for column, run in enumerate(shown.tolist()):
        marks = [(float(left + STEP * n), float(52 + 22 * places[n, column])) for n in range(len(ranks))]
        own = ranks[:, run]
        points = " ".join(f"{x},{y}" for x, y in marks)
        lines.append(Line(runs[run], points, marks, int(own[0]), int(own[-1]), int(own.max() - own.min())))
    heads = []
    for n, name in enumerate(map(_name, orders)):
        parts = textwrap.wrap(name, LETTERS, max_lines=2, placeholder="…")
        heads += [(float(left + STEP * n), float(34 - 16 * above), part, name) for above, part in enumerate(reversed(parts))]
    return Bump(right + STEP // 2 + 4, 66 + 22 * len(shown), heads, lines, left, right)


MOST_BARS = 25


def histogram(drawn: Draws) -> tuple[Chart, Table]:
    """How often which τ came, from the lowest to 1 in round steps."""
    lowest = float(drawn.taus.min()) if len(drawn.taus) else 0.9
    step = next(size for size in (0.005, 0.01, 0.02, 0.05, 0.1) if 1.0 - lowest <= MOST_BARS * size)
    first = min(int(np.floor(lowest / step + 1e-9)), round(1 / step) - 5)  # five bars at least
    edges = np.round(np.arange(first, round(1 / step) + 1) * step, 6)
    counts = np.histogram(drawn.taus, np.append(edges[:-1], 1.0 + 1e-9))[0].tolist()
    words = f"τ with the merged grades' order, of {drawn.draws:,} draws of one assessor for each topic"
    rows = [(float(low), float(high), count) for low, high, count in zip(edges[:-1], edges[1:], counts, strict=True)]
    marks = [Mark(n, count, f"τ from {low:.3f} to {high:.3f}: {count:,} draws") for n, (low, high, count) in enumerate(rows)]
    across = Axis("τ", float(edges[0]), 1.0, 3 if edges[0] > 0.951 else 2)
    chart = charts.bars(words, "τ", charts.axis("Draws", counts), [""] * len(rows), marks, across=across)
    return chart, Table(words, ["τ from", "τ to", "draws"], rows)
