import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.core.reading import is_heading, length, paragraphs, told

WRAPPED = """\
the boundary layer in simple shear flow past a flat plate was
studied at some length, and the equations are given here for
steady incompressible flow
with no pressure gradient or other cause of change .
"""
AS_WRITTEN = {
    "verse": """\
Of Man’s first disobedience, and the fruit
Of that forbidden tree whose mortal taste
Brought death into the World, and all our woe,
With loss of Eden, till one greater Man
Restore us, and regain the blissful seat,""",
    "short verse": "Full fathom five thy father lies;\nOf his bones are coral made;\nThose are pearls",
    "names": "Institute of Marine Research, Bergen, Norway\nUniversity of the Highlands, Inverness\nCentre for Estuaries, Hull",
    "table by gaps": "spring    210 tagged    188 passed the narrows\nsummer    180 tagged    160 passed the narrows\nautumn    95",
    "table by tabs": "\n".join(f"season of year {n}\tmany were tagged\tfew passed at night" for n in range(5)),
    "table of digits": "\n".join(f"about {n}2.4 13.25 14.125 15.5 16.25 17.125 18.0 19.75" for n in range(5)),
    "statements": "\n".join(f"result{n} = measured(season, 'spring') + corrected({n});" for n in range(5)),
    "sentences, one a line": "\n".join(f"which fish passed the narrows by night in season {n}?" for n in range(5)),
    "log": "\n".join(f"2041-03-1{n} 04:12:07 receiver at the northern bank: 1 tag heard" for n in range(5)),
    "quoted mail": "\n".join("> " + line for line in WRAPPED.splitlines()),
    "notes of uneven length": "Receivers at the sill\nat the northern bank, where water is slow and deep\nnone elsewhere",
    "no page is as wide": "\n".join("and the fish went down to the sea by night, " * 3 + f"in {n}" for n in range(4)),
}


def test_paragraphs_are_what_stands_between_blank_lines() -> None:
    text = "\n\none\n \t\ntwo\r\n\r\nthree\n"
    assert [(at, part.strip()) for at, part in paragraphs(text)] == [(2, "one"), (9, "two"), (16, "three")]
    assert paragraphs(" \n ") == [] and paragraphs("") == []


def test_hard_wrapped_lines_flow() -> None:
    """One that is short in the middle, as a typist left it, does not stop the others."""
    assert paragraphs(WRAPPED) == [(0, WRAPPED.strip().replace("\n", " "))]
    assert paragraphs(WRAPPED.upper()) == [(0, WRAPPED.upper().strip().replace("\n", " "))]


@pytest.mark.parametrize("text", AS_WRITTEN.values(), ids=AS_WRITTEN)
def test_other_line_ends_stay(text: str) -> None:
    assert paragraphs(text) == [(0, text)]
    assert paragraphs(f"{WRAPPED}\n{text}\n\n{WRAPPED}")[1] == (len(WRAPPED) + 1, text)


def test_paragraphs_within_wrapped_lines() -> None:
    """By an indent, by a sentence that ends before its line does, by capitals."""
    parts = ["flat plates in simple shear flow .\n", f"  {WRAPPED}", "RESULTS\n", WRAPPED, f"  {WRAPPED}"]
    found = paragraphs("".join(parts))
    assert [part for _, part in found] == [part.rstrip().replace("\n", " ") for part in parts]
    assert [at for at, _ in found] == [sum(map(len, parts[:place])) for place in range(5)]


def test_items_of_a_list_within_wrapped_lines_begin_a_line() -> None:
    items = "- of one plate, in slow water\n- of two of them"
    assert paragraphs(WRAPPED + items) == [(0, WRAPPED.strip().replace("\n", " ") + f"\n{items}")]


def test_two_lines_flow_where_the_text_was_wrapped() -> None:
    pair = "the boundary layer in simple shear flow past two plates was\nstudied, too ."
    assert paragraphs(pair) == [(0, pair)]
    assert paragraphs(f"{WRAPPED}\n{pair}")[1][1] == pair.replace("\n", " ")
    short = "the boundary layer\nof two plates"
    assert paragraphs(f"{WRAPPED}\n{short}")[1][1] == short


WORDS = st.sampled_from(["sea", "estuaries", "A", "1.", "ended.", "- ", "\n", "\n\n", "\r\n", "\t", "   ", "\n  "])


@given(st.one_of(st.text(alphabet="ab \n\r\t", max_size=60), st.lists(WORDS, max_size=120).map(" ".join)))
def test_a_place_in_a_paragraph_is_a_place_in_the_text(text: str) -> None:
    """Letter by letter, but for line ends: so a passage that is marked on the page is the same one in the text."""
    for at, part in paragraphs(text):
        assert [a for a in part if not a.isspace()] == [a for a in text[at : at + len(part)] if not a.isspace()]
        assert all(a == b or a.isspace() for a, b in zip(part, text[at : at + len(part)], strict=True))
    assert "".join("".join(part.split()) for _, part in paragraphs(text)) == "".join(text.split())


def test_headings_are_short_and_no_sentences() -> None:
    assert all(map(is_heading, ["# Fish", "2.1 Passage of smolts", "IV. Results", "METHODS AND DATA", "3 Eels"]))
    assert not any(
        map(is_heading, ["Fish swim.", "1. Receivers at the sill\n2. At the bank", "2041", "A", "USA", "3 fish died."])
    )
    assert all(map(is_heading, ["2 建议", "1.1 方法", "一、引言", "第三章 调查方法", "3. 結論"]))
    assert not any(
        map(is_heading, ["1. 靠近叶片处的探测次数减少。", "一、鱼类选择了较慢的水流；", "建议", "1. قلّت الأسماك في الربيع،"])
    )


def test_length_in_words_or_characters() -> None:
    assert length("one") == "1 word" and length("a b c") == "3 words" and length("") == "0 words"
    assert length("港" * 1600) == "1,600 characters"
    assert (told("A b", "one"), told("A b", " "), told("", "")) == ("1 word", "title only, 2 words", "0 words")
