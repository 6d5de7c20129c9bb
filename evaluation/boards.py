"""Tables of runs × measures: the leaderboard and that of one topic, sorted, filtered, with what to make of the differences."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

import numpy as np
from django.http import Http404
from numpy.typing import NDArray

from config.errors import Invalid, Refusal
from config.expected import one_of, require_one_of
from config.keeping import kept
from evaluation import columns
from evaluation.columns import JUDGED_COLUMN, Column
from evaluation.core import leaders
from evaluation.core.comparison import CORRECTION_WORDS, FOR_FAMILIES, TEST_WORDS, TESTS, Test
from evaluation.core.registry import MeasureError, parse_measure
from evaluation.core.significance import Correction
from evaluation.standings import Entry, Standing
from pooling.models import RunKind
from pooling.tables import Table

SAME = 1e-12  # sums of the same values in another order differ by less, and values that differ by more
CORRECTIONS: tuple[Correction, ...] = get_args(Correction)
_RUN = Column("run", "Run", "", False, False, 0)
_GROUP = Column("group", "Group", "", False, False, 0)


@dataclass(frozen=True)
class Wanted:
    """What of a board is asked for; every state of the page is one of these. Empty: as the organizers set it."""

    sort: str = ""
    strict: bool = False
    group: str = ""
    kind: str = ""
    find: str = ""
    measures: tuple[str, ...] = ()
    test: str = ""
    correction: str = ""


@dataclass(frozen=True)
class Cell:
    value: float | None
    text: str
    best: bool


@dataclass(frozen=True)
class Spread:
    """How far a mean can be trusted: a bootstrap interval over topics, and the range that unjudged documents allow."""

    low: float
    high: float
    least: float | None
    most: float | None

    @property
    def words(self) -> str:
        told = f"95 % interval {self.low:.4f} to {self.high:.4f}"
        if self.least is None or self.most is None or self.most - self.least < SAME:
            return told
        return f"{told}; unjudged documents allow {self.least:.4f} to {self.most:.4f}"


@dataclass(frozen=True)
class Row:
    run: Entry
    cells: list[Cell]
    missing: int = 0
    spread: Spread | None = None
    same: bool = False  # not told apart from the best
    p: float | None = None
    mean: float = 0.0  # of the measure in focus
    ground: float = 0.0  # where the line begins that spreads are drawn on, below 0 where a score can be
    scale: float = 1.0  # where it ends; the same for all rows

    # Places on a line from 0 to 100; what lies beyond is drawn at its end.

    @property
    def mean_at(self) -> str:
        return self._at(self.mean)

    @property
    def low_at(self) -> str:
        return self._at(self.spread.low if self.spread else 0.0)

    @property
    def high_at(self) -> str:
        return self._at(self.spread.high if self.spread else 0.0)

    @property
    def range_from(self) -> str:
        return self._at((self.spread.least if self.spread else None) or 0.0)

    @property
    def range_width(self) -> str:
        return f"{float(self._at((self.spread.most if self.spread else None) or 0.0)) - float(self.range_from):.1f}"

    def _at(self, value: float) -> str:
        return f"{100 * min(max((value - self.ground) / (self.scale - self.ground), 0.0), 1.0):.1f}"


@dataclass(frozen=True)
class Board:
    """Runs × measures, as shown. `run` and `group` are the columns before the measures; `focus` is the measure whose
    spread is shown and tested."""

    run: Column
    group: Column
    columns: list[Column]
    rows: list[Row]
    medians: list[Cell]
    focus: Column | None = None
    test: str = ""
    correction: str = ""
    topics: int = 0
    no_relevant: int = 0
    all_runs: int = 0
    of: int = 0  # runs that medians are of: all, seen or not
    best: str = ""

    @property
    def focus_plain(self) -> str:
        """The measure in focus by the name that knows no level."""
        if not self.focus:
            return ""
        measure = parse_measure(self.focus.name)
        return str(replace(measure, parameters=tuple(pair for pair in measure.parameters if pair[0] != "rel")))

    @property
    def lead(self) -> str:
        """What the test says, in a sentence, with the measure as people call it."""
        return self.lead_by(self.focus.label if self.focus else "")

    def lead_by(self, measure: str) -> str:
        if not self.best or not self.focus:
            if len(self.rows) == 1:
                return "A single run is compared with nothing."
            return f"{self.topics:,} topic{'s are' if self.topics != 1 else ' is'} too few to test differences."
        same = [row.run.tag for row in self.rows if row.same and row.run.tag != self.best]
        told = TEST_WORDS[self.test] + (f", {CORRECTION_WORDS[self.correction]} correction" if self.correction else "")
        over = f", {self.topics:,} topics"
        others = len(self.rows) - 1
        if not same:
            whose = f"all {others} others" if len(self.rows) == self.all_runs else f"the {others} others shown"
            whose = "the other run" if others == 1 else whose
            return f"By {measure}, {self.best} is better than {whose} ({told}{over}, 0.05)."
        among = "" if len(self.rows) == self.all_runs else f" of the {len(self.rows)} runs shown"
        number = "one run is" if len(same) == 1 else f"{len(same)} runs are"
        return f"By {measure}, {self.best} is best{among}; {number} not significantly different from it ({told}{over}, 0.05), marked ≈."


def leaderboard(standing: Standing, wanted: Wanted | None = None) -> Board:
    """The means of the runs, the best first unless told, with intervals and who is not told apart from the best."""
    wanted = wanted or Wanted()
    shown = _columns(standing, wanted)
    places = [place for place in standing.seen if _is_wanted(standing.entries[place], wanted)]
    values = standing.means[:, [standing.names.index(column.name) for column in shown]]
    board = _board(standing, places, shown, values, wanted.sort)
    focus = _focus(board, shown)
    test, correction = chosen_tests(standing, wanted)
    board = replace(board, test=test, correction="" if test in FOR_FAMILIES else correction, all_runs=len(standing.seen))
    board = replace(board, of=len(standing.entries), topics=len(standing.topics), no_relevant=int(standing.no_relevant.sum()))
    if focus is None or not places:
        return board
    return _judged(standing, places, board, focus, test, correction)


def _columns(standing: Standing, wanted: Wanted) -> list[Column]:
    """The measures that are asked for, of those there are scores by; else those the organizers show."""
    if not wanted.measures:
        shown = columns.columns(standing.collection, standing.counts, strict=wanted.strict)
    else:
        try:
            parsed = [parse_measure(name) for name in wanted.measures]
        except MeasureError as error:
            raise Refusal(str(error)) from error
        views = [columns.strict_view(one, standing.counts) if wanted.strict else one for one in parsed]
        shown = [columns.column(one) for one in dict.fromkeys(views)]
        unknown = [column.name for column in shown if column.name not in standing.names]
        if unknown:
            raise Refusal(f"There are no scores by {', '.join(unknown)} here; expected some of {', '.join(standing.names)}.")
    shown = [column for column in shown if column.name in standing.names and column.name != JUDGED_COLUMN.name]
    return [*shown, JUDGED_COLUMN]


def _is_wanted(entry: Entry, wanted: Wanted) -> bool:
    if wanted.kind and wanted.kind not in RunKind.values:
        raise Invalid("kind", one_of(wanted.kind, RunKind.values))
    found = wanted.find.casefold()
    return (
        (not wanted.group or entry.group == wanted.group)
        and (not wanted.kind or entry.kind == wanted.kind)
        and (not found or found in entry.tag.casefold() or found in entry.group.casefold())
    )


def chosen_tests(standing: Standing, wanted: Wanted, *, pairwise: int = 0) -> tuple[Test, Correction]:
    """What is asked for, or what the organizers chose; of `pairwise` runs compared all with all, more than two by Tukey's
    randomized test unless another is asked for."""
    plan = columns.plan(standing.collection)
    test = wanted.test or ("randomized-tukey" if pairwise > 2 else plan.test)
    correction = wanted.correction or plan.correction
    return require_one_of("test", test, TESTS), require_one_of("correction", correction, CORRECTIONS)


def _focus(board: Board, shown: list[Column]) -> Column | None:
    """The measure the board is sorted by, or the first that has a good end."""
    good = [column for column in shown if column.best and not column.is_count]
    sorted_by = [column.name for column in board.columns if column.sorted]
    return next((column for column in good if column.name in sorted_by), good[0] if good else None)


def _judged(standing: Standing, places: list[int], board: Board, focus: Column, test: Test, correction: Correction) -> Board:
    """The same with the spread of each run by the measure in focus, and who is not told apart from the best."""
    scores = standing.of(focus.name)[places]
    name = (standing.key, focus.name, tuple(places))
    if np.isnan(scores).any():
        return replace(board, focus=focus)
    low, high = kept((*name, "interval"), lambda: leaders.mean_intervals(scores))
    found = kept((*name, test, correction), lambda: leaders.against_best(focus.sign * scores, test=test, correction=correction))
    least, most = (ends[places] for ends in standing.range_of(focus.name))
    spreads = {
        standing.entries[place].pk: (
            Spread(float(low[n]), float(high[n]), _defined(least[n]), _defined(most[n])),
            bool(found.same[n]),
            float(found.p[n]) if found.tested and n != found.best else None,
        )
        for n, place in enumerate(places)
    }
    means = dict(zip((standing.entries[place].pk for place in places), scores.mean(axis=1).tolist(), strict=True))
    widest = max((one.most or 0.0 for one, _same, _p in spreads.values()), default=0.0)
    highest = max((one.high for one, _same, _p in spreads.values()), default=0.0)
    ground = min((min(one.low, 0.0) for one, _same, _p in spreads.values()), default=0.0)
    scale = max(highest, min(widest, 2 * highest)) or ground + 1.0  # intervals stay visible beside wide ranges
    rows = []
    for row in board.rows:
        spread, same, p = spreads[row.run.pk]
        rows.append(replace(row, spread=spread, same=same, p=p, mean=means[row.run.pk], ground=ground, scale=scale))
    return replace(board, rows=rows, focus=focus, best=standing.entries[places[found.best]].tag if found.tested else "")


def _defined(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def topic_board(standing: Standing, topic: str, *, sort: str = "", strict: bool = False) -> Board:
    """The scores of the runs on one topic; Http404 if nobody judged it."""
    at = topic_place(standing, topic)
    shown = columns.columns(standing.collection, standing.counts, strict=strict)
    shown = [column.of_topic for column in shown if column.name in standing.names[:-1]]
    values = standing.values[:, [standing.names.index(column.name) for column in shown], at]
    return _board(standing, standing.seen, shown, values, sort)


def as_table(board: Board, caption: str) -> Table:
    """The rows as shown; measures under the names that commands and files take."""
    rows = [[row.run.tag, row.run.group, *(cell.value for cell in row.cells)] for row in board.rows]
    origins = [row.run.origin for row in board.rows]
    return Table(caption, ["run", "group", *(column.name for column in board.columns)], rows, origins=origins)


def topic_place(standing: Standing, topic: str) -> int:
    at = np.flatnonzero(standing.topics == topic.encode())
    if not len(at):
        raise Http404(f"There are no scores on topic {topic[:80]} here.")
    return int(at[0])


def _board(
    standing: Standing, places: Sequence[int], wanted: list[Column], everything: NDArray[np.float64], sort: str
) -> Board:
    """Of these runs; medians are of all runs."""
    values = everything[list(places)]
    runs = [standing.entries[place] for place in places]
    missing = (~standing.answered).sum(axis=1)
    order, head = _sorted(runs, wanted, values, sort)
    signs = np.array([column.sign for column in wanted])
    worth = np.where(np.isnan(values), -np.inf, signs * values)
    top, low = worth.max(axis=0, initial=-np.inf), np.where(np.isnan(values), np.inf, worth).min(axis=0, initial=np.inf)
    best = (worth > top - SAME) & (signs != 0) & (top > low + SAME)  # where all are equal, none is best
    rows = [
        Row(
            runs[line],
            [_cell(c, v, bool(b)) for c, v, b in zip(wanted, values[line], best[line], strict=True)],
            int(missing[places[line]]),
        )
        for line in order
    ]
    middle = [_cell(c, _median(everything[:, place]), False) for place, c in enumerate(wanted)]
    return Board(head["run"], head["group"], [head[column.name] for column in wanted], rows, middle)


def medians(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Over the first axis, of what is defined; NaN where nothing is."""
    if not np.isnan(values).any():
        return np.asarray(np.median(values, axis=0))
    return np.apply_along_axis(_median, 0, values)


