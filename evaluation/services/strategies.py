"""Which strategy would have done best here: all of them simulated on the judgments that are there, by a job."""

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db import transaction
from django.db.models import Count
from django.utils import timezone

from assess import opinions
from assess.selectors import judgments
from config import jobs, store
from config.errors import Conflict
from config.expected import require_between
from config.models import Job, User
from evaluation.core.matrix import NOT_IN_QRELS, StoredRuns
from evaluation.core.simulation import Compared, compare
from pooling import selectors as pooling
from pooling.core.strategies import STRATEGIES
from pooling.matrices import matrix_of
from pooling.models import Collection
from pooling.services.work import Work

NAMES = (
    *("depth", "take", "rrf", "rbp", "dcg", "borda", "condorcet", "combsum", "combmnz", "combmax", "combanz"),
    *("mtf", "maxmean", "thompson", "hedge", "rbp-adaptive"),
)
MOST_BUDGET = 1000
MOST_USUAL = 50
POINTS = 60  # of a curve as it is kept
ASKED_OF = ("mtf", "maxmean")  # by what people ask of adaptive strategies, whichever needs the fewest


def _more_or_fewer(share: float | None) -> str:
    """Of one line, with a minus as wide as a plus."""
    return (
        "–"
        if share is None
        else "the same"
        if not round(100 * share)
        else f"{100 * share:+.0f}\N{NO-BREAK SPACE}%".replace("-", "−")
    )


def _in_words(share: float) -> str:
    percent = round(100 * share)
    return "as many" if not percent else f"{abs(percent)} % {'fewer' if percent < 0 else 'more'}"


@dataclass(frozen=True)
class Line:
    """A strategy as the page shows it. `curve`: pairs of judgments and relevant documents found, over all topics."""

    name: str
    label: str
    kind: str
    to_enough: int | None
    found: int
    tau: float | None
    bias: list[float]
    curve: list[tuple[int, int]]
    share: float | None = None  # judgments for 80 %, against best rank
    by_depth: float | None = None  # the same against a pool by depth, judged by docno

    @property
    def share_words(self) -> str:
        return _more_or_fewer(self.share)

    @property
    def depth_words(self) -> str:
        return _more_or_fewer(self.by_depth)

    @property
    def largest(self) -> float:
        return max((abs(one) for one in self.bias), default=0.0)


@dataclass(frozen=True)
class Comparison:
    made_at: str
    budget: int
    judged: int
    relevant: int
    runs: list[str]
    lines: list[Line]

    @property
    def best(self) -> Line | None:
        """Which needed the fewest judgments, if fewer than a pool by depth."""
        fewer = [line for line in self.lines if line.to_enough and line.by_depth is not None and line.by_depth < 0]
        return min(fewer, key=lambda line: line.to_enough or 0, default=None)

    @property
    def summary(self) -> str:
        """What adaptive strategies save, and the best of all, against depth order; empty where 80 % are never found."""
        lines, best = {line.name: line for line in self.lines}, self.best
        depth = lines["depth"].to_enough
        told = [lines[name] for name in ASKED_OF] + ([best] if best and best.name not in ASKED_OF else [])
        parts = [
            f"{line.label} with {line.to_enough:,}, {_in_words(line.by_depth)}{', the fewest of all' if line is best else ''}"
            for line in told
            if line.to_enough and line.by_depth is not None
        ]
        if not depth or not parts:
            return ""
        return f"Depth order finds 80 % of the relevant documents with {depth:,} judgments; {'; '.join(parts)}."


def usual_budget(collection: Collection) -> int:
    """Half of what is judged of a topic on average, 50 at most: with all of it no strategy would differ from another."""
    judged = judgments(collection).aggregate(items=Count("item", distinct=True), topics=Count("item__topic", distinct=True))
    return max(1, min(MOST_USUAL, int(judged["items"]) // max(2 * int(judged["topics"]), 1)))


@transaction.atomic
def request_comparison(collection: Collection, *, by: User, budget: int) -> Job:
    """Ask for the simulation; asked twice while it is being done, it is done once."""
    _check(collection, budget)
    return jobs.intend(
        "compare_strategies",
        title=f"Strategies of {collection.short_name} compared",
        args={"collection": collection.pk, "budget": budget},
        started_by=by,
        collection_id=collection.pk,
        dedupe=f"strategies:{collection.pk}",
    )


def _check(collection: Collection, budget: int) -> None:
    require_between("budget", budget, 1, MOST_BUDGET)
    if collection.runs.count() < 2:
        raise Conflict("A comparison needs two runs at least.")
    if not len(opinions.opinions(collection).items):
        raise Conflict("Nothing is judged yet: strategies are compared on judgments that are there.")


def compare_strategies(collection: Collection, *, budget: int, work: Work) -> Comparison:
    """Simulate every strategy on the final grades of now, and keep what came of it in the place of what was kept before."""
    _check(collection, budget)
    plan, found = opinions.plan(collection), opinions.opinions(collection)
    final = opinions.final(found, plan.rule, plan.opinions, "out", pooling.grades(collection)[0].value)
    runs = list(collection.runs.order_by("pk"))
    stored = StoredRuns.of(matrix_of(runs, None))
    items = stored.matrix.find(found.topics[final.places], found.docnos[final.places])
    grades = np.full(len(stored.matrix) + 1, NOT_IN_QRELS)
    grades[items] = final.grades
    lines: list[Compared] = []
    total = 0
    for place, name in enumerate(NAMES):
        work.progress(place, len(NAMES), STRATEGIES[name].label)
        total, some = compare(stored, grades[:-1], [name], budget=budget, rel=collection.lenient_from, seed=1)
        lines += some
    told = {
        "made_at": timezone.now().isoformat(),
        "budget": budget,
        "judged": int((grades[:-1] != NOT_IN_QRELS).sum()),
        "relevant": total,
        "runs": [run.tag for run in runs],
        "lines": [_told(one, budget) for one in lines],
    }
    aside = work.folder() / "strategies.json"
    aside.write_text(json.dumps(told))
    with work.finish(f"{len(lines)} strategies compared"):
        store.move(aside, _path(collection))
    return _read(told)


def _told(one: Compared, budget: int) -> dict[str, Any]:
    size = len(one.judged)
    places = np.unique(np.linspace(0, size - 1, min(POINTS, size)).astype(int)) if size else np.zeros(0, int)
    curve = [(int(one.judged[place]), int(one.relevant[place])) for place in places.tolist()]
    found = int(one.relevant[min(budget, size) - 1]) if size else 0
    facts = {"name": one.name, "to_enough": one.to_enough, "found": found, "tau": one.tau}
    return {**facts, "bias": [round(value, 6) for value in one.bias.tolist()], "curve": curve}


def _less(needed: int | None, base: int | None) -> float | None:
    return needed / base - 1 if needed and base else None


def _path(collection: Collection) -> str:
    return f"files/strategies/{collection.pk}.json"


def latest(collection: Collection) -> Comparison | None:
    path = store.path(_path(collection), changes=True)
    return _read(json.loads(path.read_text())) if path.exists() else None


def _read(told: dict[str, Any]) -> Comparison:
    needed = {line["name"]: line["to_enough"] for line in told["lines"]}
    lines = []
    for line in told["lines"]:
        one = STRATEGIES[line["name"]]
        share, by_depth = (_less(line["to_enough"], needed.get(base)) for base in ("take", "depth"))
        curve = [(judged, found) for judged, found in line["curve"]]
        lines.append(Line(**{**line, "curve": curve}, label=one.label, kind=one.kind, share=share, by_depth=by_depth))
    return Comparison(**{**told, "lines": lines})
