"""What a release holds, file by file: read in one moment, written the same on every database."""

import csv
import hashlib
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from django.conf import settings
from django.db.models import Sum
from django.urls import reverse
from numpy.typing import NDArray

from assess import agreeing, opinions
from assess import selectors as judging
from assess.core import passages
from assess.core.adjudication import SOURCES
from assess.models import Decision, DecisionEvent, Judgment, JudgmentEvent, MergePlan
from evaluation import citation, columns, dataset, samples
from evaluation.on_files import verify
from pooling import selectors as pooling
from pooling.core.qrels import write_qrels
from pooling.models import Collection, PoolItem, Role
from pooling.services.collections import safe_cell

JUDGMENTS = (
    *("topic", "docid", "assessor", "grade", "status", "started_at", "submitted_at", "seconds", "comment"),
    *("pool_version", "source", "occasion"),
)
HISTORY = (
    *("topic", "docno", "assessor", "answer", "grade", "reason", "note", "known", "evidence", "previous_grade", "seconds"),
    *("guideline_version", "at", "occasion"),
)
EVIDENCE = ("topic", "docid", "assessor", "start", "end")
DECISIONS = ("topic", "docno", "adjudicator", "grade", "reason", "comment", "at")


@dataclass(frozen=True, eq=False)
class Reading:
    """A collection's judgments of one moment, merged; and all that is told beside them."""

    qrels: bytes
    counts: dict[str, Any]
    about: dict[str, Any]
    files: dict[str, bytes]
    last_event: int = 0
    last_decision: int = 0
    warnings: list[str] = field(default_factory=list)


def read(collection: Collection, plan: MergePlan) -> Reading:
    """Everything of the release but what depends on its number. To be called inside one moment's transaction."""
    found = opinions.opinions(collection)
    grades = list(pooling.grades(collection))
    final = opinions.final(found, plan.rule, plan.opinions, plan.missing, grades[0].value)
    names = judging.pseudonyms(collection)
    people = agreeing.rated(found.table, [grade.value for grade in grades], names)
    report = rounded(agreeing.told(people, collection))
    places, merged = final.places, final.grades
    qrels = write_qrels(found.topics[places], found.docnos[places], merged)
    counts = _counts(collection, found, final)
    guideline = collection.guidelines.first()
    about = {
        "origin": "judgments",
        "merge": {"rule": plan.rule, "opinions": plan.opinions, "missing": plan.missing},
        **standing(collection, counts),
        "agreement": headline(report),
    }
    files = {
        **binary_files(collection, found.topics[places], found.docnos[places], merged),
        "pool.csv": _pool(collection, found, final),
        "judgments.csv": _judgments(collection, names),
        "evidence.csv": _evidence(collection, names),
        "history.jsonl": _history(collection, names),
        "decisions.jsonl": _decisions(collection),
        "decision-history.jsonl": _decision_history(collection),
        "agreement.json": _json(report),
        "guidelines.md": f"{guideline.text}\n".encode() if guideline else b"",
        **described(collection),
    }
    about["judgments_sha256"] = verify.judgments_digest(files)
    if sample := samples.read(collection, found.topics[places], found.docnos[places], merged):
        about["sample"] = sample.about
        counts |= samples.counted(sample)
        files |= sample.files
    return Reading(qrels, counts, about, files, judging.newest_event(collection), opinions.newest_decision(collection))


def standing(collection: Collection, counts: Mapping[str, Any]) -> dict[str, Any]:
    """How the collection stands: scale, guidelines, pool rounds, statistics."""
    relevant = sum(number for grade, number in counts["grades"].items() if int(grade) >= counts["lenient_from"])
    guideline = collection.guidelines.first()
    return {
        "scale": [
            {"value": grade.value, "label": grade.label, "definition": grade.definition, "example": grade.example}
            for grade in pooling.grades(collection)
        ],
        "guideline_version": guideline.version if guideline else 0,
        "pool_rounds": [
            {"round": pool.round, "strategy": pool.strategy, "parameters": pool.parameters, "items": pool.item_count}
            for pool in collection.pools.filter(drawn_at__isnull=False).order_by("round")
        ],
        "statistics": {**dataset.statistics(collection), "relevant_per_topic": relevant / max(counts["topics"], 1)},
    }


def described(collection: Collection) -> dict[str, bytes]:
    """Topics and runs: of any release, frozen or imported."""
    return {"topics.jsonl": _topics(collection), "runs.csv": _runs(collection)}


def binary_files(
    collection: Collection, topics: NDArray[np.bytes_], docnos: NDArray[np.bytes_], grades: NDArray[np.int64]
) -> dict[str, bytes]:
    """Strict and lenient qrels: grades from the threshold on as 1, others as 0; negative ones are left out."""
    known = grades >= 0
    return {
        f"qrels-{view}.txt": write_qrels(topics[known], docnos[known], (grades[known] >= start).astype(np.int64))
        for view, start in (("lenient", collection.lenient_from), ("strict", collection.strict_from))
    }


