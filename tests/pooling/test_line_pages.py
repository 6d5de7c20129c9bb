"""Pages of topics, documents, runs and the pool: what each shows and takes, and to whom."""

import re
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, Settings

from config import jobs
from config.models import Job
from pooling import selectors
from pooling.models import Collection, Pool, Role, Upload, UploadKind
from pooling.services import collections, indexing, pools, uploads
from pooling.services.work import Direct
from tests import factories
from tests.conftest import Cast, ClientFor
from tests.pooling import files
from tests.pooling.files import run_file

pytestmark = pytest.mark.once

HERE = "/c/harbour-trials/"


@pytest.fixture(autouse=True)
def _own_data(settings: Settings, tmp_path: Path) -> None:
    settings.DATA = tmp_path


@pytest.fixture
def olga(cast: Cast, client_for: ClientFor) -> Client:
    return client_for(cast.organizer)


def file(data: bytes, name: str = "a.txt") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, data)


def text(page: str) -> str:
    """What a person reads."""
    return " ".join(re.sub(r"<[^>]+>", " ", page.partition("<main")[2]).split())


@pytest.mark.parametrize(
    ("place", "told", "listed"),
    [
        ("topics/999/", "There is no topic “999” in this collection.", '/c/harbour-trials/topics/">All topics</a>'),
        ("runs/none/", "There is no run “none” among those you see.", '/c/harbour-trials/runs/">Runs</a>'),
        ("pool/7/", "There is no round “7” in this collection.", '/c/harbour-trials/pool/">The pool</a>'),
        ("releases/3/", "There is no release “3” in this collection.", '/c/harbour-trials/releases/">All releases</a>'),
    ],
)
def test_what_is_not_there_is_named_to_members_alone(
    cast: Cast, client_for: ClientFor, olga: Client, place: str, told: str, listed: str
) -> None:
    answer = olga.get(HERE + place)
    page = answer.content.decode()
    assert (answer.status_code, told in page, listed in page, "invitation" in page) == (404, True, True, False)
    for visibility in ("private", "public"):
        Collection.objects.update(visibility=visibility)
        stranger = client_for(cast.stranger)
        there, nowhere = stranger.get(HERE + place), stranger.get(f"/c/no-such/{place}")
        assert (there.status_code, there.content) == (nowhere.status_code, nowhere.content) == (404, nowhere.content)


# Topics and documents


def test_topics_are_uploaded_and_shown(cast: Cast, olga: Client) -> None:
    answer = olga.post(f"{HERE}topics/", {"file": file(files.TOPICS), "encoding": "utf-8"})
    upload = Upload.objects.get()
    assert (answer.status_code, answer["Location"]) == (302, f"{HERE}uploads/{upload.pk}/")
    page = olga.get(answer["Location"]).content.decode()
    assert f'hx-get="{HERE}uploads/{upload.pk}/"' in page and "Waiting" in page and "<progress" not in page
    Job.objects.update(state="running")
    page = olga.get(answer["Location"]).content.decode()
    assert "Being checked" in page and "<progress" in page
    Job.objects.update(state="waiting")
    files.check(upload)
    page = olga.get(answer["Location"]).content.decode()
    assert (
        "3 topics are the collection's topics now." in text(page).replace("&#x27;", "'")
        and "hx-get" not in page.partition("<main")[2]
    )
    shown = text(olga.get(f"{HERE}topics/").content.decode())
    assert "1 tidal power fish near turbines 2 harbour walls 10 pilots" in shown


def test_topics_page_for_others_has_no_form(cast: Cast, client_for: ClientFor) -> None:
    files.take_topics(cast.collection, cast.organizer)
    page = client_for(cast.assessor).get(f"{HERE}topics/").content.decode()
    assert "tidal power" in page and "multipart" not in page and "uploads/" not in page
    Collection.objects.update(visibility="public")
    assert "tidal power" in client_for(None).get(f"{HERE}topics/").content.decode()


