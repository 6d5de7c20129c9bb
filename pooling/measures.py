"""Names of measures. Evaluation, which knows them, says here how they are read; pooling comes before it, and asks."""

import re
from collections.abc import Callable, Iterable

_NAME = re.compile(r"(?:[^\s,()]|\([^()]*\))+")  # commas and blanks within brackets are its own
_readers: list[Callable[[str], str]] = []


def read_by(reader: Callable[[str], str]) -> None:
    """`reader` gives the one spelling of a name, or raises a ValueError that says what was expected."""
    _readers[:] = [reader]


def named(text: str) -> list[str]:
    """The names in a text, separated by blanks or commas, each once."""
    return list(dict.fromkeys(_NAME.findall(text)))


def spelled(names: Iterable[str]) -> list[str]:
    """As they are printed, each once."""
    return list(dict.fromkeys(map(_readers[0], names)))
