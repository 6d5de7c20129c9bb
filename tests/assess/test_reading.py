from assess.core.reading import length, paragraphs

WRAPPED = """\
the boundary layer in simple shear flow past a flat plate was
studied at some length, and the equations are given here for
steady incompressible flow
with no pressure gradient ."""


def test_paragraphs_are_what_stands_between_blank_lines() -> None:
    assert paragraphs("\n\none\n \t\ntwo\r\n\r\nthree\n") == ["one", "two", "three"]
    assert paragraphs(" \n ") == [] and paragraphs("") == []


def test_hard_wrapped_lines_flow() -> None:
    lines = WRAPPED.replace("flow\nwith no", "flow with no").split("\n")
    assert paragraphs("\n".join(lines)) == [" ".join(lines)]


def test_other_line_breaks_stay() -> None:
    verse = "Full fathom five thy father lies;\nOf his bones are coral made;\nThose are pearls"
    assert paragraphs(verse) == [verse]
    assert paragraphs(WRAPPED) == [WRAPPED]  # a short line in the middle: perhaps a list


def test_length_in_words_or_characters() -> None:
    assert length("one") == "1 word" and length("a b c") == "3 words" and length("") == "0 words"
    assert length("港" * 1600) == "1,600 characters"
