"""Agreement of a collection's assessors: ratings out of judgments, and the report that pages, files and commands share."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import numpy as np
from django.db.models import Count, Max, Sum
from django.utils import timezone
from numpy.typing import NDArray

from assess import opinions, selectors
from assess.core import agreement as kappa
from assess.core import watch
from assess.core.bootstrap import THIN, Plan
from assess.core.figures import topic_values
from assess.core.ratings import Ratings, ratings
from assess.core.report import report
from assess.models import Answer, AssignmentPlan, Judgment, JudgmentEvent, Seat
from assess.pairs import AgreementReport, Both, Pair, agreement, of_two, twice_judged
from assess.selectors import JudgmentTable
from config.errors import Forbidden
from config.keeping import is_kept, kept
from config.models import User
from config.order import natural
from pooling import selectors as pooled
from pooling.models import Collection

PAIRS_SHOWN = 60  # pairs beyond which only what they have in common is computed
RESAMPLES = 2000
DRAWS = 20_000_000  # numbers drawn for the mean of pairs, which depends on who said what; of more it has fewer resamples
QUICK = 500_000  # the same for a page that somebody waits for
SOON = 2000  # judgments up to which nobody waits for what is resampled; of more it comes after the rest of the page
FEW = 20  # pairs of opinions below which a stretch of time says little


@dataclass(frozen=True, eq=False)
class Rated:
    """Ratings with the names of their columns and topics; `items` are the rows' item ids."""

    ratings: Ratings
    people: list[int]
    names: list[str]
    topics: list[str]
    items: list[int]


def rated(table: JudgmentTable, levels: Sequence[int], names: Mapping[int, str]) -> Rated:
    """People by name, topics and items in the order of bytes: the same figures whatever the database's order."""
    people = sorted(set(table.assessors.tolist()), key=lambda pk: (natural(names.get(pk, "")), pk))
    numbers, topic_codes = np.unique(table.topics, return_inverse=True)
    items, first, codes = np.unique(table.items, return_index=True, return_inverse=True)
    order = np.lexsort((table.docnos[first], table.topics[first]))
    place = np.empty(len(items), np.int64)
    place[order] = np.arange(len(items))
    column = {pk: number for number, pk in enumerate(people)}
    columns = np.array([column[pk] for pk in table.assessors.tolist()], np.int64)
    found = ratings(place[codes], columns, table.grades, list(levels), topic_codes[first][order].astype(np.int64))
    return Rated(
        found,
        people,
        [names.get(pk, "A0") for pk in people],
        [number.decode() for number in numbers.tolist()],
        items[order].tolist(),
    )


def told(
    found: Rated,
    collection: Collection,
    *,
    resamples: int = RESAMPLES,
    pairs: bool = False,
    by_topic: bool = False,
    quick: bool = False,
) -> dict[str, Any]:
    """The whole report. Where a crowd makes very many pairs, these and the topics are left out; `quick` is for a page that
    somebody waits for."""
    thresholds = sorted({collection.lenient_from, collection.strict_from})
    lowest, highest = found.ratings.levels[0], found.ratings.levels[-1]
    few = len(found.people) * (len(found.people) - 1) // 2 <= PAIRS_SHOWN
    return report(
        found.ratings,
        found.names,
        found.topics,
        thresholds=[level for level in thresholds if lowest < level <= highest],
        plan=Plan(resamples, draws=QUICK if quick else DRAWS) if resamples else None,
        pairs=pairs and few,
        by_topic=by_topic and few,
    )


# For organizers


@dataclass(frozen=True, eq=False)
class Slice:
    """An hour, a day or more in which second opinions came; `end` is where the next one begins."""

    start: datetime
    end: datetime
    figures: kappa.Agreement

    @property
    def few(self) -> bool:
        return self.figures.n < FEW

    @property
    def is_of_hours(self) -> bool:
        return self.end - self.start < timedelta(hours=20)

    @property
    def last_day(self) -> datetime:
        return self.end - timedelta(hours=2)  # a day may have 23 hours


@dataclass(frozen=True, eq=False)
class Resampled:
    """What takes long, for its intervals: every coefficient, and each assessor against the rest."""

    report: dict[str, Any]
    rest: list[Pair]


