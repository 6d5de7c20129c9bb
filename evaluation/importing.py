"""Qrels that were made elsewhere: taken as a release, or as assessors' judgments. Refused whole, every fault by line."""

import hashlib
import secrets
from dataclasses import asdict, dataclass

from django.db import transaction

from assess.services import importing
from config import jobs, store
from config.errors import Conflict, Refusal
from config.models import Job, User
from evaluation import bundles, services
from evaluation.models import Release, ReleaseState
from pooling import selectors as pooling
from pooling.core.findings import Report
from pooling.core.lines import Unpackable
from pooling.core.qrels import QrelsColumns, parse_grades, read_qrels, write_qrels
from pooling.models import Collection
from pooling.services import taking
from pooling.services.work import Work

KINDS = ("judgments", "release")
MOST_MB = 64
NAME = 150


@dataclass(frozen=True)
class Options:
    """How a file is taken. `assessor`: whose it is, if no column tells; `grades`: theirs to ours, as `1=2 2=3`."""

    kind: str = "judgments"
    assessor: str = ""
    repeats: str = "refuse"
    grades: str = ""
    note: str = ""


class Faulty(Refusal):
    """The file was refused; `report` tells each fault."""

    code = "faulty_file"

    def __init__(self, report: Report) -> None:
        faults = f"{report.errors:,} fault{'' if report.errors == 1 else 's'}"
        shown = [{"severity": f.severity, "code": f.code, "line": f.line, "message": f.message} for f in report.findings]
        super().__init__(f"Refused: {faults}. Nothing of the file was stored.", findings=shown)
        self.report = report


def request_import(collection: Collection, *, by: User, data: bytes, options: Options) -> Job:
    """Check the whole file at once, keep it, and ask for it to be taken."""
    _check(collection, data, options)
    relative = f"files/imports/{collection.pk}/{secrets.token_hex(12)}"
    store.put(relative, data)
    args: dict[str, int | str] = {"collection": collection.pk, "by": by.pk, "path": relative, **asdict(options)}
    digest = hashlib.sha256(data).hexdigest()
    return jobs.intend(
        "import_qrels",
        title=f"Import of qrels into {collection.name}",
        args=args,
        started_by=by,
        collection_id=collection.pk,
        dedupe=f"import:{collection.pk}:{options.kind}:{digest[:32]}",
    )


def take_import(collection: Collection, *, by: User, data: bytes, options: Options, work: Work) -> str:
    """Take a file whole; what was made of it, in words. Judgments are one transaction: all of them or none."""
    work.progress(0, 1, "Checking the file")
    found = _check(collection, data, options)
    if isinstance(found, QrelsColumns):
        release = _release(collection, found, by, options.note, work)
        return f"Release {release.number}: {release.counts['items']:,} judged documents, SHA-256 {release.sha256}."
    people = len({line.assessor for line in found.lines})
    told = f"{len(found.lines):,} judgments of {people:,} assessor{'' if people == 1 else 's'}"
    with work.finish(told):
        importing.store_judgments(collection, found.lines, by=by)
    return f"{told}."


def check_report(collection: Collection, data: bytes, options: Options) -> Report:
    """What is remarkable about a file that can be taken; Faulty for one that cannot."""
    found = _check(collection, data, options)
    return Report() if isinstance(found, QrelsColumns) else found.report


def _check(collection: Collection, data: bytes, options: Options) -> importing.Checked | QrelsColumns:
    kind, assessor, repeats = options.kind, options.assessor, options.repeats
    if collection.is_archived:
        raise Conflict("This collection is archived; restore it first.")
    if kind not in KINDS:
        raise Refusal(f"Expected judgments or release as what becomes of the file; found “{kind[:40]}”.")
    if repeats not in ("refuse", "first", "last"):
        raise Refusal(f"Expected refuse, first or last for repeated lines; found “{repeats[:40]}”.")
    if len(data) > MOST_MB * 1_000_000:
        raise Refusal(f"Expected a file of at most {MOST_MB} MB; found {len(data) / 1e6:,.0f} MB.")
    if len(assessor) > NAME or "\0" in assessor:
        raise Refusal(f"Expected an assessor's name of at most {NAME} characters; found {len(assessor):,}.")
    if not collection.topics.exists():
        raise Conflict("There are no topics yet, and qrels are checked against them: import the topics first.")
    try:
        grades = parse_grades(options.grades)
    except ValueError as error:
        raise Refusal(str(error)) from error
    if kind == "judgments":
        told = {"assessor": assessor.strip(), "repeats": repeats}
        checked = importing.check_judgments(collection, data, **told, grades=grades)
        if not checked.report.ok:
            raise Faulty(checked.report)
        return checked
    report = Report()
    try:
        plain = taking.plain(data)
    except Unpackable as error:
        report.add("error", "PACKED", 0, str(error))
        raise Faulty(report) from error
    numbers = set(collection.topics.values_list("number", flat=True))
    levels = set(collection.grades.values_list("value", flat=True))
    known = pooling.docnos(collection)
    columns, report = read_qrels(plain, topics=numbers, docnos=known, levels=levels, grades=grades)
    if columns is None:
        raise Faulty(report)
    return columns


def _release(collection: Collection, columns: QrelsColumns, by: User, note: str, work: Work) -> Release:
    grades = sorted(set(columns.grades.tolist()))
    counts = {
        "items": len(columns.grades),
        "topics": len(set(columns.topics.tolist())),
        "judgments": 0,
        "assessors": 0,
        "grades": {str(grade): int((columns.grades == grade).sum()) for grade in grades},
        "doubly_judged": 0,
        "differing": 0,
        "decided": 0,
        "few": 0,
        "ties": 0,
        "lenient_from": collection.lenient_from,
        "strict_from": collection.strict_from,
    }
    files = {
        **bundles.binary_files(collection, columns.topics, columns.docnos, columns.grades),
        **bundles.described(collection),
    }
    qrels = write_qrels(columns.topics, columns.docnos, columns.grades)
    reading = bundles.Reading(qrels, counts, {"origin": "import", **bundles.standing(collection)}, files)
    draft = {"by": by, "rule": "", "note": note, "state": ReleaseState.DRAFT, "score": True}
    return services.store_release(collection, reading, **draft, work=work)  # type: ignore[arg-type]


def take_kept(collection: Collection, *, by: User, path: str, work: Work, options: Options) -> None:
    """Take a file that a request kept; it goes once it is taken or refused."""
    kept = store.path(path)
    if not kept.exists():
        raise Conflict("The file is no longer there; send it again.")
    take_import(collection, by=by, data=kept.read_bytes(), options=options, work=work)
    transaction.on_commit(lambda: store.remove(path), robust=True)
