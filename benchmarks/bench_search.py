"""Searching 100,000 documents of our own making while ten people judge: `python -m benchmarks.bench_search [--pg] [--documents N]`.

A real site; the documents are imported and indexed by its commands. One assessor searches over the API, each time for other
words (one rare, several common, a phrase, a minus), without a pause; ten others judge with a second to think. Told are the
median and the 95th percentile of an answer, from outside, over a connection that is kept open.
"""

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import urlencode

from benchmarks import crowd
from benchmarks.bench_requests import Result
from benchmarks.databases import forget_settings, postgres
from tests.site import ROOT, Site

PEOPLE, THINK, GOAL = 10, 1.0, 0.05
WORDS = 60_000
MADE = "search.json"


def vocabulary() -> list[str]:
    """Words that look like words, so that stems and snippets have something to do."""
    parts = ["ka", "lo", "mi", "ner", "sto", "vel", "dra", "phi", "tun", "gar", "bes", "ul", "cor", "wen", "zis", "mor"]
    generator, made = random.Random(3), dict[str, None]()  # noqa: S311
    while len(made) < WORDS:
        made["".join(generator.choices(parts, k=generator.randint(2, 5)))] = None
    return list(made)


def write_documents(path: Path, count: int, words: list[str]) -> None:
    """159 words each on average, drawn as in language: the nth word about 1/n as often as the first (Zipf)."""
    import numpy as np

    generator = np.random.default_rng(5)
    below = np.cumsum(1 / np.arange(1, len(words) + 1))
    spelled = np.array(words)
    with path.open("w") as file:
        for number in range(count):
            drawn = np.searchsorted(below, generator.random(generator.integers(40, 280)) * below[-1])
            text = spelled[drawn].tolist()
            file.write(json.dumps({"id": f"doc{number:06}", "title": " ".join(text[:6]), "text": " ".join(text)}) + "\n")


def queries(words: list[str]) -> list[str]:
    """As people search: mostly two to four words of middling frequency, some of them common."""
    generator = random.Random(9)  # noqa: S311

    def word() -> str:
        return words[min(len(words) - 1, int(10 ** generator.uniform(1, 4)))]

    made = []
    for number in range(400):
        text = " ".join(word() for _ in range(generator.randint(1, 4)))
        if number % 5 == 1:
            text += f" -{word()}"
        if number % 5 == 2:
            text = f'"{words[generator.randint(0, 60)]} {words[generator.randint(0, 60)]}" {text}'
        if number % 5 == 3:
            text += f" title:{word()}"
        made.append(text)
    return made


async def _measure(judges: list[crowd.Judge], searcher: crowd.Connection, asked: list[str], seconds: float) -> Result:
    times: list[float] = []
    refused = 0
    begin = time.perf_counter()

    async def look() -> None:
        nonlocal refused
        for place in range(10**9):
            if time.perf_counter() > begin + seconds:
                return
            path = f"/api/v1/collections/{crowd.COLLECTION}/search?" + urlencode({"q": asked[place % len(asked)]})
            start = time.perf_counter()
            status, _ = await searcher.ask("GET", path)
            times.append(time.perf_counter() - start)
            refused += status != 200

    await asyncio.gather(look(), crowd.judge_until(judges, begin + seconds, think=THINK))
    return Result("search", 1, times, time.perf_counter() - begin, refused)


