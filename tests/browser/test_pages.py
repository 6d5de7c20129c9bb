"""Every page that somebody can open, looked at: well filled, empty, and with a form that was refused."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from django.template.loader import render_to_string
from django.urls import URLPattern, URLResolver, get_resolver
from playwright.sync_api import Page, Response, expect

from config import accounts, http
from config.models import Throttle
from tests import factories
from tests.browser.look import PHONE, WIDE, look
from tests.browser.world import World
from tests.chromium import NewPage, is_a_page, sign_in
from tests.site import Site

if TYPE_CHECKING:
    from config.models import User

pytestmark = pytest.mark.once


@dataclass(frozen=True)
class Case:
    """A page in one state. `who` and `path` read the world; `act` is done on the page before it is looked at."""

    name: str
    view: str  # the name of the address this is a case of
    who: str  # attribute of World, or "" for nobody
    path: str  # formatted with the world as w
    act: Callable[[Page], None] | None = None
    status: int = 200


def press(button: str, **values: str) -> Callable[[Page], None]:
    """Fill in fields by label, press a button, and let the server judge: the browser's own checks are off."""

    def act(page: Page) -> None:
        form = page.locator("form", has=page.get_by_role("button", name=button, exact=True)).last
        form.evaluate("form => { form.noValidate = true }")
        for label, value in values.items():
            form.get_by_label(label.replace("_", " ")).first.fill(value)
        form.get_by_role("button", name=button, exact=True).click()
        expect(page.get_by_role("alert")).to_be_visible()

    return act


def all_in_view(page: Page) -> None:
    """On a small screen each table of agreement is there as a whole; on a phone each figure has a line."""
    page.set_viewport_size({"width": 1000, "height": 800})
    over = (
        "[...document.querySelectorAll('.scroll')].filter(box => box.scrollWidth > box.clientWidth).map(box => box.ariaLabel)"
    )
    assert page.evaluate(over) == []
    page.set_viewport_size({"width": 360, "height": 740})
    heights = "[...document.querySelectorAll('td.whole, td.aside, td:has(.interval-cell)')].map(cell => cell.clientHeight)"
    assert max(page.evaluate(heights)) < 40


def one_ground(page: Page) -> None:
    """On a phone the row that stands out does so as one: the gaps between its cells, too."""
    page.set_viewport_size({"width": 360, "height": 740})
    ground = page.locator("tr.mine").evaluate("row => getComputedStyle(row).backgroundColor")
    assert ground != "rgba(0, 0, 0, 0)"


def open_dialog(button: str) -> Callable[[Page], None]:
    def act(page: Page) -> None:
        page.get_by_role("button", name=button).first.click()
        expect(page.get_by_role("dialog")).to_be_visible()

    return act


def click(button: str) -> Callable[[Page], None]:
    def act(page: Page) -> None:
        with page.expect_navigation():
            page.get_by_role("button", name=button).first.click()

    return act


def unfold(summary: str) -> Callable[[Page], None]:
    return lambda page: page.locator("summary", has_text=summary).click()


def open_guidelines(page: Page) -> None:
    page.get_by_role("link", name="Guidelines").click()
    expect(page.get_by_role("dialog", name="Guidelines").get_by_text("Judge by the text.")).to_be_visible()


def score_own(page: Page) -> None:
    """A run of one's own, which lacks most topics."""
    lines = "".join(f"{topic} Q0 HAR-{n:04} 1 {60 - n} mine\n" for topic in (301, 302) for n in range(40))
    page.locator("input[type=file]").set_input_files({"name": "mine.run", "mimeType": "text/plain", "buffer": lines.encode()})
    page.get_by_role("button", name="Score it").click()
    expect(page.get_by_role("table")).to_be_visible()


def new_token(page: Page) -> None:
    page.locator("summary", has_text="New token").click()
    page.locator("#tokens").get_by_label("Name").fill("notebook")
    page.get_by_role("button", name="Make the token").click()
    expect(page.get_by_label("Your new token")).to_have_value(re.compile("^asz_"))


