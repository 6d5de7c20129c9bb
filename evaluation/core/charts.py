"""Charts as SVG: lines, bars, dots and ranges over axes with round ticks. No script and no style of their own.

Every mark is coloured by class, so that a page's own colours hold, light or dark; a file by itself brings those of paper.
Every mark that stands for a number has a <title> which tells it.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from html import escape

WIDTH, HEIGHT = 560, 300
LEFT, RIGHT, TOP, BOTTOM = 66, 18, 38, 50  # room for the type of a phone, which is larger beside the picture
LETTER, APART = 6.5, 16  # how wide a letter is, and how far names stand apart
ON_A_PHONE = 19 / 12  # how much larger the type is there beside the picture
MANY, THINNEST = 80, 2  # bars; of more the picture is moved sideways on a phone, and grows so that each keeps its width
TONES = 8  # of lines; 9 is the pale ground that others lie on
INK, GROUND = 8, 9
MINUS = re.compile(r"(?<![^\s(])-(?=\d)")

# The colours of paper, for files: those that config/static/assize/assize.css has for light.
PAPER = """
text{font-family:"Helvetica Neue",Helvetica,Arial,sans-serif;font-size:12px;fill:#5b5851}
.chart-name{fill:#1c1b19}.chart-rule{stroke:#dedad2}.chart-zero{stroke:#8b867b}
.chart-line{fill:none;stroke-width:2}.chart-fill{stroke:none}.chart-range{stroke-width:2}
.tone-0{stroke:#8b867b;fill:#8b867b}.tone-1{stroke:#0a5f73;fill:#0a5f73}.tone-2{stroke:#8a2f6b;fill:#8a2f6b}
.tone-3{stroke:#b07d0a;fill:#b07d0a}.tone-4{stroke:#8a4500;fill:#8a4500}.tone-5{stroke:#5c3d8a;fill:#5c3d8a}
.tone-6{stroke:#3d9492;fill:#3d9492}.tone-7{stroke:#b5651d;fill:#b5651d}.tone-8{stroke:#1c1b19;fill:#1c1b19}
.chart-line{fill:none}.tone-2.chart-line{stroke-dasharray:7 3}.tone-3.chart-line{stroke-dasharray:2 3}
.tone-9{stroke:#167c81;fill:#b6ded2;stroke-width:.75}.chart-ring{stroke:#fff;stroke-width:1.5}
.tone-2.chart-fill{fill:#fff;stroke:#8a2f6b;stroke-width:1.5}
.tone-4.chart-line{stroke-dasharray:9 3 2 3}.tone-0.chart-line{stroke-dasharray:4 4}
"""

KEYS = {
    "line": '<line class="chart-line tone-{}" x1="0" x2="24" y1="4" y2="4"/>',
    "bar": '<rect class="chart-mark chart-fill tone-{}" x="4" y="-1" width="16" height="10"/>',
    "dot": '<circle class="chart-mark tone-{}" cx="12" cy="4" r="4"/>',
    "tick": '<rect class="chart-mark tone-{}" x="3" y="2.5" width="18" height="3"/>',
}


def minus(text: str) -> str:
    """With the minus of print before numbers, for people; hyphens in names stay."""
    return MINUS.sub("−", text)


@dataclass(frozen=True)
class Axis:
    """From `low` to `high`; `label` says what it measures, `digits` how many decimals its ticks have."""

    label: str
    low: float = 0.0
    high: float = 1.0
    digits: int = 1

    @property
    def ticks(self) -> list[float]:
        step = max(_step(self.high - self.low), 10.0**-self.digits)  # no two of them read the same
        first = math.ceil(self.low / step - 1e-9)
        return [round(number * step, 12) for number in range(first, math.floor(self.high / step + 1e-9) + 1)]

    def share(self, value: float) -> float:
        width = self.high - self.low
        return (min(max(value, self.low), self.high) - self.low) / width if width else 0.5


def axis(label: str, values: Sequence[float], *, zero: bool = True) -> Axis:
    """An axis that holds all values, from and to round numbers."""
    there = [value for value in values if math.isfinite(value)]
    low, high = min(there, default=0.0), max(there, default=1.0)
    low, high = (min(low, 0.0), max(high, 0.0)) if zero else (low, high)
    if high - low < 1e-9:
        high = low + 1.0
    step = _step(high - low)
    low, high = math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    return Axis(label, round(low, 12), round(high, 12), digits)


def _step(width: float) -> float:
    """A round number of which about five make the width."""
    size = 10.0 ** math.floor(math.log10(max(width, 1e-9) / 5))
    return next(size * factor for factor in (1, 2, 5, 10) if size * factor * 5.0 >= width * (1 - 1e-9))


@dataclass(frozen=True)
class Mark:
    """A point with what it tells; `tone` is the number of its colour, `high` the other end of a range."""

    x: float
    y: float
    title: str
    tone: int = 1
    high: float | None = None


def _told(mark: Mark) -> str:
    return escape(minus(mark.title))


def _known(marks: Sequence[Mark]) -> list[Mark]:
    """Those that stand for a number: what is undefined has no place in a picture."""
    return [mark for mark in marks if all(math.isfinite(one) for one in (mark.x, mark.y, mark.high or 0.0))]


@dataclass(frozen=True)
class Series:
    """A named line through points; `dots` where each is a number of its own."""

    label: str
    marks: Sequence[Mark]
    tone: int = 1
    dots: bool = True


@dataclass(frozen=True)
class Chart:
    """`words` say what is seen; `body` is what lies inside the <svg>."""

    words: str
    body: str
    legend: tuple[tuple[int, str], ...] = field(default=())
    width: int = WIDTH
    height: int = HEIGHT
    shapes: tuple[str, ...] = ("line",)  # of the legend, name by name; the last one holds for all further ones
    is_wide: bool = False  # too much of it for the width of a phone

    @property
    def keys(self) -> list[tuple[str, str]]:
        """What stands for each name of the legend, drawn as in the picture in a field of 24 by 8."""
        shapes = self.shapes + self.shapes[-1:] * len(self.legend)
        return [(KEYS[shape].format(tone), label) for (tone, label), shape in zip(self.legend, shapes, strict=False)]

    @property
    def svg(self) -> str:
        """For a page."""
        return (
            f'<svg class="chart{" chart-many" * self.is_wide}{" chart-long" * (self.width > WIDTH)}" width="{1.3 * self.width:.0f}"'
            f' viewBox="0 0 {self.width} {self.height}" role="img" aria-label="{escape(self.words)}">'
            f"{self.body}</svg>"
        )

    def file(self) -> str:
        """By itself, with its legend and its words."""
        items = "".join(
            f'<g transform="translate({LEFT}, {self.height + 6 + 20 * place})">{key}'
            f'<text class="chart-name" x="32" y="8">{escape(label)}</text></g>'
            for place, (key, label) in enumerate(self.keys)
        )
        height = self.height + 20 * len(self.legend)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{height}" viewBox="0 0 {self.width} {height}">'
            f"<title>{escape(self.words)}</title><style>{PAPER}</style>"
            f'<rect width="{self.width}" height="{height}" fill="#fff"/>{self.body}{items}</svg>\n'
        )


class _Plane:
    """Where numbers lie in the picture."""

    def __init__(self, x: Axis, y: Axis, width: int = WIDTH, height: int = HEIGHT) -> None:
        self.x_axis, self.y_axis, self.width, self.height = x, y, width, height

    def x(self, value: float) -> str:
        return f"{LEFT + (self.width - LEFT - RIGHT) * self.x_axis.share(value):.1f}"

    def y(self, value: float) -> str:
        return f"{self.height - BOTTOM - (self.height - TOP - BOTTOM) * self.y_axis.share(value):.1f}"

    def frame(self, *, across: bool = True) -> str:
        """Rules and ticks; those across unless the chart names its own places."""
        parts = []
        for tick in self.y_axis.ticks:
            at = self.y(tick)
            zero = " chart-zero" if abs(tick) < 1e-12 else ""
            parts.append(f'<line class="chart-rule{zero}" x1="{LEFT}" x2="{self.width - RIGHT}" y1="{at}" y2="{at}"/>')
            told = minus(f"{tick:,.{self.y_axis.digits}f}")
            parts.append(f'<text class="chart-tick" text-anchor="end" x="{LEFT - 8}" y="{at}" dy="4">{told}</text>')
        for tick in self.x_axis.ticks if across else ():
            parts.append(self.tick_below(tick))
        parts.append(f'<text class="chart-name" x="2" y="17">{escape(self.y_axis.label)}</text>')
        parts.append(self.across_name())
        return "".join(parts)

    def tick_below(self, tick: float) -> str:
        """Below its place; at the edge a long number ends with the picture, in the larger type of a phone, too."""
        told = minus(f"{tick:,.{self.x_axis.digits}f}")
        anchor, at = "middle", self.x(tick)
        if float(at) + 0.8 * len(told) * LETTER > self.width:
            anchor, at = "end", f"{self.width - 1}"
        return f'<text class="chart-tick" text-anchor="{anchor}" x="{at}" y="{self.height - BOTTOM + 20}">{told}</text>'

    def across_name(self) -> str:
        """What the axis across measures, at its end."""
        told = escape(self.x_axis.label)
        return f'<text class="chart-name" text-anchor="end" x="{self.width - RIGHT}" y="{self.height - 6}">{told}</text>'

    def dot(self, mark: Mark, radius: float = 4, ring: str = "") -> str:
        return (
            f'<circle class="chart-mark{ring} tone-{mark.tone}" cx="{self.x(mark.x)}" cy="{self.y(mark.y)}" r="{radius}">'
            f"<title>{_told(mark)}</title></circle>"
        )

    def across(self, mark: Mark, width: float, height: float) -> str:
        x, y = float(self.x(mark.x)) - width / 2, float(self.y(mark.y)) - height / 2
        place = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height}"'
        return f'<rect class="chart-mark tone-{mark.tone}" {place}><title>{_told(mark)}</title></rect>'


def lines(words: str, x: Axis, y: Axis, series: Sequence[Series]) -> Chart:
    """Lines over a common plane; each point tells its number."""
    plane = _Plane(x, y)
    parts = [plane.frame()]
    for one in series:
        known = _known(one.marks)
        points = " ".join(f"{plane.x(mark.x)},{plane.y(mark.y)}" for mark in known)
        parts.append(f'<polyline class="chart-line tone-{one.tone}" points="{points}"/>')
        if one.dots:
            parts += [plane.dot(Mark(mark.x, mark.y, mark.title, one.tone), 3) for mark in known]
    return Chart(words, "".join(parts), tuple((one.tone, one.label) for one in series))


def scatter(words: str, x: Axis, y: Axis, marks: Sequence[Mark], *, diagonal: bool = False) -> Chart:
    """Points; with `diagonal`, the line on which both are equal."""
    plane = _Plane(x, y)
    line = ""
    if diagonal:
        low, high = max(x.low, y.low), min(x.high, y.high)
        line = f'<line class="chart-line tone-0" x1="{plane.x(low)}" y1="{plane.y(low)}" x2="{plane.x(high)}" y2="{plane.y(high)}"/>'
    return Chart(words, plane.frame() + line + "".join(plane.dot(mark) for mark in _known(marks)))


def strip(words: str, x: Axis, marks: Sequence[Mark]) -> Chart:
    """Points along one line, those that would touch above each other."""
    height, top, width = 116, 6, 9.0
    plane = _Plane(x, Axis("", 0, 1), height=height)
    taken: dict[int, int] = {}
    parts = []
    for tick in x.ticks:
        parts.append(f'<line class="chart-rule" x1="{plane.x(tick)}" x2="{plane.x(tick)}" y1="{top}" y2="{height - BOTTOM}"/>')
        parts.append(plane.tick_below(tick))
    parts.append(plane.across_name())
    for mark in sorted(_known(marks), key=lambda mark: mark.x):
        column = round(float(plane.x(mark.x)) / width)
        level = taken.get(column, 0)
        taken[column] = level + 1
        y = max(height - BOTTOM - 6 - 8 * level, top)
        parts.append(
            f'<circle class="chart-mark tone-{mark.tone}" cx="{plane.x(mark.x)}" cy="{y}" r="4"><title>{_told(mark)}</title></circle>'
        )
    return Chart(words, "".join(parts), height=height)


def bars(
    words: str,
    label: str,
    y: Axis,
    names: Sequence[str],
    marks: Sequence[Mark],
    *,
    across: Axis | None = None,
    each: int = 1,
) -> Chart:
    """A bar for each name, from zero; of a mark with `high`, from one to the other, and its own point at `y`. With an axis
    `across`, bars share it out and its numbers take the place of the names. `each`: room for so many bars at every name."""
    width = max(WIDTH, LEFT + RIGHT + THINNEST * len(names) * each)
    plane = _Plane(across or Axis(label, 0, max(len(names), 1)), y, width)
    slot = (width - LEFT - RIGHT) / max(len(names), 1)
    thick = max(min(slot * 0.72, 26.0), 0.8) if across is None else slot * 0.9
    parts = [plane.frame(across=across is not None), *(_names(names, slot) if across is None else ())]
    for mark in _known(marks):
        x = LEFT + slot * (mark.x + 0.5) - thick / 2
        ends = (float(plane.y(mark.y)), float(plane.y(0.0 if mark.high is None else mark.high)))
        height = max(abs(ends[0] - ends[1]), 1.0)
        parts.append(
            f'<rect class="chart-mark chart-fill tone-{mark.tone}" x="{x:.1f}" y="{min(ends):.1f}" width="{thick:.1f}" height="{height:.1f}">'
            f"<title>{_told(mark)}</title></rect>"
        )
    return Chart(words, "".join(parts), width=width, shapes=("bar",), is_wide=len(names) * each > MANY)


def _names(names: Sequence[str], slot: float) -> list[str]:
    """Below their places, as many as there is room for; those for which a phone has none are told by their class."""
    short = [name if len(name) < 10 else name[:8] + "…" for name in names]
    longest = max(map(len, short), default=1) * LETTER
    every = max(1, math.ceil((longest + APART) / slot))
    on_a_phone = every * math.ceil((longest + APART) * ON_A_PHONE / (slot * every))
    return [
        f'<text class="chart-tick{" chart-wide" * (place % on_a_phone > 0)}" text-anchor="middle"'
        f' x="{LEFT + slot * (place + 0.5):.1f}" y="{HEIGHT - BOTTOM + 20}">{escape(short[place])}</text>'
        for place in range(0, len(names), every)
    ]


def ranges(
    words: str, label: str, y: Axis, names: Sequence[str], spans: Sequence[Mark], legend: tuple[tuple[int, str], ...]
) -> Chart:
    """From worst to best for each name as a pale bar; on it a point in INK as a tick across, others as dots with a ring."""
    grounds = [mark for mark in spans if mark.high is not None]
    chart = bars(words, label, y, names, grounds)
    plane = _Plane(Axis(label, 0, max(len(names), 1)), y, chart.width)
    slot = (chart.width - LEFT - RIGHT) / max(len(names), 1)
    points = [replace(mark, x=mark.x + 0.5) for mark in _known(spans) if mark.high is None]
    wide, high, radius = (slot, 1.5, 2.0) if chart.is_wide else (min(slot, 34.0), 2.5, 3.5)
    across = [plane.across(mark, wide, high) for mark in points if mark.tone == INK]
    dots = [plane.dot(mark, radius, " chart-ring") for mark in points if mark.tone != INK]
    return replace(chart, body=chart.body + "".join(across + dots), legend=legend, shapes=("bar", "tick", "dot"))


def paired(words: str, label: str, y: Axis, names: Sequence[str], series: Sequence[Series]) -> Chart:
    """For each name a bar of each series, side by side; marks are in the order of the names."""
    empty = bars(words, label, y, names, [], each=len(series))
    plane = _Plane(Axis(label, 0, max(len(names), 1)), y, empty.width)
    slot = (empty.width - LEFT - RIGHT) / max(len(names), 1)
    thick = max(min(slot * 0.8 / max(len(series), 1), 16.0), 0.6)
    parts = [empty.body]
    for number, one in enumerate(series):
        for place, mark in enumerate(one.marks):
            if not _known([mark]):
                continue
            x = LEFT + slot * (place + 0.5) + thick * (number - len(series) / 2)
            top, ground = float(plane.y(mark.y)), float(plane.y(0.0))
            parts.append(
                f'<rect class="chart-mark chart-fill tone-{one.tone}" x="{x:.1f}" y="{min(top, ground):.1f}" width="{thick:.1f}"'
                f' height="{max(abs(top - ground), 0.5):.1f}"><title>{_told(mark)}</title></rect>'
            )
    return replace(empty, body="".join(parts), legend=tuple((one.tone, one.label) for one in series))
