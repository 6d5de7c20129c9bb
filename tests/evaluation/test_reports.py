"""TREC's page of a run, comparisons, topics, the pool report and measures: the worked figures, and each door."""

import json
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.conf import settings
from django.db import connection
from django.template.loader import render_to_string
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from scipy import stats

from assess.models import Judgment
from config import jobs, store
from config.errors import Refusal
from config.models import Job, User
from evaluation import columns, comparing, effect, pool_reports, reports, standings, topic_reports
from evaluation.core.catalogue import DEFINITIONS
from evaluation.core.formulas import FORMULAS, worked
from evaluation.core.stability import LeftOut, Shallower
from evaluation.core.summary import SummaryPage
from evaluation.models import Release
from evaluation.pool_reports import PoolReport
from evaluation.services import importing, planning
from pooling.core.runs import check_run
from pooling.models import Collection, Run
from pooling.services.work import Direct
from tests.commands.conftest import Assize, assize
from tests.conftest import Cast, ClientFor
from tests.evaluation import factories
from tests.golden import vectors
from tests.remembered import remembered

pytestmark = pytest.mark.once  # what is computed of the same rows

__all__ = ["assize"]
HERE = "/c/harbour-trials/"
SLUG = "harbour-trials"


@pytest.fixture
def olga(cast: Cast, client_for: ClientFor) -> Client:
    return client_for(cast.organizer)


