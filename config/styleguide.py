"""Sample data for the styleguide page: every component in every state, without a query."""

from dataclasses import dataclass
from datetime import UTC, datetime

from django import forms
from django.contrib.messages import constants
from django.contrib.messages.storage.base import Message
from django.core.paginator import Paginator

from assess.watching import Line
from config import demo
from evaluation.core import charts
from evaluation.core.charts import Axis, Mark, Series
from pooling.tables import Table

LONG = "kelp-dense-reranked-with-a-very-long-name-that-nobody-would-write-by-hand-but-a-script-did-2026-11-04T03_17"
SCALE = (
    ("Not relevant", "Nothing on the topic"),
    ("Partially relevant", "Touches it in passing"),
    ("Relevant", "Answers part of it"),
    ("Highly relevant", "Devoted to it"),
)
# name, where it is used, contrast on paper in the light and in the dark theme
COLOURS = (
    ("ink", "text", "16.5", "14.8"),
    ("soft", "second text", "6.8", "7.5"),
    ("accent", "links, the one thing to do", "6.9", "9.2"),
    ("good", "done, saved", "6.7", "9.9"),
    ("warn", "stalled, unsent", "6.9", "8.7"),
    ("bad", "failed, errors", "7.2", "8.2"),
    ("line", "edges of controls", "3.5", "4.2"),
    ("hair", "hairlines", "", ""),
    ("wash", "ground of quiet areas", "", ""),
    ("sheet", "ground of controls", "", ""),
    ("paper", "ground of the page", "", ""),
)

# documents two assessors share, by grade of the first and of the second, and the shade of each cell
MATRIX = (
    ((812, 9), (61, 2), (7, 0), (1, 0)),
    ((48, 2), (203, 6), (39, 2), (4, 0)),
    ((6, 0), (31, 2), (118, 5), (17, 1)),
    ((0, 0), (3, 0), (14, 1), (64, 3)),
)


# how often each grade was given, by habit
GIVEN = {"Anjali Rao": [124, 40, 24, 12], "Jürgen Weiß": [1, 0, 0, 9], "Noor Haddad": [0, 0, 0, 0]}


@dataclass(frozen=True)
class Person:
    name: str


@dataclass(frozen=True)
class SampleJob:
    """The attributes `components/job.html` reads; never live, so that the page polls nothing."""

    pk: int
    title: str
    shown_state: str
    done_count: int = 0
    total: int = 0
    message: str = ""
    output_url: str = ""
    attempt: int = 1
    is_live: bool = False
    started_by: Person = Person("Ines Okafor")
    created_at: datetime = datetime(2026, 11, 12, 9, 30, tzinfo=UTC)


class SampleForm(forms.Form):
    name = forms.CharField(max_length=80)
    slug = forms.CharField(required=False, help_text="Part of the address; small letters, digits and hyphens.")
    depth = forms.IntegerField(initial=50, help_text="Documents taken from the top of each run.")
    frozen = forms.CharField(disabled=True, initial="0 to 3, frozen at the first judgment")
    strategy = forms.ChoiceField(choices=[("depth", "Depth-k"), ("rrf", "Reciprocal rank fusion"), ("bandit", LONG)])
    kind = forms.ChoiceField(
        choices=[("automatic", "Automatic"), ("manual", "Manual: a person took part in making the ranking")],
        widget=forms.RadioSelect,
        help_text="As the participant declares it.",
    )
    roles = forms.MultipleChoiceField(
        choices=[("assessor", "Assessor"), ("participant", "Participant"), ("organizer", "Organizer")],
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )
    description = forms.CharField(widget=forms.Textarea, required=False)
    file = forms.FileField(help_text="A run in the usual six columns, plain or gzip. You can drop it here.")
    closes = forms.DateField(widget=forms.DateInput(attrs={"type": "date"}), required=False)
    public = forms.BooleanField(required=False, label="Show releases to everybody", help_text="Runs stay private.")


class SignInForm(forms.Form):
    email = forms.EmailField()
    password = forms.CharField(widget=forms.PasswordInput)


def figures() -> dict[str, object]:
    """A figure of several lines with its table, one of a single series without, and what tables hold."""
    runs = {"kelp-dense-rr": (0.91, 0.62, 0.31), "fjord-bm25-rm3": (0.84, 0.55, 0.3), LONG: (0.72, 0.48, 0.12)}
    series = [
        Series(name, [Mark(x / 2, y, f"{name}, recall {x / 2:g}: {y}") for x, y in enumerate(values)], tone)
        for tone, (name, values) in enumerate(runs.items(), 1)
    ]
    topics = ("1", "2", "31", "40")
    marks = [
        Mark(place, y, f"Topic {name}: {y}") for place, (name, y) in enumerate(zip(topics, (0.4, 0.9, 0, 0.65), strict=True))
    ]
    rows = [[name, *values] for name, values in runs.items()]
    return {
        "lines": charts.lines("Precision by recall of three runs", Axis("Recall"), Axis("Precision"), series),
        "bars": charts.bars("AP of one run by topic", "Topic", Axis("AP"), topics, marks),
        "table": Table("Precision by recall", ["Run", "0.0", "0.5", "1.0"], [*rows, ["مجموعة الميناء", None, 0.25, None]]),
        "shares": [Line(name, grades=grades) for name, grades in GIVEN.items()],
    }


