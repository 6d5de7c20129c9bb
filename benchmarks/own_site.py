"""A site and database of a benchmark's own, whose pages are opened in this process."""

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ORGANIZER = "Olga Organizer"


@contextmanager
def own_site(data: Path | None, make: Callable[[], None]) -> Iterator[None]:
    """Made in a data folder, which is kept and used again if it is named; `make` fills it the first time."""
    folder = data or Path(tempfile.mkdtemp(prefix="assize-scores-"))
    os.environ |= {"ASSIZE_DATA": str(folder), "DJANGO_SETTINGS_MODULE": "config.settings"}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        import django

        django.setup()
        from django.core.management import call_command

        if not (folder / "made").exists():
            call_command("migrate", verbosity=0)
            call_command("collectstatic", interactive=False, verbosity=0)
            make()
            (folder / "made").touch()
        yield
    finally:
        if not data:
            shutil.rmtree(folder, ignore_errors=True)


class Reader:
    """Opens pages as the organizer does."""

    def __init__(self) -> None:
        from django.test import Client

        from config.models import User

        self.client = Client(SERVER_NAME="127.0.0.1")
        self.client.force_login(User.objects.get(name=ORGANIZER))

    def opened(self, path: str) -> Any:
        answer = self.client.get(path)
        if answer.status_code != 200:
            raise SystemExit(f"Expected 200 from {path}; found {answer.status_code}.")
        return answer

    def data(self, path: str) -> bytes:
        answer = self.opened(path)
        return b"".join(answer) if answer.streaming else answer.content

    def text(self, path: str) -> str:
        return self.data(path).decode()

    def seconds(self, path: str) -> float:
        begin = time.perf_counter()
        self.data(path)
        return time.perf_counter() - begin
