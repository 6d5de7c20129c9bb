"""Every strategy through the real queue: a simulated assessor judges a whole collection over HTTP, document by document.

    python -m benchmarks.strategies_http QRELS RUN [RUN …] [--only NAME …] [--rel GRADE] [--complete DEPTH]

Beside a database of its own: topics, runs, and the documents that the qrels judge (others are stepped over) are imported, a
round of each strategy is drawn, and an assessor gives the grades of the qrels to what the queue hands out. The order must be
the one that `benchmarks.strategies` simulates, or it ends with status 1.
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.strategies import judged_collection
from evaluation.core.matrix import NOT_IN_QRELS
from evaluation.core.simulation import course
from pooling.core.packed import unpacked
from pooling.core.strategies import STRATEGIES, clean


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("qrels", type=Path)
    parser.add_argument("runs", type=Path, nargs="+")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME")
    parser.add_argument("--rel", type=int, default=1)
    parser.add_argument("--complete", type=int, default=0)
    options = parser.parse_args()
    data = tempfile.mkdtemp(prefix="assize-strategies-")
    for name in [name for name in os.environ if name.startswith("ASSIZE_")]:
        del os.environ[name]
    os.environ |= {"ASSIZE_DATA": data, "ASSIZE_LOG_LEVEL": "ERROR", "DJANGO_SETTINGS_MODULE": "config.settings"}
    try:
        sys.exit(0 if through_the_queue(options) else 1)
    finally:
        shutil.rmtree(data, ignore_errors=True)


def through_the_queue(options: argparse.Namespace) -> bool:
    import django

    django.setup()
    from django.conf import settings
    from django.core.management import call_command

    settings.ALLOWED_HOSTS = ["testserver"]
    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    _keep_judged(options)
    stored, grades = judged_collection(options.runs, options.qrels)
    left_out = ("cal", "depth")  # one reads texts; the other has no order of its own
    names = options.only or [n for n, one in STRATEGIES.items() if one.kind != "sampled" and n not in left_out]
    print("| strategy | judged over HTTP | relevant | ms a judgment | order |\n|---|---|---|---|---|")
    equal = True
    for name in names:
        begin = time.perf_counter()
        found, seed = _judged(name, stored, grades, options)
        spent = time.perf_counter() - begin
        expected = course(stored.matrix, grades, name, {**clean(name, {}), "budget": 1000}, rel=options.rel, seed=seed)
        same = all(
            found.get(topic.decode(), []) == [docno.decode() for docno in stored.matrix.docnos[order].tolist()]
            for topic, order in zip(stored.matrix.topics.tolist(), expected, strict=True)
        )
        equal &= same
        count = sum(map(len, found.values()))
        known = {
            (stored.matrix.topics[code].decode(), docno.decode()): int(grade)
            for code, docno, grade in zip(stored.matrix.codes, stored.matrix.docnos.tolist(), grades, strict=True)
        }
        relevant = sum(known[topic, docno] >= options.rel for topic, docnos in found.items() for docno in docnos)
        told = "as simulated" if same else "**differs**"
        print(f"| `{name}` | {count:,} | {relevant:,} | {1000 * spent / max(count, 1):.0f} | {told} |", flush=True)
    return equal


def _judged(name: str, stored: Any, grades: Any, options: argparse.Namespace) -> tuple[dict[str, list[str]], int]:
    """A collection of its own, judged to the end: of each topic the documents in the order in which they were handed out."""
    from django.test import Client

    from assess.services import assigning
    from assess.services.assigning import Rules, Wanted
    from pooling.models import UploadKind
    from tests import factories
    from tests.assess import factories as judged
    from tests.assess.http import judge_by_http
    from tests.pooling import files

    matrix = stored.matrix
    organizer = factories.make_user(f"Organizer {name}")
    collection = factories.make_collection(organizer, f"Strategy {name}")
    collection.max_per_topic = 1_000_000
    collection.lenient_from = options.rel
    collection.save()
    (assessor,) = judged.make_assessors(collection, f"Assessor {name}")
    topics = "".join(f"{topic.decode()}\ttopic {topic.decode()}\n" for topic in matrix.topics.tolist())
    files.take(collection, organizer, UploadKind.TOPICS, topics.encode())
    known = np.flatnonzero(grades != NOT_IN_QRELS)
    graded = {(matrix.topics[matrix.codes[i]].decode(), matrix.docnos[i].decode()): int(grades[i]) for i in known.tolist()}
    for path in options.runs:
        files.take_run(collection, organizer, path.read_bytes())
    rows = "".join(json.dumps({"id": docno, "text": "one"}) + "\n" for docno in sorted({docno for _, docno in graded}))
    files.take(collection, organizer, UploadKind.DOCUMENTS, rows.encode())
    adaptive = STRATEGIES[name].kind == "adaptive"
    pool = files.draw_round(collection, organizer, name, budget=1000, **({"ahead": 1} if adaptive else {}))
    wanted = [Wanted(topic, [assessor]) for topic in collection.topics.all()]
    assigning.assign(collection, by=organizer, wanted=wanted, overlap=0, rules=Rules(order="priority"))
    client = Client()
    client.force_login(assessor)
    scale = [grade.value for grade in collection.grades.all()]
    given = {pair: min(max(grade, scale[0]), scale[-1]) for pair, grade in graded.items()}
    order: dict[str, list[str]] = {}
    for topic, docno in judge_by_http(client, collection, lambda topic, docno: given[topic, docno]):
        order.setdefault(topic, []).append(docno)
    return order, pool.seed


def _keep_judged(options: argparse.Namespace) -> None:
    """Runs of judged results alone: a document may be judged for one topic and not for another, where nothing is known of it."""
    paths = sorted(options.runs)
    stored, grades = judged_collection(paths, options.qrels, options.complete)
    matrix, known = stored.matrix, np.flatnonzero(grades != NOT_IN_QRELS).tolist()
    pairs = {(matrix.topics[matrix.codes[i]].decode(), matrix.docnos[i].decode()): int(grades[i]) for i in known}
    folder = Path(tempfile.mkdtemp(dir=os.environ["ASSIZE_DATA"]))
    options.runs = [folder / path.name.removesuffix(".gz") for path in paths]
    for path, kept in zip(paths, options.runs, strict=True):
        lines = unpacked(path.read_bytes()).decode().splitlines()
        kept.write_text("".join(f"{line}\n" for line in lines if tuple(line.split()[0:3:2]) in pairs))
    options.qrels = folder / "qrels"
    options.qrels.write_text("".join(f"{topic} 0 {docno} {grade}\n" for (topic, docno), grade in pairs.items()))


if __name__ == "__main__":
    main()