def test_topics_are_given_out_as_files(cast: Cast, client_for: ClientFor) -> None:
    files.take_topics(cast.collection, cast.organizer)
    pat = client_for(cast.participant)
    page = pat.get(f"{HERE}topics/").content.decode()
    begin = {
        "trec": b"<top>\n<num> Number: 1\n\n<title> tidal power\n",
        "tsv": b"1\ttidal power\n2\t",
        "jsonl": b'{"id": "1", ',
    }
    for ending, first in begin.items():
        address = f"{HERE}topics.{ending}"
        answer = pat.get(address)
        assert f'href="{address}"' in page and answer.content.startswith(first)
        assert f"harbour-trials-topics.{ending}" in answer["Content-Disposition"]
        assert answer.content == pat.get(f"/api/v1/collections/harbour-trials/topics-file?format={ending}").content
    assert pat.get(f"{HERE}topics.exe").status_code == 404


def test_frozen_topics_answer_409(cast: Cast, olga: Client) -> None:
    Collection.objects.update(judging_started_at=timezone.now())
    answer = olga.post(f"{HERE}topics/", {"file": file(files.TOPICS)})
    assert (answer.status_code, "judging has begun" in answer.content.decode()) == (409, True)
    assert "multipart" not in olga.get(f"{HERE}topics/").content.decode()


def test_missing_file_is_told_at_its_field(cast: Cast, olga: Client) -> None:
    for place in ("topics/", "documents/"):
        answer = olga.post(HERE + place, {})
        assert (answer.status_code, answer.context["form"].errors["file"]) == (422, ["Expected a file; found none."])


def test_before_the_first_run_files_that_are_checked_are_counted(cast: Cast, olga: Client) -> None:
    files.take_topics(cast.collection, cast.organizer)
    assert "No runs yet" in olga.get(f"{HERE}runs/").content.decode()
    for number, words in ((1, "1 file is being checked"), (2, "2 files are being checked")):
        files.send(cast.collection, cast.organizer, UploadKind.RUN, files.run_file(f"r{number}", t1="d1"))
        page = olga.get(f"{HERE}runs/").content.decode()
        assert words in page and "No runs yet" not in page and "<progress" not in page


def test_of_several_files_the_empty_one_is_named(cast: Cast, olga: Client) -> None:
    files.take_topics(cast.collection, cast.organizer)
    answer = olga.post(f"{HERE}runs/", {"file": [file(b"1 Q0 d1 1 9 mine\n", "mine.run"), file(b"", "yours.run")]})
    told = ["Expected a file with something in it; “yours.run” is empty."]
    assert (answer.status_code, answer.context["form"].errors["file"]) == (422, told)


def test_documents_are_uploaded_and_shown(cast: Cast, olga: Client) -> None:
    assert "No documents yet" in olga.get(f"{HERE}documents/").content.decode()
    olga.post(f"{HERE}documents/", {"file": file(files.documents(), "docs.jsonl")})
    files.check(Upload.objects.get())
    page = text(olga.get(f"{HERE}documents/").content.decode())
    assert "5 documents; the first 5 of them:" in page and "d1 About d1" in page
    olga.post(f"{HERE}documents/", {"file": file(files.documents(["d9"]), "more.jsonl"), "others": "keep"})
    upload = files.check(Upload.objects.order_by("pk")[1])
    told = text(olga.get(f"{HERE}uploads/{upload.pk}/").content.decode()).replace("&#x27;", "'")
    assert "6 documents are the collection's documents now: 5 of them were there before and are not in the file." in told


def test_refused_file_is_reported_by_line(cast: Cast, olga: Client) -> None:
    upload = files.take(cast.collection, cast.organizer, UploadKind.DOCUMENTS, b'{"id": "a b"}\n[]\n', "docs.jsonl")
    page = text(olga.get(f"{HERE}uploads/{upload.pk}/").content.decode())
    assert "Refused: 2 faults of 2 kinds. Nothing of the file was stored." in page
    assert (
        "Faults by line Line What was found 1 " in page
        and "Line 1" not in page
        and "2 Expected a JSON object, found a list." in page
    )
    assert upload.sha256 in page and "In all there are" not in page


