"""A document of a megabyte, opened, and one key after the other, in a real Chromium: `python -m benchmarks.bench_document`.

A real site with three assessors: one has a megabyte of text before them, one a page of HTML of that size, one short documents.
Opened is from the navigation until all of the text is there and its beginning on screen, in its frame if it is a page; a key
takes until the frame after it, drawn. All times are the page's own. Ends with status 1 beyond 300 ms and 50 ms.
"""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Sequence
from statistics import median
from typing import TYPE_CHECKING

from playwright.sync_api import Browser, Page, sync_playwright

from tests import browser_setup
from tests.site import Site

if TYPE_CHECKING:
    from config.models import User
    from pooling.models import Collection, Topic

SIZE, OPENED, PRESSED, SMALL = 1_000_000, 9, 20, 40
WORDS = "the slow water of an estuary and its salmon went down to sea by night where turbines stood still"
DOCUMENT_GOAL, KEY_GOAL = 300, 50  # milliseconds
# The time is taken after the picture that first shows it, not before it.
OPENING = """if (self === top) {
    const body = () => document.querySelector("iframe.judge-page")
        ? document.querySelector("iframe.judge-page").contentDocument : document;
    const begins = () => body()?.querySelector(".judge-text, body[dir] p")?.getBoundingClientRect().height > 0;
    const look = () => {
        const loaded = document.readyState !== "loading" && body()?.readyState !== "loading";
        if (loaded && begins()) setTimeout(() => { self.opened = performance.now(); });
        else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
}"""
PRESS = """key => new Promise((resolve, reject) => {
    const name = () => document.querySelector("article:not([aria-busy]) .judge-docno")?.textContent, before = name();
    const begin = performance.now();
    document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
    requestAnimationFrame(() => setTimeout(() => {
        if (name() && name() !== before) resolve(performance.now() - begin); else reject(new Error("No other document"));
    }));
})"""


def paragraphs() -> list[str]:
    """A megabyte in paragraphs of about a hundred words, one in a hundred of them the topic's, which is marked."""
    generator = random.Random(6)  # noqa: S311
    words = 5 * WORDS.split() + ["tidal"]
    made, size = list[str](), 0
    while size < SIZE:
        made.append(" ".join(generator.choices(words, k=generator.randint(40, 160))) + ".")
        size += len(made[-1]) + 2
    return made


def make_world() -> tuple[Collection, list[User], list[str]]:
    """Three assessors, and which seats the two large documents have: each is the first of its topic."""
    from assess.models import Seat
    from assess.services import assigning
    from assess.services.assigning import Wanted
    from pooling.models import Document
    from pooling.services.work import Direct
    from tests import factories
    from tests.assess import factories as judged

    organizer = factories.make_user("Document Bench")
    collection = factories.make_collection(organizer, "Document bench")
    people = judged.make_assessors(collection, "Text", "Page", "Keys")
    topics: Sequence[Topic] = judged.make_work(collection, organizer, topics=3, items=SMALL)
    wanted = [Wanted(topic, [user]) for topic, user in zip(topics, people, strict=True)]
    assigning.assign(collection, by=organizer, wanted=wanted, overlap=0, seed=1, work=Direct(lambda *told: None))
    text, page = "\n\n".join(paragraphs()), "".join(f"<p>{one.replace('sea', '<i>sea</i>')}</p>" for one in paragraphs())
    seats = []
    for user, html in zip(people, ("", page), strict=False):
        seat = Seat.objects.filter(assessor=user).order_by("position").select_related("item")[0]
        Document.objects.filter(docno=seat.item.docno).update(text=text, html=html)
        seats.append(str(seat.token))
    return collection, people, seats


def page_of(browser: Browser, site: Site, user: User) -> Page:
    from tests.chromium import sign_in

    page = browser.new_context(base_url=site.url, viewport={"width": 1200, "height": 800}).new_page()
    sign_in(page, user)
    page.add_init_script(OPENING)
    return page


def wait_for(page: Page, script: str) -> None:
    """Playwright's own way is an eval within the page, which the page's policy refuses."""
    for _ in range(600):
        if page.evaluate(script):
            return
        page.wait_for_timeout(50)
    raise SystemExit(f"Expected {script} within 30 s.")


def openings(page: Page, address: str) -> list[float]:
    """Milliseconds of each opening; the first, before the site has cleaned and marked the document, comes on top."""
    found = []
    for _ in range(OPENED + 1):
        page.goto(address)
        wait_for(page, "'opened' in self")
        found.append(float(page.evaluate("self.opened")))
        wait_for(page, "document.querySelector('.judge[data-ready]') !== null")
    return found


def keys(page: Page, address: str) -> list[float]:
    page.goto(address)
    wait_for(page, "document.querySelector('.judge[data-ready]') !== null")
    page.wait_for_timeout(1000)  # what comes after the page has come
    found = []
    for number in range(PRESSED):
        found.append(float(page.evaluate(PRESS, str(number % 4))))
        page.wait_for_timeout(100)
    return found


def measure(site: Site) -> int:
    from tests.chromium import FLAGS

    collection, people, seats = make_world()
    home, path = f"/c/{collection.slug}/judge/", browser_setup.find()
    if not path:
        raise SystemExit(browser_setup.HELP)
    missed = False
    print(f"{'milliseconds':<36}{'first':>8}{'median':>8}{'most':>8}{'goal':>8}")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        for name, user, seat in zip(("1 MB of text, opened", "1 MB of HTML, opened"), people, seats, strict=False):
            missed |= tell(name, openings(page_of(browser, site, user), f"{home}{seat}/"), DOCUMENT_GOAL)
        missed |= tell("grade key → next document drawn", keys(page_of(browser, site, people[2]), home), KEY_GOAL)
        browser.close()
    return int(missed)


def tell(name: str, times: list[float], goal: int) -> bool:
    """A line of the table; whether the goal is missed."""
    first, *warm = times
    found = median(warm)
    print(f"{name:<36}{first:>8.0f}{found:>8.0f}{max(warm):>8.0f}{goal:>8}{'  MISSED' if found > goal else ''}", flush=True)
    return found > goal


def main() -> int:
    site = Site().start()
    os.environ |= {"ASSIZE_DATA": str(site.data), "DJANGO_SETTINGS_MODULE": "config.settings"}
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"  # as with the browser tests
    try:
        import django

        django.setup()
        return measure(site)
    finally:
        site.remove()


if __name__ == "__main__":
    sys.exit(main())
