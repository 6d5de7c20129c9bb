"""Small charts as SVG: places are computed here, templates only write them down."""

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 640, 240
LEFT, RIGHT, TOP, BOTTOM = 88, 24, 12, 36  # room for six figures and half of the last number in the type of a phone


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


@dataclass(frozen=True)
class Named:
    name: str
    points: str


@dataclass(frozen=True)
class Curves:
    lines: list[Named]
    across: list[Tick]
    up: list[Tick]
    words: str
    width: int = WIDTH
    height: int = HEIGHT + 120
    left: int = LEFT
    right: int = WIDTH - RIGHT
    top: int = TOP
    bottom: int = HEIGHT + 120 - BOTTOM


def curves(lines: Sequence[tuple[str, Sequence[tuple[int, int]]]], words: str) -> Curves | None:
    """Several lines of (across, up) pairs; None where there is nothing to draw. Those with the most under them come first."""
    widest = max((across for _, line in lines for across, _ in line), default=0)
    highest = max((up for _, line in lines for _, up in line), default=0)
    if not widest or not highest:
        return None
    made = Curves([], [], [], words)
    step, stride = _step(highest), _step(widest)
    most = -(-highest // step) * step

    def x(value: int) -> float:
        return round(made.left + (made.right - made.left) * value / widest, 1)

    def y(value: int) -> float:
        return round(made.bottom - (made.bottom - made.top) * value / most, 1)

    order = sorted(lines, key=lambda line: -sum(up for _, up in line[1]))
    placed = [Named(name, " ".join(f"{x(a)},{y(u)}" for a, u in line)) for name, line in order]
    across = [Tick(x(value), f"{value:,}") for value in range(0, widest + 1, stride)]
    up = [Tick(y(value), f"{value:,}") for value in range(0, most + 1, step)]
    return Curves(placed, across, up, words)
