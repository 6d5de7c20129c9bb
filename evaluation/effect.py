"""Does disagreement matter: runs scored under each assessor's qrels and under each merge rule, and how far their orders agree."""

from collections import defaultdict
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assess import opinions
from assess.core.figures import FEW
from assess.models import Answer, Judgment, MergePlan, MergeRule
from assess.selectors import pseudonyms
from config.errors import Refusal
from config.keeping import kept
from config.models import User
from config.order import natural
from evaluation import columns, standings
from evaluation.core.judged import Given
from evaluation.core.leaders import paired_t
from evaluation.core.matrix import NOT_IN_QRELS, RankedItems, StoredRuns, evaluate_items
from evaluation.core.one_per_topic import draw
from evaluation.core.orders import kendall, rbo, swapped, tau_ap_symmetric
from evaluation.core.qrels import Qrels
from evaluation.core.registry import MeasureError, parse_measure
from evaluation.core.significance import FEWEST
from evaluation.live import Mark
from pooling.models import Collection, Run

MOST_PAIRS = 60
MOST_RUNS = 300
AT_ONCE = 100  # runs up to which a page is not long in coming
ALPHA = 0.05
MERGED = "merged grades"  # what assessors and machines are compared with
DRAWS, SEED = 1000, 0  # of one assessor for each topic
_CHANGES = {"equivalent": "hardly changes", "similar": "changes somewhat", "different": "changes clearly"}


@dataclass(frozen=True, eq=False)
class Order:
    """The runs under one qrels: mean scores and ranks, aligned with the runs of the effect; 1 is best, equal ones share."""

    name: str
    kind: str  # rule, assessor, machine
    items: int
    means: NDArray[np.float64]
    ranks: NDArray[np.int64]


@dataclass(frozen=True)
class Comparison:
    """Two orders of the runs, means over the same topics: of merge rules each on all that it decides, of assessors on the
    documents that both judged. `items`: those with a grade under both. `swaps` pairs of runs change places, `sure` of them although the
    difference is significant under one of the two (paired t, 0.05); `run` moves furthest, by `moved` ranks."""

    first: str
    second: str
    items: int
    topics: int
    tau: float | None
    tau_ap: float | None
    swaps: int
    sure: int
    run: str
    moved: int
    before: int
    after: int
    rbo: float  # rank-biased overlap, p = 0.9: the top of the order weighs most

    @property
    def reading(self) -> str:
        if self.tau is None:
            return "undefined"
        return "equivalent" if self.tau >= 0.9 else "similar" if self.tau >= 0.8 else "different"


@dataclass(frozen=True)
class Range:
    """Of a run over all draws: its score and rank by the merged grades, and what 95 of 100 draws gave; ranks from the best."""

    run: str
    score: float
    low: float
    median: float
    high: float
    rank: int
    best: int
    middle: int
    worst: int


@dataclass(frozen=True, eq=False)
class Draws:
    """One assessor for each topic, drawn over and over: how the order of runs agrees with that by the merged grades of the
    same documents. `topics`: those that two or more judged; `undefined`: draws in which all runs tie."""

    draws: int
    seed: int
    topics: int
    taus: NDArray[np.float64]
    undefined: int
    runs: list[Range]

    @property
    def quantiles(self) -> list[float]:
        """Of τ: 2.5, 25, 50, 75 and 97.5 per cent; none where no draw has one."""
        return np.quantile(self.taus, [0.025, 0.25, 0.5, 0.75, 0.975]).tolist() if len(self.taus) else []

    @property
    def equivalent(self) -> float | None:
        """The share of draws whose order is usually called equivalent."""
        return float((self.taus >= 0.9).mean()) if len(self.taus) else None


@dataclass(frozen=True, eq=False)
class Effect:
    measure: str
    runs: list[str]
    orders: list[Order]
    rules: list[Comparison]
    assessors: list[Comparison]
    pairs: list[Comparison]
    machines: list[Comparison]
    draws: Draws | None = None

    def of(self, kind: str) -> list[Order]:
        return [order for order in self.orders if order.kind == kind]

    @property
    def verdict(self) -> str:
        """The answer in a sentence or two; empty where nothing could be compared."""
        by_rule, by_person = _lowest(self.rules), _lowest([*self.assessors, *self.pairs])
        told = []
        if by_rule is not None:
            told.append(f"By merge rule the order {_changes(by_rule)}: the lowest τ is {by_rule.tau:.3f}.")
        if by_person is not None:
            few = f", of {by_person.items:,} documents only" if by_person.items < FEW else ""
            told.append(f"By assessor it {_changes(by_person)}: the lowest τ is {by_person.tau:.3f}{few}.")
        compared = [*self.rules, *self.assessors, *self.pairs]
        if told:
            sure = max(one.sure for one in compared)
            told.append(
                "No significant difference between two runs is turned around."
                if not sure
                else f"In one comparison {sure} significant difference{'s are' if sure > 1 else ' is'} turned around."
            )
        return " ".join(told)


