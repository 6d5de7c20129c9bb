"""Every measure under its one name: "nDCG@10" ↔ function, parameters, meaning, citation.

Names are those of ir_measures; trec_eval's are understood too. A measure prints the name it parses.
"""

import difflib
import re
from fractions import Fraction
from functools import lru_cache

from evaluation.core.catalogue import DEFINITIONS
from evaluation.core.definitions import NUMBER, WHOLE, Cutoff, Definition, Measure, MeasureError, Value

__all__ = ["DEFINITIONS", "Definition", "Measure", "MeasureError", "parse_measure"]

_NAME = re.compile(r"([A-Za-z][A-Za-z0-9]*)(?:\(((?:[^(){}]|\{[^(){}]*\})*)\))?(?:@([0-9.]+))?")
_HEAD = re.compile("[A-Za-z][A-Za-z0-9_]*")
_PARAMETER = re.compile(r"\s*([A-Za-z_]+)\s*=\s*(\{[^{}]*\}|'[^']*'|\"[^\"]*\"|[^,{}'\"]+?)\s*(?:,|$)")
_LEVEL = re.compile(r"(?:^|,)\s*rel\s*=")
_CUTOFF = re.compile(r"(?:^|,)\s*cutoff\s*=\s*([0-9.]+)\s*(?=,|$)")

_ALIASES = {entry.trec_eval: entry.name for entry in DEFINITIONS.values() if entry.trec_eval} | {
    theirs: own for entry in DEFINITIONS.values() for own, theirs in entry.trec_eval_as
}
_CUT_ALIASES = {entry.trec_eval_cut: entry.name for entry in DEFINITIONS.values() if entry.trec_eval_cut}


# Other names that ir_measures takes for one.
_NICKNAMES = {"MAP": "AP", "MRR": "RR", "NDCG": "nDCG", "Precision": "P", "Recall": "R", "BPref": "Bpref", "RPrec": "Rprec"}


@lru_cache(maxsize=1024)
def parse_measure(text: str) -> Measure:
    """The measure of a name such as "AP", "AP(rel=2)@100" or trec_eval's "ndcg_cut_10"; MeasureError if there is none."""
    text = text.strip()
    matched = _NAME.fullmatch(_own_name(text))
    name, told, at = _of_ir_measures(*matched.groups()) if matched else ("", None, None)
    if name not in DEFINITIONS:
        near = _nearest(text)
        meant = f"did you mean {near}?" if near else "expected one such as AP, nDCG@10, P@10 or Bpref."
        where = f"All {len(DEFINITIONS)} are under Measures, and listed by “assize measures”."
        raise MeasureError(f'"{text[:80]}" is not a measure; {meant} {where}')
    definition = DEFINITIONS[name]
    try:
        measure = Measure(definition, _cutoff(definition, at), _parameters(definition, told))
        _check_together(measure)
        return measure
    except MeasureError as error:
        raise MeasureError(f'"{text[:80]}": {error}.') from None


def _nearest(text: str) -> str:
    """The measure that somebody may have meant: the same name in other letters, else one much like it."""
    head = _HEAD.match(text)
    if head is None:
        return ""
    names = {own.lower(): own for own in (*_NICKNAMES, *DEFINITIONS)}
    asked = head[0][:40].lower()
    close = difflib.get_close_matches(asked, names, 1) if len(asked) > 1 else []
    name = names.get(asked) or next((names[one] for one in close), "")
    if not name:
        return ""
    name = _NICKNAMES.get(name, name)
    meant = name + text[head.end() :]
    try:
        return str(parse_measure(meant)) if _NAME.fullmatch(meant) else DEFINITIONS[name].example
    except MeasureError:
        return DEFINITIONS[name].example


def _own_name(text: str) -> str:
    """Our name for a name of trec_eval's, or the text itself."""
    if text in _ALIASES:
        return _ALIASES[text]
    stem, _, cutoff = text.rpartition("_")
    return f"{_CUT_ALIASES[stem]}@{cutoff}" if stem in _CUT_ALIASES and cutoff.isascii() else text


def _of_ir_measures(name: str, told: str | None, at: str | None) -> tuple[str, str | None, str | None]:
    """Name, parameters and cutoff, where ir_measures writes them otherwise: other names, cutoff= for @, NumRet(rel=1)."""
    name = _NICKNAMES.get(name, name)
    if name == "SetRelP":
        name, told = "SetP", ",".join(filter(None, ("relative=True", told)))
    if name == "NumRet" and told and _LEVEL.search(told):
        name = "NumRelRet"
    if told and at is None and (cut := _CUTOFF.search(told)):
        told, at = (told[: cut.start()] + told[cut.end() :]).removeprefix(",") or None, cut[1]
    return name, told, at


def _cutoff(definition: Definition, text: str | None) -> Cutoff | None:
    if text is None:
        if definition.cutoff == "always":
            raise MeasureError(f"{definition.name} needs a cutoff, as in {definition.example}")
        return None
    if definition.cutoff == "never":
        raise MeasureError(f"{definition.name} takes no cutoff")
    if definition.cutoff_kind == "rank":
        if not WHOLE.fullmatch(text) or int(text) < 1:
            raise MeasureError(f"the cutoff must be a whole number of at least 1, got {text}")
        return int(text)
    highest = 1 if definition.cutoff_kind == "recall" else 100
    if not NUMBER.fullmatch(text) or Fraction(text) > highest:
        raise MeasureError(f"the cutoff must be a number from 0 to {highest}, got {text}")
    return Fraction(text)


def _parameters(definition: Definition, text: str | None) -> tuple[tuple[str, Value], ...]:
    if text is None:
        return ()
    known = {parameter.name: parameter for parameter in definition.all_parameters}
    told: dict[str, Value] = {}
    at = 0
    while at < len(text) or not told:
        found = _PARAMETER.match(text, at)
        if found is None or found[1] not in known or found[1] in told:
            listed = " or ".join(f"{name}=" for name in known)
            wanted = f"expected {listed}" if known else f"{definition.name} takes no parameters"
            raise MeasureError(f'{wanted}, each once, got "{text[:80]}"' if known else f'{wanted}, got "{text[:80]}"')
        told[found[1]] = known[found[1]].read(found[2])
        at = found.end()
    return tuple((name, told[name]) for name in known if name in told)


def _check_together(measure: Measure) -> None:
    """What no parameter can tell by itself."""
    told = dict(measure.parameters)
    if "dcg" in told and "form" in told:
        raise MeasureError("dcg= and form= say the same thing; expected one of them")
    if measure.definition.name == "Avg11pt" and "points" in told and told.get("rule", "ceiling") != "ceiling":
        raise MeasureError("rule= knows the recall levels 0, 0.1, … 1 alone; expected it without points=")
    if measure.definition.name == "IPrec" and told.get("rule", "ceiling") != "ceiling" and (measure.cutoff or 0) * 10 % 1:
        raise MeasureError(f"rule={told['rule']!r} knows the recall levels 0, 0.1, … 1 alone")
