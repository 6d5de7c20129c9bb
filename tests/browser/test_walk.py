"""The whole line in real browsers: five people, from three files to a leaderboard; then its numbers are counted anew elsewhere."""

from __future__ import annotations

import csv
import json
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
import pytrec_eval
from playwright.sync_api import Page, expect
from pytest_django import Settings
from sklearn.metrics import cohen_kappa_score  # type: ignore[import-untyped]

from pooling.models import Collection, Role
from tests import factories
from tests.browser.look import look
from tests.chromium import NewPage, sign_in, sign_in_by_form
from tests.site import Site

pytestmark = pytest.mark.timeout(300)
TOPICS, DEPTH, POOLED, OVERLAP = 10, 20, 32, 0.25
JUDGMENTS = int(TOPICS * POOLED * (1 + OVERLAP))  # 400
SLUG = "walk-2026"


@pytest.fixture(autouse=True)
def _quick_passwords(settings: Settings) -> None:
    settings.PASSWORD_HASHERS = ["tests.chromium.OnceHasher"]


@dataclass
class Walk:
    """What the five have in their hands, and what the assessors pressed."""

    folder: Path
    pressed: dict[str, dict[tuple[str, str], int]] = field(default_factory=dict)

    def topics(self) -> Path:
        tops = (
            f"<top>\n<num> Number: {n}\n<title> harbour {n}\n<desc> Description:\nAll of harbour {n}.\n</top>\n"
            for n in numbers()
        )
        return self._write("topics.trec", "".join(tops))

    def documents(self) -> Path:
        lines = (json.dumps({"id": docno, "title": f"Report {docno}", "text": f"Ships of {docno}. " * 5}) for docno in docnos())
        return self._write("documents.jsonl", "\n".join(lines) + "\n")

    def run(self, place: int) -> Path:
        """Each run's first 20 are other 20 of the same 32, so that a pool of depth 20 has 32; behind it come unjudged ones."""
        lines = []
        for number in numbers()[place == 1 :]:  # the second one does not answer the first topic
            chance = random.Random(f"{place} {number}")
            here = docnos()[(number * 7) % 40 :][: POOLED + 20]
            front, behind = here[place * 4 :][:DEPTH], here[POOLED:]
            chance.shuffle(front)
            for rank, docno in enumerate(front + behind, 1):
                lines.append(f"{number} Q0 {docno} {rank} {50 - (rank + 1) // 2} run{place}")  # ties, two by two
        return self._write(f"run{place}.txt", "\n".join(lines) + "\n")

    def _write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path


def numbers() -> list[int]:
    return list(range(301, 301 + TOPICS))


def docnos() -> list[str]:
    return [f"HB-{n:03}" for n in range(150)]


def test_from_run_to_score(site: Site, new_page: NewPage, tmp_path: Path) -> None:
    walk = Walk(tmp_path)
    olga = _begin(site, new_page)
    collection = Collection.objects.get(slug=SLUG)
    people = {name: factories.make_user(f"{name} of the walk") for name in ("Ann", "Ben", "Pia", "Ray")}
    roles = (Role.ASSESSOR, Role.ASSESSOR, Role.PARTICIPANT, Role.RESEARCHER)
    for user, role in zip(people.values(), roles, strict=True):
        factories.join(collection, user, role)
    pages = {}
    for name, user in people.items():
        pages[name] = new_page(site)
        sign_in(pages[name], user)

    _send_files(olga, walk)
    _submit(pages["Pia"], walk)
    _pool_and_assign(olga)
    for name in ("Ann", "Ben"):
        walk.pressed[name] = _judge(pages[name], name)
    assert sum(map(len, walk.pressed.values())) == JUDGMENTS
    _watch(olga)
    kappas = _agreement(olga)
    assert kappas == pytest.approx(_kappas(walk), abs=5e-5)
    _freeze(olga)
    qrels = _download_qrels(pages["Ray"], walk)
    assert qrels == _first_opinions(walk)
    shown = _leaderboard(pages["Ray"], walk)
    assert shown == pytest.approx(_by_trec_eval(qrels, _download_runs(olga)), abs=5e-5)
    _scores_files(pages["Ray"], shown)
    _own_scores(pages["Pia"])


def _begin(site: Site, new_page: NewPage) -> Page:
    """The organizer makes the collection by its form."""
    page = new_page(site)
    sign_in_by_form(page, factories.make_user("Olga of the walk", staff=True))
    page.goto("/collections/new/")
    page.get_by_label("Name").fill("The walk")
    page.get_by_role("textbox", name="Address").fill(SLUG)
    page.get_by_role("button", name="Make the collection").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("The walk")
    return page


def _send(page: Page, where: str, *files: Path, group: str = "") -> None:
    page.goto(f"/c/{SLUG}/{where}/")
    page.locator("#send input[type=file]").set_input_files(files)
    if group:
        page.locator("#send").get_by_label("Group").fill(group)
    page.get_by_role("button", name="Upload and check").click()


