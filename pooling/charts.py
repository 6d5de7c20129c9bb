"""Small charts as SVG: places are computed here, templates only write them down."""

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 640, 240
LEFT, RIGHT, TOP, BOTTOM = 64, 12, 12, 36


@dataclass(frozen=True)
class Tick:
    at: float
    label: str


@dataclass(frozen=True)
class Curve:
    """A line from left to right; `mark` is the chosen point of it."""

    points: str
    across: list[Tick]
    up: list[Tick]
    mark: tuple[float, float] | None
    words: str
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    top: int = TOP
    bottom: int = HEIGHT - BOTTOM


def curve(values: Sequence[int], chosen: int | None, words: str) -> Curve | None:
    """The values at 1, 2, 3 …; None where there is nothing to draw."""
    if len(values) < 2 or not values[-1]:
        return None
    step = _step(values[-1])
    most = -(-values[-1] // step) * step

    def x(place: int) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * (place - 1) / (len(values) - 1), 1)

    def y(value: int) -> float:
        return round(HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / most, 1)

    points = " ".join(f"{x(place)},{y(value)}" for place, value in enumerate(values, 1))
    across = [Tick(x(place), str(place)) for place in sorted({1, *(len(values) * part // 5 for part in range(1, 6))})]
    up = [Tick(y(value), f"{value:,}") for value in range(0, most + 1, step)]
    mark = (x(chosen), y(values[chosen - 1])) if chosen and chosen <= len(values) else None
    return Curve(points, across, up, mark, words)


def _step(largest: int) -> int:
    """A round number of which four or five reach the largest."""
    size = 1
    while True:
        for factor in (1, 2, 5):
            if largest <= 5 * size * factor:
                return size * factor
        size *= 10
