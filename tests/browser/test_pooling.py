"""From a collection's files to its pool, in the browser alone; every number on the pages is counted again by a shell pipeline."""

import gzip
import re
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from config.models import User
from tests import factories
from tests.browser.look import look
from tests.chromium import NewPage, sign_in
from tests.site import Site

pytestmark = pytest.mark.once

# The first documents of each run and topic, in evaluation order: topic, docno, tag.
TOP = """
for file in runs/*; do
  gzip -dcf "$file" | LC_ALL=C sort -k1,1 -k5,5gr -k3,3r | awk -v depth={depth} '$1 != t {{t = $1; n = 0}} ++n <= depth {{print $1, $3, $6}}'
done > top
"""
ITEMS = "cut -d' ' -f1,2 top | sort -u | wc -l"
BY_TOPIC = "cut -d' ' -f1,2 top | sort -u | cut -d' ' -f1 | sort | uniq -c | awk '{print $2, $1}'"
POOLED = "cut -d' ' -f3 top | sort | uniq -c | awk '{print $2, $1}'"
UNIQUE = 'awk \'{n[$1 " " $2]++; tag[$1 " " $2] = $3} END {for (p in n) if (n[p] == 1) u[tag[p]]++; for (t in u) print t, u[t]}\' top'


def shell(folder: Path, command: str) -> str:
    return subprocess.run(["sh", "-c", command], cwd=folder, check=True, capture_output=True, text=True).stdout


def counted(folder: Path, command: str) -> dict[str, int]:
    return {name: int(count) for name, count in (line.split() for line in shell(folder, command).splitlines())}


def number(text: str) -> int:
    return int(re.sub(r"\D", "", text))


def rows(page: Page, region: str) -> list[list[str]]:
    table = page.get_by_role("region", name=region).locator("tbody tr")
    return [[cell.strip() for cell in row.locator("td").all_inner_texts()] for row in table.all()]


def send(page: Page, place: str, *files: Path, **choices: str) -> None:
    page.get_by_role("navigation", name="Collection").get_by_role("link", name="Input", exact=True).click()
    page.get_by_role("navigation", name="Pages").get_by_role("link", name=place, exact=True).click()
    form = page.locator("#send form")
    form.locator("input[type=file]").set_input_files([str(file) for file in files])
    for label, value in choices.items():
        form.get_by_label(value).check() if label == "tick" else form.get_by_label(label).fill(value)
    form.get_by_role("button", name="Upload and check").click()


def to_a_pool(page: Page, slug: str, folder: Path, depth: int, *, documents: int, topics: int, running: bool) -> None:
    """`folder` has documents, topics and a folder of runs."""
    page.goto(f"/c/{slug}/")
    send(page, "Topics", folder / "topics", **({"tick": "1, 2, 3 … in the order of the file"} if running else {}))
    expect(page.get_by_text(f"{topics} topics are the collection's topics now.")).to_be_visible(timeout=60_000)
    send(page, "Documents", folder / "documents")
    expect(page.get_by_text(f"{documents:,} documents are the collection's documents now.")).to_be_visible(timeout=60_000)
    files = sorted((folder / "runs").iterdir())
    send(page, "Runs", *files, Group="Cranfield")
    runs = page.get_by_role("region", name="Runs").locator("tbody tr")
    expect(runs).to_have_count(len(files), timeout=60_000)

    # Planned: the numbers shown are those of the pipeline.
    shell(folder, TOP.format(depth=depth))
    items, by_topic = int(shell(folder, ITEMS)), counted(folder, BY_TOPIC)
    pooled, unique = counted(folder, POOLED), counted(folder, UNIQUE)
    page.get_by_role("navigation", name="Collection").get_by_role("link", name="Pool", exact=True).click()
    page.get_by_label("Depth", exact=True).fill(str(depth))
    page.get_by_label("Seconds per judgment").fill("36")
    page.get_by_role("button", name="Show the plan").click()
    expect(page.locator(".figures dd").first).to_have_text(f"{items:,}")
    spent = f"{items * 0.6:.0f} min" if items < 100 else f"{items / 100:,.1f} h"
    assert page.locator(".figures dd").all_inner_texts() == [f"{items:,}", spent, str(len(files))]
    assert number(page.locator("#plan tr.mine td").nth(1).inner_text()) == items
    page.get_by_text("This plan by topic").click()
    assert {row[0]: number(row[2]) for row in rows(page, "Plan by topic")} == by_topic
    page.get_by_text("This plan by run: who contributes what").click()
    planned = {row[0]: (number(row[2]), number(row[4])) for row in rows(page, "Plan by run")}
    assert planned == {tag: (count, unique.get(tag, 0)) for tag, count in pooled.items()}

    # Drawn: what was shown.
    page.get_by_role("button", name=f"Draw {items:,} items").click()
    expect(page.get_by_text(f"All {items:,} items, and which runs found them")).to_be_visible(timeout=60_000)
    page.get_by_role("region", name="Rounds").get_by_role("link", name="1", exact=True).click()
    assert {row[0]: (number(row[2]), number(row[3])) for row in rows(page, "Contributions by run")} == planned
    with page.expect_download() as download:
        page.goto(f"/c/{slug}/pool/")
        page.get_by_role("link", name="TREC", exact=True).click()
    assert Path(download.value.path()).read_text() == shell(folder, "cut -d' ' -f1,2 top | LC_ALL=C sort -u")


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


def organizer_with(name: str) -> tuple[User, str]:
    organizer = factories.make_user(f"Cyril {name}")
    return organizer, factories.make_collection(organizer, name).slug


def test_from_files_to_a_pool_in_the_browser(site: Site, new_page: NewPage, tmp_path: Path) -> None:
    own_files(tmp_path)
    organizer, slug = organizer_with("Small wings")
    page = new_page(site)
    sign_in(page, organizer)
    to_a_pool(page, slug, tmp_path, 7, documents=60, topics=5, running=True)
    page.goto(f"/c/{slug}/pool/")
    look(page, "pool-cranfield")
