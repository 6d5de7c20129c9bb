"""Freezing and scoring: what is in a release, that it never changes, and that every number is trec_eval's."""

import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

import numpy as np
import pytest
import pytrec_eval
from django.conf import settings
from django.db import connection, transaction

from assess import selectors as judging
from assess.models import Judgment, JudgmentEvent
from config import jobs, store
from config.errors import Conflict, Invalid, Refusal
from config.models import Job, User
from evaluation import boards, columns, doctor, evaluate, exports, reports, selectors, standings
from evaluation.boards import Board, Wanted
from evaluation.models import Release, ReleaseStep, Score, ScoreFile
from evaluation.score_files import ScoreTable
from evaluation.services import releases
from pooling.models import Collection, PoolItem, Run
from pooling.services import collections
from pooling.services.work import Direct
from tests import doors
from tests import factories as people
from tests.conftest import Cast
from tests.evaluation import factories
from tests.evaluation.factories import ALPHA, BETA, freeze, judge, make_item, make_run, score

PRIMARY = b"1 0 a 2\n1 0 b 0\n1 0 c 1\n2 0 d 3\n2 0 e 0\n2 0 f 1\n"
HIGHEST = b"1 0 a 2\n1 0 b 1\n1 0 c 1\n2 0 d 3\n2 0 e 0\n2 0 f 1\n"


def score_file(release: Release) -> ScoreFile:
    return selectors.score_files(release).get(run__tag="alpha")


def board_of(release: Release, **wanted: Any) -> Board:
    return boards.leaderboard(standings.of_release(release), Wanted(**wanted))


def content(release: Release) -> bytes:
    return (settings.DATA / release.path).read_bytes()


# Freezing


@pytest.mark.parametrize(("rule", "expected"), [("first", PRIMARY), ("max", HIGHEST)])
def test_freeze_merges_by_the_rule(judged: Cast, rule: str, expected: bytes) -> None:
    release = freeze(judged.collection, judged.organizer, rule, " Of\r\nspring ")
    assert content(release) == expected
    assert release.sha256 == hashlib.sha256(expected).hexdigest()
    assert (release.number, release.rule, release.note, release.frozen_by) == (1, rule, "Of\nspring", judged.organizer)
    grades = {"0": 2, "1": 2, "2": 1, "3": 1} if rule == "first" else {"0": 1, "1": 3, "2": 1, "3": 1}
    assert release.counts == {
        "items": 6,
        "topics": 2,
        "judgments": 9,
        "assessors": 2,
        "grades": grades,
        "doubly_judged": 3,
        "differing": 2,
        "decided": 0,
        "few": 0,
        "ties": 0,
        "lenient_from": 1,
        "strict_from": 2,
        "documents": None,
    }
    assert release.last_event == max(JudgmentEvent.objects.values_list("pk", flat=True))


def test_the_second_opinion_stands_where_there_is_no_first(judged: Cast, second: User) -> None:
    judge(make_item(judged.collection, "2", "z", by=judged.organizer), second, 2, slot=2)
    assert b"2 0 z 2\n" in content(freeze(judged.collection, judged.organizer))


def test_judging_on_changes_nothing(judged: Cast) -> None:
    release = freeze(judged.collection, judged.organizer)
    assert selectors.judgments_since(release, judged.collection) == 0
    item = make_item(judged.collection, "1", "a", by=judged.organizer)
    judge(item, judged.assessor, 0)
    judge(item, judged.assessor, 3)
    judge(make_item(judged.collection, "1", "new", by=judged.organizer), judged.assessor, 3)
    again = Release.objects.get(pk=release.pk)
    assert (again.sha256, hashlib.sha256(content(again)).hexdigest()) == (release.sha256, release.sha256)
    noted = Judgment.objects.get(item__docno="b", assessor=judged.assessor)
    JudgmentEvent.objects.create(judgment=noted, client_id=uuid4(), grade=noted.grade, previous_grade=noted.grade, note="x")
    assert selectors.judgments_since(again, judged.collection) == 2  # a note alone changes no grade
    later = freeze(judged.collection, judged.organizer)
    assert (later.number, content(release)) == (2, PRIMARY)
    assert content(later) == PRIMARY.replace(b"a 2", b"a 3").replace(b"1 0 c 1\n", b"1 0 c 1\n1 0 new 3\n")


