"""Search and judge: found in any script, judged with one request, joined to the pool with its provenance."""

import csv
import json
import math
import random
import uuid
import zipfile
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings as configured
from django.utils import timezone
from pytest_django import Settings

from assess import feedback, searching, selectors, watching
from assess.models import Found, Judgment, Search, Seat
from assess.services import assigning, judging
from assess.services import searching as acts
from assess.services.assigning import Rules, Wanted
from config.errors import Conflict, Refusal
from config.models import Job, User
from evaluation.services import releases
from pooling import search, search_database
from pooling.core.query import Clause, Query, read_query
from pooling.core.words import terms
from pooling.models import Collection, Document, IndexedDocument, IndexedTerm, Pool, SearchIndex, UploadKind
from pooling.selectors import documents
from pooling.services import indexing
from pooling.services.work import Direct
from tests import factories as people
from tests.api.conftest import CallerFor, caller_for
from tests.assess import factories
from tests.commands.conftest import Assize, assize
from tests.conftest import ClientFor
from tests.pooling import files

__all__ = ["assize", "caller_for"]
DOCUMENTS = [
    ("en1", "Harbour cranes", "The cranes of the old harbour lift cargo from every ship.", "en"),
    ("en2", "Wine", "A harbour for wine lovers; vineyards and the old harbour.", "en"),
    ("en3", "Ships", "Cargo ships unload at the quay, by crane.", "en"),
    ("hi1", "नदी", "नदियों के किनारे मछलियाँ रहती हैं", "hi"),
    ("bn1", "নদী", "নদীর তীরে মাছ", "bn"),
    ("zh1", "港口", "港口起重机装卸货物", "zh"),
    ("ja1", "港", "東京港の貨物船", "ja"),
    ("ko1", "항구", "항구 도시의 역사", "ko"),
    ("ar1", "ميناء", "الموانئ القديمة في المدينة", "ar"),
]


class World:
    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.organizer = people.make_user("Olga Organizer")
        self.collection: Collection = people.make_collection(self.organizer, "Harbour trials")
        self.ann, self.bob = factories.make_assessors(self.collection, "Ann Assessor", "Bob Beholder")
        files.take(self.collection, self.organizer, UploadKind.TOPICS, b"1\tharbour cranes\n2\twine\n")
        rows = [{"id": d, "title": t, "text": x, "language": lang} for d, t, x, lang in DOCUMENTS]
        files.take(self.collection, self.organizer, UploadKind.DOCUMENTS, "".join(json.dumps(r) + "\n" for r in rows).encode())
        files.take_run(self.collection, self.organizer, files.run_file("alpha", t1="en3", t2="en2"))
        files.draw(self.collection, self.organizer, 1)
        one, two = self.collection.topics.order_by("number")
        wanted = [Wanted(one, [self.ann]), Wanted(two, [self.bob])]
        assigning.assign(self.collection, by=self.organizer, wanted=wanted, overlap=0)

    def index(self) -> int:
        with Direct(lambda done, total, words: None) as work:
            return indexing.index_documents(self.collection, work)

    def found(self, words: str, language: str = "") -> list[str]:
        return search.index_of(self.collection).search(read_query(words, language), 20).docnos

    def judge(self, user: User, docno: str, grade: int = 2, topic: str = "1") -> judging.Saved:
        where = self.collection.topics.get(number=topic)
        return acts.judge_hit(self.collection, assessor=user, topic=where, docno=docno, grade=grade, client_id=uuid.uuid4())


# The same tests for each kind of index: PostgreSQL's own, and beside SQLite that of files, which is the same beside either.
KINDS = ["database"] if "postgresql" in str(configured.DATABASES["default"]["ENGINE"]) else ["folder"]


@pytest.fixture(params=KINDS)
def world(request: pytest.FixtureRequest, db: None, settings: Settings, tmp_path: Path) -> World:
    settings.DATA, settings.SEARCH = tmp_path / "data", request.param
    return World(request.param)


def test_queries_are_understood() -> None:
    assert read_query('cranes "old harbour" -wine title:Ships').wanted == (
        Clause(("crane",)),
        Clause(("old", "harbour")),
        Clause(("ship",), "title"),
    )
    assert read_query("-wine").unwanted == (Clause(("wine",)),) and not read_query("-wine")
    assert not read_query('the " - ') and read_query("港口起").wanted == (Clause(("港口", "口起")),)