def _changes(compared: Comparison) -> str:
    return "does not change" if compared.tau == 1 else _CHANGES[compared.reading]


def _lowest(rows: list[Comparison]) -> Comparison | None:
    """Of those with enough documents, if there are any: of a few the order of runs says little."""
    defined = [row for row in rows if row.tau is not None]
    return min([row for row in defined if row.items >= FEW] or defined, key=lambda row: row.tau or 0.0, default=None)


def effect(collection: Collection, measure: str = "", *, named: bool = True) -> Effect:
    """Everything, computed from the judgments of now; assessors by name, or by pseudonym."""
    counts, plan = columns.live_counts(collection), opinions.plan(collection)
    wanted = _measure(collection, measure, counts)
    runs = list(collection.runs.select_related("upload").order_by("tag")[:MOST_RUNS])
    told = standings.live_key(collection, plan, counts, runs, [wanted]), Mark.of(collection), named
    return kept(("effect", told), lambda: _effect(collection, plan, runs, wanted, named, Given(documents=counts["documents"])))


def _measure(collection: Collection, name: str, counts: columns.Counts) -> str:
    """The measure that is asked for, or the first official one that judgments alone decide."""
    try:
        wanted = [parse_measure(name)] if name else [*columns.official(collection), parse_measure("AP")]
    except MeasureError as error:
        raise Refusal(str(error)) from error
    there = [one for one in wanted if one.definition.needs in ("", "documents") and not columns.unsized(one, counts)]
    if not there:
        raise Refusal(f"{wanted[0]} needs more than runs and judgments; expected a measure of these alone.")
    return str(there[0])


def _effect(collection: Collection, plan: MergePlan, runs: list[Run], wanted: str, named: bool, given: Given) -> Effect:
    found = opinions.opinions(collection)
    if len(runs) < 2 or not len(found.items):
        return Effect(wanted, [run.tag for run in runs], [], [], [], [], [])
    scored = _Scored(collection, found, standings.stored(runs), wanted, given)
    official = found.merge(plan.rule, plan.opinions)
    now = _Grades(official.decided, official.grades)
    if not now.known.any():
        return Effect(wanted, scored.tags, [], [], [], [], [])
    orders, rules = [scored.order(f"{plan.rule} (set)", "rule", now)], []
    for rule in MergeRule:
        if rule.value != plan.rule:
            merged = found.merge(rule.value, plan.opinions)
            other = _Grades(merged.decided, merged.grades)
            if not (now.known & other.known).any():
                continue
            orders.append(scored.order(rule.value, "rule", other))
            rules.append(scored.compare(plan.rule, rule.value, now, other))
    people = _people(collection, scored, named)
    assessors, own = _alone(scored, people, now)
    machines, by_machine = _machines(collection, scored, now)
    orders += [*own, *by_machine]
    return Effect(wanted, scored.tags, orders, rules, assessors, _pairs(scored, people), machines, _draws(scored, people, now))


@dataclass(frozen=True, eq=False)
class _Grades:
    """Somebody's, or a rule's, aligned with the items of the opinions: which have one, and which."""

    known: NDArray[np.bool_]
    grades: NDArray[np.int64]

    def where(self, also: NDArray[np.bool_]) -> "_Grades":
        return _Grades(self.known & also, self.grades)


def _people(collection: Collection, scored: "_Scored", named: bool) -> "dict[str, _Grades]":
    """By name, each assessor's grades of documents that others judged, too."""
    found = scored.found
    names = _names(collection, found, named)
    shared = np.bincount(found.codes, minlength=len(found.items)) > 1
    given: dict[str, _Grades] = {}
    for who in sorted(names, key=lambda pk: natural(names[pk])):
        mine = found.table.assessors == who
        grades = _spread(len(found.items), found.codes[mine], found.table.grades[mine]).where(shared)
        if grades.known.any():
            given[names[who] if names[who] not in given else f"{names[who]} ({who})"] = grades
    return given


