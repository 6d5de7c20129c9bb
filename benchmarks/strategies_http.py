"""Every strategy through the real queue: a simulated assessor judges a whole collection over HTTP, document by document.

    python -m benchmarks.strategies_http NAME QRELS RUN [RUN …] [--topics N] [--documents FILE --titles FILE] [--only NAME …]
        [--rel GRADE] [--complete DEPTH] [--keep FOLDER] [--svg FILE]

A site of its own (`assize up`, SQLite). For each strategy a collection with these topics and runs, and the documents that the
qrels judge (others are stepped over); a round is drawn, and assessors with tokens, each with some of the topics, ask the API
for what is next and give it the grade of the qrels, one request for each. It ends with status 1 unless every order is the one
that `benchmarks.strategies` simulates, and unless the page that compares strategies says the same numbers of judgments.
Prints the table of docs/pooling.md and writes its curves.

`--topics`: so many, spread evenly over all; `--documents` (JSON lines) and `--titles` (of the topics, tab-separated): with
them active learning takes part, too, whose order is not simulated here. `--keep`: what came under each strategy is kept in
this folder, and not judged again.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.crowd import Connection
from benchmarks.strategies import judged_collection
from benchmarks.strategies_world import BUDGET
from evaluation.core import charts
from evaluation.core.matrix import NOT_IN_QRELS, StoredRuns
from evaluation.core.simulation import ENOUGH, course, gains
from pooling.core.packed import unpacked
from pooling.core.strategies import STRATEGIES, clean
from tests.site import ROOT, Site

AT_ONCE = 4  # assessors who judge side by side
DRAWN = ("depth", "take", "rrf", "mtf", "maxmean", "thompson", "hedge", "rbp-adaptive", "cal")  # one for each tone of a chart
POINTS = 120  # of a curve
PAGE = "page-of-comparison.json"
Orders = dict[str, list[str]]  # of each topic: documents as they came


@dataclass(frozen=True)
class Found:
    """What was found under a strategy: after n judgments of each topic, `judged` and `relevant` over all of them."""

    name: str
    judged: NDArray[np.int64]
    relevant: NDArray[np.int64]
    told: str

    def needed(self, total: int) -> int | None:
        enough = np.flatnonzero(self.relevant >= ENOUGH * total)
        return int(self.judged[enough[0]]) if len(enough) else None


@dataclass(frozen=True, eq=False)
class Judged:
    """A judged collection: the runs with judged results alone, the grade of each document."""

    stored: StoredRuns
    grades: NDArray[np.int64]
    rel: int

    @property
    def pairs(self) -> dict[tuple[str, str], int]:
        matrix = self.stored.matrix
        keys = zip(matrix.topics[matrix.codes].tolist(), matrix.docnos.tolist(), strict=True)
        return {(topic.decode(), docno.decode()): int(grade) for (topic, docno), grade in zip(keys, self.grades, strict=True)}

    @property
    def total(self) -> int:
        return int((self.grades >= self.rel).sum())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name")
    parser.add_argument("qrels", type=Path)
    parser.add_argument("runs", type=Path, nargs="+")
    parser.add_argument("--topics", type=int, default=10**6)
    parser.add_argument("--documents", type=Path)
    parser.add_argument("--titles", type=Path)
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME")
    parser.add_argument("--rel", type=int, default=1)
    parser.add_argument("--complete", type=int, default=0)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--svg", type=Path)
    options = parser.parse_args()
    for name in [name for name in os.environ if name.startswith("ASSIZE_")]:
        del os.environ[name]
    names = options.only or [n for n, one in STRATEGIES.items() if one.kind != "sampled" and (n != "cal" or options.documents)]
    with tempfile.TemporaryDirectory() as own:
        collection, given = prepare(options, Path(own))
        kept = options.keep or Path(own)
        kept.mkdir(parents=True, exist_ok=True)
        if missing := [name for name in names if not (kept / f"{name}.json").exists()]:
            judge_missing(missing, given, collection, kept)
        found = [compared(name, collection, **json.loads((kept / f"{name}.json").read_text())) for name in names]
        page = json.loads((kept / PAGE).read_text())
    tell(options.name, collection, found)
    same = said_alike(page, collection, found)
    if options.svg:
        options.svg.write_text(curves(options.name, collection, found))
    sys.exit(not same or any(one.told.startswith("**") for one in found))


def judge_missing(names: list[str], given: dict[str, Any], collection: Judged, kept: Path) -> None:
    """Judge under these strategies on a site of their own, and write what came, one file for each."""
    site = Site(ASSIZE_LOG_LEVEL="ERROR")
    try:
        site.start()
        world = site.data / "strategies.json"
        world.write_text(json.dumps({**given, "names": names}))
        command = [sys.executable, "-m", "benchmarks.strategies_world", str(world)]
        told = subprocess.run(command, cwd=ROOT, env=site.env, capture_output=True, text=True, check=False)
        if told.returncode:
            raise RuntimeError(told.stderr[-2000:])
        asyncio.run(judge_all(site, json.loads(told.stdout), collection.pairs, kept))
    finally:
        site.remove()


def prepare(options: argparse.Namespace, folder: Path) -> tuple[Judged, dict[str, Any]]:
    """Runs of judged results alone, since a document may be judged for one topic and not for another; and what a site needs."""
    paths = sorted(options.runs)
    stored, grades = judged_collection(paths, options.qrels, options.complete)
    numbers = stored.matrix.topics
    some = {
        topic.decode() for topic in numbers[np.unique(np.linspace(0, len(numbers) - 1, options.topics).astype(int))].tolist()
    }
    pairs = {pair: g for pair, g in Judged(stored, grades, options.rel).pairs.items() if g != NOT_IN_QRELS and pair[0] in some}
    kept = [folder / path.name.removesuffix(".gz") for path in paths]
    for path, file in zip(paths, kept, strict=True):
        lines = unpacked(path.read_bytes()).decode().splitlines()
        file.write_text("".join(f"{line}\n" for line in lines if tuple(line.split()[0:3:2]) in pairs))
    qrels = folder / "judged.qrels"
    qrels.write_text("".join(f"{topic} 0 {docno} {grade}\n" for (topic, docno), grade in pairs.items()))
    titles = dict(line.split("\t", 1) for line in options.titles.read_text().splitlines()) if options.titles else {}
    topics = "".join(f"{topic}\t{titles.get(topic, f'topic {topic}')}\n" for topic in sorted(some))
    documents = options.documents or folder / "documents.jsonl"
    if not options.documents:
        ids = sorted({docno for _, docno in pairs})
        documents.write_text("".join(json.dumps({"id": docno, "text": "one"}) + "\n" for docno in ids))
    given = {"runs": list(map(str, kept)), "topics": topics, "documents": str(documents), "rel": options.rel}
    return Judged(*judged_collection(kept, qrels), options.rel), given


async def judge_all(site: Site, told: dict[str, Any], grades: dict[tuple[str, str], int], kept: Path) -> None:
    """Judge; then have the strategies compared on what was judged, and keep what the page of that says."""
    room, made = asyncio.Semaphore(AT_ONCE), told["made"]

    async def one(name: str, secret: str) -> Orders:
        async with room:
            return await judge(site.port, secret, made[name], grades)

    async def all_of(name: str) -> None:
        parts = await asyncio.gather(*(one(name, secret) for secret in told["secrets"]))
        orders = {topic: docnos for part in parts for topic, docnos in part.items()}
        (kept / f"{name}.json").write_text(json.dumps({"orders": orders, "seed": made[name]["seed"]}))
        sys.stderr.write(f"{time.strftime('%T')} {name}: {sum(map(len, orders.values())):,} judged\n")

    await asyncio.gather(*map(all_of, made))
    slug = next(iter(made.values()))["slug"]
    command = [str(Path(sys.executable).parent / "assize"), "strategies", slug]
    subprocess.run(command, cwd=ROOT, env=site.env, capture_output=True, check=True)
    connection = Connection(site.port, Authorization=f"Bearer {told['organizer']}")
    page = await _asked(connection, "GET", f"/api/v1/collections/{slug}/strategies", {})
    connection.close()
    (kept / PAGE).write_text(json.dumps(page))


async def judge(port: int, secret: str, told: dict[str, Any], grades: dict[tuple[str, str], int]) -> Orders:
    """Everything that comes, each with its grade."""
    connection = Connection(port, Authorization=f"Bearer {secret}")
    queue, (lowest, highest) = f"/api/v1/collections/{told['slug']}/queue", told["scale"]
    orders: Orders = {}
    cards, seen = await _asked(connection, "GET", f"{queue}?count=3", {}), set[str]()
    while waiting := [card for card in cards if card["seat"] not in seen]:
        card = waiting[0]
        seen.add(card["seat"])
        topic, docno = card["topic"]["number"], card["document"]["docno"]
        orders.setdefault(topic, []).append(docno)
        grade = min(max(grades[topic, docno], lowest), highest)
        body = {"grade": grade, "client_id": str(uuid.uuid4())}
        cards = waiting[1:] + (await _asked(connection, "POST", f"{queue}/{card['seat']}", body))["next"]
    connection.close()
    return orders


async def _asked(connection: Connection, method: str, path: str, body: dict[str, Any]) -> Any:
    data = json.dumps(body).encode() if body else b""
    try:
        status, text = await connection.ask(method, path, data)
    except ConnectionError:  # it was idle for too long; the same act sent twice is one
        status, text = await connection.ask(method, path, data)
    if status != 200:
        raise RuntimeError(f"{method} {path} answered {status}: {text[:300]!r}")
    return json.loads(text)


def compared(name: str, collection: Judged, orders: Orders, seed: int) -> Found:
    matrix, grades = collection.stored.matrix, collection.grades
    items = [
        matrix.find(np.full(len(docnos), topic), np.array([docno.encode() for docno in docnos], np.bytes_))
        for topic in matrix.topics.tolist()
        for docnos in [orders.get(topic.decode(), [])]
    ]
    judged, relevant = gains(items, grades >= collection.rel)
    if name == "cal":
        return Found(name, judged, relevant, "")
    values = {**clean(name, {}), **({} if name == "depth" else {"budget": BUDGET})}
    expected = course(matrix, grades, name, values, rel=collection.rel, seed=seed)
    same = all(np.array_equal(one, other) for one, other in zip(items, expected, strict=True))
    return Found(name, judged, relevant, "as simulated" if same else "**differs**")


def tell(name: str, collection: Judged, found: list[Found]) -> None:
    matrix, total = collection.stored.matrix, collection.total
    print(
        f"**{name}**, over HTTP: {len(matrix.tags)} runs, {len(matrix.topics)} topics, {len(matrix):,} judged documents, "
        f"{total:,} of them relevant; {sum(int(one.judged[-1]) for one in found):,} judgments in all.\n"
    )
    print("| strategy | judged | relevant | judgments for 80 % | against depth-k | against best rank | order |")
    print("|---" * 7 + "|")
    needed = {one.name: one.needed(total) for one in found}
    for one in found:
        mine = needed[one.name]
        against = [needed.get(base) if base != one.name else None for base in ("depth", "take")]
        shares = [f"{100 * (mine / base - 1):+.0f} %" if mine and base else "" for base in against]
        counts = f"{one.judged[-1]:,} | {one.relevant[-1]:,} | {f'{mine:,}' if mine else '–'}"
        print(f"| `{one.name}` | {counts} | {' | '.join(shares)} | {one.told} |")


def said_alike(page: dict[str, Any], collection: Judged, found: list[Found]) -> bool:
    """Whether the page of comparison says as many judgments as it took; Thompson sampling draws there by another seed."""
    said = {line["name"]: line["to_enough"] for line in page["strategies"] if line["name"] != "thompson"}
    other = [one.name for one in found if one.name in said and said[one.name] != one.needed(collection.total)]
    print(f"\nThe page of comparison says: {page['summary']}{f' **It differs** for {other}.' if other else ''}")
    return not other


def curves(name: str, collection: Judged, found: list[Found]) -> str:
    """Relevant documents by judgments, of the strategies that differ most."""
    series = []
    for tone, shown in enumerate(DRAWN):
        for one in found:
            if one.name == shown:
                some = np.unique(np.linspace(0, len(one.judged) - 1, POINTS).astype(int)).tolist()
                marks = [charts.Mark(float(one.judged[n]), float(one.relevant[n]), "", tone) for n in some]
                label = "depth, by docno" if shown == "depth" else shown
                series.append(charts.Series(label, [charts.Mark(0, 0, "", tone), *marks], tone, dots=False))
    across = charts.axis("judgments", [0.0, float(len(collection.stored.matrix))])
    up = charts.axis("relevant documents found", [0.0, float(collection.total)])
    return charts.lines(f"{name}: relevant documents found by judgments over HTTP", across, up, series).file()


if __name__ == "__main__":
    main()
