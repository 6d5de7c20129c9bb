"""What a measure is: a definition with its parameters, and how it is spelled."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from evaluation.core.judged import Level
from evaluation.core.measures.parts import PartScores

CutoffUse = Literal["never", "optional", "always"]
CutoffKind = Literal["rank", "recall", "multiple"]
Kind = Literal["whole", "number", "yes or no", "choice", "gains", "points"]
Summary = Literal["mean", "sum", "geometric mean", "mean of the defined"]
Needs = Literal["", "documents", "known", "expected", "evidence", "strata", "inclusion"]
Gains = tuple[tuple[int, float], ...]
Points = tuple[Fraction, ...]
Value = bool | int | float | str | Gains | Points
Cutoff = int | Fraction

_PAIR = re.compile(r"\s*(-?[0-9]{1,3})\s*:\s*(-?[0-9]+(?:\.[0-9]+)?)\s*(?:,|$)")
WHOLE = re.compile(r"[0-9]{1,9}")
NUMBER = re.compile(r"-?(?:[0-9]{1,9}(?:\.[0-9]{0,12})?|\.[0-9]{1,12})")
_TRUTH = {"True": True, "False": False, "true": True, "false": False}


class MeasureError(ValueError):
    """A measure's name that cannot be understood; the message says why."""


@dataclass(frozen=True)
class Parameter:
    """What a measure may be told: its name, kind, default and bounds, in words for people."""

    name: str
    kind: Kind
    about: str
    default: Value | None = None
    low: float = 0.0
    high: float = float("inf")
    choices: tuple[str, ...] = ()

    @property
    def expected(self) -> str:
        """The values it takes, in words."""
        if self.kind == "choice":
            return "one of " + ", ".join(f"'{choice}'" for choice in self.choices)
        if self.kind == "yes or no":
            return "True or False"
        if self.kind == "gains":
            return "a table of grade:gain, as {1:1,2:3}"
        if self.kind == "points":
            return "recall levels from 0 to 1, each once, as {0.2,0.5,0.8}"
        article = "a whole number" if self.kind == "whole" else "a number"
        return f"{article} from {self.low:g} to {self.high:g}" if self.high < 1e9 else f"{article} of at least {self.low:g}"

    def read(self, text: str) -> Value:
        """The value that `text` spells; MeasureError, without the measure's name, if it spells none."""
        value = self._value(text)
        if value is None:
            raise MeasureError(f'{self.name} must be {self.expected}, got "{text[:80]}"')
        return value

    def _value(self, text: str) -> Value | None:
        if self.kind == "choice":
            bare = text[1:-1] if text[:1] in "'\"" and text[:1] == text[-1:] else text
            return bare if bare in self.choices else None
        if self.kind == "yes or no":
            return _TRUTH.get(text)
        if self.kind == "gains":
            return _gains(text)
        if self.kind == "points":
            return _points(text)
        if not (WHOLE if self.kind == "whole" else NUMBER).fullmatch(text):
            return None
        number = int(text) if self.kind == "whole" else float(text)
        return number if self.low <= number <= self.high else None


REL = Parameter("rel", "whole", "the grade from which a document is relevant", None, 1, 127)
JUDGED_ONLY = Parameter("judged_only", "yes or no", "leave unjudged documents out of the ranking first", False)


@dataclass(frozen=True)
class Definition:
    """One entry of the registry.

    `function` takes a Level and its parameters by name, `cutoff` among them, and gives one value per row. `trec_eval` is
    the name there without cutoff and `trec_eval_cut` the stem of the name with one, "" where there is none;
    `trec_eval_as` are names there of our own names with parameters. `summary` how topics become one figure. `low`, `high` bound the values; `better` is their good end. `needs`: what else
    the evaluation must be given.
    """

    name: str
    function: Callable[..., NDArray[np.float64]]
    family: str
    definition: str
    reference: str
    cutoff: CutoffUse = "never"
    cutoff_kind: CutoffKind = "rank"
    parameters: tuple[Parameter, ...] = ()
    takes_rel: bool = True
    takes_judged_only: bool = True
    low: float = 0.0
    high: float = 1.0
    better: Literal["higher", "lower", "neither"] = "higher"
    summary: Summary = "mean"
    needs: Needs = ""
    trec_eval: str = ""
    trec_eval_cut: str = ""
    trec_eval_as: tuple[tuple[str, str], ...] = ()

    @property
    def all_parameters(self) -> tuple[Parameter, ...]:
        common = (REL,) * self.takes_rel + (JUDGED_ONLY,) * self.takes_judged_only
        return (*self.parameters, *common)

    @property
    def example(self) -> str:
        """A name it can be asked for by."""
        at = {"rank": "@10", "recall": "@0.5", "multiple": "@0.8"}[self.cutoff_kind]
        return self.name + (at if self.cutoff == "always" else "")


