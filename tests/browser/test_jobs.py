"""Jobs as people see them: a bar that moves by itself, a result to take away, and a banner when jobs must wait."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from config.models import Job
from tests import factories
from tests.browser.look import look
from tests.browser.world import World
from tests.chromium import NewPage, sign_in
from tests.site import Site

if TYPE_CHECKING:
    from config.models import User

# Once: on PostgreSQL jobs go through tests/browser/test_walk.py and tests/config/test_jobs.py.
pytestmark = pytest.mark.once

# What the bar stands at, each time it moves.
NOTE_STEPS = """self.steps = [];
new MutationObserver(() => {
    const bar = document.querySelector(".job progress");
    if (bar && bar.value !== steps.at(-1)) steps.push(bar.value);
}).observe(document.body, {attributes: true, childList: true, subtree: true})"""


def test_trial_moves_without_reload_and_ends(world: World, signed_in: Callable[[User], Page]) -> None:
    page = signed_in(world.staff)
    page.goto("/status/")
    for part in ("Database", "Queue", "Workers", "Disk"):
        expect(page.get_by_role("listitem").filter(has_text=part).first).to_contain_text("up")
    page.get_by_role("button", name="Try the queue").click()
    page.wait_for_url("**/jobs/*/")
    page.evaluate(NOTE_STEPS)
    expect(page.locator(".job")).to_contain_text("Done", timeout=60_000)
    expect(page.locator(".job")).to_contain_text("All 20 steps done")
    expect(page.locator("#say")).to_contain_text(
        "Trial of queue and workers: done. All 20 steps done"
    )  # for who cannot see the bar
    steps = page.evaluate("steps")  # they are still there: the page was not loaded again
    assert len(steps) > 1 and steps == sorted(steps) and set(steps) <= {*range(21)}


def test_what_is_polled_leaves_who_reads_it_where_they_are(signed_in: Callable[[User], Page]) -> None:
    """While it is as before it stays the same part of the page; when it is another, the focus is where it was, not nowhere."""
    rita = factories.make_user("Rita Reader")  # whose page has no other job that may change meanwhile
    told = {"state": "running", "attempt": 1, "heartbeat_at": timezone.now(), "done_count": 3, "total": 8}
    job = Job.objects.create(name="trial", title="Long work", started_by=rita, **told)
    page = signed_in(rita)
    page.goto("/jobs/")
    page.get_by_role("link", name="Long work").focus()
    shown = page.get_by_role("article", name="Long work")
    shown.evaluate("part => { part.dataset.mine = 'read' }")
    for _ in range(2):
        with page.expect_response(f"**/jobs/{job.pk}/?linked=1"):
            pass
    expect(shown).to_have_attribute("data-mine", "read")
    Job.objects.filter(pk=job.pk).update(done_count=4, heartbeat_at=timezone.now())
    expect(shown).to_contain_text("4 of 8")
    expect(shown).not_to_have_attribute("data-mine", "read")
    expect(page.get_by_role("link", name="Long work")).to_be_focused()
    expect(page.locator("#say")).to_be_empty()  # a bar that moves is not told at each step
    job.delete()


def test_export_is_made_and_can_be_downloaded(world: World, signed_in: Callable[[User], Page]) -> None:
    page = signed_in(world.organizer)
    page.goto(f"/c/{world.main.slug}/settings/")
    page.get_by_role("button", name="Export").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Export of Harbour trials 2026")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the result").click(timeout=30_000)
    assert download.value.suggested_filename == "harbour-2026.zip"
    with zipfile.ZipFile(download.value.path()) as archive:
        assert "harbour-2026/collection.json" in archive.namelist()


def test_without_queue_and_workers_pages_work_and_jobs_wait(queueless_site: Site, new_page: NewPage) -> None:
    organizer = factories.make_user("Wanda Waiting", staff=True)
    factories.make_collection(organizer, "Quiet harbour")
    page = new_page(queueless_site)
    sign_in(page, organizer)
    page.goto("/")
    banner = page.get_by_role("complementary", name="Notice")
    expect(banner).to_contain_text(re.compile("not reachable.*jobs wait and start by themselves"))
    page.get_by_role("link", name="Quiet harbour").click()
    page.get_by_role("link", name="Settings").click()
    look(page, "banner")
    page.get_by_role("button", name="Export").click()
    expect(page.locator(".job")).to_contain_text("Waiting")
    page.goto("/status/")
    expect(page.get_by_role("listitem").filter(has_text="Queue").first).to_contain_text("down")
    look(page, "status-down")
    page.goto("/")
    expect(page.get_by_text("Export of Quiet harbour")).to_be_visible()
