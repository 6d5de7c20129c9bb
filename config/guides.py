"""The project's guides and reference (docs/) as pages of the site: who judges in a browser has no checkout."""

import functools
import posixpath
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.text import slugify
from django.views.decorators.http import require_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

from config.markup import scrolling

DOCS: Path = settings.BASE_DIR / "docs"
FIRST = "guides/README"
PICTURES = {".png": "image/png", ".svg": "image/svg+xml"}
_parser = MarkdownIt("commonmark", {"html": False}).enable("table")


@dataclass(frozen=True)
class Page:
    name: str
    title: str

    @property
    def address(self) -> str:
        return reverse("guides") if self.name == FIRST else reverse("guide", args=[self.name])


@functools.cache
def pages() -> dict[str, Page]:
    """By name: the guides in the order of their list, then the reference."""
    listed = re.findall(r"^- \[.*?\]\((.+?)\.md\)", (DOCS / f"{FIRST}.md").read_text(), re.MULTILINE)
    names = [FIRST, *(f"guides/{name}" for name in listed), *sorted(path.stem for path in DOCS.glob("*.md"))]
    return {name: Page(name, (DOCS / f"{name}.md").read_text().partition("\n")[0].strip("# ")) for name in names}


@functools.cache
def pictures() -> dict[str, Path]:
    found = [path for folder in ("guides", "curves") for path in sorted((DOCS / folder).iterdir())]
    return {f"{path.parent.name}/{path.name}": path for path in found if path.suffix in PICTURES}


@functools.cache
def html(name: str) -> SafeString:
    """A page's text. Links lead to the other pages and to its own headings; what is only in a checkout is no link here."""
    tokens = _parser.parse(re.sub(r"^<!-- .* -->\n", "", (DOCS / f"{name}.md").read_text(), flags=re.MULTILINE))
    known: Counter[str] = Counter()
    for place, token in enumerate(tokens):
        if token.type == "heading_open":
            own = slugify(tokens[place + 1].content, allow_unicode=True)
            token.attrSet("id", f"{own}-{known[own]}" if known[own] else own)  # as GitHub tells them apart
            known[own] += 1
        _lead(token.children or [], posixpath.dirname(name))
    return scrolling(_parser.renderer.render(tokens, _parser.options, {}))  # our own words, and raw HTML is off


def _lead(tokens: list[Token], folder: str) -> None:
    for token in tokens:
        if token.type == "link_open":
            href = _address(str(token.attrs["href"]), folder)
            token.attrs = {"href": href} if href else {}
        elif token.type == "image":
            path = posixpath.normpath(posixpath.join(folder, str(token.attrs["src"])))
            token.attrs = {**token.attrs, "src": reverse("guide_picture", args=[path]), "loading": "lazy"}


def _address(href: str, folder: str) -> str:
    path, mark, part = href.partition("#")
    if "://" in href or not path:
        return href
    page = pages().get(posixpath.normpath(posixpath.join(folder, path)).removesuffix(".md"))
    return page.address + mark + part if page else ""


@require_safe
def show(request: HttpRequest, guide: str = FIRST) -> HttpResponse:
    page = pages().get(guide)
    if page is None:
        raise Http404
    listed = [one for one in pages().values() if one.name != FIRST]
    context = {
        "page": page,
        "text": html(guide),
        "guides": [one for one in listed if one.name.startswith("guides/")],
        "reference": [one for one in listed if not one.name.startswith("guides/")],
    }
    return render(request, "site/guide.html", context)


@require_safe
def show_picture(request: HttpRequest, picture: str) -> FileResponse:
    path = pictures().get(picture)
    if path is None:
        raise Http404
    answer = FileResponse(path.open("rb"), content_type=PICTURES[path.suffix])
    answer["Cache-Control"] = "max-age=3600"
    return answer
