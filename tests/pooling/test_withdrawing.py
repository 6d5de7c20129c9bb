"""A run is withdrawn by who submitted it or an organizer, as long as nothing rests on it; its files stay."""

from datetime import UTC, datetime

import pytest
from django.db.models import ProtectedError
from django.test import Client
from django.utils import timezone

from config.errors import Conflict, Refusal
from pooling.models import Collection, Pool, Run, RunVersion, Upload, WithdrawnRun
from pooling.services import pools, runs
from tests.api.conftest import CallerFor, caller_for
from tests.commands.conftest import Assize, assize
from tests.conftest import Cast, ClientFor
from tests.evaluation import factories as scored
from tests.pooling import files
from tests.pooling.files import run_file

__all__ = ["assize", "caller_for"]
HERE, API = "/c/harbour-trials/", "/collections/harbour-trials"
FIRST, SECOND = run_file("mine", t1="d1"), run_file("mine", t1="d2", t2="d3")
AFTER = {"runs_open_at": datetime(2026, 1, 1, tzinfo=UTC), "runs_close_at": datetime(2026, 2, 1, tzinfo=UTC)}


@pytest.fixture
def mine(cast: Cast) -> Run:
    """The second version of a participant's run, in a collection that has others."""
    files.fill(cast.collection, cast.organizer)
    files.take_run(cast.collection, cast.participant, FIRST, group="Kelp")
    return files.take_run(cast.collection, cast.participant, SECOND, replace="yes")


def test_a_run_is_gone_and_the_files_of_all_its_versions_stay(cast: Cast, mine: Run) -> None:
    uploads = [*Upload.objects.filter(kind="run", uploaded_by=cast.participant).order_by("pk")]
    made = runs.withdraw_run(mine, by=cast.participant)
    assert [run.tag for run in cast.collection.runs.all()] == ["alpha", "beta"]
    assert not RunVersion.objects.exists()
    told = [(one.tag, one.group, one.version, one.line_count, one.upload, one.withdrawn_by) for one in made]
    assert told == [
        ("mine", "Kelp", 1, 1, uploads[0], cast.participant),
        ("mine", "Kelp", 2, 2, uploads[1], cast.participant),
    ]
    assert [upload.file_path.read_bytes() for upload in uploads if upload.file_path] == [FIRST, SECOND]


def test_the_tag_and_the_place_in_the_group_are_free_again(cast: Cast, mine: Run) -> None:
    runs.set_rules(cast.collection, runs_per_group=1)
    runs.withdraw_run(mine, by=cast.participant)
    assert files.take_run(cast.collection, cast.participant, FIRST, group="Kelp").version == 1


def test_a_run_that_was_pooled_stays(cast: Cast, mine: Run) -> None:
    pool = files.draw(cast.collection, cast.organizer, 1, mine)
    said = "Run mine cannot be withdrawn: round 1 of the pool was drawn from it. A file of the same tag can replace it."
    for by, words in ((cast.organizer, said), (cast.participant, f"{said} For anything else ask the organizers.")):
        with pytest.raises(Conflict) as told:
            runs.withdraw_run(mine, by=by)
        assert told.value.message == words
    Pool.objects.filter(pk=pool.pk).update(drawn_at=None)
    assert "round 1 of the pool is being drawn from it" in runs.why_kept(mine, cast.organizer)
    assert runs.why_kept(cast.collection.runs.get(tag="beta"), cast.organizer) == ""


def test_a_run_that_has_scores_stays_whoever_asks_the_database(cast: Cast) -> None:
    own = scored.make_run(cast.collection, "own", scored.BETA, by=cast.participant)
    scored.judge_all(cast.collection, scored.FIRST, cast.assessor)
    scored.score(scored.freeze(cast.collection, cast.organizer))
    with pytest.raises(Conflict, match="there are scores of it"):
        runs.withdraw_run(own, by=cast.organizer)
    with pytest.raises(ProtectedError):
        own.delete()


def test_after_the_window_organizers_withdraw(cast: Cast, mine: Run) -> None:
    runs.set_rules(cast.collection, **AFTER)
    with pytest.raises(Conflict) as told:
        runs.withdraw_run(Run.objects.get(pk=mine.pk), by=cast.participant)
    words = "Runs were taken until 1 February 2026, 00:00 UTC. Ask the organizers if run mine is to be withdrawn."
    assert told.value.message == words
    assert len(runs.withdraw_run(Run.objects.get(pk=mine.pk), by=cast.organizer)) == 2


