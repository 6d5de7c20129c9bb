"""A document's text as it is read on a page."""

import re
from functools import lru_cache

from pooling.core.words import RUN

LONG = 100_000  # letters; of such a text the browser lays out what is in view, and no more
_PARAGRAPH = re.compile(r"^[^\S\n]*+\S[^\n]*+(?:\n[^\S\n]*+\S[^\n]*+)*+", re.MULTILINE)
_SHORTEST, _WIDEST = 40, 100
_NUMBERED = re.compile(
    rf"(?:#{{1,6}}|\d{{1,2}}(?:\.\d{{1,2}})*\.?|[IVX]{{1,5}}\.)\s+(?:\w.{{2,}}|{RUN.pattern})"
    r"|[一二三四五六七八九十]{1,3}、\s*\w.*|第[一二三四五六七八九十百\d]{1,4}[章節节回部].{0,30}"
)
_GOES_ON = ".,;:。，；：、،؛۔।"


def paragraphs(text: str) -> list[tuple[int, str]]:
    """The paragraphs of a plain text, what stands between blank lines, each with the place where it begins.

    Letter by letter they are the text's own, so that a place in one is a place in the text; only line ends may be
    blanks. Lines that were broken to fit a typewriter's page flow together again: at least three of them, the longest
    of 40 to 100 letters, all but the last at least 3/5 of it. Other line breaks are kept, so that verse, lists and
    tables stay as they were written.
    """
    whole = text.replace("\r\n", " \n").replace("\r", "\n")
    return [(found.start(), _flowing(found[0])) for found in _PARAGRAPH.finditer(whole)]


def _flowing(paragraph: str) -> str:
    lengths = [len(line.rstrip()) for line in paragraph.split("\n")]
    longest = max(lengths)
    wrapped = len(lengths) >= 3 and _SHORTEST <= longest <= _WIDEST
    return paragraph.replace("\n", " ") if wrapped and all(5 * n >= 3 * longest for n in lengths[:-1]) else paragraph


def is_heading(paragraph: str) -> bool:
    """A short line by itself that is numbered, marked with #, or all in capitals, and no sentence. Two letters are a word in Chinese."""
    line = paragraph.strip()
    if "\n" in line or not 3 <= len(line) <= 100 or line[-1] in _GOES_ON:
        return False
    return (len(line) > 3 and line.isupper()) or bool(_NUMBERED.fullmatch(line))


def length(text: str) -> str:
    """How long a text is, in words, or in characters where a script writes no spaces. Counted once of a long one: a
    megabyte takes 13 ms."""
    return _long_length(text) if len(text) > LONG else _length(text)


def _length(text: str) -> str:
    words = len(text.split())
    if len(text) > 15 * max(words, 1):
        return _count(len(text), "character")
    return _count(words, "word")


def _count(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


_long_length = lru_cache(maxsize=16)(_length)