@pytest.mark.parametrize(
    ("words", "language", "expected"),
    [
        ("crane", "", ["en1", "en3"]),
        ('"old harbour"', "", ["en2", "en1"]),
        ("harbour -wine", "", ["en1"]),
        ("title:ships", "", ["en3"]),
        ("मछली", "hi", ["hi1"]),
        ("মাছ", "bn", ["bn1"]),
        ("起重机", "zh", ["zh1"]),
        ("貨物", "ja", ["ja1"]),
        ("도시", "ko", ["ko1"]),
        ("والموانئ", "ar", ["ar1"]),
        ("zeppelin", "", []),
    ],
)
def test_documents_of_any_script_are_found(world: World, words: str, language: str, expected: list[str]) -> None:
    world.index()
    assert sorted(world.found(words, language)) == sorted(expected)


def test_the_index_is_of_the_present_documents(world: World) -> None:
    assert not search.index_of(world.collection).is_ready()
    assert world.index() == world.index() == 9
    before = search.index_of(world.collection)
    files.take(
        world.collection,
        world.organizer,
        UploadKind.DOCUMENTS,
        files.documents(["en2", "en3", "x1"], "zeppelin"),
        others="drop",
    )
    assert not search.index_of(world.collection).is_ready()
    world.index()
    assert world.found("zeppelin") and not before.is_ready()


def test_both_kinds_rank_by_the_same_bm25(world: World) -> None:
    """Against the definition, one document at a time: titles weigh twice, a phrase is as rare as its words together."""
    generator = random.Random(7)
    made = [(f"d{n:03}", _said(generator, 3), _said(generator, 30)) for n in range(120)]
    rows = [{"id": docno, "title": title, "text": text} for docno, title, text in made]
    files.take_rows(world.collection, world.organizer, rows)
    world.index()
    found = {docno: (terms(title), terms(text)) for docno, title, text in made}
    for words in (
        "crane",
        "harbour crane wine",
        "title:quay ship",
        '"old quay" fish',
        "harbour crane -wine",
        "ship ship crane",
    ):
        query = read_query(words)
        scores = {docno: _score(fields, list(found.values()), query) for docno, fields in found.items()}
        expected = sorted((docno for docno in scores if scores[docno] > 0), key=lambda docno: -scores[docno])
        hits = search.index_of(world.collection).search(query, 10)
        assert hits.total == len(expected)
        assert [scores[docno] for docno in hits.docnos] == pytest.approx([scores[docno] for docno in expected[:10]], rel=1e-5)
    more = search.index_of(world.collection).search(read_query("crane"), 10, 10)
    assert len(more.docnos) == 10 and not set(more.docnos) & set(world.found("crane")[:10])


def test_a_large_index_ranks_every_document(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """As of a large collection, which PostgreSQL's index keeps in pieces: nothing is ranked by and large."""
    monkeypatch.setattr(search_database, "AT_ONCE", 40)
    monkeypatch.setattr(search_database, "PIECE", 500)
    generator = random.Random(8)
    made = [(f"d{n:03}", _said(generator, 3), _said(generator, 30)) for n in range(300)]
    rows = [{"id": docno, "title": title, "text": text} for docno, title, text in made]
    files.take_rows(world.collection, world.organizer, rows)
    world.index()
    if world.kind == "database":
        assert IndexedTerm.objects.filter(term="mast", weight="D").count() > 3
    index, found = search.index_of(world.collection), {docno: (terms(title), terms(text)) for docno, title, text in made}
    assert index.frequencies(["mast", "zeppelin"]) == (
        300,
        {"mast": sum("mast" in text for _, text in found.values()), "zeppelin": 0},
    )
    for words in (
        "mast",
        "rope mast",
        "net fish rope",
        '"net mast"',
        '"fish net" old -harbour',
        'title:"net rope" mast',
        'fish -"net mast"',
        "title:rope",
        "text:mast rope",
    ):
        query = read_query(words)
        scores = {docno: _score(fields, list(found.values()), query) for docno, fields in found.items()}
        best = sorted((score for score in scores.values() if score > 0), reverse=True)
        hits = index.search(query, 300)
        assert hits.total == len(set(hits.docnos)) == len(best)
        assert [scores[docno] for docno in hits.docnos] == pytest.approx(best, rel=1e-5)


def _said(generator: random.Random, count: int) -> str:
    words = ["harbour", "crane", "ship", "quay", "wine", "old", "fish", "net", "rope", "mast"]
    return " ".join(generator.choices(words, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], k=generator.randint(1, count)))


