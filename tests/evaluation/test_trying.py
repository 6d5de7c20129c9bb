"""How scores are shown is the organizers' choice; a run of one's own is scored for oneself alone."""

import base64
import csv
import gzip
import hashlib
import json
import re
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from config.models import Throttle
from evaluation import columns
from evaluation.models import PrivateScore, Release, Score
from evaluation.services import importing, planning, releases, trying
from evaluation.services.importing import Faulty
from pooling.models import Collection, Pool, Run, Upload
from pooling.services.work import Direct
from tests.api.conftest import CallerFor, caller_for
from tests.commands.conftest import Assize, assize
from tests.conftest import Cast, ClientFor
from tests.evaluation import factories

pytestmark = pytest.mark.once

__all__ = ["assize", "caller_for"]
HERE = "/c/harbour-trials/"
API = "/collections/harbour-trials"
RUN = b"1 Q0 c 1 0.9 mine\n1 Q0 a 2 0.5 mine\n1 Q0 unseen 3 0.1 mine\n"


def words(client: Client, path: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", client.get(HERE + path).content.decode()))


def send(client: Client, data: bytes = RUN, **more: str) -> tuple[int, str]:
    answer = client.post(f"{HERE}try/", {"release": "1", "file": SimpleUploadedFile("mine.run", data), **more})
    return answer.status_code, re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode()))


# How scores are shown


def test_organizers_choose_measures_tests_and_who_sees(release: Release, judged: Cast, client_for: ClientFor) -> None:
    client = client_for(judged.organizer)
    given = {"shown": "P@5 AP", "test": "t", "correction": "bh", "seen": "own", "expected": "1 20\n2 5", "known": "1 a\n1 b"}
    assert client.post(f"{HERE}scoring/", given).status_code == 302
    plan = columns.plan(Collection.objects.get(pk=judged.collection.pk))
    assert (plan.shown, plan.test, plan.correction, plan.seen) == (["P@5", "AP"], "t", "bh", "own")
    assert (plan.expected, plan.known) == ({"1": 20, "2": 5}, {"1": ["a", "b"]})
    assert "1 20 2 5" in words(client, "scoring/")
    assert "2 runs have no scores, or not all of them" in words(client, "leaderboard/")  # P@5 is new
    factories.score(Release.objects.get(pk=release.pk))
    board = client.get(f"{HERE}leaderboard/file/json/").json()
    assert (board["measures"], board["test"], board["correction"]) == (["AP", "nDCG", "P@5", "Judged@10"], "t", "bh")


def test_known_documents_come_as_a_file(release: Release, judged: Cast, client_for: ClientFor) -> None:
    whole = {"shown": "", "test": "t", "correction": "holm", "seen": "all", "expected": "", "known": "2 typed"}
    client = client_for(judged.organizer)
    for data in (b"1 a\n2 d\n", gzip.compress(b"1 a\n2 d\n")):
        assert client.post(f"{HERE}scoring/", {**whole, "known_file": SimpleUploadedFile("known", data)}).status_code == 302
        assert columns.plan(Collection.objects.get(pk=judged.collection.pk)).known == {"1": ["a"], "2": ["d"]}
    assert client.post(f"{HERE}scoring/", whole).status_code == 302
    assert columns.plan(Collection.objects.get(pk=judged.collection.pk)).known == {"2": ["typed"]}
    for data, told in ((b"1\n", "Line 1: expected a topic and a docno"), (b"\xff\xfe 1\n", "in UTF-8")):
        answer = client.post(f"{HERE}scoring/", {**whole, "known_file": SimpleUploadedFile("known", data)})
        assert (answer.status_code, told in answer.content.decode()) == (422, True)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"shown": "P"}, "&quot;P&quot;: P needs a cutoff, as in P@10."),
        ({"expected": "1 many"}, "Line 1: expected a topic and a number from 1 to 999,999, as “301 20”; found “1 many”."),
        ({"known": "1 a\n2"}, "Line 2: expected a topic and a docno, as “301 FT911-3”; found “2”."),
        ({"seen": "none"}, "Expected one of own, anonymous, all; found “none”."),
    ],
)
def test_bad_choices_are_told(release: Release, judged: Cast, client_for: ClientFor, given: dict[str, str], told: str) -> None:
    whole = {"shown": "", "test": "t", "correction": "holm", "seen": "all", "expected": "", "known": "", **given}
    answer = client_for(judged.organizer).post(f"{HERE}scoring/", whole)
    assert (answer.status_code, told in answer.content.decode()) == (422, True)


