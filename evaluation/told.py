"""What evaluation is told beside runs and grades: what users know and expect, and which passages assessors marked."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assess.core import passages
from assess.models import Judgment
from assess.selectors import judgments
from evaluation import columns
from evaluation.core.evaluate import evaluate_judged
from evaluation.core.judged import Given, Judged
from evaluation.core.measures.parts import Spans, score_parts
from evaluation.core.qrels import Qrels
from pooling import selectors as pooling
from pooling.core.keys import find_topics
from pooling.models import Collection, Run

USERS = ("Coverage", "Novelty", "RelRecall", "RecallEffort")


def given(collection: Collection, qrels: Qrels) -> Given:
    """Of each topic the documents the user knows: those of the organizers' list, where there is one, else those that
    assessors marked as known to them; and how many relevant ones the user expects, as the organizers say."""
    plan = columns.plan(collection)
    marked = Judgment.objects.filter(item__pool__collection=collection, occasion=0, known=True)
    pairs = {pair for pair in marked.values_list("item__topic__number", "item__docno") if pair[0] not in plan.known}
    pairs |= {(topic, docno) for topic, docnos in plan.known.items() for docno in docnos}
    known = np.zeros(len(qrels), bool)
    if pairs:
        topics, docnos = (np.array([one.encode() for one in column], np.bytes_) for column in zip(*pairs, strict=True))
        places = qrels.index.find(find_topics(qrels.topics, topics), docnos)
        known[places[places >= 0]] = True
    expected = np.array([int(plan.expected.get(topic.decode(), 0)) for topic in qrels.topics.tolist()], np.int64)
    return Given(
        top=columns.top_grade(collection), known=known if pairs else None, expected=expected if expected.any() else None
    )


@dataclass(frozen=True)
class Told:
    """A figure of what a run gives to users, or of the text it returns: its mean over the topics that define it."""

    name: str
    about: str
    mean: float
    topics: int


def to_users(judged: Judged, tag: str, rel: int) -> list[Told]:
    """Coverage and novelty where somebody knew documents, relative recall and recall effort where a number is expected."""
    needs = {"Coverage": "known", "Novelty": "known", "RelRecall": "expected", "RecallEffort": "expected"}
    names = [name for name in USERS if getattr(judged.given, needs[name]) is not None]
    if not names:
        return []
    found = evaluate_judged(judged, (tag,), names, rel=rel)
    defined = (~np.isnan(found.values[0])).sum(axis=1).tolist()
    return [
        Told(str(measure), measure.definition.definition, mean, count)
        for measure, mean, count in zip(found.measures, found.means[0].tolist(), defined, strict=True)
        if count
    ]


def of_text(collection: Collection, run: Run, cutoff: int = 10) -> list[Told]:
    """Precision and recall by characters of a run that returns passages, where assessors marked relevant ones."""
    returned = pooling.passages(run)
    rows = judgments(collection).exclude(evidence="").values_list("item__topic__number", "item__docno", "evidence")
    marked = [(t.encode(), d.encode(), *span) for t, d, words in rows for span in passages.read(words)]
    if returned is None or not marked:
        return []
    topics = np.unique(np.array([row[0] for row in marked], np.bytes_))
    units = [(t, *_unit(unit)) for t, unit in zip(returned.codes.tolist(), returned.docnos.tolist(), strict=True)]
    place = find_topics(topics, returned.topics)
    parts = [(int(place[t]), docno, start, end) for t, docno, start, end in units if place[t] >= 0]
    relevant = [(int(np.searchsorted(topics, t)), docno, start, end) for t, docno, start, end in marked]
    numbers = {docno: number for number, docno in enumerate(sorted({row[1] for row in (*parts, *relevant)}))}
    found = score_parts(_spans(parts, numbers), _spans(relevant, numbers), len(topics))
    values = {
        f"PartP@{cutoff}": ("Share of relevant characters in what is returned.", found.at_part(found.precision, cutoff)),
        f"PartR@{cutoff}": ("Share of the relevant characters that are returned.", found.at_part(found.recall, cutoff)),
        "AiP": ("Mean of the interpolated precision at 101 recall levels, by characters.", found.average_interpolated()),
    }
    return [Told(name, about, float(one.mean()), len(topics)) for name, (about, one) in values.items()]


def _unit(unit: bytes) -> tuple[bytes, int, int]:
    """docno:start-end, as runs of passages are stored."""
    docno, _, span = unit.rpartition(b":")
    start, _, end = span.partition(b"-")
    return docno, int(start), int(end)


def _spans(rows: list[tuple[int, bytes, int, int]], numbers: dict[bytes, int]) -> Spans:
    columns_: list[NDArray[np.int64]] = [
        np.array([row[0] for row in rows], np.int64),
        np.array([numbers[row[1]] for row in rows], np.int64),
        np.array([row[2] for row in rows], np.int64),
        np.array([row[3] for row in rows], np.int64),
    ]
    return Spans(*columns_)