def bad_scale(page: Page) -> None:
    page.locator("[name=grade-1-label]").fill("")
    page.locator("[name=grade-2-key]").fill("x")
    page.locator("[name=lenient_from]").fill("")
    press("Save the scale")(page)


def impossible_scale(page: Page) -> None:
    page.locator("[name=grade-2-value]").fill("1")
    press("Save the scale")(page)


def no_rule(page: Page) -> None:
    page.locator("[name=rule]:checked").evaluate("choice => { choice.checked = false }")
    page.locator("#freezing").evaluate("form => { form.noValidate = true }")
    open_dialog("Freeze a release…")(page)
    page.get_by_role("dialog").get_by_role("button", name="Freeze a release").click()
    expect(page.get_by_role("alert")).to_be_visible()


def bad_token(page: Page) -> None:
    page.locator("summary", has_text="New token").click()
    press("Make the token", Name="")(page)


MAIN, RELEASED, LINE = "/c/{w.main.slug}/", "/c/{w.frozen.slug}/", "/c/{w.line.slug}/"
JUDGED = "/c/{w.judged.slug}/"
FOUR = (
    "&".join(f"runs=reranked-dense-rm3-titl{end}" for end in ("e0", "1"))
    + "&runs=reranked-dense-rm3-tit2&runs=reranked-dense-rm3-ti3"
)
CASES = [
    Case("home", "home", "organizer", "/"),
    Case("home-empty", "home", "newcomer", "/"),
    Case("home-stranger", "home", "", "/"),
    Case("create", "create_collection", "organizer", "/collections/new/"),
    Case(
        "create-error",
        "create_collection",
        "organizer",
        "/collections/new/",
        press("Make the collection", Address="No Good"),
        422,
    ),
    Case("collection", "collection", "organizer", MAIN),
    Case("collection-assessor", "collection", "assessor", MAIN),
    Case("collection-fresh", "collection", "organizer", "/c/{w.fresh.slug}/"),
    Case("collection-long", "collection", "organizer", "/c/long-name/"),
    Case("collection-arabic", "collection", "organizer", "/c/{w.arabic.slug}/"),
    Case("collection-chinese", "collection", "organizer", "/c/{w.chinese.slug}/"),
    Case("collection-archived", "collection", "organizer", "/c/{w.archived.slug}/"),
    Case("collection-public", "collection", "", "/c/{w.public.slug}/"),
    Case("settings", "edit_collection", "organizer", MAIN + "settings/"),
    Case(
        "settings-error", "edit_collection", "organizer", MAIN + "settings/", press("Save", Official_measures="AP n-DCG"), 422
    ),
    Case("settings-archived", "edit_collection", "organizer", "/c/{w.archived.slug}/settings/"),
    Case("settings-dialog", "edit_collection", "organizer", MAIN + "settings/", open_dialog("Archive")),
    Case("scale", "scale", "assessor", MAIN + "scale/"),
    Case("scale-frozen", "scale", "organizer", "/c/{w.frozen.slug}/scale/"),
    Case("scale-edit", "scale", "organizer", MAIN + "scale/"),
    Case("scale-error", "scale", "organizer", MAIN + "scale/", bad_scale, 422),
    Case("scale-impossible", "scale", "organizer", MAIN + "scale/", impossible_scale, 422),
    Case("guidelines", "guidelines", "organizer", MAIN + "guidelines/"),
    Case("guidelines-empty", "guidelines", "organizer", "/c/{w.fresh.slug}/guidelines/"),
    Case("guidelines-none", "guidelines", "", "/c/{w.public.slug}/guidelines/"),
    Case("guidelines-old", "guideline_version", "assessor", MAIN + "guidelines/1/"),
    Case("guidelines-edit", "write_guideline", "organizer", MAIN + "guidelines/edit/"),
    Case(
        "guidelines-error",
        "write_guideline",
        "organizer",
        MAIN + "guidelines/edit/",
        press("Save as version 3", Guidelines=""),
        422,
    ),
    Case("members", "members", "organizer", MAIN + "members/"),
    Case("members-fresh", "members", "organizer", "/c/{w.fresh.slug}/members/"),
    Case("members-past", "members", "organizer", "/c/{w.frozen.slug}/members/", unfold("Past members")),
    Case("members-archived", "members", "organizer", "/c/{w.archived.slug}/members/"),
    Case("members-dialog", "members", "organizer", "/c/{w.frozen.slug}/members/", open_dialog("Remove")),
    Case(
        "members-error",
        "members",
        "organizer",
        "/c/{w.frozen.slug}/members/",
        press("Make the invitation", Send_to="ines@"),
        422,
    ),
    Case(
        "machine-error", "members", "organizer", "/c/{w.frozen.slug}/members/", press("Add the machine", Name="llm judge"), 422
    ),
    Case("topics", "topics", "organizer", LINE + "topics/"),
    Case("topics-assessor", "topics", "assessor", LINE + "topics/"),
    Case("topics-fresh", "topics", "organizer", "/c/{w.fresh.slug}/topics/"),
    Case("topics-frozen", "topics", "organizer", "/c/{w.frozen.slug}/topics/"),
    Case("topics-error", "topics", "organizer", LINE + "topics/", press("Upload and check"), 422),
    Case("topic", "topic", "organizer", LINE + "topics/3/"),
    Case("topic-reader", "topic", "assessor", LINE + "topics/3/"),
    Case("topic-error", "topic", "organizer", LINE + "topics/3/", press("Save", Title=""), 422),
    Case("documents", "documents", "organizer", LINE + "documents/"),
    Case("documents-fresh", "documents", "organizer", "/c/{w.fresh.slug}/documents/"),
    Case("upload-accepted", "upload", "organizer", LINE + "uploads/{w.accepted.pk}/"),
    Case("upload-refused", "upload", "organizer", LINE + "uploads/{w.refused.pk}/"),
    Case("upload-live", "upload", "organizer", LINE + "uploads/{w.checking.pk}/"),
    Case("upload-lost", "upload", "organizer", LINE + "uploads/{w.lost.pk}/"),
    Case("runs", "runs", "organizer", LINE + "runs/"),
    Case("runs-participant", "runs", "rival", LINE + "runs/"),
    Case("runs-fresh", "runs", "organizer", "/c/{w.fresh.slug}/runs/"),
    Case("runs-archived", "runs", "organizer", "/c/{w.archived.slug}/runs/"),
    Case("runs-error", "runs", "organizer", LINE + "runs/", press("Upload and check", Group="x" * 90), 422),
    Case("run", "run", "organizer", LINE + "runs/bm25-rm3-1/"),
    Case("run-withdraw", "run", "rival", LINE + "runs/dense-late/", open_dialog("Withdraw…")),
    Case("runs-withdrawn", "runs", "rival", LINE + "runs/", unfold("Withdrawn runs")),
    Case("upload-withdrawn", "upload", "rival", "/c/{w.line.slug}/uploads/{w.withdrawn.pk}/"),
    Case("run-edit", "edit_run", "organizer", LINE + "runs/bm25-rm3-1/edit/"),
    Case("rules", "rules", "organizer", LINE + "rules/"),
    Case("search-document", "search_document", "assessor", "/c/{w.adaptive.slug}/search/document/?docno=AD03&q=smolts"),
    Case("drafts", "drafts", "organizer", LINE + "drafts/"),
    Case("draft", "draft", "organizer", LINE + "drafts/{w.draft.pk}/"),
    Case("search", "search", "assessor", "/c/{w.adaptive.slug}/search/?topic=1&q=smolts+turbine"),
    Case("strategies", "compare_strategies", "organizer", "/c/{w.adaptive.slug}/pool/compare/"),
    Case("adaptive", "adaptive", "organizer", "/c/{w.adaptive.slug}/progress/adaptive/"),
    Case("baseline", "make_baseline", "organizer", LINE + "baseline/"),
    Case("rules-error", "rules", "organizer", LINE + "rules/", press("Save", Results_per_topic="0"), 422),
    Case("pool", "pool", "organizer", LINE + "pool/"),
    Case("pool-rrf", "pool", "organizer", LINE + "pool/?strategy=rrf", unfold("This plan by run")),
    Case("pool-round", "pool_round", "organizer", LINE + "pool/2/"),
    Case("pool-items", "pool_items", "organizer", LINE + "pool/items/?topic=3"),
    Case("pool-items-missing", "pool_items", "organizer", "/c/{w.undocumented.slug}/pool/items/?missing=1"),
    Case("pool-items-none", "pool_items", "organizer", "/c/{w.fresh.slug}/pool/items/"),
    Case("pool-fresh", "pool", "organizer", "/c/{w.fresh.slug}/pool/"),
    Case("pool-runless", "pool", "organizer", "/c/{w.runless.slug}/pool/"),
    Case("pool-missing", "pool", "organizer", "/c/{w.undocumented.slug}/pool/", unfold("The first 20")),
    Case("pool-error", "pool", "organizer", LINE + "pool/?strategy=depth", press("Show the plan", Depth="0"), 422),
    Case("collection-line", "collection", "organizer", LINE),
    Case("judge", "judge", "assessor", JUDGED + "judge/"),
    Case("judge-keys", "judge", "assessor", JUDGED + "judge/", lambda page: page.keyboard.press("?")),
    Case("judge-script", "judge", "second", JUDGED + "judge/"),
    Case("judge-seat", "seat", "assessor", JUDGED + "judge/{w.seat}/"),
    Case("judge-text", "seat_text", "assessor", JUDGED + "judge/{w.seat}/text/"),
    Case("judge-none", "judge", "idle", JUDGED + "judge/"),
    Case("judge-done", "judge", "done", "/c/{w.chinese.slug}/judge/"),
    Case("judge-many", "judge_many", "assessor", JUDGED + "judge/many/"),
    Case("judge-page", "judge", "reader", JUDGED + "judge/"),
    Case("judge-list", "judge_list", "assessor", JUDGED + "judge/list/"),
    Case("judge-history", "judge_history", "assessor", JUDGED + "judge/history/?topic=1"),
    Case("judge-history-none", "judge_history", "idle", JUDGED + "judge/history/"),
    Case("judge-list-none", "judge_list", "idle", JUDGED + "judge/list/"),
    Case("home-assessor", "home", "assessor", "/"),
    Case("home-umpire", "home", "umpire", "/"),
    Case("collection-judging", "collection", "organizer", JUDGED),
    Case("assign", "assign", "organizer", JUDGED + "assign/"),
    Case("assign-error", "assign", "organizer", JUDGED + "assign/", press("Assign these topics", Overlap="120"), 422),
    Case("assign-none", "assign", "organizer", "/c/{w.fresh.slug}/assign/"),
    Case("progress", "progress", "organizer", JUDGED + "progress/"),
    Case("progress-shared", "progress", "organizer", "/c/shared-topics/progress/"),
    Case("held", "held", "organizer", "/c/shared-topics/progress/held/{w.holder.username}/"),
    Case("held-none", "held", "organizer", "/c/shared-topics/progress/held/{w.novice.username}/"),
    Case("progress-none", "progress", "organizer", "/c/{w.fresh.slug}/progress/"),
    Case("questions", "questions", "organizer", JUDGED + "questions/"),
    Case("questions-none", "questions", "organizer", "/c/{w.fresh.slug}/questions/"),
    Case("own-questions", "own_questions", "assessor", JUDGED + "judge/questions/"),
    Case("own-questions-none", "own_questions", "idle", JUDGED + "judge/questions/"),
    Case("practice", "practice", "novice", JUDGED + "judge/practice/"),
    Case("practice-guidelines", "practice", "novice", JUDGED + "judge/practice/", open_guidelines),
    Case("practice-none", "practice", "idle", JUDGED + "judge/practice/"),
    Case("practice-sets", "practice_sets", "organizer", JUDGED + "practice/?topic=3"),
    Case("practice-sets-error", "practice_sets", "organizer", JUDGED + "practice/", press("Save", Documents="D1 many"), 422),
    Case("assign-found", "assign", "organizer", JUDGED + "assign/?find=mirja&show=left"),
    Case("agreement", "agreement", "organizer", JUDGED + "agreement/"),
    Case("agreement-three", "agreement", "organizer", RELEASED + "agreement/", all_in_view),
    Case("agreement-none", "agreement", "organizer", "/c/{w.fresh.slug}/agreement/"),
    Case("agreement-cell", "agreement_documents", "organizer", JUDGED + "agreement/documents/?a=1&b=2"),
    Case("document", "document", "organizer", JUDGED + "document/?topic=1&docno={w.docno}"),
    Case("agreement-own", "own_agreement", "second", JUDGED + "judge/agreement/"),
    Case("merge", "merge_plan", "organizer", JUDGED + "merge/", one_ground),
    Case(
        "merge-error",
        "merge_plan",
        "organizer",
        JUDGED + "merge/",
        press("Save", Adjudicate_when_grades_differ_by_at_least="9"),
        422,
    ),
    Case("adjudicate", "adjudicate", "organizer", JUDGED + "adjudicate/"),
    Case("adjudicate-adjudicator", "adjudicate", "umpire", JUDGED + "adjudicate/"),
    Case("adjudicate-none", "adjudicate", "organizer", "/c/{w.fresh.slug}/adjudicate/"),
    Case("decide", "decide", "umpire", JUDGED + "adjudicate/topics/1/", unfold("Reason, comment, precedent")),
    Case("decisions", "decisions", "organizer", JUDGED + "adjudicate/decisions/1/"),
    Case("release-diff", "release_diff", "newcomer", RELEASED + "releases/2/diff/1/"),
    Case("release-withdrawn", "release", "organizer", RELEASED + "releases/3/", None, 410),
    Case("dataset", "dataset", "newcomer", RELEASED + "data/"),
    Case("dataset-none", "dataset", "organizer", MAIN + "data/"),
    Case("effect", "effect", "organizer", RELEASED + "effect/"),
    Case("effect-none", "effect", "organizer", MAIN + "effect/"),
    Case("import-qrels", "import_qrels", "organizer", JUDGED + "import-qrels/"),
    Case("releases", "releases", "organizer", RELEASED + "releases/"),
    Case("releases-dialog", "releases", "organizer", RELEASED + "releases/", open_dialog("Freeze a release…")),
    Case("releases-researcher", "releases", "newcomer", RELEASED + "releases/"),
    Case("releases-none", "releases", "organizer", MAIN + "releases/"),
    Case("releases-live", "releases", "organizer", "/c/{w.arabic.slug}/releases/"),
    Case("releases-error", "releases", "organizer", RELEASED + "releases/", no_rule, 422),
    Case("release", "release", "organizer", RELEASED + "releases/2/"),
    Case("release-old", "release", "newcomer", RELEASED + "releases/1/"),
    Case("leaderboard", "leaderboard", "organizer", RELEASED + "leaderboard/"),
    Case(
        "leaderboard-researcher", "leaderboard", "newcomer", RELEASED + "leaderboard/?view=strict&release=1", unfold("By topic")
    ),
    Case("leaderboard-none", "leaderboard", "organizer", MAIN + "leaderboard/"),
    Case("leaderboard-live", "leaderboard", "organizer", "/c/{w.arabic.slug}/leaderboard/"),
    Case("topic-scores", "topic_scores", "newcomer", RELEASED + "leaderboard/topics/301/"),
    Case("topic-scores-none", "topic_scores", "newcomer", RELEASED + "leaderboard/topics/312/?view=strict"),
    Case("run-scores", "run_scores", "newcomer", RELEASED + "scores/reranked-dense-rm3-title0/"),
    Case("compare", "compare", "newcomer", RELEASED + "compare/?runs=reranked-dense-rm3-title0&runs=reranked-dense-rm3-titl1"),
    Case("compare-four", "compare", "newcomer", RELEASED + "compare/?" + FOUR),
    Case("compare-choose", "compare", "newcomer", RELEASED + "compare/"),
    Case("leaderboard-sample", "leaderboard", "organizer", "/c/{w.sampled.slug}/leaderboard/"),
    Case("pool-report", "pool_report", "newcomer", RELEASED + "pool-report/"),
    Case("scoring", "scoring", "organizer", RELEASED + "scoring/"),
    Case("try-run", "try_run", "newcomer", RELEASED + "try/"),
    Case("try-report", "try_run", "newcomer", RELEASED + "try/", score_own),
    Case("try-error", "try_run", "newcomer", RELEASED + "try/", press("Score it"), 422),
    Case("kept-score", "kept_score", "newcomer", RELEASED + "try/{w.kept.pk}/"),
    Case("measures", "measures", "", "/measures/"),
    Case("guides", "guides", "", "/docs/"),
    Case("guide", "guide", "assessor", "/docs/guides/assessors/"),
    Case("collection-released", "collection", "organizer", RELEASED),
    Case("join", "join", "", "{w.open_link}"),
    Case("join-error", "join", "", "{w.open_link}", press("Make the account and join", The_same_again="no"), 422),
    Case("join-member", "join", "newcomer", "{w.open_link}"),
    Case("join-revoked", "join", "newcomer", "{w.revoked_link}", None, 410),
    Case("sign-in", "sign_in", "", "/sign-in/"),
    Case("sign-in-error", "sign_in", "", "/sign-in/", press("Sign in", User_name="nobody-here", Password="wrong"), 422),
    Case("reset", "reset", "", "/password/reset/"),
    Case("reset-error", "reset", "", "/password/reset/", press("Send the link"), 422),
    Case("reset-confirm", "reset_confirm", "", "{w.reset_path}"),
    Case("change-password", "change_password", "organizer", "/password/"),
    Case("change-password-error", "change_password", "organizer", "/password/", press("Change it", The_same_again="no"), 422),
    Case("profile", "profile", "organizer", "/profile/"),
    Case("profile-empty", "profile", "newcomer", "/profile/"),
    Case("profile-error", "profile", "newcomer", "/profile/", press("Save", Name="", **{"E-mail": "ines@"}), 422),
    Case("profile-token", "profile", "newcomer", "/profile/", new_token),
    Case("profile-token-error", "profile", "newcomer", "/profile/", bad_token, 422),
    Case("jobs", "jobs", "organizer", "/jobs/"),
    Case("jobs-empty", "jobs", "newcomer", "/jobs/"),
    Case("job-running", "job", "organizer", "/jobs/{w.running.pk}/"),
    Case("job-failed", "job", "organizer", "/jobs/{w.failed.pk}/"),
    Case("people", "people", "staff", "/people/"),
    Case("people-closed", "people", "staff", "/people/?q=Conrad", open_dialog("Delete")),
    Case("people-empty", "people", "staff", "/people/?q=nobody-of-this-name"),
    Case("person-link", "people", "staff", "/people/?q=Noor", click("Password link")),
    Case("status", "status", "staff", "/status/"),
    Case("api-docs", "api_docs", "organizer", "/api/docs/"),
]
ELSEWHERE = {"styleguide", "sign_up", "welcome"}  # test_styleguide.py, below, test_first_hour.py
FOR_PROGRAMS = {
    "guide_picture",
    "interactive_run",
    "healthz",
    "hours",
    "metrics",
    "news",
    "readyz",
    "job_output",
    "run_file",
    "withdrawn_file",
    "pool_file",
    "topics_file",
    "qrels",
    "live_qrels",
    "release_archive",
    "score_archive",
    "agreement_file",
    "board_file",
    "scores_csv",
    "topics_csv",
    "trec_eval",
    "alike",
    "seat_source",
}  # answered with JSON or a file


