"""Backups that are made by `assize backup` while people judge and processes die; in the end each is restored into an empty
folder (on PostgreSQL an empty database), and its history compared with the journal."""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.chaos_people import Journal
from benchmarks.checks import assize
from benchmarks.crowd import COLLECTION
from tests.site import Site, _new_database

MOMENTS = (1 / 3, 1 / 2, 2 / 3)  # of all kills
TRIES = 10  # where the database is killed meanwhile
CUT = ("terminating connection", "closed the connection", "the database system is", "connection to server", "no connection")


@dataclass
class Backups:
    site: Site
    journal: Journal
    folder: Path
    made: list[tuple[Path, int]] = field(default_factory=list)  # each with the number of acts acknowledged before its start
    words: list[str] = field(default_factory=list)  # of those that failed
    faults: list[str] = field(default_factory=list)

    async def make(self) -> None:
        """One; where its database was killed meanwhile it says so, leaves nothing, and is made again."""
        for _ in range(TRIES if "ASSIZE_DATABASE_URL" in self.site.env else 1):
            before, file = self.journal.seen.total(), self.folder / f"{len(self.made)}-{len(self.words)}.zip"
            done = await asyncio.to_thread(assize, self.site, "backup", str(file))
            if not done.returncode:
                self.made.append((file, before))
                return
            self.words.append(done.stderr.strip()[-500:])
            if file.exists():
                self.faults.append(f"a backup that failed left a file: {self.words[-1]}")
            if "Traceback" in done.stderr or not any(words in done.stderr for words in CUT):
                self.faults.append(f"a backup failed, but not with its database: {self.words[-1]}")
            await asyncio.sleep(1)
        self.faults.append(f"no backup could be made: {self.words[-1]}")

    def compare(self) -> None:
        for number, (file, before) in enumerate(self.made):
            there, env = self.folder / f"empty-{number}", dict[str, str]()
            there.mkdir()
            if "ASSIZE_DATABASE_URL" in self.site.env:
                env["ASSIZE_DATABASE_URL"] = _new_database(f"restored_{self.site.port}_{number}")
            empty = Site(ASSIZE_DATA=str(there), ASSIZE_LOG_LEVEL="WARNING", **env)
            told = "judgments", COLLECTION, "--history", "--format", "jsonl"
            for words in (("restore", str(file)), ("doctor",), told):
                done = assize(empty, *words)
                if done.returncode:
                    self.faults.append(f"backup {number}, assize {words[0]}: {done.stdout[-500:]} {done.stderr[-500:]}")
                    break
            else:
                rows = [json.loads(line) for line in done.stdout.splitlines()]
                self.faults += [f"backup {number}: {odd}" for odd in self._odd([(r["note"], r["grade"]) for r in rows], before)]

    def _odd(self, history: list[tuple[str, int]], before: int) -> Iterator[str]:
        """Of each person it holds the beginning of the journal, and at least what was acknowledged before its start."""
        sent, least = self.journal.by_person(), self.journal.by_person(before)
        who = {act: person for person, acts in sent.items() for act, _grade in acts}
        if strange := [act for act, _grade in history if act not in who]:
            yield f"{len(strange)} acts that nobody sent, as {strange[0]}"
        for person, acts in sent.items():
            held = [(act, grade) for act, grade in history if who.get(act) == person]
            if held != acts[: len(held)]:
                yield f"the history of person {person} is not the beginning of the journal"
            if len(held) < len(least.get(person, [])):
                yield f"{len(least[person]) - len(held)} acts of person {person}, acknowledged before its start, are not in it"
