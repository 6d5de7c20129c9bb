"""The agreement pages: the textbook's example to its printed digits, cells that open their documents, one's own figures."""

import csv
import io
import json
import re
import uuid
from datetime import timedelta
from html import escape, unescape

import numpy as np
import pytest
from django.utils import timezone

from assess import agreeing, agreement_files, pairs, selectors
from assess.core.agreement import agreement
from assess.core.bootstrap import Plan, Spread
from assess.core.kappa_spread import kappa_spread
from assess.models import Judgment, JudgmentEvent, Seat
from assess.pairs import Pair
from assess.selectors import as_table
from assess.services import merging
from config.errors import Forbidden
from config.models import User
from tests.assess import factories
from tests.conftest import Cast, ClientFor

# 300 both relevant, 20 and 10 on which they differ, 70 both not.
TEXTBOOK = [(1, 1)] * 300 + [(1, 0)] * 20 + [(0, 1)] * 10 + [(0, 0)] * 70


@pytest.fixture
def textbook(cast: Cast) -> Cast:
    """Two assessors of 400 documents of one topic."""
    collection = cast.collection
    other = factories.make_assessors(collection, "Kwame Second")[0]
    [topic] = factories.make_topics(collection, [1])
    pool = factories.make_pool(collection, cast.organizer, {topic: [f"d{n:03}" for n in range(400)]})
    now, heads, seats = timezone.now(), [], []
    for item, grades in zip(pool.items.order_by("docno"), TEXTBOOK, strict=True):
        for slot, (who, grade) in enumerate(zip((cast.assessor, other), grades, strict=True), 1):
            seats.append(
                Seat(collection=collection, topic=topic, item=item, slot=slot, assessor=who, position=1, judged_at=now)
            )
            heads.append(Judgment(item=item, assessor=who, grade=grade, note=f"of {slot}"))
    Seat.objects.bulk_create(seats)
    Judgment.objects.bulk_create(heads)
    return cast


def overview(cast: Cast) -> agreeing.Overview:
    return agreeing.overview(cast.collection, *selectors.timed_table(cast.collection))


def test_the_textbook_example_on_page_and_in_files(textbook: Cast, client_for: ClientFor) -> None:
    olga = client_for(textbook.organizer)
    page = olga.get("/c/harbour-trials/agreement/").content.decode()
    assert 'data-label="Cohen’s κ">0.7761<' in page and 'data-label="Pooled kappa">0.7759<' in page  # 0.776 both
    coefficients = page.split("Relevant from grade 1 on, or not")[1]
    for title in ("Cohen&#x27;s kappa", "Kappa (pooled marginals, Scott&#x27;s pi)"):
        assert f'<th scope="row">{title}</th><td class="num" data-label="Value">0.776</td>' in coefficients
    figures = overview(textbook).report["views"][1]["figures"]
    assert {key: round(figures[key]["value"], 6) for key in ("raw", "positive", "negative", "overlap", "cohen", "pooled")} == {
        "raw": 0.925,
        "positive": 0.952381,
        "negative": 0.823529,
        "overlap": 0.909091,
        "cohen": 0.776119,
        "pooled": 0.775910,
    }
    assert (figures["pooled"]["band"], figures["raw"]["n"]) == ("fair", 400)
    here = "/c/harbour-trials/agreement/file"
    rows = list(csv.DictReader(io.StringIO(olga.get(f"{here}/csv/").content.decode())))
    assert [row["value"][:6] for row in rows if row["coefficient"] == "pooled" and row["view"] == "from 1"] == ["0.7759"]
    assert json.loads(olga.get(f"{here}/json/").content)["shared"] == 400
    assert r"kappa (pooled marginals, Scott's pi) & 400 & $0.776$" in olga.get(f"{here}/tex/").content.decode()
    assert olga.get(f"{here}/exe/").status_code == 404


def test_each_figure_has_its_error_interval_and_words(textbook: Cast, client_for: ClientFor) -> None:
    """The textbook's se 0.038888 and interval 0.699900 to 0.852338, on the page, in tables and for programs."""
    [pair] = pairs.agreement(textbook.collection).pairs
    assert pair.spread.standard_error is not None and pair.spread.interval is not None
    found = (pair.spread.standard_error, *pair.spread.interval)
    assert [round(one, 6) for one in found] == [0.038888, 0.699900, 0.852338]
    olga, here = client_for(textbook.organizer), "/c/harbour-trials/agreement/"
    page = " ".join(olga.get(here).content.decode().split())
    assert '<td class="num" data-label="Std. error">0.039</td>' in page and ">0.70 to 0.85<" in page
    assert '<th scope="row">Mean over topics</th>' in page
    Judgment.objects.filter(assessor=textbook.assessor).update(grade=1, updated_at=timezone.now())
    page = olga.get(here).content.decode()
    name = textbook.assessor.name
    assert f"0 because <bdi>{name}</bdi> used one grade only" in page and "none: resamples are all alike" in page
    assert f"{name} used one level only: Cohen&#x27;s kappa is 0 whatever the agreement." in page