@dataclass(frozen=True, eq=False)
class Overview:
    """All that the agreement page tells beside the pairs; `resampled` is None where it was not waited for."""

    topics: list["TopicRow"]
    times: list[Slice]
    repeats: list[Pair]
    checks: list["Check"]
    resampled: Resampled | None

    @property
    def report(self) -> dict[str, Any]:
        return self.resampled.report if self.resampled else {}

    @property
    def rest(self) -> list[Pair]:
        return self.resampled.rest if self.resampled else []

    @property
    def raw(self) -> float | None:
        """Raw agreement where each document counts alike, however many opinions it has."""
        value: float | None = self.report["views"][0]["figures"]["raw"]["value"]
        return value

    @property
    def mean_topic(self) -> "TopicMean":
        """The mean over topics, whatever their size; those without a value stand apart."""
        known = [
            [value for value in column if value is not None]
            for column in zip(*((t.raw, t.main) for t in self.topics), strict=True)
        ]
        raw, main = (math.fsum(values) / len(values) if values else None for values in known)
        return TopicMean(len(self.topics), sum(row.n for row in self.topics), raw, main, len(self.topics) - len(known[1]))


@dataclass(frozen=True)
class Check:
    """How somebody judges, beside agreement: pace, the share of each level, the longest run of equal grades, and how often they
    are with the majority of the others, `held` times where there is one. None: not known."""

    name: str
    judgments: int
    seconds: float | None  # median, active
    per_hour: float | None
    shares: list[float]
    run: int | None
    held: int
    majority: float | None


@dataclass(frozen=True)
class TopicRow:
    """A topic of which something was judged by two. `main` is the coefficient that is told first; `key` names it."""

    topic: str
    n: int
    raw: float | None
    main: float | None
    key: str

    @property
    def few(self) -> bool:
        return self.n < THIN


@dataclass(frozen=True)
class TopicMean:
    """`undefined`: topics that have no coefficient, which no mean knows."""

    topics: int
    n: int
    raw: float | None
    main: float | None
    undefined: int


def shown(collection: Collection, *, wait: bool = True) -> tuple[AgreementReport, Overview | None]:
    """All that the page tells, computed once for the judgments, scale and names of now. Without `wait` what takes long is left
    out, unless it is there already or the judgments are few."""
    heads = Judgment.objects.filter(item__pool__collection=collection)
    newest = heads.aggregate(count=Count("pk"), last=Max("pk"), at=Max("updated_at"), acts=Sum("event_count"))
    people = collection.memberships.order_by("pk").values_list("user_id", "user__name", "user__username")
    machines = AssignmentPlan.objects.filter(collection=collection, count_machines=True).exists()
    scale = (*collection.grades.values_list("value", flat=True), collection.lenient_from, collection.strict_from)
    key = ("agreement", collection.pk, *newest.values(), tuple(people), machines, scale)
    whole = wait or newest["count"] <= SOON or is_kept((*key, True))
    return kept((*key, whole), lambda: _shown(collection, whole))


def _shown(collection: Collection, whole: bool) -> tuple[AgreementReport, Overview | None]:
    table, at = selectors.timed_table(collection)
    both = twice_judged(table.items)
    report = agreement(collection, table, most=PAIRS_SHOWN, both=both)
    return report, overview(collection, table, at, both, whole=whole) if report.pairs else None


def overview(
    collection: Collection, table: JudgmentTable, at: NDArray[np.float64], both: Both | None = None, *, whole: bool = True
) -> Overview:
    """`at`: when each judgment of the table was made. For the page: topics; agreement over time; each one's own repeats; how each
    judges; if `whole`, every coefficient, and each assessor against the rest."""
    levels = list(collection.grades.values_list("value", flat=True))
    people = {user.pk: user for user in User.objects.filter(pk__in=np.unique(table.assessors).tolist())}
    found = rated(table, levels, {pk: user.name for pk, user in people.items()})
    both = twice_judged(table.items) if both is None else both
    resampled = Resampled(told(found, collection, quick=True), _rest(table, both, levels, people)) if whole else None
    parts = _times(table, both, at, levels), _repeats(collection, levels), _checks(collection, table, at, levels, people)
    return Overview(_topic_rows(found), *parts, resampled)


