"""`python -m benchmarks.dead_worker [--pg]`: how soon a worker that was killed with -9 is noticed, on a real site.

With the supervisor standing still, which would start another at once, health says so; then a worker and its job's process are
killed in mid-job. It ends with status 1 unless health is red within 10 s, the job shown as stalled within 60 and running again
within 120.
"""

import json
import sys
import time
import urllib.request
from typing import Any

from benchmarks.chaos import world
from benchmarks.checks import get
from benchmarks.databases import on_either
from benchmarks.load import machine
from tests.site import Site, standing_still

RED, STALLED, AGAIN = 10.0, 60.0, 120.0


def _job(site: Site, secret: str, number: int) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(get(site, secret, f"/api/v1/jobs/{number}"))
    return found


def _start(site: Site, secret: str) -> int:
    head = {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"}
    body = json.dumps({"steps": 100, "seconds": 300}).encode()
    request = urllib.request.Request(f"{site.url}/api/v1/jobs/trial", body, head)  # noqa: S310  (our own address)
    with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310
        number: int = json.loads(answer.read())["id"]
        return number


def _red(site: Site) -> float:
    """After how many seconds health says that there is no worker."""
    assert site.process  # noqa: S101
    with standing_still([site.process.pid]):
        begin = time.monotonic()
        site.kill("worker")
        site.wait_for(lambda: not site.ready()["workers"], 60)
        return time.monotonic() - begin


def bench(name: str) -> bool:
    site = Site(ASSIZE_LOG_LEVEL="WARNING")
    try:
        secret = world(site.start(), 1, 1, 10)["admin"]
        red = _red(site)
        site.wait_for(lambda: site.ready()["workers"], 60)
        number = _start(site, secret)
        site.wait_for(lambda: _job(site, secret, number)["state"] == "running", 60)
        site.kill("worker")  # and its job's process, which bears the same name
        seen, begin = dict[str, float](), time.monotonic()
        while len(seen) < 2 and time.monotonic() - begin < AGAIN + 10:
            job = _job(site, secret, number)
            if job["state"] == "stalled":
                seen.setdefault("stalled", time.monotonic() - begin)
            elif job["state"] == "running" and "stalled" in seen:
                seen["running"] = time.monotonic() - begin
            time.sleep(0.2)
    finally:
        site.remove()
    good = red <= RED and seen.get("stalled", AGAIN) <= STALLED and seen.get("running", 2 * AGAIN) <= AGAIN
    told = ", ".join(f"{state} after {seconds:.0f} s" for state, seconds in seen.items()) or "never noticed"
    print(
        f"{name}, {machine()}: a killed worker is told after {red:.1f} s, and its job is shown as {told}: {'kept' if good else 'BROKEN'}"
    )
    return good


if __name__ == "__main__":
    sys.exit(on_either("dead_worker", __doc__ or "", bench))
