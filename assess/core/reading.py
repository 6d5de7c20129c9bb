"""A document's text as it is read on a page."""

import re

_GAP = re.compile(r"\n[^\S\n]*\n\s*")
_SHORTEST, _WIDEST = 40, 100


def paragraphs(text: str) -> list[str]:
    """The paragraphs of a plain text: what stands between blank lines.

    Lines that were broken to fit a typewriter's page flow together again: at least three of them, the longest of 40
    to 100 letters, all but the last at least 3/5 of it. Other line breaks are kept, so that verse, lists and tables
    stay as they were written.
    """
    whole = text.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    return [_flowing(part) for part in _GAP.split(whole) if part.strip()]


def _flowing(paragraph: str) -> str:
    lines = [line.rstrip() for line in paragraph.split("\n")]
    longest = max(map(len, lines))
    wrapped = len(lines) >= 3 and _SHORTEST <= longest <= _WIDEST
    if wrapped and all(5 * len(line) >= 3 * longest for line in lines[:-1]):
        return " ".join(line.strip() for line in lines)
    return "\n".join(lines)


def length(text: str) -> str:
    """How long a text is, in words, or in characters where a script writes no spaces."""
    words = len(text.split())
    if len(text) > 15 * max(words, 1):
        return _count(len(text), "character")
    return _count(words, "word")


def _count(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"