def _send_files(olga: Page, walk: Walk) -> None:
    """A fault is named by its line, and nothing of that file is stored; then all goes in."""
    bad = walk._write("bad.jsonl", '{"id": "A", "text": "fine"}\n{"id": }\n')
    _send(olga, "documents", bad)
    expect(olga.get_by_text("Refused: 1 fault")).to_be_visible(timeout=30_000)
    expect(olga.get_by_role("row").filter(has_text="2").first).to_be_visible()
    look(olga, "walk-refused")
    _send(olga, "documents", walk.documents())
    expect(olga.get_by_text("150 documents are the collection's documents now.")).to_be_visible(timeout=30_000)
    _send(olga, "topics", walk.topics())
    expect(olga.get_by_text("10 topics are the collection's topics now.")).to_be_visible(timeout=30_000)
    _send(olga, "runs", *(walk.run(place) for place in range(3)), group="Harbour office")
    for place in range(3):
        expect(olga.get_by_role("link", name=f"run{place}", exact=True)).to_be_visible(timeout=30_000)
    look(olga, "walk-runs")


def _submit(pia: Page, walk: Walk) -> None:
    _send(pia, "runs", walk.run(3), group="Guests")
    expect(pia.get_by_role("link", name="run3", exact=True)).to_be_visible(timeout=30_000)
    expect(pia.get_by_role("link", name="run0", exact=True)).to_have_count(0)  # others' runs are not hers to see


def _pool_and_assign(olga: Page) -> None:
    olga.goto(f"/c/{SLUG}/pool/")
    olga.locator("#choice").get_by_label("Depth", exact=True).fill(str(DEPTH))
    olga.get_by_role("button", name="Show the plan").click()
    expect(olga.locator(".figures")).to_contain_text(str(TOPICS * POOLED))
    look(olga, "walk-plan")
    olga.get_by_label("Seconds per judgment").fill("20")
    expect(olga.get_by_role("button", name="Changed since this plan")).to_be_disabled()
    olga.get_by_role("button", name="Show the plan", exact=True).click()
    olga.get_by_role("button", name=f"Draw {TOPICS * POOLED} items").click()
    rounds = olga.get_by_role("region", name="Rounds")
    expect(rounds).to_contain_text(str(TOPICS * POOLED), timeout=30_000)
    expect(olga.get_by_role("heading", name="Draw another round")).to_be_visible()  # without a reload
    expect(olga.locator("#say")).to_have_text(f"Round 1: {TOPICS * POOLED} items drawn")
    expect(olga.locator("#rounds")).to_be_focused()
    look(olga, "walk-pool")
    olga.goto(f"/c/{SLUG}/assign/")
    auto = olga.locator("#auto")
    auto.get_by_label("Overlap, in %").fill(str(int(OVERLAP * 100)))
    auto.get_by_role("button", name="Share the topics out").click()
    expect(olga.get_by_role("status").first).to_contain_text(f"{JUDGMENTS} judgments wanted")


def _judge(page: Page, name: str) -> dict[tuple[str, str], int]:
    """To the end, by keys alone. What was pressed on which document, as the page showed it."""
    page.goto(f"/c/{SLUG}/judge/")
    expect(page.locator(".judge[data-ready]")).to_be_visible()
    pressed: dict[tuple[str, str], int] = {}
    while True:
        expect(page.locator("article:not([aria-busy]) .judge-docno, .empty")).to_be_visible(timeout=60_000)
        shown = page.evaluate(
            "() => { const one = q => document.querySelector(q)?.textContent; return [one('.judge-title'), one('.judge-docno')]; }"
        )
        if shown[1] is None:
            break
        if not pressed:
            look(page, "walk-judge")
        topic, docno = str(shown[0]).split()[-1], str(shown[1])
        assert (topic, docno) not in pressed
        grade = _opinion(name, topic, docno)
        pressed[topic, docno] = grade
        page.keyboard.press(str(grade))
    expect(page.get_by_role("heading", name="All judged")).to_be_visible()
    return pressed


def _opinion(name: str, topic: str, docno: str) -> int:
    """What an assessor finds: mostly what both find."""
    both, own = random.Random(f"{topic} {docno}"), random.Random(f"{name} {topic} {docno}")
    return both.choice([0, 0, 0, 1, 2, 3]) if own.random() < 0.7 else own.randrange(4)


def _watch(olga: Page) -> None:
    olga.goto(f"/c/{SLUG}/progress/")
    expect(olga.get_by_text("100 % done")).to_be_visible()
    look(olga, "walk-progress")


def _agreement(olga: Page) -> list[float]:
    olga.goto(f"/c/{SLUG}/agreement/")
    look(olga, "walk-agreement")
    cells = olga.get_by_role("region", name="Agreement of pairs").locator("tbody tr").first.locator("th, td").all_inner_texts()
    return [float(cells[place]) for place in (1, 2, 3, 6)]  # n, agreement, Cohen's, pooled


def _kappas(walk: Walk) -> list[float]:
    """By scikit-learn; with pooled marginals from the definition, each pair counted in both directions."""
    ann, ben = walk.pressed.values()
    both = sorted(ann.keys() & ben.keys())
    one, two = [ann[key] for key in both], [ben[key] for key in both]
    same = float(np.mean(np.array(one) == np.array(two)))
    pooled = cohen_kappa_score(one + two, two + one)
    return [len(both), same, cohen_kappa_score(one, two), pooled]


