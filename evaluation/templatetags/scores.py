"""Filters for figures of scores."""

import re

from django import template
from django.http import Http404
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from config.errors import Forbidden
from config.templatetags.words import DASH, dashed
from evaluation import access, columns, selectors
from evaluation.core.charts import minus
from evaluation.core.comparison import CORRECTION_WORDS, TEST_WORDS
from pooling.models import Collection, Run
from pooling.tables import Table

register = template.Library()
_PARTS = re.compile(r"[^_(=]*?[a-z](?=[A-Z])|[^_(=]*[_(=]|[^_(=]+")
HEARD = {  # signs that are heads of columns
    "τ": "Kendall’s tau",
    "τ-AP": "tau that weighs the top ranks most",
    "g_z": "effect size",
    "p": "significance",
}


@register.inclusion_tag("evaluation/_run_scores.html", takes_context=True)
def run_scores(context: template.RequestContext, run: Run) -> dict[str, object]:
    """Where a run's scores are, or when there will be some, to whoever looks at it."""
    told: dict[str, object] = {"run": run}
    try:
        collection = access.scores_for(context["request"].user, run.collection.slug)
    except (Forbidden, Http404):
        return told
    release = selectors.newest(collection)
    told |= {"organizes": collection.release_states is None}
    if release is None:
        return told
    job = selectors.job_of(collection, "score_release")
    scored, late = selectors.score_files(release).filter(run=run).exists(), run.created_at > release.frozen_at
    return told | {"release": release, "scored": scored, "late": late, "scoring": bool(job and job.is_live)}


@register.simple_tag(takes_context=True)
def late_runs(context: template.RequestContext, collection: Collection) -> dict[str, object]:
    """Of a table of runs those that came too late for the newest release, as far as whoever looks may know; nothing while
    runs are being scored."""
    try:
        found = access.scores_for(context["request"].user, collection.slug)
    except (Forbidden, Http404):
        return {}
    release = selectors.newest(found)
    late = list(selectors.late(release)) if release else []
    job = selectors.job_of(found, "score_release") if late else None
    return {} if job and job.is_live else {"release": release, "late": late}


@register.filter
def cell(value: object) -> str:
    """A cell of a table: four decimals, as trec_eval prints them."""
    if value is None or value != value:
        return DASH
    if not isinstance(value, int | float):
        return str(dashed(str(value)))
    return minus(f"{value:z.4f}" if isinstance(value, float) else f"{value:,}")


@register.filter
def measure(name: str) -> str:
    """What people call the measure of this name, the same on every page."""
    return columns.label(name)


@register.filter
def topic_measure(name: str) -> str:
    """The same where its values are of single topics."""
    return columns.topic_label(name)


@register.filter
def breakable(name: str) -> SafeString:
    """A long name may be parted before a capital inside it, and behind _ and ( and =."""
    return format_html_join(
        "", "{}{}", ((mark_safe("<wbr>") if place else "", part) for place, part in enumerate(_PARTS.findall(name)))
    )


@register.filter
def test_words(name: str) -> str:
    return TEST_WORDS.get(name, name)


@register.filter
def correction_words(name: str) -> str:
    return CORRECTION_WORDS.get(name, name)


@register.filter
def heading(name: str) -> str:
    """A column of a file as the head of a table: words begin with a capital; measures and symbols stay as they are, and
    are heard by their names."""
    first = name.split(" ")[0]
    word = len(first) > 2 and first.isascii() and first.isalpha() and first.islower() and first != "bpref"
    told = name[0].upper() + name[1:] if word else name
    heard = next((words for sign, words in HEARD.items() if sign in name.split(" ")), "")
    return format_html('{}<span class="sr"> ({})</span>', told, heard) if heard else told


@register.filter
def shown(table: Table) -> list[list[tuple[str, bool]]]:
    """The cells of a table, each with whether it is a number; percentages have one decimal and their sign, and no p is 0."""

    def words(name: str, value: object) -> str:
        if name in ("p", "p corrected") and isinstance(value, float):
            return p_value(value)
        percent = name.endswith("%") and isinstance(value, float) and value == value
        return signed(float(str(value)), 1) if percent else cell(value)

    return [
        [(words(name, value), isinstance(value, int | float | None)) for name, value in zip(table.head, row, strict=True)]
        for row in table.rows
    ]


register.filter("minus", minus)


@register.filter
def signed(value: float, decimals: int) -> str:
    """A difference; one that rounds to nothing has no sign."""
    told = f"{value:+.{decimals}f}"
    return minus(told) if told.strip("+-0.") else told[1:]


@register.filter
def p_value(value: float | None) -> str:
    return DASH if value is None else "< 0.0001" if value < 0.0001 else f"{value:.4f}"
