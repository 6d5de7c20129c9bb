"""Words about a release: how to cite it, what its archive holds, and its description for other programs."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from evaluation import samples
from pooling.models import Collection, Role
from pooling.services import collections

ABOUT = {
    "qrels.txt": "topic 0 docno grade; sorted by bytes, ends of lines LF",
    "qrels-lenient.txt": "the same with grades from the lenient threshold on as 1, others as 0",
    "qrels-strict.txt": "the same from the strict threshold on",
    "pool.csv": "every pooled document: round, number of opinions, where its grade comes from",
    "judgments.csv": "every assessor's present answer; for each document the primary assessor's comes first. "
    "Occasion 0 counts; from 1 on it is a hidden repeat, which tells an assessor's consistency and nothing else",
    "evidence.csv": "passages that assessors marked, as characters from start to end of the document's text",
    "history.jsonl": "every act of judging, in order; occasions as in judgments.csv",
    "decisions.jsonl": "adjudicators' decisions that stand",
    "decision-history.jsonl": "every act of deciding and of opening again, in order",
    "agreement.json": "agreement of assessors: coefficients with intervals",
    "topics.jsonl": "the topics",
    **samples.FILES,
    "runs.csv": "the runs of the collection, with the SHA-256 of their files",
    "guidelines.md": "the assessors' guidelines of this release",
    "release.json": "number, time, merge rule, scale, counts",
    "citation.bib": "BibTeX",
    "CITATION.cff": "the same in the Citation File Format",
    "ir_datasets.json": "counts in the form of ir_datasets' metadata",
    "verify.py": "checks all this without Assize: python verify.py",
    "SHA256SUMS": "sums of all files: sha256sum -c SHA256SUMS",
}


@dataclass(frozen=True)
class Citation:
    text: str
    bibtex: str
    cff: str


def authors(collection: Collection) -> list[str]:
    """Those that are to be cited; where nobody has said who they are, the organizers, in the order in which they came."""
    if given := collections.names_of(collection.authors):
        return given
    held = collection.memberships.filter(role=Role.ORGANIZER, ended_at=None).order_by("pk")
    return list(dict.fromkeys(held.values_list("user__name", flat=True)))


def creators(collection: Collection) -> list[dict[str, str]]:
    """For schema.org: organizers are people, authors that were typed may be an institution."""
    kind = {} if collection.authors else {"@type": "Person"}
    return [{**kind, "name": name} for name in authors(collection)]


def of(collection: Collection, number: int, frozen_at: datetime, page: str) -> Citation:
    names = authors(collection)
    key = f"{re.sub(r'[^a-z0-9]', '', collection.slug)}{frozen_at.year}v{number}"
    title = f"{collection.name}, release {number}"
    bibtex = (
        f"@misc{{{key},\n  author = {{{' and '.join(map(_author, names))}}},\n  title = {{{{{_tex(title)}}}}},\n"
        f"  year = {{{frozen_at.year}}},\n  version = {{{number}}},\n  howpublished = {{\\url{{{page}}}}},\n"
        "  note = {Test collection: topics, pools and relevance judgments}\n}\n"
    )
    people = "".join(f"  - name: {json.dumps(name, ensure_ascii=False)}\n" for name in names)
    cff = (
        "cff-version: 1.2.0\nmessage: If you use this test collection, please cite it as below.\n"
        f"type: dataset\ntitle: {json.dumps(title, ensure_ascii=False)}\nauthors:\n{people}"
        f'version: "{number}"\ndate-released: "{frozen_at:%Y-%m-%d}"\nurl: {json.dumps(page)}\n'
    )
    listed = ("; " if collection.authors else ", ").join(names)
    return Citation(f"{listed} ({frozen_at.year}): {title}. {page}", bibtex, cff)


def _author(name: str) -> str:
    """In braces where BibTeX would take one name for two, as of an Institute of Standards and Technology."""
    return f"{{{_tex(name)}}}" if " and " in name.lower() else _tex(name)


def _tex(text: str) -> str:
    known = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    return "".join(known.get(sign, f"\\{sign}" if sign in "&%$#_{}" else sign) for sign in text)


def readme(collection: Collection, number: int, told: Mapping[str, Any], files: Mapping[str, bytes]) -> str:
    counts, merge = told["counts"], told.get("merge")
    lines = [
        f"# {collection.name}, release {number}",
        "",
        *([collection.description.strip(), ""] if collection.description.strip() else []),
        f"{counts['items']:,} judged documents of {counts['topics']:,} topics; frozen {told['frozen_at']}.",
        f"Relevant from grade {counts['lenient_from']}, strictly from {counts['strict_from']}.",
        *(f"{field.capitalize()}: {text.removesuffix('.')}." for field, text in _told(collection).items() if text),
    ]
    if merge:
        lines.append(
            f"Merge rule: decisions first, then `{merge['rule']}` where a document has at least {merge['opinions']} "
            f"opinion{'' if merge['opinions'] == 1 else 's'}; without a grade: `{merge['missing']}`."
        )
    if told["changelog"]:
        lines += ["", "## What changed", "", str(told["changelog"])]
    there = {*files, "qrels.txt", "release.json", "citation.bib", "CITATION.cff", "ir_datasets.json", "verify.py", "SHA256SUMS"}
    lines += ["", "## Files", "", *(f"- `{name}`: {about}" for name, about in ABOUT.items() if name in there)]
    lines += ["", "Assessors and adjudicators are told by pseudonym (A1, J1 …), the same in every release of the collection."]
    return "\n".join(lines) + "\n"


def _told(collection: Collection) -> dict[str, str]:
    return {field: getattr(collection, field).replace("\n", ", ") for field in collections.DESCRIBED}


def ir_datasets(collection: Collection, number: int, told: Mapping[str, Any]) -> dict[str, Any]:
    """Counts as ir_datasets tells them of its own, the scale as its qrels definitions; and the collection's statistics."""
    counts, statistics = told["counts"], told["statistics"]
    scale = {str(grade.value): f"{grade.label}. {grade.definition}".strip() for grade in collection.grades.all()}
    return {
        f"{collection.slug}/v{number}": {
            "pretty_name": f"{collection.name}, release {number}",
            "desc": collection.description,
            **collections.described(collection),
            "task": statistics["task"],
            "docs": {
                "count": statistics["documents"],
                "words_per_document": statistics["words_per_document"],
                "bytes": statistics["bytes"],
                "counted": statistics["counted"],
            },
            "queries": {"count": statistics["topics"], "words_per_query": statistics["words_per_topic"]},
            "qrels": {
                "count": counts["items"],
                "fields": {"relevance": {"counts_by_value": counts["grades"]}},
                "defs": scale,
                "lenient_from": counts["lenient_from"],
                "strict_from": counts["strict_from"],
                "relevant_per_query": statistics["relevant_per_topic"],
            },
        }
    }
