"""Plans, rounds, lists and files of the pool, on the site."""

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from config.errors import Refusal
from config.models import Job
from pooling import matrices, plans, selectors
from pooling.core import planning
from pooling.core.rankings import Rankings
from pooling.models import Pool, Run
from pooling.services import pools
from pooling.services.work import Direct
from tests.api.conftest import CallerFor, caller_for
from tests.conftest import Cast, ClientFor
from tests.pooling import files
from tests.pooling.files import run_file, take_run

pytestmark = pytest.mark.once

HERE = "/c/harbour-trials/"
__all__ = ["caller_for"]  # a fixture of the API's tests


@pytest.fixture
def olga(cast: Cast, client_for: ClientFor) -> Client:
    return client_for(cast.organizer)


def draw(cast: Cast, strategy: str, **values: Any) -> Pool:
    runs = list(cast.collection.runs.select_related("upload"))
    pool = pools.plan_pool(cast.collection, by=cast.organizer, runs=runs, strategy=strategy, **values)
    with Direct(lambda done, total, words: None) as work:
        return pools.draw_pool(pool, work)


def test_a_plan_tells_what_the_drawing_then_does(cast: Cast) -> None:
    runs = files.fill(cast.collection, cast.organizer)
    for strategy, values in (("depth", {"depth": 2}), ("depth", {"depth": 1, "max_per_topic": 1}), ("rrf", {"budget": 2})):
        Pool.objects.all().delete()
        plan = plans.plan(cast.collection, plans.choice(runs, strategy, values), seconds=36)
        assert (plan.items, plan.hours) == (sum(topic.items for topic in plan.topics), plan.new / 100)
        assert draw(cast, strategy, **values).item_count == plan.items == plan.new
    assert [(share.run.tag, share.pooled, share.unique) for share in plan.shares] == [("alpha", 4, 1), ("beta", 5, 2)]


STRATA: dict[str, Any] = {"edges": "2,40", "shares": "100,20"}


def two_long_runs(cast: Cast) -> list[Run]:
    """With forty documents each, of which they share some at the top."""
    files.take_topics(cast.collection, cast.organizer)
    long = {tag: " ".join(["b", "a", *(f"{tag}{number:02}" for number in range(38))]) for tag in "pq"}
    return [take_run(cast.collection, cast.organizer, run_file(tag, t1=docnos)) for tag, docnos in long.items()]


def drawn_by_job(cast: Cast) -> tuple[list[str], list[tuple[int, int]], int]:
    with Direct(lambda done, total, words: None) as work:
        pool = pools.draw_pool(Pool.objects.get(drawn_at=None), work)
    docnos = sorted(pool.items.values_list("docno", flat=True))
    gave = [(row["pooled"], row["unique"]) for row in pool.used]
    pool.delete()
    return docnos, gave, pool.seed


def test_what_chance_draws_is_what_was_shown(cast: Cast, olga: Client, caller_for: CallerFor) -> None:
    runs = two_long_runs(cast)
    samples = set()
    for seed in (1, 2, 3):
        choice = plans.choice(runs, "strata", STRATA, seed)
        docnos = sorted(planning.pool_of(plans.chosen(choice)).docnos.astype(str).tolist())
        pools.plan_pool(cast.collection, by=cast.organizer, runs=runs, strategy="strata", seed=seed, **STRATA)
        gave = [(share.pooled, share.unique) for share in plans.plan(cast.collection, choice).shares]
        assert drawn_by_job(cast) == (docnos, gave, seed)
        samples.add(tuple(docnos))
    assert len(samples) == 3 and len({plans.choice(runs, "strata", STRATA, seed).digest for seed in (1, 2)}) == 2

    form = {"strategy": "strata", **STRATA, "ties": "evaluation", "runs": [run.pk for run in runs]}
    shown = olga.post(f"{HERE}pool/", {**form, "plan": "1"})
    plan, seed = shown.context["plan"], shown.context["form"]["seed"].value()
    assert olga.post(f"{HERE}pool/", {**form, "shown": plan.choice.digest}).context["changed"]  # another seed is another choice
    assert olga.post(f"{HERE}pool/", {**form, "seed": seed, "shown": plan.choice.digest}).status_code == 302
    assert drawn_by_job(cast)[1:] == ([(share.pooled, share.unique) for share in plan.shares], int(seed))

    Job.objects.all().delete()
    call, body = caller_for(cast.organizer), {"strategy": "strata", "parameters": STRATA}
    told = call("POST", "/collections/harbour-trials/pools/plan", body)
    call("POST", "/collections/harbour-trials/pools", {**body, "seed": told["seed"]})
    assert drawn_by_job(cast)[1:] == ([(run["pooled"], run["unique"]) for run in told["runs"]], told["seed"])
    with pytest.raises(Refusal, match="seed: Expected at least 0; found -1"):
        plans.choice(runs, "strata", STRATA, -1)


