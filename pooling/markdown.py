"""Markdown of organizers (descriptions, guidelines) as safe HTML."""

import nh3
from django.utils.safestring import SafeString
from markdown_it import MarkdownIt

from config.markup import scrolling

# Raw HTML is off, and what comes out is cleaned all the same: two layers, since the text is shown to others.
_parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
_TAGS = {
    *("p", "br", "hr", "em", "strong", "s", "code", "pre", "blockquote", "ul", "ol", "li", "a"),
    *("h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td"),
}


def render(text: str) -> SafeString:
    """HTML of the text. Headings move one level down: the page has its own first one. Images and classes are left out."""
    tokens = _parser.parse(text)
    for token in tokens:
        if token.type in {"heading_open", "heading_close"}:
            token.tag = f"h{min(6, int(token.tag[1]) + 1)}"
    html = _parser.renderer.render(tokens, _parser.options, {})
    directed = {tag: {"dir": "auto"} for tag in ("p", "li", "h2", "h3", "h4", "blockquote", "th", "td")}
    clean = nh3.clean(
        html,
        tags=_TAGS,
        attributes={"a": {"href"}},
        url_schemes={"http", "https", "mailto"},
        set_tag_attribute_values=directed,
    )
    return scrolling(clean)
