"""A document's text as it is read on a page."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from string import digits

from pooling.core.words import RUN

LONG = 100_000  # letters; of such a text the browser lays out what is in view, and no more
_BLOCK = re.compile(r"^[^\S\n]*+\S[^\n]*+(?:\n[^\S\n]*+\S[^\n]*+)*+", re.MULTILINE)
_NARROWEST, _WIDEST = 40, 100  # letters of a line
_GAP = re.compile(r"\S(?:\t| {3})")
_ITEM = re.compile(r"(?:[-*+•·–—#]|\(?\d{1,3}[.)]|\(?[a-zA-Z]\))\s|[>|\[]")
_ENDS, _CLOSES = tuple(".!?:;{}…。！？؟۔।"), " \t\"'”’»)]"
_NUMBERED = re.compile(
    rf"(?:#{{1,6}}|\d{{1,2}}(?:\.\d{{1,2}})*\.?|[IVX]{{1,5}}\.)\s+(?:\w.{{2,}}|{RUN.pattern})"
    r"|[一二三四五六七八九十]{1,3}、\s*\w.*|第[一二三四五六七八九十百\d]{1,4}[章節节回部].{0,30}"
)
_GOES_ON = ".,;:。，；：、،؛۔।"


def paragraphs(text: str) -> list[tuple[int, str]]:
    """The paragraphs of a plain text, each with the place where it begins.

    Letter by letter they are the text's own, so that a place in one is a place in the text; only line ends may be
    blanks. What stands between blank lines is a paragraph. Where its lines were broken to fit a page of 40 to 100
    letters they flow together again; an indented line, one after a sentence that ended early, or one in capitals begins
    another paragraph, and one with the mark of a list a line. Two lines are known by others of the text that were broken.
    Other line ends are kept, so that verse, lists, tables and code stay as they were written.
    """
    whole = text.replace("\r\n", " \n").replace("\r", "\n")
    blocks = [(found.start(), found[0].split("\n")) for found in _BLOCK.finditer(whole)]
    widths = [_width(lines) for _, lines in blocks]
    page = max(widths, default=0)
    return [
        part
        for (at, lines), width in zip(blocks, widths, strict=True)
        for part in _flowing(at, lines, width or (page if _is_pair(lines, page) else 0))
    ]


def _width(lines: list[str]) -> int:
    """The width to which lines were broken; 0 where they were written as they are.

    Broken lines are three or more, most of them filled to 3/5 at least, and fewer than half of them end as a sentence or a
    statement does. One in four or more begins with a small letter, or one of a script that has no others: lines of verse,
    names, logs and tables begin otherwise. Columns are parted by gaps, or made of digits.
    """
    if len(lines) < 3:
        return 0
    width = sorted(len(line.rstrip()) for line in lines)[-1 - len(lines) // 10]  # a few may stand out
    if not _NARROWEST <= width <= _WIDEST:
        return 0
    pairs = list(pairwise(lines))
    ended = sum(_is_ended(line) for line in lines[:-1])
    unfilled = sum(_fits(line, after, 3 * width // 5) and not _is_ended(line) and not _is_item(after) for line, after in pairs)
    if 3 * unfilled > len(pairs) or 2 * ended > len(pairs):
        return 0
    block = "\n".join(lines)
    if 4 * sum(_begins_large(line) for line in lines[1:]) >= 3 * len(pairs) and not block.isupper():
        return 0
    is_table = len(_GAP.findall(block)) > 1 or 4 * sum(map(block.count, digits)) > len(block)
    return 0 if is_table else width


def _is_pair(lines: list[str], width: int) -> bool:
    """Two lines of a text that was broken to this width, the first of which is full."""
    return len(lines) == 2 and not _fits(lines[0], lines[1], 9 * width // 10) and len(lines[0].rstrip()) <= width


def _flowing(at: int, lines: list[str], width: int) -> Iterator[tuple[int, str]]:
    """The paragraphs of lines that were broken to a width; those of width 0 are one, as it was written."""
    if not width:
        yield at, "\n".join(lines)
        return
    margin, part = min(map(_indent, lines)), [lines[0]]
    has_titles = not "".join(lines).isupper()
    for before, line in pairwise(lines):
        ended = _is_ended(before) and _fits(before, line, 4 * width // 5)
        titled = has_titles and (_is_loud(before.strip()) or _is_loud(line.strip()))
        if ended or titled or _indent(line) >= margin + 2:
            yield at, "".join(part)
            at, part = at + sum(map(len, part)) + 1, [line]
        else:
            part += ["\n" if _is_item(line) else " ", line]
    yield at, "".join(part)


def _fits(line: str, after: str, width: int) -> bool:
    """Whether there was room for the next word."""
    return len(line.rstrip()) + 1 + len(after.split(maxsplit=1)[0]) <= width


def _is_ended(line: str) -> bool:
    return line.rstrip(_CLOSES).endswith(_ENDS)


def _is_item(line: str) -> bool:
    return bool(_ITEM.match(line.lstrip()))


def _begins_large(line: str) -> bool:
    first = line.lstrip()[0]
    return first.isupper() or not first.isalpha()


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def is_heading(paragraph: str) -> bool:
    """A short line by itself that is numbered, marked with #, or all in capitals, and no sentence. Two letters are a word in Chinese."""
    line = paragraph.strip()
    if "\n" in line or not 3 <= len(line) <= 100 or line[-1] in _GOES_ON:
        return False
    return _is_loud(line) or bool(_NUMBERED.fullmatch(line))


def _is_loud(line: str) -> bool:
    return len(line) > 3 and line.isupper() and line[-1] not in _GOES_ON


def told(title: str, text: str) -> str:
    """How long a document is: its text, or its title where that is all there is."""
    return length(text) if text.strip() or not title else f"title only, {length(title)}"


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
