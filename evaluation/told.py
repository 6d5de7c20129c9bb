"""What evaluation is told beside runs and grades: what users know and expect, and which passages assessors marked."""

from dataclasses import dataclass

import numpy as np

from assess.core import passages
from assess.models import Judgment
from assess.selectors import judgments
from evaluation import columns
from evaluation.core.evaluate import evaluate_judged
from evaluation.core.judged import Given, Judged
from evaluation.core.passages import score_passages
from evaluation.core.qrels import Qrels
from evaluation.core.registry import parse_measure
from pooling import selectors as pooling
from pooling.models import Collection, Run

USERS = ("Coverage", "Novelty", "RelRecall", "RecallEffort")


def given(collection: Collection, qrels: Qrels) -> Given:
    """Of each topic the documents the user knows: those of the organizers' list, where there is one, else those that
    assessors marked as known to them; and how many relevant ones the user expects, as the organizers say."""
    plan = columns.plan(collection)
    marked = Judgment.objects.filter(item__pool__collection=collection, occasion=0, known=True)
    pairs = {pair for pair in marked.values_list("item__topic__number", "item__docno") if pair[0] not in plan.known}
    pairs |= {(topic, docno) for topic, docnos in plan.known.items() for docno in docnos}
    known = qrels.marked(pairs) if pairs else None
    expected = qrels.by_topic(plan.expected)
    return Given(top=columns.top_grade(collection), known=known, expected=expected if expected.any() else None)


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
    scored = score_passages(returned, marked)
    asked = [parse_measure(name) for name in (f"PartP@{cutoff}", f"PartR@{cutoff}", "AiP")]
    about = {
        "PartP": "Share of relevant characters in what is returned.",
        "PartR": "Share of the relevant characters that are returned.",
    }
    about["AiP"] = "Mean of the interpolated precision at 101 recall levels, by characters."
    return [
        Told(str(one), about[one.definition.name], float(one.values(scored.found).mean()), len(scored.topics)) for one in asked
    ]
