from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from pooling.core import keys
from pooling.core.keys import PairIndex, code_topics, group_pairs, pair_keys

names = st.binary(min_size=1, max_size=20).filter(lambda name: b"\0" not in name)
pairs = st.lists(st.tuples(st.integers(0, 3), names), max_size=30)


def columns(rows: list[tuple[int, bytes]]) -> tuple[NDArray[np.int64], NDArray[np.bytes_]]:
    return np.array([code for code, _ in rows], np.int64), np.array([name for _, name in rows], np.bytes_)


def test_pair_keys_do_not_depend_on_the_width_of_the_array() -> None:
    codes = np.array([0, 5])
    narrow = np.array([b"d1", b"FT911-12345"])
    wide = narrow.astype("S200")
    assert pair_keys(codes, narrow).tolist() == pair_keys(codes, wide).tolist()


@given(pairs)
@settings(max_examples=50, deadline=None)
def test_group_pairs_is_exact(rows: list[tuple[int, bytes]]) -> None:
    codes, docnos = columns(rows)
    firsts, inverse = group_pairs(codes, docnos)
    assert [rows.index(row) for row in rows] == firsts[inverse].tolist()
    assert len(firsts) == len(set(rows))


@given(pairs, pairs)
@settings(max_examples=50, deadline=None)
def test_index_finds_what_is_there_and_nothing_else(known: list[tuple[int, bytes]], asked: list[tuple[int, bytes]]) -> None:
    known = sorted(set(known))
    asked = asked + known[:3]
    found = PairIndex.build(*columns(known)).find(*columns(asked))
    assert found.tolist() == [known.index(row) if row in known else -1 for row in asked]


def test_index_refuses_a_pair_given_twice() -> None:
    with pytest.raises(ValueError, match="found d1 again"):
        PairIndex.build(np.array([1, 0, 1]), np.array([b"d1", b"d1", b"d1"]))


def test_clashing_keys_change_no_result(monkeypatch: pytest.MonkeyPatch) -> None:
    """With keys that clash under the first two seeds, the third decides."""
    honest = keys.word_keys

    def clashing(codes: NDArray[np.int64], words: Iterable[NDArray[np.uint64]], seed: int = 0) -> NDArray[np.uint64]:
        return honest(codes, words, seed) % np.uint64(2 if seed < 2 else 2**63)

    monkeypatch.setattr(keys, "word_keys", clashing)
    rows = [(number % 3, b"d%d" % number) for number in range(20)]
    codes, docnos = columns(rows)
    assert len(group_pairs(codes, docnos)[0]) == 20
    index = PairIndex.build(codes, docnos)
    assert (index.seed, index.find(codes, docnos).tolist()) == (2, list(range(20)))
    assert index.find(np.array([0]), np.array([b"d1"])).tolist() == [-1]
    grown = PairIndex.build(codes[:1], docnos[:1], room=30).extended(codes[1:], docnos[1:])
    assert (grown.seed, grown.find(codes, docnos).tolist()) == (2, list(range(20)))


@given(st.lists(pairs, min_size=2, max_size=4), pairs)
@settings(max_examples=30, deadline=None)
def test_extended_index_equals_one_built_at_once_and_leaves_the_first_as_it_was(
    parts: list[list[tuple[int, bytes]]], other: list[tuple[int, bytes]]
) -> None:
    """Two go on from the same one: the first takes the room that is left, the second has a copy."""
    known: list[tuple[int, bytes]] = []
    index = PairIndex.build(*columns([]))
    for part in [*parts, other]:
        fresh = sorted(set(part) - set(known))
        before, index = index, index.extended(*columns(fresh))
        branch = before.extended(*columns(fresh[::-1]))
        asked = columns([*known, *fresh])
        assert index.find(*asked).tolist() == list(range(len(known) + len(fresh)))
        assert before.find(*asked).tolist() == [*range(len(known)), *[-1] * len(fresh)]
        assert branch.docnos[branch.find(*asked)].tolist() == asked[1].tolist()
        known += fresh


def test_keys_that_are_alike_end_in_few_tables() -> None:
    """Millions of keys use up their bits; each further table must part them by something new."""
    tables: list[NDArray[np.int32]] = []
    keys._place(np.arange(2000, dtype=np.uint64), np.arange(2000, dtype=np.int32), tables)
    assert len(tables) < 20


def test_code_topics_sorts_by_bytes_and_joins_split_topics() -> None:
    topics, codes = code_topics(np.array([b"9", b"9", b"10", b"9", b"a"]))
    assert (topics.tolist(), codes.tolist()) == ([b"10", b"9", b"a"], [1, 1, 0, 1, 2])
