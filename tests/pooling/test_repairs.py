"""The offers to mend a run: what each does, where it is made, and that a repaired run is marked."""

import json
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from pytest_django import Settings

from config.errors import Conflict
from pooling.core.metadata import read_metadata
from pooling.core.repairs import REPAIRS
from pooling.core.runs import RunRead, check_run
from pooling.models import Collection, Run, Upload, UploadKind
from pooling.on_files import check_run as command
from pooling.services import uploads
from tests.api.conftest import CallerFor
from tests.commands.conftest import Assize, assize
from tests.conftest import Cast, ClientFor
from tests.pooling.files import check, send, take, take_topics

__all__ = ["assize"]

TWICE = b"1 Q0 a 1 3 t\n1 Q0 b 2 2 t\n1 Q0 a 3 1 t\n"
DISTANCES = b"1 Q0 a 1 0.1 t\n1 Q0 b 2 0.2 t\n2 Q0 c 1 0.5 t\n2 Q0 d 2 0.4 t\n"
FLAT = b"1 Q0 a 1 0 t\n1 Q0 b 2 0 t\n"
LONG = b"1 Q0 a 1 3 t\n1 Q0 c 3 1 t\n1 Q0 b 2 2 t\n2 Q0 a 1 1 t\n"


def ranked(found: RunRead) -> list[tuple[bytes, bytes, float]]:
    assert found.rankings is not None
    one = found.rankings
    return list(zip(one.topics[one.codes].tolist(), one.docnos.tolist(), one.scores.tolist(), strict=True))


def notes(found: RunRead) -> list[str]:
    return [one.message for one in found.report.findings if one.code == "REPAIRED"]


@pytest.mark.parametrize(
    ("data", "name", "expected", "note"),
    [
        (TWICE, "first", [(b"1", b"a", 3), (b"1", b"b", 2)], "1 line that named a document again was left out."),
        (
            LONG,
            "cut",
            [(b"1", b"a", 3), (b"1", b"b", 2), (b"2", b"a", 1)],
            "1 line beyond the 2 best of their topic was left out.",
        ),
        (FLAT, "ranks", [(b"1", b"a", -1), (b"1", b"b", -2)], "Every score is now minus the rank."),
        (
            DISTANCES,
            "ranks",
            [(b"1", b"a", -1), (b"1", b"b", -2), (b"2", b"c", -1), (b"2", b"d", -2)],
            "Every score is now minus the rank.",
        ),
    ],
)
def test_each_repair_does_what_it_says(data: bytes, name: str, expected: list[tuple[bytes, bytes, float]], note: str) -> None:
    before = check_run(data, max_per_topic=2)
    assert (before.report.offers[:1], before.mended) == ((name,), ())
    found = check_run(data, max_per_topic=2, repair=["ranks", "first", "cut"])
    assert (ranked(found), found.mended[0], notes(found)[0]) == (expected, name, f"Repaired: {note}")
    assert found.report.errors == 0


def test_nothing_is_mended_that_nobody_asked_for_or_that_is_sound() -> None:
    sound = check_run(b"1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n", repair=["ranks", "first", "cut"])
    assert (sound.report.offers, sound.mended, notes(sound)) == ((), (), [])
    other = check_run(TWICE, repair=["cut"])
    assert (other.rankings, other.mended) == (None, ())
    broken = check_run(TWICE + b"1 Q0 c x 1 t\n", repair=["first"])
    assert (broken.rankings, broken.report.offers) == (None, ())


def test_no_repair_is_offered_that_would_not_help() -> None:
    unknown = check_run(TWICE, topics={"2"})
    assert (unknown.report.ok, unknown.report.offers) == (False, ())  # refused all the same
    taken = check_run(DISTANCES, tag_taken=lambda tag: "in use")
    assert (taken.report.ok, taken.report.offers) == (False, ())
    no_order = check_run(b"1 Q0 a 1 0 t\n1 Q0 b 1 0 t\n2 Q0 a 1 0 t\n")
    assert (no_order.report.ok, no_order.report.count("SCORES_CONSTANT"), no_order.report.offers) == (True, 1, ())
    read_metadata("figures: [", found := check_run(TWICE).report)
    assert (found.ok, found.offers) == (False, ())


def test_check_run_offers_mends_and_writes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run, target = tmp_path / "twice.run", tmp_path / "mended.run"
    run.write_bytes(TWICE)
    assert command.main([str(run)]) == 1
    assert capsys.readouterr().out == f"{run}: refused, 1 fault; --repair first would mend something\n"
    assert command.main([str(run), "--repair", "first", "--write", str(target)]) == 0
    assert capsys.readouterr().out == f"{run}: accepted, 2 lines for 1 topic; repaired: first\n"
    assert target.read_bytes() == b"1\tQ0\ta\t1\t3.0\tt\n1\tQ0\tb\t2\t2.0\tt\n"
    assert command.main([str(run), "--repair", "first", "--json"]) == 0
    (told,) = json.loads(capsys.readouterr().out)
    assert (told["repaired"], told["offers"]) == (["first"], [])
    with pytest.raises(SystemExit):
        command.main([str(run), "--repair", "best"])
    assert "expected some of ranks, first, cut, found “best”" in capsys.readouterr().err


@pytest.fixture
def callers() -> CallerFor:
    return CallerFor()


@pytest.fixture
def ready(cast: Cast, settings: Settings, tmp_path: Path) -> Cast:
    settings.DATA = tmp_path
    take_topics(cast.collection, cast.organizer)
    return cast


