"""What must hold after a load, whatever its speed: twelve checks, by the journals of the clients and the site's own exports."""

import json
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.crowd import COLLECTION, Judge
from tests.site import ROOT, Site

API = f"/api/v1/collections/{COLLECTION}"
EXAMINED = ("judgments and their history", "decisions and their history", "progress", "database")


def get(site: Site, secret: str, path: str) -> bytes:
    request = urllib.request.Request(f"{site.url}{path}", headers={"Authorization": f"Bearer {secret}"})  # noqa: S310
    with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310  (our own address)
        data: bytes = answer.read()
        return data


def listed(site: Site, secret: str, what: str, under: str = API) -> list[dict[str, Any]]:
    rows, path = [], f"{under}/{what}?page_size=200"
    while path:
        page = json.loads(get(site, secret, path))
        rows += page["results"]
        path = (page["next"] or "").removeprefix(site.url)
    return rows


def lines(site: Site, secret: str, query: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in get(site, secret, f"{API}/judgments?{query}format=jsonl").splitlines()]


def assize(site: Site, *words: str) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).parent / "assize"), *words]
    return subprocess.run(command, cwd=ROOT, env=site.env, capture_output=True, text=True, check=False)


def _progress(site: Site, secret: str) -> dict[str, Any]:
    """Counted from now on: what was counted for who looked before is asked for again."""
    now, told = datetime.now(UTC), {"at": "0001-01-01T00:00:00Z"}
    while datetime.fromisoformat(told["at"]) < now:
        told = json.loads(get(site, secret, f"{API}/progress"))
        time.sleep(0.5)
    found: dict[str, Any] = told["total"]  # type: ignore[assignment]
    return found


def twelve(
    site: Site, secret: str, judges: Sequence[Judge], *, errors: Sequence[str] = (), tags: Sequence[str] = (), opinions: int = 1
) -> dict[str, str]:
    """Each check by its name, with what is wrong, or nothing. `tags` are the runs that were acknowledged."""
    history, present = lines(site, secret, "history=true&"), lines(site, secret, "")
    acts = {act: grade for judge in judges for _seat, act, grade in judge.acts}
    stored = Counter(row["note"] for row in history)
    pairs = Counter((row["topic"], row["docno"]) for row in present)
    people = Counter((row["topic"], row["docno"], row["assessor"]) for row in present)
    by_person: dict[str, list[str]] = {}
    for row in history:
        by_person.setdefault(row["assessor"], []).append(row["note"])
    journals = {tuple(act for _seat, act, _grade in judge.acts) for judge in judges if judge.acts}
    told = _progress(site, secret)
    uploads = listed(site, secret, "uploads")
    runs = Counter(row["tag"] for row in listed(site, secret, "runs"))
    jobs = listed(site, secret, "jobs", "/api/v1")
    doctor = assize(site, "doctor", "--json")
    examined = json.loads(doctor.stdout)["faults"] if doctor.stdout else {"database": [{"what": doctor.stderr[-200:]}]}
    off = [fault for name in EXAMINED for fault in examined.get(name, []) if fault.get("where") in (COLLECTION, "site", None)]
    found: dict[str, Sequence[Any]] = {
        "no request failed": [*errors, *(error for judge in judges for error in judge.errors)],
        "nothing that was acknowledged is lost": sorted(set(acts) - set(stored)),
        "nothing is stored that nobody sent": sorted(set(stored) - set(acts)),
        "no act is stored twice": [act for act, count in stored.items() if count > 1],
        "each grade is the one that was sent": [row["note"] for row in history if acts.get(row["note"]) != row["grade"]],
        "history is in the order of the journals": []
        if {tuple(acts) for acts in by_person.values()} == journals
        else ["another"],
        f"no document has more opinions than {opinions}": [pair for pair, count in pairs.items() if count > opinions],
        "nobody judged a document twice": [row for row, count in people.items() if count > 1],
        "progress is a recount": [] if told["done"] == len(present) else [f"{told['done']}, not {len(present)}"],
        "every file that was taken is one run": [tag for tag in tags if runs[tag] != 1]
        + [row["name"] for row in uploads if row["state"] == "refused"],
        "no job failed": [row["name"] for row in jobs if row["state"] == "failed"],
        "the doctor finds nothing": [fault["what"] for fault in off],
    }
    return {name: f"{len(odd):,}, as {str(odd[0])[:200]}" if odd else "" for name, odd in found.items()}
