"""Numbers that commands take, in bounds. Without Django: commands on files start fast."""

import argparse
import re
from collections.abc import Callable
from typing import Any

MANY = 1_000_000_000
FILES = {"FILE", "RUN", "RUNS", "QRELS", "TOPICS", "DOCUMENTS"}


def whole(least: int, most: int = MANY) -> Callable[[str], int]:
    """For `type=` of an argument: a whole number from the one to the other."""

    def parse(text: str) -> int:
        if not re.fullmatch(r"-?[0-9]{1,30}", text) or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"expected a whole number from {least} to {most}, found “{text[:40]}”")
        return int(text)

    return parse


class Parser(argparse.ArgumentParser):
    """Of a command on files: tells of a wrong number or choice as the commands of a site do (config/expected.py).

    An empty word is refused where it is not the default: it is a variable of a script that was not set, and would be
    taken as if the option had not been given."""

    def _get_value(self, action: argparse.Action, arg_string: str) -> Any:
        if not arg_string.strip() and action.type in (None, str) and action.default != "":
            what = "the name of a file" if str(action.metavar or action.dest).upper() in FILES else "an entry"
            raise argparse.ArgumentError(action, f"Expected {what}; found nothing.")
        try:
            return super()._get_value(action, arg_string)
        except argparse.ArgumentError:
            number = {int: "a whole number", float: "a number"}.get(action.type)  # type: ignore[call-overload]
            if number is None:
                raise
            raise argparse.ArgumentError(action, f"Expected {number}; found “{arg_string[:80]}”.") from None

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            known = ", ".join(map(str, action.choices))
            raise argparse.ArgumentError(action, f"Expected one of {known}; found “{str(value)[:80]}”.")
