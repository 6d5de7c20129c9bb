"""Topics in the making: which hits of a draft's search are to be judged, and what they tell."""

import zlib
from dataclasses import dataclass

import numpy as np
from django.db.models import Case, Count, IntegerField, Q, QuerySet, When

from assess import searching
from assess.core.estimating import Band, Estimate, relevant_hits
from assess.models import DraftState, TopicDraft
from config.models import User
from pooling import search
from pooling.core.query import read_query
from pooling.models import Collection

# Ranks of each band. Of the first all hits are judged, of the others some that are drawn.
BANDS = ((1, 10), (11, 50), (51, 200))
DEEPEST = BANDS[-1][1]


@dataclass(frozen=True)
class BandView:
    """Hits of these ranks, those to be judged in the order of their ranks."""

    first: int
    last: int
    size: int
    hits: list[tuple[searching.Hit, int | None]]
    relevant: int

    @property
    def left(self) -> int:
        return sum(grade is None for _, grade in self.hits)


@dataclass(frozen=True)
class Tried:
    """A draft's search. `estimate` is None until all hits that are listed are judged."""

    total: int
    bands: list[BandView]
    estimate: Estimate | None
    judged: int
    relevant: int

    @property
    def left(self) -> int:
        return sum(band.left for band in self.bands)

    @property
    def can_draw(self) -> bool:
        return any(band.size > len(band.hits) for band in self.bands)

    @property
    def hits(self) -> list[tuple[searching.Hit, int | None]]:
        return [hit for band in self.bands for hit in band.hits]


def drafts(collection: Collection) -> QuerySet[TopicDraft]:
    """Open ones first, each with how many hits are judged, and how many of them relevant."""
    relevant = Count("grades", filter=Q(grades__grade__gte=collection.lenient_from))
    rows = collection.drafts.select_related("topic", "decided_by").annotate(judged=Count("grades"), relevant=relevant)
    is_open = Case(When(state=DraftState.OPEN, then=0), default=1, output_field=IntegerField())
    return rows.order_by(is_open, "pk")


def next_number(collection: Collection) -> str:
    """One more than the highest number there is, of topics and drafts."""
    taken = [*collection.topics.values_list("number", flat=True), *collection.drafts.values_list("number", flat=True)]
    return str(max((int(one) for one in taken if one.isascii() and one.isdigit()), default=0) + 1)


def tried(draft: TopicDraft, user: User) -> Tried:
    """The draft's search as it is now; which hits are drawn depends on the draft and its words alone."""
    collection = draft.collection
    found = search.index_of(collection).search(read_query(draft.words, draft.language), DEEPEST)
    said = dict(draft.grades.values_list("docno", "grade"))
    views = []
    for first, last in BANDS:
        docnos = found.docnos[first - 1 : last]
        drawn = set(docnos)
        if first > 1:
            generator = np.random.default_rng([draft.pk, first, zlib.crc32(draft.words.encode())])
            drawn = {docnos[place] for place in generator.permutation(len(docnos))[: draft.per_band].tolist()}
        hits = searching.hits(
            collection, user, None, draft.words, [docno for docno in docnos if docno in drawn], organizes=True
        )
        graded = [(hit, said.get(hit.docno)) for hit in hits]
        relevant = sum(grade is not None and grade >= collection.lenient_from for _, grade in graded)
        views.append(BandView(first, min(last, first - 1 + len(docnos)), len(docnos), graded, relevant))
    whole = all(grade is not None for view in views for _, grade in view.hits)
    bands = [Band(view.size, len(view.hits), view.relevant) for view in views]
    return Tried(
        found.total,
        [view for view in views if view.size],
        relevant_hits(bands) if whole and found.total else None,
        len(said),
        sum(grade >= collection.lenient_from for grade in said.values()),
    )
