"""Strategies compared on judgments that are there."""

import uuid
from pathlib import Path

import numpy as np
import pytest
from pytest_django import Settings

from assess.selectors import assessors
from assess.services import assigning, judging
from config.errors import Conflict
from config.models import Job
from evaluation.core.matrix import NOT_IN_QRELS, StoredRuns
from evaluation.core.simulation import compare, course
from evaluation.services import strategies
from pooling.core.strategies import clean
from pooling.models import UploadKind
from tests import factories as people
from tests.api.conftest import CallerFor, caller_for
from tests.assess import factories
from tests.commands.conftest import Assize, assize
from tests.conftest import ClientFor
from tests.golden import vectors
from tests.pooling import files
from tests.pooling.test_strategies import ranked

__all__ = ["assize", "caller_for"]
VECTOR = next(row.values[0] for row in vectors("pooling", "pool_mtf") if row.values[0]["id"] == "mtf-all")


def stored() -> tuple[StoredRuns, "np.ndarray[tuple[int], np.dtype[np.int64]]"]:
    made = StoredRuns.build([ranked(tag, docnos) for tag, docnos in VECTOR["runs"].items()])
    return made, np.array([VECTOR["qrels"][docno.decode()] for docno in made.matrix.docnos.tolist()])


def test_courses_are_the_orders_of_the_worked_example() -> None:
    runs, grades = stored()
    (order,) = course(runs.matrix, grades, "mtf", clean("mtf", {}))
    assert [docno.decode() for docno in runs.matrix.docnos[order].tolist()] == VECTOR["expected"]["order"]
    (fixed,) = course(runs.matrix, grades, "take", clean("take", {}))
    assert [docno.decode() for docno in runs.matrix.docnos[fixed].tolist()][:4] == ["d01", "d02", "d10", "d13"]
    (whole,) = course(runs.matrix, grades, "depth", clean("depth", {}))
    assert [docno.decode() for docno in runs.matrix.docnos[whole].tolist()] == sorted(VECTOR["qrels"])
    grades[order[0]] = NOT_IN_QRELS
    (without,) = course(runs.matrix, grades, "mtf", clean("mtf", {}))
    assert len(without) == 15 and order[0] not in without


def test_what_each_strategy_finds_and_how_it_ranks_the_runs() -> None:
    runs, grades = stored()
    total, (take, mtf) = compare(runs, grades, ["take", "mtf"], budget=16)
    assert (total, take.relevant[-1], mtf.relevant.tolist()[:4]) == (6, 6, [1, 2, 2, 3])
    assert mtf.to_enough == 11 and take.judged.tolist() == list(range(1, 17))
    assert take.tau == mtf.tau == pytest.approx(1) and np.abs(mtf.bias).max() == 0  # everything is judged
    assert np.abs(compare(runs, grades, ["take"], budget=1)[1][0].bias).max() > 0


@pytest.mark.django_db
def test_in_a_site(settings: Settings, tmp_path: Path, client_for: ClientFor, caller_for: CallerFor, assize: Assize) -> None:
    settings.DATA = tmp_path / "data"
    organizer = people.make_user("Olga Organizer")
    collection = people.make_collection(organizer, "Harbour trials")
    factories.make_assessors(collection, "Ann Assessor")
    files.take(collection, organizer, UploadKind.TOPICS, b"1\tharbours\n")
    files.take(collection, organizer, UploadKind.DOCUMENTS, files.documents(VECTOR["qrels"]))
    for tag, docnos in VECTOR["runs"].items():
        files.take_run(collection, organizer, files.run_file(tag, t1=" ".join(docnos)))
    files.draw(collection, organizer, 6)
    with pytest.raises(Conflict, match="Nothing is judged yet"):
        strategies.request_comparison(collection, by=organizer, budget=5)
    assigning.auto_assign(collection, by=organizer)
    (ann,) = assessors(collection)
    for card in judging.next_items(collection, assessor=ann, count=20):
        grade = VECTOR["qrels"][card.docno]
        judging.record_judgment(collection, assessor=ann, seat=card.token, client_id=uuid.uuid4(), grade=grade, ahead=0)
    client, address = client_for(organizer), f"/c/{collection.slug}/pool/compare/"
    assert client.post(address, {"budget": 5}).status_code == 302
    assert Job.objects.filter(name="compare_strategies").exists()
    rows = {row["strategy"]: row for row in assize("strategies", collection.slug, "--budget", "5", "--json").json}
    assert rows["mtf"]["to_80"] == 11 and rows["mtf"]["found"] == 3
    assert rows["depth"]["to_80"] == 12 and rows["mtf"]["against_depth"] == pytest.approx(-1 / 12)
    page = client.get(address).content.decode()
    assert "Move to front" in page and "6 relevant documents among 16 judged ones" in page and "<polyline" in page
    summary = (
        "Depth order finds 80 % of the relevant documents with 12 judgments; Move to front with 11, 8 % fewer; MaxMean with "
    )
    assert summary in page and ">−8\N{NO-BREAK SPACE}%<" in page
    told = caller_for(organizer)("GET", f"/collections/{collection.slug}/strategies")
    assert told["summary"] in page and told["summary"].startswith(summary)
    assert (told["relevant"], len(told["strategies"]), told["runs"]) == (6, 16, ["S1", "S2", "S3", "S4"])