def test_nothing_judged_is_refused_in_words(cast: Cast) -> None:
    with pytest.raises(Refusal, match="Nothing is judged yet: a release needs at least one judgment"):
        freeze(cast.collection, cast.organizer)
    with pytest.raises(Refusal, match="Nothing is judged yet"):
        releases.request_release(cast.collection, by=cast.organizer, rule="first")
    assert not Job.objects.exists()


def test_the_same_qrels_twice_are_refused(judged: Cast) -> None:
    freeze(judged.collection, judged.organizer)
    with pytest.raises(Conflict, match="Release 1 has these same qrels and judgments already: nothing has changed since"):
        freeze(judged.collection, judged.organizer)
    assert freeze(judged.collection, judged.organizer, "max").number == 2


def test_second_opinions_alone_make_a_new_release(judged: Cast, second: User) -> None:
    """By the primary assessor they change no grade, but agreement and judgments that nobody could get else."""
    old = freeze(judged.collection, judged.organizer)
    judge(make_item(judged.collection, "1", "c", by=judged.organizer), second, 3, slot=2)
    new = freeze(judged.collection, judged.organizer)
    assert (new.number, new.sha256) == (2, old.sha256)
    assert (old.counts["doubly_judged"], new.counts["doubly_judged"]) == (3, 4)
    with pytest.raises(Conflict, match="Release 2 has these same"):
        freeze(judged.collection, judged.organizer)


def test_archived_collection_refuses(judged: Cast) -> None:
    release = freeze(judged.collection, judged.organizer)
    stale = Collection.objects.get(pk=judged.collection.pk)
    collections.archive_collection(judged.collection)
    judge(make_item(judged.collection, "1", "b", by=judged.organizer), judged.assessor, 3)
    for act in (
        lambda: releases.request_release(judged.collection, by=judged.organizer, rule="first"),
        lambda: freeze(stale, judged.organizer),
        lambda: releases.request_scores(selectors.release(judged.collection), by=judged.organizer),
    ):
        with pytest.raises(Conflict, match="archived"):
            act()
    assert list(Release.objects.all()) == [release]


@pytest.mark.parametrize(("given", "field"), [({"rule": "lowest"}, "rule"), ({"rule": "first", "note": "x" * 5001}, "note")])
def test_bad_rule_and_long_note_are_told_by_field(judged: Cast, given: dict[str, str], field: str) -> None:
    with pytest.raises(Invalid) as told:
        releases.request_release(judged.collection, by=judged.organizer, **given)
    assert told.value.field == field


def test_the_database_refuses_to_change_a_release(judged: Cast) -> None:
    freeze(judged.collection, judged.organizer)
    doors.all_closed(Release, column="note", value="'x'")
    doors.all_closed(ReleaseStep, column="note", value="'x'", other_key=False)


def test_killed_before_the_switch_leaves_the_old_state(judged: Cast) -> None:
    class Killed(Direct):
        @contextmanager
        def finish(self, message: str = "", output: str = "", *, refused: bool = False) -> Iterator[None]:
            with transaction.atomic():
                yield
                raise KeyboardInterrupt

    first = freeze(judged.collection, judged.organizer)
    judge(make_item(judged.collection, "1", "a", by=judged.organizer), judged.assessor, 0)
    with pytest.raises(KeyboardInterrupt), Killed(factories.quiet) as work:
        releases.freeze_release(judged.collection, by=judged.organizer, rule="first", work=work)
    assert (list(Release.objects.all()), Job.objects.count(), content(first)) == ([first], 0, PRIMARY)
    with pytest.raises(KeyboardInterrupt), Killed(factories.quiet) as work:
        releases.score_release(first, work=work)
    assert (Score.objects.count(), ScoreFile.objects.count()) == (0, 0)
    assert (freeze(judged.collection, judged.organizer).number, score(first)) == (2, 2)