def _alone(scored: "_Scored", given: "dict[str, _Grades]", official: _Grades) -> tuple[list[Comparison], list[Order]]:
    """Each assessor against the merged grades of the same documents; and the order of the runs under theirs."""
    compared, orders = [], []
    for name, grades in list(given.items())[:MOST_PAIRS]:
        if (both := grades.known & official.known).any():
            mine = grades.where(both)
            compared.append(scored.compare(name, MERGED, mine, official.where(both)))
            orders.append(scored.order(name, "assessor", mine))
    return compared, orders


def _pairs(scored: "_Scored", given: "dict[str, _Grades]") -> list[Comparison]:
    """Each pair of assessors on the documents that both judged."""
    pairs: list[Comparison] = []
    for one, other in combinations(given, 2):
        both = given[one].known & given[other].known
        if both.any() and len(pairs) < MOST_PAIRS:
            pairs.append(scored.compare(one, other, given[one].where(both), given[other].where(both)))
    return pairs


def _draws(scored: "_Scored", given: "dict[str, _Grades]", official: _Grades) -> Draws | None:
    """None where no topic was judged by two."""
    rows = [scored.scores(grades.where(official.known)) for grades in list(given.values())[:MOST_PAIRS]]
    there, values = np.array([row[0] for row in rows]), [row[1] for row in rows]
    topics = np.flatnonzero(there.sum(axis=0) > 1) if len(rows) else np.empty(0, np.int64)
    if not len(topics):
        return None
    by_topic = [np.array([values[who][:, topic] for who in np.flatnonzero(there[:, topic])]) for topic in topics]
    anyone = np.logical_or.reduce([grades.known for grades in given.values()])
    truth = scored.scores(official.where(anyone))[1][:, topics].mean(axis=1)
    found = draw(by_topic, truth, draws=DRAWS, seed=SEED)
    known = found.taus[~np.isnan(found.taus)]
    scores = np.quantile(found.means, [0.025, 0.5, 0.975], axis=0).T.tolist()
    places = np.quantile(found.ranks, [0.025, 0.5, 0.975], axis=0, method="nearest").T.astype(int).tolist()
    settled = zip(scored.tags, truth.tolist(), scores, _ranks(truth).tolist(), places, strict=True)
    ranges = [
        Range(tag, mean, low, median, high, rank, best, middle, worst)
        for tag, mean, (low, median, high), rank, (best, middle, worst) in settled
    ]
    return Draws(DRAWS, SEED, len(topics), known, len(found.taus) - len(known), sorted(ranges, key=lambda one: one.rank))


def _machines(collection: Collection, scored: "_Scored", official: _Grades) -> tuple[list[Comparison], list[Order]]:
    """Each machine, whether it counts or not, against the merged grades of the documents that it judged."""
    rows = Judgment.objects.filter(
        item__pool__collection=collection, assessor__is_machine=True, occasion=0, extra=False, answer=Answer.GRADE
    )
    given: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for name, item, grade in rows.order_by("assessor__name", "pk").values_list("assessor__name", "item_id", "grade"):
        given[name].append((item, int(grade or 0)))
    found, orders = [], []
    for name, told in given.items():
        items, grades = np.array(told, np.int64).T
        places = np.searchsorted(scored.found.items, items)
        here = scored.found.items[np.minimum(places, len(scored.found.items) - 1)] == items
        mine = _spread(len(scored.found.items), places[here], grades[here])
        if (both := mine.known & official.known).any():
            mine = mine.where(both)
            found.append(scored.compare(name, MERGED, mine, official.where(both)))
            orders.append(scored.order(name, "machine", mine))
    return found[:MOST_PAIRS], orders[:MOST_PAIRS]


def _spread(size: int, places: NDArray[np.int64], grades: NDArray[np.int64]) -> _Grades:
    found = _Grades(np.zeros(size, bool), np.zeros(size, np.int64))
    found.known[places], found.grades[places] = True, grades
    return found


def _names(collection: Collection, found: opinions.Opinions, named: bool) -> dict[int, str]:
    people = np.unique(found.table.assessors).tolist()
    if not named:
        known = pseudonyms(collection)
        return {pk: known.get(pk, "A0") for pk in people}
    return dict(User.objects.filter(pk__in=people).values_list("pk", "name"))


