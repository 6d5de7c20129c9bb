"""Words, in every template: hours as people say them; a choice written “Name: what it is” is shown as a name and, below it, its explanation."""

from django import template
from django.template.loader_tags import BlockNode
from django.utils.safestring import mark_safe

register = template.Library()
DASH = mark_safe('<span aria-hidden="true">–</span><span class="sr">none</span>')


@register.filter
def dashed(value: object) -> object:
    """What is shown, or, where there is nothing, a dash that is heard as a word."""
    return DASH if value is None or value == "" or value == "–" else value


@register.simple_tag(takes_context=True)
def again(context: template.Context, name: str) -> str:
    """What a block of this page holds, a second time."""
    return BlockNode(name, template.NodeList()).render(context)


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
    """Hours; less than one as minutes, and a moment as one."""
    if value is None:
        return DASH
    minutes = max(1 if value else 0, round(60 * float(value)))
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
