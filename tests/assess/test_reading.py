from hypothesis import given
from hypothesis import strategies as st

from assess.core.reading import is_heading, length, paragraphs

WRAPPED = """\
the boundary layer in simple shear flow past a flat plate was
studied at some length, and the equations are given here for
steady incompressible flow
with no pressure gradient ."""


def test_paragraphs_are_what_stands_between_blank_lines() -> None:
    text = "\n\none\n \t\ntwo\r\n\r\nthree\n"
    assert [(at, part.strip()) for at, part in paragraphs(text)] == [(2, "one"), (9, "two"), (16, "three")]
    assert paragraphs(" \n ") == [] and paragraphs("") == []


def test_hard_wrapped_lines_flow() -> None:
    lines = WRAPPED.replace("flow\nwith no", "flow with no").split("\n")
    assert paragraphs("\n".join(lines)) == [(0, " ".join(lines))]


def test_other_line_breaks_stay() -> None:
    verse = "Full fathom five thy father lies;\nOf his bones are coral made;\nThose are pearls"
    assert paragraphs(verse) == [(0, verse)]
    assert paragraphs(WRAPPED) == [(0, WRAPPED)]  # a short line in the middle: perhaps a list


@given(st.text(alphabet="ab \n\r\t", max_size=60))
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
