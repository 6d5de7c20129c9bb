"""Every measure under its one name: "nDCG@10" ↔ function, parameters, meaning, citation.

Names are those of ir_measures; trec_eval's are understood too. A measure prints the name it parses.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from evaluation.core.judged import Level
from evaluation.core.measures import graded, incomplete, ranked, sets

Cutoff = Literal["never", "optional", "always"]

_NAME = re.compile(r"([A-Za-z][A-Za-z0-9]*)(?:\(([^()]*)\))?(?:@([0-9]+))?")
_PARAMETER = re.compile(r"\s*rel\s*=\s*([0-9]+)\s*")


class MeasureError(ValueError):
    """A measure's name that cannot be understood; the message says why."""


@dataclass(frozen=True)
class Definition:
    """One entry of the registry.

    `function` takes a Level and a cutoff (None where it has none) and gives one value per row. `trec_eval` is the name
    there without cutoff and `trec_eval_cut` the stem of the name with one, "" where there is none. `summary` says how
    topics become one figure. `low`, `high` bound the values; `better` is their good end.
    """

    name: str
    function: Callable[..., NDArray[np.float64]]
    definition: str
    reference: str
    cutoff: Cutoff = "never"
    takes_rel: bool = True
    low: float = 0.0
    high: float = 1.0
    better: Literal["higher", "neither"] = "higher"
    summary: Literal["mean", "sum"] = "mean"
    trec_eval: str = ""
    trec_eval_cut: str = ""


@dataclass(frozen=True)
class Measure:
    """A definition with its parameters. `rel` None means the level the evaluation is asked for."""

    definition: Definition
    cutoff: int | None = None
    rel: int | None = None

    def __str__(self) -> str:
        rel = f"(rel={self.rel})" if self.rel is not None else ""
        return f"{self.definition.name}{rel}" + (f"@{self.cutoff}" if self.cutoff is not None else "")

    @property
    def trec_eval(self) -> str:
        """The name in trec_eval's output; it has none for some, and then this is our own."""
        if self.cutoff is None:
            return self.definition.trec_eval or str(self)
        return f"{self.definition.trec_eval_cut}_{self.cutoff}" if self.definition.trec_eval_cut else str(self)

    def values(self, level: Level) -> NDArray[np.float64]:
        """One value per row of the judged rankings."""
        return self.definition.function(level, self.cutoff)


def _count(
    name: str, function: Callable[..., NDArray[np.float64]], meaning: str, trec_eval: str, takes_rel: bool
) -> Definition:
    high = float("inf")
    return Definition(
        name, function, meaning, "", takes_rel=takes_rel, high=high, better="neither", summary="sum", trec_eval=trec_eval
    )


DEFINITIONS: dict[str, Definition] = {
    entry.name: entry
    for entry in (
        _count("NumRet", sets.num_ret, "Documents retrieved.", "num_ret", takes_rel=False),
        _count("NumRel", sets.num_rel, "Documents judged relevant.", "num_rel", takes_rel=True),
        _count("NumRelRet", sets.num_rel_ret, "Relevant documents retrieved.", "num_rel_ret", takes_rel=True),
        Definition(
            "AP",
            ranked.average_precision,
            "Mean of the precision at each relevant document; those not retrieved add 0.",
            "Buckley and Voorhees 2000",
            cutoff="optional",
            trec_eval="map",
            trec_eval_cut="map_cut",
        ),
        Definition(
            "P",
            ranked.precision_at,
            "Share of relevant documents among the first k.",
            "Cleverdon 1967",
            cutoff="always",
            trec_eval_cut="P",
        ),
        Definition(
            "R",
            ranked.recall_at,
            "Share of all relevant documents that are among the first k.",
            "Cleverdon 1967",
            cutoff="always",
            trec_eval_cut="recall",
        ),
        Definition(
            "Rprec",
            ranked.r_precision,
            "Precision after R documents, R the number of relevant ones.",
            "Buckley and Voorhees 2005",
            trec_eval="Rprec",
        ),
        Definition(
            "RR",
            ranked.reciprocal_rank,
            "1 / rank of the first relevant document.",
            "Kantor and Voorhees 2000",
            cutoff="optional",
            trec_eval="recip_rank",
        ),
        Definition(
            "Success",
            ranked.success_at,
            "1 if a relevant document is among the first k.",
            "Craswell and Hawking 2004",
            cutoff="always",
            trec_eval_cut="success",
        ),
        Definition(
            "Bpref",
            incomplete.bpref,
            "How seldom judged non-relevant documents come before relevant ones; unjudged ones are skipped.",
            "Buckley and Voorhees 2004",
            trec_eval="bpref",
        ),
        Definition(
            "nDCG",
            graded.ndcg,
            "Gain of the grades, discounted by the log of the rank, as a share of the best possible.",
            "Järvelin and Kekäläinen 2002",
            cutoff="optional",
            takes_rel=False,
            trec_eval="ndcg",
            trec_eval_cut="ndcg_cut",
        ),
    )
}

_ALIASES = {entry.trec_eval: entry for entry in DEFINITIONS.values() if entry.trec_eval}
_CUT_ALIASES = {entry.trec_eval_cut: entry for entry in DEFINITIONS.values() if entry.trec_eval_cut}


def parse_measure(text: str) -> Measure:
    """The measure of a name such as "AP", "AP(rel=2)@100" or trec_eval's "ndcg_cut_10"; MeasureError if there is none."""
    text = text.strip()
    if text in _ALIASES:
        return Measure(_ALIASES[text])
    stem, _, number = text.rpartition("_")
    if stem in _CUT_ALIASES and number.isascii() and number.isdigit():
        return _measure(text, _CUT_ALIASES[stem], None, number)
    matched = _NAME.fullmatch(text)
    if matched is None or matched[1] not in DEFINITIONS:
        raise MeasureError(f'"{text[:80]}" is not a measure; expected one of {", ".join(DEFINITIONS)}.')
    return _measure(text, DEFINITIONS[matched[1]], matched[2], matched[3])


def _measure(text: str, definition: Definition, parameters: str | None, number: str | None) -> Measure:
    if number is None and definition.cutoff == "always":
        raise MeasureError(f'"{text}" needs a cutoff, as in {definition.name}@10.')
    if number is not None and definition.cutoff == "never":
        raise MeasureError(f'"{text}": {definition.name} takes no cutoff.')
    cutoff = int(number[:10]) if number is not None else None
    if cutoff == 0:
        raise MeasureError(f'"{text}": the cutoff must be at least 1.')
    if parameters is None:
        return Measure(definition, cutoff)
    rel = _PARAMETER.fullmatch(parameters)
    if rel is None or not definition.takes_rel:
        known = "expected rel= and a grade" if definition.takes_rel else f"{definition.name} takes no parameters"
        raise MeasureError(f'"{text}": {known}, got "{parameters[:80]}".')
    if not 1 <= int(rel[1][:10]) <= 127:
        raise MeasureError(f'"{text}": rel must be a grade from 1 to 127.')
    return Measure(definition, cutoff, int(rel[1]))
