"""What a strategy is: a function over the rank matrix, declared once with its parameters.

Forms, API and commands are made from the declarations. To add a strategy, write one function and decorate it: with
`@strategy` it puts the items of every topic into an order of preference and says how many of each are taken; with
`@sampled` it draws some by chance and tells their probabilities; with `@adaptive` it picks the next document of a topic
from what was judged so far.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from pooling.core.matrix import Best, RankMatrix

if TYPE_CHECKING:
    from pooling.core.adaptive import History, Next, TopicRanks

MOST_DEPTH = 1000
# How equals are told apart. The first two are of equal scores in a run; what weighs the same then goes by docno, runs that
# stand equal by their order. The third leaves equal scores to evaluation, and these to chance.
TIES: dict[str, str] = {
    "evaluation": "As evaluation has them: docno descending",
    "docno-ascending": "Docno ascending, as NIST made its pools",
    "random": "By chance, with the seed of the round: documents of equal weight, runs that stand equal",
}
Value = int | float | str | None


@dataclass(frozen=True)
class Parameter:
    """One number or choice of a strategy; `default` None means that it may be left out."""

    name: str
    kind: Literal["int", "float", "choice", "text"]
    label: str
    help: str
    default: Value = None
    low: float | None = None
    high: float | None = None
    choices: tuple[tuple[str, str], ...] = ()
    pattern: str = ""  # of a text

    def checked(self, value: object) -> Value:
        """The value as this parameter has it; a ValueError says what was expected and what came."""
        if value is None or value == "":
            return self.default
        if self.kind == "choice":
            if value not in dict(self.choices):
                raise ValueError(f"{self.name}: Expected one of {', '.join(dict(self.choices))}; found “{str(value)[:80]}”.")
            return str(value)
        if self.kind == "text":
            text = re.sub(r"\s", "", str(value))
            if not re.fullmatch(self.pattern, text):
                raise ValueError(f"{self.name}: Expected numbers by commas, such as {self.default}; found “{str(value)[:80]}”.")
            return text
        try:
            number = int(str(value)) if self.kind == "int" else float(str(value))
        except ValueError:
            kind = "whole number" if self.kind == "int" else "number"
            raise ValueError(f"{self.name}: Expected a {kind}; found “{str(value)[:80]}”.") from None
        if self.low is not None and not number >= self.low:
            raise ValueError(f"{self.name}: Expected at least {self.low}; found {number}.")
        if self.high is not None and not number <= self.high:
            raise ValueError(f"{self.name}: Expected at most {self.high}; found {number}.")
        return number

    def told(self, value: Value) -> str:
        """The value in words for a page."""
        if value is None:
            return "no limit" if self.name in ("min_per_topic", "max_per_topic") else "all"
        if self.kind == "choice":
            return dict(self.choices).get(str(value), str(value))
        return f"{value:,}" if isinstance(value, int | float) else str(value).replace(",", ", ")


@dataclass(frozen=True, eq=False)
class Preference:
    """Items in order of preference, topic by topic; of topic t the first `take[t]` are chosen."""

    items: NDArray[np.int64]
    take: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Sample(Preference):
    """What was drawn by chance: `items` has every item that could have been, those that were drawn first in their topics.

    Aligned with `items`: the `strata` they lie in (from 1), and the probability with which each was to be drawn.
    """

    strata: NDArray[np.int64]
    inclusion: NDArray[np.float64]


Values = Mapping[str, Any]
Choose = Callable[[RankMatrix, Best, Sequence[int], Values], Preference]
Draw = Callable[[RankMatrix, Best, Sequence[int], Values, int], Sample]
Pick = Callable[["TopicRanks", "History", Values, Sequence[int]], "Next | None"]
Kind = Literal["fixed", "adaptive", "sampled"]
KINDS: dict[Kind, str] = {
    "fixed": "Drawn at once",
    "adaptive": "Chosen by the judgments so far",
    "sampled": "Drawn by chance",
}


# What every strategy takes beside its own.
COMMON = (
    Parameter(
        "ties",
        "choice",
        "Ties at the cut",
        "Which of equally scored documents, or of equal weights, come first.",
        "evaluation",
        choices=(*TIES.items(),),
    ),
    Parameter("per_group", "int", "Runs of each group", "Only this many, the first by priority; empty: all.", None, 1, 1000),
)
# What those take, too, that draw all at once.
QUOTAS = (
    Parameter(
        "min_per_topic", "int", "At least, per topic", "Filled up from deeper ranks; empty: no minimum.", None, 1, 100_000
    ),
    Parameter(
        "max_per_topic", "int", "At most, per topic", "The least preferred are left out; empty: no limit.", None, 1, 100_000
    ),
)


@dataclass(frozen=True)
class Strategy:
    """`choose`, `draw` or `pick`, by its kind: an order of all that is known beforehand, a sample, or one item at a time."""

    name: str
    label: str
    about: str
    kind: Kind
    parameters: tuple[Parameter, ...]
    choose: Choose | None = None
    draw: Draw | None = None
    pick: Pick | None = None

    @property
    def all_parameters(self) -> tuple[Parameter, ...]:
        return (*self.parameters, *COMMON, *(QUOTAS if self.kind == "fixed" else ()))


STRATEGIES: dict[str, Strategy] = {}
BUDGET = Parameter(
    "budget", "int", "Documents per topic", "Exactly this many of each topic, as far as there are any.", 100, 1, 100_000
)
SPLIT = Parameter(
    "split",
    "choice",
    "Budget over topics",
    "Proportional: the same total, more for topics whose runs differ more.",
    "per-topic",
    choices=(("per-topic", "The same for each topic"), ("proportional", "In proportion to the pools at depth 100")),
)
P = Parameter("p", "float", "p", "How patient the reader is: nearer 1 looks deeper.", 0.8, 0.01, 0.999)
READ = Parameter("read", "int", "Ranks read", "So far down each run counts.", MOST_DEPTH, 1, MOST_DEPTH)


Function = TypeVar("Function", bound=Callable[..., Any])


def _register(part: Literal["choose", "draw", "pick"], kind: Kind) -> Callable[..., Callable[[Function], Function]]:
    """A decorator that registers a strategy; the first line of its docstring is what people read about it."""

    def named(name: str, label: str, *parameters: Parameter) -> Callable[[Function], Function]:
        def register(function: Function) -> Function:
            about = (function.__doc__ or "").strip().split("\n")[0]
            STRATEGIES[name] = Strategy(name, label, about, kind, parameters, **{part: function})
            return function

        return register

    return named


strategy, sampled, adaptive = _register("choose", "fixed"), _register("draw", "sampled"), _register("pick", "adaptive")