@dataclass(frozen=True)
class Measure:
    """A definition with its parameters, those alone that were given. No `rel`: the level the evaluation is asked for."""

    definition: Definition
    cutoff: Cutoff | None = None
    parameters: tuple[tuple[str, Value], ...] = field(default=())

    def __str__(self) -> str:
        told = ",".join(f"{name}={_spelled(value)}" for name, value in self.parameters)
        at = "" if self.cutoff is None else f"@{float(self.cutoff):.12g}"
        return self.definition.name + (f"({told})" if told else "") + at

    @property
    def rel(self) -> int | None:
        value = dict(self.parameters).get("rel")
        return value if isinstance(value, int) else None

    def at(self, rel: int) -> "Measure":
        """The same measure with a level of its own."""
        told = dict(self.parameters) | {"rel": rel}
        order = [parameter.name for parameter in self.definition.all_parameters]
        return Measure(self.definition, self.cutoff, tuple((name, told[name]) for name in order if name in told))

    @property
    def judged_only(self) -> bool:
        return bool(dict(self.parameters).get("judged_only", False))

    @property
    def trec_eval(self) -> str:
        """The name in trec_eval's output, which knows no level; where it has none this is our own."""
        bare = Measure(self.definition, self.cutoff, tuple(pair for pair in self.parameters if pair[0] != "rel"))
        for own, theirs in self.definition.trec_eval_as:
            if str(bare) == own:
                return theirs
        if bare.parameters:
            return str(self)
        if self.cutoff is None:
            return self.definition.trec_eval or str(self)
        if not self.definition.trec_eval_cut:
            return str(self)
        at = str(self.cutoff) if isinstance(self.cutoff, int) else f"{float(self.cutoff):3.2f}"
        return f"{self.definition.trec_eval_cut}_{at}"

    def values(self, level: "Level | PartScores") -> NDArray[np.float64]:
        """One value per row of the judged rankings, or per topic of scored parts for a measure that needs evidence."""
        told = {name: value for name, value in self.parameters if name not in ("rel", "judged_only")}
        if self.cutoff is not None:
            told["cutoff"] = self.cutoff  # type: ignore[assignment]
        return self.definition.function(level, **told)


def _spelled(value: Value) -> str:
    if isinstance(value, tuple):
        return "{" + ",".join(f"{one[0]}:{one[1]:g}" if isinstance(one, tuple) else f"{float(one):.12g}" for one in value) + "}"
    return f"{value:.12g}" if isinstance(value, float) else repr(value)


def _gains(text: str) -> Gains | None:
    if not (text.startswith("{") and text.endswith("}")):
        return None
    pairs, inside, at = [], text[1:-1], 0
    while at < len(inside):
        found = _PAIR.match(inside, at)
        if found is None:
            return None
        pairs.append((int(found[1]), float(found[2])))
        at = found.end()
    distinct = {grade for grade, _ in pairs}
    return tuple(sorted(pairs)) if pairs and len(distinct) == len(pairs) and min(distinct) >= 0 else None


def _points(text: str) -> Points | None:
    parts = [part.strip() for part in text[1:-1].split(",")] if text.startswith("{") and text.endswith("}") else []
    if not parts or not all(NUMBER.fullmatch(part) for part in parts):
        return None
    points = sorted({Fraction(part) for part in parts})
    return tuple(points) if len(points) == len(parts) and points[0] >= 0 and points[-1] <= 1 else None
