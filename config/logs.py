"""Log lines: for people, or one JSON object each; with the request's id, and never with a secret.

Loads no Django: the settings name these classes.
"""

import json
import logging
import os
import re
from contextvars import ContextVar
from datetime import UTC, datetime

PART = "_ASSIZE_PART"  # set by config.up for its children: web, worker-1, sweeper
# Of the request that is answered now; of a job, its number and attempt.
request_id: ContextVar[str] = ContextVar("request_id", default="")
# One-time and invitation links stand in addresses, which Django logs with every 404; a token may stand in a message.
SECRET = re.compile(r"(/welcome/|/join/|/password/reset/[^/\s]{1,100}/)[^/\s\"'?]{8,}|\b(asz_)[\w-]{8,}")


def without_secrets(text: str) -> str:
    return SECRET.sub(lambda found: f"{found[1] or found[2]}…", text)


class OneLine(logging.Filter):
    """For what strangers can cause as often as they like, a request for another host: told, and without a traceback."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.exc_info = None
        return True


class Lines(logging.Formatter):
    """`time level logger: message [request id]`"""

    def format(self, record: logging.LogRecord) -> str:
        at = request_id.get()
        return without_secrets(super().format(record)) + (f" [{at}]" if at else "")


class Json(logging.Formatter):
    """One object a line: time, level, logger, part, request, message, and what was given as `extra={"facts": {…}}`."""

    def format(self, record: logging.LogRecord) -> str:
        told: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "part": getattr(record, "part", "") or os.environ.get(PART, ""),
            "request": request_id.get(),
            "message": record.getMessage(),
            **getattr(record, "facts", {}),
        }
        if record.exc_info:
            told["traceback"] = self.formatException(record.exc_info)
        return without_secrets(json.dumps({name: value for name, value in told.items() if value != ""}, ensure_ascii=False))
