"""How long is a large site down after a disaster? `python -m benchmarks.bench_restore` makes a site with a million judgments
and every act behind them, backs it up, restores the archive into an empty folder, and compares what both give out.

Only the first judgment is made through the services; the others are its copies, a row each in every table that a judgment
touches, written by the database itself. Ends with status 1 if a download differs, or the restore misses its goal.
"""

import argparse
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.databases import forget_settings, postgres
from benchmarks.goals import Goal, status
from tests.site import ROOT, _new_database

if TYPE_CHECKING:
    from django.db.models import Model

RESTORED_IN = 600.0  # seconds, for a million judgments
TOPICS = 100
SLUG = "restored"
DOWNLOADS = {"judgments": ("judgments", SLUG), "history": ("judgments", SLUG, "--history")}


def make(judgments: int) -> None:
    """Run in the data folder, by itself."""
    import django

    django.setup()
    from django.db import connection, transaction

    from assess.models import Judgment, JudgmentEvent, Seat
    from assess.services import assigning, judging
    from assess.services.assigning import Wanted
    from pooling.models import PoolItem
    from pooling.services.work import Direct
    from tests import factories
    from tests.assess import factories as judged

    organizer = factories.make_user("Olga Organizer")
    collection = factories.make_collection(organizer, SLUG.title())
    (ann,) = judged.make_assessors(collection, "Ann Assessor")
    wanted = [Wanted(topic, [ann]) for topic in judged.make_work(collection, organizer, topics=1, items=1)]
    assigning.assign(collection, by=organizer, wanted=wanted, overlap=0.0, work=Direct(lambda *told: None))
    (card,) = judging.next_items(collection, assessor=ann, count=1)
    judging.record_judgment(collection, assessor=ann, seat=card.token, grade=1, client_id=uuid.uuid4())
    judged.make_topics(collection, range(2, TOPICS + 1))
    judged.make_documents(collection, [f"R{number:06}" for number in range(judgments // TOPICS - 1)])

    item, document = PoolItem._meta.db_table, collection.corpus.documents.model._meta.db_table
    topic, head = collection.topics.model._meta.db_table, Judgment._meta.db_table
    name = "gen_random_uuid()" if connection.vendor == "postgresql" else "lower(hex(randomblob(16)))"
    others = f"CROSS JOIN {item} other WHERE other.id <> one.item_id"
    with transaction.atomic(), connection.cursor() as cursor:

        def copy(model: "type[Model]", rest: str, **values: str) -> None:
            columns = [str(field.column) for field in model._meta.concrete_fields if not field.primary_key]
            found = ", ".join(values.get(column, f'one."{column}"') for column in columns)
            names, table = ", ".join(f'"{column}"' for column in columns), model._meta.db_table
            cursor.execute(f"INSERT INTO {table} ({names}) SELECT {found} FROM {table} one {rest}")  # noqa: S608  (our own words)

        pairs = f"CROSS JOIN {topic} topic CROSS JOIN {document} document"
        pairs += " WHERE NOT (topic.id = one.topic_id AND document.docno = one.docno)"
        copy(PoolItem, pairs, topic_id="topic.id", docno="document.docno")
        copy(Seat, others, item_id="other.id", position="other.id", token=name)
        copy(Judgment, others, item_id="other.id", grade="other.id % 4")
        acts = f"CROSS JOIN {head} other WHERE other.id <> one.judgment_id"
        copy(JudgmentEvent, acts, judgment_id="other.id", grade="other.grade", client_id=name)
    print(JudgmentEvent.objects.count())


class Folder:
    """A site that is not started: a data folder, on PostgreSQL a database too, and the commands run there."""

    def __init__(self, path: Path) -> None:
        path.mkdir()
        self.env = {**os.environ, "ASSIZE_DATA": str(path), "ASSIZE_LOG_LEVEL": "WARNING"}
        if "ASSIZE_DATABASE_URL" in os.environ:
            self.env["ASSIZE_DATABASE_URL"] = _new_database(f"restore_{path.name}")

    def run(self, *command: str) -> tuple[float, str]:
        """How many seconds it took, and what it printed."""
        begin = time.perf_counter()
        done = subprocess.run(command, cwd=ROOT, env=self.env, stdout=subprocess.PIPE, text=True, check=True)
        return time.perf_counter() - begin, done.stdout

    def assize(self, *words: str) -> float:
        return self.run(str(Path(sys.executable).parent / "assize"), *words)[0]

    def downloads(self) -> dict[str, str]:
        """The SHA-256 of each, taken as it comes."""
        found = {}
        for name, words in DOWNLOADS.items():
            command = [str(Path(sys.executable).parent / "assize"), *words]
            with subprocess.Popen(command, cwd=ROOT, env=self.env, stdout=subprocess.PIPE) as process:
                assert process.stdout  # noqa: S101
                found[name] = hashlib.file_digest(process.stdout, "sha256").hexdigest()  # type: ignore[arg-type]
            if process.returncode:
                sys.exit(f"assize {' '.join(words)} ended with {process.returncode}")
        return found


def bench(name: str, judgments: int) -> list[Goal]:
    print(f"\n{name}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, Python {platform.python_version()}", flush=True)
    with _folder() as folder:
        old, archive = Folder(folder / "old"), folder / "backup.zip"
        old.run(sys.executable, "manage.py", "migrate", "-v0", "--skip-checks")
        seconds, told = old.run(sys.executable, "-m", "benchmarks.bench_restore", "--make", str(judgments))
        count = int(told.split()[-1])
        print(f"{count:,} judgments with their history, made in {seconds:.0f} s", flush=True)
        seconds = old.assize("backup", str(archive))
        print(f"backed up and verified in {seconds:.0f} s: {archive.stat().st_size / 1e6:,.0f} MB", flush=True)
        before = old.downloads()
        new = Folder(folder / "new")
        seconds = new.assize("restore", str(archive))
        print(f"restored in {seconds:.0f} s, load {os.getloadavg()[0]:.1f}", flush=True)
        after = new.downloads()
    for what, digest in before.items():
        print(f"{what:<10} {digest[:16]}… {'the same' if after[what] == digest else f'NOT {after[what][:16]}…'}")
    same = sum(after[what] == digest for what, digest in before.items())
    return [
        Goal(f"{name}: seconds to restore", seconds, RESTORED_IN, least=False),
        Goal(f"{name}: downloads that are the same", same, len(before)),
    ]


@contextmanager
def _folder() -> Iterator[Path]:
    path = Path(tempfile.mkdtemp(prefix="assize-restore-"))
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bench_restore", description=__doc__)
    parser.add_argument("--judgments", type=int, default=1_000_000, help="how many; a million unless given")
    parser.add_argument("--pg", action="store_true", help="on PostgreSQL instead")
    parser.add_argument("--make", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.make:
        os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
        return make(options.make)
    forget_settings()
    if not options.pg:
        goals = bench("SQLite", options.judgments)
    else:
        with postgres() as server:
            if server:
                os.environ["ASSIZE_PG_BIN"] = str(server.bin_path)
            goals = bench("PostgreSQL", options.judgments)
    print(*goals, sep="\n")
    sys.exit(status(goals))


if __name__ == "__main__":
    main()
