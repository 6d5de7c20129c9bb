"""A collection's files put in by the browser, planned and drawn: what the pages tell, and what a shell pipeline counts."""

import re
import subprocess
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Page, expect

PACE = 36  # seconds of a judgment: a hundred are an hour
DEEPEST = 100
MARKS = (5, 10, 20, 50, 100)
Numbers = dict[str, object]

# The first documents of each run and topic, in evaluation order: topic, docno, tag, rank.
TOP = f"""
for file in runs/*; do
  gzip -dcf "$file" | LC_ALL=C sort -k1,1 -k5,5gr -k3,3r | awk '$1 != t {{t = $1; n = 0}} ++n <= {DEEPEST} {{print $1, $3, $6, n}}'
done > deep
awk '$4 <= %d {{print $1, $2, $3}}' deep > top
"""
ITEMS = "cut -d' ' -f1,2 top | sort -u | wc -l"
SIZE = "awk '$4 <= %d {print $1, $2}' deep | sort -u | wc -l"
BY_TOPIC = "cut -d' ' -f1,2 top | sort -u | cut -d' ' -f1 | sort | uniq -c | awk '{print $2, $1}'"
POOLED = "cut -d' ' -f3 top | sort | uniq -c | awk '{print $2, $1}'"
UNIQUE = 'awk \'{n[$1 " " $2]++; tag[$1 " " $2] = $3} END {for (p in n) if (n[p] == 1) u[tag[p]]++; for (t in u) print t, u[t]}\' top'
FILE = "cut -d' ' -f1,2 top | LC_ALL=C sort -u"
LINES = "for file in runs/*; do gzip -dcf \"$file\" | awk '{n++; tag = $6} END {print tag, n}'; done"
TOPICS = (
    "for file in runs/*; do gzip -dcf \"$file\" | cut -d' ' -f1,6 | sort -u | awk '{n++; tag = $2} END {print tag, n}'; done"
)


def shell(folder: Path, command: str) -> str:
    return subprocess.run(["sh", "-c", command], cwd=folder, check=True, capture_output=True, text=True).stdout


def counted(folder: Path, command: str) -> dict[str, int]:
    return {name: int(count) for name, count in (line.split() for line in shell(folder, command).splitlines())}


class Form(NamedTuple):
    """How the shell counts documents, and lists the numbers of topics; `running` ones are given in the order of the file."""

    documents: str
    topics: str
    running: bool


SMART = Form("grep -c '^\\.I' documents", "grep '^\\.I' topics | awk '{print NR}'", running=True)
TREC = Form("wc -l < documents", "sed -n 's/^<num> Number: *//p' topics", running=False)


def pipeline_tells(folder: Path, form: Form, depth: int, group: str) -> Numbers:
    """The same numbers by sort, awk and uniq over the files alone."""
    shell(folder, TOP.replace("%d", str(depth)))
    items, by_topic = int(shell(folder, ITEMS)), counted(folder, BY_TOPIC)
    pooled, unique = counted(folder, POOLED), counted(folder, UNIQUE)
    lines, topics = counted(folder, LINES), counted(folder, TOPICS)
    by_run = {tag: (count, unique.get(tag, 0)) for tag, count in pooled.items()}
    return {
        "documents": int(shell(folder, form.documents)),
        "topics: their numbers": shell(folder, form.topics).split(),
        "runs: topics and lines of each": {tag: (topics[tag], lines[tag]) for tag in lines},
        "plan: items": items,
        "plan: time to judge": f"{items * PACE / 60:.0f} min" if items < 100 else f"{items * PACE / 3600:,.1f} h",
        "plan: runs": len(lines),
        "plan: items by depth": {mark: int(shell(folder, SIZE % mark)) for mark in sorted({*MARKS, depth})},
        "plan: items of each topic": by_topic,
        "plan: pooled and unique of each run": by_run,
        "plan: runs, pooled and unique of the group": {group: (len(lines), items, items)},
        "pool: items of each topic": by_topic,
        "round: new items": items,
        "round: pooled and unique of each run": by_run,
        "round: runs, pooled and unique of the group": {group: (len(lines), items, items)},
        "pool file": shell(folder, FILE),
    }


def number(text: str) -> int:
    return int(re.sub(r"\D", "", text))


def rows(page: Page, region: str) -> list[list[str]]:
    """The cells of a table, all at once: one after the other would take a second for each hundred."""
    script = "rows => rows.map(row => Array.from(row.cells, cell => cell.innerText.trim()))"
    found: list[list[str]] = page.get_by_role("region", name=region).locator("tbody tr").evaluate_all(script)
    return found


def all_rows(page: Page, region: str) -> list[list[str]]:
    """Of a list of topics, on all its pages."""
    found = rows(page, region)
    onward = page.get_by_role("navigation", name="Topics").get_by_role("link", name="Next")
    while onward.count():
        with page.expect_navigation():
            onward.click()
        found += rows(page, region)
    return found