def words(client: Client, path: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", client.get(path).content.decode()))


@pytest.fixture
def many(cast: Cast) -> Release:
    return remembered(make_many, cast)


def make_many(cast: Cast) -> Release:
    """Four runs of two groups on twelve topics; the last run was not pooled and finds what nobody judged."""
    rng = np.random.default_rng(11)
    topics, docnos = [str(number) for number in range(1, 13)], [f"d{number}" for number in range(12)]
    for number, tag in enumerate(("best", "good", "fair", "late")):
        ranked = {
            topic: {docno: float(10 - n - 3 * number * rng.random()) for n, docno in enumerate(docnos)} for topic in topics
        }
        if tag == "late":
            ranked = {topic: {**docs, "new": 99.0} for topic, docs in ranked.items()}
        factories.make_run(cast.collection, tag, ranked, by=cast.organizer, group="Kelp" if number < 2 else f"G{number}")
    grades = {topic: {docno: int(n < 3 and rng.random() < 0.8) for n, docno in enumerate(docnos)} for topic in topics}
    factories.judge_all(cast.collection, grades, cast.assessor)
    release = factories.freeze(cast.collection, cast.organizer)
    factories.score(release)
    return release


# TREC's page


def test_the_lectures_page_has_its_place() -> None:
    """ok8amxc: 50 topics, 50000 retrieved, 4728 relevant, 3212 of them found; recall 3212/4728, precision 3212/50000."""
    levels = (0.8419, 0.6065, 0.5008, 0.4302, 0.3636, 0.3090, 0.2464, 0.1736, 0.1267, 0.0542, 0.0238)
    depths = {5: 0.58, 10: 0.55, 15: 0.4987, 20: 0.465, 30: 0.4253, 100: 0.268, 200: 0.1921, 500: 0.1091, 1000: 0.0642}
    page = SummaryPage(50, 50000, 4728, 3212, levels, 0.3169, depths, 0.3531)
    shown = {"report": {"summary": page}, "levels": [(n / 10, value) for n, value in enumerate(levels)]}
    text = re.sub(
        r"\s+", " ", re.sub(r"<[^>]+>", " ", render_to_string("evaluation/_summary.html", shown, RequestFactory().get("/")))
    )
    for told in (
        "Over 50 topics",
        "Documents retrieved 50,000",
        "Relevant 4,728",
        "Relevant retrieved 3,212",
        "3212/50000 0.0642",
        "3212/4728 0.6794",
        "non-interpolated 0.3169",
        "0.00 0.8419",
        "1000 0.0642",
        "0.3531",
    ):
        assert told in text, told


@pytest.mark.parametrize("vector", vectors("analysis", "summary_page"))
def test_the_worked_page_of_two_topics(cast: Cast, olga: Client, vector: dict[str, Any]) -> None:
    ranked: dict[str, dict[str, float]] = {}
    grades: dict[str, dict[str, int]] = {}
    for number, topic in enumerate(vector["topics"], 1):
        names = [f"d{place:02}" for place in range(len(topic["grades"]))]
        ranked[str(number)] = {name: float(-place) for place, name in enumerate(names)}
        grades[str(number)] = dict(zip(names, topic["grades"], strict=True))
    factories.make_run(cast.collection, "page", ranked, by=cast.organizer)
    factories.judge_all(cast.collection, grades, cast.assessor)
    factories.score(factories.freeze(cast.collection, cast.organizer))
    page, expected = words(olga, f"{HERE}scores/page/"), vector["expected"]
    assert f"non-interpolated {expected['map']:.4f}" in page
    for depth, value in expected["precision_at"].items():
        assert f"{depth} {value:.4f}" in page
    rows = json.loads(olga.get(f"{HERE}scores/page/?table=summary&form=json").content)["rows"]
    told = {row["figure"]: row["value"] for row in rows}
    assert (told["retrieved"], told["relevant"], told["relevant retrieved"]) == (20, 8, 8)
    assert told["average precision"] == pytest.approx(0.5325396825)


def test_run_page_gives_its_figures_and_tables(release: Release, olga: Client) -> None:
    for name in ("recall-precision", "gains", "differences", "spread"):
        assert olga.get(f"{HERE}scores/alpha/?figure={name}&form=svg").content.startswith(b"<svg ")
    answer = olga.get(f"{HERE}scores/alpha/?figure=gains&form=pdf")
    assert (answer["Content-Type"], answer.content[:5]) == ("application/pdf", b"%PDF-")
    assert answer["Content-Disposition"] == 'attachment; filename="harbour-trials-release-1-alpha-gains.pdf"'
    assert olga.get(f"{HERE}scores/alpha/?table=topics&form=csv").content.startswith(b"topic,title,AP,median,difference")
    for odd in ("figure=odd&form=svg", "figure=gains&form=exe", "table=odd&form=csv", "table=topics&form=svg"):
        assert olga.get(f"{HERE}scores/alpha/?{odd}").status_code == 404
    assert "relevant from grade 2" in words(olga, f"{HERE}scores/alpha/?view=strict&order=difference")
    page = words(olga, f"{HERE}scores/beta/")
    assert "It does not answer 1 of 2 topics; each counts as zero." in page


def test_users_know_and_expect(release: Release, judged: Cast, olga: Client) -> None:
    assert "For a user" not in words(olga, f"{HERE}scores/alpha/")
    planning.set_plan(judged.collection, expected={"1": 2}, known={"1": ["a"]})
    page = words(olga, f"{HERE}scores/alpha/")
    assert "Coverage 1.0000" in page and "Novelty 0.7500" in page  # of topic 1 half, of topic 2 all is new
    assert "RelRecall 1.0000" in page and "RecallEffort 0.6667" in page
    planning.set_plan(judged.collection, expected={}, known={})
    Judgment.objects.filter(item__docno="d").update(known=True)
    standing = standings.of_release(release)
    told = {one.name: one.mean for one in reports.run_report(standing, 0).users}
    assert told == {"Coverage": 1.0, "Novelty": 0.75}


def test_marked_passages_are_told_by_characters(cast: Cast, olga: Client, assize: Assize, tmp_path: Path) -> None:
    """The page's figures are those of `assize eval --passages` on the downloaded judgments and the run's own file."""
    parts = {"1": {"a": 2.0, "b": 1.0}}
    run = factories.make_run(cast.collection, "parts", parts, by=cast.organizer)
    found = check_run(b"1 Q0 a 1 2.0 parts 0 40\n1 Q0 b 2 1.0 parts 0 10\n")
    assert found.passages
    Run.objects.filter(pk=run.pk).update(passages="files/tests/parts.npz")
    (settings.DATA / "files/tests/parts.npz").write_bytes(found.passages.to_bytes())
    factories.judge_all(cast.collection, {"1": {"a": 1, "b": 0}}, cast.assessor)
    Judgment.objects.filter(item__docno="a").update(evidence="0-20,100-130")
    factories.score(factories.freeze(cast.collection, cast.organizer))
    page = words(olga, f"{HERE}scores/parts/")
    assert "PartP@10 0.4000" in page and "PartR@10 0.4000" in page  # 20 of 50 returned, 20 of 50 marked
    rows = json.loads(olga.get(f"{HERE}scores/parts/?table=summary&form=json").content)["rows"]
    told = {row["figure"]: row["value"] for row in rows}
    (tmp_path / "marked").write_text("".join(f"1 a {one}\n" for one in ("0-20", "100-130")))
    (tmp_path / "run").write_text("1 Q0 a 1 2.0 parts 0 40\n1 Q0 b 2 1.0 parts 0 10\n")
    out = assize("eval", "--passages", "-m", "PartP@10", "-m", "AiP", str(tmp_path / "marked"), str(tmp_path / "run")).out
    printed = {line.split()[0]: line.split()[2] for line in out.splitlines()}
    assert (printed["PartP@10"], printed["AiP"]) == (f"{told['PartP@10']:.4f}", f"{told['AiP']:.4f}")


def test_efficiency_against_effectiveness(release: Release, olga: Client) -> None:
    Run.objects.filter(tag="alpha").update(efficiency={"latency_mean_ms": 12.5})
    assert olga.get(f"{HERE}scores/alpha/?figure=efficiency&form=svg").status_code == 404  # nothing to stand against
    Run.objects.filter(tag="beta").update(efficiency={"latency_mean_ms": 3})
    text = olga.get(f"{HERE}scores/alpha/?figure=efficiency&form=svg").content.decode()
    assert "beta: 3 ms, MAP 0.5000" in text and "Query latency, mean, ms" in text


def test_of_one_topic_it_is_average_precision_and_no_mean(many: Release, olga: Client) -> None:
    """MAP is a mean over topics: of the leaderboard, and of a run beside the others."""
    of_topic, of_run = words(olga, f"{HERE}leaderboard/topics/3/"), words(olga, f"{HERE}scores/best/")
    assert "AP of each run on topic 3" in of_topic and "By AP it is" in of_topic and "MAP" not in of_topic
    assert "AP by topic" in of_run and "AP of each topic, minus the median" in of_run and "MAP by topic" not in of_run
    compared = words(olga, f"{HERE}compare/?runs=best&runs=late")
    assert "best has MAP" in compared and "AP of each run on each topic" in compared
    assert not re.search("MAP (of each run|of best against|by topic)|Difference in MAP,", compared)
    assert columns.topic_label("AP(rel=2)") == "AP(rel=2)" and columns.topic_label("GMAP") == "GMAP"


# Comparing


def test_comparison_says_a_sentence_and_gives_its_parts(many: Release, olga: Client, assize: Assize) -> None:
    address = f"{HERE}compare/?runs=best&runs=late"
    page = words(olga, address)
    assert re.search(
        r"best has MAP 0\.\d{4}, late 0\.\d{4}: best is \d+\.\d % higher on 12 topics; best is better on \d+", page
    )
    assert re.search(r": late is \d+\.\d % lower on 12 topics", words(olga, f"{HERE}compare/?runs=late&runs=best"))
    assert "judged@10: best 1.00, late 0.90, so that the comparison may be biased against late." in page
    for name in ("topics", "differences", "scatter", "recall-precision", "gains"):
        assert olga.get(f"{address}&figure={name}&form=svg").status_code == 200
    assert olga.get(f"{address}&table=pairs&form=tex").content.startswith(b"% Differences in MAP")
    three = olga.get(f"/api/v1/collections/{SLUG}/compare?runs=best&runs=good&runs=late&measure=P@10").json()
    assert (three["test"], len(three["pairs"]), len(three["by_topic"])) == ("randomized-tukey", 3, 12)
    told = assize("compare-runs", SLUG, "best", "late", "--json").json
    assert told["sentences"] == olga.get(f"/api/v1/collections/{SLUG}/compare?runs=best&runs=late").json()["sentences"]
    assert "best has MAP" in assize("compare-runs", SLUG, "best", "late", "--baseline", "late").out
    assert assize("compare-runs", SLUG, "best", "late", "--latex").out.startswith("% 12 topics")


def test_each_of_several_runs_is_drawn_against_the_first_or_a_baseline(many: Release, olga: Client) -> None:
    """Every figure has its numbers in a table of its own, from the largest difference."""
    address = f"{HERE}compare/?runs=best&runs=good&runs=late"
    for query, pairs in (("", {2: ("best", "good"), 3: ("best", "late")}), ("&baseline=good", {1: ("best", "good")})):
        for number, (first, second) in pairs.items():
            rows = olga.get(f"{address}{query}&table=differences-{number}&form=json").json()["rows"]
            gaps = [row["difference"] for row in rows]
            assert gaps == sorted(gaps, reverse=True) == [pytest.approx(row[first] - row[second]) for row in rows]
            for name in ("differences", "scatter"):
                picture = olga.get(f"{address}{query}&figure={name}-{number}&form=svg").content.decode()
                titles = re.findall(r"<title>Topic (\d+):", picture)
                assert sorted(titles) == sorted(row["topic"] for row in rows)
    page = words(olga, f"{address}&baseline=good")
    assert "best against good" in page and "late against good" in page and "All others are compared with good." in page
    assert olga.get(f"{address}&figure=differences&form=svg").status_code == 404


def test_a_comparison_of_several_says_what_p_and_intervals_are_of(many: Release, olga: Client, assize: Assize) -> None:
    """The test of all at once comes without being asked for; its p minds their number, the intervals do not."""
    three, page = f"{HERE}compare/?runs=best&runs=good&runs=late", "; randomized Tukey HSD test of all 3 runs p"
    told = words(olga, three)
    assert told.count(page) == told.count("95 % interval of the difference of this pair alone") == 3
    assert "compared by the randomized Tukey HSD test unless another is chosen, instead of the randomization test" in told
    assert "Its p is of all 3 runs at once" in told and "The intervals are each pair’s own" in told
    assert page in assize("compare-runs", SLUG, "best", "good", "late").out
    chosen = words(olga, f"{three}&test=t")
    assert "unless another is chosen" not in chosen and "Each p is corrected for the 3 pairs compared." in chosen
    both = words(olga, f"{HERE}compare/?runs=best&runs=late")
    assert "of this pair alone" not in both and "of all 2 runs" not in both and "each pair’s own" not in both
    assert re.search(r"interval of the difference [+−]0\.\d", both) and " -0." not in both  # one minus on pages


def test_comparison_tells_effect_sizes_with_intervals_and_both_orders(many: Release, olga: Client, assize: Assize) -> None:
    found = olga.get(f"/api/v1/collections/{SLUG}/compare?runs=best&runs=late").json()
    low, high = found["pairs"][0]["g_z_interval"]
    assert f"effect g_z = {found['pairs'][0]['g_z']:.2f} ({low:.2f} to {high:.2f});" in found["sentences"][0]
    row = olga.get(f"{HERE}compare/?runs=best&runs=late&table=pairs&form=json").json()["rows"][0]
    assert (row["g_z low"], row["g_z high"]) == (low, high)
    standing = standings.of_release(many)
    means = {name: standing.means[:, standing.names.index(name)] for name in ("AP", "AP(rel=2)")}
    tau = stats.kendalltau(*means.values()).statistic
    expected = {"runs": 4, "tau": None if np.isnan(tau) else pytest.approx(tau), "swapped": 0}
    assert found["strict_and_lenient"] == expected
    told = "Strict and lenient order of all 4 runs by MAP: 0 of 6 pairs the other way round."
    assert (
        told in words(olga, f"{HERE}compare/?runs=best&runs=late") and told in assize("compare-runs", SLUG, "best", "late").out
    )


def test_both_orders_by_hand(release: Release, judged: Cast) -> None:
    """Lenient: alpha before beta by P@1, strict the other way round."""
    factories.make_run(judged.collection, "low", {"1": {"c": 1.0}, "2": {"f": 1.0}}, by=judged.organizer)
    factories.make_run(judged.collection, "top", {"1": {"a": 1.0}, "2": {"e": 1.0}}, by=judged.organizer)
    Collection.objects.filter(pk=judged.collection.pk).update(measures=["P@1"])
    later = factories.freeze(Collection.objects.get(pk=judged.collection.pk), judged.organizer, "max")
    factories.score(later)
    views = comparing.views(comparing.compared(standings.of_release(later), ["low", "top"]))
    # P@1 of alpha, beta, low, top: lenient 0.5 0.5 1.0 0.5, strict 0.5 0 0 0.5
    assert views and (views.runs, views.swapped) == (4, 2)
    assert views.tau == pytest.approx(stats.kendalltau([0.5, 0.5, 1.0, 0.5], [0.5, 0, 0, 0.5]).statistic)


@pytest.mark.parametrize(
    ("query", "status", "told"),
    [
        ("", 200, "best has MAP 0."),
        ("?runs=best", 422, "Expected 2 to 12 runs to compare; found 1."),
        ("?runs=best&runs=odd", 404, ""),
        ("?runs=best&runs=good&baseline=fair", 422, "Expected a baseline among the runs compared; found “fair”."),
        ("?runs=best&runs=good&test=odd", 422, "test: Expected one of randomization"),
        ("?runs=best&runs=good&view=strict", 200, "MAP(rel=2)"),
    ],
)
def test_comparison_asked_for_in_odd_ways(many: Release, olga: Client, query: str, status: int, told: str) -> None:
    answer = olga.get(f"{HERE}compare/{query}")
    assert (answer.status_code, told in answer.content.decode()) == (status, True)


def test_comparing_begins_with_the_best_and_ones_own(many: Release, cast: Cast, client_for: ClientFor) -> None:
    def compared(who: User) -> list[str]:
        shown = client_for(who).get(f"{HERE}compare/").content.decode()
        return re.findall(r'<option value="([^"]*)" selected', shown.split("</select>")[0])

    assert compared(cast.participant) == compared(cast.organizer) == ["best", "good"]
    Run.objects.filter(tag="fair").update(submitted_by=cast.participant)
    assert (compared(cast.participant), compared(cast.organizer)) == (["best", "fair"], ["best", "good"])
    Run.objects.filter(tag="best").update(submitted_by=cast.participant)
    assert compared(cast.participant) == ["best", "good"]


# Topics


def test_topic_page_tells_how_hard_it_is_and_who_found_what(
    many: Release, cast: Cast, olga: Client, client_for: ClientFor
) -> None:
    page = words(olga, f"{HERE}leaderboard/topics/3/")
    assert "How each relevant document was found" in page and "hardest of 12 topics" in page
    assert olga.get(f"{HERE}leaderboard/topics/3/?figure=strip&form=svg").status_code == 200
    assert olga.get(f"{HERE}leaderboard/topics/3/?table=rising&form=csv").content.startswith(
        b"depth,relevant,release,qrels_sha256,version\n1,"
    )
    standing = standings.of_release(many)
    found = [(one.docno, one.grade, one.runs, one.rank, one.tag) for one in topic_reports.found_by(standing, "3")]
    assert found == found_by_hand(olga, "3")
    assert "How each relevant document was found" not in words(client_for(cast.participant), f"{HERE}leaderboard/topics/3/")


def found_by_hand(client: Client, topic: str) -> list[tuple[str, int, int, int, str]]:
    """Each relevant document with its grade, how many runs have it, the best rank and the first run that has it there:
    from the downloaded files, line by line."""
    lines = b"".join(client.get(f"{HERE}releases/1/qrels/")).decode().splitlines()
    grades = {docno: int(grade) for of, _, docno, grade in map(str.split, lines) if of == topic}
    ranks: dict[str, list[tuple[int, str]]] = {}
    for tag in ("best", "fair", "good", "late"):
        run = b"".join(client.get(f"{HERE}runs/{tag}/file/")).decode().splitlines()
        mine = [(float(score), docno) for of, _, docno, _, score, _ in map(str.split, run) if of == topic]
        for rank, (_score, docno) in enumerate(sorted(mine, reverse=True), 1):
            ranks.setdefault(docno, []).append((rank, tag))
    rows = [(docno, grade, len(ranks[docno]), *min(ranks[docno])) for docno, grade in grades.items() if grade >= 1]
    return sorted(rows, key=lambda row: (-row[1], row[3], row[0]))


# The pool


def test_pool_report_judges_by_its_reasons(many: Release, olga: Client, assize: Assize) -> None:
    standing = standings.of_release(many)
    report = pool_reports.pool_report(standing)
    assert [one.name for one in report.groups] == ["G2", "G3", "Kelp"]
    assert (report.depths[-1].taus[0], report.thinned[0].taus) == (1.0, {"AP": [1.0], "Bpref": [1.0]})
    assert {reason.kind for reason in report.reasons} <= {"good", "warn", "bad"}
    page = words(olga, f"{HERE}pool-report/")
    assert report.verdict.words in page and "Each group left out" in page
    for name in ("depth", "relevant", "thinned"):
        assert olga.get(f"{HERE}pool-report/?figure={name}&form=svg").status_code == 200
    groups = pool_reports.told(report)["groups"]
    assert groups.head[:2] == ["group", "run"] and {row[1] for row in groups.rows} <= set(report.tags)  # the run is named
    every = pool_reports.told(report)["group-measures"]
    assert [name.removesuffix(" %") for name in every.head[1:-1]] == [columns.label(name) for name in report.measures]
    assert len(report.thinned[-1].taus["AP"]) == pool_reports.DRAWS
    told = assize("pool-report", SLUG, "--json").json
    assert told == olga.get(f"/api/v1/collections/{SLUG}/pool-report").json()
    assert assize("pool-report", SLUG).out.startswith(report.verdict.words)


def test_pool_report_invents_no_pool(many: Release, cast: Cast, olga: Client, assize: Assize) -> None:
    """Qrels that were imported as a release come from pools that nobody told of, whatever was drawn here."""
    unknown = "No depth of a pool is known; the first 100 of each run are taken for one."
    assert unknown in words(olga, f"{HERE}pool-report/") and "A pool of depth" not in words(olga, f"{HERE}pool-report/")
    assert assize("pool-report", SLUG, "--json").json["depth_known"] is False
    pool = cast.collection.pools.get()
    type(pool).objects.filter(pk=pool.pk).update(parameters={"depth": 8})
    drawn = words(olga, f"{HERE}pool-report/?release=live")
    assert "the pools went down to rank 8." in drawn and "A pool of depth 5 instead of 8" in drawn
    qrels = b"".join(olga.get(f"{HERE}releases/1/qrels/"))
    taken = importing.Options("release")
    importing.take_import(cast.collection, by=cast.organizer, data=qrels, options=taken, work=Direct(lambda *_told: None))
    factories.score(Release.objects.get(number=2))
    found = factories.make_item(cast.collection, "1", "found", by=cast.organizer)
    type(found).objects.filter(pk=found.pk).update(best_rank=0)  # by searching: it is no part of what was imported
    page = words(olga, f"{HERE}pool-report/?release=2")
    assert "from no run" not in page and "from no run" in words(olga, f"{HERE}pool-report/?release=live")
    assert unknown in page and "A pool of depth" not in page


def test_pool_report_of_runs_without_groups_tells_of_runs_alone(many: Release, olga: Client, assize: Assize) -> None:
    Run.objects.update(group="")
    page = words(olga, f"{HERE}pool-report/")
    assert "Each run left out" in page and "group" not in page.partition("How reusable is it?")[2]
    assert "Without any one run the order of runs" in page and "no run found more alone" in page
    told = assize("pool-report", SLUG).out
    assert "Without any one run" in told and "group" not in told and re.search(r"^late +0", told, re.MULTILINE)


def test_pool_report_of_qrels_of_relevant_documents_only_says_so(many: Release, cast: Cast, olga: Client) -> None:
    lines = b"".join(olga.get(f"{HERE}releases/1/qrels/")).splitlines(keepends=True)
    taken = importing.Options("release")
    relevant = b"".join(line for line in lines if line.endswith(b" 1\n"))
    importing.take_import(cast.collection, by=cast.organizer, data=relevant, options=taken, work=Direct(lambda *_told: None))
    factories.score(Release.objects.get(number=2))
    page = words(olga, f"{HERE}pool-report/?release=2")
    assert "list relevant documents only, so that how much of a run was looked at is not known" in page
    assert "Of the first ten documents" not in page
    compared = words(olga, f"{HERE}compare/?runs=best&runs=late&release=2")
    assert columns.ONLY_RELEVANT in compared and "biased" not in compared


def left_out(tau: float, change: float, lost: int) -> LeftOut:
    ones, order = np.ones((1, 1)), np.ones((1, 1), np.int64)
    told = {"name": "Kelp", "runs": np.array([0]), "lost": lost, "lost_relevant": lost, "taus": [tau]}
    known = {"before": ones, "after": ones + change, "rank_before": order, "rank_after": order}
    return LeftOut(**told, **known)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("at", "values", "kinds"),
    [
        (0, {"tau": (0.9, 0.89, 0.8, 0.79)}, ["good", "warn", "warn", "bad"]),
        (1, {"change": (0.049, 0.051, 0.099, 0.101)}, ["good", "warn", "warn", "bad"]),
        (2, {"lost": (4, 5, 14, 15)}, ["good", "warn", "warn", "bad"]),
        (3, {"half": (0.9, 0.89, 0.8, 0.79)}, ["good", "warn", "warn", "bad"]),
        (4, {"share": (0.95, 0.94, 0.8, 0.79)}, ["good", "warn", "warn", "bad"]),
    ],
)
def test_each_reason_of_the_verdict_has_its_thresholds(at: int, values: dict[str, tuple[float, ...]], kinds: list[str]) -> None:
    """All else is good; so the verdict is that of the one reason."""
    [(name, given)] = values.items()
    found = []
    for value in given:
        told = {"tau": 1.0, "change": 0.0, "lost": 0, "half": 1.0, "share": 1.0, name: value}
        group = left_out(told["tau"], told["change"], int(told["lost"]))
        depths = [Shallower(50, 9, 9, np.ones((1, 1)), [told["half"]]), Shallower(100, 9, 9, np.ones((1, 1)), [1.0])]
        report = PoolReport(["AP"], 0, 100, 200, 100, ["a"], [group], [group], depths, [], [("a", told["share"], True)])
        assert report.verdict.kind == report.reasons[at].kind
        assert [one.kind for place, one in enumerate(report.reasons) if place != at] == ["good"] * 4
        found.append(report.reasons[at].kind)
    assert found == kinds