def _score(fields: tuple[list[str], list[str]], everything: list[tuple[list[str], list[str]]], query: Query) -> float:
    def times(clause: Clause, said: list[str]) -> int:
        size = len(clause.terms)
        return sum(tuple(said[at : at + size]) == clause.terms for at in range(len(said)))

    if any(times(clause, said) for clause in query.unwanted for said in fields):
        return 0
    score, number = 0.0, len(everything)
    for clause in query.wanted:
        for place, name in enumerate(("title", "text")):
            if clause.field in ("", name) and (tf := times(clause, fields[place])):
                having = [sum(term in other[place] for other in everything) for term in clause.terms]
                idf = sum(math.log(1 + (number - n + 0.5) / (n + 0.5)) for n in having)
                mean = sum(len(other[place]) for other in everything) / number
                boost = 2 if not clause.field and name == "title" else 1
                score += boost * idf * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * len(fields[place]) / mean))
    return score


def test_a_killed_job_leaves_no_index_and_the_next_one_makes_it(world: World) -> None:
    index = search.index_of(world.collection)
    with pytest.raises(files.Cut):
        indexing.index_documents(world.collection, files.CutOff())
    assert not index.is_ready() and world.index() == 9 and index.is_ready()
    if world.kind == "database":
        assert SearchIndex.objects.count() == 1 and IndexedDocument.objects.count() == 9


def test_a_text_of_any_length_is_found_by_its_words(world: World) -> None:
    long = [
        {"id": "long", "text": " ".join(f"word{n}x" for n in range(40_000)) + " zeppelin"},
        {"id": "one", "text": "z" * 900},
    ]
    files.take_rows(world.collection, world.organizer, long)
    world.index()
    assert world.found("zeppelin") == ["long"] and world.found('"word7x word8x"') == ["long"]
    assert world.found("z" * 900) == ["one"]


def test_what_is_found_and_judged_joins_the_pool(world: World) -> None:
    world.index()
    topic = world.collection.topics.get(number="1")
    results = searching.results(world.collection, world.ann, topic, "crane", 1, organizes=False)
    kept = acts.log(world.collection, searcher=world.ann, topic=topic, results=results)
    assert [(hit.docno, hit.waits, hit.pooled) for hit in results.hits] == [("en1", False, False), ("en3", True, False)]
    world.judge(world.ann, "en1")
    pool = Pool.objects.get(strategy="interactive")
    found = Found.objects.get()
    assert (pool.round, pool.item_count, found.search, found.finder) == (2, 1, kept, world.ann)
    assert Judgment.objects.get(item=found.item).grade == 2
    counted = selectors.judgments(world.collection)
    depths, beyond = watching.by_rank(world.collection, counted)
    assert beyond == watching.Beyond(1, 1, 1)  # a line of its own, of no depth
    assert [(row.items, row.judged) for row in depths] == [(2, 0)]
    world.judge(world.ann, "en3", 1)  # pooled for her anyway: no second item
    assert Pool.objects.get(strategy="interactive").item_count == 1
    assert judging.next_items(world.collection, assessor=world.ann, count=5) == []
    again = searching.results(world.collection, world.ann, topic, "crane", 1, organizes=False)
    assert [hit.grade for hit in again.hits] == [2, 1]


def test_what_is_found_counts_in_qrels_and_tells_where_it_came_from(world: World) -> None:
    world.index()
    world.judge(world.ann, "en1")
    world.judge(world.ann, "en3", 1)
    with Direct(lambda done, total, words: None) as work:
        release = releases.freeze_release(world.collection, by=world.organizer, work=work)
    with zipfile.ZipFile(configured.DATA / release.archive) as archive:
        files_of = {name.rsplit("/", 1)[1]: archive.read(name).decode() for name in archive.namelist()}
    assert files_of["qrels.txt"] == "1 0 en1 2\n1 0 en3 1\n"
    sources = {row["docid"]: row["source"] for row in csv.DictReader(files_of["judgments.csv"].splitlines())}
    assert sources == {"en1": "isj", "en3": "judged"}


def test_a_search_is_kept_again_when_time_has_passed(world: World) -> None:
    world.index()

    def look(page: int = 1) -> Search:
        found = searching.results(world.collection, world.ann, None, "harbour", page, organizes=False)
        return acts.log(world.collection, searcher=world.ann, topic=None, results=found)

    first = look()
    assert look() == first == look(2)
    Search.objects.update(at=timezone.now() - timedelta(minutes=11))
    assert look() != first and Search.objects.count() == 2


