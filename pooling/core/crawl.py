"""How many addresses of a crawl were answered with which HTTP status: lines of status and count, which must add up."""

import re
from http import HTTPStatus

NO_ANSWER, TOTAL = "none", "total"
_COUNT = re.compile(r"[0-9]{1,15}|[0-9]{1,3}(?:,[0-9]{3}){1,4}")  # as published tables print them, too

_PHRASES = {str(status.value): status.phrase for status in HTTPStatus} | {NO_ANSWER: "no answer"}


def counts(text: str) -> dict[str, int]:
    """The count of each status in its order, those without an answer after them, the sum as `total`; empty of no line.

    Lines end with a line end or a semicolon. ValueError tells what is wrong with which: also that the counts do not add up
    to the total, where one is stated.
    """
    found: dict[str, int] = {}
    for number, line in enumerate(re.split(r"[\n;]", text.strip()), 1):
        words = line.split()
        if not words:
            continue
        if len(words) != 2:
            raise ValueError(
                f"Line {number}: expected a status and a count, such as “404 458388”; found “{line.strip()[:60]}”."
            )
        status, count = words[0].lower(), words[1]
        if status not in (NO_ANSWER, TOTAL) and not re.fullmatch("[1-5][0-9]{2}", status):
            raise ValueError(
                f"Line {number}: expected an HTTP status from 100 to 599, {NO_ANSWER} (no answer came) or {TOTAL}; "
                f"found “{words[0][:60]}”."
            )
        if not _COUNT.fullmatch(count):
            raise ValueError(f"Line {number}: expected a whole number, such as 458388; found “{count[:60]}”.")
        if status in found:
            raise ValueError(f"Line {number}: expected each status once; {status} is there twice.")
        found[status] = int(count.replace(",", ""))
    stated = found.pop(TOTAL, None)
    if not found:
        if stated is not None:
            raise ValueError("Expected the count of at least one status; found only a total.")
        return {}
    total = sum(found.values())
    if stated not in (None, total):
        raise ValueError(f"The counts add up to {total:,}, but the total says {stated:,}. Correct a count or the total.")
    return {**{status: found[status] for status in sorted(found)}, TOTAL: total}  # digits come before letters


def spelled(text: str) -> str:
    """The same counts, one on a line, with their total: it is checked again whenever one of them is changed."""
    return "\n".join(f"{status} {count}" for status, count in counts(text).items())


def meaning(status: str) -> str:
    """Of a status in words, such as “Not Found”; empty of one that no standard names."""
    return _PHRASES.get(status, "")
