"""Texts that read alike: the same, or nearly; with one's own grade, and of one's own topic alone."""

import uuid

import numpy as np

from assess.core.likeness import NEAR, overlap, sketch
from assess.services import judging
from pooling.models import Document
from tests.api.conftest import CallerFor, caller_for
from tests.assess.conftest import Bench
from tests.conftest import ClientFor

__all__ = ["caller_for"]
TEXT = " ".join(f"word{n} of the {n % 7} fish" for n in range(300))


def shared(one: str, other: str) -> float:
    """The definition: shingles of four words in common, of all."""
    sets = [{tuple(text.lower().split()[i : i + 4]) for i in range(len(text.split()) - 3)} for text in (one, other)]
    return len(sets[0] & sets[1]) / len(sets[0] | sets[1])


def test_sketches_estimate_the_share_of_shingles() -> None:
    words = TEXT.split()
    rng = np.random.default_rng(4)
    for changed in (0, 5, 30, 120, 600):
        other = words.copy()
        for place in rng.integers(0, len(words), changed):
            other[place] = "changed"
        assert abs(overlap(sketch(TEXT), sketch(" ".join(other))) - shared(TEXT, " ".join(other))) < 0.15
    assert overlap(sketch(TEXT), sketch(TEXT.replace(" ", "\n\n"))) == 1.0  # the same but for its blanks
    assert overlap(sketch(TEXT), sketch("something else altogether, about other things")) < 0.1


def test_scripts_without_spaces() -> None:
    text = "潮汐能涡轮机如何影响鲑鱼的洄游以及鳗鱼在秋季的迁徙路线" * 1
    assert (
        overlap(sketch(text), sketch(text + "。"))
        >= NEAR
        > overlap(sketch(text), sketch("港口试验二〇二六年的报告与其他事情毫无关系"))
    )


def test_alike_documents_with_own_grade(bench: Bench, client_for: ClientFor, caller_for: CallerFor) -> None:
    bench.assign(overlap=1)
    mine = [card for card in bench.cards(bench.ann) if card.topic == "1"]
    same, near, far, elsewhere = mine[0], mine[1], mine[2], next(c for c in bench.cards(bench.ann) if c.topic == "2")
    texts = {same.docno: TEXT, mine[3].docno: TEXT, near.docno: TEXT + " and a few more words", elsewhere.docno: TEXT}
    for docno, text in texts.items():
        Document.objects.filter(docno=docno).update(text=text)
    for user, grade in ((bench.ann, 3), (bench.bob, 0)):
        judging.record_judgment(
            bench.collection, assessor=user, seat=_seat(bench, user, same.docno), client_id=uuid.uuid4(), grade=grade
        )
    seats = ",".join(str(card.token) for card in (mine[3], near, far))
    answer = client_for(bench.ann).get(f"/c/harbour-trials/judge/alike/?seats={seats}").json()["alike"]
    told = {one["seat"]: [(other["docno"], other["same"], other["grade"]) for other in one["others"]] for one in answer}
    assert told == {
        str(mine[3].token): [(same.docno, True, 3), (near.docno, False, None)],
        str(near.token): [(same.docno, False, 3), (mine[3].docno, False, None)],
    }
    api = caller_for(bench.ann)("GET", f"/collections/harbour-trials/queue/alike?seats={mine[3].token}")
    assert [(other["docno"], other["grade"]) for other in api[0]["others"]] == [(same.docno, 3)]
    others = client_for(bench.bob).get(f"/c/harbour-trials/judge/alike/?seats={seats}").json()
    assert others == {"alike": []}  # not their seats
    Document.objects.filter(docno__in=texts).update(text="")
    assert client_for(bench.ann).get(f"/c/harbour-trials/judge/alike/?seats={seats}").json() == {"alike": []}


def _seat(bench: Bench, user: object, docno: str) -> uuid.UUID:
    return next(card.token for card in bench.cards(user) if card.docno == docno)  # type: ignore[arg-type]
