"""Judgments that were made elsewhere become an assessor's here, so that an old collection can be continued."""

import hashlib
import re
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

import numpy as np
from django.db.models import Max, QuerySet
from django.utils import timezone

from assess.core.judgment_files import Judgment as Line
from assess.core.judgment_files import Judgments
from assess.models import Answer, Judgment, JudgmentEvent, Seat
from config import accounts
from config.models import User
from config.statements import insert_many
from pooling.core.findings import Report, Said, Severity, shown
from pooling.core.lines import Unpackable
from pooling.core.qrels import read_qrels, unknown_document
from pooling.docnos import all_docnos
from pooling.models import Collection, Membership, Pool, PoolItem, Role
from pooling.services import taking

STRATEGY = "imported"
_SPACE = uuid.UUID("6d0f5c7e-9f0a-5d2b-8f55-0c1d5f0c7a11")  # names the acts of imports: the same line is the same act


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
) -> Checked:
    """Read a file of `topic docno assessor grade`, or qrels whose lines are all of one named assessor.

    Topics and grades, once `grades` has mapped them, must be the collection's; a document it lacks is a warning. A document that the assessor has judged
    here already refuses the file.
    """
    levels = list(collection.grades.values_list("value", flat=True))
    topics = set(collection.topics.values_list("number", flat=True))
    if assessor:
        lines, report = _of_one(collection, data, assessor, topics, levels, grades)
    else:
        found = Judgments(levels, repeats, grades or {}, of=topics)  # type: ignore[arg-type]
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
    collection: Collection, data: bytes, assessor: str, topics: Set[str], levels: list[int], grades: Mapping[int, int] | None
) -> tuple[list[Line], Report]:
    try:
        plain = taking.plain(data)
    except Unpackable as error:
        report = Report()
        report.add("error", "PACKED", 0, str(error))
        return [], report
    known = all_docnos(collection)
    columns, report = read_qrels(plain, topics=topics, docnos=known, levels=levels, grades=grades)
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
    names = [line.docno for line in strange]
    _add_grouped(report, "warning", "DOC_UNKNOWN", strange, names, lambda line, many: unknown_document(line.docno, many))


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


def store_judgments(collection: Collection, lines: Sequence[Line], *, by: User) -> int:
    """Write them in the caller's transaction: a round of what was not pooled yet, seats, judgments, and their history.

    All or none, so whoever judges waits until it ends: rows go in as they are, without an object for each.
    """
    Collection.objects.select_for_update().get(pk=collection.pk)
    people = {label: _person(collection, label).pk for label in dict.fromkeys(line.assessor for line in lines)}
    topics = dict(collection.topics.values_list("number", "pk"))
    items = _items(collection, lines, topics, by)
    now = timezone.now()
    highest = dict(Seat.objects.filter(collection=collection).order_by().values_list("item").annotate(Max("slot")))
    guideline = collection.guidelines.first()
    version = guideline.version if guideline else 0
    seats, grades = [], dict[tuple[int, int], int | None]()
    for place, line in enumerate(lines, 1):
        item, person = items[line.topic, line.docno], people[line.assessor]
        highest[item] = highest.get(item, 0) + 1
        seats.append((item, topics[line.topic], person, highest[item], place, uuid.uuid4()))
        grades[item, person] = line.grade
    columns = ("item_id", "topic_id", "assessor_id", "slot", "position", "token")
    insert_many(Seat, columns, seats, collection_id=collection.pk, judged_at=now, imported=True)
    same = {"answer": Answer.GRADE.value, "guideline_version": version}
    heads = ((item, person, grade) for (item, person), grade in grades.items())
    insert_many(Judgment, ("item_id", "assessor_id", "grade"), heads, **same, first_at=now, updated_at=now)
    stored = Judgment.objects.filter(assessor__in=people.values(), first_at=now)
    acts = (
        (number, grades[item, person], uuid.uuid5(_SPACE, f"{collection.pk} {item} {person}"))
        for number, item, person in stored.order_by("pk").values_list("pk", "item_id", "assessor_id")
    )
    insert_many(JudgmentEvent, ("judgment_id", "grade", "client_id"), acts, **same, at=now)
    Collection.objects.filter(pk=collection.pk, judging_started_at=None).update(judging_started_at=now)
    return len(grades)


def _items(collection: Collection, lines: Sequence[Line], topics: Mapping[str, int], by: User) -> dict[tuple[str, str], int]:
    """The pooled items of the lines; those that were never pooled become a round of their own."""
    found = _pooled(PoolItem.objects.filter(topic__collection=collection))
    new = list(dict.fromkeys((line.topic, line.docno) for line in lines if (line.topic, line.docno) not in found))
    if new:
        number = (collection.pools.aggregate(last=Max("round"))["last"] or 0) + 1
        pool = Pool.objects.create(
            collection=collection, round=number, strategy=STRATEGY, drawn_by=by, drawn_at=timezone.now(), item_count=len(new)
        )
        rows = ((topics[topic], docno) for topic, docno in new)
        insert_many(PoolItem, ("topic_id", "docno"), rows, pool_id=pool.pk, best_rank=0, run_count=0)
        found |= _pooled(pool.items.all())
    return found


def _pooled(items: QuerySet[PoolItem]) -> dict[tuple[str, str], int]:
    return {(number, docno): pk for number, docno, pk in items.values_list("topic__number", "docno", "pk")}


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