def test_ties_by_chance_are_drawn_as_they_were_planned(cast: Cast, caller_for: CallerFor) -> None:
    files.take_topics(cast.collection, cast.organizer)
    for tag in "pqrst":
        take_run(cast.collection, cast.organizer, run_file(tag, t1=f"{tag}1 {tag}2"))
    call, drawn = caller_for(cast.organizer), set()
    body = {"strategy": "rrf", "parameters": {"budget": 2, "ties": "random"}}
    for seed in range(4):
        told = call("POST", "/collections/harbour-trials/pools/plan", {**body, "seed": seed})
        call("POST", "/collections/harbour-trials/pools", {**body, "seed": told["seed"]})
        docnos, gave, kept = drawn_by_job(cast)
        assert (gave, kept) == ([(run["pooled"], run["unique"]) for run in told["runs"]], seed)
        drawn.add(tuple(docnos))
        Job.objects.all().delete()
    assert len(drawn) > 1 and {docno[1] for pair in drawn for docno in pair} == {"1"}
    draw(cast, "rrf", budget=1)
    chance = {"depth": 1, "max_per_topic": 3, "ties": "random"}
    curve = plans.plan(cast.collection, plans.choice(Run.objects.select_related("upload"), "depth", chance, 9)).curve
    deeper = plans.plan(cast.collection, plans.choice(Run.objects.select_related("upload"), "depth", {**chance, "depth": 2}, 9))
    assert (curve[1].items, curve[1].new) == (deeper.items, deeper.new)


@pytest.mark.parametrize("quotas", [{}, {"max_per_topic": 2}, {"min_per_topic": 3}, {"min_per_topic": 2, "max_per_topic": 3}])
def test_every_depth_of_a_plan_tells_what_drawing_it_then_adds(cast: Cast, quotas: dict[str, int]) -> None:
    runs = files.fill(cast.collection, cast.organizer)
    files.draw_round(cast.collection, cast.organizer, "take", runs[1], budget=2)
    curve = plans.plan(cast.collection, plans.choice(runs, "depth", {"depth": 1, **quotas})).curve
    for size in curve[:4]:
        drawn = plans.plan(cast.collection, plans.choice(runs, "depth", {"depth": size.depth, **quotas}))
        assert (size.items, size.new) == (drawn.items, drawn.new), size
    assert {size.items - size.new for size in curve} != {0}


def test_a_round_keeps_how_it_was_drawn(cast: Cast) -> None:
    alpha, beta = files.fill(cast.collection, cast.organizer)
    pool = draw(cast, "depth", depth=1)
    assert (pool.strategy, pool.parameters, pool.drawn_by) == ("depth", {"depth": 1, "ties": "evaluation"}, cast.organizer)
    told = {"version": 1, "pooled": 3, "group_pooled": 3}
    assert pool.used == [
        {"tag": "alpha", "group": "North", "sha256": alpha.upload.sha256, **told, "unique": 2, "group_unique": 2},
        {"tag": "beta", "group": "South", "sha256": beta.upload.sha256, **told, "unique": 2, "group_unique": 2},
    ]
    assert Pool.objects.get(seed=pool.seed) == pool


