"""Filters for words: hours as people say them; a choice written “Name: what it is” is shown as a name and, below it, its explanation."""

from django import template

register = template.Library()


@register.filter
def named(label: object) -> str:
    """What stands before the colon; all of it when there is none."""
    return str(label).partition(": ")[0]


@register.filter
def explained(label: object) -> str:
    """What stands after the colon, with a capital."""
    rest = str(label).partition(": ")[2]
    return rest[:1].upper() + rest[1:]


@register.filter
def hours(value: float | None) -> str:
    """Hours; less than one as minutes."""
    if value is None:
        return "–"
    minutes = round(60 * float(value))
    return f"{minutes} min" if minutes < 60 else f"{float(value):,.1f} h"


RIGHT_TO_LEFT = {"ar", "arc", "ckb", "dv", "fa", "he", "iw", "ks", "nqo", "ps", "sd", "syr", "ug", "ur", "yi"}


@register.filter
def direction(language: str) -> str:
    """In which direction a language is written, for `dir`; else the first letter tells, which a foreign name may be."""
    return "rtl" if language.lower().partition("-")[0] in RIGHT_TO_LEFT else "auto"