@pytest.mark.django_db(transaction=True)
def test_job_of_a_refused_file_says_so(cast: Cast, olga: Client) -> None:
    upload = files.send(cast.collection, cast.organizer, UploadKind.TOPICS, b"no topics")
    jobs.run(upload.job_id or 0)
    at = f"/jobs/{upload.job_id}/"
    for place, headers in (("/jobs/", {}), (at, {}), (at, {"HX-Request": "true"})):
        page = olga.get(place, headers=headers).content.decode()
        assert ">Refused<" in page and ">1 fault. Nothing of the file was stored.<" in page and "Done" not in page
    page = olga.get(at).content.decode()
    assert f'<a href="{HERE}uploads/{upload.pk}/">The report of the file</a>' in page
    told = olga.get(f"/api/v1/jobs/{upload.job_id}").json()
    assert (told["state"], told["message"]) == ("refused", "1 fault. Nothing of the file was stored.")
    olga.post(f"{HERE}uploads/{upload.pk}/dismiss/")
    assert "The report of the file" not in olga.get(at).content.decode()


def test_report_of_many_faults_tells_how_many_there_are_of_each_kind(cast: Cast, olga: Client) -> None:
    files.take_topics(cast.collection, cast.organizer)
    many = b"".join(
        b"1 Q0 d%d %s 1,%d t\n" % (number, b"x%d" % number if number % 2 else b"1", number) for number in range(120)
    )
    upload = files.take(cast.collection, cast.organizer, UploadKind.RUN, many, "many.run")
    page = text(olga.get(f"{HERE}uploads/{upload.pk}/").content.decode())
    told = "120 scores that are not numbers and 60 ranks that are not whole numbers; the first are listed."
    assert f"Faults In all there are {told} Faults by line Line What was found" in page
    assert "180 errors in all" not in page and "Warnings Warnings by line Line What was found" in page  # 180 is told at the top
    assert "Refused: 180 faults of 2 kinds." in page


def test_a_tag_of_ones_own_leads_to_replacing_the_run(cast: Cast, client_for: ClientFor) -> None:
    files.take_topics(cast.collection, cast.organizer)
    files.take_run(cast.collection, cast.participant, files.run_file("bm25", t1="d1"))
    upload = files.take(cast.collection, cast.participant, UploadKind.RUN, files.run_file("bm25", t1="d2"), "again.run")
    pat = client_for(cast.participant)
    again = f'<a href="{HERE}runs/?replace#send">send it again to replace run bm25</a>'
    assert again in pat.get(f"{HERE}uploads/{upload.pk}/").content.decode()
    assert "<details open><summary>Priority" in pat.get(f"{HERE}runs/?replace").content.decode()
    assert pat.get(f"{HERE}runs/?replace").context["form"]["replace"].value() is True
    assert "<details><summary>Priority" in pat.get(f"{HERE}runs/").content.decode()
    wrong = files.take(cast.collection, cast.participant, UploadKind.RUN, b"1 Q0 d1\n", "bad.run")
    assert "to replace run" not in pat.get(f"{HERE}uploads/{wrong.pk}/").content.decode()


def test_a_run_of_another_collection_is_told_as_such(cast: Cast, olga: Client) -> None:
    files.take_topics(cast.collection, cast.organizer)
    files.take(cast.collection, cast.organizer, UploadKind.DOCUMENTS, files.documents())
    other = b"".join(b"1 Q0 other%d %d %d t\n" % (number % 30, number + 1, -number) for number in range(30))
    upload = files.take(cast.collection, cast.organizer, UploadKind.RUN, b"1 Q0 d1 0 9 t\n" + other, "other.run")
    page = text(olga.get(f"{HERE}uploads/{upload.pk}/").content.decode())
    first = "other0 on line 2, other1 on line 3, other2 on line 4"
    assert "Refused: 1 fault. Nothing of the file was stored." in page
    assert f"30 of its 31 documents are not in this collection (first {first}). Is this run for another collection?" in page
    few = files.take(cast.collection, cast.organizer, UploadKind.RUN, b"1 Q0 d1 0 9 t\n" + other[:80], "few.run")
    assert [one["code"] for one in few.report["findings"][:2]] == ["DOC_UNKNOWN", "DOC_UNKNOWN"]


def test_a_job_has_a_short_name_and_counts_only_what_can_be_counted(cast: Cast, olga: Client) -> None:
    cast.collection.name = "Newspapers of the harbour towns, scanned and recognised, 1851 to 1950"
    told: list[tuple[int, int, str]] = []
    with Direct(lambda *one: told.append(one)) as work:
        uploads.check_upload(files.send(cast.collection, cast.organizer, UploadKind.TOPICS, files.TOPICS), work)
    assert [one for one in told if one[2] == "Reading the topics"] == [(0, 0, "Reading the topics")]
    files.take(cast.collection, cast.organizer, UploadKind.DOCUMENTS, files.documents())
    job = indexing.request_index(cast.collection, by=cast.organizer)
    assert job.title == "Search index of Newspapers of the harbour towns, scanne…"