def names(patterns: list[URLPattern | URLResolver] | None = None) -> Iterator[tuple[str, str]]:
    for pattern in get_resolver().url_patterns if patterns is None else patterns:
        if isinstance(pattern, URLResolver):
            if pattern.namespace is None:  # the API is another door
                yield from names(pattern.url_patterns)
        elif pattern.name:
            yield pattern.name, str(pattern.pattern)


def test_every_page_is_looked_at(world: World, signed_in: Callable[[User], Page]) -> None:
    """An address that is in no case must be one that cannot be opened, only posted to."""
    page, looked_at = signed_in(world.staff), {case.view for case in CASES} | ELSEWHERE | FOR_PROGRAMS
    filled = {"slug:slug": world.main.slug, "uuid:seat": "00000000-0000-0000-0000-000000000001"}
    for name, route in names():
        if name in looked_at:
            continue
        path = re.sub(r"<([^>]+)>", lambda m: filled.get(m[1], "1"), route)
        answer = page.request.get(f"/{path}")
        assert answer.status == 405, f"{name}: a page that nobody looked at ({answer.status}); add a Case"


def _in_one_colour() -> set[str]:
    """Cases take turns in light and dark. Of a page whose cases all fell to the same one, the first is looked at in both."""
    turns: dict[str, set[int]] = {}
    first: dict[str, str] = {}
    for number, case in enumerate(CASES):
        turns.setdefault(case.view, set()).add(number % 2)
        first.setdefault(case.view, case.name)
    return {first[view] for view, seen in turns.items() if len(seen) == 1}


