"""Exact grouping and lookup of (topic, docno) pairs by way of 64-bit keys, without a loop over documents.

Comparing strings is slow, comparing integers is not. Keys only propose: every match is confirmed by the bytes of the
docnos themselves, and when keys of distinct pairs clash they are made again with another seed. So results are exact,
and the same on every machine, whatever the documents are called.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pooling.core.findings import shown

_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xBF58476D1CE4E5B9)
_SHIFT = np.uint64(31)
_WORD = 8


def _mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """A bijection of 64-bit words that keeps 0, so that the padding of a docno adds nothing to its key."""
    values = values * _MIX
    values ^= values >> _SHIFT
    return values * _STEP


def pair_keys(codes: NDArray[np.int64], docnos: NDArray[np.bytes_], seed: int = 0) -> NDArray[np.uint64]:
    """One 64-bit key for each pair of a topic's code and a docno; the arrays are aligned.

    The width of the docno array does not matter: equal bytes have equal keys in any array. A sum over the docno's
    8-byte words, each mixed and times an odd factor drawn from the seed (multilinear hashing; Lemire and Kaser 2014),
    so that a clash under one seed is gone under another.
    """
    count = -(-max(docnos.dtype.itemsize, 1) // _WORD)
    words = np.ascontiguousarray(docnos, dtype=f"S{count * _WORD}").view("<u8").reshape(len(docnos), count)
    factors = _mixed(np.arange(1, count + 2, dtype=np.uint64) + np.uint64(1000 * seed)) | np.uint64(1)
    keys: NDArray[np.uint64] = _mixed(codes.astype(np.uint64)) * factors[0]
    for column in range(count):
        keys += _mixed(words[:, column]) * factors[column + 1]
    return keys


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


def group_pairs(codes: NDArray[np.int64], docnos: NDArray[np.bytes_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Which rows hold the same pair.

    Returns `firsts`, the row where each distinct pair occurs first, and `inverse`, the group of every row, so that
    `docnos[firsts][inverse]` is `docnos`. The order of the groups means nothing. Empty input gives empty arrays.
    """
    seed = 0
    while True:
        _, firsts, inverse = distinct(pair_keys(codes, docnos, seed))
        first = firsts[inverse]
        if np.array_equal(docnos[first], docnos) and np.array_equal(codes[first], codes):
            return firsts, inverse
        seed += 1


@dataclass(frozen=True)
class PairIndex:
    """Distinct pairs, ready to be looked up: `keys` sorted, `rows` where each came from."""

    codes: NDArray[np.int64]
    docnos: NDArray[np.bytes_]
    keys: NDArray[np.uint64]
    rows: NDArray[np.int64]
    seed: int

    @classmethod
    def build(cls, codes: NDArray[np.int64], docnos: NDArray[np.bytes_]) -> "PairIndex":
        """Index pairs that must be distinct; a pair given twice is a ValueError."""
        seed = 0
        while True:
            keys = pair_keys(codes, docnos, seed)
            rows = np.argsort(keys, kind="stable")
            keys = keys[rows]
            clash = np.flatnonzero(keys[1:] == keys[:-1])
            if not len(clash):
                return cls(codes, docnos, keys, rows, seed)
            one, other = rows[clash], rows[clash + 1]
            if ((docnos[one] == docnos[other]) & (codes[one] == codes[other])).any():
                raise ValueError(f"expected distinct pairs of topic and docno, found {shown(docnos[one[0]])} again")
            seed += 1

    def find(self, codes: NDArray[np.int64], docnos: NDArray[np.bytes_]) -> NDArray[np.int64]:
        """The row of each pair asked for, -1 where it is not in the index."""
        if not len(self.keys):
            return np.full(len(docnos), -1, np.int64)
        keys = pair_keys(codes, docnos, self.seed)
        places = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        asked = np.flatnonzero(self.keys[places] == keys)
        rows = self.rows[places[asked]]
        same = (self.docnos[rows] == docnos[asked]) & (self.codes[rows] == codes[asked])
        found = np.full(len(docnos), -1, np.int64)
        found[asked[same]] = rows[same]
        return found


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
