"""From a collection's files to its pool, in the browser alone; every number on the pages is counted again by a shell pipeline."""

import gzip
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from config.models import User
from tests import factories
from tests.browser import to_pool
from tests.browser.look import look
from tests.chromium import NewPage, sign_in
from tests.site import Site

pytestmark = pytest.mark.once


def own_files(folder: Path) -> None:
    """A small collection in SMART's form, whose queries are numbered otherwise than its runs; scores have ties."""
    (folder / "runs").mkdir()
    texts = [f".I {n}\n.T\nwing {n}\n.A\nprandtl,l.\n.W\nlift of wing {n} in a slipstream .\n" for n in range(1, 61)]
    (folder / "documents").write_text("".join(texts))
    numbers = ("001", "002", "004", "008", "009")
    (folder / "topics").write_text("".join(f".I {number}\n.W\nwhat lifts wing {number} .\n" for number in numbers))
    for place, tag in enumerate(("bm25", "lm", "rrf")):
        lines = [
            f"{topic} Q0 {(topic * 11 + rank * (1, 7, 11)[place]) % 60 + 1} {rank} {(30 - rank) // 2} {tag}\n"
            for topic in range(1, 6)
            for rank in range(1, 21)
        ]
        (folder / "runs" / f"{tag}.run.gz").write_bytes(gzip.compress("".join(lines).encode()))


def lines_of_text(megabytes: int) -> str:
    return "".join(f'{{"id": "d{n}", "text": "{"water " * 170}"}}\n' for n in range(megabytes * 950))


def test_how_much_is_sent_is_told_while_it_is_sent(site: Site, new_page: NewPage, tmp_path: Path) -> None:
    (tmp_path / "documents").write_text(lines_of_text(3))
    organizer, slug = organizer_with("Slow lines")
    page = new_page(site)
    sign_in(page, organizer)
    page.goto(f"/c/{slug}/documents/")
    line = {"offline": False, "latency": 0, "downloadThroughput": -1}
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.emulateNetworkConditions", {**line, "uploadThroughput": 50_000})
    form = page.locator("#send form")
    form.locator("input[type=file]").set_input_files(str(tmp_path / "documents"))
    form.get_by_role("button", name="Upload and check").click()
    page.wait_for_function(
        "() => { const bar = document.querySelector('#send progress'); return bar && bar.value > 0 && bar.value < bar.max }"
    )
    expect(form.locator(".progress")).to_contain_text(re.compile(r"Sending documents\s*\d\.\d of 3\.\d MB"))
    expect(form.get_by_role("button", name="Upload and check")).to_be_disabled()
    look(page, "upload-sending")
    session.send("Network.emulateNetworkConditions", {**line, "uploadThroughput": -1})
    expect(page.get_by_text("2,850 documents are the collection's documents now.")).to_be_visible(timeout=60_000)


def test_refusals_and_broken_connections_are_told_in_the_page(site: Site, browser: Browser, tmp_path: Path) -> None:
    """Nobody watches for failed requests here: these are some."""
    (tmp_path / "empty").touch()
    (tmp_path / "topics").write_text("1\ttidal power\n2\tharbour walls\n")
    organizer, slug = organizer_with("Empty hands")
    context = browser.new_context(base_url=site.url)
    page = context.new_page()
    sign_in(page, organizer)
    page.goto(f"/c/{slug}/topics/")
    chosen, button = page.locator("#send input[type=file]"), page.get_by_role("button", name="Upload and check")
    chosen.set_input_files(str(tmp_path / "empty"))
    button.click()
    expect(page.get_by_text("Expected a file with something in it; “empty” is empty.").first).to_be_visible()
    expect(page.get_by_role("alert")).to_be_focused()
    page.locator("#send form").evaluate("form => { form.noValidate = true }")
    button.click()
    expect(page.get_by_text("Expected a file; found none.").first).to_be_visible()
    expect(page.get_by_role("alert")).to_be_focused()
    chosen.set_input_files(str(tmp_path / "topics"))
    context.set_offline(True)
    button.click()
    expect(page.get_by_role("alert")).to_contain_text("The connection broke before everything had arrived.")
    context.set_offline(False)
    button.click()
    expect(page.get_by_text("2 topics are the collection's topics now.")).to_be_visible(timeout=30_000)
    context.close()


