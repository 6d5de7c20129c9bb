"""Fields of plain text are found, compared and read as Python finds, compares and reads them."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pooling.core.fields import Column, padded, plain_fields
from pooling.core.keys import pair_keys

NUMBER = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.integers(-(10**25), 10**25).map(str),
    st.tuples(st.floats(-1e6, 1e6), st.integers(0, 20)).map(lambda pair: f"{pair[0]:.{pair[1]}f}"),
    st.sampled_from(["0", "-0", ".5", "5.", "-.5", "+3", "00000000000000000000000001", "1e5", "0.7312345504760742"]),
)
ODD = [
    "1.2.3",
    "-",
    "--1",
    ".",
    "1,5",
    "abc",
    "1x",
    "0x10",
    "1_000",
    "٣",
    "1-2",
    "12345678.12345678.1",
    "é1",
    "nan",
    "inf",
    "1/2",
    "1:",
]


def column(texts: list[str]) -> Column:
    fields = plain_fields(padded("".join(f"{text}\tb\n" for text in texts).encode()), 2)
    assert fields is not None
    return fields.column(0)


@given(st.lists(NUMBER, min_size=1, max_size=20))
@example(["9007199254740993", "9007199254740992.5", "0.1", "123456789012345678901234"])
@example([".00000000000000000000012", "0.0000000000000000000012"])  # more decimals than powers of ten that a double holds
@example(["4503599627370497.5", "9007199254740995", "9007199254740994.9", "18014398509481986.01", "0.3000000000000000166"])
def test_numbers_are_those_that_python_reads(texts: list[str]) -> None:
    found = column(texts).numbers()
    assert found is not None
    assert found.tolist() == [float(text) for text in texts]


@pytest.mark.parametrize("text", ODD)
def test_what_is_no_number_is_told(text: str) -> None:
    assert column(["1.5", text]).numbers() is None
    assert column(["1", text]).integers() is None


@given(st.lists(st.one_of(st.integers(-(10**18), 10**18).map(str), NUMBER), min_size=1, max_size=8))
@example(["1.0"])
@example(["5."])
@example(["0." + "0" * 20])
def test_integers_are_whole_or_none(texts: list[str]) -> None:
    whole = all(re.fullmatch(r"-?[0-9]+", text) and abs(int(text)) < 1 << 53 and len(text) < 25 for text in texts)
    found = column(texts).integers()
    assert (None if found is None else found.tolist()) == ([int(text) for text in texts] if whole else None)


@given(st.lists(st.text("ab\xe9", min_size=1, max_size=20), min_size=1, max_size=10))
def test_fields_are_the_bytes_of_the_file(texts: list[str]) -> None:
    found, values = column(texts), [text.encode() for text in texts]
    assert found.values().tolist() == values
    assert found.heads().tolist() == [row for row in range(len(values)) if not row or values[row] != values[row - 1]]
    assert found.keys(found.lengths).tolist() == pair_keys(found.lengths, found.values()).tolist()


@pytest.mark.parametrize(
    "data", [b"", b"\n", b"a b c\n", b"a\n", b" a b\n", b"a  b\n", b"a b\n\n", b"a b\r\n", b"a\nb c d\n", b"a\0b\n"]
)
def test_what_is_not_plain_is_left_to_others(data: bytes) -> None:
    assert plain_fields(padded(data), 2) is None
