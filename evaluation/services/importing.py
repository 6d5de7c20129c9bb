"""Qrels that were made elsewhere: taken as a release, or as assessors' judgments. Refused whole, every fault by line."""

import hashlib
import secrets
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from django.db import IntegrityError, transaction

from assess.services import importing
from config import jobs, store
from config.errors import Conflict, Invalid, Refusal
from config.expected import require_one_of, require_text
from config.models import Job, User
from evaluation import bundles, samples
from evaluation.columns import settled
from evaluation.models import Release, ReleaseState
from evaluation.services import releases
from pooling import selectors
from pooling.core.findings import Finding, Report, Severity
from pooling.core.lines import Unpackable
from pooling.core.qrels import QrelsColumns, parse_grades, read_qrels, write_qrels
from pooling.core.sampled_qrels import COLUMNS, SampledFault, SampledQrels, as_qrels, has_five_columns, read_sampled
from pooling.docnos import all_docnos
from pooling.models import Collection
from pooling.services import taking
from pooling.services.collections import require_not_archived
from pooling.services.work import Work

KINDS = ("judgments", "release")
UNKNOWN_WAYS = ("refuse", "take")
ZEROS_WAYS = ("refuse", "keep", "drop")
UNKNOWN, STRANGERS = "DOC_UNKNOWN", "DOCS_UNKNOWN"  # of a line, and of the file
MOST_MB = 64
TRIES = 3
NAME = 150
NEARLY_ALL = 0.9  # of the documents: then it is rather the file of another collection


@dataclass(frozen=True)
class Options:
    """How a file is taken. `assessor`: whose it is, if no column tells; `grades`: theirs to ours, as `1=2 2=3`; `sample`:
    which form five columns have (strata or prels), where they may be either; `unknown`: whether a file is taken of whose
    documents nearly all are not in the collection; `zeros`: of docnos that the collection has without the zeros before
    them alone, whether they keep or drop these."""

    kind: str = "judgments"
    assessor: str = ""
    repeats: str = "refuse"
    grades: str = ""
    note: str = ""
    sample: str = ""
    unknown: str = "refuse"
    zeros: str = "refuse"


@dataclass(frozen=True, eq=False)
class Qrels:
    """What a release is made of; `sample`: the same rows with strata or probabilities, of a file that has them."""

    columns: QrelsColumns
    report: Report
    sample: SampledQrels | None = None


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
    found = _check(collection, data, options)
    relative = f"files/imports/{collection.pk}/{secrets.token_hex(12)}"
    store.put(relative, data)
    args: dict[str, int | str] = {"collection": collection.pk, "by": by.pk, "path": relative, **asdict(options)}
    digest = hashlib.sha256(data).hexdigest()
    return jobs.intend(
        "import_qrels",
        title=f"Import of qrels into {collection.short_name}",
        args=args,
        started_by=by,
        collection_id=collection.pk,
        dedupe=f"import:{collection.pk}:{options.kind}:{digest[:32]}",
        message=_remark(found.report),
    )


def take_import(collection: Collection, *, by: User, data: bytes, options: Options, work: Work) -> str:
    """Take a file whole; what was made of it, in words. Judgments are one transaction: all of them or none."""
    for _ in range(TRIES):
        work.progress(0, message="Checking the file")
        found = _check(collection, data, options)
        if isinstance(found, Qrels):
            release = _release(collection, found, by, options.note, work)
            return f"Release {release.number}: {release.counts['items']:,} judged documents, SHA-256 {release.sha256}."
        try:
            return _take_judgments(collection, found, by, work)
        except IntegrityError:  # somebody judged or pooled what the file names after it was checked
            continue
    raise Conflict("Others judged or pooled at each try what the file names; send it again.")


def _take_judgments(collection: Collection, found: importing.Checked, by: User, work: Work) -> str:
    people = len({line.assessor for line in found.lines})
    told = f"{len(found.lines):,} judgments of {people:,} assessor{'' if people == 1 else 's'}"
    remark = _remark(found.report)
    with importing.prepared(collection, found.lines) as ready, work.finish(f"{told}. {remark}" if remark else told):
        importing.store_judgments(ready, by=by)
    return f"{told}."


def check_report(collection: Collection, data: bytes, options: Options) -> Report:
    """What is remarkable about a file that can be taken; Faulty for one that cannot."""
    return _check(collection, data, options).report


def _add_strangers(report: Report, lines: int, unknown: str, zeros: str) -> None:
    """Of documents that the collection has not, in a file that can be taken: how many and which are the first. Where they are
    nearly all, or would be there without zeros before them, it is a fault unless one has said what is meant: what is imported is
    not taken back."""
    count = report.count(UNKNOWN)
    if not count or not report.ok:
        return
    found = [one for one in report.findings if one.code == UNKNOWN]
    named = [f"{one.value} on line {one.line:,}" for one in found]
    first = "; the first are" if len(named) > 3 else ":"
    told = f"{count:,} of {lines:,} lines name documents that are not in this collection"
    if count == lines:
        told = f"None of its {lines:,} lines names" if lines > 1 else "Its one line does not name"
        told += " a document of this collection"
    nearly_all, more = count >= NEARLY_ALL * lines, ""
    with_zeros = next(filter(_by_zeros, found), None) if zeros == "refuse" else None
    refused = with_zeros is not None or (nearly_all and unknown == "refuse")
    if with_zeros:
        more = f" Choose to drop zeros, so that {with_zeros.value} is {with_zeros.near}, or to keep them (in programs: zeros)."
    elif nearly_all and all(one.near for one in found):
        more = f" Here they are called otherwise, as {found[0].near} for {found[0].value}: correct them in the file."
    elif nearly_all:
        more = " It looks like the qrels of another collection."
        more += " If it is not, choose to take unknown documents (in programs: unknown)." if refused else ""
    severity: Severity = "error" if refused else "warning"
    report.add(severity, STRANGERS, 0, f"{told}{first} {', '.join(named[:3])}.{more}")