def test_a_group_gives_what_any_of_its_runs_has_once(cast: Cast, olga: Client, caller_for: CallerFor) -> None:
    files.fill(cast.collection, cast.organizer)  # alpha of North, beta of South
    take_run(cast.collection, cast.organizer, run_file("gamma", t1="d2 d5"), group="North")
    take_run(cast.collection, cast.organizer, run_file("North", t1="d3 d4"))  # of no group, with a group's name as its tag
    told = [("North", "", 2, 5, 2), ("South", "", 1, 6, 2), ("", "North", 1, 2, 1)]
    plan = plans.plan(cast.collection, plans.choice(Run.objects.select_related("upload"), "depth", {"depth": 2}))
    assert [tuple(row.values()) for row in plan.groups] == told
    draw(cast, "depth", depth=2)
    call = caller_for(cast.organizer)
    assert [tuple(row.values()) for row in call("GET", "/collections/harbour-trials/pools/1")["groups"]] == told
    table = olga.get(f"{HERE}pool/1/").content.decode().partition("What each group contributed")[2].partition("</table>")[0]
    words = re.sub(r"<[^>]+>", " ", table.partition("<tbody>")[2]).split()
    assert " ".join(words) == "North 2 5 2 South 1 6 2 North alone 1 2 1"


def test_a_round_drawn_before_groups_were_counted_tells_what_it_knows(cast: Cast, olga: Client) -> None:
    files.fill(cast.collection, cast.organizer)
    take_run(cast.collection, cast.organizer, run_file("gamma", t1="d5"), group="North")
    pool = draw(cast, "depth", depth=1)
    pool.used = [{name: value for name, value in row.items() if name != "group_pooled"} for row in pool.used]
    pool.save()
    rows = olga.get(f"{HERE}pool/1/").context["groups"]
    assert [(row["group"], row["runs"], row["pooled"]) for row in rows] == [("North", 2, None), ("South", 1, 3)]


def test_the_first_runs_of_each_group_are_pooled(cast: Cast) -> None:
    files.fill(cast.collection, cast.organizer)
    take_run(cast.collection, cast.organizer, run_file("gamma", t1="d5"), group="North", priority="2")
    assert [row["tag"] for row in draw(cast, "depth", depth=1, per_group=1).used] == ["alpha", "beta"]


def test_wrong_choices_are_refused(cast: Cast) -> None:
    runs = files.fill(cast.collection, cast.organizer)
    for strategy, values in (("best", {}), ("depth", {"depth": 0}), ("depth", {"budget": 1})):
        with pytest.raises(Refusal, match=r"[Ee]xpected|has no parameter"):
            plans.choice(runs, strategy, values)
    assert plans.sizes(cast.collection, []) == []


