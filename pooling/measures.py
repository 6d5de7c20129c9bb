"""Names of measures. Evaluation, which knows them, says here how they are read; pooling comes before it, and asks."""

from collections.abc import Callable

_readers: list[Callable[[str], str]] = []


def read_by(reader: Callable[[str], str]) -> None:
    """`reader` gives the one spelling of a name, or raises a ValueError that says what was expected."""
    _readers[:] = [reader]


def spelled(name: str) -> str:
    return _readers[0](name)