@pytest.mark.once
@pytest.mark.parametrize("name", [*agreement_files.CAPTIONS])
def test_every_table_has_its_files(textbook: Cast, client_for: ClientFor, name: str) -> None:
    head = Judgment.objects.filter(assessor=textbook.assessor).earliest("pk")
    Judgment.objects.create(item=head.item, assessor=textbook.assessor, occasion=1, grade=0)
    olga, here = client_for(textbook.organizer), f"/c/harbour-trials/agreement/?table={name}"
    rows = json.loads(olga.get(f"{here}&form=json").content)["rows"]
    assert olga.get(f"{here}&form=csv").content.decode().splitlines()[0] == ",".join(rows[0])
    assert r"\begin{tabular}" in olga.get(f"{here}&form=tex").content.decode()
    assert olga.get(f"{here}&form=exe").status_code == 404
    expected: dict[str, dict[str, object]] = {
        "pairs": {"n": 400, "raw agreement": 0.925, "band": "fair"},
        "matrices": {"grade of the first": 0, "grade of the second": 0, "documents": 70},
        "rest": {"assessor": "Kwame Second", "n": 400},
        "repeats": {"assessor": textbook.assessor.name, "n": 1, "raw agreement": 0.0, "low": None},
        "checks": {
            "assessor": "Kwame Second",
            "judgments": 400,
            "share of 1": 0.775,
            "with the majority": None,
        },
        "topics": {"topic": "1", "n": 400, "raw agreement": 0.925},
        "times": {"pairs of opinions": 400, "raw agreement": 0.925},
    }
    assert {key: rows[0][key] for key in expected[name]} == expected[name]


@pytest.mark.once
def test_a_few_pairs_have_the_interval_of_resamples() -> None:
    """Items are drawn as a whole: three opinions make three pairs of one item. Equal to the same drawn item by item."""
    rng = np.random.default_rng(5)
    items = np.repeat(np.arange(14), 3)
    first, second = rng.integers(0, 3, 42), rng.integers(0, 3, 42)
    figures = agreement(first, second, [0, 1, 2])
    found = kappa_spread(figures, items, np.zeros(42, np.int64), first, second, Plan(4000))
    slow = []
    for _ in range(1000):
        rows = np.concatenate([np.flatnonzero(items == item) for item in rng.integers(0, 14, 14)])
        slow.append(agreement(first[rows], second[rows], [0, 1, 2]).cohen or 0.0)
    assert found.standard_error is not None and found.interval is not None
    assert found.standard_error == pytest.approx(np.std(slow, ddof=1), rel=0.08)
    assert found.interval == pytest.approx(np.quantile(slow, [0.025, 0.975]).tolist(), abs=0.06)
    alone = kappa_spread(agreement(first[:1], second[:1], [0, 1, 2]), items[:1], items[:1], first[:1], second[:1], Plan())
    assert (alone.standard_error, alone.interval) == (None, None)


@pytest.mark.once
@pytest.mark.parametrize("n", [2, 7, 40])
def test_an_assessor_with_one_grade_has_the_error_of_the_formula_and_words(n: int) -> None:
    """Kappa is 0, and so is its error by formula; where too many resamples have no kappa, there is no interval, but the count."""
    rare = as_table([(item, "1", f"d{item}", who, who, int(who == 2 and item == 0)) for item in range(n) for who in (1, 2)])
    pair = Pair.of(("Ida", "Max"), rare, np.arange(0, 2 * n, 2), np.arange(1, 2 * n, 2), [0, 1])
    assert (pair.figures.cohen, pair.spread.standard_error, pair.spread.interval) == (0.0, 0.0, None)
    lost = pair.spread.undefined / 2000  # both of one and the same grade: the document that differs was not drawn
    assert lost == pytest.approx((1 - 1 / n) ** n, abs=0.05)
    told = f"kappa is not defined in {pair.spread.undefined:,} of 2,000 resamples"
    assert pair.no_interval == told and pair.note == f"0 because Ida used one grade only; no interval: {told}"
    often = rare._replace(grades=np.where(rare.slots == 2, rare.items % 2, 0))
    pair = Pair.of(("Ida", "Max"), often, np.arange(0, 2 * n, 2), np.arange(1, 2 * n, 2), [0, 1])
    assert (pair.figures.cohen, pair.spread.standard_error) == (0.0, 0.0)
    if n == 40:
        assert (pair.spread, pair.no_interval) == (Spread(0.0, (0.0, 0.0), 0), "resamples are all alike")


