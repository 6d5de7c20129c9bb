"""Words of a topic, found in a text in any of their forms."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import Stemmer

# Scripts that put no space between words, or glue endings to them: found by pairs of letters.
_SPACELESS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
# Vowel signs and accents, which are letters to a reader, if not to `re`; and joiners inside words.
_SIGNS = "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0900-\u0dff\u200c\u200d"
_LETTER = f"[^\\W_{_SPACELESS}]"
_LETTERS = re.compile(f"{_LETTER}+(?:[{_SIGNS}]+{_LETTER}*)*")
_RUN = re.compile(f"[{_SPACELESS}]+")
_BEFORE, _AFTER = f"(?<!{_LETTER})(?<![{_SIGNS}])", f"(?!{_LETTER}|[{_SIGNS}])"
_UNWRITTEN = re.compile("[\u0640\u064b-\u065f\u0670]")  # tatweel and vowels that Arabic may leave out
_LATIN = {
    "ca": "catalan",
    "cs": "czech",
    "da": "danish",
    "de": "german",
    "en": "english",
    "es": "spanish",
    "et": "estonian",
    "eu": "basque",
    "fi": "finnish",
    "fr": "french",
    "ga": "irish",
    "hu": "hungarian",
    "id": "indonesian",
    "it": "italian",
    "lt": "lithuanian",
    "nl": "dutch",
    "no": "norwegian",
    "pl": "polish",
    "pt": "portuguese",
    "ro": "romanian",
    "sv": "swedish",
    "tr": "turkish",
}
_SCRIPTS = (("\u0370", "\u03ff", "greek"), ("\u0400", "\u04ff", "russian"), ("\u0b80", "\u0bff", "tamil"))
_STOP_WORDS = (
    "a an and are as at be by did do does for from has have how in is it its of on or that the to was what when where "
    "which who why will with der die das und ein eine von zu le la les des du et un une el los las y de en "
    "का की के को में से और है हैं पर في من على إلى عن و"
)
_STOP = frozenset(_STOP_WORDS.split())


@dataclass(frozen=True)
class Wanted:
    """What to look for: stems of words, and pairs of letters (or a lone letter) of scripts without spaces."""

    stems: frozenset[str]
    pairs: frozenset[str]

    def __bool__(self) -> bool:
        return bool(self.stems or self.pairs)


class _Stems:
    """Stems by the script of each word; Latin words in the given language, else as English. Of one thread: they are stateful."""

    def __init__(self, language: str) -> None:
        code = language.strip().lower()[:2]
        self.latin = _LATIN.get(code, "english")
        self.arabic = "persian" if code == "fa" else "arabic"
        self.indic = "nepali" if code == "ne" else "hindi"
        self.stemmers: dict[str, Stemmer.Stemmer] = {}

    def __call__(self, word: str) -> str:
        word = word.lower()
        name = self._algorithm(word[0])
        if name == "arabic":
            word = _UNWRITTEN.sub("", word)
            if len(word) > 4 and word[0] in "وفبك" and word[1:3] == "ال":  # "and", "so", "in", "as", glued to the article
                word = word[1:]
        if not name:
            return word
        if name not in self.stemmers:
            self.stemmers[name] = Stemmer.Stemmer(name)
        return str(self.stemmers[name].stemWord(word))

    def _algorithm(self, letter: str) -> str:
        if letter < "\u0370":
            return self.latin
        if "\u0600" <= letter <= "\u06ff":
            return self.arabic
        if "\u0900" <= letter <= "\u097f":
            return self.indic
        return next((name for first, last, name in _SCRIPTS if first <= letter <= last), "")


def wanted(words: str, language: str = "") -> Wanted:
    """What stands for these words, without those that say nothing ("the", "of") and lone letters.

    Words are compared by their Snowball stems (M. F. Porter, 2001), each by the algorithm of its script: Arabic, Hindi,
    Russian …; `language` (a code such as "de") tells Latin scripts apart. Chinese, Japanese, Korean, Thai and their
    like are cut into pairs of letters, as is usual for retrieval where no words are marked.
    """
    stem, stems, pairs = _Stems(language), set(), set()
    for run in _RUN.findall(words):
        pairs |= {run[i : i + 2] for i in range(len(run) - 1)} or {run}
    for word in _LETTERS.findall(words):
        if word.lower() not in _STOP and (len(word) > 1 or word.isdigit()):
            stems.add(stem(word))
    return Wanted(frozenset(stems), frozenset(pairs))


def pieces(texts: list[str], sought: Wanted, language: str = "") -> list[list[tuple[str, bool]]]:
    """Each text cut into pieces, which together are the text again, with whether a piece is a hit."""
    words = _finder(texts, sought, language) if sought.stems else None
    return [_cut(text, sorted(_hits(text, words, sought.pairs))) for text in texts]


def _finder(texts: list[str], sought: Wanted, language: str) -> re.Pattern[str] | None:
    """Finds the sought words as they are written here. Each word is asked once: a long text has few different ones."""
    stem = _Stems(language)
    hits = [word for word in set(_LETTERS.findall("\n".join(texts))) if stem(word) in sought.stems]
    return re.compile(f"{_BEFORE}(?:{'|'.join(map(re.escape, hits))}){_AFTER}") if hits else None


def _hits(text: str, words: re.Pattern[str] | None, pairs: frozenset[str]) -> Iterator[tuple[int, int]]:
    if words:
        yield from (found.span() for found in words.finditer(text))
    if pairs:
        for found in _RUN.finditer(text):
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
