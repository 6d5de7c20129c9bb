"""Filters for figures of scores."""

from django import template

from evaluation import columns
from evaluation.core.comparison import CORRECTION_WORDS, TEST_WORDS
from evaluation.tables import Table

register = template.Library()


@register.filter
def cell(value: object) -> str:
    """A cell of a table: four decimals, as trec_eval prints them."""
    if value is None or value != value:
        return "–"
    return f"{value:.4f}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)


@register.filter
def measure(name: str) -> str:
    """What people call the measure of this name, the same on every page."""
    return columns.label(name)


@register.filter
def test_words(name: str) -> str:
    return TEST_WORDS.get(name, name)


@register.filter
def correction_words(name: str) -> str:
    return CORRECTION_WORDS.get(name, name)


@register.filter
def shown(table: Table) -> list[list[tuple[str, bool]]]:
    """The cells of a table, each with whether it is a number; percentages have one decimal and their sign."""

    def words(name: str, value: object) -> str:
        percent = name.endswith("%") and isinstance(value, float) and value == value
        return f"{value:+.1f}" if percent else cell(value)

    return [
        [(words(name, value), isinstance(value, int | float | None)) for name, value in zip(table.head, row, strict=True)]
        for row in table.rows
    ]


@register.filter
def p_value(value: float | None) -> str:
    return "–" if value is None else "< 0.0001" if value < 0.0001 else f"{value:.4f}"
