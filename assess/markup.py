"""A stranger's page of HTML, shown so that nothing runs, nothing loads and no key is lost.

Three layers, each of which would do for most: what is on no list is taken out here; the frame is sandboxed, without
scripts; and its own policy allows our style sheet alone.
"""

import re
from functools import lru_cache
from html import escape, unescape

import nh3
from django.templatetags.static import static
from django.utils.html import escape as escaped
from django.utils.safestring import SafeString, mark_safe

from assess.core import highlighting, reading

_TAGS = {
    *("a", "abbr", "address", "article", "aside", "b", "bdi", "bdo", "big", "blockquote", "br", "caption", "center", "cite"),
    *("code", "dd", "del", "dfn", "div", "dl", "dt", "em", "figcaption", "figure", "footer", "h1", "h2", "h3"),
    *("h4", "h5", "h6", "header", "hr", "i", "img", "ins", "kbd", "li", "main", "mark", "nav", "ol", "p", "pre", "q", "rp"),
    *("rt", "ruby", "s", "samp", "section", "small", "span", "strike", "strong", "sub", "sup", "table", "tbody"),
    *("td", "tfoot", "th", "thead", "time", "tr", "tt", "u", "ul", "var", "wbr"),
}
# No address is among them, of a link or of a picture; nor id, name, class, style, or what a script would read.
_ATTRIBUTES = {
    "*": {"dir", "lang"},
    "img": {"alt"},
    "ol": {"start", "reversed"},
    "li": {"value"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan", "scope"},
}
# With all that is in them, as html_text leaves it out.
_UNREAD = {"script", "style", "noscript", "template", "svg", "math", "object", "iframe", "title", "noembed", "noframes"}
_PIECE = re.compile(r"""(<(?:[^"'<>]++|"[^"]*+"|'[^']*+')*+>)""")
_NESTED = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
_FLAT = {*("br", "hr", "img", "input", "link", "meta", "wbr", "area", "base", "col", "embed", "source", "track", "param")}
_FLAT |= {*("p", "li", "td", "th", "tr", "dt", "dd", "option", "tbody", "thead", "tfoot", "html", "body", "a")}
_DEEPEST = 1000
_ENDLESS = re.compile(r"<[a-zA-Z](?:[^<>\s]*+\s++){2000}")
_SIGNS = re.compile("[&<>\"']")
_PICTURE = re.compile(r'<img(?: (?:dir|lang)="[^"]*")* alt="([^"]*)"(?: (?:dir|lang)="[^"]*")*>')
_SHORT = 20_000  # letters; a page comes with twenty documents, and short ones would push a long one out of what is kept
_POLICY = "default-src 'none'; style-src 'self'; form-action 'none'; base-uri 'none'"


@lru_cache(maxsize=64)  # by content: a page is cleaned once, however often it is shown
def clean(html: str) -> str:
    """What of a page may be shown. Nothing, if it is nested deeper than anybody writes, or has a tag of thousands of
    attributes: cleaning would take minutes."""
    if _depth(html) > _DEEPEST or _ENDLESS.search(html):
        return ""
    cleaned = nh3.clean(
        html,
        tags=_TAGS,
        clean_content_tags=_UNREAD,
        attributes=_ATTRIBUTES,
        url_schemes=set(),
        link_rel=None,
        strip_comments=True,
    )
    # A picture is not loaded: its words stand in its place, by the style sheet, so that the text stays the document's.
    return _PICTURE.sub(r'<span data-alt="\1"></span>', cleaned).replace("<img>", "")


def _depth(html: str) -> int:
    """How deep a page is nested at most, elements that a tag of the same kind closes left aside."""
    depth = deepest = 0
    for closing, name in _NESTED.findall(html):
        if name.lower() not in _FLAT:
            depth = max(0, depth - 1) if closing else depth + 1
            deepest = max(deepest, depth)
    return deepest


@lru_cache(maxsize=64)
def page(html: str, sought: highlighting.Wanted, language: str) -> SafeString:
    """A whole page as a frame's `srcdoc` has it, escaped, with the sought words marked; empty if there is nothing to show."""
    body = clean(html)
    if not body:
        return SafeString()
    long = ' class="long"' if len(body) > reading.LONG else ""
    head = (
        f'<!doctype html><html{long} lang="{escape(language)}"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(_POLICY)}">'
        f'<meta name="color-scheme" content="light dark"><link rel="stylesheet" href="{static("assess/document.css")}">'
        "<title>Document</title></head>"
    )
    return escaped(f'{head}<body dir="auto">{_marked(body, sought, language)}</body></html>')


def _marked(html: str, sought: highlighting.Wanted, language: str) -> str:
    """Words between tags, which are alone what nh3 wrote: < and > stand in no text of its making."""
    if not sought:
        return html
    parts = _PIECE.split(html)  # texts and tags in turn
    texts = [unescape(text) if "&" in text else text for text in parts[::2]]
    for place, pieces in enumerate(highlighting.pieces(texts, sought, language)):
        if len(pieces) > 1 or (pieces and pieces[0][1]):
            parts[2 * place] = _joined(pieces)
    return "".join(parts)


def _joined(pieces: list[tuple[str, bool]]) -> str:
    """Pieces of a long text are tens of thousands, and few hold anything to escape."""
    told = []
    for text, hit in pieces:
        safe = escape(text) if _SIGNS.search(text) else text
        told.append(f"<mark>{safe}</mark>" if hit else safe)
    return "".join(told)


def text(text: str, sought: highlighting.Wanted, language: str) -> SafeString:
    """The paragraphs of a text as HTML, each with the place where it begins, the sought words marked."""
    return _text(text, sought, language) if len(text) < _SHORT else _long_text(text, sought, language)


def _text(text: str, sought: highlighting.Wanted, language: str) -> SafeString:
    """No template: a text of a megabyte has tens of thousands of pieces."""
    found = reading.paragraphs(text)
    cut = highlighting.pieces([paragraph for _, paragraph in found], sought, language)
    lines = [
        f'<p class="judge-{"head" if reading.is_heading(paragraph) else "text"}" data-at="{at}" dir="auto">{_joined(pieces)}</p>'
        for (at, paragraph), pieces in zip(found, cut, strict=True)
    ]
    return mark_safe("\n".join(lines))  # noqa: S308  (each piece is escaped)


_long_text = lru_cache(maxsize=16)(_text)
