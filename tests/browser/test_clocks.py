"""A browser whose own clock is wrong, and is set while somebody judges."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from assess.models import JudgmentEvent
from tests import browser_setup
from tests.browser.desk import Desk, make_desk, press_fast
from tests.chromium import FLAGS, sign_in_by_form
from tests.clock import Clock, own_clock
from tests.site import Site

pytestmark = pytest.mark.once
DAY = 86_400


@pytest.fixture
def clock() -> Iterator[Clock]:
    with own_clock() as made:
        yield made


@pytest.fixture
def desk(site: Site, browser: Browser, clock: Clock) -> Iterator[Desk]:
    """In a Chromium of its own, which goes by the clock, and is a day ahead."""
    clock.set(DAY)
    chromium = browser.browser_type.launch(executable_path=browser_setup.find(), args=FLAGS, env={**os.environ, **clock.env})
    context = chromium.new_context(base_url=site.url)
    collection, assessor = make_desk()
    desk = Desk(collection, assessor, context.new_page(), context)
    sign_in_by_form(desk.page, assessor)
    desk.open()
    yield desk
    chromium.close()


def test_a_browser_that_is_a_day_off_judges_in_order_and_by_true_seconds(desk: Desk, clock: Clock) -> None:
    """A day ahead, and then a day behind, while a document is on screen and some are unsent."""
    wanted, begin = list[tuple[str, int]](), time.monotonic()
    for ahead in (DAY, -DAY, DAY):
        clock.set(ahead)
        assert abs(desk.page.evaluate("Date.now()") / 1000 - time.time() - ahead) < 60
        wanted += press_fast(desk, 3)
        desk.expect_light("saved")
        desk.context.set_offline(True)
        wanted += press_fast(desk, 3)
        desk.expect_light("3 unsent")
        clock.set(-ahead)
        desk.context.set_offline(False)
        desk.expect_saved_in_time()
        desk.reload()  # who is signed in stays so
    assert desk.events() == wanted and len(wanted) == 18
    acts = JudgmentEvent.objects.filter(judgment__item__pool__collection=desk.collection)
    spent = [seconds for seconds in acts.values_list("seconds", flat=True) if seconds is not None]
    assert len(spent) == 18 and min(spent) >= 0 and sum(spent) <= time.monotonic() - begin
    assert [event.at for event in acts.order_by("pk")] == sorted(event.at for event in acts)
