"""Every page of scores on 50 runs × 50 topics: cold, what a job computes for it, warm, and after one more judgment.

`python -m benchmarks.bench_scores [--runs 500] [--data FOLDER] [--profile PAGE]`: makes the collection in a data folder of
its own (kept and used again if it is named), then opens each page as its organizer does. Ends with status 1 if a warm page
takes a second or more.
"""

import argparse
import cProfile
import hashlib
import pstats
import sys
import time
import uuid
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.own_site import ORGANIZER, Reader, own_site

RUNS, TOPICS, RESULTS, CANDIDATES, DEPTH = 50, 50, 1000, 4000, 100
SLUG, LIMIT = "fifty", 1.0
HERE = f"/c/{SLUG}/"
PAGES = (
    "leaderboard/",
    "leaderboard/?release=live",
    "scores/run07/",
    "scores/run07/?release=live",
    "leaderboard/topics/310/",
    "leaderboard/topics/310/?release=live",
    "compare/?runs=run01&runs=run02",
    "compare/?runs=run01&runs=run02&runs=run03&runs=run04&runs=run05",
    "compare/?runs=run01&runs=run02&release=live",
    "pool-report/",
    "pool-report/?release=live",
    "effect/",
    "effect/?whole=1",
    "releases/1/",
    "data/",
    "try/",
    "scoring/",
    "/measures/",
)
AFTER = ("live", "effect/")  # pages that follow each judgment


def make_world(count: int = RUNS) -> None:
    """Runs that see the same relevance through noise of their own; all of the depth-100 pool is judged, a tenth of it twice."""
    from assess.models import Judgment, JudgmentEvent, Seat
    from evaluation.services import releases
    from pooling.core.rankings import Rankings
    from pooling.models import Pool, PoolItem, Role, Topic
    from pooling.services.work import Direct
    from tests import factories

    rng = np.random.default_rng(2026)
    organizer = factories.make_user(ORGANIZER)
    first, second = factories.make_user("First Assessor"), factories.make_user("Second Assessor")
    collection = factories.make_collection(organizer, SLUG.title())
    for who in (first, second):
        factories.join(collection, who, Role.ASSESSOR)
    topics = [Topic(collection=collection, number=str(301 + n), title=f"Topic number {n + 1}") for n in range(TOPICS)]
    Topic.objects.bulk_create(topics)
    worth = rng.gumbel(size=(TOPICS, CANDIDATES))
    numbers = np.repeat(np.array([topic.number.encode() for topic in topics]), RESULTS)
    best = np.full(worth.shape, RESULTS + 1)
    runs = []
    for run in range(count):
        seen = worth + rng.normal(scale=rng.uniform(0.6, 2.6), size=worth.shape)
        order = np.argsort(-seen, axis=1)[:, :RESULTS]
        docnos = np.array([b"FBIS%d-%05d" % (topic % 7, doc) for topic in range(TOPICS) for doc in order[topic]])
        scores = np.take_along_axis(seen, order, axis=1).ravel()
        rankings = Rankings.build(f"run{run:02}", numbers, docnos, scores)
        runs.append(_stored(collection, rankings, group=f"Group {run // 3}", by=organizer))
        np.put_along_axis(best, order, np.minimum(np.take_along_axis(best, order, 1), np.arange(1, RESULTS + 1)), axis=1)
    drawn: dict[str, Any] = {"strategy": "depth", "parameters": {"depth": DEPTH}, "drawn_by": organizer, "drawn_at": _now()}
    pool = Pool.objects.create(collection=collection, round=1, **drawn)
    pool.runs.set(runs)
    at, docs = np.nonzero(best <= DEPTH)
    items = PoolItem.objects.bulk_create(
        [
            PoolItem(pool=pool, topic=topics[t], docno=f"FBIS{t % 7}-{d:05}", best_rank=int(best[t, d]), run_count=1)
            for t, d in zip(at.tolist(), docs.tolist(), strict=True)
        ],
        batch_size=5000,
    )
    grades = np.clip(np.floor(worth[at, docs] - 2.2), 0, 3).astype(int)
    wanted = [(item, first, int(grade), 1) for item, grade in zip(items, grades, strict=True)]
    twice = np.flatnonzero(rng.random(len(items)) < 0.1).tolist()
    wanted += [(items[n], second, int(np.clip(grades[n] + rng.integers(-1, 2), 0, 3)), 2) for n in twice]
    seats = [
        Seat(collection=collection, topic=item.topic, item=item, assessor=who, slot=slot, position=n, judged_at=_now())
        for n, (item, who, _grade, slot) in enumerate(wanted)
    ]
    Seat.objects.bulk_create(seats, batch_size=5000)
    heads = [Judgment(item=item, assessor=who, grade=grade) for item, who, grade, _slot in wanted]
    Judgment.objects.bulk_create(heads, batch_size=5000)
    events = [JudgmentEvent(judgment=head, client_id=uuid.uuid4(), grade=head.grade) for head in heads]
    JudgmentEvent.objects.bulk_create(events, batch_size=5000)
    with Direct(_quiet) as work:
        release = releases.freeze_release(collection, by=organizer, rule=None, note="", state="public", score=False, work=work)
    with Direct(_quiet) as work:
        releases.score_release(release, work=work)
    print(f"{count} runs × {TOPICS} topics × {RESULTS:,} results, {len(heads):,} judgments of {len(items):,} documents")