def test_the_same_over_the_api_and_from_the_shell(
    release: Release, judged: Cast, caller_for: CallerFor, assize: Assize
) -> None:
    call = caller_for(judged.organizer)
    told = call("PATCH", f"{API}/scoring", {"seen": "anonymous", "expected": {"1": 3}})
    assert (told["seen"], told["expected"], told["test"]) == ("anonymous", {"1": 3}, "randomization")
    assert call("GET", f"{API}/scoring") == told
    assert call("PATCH", f"{API}/scoring", {"test": "odd"})["error"]["message"].startswith(
        "test: Expected one of randomization"
    )
    assert assize("scoring", "harbour-trials", "--seen", "all", "--shown", "RR").out.splitlines()[:4] == [
        "shown       RR",
        "test        randomization",
        "correction  holm",
        "seen        all",
    ]
    assert assize("scoring", "harbour-trials", "--known", "-", "--json", stdin="1 a\n").json["known"] == {"1": ["a"]}


# A run of one's own


def test_a_run_is_scored_for_oneself_alone(release: Release, judged: Cast, client_for: ClientFor) -> None:
    client = client_for(judged.researcher)
    status, page = send(client)
    assert status == 200
    assert (
        "MAP 0.5000" in page
        and "from the shell MAP is AP, bpref is Bpref" in page
        and "This run was not pooled" in page
        and "does not answer 1 of 2 topics" in page
    )
    assert "Only 67 % of its first ten documents are judged" in page
    assert "the mean over the 2 topics that release 1 judges; the range" in page
    factories.make_topic(judged.collection, "77")
    assert "the mean over the 2 topics that release 1 judges, of 3 in this collection; the range" in send(client)[1]
    assert not PrivateScore.objects.exists()
    beta = dict(Score.objects.filter(run__tag="beta").values_list("measure", "mean"))
    report = trying.try_run(release, by=judged.researcher, data=gzip.compress(RUN))
    assert report["means"]["AP"] == beta["AP"]  # the same judged documents at the same ranks
    assert report["ranges"]["P@10"][0] < report["ranges"]["P@10"][1]
    assert report["ranges"]["AP"][0] <= beta["AP"] <= report["ranges"]["AP"][1]


def test_topics_with_zeros_before_them_are_taken_as_at_upload(
    release: Release, judged: Cast, client_for: ClientFor, caller_for: CallerFor, assize: Assize, tmp_path: Path
) -> None:
    """Page, API and shell: the same scores as of the run that spells its topics as the collection does, and a word of it."""
    told, padded = "Topic 01 is taken as topic 1 of this collection.", RUN.replace(b"1 Q0", b"01 Q0")
    plain = trying.try_run(release, by=judged.researcher, data=RUN)
    report = trying.try_run(release, by=judged.researcher, data=padded)
    assert (report["means"], report["warnings"]) == (plain["means"], [told, *plain["warnings"]])
    page = send(client_for(judged.researcher), padded)[1]
    assert told in page and "MAP 0.5000" in page
    call = caller_for(judged.researcher)
    headers = {"Authorization": f"Bearer {call.secret}"}
    answer = call.client.post(
        f"/api/v1{API}/releases/1/private", {"file": SimpleUploadedFile("mine.run", padded)}, headers=headers
    ).json()
    assert (answer["means"]["AP"], answer["warnings"][0]) == (0.5, told)
    (tmp_path / "mine.run").write_bytes(padded)
    ran = assize("score-run", "harbour-trials", str(tmp_path / "mine.run"), "--by", judged.researcher.username)
    assert told in ran.err and re.search(r"AP +0\.5000", ran.out)
    both = padded + b"1 Q0 d 1 0.9 mine\n901 Q0 d 1 0.9 mine\n"  # one topic, and one that nobody knows
    assert trying.try_run(release, by=judged.researcher, data=both)["missing_topics"] == 1
    with pytest.raises(Faulty) as faulty:
        trying.try_run(release, by=judged.researcher, data=padded + b"1 Q0 c 1 0.8 mine\n")
    assert faulty.value.report.count("DOC_DUPLICATE") == 1