def test_a_cell_opens_its_documents(textbook: Cast, client_for: ClientFor) -> None:
    pair = pairs.agreement(textbook.collection).pairs[0]
    names = (pair.first_user, pair.second_user)
    for cell in (cell for line in pair.rows for cell in line):
        for who in (names, ("", "")):
            found = agreeing.cell(textbook.collection, *who, cell.row, cell.column)
            assert (len(found.rows), found.pairs, found.documents) == (cell.count,) * 3
    olga, here = (
        client_for(textbook.organizer),
        f"/c/harbour-trials/agreement/documents/?a=0&b=1&first={names[0]}&second={names[1]}",
    )
    page = olga.get(here).content.decode()
    assert "10 documents" in page and "of 1" in page and page.count("tabs-second") == 1
    document = olga.get(unescape(re.findall(r'href="(/c/harbour-trials/document/[^"]*)"', page)[0])).content.decode()
    assert f'<a class="back" href="{escape(here)}">' in document  # and so back to the cell
    few = agreeing.cell(textbook.collection, *names, 1, 1, most=7)
    assert (len(few.rows), few.pairs, few.documents) == (7, 300, 300)


def test_three_opinions_of_a_document_are_three_pairs(textbook: Cast, client_for: ClientFor) -> None:
    """Beside each figure stands whether it counts documents or pairs of opinions."""
    [third] = factories.make_assessors(textbook.collection, "Third Opinion")
    item = Judgment.objects.get(item__docno="d000", assessor=textbook.assessor).item
    Judgment.objects.create(item=item, assessor=third, grade=1, note="of 3")
    here, olga = "/c/harbour-trials/agreement/", client_for(textbook.organizer)
    page = " ".join(olga.get(here).content.decode().split())
    assert "400 documents judged by two or more" in page and "402 <span" in page and "402 pairs of opinions</caption>" in page
    # 372 of 402 pairs, and 370 of 400 documents: each says what it counts.
    assert "raw agreement is 0.9250; in the last row of the pairs each pair" in page and "and it is 0.9254." in page
    assert "1 document</caption>" in page and "400 documents</caption>" in page
    page = olga.get(f"{here}documents/?a=1&b=1").content.decode()
    assert "302 pairs of opinions on 300 documents." in page
    assert page.count(">d000</a>") == 1 and '<td class="num" data-label="Pairs of opinions">3</td>' in page
    [row] = [row for row in agreeing.cell(textbook.collection, "", "", 1, 1).rows if row.docno == "d000"]
    assert (row.pairs, sorted(row.first_notes), sorted(row.second_notes)) == (3, ["of 1", "of 3"], ["of 2", "of 3"])


def test_how_each_assessor_judges(textbook: Cast, client_for: ClientFor) -> None:
    """Pace by the seconds of acts; the run by time; the majority is that of the others, where they have one."""
    begin, every = timezone.now(), list(Judgment.objects.order_by("item__docno", "pk"))
    for place, head in enumerate(every):  # 320 times 1, then 80 times 0; the other one's longest are the first 300
        head.updated_at = begin + timedelta(seconds=place)
    Judgment.objects.bulk_update(every, ["updated_at"])
    heads = [head for head in every if head.assessor_id == textbook.assessor.pk]
    for head, seconds in zip(heads, (10.0, 20.0, 60.0), strict=False):
        JudgmentEvent.objects.create(judgment=head, client_id=uuid.uuid4(), grade=1, seconds=seconds)
    for name in ("Third Opinion", "Fourth Opinion"):
        [who] = factories.make_assessors(textbook.collection, name)
        given = zip(heads[298:302], (1, 0, 1, 1), strict=True)
        Judgment.objects.bulk_create(Judgment(item=head.item, assessor=who, grade=grade) for head, grade in given)
    checks = {check.name: check for check in overview(textbook).checks}
    own = checks[textbook.assessor.name]
    # d298 and d299: 1, 1 and 1, 1 of both; the others 1, 1, 1 and 1, 0, 0. d300 and d301: 1, 0 of both, the others 0, 1, 1.
    assert (own.judgments, own.seconds, own.per_hour, own.run, own.held, own.majority) == (400, 20.0, 120.0, 320, 4, 0.75)
    assert own.shares[:2] == [0.2, 0.8]
    second = checks["Kwame Second"]
    assert (second.seconds, second.per_hour, second.run, second.held, second.majority) == (None, None, 300, 4, 0.25)
    page = " ".join(client_for(textbook.organizer).get("/c/harbour-trials/agreement/").content.decode().split())
    assert '<td class="num whole" data-label="Longest run of one grade">320</td>' in page and "75 % <span" in page


