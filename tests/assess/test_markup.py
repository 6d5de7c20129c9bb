"""Pages of strangers: what is left of them can do nothing, and reads as before."""

import re
import time
import uuid
from html import unescape

import pytest

from assess import markup
from assess.core import highlighting
from pooling.core.html_text import html_text
from tests.assess import factories
from tests.assess.conftest import Bench
from tests.assess.test_reading import WRAPPED
from tests.conftest import ClientFor

pytestmark = pytest.mark.once

HOSTILE = """<!doctype html><html><head><title>t</title><base href="//out.example/"><meta http-equiv="refresh" content="0;url=//out.example/">
<link rel="preconnect" href="//out.example"><link rel="stylesheet" href="//out.example/a.css"><style>*{background:url(//out.example/b)}</style>
<script>alert(1)</script></head><body onload="alert(2)" style="display:none" background="//out.example/c">
<p id="said" name="x" accesskey="1" class="judge-bar" tabindex="1" contenteditable hx-get="/sign-out/" hx-trigger="load" data-hx-post="/x">One &lt;b&gt; two</p>
<form action="/sign-out/" method="post"><input name="q" autofocus accesskey="2"><button formaction="//out.example/d">Go</button></form>
<a href="javascript:alert(3)" target="_top" ping="//out.example/e">link</a><a href="//out.example/f" download>out</a>
<svg onload="alert(4)"><script>alert(5)</script><image href="//out.example/g"/><text>drawn</text></svg><math><mi href="//out.example/h">x</mi></math>
<iframe src="//out.example/i"></iframe><iframe srcdoc="<script>alert(6)</script>"></iframe><object data="//out.example/j"></object><embed src="//out.example/k">
<frameset><frame src="//out.example/l"></frameset><img src="//out.example/m" srcset="//out.example/n 2x" onerror="alert(7)" alt="a &quot;map&quot; > here" lang="en">
<video poster="//out.example/o" autoplay><source src="//out.example/p"></video><audio src="//out.example/q"></audio><table background="//out.example/r"><tr><td colspan="2">cell</td></tr></table>
<template><img src="//out.example/s"></template><noscript><img src="//out.example/t"></noscript><p dir="rtl" style="position:fixed;inset:0">end</p>
<!--[if IE]><script>alert(8)</script><![endif]--><textarea><img src="//out.example/u"></textarea><plaintext></p><script>alert(9)</script>"""


def test_nothing_of_a_hostile_page_can_act() -> None:
    cleaned = markup.clean(HOSTILE)
    tags = set(re.findall(r"<(/?\w+[^>]*)>", cleaned))
    assert {tag.split()[0].strip("/") for tag in tags} <= {"p", "a", "span", "table", "tbody", "tr", "td"}
    assert {name for tag in tags for name in re.findall(r"\s([\w-]+)=", tag)} <= {"dir", "lang", "data-alt", "colspan"}
    for text in ("One &lt;b&gt; two", "link", "cell", "end", "Go", 'data-alt="a &quot;map&quot; &gt; here"'):
        assert text in cleaned
    for gone in ("drawn", "href", "src", "<!--"):
        assert gone not in cleaned.replace("&lt;img src", "")


def test_words_are_marked_between_tags_alone() -> None:
    page = markup._marked(
        markup.clean('<p lang="tide">Tides &amp; <b>tidal</b> &lt;tide&gt; <img alt="tide > ebb"></p>'),
        highlighting.wanted("tide"),
        "en",
    )
    assert (
        page
        == '<p lang="tide"><mark>Tides</mark> &amp; <b>tidal</b> &lt;<mark>tide</mark>&gt; <span data-alt="tide &gt; ebb"></span></p>'
    )


def test_the_page_reads_as_the_text() -> None:
    """Letter by letter: so a passage that is selected in the page is found in the text."""
    html = "<title>T</title><h1>One</h1><p>two<br>three<script>x</script></p><ul><li>four <i>five</i></ul><table><td>six<td>seven</table>"
    shown = "".join(re.sub(r"<[^>]*>", " ", markup.clean(html)).split())
    assert shown == "".join(html_text(html)[1].split()) == "Onetwothreefourfivesixseven"


@pytest.mark.parametrize(
    "html",
    ["<div>" * 50_000, "<p " + " ".join(f"a{n}" for n in range(20_000)) + ">x", "<b>x" * 20_000],
    ids=["deep", "wide", "open"],
)
def test_pages_that_would_take_minutes_are_not_cleaned(html: str) -> None:
    began = time.process_time()
    assert markup.page(html, highlighting.wanted("x y"), "") == ""
    assert time.process_time() - began < 5


