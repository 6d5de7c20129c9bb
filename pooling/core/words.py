"""Words of any script, as search, classifiers and highlighting see them: stems, and pairs of letters where no words are marked."""

import re

import Stemmer

# Scripts that put no space between words, or glue endings to them: found by pairs of letters.
_SPACELESS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
# Vowel signs and accents, which are letters to a reader, if not to `re`; and joiners inside words.
_SIGNS = "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0900-\u0dff\u200c\u200d"
_LETTER = f"[^\\W_{_SPACELESS}]"
LETTERS = re.compile(f"{_LETTER}+(?:[{_SIGNS}]+{_LETTER}*)*")
RUN = re.compile(f"[{_SPACELESS}]+")
BEFORE, AFTER = f"(?<!{_LETTER})(?<![{_SIGNS}])", f"(?!{_LETTER}|[{_SIGNS}])"
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


class Stems:
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


def means_something(word: str) -> bool:
    """Neither a word such as "the" or "of", nor a lone letter."""
    return word.lower() not in _STOP and (len(word) > 1 or word.isdigit())


def pairs(run: str) -> list[str]:
    """A stretch of letters without spaces, by pairs; a lone letter is itself."""
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]


_WORD = re.compile(f"(?P<run>{RUN.pattern})|{LETTERS.pattern}")


class _Known(dict[str, str]):
    """The term of each word that came, empty of one that says nothing. Texts have few different words: each is stemmed once."""

    def __init__(self, language: str) -> None:
        self.stem = Stems(language)

    def __missing__(self, word: str) -> str:
        self[word] = term = self.stem(word) if means_something(word) else ""
        return term


class Terms:
    """`terms` of many texts of one language; what they have in common is worked out once. Of one thread."""

    MOST = 200_000  # words that are kept

    def __init__(self, language: str = "") -> None:
        self.known = _Known(language)

    def __call__(self, text: str) -> list[str]:
        if len(self.known) > self.MOST:
            self.known.clear()
        known = self.known
        if text.isascii():
            return list(filter(None, map(known.__getitem__, LETTERS.findall(text))))
        found: list[str] = []
        for match in _WORD.finditer(text):
            if match.lastgroup == "run":
                found += pairs(match[0])
            elif term := known[match[0]]:
                found.append(term)
        return found


def terms(text: str, language: str = "") -> list[str]:
    """The terms of a text in their order.

    Words are told by their Snowball stems (M. F. Porter, 2001), each by the algorithm of its script: Arabic, Hindi,
    Russian …; `language` (a code such as "de") tells Latin scripts apart. Chinese, Japanese, Korean, Thai and their
    like are cut into pairs of letters, as is usual for retrieval where no words are marked. Words that say nothing
    ("the", "of") and lone letters are left out.
    """
    return Terms(language)(text)


def word_count(text: str) -> int:
    """How many words a text has, those that say nothing included; where no words are marked, pairs of letters count as such."""
    count = len(LETTERS.findall(text))
    return count if text.isascii() else count + sum(max(len(run) - 1, 1) for run in RUN.findall(text))