def test_refused_run_is_offered_repaired_marked_and_its_report_goes(
    ready: Cast, client_for: ClientFor, callers: CallerFor
) -> None:
    here, by = ready.collection, ready.participant
    refused = take(here, by, UploadKind.RUN, TWICE, "twice.run")
    client = client_for(by)
    page = client.get(refused.get_absolute_url()).content.decode()
    assert "This can be repaired." in page and "Keep the first of a document that a topic has twice" in page
    assert "twice.run" in client.get(f"/c/{here.slug}/runs/").content.decode()
    answer = client.post(f"/c/{here.slug}/uploads/{refused.pk}/repair/", {"repair": "cut"})
    assert (answer.status_code, "Expected one of first; found “cut”" in answer.content.decode()) == (422, True)
    answer = client.post(f"/c/{here.slug}/uploads/{refused.pk}/repair/")
    assert (answer.status_code, "found nothing ticked" in answer.content.decode()) == (422, True)
    answer = client.post(f"/c/{here.slug}/uploads/{refused.pk}/repair/", {"repair": "first"})
    mended = check(here.uploads.get(kind="run"))  # nobody sent it again
    assert answer["Location"] == mended.get_absolute_url()
    assert (mended.state, mended.report["facts"]["repaired"]) == ("accepted", ["first"])
    assert Run.objects.get().line_count == 2
    assert list(here.uploads.filter(kind="run")) == [mended]  # the refused one is replaced
    assert "repaired" in client.get(f"/c/{here.slug}/runs/").content.decode()
    assert callers(by)("GET", f"/collections/{here.slug}/runs/t")["repaired"] == ["first"]


def test_one_repair_after_the_other(ready: Cast) -> None:
    here, by = ready.collection, ready.participant
    Collection.objects.update(max_per_topic=2)
    here.refresh_from_db()
    refused = take(here, by, UploadKind.RUN, b"1 Q0 a 1 4 t\n1 Q0 a 2 3 t\n1 Q0 b 3 2 t\n1 Q0 c 4 1 t\n", "twice.run")
    assert refused.repairable == [("first", REPAIRS["first"], True), ("cut", REPAIRS["cut"], True)]
    half = check(uploads.repair_upload(refused, by=by, repairs=["cut"]))
    assert (half.state, half.report["offers"]) == ("refused", ["first"])
    whole = check(uploads.repair_upload(half, by=by, repairs=["first"]))
    assert (whole.state, whole.report["facts"]["repaired"]) == ("accepted", ["first", "cut"])


def test_page_offers_what_would_help_whoever_reads_it(ready: Cast, client_for: ClientFor) -> None:
    here, by = ready.collection, ready.participant
    taken = take(here, by, UploadKind.RUN, DISTANCES, "distances.run")
    shown = client_for(by).get(taken.get_absolute_url()).content.decode()
    assert "If the ranks are right and the scores are not" in shown and "Repair and check again" not in shown
    refused = take(here, by, UploadKind.RUN, DISTANCES.replace(b" t\n", b" u\n") + b"2 Q0 d 3 0.6 u\n", "twice.run")
    shown = client_for(by).get(refused.get_absolute_url()).content.decode()
    assert 'value="first" checked' in shown and 'value="ranks">' in shown  # a warning asks for nothing
    Collection.objects.update(runs_close_at=timezone.now())
    shown = client_for(by).get(refused.get_absolute_url()).content.decode()
    assert "Repair and check again" not in shown
    assert "Repair and check again" in client_for(ready.organizer).get(refused.get_absolute_url()).content.decode()


def test_what_can_be_repaired_is_kept_for_a_day(ready: Cast, callers: CallerFor, assize: Assize) -> None:
    here, by = ready.collection, ready.participant
    old, new, other = (take(here, by, UploadKind.RUN, TWICE, f"{number}.run") for number in (1, 2, 3))
    assert all(upload.file_path and upload.file_path.exists() for upload in (old, new, other))
    Upload.objects.filter(pk=old.pk).update(uploaded_at=timezone.now() - timedelta(days=2))
    assert (uploads.forget_refused(), old.file_path and old.file_path.exists()) == (1, False)
    with pytest.raises(Conflict, match="no longer there"):
        uploads.repair_upload(old, by=by)
    call = callers(by)
    again = call("POST", f"/collections/{here.slug}/uploads/{new.pk}/repair", {})
    assert (call.status, again["state"], again["name"]) == (202, "received", "2.run")
    uploads.dismiss_upload(Upload.objects.get(pk=old.pk))
    assert assize("uploads", "repair", here.slug, str(other.pk), "--by", by.username).status == 0
    assert Run.objects.get().repaired == ["first"]


def test_refused_report_is_listed_until_it_is_dismissed(ready: Cast, client_for: ClientFor, callers: CallerFor) -> None:
    here, by = ready.collection, ready.participant
    first, second = (take(here, by, UploadKind.RUN, TWICE, f"{number}.run") for number in (1, 2))
    client, call = client_for(by), callers(by)
    answer = client.post(f"/c/{here.slug}/uploads/{first.pk}/dismiss/")
    assert (answer.status_code, answer["Location"]) == (302, f"/c/{here.slug}/runs/")
    page = client.get(f"/c/{here.slug}/runs/").content.decode()
    assert f"/uploads/{first.pk}/" not in page and f"/uploads/{second.pk}/" in page
    call("DELETE", f"/collections/{here.slug}/uploads/{second.pk}")
    assert call.status == 204
    assert not Upload.objects.filter(kind="run").exists()
    waiting = send(here, by, UploadKind.RUN, TWICE)
    with pytest.raises(Conflict, match="refused, or could not be checked"):
        uploads.dismiss_upload(waiting)
