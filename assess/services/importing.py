"""Judgments that were made elsewhere become an assessor's here, so that an old collection can be continued."""

import hashlib
import re
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from django.db import connection
from django.db.models import Max, Model
from django.utils import timezone

from assess.core.judgment_files import Judgment as Line
from assess.core.judgment_files import Judgments
from assess.models import Answer, Judgment, JudgmentEvent, Seat
from config import accounts
from config.errors import Conflict
from config.models import User
from config.statements import Aside, insert_from
from pooling.core.findings import Report, Said, Severity, shown
from pooling.core.lines import Unpackable
from pooling.core.nearest import Nearest
from pooling.core.qrels import read_qrels, unknown_document
from pooling.docnos import all_docnos
from pooling.models import Collection, Membership, Pool, PoolItem, Role
from pooling.services import taking
from pooling.services.collections import require_not_archived

STRATEGY = "imported"


@dataclass(frozen=True)
class Checked:
    """Lines that can be stored; what is wrong with the file is in the report."""

    lines: list[Line]
    report: Report


def check_judgments(
    collection: Collection,
    data: bytes,
    *,
    assessor: str = "",
    repeats: str = "refuse",
    grades: Mapping[int, int] | None = None,
    drop_zeros: bool = False,
) -> Checked:
    """Read a file of `topic docno assessor grade`, or qrels whose lines are all of one named assessor.

    Topics and grades, once `grades` has mapped them, must be the collection's; a document it lacks is a warning, with
    `drop_zeros` only if it lacks the one without zeros before it, too. A document that the assessor has judged here already
    refuses the file.
    """
    levels = list(collection.grades.values_list("value", flat=True))
    topics = set(collection.topics.values_list("number", flat=True))
    if assessor:
        lines, report = _of_one(collection, data, assessor, topics, levels, grades, drop_zeros)
    else:
        bare = all_docnos(collection) if drop_zeros else None
        found = Judgments(levels, repeats, grades or {}, of=topics, bare_docnos=bare)  # type: ignore[arg-type]
        report = found.read(data, "file", alone=True)
        if report.count("QRELS_ALONE"):
            return Checked([], _with_faults_as_qrels(collection, data, report, topics, levels, grades))
        lines = list(found.judged())
        _check_topics(topics, lines, report)
        _check_documents(collection, lines, report)
    if report.ok and not lines:
        report.add("error", "EMPTY", 0, "The file holds no grade: every line is without one, or negative.")
    if report.ok:
        _check_judged(collection, lines, report)
    return Checked(lines, report)


def _of_one(
    collection: Collection,
    data: bytes,
    assessor: str,
    topics: Set[str],
    levels: list[int],
    grades: Mapping[int, int] | None,
    drop_zeros: bool = False,
) -> tuple[list[Line], Report]:
    try:
        plain = taking.plain(data)
    except Unpackable as error:
        report = Report()
        report.add("error", "PACKED", 0, str(error))
        return [], report
    known = all_docnos(collection)
    told = {"topics": topics, "docnos": known, "levels": levels, "grades": grades}
    columns, report = read_qrels(plain, **told, drop_zeros=drop_zeros)  # type: ignore[arg-type]
    if columns is None:
        return [], report
    rows = zip(columns.topics.tolist(), columns.docnos.tolist(), columns.grades.tolist(), strict=True)
    return [Line(0, topic.decode(), docno.decode(), assessor, grade) for topic, docno, grade in rows if grade >= 0], report


def _with_faults_as_qrels(
    collection: Collection, data: bytes, report: Report, topics: Set[str], levels: list[int], grades: Mapping[int, int] | None
) -> Report:
    """That an assessor's name is wanted, beside all that would be wrong with the file if one were given."""
    wanted = next(finding for finding in report.findings if finding.code == "QRELS_ALONE")
    _, faults = _of_one(collection, data, "", topics, levels, grades)
    faults.add(wanted.severity, wanted.code, wanted.line, wanted.message)
    return faults


def _check_topics(topics: Set[str], lines: Iterable[Line], report: Report) -> None:
    strange = [line for line in lines if line.topic not in topics]
    _add_grouped(
        report,
        "error",
        "TOPIC_UNKNOWN",
        strange,
        [line.topic for line in strange],
        lambda line, many: f"Topic {shown(line.topic)}{f', on {many},' if many else ''} is not part of this collection.",
    )