def test_a_matrix_is_extended_by_a_further_run(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = files.fill(cast.collection, cast.organizer)
    first = matrices.matrix_of(runs, 10)
    read: list[Path] = []
    load = matrices._rankings

    def noted(file: Path) -> Rankings:
        read.append(file)
        return load(file)

    monkeypatch.setattr(matrices, "_rankings", noted)
    assert matrices.matrix_of(runs, 10) is first and not read
    third = take_run(cast.collection, cast.organizer, run_file("gamma", t1="d5"))
    more = matrices.matrix_of([*runs, third], 10)
    assert (more.tags, len(read)) == (("alpha", "beta", "gamma"), 1)
    assert more.rows[0] is first.rows[0]


def test_who_found_an_item_at_which_rank(cast: Cast, olga: Client) -> None:
    files.fill(cast.collection, cast.organizer)
    draw(cast, "depth", depth=2)
    items = list(selectors.pool_list(cast.collection, topic="1"))
    found = plans.found_by(list(Run.objects.order_by("pk")), items)
    assert dict(zip([item.docno for item in items], found, strict=True)) == {
        "d1": [("alpha", 1)],
        "d2": [("beta", 1), ("alpha", 2)],
        "d4": [("beta", 2)],
    }
    page = olga.get(f"{HERE}pool/items/?topic=1")
    assert [(item.docno, ranks) for item, ranks in page.context["rows"]] == list(zip(["d1", "d2", "d4"], found, strict=True))
    assert olga.get(f"{HERE}pool/items/?topic=1&missing=1").context["rows"] == []
    assert olga.get(f"{HERE}pool/1/").status_code == 200


def test_ranks_are_told_with_ties_as_the_round_has_them(cast: Cast, olga: Client, caller_for: CallerFor) -> None:
    files.take_topics(cast.collection, cast.organizer)
    tied = "".join(f"1 Q0 {docno} 1 5 tied\n" for docno in "abc").encode()
    take_run(cast.collection, cast.organizer, tied)
    draw(cast, "depth", depth=1, ties="docno-ascending")
    draw(cast, "depth", depth=2)
    told = [("a", 1, {"tied": 1}), ("b", 2, {"tied": 2}), ("c", 1, {"tied": 1})]
    rows = olga.get(f"{HERE}pool/items/").context["rows"]
    assert [(item.docno, item.best_rank, dict(ranks)) for item, ranks in rows] == told
    items = caller_for(cast.organizer)("GET", "/collections/harbour-trials/pools/items")
    assert [(item["docno"], item["best_rank"], item["runs"]) for item in items] == told


def test_the_pool_as_files(cast: Cast, olga: Client) -> None:
    files.fill(cast.collection, cast.organizer)
    draw(cast, "depth", depth=1)

    def body(form: str) -> str:
        return b"".join(olga.get(f"{HERE}pool/file/{form}/")).decode()

    assert body("txt") == "1 d1\n1 d2\n10 d5\n2 d1\n2 d3\n"
    rows = list(csv.DictReader(io.StringIO(body("csv"))))
    assert rows[0] == {"topic": "1", "docno": "d1", "round": "1", "best_rank": "1", "runs": "1", "present": "yes"}
    told = json.loads(body("json"))
    assert told[1] == {
        "topic": "1",
        "docno": "d2",
        "round": 1,
        "best_rank": 1,
        "present": True,
        "runs": {"beta": 1, "alpha": 2},
        "picked": None,
        "stratum": None,
        "inclusion": None,
    }
    assert olga.get(f"{HERE}pool/file/exe/").status_code == 404


def test_an_empty_pool_is_an_empty_list(cast: Cast, olga: Client) -> None:
    assert json.loads(b"".join(olga.get(f"{HERE}pool/file/json/"))) == []


def test_plans_and_items_by_api(cast: Cast, caller_for: CallerFor) -> None:
    files.fill(cast.collection, cast.organizer)
    call = caller_for(cast.organizer)
    kinds = {strategy["name"]: strategy["kind"] for strategy in call("GET", "/strategies")}
    assert [kinds[name] for name in ("depth", "rrf", "mtf", "two-strata")] == ["fixed", "fixed", "adaptive", "sampled"]
    here = "/collections/harbour-trials"
    plan = call("POST", f"{here}/pools/plan", {"depth": 2, "seconds": 36})
    assert (plan["items"], plan["new"], plan["hours"]) == (7, 7, 0.07)
    assert [size["items"] for size in plan["depths"][:3]] == [5, 7, 8]
    assert [(topic["topic"], topic["items"]) for topic in plan["topics"]] == [("1", 3), ("2", 2), ("10", 2)]
    plan = call("POST", f"{here}/pools/plan", {"strategy": "rbp", "parameters": {"budget": 1}})
    assert (plan["items"], plan["depths"]) == (3, [])
    draw(cast, "depth", depth=1)
    assert call("GET", f"{here}/pools/1")["used"][0]["tag"] == "alpha"
    [item] = call("GET", f"{here}/pools/items?topic=10")
    assert (item["docno"], item["runs"]) == ("d5", {"alpha": 1, "beta": 1})
    assert call("GET", f"{here}/pools/items?page=1000000") == []
    [far] = call("GET", f"{here}/pools/items?page={10**20}")["error"]["details"]["fields"]
    assert far["message"] == f"Expected at most 1000000; found {10**20}."
    wrong = call("POST", f"{here}/pools/plan", {"strategy": "depth", "parameters": {"k": 3}})
    assert "has no parameter “k”" in wrong["error"]["message"]