def test_own_agreement_after_the_topic_closes_if_allowed(textbook: Cast, client_for: ClientFor) -> None:
    client, here = client_for(textbook.assessor), "/c/harbour-trials/judge/agreement/"
    assert client.get(here).status_code == 403
    with pytest.raises(Forbidden):
        agreeing.require_own_shown(textbook.collection)
    merging.set_plan(textbook.collection, by=textbook.organizer, show_own=True)
    page = client.get(here).content.decode()
    assert "0.925" in page and "Kwame" not in page and '<td class="num" data-label="Opinions of others">400</td>' in page
    assert ">few</span>" not in page
    Seat.objects.filter(slot=2).update(judged_at=None)
    assert "Nothing to show yet" in client.get(here).content.decode()


def test_drift_over_time_and_each_against_the_rest(textbook: Cast) -> None:
    found = overview(textbook)
    assert [part.figures.n for part in found.times] == [400]  # all came in the same hour
    early = Judgment.objects.filter(item__docno__lt="d100")
    early.update(updated_at=timezone.now() - timedelta(days=3))
    found = overview(textbook)
    assert [(part.figures.n, part.is_of_hours, part.start.date() == part.last_day.date()) for part in found.times] == [
        (100, False, True),
        (300, False, True),
    ]
    assert [round(pair.figures.raw or 0, 3) for pair in found.rest] == [0.925, 0.925]
    assert found.repeats == []
    head = Judgment.objects.filter(assessor=textbook.assessor).first()
    assert head is not None
    Judgment.objects.create(item=head.item, assessor=textbook.assessor, occasion=1, grade=0)
    [own] = overview(textbook).repeats
    assert (own.figures.n, own.figures.raw) == (1, 0.0)
    assert not JudgmentEvent.objects.exists()


def test_who_judges_while_the_page_is_made_does_not_disturb_it(textbook: Cast) -> None:
    """Judgments come between what is read and what is computed of it: one more document, another grade, one taken back."""
    Judgment.objects.filter(item__docno__lt="d100").update(updated_at=timezone.now() - timedelta(days=3))
    before, read = overview(textbook), selectors.timed_table(textbook.collection)
    [late] = factories.make_pool(
        textbook.collection, textbook.organizer, {textbook.collection.topics.get(): ["a000"]}
    ).items.all()
    Judgment.objects.bulk_create(
        Judgment(item=late, assessor=who, grade=1) for who in User.objects.filter(judgments__item__docno="d001")
    )
    Judgment.objects.filter(item__docno="d002", assessor=textbook.assessor).update(grade=0, updated_at=timezone.now())
    Judgment.objects.filter(item__docno="d003", assessor=textbook.assessor).delete()
    found = agreeing.overview(textbook.collection, *read)
    assert [(part.start, part.figures.table.tolist()) for part in found.times] == [
        (part.start, part.figures.table.tolist()) for part in before.times
    ]
    assert found.report == before.report
    assert sum(part.figures.n for part in overview(textbook).times) == 400


def test_the_page_is_computed_anew_when_a_judgment_or_a_name_changes(textbook: Cast, client_for: ClientFor) -> None:
    olga, here = client_for(textbook.organizer), "/c/harbour-trials/agreement/"
    assert "0.9250" in olga.get(here).content.decode()
    kept = agreeing.shown(textbook.collection)
    assert agreeing.shown(textbook.collection) is kept
    Judgment.objects.filter(item__docno="d000", assessor=textbook.assessor).update(grade=0, updated_at=timezone.now())
    assert "0.9225" in olga.get(here).content.decode()
    User.objects.filter(name="Kwame Second").update(name="Kwame Third")
    assert "Kwame Third" in olga.get(here).content.decode()


def test_ratings_do_not_depend_on_the_order_of_rows() -> None:
    rows = [(1, "2", "b", 7, 1, 0), (1, "2", "b", 9, 2, 1), (2, "10", "a", 7, 1, 2), (2, "10", "a", 9, 2, 2)]
    names = {7: "A10", 9: "A9"}
    one = agreeing.rated(as_table(rows), [0, 1, 2], names)
    other = agreeing.rated(as_table([(5 - item, *rest) for item, *rest in reversed(rows)]), [0, 1, 2], names)
    assert one.names == other.names == ["A9", "A10"]
    assert np.array_equal(one.ratings.places, other.ratings.places)


def test_files_of_an_undefined_report_hold_no_number() -> None:
    figure = {"n": 0, "value": None, "standard_error": None, "interval": None, "band": "undefined", "note": "no overlap"}
    report = {"views": [{"threshold": None, "figures": {"cohen": figure}}]}
    assert agreement_files.written(report, "csv").splitlines()[1] == "grades,cohen,0,,,,,undefined,no overlap"
    assert "Cohen's kappa & 0 & -- & --" in agreement_files.written(report, "tex")
