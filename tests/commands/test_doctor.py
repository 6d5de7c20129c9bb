"""assize doctor: nothing is off in what services made, and each thing that is spoilt is named."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.conf import settings

from assess.models import Judgment, Seat
from evaluation.models import Release, Score
from pooling.models import Corpus, Document, Pool, PoolItem, Run, Upload
from tests.commands.conftest import Assize
from tests.conftest import Cast
from tests.evaluation.factories import freeze, judge_all, score
from tests.pooling.files import draw, fill

HERE = "harbour-trials"


@pytest.fixture
def whole(cast: Cast) -> Cast:
    fill(cast.collection, cast.organizer)
    draw(cast.collection, cast.organizer, 2)
    judge_all(cast.collection, {"1": {"d1": 2, "d2": 0}, "10": {"d5": 1}}, cast.assessor)
    score(freeze(cast.collection, cast.organizer))
    return cast


def test_nothing_is_off(whole: Cast, assize: Assize) -> None:
    done = assize("doctor")
    examined = [line.rsplit(maxsplit=1) for line in done.out.splitlines()[1:]]
    assert (done.status, {state for _, state in examined}, len(examined)) == (0, {"ok"}, 11), done.out
    assert assize("doctor", "--json").json["ok"] is True


def spoil(path: str) -> None:
    file: Path = settings.DATA / path
    file.write_bytes(file.read_bytes()[:-1] + b"?")


SPOILT: dict[str, tuple[Callable[[], object], str]] = {
    "upload": (lambda: spoil(Upload.objects.get(kind="topics").path), "topics file.txt: expected SHA-256"),
    "lost": (lambda: (settings.DATA / Upload.objects.get(kind="topics").path).unlink(), "found no such file"),
    "run": (lambda: Run.objects.filter(tag="beta").update(line_count=9), "run beta, lines: expected 9, found 6"),
    "documents": (lambda: Corpus.objects.update(document_count=7), "number of documents: expected 7, found 5"),
    "text": (lambda: Document.objects.filter(docno="d5").delete(), "expected a text for each, found none for 1: d5"),
    "round": (lambda: Pool.objects.update(item_count=3), "round 1, items: expected 3, found "),
    "item": (lambda: PoolItem.objects.filter(docno="d5").update(best_rank=4), "topic 10, d5: expected best rank 1, 2 runs"),
    "judgment": (lambda: Judgment.objects.filter(item__docno="d5").update(grade=3), "topic 10, d5: expected as last said"),
    "acts": (lambda: Judgment.objects.filter(item__docno="d5").update(event_count=2), "d5, acts: expected 2, found 1"),
    "seat": (lambda: Seat.objects.filter(item__docno="d5").update(judged_at=None), "with no judgment, found a judgment"),
    "qrels": (lambda: spoil(Release.objects.get().path), "qrels of release 1: expected SHA-256"),
    "archive": (lambda: spoil(Release.objects.get().archive), "archive of release 1: expected SHA-256"),
    "score": (lambda: Score.objects.filter(measure="AP", run__tag="beta").update(mean=0.123), "anew, found others of AP"),
}


@pytest.mark.parametrize("what", SPOILT)
def test_what_is_off_is_named(whole: Cast, assize: Assize, what: str) -> None:
    act, words = SPOILT[what]
    act()
    done = assize("doctor")
    assert done.status == 1
    assert words in done.out
    assert f"{HERE}: " in done.out
    assert done.err.splitlines()[-1].startswith("Error: ")