def context() -> dict[str, object]:
    sent = {"slug": "Harbour Trials", "strategy": "other", "roles": ["owner"]}
    faulty = SampleForm({f"bad-{name}": value for name, value in sent.items()}, prefix="bad")
    faulty.add_error(None, "A pool with these settings was drawn on 12 November.")
    page = Paginator(range(480), 20).page(7)
    return {
        "long": LONG,
        "colours": COLOURS,
        "steps": range(10),
        "grades": [
            {"value": value, "label": label, "definition": definition, "step": 3 * value}
            for value, (label, definition) in enumerate(SCALE)
        ],
        "kinds": ("neutral", "good", "warn", "bad", "accent"),
        "tags": ({"label": "private"}, {"label": "judging", "kind": "accent"}, {"label": "frozen scale"}),
        "matrix": [{"value": value, "step": 3 * value, "cells": cells} for value, cells in enumerate(MATRIX)],
        "stages": (
            {"label": "Topics", "count": "50", "note": "frozen", "state": "done", "href": "#main"},
            {"label": "Documents", "count": "21,480", "note": "2 missing", "state": "done", "href": "#main"},
            {"label": "Runs", "count": "38", "note": "12 groups", "state": "done", "href": "#main"},
            {"label": "Pool", "count": "14,206", "note": "depth 50, round 1", "state": "done", "href": "#main"},
            {
                "label": "Judged",
                "count": "9,311",
                "note": "65 %, ends about Thursday",
                "state": "now",
                "href": "#main",
            },
            {"label": "Release", "count": None, "note": "3 topics disagree", "state": "todo", "href": None},
        ),
        "tabs": (
            {"label": "Leaderboard", "href": "#main", "current": True, "count": None},
            {"label": "Runs", "href": "#main", "current": False, "count": 38},
            {"label": "Topics", "href": "#main", "current": False, "count": 50},
        ),
        "rows": (
            {
                "run": "kelp-dense-rr",
                "group": "Kelp",
                "ap": "0.3412",
                "low": 31,
                "mean": 38,
                "high": 45,
                "ndcg": "0.6121",
                "judged": "1.00",
                "mine": False,
            },
            {
                "run": "fjord-bm25-rm3",
                "group": "Fjord",
                "ap": "0.3287",
                "low": 29,
                "mean": 35,
                "high": 41,
                "ndcg": "0.5876",
                "judged": "1.00",
                "mine": True,
            },
            {
                "run": LONG,
                "group": "مجموعة الميناء",
                "ap": "0.3190",
                "low": 26,
                "mean": 33,
                "high": 40,
                "ndcg": "0.5804",
                "judged": "0.98",
                "mine": False,
            },
            {
                "run": "mole-title",
                "group": "Mole",
                "ap": "0.2418",
                "low": 14,
                "mean": 20,
                "high": 27,
                "ndcg": "0.4622",
                "judged": "0.97",
                "mine": False,
            },
        ),
        "jobs": (
            SampleJob(1, "Export of Harbour trials", "waiting"),
            SampleJob(2, "Import of documents", "running", 8_112, 21_480, "Reading estuary.jsonl.gz, line 8,112"),
            SampleJob(3, "Scores of release 2", "running", message="Loading 38 runs"),
            SampleJob(4, "Agreement of Harbour trials", "stalled", 12, 50, "Topic 12", attempt=2),
            SampleJob(5, "Archive of release 1", "done", 38, 38, "42 files, 18 MB, checksums verified", "#jobs"),
            SampleJob(7, "Check of bm25.run", "refused", message="3 faults. Nothing of the file was stored."),
            SampleJob(
                6,
                f"Check of {LONG}",
                "failed",
                message="line 17: expected 6 columns, found 5 (topic Q0 document rank score tag)",
                attempt=3,
            ),
        ),
        **figures(),
        "demo": demo.people(True),
        "once": "a-word-of-each-page",
        "form": SampleForm(prefix="good"),
        "faulty": faulty,
        "page_obj": page,
        "page_range": page.paginator.get_elided_page_range(page.number, on_each_side=1, on_ends=1),
        "messages": (
            Message(constants.SUCCESS, "Pool drawn: 14,206 items over 50 topics."),
            Message(constants.INFO, "Scores are being computed."),
            Message(constants.WARNING, "Two documents of the pool are not in the corpus."),
            Message(constants.ERROR, "kelp-dense-rr was refused: 14 lines have faults."),
        ),
        "jobs_wait": "Jobs are waiting: the queue cannot be reached. What you start is kept and will run by itself.",
    }
