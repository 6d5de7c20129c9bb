"""Fields of plain text as places in the text itself: nothing is copied before it is asked for.

Plain is text whose every line has the same number of fields, with one blank between them. A field is where it begins and how
long it is; comparing, hashing and reading numbers take eight bytes at a time, of all lines at once.
"""

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from pooling.core.keys import WORD, word_keys

Words = NDArray[np.uint64]
Whole = NDArray[np.int64]

_PAD = 4 * WORD  # bytes before and behind the text, so that a word can be read anywhere in it
_WIDEST = 3 * WORD  # characters of a number that are read eight at a time
_LEFT = np.array([(1 << (8 * size)) - 1 for size in range(WORD + 1)], np.uint64)  # masks by how many bytes count
_RIGHT = ~_LEFT[::-1]
_EXACT = 1 << 53  # whole numbers below it and powers of ten up to 22 are doubles: their quotient is rounded once
_TENS = 10.0 ** np.arange(23)
_LONG_TENS = np.cumprod(np.concatenate(([1], np.full(22, 10))).astype(np.longdouble))
_KEPT = 24 << 20
_OF_NUMBERS = np.zeros(256, bool)
_OF_NUMBERS[list(b"\0+-.0123456789eE")] = True


def _each(byte: int) -> np.uint64:
    return np.uint64(byte * 0x0101010101010101)