def test_freezes_at_once_never_share_a_number(committed: None) -> None:
    organizer = people.make_user("Olga Organizer")
    collection = people.make_collection(organizer, "Harbour trials")
    factories.judge_all(collection, factories.FIRST, organizer)
    together, told = threading.Barrier(2), list[str]()

    def act(rule: str) -> None:
        try:
            together.wait(10)
            told.append(f"release {freeze(collection, organizer, rule).number}")
        except Conflict as conflict:
            told.append(conflict.message)
        finally:
            connection.close()

    for rules in (("first", "first"), ("first", "max")):
        threads = [threading.Thread(target=act, args=(rule,)) for rule in rules]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
        judge(make_item(collection, "1", "b", by=organizer), organizer, 3)
    assert told[:2] in (
        ["release 1", "Release 1 has these same qrels and judgments already: nothing has changed since."],
        ["Release 1 has these same qrels and judgments already: nothing has changed since.", "release 1"],
    )
    assert sorted(told[2:]) == ["release 2", "release 3"]


def test_the_reading_is_of_one_moment_and_keeps_nobody_waiting(committed: None) -> None:
    organizer = people.make_user("Olga Organizer")
    collection = people.make_collection(organizer, "Harbour trials")
    item = make_item(collection, "1", "a", by=organizer)
    judge(item, organizer, 1)

    def seen() -> tuple[int, list[int]]:
        return judging.newest_event(collection), judging.judgment_table(collection).grades.tolist()

    def change() -> None:
        judge(item, organizer, 3)
        connection.close()

    with releases.one_moment():
        before = seen()
        thread = threading.Thread(target=change)
        thread.start()
        thread.join(10)
        assert not thread.is_alive()
        assert seen() == before == (before[0], [1])
    assert seen() == (before[0] + 1, [3])


# Jobs


def run_job(name: str) -> Job:
    job = Job.objects.get(name=name, state="waiting")
    jobs.run(job.pk)
    job.refresh_from_db()
    return job


def test_asked_for_twice_it_is_one_job_then_one_release_then_scores(committed: None) -> None:
    organizer = people.make_user("Olga Organizer")
    collection = people.make_collection(organizer, "Harbour trials")
    make_run(collection, "alpha", ALPHA, by=organizer)
    factories.judge_all(collection, factories.FIRST, organizer)
    asked = {releases.request_release(collection, by=organizer, rule="first", note="n").pk for _ in range(5)}
    assert len(asked) == 1
    job = run_job("freeze_release")
    assert (job.state, job.message) == ("done", "6 judged documents of 2 topics")
    release = Release.objects.get()
    assert (release.number, release.note, release.frozen_by) == (1, "n", organizer)
    assert selectors.made_by(job) == release
    jobs.run(job.pk)  # a message that comes twice
    assert Release.objects.count() == 1
    job = run_job("score_release")
    assert (job.state, job.message, job.done_count, job.total) == ("done", "1 run scored", 1, 1)
    releases.request_release(collection, by=organizer, rule="first", note="n")
    job = run_job("freeze_release")
    assert (job.state, job.message) == (
        "failed",
        "Release 1 has these same qrels and judgments already: nothing has changed since.",
    )


# Scores


def reference(qrels: bytes, ranked: factories.Ranked, level: int) -> dict[str, float]:
    """pytrec_eval's means over the topics of the qrels, those that the run lacks as zero; counts are summed."""
    grades: dict[str, dict[str, int]] = {}
    for topic, _, docno, grade in (line.split() for line in qrels.decode().splitlines()):
        grades.setdefault(topic, {})[docno] = int(grade)
    names = {"map", "bpref", "ndcg", "ndcg_cut_10", "P_10", "num_ret", "num_rel_ret"}
    run = {topic: dict(docs) for topic, docs in ranked.items()}
    found = pytrec_eval.RelevanceEvaluator(grades, names, relevance_level=level).evaluate(run)
    sums = {name: sum(found.get(topic, {}).get(name, 0.0) for topic in sorted(grades)) for name in names}
    return {name: value if name.startswith("num") else value / len(grades) for name, value in sums.items()}


