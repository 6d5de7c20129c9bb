"""Exact grouping and lookup of (topic, docno) pairs by way of 64-bit keys, without a loop over documents.

Comparing strings is slow, comparing integers is not. Keys only propose: every match is confirmed by the bytes of the
docnos themselves, and when keys of distinct pairs clash they are made again with another seed. So results are exact,
and the same on every machine, whatever the documents are called.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import zip_longest
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pooling.core.findings import shown

_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xBF58476D1CE4E5B9)
_SHIFT = np.uint64(31)
FEW = 1 << 16  # rows that 16 bits tell apart: tables of them stay in the processor's cache
WORD = 8  # bytes of a docno that are taken at once
_NO_WORD = np.zeros(1, np.uint64)  # behind the end of a docno


def _mixed(values: NDArray[np.uint64], factor: np.uint64) -> NDArray[np.uint64]:
    """A bijection of 64-bit words that keeps 0, so that the padding of a docno adds nothing to its key."""
    values = values * _MIX
    values ^= values >> _SHIFT
    values *= factor
    return values


def pair_keys(codes: NDArray[np.int64], docnos: NDArray[np.bytes_], seed: int = 0) -> NDArray[np.uint64]:
    """One 64-bit key for each pair of a topic's code and a docno; the arrays are aligned.

    The width of the docno array does not matter: equal bytes have equal keys in any array. A sum over the docno's
    8-byte words, each mixed and times an odd factor drawn from the seed (multilinear hashing; Lemire and Kaser 2014),
    so that a clash under one seed is gone under another.
    """
    return word_keys(codes, docno_words(docnos), seed)


def docno_words(docnos: NDArray[np.bytes_]) -> tuple[NDArray[np.uint64], ...]:
    """Eight bytes of each docno after the other as numbers, zeros behind its end."""
    count = -(-max(docnos.dtype.itemsize, 1) // WORD)
    words = np.ascontiguousarray(docnos, dtype=f"S{count * WORD}").view("<u8").reshape(len(docnos), count)
    return tuple(np.ascontiguousarray(words[:, column]) for column in range(count))


def word_keys(codes: NDArray[np.int64], words: Iterable[NDArray[np.uint64]], seed: int = 0) -> NDArray[np.uint64]:
    """The keys of pairs whose docnos come eight bytes of each after the other; zeros at the end make no difference."""
    return add_words(_mixed(codes.astype(np.uint64), _factor(1, seed)), words, seed)


def add_words(keys: NDArray[np.uint64], words: Iterable[NDArray[np.uint64]], seed: int = 0) -> NDArray[np.uint64]:
    """Keys of codes, as `word_keys` makes them of no words, with those of docnos; they are changed."""
    for number, word in enumerate(words, 2):
        keys += _mixed(word, _factor(number, seed))
    return keys


def scattered(keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The same keys spread so that their order tells nothing of what they were made of (splitmix64's end; Steele 2014)."""
    keys = (keys ^ (keys >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    keys = (keys ^ (keys >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return keys ^ (keys >> np.uint64(31))


@lru_cache(maxsize=256)
def _factor(number: int, seed: int) -> np.uint64:
    return np.uint64(_mixed(np.array([number + 1000 * seed], np.uint64), _STEP)[0] | np.uint64(1))


def distinct(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64], NDArray[np.int64]]:
    """The distinct values sorted, where each comes first, and the place of every value among them.

    As np.unique has it, which loads numpy's masked arrays the first time: a good part of the start of a small command.
    """
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    first = np.ones(len(values), bool)
    first[1:] = ordered[1:] != ordered[:-1]
    places = np.empty(len(values), np.int64)
    places[order] = np.cumsum(first) - 1
    return ordered[first], order[first], places


def in_order(codes: NDArray[np.int64], values: NDArray[Any]) -> bool:
    """Whether rows are sorted by code, then value, ascending: where they are, sorting them can be spared."""
    above, same = codes[1:] > codes[:-1], codes[1:] == codes[:-1]
    return bool((above | (same & (values[1:] >= values[:-1]))).all())


def any_twice(keys: NDArray[np.uint64]) -> bool:
    """Whether two keys are equal.

    Each row is noted in a table by the first bits of its key; rows of which another took the place are few, and sorted.
    """
    small = len(keys) <= FEW
    bits = len(keys).bit_length() + (2 if small else 1)
    rows: NDArray[np.integer[Any]] = np.arange(len(keys), dtype=np.uint16 if small else np.int32)
    slots = (keys >> np.uint64(64 - bits)).view(np.int64)
    table = np.empty(1 << bits, rows.dtype)
    table[slots] = rows
    holder = table.take(slots)
    lost = np.flatnonzero(holder != rows)
    again = keys.take(lost)
    ordered = np.sort(again)
    return bool((keys.take(holder.take(lost)) == again).any() or (ordered[1:] == ordered[:-1]).any())


def group_pairs(codes: NDArray[np.int64], docnos: NDArray[np.bytes_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Which rows hold the same pair.

    Returns `firsts`, the row where each distinct pair occurs first, and `inverse`, the group of every row, so that
    `docnos[firsts][inverse]` is `docnos`. The order of the groups means nothing. Empty input gives empty arrays.
    """
    seed = 0
    while True:
        keys = pair_keys(codes, docnos, seed)
        if not any_twice(keys):
            return np.arange(len(keys)), np.arange(len(keys))
        _, firsts, inverse = distinct(keys)
        first = firsts[inverse]
        if np.array_equal(docnos[first], docnos) and np.array_equal(codes[first], codes):
            return firsts, inverse
        seed += 1


class _Growth:
    """How many rows of the arrays that indexes share are taken."""

    def __init__(self, used: int) -> None:
        self.used, self.lock = used, Lock()


@dataclass(frozen=True, eq=False)
class PairIndex:
    """Distinct pairs, ready to be looked up: a table of places by the first bits of their keys.

    Of pairs that meet in one place one has it; the others are in the next table, by the keys times another factor, and so
    on. Arrays and tables may have room behind the `size` pairs, which an index that goes on from this one shares.
    """

    size: int
    seed: int
    _codes: NDArray[np.int64]
    _docnos: NDArray[np.bytes_]
    _words: tuple[NDArray[np.uint64], ...]  # of the docnos, eight bytes at a time
    _keys: NDArray[np.uint64]
    _tables: list[NDArray[np.int32]]
    _growth: _Growth

    @classmethod
    def build(cls, codes: NDArray[np.int64], docnos: NDArray[np.bytes_], *, room: int = 0) -> "PairIndex":
        """Index pairs that must be distinct, with room for so many more; a pair given twice is a ValueError."""
        seed, size, words = 0, len(codes), docno_words(docnos)
        while True:
            keys = word_keys(codes, words, seed)
            if not any_twice(keys):
                break
            rows = np.argsort(keys, kind="stable")
            clash = np.flatnonzero(keys[rows[1:]] == keys[rows[:-1]])
            one, other = rows[clash], rows[clash + 1]
            if ((docnos[one] == docnos[other]) & (codes[one] == codes[other])).any():
                raise ValueError(f"expected distinct pairs of topic and docno, found {shown(docnos[one[0]])} again")
            seed += 1
        words, tables = tuple(_roomy(word, room) for word in words), list[NDArray[np.int32]]()
        codes, docnos, keys = _roomy(codes, room), _roomy(docnos, room), _roomy(keys, room)
        _place(keys, np.arange(size, dtype=np.int32), tables, room)
        return cls(size, seed, codes, docnos, words, keys, tables, _Growth(size))

    @property
    def codes(self) -> NDArray[np.int64]:
        return self._codes[: self.size]

    @property
    def docnos(self) -> NDArray[np.bytes_]:
        return self._docnos[: self.size]

    def extended(self, codes: NDArray[np.int64], docnos: NDArray[np.bytes_]) -> "PairIndex":
        """The same with further pairs behind, which must not be in it; this one stays as it is.

        They go into the room that is left. Where another index has that already they go into a copy; where there is none,
        or a key clashes, all is built anew.
        """
        size, words = self.size + len(codes), docno_words(docnos)
        keys = word_keys(codes, words, self.seed)
        fits = size <= len(self._codes) and docnos.dtype.itemsize <= self._docnos.dtype.itemsize
        if not fits or any_twice(keys) or (self.rows_of(keys) >= 0).any():
            both = np.concatenate((self.codes, codes)), np.concatenate((self.docnos, docnos))
            return PairIndex.build(*both, room=size)
        with self._growth.lock:
            first = self._growth.used == self.size
            self._growth.used = max(size, self._growth.used)
        grown = replace(self if first else self._copied(), size=size)
        arrays = grown._codes, grown._docnos, grown._keys, *grown._words
        for array, more in zip_longest(arrays, (codes, docnos, keys, *words), fillvalue=_NO_WORD):
            array[self.size : size] = more
        _place(grown._keys, np.arange(self.size, size, dtype=np.int32), grown._tables)
        return grown

    def _copied(self) -> "PairIndex":
        """The same with room of its own."""
        tables = [np.where(table < self.size, table, -1) for table in self._tables]
        words = tuple(word.copy() for word in self._words)
        arrays = self._codes.copy(), self._docnos.copy(), words, self._keys.copy()
        return PairIndex(self.size, self.seed, *arrays, tables, _Growth(self.size))

    def find(self, codes: NDArray[np.int64], docnos: NDArray[np.bytes_]) -> NDArray[np.int64]:
        """The row of each pair asked for, -1 where it is not in the index."""
        words = docno_words(docnos)
        rows = self.rows_of(word_keys(codes, words, self.seed))
        return np.where(self.confirmed(rows, codes, words), rows, -1)

    def proposed(self, keys: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Which of these keys are in the index, ascending, and the row that has each."""
        if not self._tables:
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        first = self._tables[0].take(_slots(keys, 0, self._tables[0]))
        asked = np.flatnonzero(first >= 0)  # few of a run: the rest is of these alone
        rows = self._from(keys.take(asked), first.take(asked).astype(np.int64))
        found = np.flatnonzero(rows >= 0)
        return asked.take(found), rows.take(found)

    def rows_of(self, keys: NDArray[np.uint64]) -> NDArray[np.int64]:
        """The row that has each of these keys, -1 where none has."""
        if not self._tables:
            return np.full(len(keys), -1, np.int64)
        return self._from(keys, self._tables[0].take(_slots(keys, 0, self._tables[0])).astype(np.int64))

    def _from(self, keys: NDArray[np.uint64], rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """What `rows_of` tells, from what the first table has for each key, which is changed."""
        left = self._others(np.flatnonzero(rows >= 0), rows, keys)
        for level, table in enumerate(self._tables[1:], 1):
            rows[left] = table.take(_slots(keys.take(left), level, table))
            left = self._others(left[rows.take(left) >= 0], rows, keys)
        rows[left] = -1
        rows[rows >= self.size] = -1  # of an index that goes on from this one
        return rows

    def _others(self, asked: NDArray[np.int64], rows: NDArray[np.int64], keys: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Those asked for whose rows have another key: theirs may be in the next table."""
        left: NDArray[np.int64] = asked[self._keys.take(rows.take(asked)) != keys.take(asked)]
        return left

    def confirmed(
        self, rows: NDArray[np.int64], codes: NDArray[np.int64], words: tuple[NDArray[np.uint64], ...]
    ) -> NDArray[np.bool_]:
        """Where these rows hold the very pairs of a code and the words of a docno; of a row -1 anything may be said."""
        if not self.size:
            return np.zeros(len(rows), bool)
        same: NDArray[np.bool_] = self._codes.take(rows) == codes
        for ours, theirs in zip_longest(self._words, words, fillvalue=_NO_WORD):
            same &= (ours if ours is _NO_WORD else ours.take(rows)) == theirs
        return same


def _roomy(values: NDArray[Any], room: int) -> NDArray[Any]:
    """The values with room behind them."""
    if not room:
        return values
    roomy = np.empty(len(values) + room, values.dtype)
    roomy[: len(values)] = values
    return roomy


def _place(keys: NDArray[np.uint64], rows: NDArray[np.int32], tables: list[NDArray[np.int32]], room: int = 0) -> None:
    """Give these rows places in the tables, which are made as they are needed, large enough for so many more."""
    level = 0
    while len(rows):
        if level == len(tables):
            many = (len(rows) + room).bit_length()
            tables.append(np.full(1 << min(many + 3, max(many, 22)), -1, np.int32))  # sparse while that costs little
        table = tables[level]
        slots = _slots(keys[rows], level, table)
        free = table[slots] < 0
        table[slots[free]] = rows[free]
        rows, level, room = rows[table[slots] != rows], level + 1, room // 8


def _slots(keys: NDArray[np.uint64], level: int, table: NDArray[np.int32]) -> NDArray[np.int64]:
    bits = len(table).bit_length() - 1
    return ((keys * _factor(level, 0) if level else keys) >> np.uint64(64 - bits)).view(np.int64)


def code_topics(topics: NDArray[np.bytes_]) -> tuple[NDArray[np.bytes_], NDArray[np.int64]]:
    """Distinct topics sorted by bytes, and the code of every row; quick where the rows of a topic stand together."""
    if not len(topics):
        return topics, np.zeros(0, np.int64)
    heads = np.flatnonzero(np.concatenate(([True], topics[1:] != topics[:-1])))
    names, _, codes = distinct(topics[heads])
    return names, np.repeat(codes, np.diff(np.append(heads, len(topics))))


def find_topics(known: NDArray[np.bytes_], asked: NDArray[np.bytes_]) -> NDArray[np.int64]:
    """The place of each asked topic in the sorted `known`, -1 where it is not there."""
    if not len(known):
        return np.full(len(asked), -1, np.int64)
    places = np.minimum(np.searchsorted(known, asked), len(known) - 1).astype(np.int64)
    return np.where(known[places] == asked, places, -1)
