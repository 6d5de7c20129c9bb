"""What trec_eval's -m asks for: its names, parameters and sets, in the order of its output."""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from evaluation.core.definitions import Measure, MeasureError
from evaluation.core.registry import parse_measure

Kind = Literal["none", "ranks", "numbers", "one number", "four numbers", "gains", "p", "length", "points"]

DEPTHS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
POINTS = tuple(point / 10 for point in range(11))
MULTIPLES = tuple(multiple / 5 for multiple in range(1, 11))
RELSTRING = 10


@dataclass(frozen=True)
class Line:
    """A line of output: the name it bears and the measure behind it; `special` ones are text, of no measure.

    `length` is that of relstring.
    """

    name: str
    measure: Measure | None = None
    special: Literal["", "runid", "relstring"] = ""
    length: int = RELSTRING

    @classmethod
    def of(cls, measure: Measure) -> "Line":
        """Under trec_eval's name; it knows no level in a name, so that one with its own keeps ours."""
        return cls(measure.trec_eval if measure.rel is None else str(measure), measure)

    @property
    def in_topics(self) -> bool:
        """Whether it is printed for each topic."""
        if self.measure is None:
            return self.special == "relstring"
        return self.measure.definition.summary != "geometric mean" and self.measure.definition.name != "NumQ"

    @property
    def in_summary(self) -> bool:
        return self.special != "relstring"


@dataclass(frozen=True)
class _Family:
    """A name of trec_eval's: what its parameters are, those it has by default, and our own name."""

    kind: Kind
    own: str
    default: tuple[float, ...] = ()
    sets: frozenset[str] = frozenset()


_ALL = frozenset({"all_trec"})
_NEW = frozenset({"all_trec of 10"})
_OFFICIAL = frozenset({"all_trec", "official"})
_SET = frozenset({"all_trec", "set"})
_EVERY = _OFFICIAL | _SET
FAMILIES: dict[str, _Family] = {
    "runid": _Family("none", "", sets=_EVERY),
    "num_q": _Family("none", "NumQ", sets=_EVERY),
    "num_ret": _Family("none", "NumRet", sets=_EVERY),
    "num_rel": _Family("none", "NumRel", sets=_EVERY),
    "num_rel_ret": _Family("none", "NumRelRet", sets=_EVERY),
    "map": _Family("none", "AP", sets=_OFFICIAL),
    "gm_map": _Family("none", "GMAP", sets=_OFFICIAL),
    "Rprec": _Family("none", "Rprec", sets=_OFFICIAL),
    "bpref": _Family("none", "Bpref", sets=_OFFICIAL),
    "recip_rank": _Family("none", "RR", sets=_OFFICIAL),
    "iprec_at_recall": _Family("numbers", "IPrec", POINTS, _OFFICIAL),
    "P": _Family("ranks", "P", DEPTHS, _OFFICIAL),
    "relstring": _Family("length", "", (RELSTRING,), _ALL),
    "recall": _Family("ranks", "R", DEPTHS, _ALL),
    "infAP": _Family("none", "infAP", sets=_ALL),
    "gm_bpref": _Family("none", "GMBpref", sets=_ALL),
    "Rprec_mult": _Family("numbers", "RprecMult", MULTIPLES, _ALL),
    "utility": _Family("four numbers", "Utility", sets=_SET),
    "11pt_avg": _Family("points", "Avg11pt", sets=_ALL),
    "binG": _Family("none", "BinG", sets=_ALL),
    "G": _Family("gains", "G", sets=_ALL),
    "dcg": _Family("gains", "DCG"),
    "ideal_dcg": _Family("gains", "IDCG"),
    "ndcg": _Family("gains", "nDCG", sets=_ALL),
    "ndcg_rel": _Family("gains", "nDCGRel", sets=_ALL),
    "Rndcg": _Family("gains", "RnDCG", sets=_ALL),
    "ndcg_cut": _Family("ranks", "nDCG", DEPTHS, _ALL),
    "map_cut": _Family("ranks", "AP", DEPTHS, _ALL),
    "relative_P": _Family("ranks", "RelP", DEPTHS, _ALL),
    "success": _Family("ranks", "Success", (1, 5, 10), _ALL),
    "set_P": _Family("none", "SetP", sets=_SET),
    "set_relative_P": _Family("none", "SetP(relative=True)", sets=_SET),
    "set_recall": _Family("none", "SetR", sets=_SET),
    "set_map": _Family("none", "SetAP", sets=_SET),
    "set_F": _Family("one number", "SetF", sets=_SET),
    "num_nonrel_judged_ret": _Family("none", "NumNonrelJudgedRet", sets=_ALL),
    "yaap": _Family("none", "Yaap"),
    "rbp": _Family("p", "RBP(p=0.9,gain='topic')", sets=_NEW),
    "rbp_resid": _Family("p", "RBPResidual(p=0.9,tail='unjudged')", sets=_NEW),
    "unj": _Family("ranks", "Unjudged", (5, 10, 20), _NEW),
}
SETS = ("official", "set", "all_trec")