def whole(collection: Collection) -> dict[str, Any]:
    """For files and programs: the report with pairs and topics, and all resamples."""
    table = selectors.judgment_table(collection)
    names = dict(User.objects.filter(pk__in=np.unique(table.assessors).tolist()).values_list("pk", "name"))
    found = rated(table, list(collection.grades.values_list("value", flat=True)), names)
    return told(found, collection, pairs=True, by_topic=True)


def _topic_rows(found: Rated) -> list[TopicRow]:
    """On the grades; the thinnest last."""
    several = "alpha_ordinal" if len(found.ratings.levels) > 2 else "alpha_nominal"
    main = "cohen" if len(found.people) == 2 else several
    codes, numbers, values = topic_values(found.ratings, ["raw", main])
    rows = zip(codes, numbers, values["raw"], values[main], strict=True)
    lines = [TopicRow(found.topics[code], n, raw, kappa, main) for code, n, raw, kappa in rows]
    return sorted(lines, key=lambda row: (row.few, natural(row.topic)))


def _rest(table: JudgmentTable, both: Both, levels: Sequence[int], people: Mapping[int, User]) -> list[Pair]:
    """Each assessor's grades against every other opinion on the same documents."""
    a, b = both
    mine, others = np.concatenate((a, b)), np.concatenate((b, a))
    order = np.argsort(table.assessors[mine], kind="stable")
    first = np.flatnonzero(np.diff(table.assessors[mine][order], prepend=-1))
    found = []
    for here in np.split(order, first[1:]) if len(order) else []:
        user = people[int(table.assessors[mine[here[0]]])]
        found.append(Pair.of((user.name, "the rest", user.username), table, mine[here], others[here], levels))
    return sorted(found, key=lambda pair: natural(pair.first))


def _times(table: JudgmentTable, both: Both, at: NDArray[np.float64], levels: Sequence[int]) -> list[Slice]:
    """Pairs of opinions by the hours, days or weeks in which the later one came."""
    a, b = both
    if not len(a):
        return []
    later = np.maximum(at[a], at[b])
    return [
        Slice(start, end, kappa.agreement(table.grades[a][here], table.grades[b][here], levels))
        for start, end, here in watch.stretches(later, timezone.get_current_timezone())
    ]


def _repeats(collection: Collection, levels: Sequence[int]) -> list[Pair]:
    """Self-consistency: what one judged twice, unaware of it."""
    heads = Judgment.objects.filter(item__pool__collection=collection, answer=Answer.GRADE, extra=False)
    columns = ("assessor_id", "item_id", "item__topic__number", "item__docno", "grade")
    twice = list(heads.filter(occasion__gt=0).values_list(*columns))
    before = {
        (row[0], row[1]): row for row in heads.filter(occasion=0, item_id__in={row[1] for row in twice}).values_list(*columns)
    }
    names = dict(User.objects.filter(pk__in={row[0] for row in twice}).values_list("pk", "name"))
    both: dict[int, list[tuple[Any, Any]]] = {}
    for row in twice:
        if (first := before.get((row[0], row[1]))) is not None:
            both.setdefault(row[0], []).append((first, row))
    found = []
    for who, rows in sorted(both.items(), key=lambda pair: names[pair[0]]):
        lines = [(item, topic, docno, pk, 1, grade) for pair in rows for pk, item, topic, docno, grade in pair]
        at = np.arange(0, len(lines), 2)
        found.append(Pair.of((names[who], "the same again"), selectors.as_table(lines), at, at + 1, levels))
    return found


def _checks(
    collection: Collection,
    table: JudgmentTable,
    at: NDArray[np.float64],
    levels: Sequence[int],
    people: Mapping[int, User],
) -> list[Check]:
    acts = JudgmentEvent.objects.filter(judgment__item__pool__collection=collection, answer=Answer.GRADE, seconds__gt=0)
    took: dict[int, list[float]] = {}
    for who, seconds in acts.order_by().values_list("judgment__assessor_id", "seconds").iterator(chunk_size=20_000):
        took.setdefault(who, []).append(seconds or 0.0)
    known, same = watch.with_the_majority(table.items, table.grades, levels)
    found = []
    for pk, user in people.items():
        here, spent = table.assessors == pk, took.get(pk, [])
        grades, held = table.grades[here], int(known[here].sum())
        check = Check(
            user.name,
            len(grades),
            float(np.median(spent)) if spent else None,
            3600 * len(spent) / math.fsum(spent) if spent else None,
            [float((grades == level).mean()) for level in levels],
            watch.longest_run(grades, at[here]),
            held,
            int(same[here].sum()) / held if held else None,
        )
        found.append(check)
    return sorted(found, key=lambda check: natural(check.name))


