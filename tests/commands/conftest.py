"""`assize("people", "list")` runs the console script's main() in this process."""

import io
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from django.db import connections

from config import cli
from tests.queue_server import _queue_process, no_queue, queue_server

__all__ = ["_queue_process", "no_queue", "queue_server"]


@dataclass
class Outcome:
    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def told(self) -> tuple[int, str]:
        """For bad data: the status and the one line."""
        assert self.out == ""
        return self.status, self.err.removesuffix("\n")


Assize = Callable[..., Outcome]


@pytest.fixture
def assize(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Assize:
    monkeypatch.setattr(connections, "close_all", lambda: None)  # the test's transaction lives in it

    # Set up once is enough: again, it would log into this test's captured stderr for ever.
    monkeypatch.setattr("django.utils.log.configure_logging", lambda *arguments: None)
    monkeypatch.delenv("DJANGO_ALLOW_ASYNC_UNSAFE", raising=False)  # which browser tests set, and a check refuses

    def run(*arguments: object, stdin: str = "") -> Outcome:
        capsys.readouterr()
        monkeypatch.setattr(sys, "argv", ["assize", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        try:
            status = cli.main()
        except SystemExit as end:
            status = int(end.code or 0)
        return Outcome(status, *capsys.readouterr())

    return run