def _median(values: NDArray[np.float64]) -> float:
    there = values[~np.isnan(values)]
    return float(np.median(there)) if len(there) else float("nan")


def _cell(column: Column, value: float, best: bool) -> Cell:
    return Cell(None, "–", False) if np.isnan(value) else Cell(float(value), column.text(value), best)


def _sorted(
    runs: Sequence[Entry], wanted: list[Column], values: NDArray[np.float64], sort: str
) -> tuple[list[int], dict[str, Column]]:
    """The order of the rows, and the columns knowing theirs. “AP” is best first, “run” from A; “-” turns it round."""
    every = {column.name: column for column in (_RUN, _GROUP, *wanted)}
    name, turned = sort.removeprefix("-"), sort.startswith("-")
    if name not in every:
        name, turned = (wanted[0].name if wanted else "run"), False
    order = sorted(range(len(runs)), key=lambda line: runs[line].tag)
    words = name in {"run", "group"}
    low = False
    if words:
        order.sort(key=lambda line: getattr(runs[line], "tag" if name == "run" else "group"), reverse=turned)
    else:
        place = [column.name for column in wanted].index(name)
        low = every[name].sign < 0  # the lowest is the best, and comes first
        sign = 1 if turned != low else -1
        order.sort(key=lambda line: (bool(np.isnan(values[line, place])), sign * np.nan_to_num(values[line, place])))
    ascending = (words or low) != turned
    head = {
        key: _with(column, "" if key != name else "ascending" if ascending else "descending", turned)
        for key, column in every.items()
    }
    return order, head