def _add_grouped(
    report: Report,
    severity: Severity,
    code: str,
    found: Sequence[Line],
    by: Sequence[str],
    message: Callable[[Line, str], str | Said],
) -> None:
    numbers = np.array([line.line for line in found], np.int64)
    report.add_grouped(severity, code, numbers, np.array(by, np.str_), lambda i, many: message(found[i], many))


def _check_documents(collection: Collection, lines: Iterable[Line], report: Report) -> None:
    known = all_docnos(collection)
    if known is None:
        return
    there = {docno.decode() for docno in known.tolist()}
    strange = [line for line in lines if line.docno not in there]
    names, nearest = [line.docno for line in strange], Nearest(known)
    _add_grouped(
        report,
        "warning",
        "DOC_UNKNOWN",
        strange,
        names,
        lambda line, many: unknown_document(line.docno.encode(), many, nearest),
    )


def _check_judged(collection: Collection, lines: Sequence[Line], report: Report) -> None:
    """Nobody's judgment is overwritten by a file."""
    known = {label: user.pk for label in {line.assessor for line in lines} if (user := _existing(collection, label))}
    heads = Judgment.objects.filter(item__pool__collection=collection, assessor__in=known.values(), occasion=0)
    before = set(heads.values_list("assessor_id", "item__topic__number", "item__docno"))
    again = [line for line in lines if (known.get(line.assessor), line.topic, line.docno) in before]

    def message(line: Line, many: str) -> str:
        who, what = shown(line.assessor), f"document {shown(line.docno)} of topic {shown(line.topic)}"
        if many:
            return f"{who} has judged what is on {many} in this collection already, such as {what}."
        return f"{who} has judged {what} in this collection already."

    _add_grouped(report, "error", "JUDGED_ALREADY", again, [line.assessor for line in again], message)


_PEOPLE: dict[str, tuple[type[Model], str]] = {"place": (Seat, "position"), "assessor_id": (Seat, "assessor")}
_LINES: dict[str, tuple[type[Model], str]] = {
    "position": (Seat, "position"),
    "person": (Seat, "position"),
    "topic_id": (Seat, "topic"),
    "docno": (PoolItem, "docno"),
    "item_id": (Seat, "item"),
    "slot": (Seat, "slot"),
    "token": (Seat, "token"),
    "grade": (Judgment, "grade"),
    "client_id": (JudgmentEvent, "client_id"),
}


@dataclass(frozen=True)
class Prepared:
    """Lines that are ready to be stored: rows aside in `_LINES`; `new`: how many items were never pooled."""

    collection: Collection
    labels: list[str]
    grades: set[int | None]
    new: int
    people: Aside


@contextmanager
def prepared(collection: Collection, lines: Sequence[Line]) -> Iterator[Prepared]:
    """All that can be read and made before the transaction, so that whoever judges waits for a few statements alone. What
    changes between here and there breaks a constraint: then it is to be prepared again."""
    topics = dict(collection.topics.values_list("number", "pk"))
    pooled = PoolItem.objects.filter(topic__collection=collection).values_list("topic__number", "docno", "pk", "pool__drawn_at")
    items = {(number, docno): (pk, drawn) for number, docno, pk, drawn in pooled}
    there = {(line.topic, line.docno) for line in lines}
    if any(items[pair][1] is None for pair in there & items.keys()):
        raise Conflict("A round of the pool is being drawn; import this when that is done.")
    highest = dict(Seat.objects.filter(collection=collection).order_by().values_list("item").annotate(Max("slot")))
    labels = {label: place for place, label in enumerate(dict.fromkeys(line.assessor for line in lines))}
    slots = {pair: highest.get(pk, 0) for pair, (pk, _) in items.items()}
    first = uuid.uuid4().int >> 32 << 32  # names of acts stand side by side in their index, which is then quick to write

    def rows() -> Iterator[tuple[object, ...]]:
        for place, line in enumerate(lines, 1):
            pair = line.topic, line.docno
            slots[pair] = slots.get(pair, 0) + 1
            item, _ = items.get(pair, (None, None))
            names = uuid.uuid4(), line.grade, uuid.UUID(int=first + place)
            yield place, labels[line.assessor], topics[line.topic], line.docno, item, slots[pair], *names

    with Aside("import_people", _PEOPLE) as people, Aside("import_lines", _LINES) as aside:
        aside.fill(rows())
        yield Prepared(collection, list(labels), {line.grade for line in lines}, len(there - items.keys()), people)