NAMES = {"AP": "map", "Bpref": "bpref", "nDCG": "ndcg", "nDCG@10": "ndcg_cut_10", "P@10": "P_10", "NumRet": "num_ret"}
STRICT = {"AP(rel=2)": "map", "Bpref(rel=2)": "bpref", "P(rel=2)@10": "P_10", "NumRelRet(rel=2)": "num_rel_ret"}


def test_scores_equal_trec_eval(release: Release) -> None:
    for tag, ranked in (("alpha", ALPHA), ("beta", BETA)):
        means = dict(Score.objects.filter(run__tag=tag).values_list("measure", "mean"))
        lenient, strict = reference(content(release), ranked, 1), reference(content(release), ranked, 2)
        assert {name: means[name] for name in NAMES} == {name: lenient[theirs] for name, theirs in NAMES.items()}
        assert {name: means[name] for name in STRICT} == {name: strict[theirs] for name, theirs in STRICT.items()}
        assert means["NumRelRet"] == lenient["num_rel_ret"]


def test_the_highest_grade_of_the_qrels_is_the_top_as_for_assize_eval(judged: Cast) -> None:
    """The scale goes to 3; what is downloaded knows of 2."""
    judged.collection.measures = ["ERR@20", "RBP(gain='scale')", "ERR(gmax=3)@20"]
    judged.collection.save()
    item = PoolItem.objects.get(topic__number="2", docno="d", pool__collection=judged.collection)
    judge(item, judged.assessor, 2)
    release = freeze(judged.collection, judged.organizer)
    score(release)
    means = dict(Score.objects.filter(release=release, run__tag="alpha").values_list("measure", "mean"))
    assert columns.top_grade(judged.collection) == 3
    found = evaluate(store.path(release.path), ALPHA, judged.collection.measures).means[0].tolist()
    assert [means[name] for name in judged.collection.measures] == found
    assert means["ERR@20"] != means["ERR(gmax=3)@20"]


def test_scores_by_hand(release: Release) -> None:
    """beta finds c (1) then a (2) of topic 1, where a and c are relevant, and lacks topic 2; alpha: a, b, c, x; e, d, f."""
    beta = dict(Score.objects.filter(run__tag="beta").values_list("measure", "mean"))
    assert (beta["AP"], beta["P@10"], beta["NumRelRet"], beta["NumRet"]) == (0.5, 0.1, 2, 2)
    assert (beta["AP(rel=2)"], beta["Judged@10"]) == (0.25, 1.0)
    alpha = dict(Score.objects.filter(run__tag="alpha").values_list("measure", "mean"))
    assert alpha["AP"] == pytest.approx(((1 + 2 / 3) / 2 + (1 / 2 + 2 / 3) / 2) / 2)
    assert alpha["Judged@10"] == (3 / 4 + 1) / 2


def test_scores_are_by_the_threshold_that_the_release_recorded(release: Release) -> None:
    """The scale of a collection may still change after qrels were imported."""
    before = list(Score.objects.order_by("pk").values_list("run__tag", "measure", "mean"))
    Collection.objects.filter(pk=release.collection_id).update(lenient_from=2, strict_from=3)
    Score.objects.all().delete()
    ScoreFile.objects.all().delete()
    score(Release.objects.get(pk=release.pk))
    assert list(Score.objects.order_by("pk").values_list("run__tag", "measure", "mean")) == before