def test_check_that_ends_while_its_page_is_made_is_no_failure(cast: Cast) -> None:
    upload = files.send(cast.collection, cast.organizer, UploadKind.TOPICS, files.TOPICS)
    before = Upload.objects.get(pk=upload.pk)
    files.check(upload)
    Job.objects.filter(pk=upload.job_id or 0).update(state="done", message="3 topics")
    (found,) = selectors.with_jobs([before])
    assert (found.shown_state, found.report["facts"]) == ("accepted", {"topics": 3})


def test_check_that_failed_is_told(cast: Cast, olga: Client) -> None:
    upload = files.send(cast.collection, cast.organizer, UploadKind.TOPICS, files.TOPICS)
    Job.objects.filter(pk=upload.job_id or 0).update(state="failed", message="It took longer than 120 minutes and was stopped.")
    page = text(olga.get(f"{HERE}uploads/{upload.pk}/").content.decode())
    assert "It could not be checked. It took longer than 120 minutes and was stopped. Send it again" in page


def test_upload_too_large_is_413_with_the_limit(cast: Cast, olga: Client, settings: Settings) -> None:
    settings.UPLOAD_MB = 1
    answer = olga.post(f"{HERE}topics/", {"file": file(b"x" * 1_200_000)})
    assert answer.status_code == 413
    assert "The upload has 1 MB; at most 1 MB may be sent at once." in answer.content.decode()
    assert Upload.objects.count() == 0


def test_archived_collection_answers_409(cast: Cast, olga: Client) -> None:
    files.fill(cast.collection, cast.organizer)
    collections.archive_collection(cast.collection)
    for place in ("topics/", "documents/", "runs/"):
        assert olga.post(HERE + place, {"file": file(b"x")}).status_code == 409
        assert "multipart" not in olga.get(HERE + place).content.decode()
    answer = olga.post(f"{HERE}pool/", {"depth": 1, "runs": [run.pk for run in cast.collection.runs.all()]})
    assert (answer.status_code, Pool.objects.count()) == (409, 0)
    assert "archived" in answer.content.decode()


# Runs


def test_participant_uploads_several_runs_at_once(cast: Cast, client_for: ClientFor) -> None:
    files.take_topics(cast.collection, cast.organizer)
    client = client_for(cast.participant)
    two = [file(run_file("one", t1="d1"), "one.run"), file(run_file("two", t1="d2"), "two.run")]
    answer = client.post(f"{HERE}runs/", {"file": two, "group": "North", "kind": "manual", "description": "By hand."})
    assert (answer.status_code, answer["Location"]) == (302, f"{HERE}runs/")
    for upload in Upload.objects.filter(kind="run"):
        files.check(upload)
    page = text(client.get(f"{HERE}runs/").content.decode())
    assert "one North manual 1 1" in page and "two North manual 1 1" in page
    shown = text(client.get(f"{HERE}runs/one/").content.decode())
    assert "By hand." in shown and "No documents are imported yet" in shown
    sent = client.get(f"{HERE}runs/one/file/")
    assert (sent.getvalue(), sent["Content-Disposition"]) == (run_file("one", t1="d1"), 'attachment; filename="one.run"')


def test_a_field_that_is_left_empty_says_nothing(cast: Cast, client_for: ClientFor) -> None:
    files.take_topics(cast.collection, cast.organizer)
    client = client_for(cast.participant)

    def facts(**fields: str) -> tuple[str, int]:
        sent = [file(run_file("one", t1="d1"), "one.run"), file(b"method: {automatic: false}", "one.yaml")]
        assert client.post(f"{HERE}runs/", {"file": sent, **fields}).status_code == 302
        run = files.check(Upload.objects.filter(kind="run").latest("pk")).run
        return run.kind, run.priority

    assert facts(kind="", priority="7") == ("manual", 7)
    assert facts(replace="on", priority="") == ("manual", 7)
    assert facts(replace="on", kind="automatic", priority="1") == ("automatic", 1)