def test_html_document_is_shown_in_a_frame_and_as_text(bench: Bench, client_for: ClientFor) -> None:
    html = "<h1>Eels</h1><p onclick=alert(1)>Eels <b>migrate</b>.</p><script>alert(2)</script>"
    factories.make_documents(bench.collection, ["H1"], html=html, text=html_text(html)[1])
    factories.make_pool(bench.collection, bench.organizer, {bench.topics[0]: ["H1"]})
    bench.assign(overlap=0)
    token = next(card.token for card in bench.cards(bench.ann) if card.docno == "H1")
    client = client_for(bench.ann)
    page = client.get(f"/c/harbour-trials/judge/{token}/").content.decode()
    (frame,) = re.findall(r"<iframe[^>]*>", page)
    assert 'sandbox="allow-same-origin"' in frame and "allow-scripts" not in page
    assert "&lt;p&gt;Eels &lt;b&gt;&lt;mark&gt;migrate&lt;/mark&gt;&lt;/b&gt;.&lt;/p&gt;" in frame
    assert '<p class="judge-text" data-at="6" dir="auto">Eels migrate.</p>' in page
    assert "onclick" not in page and "alert(" not in page
    source = client.get(f"/c/harbour-trials/judge/{token}/source/")
    assert source.content.decode() == html and source["Content-Type"] == "text/plain; charset=utf-8"
    assert source["X-Content-Type-Options"] == "nosniff"
    listed = client.get("/c/harbour-trials/judge/many/").content.decode()
    assert "<iframe" not in listed.split('id="judge-cards"')[0]


def test_wrapped_lines_flow_wherever_a_document_is_shown(bench: Bench, client_for: ClientFor) -> None:
    bench.collection.corpus.documents.update(text=WRAPPED)
    bench.assign(overlap=0)
    card, here = bench.cards(bench.ann)[0], "/c/harbour-trials/"
    flowing = f'<p class="judge-text" data-at="0" dir="auto">{WRAPPED.strip()}</p>'.replace("\n", " ")
    ann, olga = client_for(bench.ann), client_for(bench.organizer)
    for client, path in (
        (ann, f"judge/{card.token}/"),
        (ann, "judge/many/"),
        (olga, f"document/?topic=1&docno={card.docno}"),
        (olga, f"search/document/?docno={card.docno}"),
    ):
        assert flowing in client.get(here + path).content.decode(), path
    olga.post(f"{here}practice/", {"topic": "1", "lines": f"{card.docno} 2"})
    assert flowing in ann.get(f"{here}judge/practice/").content.decode()
    assert set(bench.collection.corpus.documents.values_list("text", flat=True)) == {WRAPPED}


def test_the_text_of_a_long_page_comes_behind_it(bench: Bench, client_for: ClientFor) -> None:
    """A megabyte is sent once before the page is there; what is prefetched comes whole, for there may be no server then."""
    html = "<p>Eels went down.</p>" * 8000
    factories.make_documents(bench.collection, ["L1", "L2"], html=html, text=html_text(html)[1])
    factories.make_pool(bench.collection, bench.organizer, {bench.topics[0]: ["L1", "L2"]})
    bench.assign(overlap=0)
    first, second = (card for card in bench.cards(bench.ann) if card.docno in ("L1", "L2"))
    client = client_for(bench.ann)
    address = f"/c/harbour-trials/judge/{first.token}/"
    shown, kept = client.get(address).content.decode().split('id="judge-cards"')
    assert shown.count("Eels went down.") == 8000 and f'href="{address}text/"' in shown
    assert kept.count("Eels went down.") == 16_000  # as a page, and as text
    assert str(second.token) in kept
    text = client.get(f"{address}text/").content.decode()
    assert text.count("Eels went down.") == 8000 and 'data-at="17"' in text and "<iframe" not in text
    assert client.get(f"/c/harbour-trials/judge/{uuid.uuid4()}/text/").status_code == 404


def test_a_long_text_is_made_once_beside_short_ones() -> None:
    """A page comes with twenty documents: the short ones do not push out the long one, which is what takes time."""
    sought, long = highlighting.wanted("tide"), "Slow tides. " * 5000
    first = markup.text(long, sought, "en")
    for number in range(40):
        assert "<mark>tide</mark>" in markup.text(f"A tide, number {number}.", sought, "en")
    assert markup.text(str(long.encode(), "utf-8"), sought, "en") is first


def test_the_frame_has_a_policy_by_which_our_style_alone_is_loaded() -> None:
    """The third layer: what the lists should ever let through loads nothing."""
    shown = unescape(unescape(markup.page("<p>Eels</p>", highlighting.wanted(""), "")))
    assert "default-src 'none'; style-src 'self'; form-action 'none'; base-uri 'none'" in shown