def test_score_files_name_their_run_and_are_the_same_bytes_again(release: Release) -> None:
    file = score_file(release)
    assert file.run_sha256 == Run.objects.get(tag="alpha").upload.sha256
    before = (settings.DATA / file.path).read_bytes()
    Score.objects.all().delete()
    assert score(release) == 2
    again = score_file(release)
    assert (again.path, (settings.DATA / again.path).read_bytes()) == (file.path, before)
    table = ScoreTable.read(settings.DATA / again.path)
    assert (table.topics.tolist(), table.answered.tolist()) == ([b"1", b"2"], [True, True])
    averaged = [not name.startswith("Num") for name in table.names]
    assert np.array_equal(table.values.sum(axis=1)[averaged] / 2, table.means[averaged])


def test_only_new_runs_and_new_measures_are_scored(release: Release) -> None:
    assert score(release) == 0
    make_run(release.collection, "gamma", BETA, by=release.frozen_by)
    told: list[tuple[int, int, str]] = []
    assert score(release, lambda *step: told.append(step)) == 1
    assert told == [(0, 1, "gamma"), (1, 1, ""), (1, 1, "1 run scored")]
    old = score_file(release).path
    before = dict(Score.objects.filter(run__tag="alpha").values_list("measure", "mean"))
    release.collection.measures = ["ERR@20", "AP", "Success@1", "Unheard@3"]
    release.collection.save()
    with transaction.atomic():
        assert score(release) == 3
    after = dict(Score.objects.filter(run__tag="alpha").values_list("measure", "mean"))
    assert {name: after[name] for name in before} == before
    assert set(after) - set(before) == {"ERR@20", "Success@1", "Success(rel=2)@1"}
    assert score_file(release).path != old
    assert columns.unknown_measures(release.collection) == ["Unheard@3"]


def test_a_mean_that_no_topic_defines_is_none_and_no_zero(release: Release) -> None:
    """Neither the rank of what was never found, nor the judged share of nothing; scored once, not again and again."""
    release.collection.measures = ["SL", "AP"]
    release.collection.save()
    make_run(release.collection, "lost", {"10": {"a": 1.0}}, by=release.frozen_by)
    assert score(release) == 3
    assert not selectors.unscored(release).exists()
    means = dict(Score.objects.filter(release=release, run__tag="lost").values_list("measure", "mean"))
    assert (means["SL"], means["Judged@10"], means["AP"]) == (None, None, 0.0)
    standing = standings.of_release(release)
    rows = {row.run.tag: row for row in boards.leaderboard(standing, Wanted(measures=("SL", "Judged@10", "AP"))).rows}
    assert [cell.text for cell in rows["lost"].cells] == ["–", "0.0000", "–"]
    head, *lines = (line.split(",") for line in exports.means_csv(standing).splitlines())
    assert [(line[0], line[head.index("SL")]) for line in lines] == [("alpha", "1.5"), ("beta", "1.0"), ("lost", "")]
    assert list(doctor._scores()) == []


def test_a_run_that_was_submitted_again_is_scored_again(release: Release) -> None:
    run = Run.objects.get(tag="alpha")
    other = make_run(release.collection, "other", BETA, by=release.frozen_by)
    Run.objects.filter(pk=other.pk).delete()
    Run.objects.filter(pk=run.pk).update(upload=other.upload, columns=other.columns)
    assert [file.run.tag for file in selectors.score_files(release)] == ["beta"]  # the old file's scores are nobody's now
    assert score(release) == 1
    means = {file.run.tag: found["AP"] for file, found in selectors.means(release)}
    assert means["alpha"] == means["beta"]


def test_a_release_without_runs_can_be_scored(cast: Cast) -> None:
    judge(make_item(cast.collection, "1", "a", by=cast.organizer), cast.assessor, 1)
    release = freeze(cast.collection, cast.organizer)
    assert score(release) == 0
    assert board_of(release).rows == []


def test_one_threshold_has_no_strict_view(cast: Cast) -> None:
    collection = people.make_collection(cast.organizer, "Known items", task="known-item")
    judge(make_item(collection, "1", "a", by=cast.organizer), cast.assessor, 1)
    release = freeze(collection, cast.organizer)
    assert [str(measure) for measure in columns.measures(release.collection, release.counts)] == [
        *("RR", "Success@10", "AP", "Bpref", "nDCG", "nDCG@10", "P@10", "Rprec", "R@1000", "NumRet", "NumRel", "NumRelRet")
    ]