def test_participant_sees_only_their_own(cast: Cast, client_for: ClientFor) -> None:
    files.fill(cast.collection, cast.organizer)
    rival = factories.make_user("Rival")
    factories.join(cast.collection, rival, Role.PARTICIPANT)
    mine = files.take_run(cast.collection, cast.participant, run_file("mine", t1="d1"))
    rivals = files.take_run(cast.collection, rival, run_file("rivals", t1="d2"))
    client = client_for(cast.participant)
    page = client.get(f"{HERE}runs/").content.decode()
    assert "mine" in page and "rivals" not in page and "alpha" not in page
    for place in ("runs/rivals/", "runs/rivals/file/", "runs/alpha/", f"uploads/{rivals.upload_id}/"):
        assert client.get(HERE + place).status_code == 404
    for place in ("runs/mine/", f"uploads/{mine.upload_id}/"):
        assert client.get(HERE + place).status_code == 200
    assert client_for(cast.organizer).get(f"{HERE}runs/rivals/").status_code == 200


@pytest.mark.parametrize("role", ["assessor", "adjudicator", "researcher"])
def test_blind_roles_never_see_runs_or_pool(cast: Cast, client_for: ClientFor, role: str) -> None:
    runs = files.fill(cast.collection, cast.organizer)
    files.draw(cast.collection, cast.organizer, 1)
    client = client_for(getattr(cast, role))
    for place in ("runs/", "runs/alpha/", "runs/alpha/file/", f"uploads/{runs[0].upload_id}/", "pool/", "documents/"):
        assert client.get(HERE + place).status_code == 403, place
    for place in ("", "topics/"):
        page = client.get(HERE + place).content.decode()
        assert "alpha" not in page and "/runs/" not in page and "/pool/" not in page


