"""Words of a topic, found in a text in any of their forms."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pooling.core.words import AFTER, BEFORE, LETTERS, RUN, Stems, means_something, pairs

_BEGINS, _ENDS = re.compile(BEFORE), re.compile(AFTER)  # asked at a place in a text


@dataclass(frozen=True)
class Wanted:
    """What to look for: stems of words, and pairs of letters (or a lone letter) of scripts without spaces."""

    stems: frozenset[str]
    pairs: frozenset[str]

    def __bool__(self) -> bool:
        return bool(self.stems or self.pairs)


def wanted(words: str, language: str = "") -> Wanted:
    """What stands for these words, without those that say nothing ("the", "of") and lone letters.

    By the terms of `pooling.core.words`: stems, and pairs of letters of scripts that mark no words.
    """
    stem = Stems(language)
    found = {pair for run in RUN.findall(words) for pair in pairs(run)}
    stems = {stem(word) for word in LETTERS.findall(words) if means_something(word)}
    return Wanted(frozenset(stems), frozenset(found))


class Finder:
    """Finds what is sought in texts of one language. Each word is looked at once: texts have few different ones."""

    def __init__(self, sought: Wanted, language: str = "") -> None:
        self.sought, self.stem = sought, Stems(language)
        self.seen, self.having = set[str](), dict[str, list[str]]()  # between blanks: all, and with sought words, which

    def pieces(self, text: str) -> list[tuple[str, bool]]:
        """The text cut into pieces, which together are the text again, with whether a piece is a hit."""
        return _cut(text, sorted(self.hits(text)))

    def hits(self, text: str) -> Iterator[tuple[int, int]]:
        if self.sought.stems and (words := self._written(text)):
            # The longest first, so that no word is taken for the beginning of another. Where words begin and end is asked of
            # expressions that are compiled once: compiled into this one, they would take longer than all the rest.
            written = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
            for found in re.finditer(written, text):
                if _BEGINS.match(text, found.start()) and _ENDS.match(text, found.end()):
                    yield found.span()
        if self.sought.pairs:
            for found in RUN.finditer(text):
                yield from _runs(found[0], found.start(), self.sought.pairs)

    def _written(self, text: str) -> set[str]:
        """The sought words as they are written in a text. It is cut at blanks first, which no word spans."""
        parts = set(text.split())
        for part in parts - self.seen:
            if words := [word for word in LETTERS.findall(part) if self.stem(word) in self.sought.stems]:
                self.having[part] = words
        self.seen |= parts
        return {word for part in parts & self.having.keys() for word in self.having[part]}


def pieces(texts: list[str], sought: Wanted, language: str = "") -> list[list[tuple[str, bool]]]:
    """Each text cut into pieces, as `Finder` does."""
    finder = Finder(sought, language)
    return [finder.pieces(text) for text in texts]


def _runs(run: str, start: int, pairs: frozenset[str]) -> Iterator[tuple[int, int]]:
    """The longest stretches that wanted pairs cover."""
    begin = end = -1
    for i in range(len(run)):
        size = 2 if run[i : i + 2] in pairs and i + 1 < len(run) else 1 if run[i] in pairs else 0
        if size and i > end:
            if end > begin:
                yield start + begin, start + end
            begin = i
        if size:
            end = max(end, i + size)
    if end > begin:
        yield start + begin, start + end


def _cut(text: str, hits: list[tuple[int, int]]) -> list[tuple[str, bool]]:
    if not hits:
        return [(text, False)] if text else []
    found, at = list[tuple[str, bool]](), 0
    for start, end in hits:
        found += [(text[at:start], False)] if start > at else []
        found.append((text[start:end], True))
        at = end
    return [*found, (text[at:], False)] if at < len(text) else found