@dataclass(frozen=True, eq=False)
class Column:
    """One field of every line: `starts` in the bytes of `text`, which has `_PAD` at both ends, and `lengths`."""

    text: NDArray[np.uint8]
    starts: Whole
    lengths: Whole

    def __len__(self) -> int:
        return len(self.starts)

    def __getitem__(self, rows: Whole) -> "Column":
        return Column(self.text, self.starts[rows], self.lengths[rows])

    @cached_property
    def longest(self) -> int:
        return int(self.lengths.max(initial=1))

    @cached_property
    def _even(self) -> bool:
        """Whether all fields are of one length."""
        return int(self.lengths.min(initial=self.longest)) == self.longest

    def _read(self, starts: Whole) -> Words:
        """The eight bytes from each of `starts`, the first byte in the lowest bits."""
        windows = np.ndarray((len(self.text) - WORD,), "V8", self.text.data, strides=(1,))
        return windows[starts].view("<u8")

    @cached_property
    def words(self) -> tuple[Words, ...]:
        """Eight bytes of each field after the other, zeros behind its end."""
        return tuple(self._word(at) for at in range(0, self.longest, WORD))

    def _word(self, at: int) -> Words:
        # Where a field is shorter anything may be read, but nothing outside of the text: it is masked.
        read = self._read(np.minimum(self.starts + at, len(self.text) - 2 * WORD) if at else self.starts)
        if self._even:
            read &= _LEFT[min(self.longest - at, WORD)]
        else:
            read &= _LEFT[np.minimum(np.maximum(self.lengths - at, 0), WORD)]
        return read

    def values(self) -> NDArray[np.bytes_]:
        """The fields themselves as an 'S' array."""
        table = np.empty((len(self), len(self.words)), "<u8")
        for number, word in enumerate(self.words):
            table[:, number] = word
        return table.view(f"S{WORD * len(self.words)}").reshape(-1).astype(f"S{self.longest}")

    def keys(self, codes: Whole, seed: int = 0) -> Words:
        """`pair_keys` of these fields."""
        return word_keys(codes, self.words, seed)

    def rises(self, rows: Whole) -> bool:
        """Whether any of these fields is followed by one that is greater, by unsigned bytes."""
        for word in self.words:
            here, there = word[rows].byteswap(), word[rows + 1].byteswap()  # the first byte weighs most
            if (here < there).any():
                return True
            rows = rows[here == there]
        return False

    def descending(self) -> tuple[Words, ...]:
        """Keys, the last the weightiest, that sort the fields by unsigned bytes, the greatest first."""
        return tuple(~word.byteswap() for word in reversed(self.words))

    def heads(self) -> Whole:
        """The rows where a field is not equal to the one before it, the first included."""
        differs = np.zeros(len(self), bool)
        differs[:1] = True
        for word in self.words:
            differs[1:] |= word[1:] != word[:-1]
        return np.flatnonzero(differs)

    def numbers(self) -> NDArray[np.float64] | None:
        """The fields as doubles, rounded as C and Python round; None if one is no decimal number, with or without exponent."""
        whole, decimals, plain = self._decimals()
        values = whole / _TENS[np.minimum(decimals, len(_TENS) - 1)]
        long = np.flatnonzero(plain & (whole >= _EXACT))
        values[long], sure = _rounded(whole[long], decimals[long])
        np.negative(values, out=values, where=self._negative)
        plain[long[~sure]] = False
        rest = np.flatnonzero(~plain)
        if len(rest):  # an exponent, or too many digits
            texts = self[rest].values()
            if not _OF_NUMBERS[texts.view(np.uint8)].all():
                return None
            try:
                values[rest] = texts.astype(np.float64)
            except ValueError:
                return None
        return values

    def integers(self) -> Whole | None:
        """The fields as whole numbers, None if one is none, or beyond 2^53."""
        whole, decimals, plain = self._decimals()
        if not plain.all() or decimals.any() or (whole >= _EXACT).any():
            return None
        if (self.text[self.starts + self.lengths - 1] == ord(".")).any():
            return None
        return np.where(self._negative, -whole, whole)

    @cached_property
    def _negative(self) -> NDArray[np.bool_]:
        minus: NDArray[np.bool_] = self.text[self.starts] == ord("-")
        return minus

    def _decimals(self) -> tuple[Whole, Whole, NDArray[np.bool_]]:
        """The digits of each field as one number, how many stand behind its point, and whether that is all there is to it.

        Eight characters at a time from the left, those of all fields so that they end together. In a word the first
        character has the lowest bits. The point is taken out, the digits before it move up, and three multiplications
        join eight digits (Lemire 2018, "Quickly parsing eight digits").
        """
        digits, ends = self.lengths - self._negative, self.starts + self.lengths
        whole, decimals, pointed = np.zeros(len(self), np.uint64), np.zeros(len(self), np.int64), np.zeros(len(self), bool)
        plain = np.ones(len(self), bool)
        first = min(-(-self.longest // WORD) * WORD, _WIDEST)
        for at in range(first, 0, -WORD):
            word = self._read(ends - at)
            word ^= _each(ord("0"))
            word &= _RIGHT[digits if self.longest <= WORD else np.minimum(np.maximum(digits - (at - WORD), 0), WORD)]
            others = ((word + _each(0x80 - 10)) | word) & _each(0x80)  # marks what is no digit
            here = others != 0
            if at < first:
                plain &= whole < np.uint64(10**10)  # else the next step might not fit
                decimals += WORD * pointed
                whole *= np.where(here, np.uint64(10**7), np.uint64(10**8))
            if here.any():
                mark = others >> np.uint64(7)
                plain &= (word & (mark * np.uint64(0xFF))) == mark * np.uint64(ord(".") ^ ord("0"))
                plain &= (others & (others - np.uint64(1))) == 0
                plain &= ~(here & pointed)
                after = ~((others << np.uint64(1)) - np.uint64(1))
                word = np.where(here, (word & after) | ((word & (mark - np.uint64(1))) << np.uint64(8)), word)
                decimals = np.where(here, np.bitwise_count(after) >> 3, decimals)
                pointed |= here
            word = word * np.uint64(10 * 256 + 1) >> np.uint64(8)
            word = (word & np.uint64(0x00FF00FF00FF00FF)) * np.uint64(100 * 65536 + 1) >> np.uint64(16)
            whole += (word & np.uint64(0x0000FFFF0000FFFF)) * np.uint64((10000 << 32) + 1) >> np.uint64(32)
        plain &= digits > pointed
        if self.longest > _WIDEST:
            plain &= self.lengths <= _WIDEST
        return whole.view(np.int64), decimals, plain


def _rounded(whole: Whole, decimals: Whole) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """whole / 10^decimals for numbers that no double holds, and where the result is sure to be the nearest double.

    The quotient is rounded to 64 bits where the machine has such numbers, and then to 53; that is the same as rounding once
    unless the 64 bits lie half way between two doubles.
    """
    if np.finfo(np.longdouble).nmant < 63:
        return whole.astype(np.float64), np.zeros(len(whole), bool)
    quotient = whole.astype(np.longdouble) / _LONG_TENS[np.minimum(decimals, len(_LONG_TENS) - 1)]
    values = quotient.astype(np.float64)
    gap, beside = np.spacing(values), np.abs(quotient - values) * 2
    near = gap * 0.01
    return values, (np.abs(beside - gap) > near) & (np.abs(beside - gap / 2) > near)  # below a power of two gaps are halved


@dataclass(frozen=True, eq=False)
class Fields:
    """Lines × fields: where each ends in `text`; it begins one blank after the one before it."""

    text: NDArray[np.uint8]
    ends: Whole

    def __len__(self) -> int:
        return len(self.ends)

    @property
    def longest(self) -> int:
        """Bytes of the longest field."""
        ends = self.ends.reshape(-1)
        return max(int(ends[0]) - _PAD, int((ends[1:] - ends[:-1]).max(initial=1)) - 1)

    def column(self, number: int) -> Column:
        starts = np.empty(len(self), np.int64)
        if number:
            np.add(self.ends[:, number - 1], 1, out=starts)
        else:
            starts[:1] = _PAD
            np.add(self.ends[:-1, -1], 1, out=starts[1:])
        return Column(self.text, starts, self.ends[:, number] - starts)


@cache
def _keep_memory() -> None:
    """Have the C library keep what is freed, rather than ask the system for fresh memory with every array.

    glibc does so for blocks up to the largest that was ever freed; fresh memory may cost more than what is done with it.
    """
    np.empty(_KEPT, np.uint8)


def padded(*parts: bytes | memoryview) -> NDArray[np.uint8]:
    """Text as `plain_fields` reads it: with a line's end behind the last, and room at both ends."""
    ended = b"" if parts and bytes(parts[-1][-1:]) == b"\n" else b"\n"
    return np.frombuffer(b"".join((bytes(_PAD), *parts, ended, bytes(_PAD))), np.uint8)


def unpadded(text: NDArray[np.uint8]) -> bytes:
    return text[_PAD:-_PAD].tobytes()


def plain_fields(text: NDArray[np.uint8], width: int) -> Fields | None:
    """The fields of plain text, as `padded` gives it, with `width` of them in each line; None for any other, or none."""
    _keep_memory()
    inner = text[_PAD:-_PAD]
    blank = inner <= ord(" ")
    if blank[0] or (blank[1:] & blank[:-1]).any():
        return None
    ends = np.flatnonzero(blank)
    ends += _PAD
    lines = len(ends) // width
    if len(ends) % width or (text[ends[width - 1 :: width]] != ord("\n")).any():
        return None
    found = {byte: np.count_nonzero(inner == ord(byte)) for byte in "\n \t"}
    if found["\n"] != lines or found[" "] + found["\t"] != lines * (width - 1):
        return None
    return Fields(text, ends.reshape(-1, width))