def test_runs_page_asks_the_same_number_of_queries(
    cast: Cast, olga: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    files.take_topics(cast.collection, cast.organizer)
    olga.get(f"{HERE}runs/")
    for tags in (["a"], ["b", "c"]):
        for tag in tags:
            files.take_run(cast.collection, cast.organizer, run_file(tag, t1="d1"))
        with django_assert_num_queries(16):
            assert olga.get(f"{HERE}runs/").status_code == 200


def test_topics_page_query_count(cast: Cast, olga: Client, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    for data in (b"1\tone\n", b"1\tone\n2\ttwo\n3\tthree\n"):
        files.take(cast.collection, cast.organizer, UploadKind.TOPICS, data)
        with django_assert_num_queries(10):
            assert olga.get(f"{HERE}topics/").status_code == 200


def test_unknown_run_is_404(cast: Cast, olga: Client) -> None:
    assert [olga.get(f"{HERE}runs/{tag}/").status_code for tag in ("nobody", "a%00b")] == [404, 404]


# Pool


def test_pool_page_shows_sizes_then_draws(cast: Cast, olga: Client) -> None:
    runs = files.fill(cast.collection, cast.organizer)
    page = text(olga.get(f"{HERE}pool/").content.decode())
    assert "5 8 10 8 20 8 50 8 100 8" in page  # depth, items
    picked = olga.post(f"{HERE}pool/", {"depth": 1, "runs": [runs[0].pk], "plan": "1"})
    assert (picked.status_code, Pool.objects.count()) == (200, 0)
    assert [(size.depth, size.items) for size in picked.context["plan"].marks[:3]] == [(1, 3), (5, 5), (10, 5)]
    chosen = {"depth": 1, "runs": [run.pk for run in runs], "seed": 5}
    other = olga.post(f"{HERE}pool/", {**chosen, "shown": picked.context["plan"].choice.digest})
    assert (other.status_code, other.context["changed"], Pool.objects.count()) == (200, True, 0)
    assert "This is another choice than was shown before." in other.content.decode()
    answer = olga.post(f"{HERE}pool/", {**chosen, "shown": other.context["plan"].choice.digest})
    assert (answer.status_code, answer["Location"]) == (302, f"{HERE}pool/#rounds")
    assert 'hx-select="#rounds"' in olga.get(f"{HERE}pool/").content.decode()
    polls = {"HX-Request": "true", "HX-Target": "rounds"}
    assert "HX-Trigger" not in olga.get(f"{HERE}pool/", headers=polls).headers
    with Direct(lambda done, total, words: None) as work:
        pools.draw_pool(Pool.objects.get(), work)
    Job.objects.filter(name="draw_pool").update(state="done")
    assert olga.get(f"{HERE}pool/", headers=polls).headers["HX-Trigger"] == "ended"  # and the form asks for itself
    assert "HX-Trigger" not in olga.get(f"{HERE}pool/", headers={"HX-Request": "true", "HX-Target": "after"}).headers
    job = Job.objects.get(name="draw_pool")
    page = olga.get(f"/jobs/{job.pk}/").content.decode()
    assert f'href="{HERE}"' in page and f'href="{HERE}pool/"' in page
    assert f'href="/jobs/{job.pk}/"' in olga.get("/jobs/").content.decode()
    page = text(olga.get(f"{HERE}pool/").content.decode())
    assert "1 depth 1 no limit 2 5" in page and "Olga Organizer" in page
    assert "1 tidal power 2 2 harbour walls 2 10 pilots 1" in page


def test_another_round_is_folded_until_it_is_wanted(cast: Cast, olga: Client) -> None:
    files.fill(cast.collection, cast.organizer)
    assert 'id="another"' not in olga.get(f"{HERE}pool/").content.decode()
    files.draw(cast.collection, cast.organizer, 1)
    folded, opened = '<details class="section" id="another">', '<details class="section" id="another" open>'
    assert folded in olga.get(f"{HERE}pool/").content.decode()
    assert opened in olga.get(f"{HERE}pool/?strategy=depth").content.decode()
    assert opened in olga.post(f"{HERE}pool/", {"plan": "1"}).content.decode()


def test_pool_page_opens_at_the_next_depth_that_adds_something(cast: Cast, olga: Client) -> None:
    collection, by = cast.collection, cast.organizer
    files.take(collection, by, UploadKind.TOPICS, b"1\tone\n")
    files.take_run(collection, by, run_file("a", t1=" ".join(f"d{n}" for n in range(30))))
    files.draw(collection, by, 10)
    page = olga.get(f"{HERE}pool/").content.decode()
    assert "this opens at depth 20" in page and 'value="20"' in page and "Draw 10 new items" in page
    files.draw(collection, by, 30)
    assert "this opens at depth" not in olga.get(f"{HERE}pool/").content.decode()


def test_pool_page_lists_missing_documents(cast: Cast, olga: Client) -> None:
    files.take_topics(cast.collection, cast.organizer)
    files.take_run(cast.collection, cast.organizer, run_file("a", t1="d1 d2"))
    files.draw(cast.collection, cast.organizer, 2)
    page = text(olga.get(f"{HERE}pool/").content.decode())
    assert "2 of 2 items have no document." in page and "d1 for topic 1" in page


def test_pool_form_tells_what_is_wrong(cast: Cast, olga: Client) -> None:
    files.fill(cast.collection, cast.organizer)
    answer = olga.post(f"{HERE}pool/", {"depth": 0, "runs": []})
    assert answer.status_code == 422
    assert sorted(answer.context["form"].errors) == ["depth", "runs"]


# The collection's page


def test_stages_lead_where_the_viewer_may_go(cast: Cast, client_for: ClientFor) -> None:
    files.fill(cast.collection, cast.organizer)
    files.draw(cast.collection, cast.organizer, 1)

    def stages(user: str) -> dict[str, tuple[str, str, str]]:
        found = client_for(getattr(cast, user)).get(HERE).context["stages"]
        return {stage.label: (stage.count, stage.note, stage.href) for stage in found}

    told = stages("organizer")
    assert told["Topics"] == ("3", "information needs", f"{HERE}topics/")
    assert told["Documents"] == ("5", "imported", f"{HERE}documents/")
    assert told["Runs"] == ("2", "of 2 groups", f"{HERE}runs/")
    assert told["Pool"] == ("5", "in 1 round", f"{HERE}pool/")
    assert [stages("participant")[label][2] for label in ("Documents", "Runs", "Pool")] == ["", f"{HERE}runs/", ""]
    assert [stages("assessor")[label][2] for label in ("Topics", "Documents", "Runs")] == [f"{HERE}topics/", "", ""]
