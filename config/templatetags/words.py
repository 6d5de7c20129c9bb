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


@register.filter
def beside(message: str, line: int) -> str:
    """What was found on a line, where the number of the line stands beside it."""
    said, _, rest = message.partition(": ")
    if said == f"Line {line}":
        return rest[:1].upper() + rest[1:]
    return message.replace(f"Line {line} ", "This line ").replace(f" of line {line} ", " of this line ")


RIGHT_TO_LEFT = {"ar", "arc", "ckb", "dv", "fa", "he", "iw", "ks", "nqo", "ps", "sd", "syr", "ug", "ur", "yi"}


@register.filter
def direction(language: str) -> str:
    """In which direction a language is written, for `dir`; else the first letter tells, which a foreign name may be."""
    return "rtl" if language.lower().partition("-")[0] in RIGHT_TO_LEFT else "auto"