def test_of_qrels_without_documents_that_are_not_relevant_nothing_is_told_of_judged_ones(judged: Cast) -> None:
    """Judged@10 is P@10 there, and a low one is no sign of documents that nobody looked at."""
    importing.take_import(
        judged.collection,
        by=judged.organizer,
        data=b"1 0 a 1\n1 0 b 2\n2 0 d 1\n",
        options=importing.Options("release"),
        work=Direct(lambda *_told: None),
    )
    release = Release.objects.get()
    releases.set_state(release, by=judged.organizer, state="public", open_collection=True)
    told = trying.try_run(release, by=judged.researcher, data=RUN)["warnings"]
    assert columns.ONLY_RELEVANT in told and not any("are judged" in one for one in told)


def test_a_run_without_a_judged_topic_is_refused(release: Release, judged: Cast, client_for: ClientFor) -> None:
    status, page = send(client_for(judged.researcher), RUN.replace(b"1 Q0", b"901 Q0"))
    told = (
        "none of the topics that release 1 judges: expected topics 1 and 2; found topic 901. Is it a run of another collection?"
    )
    assert (status, page.count(told), "0.0000" in page) == (422, 1, False)


def test_a_pooled_run_is_told_nothing_of_pools_packed_or_not(release: Release, judged: Cast) -> None:
    run = Run.objects.get(tag="alpha")
    data = (settings.DATA / run.upload.path).read_bytes()

    def told(sent: bytes) -> list[str]:
        return list(trying.try_run(release, by=judged.researcher, data=sent)["warnings"])

    [warning, *_few] = told(data)
    assert warning.startswith("This run was not pooled")
    Pool.objects.get().runs.add(run)
    assert told(data) == told(gzip.compress(data)) == []
    Upload.objects.filter(pk=run.upload_id).update(sha256=hashlib.sha256(gzip.compress(data)).hexdigest())  # sent packed
    assert told(data) == told(data.replace(b" alpha", b" renamed")) == []
    assert told(data.replace(b" e ", b" z "))[0].startswith("This run was not pooled")


def test_a_report_is_given_out_in_every_form(release: Release, judged: Cast, client_for: ClientFor) -> None:
    """Of one that is not kept, the page carries the files; of a kept one they have addresses. Both are the same."""
    client = client_for(judged.researcher)
    answer = client.post(f"{HERE}try/", {"release": "1", "file": SimpleUploadedFile("mine.run", RUN), "keep": "on"})
    carried = re.findall(r'<a href="data:[^,]+;base64,([^"]+)" download="([^"]+)"', answer.content.decode())
    files = {name.rpartition(".")[2]: base64.b64decode(data) for data, name in carried}
    kept = PrivateScore.objects.get()
    assert files == {form: client.get(f"{HERE}try/{kept.pk}/?form={form}").content for form in ("csv", "json", "tex", "txt")}
    assert client.get(f"{HERE}try/{kept.pk}/?form=odd").status_code == 404
    assert json.loads(files["json"]) == kept.report
    digest = hashlib.sha256(RUN).hexdigest()
    row = next(csv.DictReader(files["csv"].decode().splitlines()))
    assert (row["measure"], row["score"], row["release"], row["run_sha256"]) == ("AP", "0.5", "1", digest)
    assert files["tex"].startswith(
        b"% mine, scored against release 1 of harbour-trials, over 2 topics\n% release 1, qrels_sha256"
    )
    beta = b"".join(client.get(f"{HERE}scores/beta/trec_eval/")).decode()
    mine = files["txt"].decode()
    assert [line for line in mine.splitlines() if "map" in line] == [line for line in beta.splitlines() if "map" in line]
    assert f"{'runid':<22}\tall\tmine\n{'num_q':<22}\tall\t2\n" in mine


def test_before_a_public_release_organizers_are_led_to_the_releases(judged: Cast, client_for: ClientFor) -> None:
    link = f'<a class="button primary" href="{HERE}releases/">See the releases</a>'
    for user, led in ((judged.organizer, True), (judged.researcher, False)):
        page = client_for(user).get(f"{HERE}try/").content.decode()
        assert ("No public release yet" in page, link in page) == (True, led)