def test_fields_and_unwanted_words_are_not_marked(world: World) -> None:
    Document.objects.filter(docno="en1").update(title="Harbour cranes: a title", text="The title, the wine and the crane.")
    world.index()
    (hit,) = searching.hits(world.collection, world.ann, None, "title:crane -wine", ["en1"], organizes=False)
    assert [piece for piece, marked in (*hit.heading, *hit.snippet) if marked] == ["cranes", "crane"]


def test_other_fields_are_found_and_shown_where_the_text_has_no_sought_word(world: World) -> None:
    rows = [
        {"id": "f1", "title": "Algebra", "authors": ["Chattergy, R.", "Pooch, U. W."], "text": "The availability of cranes."},
        {"id": "f2", "title": "Harbour", "authors": ["Prieve, B."]},
    ]
    files.take(
        world.collection, world.organizer, UploadKind.DOCUMENTS, "\n".join(map(json.dumps, rows)).encode(), others="drop"
    )
    world.index()
    assert (world.found("pooch"), world.found('"pooch prieve"'), world.found("prieve")) == (["f1"], [], ["f2"])

    def snippet(words: str, docno: str) -> str:
        (hit,) = searching.hits(world.collection, world.ann, None, words, [docno], organizes=False)
        return "".join(f"[{piece}]" if marked else piece for piece, marked in hit.snippet)

    assert snippet("pooch", "f1") == "Chattergy, R.; [Pooch], U. W."
    assert (snippet("crane", "f1"), snippet("harbour", "f2")) == ("The availability of [cranes].", "Prieve, B.")


def test_new_documents_are_indexed_by_themselves_where_the_old_ones_were(world: World, client_for: ClientFor) -> None:
    rows = files.documents(["en2", "en3", "x1"], "zeppelin")
    files.take(world.collection, world.organizer, UploadKind.DOCUMENTS, rows, others="drop")
    assert not Job.objects.filter(name="index_documents").exists()  # nobody has asked for an index
    world.index()
    files.take(world.collection, world.organizer, UploadKind.DOCUMENTS, rows, others="drop")
    assert Job.objects.get(name="index_documents").started_by == world.organizer
    page = client_for(world.ann).get(f"/c/{world.collection.slug}/search/").content.decode()
    assert "These documents can be searched when their index is made." in page


def test_nobody_judges_in_the_place_of_another(world: World, client_for: ClientFor) -> None:
    world.index()
    with pytest.raises(Refusal, match="Topic 1 is not assigned to you"):
        world.judge(world.bob, "en1")
    assigning.assign(
        world.collection,
        by=world.organizer,
        wanted=[Wanted(world.collection.topics.get(number="1"), [world.ann], [world.bob])],
        overlap=1,
    )
    world.judge(world.ann, "en1")
    with pytest.raises(Conflict, match="pooled for somebody else"):
        world.judge(world.bob, "en1")
    given = {"topic": "1", "docno": "en1", "grade": 2, "client_id": uuid.uuid4(), "q": "crane"}
    answer = client_for(world.bob).post(f"/c/{world.collection.slug}/search/judge/", given, headers={"HX-Request": "true"})
    assert answer.status_code == 409  # told in the line itself
    assert "Your grade 2 was not taken. This document is pooled for somebody else to judge." in answer.content.decode()
    with pytest.raises(Refusal, match="There is no document “nowhere”"):
        world.judge(world.ann, "nowhere")


HOSTILE = '<img src=x onerror=alert(1)><script>alert(2)</script> harbour <mark onclick="alert(3)">crane</mark>'


def test_a_hit_judged_in_another_tab_is_not_overwritten_unsaid(
    world: World, client_for: ClientFor, caller_for: CallerFor
) -> None:
    world.index()
    world.judge(world.ann, "en1", 3)
    assert world.judge(world.ann, "en2", 1).seen == 1
    ann, api = client_for(world.ann), caller_for(world.ann, "read", "judge")
    base = f"/collections/{world.collection.slug}/search"
    (hit,) = [one for one in api("GET", f"{base}?q=crane&topic=1")["hits"] if one["docno"] == "en1"]
    assert (hit["grade"], hit["seen"]) == (3, 1)
    old = {"topic": "1", "docno": "en1", "grade": 0, "seen": 0}
    told = api("POST", f"{base}/judgments", {**old, "client_id": str(uuid.uuid4())})
    assert api.status == 409 and told["error"]["details"] == {"grade": 3, "seen": 1}
    sent = {**old, "client_id": uuid.uuid4(), "q": "crane"}
    answer = ann.post(f"/c/{world.collection.slug}/search/judge/", sent, headers={"HX-Request": "true"})
    page = answer.content.decode()
    assert answer.status_code == 409 and "Your grade 0 was not taken" in page and 'name="seen" value="1"' in page
    assert ann.post(f"/c/{world.collection.slug}/search/judge/", {**sent, "client_id": uuid.uuid4()}).status_code == 409
    assert Judgment.objects.get(item__docno="en1").grade == 3
    anew = {**sent, "client_id": uuid.uuid4(), "seen": 1}
    assert ann.post(f"/c/{world.collection.slug}/search/judge/", anew, headers={"HX-Request": "true"}).status_code == 200
    assert Judgment.objects.get(item__docno="en1").grade == 0