IN_BOTH = _in_one_colour()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_page(case: Case, world: World, going_on: Callable[[User | None], Page]) -> None:
    page = going_on(getattr(world, case.who) if case.who else None)
    answers: list[int] = []

    def note(response: Response) -> None:
        if is_a_page(response):
            answers.append(response.status)

    page.on("response", note)
    page.goto(case.path.format(w=world))
    if case.act:
        case.act(page)
    page.remove_listener("response", note)
    assert answers[-1] == case.status
    look(page, case.name, dark=CASES.index(case) % 2 == 1, both=case.name in IN_BOTH)


def test_what_was_said_and_decided_stands_in_columns(world: World, signed_in: Callable[[User], Page]) -> None:
    """Wide and on a phone: what is of one kind begins at one edge, however long what stands before it."""
    edges = "cells => new Set(cells.map(cell => Math.round(cell.getBoundingClientRect().x))).size"
    said = signed_in(world.assessor), JUDGED + "judge/history/?topic=1", ".told .grade-badge"
    for page, path, kind in (said, (signed_in(world.organizer), JUDGED + "adjudicate/decisions/1/", "td[data-label=Why] > *")):
        page.goto(path.format(w=world))
        for size in (WIDE, PHONE):
            page.set_viewport_size(size)  # type: ignore[arg-type]
            assert page.locator(kind).count() > 2 and page.locator(kind).evaluate_all(edges) == 1