def test_official_measures_come_first_and_only_once(release: Release) -> None:
    assert [str(measure) for measure in columns.measures(release.collection, release.counts)] == [
        *("AP", "nDCG", "Bpref", "nDCG@10", "P@10", "Rprec", "RR", "R@1000", "NumRet", "NumRel", "NumRelRet"),
        *("AP(rel=2)", "Bpref(rel=2)", "P(rel=2)@10", "Rprec(rel=2)", "RR(rel=2)", "R(rel=2)@1000", "NumRel(rel=2)"),
        "NumRelRet(rel=2)",
    ]


# Selectors


def tags(board: Board) -> list[str]:
    return [row.run.tag for row in board.rows]


def test_leaderboard_sorts_marks_the_best_and_knows_the_median(release: Release) -> None:
    board = board_of(release)
    assert [column.label for column in board.columns] == [
        *("MAP", "nDCG", "bpref", "nDCG@10", "P@10", "R-precision", "RR", "Recall@1000", "judged@10")
    ]
    assert (tags(board), board.columns[0].sorted, board.columns[0].sort) == (["alpha", "beta"], "descending", "-AP")
    assert [row.cells[0].best for row in board.rows] == [True, False]
    assert [row.cells[8].best for row in board.rows] == [False, False]  # being judged is no merit
    assert board.medians[0].value == pytest.approx((board.rows[0].cells[0].value + 0.5) / 2)  # type: ignore[operator]
    up = board_of(release, sort="-AP")
    assert (tags(up), up.columns[0].sorted, up.columns[0].sort) == (["beta", "alpha"], "ascending", "AP")
    by_tag = board_of(release, sort="-run")
    assert (tags(by_tag), by_tag.run.sorted, by_tag.run.sort) == (["beta", "alpha"], "descending", "run")
    assert tags(board_of(release, sort="group")) == ["beta", "alpha"]
    assert tags(board_of(release, sort="no such")) == ["alpha", "beta"]


def test_strict_leaderboard_has_the_strict_measures(release: Release) -> None:
    board = board_of(release, strict=True)
    assert [column.name for column in board.columns] == [
        *("AP(rel=2)", "nDCG", "Bpref(rel=2)", "nDCG@10", "P(rel=2)@10", "Rprec(rel=2)", "RR(rel=2)", "R(rel=2)@1000"),
        "Judged@10",
    ]
    assert board.columns[0].label == "MAP(rel=2)"


def test_run_topics_stand_beside_the_median(release: Release) -> None:
    rows = reports.run_topics(standings.of_release(release), 1, "AP")
    assert [(row.number, row.value, row.best, row.relevant, row.retrieved, row.found, row.answered) for row in rows] == [
        ("1", 1.0, 1.0, 2, 2, 2, True),
        ("2", 0.0, pytest.approx(7 / 12), 2, 0, 0, False),
    ]
    assert [row.median for row in rows] == [pytest.approx((1 + 5 / 6) / 2), pytest.approx(7 / 24)]


def test_topics_in_the_order_of_people() -> None:
    assert sorted(["10", "2", "T1", "1"], key=selectors.natural) == ["1", "2", "10", "T1"]


def test_stage_tells_number_and_what_came_since(judged: Cast) -> None:
    def stage(opens: bool = True) -> tuple[str, str, str, bool]:
        found = selectors.release_stage(judged.collection, opens=opens)
        return found.count, found.note, found.state, bool(found.href)

    assert (stage(), stage(opens=False)) == (("–", "none yet", "now", True), ("–", "none yet", "todo", False))
    freeze(judged.collection, judged.organizer)
    assert (stage(), stage(opens=False)) == (("1", "up to date", "done", True), ("1", "frozen", "done", False))
    judge(make_item(judged.collection, "1", "a", by=judged.organizer), judged.assessor, 0)
    assert stage() == ("1", "1 judgment since", "now", True)
