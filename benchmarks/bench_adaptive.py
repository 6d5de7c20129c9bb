"""One judgment of an adaptive round, until the next item is chosen and stored: `python -m benchmarks.bench_adaptive [--pg]`.

A topic with 200 runs × 1000 documents in a database of its own. Under every adaptive strategy one assessor judges a round,
two chosen ahead. Told are the median and the 95th percentile, in milliseconds, of the choosing alone, of all that follows a
judgment until the next item is stored with its seat, and of the whole act of judging. It ends with status 1 if the median of
a choosing is beyond 20 ms.
"""

import argparse
import json
import os
import sys
import time
import uuid
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np

from benchmarks.bench_search import vocabulary
from benchmarks.databases import forget_settings, postgres
from benchmarks.own_site import ORGANIZER, own_site

RUNS, DEPTH, JUDGMENTS, LIMIT = 200, 1000, 100, 20.0
LENGTH = 120  # words of a document
PARTS = ("choosing", "judgment → stored", "act")


def make_world(runs: int, depth: int) -> None:
    """Runs that see the same relevance of four times as many documents through noise of their own; texts hint at it."""
    from pooling.core.rankings import Rankings
    from pooling.models import UploadKind
    from tests import factories
    from tests.assess import factories as judged
    from tests.pooling import files

    rng = np.random.default_rng(2026)
    organizer = factories.make_user(ORGANIZER)
    collection = factories.make_collection(organizer, "Adaptive")
    judged.make_assessors(collection, "Ann Assessor")
    files.take(collection, organizer, UploadKind.TOPICS, b"1\tkalo miner\n")
    worth = rng.gumbel(size=4 * depth)
    words = np.array(vocabulary()[:20_000])
    chances = 1 / np.arange(1, len(words) + 1)
    texts = [
        " ".join([*words[rng.choice(len(words), LENGTH, p=chances / chances.sum())], *["kalo"] * int(value > 1.5)])
        for value in worth
    ]
    rows = "".join(json.dumps({"id": f"doc{n:05}", "text": text}) + "\n" for n, text in enumerate(texts))
    files.take(collection, organizer, UploadKind.DOCUMENTS, rows.encode())
    for number in range(runs):
        seen = worth + rng.normal(scale=rng.uniform(0.6, 2.6), size=worth.shape)
        best = np.argsort(-seen)[:depth]
        ranking = Rankings.from_dict(f"run{number:03}", {"1": {f"doc{doc:05}": float(seen[doc]) for doc in best.tolist()}})
        files.take_run(collection, organizer, _written(ranking))


def _written(ranking: Any) -> bytes:
    from pooling.core.runs import write_run

    data: bytes = write_run(ranking)
    return data


def judge(name: str, judgments: int) -> dict[str, list[float]]:
    """A round of a strategy, judged to its end: of each part the milliseconds of every judgment after which something was picked."""
    from assess.services import adapting, assigning, judging
    from assess.services.assigning import Wanted
    from config.models import User
    from pooling import adaptives
    from pooling.models import Collection
    from tests.pooling import files

    collection = Collection.objects.get()
    organizer, ann = User.objects.get(name=ORGANIZER), User.objects.get(name="Ann Assessor")
    pool = files.draw_round(collection, organizer, name, budget=judgments)
    assigning.assign(collection, by=organizer, wanted=[Wanted(collection.topics.get(), [ann])], overlap=0)
    rows: list[list[float]] = []
    times: dict[str, list[float]] = {part: [] for part in PARTS}
    choose, advance = adaptives.next_picks, adapting.advance
    adaptives.next_picks = _timed(choose, times[PARTS[0]])
    adapting.advance = _timed(advance, times[PARTS[1]])
    act = _timed(judging.record_judgment, times[PARTS[2]])
    try:
        while cards := judging.next_items(collection, assessor=ann, count=1):
            grade = int("kalo" in cards[0].text)
            for spent in times.values():
                spent.clear()
            act(collection, assessor=ann, seat=cards[0].token, client_id=uuid.uuid4(), grade=grade)
            rows.append([sum(spent) for spent in times.values()])
    finally:
        adaptives.next_picks, adapting.advance = choose, advance
    if pool.picks.count() != judgments:
        raise SystemExit(f"Expected {judgments} picks under {name}; found {pool.picks.count()}.")
    kept = judgments - int(pool.parameters["ahead"])  # the last ones have no successor
    return dict(zip(PARTS, map(list, zip(*rows[1:kept], strict=True)), strict=True))  # the first makes what is kept


def _timed(function: Callable[..., Any], times: list[float]) -> Any:
    def run(*args: Any, **values: Any) -> Any:
        begin = time.perf_counter()
        try:
            return function(*args, **values)
        finally:
            times.append(1000 * (time.perf_counter() - begin))

    return run


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bench_adaptive", description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--depth", type=int, default=DEPTH)
    parser.add_argument("--judgments", type=int, default=JUDGMENTS, help="under each strategy")
    parser.add_argument("--pg", action="store_true", help="on PostgreSQL")
    options = parser.parse_args()
    forget_settings()
    with postgres() if options.pg else nullcontext(), own_site(None, lambda: make_world(options.runs, options.depth)):
        slow = measure(options.judgments)
    for name, median in slow:
        print(f"MISSED: {name}, {median:.1f} of {LIMIT:g} ms")
    sys.exit(bool(slow))


def measure(judgments: int) -> list[tuple[str, float]]:
    """Strategies whose choosing takes too long."""
    from assess.services.adapting import ADAPTIVE

    print(f"load {os.getloadavg()[0]:.1f}\n\n| strategy | " + " | ".join(f"{part}: median | p95" for part in PARTS) + " |")
    print("|---" * (1 + 2 * len(PARTS)) + "|")
    slow = []
    for name in ADAPTIVE:
        found = judge(name, judgments)
        told = [f"{np.quantile(values, share):.1f}" for values in found.values() for share in (0.5, 0.95)]
        print(f"| `{name}` | {' | '.join(told)} |", flush=True)
        median = float(np.median(found[PARTS[0]]))
        if median > LIMIT:
            slow.append((name, median))
    return slow


if __name__ == "__main__":
    main()
