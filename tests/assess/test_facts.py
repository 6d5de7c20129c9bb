"""A document's other fields: wherever a document is shown, as text, with the sought words marked."""

import html

import pytest

from assess import blind
from assess.core import highlighting
from assess.core.facts import facts
from assess.models import PracticeItem
from assess.services import leases, practice
from assess.services.practice import Example
from config.models import User
from pooling.core import extra
from pooling.models import Document, Role
from tests import factories as people
from tests.api.conftest import CallerFor, caller_for
from tests.assess.conftest import Bench
from tests.commands.conftest import Assize, assize
from tests.conftest import ClientFor

__all__ = ["assize", "caller_for"]
HERE = "/c/harbour-trials"
FIELDS = {"authors": "Tidal, A.; <img src=x onerror=alert(1)>", "a <b> name": "1958"}
SHOWN = '<dt dir="auto">a &lt;b&gt; name</dt><dd dir="auto">1958</dd></dl>'
ESCAPED = ", A.; &lt;img src=x onerror=alert(1)&gt;</dd>"


@pytest.fixture
def told(bench: Bench) -> Bench:
    """A bench whose documents have fields, and Dora, who decides."""
    bench.assign(overlap=1)
    people.join(bench.collection, people.make_user("Dora Decider"), Role.ADJUDICATOR)
    Document.objects.update(extra=extra.stored(FIELDS))
    return bench


def _differing(told: Bench) -> str:
    """A document of topic 1 of which Ann and Bob say different things."""
    docno = told.judge(told.ann, 1, grade=0)[0].docno
    told.judge(told.bob, 10, grade=3)
    return docno


def test_sought_words_are_marked_and_many_fields_are_folded() -> None:
    stored, sought = extra.stored({"by": "Pooch, U.", "in": "CACM"}), highlighting.wanted("Udo Pooch")
    assert facts(stored, sought, "").rows == [("by", [("Pooch", True), (", U.", False)]), ("in", [("CACM", False)])]
    assert facts(None, sought, "").rows == [] and not facts(stored, sought, "").are_folded
    for given in ({f"f{n}": "x" for n in range(9)}, {"abstract": "x" * 900}):
        many = extra.stored(given)
        assert facts(many, sought, "").are_folded and not facts(many, sought, "", above_text=False).are_folded
        assert not facts(extra.stored({"by": "Pooch, U.", **given}), sought, "").are_folded  # what is sought is in view


@pytest.mark.once
def test_every_page_of_a_document_shows_them(told: Bench, client_for: ClientFor) -> None:
    ann, olga = client_for(told.ann), client_for(told.organizer)
    decided = _differing(told)
    first, second = told.cards(told.ann, 2)
    pages = [
        ann.get(f"{HERE}/judge/"),
        ann.get(f"{HERE}/judge/many/"),
        ann.get(f"{HERE}/judge/{second.token}/text/"),
        ann.get(f"{HERE}/search/document/?docno={first.docno}"),
        olga.get(f"{HERE}/search/document/?docno={first.docno}"),
        olga.get(f"{HERE}/document/?topic=1&docno={decided}"),
        client_for(User.objects.get(username="dora-decider")).get(f"{HERE}/adjudicate/topics/1/?docno={decided}"),
    ]
    for page in pages:
        words = page.content.decode()
        assert page.status_code == 200 and SHOWN in words and ESCAPED in words and "<img src=x" not in words, page.request
    assert "<mark>Tidal</mark>, A.;" in pages[0].content.decode()
    more = ann.get(f"{HERE}/judge/").context["cards"][1]["document_html"]
    assert SHOWN in more and ESCAPED in more
    practice.set_practice(told.collection, topic=told.topics[0], examples=[Example(first.docno, 1)])
    assert PracticeItem.objects.exists() and SHOWN in ann.get(f"{HERE}/judge/practice/").content.decode()


def test_programs_read_them(told: Bench, caller_for: CallerFor, assize: Assize) -> None:
    (card,) = told.cards(told.ann, 1)
    (queued, *_more) = caller_for(told.ann, "read", "judge")("GET", "/collections/harbour-trials/queue?count=1")
    assert queued["document"]["extra"] == FIELDS
    decided, dora = _differing(told), User.objects.get(username="dora-decider")
    path = f"/collections/harbour-trials/adjudication/document?topic=1&docno={decided}"
    assert caller_for(dora, "read", "judge")("GET", path)["extra"] == FIELDS
    words = assize("decide", "harbour-trials", "--by", dora.username, "--topic", 1, "--docno", decided).out
    assert "\nauthors: Tidal, A.; <img" in words
    lines = assize("judge", "harbour-trials", "--by", "ann-assessor", "--topic", 1, "--docno", card.docno).out.splitlines()
    assert lines[-5:-3] == [f"{name}: {words}" for name, words in FIELDS.items()]
    Document.objects.update(extra=None)
    assert told.cards(told.ann, 1)[0].facts.rows == []


def test_their_letters_count_in_what_a_page_holds(told: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    held = [card.token for card in told.cards(told.ann, 2)]
    size = len(told.cards(told.ann)[0].text) + len(extra.stored(FIELDS) or "")
    monkeypatch.setattr(blind, "MOST_LETTERS", 3 * size)
    assert len(leases.hold_items(told.collection, assessor=told.ann, held=held)) == 1
    monkeypatch.setattr(blind, "MOST_LETTERS", 3 * size - 1)
    assert leases.hold_items(told.collection, assessor=told.ann, held=held) == []
    Document.objects.update(extra=None)
    assert len(leases.hold_items(told.collection, assessor=told.ann, held=held)) > 1


def test_nothing_is_shown_of_nothing(bench: Bench, client_for: ClientFor) -> None:
    bench.assign(overlap=0)
    assert "judge-facts" not in html.unescape(client_for(bench.ann).get(f"{HERE}/judge/").content.decode())