def test_only_a_seat_of_ones_own_opinion_is_taken(world: World) -> None:
    """Of a topic that others share the first opinion of, who gives the second takes none of theirs; item by item, any."""
    cleo, dan = factories.make_assessors(world.collection, "Cleo", "Dan")
    topic = world.collection.topics.get(number="1")
    world.index()

    def share(by_item: bool) -> None:
        wanted = [Wanted(topic, [cleo, dan], [world.ann])]
        rules = Rules(by_item=by_item)
        assigning.assign(world.collection, by=world.organizer, wanted=wanted, overlap=0.01, rules=rules)

    share(by_item=False)
    Seat.objects.filter(item__docno="en3", slot=2).delete()
    with pytest.raises(Conflict, match="pooled for somebody else"):
        world.judge(world.ann, "en3")
    assert Seat.objects.get(item__docno="en3").assessor is None
    share(by_item=True)
    Seat.objects.filter(item__docno="en3", slot=2).delete()
    world.judge(world.ann, "en3")
    assert Seat.objects.get(item__docno="en3", slot=1).assessor == world.ann


def test_hits_are_blind_and_run_nothing(world: World, client_for: ClientFor, caller_for: CallerFor) -> None:
    """Whatever an assessor searches for: no run, no rank, nobody else; and a document's markup is text."""
    Document.objects.filter(docno="en1").update(title=HOSTILE, text=HOSTILE)
    world.index()
    topic = world.collection.topics.get(number="1")
    assigning.assign(world.collection, by=world.organizer, wanted=[Wanted(topic, [world.ann], [world.bob])], overlap=1)
    judging.record_judgment(
        world.collection,
        assessor=world.bob,
        seat=Seat.objects.get(assessor=world.bob, item__docno="en3").token,
        grade=3,
        client_id=uuid.uuid4(),
        note="Bob’s own words",
    )
    ann, address = client_for(world.ann), f"/c/{world.collection.slug}/search/"
    given = {"topic": "1", "docno": "en1", "grade": 1, "client_id": str(uuid.uuid4()), "q": "crane"}
    texts = [ann.get(address, {"topic": "1", "q": "crane", **more}).content.decode() for more in ({}, {"more": "hits"})]
    texts.append(ann.post(f"{address}judge/", given, headers={"hx-request": "true"}).content.decode())
    texts.append(json.dumps(caller_for(world.ann)("GET", f"/collections/{world.collection.slug}/search?q=crane&topic=1")))
    assert "&lt;img src=x onerror=alert(1)&gt;" in texts[0] and "onclick=&quot;alert(3)&quot;" in texts[0]
    for page in texts[:3]:
        assert "<img src=x" not in page and "<script>alert" not in page and "<mark onclick" not in page
    for text in texts:
        assert not [
            secret for secret in ("alpha", "Bob", "own words", "best_rank", '"rank"', '"pooled": true') if secret in text
        ]


def test_feedback_offers_words_of_what_one_judged_relevant(world: World) -> None:
    world.index()
    topic = world.collection.topics.get(number="1")
    assert feedback.offered(world.collection, world.ann, topic, "crane", "judged") == feedback.Offered("judged", 0, [])
    world.judge(world.ann, "en3")
    world.judge(world.ann, "en2", 0)
    words = feedback.offered(world.collection, world.ann, topic, "crane", "judged").words
    assert "quay" in words and "unload" in words and not {"crane", "vineyards"} & set(words)


def test_pseudo_feedback_offers_words_of_the_first_hits_though_nothing_is_judged(world: World) -> None:
    world.index()
    offered = feedback.offered(world.collection, world.organizer, None, "vineyards", "hits")
    assert (offered.source, offered.documents) == ("hits", 1)  # en2 alone has it
    assert set(offered.words) == {"wine", "lovers", "harbour", "old"}
    assert feedback.offered(world.collection, world.organizer, None, "zeppelin", "hits").words == []