def _freeze(olga: Page) -> None:
    olga.goto(f"/c/{SLUG}/releases/")
    olga.get_by_role("button", name="Freeze a release…").click()
    olga.get_by_role("dialog").get_by_role("button", name="Freeze a release").click()
    expect(olga.get_by_role("link", name="Release 1", exact=True)).to_be_visible(timeout=30_000)
    expect(olga.locator("#say")).to_have_text(re.compile("^Release 1 is frozen"))
    look(olga, "walk-frozen")
    olga.get_by_role("link", name="Open release 1").click()
    olga.get_by_role("button", name="Make it private").click()
    expect(olga.locator("#toasts").get_by_text("Release 1 is private now.")).to_be_visible()
    olga.goto(f"/c/{SLUG}/leaderboard/")
    expect(olga.locator("table.board tbody tr")).to_have_count(4, timeout=30_000)
    look(olga, "walk-leaderboard")


def _download_qrels(ray: Page, walk: Walk) -> dict[str, dict[str, int]]:
    ray.goto(f"/c/{SLUG}/releases/1/")
    look(ray, "walk-release")
    found: dict[str, dict[str, int]] = {}
    for line in _downloaded(ray, f"{SLUG}-release-1.qrels").splitlines():
        topic, zero, docno, grade = line.split(" ")
        assert zero == "0"
        found.setdefault(topic, {})[docno] = int(grade)
    return found


def _downloaded(page: Page, link: str) -> str:
    with page.expect_download() as wanted:
        page.get_by_role("link", name=link, exact=True).click()
    return Path(wanted.value.path()).read_text(encoding="utf-8")


def _first_opinions(walk: Walk) -> dict[str, dict[str, int]]:
    """Each topic's primary assessor is the one who judged all of it."""
    found: dict[str, dict[str, int]] = {}
    for mine in walk.pressed.values():
        for topic in {topic for topic, _ in mine}:
            grades = {docno: grade for (number, docno), grade in mine.items() if number == topic}
            if len(grades) == POOLED:
                found[topic] = grades
    return found


HEADS = {"MAP": "map", "bpref": "bpref", "nDCG": "ndcg", "nDCG@10": "ndcg_cut_10", "P@10": "P_10"}


def _leaderboard(ray: Page, walk: Walk) -> dict[tuple[str, str], float]:
    ray.goto(f"/c/{SLUG}/leaderboard/")
    heads = [head.casefold() for head in ray.locator("table.board thead th").all_inner_texts()]
    found: dict[tuple[str, str], float] = {}
    for row in ray.locator("table.board tbody tr").all():
        cells = row.locator("th, td").all_inner_texts()
        found |= {
            (cells[0].split()[0], name): float(cells[heads.index(head.casefold())].split()[0]) for head, name in HEADS.items()
        }
    return found


def _download_runs(olga: Page) -> Iterator[tuple[str, dict[str, dict[str, float]]]]:
    for place in range(4):
        olga.goto(f"/c/{SLUG}/runs/run{place}/")
        run: dict[str, dict[str, float]] = {}
        for line in _downloaded(olga, "Download the file").splitlines():
            topic, _, docno, _, score, _ = line.split()
            run.setdefault(topic, {})[docno] = float(score)
        yield f"run{place}", run


def _by_trec_eval(
    qrels: dict[str, dict[str, int]], runs: Iterator[tuple[str, dict[str, dict[str, float]]]]
) -> dict[tuple[str, str], float]:
    """Means over all topics of the qrels: one that a run does not answer counts as zero."""
    found: dict[tuple[str, str], float] = {}
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"map", "bpref", "ndcg", "ndcg_cut.10", "P.10"})
    for tag, run in runs:
        scores = evaluator.evaluate(run)
        for name in HEADS.values():
            found[tag, name] = sum(scores[topic][name] for topic in scores) / len(qrels)
    return found


def _scores_files(ray: Page, shown: dict[tuple[str, str], float]) -> None:
    rows = list(csv.DictReader(_downloaded(ray, "CSV").splitlines()))
    assert {row["run"]: round(float(row["AP"]), 4) for row in rows} == {
        tag: value for (tag, name), value in shown.items() if name == "map"
    }
    ray.get_by_role("link", name="run3", exact=True).click()
    look(ray, "walk-run-scores")
    text = _downloaded(ray, "Download as trec_eval prints it")
    assert re.search(rf"^map\s+all\t{shown['run3', 'map']:.4f}$", text, re.MULTILINE)
    ray.goto(f"/c/{SLUG}/leaderboard/topics/301/")
    expect(ray.locator("table.board tbody tr")).to_have_count(4)
    look(ray, "walk-topic-scores")


def _own_scores(pia: Page) -> None:
    pia.goto(f"/c/{SLUG}/leaderboard/")
    expect(pia.locator("tr.mine")).to_contain_text("run3")
