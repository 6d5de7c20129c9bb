"""What somebody with bad intent would try, where no other test does: other people's ids, and texts that keep a reader busy."""

import io
import uuid

import pytest
from django.test import Client

from assess import markup
from assess.core import reading
from assess.models import Assignment, Judgment, Seat
from assess.services import assigning, judging
from config.models import Job
from evaluation import bundles
from pooling.core import document_markup, documents, topics
from pooling.core.document_lines import smart_records
from pooling.core.lines import without_comments
from pooling.models import Pool
from tests import factories as people
from tests.api.conftest import CallerFor, caller_for
from tests.assess import factories
from tests.assess.conftest import Bench, bench

__all__ = ["bench", "caller_for"]
MANY = 20_000


# Other people's ids


@pytest.fixture
def other(bench: Bench) -> Bench:
    """Somebody else's collection, with a topic, a run, an assessor and seats of its own."""
    organizer = people.make_user("Otto Other")
    collection = people.make_collection(organizer, "Another one")
    (ann,) = factories.make_assessors(collection, "Zoe Elsewhere")
    made = factories.make_topics(collection, [77])
    factories.make_documents(collection, ["Z1", "Z2"])
    pool = factories.make_pool(collection, organizer, {made[0]: ["Z1", "Z2"]})
    pool.runs.add(factories.make_run(collection, organizer, "their-run"))
    found = Bench(collection, organizer, ann, ann, bench.stranger, made)
    wanted = [assigning.Wanted(made[0], [ann])]
    assigning.assign(collection, by=organizer, wanted=wanted, overlap=0)
    return found


def _counts() -> list[object]:
    seats = Seat.objects.order_by("pk").values_list("pk", "assessor", "claimed_at")
    return [list(seats), Assignment.objects.count(), Judgment.objects.count(), Pool.objects.count(), Job.objects.count()]


@pytest.mark.once
def test_an_assessor_cannot_judge_in_a_seat_of_another_collection(bench: Bench, other: Bench, caller_for: CallerFor) -> None:
    bench.assign(overlap=0)
    seat = other.cards(other.ann)[0].token
    before = _counts()
    ann = caller_for(bench.ann)
    act = {"grade": 1, "client_id": str(uuid.uuid4())}
    for slug in (bench.collection.slug, other.collection.slug):
        ann("POST", f"/collections/{slug}/queue/{seat}", act)
        assert ann.status == 404
    client = Client()
    client.force_login(bench.ann)
    for slug in (bench.collection.slug, other.collection.slug):
        assert client.post(f"/c/{slug}/judge/{seat}/", act).status_code == 404
    assert _counts() == before


@pytest.mark.once
def test_no_page_can_be_framed_or_its_type_guessed(db: None, client: Client) -> None:
    answer = client.get("/")
    assert (answer["X-Frame-Options"], answer["X-Content-Type-Options"]) == ("DENY", "nosniff")
    assert "frame-ancestors 'none'" in answer["Content-Security-Policy"]


@pytest.mark.once
def test_words_of_people_in_an_archive_cannot_begin_a_formula(bench: Bench) -> None:
    """Docnos stay as they came: an archive is read by programs, too."""
    bench.assign(overlap=0)
    card = bench.cards(bench.ann)[0]
    judging.record_judgment(
        bench.collection, assessor=bench.ann, seat=card.token, grade=1, client_id=uuid.uuid4(), note='=HYPERLINK("http://evil")'
    )
    bench.collection.runs.update(group="@SUM(1)")
    assert b",'@SUM(1)," in bundles._runs(bench.collection)
    assert b"'=HYPERLINK" in bundles._judgments(bench.collection, {})


# Texts that keep a reader busy: each of these took exponential or quadratic time in a careless pattern. There is no clock
# here: a reader that is not linear does not come back before the suite gives up on it.


@pytest.mark.parametrize(
    "unit", ["<", "<a ", "<top ", "<top>", "<!--", "<!---->", "<num>", "a=", "aa", " ", "\n", "</top ", '"', "<a b="]
)
def test_topics_of_any_repetition_are_read_or_refused(unit: str) -> None:
    topics.read_topics(b"<top>\n<num> 1\n" + (unit * (MANY // len(unit))).encode())


@pytest.mark.parametrize(
    "unit",
    [
        "<",
        "<DOC ",
        "<DOCNO>",
        "<DOCNO ",
        "<DOCHDR>",
        "<!--",
        "<!---->",
        "<title>",
        "<title ",
        "<date>",
        " ",
        "\n",
        "</DOC ",
        "</title ",
    ],
)
def test_documents_of_any_repetition_are_read_or_refused(unit: str) -> None:
    text = "<DOC>\n<DOCNO> D1 </DOCNO>\n<title>" + unit * (MANY // len(unit)) + "\n</DOC>\n"
    list(document_markup.read_markup(io.BytesIO(text.encode()), longest=10 * MANY))


@pytest.mark.parametrize("unit", ["<!---->", "<!-- -->\n", "<?xml >", " ", "\n", "<!--"])
def test_the_kind_of_a_file_is_found_whatever_it_begins_with(unit: str) -> None:
    assert not documents._PAGE.match((unit * (MANY // len(unit)) + "x").encode())


@pytest.mark.parametrize(
    "unit",
    [" ", "\t", "a", "<", "<a ", "<a\n", "'", '"', "a ", "\u2003", "<img alt=", "&", "a\n", "- \n", "and fish. " * 6 + "\n"],
)
def test_a_document_of_any_repetition_is_shown(unit: str) -> None:
    text = "<p" + unit * (MANY // len(unit))
    markup.clean(text)
    markup._PIECE.split(text)
    reading.paragraphs(text)
    list(smart_records(iter([(1, b".I 1"), (2, b".W" + unit.encode() * (MANY // len(unit)) + b"x")])))


def test_comments_go_and_one_without_an_end_stays() -> None:
    assert without_comments("a<!-- b -->c<!---->d<!-- e", lambda _: " ") == "a c d<!-- e"
