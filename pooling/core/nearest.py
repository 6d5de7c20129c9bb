"""What somebody may have meant by an id that nobody knows."""

import difflib
import re
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

_CHUNK = 100_000  # ids that are folded at a time
_LONGEST = 100  # letters of an id in which a slip is looked for
_SHORTEST = 3  # of the longer of the two: of less, one letter is too much
_MARKS = bytes(mark for mark in range(128) if mark != ord("\n") and not chr(mark).isalnum())
_LOWER = bytes.maketrans(_MARKS, b"-" * len(_MARKS)).lower()
_PATH = re.compile(rb"^.*[/\\]", re.MULTILINE)
_ENDING = re.compile(rb"(\.(txt|text|xml|html?|json|sgml?|pdf|md|gz|bz2|zst|zip))+$", re.IGNORECASE | re.MULTILINE)
_VERSION = re.compile(rb"([-_.]?v[0-9]{1,3}|[.#][0-9]{1,3})$", re.IGNORECASE)
_PART = re.compile(rb"(?<=[a-z])(?=[0-9])|(?<=[^a-z0-9\x80-\xff])", re.IGNORECASE)
_ADDED = (b"txt", b"xml", b"html", b"htm", b"json", b"v1", b"v2", b"v3")
_LONG_REST = 6  # what is left of an id without its beginning: shorter, and it may be anybody's number


class Nearest:
    """Looks for what was meant among many ids, which are folded once, when first asked: most files have nothing to ask.

    In this order: the id that is the same but for case, marks ("_" for "-", or none) and zeros before a number; that
    without a path, an ending (.txt) or a version (v2) of what was asked, or with one; that without its beginning, or with
    the one that all ids have; the last part of a path; and last that which differs by one slip: a letter or digit that is
    wrong, missing or too much, or two that changed places. Of a slip that may stand for several ids nothing is said: in a
    series of numbers each is as near as the next.
    """

    def __init__(self, known: NDArray[np.bytes_]) -> None:
        self._known = known
        self._index: _Index | None = None
        self._paths: _Index | None = None

    def to(self, asked: bytes) -> str:
        """What was meant, "" where nothing is near."""
        if not len(self._known):
            return ""
        index = self._index = self._index or _Index(self._known)
        (folded,) = _folded([asked])
        for form in dict.fromkeys(_forms(asked, folded, index.begins)):
            if found := index.ids(form):
                return _most_alike(asked, found).decode()
        if index.has_paths:
            self._paths = self._paths or _Index(self._known, stems=True)
            for form in _folded(_stems(asked)):
                if len(found := self._paths.ids(form)) == 1:
                    return found[0].decode()
        slips = index.any_of(_slips(folded, index.letters)) if len(folded) <= _LONGEST else []
        return slips[0].decode() if len(slips) == 1 else ""


class _Index:
    """The ids by the hashes of their folded forms, in sixteen bytes for each; `stems`: without path and ending."""

    def __init__(self, known: NDArray[np.bytes_], *, stems: bool = False) -> None:
        self.known, self._stems = known, stems
        hashes, counts, ends = np.empty(len(known), np.int64), np.zeros(256, np.int64), list[bytes]()
        self.has_paths = False
        for start in range(0, len(known), _CHUNK):
            ids = known[start : start + _CHUNK].tolist()
            self.has_paths = self.has_paths or any(b"/" in one for one in ids)
            forms = self._forms(ids)
            hashes[start : start + len(forms)] = np.fromiter(map(hash, forms), np.int64, len(forms))
            counts += np.bincount(np.frombuffer(b"".join(forms), np.uint8), minlength=256)
            ends += [min(forms), max(forms)]
        self._order = np.argsort(hashes, kind="stable")
        self._hashes = hashes[self._order]
        self.letters = [bytes([letter]) for letter in np.flatnonzero(counts).tolist()]
        self.begins = _beginning(min(ends), max(ends)).rstrip(b"0123456789")  # what all begin with

    def _forms(self, ids: list[bytes]) -> list[bytes]:
        return _folded(_ENDING.sub(b"", _PATH.sub(b"", _joined(ids))).split(b"\n") if self._stems else ids)

    def ids(self, form: bytes) -> list[bytes]:
        """Those that have this form."""
        return self.any_of([form])

    def any_of(self, forms: Iterable[bytes]) -> list[bytes]:
        """Those that have one of these forms."""
        wanted = {hash(form): form for form in forms if form}
        keys = np.fromiter(wanted, np.int64, len(wanted))
        begin, end = np.searchsorted(self._hashes, keys), np.searchsorted(self._hashes, keys, "right")
        found = []
        for place in np.flatnonzero(begin < end).tolist():
            ids = self.known[self._order[begin[place] : end[place]]].tolist()
            form = wanted[int(keys[place])]
            found += [one for one, its in zip(ids, self._forms(ids), strict=True) if its == form]  # not by its hash alone
        return found


