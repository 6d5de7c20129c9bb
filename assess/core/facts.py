"""A document's other fields, such as its authors, as they are shown below its title."""

from dataclasses import dataclass

from assess.core import highlighting
from pooling.core import extra

FEW, SHORT = 8, 800  # fields and letters up to which they are open above the text


@dataclass(frozen=True)
class Facts:
    """Names, each with its words in pieces, and whether a piece is sought. Many are folded, so that the text is in view, unless
    one of them has what is sought."""

    rows: list[tuple[str, list[tuple[str, bool]]]]
    are_folded: bool


def facts(stored: str | None, sought: highlighting.Wanted, language: str, *, above_text: bool = True) -> Facts:
    fields = extra.read(stored)
    cut = highlighting.pieces(list(fields.values()), sought, language)
    are_many = len(fields) > FEW or sum(map(len, fields.values())) > SHORT
    has_hit = any(is_hit for pieces in cut for _, is_hit in pieces)
    return Facts(list(zip(fields, cut, strict=True)), above_text and are_many and not has_hit)
