"""How a benchmark ends: what is missed is named, and beyond the scatter it is a failure."""

import pytest

from benchmarks.goals import Goal, status


@pytest.mark.parametrize(
    ("goal", "words", "ended"),
    [
        (Goal("ratio", 12.5, 12), "", 0),
        (Goal("ratio", 11.0, 12), "MISSED: ratio, 11.00 of 12\n", 0),
        (Goal("ratio", 9.0, 12), "MISSED: ratio, 9.00 of 12, below 0.8 of it\n", 1),
        (Goal("memory", 106, 300, least=False), "", 0),
        (Goal("memory", 310, 300, least=False), "MISSED: memory, 310.00 of 300\n", 0),
        (Goal("memory", 600, 300, least=False), "MISSED: memory, 600.00 of 300, below 0.8 of it\n", 1),
    ],
)
def test_a_missed_goal_is_named_and_fails_beyond_the_scatter(
    goal: Goal, words: str, ended: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status([Goal("met", 1, 1), goal]) == ended
    assert capsys.readouterr().out == words
    assert str(goal).endswith("MISSED" if words else "ok")
