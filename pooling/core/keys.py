"""Exact grouping and lookup of (topic, docno) pairs by way of 64-bit keys, without a loop over documents.

Comparing strings is slow, comparing integers is not. Keys only propose: every match is confirmed by the bytes of the
docnos themselves, and when keys of distinct pairs clash they are made again with another seed. So results are exact,
and the same on every machine, whatever the documents are called.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pooling.core.findings import shown

_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xBF58476D1CE4E5B9)
_SHIFT = np.uint64(31)
WORD = 8  # bytes of a docno that are taken at once


def _mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """A bijection of 64-bit words that keeps 0, so that the padding of a docno adds nothing to its key."""
    values = values * _MIX
    values ^= values >> _SHIFT
    values *= _STEP
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
    factor = _factor(1, seed)
    keys: NDArray[np.uint64] = _mixed(codes.astype(np.uint64)) * factor
    for number, word in enumerate(words, 2):
        part = _mixed(word)
        part *= _factor(number, seed)
        keys += part
    return keys


@lru_cache(maxsize=256)
def _factor(number: int, seed: int) -> np.uint64:
    return np.uint64(_mixed(np.array([number + 1000 * seed], np.uint64))[0] | np.uint64(1))


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
    bits = len(keys).bit_length() + 1
    rows, slots = np.arange(len(keys), dtype=np.int32), (keys >> np.uint64(64 - bits)).view(np.int64)
    table = np.empty(1 << bits, np.int32)
    table[slots] = rows
    holder = table[slots]
    lost = np.flatnonzero(holder != rows)
    ordered = np.sort(keys[lost])
    return bool((keys[holder[lost]] == keys[lost]).any() or (ordered[1:] == ordered[:-1]).any())


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


@dataclass(frozen=True, eq=False)
class PairIndex:
    """Distinct pairs, ready to be looked up: a table of places by the first bits of their keys.

    Of pairs that meet in one place the last has it; the others are in the next table, by the keys times another factor, and
    so on.
    """

    codes: NDArray[np.int64]
    docnos: NDArray[np.bytes_]
    keys: NDArray[np.uint64]
    seed: int
    _tables: tuple[NDArray[np.int32], ...]

    @classmethod
    def build(cls, codes: NDArray[np.int64], docnos: NDArray[np.bytes_]) -> "PairIndex":
        """Index pairs that must be distinct; a pair given twice is a ValueError."""
        seed = 0
        while True:
            keys = pair_keys(codes, docnos, seed)
            ordered = np.sort(keys)
            if not (ordered[1:] == ordered[:-1]).any():
                return cls(codes, docnos, keys, seed, tuple(_tables(keys)))
            rows = np.argsort(keys, kind="stable")
            clash = np.flatnonzero(keys[rows[1:]] == keys[rows[:-1]])
            one, other = rows[clash], rows[clash + 1]
            if ((docnos[one] == docnos[other]) & (codes[one] == codes[other])).any():
                raise ValueError(f"expected distinct pairs of topic and docno, found {shown(docnos[one[0]])} again")
            seed += 1

    def find(self, codes: NDArray[np.int64], docnos: NDArray[np.bytes_]) -> NDArray[np.int64]:
        """The row of each pair asked for, -1 where it is not in the index."""
        asked, rows = self.proposed(pair_keys(codes, docnos, self.seed))
        same = (self.docnos[rows] == docnos[asked]) & (self.codes[rows] == codes[asked])
        found = np.full(len(docnos), -1, np.int64)
        found[asked[same]] = rows[same]
        return found

    def proposed(self, keys: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Which of these keys are in the index, ascending, and the row that has each."""
        found = np.full(len(keys), -1, np.int32)
        left: NDArray[np.int64] | None = None  # all
        for level, table in enumerate(self._tables):
            rows = table[_slots(keys if left is None else keys[left], level, table)]
            there = np.flatnonzero(rows >= 0)
            rows, left = rows[there], there if left is None else left[there]
            same = self.keys[rows] == keys[left]
            found[left[same]] = rows[same]
            left = left[~same]
            if not len(left):
                break
        asked = np.flatnonzero(found >= 0)
        return asked, found[asked].astype(np.int64)


def _tables(keys: NDArray[np.uint64]) -> Iterator[NDArray[np.int32]]:
    """Each has a row for every slot that is asked for, so that fewer are left for the next."""
    rows, level = np.arange(len(keys), dtype=np.int32), 0
    while len(rows):
        bits = min(len(rows).bit_length() + 3, max(len(rows).bit_length(), 22))  # sparse while that costs little
        table = np.full(1 << bits, -1, np.int32)
        slots = _slots(keys[rows], level, table)
        table[slots] = rows
        yield table
        rows, level = rows[table[slots] != rows], level + 1


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