def test_pool_report_of_a_release_is_kept_in_a_file(many: Release) -> None:
    standing = standings.of_release(many)
    made = pool_reports.computed(standing)
    read = pool_reports.stored_report(standing)
    assert read is not None and pool_reports.document(standing, read) == pool_reports.document(standing, made)
    assert pool_reports.stored_report(standings.live(many.collection)) is None


def test_pool_report_of_many_runs_is_a_job(
    committed: None, many: Release, olga: Client, assize: Assize, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody waits for a page: it tells how far the job is, and shows the report when it is there."""
    by_command = assize("pool-report", SLUG, "--json").json
    store.remove(pool_reports._name(standings.of_release(many)))
    monkeypatch.setattr(pool_reports, "AT_ONCE", 0)
    page = words(olga, f"{HERE}pool-report/")
    assert "Of 4 runs that takes a while" in page and "Each group left out" not in page
    told = olga.get(f"/api/v1/collections/{SLUG}/pool-report")
    job = Job.objects.get(name="pool_report")  # asked twice, computed once
    assert told.status_code == 409 and told.json()["error"]["details"]["job"] == job.pk
    asks = {"HX-Request": "true"}
    assert "Waiting to begin" in olga.get(f"{HERE}pool-report/", headers=asks).content.decode()
    jobs.run(job.pk)
    assert olga.get(f"{HERE}pool-report/", headers=asks)["HX-Refresh"] == "true"
    job.refresh_from_db()
    assert (job.state, job.message) == ("done", "4 runs and 3 groups left out in turn") and job.total == job.done_count
    assert "Each group left out" in words(olga, f"{HERE}pool-report/")
    assert olga.get(f"/api/v1/collections/{SLUG}/pool-report").json() == by_command


def test_live_pool_report_of_many_runs_is_renewed_now_and_then(
    committed: None, many: Release, cast: Cast, olga: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool_reports, "AT_ONCE", 0)
    path, since = f"{HERE}pool-report/?release=live", "judgments have come since"
    assert "takes a while" in words(olga, path)
    jobs.run(Job.objects.get(name="pool_report").pk)
    assert "Each group left out" in words(olga, path) and since not in words(olga, path)
    factories.judge_all(cast.collection, {"1": {"new": 1}}, cast.assessor)
    assert since in words(olga, path) and Job.objects.filter(name="pool_report").count() == 1
    true = timezone.now
    with monkeypatch.context() as clock:
        clock.setattr(timezone, "now", lambda: true() - timedelta(hours=1))  # set back: it is no newer for that
        assert since in words(olga, path)  # the old one, while the new one is computed
    jobs.run(Job.objects.filter(name="pool_report").latest("pk").pk)
    assert since not in words(olga, path)


def test_effect_of_many_runs_says_that_it_takes_a_while(many: Release, olga: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(effect, "AT_ONCE", 3)
    path, answer = f"{HERE}effect/", "Merge rules"
    first = olga.get(path).content.decode()
    assert 'hx-trigger="load"' in first and "4 runs are being scored" in first and answer not in first
    assert answer in olga.get(path, headers={"HX-Request": "true"}).content.decode()  # what the page then asks for
    assert answer in words(olga, f"{path}?whole=1")  # and its link, without script
    assert olga.get(f"{path}?table=ranks&form=csv").content.startswith(b"run,")


def test_pool_report_calls_nothing_good_that_is_nothing(many: Release, olga: Client) -> None:
    """Qrels of another collection, or in which nothing is relevant: no run leaves a gap, and nothing is told."""
    for qrels, told in ((b"1 0 x 1\n2 0 y 1\n", "is among the first ten of any run"), (b"1 0 d1 0\n", "is relevant, so")):
        with Direct(lambda *told: None) as work:
            options = importing.Options(kind="release")
            importing.take_import(many.collection, by=many.frozen_by, data=qrels, options=options, work=work)
        release = Release.objects.order_by("-number")[0]
        factories.score(release)
        with pytest.raises(Refusal, match=told):
            pool_reports.pool_report(standings.of_release(release))
        page = words(olga, f"{HERE}pool-report/?release={release.number}")
        assert told in page and "can be reused" not in page


def test_pool_report_needs_three_runs(release: Release, olga: Client) -> None:
    with pytest.raises(Refusal, match="Expected at least 3 runs"):
        pool_reports.pool_report(standings.of_release(release))
    assert "Expected at least 3 runs" in words(olga, f"{HERE}pool-report/")


# Measures


def test_every_measure_has_its_formula_and_a_worked_example() -> None:
    assert set(FORMULAS) == set(DEFINITIONS)
    told = {entry.name: worked(entry)[1] for entry in DEFINITIONS.values()}
    known = {"AP": 0.255, "nDCG": 0.42686970667, "Bpref": 0.4, "Judged": 0.6, "Q": 0.263025210, "AiP": 0.449669967}
    assert {name: told[name] for name in known} == pytest.approx(known)


def test_measures_are_told_to_everybody(client: Client, db: None, assize: Assize) -> None:
    page = words(client, "/measures/")
    assert "1/R · Σᵢ i / rᵢ" in page and "AP = 0.2550" in page and "Buckley and Voorhees 2000" in page
    listed = client.get("/api/v1/measures").json()
    assert [entry["name"] for entry in listed] == list(DEFINITIONS)
    assert assize("measures", "bpref", "--json").json["value"] == 0.4
    assert len(assize("measures").out.splitlines()) == len(DEFINITIONS) + 1
    assert assize("measures", "odd").told[1].startswith("Error: There is no measure “odd”")


TABLES = {
    "leaderboard/topics/3/?table=scores": b"run,group,AP",
    "leaderboard/topics/3/?table=found": b"document,grade,runs that have it,best rank,by,release,",
    "scores/best/?table=means": b"measure,this run,median,best,place,release,",
    "pool-report/?table=run-measures": b"run,MAP %,",
    "effect/?table=ranks": b"run,primary assessor (set),",
    "effect/?table=rules": b"first,second,documents,",
    "data/?table=topics": b"topic,relevant,judged\n",
}


def test_every_table_is_given_out(many: Release, olga: Client) -> None:
    for path, start in TABLES.items():
        assert olga.get(f"{HERE}{path}&form=csv").content.startswith(start), path
        assert olga.get(f"{HERE}{path}&form=json").json()["rows"], path


def test_measures_tests_and_corrections_have_one_name_on_every_page(many: Release, olga: Client) -> None:
    """But for MAP, which is AP on one topic."""
    paths = ("leaderboard/", "leaderboard/topics/3/", "scores/best/", "pool-report/", "effect/", "scoring/")
    for path in (*paths, "compare/?runs=best&runs=late", "compare/?runs=best&runs=good&runs=late&test=wilcoxon&correction=bh"):
        page = re.sub(r"shell [^.]*\.|\(\S+\)", "", words(olga, HERE + path))  # where it is told how all else spells them
        found = set(re.findall(r"(?<!τ-)\b(?:Rprec|Bpref|R@1000|holm|bh|bonferroni)\b", page))
        single = any(part in path for part in ("topics/", "scores/", "compare/"))
        assert (single or "AP" not in page.split()) and ("MAP" in page or "topics/" in path) and found == set(), (path, found)
    assert "Wilcoxon’s signed rank test, two-sided, p corrected by Benjamini-Hochberg" in page
    assert (
        '<option value="wilcoxon" selected>' in olga.get(f"{HERE}compare/?runs=best&runs=late&test=wilcoxon").content.decode()
    )


def test_comparison_is_computed_once(many: Release) -> None:
    standing = standings.of_release(many)
    one, other = (comparing.compared(standing, ["best", "good"]) for _ in range(2))
    assert one.found is other.found


# Queries


PAGES = (
    *("compare/?runs=best&runs=late", "pool-report/", "leaderboard/topics/3/", "scores/best/", "leaderboard/"),
    *("leaderboard/?release=live", "effect/", "data/", "try/", "scoring/", "pool/compare/"),
    *("scores/best/?release=live", "leaderboard/topics/3/?release=live", "pool-report/?release=live"),
    *("compare/?runs=best&runs=good&runs=late", "scores/best/?table=topics&form=csv", "scores/best/trec_eval/"),
    *(
        "leaderboard/file/csv/",
        "leaderboard/file/txt/",
        "leaderboard/topics.csv",
        "leaderboard/topics/3/?table=scores&form=txt",
    ),
)
ANSWERS = ("leaderboard", "compare?runs=best&runs=late", "pool-report", "releases/1/scores", "releases/1/runs/best")


def test_queries_grow_with_neither_runs_nor_topics(many: Release, cast: Cast, olga: Client) -> None:
    def queries(path: str) -> int:
        b"".join(olga.get(path))  # what is kept is made
        with CaptureQueriesContext(connection) as found:
            answer = olga.get(path)
            assert answer.status_code == 200
            b"".join(answer)
        return len(found)

    paths = [*(HERE + page for page in PAGES), *(f"/api/v1/collections/{SLUG}/{path}" for path in ANSWERS)]
    before = {path: queries(path) for path in paths}
    topics = [str(number) for number in range(13, 16)]
    for tag in ("more-1", "more-2", "more-3"):
        factories.make_run(cast.collection, tag, {topic: {"d1": 1.0} for topic in topics}, by=cast.organizer, group=tag)
    factories.judge_all(cast.collection, {topic: {"d1": 1} for topic in topics}, cast.assessor)
    factories.score(factories.freeze(cast.collection, cast.organizer))
    assert {path: queries(path) for path in paths} == before
