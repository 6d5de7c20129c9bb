"""Relevant passages of a text, in one short word each: start-end, in characters counted from 0."""

import re
from collections.abc import Iterable

_ONE = re.compile(r"\s*(\d{1,9})-(\d{1,9})\s*", re.ASCII)


def read(words: str) -> list[tuple[int, int]]:
    """The passages of "3-20,45-60". ValueError where it is written otherwise."""
    found = [_ONE.fullmatch(word) for word in words.split(",")] if words.strip() else []
    if None in found:
        raise ValueError(words)
    return [(int(one[1]), int(one[2])) for one in found if one]


def write(passages: Iterable[tuple[int, int]]) -> str:
    """In the order of the text; those that overlap or touch are one."""
    whole: list[tuple[int, int]] = []
    for start, end in sorted(passages):
        if whole and start <= whole[-1][1]:
            whole[-1] = (whole[-1][0], max(end, whole[-1][1]))
        else:
            whole.append((start, end))
    return ",".join(f"{start}-{end}" for start, end in whole)