def _beginning(one: bytes, other: bytes) -> bytes:
    """What both begin with."""
    differs = (place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    return one[: next(differs, min(len(one), len(other)))]


def _folded(ids: list[bytes]) -> list[bytes]:
    """Small letters, no zeros before a number, and no marks but one between two numbers; all at once, which is quick."""
    joined = _joined(ids)
    if not joined.isascii():
        joined = joined.decode("utf-8", "surrogateescape").lower().encode("utf-8", "surrogateescape")
    text = np.frombuffer(joined.translate(_LOWER) + b"\n", np.uint8)
    digit, mark, place = (text >= ord("0")) & (text <= ord("9")), text == ord("-"), np.arange(len(text), dtype=np.int32)
    begun = np.maximum.accumulate(np.where(digit, -1, place))  # where the number that goes on here has the mark before it
    counted = np.maximum.accumulate(np.where(digit & (text != ord("0")), place, -1))
    kept = ~mark
    kept[:-1] &= ~((text[:-1] == ord("0")) & (counted[:-1] <= begun[:-1]) & digit[1:])
    letters = np.flatnonzero(~mark)
    between = (np.diff(letters) > 1) & digit[letters[:-1]] & digit[letters[1:]]
    kept[letters[:-1][between] + 1] = True
    folded: bytes = text[kept].tobytes()[:-1]
    return folded.split(b"\n")


def _joined(ids: list[bytes]) -> bytes:
    """A line for each."""
    joined = b"\n".join(ids)
    if joined.count(b"\n") < len(ids):
        return joined
    return b"\n".join(one.replace(b"\n", b"-") for one in ids)


def _stems(asked: bytes) -> list[bytes]:
    """Without its path, and without its ending, too."""
    name = _PATH.sub(b"", asked)
    return [name, _ENDING.sub(b"", name)]


def _forms(asked: bytes, folded: bytes, begins: bytes) -> Iterator[bytes]:
    """Forms that the id may have that was meant, the likeliest first."""
    yield folded
    name, bare = _stems(asked)
    shorter = [_ENDING.sub(b"", asked), name, bare, _VERSION.sub(b"", asked), _VERSION.sub(b"", bare)]
    yield from _folded(shorter)
    plainest = _folded([bare])[0]
    yield from (plainest + more for more in _ADDED)
    for part in _PART.finditer(asked):
        before, (rest,) = asked[: part.start()], _folded([asked[part.start() :]])
        if len(rest) >= _LONG_REST or not re.search(rb"[0-9]", before):
            yield rest
    for end in range(len(begins), 0, -1):  # the rest of it may be there
        yield from (begins[:end] + folded, begins[:end] + plainest)


def _most_alike(asked: bytes, ids: list[bytes]) -> bytes:
    return max(sorted(ids), key=lambda one: difflib.SequenceMatcher(None, asked, one, autojunk=False).ratio())


def _slips(form: bytes, letters: list[bytes]) -> Iterator[bytes]:
    """All forms that are one slip away; what is left out is too short to tell."""
    for place in range(len(form) + 1):
        before, after = form[:place], form[place:]
        if len(form) + 1 >= _SHORTEST:
            yield from (before + letter + after for letter in letters)
        if after and len(form) >= _SHORTEST:
            yield before + after[1:]
            yield from (before + letter + after[1:] for letter in letters)
            yield before + after[1:2] + after[:1] + after[2:]
