"""A sampled pool through to its release: probabilities with the items, files that carry them, estimates on the leaderboard."""

import uuid
import zipfile
from pathlib import Path

import pytest
from django.conf import settings as site_settings
from pytest_django import Settings

from assess.selectors import assessors
from assess.services import assigning, judging
from config import store
from config.models import User
from evaluation import columns, samples
from evaluation.models import Release
from evaluation.services import importing, releases
from pooling.core.sampled_qrels import read_sampled
from pooling.models import Collection, UploadKind
from pooling.services.work import Direct
from tests import factories as people
from tests.assess import factories
from tests.conftest import ClientFor
from tests.golden import vectors
from tests.pooling import files

pytestmark = pytest.mark.once

VECTOR = vectors("pooling", "two_strata_budget")[0].values[0]
GRADES = vectors("pooling", "pool_mtf")[0].values[0]["qrels"]


@pytest.fixture
def made(db: None, settings: Settings, tmp_path: Path) -> tuple[Collection, User]:
    settings.DATA = tmp_path / "data"
    organizer = people.make_user("Olga Organizer")
    collection = people.make_collection(organizer, "Harbour trials")
    factories.make_assessors(collection, "Ann Assessor")
    files.take(collection, organizer, UploadKind.TOPICS, b"1\tharbours\n")
    files.take(collection, organizer, UploadKind.DOCUMENTS, files.documents(GRADES))
    for tag, docnos in VECTOR["runs"].items():
        files.take_run(collection, organizer, files.run_file(tag, t1=" ".join(docnos)))
    return collection, organizer


def released(collection: Collection, by: User, strategy: str, **values: object) -> Release:
    files.draw_round(collection, by, strategy, **values)
    assigning.auto_assign(collection, by=by)
    (assessor,) = assessors(collection)
    for card in judging.next_items(collection, assessor=assessor, count=100):
        judging.record_judgment(
            collection, assessor=assessor, seat=card.token, client_id=uuid.uuid4(), grade=GRADES[card.docno], ahead=0
        )
    with Direct(lambda done, total, words: None) as work:
        release = releases.freeze_release(collection, by=by, work=work)
        releases.score_release(release, work=work)
    return release


def test_a_sample_by_strata(made: tuple[Collection, User], client_for: ClientFor) -> None:
    collection, by = made
    release = released(collection, by, "two-strata", budget=10, depth=6)
    pool = collection.pools.get()
    assert sorted(pool.items.values_list("stratum", "inclusion")) == [(1, 1.0)] * 8 + [(2, 0.25)] * 2
    assert pool.not_drawn.count() == 6
    with zipfile.ZipFile(site_settings.DATA / release.archive) as archive:
        name = next(name for name in archive.namelist() if name.endswith("/sampled-qrels.txt"))
        sample = read_sampled(archive.read(name))
        assert any(name.endswith("/prels.txt") for name in archive.namelist())
    assert (len(sample.docnos), int((sample.grades >= 0).sum())) == (16, 10)
    names = [str(measure) for measure in columns.measures(release.collection, release.counts)]
    assert {"xinfAP", "infNDCG", "statAP", "Bpref"} <= set(names) and "AP" not in names
    page = client_for(by).get(f"/c/{collection.slug}/leaderboard/").content.decode()
    assert "Estimated from a sample." in page
    assert "a sampled pool cannot support them: " in page and "nDCG" in page.split("cannot support them: ")[1][:80]
    assert release.scores.filter(measure="xinfAP").count() == 4
    for name in ("xinfAP", "infNDCG", "statAP"):
        told = client_for(by).get(f"/c/{collection.slug}/leaderboard/file/json/?sort={name}").json()
        assert told["focus"] == name and all(
            low <= run["scores"][name] <= high for run in told["runs"] for low, high in [run["interval"]]
        )


