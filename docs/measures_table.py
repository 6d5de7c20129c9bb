"""The tables of docs/measures.md, from the registry of measures."""

from evaluation.core.catalogue import DEFINITIONS
from evaluation.core.definitions import Definition, Parameter
from evaluation.core.references import REFERENCES

_CUTOFFS = {"rank": "k", "recall": "x", "multiple": "x"}


def tables() -> str:
    """A heading and a table for each family, then the parameters all share, then the references."""
    parts = []
    for family in dict.fromkeys(entry.family for entry in DEFINITIONS.values()):
        rows = [_row(entry) for entry in DEFINITIONS.values() if entry.family == family]
        head = ["| measure | what it tells | range | over topics | trec_eval | reference |", "|---|---|---|---|---|---|"]
        parts += [f"### {family}", "", *head, *rows, ""]
        told = [line for entry in DEFINITIONS.values() if entry.family == family for line in _parameters(entry)]
        parts += [*told, ""] if told else []
    parts += ["### References", "", *(f"- **{short}.** {full}" for short, full in sorted(REFERENCES.items()))]
    return "\n".join(parts)


def _row(entry: Definition) -> str:
    letter = _CUTOFFS[entry.cutoff_kind]
    name = {"never": entry.name, "always": f"{entry.name}@{letter}", "optional": f"{entry.name}, {entry.name}@{letter}"}[
        entry.cutoff
    ]
    needs = {
        "": "",
        "documents": " Needs the number of documents in the collection.",
        "known": " Needs the documents the user knew.",
        "expected": " Needs the number the user expects.",
        "evidence": " Needs marked passages.",
        "strata": " Needs sampled qrels.",
        "inclusion": " Needs prels.",
    }[entry.needs]
    theirs = [
        entry.trec_eval,
        f"{entry.trec_eval_cut}_{letter}" if entry.trec_eval_cut else "",
        *(name for _, name in entry.trec_eval_as),
    ]
    shown = ", ".join(f"`{one}`" for one in theirs if one)
    better = {"higher": "", "lower": ", low is good", "neither": ", neither end is good"}[entry.better]
    bounds = f"{_bound(entry.low)} to {_bound(entry.high)}{better}"
    return f"| `{name}` | {entry.definition}{needs} | {bounds} | {entry.summary} | {shown} | {entry.reference} |"


def _bound(value: float) -> str:
    return {float("inf"): "∞", -float("inf"): "-∞"}.get(value, f"{value:g}")


def _parameters(entry: Definition) -> list[str]:
    return [f"- `{entry.name}`: `{one.name}=` {_told(one)}" for one in entry.parameters]


def _told(one: Parameter) -> str:
    default = "" if one.default is None else f"; `{one.default}` unless given".replace("`2.0`", "`2`").replace("`1.0`", "`1`")
    return f"{one.about}, {one.expected}{default}."