class _Scored:
    """Scores of the same runs under any grades of the same documents."""

    def __init__(self, collection: Collection, found: opinions.Opinions, runs: StoredRuns, measure: str, given: Given) -> None:
        self.found, self.measure, self.rel, self.given = found, measure, collection.lenient_from, given
        self.tags = list(runs.matrix.tags)
        topics, codes = np.unique(found.topics, return_inverse=True)
        self.order_of = np.lexsort((found.docnos, codes))
        nothing = np.zeros(len(found.items), np.int64)
        qrels = Qrels(topics, codes[self.order_of], found.docnos[self.order_of], nothing)
        self.ranked = RankedItems.of(runs.judged(qrels), self.tags)
        self.known: dict[_Grades, tuple[NDArray[np.bool_], NDArray[np.float64]]] = {}

    def scores(self, graded: _Grades) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
        """Which topics have a grade, and runs × topics, of the others too; the same grades are scored once."""
        if graded not in self.known:
            self.known[graded] = self._scores(graded)
        return self.known[graded]

    def _scores(self, graded: _Grades) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
        grades = np.where(graded.known, graded.grades, NOT_IN_QRELS)[self.order_of]
        there = np.bincount(self.ranked.codes[grades != NOT_IN_QRELS], minlength=len(self.ranked.topics)) > 0
        return there, evaluate_items(self.ranked, grades, [self.measure], rel=self.rel, given=self.given).values[:, 0]

    def order(self, name: str, kind: str, given: _Grades) -> Order:
        there, values = self.scores(given)
        means = values[:, there].mean(axis=1)
        return Order(name, kind, int(given.known.sum()), means, _ranks(means))

    def compare(self, first: str, second: str, one: _Grades, other: _Grades) -> Comparison:
        """Each on its own documents, both over the topics they share."""
        (here, mine), (there, theirs) = self.scores(one), self.scores(other)
        a, b = mine[:, here & there], theirs[:, here & there]
        items = int((one.known & other.known).sum())
        x, y = a.mean(axis=1), b.mean(axis=1)
        before, after = _ranks(x), _ranks(y)
        far = int(np.argmax(np.abs(after - before)))
        by_first, by_second = ([self.tags[i] for i in np.lexsort((self.tags, -m))] for m in (x, y))
        sure = sure_swaps(a, b)
        return Comparison(
            *(first, second, items, a.shape[1], kendall(x, y), tau_ap_symmetric(by_first, by_second)),
            *(swapped(x, y), sure, self.tags[far], int(abs(after[far] - before[far])), int(before[far]), int(after[far])),
            rbo(by_first, by_second).extrapolated,
        )


def sure_swaps(a: NDArray[np.float64], b: NDArray[np.float64]) -> int:
    """Pairs of runs that change places although one of the two tells them apart."""
    if a.shape[1] < FEWEST:
        return 0
    x, y = a.mean(axis=1), b.mean(axis=1)
    one, other = np.triu_indices(len(a), 1)
    turned = (x[one] - x[other]) * (y[one] - y[other]) < -1e-24
    one, other = one[turned], other[turned]
    told = [paired_t(np.round(values[one] - values[other], 12)) < ALPHA for values in (a, b)]
    return int((told[0] | told[1]).sum())


def _ranks(means: NDArray[np.float64]) -> NDArray[np.int64]:
    """1 for the highest; equal ones share the better rank."""
    rounded = np.round(means, 12)
    return np.asarray(1 + (rounded[None, :] > rounded[:, None]).sum(axis=1), np.int64)


def document(found: Effect) -> dict[str, Any]:
    """As plain data: for JSON."""
    orders = [
        {
            "name": order.name,
            "kind": order.kind,
            "items": order.items,
            "means": dict(zip(found.runs, order.means.tolist(), strict=True)),
            "ranks": dict(zip(found.runs, order.ranks.tolist(), strict=True)),
        }
        for order in found.orders
    ]
    parts = {name: [asdict(row) for row in getattr(found, name)] for name in ("rules", "assessors", "pairs", "machines")}
    return {"measure": found.measure, "orders": orders, **parts, "draws": found.draws and _drawn(found.draws)}


def _drawn(found: Draws) -> dict[str, Any]:
    told = {"draws": found.draws, "generator": "PCG64", "seed": found.seed, "topics": found.topics}
    told |= {"undefined": found.undefined, "equivalent": found.equivalent}
    quantiles = dict(zip(("2.5", "25", "50", "75", "97.5"), found.quantiles, strict=False))
    return {**told, "tau_percentiles": quantiles, "runs": [asdict(row) for row in found.runs]}