def _by_zeros(found: Finding) -> bool:
    return bool(found.near) and found.value != found.near and found.value.lstrip("0") == found.near


def _remark(report: Report) -> str:
    return next((one.message for one in report.findings if one.code == STRANGERS), "")


def _check(collection: Collection, data: bytes, options: Options) -> importing.Checked | Qrels:
    kind, assessor, repeats = options.kind, options.assessor, options.repeats
    require_not_archived(collection)
    require_one_of("kind", kind, KINDS)
    require_one_of("repeats", repeats, ("refuse", "first", "last"))
    require_one_of("unknown", options.unknown, UNKNOWN_WAYS)
    drop_zeros = require_one_of("zeros", options.zeros, ZEROS_WAYS) == "drop"
    unknown = options.unknown if selectors.corpus(collection).is_complete else "take"  # what is not here may be elsewhere
    if len(data) > MOST_MB * 1_000_000:
        raise Refusal(f"Expected a file of at most {MOST_MB} MB; found {len(data) / 1e6:,.0f} MB.")
    require_text("assessor", assessor, NAME)
    if not collection.topics.exists():
        raise Conflict("There are no topics yet, and qrels are checked against them: import the topics first.")
    try:
        grades = parse_grades(options.grades)
    except ValueError as error:
        raise Invalid("grades", str(error)) from error
    if kind == "judgments":
        told = {"assessor": assessor.strip(), "repeats": repeats}
        checked = importing.check_judgments(collection, data, **told, grades=grades, drop_zeros=drop_zeros)
        _add_strangers(checked.report, len(checked.lines), unknown, options.zeros)
        if not checked.report.ok:
            raise Faulty(checked.report)
        return checked
    report = Report()
    try:
        plain = taking.plain(data)
    except Unpackable as error:
        report.add("error", "PACKED", 0, str(error))
        raise Faulty(report) from error
    sample = _sample(plain, options.sample, report)
    if sample is not None:
        if drop_zeros:
            raise Invalid("zeros", "Expected qrels of four columns; of a sample every docno stays as it is.")
        plain = as_qrels(plain, sample.form)
    numbers = set(collection.topics.values_list("number", flat=True))
    levels = set(collection.grades.values_list("value", flat=True))
    known = all_docnos(collection)
    columns, report = read_qrels(plain, topics=numbers, docnos=known, levels=levels, grades=grades, drop_zeros=drop_zeros)
    if columns is None:
        raise Faulty(report)
    _add_strangers(report, len(columns.grades) + report.count("DUPLICATE_SAME"), unknown, "keep" if sample else options.zeros)
    if not report.ok:
        raise Faulty(report)
    return Qrels(columns, report, sample)


def _sample(data: bytes, form: str, report: Report) -> SampledQrels | None:
    """Of five columns, strata or probabilities; None of plain qrels."""
    require_one_of("sample", form, ("", *COLUMNS))
    if not has_five_columns(data):
        return None
    try:
        return read_sampled(data, form or None)  # type: ignore[arg-type]
    except SampledFault as fault:
        report.add("error", "SAMPLE", 0, f"{str(fault)[0].upper()}{str(fault)[1:]}.")
        raise Faulty(report) from fault


def _release(collection: Collection, found: Qrels, by: User, note: str, work: Work) -> Release:
    whole = found.columns
    judged = np.ones(len(whole.grades), bool) if found.sample is None else whole.grades >= 0
    columns = QrelsColumns(whole.topics[judged], whole.docnos[judged], whole.grades[judged])
    grades = sorted(set(columns.grades.tolist()))
    counts: dict[str, Any] = {
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
        **settled(collection),
    }
    files = {
        **bundles.binary_files(collection, columns.topics, columns.docnos, columns.grades),
        **bundles.described(collection),
    }
    about = {"origin": "import", **bundles.standing(collection, counts)}
    if found.sample is not None:
        sample = samples.imported(collection, found.sample, whole)
        about["sample"] = sample.about
        counts |= samples.counted(sample)
        files |= sample.files
    qrels = write_qrels(columns.topics, columns.docnos, columns.grades)
    reading = bundles.Reading(qrels, counts, about, files)
    draft = {"by": by, "rule": "", "note": note, "state": ReleaseState.DRAFT, "score": True}
    return releases.store_release(collection, reading, **draft, work=work, remark=_remark(found.report))  # type: ignore[arg-type]


def take_kept(collection: Collection, *, by: User, path: str, work: Work, options: Options) -> None:
    """Take a file that a request kept; it goes once it is taken or refused."""
    kept = store.path(path)
    if not kept.exists():
        raise Conflict("The file is no longer there; send it again.")
    take_import(collection, by=by, data=kept.read_bytes(), options=options, work=work)
    transaction.on_commit(lambda: store.remove(path), robust=True)
