"""Where runs stand: live as under a release, and nobody sees more of others' runs than the organizers set, by any door."""

import json
import re
import uuid
from pathlib import Path

import numpy as np
import pytest
from django.test import Client
from django.utils import timezone

from assess.models import Judgment, JudgmentEvent
from config.errors import Missing
from config.models import User
from evaluation import boards, columns, comparing, reports, standings, topic_reports
from evaluation import live as lives
from evaluation.boards import Wanted
from evaluation.core.registry import parse_measure
from evaluation.models import Release
from evaluation.on_files import eval as eval_command
from evaluation.services import planning, releases
from pooling.models import Collection, Run
from tests.api.conftest import CallerFor, caller_for
from tests.conftest import Cast, ClientFor
from tests.evaluation import factories

pytestmark = pytest.mark.once  # what is computed of the same rows

__all__ = ["caller_for"]
HERE = "/c/harbour-trials/"
API = "/collections/harbour-trials"


@pytest.fixture
def olga(cast: Cast, client_for: ClientFor) -> Client:
    return client_for(cast.organizer)


def words(client: Client, path: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", client.get(HERE + path).content.decode()))


# Live


def test_live_scores_are_those_of_a_release_frozen_now(release: Release, judged: Cast) -> None:
    frozen, live = standings.of_release(release), standings.live(judged.collection)
    assert (live.names, live.topics.tolist()) == (frozen.names, frozen.topics.tolist())
    assert np.array_equal(live.values, frozen.values) and np.array_equal(live.means, frozen.means)
    low, high = live.range_of("AP")
    assert np.allclose(low, frozen.range_of("AP")[0]) and np.allclose(high, frozen.range_of("AP")[1])
    assert low[0] < live.means[0, 0] and (high >= live.means[:, 0]).all()  # alpha's x is unjudged, below all else


def test_live_scores_follow_each_judgment(release: Release, judged: Cast) -> None:
    before = standings.live(judged.collection)
    assert standings.live(judged.collection).live is before.live  # kept while nothing changes
    factories.judge(factories.make_item(judged.collection, "1", "a", by=judged.organizer), judged.assessor, 0)
    after = standings.live(judged.collection)
    assert after.means[0, 0] < before.means[0, 0]
    later = factories.freeze(judged.collection, judged.organizer)
    factories.score(later)
    assert np.array_equal(standings.of_release(later).values, after.values)


def test_live_scores_read_and_score_only_what_was_judged(judged: Cast) -> None:
    """Whatever happens, what followed the judgments equals what is computed anew."""
    collection, by = judged.collection, judged.organizer

    def anew() -> standings.Standing:
        lives._kept.clear()
        return standings.live(collection)

    first = standings.live(collection)
    first.range_of("AP")
    for topic, docno, grade in (("1", "b", 2), ("2", "f", 0), ("2", "d", 2), ("1", "x", 1), ("10", "a", 1), ("1", "a", 2)):
        factories.judge(factories.make_item(collection, topic, docno, by=by), judged.assessor, grade)
        followed = standings.live(collection)
        low, high = followed.range_of("AP")
        again = anew()
        assert np.array_equal(followed.values, again.values) and np.array_equal(followed.means, again.means)
        assert np.array_equal(low, again.range_of("AP")[0]) and np.array_equal(high, again.range_of("AP")[1])


def test_a_judgment_of_a_known_document_is_read_alone(judged: Cast) -> None:
    before = standings.live(judged.collection)
    factories.judge(factories.make_item(judged.collection, "1", "b", by=judged.organizer), judged.assessor, 2)
    after = standings.live(judged.collection)
    assert before.live and after.live and after.live.items is before.live.items  # followed, not made anew
    assert after.live.judged.rows is before.live.judged.rows and not np.array_equal(after.means, before.means)


def test_a_document_that_comes_to_the_qrels_has_its_topic_scored_anew(judged: Cast) -> None:
    """Found by runs or by none, first and last of its topic, and several at once; and one that leaves them again."""
    collection, by, anew = judged.collection, judged.organizer, standings.live(judged.collection)
    assert anew.live and anew.live.range_of("AP")
    for news in ([("1", "x", 1)], [("2", "0", 2), ("1", "zz-of-no-run", 1)], [("1", "y", 0)], [("1", "x", None)]):
        for topic, docno, grade in news:
            item = factories.make_item(collection, topic, docno, by=by)
            if grade is None:
                Judgment.objects.filter(item=item).update(grade=None, answer="cannot")
                JudgmentEvent.objects.create(judgment=Judgment.objects.get(item=item), client_id=uuid.uuid4(), answer="cannot")
            else:
                factories.judge(item, judged.assessor, grade)
        followed = standings.live(collection)
        assert followed.live and not followed.live._whole  # nothing but its topic was looked up
        told, ranges = followed.live, followed.range_of("AP")
        lives._kept.clear()
        again = standings.live(collection)
        assert again.live is not None
        assert np.array_equal(followed.values, again.values) and np.array_equal(followed.means, again.means)
        assert np.array_equal(ranges, again.range_of("AP"))
        for name in ("codes", "docnos", "grades"):
            assert np.array_equal(getattr(told.qrels, name), getattr(again.live.qrels, name))
        assert np.array_equal(told.items, again.live.items) and np.array_equal(told.judged.rows, again.live.judged.rows)


def test_live_is_for_organizers_alone(release: Release, judged: Cast, olga: Client, client_for: ClientFor) -> None:
    assert "live" in words(olga, "leaderboard/?release=live")
    for path in (
        "leaderboard/",
        "scores/alpha/",
        "leaderboard/topics/1/",
        "compare/",
        "pool-report/",
        "leaderboard/scores.csv",
    ):
        assert client_for(judged.participant).get(f"{HERE}{path}?release=live").status_code == 404


def test_the_page_of_a_run_says_when_there_will_be_scores(judged: Cast, client_for: ClientFor) -> None:
    def told(who: User) -> str:
        return re.sub(
            r"<[^>]+>", "", client_for(who).get(f"{HERE}runs/alpha/").content.decode().split("<dt>Scores</dt>")[1]
        ).split("\n")[0]

    assert told(judged.organizer) == "when you freeze a release; live ones follow the judgments"
    assert told(judged.participant) == "when the organizers release the qrels"
    first = factories.freeze(judged.collection, judged.organizer, state="draft")
    assert told(judged.participant) == "when the organizers release the qrels"
    releases.set_state(first, by=judged.organizer, state="private")
    assert told(judged.organizer) == "none under release 1 yet; score new runs there, or freeze the next release"
    assert told(judged.participant) == "none under release 1 yet; the organizers can score it, or the next release does"
    Run.objects.filter(tag="alpha").update(created_at=timezone.now())
    assert "none under release 1 yet, since it was submitted after the freeze; the organizers" in told(judged.participant)
    releases.request_scores(first, by=judged.organizer)
    assert told(judged.participant) == "being computed under release 1"
    factories.score(first)
    assert told(judged.organizer) == told(judged.participant) == "Under release 1"


# The board


def test_board_filters_and_shows_what_is_asked_for(release: Release) -> None:
    standing = standings.of_release(release)
    kelp = boards.leaderboard(standing, Wanted(group="Kelp"))
    assert ([row.run.tag for row in kelp.rows], kelp.all_runs, kelp.of) == (["alpha"], 2, 2)
    assert boards.leaderboard(standing, Wanted(kind="manual")).rows == []
    assert [row.run.tag for row in boards.leaderboard(standing, Wanted(find="ET")).rows] == ["beta"]
    board = boards.leaderboard(standing, Wanted(measures=("P@10", "AP"), strict=True))
    assert [column.name for column in board.columns] == ["P(rel=2)@10", "AP(rel=2)", "Judged@10"]
    assert [(row.run.tag, row.missing) for row in board.rows] == [("alpha", 0), ("beta", 1)]
    spread = board.rows[0].spread
    assert spread is not None and spread.low <= board.rows[0].mean <= spread.high
    assert board.lead.startswith("2 topics are too few")


def test_board_tells_who_is_not_told_apart_from_the_best(cast: Cast) -> None:
    topics = [str(number) for number in range(12)]
    good = {topic: {"a": 3.0, "b": 2.0, "c": 1.0} for topic in topics}
    near = {topic: {"a": 3.0, "c": 2.0, "b": 1.0} for topic in topics}
    poor = {topic: {"c": 3.0, "b": 2.0, "a": 1.0} for topic in topics}
    for tag, ranked in (("good", good), ("near", near), ("poor", poor)):
        factories.make_run(cast.collection, tag, ranked, by=cast.organizer)
    factories.judge_all(cast.collection, {topic: {"a": 1, "b": 0, "c": 0} for topic in topics}, cast.assessor)
    release = factories.freeze(cast.collection, cast.organizer)
    factories.score(release)
    board = boards.leaderboard(standings.of_release(release))
    assert [(row.run.tag, row.same) for row in board.rows] == [("good", True), ("near", True), ("poor", False)]
    assert board.lead == (
        "By MAP, good is best; one run is not significantly different from it (randomization test, Holm correction, 12 topics, 0.05), marked ≈."
    )
    found = boards.document(standings.of_release(release), board)
    assert found["runs"][2]["p"] < 0.01 and found["runs"][0]["p"] is None


@pytest.fixture
def low(cast: Cast) -> standings.Standing:
    """By E, of which a low value is good: “good” finds what is relevant, “poor” nothing; topic 0 is the hardest."""
    topics = [str(number) for number in range(6)]
    for tag, order in (("good", "abc"), ("poor", "xy")):
        ranked = {topic: {docno: 3.0 - place for place, docno in enumerate(order)} for topic in topics}
        factories.make_run(cast.collection, tag, ranked, by=cast.organizer)
    grades = {topic: {"a": 1, "b": int(topic > "2"), "c": int(topic > "4"), "x": 0, "y": 0} for topic in topics}
    factories.judge_all(cast.collection, grades, cast.assessor)
    Collection.objects.filter(pk=cast.collection.pk).update(measures=["E", "AP"])
    release = factories.freeze(Collection.objects.get(pk=cast.collection.pk), cast.organizer)
    factories.score(release)
    return standings.of_release(release)


def test_measures_of_which_low_is_good_are_ordered_and_tested_by_that_end(low: standings.Standing) -> None:
    board = boards.leaderboard(low)
    assert board.focus and (board.focus.name, board.columns[0].sorted, board.best) == ("E", "ascending", "good")
    assert [(row.run.tag, row.cells[0].best) for row in board.rows] == [("good", True), ("poor", False)]
    assert all(row.spread and row.spread.low <= row.mean <= row.spread.high for row in board.rows)
    p = board.rows[1].p
    assert p is not None and p < 0.05 and not board.rows[1].same
    assert board.lead.startswith("By E, good is better than the other run (")
    assert [row.run.tag for row in boards.leaderboard(low, Wanted(sort="-E")).rows] == ["poor", "good"]


def test_low_is_good_on_the_pages_of_runs_topics_and_comparisons(low: standings.Standing) -> None:
    means = {one.column.name: (one.rank, one.best) for one in reports.run_means(low, low.place("good"))}
    least = min(low.means[:, low.names.index("E")])
    assert means["E"] == (1, f"{least:.4f}")
    row = reports.run_topics(low, low.place("good"), "E")[5]
    assert row.best == row.value < row.worst
    hard, easy = (topic_reports.hardness(low, topic, "E") for topic in ("0", "5"))
    assert (hard.third, easy.third, easy.place) == ("hard", "easy", 6) and easy.best < easy.mean < hard.mean
    assert topic_reports.ends(low, "E")[1][0][0] == "5"
    compared = comparing.compared(low, ["good", "poor"], "E")
    assert compared.found.pairs[0].effect.wins == 6 and "good is better on 6, worse on 0" in compared.sentences[0]
    assert [row[0] for row in comparing.told(compared)["runs"].rows] == ["good", "poor"]


@pytest.mark.parametrize(
    ("form", "start"), [("csv", "run,group,kind,AP"), ("json", "{"), ("tex", "% Harbour"), ("txt", "runid")]
)
def test_board_is_given_out_as_it_is_shown(release: Release, olga: Client, form: str, start: str) -> None:
    answer = olga.get(f"{HERE}leaderboard/file/{form}/?group=Kelp&sort=-P@10")
    assert answer.content.decode().startswith(start)
    assert "beta" not in answer.content.decode()
    assert answer["Content-Disposition"] == f'attachment; filename="harbour-trials-release-1-leaderboard.{form}"'
    assert olga.get(f"{HERE}leaderboard/file/odd/").status_code == 404


def test_many_runs_come_in_pages(release: Release, judged: Cast, olga: Client) -> None:
    run = Run.objects.get(tag="beta")
    for number in range(105):
        factories.make_run(judged.collection, f"more-{number:03}", {"1": {"a": 1.0 + number}}, by=run.submitted_by)
    page = olga.get(f"{HERE}leaderboard/?release=live").content.decode()
    assert page.count('<th scope="row" class="pin"><input') == 100 and 'href="?release=live&amp;page=2"' in page
    assert olga.get(f"{HERE}leaderboard/?release=live&page=2").content.decode().count('<th scope="row" class="pin"><input') == 7


# Whose scores


DOORS = ("leaderboard/", "leaderboard/topics/1/", "leaderboard/scores.csv", "leaderboard/topics.csv", "compare/")
FILES = ("leaderboard/file/csv/", "leaderboard/file/json/", "leaderboard/file/tex/", "leaderboard/file/txt/")


@pytest.mark.parametrize("seen", ["own", "anonymous"])
@pytest.mark.parametrize("path", [*DOORS, *FILES])
def test_others_are_not_named(release: Release, judged: Cast, client_for: ClientFor, seen: str, path: str) -> None:
    """alpha is the participant's, beta the organizer's; nobody who is not an organizer learns of beta."""
    planning.set_plan(judged.collection, seen=seen)
    Collection.objects.filter(pk=judged.collection.pk).update(visibility="public")
    for who in (judged.participant, judged.researcher, judged.stranger, None):
        answer = client_for(who).get(HERE + path)
        text = b"".join(answer).decode()
        assert answer.status_code == 200 and "beta" not in text
        mine = who == judged.participant
        assert ("alpha" in text) == mine
        assert ("run 1" in text or "run 2" in text) == (seen == "anonymous" and path != "compare/")
    assert "beta" in b"".join(client_for(judged.organizer).get(HERE + path)).decode()


def test_a_run_of_another_without_scores_is_told_to_organizers_alone(
    release: Release, judged: Cast, client_for: ClientFor
) -> None:
    """Nobody else, but who sent it, learns that one was sent after the release."""
    Collection.objects.filter(pk=judged.collection.pk).update(visibility="public")
    factories.make_run(judged.collection, "late", {"1": {"a": 1.0}}, by=judged.organizer)
    for who in (judged.organizer, judged.participant, judged.researcher, judged.stranger, None):
        text = client_for(who).get(f"{HERE}leaderboard/").content.decode()
        assert ("submitted after release 1" in text) == ("late" in text.split("</h1>")[1]) == (who == judged.organizer)


@pytest.mark.parametrize("seen", ["own", "anonymous"])
def test_others_have_no_page_and_no_archive(release: Release, judged: Cast, client_for: ClientFor, seen: str) -> None:
    planning.set_plan(judged.collection, seen=seen)
    client = client_for(judged.participant)
    for path in ("scores/beta/", "scores/beta/trec_eval/", "scores/run%201/"):
        assert client.get(HERE + path).status_code == 404
    assert client.get(f"{HERE}compare/?runs=alpha&runs=beta").status_code == 404
    for path in ("releases/1/scores/", "pool-report/"):
        assert client.get(HERE + path).status_code == 403
    assert "scores-1.zip" not in client.get(f"{HERE}releases/1/").content.decode() + client.get(f"{HERE}data/").content.decode()
    assert client.get(f"{HERE}scores/alpha/").status_code == 200


@pytest.mark.parametrize("seen", ["own", "anonymous"])
def test_others_are_not_named_over_the_api(release: Release, judged: Cast, caller_for: CallerFor, seen: str) -> None:
    planning.set_plan(judged.collection, seen=seen)
    call = caller_for(judged.participant)
    for path in ("releases/1/scores", "releases/1/topics/1", "leaderboard"):
        rows = call("GET", f"{API}/{path}")["runs"]
        assert "beta" not in json.dumps(rows) and len(rows) == (2 if seen == "anonymous" else 1)
    for path, status in (
        ("releases/1/runs/beta", 404),
        ("releases/1/runs/beta/report", 404),
        ("releases/1/scores/archive", 403),
    ):
        call("GET", f"{API}/{path}")
        assert call.status == status
    for path in ("releases/1/scores.csv", "releases/1/topics.csv"):
        assert b"beta" not in call("GET", f"{API}/{path}")


def test_before_a_release_is_theirs_participants_see_nothing(
    judged: Cast, client_for: ClientFor, caller_for: CallerFor
) -> None:
    factories.score(factories.freeze(judged.collection, judged.organizer, state="draft"))
    client = client_for(judged.participant)
    for path in ("leaderboard/", "pool-report/", "compare/?runs=beta"):
        page = client.get(HERE + path).content.decode()
        assert "Scores appear here when the organizers release" in page and "beta" not in page
    hidden = (
        "scores/alpha/",
        "leaderboard/scores.csv",
        *(f"{page}/?release=1" for page in ("leaderboard", "pool-report", "compare")),
    )
    for path in hidden:
        assert client.get(HERE + path).status_code == 404
    call = caller_for(judged.participant)
    one = "releases/1"
    doors = [one, f"{one}/qrels", f"{one}/archive", f"{one}/scores", f"{one}/scores.csv", f"{one}/topics.csv"]
    doors += [f"{one}/topics/1", f"{one}/runs/alpha", f"{one}/runs/alpha/report", f"{one}/runs/alpha/trec_eval"]
    doors += [f"{one}/scores/archive", "leaderboard", "compare?runs=alpha&runs=beta", "pool-report", "leaderboard?release=live"]
    for path in doors:
        call("GET", f"{API}/{path}")
        assert call.status == 404, path
    assert call("GET", f"{API}/releases")["results"] == []


def test_a_run_that_is_not_seen_has_no_place(release: Release, judged: Cast) -> None:
    judged.collection.scores_seen = ("own", judged.participant.pk)
    release.collection = judged.collection
    standing = standings.of_release(release)
    assert standing.place("alpha") == 0
    with pytest.raises(Missing, match="There is no run “beta” with scores among those you see"):
        standing.place("beta")


# Numbers


def test_page_numbers_are_those_of_assize_eval_on_the_downloads(
    release: Release, olga: Client, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Qrels and run files are downloaded and scored by the command; the leaderboard and the run's page say the same."""
    (tmp_path / "qrels").write_bytes(b"".join(olga.get(f"{HERE}releases/1/qrels/")))
    board = json.loads(olga.get(f"{HERE}leaderboard/file/json/").content)
    for row in board["runs"]:
        (tmp_path / "run").write_bytes(b"".join(olga.get(f"{HERE}runs/{row['run']}/file/")))
        asked = [part for name in row["scores"] for part in ("-m", name)]
        assert eval_command.main(["-c", *asked, str(tmp_path / "qrels"), str(tmp_path / "run")]) == 0
        told = {line.split("\t")[0].strip(): line.split("\t")[2] for line in capsys.readouterr().out.splitlines()}
        named = {parse_measure(name).trec_eval: value for name, value in row["scores"].items()}
        assert {name: told[name] for name in named} == {name: f"{value:.4f}" for name, value in named.items()}
        page = words(olga, f"scores/{row['run']}/")
        assert all(f"{value:.4f}" in page for value in row["scores"].values())


LEVELS = [f"iprec_at_recall_{level / 10:.2f}" for level in range(11)]
DEPTHS = [f"P_{depth}" for depth in (5, 10, 15, 20, 30, 100, 200, 500, 1000)]
COUNTS = ["num_ret", "num_rel", "num_rel_ret"]
SHOWN = {"AP": "map", "nDCG@10": "ndcg_cut_10", "Bpref": "bpref", "Rprec": "Rprec", "RR": "recip_rank", "P@10": "P_10"}


@pytest.mark.parametrize("view", [("lenient", "1"), ("strict", "2")])
def test_all_numbers_of_the_pages_are_those_of_assize_eval_on_the_downloads(
    release: Release, olga: Client, tmp_path: Path, capsys: pytest.CaptureFixture[str], view: tuple[str, str]
) -> None:
    """Topic by topic, recall levels, document levels and topics' pages: each where it stands, to the last printed digit."""
    (tmp_path / "qrels").write_bytes(b"".join(olga.get(f"{HERE}releases/1/qrels/")))
    answers: dict[str, dict[tuple[str, str], str]] = {}
    for tag in ("alpha", "beta"):
        (tmp_path / "run").write_bytes(b"".join(olga.get(f"{HERE}runs/{tag}/file/")))
        asked = [part for name in (*SHOWN.values(), *LEVELS, *DEPTHS, *COUNTS) for part in ("-m", name)]
        files = [str(tmp_path / "qrels"), str(tmp_path / "run")]
        assert eval_command.main(["-q", "-c", "-l", view[1], *asked, *files]) == 0
        answers[tag] = printed(capsys.readouterr().out)
    for tag, theirs in answers.items():
        page = rows(olga, f"scores/{tag}/?view={view[0]}")
        found = {row[0]: row[1] for row in page if len(row) == 2}
        shown = [*(f"{level / 10:.2f}" for level in range(11)), *(name[2:] for name in DEPTHS)]
        shown += ["Documents retrieved", "Relevant", "Relevant retrieved", "R-precision exact"]
        expected = [theirs[name, "all"] for name in (*LEVELS, *DEPTHS, *COUNTS, "Rprec")]
        assert [found[label] for label in shown] == expected
        for name, own in SHOWN.items():
            listed = {
                row[0]: row[2]
                for row in rows(olga, f"scores/{tag}/?view={view[0]}&measure={name}")
                if len(row) == 10 and row[0].isdigit()
            }
            assert listed == {topic: theirs[own, topic] for topic in ("1", "2")}, name
        counts = {row[0]: (row[9], row[7], row[8]) for row in page if len(row) == 10 and row[0].isdigit()}
        assert counts == {topic: tuple(theirs[name, topic] for name in COUNTS) for topic in ("1", "2")}
    for topic in ("1", "2"):
        page = rows(olga, f"leaderboard/topics/{topic}/?view={view[0]}")
        heads = max((row for row in page if row[0] == "Run"), key=len)  # the chart's own table has two columns
        for tag, theirs in answers.items():
            [cells] = [row for row in page if row[0].split(" ")[0] == tag and len(row) == len(heads)]
            for name, own in SHOWN.items():
                measure = parse_measure(name)
                shown_as = columns.strict_view(measure, release.counts) if view[0] == "strict" else measure
                label = columns.topic_label(str(shown_as))
                assert cells[heads.index(label)] == theirs[own, topic], (topic, tag, name)


def printed(text: str) -> dict[tuple[str, str], str]:
    lines = (line.split("\t") for line in text.splitlines())
    return {(name.strip(), topic): value.strip() for name, topic, value in lines}


def rows(client: Client, path: str) -> list[list[str]]:
    """Every row of every table of a page, as the texts of its cells; what only readers of screens hear is left out."""
    page = client.get(HERE + path).content.decode()
    plain = re.sub(r'<span class="(?:sr|badge[^"]*)"[^>]*>.*?</span>|<svg.*?</svg>', "", page, flags=re.S)
    cells = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.S) for row in re.findall(r"<tr[^>]*>(.*?)</tr>", plain, re.S)]
    return [[re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", cell)).strip() for cell in row] for row in cells]
