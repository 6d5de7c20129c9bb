"""Requests, durable writes and jobs of a real site, over keep-alive connections, with one and with eight clients."""

import http.client
import itertools
import json
import re
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.cookies import SimpleCookie
from typing import TypeVar
from urllib.parse import urlencode, urlsplit

from tests.site import Site

THREADS = (1, 8)
PASSWORD = "a bench is for sitting"


@dataclass(frozen=True)
class Result:
    what: str
    threads: int
    times: list[float]
    seconds: float
    refused: int

    @property
    def per_second(self) -> float:
        return len(self.times) / self.seconds

    def quantile(self, share: float) -> float:
        """Milliseconds."""
        ordered = sorted(self.times)
        return 1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))]


class Client:
    """One connection that is kept open, as a browser's or a program's is."""

    def __init__(self, site: Site, **headers: str) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=30)
        self.headers = headers

    def ask(self, method: str, path: str, body: bytes = b"", kind: str = "") -> tuple[int, str]:
        headers = {**self.headers, **({"Content-Type": kind} if kind else {})}
        self.connection.request(method, path, body, headers)
        answer = self.connection.getresponse()
        text = answer.read().decode()
        cookies = SimpleCookie(self.headers.get("Cookie", ""))
        for line in answer.headers.get_all("Set-Cookie") or []:
            cookies.load(line)
            self.headers["Cookie"] = "; ".join(f"{name}={morsel.value}" for name, morsel in cookies.items())
        return answer.status, text

    def send_form(self, path: str, action: str = "", **values: str | list[str]) -> str:
        """Load a page, then send its form as a browser would."""
        page = self.ask("GET", path)[1]
        found = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
        if not found:
            raise RuntimeError(f"no form at {path}: {page[:500]}")
        body = urlencode({"csrfmiddlewaretoken": found[1], **values}, doseq=True).encode()
        status, text = self.ask("POST", action or path, body, "application/x-www-form-urlencoded")
        if status not in {200, 302}:
            raise RuntimeError(f"POST {action or path} answered {status}: {text[:500]}")
        return text

    def api(self, method: str, path: str, body: object = None) -> tuple[int, dict[str, object]]:
        sent = (b"", "") if body is None else (json.dumps(body).encode(), "application/json")
        status, text = self.ask(method, f"/api/v1{path}", *sent)
        return status, json.loads(text)


C = TypeVar("C", bound=Client)


def settle(site: Site) -> tuple[str, str]:
    """The first administrator, a token and ten collections, made as people make them. Returns cookie and token."""
    person = Client(site)
    account = {"name": "Bench", "username": "bench", "email": "", "password": PASSWORD, "again": PASSWORD}
    person.send_form(urlsplit(site.first_link()).path, **account)
    made = person.send_form("/profile/", "/profile/tokens/", name="bench", scopes=["read", "manage"], days="7")
    secret = re.search(r"asz_[\w-]+(?=\")", made)
    if not secret:
        raise RuntimeError("the profile page shows no token")
    program = Client(site, Authorization=f"Bearer {secret[0]}")
    for number in range(10):
        given = {"name": f"Bench {number}", "slug": f"bench-{number}", "task": "ad-hoc", "description": "About *nothing*."}
        status, told = program.api("POST", "/collections", given)
        if status != 201:
            raise RuntimeError(f"a collection was refused: {told}")
    return person.headers["Cookie"], secret[0]


def measure(what: str, threads: int, act: Callable[[C], int], clients: list[C], *, most: int, seconds: float) -> Result:
    """Let each client act again and again, until `most` acts are done in all or the time is over."""
    times: list[float] = []
    refused: list[float] = []
    tickets: Iterator[int] = iter(range(most))
    lock, begin = threading.Lock(), threading.Barrier(threads + 1)
    until = time.monotonic() + seconds

    def go(client: C) -> None:
        begin.wait()
        while time.monotonic() < until:
            with lock:
                if next(tickets, None) is None:
                    return
            start = time.perf_counter()
            status = act(client)
            taken = time.perf_counter() - start
            (times if status < 400 else refused).append(taken)

    crowd = [threading.Thread(target=go, args=(client,)) for client in clients[:threads]]
    for thread in crowd:
        thread.start()
    begin.wait()
    start = time.perf_counter()
    for thread in crowd:
        thread.join()
    if not times:
        raise RuntimeError(f"{what}: every one of {len(refused)} requests was refused")
    return Result(what, threads, times, time.perf_counter() - start, len(refused))


def requests(site: Site, *, seconds: float) -> Iterator[Result]:
    cookie, secret = settle(site)
    people = [Client(site, Cookie=cookie) for _ in range(max(THREADS))]
    programs = [Client(site, Authorization=f"Bearer {secret}") for _ in range(max(THREADS))]
    strangers = [Client(site) for _ in range(max(THREADS))]
    number = itertools.count()

    def write(client: Client) -> int:
        n = next(number)
        return client.api("PATCH", f"/collections/bench-{n % 10}", {"description": f"Changed {n} times."})[0]

    def job(client: Client) -> int:
        status, told = client.api("POST", "/jobs/trial", {"steps": 1, "seconds": 0})
        until = time.monotonic() + 30
        while status < 400 and told["state"] in {"waiting", "running"} and time.monotonic() < until:
            time.sleep(0.01)
            status, told = client.api("GET", f"/jobs/{told['id']}")
        return status if told.get("state") == "done" else 500

    acts: list[tuple[str, Callable[[Client], int], list[Client], int]] = [
        ("GET / (not signed in)", lambda c: c.ask("GET", "/")[0], strangers, 3000),
        ("GET a collection's page (signed in)", lambda c: c.ask("GET", "/c/bench-0/")[0], people, 3000),
        ("GET /api/v1/collections (token)", lambda c: c.ask("GET", "/api/v1/collections")[0], programs, 3000),
        ("PATCH a collection (durable write)", write, programs, 3000),
        ("job: asked for → done", job, programs, 40),
    ]
    for what, act, clients, most in acts:
        act(clients[0])  # the first one pays for what is loaded late
        for threads in THREADS:
            yield measure(what, threads, act, clients, most=most, seconds=seconds)


def table(results: list[Result]) -> str:
    lines = [f"{'':<38}{'clients':>8}{'count':>7}{'refused':>9}{'per s':>9}{'p50 ms':>9}{'p95 ms':>9}{'8 ÷ 1':>8}"]
    alone = {result.what: result.per_second for result in results if result.threads == 1}
    for result in results:
        ratio = f"{result.per_second / alone[result.what]:.2f}" if result.threads > 1 else ""
        cells = f"{result.threads:>8}{len(result.times):>7}{result.refused:>9}{result.per_second:>9.1f}"
        lines.append(f"{result.what:<38}{cells}{result.quantile(0.5):>9.1f}{result.quantile(0.95):>9.1f}{ratio:>8}")
    return "\n".join(lines)


def ratios(results: list[Result]) -> str:
    """What can be compared between machines: everything against the start page, with one client."""
    alone = [result for result in results if result.threads == 1]
    base = statistics.median(alone[0].times)
    return "\n".join(f"{r.what:<38}{statistics.median(r.times) / base:>8.2f} × the start page" for r in alone[1:])