def test_what_was_looked_up_before_a_run_went_does_nothing_to_it(cast: Cast, mine: Run) -> None:
    runs.withdraw_run(Run.objects.get(pk=mine.pk), by=cast.participant)
    facts = {name: getattr(mine, name) for name in ("group", "kind", "description", "priority", "language", "efficiency")}
    with pytest.raises(Conflict, match="Run mine was withdrawn meanwhile"):
        runs.withdraw_run(mine, by=cast.participant)
    with pytest.raises(Conflict, match="Run mine was withdrawn meanwhile"):
        runs.edit_run(mine, **facts)
    with pytest.raises(Refusal, match="A run was withdrawn meanwhile; plan the round again"):
        pools.plan_pool(cast.collection, by=cast.organizer, runs=[mine], depth=1)


@pytest.mark.once
def test_on_the_pages(cast: Cast, mine: Run, client_for: ClientFor) -> None:
    client: Client = client_for(cast.participant)
    page = client.get(f"{HERE}runs/mine/").content.decode()
    assert "Withdraw mine?" in page and f'action="{HERE}runs/mine/withdraw/"' in page
    answer = client.post(f"{HERE}runs/mine/withdraw/", follow=True)
    assert answer.redirect_chain == [(f"{HERE}runs/", 302)]
    assert "Run mine was withdrawn." in answer.content.decode()
    gone = WithdrawnRun.objects.get(version=1)
    address = f"{HERE}withdrawn/{gone.pk}/file/"
    assert address in answer.content.decode()
    assert client.get(address).getvalue() == FIRST
    report = client.get(f"{HERE}uploads/{gone.upload_id}/").content.decode()
    assert "Run mine was withdrawn on" in report and f"{HERE}runs/mine/" not in report
    assert client.get(f"{HERE}runs/mine/").status_code == 404
    assert client_for(cast.organizer).get(address).getvalue() == FIRST


@pytest.mark.once
def test_a_page_tells_why_there_is_no_button(cast: Cast, mine: Run, client_for: ClientFor) -> None:
    files.draw(cast.collection, cast.organizer, 1, mine)
    for user in (cast.participant, cast.organizer):
        page = client_for(user).get(f"{HERE}runs/mine/").content.decode()
        assert "round 1 of the pool was drawn from it" in page and "Withdraw…" not in page
    Collection.objects.update(archived_at=timezone.now())
    page = client_for(cast.participant).get(f"{HERE}runs/mine/").content.decode()
    assert "cannot be withdrawn" not in page and "Withdraw…" not in page


@pytest.mark.once
def test_others_see_nothing_of_it(cast: Cast, client_for: ClientFor) -> None:
    (alpha, _beta) = files.fill(cast.collection, cast.organizer)
    (gone,) = runs.withdraw_run(alpha, by=cast.organizer)
    client = client_for(cast.participant)
    assert "alpha" not in client.get(f"{HERE}runs/").content.decode()
    assert client.get(f"{HERE}withdrawn/{gone.pk}/file/").status_code == 404


@pytest.mark.once
def test_by_api(cast: Cast, mine: Run, caller_for: CallerFor) -> None:
    call = caller_for(cast.participant, "read", "submit")
    made = call("DELETE", f"{API}/runs/mine")
    assert [(one["tag"], one["version"], one["withdrawn_by"]) for one in made] == [
        ("mine", 1, "Member participant"),
        ("mine", 2, "Member participant"),
    ]
    call("DELETE", f"{API}/runs/mine")
    assert call.status == 404
    listed = call("GET", f"{API}/withdrawn")["results"]
    assert listed == made[::-1]
    assert call("GET", f"{API}/uploads/{listed[0]['upload']}")["sha256"] == listed[0]["sha256"]
    assert caller_for(cast.organizer)("GET", f"{API}/withdrawn")["results"] == listed


def test_from_the_shell(cast: Cast, mine: Run, assize: Assize) -> None:
    here = cast.collection.slug
    told = assize("runs", "withdraw", here, "alpha", "--by", cast.participant.username).told
    assert told == (1, "Error: There is no run “alpha” among those you see.")
    assert assize("runs", "withdraw", here, "mine", "--by", cast.participant.username).told == (0, "Run mine was withdrawn.")
    rows = assize("runs", "withdrawn", here, "--json").json
    assert [(row["tag"], row["version"], row["lines"], row["withdrawn_by"]) for row in rows] == [
        ("mine", 2, 2, "member-participant"),
        ("mine", 1, 1, "member-participant"),
    ]
