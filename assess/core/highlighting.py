"""Words of a topic, found in a text in any of their forms."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pooling.core.words import AFTER, BEFORE, LETTERS, RUN, Stems, means_something, pairs


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


def pieces(texts: list[str], sought: Wanted, language: str = "") -> list[list[tuple[str, bool]]]:
    """Each text cut into pieces, which together are the text again, with whether a piece is a hit."""
    words = _finder(texts, sought, language) if sought.stems else None
    return [_cut(text, sorted(_hits(text, words, sought.pairs))) for text in texts]


def _finder(texts: list[str], sought: Wanted, language: str) -> re.Pattern[str] | None:
    """Finds the sought words as they are written here. Each word is asked once: a long text has few different ones. It is cut
    at blanks first, which no word spans and which is far quicker."""
    stem, found = Stems(language), set("\n".join(texts).split())
    words = set(LETTERS.findall("\n".join(found)))
    hits = [word for word in words if stem(word) in sought.stems]
    return re.compile(f"{BEFORE}(?:{'|'.join(map(re.escape, hits))}){AFTER}") if hits else None


def _hits(text: str, words: re.Pattern[str] | None, pairs: frozenset[str]) -> Iterator[tuple[int, int]]:
    if words:
        yield from (found.span() for found in words.finditer(text))
    if pairs:
        for found in RUN.finditer(text):
            yield from _runs(found[0], found.start(), pairs)


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
