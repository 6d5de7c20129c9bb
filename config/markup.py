"""What every text that became HTML has in common."""

import re

from django.utils.safestring import SafeString, mark_safe


def scrolling(clean: str) -> SafeString:
    """HTML that is safe already, each table in a box: a wide one scrolls by itself, not the page. So does code, by keys too. A
    head without words is none."""
    clean = re.sub(r"<th[^>]*></th>", "<td></td>", clean)
    clean = clean.replace("<pre>", '<pre tabindex="0" role="group" aria-label="Code">')
    clean = clean.replace("<table>", '<div class="scroll" tabindex="0" role="region" aria-label="Table"><table>')
    return mark_safe(clean.replace("</table>", "</table></div>"))  # noqa: S308  (who calls has cleaned it)
