"""The pages of a collection in two rows: the parts of the line, and the pages of the part one is in."""

from dataclasses import dataclass

from django.urls import reverse

from pooling import access
from pooling.models import Collection, Role

ANYBODY = frozenset({"anybody"})
ORGANIZER = frozenset({Role.ORGANIZER.value})
RELEASED = frozenset({"released"})  # whoever may see releases and scores


@dataclass(frozen=True)
class Page:
    label: str
    name: str  # of its address
    may: frozenset[str] = ORGANIZER
    also: tuple[str, ...] = ()  # addresses of pages that are reached from it


@dataclass(frozen=True)
class Tab:
    label: str
    href: str
    current: bool


PARTS: tuple[tuple[str, tuple[Page, ...]], ...] = (
    ("Overview", (Page("Overview", "collection", ANYBODY),)),
    (
        "Input",
        (
            Page("Topics", "topics", ANYBODY, ("topic",)),
            Page("Drafts", "drafts", also=("draft",)),
            Page("Documents", "documents"),
            Page("Runs", "runs", ORGANIZER | {Role.PARTICIPANT.value}, ("run", "edit_run", "rules", "make_baseline")),
        ),
    ),
    ("Pool", (Page("Pool", "pool", also=("pool_items", "pool_round")), Page("Compare strategies", "compare_strategies"))),
    (
        "Judging",
        (
            Page("My topics", "judge_list", frozenset({Role.ASSESSOR.value}), ("judge_history",)),
            Page("My questions", "own_questions", frozenset({Role.ASSESSOR.value})),
            Page("Progress", "progress", also=("adaptive", "held")),
            Page("Assign", "assign"),
            Page("Practice", "practice_sets"),
            Page("Search", "search", ORGANIZER | {Role.ASSESSOR.value}, ("search_document",)),
            Page("Questions", "questions"),
            Page("Agreement", "agreement", also=("agreement_documents", "document")),
            Page("Adjudicate", "adjudicate", ORGANIZER | {Role.ADJUDICATOR.value}, ("decisions",)),
            Page("Merge", "merge_plan"),
            Page("Guidelines", "guidelines", ANYBODY, ("guideline_version", "write_guideline")),
            Page("Scale", "scale", ANYBODY),
        ),
    ),
    (
        "Results",
        (
            Page("Leaderboard", "leaderboard", RELEASED, ("topic_scores", "run_scores")),
            Page("Compare", "compare", RELEASED),
            Page("Pool report", "pool_report", RELEASED),
            Page("Score a run", "try_run", RELEASED, ("kept_score",)),
            Page("Releases", "releases", RELEASED, ("release", "release_diff", "import_qrels")),
            Page("Data sheet", "dataset", RELEASED),
            Page("Does it matter?", "effect"),
            Page("Scoring", "scoring"),
        ),
    ),
    ("Members", (Page("Members", "members", also=("invite", "add_machine", "machine_token")),)),
    ("Settings", (Page("Settings", "edit_collection"),)),
)


def tabs(collection: Collection, held: set[str], here: str) -> tuple[list[Tab], list[Tab]]:
    """Both rows, as somebody with these roles sees them. A part with one page bears that page's name and has no second row."""
    kinds = {*held, "anybody", *(RELEASED if access.sees_released(held) else ())}
    parts, pages = list[Tab](), list[Tab]()
    for label, all_pages in PARTS:
        seen = [page for page in all_pages if page.may & kinds]
        if not seen:
            continue
        current = any(_is(page, here) for page in seen)
        href = reverse(seen[0].name, args=[collection.slug])
        parts.append(Tab(label if len(seen) > 1 else seen[0].label, href, current))
        if current and len(seen) > 1:
            pages = [Tab(page.label, reverse(page.name, args=[collection.slug]), _is(page, here)) for page in seen]
    return parts, pages


def _is(page: Page, here: str) -> bool:
    return here == page.name or here in page.also
