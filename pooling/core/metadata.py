"""What a run says of itself: ir_metadata's YAML, and the figures of its efficiency."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from pooling.core.findings import Report, shown

MAX_BYTES = 256 * 1024
MAX_DEPTH = 20


@dataclass(frozen=True)
class Figure:
    """One efficiency figure; forms, API and commands are made from these."""

    name: str
    label: str
    unit: str


FIGURES = (
    Figure("indexing_seconds", "Indexing time", "s"),
    Figure("cpu_seconds", "CPU time", "s"),
    Figure("latency_mean_ms", "Query latency, mean", "ms"),
    Figure("latency_median_ms", "Query latency, median", "ms"),
    Figure("latency_p95_ms", "Query latency, 95th percentile", "ms"),
    Figure("latency_p99_ms", "Query latency, 99th percentile", "ms"),
    Figure("throughput_qps", "Throughput", "queries/s"),
    Figure("index_bytes", "Index size", "bytes"),
    Figure("temporary_bytes", "Temporary space", "bytes"),
)
_NAMES = {figure.name for figure in FIGURES}


@dataclass(frozen=True)
class Metadata:
    """What an ir_metadata file tells, as far as a run has a place for it; `whole` is all of it."""

    tag: str = ""
    group: str = ""
    kind: str = ""
    description: str = ""
    figures: dict[str, float] = field(default_factory=dict)
    whole: dict[str, Any] = field(default_factory=dict)


def checked_figures(values: Mapping[str, object]) -> dict[str, float]:
    """The figures that were given, as numbers; a ValueError says what was expected and what came."""
    figures: dict[str, float] = {}
    for name, value in values.items():
        if name not in _NAMES:
            raise ValueError(f"“{shown(name)}” is no efficiency figure; expected one of {', '.join(sorted(_NAMES))}.")
        if value is None or value == "":
            continue
        try:
            number = float(str(value))
        except ValueError:
            number = -1.0
        if isinstance(value, bool) or not math.isfinite(number) or number < 0:
            raise ValueError(f"{name}: expected a number of at least 0; found “{shown(str(value))}”.")
        figures[name] = number
    return figures


class _Loader(yaml.SafeLoader):
    """Without aliases: a few lines of them stand for gigabytes."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("aliases (*name) are not read")
        return super().compose_node(parent, index)


def read_metadata(text: str, report: Report) -> Metadata:
    """The metadata of a run, from a YAML file beside it or from its comments (ir-metadata.org; Breuer et al. 2022).

    `actor: team` is the group, `method: automatic` the kind, `research goal` or `method: description` the description,
    `efficiency` or `resources` hold the figures. METADATA is an error where it is no YAML, or a figure no number.
    """
    try:
        if len(text) > MAX_BYTES:
            raise ValueError(f"{len(text):,} characters; at most {MAX_BYTES:,} are allowed")
        whole = yaml.load(text, _Loader)  # noqa: S506  # a SafeLoader, and stricter
        whole = {} if whole is None else whole
        if not isinstance(whole, dict):
            raise ValueError("expected names and values")
        plain = _plain(whole)
        return _metadata(plain)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" at line {mark.line + 1}" if mark else ""
        words = getattr(error, "problem", None) or str(error)
        report.add("error", "METADATA", 0, f"The metadata is no YAML{where}: {shown(str(words))}.")
    except (ValueError, RecursionError) as error:
        report.add("error", "METADATA", 0, f"The metadata cannot be used: {shown(str(error))}.")
    report.offers = ()  # no repair of the lines would help
    return Metadata()


def _metadata(whole: dict[str, Any]) -> Metadata:
    actor, method = _part(whole, "actor"), _part(whole, "method")
    figures = {**_part(whole, "resources"), **_part(whole, "efficiency")}
    automatic = method.get("automatic")
    kind = "" if automatic is None else "manual" if str(automatic).lower() in ("false", "no") else "automatic"
    goal = whole.get("research goal", "")
    told = (
        method.get("description")
        or whole.get("description")
        or (goal.get("description", "") if isinstance(goal, dict) else goal)
    )
    return Metadata(
        tag=str(whole.get("tag", "") or ""),
        group=str(actor.get("team", "") or "")[:80],
        kind=kind,
        description=str(told or "")[:5000],
        figures=checked_figures({name: value for name, value in figures.items() if name in _NAMES}),
        whole=whole,
    )


def _part(whole: Mapping[str, Any], name: str) -> dict[str, Any]:
    found = whole.get(name)
    return found if isinstance(found, dict) else {}


def _plain(value: object, depth: int = 0) -> Any:
    """As JSON can hold it: dates and the like become text."""
    if depth > MAX_DEPTH:
        raise ValueError(f"nested more than {MAX_DEPTH} deep")
    if isinstance(value, dict):
        return {str(key): _plain(inner, depth + 1) for key, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner, depth + 1) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def told_figures(figures: dict[str, float]) -> list[tuple[Figure, str]]:
    """The figures that are there, in their order, as a page shows them."""
    return [(figure, f"{figures[figure.name]:,.12g}") for figure in FIGURES if figure.name in figures]