def _with(column: Column, now: str, turned: bool) -> Column:
    return replace(column, sorted=now, sort=f"-{column.name}" if now and not turned else column.name)


def document(standing: Standing, board: Board) -> dict[str, Any]:
    """The board as plain data: for JSON. Every score names its run's SHA-256, the release, the measure and
    Assize's version."""
    runs = []
    for row in board.rows:
        spread = row.spread
        scores = {column.name: cell.value for column, cell in zip(board.columns, row.cells, strict=True)}
        told: dict[str, Any] = {"run": row.run.tag, "group": row.run.group, "kind": row.run.kind, **row.run.origin}
        told |= {"scores": scores, "missing_topics": row.missing, "interval": None, "range": None}
        if spread:
            told["interval"] = [spread.low, spread.high]
            told["range"] = None if spread.least is None else [spread.least, spread.most]
        runs.append({**told, "p": row.p, "same_as_best": row.same})
    return {
        "release": standing.release.number if standing.release else None,
        "qrels_sha256": standing.release.sha256 if standing.release else None,
        "lenient_from": standing.counts["lenient_from"],
        "topics": board.topics,
        "measures": [column.name for column in board.columns],
        "focus": board.focus.name if board.focus else None,
        "test": board.test,
        "correction": board.correction,
        "runs": runs,
        "made_with": f"assize {standing.version}",
    }
