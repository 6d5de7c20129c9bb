from dataclasses import asdict
from typing import Any

from django.core.checks import ERROR, CheckMessage, run_checks
from django.core.management.base import CommandParser

from config import health
from config.commands import Error, SiteCommand

LEVELS = {10: "debug", 20: "info", 30: "warning", 40: "error", 50: "critical"}


class Command(SiteCommand):
    help = "Tell whether each part of the site is alive and safely set up."

    def add_arguments(self, parser: CommandParser) -> None:
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        parts = health.parts()
        found = [message for message in run_checks(include_deployment_checks=True) if not message.is_silenced()]
        ill = [part.name for part in parts if not part.ok]
        ill += [message.id or "a check" for message in found if message.level >= ERROR]
        if options["json"]:
            self.document({"ok": not ill, "parts": [asdict(part) for part in parts], "checks": [_row(m) for m in found]})
        else:
            rows = [{"part": part.name, "state": "ok" if part.ok else "down", "detail": part.detail} for part in parts]
            self.table(rows, ["part", "state", "detail"])
            for row in map(_row, found):
                self.stdout.write(f"{row['level']} {row['id']}: {row['message']} {row['hint']}".rstrip())
        if ill:
            raise Error(f"Not well: {', '.join(ill)}.")


def _row(message: CheckMessage) -> dict[str, str]:
    level = LEVELS.get(message.level, str(message.level))
    return {"id": message.id or "", "level": level, "message": message.msg, "hint": message.hint or ""}
