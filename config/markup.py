"""What every text that became HTML has in common."""

import re
from html import unescape

from django.utils.html import escape, strip_tags
from django.utils.safestring import SafeString, mark_safe


def scrolling(clean: str) -> SafeString:
    """HTML that is safe already, each table in a box: a wide one scrolls by itself, not the page. So does code, by keys too.
    A table is named by the heading above it, a row by its first cell; a head without words is none."""
    clean = re.sub(r"<th[^>]*></th>", "<td></td>", clean)
    clean = re.sub(r"<th\b", '<th scope="col"', clean)
    clean = re.sub(r"(<tr>\s*)<td((?: [^>]*)?)>(.*?)</td>", _headed, clean, flags=re.DOTALL)
    clean = clean.replace("<pre>", '<pre tabindex="0" role="group" aria-label="Code">')
    clean = clean.replace("</table>", "</table></div>")
    parts, under, names = [], "Table", list[str]()
    for part in re.split(r"(<h[1-6]\b.*?</h[1-6]>|<table>)", clean, flags=re.DOTALL):
        if part == "<table>":
            names.append(under)
            name = under if names.count(under) == 1 else f"{under}, table {names.count(under)}"
            parts.append(
                f'<div class="scroll" tabindex="0" role="region" aria-label="{name}"><table><caption class="sr">{name}</caption>'
            )
            continue
        if re.match(r"<h[1-6]\b", part):
            under = escape(" ".join(unescape(strip_tags(part)).split())) or "Table"
        parts.append(part)
    return mark_safe("".join(parts))  # noqa: S308  (who calls has cleaned it)


def _headed(row: re.Match[str]) -> str:
    """The first cell of a row names it; an empty one does not."""
    return f'{row[1]}<th scope="row"{row[2]}>{row[3]}</th>' if row[3] else row[0]
