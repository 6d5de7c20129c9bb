"""What somebody may have meant by an id that nobody knows."""

import bisect
import difflib
import re

import numpy as np
from numpy.typing import NDArray

_AROUND = 12  # neighbours looked at on either side
_ALIKE = 0.6  # of difflib's ratio: below it a suggestion would be noise
_PARTS = re.compile(rb"[0-9]+|[a-z]+")


class Nearest:
    """Looks for the nearest of many ids. Sorted once, when first asked: most files have nothing to ask about.

    Candidates are the neighbours in byte order, which share the beginning, the neighbours of the reversed ids, which share
    the end, and the id that is the same but for case, punctuation and leading zeros; of these the most alike is taken.
    """

    def __init__(self, known: NDArray[np.bytes_]) -> None:
        self._known = known
        self._sorted: list[bytes] | None = None
        self._reversed: list[bytes] = []
        self._plain: dict[bytes, bytes] = {}

    def to(self, asked: bytes) -> str:
        """The most alike, "" if none is alike enough."""
        ids = self._prepared()
        if same := self._plain.get(_plain(asked)):
            return same.decode()
        candidates = [*_around(ids, asked), *(one[::-1] for one in _around(self._reversed, asked[::-1]))]
        scored = [(difflib.SequenceMatcher(None, asked, one, autojunk=False).ratio(), one) for one in dict.fromkeys(candidates)]
        best = max(scored, default=(0.0, b""), key=lambda pair: (pair[0], pair[1]))
        return best[1].decode() if best[0] >= _ALIKE else ""

    def _prepared(self) -> list[bytes]:
        if self._sorted is None:
            self._sorted = sorted(self._known.tolist())
            self._reversed = sorted(one[::-1] for one in self._sorted)
            self._plain = {_plain(one): one for one in reversed(self._sorted)}
        return self._sorted


def _plain(name: bytes) -> bytes:
    return b"-".join(part.lstrip(b"0") if part[:1].isdigit() else part for part in _PARTS.findall(name.lower()))


def _around(ordered: list[bytes], asked: bytes) -> list[bytes]:
    place = bisect.bisect_left(ordered, asked)
    return ordered[max(0, place - _AROUND) : place + _AROUND]
