"""Topic words in documents: by stem, in several scripts, and one's own."""

import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess import adjudication
from assess.core import highlighting
from assess.models import OwnWords
from assess.services import judging
from config.errors import Missing, Refusal
from pooling.models import Membership
from tests.api.conftest import CallerFor, caller_for
from tests.assess.conftest import Bench
from tests.conftest import ClientFor

__all__ = ["caller_for"]


def marked(topic: str, text: str, language: str = "") -> str:
    """The text with its hits in brackets."""
    (found,) = highlighting.pieces([text], highlighting.wanted(topic, language), language)
    return "".join(f"[{piece}]" if hit else piece for piece, hit in found)


@pytest.mark.parametrize(
    ("language", "topic", "text", "expected"),
    [
        ("", "Migration of the fish", "Fishes migrate; the FISH of a fishery.", "[Fishes] [migrate]; the [FISH] of a fishery."),
        ("", "port", "Port, ports; Portsmouth, sport; (port)s.", "[Port], [ports]; Portsmouth, sport; ([port])s."),
        ("de", "Wälder", "Im Wald, des Waldes; Wälder.", "Im [Wald], des [Waldes]; [Wälder]."),
        ("", "मछली का प्रवास", "मछलियों का प्रवास, ऊर्जा", "[मछलियों] का [प्रवास], ऊर्जा"),
        ("", "潮汐能源", "研究潮汐发电和能源。能", "研究[潮汐]发电和[能源]。能"),
        ("", "魚", "大魚小", "大[魚]小"),
        ("", "الأسماك والطاقة", "هجرة الأسماك، طاقة والطاقةَ", "هجرة [الأسماك]، [طاقة] [والطاقةَ]"),
        ("", "рыба", "Рыбы и рыбу.", "[Рыбы] и [рыбу]."),
        ("", "B-52 a 7", "b 52, 7a, 7.", "b [52], 7a, [7]."),
        ("", "the of", "the cat of", "the cat of"),
        ("", "", "nothing asked", "nothing asked"),
    ],
)
def test_words_are_found_in_their_forms(language: str, topic: str, text: str, expected: str) -> None:
    assert marked(topic, text, language) == expected


@given(st.text(max_size=60), st.text(max_size=200), st.sampled_from(["", "en", "ar", "fa", "de", "xx"]))
def test_pieces_are_the_text_again(topic: str, text: str, language: str) -> None:
    (found,) = highlighting.pieces([text], highlighting.wanted(topic, language), language)
    assert "".join(piece for piece, _ in found) == text and all(piece for piece, _ in found)


@given(st.text(alphabet="鱼潮汐能源大", min_size=1, max_size=12), st.text(alphabet="鱼潮汐能源大", max_size=40))
def test_pairs_cover_what_they_should(topic: str, text: str) -> None:
    """Against the definition: a letter is marked if it lies in a wanted pair, or is the one letter wanted."""
    pairs = highlighting.wanted(topic).pairs
    wanted = [any(text[max(s, 0) : e] in pairs for s, e in ((i - 1, i + 1), (i, i + 2), (i, i + 1))) for i in range(len(text))]
    (found,) = highlighting.pieces([text], highlighting.wanted(topic))
    assert [hit for piece, hit in found for _ in piece] == wanted


def test_own_words_are_marked_on_the_page(bench: Bench, client_for: ClientFor) -> None:
    bench.assign(overlap=0)
    client, base = client_for(bench.ann), "/c/harbour-trials/judge/"
    card = bench.cards(bench.ann)[0]
    assert "<mark>" not in client.get(f"{base}{card.token}/").content.decode().partition("judge-cards")[0]
    answer = client.post(f"{base}words/", {"topic": "1", "words": "  paragraphs \n <b> ", "seat": card.token})
    assert answer["Location"] == f"{base}{card.token}/"
    assert OwnWords.objects.get().words == "paragraphs <b>"
    page = client.get(f"{base}{card.token}/").content.decode()
    assert "Second <mark>paragraph</mark>." in page and 'value="paragraphs &lt;b&gt;"' in page
    assert client.post(f"{base}words/", {"topic": "1"})["Location"] == base
    assert OwnWords.objects.get().words == ""
    assert client.post(f"{base}words/", {}).status_code == 422


def test_own_words_are_of_ones_own_topics(bench: Bench, caller_for: CallerFor) -> None:
    bench.assign(overlap=0)
    ann = caller_for(bench.ann, "read", "judge")
    told = ann("PUT", "/collections/harbour-trials/queue/words/1", {"words": "salmon eel"})
    assert told == {"topic": "1", "words": "salmon eel"}
    with pytest.raises(Missing, match="There is no topic “2” among those of ann-assessor"):  # it is Bob's
        judging.set_words(bench.collection, assessor=bench.ann, topic="2", words="salmon")
    with pytest.raises(Refusal, match="Expected words of at most 500 characters in all, none of them NUL; found 501"):
        judging.set_words(bench.collection, assessor=bench.ann, topic="1", words="x" * 501)
    judging.record_judgment(
        bench.collection, assessor=bench.ann, seat=bench.cards(bench.ann)[0].token, grade=1, client_id=uuid.uuid4()
    )
    assert bench.cards(bench.ann)[0].own_words == "salmon eel" and bench.cards(bench.bob)[0].own_words == ""


def test_words_are_stemmed_in_the_topics_language(bench: Bench) -> None:
    """German "Fischen" has the stem of "Fisch" in German alone; the document's own language is asked only after it."""
    bench.assign(overlap=0)
    bench.collection.topics.update(title="Fischen", language="de")
    documents = bench.collection.corpus.documents
    documents.update(title="", text="Das Fisch steht.", language="")

    def marked_text() -> bool:
        return "<mark>Fisch</mark>" in bench.cards(bench.ann)[0].plain

    assert marked_text()
    documents.update(language="en")
    assert marked_text()
    found = adjudication.dossier(bench.collection, "1", bench.cards(bench.ann)[0].docno)
    assert "<mark>Fisch</mark>" in found.plain
    bench.collection.topics.update(language="")
    assert not marked_text()
    documents.update(language="de")  # a topic that says nothing of it is taken to be in the document's
    assert marked_text()


def test_a_parallel_version_is_stemmed_in_its_own_language(bench: Bench) -> None:
    bench.assign(overlap=0)
    german = {"title": "Fischen", "description": "", "narrative": ""}
    bench.collection.topics.update(title="power plants", language="en", translations={"de": german})
    bench.collection.corpus.documents.update(text="Das Fisch; the power plant.", language="en")
    text = bench.cards(bench.ann)[0].plain
    assert "Das Fisch; the <mark>power</mark> <mark>plant</mark>." in text
    Membership.objects.filter(user=bench.ann).update(topic_language="de")
    assert "Das <mark>Fisch</mark>; the power plant." in bench.cards(bench.ann)[0].plain