def test_a_report_is_kept_until_it_is_thrown_away(release: Release, judged: Cast, client_for: ClientFor) -> None:
    client = client_for(judged.researcher)
    for _ in range(2):
        assert send(client, keep="on")[0] == 200
    kept = PrivateScore.objects.get()  # the same run twice is one
    assert (kept.tag, kept.user, kept.report["means"]["AP"]) == ("mine", judged.researcher, 0.5)
    assert "MAP 0.5000" in words(client, f"try/{kept.pk}/")
    assert client_for(judged.organizer).get(f"{HERE}try/{kept.pk}/").status_code == 404
    assert "mine" not in words(client_for(judged.organizer), "leaderboard/") + words(client_for(judged.organizer), "try/")
    assert client_for(judged.organizer).post(f"{HERE}try/{kept.pk}/throw-away/").status_code == 404
    assert client.post(f"{HERE}try/{kept.pk}/throw-away/").status_code == 302
    assert not PrivateScore.objects.exists()


@pytest.mark.parametrize(
    ("data", "told", "times"),
    [
        (b"1 Q0 a 1 x mine\n", "Refused: 1 fault.", 2),  # at the top, and at its field
        (b"", "Expected a file with something in it; “mine.run” is empty.", 2),
        (b"\x1f\x8bodd", "gzip", 1),
    ],
)
def test_a_bad_run_is_refused_with_its_faults(
    release: Release, judged: Cast, client_for: ClientFor, data: bytes, told: str, times: int
) -> None:
    status, page = send(client_for(judged.researcher), data)
    assert (status, page.count(told)) == (422, times)


def test_many_faults_are_counted_once(release: Release, judged: Cast, client_for: ClientFor) -> None:
    page = send(client_for(judged.researcher), b"".join(b"1 Q0 a%d 1 x%d mine\n" % (number, number) for number in range(120)))[
        1
    ]
    assert "In all there are 120 scores that are not numbers; the first are listed." in page and "errors in all" not in page


def test_only_public_releases_and_not_too_often(
    release: Release, judged: Cast, client_for: ClientFor, caller_for: CallerFor
) -> None:
    private = factories.judge(factories.make_item(judged.collection, "1", "z", by=judged.organizer), judged.assessor, 0)
    assert private
    factories.freeze(judged.collection, judged.organizer, state="private")
    client = client_for(judged.researcher)
    answer = client.post(f"{HERE}try/", {"release": "2", "file": SimpleUploadedFile("mine.run", RUN)})
    assert answer.status_code == 422
    Throttle.objects.create(
        key=f"try:{judged.researcher.pk}", count=trying.ATTEMPTS, window_ends=timezone.now() + timedelta(minutes=5)
    )
    assert send(client)[0] == 429
    assert client_for(judged.assessor).get(f"{HERE}try/").status_code == 403
    assert client_for(None).get(f"{HERE}try/").status_code == 302


def test_strangers_are_told_what_they_need_to_score_a_run(release: Release, judged: Cast, client_for: ClientFor) -> None:
    """The tab is theirs, too: it says that an account is needed, and what can be done without one."""
    type(judged.collection).objects.update(visibility="public")
    anybody = client_for(None)
    told = words(anybody, "try/")
    assert "you need an account on this site" in told and "assize eval QRELS RUN" in told and "Score it" not in told
    assert f'href="/sign-in/?next={HERE}try/"' in anybody.get(f"{HERE}try/").content.decode()
    assert anybody.post(f"{HERE}try/", {"release": "1"}).status_code == 302


def test_over_the_api(release: Release, judged: Cast, caller_for: CallerFor) -> None:
    call = caller_for(judged.researcher)
    headers = {"Authorization": f"Bearer {call.secret}"}
    file = SimpleUploadedFile("mine.run", RUN)
    answer = call.client.post(f"/api/v1{API}/releases/1/private", {"file": file, "keep": "true"}, headers=headers)
    assert (answer.status_code, answer.json()["means"]["AP"], answer.json()["run"]) == (200, 0.5, "mine")
    [kept] = call("GET", f"{API}/private")["results"]
    assert (kept["run"], kept["release"], kept["report"]["means"]["AP"]) == ("mine", 1, 0.5)
    assert caller_for(judged.organizer)("GET", f"{API}/private")["results"] == []
    call("DELETE", f"{API}/private/{kept['id']}")
    assert (call.status, PrivateScore.objects.count()) == (204, 0)


def test_plan_of_an_archived_collection_stays(release: Release, judged: Cast) -> None:
    Collection.objects.filter(pk=judged.collection.pk).update(archived_at="2026-01-01T00:00Z")
    with pytest.raises(Exception, match="archived; restore it first"):
        planning.set_plan(judged.collection, seen="own")
