"""Numbers that commands take, in bounds. Without Django: commands on files start fast."""

import argparse
import re
from collections.abc import Callable
from typing import Any

MANY = 1_000_000_000


def whole(least: int, most: int = MANY) -> Callable[[str], int]:
    """For `type=` of an argument: a whole number from the one to the other."""

    def parse(text: str) -> int:
        if not re.fullmatch(r"-?[0-9]{1,30}", text) or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"expected a whole number from {least} to {most}, found “{text[:40]}”")
        return int(text)

    return parse


class Parser(argparse.ArgumentParser):
    """Of a command on files: tells of a wrong number or choice as the commands of a site do (config/expected.py)."""

    def _get_value(self, action: argparse.Action, arg_string: str) -> Any:
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
