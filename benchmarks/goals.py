"""What a benchmark is to reach, and how it ends when it does not."""

from collections.abc import Sequence
from dataclasses import dataclass

SCATTER = 0.8  # a machine that does other things, too, misses a goal by so much, and nothing has become slower


@dataclass(frozen=True)
class Goal:
    what: str
    found: float
    wanted: float
    least: bool = True  # it must be at least so much, else at most

    @property
    def share(self) -> float:
        """How much of the goal is reached, 1 where it is met."""
        return self.found / self.wanted if self.least else self.wanted / max(self.found, 1e-9)

    def __str__(self) -> str:
        sign = "≥" if self.least else "≤"
        return f"{self.what:<62}{self.found:>9.2f}  {sign} {self.wanted:<6g}{'ok' if self.share >= 1 else 'MISSED'}"


def status(goals: Sequence[Goal]) -> int:
    """1 if one is missed by more than the scatter, and which they are is told; others that are missed are told, too."""
    missed = [goal for goal in goals if goal.share < 1]
    for goal in missed:
        beyond = "" if goal.share >= SCATTER else f", below {SCATTER:g} of it"
        print(f"MISSED: {goal.what}, {goal.found:.2f} of {goal.wanted:g}{beyond}")
    return int(any(goal.share < SCATTER for goal in missed))
