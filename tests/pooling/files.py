"""Small files of our own, and ways to send them."""

import json
from collections.abc import Iterable
from typing import Any

from config.models import User
from pooling.models import Collection, Pool, Run, Upload, UploadKind
from pooling.services import pools, uploads
from pooling.services.work import Direct

TOPICS = b"1\ttidal power\tfish near turbines\n2\tharbour walls\n10\tpilots\n"
DOCNOS = ("d1", "d2", "d3", "d4", "d5")


class Cut(Exception):
    """Stands for a process that was killed."""


class CutOff(Direct):
    """Work that is cut off at the switch, or at a word of progress."""

    def __init__(self, at: int | None = None) -> None:
        super().__init__(lambda done, total, words: None)
        self.at, self.told = at, 0

    def progress(self, done: int, total: int | None = None, message: str | None = None) -> None:
        self.told += 1
        if self.told == self.at:
            raise Cut

    def finish(self, message: str = "", output: str = "", *, refused: bool = False):  # type: ignore[no-untyped-def]
        if self.at is None:
            raise Cut
        return super().finish(message, output, refused=refused)


def documents(docnos: Iterable[str] = DOCNOS, text: str = "water") -> bytes:
    return "".join(json.dumps({"id": docno, "title": f"About {docno}", "text": text}) + "\n" for docno in docnos).encode()


def run_file(tag: str, **rankings: str) -> bytes:
    """`run_file("bm25", t1="d1 d2", t2="d3")`: the documents of each topic, best first."""
    lines = [
        f"{topic[1:]} Q0 {docno} {rank} {100 - rank} {tag}\n"
        for topic, docnos in rankings.items()
        for rank, docno in enumerate(docnos.split(), 1)
    ]
    return "".join(lines).encode()


def send(collection: Collection, by: User, kind: str, data: bytes, name: str = "file.txt", /, **options: str) -> Upload:
    """Receive a file and ask for its check, as pages and API do."""
    return uploads.receive_file(collection, by=by, kind=kind, name=name, chunks=[data], options=options)


def take(collection: Collection, by: User, kind: str, data: bytes, name: str = "file.txt", /, **options: str) -> Upload:
    """Receive and check a file at once, as commands do."""
    given = {"kind": kind, "name": name, "chunks": [data], "options": options}
    upload = uploads.receive_file(collection, by=by, later=False, **given)  # type: ignore[arg-type]
    return check(upload)


def take_rows(collection: Collection, by: User, rows: Iterable[dict[str, str]]) -> Upload:
    """These documents, in the place of those that are there."""
    return take(collection, by, UploadKind.DOCUMENTS, "".join(json.dumps(row) + "\n" for row in rows).encode(), others="drop")


def check(upload: Upload) -> Upload:
    with Direct(lambda done, total, words: None) as work:
        return uploads.check_upload(upload, work)


def take_topics(collection: Collection, by: User) -> Upload:
    return take(collection, by, UploadKind.TOPICS, TOPICS)


def take_run(collection: Collection, by: User, data: bytes, /, **options: str) -> Run:
    upload = take(collection, by, UploadKind.RUN, data, "a.run", **options)
    assert upload.state == "accepted", upload.report
    return upload.run


def draw(collection: Collection, by: User, depth: int, *runs: Run) -> Pool:
    return draw_round(collection, by, "depth", *runs, depth=depth)


def draw_round(collection: Collection, by: User, strategy: str, *runs: Run, **values: Any) -> Pool:
    pool = pools.plan_pool(collection, by=by, runs=runs or list(collection.runs.all()), strategy=strategy, **values)
    with Direct(lambda done, total, words: None) as work:
        return pools.draw_pool(pool, work)


def fill(collection: Collection, by: User) -> list[Run]:
    """Topics, documents and two runs."""
    take_topics(collection, by)
    take(collection, by, UploadKind.DOCUMENTS, documents())
    files = (run_file("alpha", t1="d1 d2 d3", t2="d1", t10="d5"), run_file("beta", t1="d2 d4", t2="d3 d1", t10="d5 d4"))
    return [take_run(collection, by, data, group=group) for data, group in zip(files, ("North", "South"), strict=True)]