_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)")
_PLACES = {name: place for place, name in enumerate(FAMILIES)}


def lines(asked: Sequence[str], *, all_trec_10: bool = True) -> list[Line]:
    """The lines that the -m of a command ask for, in trec_eval's order; names of ours follow in the order given.

    A MeasureError names what cannot be understood. As in trec_eval, parameters given first hold, wherever they stand
    among the -m: after `P.5` neither `P.10` nor a set changes those of P, and after `P` or a set `P.5` does.
    """
    families: dict[str, list[Line]] = {}
    told: set[str] = set()
    own: list[Line] = []
    for text in asked or ("official",):
        if text in SETS:
            for name in _members(text, all_trec_10=all_trec_10):
                families.setdefault(name, _family_lines(name, ""))
            continue
        name, dot, parameters = text.partition(".")
        if name in FAMILIES:
            if dot and not parameters:
                raise MeasureError(f'"{text[:80]}": expected parameters behind the dot, found none.')
            found = _family_lines(name, parameters)
            if name not in families or (dot and name not in told):
                families[name] = found
            if dot:
                told.add(name)
        else:
            measure = parse_measure(text)
            own.append(Line.of(measure))
    ordered = [line for name in sorted(families, key=_PLACES.__getitem__) for line in families[name]]
    listed = {line.name for line in ordered}
    return ordered + [line for line in dict.fromkeys(own) if line.name not in listed]


def _members(nickname: str, *, all_trec_10: bool) -> Iterable[str]:
    wanted = {nickname, "all_trec of 10"} if nickname == "all_trec" and all_trec_10 else {nickname}
    return [name for name, family in FAMILIES.items() if family.sets & wanted]


def _family_lines(name: str, parameters: str) -> list[Line]:
    family = FAMILIES[name]
    if name == "runid":
        return [Line(name, special="runid")]
    if family.kind == "length":
        told = _numbers(name, parameters) if parameters else [RELSTRING]
        return [Line(_told(name, parameters), special="relstring", length=int(told[0]))]
    if family.kind in ("ranks", "numbers"):
        cutoffs = sorted(_numbers(name, parameters)) if parameters else list(family.default)
        return _cut_lines(name, family, cutoffs)
    if not parameters:
        return [Line(name, parse_measure(family.own))]
    return [Line(_told(name, parameters), parse_measure(_with_parameters(name, family, parameters)))]


def _cut_lines(name: str, family: _Family, cutoffs: Sequence[float]) -> list[Line]:
    if len(set(cutoffs)) != len(cutoffs):
        raise MeasureError(f'"{name}": expected cutoffs that differ, got one twice.')
    if family.kind == "numbers":
        return [Line(f"{name}_{cutoff:3.2f}", parse_measure(f"{family.own}@{cutoff:.12g}")) for cutoff in cutoffs]
    for cutoff in cutoffs:
        if cutoff < 1 or cutoff != int(cutoff):
            raise MeasureError(f'"{name}": expected cutoffs that are whole numbers of at least 1, got {cutoff:g}.')
    return [Line(f"{name}_{cutoff:.0f}", parse_measure(f"{family.own}@{cutoff:.0f}")) for cutoff in cutoffs]


def _told(name: str, parameters: str) -> str:
    return f"{name}_{parameters}" if parameters else name


def _numbers(name: str, parameters: str) -> list[float]:
    found = parameters.split(",")
    for text in found:
        if not _NUMBER.fullmatch(text):
            raise MeasureError(f'"{name}": expected numbers with commas between, got "{parameters[:80]}".')
    return [float(text) for text in found]


def _with_parameters(name: str, family: _Family, parameters: str) -> str:
    """Our name for one of trec_eval's with parameters."""
    if family.kind == "gains":
        pairs = [pair.partition("=") for pair in parameters.split(",")]
        return f"{family.own}(gains={{{','.join(f'{grade}:{gain}' for grade, _, gain in pairs)}}})"
    if family.kind == "points":
        _numbers(name, parameters)
        return f"{family.own}(points={{{parameters}}})"
    if family.kind == "one number":  # the square of beta
        return f"{family.own}(beta={math.sqrt(_numbers(name, parameters)[0]):.12f})"
    if family.kind == "four numbers" and len(worth := _numbers(name, parameters)) == 4:
        return f"{family.own}({','.join(f'{letter}={one:.12g}' for letter, one in zip('abcd', worth, strict=True))})"
    if family.kind == "p" and parameters.startswith("p="):
        return family.own.replace("p=0.9", f"p={_numbers(name, parameters[2:])[0]:.12g}")
    raise MeasureError(f'"{name}" takes no parameters like "{parameters[:80]}".')
