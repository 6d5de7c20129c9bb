"""What reads in a page of HTML: its title and its text, with a line for each block."""

import re
from html.parser import HTMLParser

_BLOCKS = frozenset(
    [
        "address",
        "article",
        "aside",
        "blockquote",
        "br",
        "caption",
        "center",
        "dd",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hr",
        "li",
        "main",
        "nav",
        "ol",
        "option",
        "p",
        "pre",
        "section",
        "table",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "title",
        "tr",
        "ul",
    ]
)
_UNREAD = frozenset(["script", "style", "noscript", "template", "svg", "math", "object", "iframe"])
_BLANKS = re.compile(r"[ \t\r\f\v]+")
_GAPS = re.compile(r"\s*\n\s*\n\s*")


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.titles: list[str] = []
        self.unread, self.in_title = 0, False

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag in _UNREAD:
            self.unread += 1
        elif tag == "title":
            self.in_title = True
        elif tag in _BLOCKS:
            self.parts.append("\n\n" if tag in ("p", "table", "ul", "ol", "h1", "h2", "h3", "h4") else "\n")

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        if tag in _BLOCKS:
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in _UNREAD:
            self.unread = max(0, self.unread - 1)
        elif tag == "title":
            self.in_title = False
        elif tag in _BLOCKS:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if self.in_title:
            self.titles.append(data)
        elif not self.unread:
            self.parts.append(data)


def html_text(markup: str) -> tuple[str, str]:
    """(title, text) of a page, however broken: scripts, styles and the like say nothing to a reader."""
    reader = _Reader()
    reader.feed(markup)
    reader.close()
    return " ".join("".join(reader.titles).split()), tidy("".join(reader.parts))


def tidy(text: str) -> str:
    """Blanks run together and at most one empty line between blocks."""
    lines = "\n".join(_BLANKS.sub(" ", line).strip() for line in text.split("\n"))
    return _GAPS.sub("\n\n", lines).strip()