def test_pictures_of_the_guides_do_not_glare_in_the_dark(site: Site, page: Page) -> None:
    page.goto("/docs/guides/assessors/")
    seen = "() => getComputedStyle(document.querySelector('.prose img')).filter"
    for scheme, media, dimmed in (("light", "screen", False), ("dark", "screen", True), ("dark", "print", False)):
        page.emulate_media(color_scheme=scheme, media=media)  # type: ignore[arg-type]
        assert page.evaluate(seen) == ("brightness(0.8)" if dimmed else "none")


def test_sign_up_and_password_link(queueless_site: Site, new_page: NewPage) -> None:
    page = new_page(queueless_site)
    page.goto("/sign-up/")
    look(page, "sign-up")
    person = factories.make_user("Paula Passwort")
    page.goto(accounts.make_link(person))
    look(page, "set-password")


def send(page: Page, action: str, **fields: str) -> None:
    """Send a form that no page has."""
    token = page.locator("[name=csrfmiddlewaretoken]").first.get_attribute("value") or ""
    script = """([action, fields]) => {
        const form = Object.assign(document.createElement("form"), {method: "post", action});
        for (const [name, value] of Object.entries(fields)) {
            form.append(Object.assign(document.createElement("textarea"), {name, value}));
        }
        document.body.append(form);
        form.submit();
    }"""
    with page.expect_navigation():
        page.evaluate(script, [action, {"csrfmiddlewaretoken": token, **fields}])