def _counts(collection: Collection, found: opinions.Opinions, final: opinions.Final) -> dict[str, Any]:
    values, numbers = np.unique(final.grades, return_counts=True)
    sizes = np.bincount(found.codes, minlength=len(found.items))
    return {
        "items": len(final.places),
        "topics": len(np.unique(found.topics[final.places])),
        "judgments": len(found.codes),
        "assessors": len(np.unique(found.table.assessors)),
        "grades": {str(value): number for value, number in zip(values.tolist(), numbers.tolist(), strict=True)},
        "doubly_judged": int((sizes > 1).sum()),
        "differing": _differing(found),
        "decided": final.merged.count("decision"),
        "few": final.merged.count("few"),
        "ties": final.merged.count("tie"),
        **columns.settled(collection),
    }


def _differing(found: opinions.Opinions) -> int:
    high = np.full(len(found.items), -128)
    low = np.full(len(found.items), 128)
    np.maximum.at(high, found.codes, found.table.grades)
    np.minimum.at(low, found.codes, found.table.grades)
    return int((high > low).sum())


def headline(report: dict[str, Any]) -> list[dict[str, Any]]:
    """The figures a page shows at a glance: of each view, those that are defined."""
    wanted = ("raw", "positive", "overlap", "cohen", "pooled", "linear", "fleiss", "alpha_nominal", "alpha_ordinal", "ac1")
    return [
        {
            "threshold": view["threshold"],
            "notes": view["notes"],
            "figures": {key: view["figures"][key] for key in wanted if key in view["figures"]},
        }
        for view in report["views"]
    ]


def rounded(value: Any) -> Any:
    """Figures to twelve decimals: the last digits of a float depend on the processor that sums, and a release does not."""
    if isinstance(value, float):
        return round(value, 12)
    if isinstance(value, dict):
        return {key: rounded(one) for key, one in value.items()}
    return [rounded(one) for one in value] if isinstance(value, list | tuple) else value


def version() -> str:
    """Of Assize: named by whatever it computed."""
    return metadata.version("assize")


# Files