def test_files_are_sent_without_script(site: Site, new_page: NewPage, tmp_path: Path) -> None:
    (tmp_path / "topics").write_text("1\ttidal power\n")
    organizer, slug = organizer_with("Plain forms")
    page = new_page(site, java_script_enabled=False)
    sign_in(page, organizer)
    page.goto(f"/c/{slug}/topics/")
    page.locator("#send input[type=file]").set_input_files(str(tmp_path / "topics"))
    page.get_by_role("button", name="Upload and check").click()
    expect(page).to_have_url(re.compile(rf"/c/{slug}/uploads/\d+/"))


RIGHT_TO_LEFT = """<top>
<num> Number: 7
<title> طاقة المد والجزر
<desc> Description:
ما أثر توربينات المد والجزر في هجرة الأسماك؟
<narr> Narrative:
الوثيقة ذات الصلة تذكر ملاحظات.
</top>
<top>
<num> Number: 8
<title> IBM ומחשבים בנמל חיפה
<desc> Description:
אילו מחשבים שימשו בנמל?
</top>
<top>
<num> Number: 9
<title> harbour walls
</top>
"""


def test_topics_from_right_to_left(site: Site, new_page: NewPage, tmp_path: Path) -> None:
    (tmp_path / "topics").write_text(RIGHT_TO_LEFT)
    organizer, slug = organizer_with("Right to left")
    page = new_page(site)
    sign_in(page, organizer)
    page.goto(f"/c/{slug}/")
    to_pool.send(page, "Topics", tmp_path / "topics", **{"Language optional": "he"})
    expect(page.get_by_text("3 topics are the collection's topics now.")).to_be_visible(timeout=60_000)
    page.goto(f"/c/{slug}/topics/")
    ways = "cells => cells.map(cell => getComputedStyle(cell.querySelector('bdi')).direction)"
    titles = page.get_by_role("region", name="Topics").locator("tbody tr td:nth-child(2)")
    assert titles.evaluate_all(ways) == ["rtl", "ltr", "ltr"]  # by the first letter, since versions may be in other languages
    assert titles.all_inner_texts() == ["طاقة المد والجزر", "IBM ומחשבים בנמל חיפה", "harbour walls"]
    page.goto(f"/c/{slug}/topics/8/")
    told = "parts => parts.map(part => [part.lang, getComputedStyle(part).direction, part.innerText])"
    assert page.locator("main section").first.locator("h2, h2 ~ p").evaluate_all(told) == [
        ["he", "rtl", "IBM ומחשבים בנמל חיפה"],  # its language tells, whatever its first letter is
        ["he", "rtl", "אילו מחשבים שימשו בנמל?"],
    ]
    assert page.get_by_label("Title").evaluate("field => getComputedStyle(field).direction") == "ltr"
    page.goto(f"/c/{slug}/topics/7/")
    look(page, "topic-arabic")
    assert page.get_by_label("Narrative").evaluate("field => getComputedStyle(field).direction") == "rtl"


def organizer_with(name: str) -> tuple[User, str]:
    organizer = factories.make_user(f"Cyril {name}")
    return organizer, factories.make_collection(organizer, name).slug


def test_from_files_to_a_pool_in_the_browser(site: Site, new_page: NewPage, tmp_path: Path) -> None:
    own_files(tmp_path)
    organizer, slug = organizer_with("Small wings")
    page = new_page(site)
    sign_in(page, organizer)
    to_pool.put_in(page, slug, tmp_path, to_pool.SMART, "Cranfield")
    assert to_pool.pages_tell(page, slug, 7) == to_pool.pipeline_tells(tmp_path, to_pool.SMART, 7, "Cranfield")
    page.goto(f"/c/{slug}/pool/")
    look(page, "pool-cranfield")