def test_a_sample_by_weight_has_probabilities_alone(made: tuple[Collection, User], client_for: ClientFor) -> None:
    collection, by = made
    collection.measures = ["statAP", "AP"]
    collection.save()
    release = released(collection, by, "ap-weighted", budget=7, depth=6)
    names = [str(measure) for measure in columns.measures(release.collection, release.counts)]
    assert (
        "statAP" in names and "xinfAP" not in names and "xinfAP" in columns.unsupported(release.collection, release.counts)[0]
    )
    found = samples.judged(release)
    assert found is not None and found[1].inclusion is not None and len(found[0]) == 7
    assert release.scores.filter(measure="statAP").count() == 4
    pages = {"pool-report/": "By bpref, the score", "effect/": "Does disagreement", "compare/": "has statAP"}
    pages |= {"scores/S1/": "statAP by topic", "scores/S1/?view=strict": "S1", "leaderboard/topics/1/": "statAP"}
    for page, shown in pages.items():
        answer = client_for(by).get(f"/c/{collection.slug}/{page}")
        assert (answer.status_code, shown in answer.content.decode()) == (200, True), page
    assert client_for(by).get(f"/c/{collection.slug}/effect/?measure=statAP").status_code == 422


def test_official_estimates_are_named_where_the_pool_is_no_sample(made: tuple[Collection, User]) -> None:
    collection, by = made
    collection.measures = ["xinfAP", "AP"]
    collection.save()
    release = released(collection, by, "depth", depth=3)
    assert columns.unsupported(release.collection, release.counts) == (["xinfAP"], [])
    assert "AP" in [str(measure) for measure in columns.measures(release.collection, release.counts)]


def values(release: Release) -> dict[tuple[str, str], float | None]:
    rows = release.scores.filter(measure__in=["infAP", "xinfAP", "infNDCG", "statAP"])
    return {(run, measure): value for run, measure, value in rows.values_list("run__tag", "measure", "mean")}


def taken(collection: Collection, by: User, data: bytes, sample: str = "") -> Release:
    options = importing.Options(kind="release", sample=sample)
    with Direct(lambda done, total, words: None) as work:
        importing.take_import(collection, by=by, data=data, options=options, work=work)
        release = collection.releases.latest("number")
        releases.score_release(release, work=work)
    return release


@pytest.mark.parametrize(
    ("strategy", "parameters", "name"),
    [
        ("two-strata", {"budget": 10, "depth": 6}, "sampled-qrels.txt"),
        ("strata", {"edges": "6", "shares": "60"}, "sampled-qrels.txt"),
        ("ap-weighted", {"budget": 7, "depth": 6}, "prels.txt"),
    ],
)
def test_a_sample_comes_back_with_equal_estimates(
    made: tuple[Collection, User], strategy: str, parameters: dict[str, object], name: str, client_for: ClientFor
) -> None:
    """Written with a release, imported as another one: the same file, the same estimates, the same leaderboard."""
    collection, by = made
    release = released(collection, by, strategy, **parameters)
    with zipfile.ZipFile(site_settings.DATA / release.archive) as archive:
        data = archive.read(next(one for one in archive.namelist() if one.endswith(f"/{name}")))
    again = taken(collection, by, data)
    assert values(again) == values(release) and len(values(again)) >= 4
    assert (samples.judged(again) is not None) and again.counts["items"] == release.counts["items"]
    assert again.about["sample"]["sha256"] == release.about["sample"]["sha256"]
    assert any(measure == "infAP" for _, measure in values(again)) == (strategy == "strata")
    page = client_for(by).get(f"/c/{collection.slug}/leaderboard/?release={again.number}").content.decode()
    relevant = again.about["sample"]["relevant"]
    assert f"estimates rest on the {relevant} relevant ones among them" in page


def test_methods_of_prels_are_kept_and_unclear_forms_are_asked_for(made: tuple[Collection, User]) -> None:
    collection, by = made
    data = b"1 d01 1 4 0.5\n1 d02 0 7 0.25\n"
    release = taken(collection, by, data)
    assert store.path(samples.path(collection.pk, release.about["sample"]["sha256"])).read_bytes() == data
    with pytest.raises(importing.Faulty) as unclear:
        taken(collection, by, b"1 0 1 1 1.0\n")
    assert "say which" in unclear.value.report.findings[0].message
    with pytest.raises(importing.Faulty) as wrong:
        taken(collection, by, b"# by strata\n1 0 d01 1 1\n9 0 d02 1 1\n1 0 d03 2 8\n")
    assert [found.line for found in wrong.value.report.findings] == [3, 4]