def _quiet(*_told: object) -> None:
    pass


def _now() -> Any:
    from django.utils import timezone

    return timezone.now()


def _stored(collection: Any, rankings: Any, *, group: str, by: Any) -> Any:
    """A run as an upload leaves it."""
    from django.conf import settings

    from pooling.core.runs import write_run
    from pooling.models import Run, Upload

    data = write_run(rankings)
    paths = {kind: f"files/bench/{rankings.tag}.{kind}" for kind in ("txt", "npz")}
    (settings.DATA / "files/bench").mkdir(parents=True, exist_ok=True)
    (settings.DATA / paths["txt"]).write_bytes(data)
    (settings.DATA / paths["npz"]).write_bytes(rankings.to_bytes())
    upload = Upload.objects.create(
        collection=collection,
        kind="run",
        name=f"{rankings.tag}.txt",
        path=paths["txt"],
        state="accepted",
        sha256=hashlib.sha256(data).hexdigest(),
        size=len(data),
        uploaded_by=by,
    )
    return Run.objects.create(
        collection=collection,
        upload=upload,
        tag=rankings.tag,
        group=group,
        submitted_by=by,
        columns=paths["npz"],
        topic_count=TOPICS,
        line_count=len(rankings),
    )


def judge_once() -> None:
    """One grade becomes another, as judging leaves it."""
    from assess.models import Judgment, JudgmentEvent

    head = Judgment.objects.order_by("?").filter(item__topic__number="310")[0]
    grade = 3 - (head.grade or 0)
    Judgment.objects.filter(pk=head.pk).update(grade=grade, event_count=head.event_count + 1, updated_at=_now())
    JudgmentEvent.objects.create(judgment=head, client_id=uuid.uuid4(), grade=grade, previous_grade=head.grade)


def work_off() -> float:
    """What pages left to a worker, done here; in seconds."""
    from config import jobs
    from config.models import Job

    begin = time.perf_counter()
    for pk in Job.objects.filter(state="waiting").values_list("pk", flat=True):
        jobs.run(pk)
    return time.perf_counter() - begin


def pages(profiled: str) -> bool:
    """Whether every warm page took less than a second, live ones after a judgment too."""
    reader = Reader()

    def opened(path: str) -> float:
        return reader.seconds(path if path.startswith("/") else HERE + path)

    opened("runs/")  # what is imported late
    good = True
    print(f"{'page':<68}{'cold':>8}{'job':>8}{'warm':>8}{'judged':>8}")
    for path in PAGES:
        watch = cProfile.Profile() if profiled and path == profiled else None
        if watch and not any(word in path for word in AFTER):
            watch.enable()
        cold, job = opened(path), work_off()
        warm = min(opened(path) for _ in range(2))
        told = f"{path:<68}{cold:>8.2f}{f'{job:.2f}' if job > 0.1 else '':>8}{warm:>8.2f}"
        if any(word in path for word in AFTER):
            judge_once()
            if watch:
                watch.enable()
            after = opened(path)
            told += f"{after:>8.2f}"
            good &= after < LIMIT
        if watch:
            watch.disable()
            pstats.Stats(watch).sort_stats("cumulative").print_stats(45)
        good &= warm < LIMIT
        print(told, flush=True)
    return good


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bench_scores", description=__doc__)
    parser.add_argument("--data", type=Path, help="a folder to keep the collection in; made if it is not there")
    parser.add_argument("--profile", default="", help="one of the pages, to see where its time goes")
    parser.add_argument("--runs", type=int, default=RUNS, help=f"how many; {RUNS} unless given")
    options = parser.parse_args()
    with own_site(options.data, lambda: make_world(options.runs)):
        good = pages(options.profile)
    sys.exit(not good)


if __name__ == "__main__":
    main()
