"""The Cranfield collection through a real browser, each number on the pages beside the count of a shell pipeline.

`python -m benchmarks.cranfield CAMPAIGN ORIGINAL [--depth 20]`: CAMPAIGN has docs.jsonl, topics.trec.sgml and a folder of 13 runs;
ORIGINAL has cran.all.1400 and cran.qry in SMART's form, to which the same runs belong by running numbers. Each is put into a
collection of a site of its own, planned and drawn. Ends with status 1 unless all is equal.
"""

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from tests import browser_setup
from tests.site import Site

GROUP = "Cranfield"
Numbers = Mapping[str, object]


def walk(site: Site, browser: Browser, name: str, files: tuple[Path, Path, Path], depth: int) -> tuple[Numbers, Numbers]:
    """Files in, a pool out, in the browser alone: what the pages tell, and what the pipeline counts."""
    from tests import factories
    from tests.browser import to_pool
    from tests.chromium import sign_in, watched_page

    documents, topics, runs = files
    form = to_pool.SMART if topics.suffix == ".qry" else to_pool.TREC
    organizer = factories.make_user(f"Cyril {name}")
    slug = factories.make_collection(organizer, name).slug
    page, watch = watched_page(browser, site)
    sign_in(page, organizer)
    with tempfile.TemporaryDirectory(prefix="assize-cranfield-") as made:
        folder = Path(made)
        shutil.copyfile(documents, folder / "documents")
        shutil.copyfile(topics, folder / "topics")
        (folder / "runs").mkdir()
        for run in sorted(runs.iterdir()):
            shutil.copyfile(run, folder / "runs" / run.name)
        to_pool.put_in(page, slug, folder, form, GROUP)
        told = to_pool.pages_tell(page, slug, depth)
        counted = to_pool.pipeline_tells(folder, form, depth, GROUP)
    page.context.close()
    return {**told, "faults in the browser": watch.faults}, {**counted, "faults in the browser": []}


@contextmanager
def chromium() -> Iterator[Browser]:
    path = browser_setup.find()
    if not path:
        raise SystemExit(browser_setup.HELP)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"] if os.geteuid() == 0 else [])
        yield browser
        browser.close()


def size(value: object) -> str:
    """A number as it is; of many, how many they are."""
    if isinstance(value, dict | list):
        return f"{len(value):,} equal"
    return f"{len(value.splitlines()):,} lines equal" if isinstance(value, str) and "\n" in value else str(value)


def compare(name: str, told: Numbers, counted: Numbers) -> int:
    """Print a line for each, and how many differ."""
    print(f"\n## {name}\n\n| | pages | pipeline |\n|---|---|---|")
    wrong = 0
    for what in sorted({*told, *counted}, key=list(counted).index):
        ours, theirs = told.get(what), counted.get(what)
        if ours == theirs:
            print(f"| {what} | {size(ours)} | {size(theirs)} |")
        else:
            wrong += 1
            print(f"| {what} | **{str(ours)[:300]}** | **{str(theirs)[:300]}** |")
    return wrong


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cranfield", description=__doc__)
    parser.add_argument("campaign", type=Path, help="a folder with docs.jsonl, topics.trec.sgml and runs")
    parser.add_argument("original", type=Path, help="a folder with cran.all.1400 and cran.qry")
    parser.add_argument("--depth", type=int, default=20, metavar="N", help="of the pool; 20 unless given")
    options = parser.parse_args()
    runs: Path = options.campaign / "runs"
    collections = {
        "Cranfield": (options.campaign / "docs.jsonl", options.campaign / "topics.trec.sgml", runs),
        "Cranfield SMART": (options.original / "cran.all.1400", options.original / "cran.qry", runs),
    }
    os.environ |= {"DJANGO_SETTINGS_MODULE": "config.settings", "DJANGO_ALLOW_ASYNC_UNSAFE": "1"}  # as with the browser tests
    import django

    django.setup()
    site, wrong, pools = Site(ASSIZE_LOG_LEVEL="WARNING"), 0, set()
    try:
        site.start()
        with chromium() as browser, site.database():
            for name, files in collections.items():
                told, counted = walk(site, browser, name, files, options.depth)
                wrong += compare(name, told, counted)
                pools.add(told["pool file"])
    finally:
        site.remove()
    print(f"\n{wrong} different; the pools of both collections are {'the same' if len(pools) == 1 else 'not the same'}.")
    sys.exit(bool(wrong) or len(pools) > 1)


if __name__ == "__main__":
    main()