def send(page: Page, place: str, *files: Path, **choices: str) -> None:
    page.get_by_role("navigation", name="Collection").get_by_role("link", name="Input", exact=True).click()
    page.get_by_role("navigation", name="Pages").get_by_role("link", name=place, exact=True).click()
    form = page.locator("#send form")
    form.locator("input[type=file]").set_input_files([str(file) for file in files])
    for label, value in choices.items():
        form.get_by_label(value).check() if label == "tick" else form.get_by_label(label).fill(value)
    form.get_by_role("button", name="Upload and check").click()


def put_in(page: Page, slug: str, folder: Path, form: Form, group: str) -> None:
    """`folder` has documents, topics and a folder of runs; each page tells how many it took."""
    documents, topics = int(shell(folder, form.documents)), len(shell(folder, form.topics).split())
    page.goto(f"/c/{slug}/")
    send(page, "Topics", folder / "topics", **({"tick": "1, 2, 3 … in the order of the file"} if form.running else {}))
    expect(page.get_by_text(f"{topics} topics are the collection's topics now.")).to_be_visible(timeout=60_000)
    send(page, "Documents", folder / "documents")
    expect(page.get_by_text(f"{documents:,} documents are the collection's documents now.")).to_be_visible(timeout=60_000)
    files = sorted((folder / "runs").iterdir())
    send(page, "Runs", *files, Group=group)
    expect(page.get_by_role("region", name="Runs").locator("tbody tr")).to_have_count(len(files), timeout=60_000)


def pages_tell(page: Page, slug: str, depth: int) -> Numbers:
    """Planned and drawn; every number that the pages show on the way."""
    page.goto(f"/c/{slug}/documents/")
    told: Numbers = {"documents": number(page.locator("main section p.soft").first.inner_text().partition(" document")[0])}
    page.goto(f"/c/{slug}/topics/")
    told["topics: their numbers"] = [row[0] for row in all_rows(page, "Topics")]
    page.goto(f"/c/{slug}/runs/")
    told["runs: topics and lines of each"] = {row[0]: (number(row[4]), number(row[5])) for row in rows(page, "Runs")}
    page.get_by_role("navigation", name="Collection").get_by_role("link", name="Pool", exact=True).click()
    page.get_by_label("Depth", exact=True).fill(str(depth))
    page.get_by_label("Seconds per judgment").fill(str(PACE))
    page.get_by_role("button", name="Show the plan").click()
    expect(page.locator("#plan tr.mine th")).to_have_text(str(depth))
    items, spent, runs = page.locator(".figures dd").all_inner_texts()
    told |= {"plan: items": number(items), "plan: time to judge": spent, "plan: runs": number(runs)}
    marks = page.locator("#plan tbody tr").evaluate_all(
        "rows => rows.map(row => Array.from(row.cells, cell => cell.innerText))"
    )
    told["plan: items by depth"] = {number(row[0]): number(row[1]) for row in marks}
    for summary in ("This plan by topic", "This plan by run: who contributes what", "This plan by group"):
        page.get_by_text(summary).click()
    told["plan: items of each topic"] = {row[0]: number(row[2]) for row in rows(page, "Plan by topic")}
    told["plan: pooled and unique of each run"] = {
        row[0]: (number(row[2]), number(row[4])) for row in rows(page, "Plan by run")
    }
    told["plan: runs, pooled and unique of the group"] = groups(page, "Plan by group")

    # Drawn: what was shown.
    page.get_by_role("button", name=f"Draw {items} items").click()
    expect(page.get_by_text(f"All {items} items, and which runs found them")).to_be_visible(timeout=60_000)
    page.goto(f"/c/{slug}/pool/")
    told["pool: items of each topic"] = {row[0]: number(row[2]) for row in all_rows(page, "Items by topic")}
    page.goto(f"/c/{slug}/pool/1/")
    facts = page.locator("dl.facts")
    told["round: new items"] = number(
        facts.locator("dt", has_text="New items").locator("xpath=following-sibling::dd[1]").inner_text()
    )
    told["round: pooled and unique of each run"] = {
        row[0]: (number(row[2]), number(row[3])) for row in rows(page, "Contributions by run")
    }
    told["round: runs, pooled and unique of the group"] = groups(page, "Contributions by group")
    with page.expect_download() as download:
        page.goto(f"/c/{slug}/pool/")
        page.get_by_role("link", name="TREC", exact=True).click()
    return {**told, "pool file": Path(download.value.path()).read_text()}


def groups(page: Page, region: str) -> dict[str, tuple[int, ...]]:
    return {row[0]: tuple(number(cell) for cell in row[1:]) for row in rows(page, region)}
