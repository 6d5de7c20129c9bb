"""The data sheet of a released collection: its statistics, what it rests on, pictures, and metadata for machines."""

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from django.utils.safestring import SafeString, mark_safe

from evaluation import citation, selectors
from evaluation.core import charts
from evaluation.core.charts import Chart, Mark
from evaluation.models import Release
from pooling import selectors as pooling
from pooling.core import crawl
from pooling.core.words import word_count
from pooling.models import Collection, Grade
from pooling.services import collections
from pooling.tables import Table

COUNTED = 20_000  # documents up to which words are counted in all; of more, in so many
# What the Cranfield method takes for granted (spec, after Voorhees and Harman).
ASSUMPTIONS = (
    (
        "Relevance can be told",
        "Whether a document is relevant is taken to be the same for everybody. Agreement says how far that holds.",
    ),
    (
        "Relevant documents count alike",
        "All documents of a grade are worth the same, whoever reads them and whatever was read before.",
    ),
    (
        "Documents are independent",
        "A document’s relevance does not depend on the others in the ranking; repetition costs nothing.",
    ),
    (
        "All relevant documents are known",
        "Documents outside the pool are taken to be not relevant. Unjudged documents say how far that holds for a new run.",
    ),
)


def statistics(collection: Collection) -> dict[str, Any]:
    """The columns of the seeds' tables: documents, size, words; computed when a release is frozen and stored in it."""
    corpus = pooling.corpus(collection)
    texts = pooling.documents(collection).order_by("pk").values_list("title", "text", "language")
    size = words = count = 0
    languages: set[str] = set()
    for title, text, language in texts[:COUNTED].iterator(chunk_size=2000):
        count += 1
        words += word_count(title) + word_count(text)
        size += len(text.encode())
        languages.add(language)
    queries = [word_count(title) for title in collection.topics.values_list("title", flat=True)]
    return {
        "documents": corpus.document_count,
        "complete": corpus.is_complete,
        "counted": count,
        "bytes": size,
        "words_per_document": words / count if count else None,
        "topics": len(queries),
        "words_per_topic": sum(queries) / len(queries) if queries else None,
        "task": collection.get_task_display(),
        **collections.described(collection),
        "languages": collection.languages or ", ".join(sorted(languages - {""})),
    }


def crawled(collection: Collection) -> tuple[list[tuple[str, str, int]], int]:
    """Of a crawl each HTTP status, its meaning and its count; and their sum."""
    found = crawl.counts(collection.crawl)
    total = found.pop(crawl.TOTAL, 0)
    return [(status, crawl.meaning(status), count) for status, count in found.items()], total


def relevant_per_topic(release: Release) -> tuple[Chart, Table]:
    """Judged and relevant documents of each topic, the richest first."""
    found = selectors.qrels(release)
    relevant, judged = found.num_rel(release.counts["lenient_from"]), np.bincount(found.codes, minlength=len(found.topics))
    rows = [
        (found.topics[place].decode(), int(relevant[place]), int(judged[place]))
        for place in np.lexsort((found.topics, -judged, -relevant)).tolist()
    ]
    marks = [Mark(n, count, f"Topic {name}: {count:,} judged", 6) for n, (name, _relevant, count) in enumerate(rows)]
    marks += [
        Mark(n, some, f"Topic {name}: {some:,} relevant of {count:,} judged") for n, (name, some, count) in enumerate(rows)
    ]
    words = "Relevant documents of each topic, within those judged; the richest topic first"
    y = charts.axis("Documents", [row[2] for row in rows])
    legend = ((6, "judged"), (1, "relevant"))
    chart = replace(charts.bars(words, "Topic", y, [row[0] for row in rows], marks), legend=legend)
    return chart, Table(words, ["topic", "relevant", "judged"], rows)


def documents_by_grade(release: Release, scale: Iterable[Grade]) -> tuple[Chart, Table]:
    """How many documents have each grade; of an imported release also grades that the scale does not name."""
    counts, labels = release.counts["grades"], {str(grade.value): grade.label for grade in scale}
    known = sorted({*labels, *counts}, key=int)
    total = max(sum(counts.values()), 1)
    rows = [(int(value), labels.get(value, ""), counts.get(value, 0), counts.get(value, 0) / total) for value in known]
    tones = [1 if value >= release.counts["lenient_from"] else 6 for value, *_more in rows]
    marks = [
        Mark(n, count, f"Grade {value}{label and f', {label}'}: {count:,} documents, {share:.1%}", tone)
        for n, ((value, label, count, share), tone) in enumerate(zip(rows, tones, strict=True))
    ]
    words = "Documents of each grade; relevant ones stand out"
    y = charts.axis("Documents", [row[2] for row in rows])
    chart = replace(charts.bars(words, "Grade", y, known, marks), legend=((6, "not relevant"), (1, "relevant")))
    return chart, Table(words, ["grade", "label", "documents", "share"], rows)


def json_ld(release: Release, page: str, files: list[tuple[str, str, str]]) -> SafeString:
    """schema.org Dataset. Data, not a program: a page's policy lets it be; what could end the element is escaped."""
    collection = release.collection
    about = {
        "@context": "https://schema.org/",
        "@type": "Dataset",
        "name": f"{collection.name}, release {release.number}",
        "description": collection.description or f"Test collection {collection.name}: topics and relevance judgments.",
        "url": page,
        "identifier": f"sha256:{release.sha256}",
        "version": str(release.number),
        "datePublished": f"{release.frozen_at:%Y-%m-%d}",
        "creator": citation.creators(collection),
        "keywords": ["information retrieval", "test collection", "relevance judgments", collection.get_task_display()],
        "isAccessibleForFree": True,
        "distribution": [
            {"@type": "DataDownload", "name": name, "encodingFormat": kind, "contentUrl": url} for name, kind, url in files
        ],
        "variableMeasured": "relevance grade",
    }
    if collection.licence:
        about["license"] = collection.licence
    if collection.languages:
        about["inLanguage"] = [word.strip() for word in collection.languages.split(",") if word.strip()]
    if collection.genre:
        about["genre"] = collection.get_genre_display()
    if collection.source:
        about["isBasedOn"] = collection.source
    text = json.dumps(about, ensure_ascii=False)
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return mark_safe(text)  # noqa: S308  (every sign that could end the element is escaped)