def store_judgments(ready: Prepared, *, by: User) -> None:
    """Write them in the caller's transaction: a round of what was not pooled yet, seats, judgments, and their history.

    All or none, so whoever judges waits until it ends: what is new goes from table to table, and never through Python.
    """
    collection = Collection.objects.select_for_update(no_key=True).get(pk=ready.collection.pk)
    require_not_archived(collection)
    if not ready.grades <= set(collection.grades.values_list("value", flat=True)):
        raise Conflict("The scale was changed meanwhile: look at the file again.")
    now = timezone.now()
    if ready.new:
        _pool(collection, ready.new, by, now)
    ready.people.fill([(place, _person(collection, label).pk) for place, label in enumerate(ready.labels)])
    guideline = collection.guidelines.first()
    lines = "import_lines l JOIN import_people p ON p.place = l.person"
    seat = {name: f"l.{name}" for name in ("item_id", "topic_id", "slot", "position", "token")}
    seat["assessor_id"] = "p.assessor_id"
    # Seats have the most indexes, and nearly all begin with the item: in its order they are quicker to write.
    insert_from(f"{lines} ORDER BY l.item_id, l.slot", Seat, seat, collection_id=collection.pk, judged_at=now, imported=True)
    same = {"answer": Answer.GRADE.value, "guideline_version": guideline.version if guideline else 0}
    head = {"item_id": "l.item_id", "assessor_id": "p.assessor_id", "grade": "l.grade"}
    insert_from(f"{lines} ORDER BY l.position", Judgment, head, **same, first_at=now, updated_at=now)
    heads = (
        f"{lines} JOIN {Judgment._meta.db_table} j ON (j.assessor_id, j.item_id, j.occasion) = (p.assessor_id, l.item_id, 0)"
    )
    act = {"judgment_id": "j.id", "grade": "l.grade", "client_id": "l.client_id"}
    insert_from(f"{heads} ORDER BY l.position", JudgmentEvent, act, **same, at=now)
    Collection.objects.filter(pk=collection.pk, judging_started_at=None).update(judging_started_at=now)


def _pool(collection: Collection, count: int, by: User, now: datetime) -> None:
    """What was never pooled becomes a round of its own."""
    number = (collection.pools.aggregate(last=Max("round"))["last"] or 0) + 1
    told = {"round": number, "strategy": STRATEGY, "drawn_by": by, "drawn_at": now, "item_count": count}
    pool = Pool.objects.create(collection=collection, **told)
    new = "import_lines l WHERE l.item_id IS NULL AND l.slot = 1 ORDER BY l.position"
    columns = {"topic_id": "l.topic_id", "docno": "l.docno"}
    insert_from(new, PoolItem, columns, pool_id=pool.pk, best_rank=0, run_count=0)
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE import_lines SET item_id = (SELECT i.id FROM {PoolItem._meta.db_table} i "  # noqa: S608  (our own words)
            "WHERE i.topic_id = import_lines.topic_id AND i.docno = import_lines.docno) WHERE item_id IS NULL"
        )


def _existing(collection: Collection, label: str) -> User | None:
    """A member of that user name, or who stands for that name since an earlier import."""
    held = collection.memberships.filter(role=Role.ASSESSOR).values("user_id")
    return User.objects.filter(pk__in=held, username__in=[label, _username(collection, label)]).first()


def _person(collection: Collection, label: str) -> User:
    """Somebody of another time or place: an account that nobody can sign in to."""
    if user := _existing(collection, label):
        return user
    user = accounts.create_account(username=_username(collection, label), name=label[:150], password=None)
    User.objects.filter(pk=user.pk).update(is_active=False)
    user.is_active = False
    Membership.objects.create(collection=collection, user=user, role=Role.ASSESSOR)
    return user


def _username(collection: Collection, label: str) -> str:
    plain = re.sub(r"[^A-Za-z0-9_.-]", "-", label)[:60]
    mark = "" if plain == label else f".{hashlib.sha256(label.encode()).hexdigest()[:8]}"
    return f"{collection.slug}.{plain}{mark}"