def bench(kind: str, documents: int, seconds: float, data: Path | None) -> bool:
    """Whether the goal is met. A site of a folder that was made before is used as it is."""
    named = {"ASSIZE_DATA": str(data.resolve() / "site")} if data else {}
    if data:
        (data / "site").mkdir(exist_ok=True)
    if data and "ASSIZE_DATABASE_URL" in os.environ:
        named["ASSIZE_DATABASE_URL"] = os.environ["ASSIZE_DATABASE_URL"]
    site = Site(ASSIZE_LOG_LEVEL="WARNING", ASSIZE_SEARCH=kind, **named)
    try:
        site.start()
        made = site.data / MADE
        if not made.exists():
            crowd.settle(site, PEOPLE, 20, 200)
            command = [sys.executable, "-m", "benchmarks.bench_search", "--fill", str(documents)]
            subprocess.run(command, cwd=ROOT, env=site.env, check=True)
        *secrets, own = json.loads(made.read_text())
        judges = [crowd.Judge(crowd.Connection(site.port, Authorization=f"Bearer {secret}")) for secret in secrets]
        searcher = crowd.Connection(site.port, Authorization=f"Bearer {own}")
        asked = queries(vocabulary())
        loop = asyncio.new_event_loop()
        for judge in judges:
            loop.run_until_complete(judge.take())
        loop.run_until_complete(_measure([], searcher, asked, 3))  # warm
        found = loop.run_until_complete(_measure(judges, searcher, asked, seconds))
        loop.close()
        judged = sorted(spent for judge in judges for _, spent in judge.times)
        print(
            f"{kind}, load {os.getloadavg()[0]:.1f}: {len(found.times)} searches, {found.refused} refused, median {found.quantile(0.5):.1f} ms, "
            f"p95 {found.quantile(0.95):.1f} ms, worst {found.quantile(1):.0f} ms; {len(judged)} judgments meanwhile, median {1000 * judged[len(judged) // 2]:.1f} ms"
        )
        return found.refused == 0 and found.quantile(0.95) < 1000 * GOAL
    finally:
        if data:
            site.stop()
        else:
            site.remove()


def fill(count: int) -> None:
    """Run beside the site: documents, index, and a file of secrets: of those who judge, and at last of who searches."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()
    from django.conf import settings

    from config import accounts
    from config.models import User
    from pooling.models import Collection, Role, UploadKind
    from pooling.services import indexing, uploads
    from pooling.services.work import Direct

    collection, by = Collection.objects.get(slug=crowd.COLLECTION), User.objects.get(name="Judging Bench")
    path = settings.DATA / "documents.jsonl"
    kept = collection.corpus.documents.values_list("docno", "title", "text")
    write_documents(path, count, vocabulary())
    with path.open("a") as file:  # what the crowd judges must stay
        for docno, title, text in kept:
            file.write(json.dumps({"id": docno, "title": title, "text": text}) + "\n")
    begin = time.perf_counter()
    upload = uploads.receive_file(
        collection,
        by=by,
        kind=UploadKind.DOCUMENTS,
        name="documents.jsonl",
        chunks=[path.read_bytes()],
        options={},
        later=False,
    )
    with Direct(lambda *told: None) as work:
        uploads.check_upload(upload, work)
        imported = time.perf_counter()
        number = indexing.index_documents(collection, work)
    print(f"{number:,} documents: imported in {imported - begin:.0f} s, indexed in {time.perf_counter() - imported:.0f} s")
    people = User.objects.filter(memberships__collection=collection, memberships__role=Role.ASSESSOR)
    secrets = [accounts.make_token(user=one, name="search", scopes=["judge"])[1] for one in people]
    secrets.append(accounts.make_token(user=by, name="search", scopes=["read"])[1])
    (settings.DATA / MADE).write_text(json.dumps(secrets))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bench_search", description=__doc__)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--pg", action="store_true", help="on PostgreSQL, with the index in the database")
    parser.add_argument("--data", type=Path, help="a folder for the site, kept and used again")
    parser.add_argument("--fill", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.fill:
        fill(options.fill)
        return
    forget_settings()
    if options.data:
        options.data.mkdir(parents=True, exist_ok=True)
    if options.pg:
        with postgres(options.data / "database" if options.data else None):
            ok = bench("database", options.documents, options.seconds, options.data)
    else:
        ok = bench("folder", options.documents, options.seconds, options.data)
    sys.exit(0 if ok else 1)


if __name__ == "__main__":
    main()