def test_error_pages(site: Site, world: World, signed_in: Callable[[User], Page]) -> None:
    staff, assessor = signed_in(world.staff), signed_in(world.assessor)
    staff.goto("/people/")
    send(staff, f"/people/{world.newcomer.pk}/standing/", act="crown")
    expect(staff.locator(".error-status")).to_contain_text("400")
    look(staff, "error-400")
    assessor.goto(f"/c/{world.main.slug}/settings/")
    expect(assessor.locator(".error-status")).to_contain_text("403")
    look(assessor, "error-403")
    assessor.goto("/c/no-such-collection/")
    expect(assessor.locator(".error-status")).to_contain_text("404")
    look(assessor, "error-404")
    assessor.goto("/sign-out/")
    expect(assessor.locator(".error-status")).to_contain_text("405")
    look(assessor, "error-405")
    assessor.goto(world.rival_link)
    assessor.get_by_role("button", name="Join as").click()
    expect(assessor.get_by_role("alert")).to_contain_text("You cannot join.")
    look(assessor, "join-refused")
    assessor.goto("/profile/")
    send(assessor, "/profile/", name="x" * 3_000_000)
    expect(assessor.locator(".error-status")).to_contain_text("413")
    look(assessor, "error-413")


def test_too_many_attempts(world: World, page: Page) -> None:
    accounts.hit("account:guessed", 10)
    Throttle.objects.filter(key="account:guessed").update(count=11)
    page.goto("/sign-in/")
    page.get_by_label("User name or e-mail").fill("guessed")
    page.get_by_label("Password").fill("guess")
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator(".error-status")).to_contain_text("429")
    look(page, "error-429")


@pytest.mark.parametrize("status", [500, 503])
def test_errors_of_ours(site: Site, page: Page, status: int) -> None:
    """Nothing breaks on demand, so the page is put in the place of an answer."""
    title, message, remedy = http.WORDS[status]
    reference = "5d0c6a1f9be2" if status == 500 else ""
    words = {"status": status, "title": title, "message": message, "remedy": remedy, "reference": reference}
    body = render_to_string("error.html", words)
    headers = {"Content-Security-Policy": http.CSP, "Content-Type": "text/html; charset=utf-8"}
    page.route("**/broken/", lambda route: route.fulfill(status=status, body=body, headers=headers))
    page.goto("/broken/")
    look(page, f"error-{status}")


def test_long_name_in_the_frame(site: Site, page: Page) -> None:
    person = factories.make_user("Wolfeschlegelsteinhausenbergerdorff-Featherstonehaugh")
    sign_in(page, person)
    page.goto("/")
    look(page, "long-user-name")