def test_offered_words_are_edited_before_they_join_the_search(
    world: World, client_for: ClientFor, caller_for: CallerFor
) -> None:
    world.index()
    ann, address = client_for(world.ann), f"/c/{world.collection.slug}/search/"
    page = ann.get(address, {"topic": "1", "q": "vineyards", "more": "hits"}).content.decode()
    assert "Words of the first 1 hit, whether these are relevant or not (pseudo-feedback)." in page
    told = caller_for(world.ann)("GET", f"/collections/{world.collection.slug}/search/words?q=vineyards&source=hits")
    assert f'name="add" id="id_add" value="{" ".join(told["words"])}"' in page
    taken = ann.get(address, {"topic": "1", "q": "vineyards", "add": " quay  "}).content.decode()
    assert 'value="vineyards quay"' in taken and "<mark>quay</mark>" in taken
    none = ann.get(address, {"topic": "1", "q": "crane", "more": "judged"}).content.decode()
    assert "You have judged nothing of this topic relevant yet" in none


def test_by_page_api_and_command(world: World, client_for: ClientFor, caller_for: CallerFor, assize: Assize) -> None:
    olga, ann, address = client_for(world.organizer), client_for(world.ann), f"/c/{world.collection.slug}/search/"
    assert "Build the index" in olga.get(address).content.decode()
    overview, to_do = f"/c/{world.collection.slug}/", f'<a href="{address}">Build the index</a>'
    assert to_do in olga.get(overview).content.decode() and to_do not in ann.get(overview).content.decode()
    wrong = olga.get(f"{address}document/", {"docno": "nothing"})
    assert wrong.status_code == 404 and "has no document “nothing”" in wrong.content.decode()
    assert ann.get(f"{address}document/", {"docno": "nothing"}).status_code == 404
    docno = documents(world.collection)[0].docno
    assert olga.get(f"{address}document/", {"docno": f" {docno} "}).status_code == 200
    refused = olga.get(f"{address}run/")
    assert refused.status_code == 409 and "nobody has found a document by searching" in refused.content.decode()
    assert olga.post(f"{address}index/").status_code == 302 and Job.objects.filter(name="index_documents").exists()
    assert assize("index-documents", world.collection.slug).out == "9 documents\n"
    assert "the documents are indexed" in olga.get(overview).content.decode()
    page = ann.get(address, {"topic": "1", "q": "crane"}).content.decode()
    assert "<mark>cranes</mark>" in page and "waits for you" in page and "alpha" not in page
    given = {"topic": "1", "docno": "en1", "grade": 3, "client_id": str(uuid.uuid4()), "q": "crane"}
    fragment = ann.post(f"{address}judge/", given, headers={"hx-request": "true"}).content.decode()
    assert fragment.count('<li class="hit"') == 1 and 'aria-pressed="true"' in fragment
    assert ann.post(f"{address}judge/", given).status_code == 302  # the same act again
    assert Judgment.objects.get(item__docno="en1").event_count == 1
    whole = ann.get(f"{address}document/", {"topic": "1", "q": "crane", "docno": "en1"}).content.decode()
    assert "from every ship." in whole and "<mark>cranes</mark>" in whole and "?q=crane&amp;topic=1" in whole
    assert not any(word in whole for word in ("alpha", "pooled", "rank"))
    assert ann.get(f"{address}document/", {"docno": "nowhere"}).status_code == 404
    assert "No run contributed to this round" in olga.get(f"/c/{world.collection.slug}/pool/2/").content.decode()
    offered = ann.get(address, {"topic": "1", "q": "crane", "more": "judged"}).content.decode()
    assert "Words of the 1 document you judged relevant." in offered
    assert "pooled" in olga.get(address, {"topic": "1", "q": "crane"}).content.decode()
    assert "crane" in olga.get(address).content.decode()
    assert olga.get(f"{address}run/").content == b"1 Q0 en1 1 1 interactive\n"
    call, base = caller_for(world.ann), f"/collections/{world.collection.slug}/search"
    told = call("GET", f"{base}?q=wine")
    assert (told["total"], told["hits"][0]["docno"]) == (1, "en2")
    body = {"topic": "1", "docno": "zh1", "grade": 0, "client_id": str(uuid.uuid4())}
    assert call("POST", f"{base}/judgments", body) == {"grade": 0, "seen": 1}
    assert Search.objects.filter(searcher=world.ann).count() == 2
