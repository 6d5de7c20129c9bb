"""A crowd that judges with no time to think: one request for each judgment, every one of them durable."""

import json
import subprocess
import sys
import uuid
from collections.abc import Iterator

from benchmarks.bench_requests import Client, Result, measure
from tests.site import ROOT, Site

CROWDS = (1, 8, 50)
TOPICS, ITEMS = 20, 500
QUEUE = "/collections/judging-bench/queue"


class Judge(Client):
    """A machine that takes what is next and judges it; the answer brings what comes then. All share all topics."""

    def __init__(self, site: Site, secret: str) -> None:
        super().__init__(site, Authorization=f"Bearer {secret}")
        self.waiting: list[str] = []
        self.judged: list[str] = []

    def act(self) -> int:
        seat = self.waiting.pop(0)
        body = {"grade": len(self.judged) % 4, "client_id": str(uuid.uuid4()), "seconds": 1}
        status, told = self.api("POST", f"{QUEUE}/{seat}", body)
        if status < 400:
            self.judged.append(seat)
            self.add(told["next"])
        return status

    def take(self) -> None:
        self.add(json.loads(self.ask("GET", f"/api/v1{QUEUE}?count=5")[1]))

    def add(self, cards: object) -> None:
        assert isinstance(cards, list)  # noqa: S101  (or the site is not the one that was prepared)
        self.waiting += [card["seat"] for card in cards if card["seat"] not in self.waiting]


def settle(site: Site) -> list[Judge]:
    command = [sys.executable, "-m", "benchmarks.judging_world", *map(str, (max(CROWDS), TOPICS, ITEMS))]
    told = subprocess.run(command, cwd=ROOT, env=site.env, capture_output=True, text=True, check=True).stdout
    return [Judge(site, secret) for secret in json.loads(told)]


def judgments(site: Site, *, seconds: float) -> Iterator[Result]:
    """Judgments per second of one, eight and fifty; and that nobody was given what another has."""
    judges = settle(site)
    for judge in judges:
        judge.take()
    for crowd in CROWDS:
        yield measure(
            "POST a judgment (durable)", crowd, lambda judge: judge.act(), judges, most=TOPICS * ITEMS, seconds=seconds
        )
    seats = [seat for judge in judges for seat in judge.judged]
    if len(seats) != len(set(seats)):
        raise RuntimeError(f"{len(seats) - len(set(seats))} judgments were of documents that another had judged")