@dataclass(frozen=True)
class Differing:
    """A document, with what those noted who gave one grade and those who gave the other; `pairs` of such opinions."""

    topic: str
    docno: str
    title: str
    pairs: int
    first_notes: list[str]
    second_notes: list[str]


@dataclass(frozen=True, eq=False)
class CellDocuments:
    """What a cell of a matrix counts: so many pairs of opinions on so many documents; `rows` are the first of them."""

    rows: list[Differing]
    pairs: int
    documents: int


def cell(collection: Collection, first: str, second: str, a: int, b: int, most: int = 500) -> CellDocuments:
    """The documents of a matrix's cell, each once: those to which one gave grade `a` and the other grade `b`. Without names:
    first opinions and second ones."""
    table = selectors.judgment_table(collection)
    one, two = twice_judged(table.items)
    if first and second:
        ids = dict(User.objects.filter(username__in=[first, second]).values_list("username", "pk"))
        x, y = ids.get(first, 0), ids.get(second, 0)
        one, two = of_two(table, (one, two), x, y)
    here = (table.grades[one] == a) & (table.grades[two] == b)
    one, two = one[here], two[here]
    order = np.argsort(table.items[one], kind="stable")
    starts = np.flatnonzero(np.diff(table.items[one][order], prepend=-1))
    groups = np.split(order, starts[1:]) if len(order) else []
    groups.sort(key=lambda pairs: (natural(table.topics[one[pairs[0]]].decode()), table.docnos[one[pairs[0]]]))
    shown = [(table.topics[one[pairs[0]]].decode(), table.docnos[one[pairs[0]]].decode(), pairs) for pairs in groups[:most]]
    titles = pooled.documents(collection).filter(docno__in={docno for _, docno, _ in shown})
    title = dict(titles.values_list("docno", "title"))
    heads = selectors.judgments(collection).filter(item_id__in=[int(table.items[one[pairs[0]]]) for *_, pairs in shown])
    note = {(item, who): text for item, who, text in heads.exclude(note="").values_list("item_id", "assessor_id", "note")}

    def notes(places: NDArray[np.int64]) -> list[str]:
        who = [(int(table.items[place]), int(table.assessors[place])) for place in np.unique(places).tolist()]
        return [note[key] for key in who if key in note]

    rows = [
        Differing(topic, docno, title.get(docno, ""), len(pairs), notes(one[pairs]), notes(two[pairs]))
        for topic, docno, pairs in shown
    ]
    return CellDocuments(rows, len(one), len(groups))


# For assessors


@dataclass(frozen=True)
class OwnTopic:
    """One's own agreement with the others on a topic that is judged to the end; `n` counts their opinions."""

    topic: str
    title: str
    n: int
    raw: float | None
    cohen: float | None

    @property
    def few(self) -> bool:
        return self.n < THIN


def own(collection: Collection, user: User) -> list[OwnTopic]:
    """Only topics that nobody has anything left to judge of, so that nothing can be learnt for a grade to come."""
    table = selectors.judgment_table(collection)
    levels = list(collection.grades.values_list("value", flat=True))
    open_ = set(Seat.objects.filter(collection=collection, judged_at=None).values_list("item__topic__number", flat=True))
    a, b = twice_judged(table.items)
    mine, others = np.concatenate((a, b)), np.concatenate((b, a))
    here = table.assessors[mine] == user.pk
    mine, others = mine[here], others[here]
    titles = dict(collection.topics.values_list("number", "title"))
    found = []
    for number in sorted({topic.decode() for topic in table.topics[mine].tolist()} - open_, key=natural):
        at = table.topics[mine] == number.encode()
        figures = kappa.agreement(table.grades[mine][at], table.grades[others][at], levels)
        found.append(OwnTopic(number, titles[number], figures.n, figures.raw, figures.cohen))
    return found


def require_own_shown(collection: Collection) -> None:
    if not opinions.plan(collection).show_own:
        told = "The organizers of this collection do not show assessors how far they agree with the others."
        raise Forbidden(
            told, remedy="If they allow it later, it is here for each topic that is judged to its end. You can ask them."
        )