def _csv(head: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return text.getvalue().encode()


def _one_end(text: str) -> str:
    """Lines that end in a line feed alone: a carriage return would end a row of CSV, since Python quotes none."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _json(value: object) -> bytes:
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()


def _lines(rows: Iterable[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def moment(at: datetime | None) -> str:
    """ISO 8601, UTC, with a fixed number of digits."""
    return at.strftime("%Y-%m-%dT%H:%M:%S.%fZ") if at else ""


def _sorted(rows: Iterable[Sequence[Any]]) -> list[Sequence[Any]]:
    """By topic and docno in the order of bytes, which no database's collation knows; else as they come."""
    return sorted(rows, key=lambda row: (row[0].encode(), row[1].encode()))


def _pool(collection: Collection, found: opinions.Opinions, final: opinions.Final) -> bytes:
    """Every pooled document: its round, opinions, where its grade comes from, and the grade."""
    sizes = np.bincount(found.codes, minlength=len(found.items)).tolist()
    sources = [SOURCES[place] for place in final.merged.sources.tolist()]
    graded = dict(zip(found.items[final.places].tolist(), final.grades.tolist(), strict=True))
    known = {item: (sizes[place], sources[place]) for place, item in enumerate(found.items.tolist())}
    drawn = PoolItem.objects.filter(pool__collection=collection, pool__drawn_at__isnull=False)
    rows = drawn.values_list("pk", "topic__number", "docno", "pool__round")
    lines = [
        (number, docno, round_, *known.get(pk, (0, "none")), graded.get(pk, ""))
        for pk, number, docno, round_ in rows.iterator(chunk_size=20_000)
    ]
    return _csv(("topic", "docid", "round", "opinions", "source", "grade"), _sorted(lines))


def _judgments(collection: Collection, names: dict[int, str]) -> bytes:
    """One line for each assessor and document, the primary assessor's first, so that `first` can be told from the file; then
    what came to an assessor again, unaware of it, with an occasion from 1 on."""
    heads = Judgment.objects.filter(judging.who_counts(collection), item__pool__collection=collection)
    rows = heads.annotate(slot=judging.slot_of(), total=Sum("events__seconds")).order_by("occasion", "slot", "pk")
    columns = ("item__topic__number", "item__docno", "assessor_id", "grade", "answer", "extra", "first_at", "updated_at")
    more = ("total", "reason", "note", "item__pool__round", "item__pool__strategy", "item__run_count", "occasion")
    lines = [
        (
            *(number, docno, names.get(who, "A0"), "" if grade is None else grade, "extra" if extra else answer),
            *(moment(first), moment(last), "" if seconds is None else repr(round(float(seconds), 3))),
            *(safe_cell(_one_end("; ".join(part for part in (reason, note) if part))), round_),
            *(_source(strategy, runs), occasion),
        )
        for number, docno, who, grade, answer, extra, first, last, seconds, reason, note, round_, strategy, runs, occasion in (
            rows.values_list(*columns, *more).iterator(chunk_size=20_000)
        )
    ]
    return _csv(JUDGMENTS, _sorted(lines))


def _source(strategy: str, runs: int) -> str:
    """Where an item came from, if not from a run: a file, a person's search, or a classifier that no run agrees with."""
    if strategy == "cal" and not runs:
        return "cal"
    return {"imported": "imported", "interactive": "isj"}.get(strategy, "judged")


def _evidence(collection: Collection, names: dict[int, str]) -> bytes:
    """The passages that assessors marked as relevant, in characters of the document's text; a line for each."""
    heads = Judgment.objects.filter(judging.who_counts(collection), item__pool__collection=collection, occasion=0)
    rows = heads.exclude(evidence="").values_list("item__topic__number", "item__docno", "assessor_id", "evidence")
    lines = [
        (topic, docno, names.get(who, "A0"), start, end)
        for topic, docno, who, evidence in rows.iterator(chunk_size=20_000)
        for start, end in passages.read(evidence)
    ]
    return _csv(EVIDENCE, _sorted(lines))


def _history(collection: Collection, names: dict[int, str]) -> bytes:
    events = JudgmentEvent.objects.filter(judgment__item__pool__collection=collection).order_by("pk")
    events = events.filter(judging.who_counts(collection, "judgment__assessor"))
    columns = ("judgment__item__topic__number", "judgment__item__docno", "judgment__assessor_id", "judgment__occasion")
    said = ("answer", "grade", "reason", "note", "known", "evidence", "previous_grade", "seconds", "guideline_version", "at")
    rows = (
        (topic, docno, names.get(who, "A0"), *rest[:-1], moment(rest[-1]), occasion)
        for topic, docno, who, occasion, *rest in events.values_list(*columns, *said).iterator(chunk_size=20_000)
    )
    return _lines(dict(zip(HISTORY, row, strict=True)) for row in rows)


def adjudicator_names(collection: Collection) -> dict[int, str]:
    """J1, J2 … by the order in which people became adjudicators here."""
    joined = collection.memberships.filter(role=Role.ADJUDICATOR).order_by("pk").values_list("user_id", flat=True)
    return {pk: f"J{number}" for number, pk in enumerate(dict.fromkeys(joined), 1)}


def _decisions(collection: Collection) -> bytes:
    names = adjudicator_names(collection)
    rows = Decision.objects.filter(item__pool__collection=collection, grade__isnull=False).order_by("pk")
    columns = ("item__topic__number", "item__docno", "adjudicator_id", "grade", "reason", "comment", "updated_at")
    lines = [
        (topic, docno, names.get(who, "J0"), grade, reason, comment, moment(at))
        for topic, docno, who, grade, reason, comment, at in rows.values_list(*columns)
    ]
    return _lines(dict(zip(DECISIONS, row, strict=True)) for row in _sorted(lines))


def _decision_history(collection: Collection) -> bytes:
    names = adjudicator_names(collection)
    events = DecisionEvent.objects.filter(decision__item__pool__collection=collection).order_by("pk")
    columns = ("decision__item__topic__number", "decision__item__docno", "adjudicator_id")
    said = ("grade", "reason", "comment", "precedent", "guideline_version", "at")
    return _lines(
        dict(zip((*DECISIONS[:6], *said[3:]), (topic, docno, names.get(who, "J0"), *rest[:-1], moment(rest[-1])), strict=True))
        for topic, docno, who, *rest in events.values_list(*columns, *said)
    )


def _topics(collection: Collection) -> bytes:
    fields = ("number", "title", "description", "narrative", "language", "translations")
    rows = sorted(collection.topics.values_list(*fields), key=lambda row: row[0].encode())
    return _lines(dict(zip(("id", *fields[1:]), row, strict=True)) for row in rows)


def _runs(collection: Collection) -> bytes:
    columns = ("tag", "group", "kind", "upload__sha256", "topic_count", "line_count")
    rows = sorted(collection.runs.values_list(*columns), key=lambda row: row[0].encode())
    safe = ((tag, safe_cell(_one_end(group)), *more) for tag, group, *more in rows)
    return _csv(("tag", "group", "kind", "sha256", "topics", "lines"), safe)


# The release as a whole


def complete(collection: Collection, reading: Reading, *, number: int, frozen_at: datetime, note: str) -> dict[str, bytes]:
    """All files of the archive, once the release has its number."""
    page = settings.BASE_URL + reverse("release", args=[collection.slug, number])
    cited = citation.of(collection, number, frozen_at, page)
    told = {
        "collection": collection.slug,
        "name": collection.name,
        "release": number,
        "frozen_at": moment(frozen_at),
        "changelog": note,
        "counts": reading.counts,
        "qrels_sha256": hashlib.sha256(reading.qrels).hexdigest(),
        **reading.about,
        "made_with": f"assize {version()}",
    }
    return {
        **reading.files,
        "qrels.txt": reading.qrels,
        "release.json": _json(told),
        "citation.bib": cited.bibtex.encode(),
        "CITATION.cff": cited.cff.encode(),
        "ir_datasets.json": _json(citation.ir_datasets(collection, number, told)),
        "README.md": citation.readme(collection, number, told, reading.files).encode(),
        "verify.py": Path(verify.__file__).read_bytes(),
    }
