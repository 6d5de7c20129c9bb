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

PAD = 4 * WORD  # bytes before and behind the text, so that a word can be read anywhere in it
_WIDEST = 3 * WORD  # characters of a number that are read eight at a time
_LEFT = np.array([(1 << (8 * size)) - 1 for size in range(WORD + 1)], np.uint64)  # masks by how many bytes count
_RIGHT = ~_LEFT[::-1]
_EXACT = 1 << 53  # whole numbers below it and powers of ten up to 22 are doubles: their quotient is rounded once
_TENS = np.array([10.0**power for power in range(23)])
_SPLIT = 2.0**27 + 1
_HARDLY = 1 + 2.0**-20  # far more than a correction may be wrong by


def _head(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The upper half of the digits of doubles (Veltkamp 1968)."""
    scaled = values * _SPLIT
    head: NDArray[np.float64] = scaled - (scaled - values)
    return head


_HEADS = _head(_TENS)
_KEPT = 24 << 20
_JOINTS = tuple(
    (np.uint64((10**size << 8 * size) + 1), np.uint64(8 * size), np.uint64(kept))
    for size, kept in ((1, 0x00FF00FF00FF00FF), (2, 0x0000FFFF0000FFFF), (4, 0x00000000FFFFFFFF))
)
_OF_NUMBERS = np.zeros(256, bool)
_OF_NUMBERS[list(b"\0+-.0123456789eE")] = True


def _each(byte: int) -> np.uint64:
    return np.uint64(byte * 0x0101010101010101)


@dataclass(frozen=True, eq=False)
class Column:
    """One field of every line: `starts` in the bytes of `text`, which has `PAD` at both ends, and `lengths`."""

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
    def _shortest(self) -> int:
        return int(self.lengths.min(initial=self.longest))

    def _read(self, starts: Whole) -> Words:
        """The eight bytes from each of `starts`, the first byte in the lowest bits.

        Taken from the two words that hold them: numpy is quick at what lies at whole words, and slow at all else.
        """
        there = np.ndarray((len(self.text) // WORD,), "<u8", self.text.data)
        at, shift = starts >> 3, starts.view(np.uint64) & np.uint64(7)
        shift <<= np.uint64(3)
        words: Words = there.take(at)
        words >>= shift
        at += 1
        rest = there.take(at)
        rest <<= np.subtract(np.uint64(64), shift, out=shift)  # by 64 nothing is left
        words |= rest
        return words

    @cached_property
    def words(self) -> tuple[Words, ...]:
        """Eight bytes of each field after the other, zeros behind its end."""
        return tuple(self._word(at) for at in range(0, self.longest, WORD))

    def _word(self, at: int) -> Words:
        # Where a field is shorter anything may be read, but nothing outside of the text: it is masked.
        read = self._read(np.minimum(self.starts + at, len(self.text) - 2 * WORD) if at else self.starts)
        if self._shortest == self.longest:
            read &= _LEFT[min(self.longest - at, WORD)]
        else:
            read &= _LEFT.take(_between(self.lengths - at if at else self.lengths, self._shortest - at, self.longest - at))
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

    def descending(self, rows: Whole) -> tuple[Words, ...]:
        """Keys, the last the weightiest, that sort these fields by unsigned bytes, the greatest first."""
        return tuple(~word[rows].byteswap() for word in reversed(self.words))

    def heads(self) -> Whole:
        """The rows where a field is not equal to the one before it, the first included."""
        differs = np.ones(len(self), bool)
        for number, word in enumerate(self.words):
            if number:
                differs[1:] |= word[1:] != word[:-1]
            else:
                np.not_equal(word[1:], word[:-1], out=differs[1:])
        return np.flatnonzero(differs)

    def numbers(self) -> NDArray[np.float64] | None:
        """The fields as doubles, rounded as C and Python round; None if one is no decimal number, with or without exponent."""
        whole, decimals, plain = self._decimals()
        plain &= decimals < len(_TENS)
        values: NDArray[np.float64] = whole / _TENS.take(decimals, mode="clip")
        if whole.max(initial=0) >= _EXACT:
            long = np.flatnonzero(plain & (whole >= _EXACT))
            values[long], sure = _rounded(whole[long], decimals[long])
            plain[long[~sure]] = False
        if self._negative is not None:
            np.negative(values, out=values, where=self._negative)
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
        if self.longest == 1:  # grades nearly always are
            digits = self.text[self.starts] - np.uint8(ord("0"))
            return digits.astype(np.int64) if (digits < 10).all() else None
        whole, decimals, plain = self._decimals()
        if not plain.all() or decimals.any() or (whole >= _EXACT).any():
            return None
        if (self.text[self.starts + self.lengths - 1] == ord(".")).any():
            return None
        return whole if self._negative is None else np.where(self._negative, -whole, whole)

    @cached_property
    def _negative(self) -> NDArray[np.bool_] | None:
        """Which fields begin with a minus; None if none does."""
        minus: NDArray[np.bool_] = self.text[self.starts] == ord("-")
        return minus if minus.any() else None

    def _decimals(self) -> tuple[Whole, NDArray[np.uint8], NDArray[np.bool_]]:
        """The digits of each field as one number, how many stand behind its point, and whether that is all there is to it.

        Eight characters at a time from the left, those of all fields so that they end together. In a word the first
        character has the lowest bits. The point is taken out, the digits before it move up, and three multiplications
        join eight digits (Lemire 2018, "Quickly parsing eight digits").
        """
        digits = self.lengths if self._negative is None else self.lengths - self._negative
        ends, fewest = self.starts + self.lengths, self._shortest - (self._negative is not None)
        whole, plain = np.zeros(0, np.uint64), np.ones(len(self), bool)
        decimals, pointed = np.zeros(len(self), np.uint8), np.zeros(len(self), bool)
        first = min(-(-self.longest // WORD) * WORD, _WIDEST)
        for at in range(first, 0, -WORD):
            before = at - WORD  # characters that are read after these
            word = self._read(ends - at)
            word ^= _each(ord("0"))
            word &= _RIGHT.take(_between(digits - before if before else digits, fewest - before, self.longest - before))
            others = word + _each(0x80 - 10)
            others |= word
            others &= _each(0x80)  # marks what is no digit
            marks = np.bitwise_count(others)
            here = marks > 0
            if at < first:
                plain &= whole < np.uint64(10**10)  # else the next step might not fit
                decimals += np.uint8(WORD) * pointed
                whole *= np.where(here, np.uint64(10**7), np.uint64(10**8))
            if here.any():
                word, behind, good = _without_point(word, others, marks)
                if at < first:
                    good &= ~(here & pointed)
                    behind = np.where(here, behind, decimals)
                else:
                    behind *= here
                plain &= good
                decimals = behind
            whole = _joined_digits(word) if at == first else whole + _joined_digits(word)
            pointed |= here
        if fewest <= 1:
            plain &= digits > pointed
        if self.longest > _WIDEST:
            plain &= self.lengths <= _WIDEST
        return whole.view(np.int64), decimals, plain


def _between(values: Whole, lowest: int, highest: int) -> Whole:
    """The values, none below 0 or above the bytes of a word; `lowest` and `highest` tell whether any is."""
    if lowest < 0:
        values = np.maximum(values, 0)
    return values if highest <= WORD else np.minimum(values, WORD)


def _without_point(word: Words, others: Words, marks: NDArray[np.uint8]) -> tuple[Words, NDArray[np.uint8], NDArray[np.bool_]]:
    """The words without what is no digit in them, digits before it moved up; how many stand behind it; and where it is
    nothing but one point."""
    mark = others >> np.uint64(7)
    low = mark - np.uint64(1)
    behind = np.uint8(WORD - 1) - (np.bitwise_count(low) >> 3)
    low &= word
    high = word ^ low
    high ^= mark * np.uint64(ord(".") ^ ord("0"))
    mark *= np.uint64(0xFF)
    mark &= high  # what is left of something else
    low <<= np.uint64(8) if marks.all() else (marks > 0) * np.uint64(8)
    high |= low
    return high, behind, (mark == 0) & (marks <= 1)


def _joined_digits(word: Words) -> Words:
    """Eight digits, the first in the lowest bits, as one number. Changes the words."""
    for factor, shift, kept in _JOINTS:
        word *= factor
        word >>= shift
        word &= kept
    return word


def _rounded(whole: Whole, decimals: NDArray[np.uint8]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """whole / 10^decimals for numbers that no double holds, and where the result is sure to be the nearest double.

    A first quotient is off by little; what it leaves is known to twice a double's digits, product and all (Dekker 1971), and
    tells by how much. The sum is rounded once, and is sure unless a correction that is hardly different gives another.
    """
    near = whole.astype(np.float64)
    tens = _TENS.take(decimals)
    first = near / tens
    product = first * tens
    head, tens_head = _head(first), _HEADS.take(decimals)
    tail, tens_tail = first - head, tens - tens_head
    beyond = head * tens_head
    beyond -= product
    beyond += head * tens_tail
    beyond += tail * tens_head
    beyond += tail * tens_tail  # what the product lost
    rest = near - product
    rest -= beyond
    rest += whole - near.astype(np.int64)
    rest /= tens
    values = first + rest
    rest *= _HARDLY
    sure = first + rest == values
    rest *= 2 - _HARDLY  # as much below
    rest *= 2 - _HARDLY
    sure &= first + rest == values
    return values, sure


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
        return max(int(ends[0]) - PAD, int((ends[1:] - ends[:-1]).max(initial=1)) - 1)

    def last(self, number: int) -> bytes:
        """A field of the last line, not the first of it."""
        return self.text[self.ends[-1, number - 1] + 1 : self.ends[-1, number]].tobytes()

    def column(self, number: int) -> Column:
        starts = np.empty(len(self), np.int64)
        if number:
            np.add(self.ends[:, number - 1], 1, out=starts)
        else:
            starts[:1] = PAD
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
    return np.frombuffer(b"".join((bytes(PAD), *parts, ended, bytes(PAD))), np.uint8)


def unpadded(text: NDArray[np.uint8]) -> bytes:
    """What `padded` was given, its last line ended."""
    return text[PAD:-PAD].tobytes()


def plain_fields(text: NDArray[np.uint8], width: int) -> Fields | None:
    """The fields of plain text, as `padded` gives it, with `width` of them in each line; None for any other, or none."""
    _keep_memory()
    inner, blank = text[PAD:-PAD], np.zeros(len(text), bool)
    np.less_equal(inner, ord(" "), out=blank[PAD:-PAD])
    if blank[PAD] or (blank[1:] & blank[:-1]).any():
        return None
    ends = np.flatnonzero(blank)
    lines = len(ends) // width
    if len(ends) % width or (text[ends[width - 1 :: width]] != ord("\n")).any():
        return None
    inside = lines * (width - 1) - np.count_nonzero(inner == ord(" "))
    if inside and inside != np.count_nonzero(inner == ord("\t")):
        return None
    return Fields(text, ends.reshape(-1, width))
