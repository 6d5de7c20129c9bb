"""Filters for words in pages."""

import pytest

from config.templatetags import words


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("Line 51 has 5 columns; 6 are needed.", "This line has 5 columns; 6 are needed."),
        ("Line 51: expected a JSON object, found a list.", "Expected a JSON object, found a list."),
        ("The topic of line 51 has no number.", "The topic of this line has no number."),
        ("Topic 7 appears again (first on line 5).", "Topic 7 appears again (first on line 5)."),
        ("Line 510 has no span.", "Line 510 has no span."),
    ],
)
def test_a_line_is_not_named_twice(message: str, shown: str) -> None:
    assert words.beside(message, 51) == shown
