"""Markdown of organizers: what it may do, and hostile input that must do nothing."""

import re

import pytest
from django.utils.safestring import SafeString
from hypothesis import given
from hypothesis import strategies as st

from pooling import markdown

TAGS = {*markdown._TAGS}
REGION = '<div class="scroll" tabindex="0" role="region" aria-label="Table">'


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("Hello *you*, **you**, ~~me~~", '<p dir="auto">Hello <em>you</em>, <strong>you</strong>, <s>me</s></p>\n'),
        ("# Title\n## Part", '<h2 dir="auto">Title</h2>\n<h3 dir="auto">Part</h3>\n'),
        ("###### Six", "<h6>Six</h6>\n"),
        (
            "[a](https://example.org/?a=1&b=2)",
            '<p dir="auto"><a href="https://example.org/?a=1&amp;b=2" rel="noopener noreferrer">a</a></p>\n',
        ),
        (
            "<mailto:a@example.org>",
            '<p dir="auto"><a href="mailto:a@example.org" rel="noopener noreferrer">mailto:a@example.org</a></p>\n',
        ),
        ("`<b>`", '<p dir="auto"><code>&lt;b&gt;</code></p>\n'),
        ("- one\n- two", '<ul>\n<li dir="auto">one</li>\n<li dir="auto">two</li>\n</ul>\n'),
        ("> said", '<blockquote dir="auto">\n<p dir="auto">said</p>\n</blockquote>\n'),
        ("", ""),
    ],
)
def test_markdown_becomes_html(text: str, html: str) -> None:
    assert markdown.render(text) == html


def test_markdown_tables_work() -> None:
    html = markdown.render("| grade | meaning |\n|---|---|\n| 0 | no |\n")
    table = re.sub(r">\s+<", "><", html.replace(' dir="auto"', "")).strip()
    assert table == (
        '<div class="scroll" tabindex="0" role="region" aria-label="Table">'
        '<table><caption class="sr">Table</caption><thead><tr><th scope="col">grade</th><th scope="col">meaning</th></tr></thead>'
        '<tbody><tr><th scope="row">0</th><td>no</td></tr></tbody></table>'
        "</div>"
    )
    assert [html.count(f'<{cell} dir="auto">') for cell in ('th scope="col"', 'th scope="row"', "td")] == [2, 1, 1]


def test_a_table_is_named_by_the_heading_above_it() -> None:
    table = "| grade | meaning |\n|---|---|\n| 0 | no |\n"
    html = markdown.render(f"{table}\n# What & *why*\n\n{table}\nOr:\n\n{table}\n")
    names = ["Table", "What &amp; why", "What &amp; why, table 2"]
    assert re.findall('<caption class="sr">(.*?)</caption>', html) == re.findall('aria-label="(.*?)"', html) == names


def test_markdown_that_writes_a_table_in_html_gets_no_region() -> None:
    assert "<div" not in markdown.render("<table><tr><td>x</td></tr></table> `<table>`")


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "![pixel](https://evil.example/p.gif)",
        "![x](javascript:alert(1))",
        "[a](javascript:alert(1))",
        "[a](JaVaScRiPt:alert(1))",
        "[a](&#106;avascript:alert(1))",
        "[a](data:text/html,<script>alert(1)</script>)",
        "[a](vbscript:x)",
        "[a](file:///etc/passwd)",
        "<javascript:alert(1)>",
        '<a href="https://example.org" onclick="alert(1)" style="x" id="main" hx-get="/sign-out/">x</a>',
        "<iframe src=https://evil.example></iframe>",
        "<form action=/sign-out/ method=post><button>x</button></form>",
        "<style>*{display:none}</style>",
        "<svg><script>alert(1)</script></svg>",
        "<!-- --><base href=//evil.example>",
        '[a](https://example.org "x\\" onmouseover=\\"alert(1)")',
        "```html onload=alert(1)\nx\n```",
    ],
)
def test_hostile_markdown_does_nothing(text: str) -> None:
    assert_harmless(markdown.render(text))


def assert_harmless(html: str) -> None:
    """Only known tags, our regions of tables, and of attributes dir and a link's address, with a harmless scheme, and title."""
    assert isinstance(html, SafeString)
    assert html.count(REGION) == html.count("</div>") == html.count("</table>")
    html = html.replace(REGION, "").replace('<pre tabindex="0" role="group" aria-label="Code">', "<pre>")
    for tag, attributes in re.findall(r"<([a-zA-Z!][^\s>/]*)([^>]*)>", html):
        assert tag in TAGS
        address = r' href="(?!(?i:javascript|data|vbscript|file):)[^"]*"'
        assert re.fullmatch(rf'( dir="auto")?({address})?( title="[^"]*")?( rel="noopener noreferrer")?\s*/?', attributes)


@given(st.text(alphabet="<>[]()!\"'`*#&;:/=-| \nascriptjvx", max_size=80))
def test_any_markdown_is_harmless(text: str) -> None:
    assert_harmless(markdown.render(text))


@pytest.mark.parametrize("unit", [">", "[", "*", "- ", "![", "`", "(", "<", "&", "|", "#", "[a](", "**a ", "\n> "])
def test_huge_nesting_neither_hangs_nor_breaks(unit: str) -> None:
    text = (unit * 100_000)[:100_000]
    assert_harmless(markdown.render(text))  # a hang would end in the test's time limit
