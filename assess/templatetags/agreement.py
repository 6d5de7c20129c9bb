"""Filters for figures of agreement: their names, those of merge rules, and their places on a line from -0.2 to 1."""

from django import template

from assess.core.figures import TITLES
from config.templatetags.words import DASH

register = template.Library()
RULES = {
    "first": "primary assessor",
    "majority": "most frequent grade",
    "median_low": "lower median",
    "median_high": "upper median",
    "max": "highest grade",
    "min": "lowest grade",
}
LOWEST = -0.2


@register.filter
def coefficient(key: str) -> str:
    title = TITLES.get(key, key)
    return title[:1].upper() + title[1:]


@register.filter
def figure(value: float | None, decimals: int) -> str:
    """A figure with a minus as wide as a digit; one that is not defined is a dash that is said."""
    return DASH if value is None else f"{value:z,.{decimals}f}".replace("-", "−")


@register.filter
def percent(share: float) -> str:
    return f"{share:.0%}".replace("%", "\N{NO-BREAK SPACE}%")


@register.filter
def rule(name: str) -> str:
    """A merge rule in words; “first (set)” keeps what follows."""
    key, blank, rest = name.partition(" ")
    return f"{RULES.get(key, key)}{blank}{rest}"


@register.filter
def on_line(value: float) -> str:
    """0 to 100; what lies below the line's end is drawn at it."""
    return f"{100 * (min(max(value, LOWEST), 1.0) - LOWEST) / (1 - LOWEST):.1f}"


@register.filter
def at_most_one(value: float) -> float:
    """The upper end of an interval as it is shown: no agreement is more than perfect."""
    return min(value, 1.0)
