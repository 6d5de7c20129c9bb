"""Which measures a collection is scored by, and which of them a table shows."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from evaluation import samples
from evaluation.core.registry import Measure, MeasureError, parse_measure
from evaluation.models import ScoringPlan
from pooling import selectors as pooling
from pooling.models import Collection

USUAL = ("AP", "Bpref", "nDCG", "nDCG@10", "P@10", "Rprec", "RR", "R@1000")
COUNTS = ("NumRet", "NumRel", "NumRelRet")
ESTIMATED = ("infAP", "xinfAP", "infNDCG", "statAP", "statP@10")  # from a sampled pool
ON_ANY_SAMPLE = ("Bpref", "NumRet")  # heed judged documents alone, or none
JUDGED = "Judged@10"  # a mean alone: of the run's top, not of what it is worth
# What people call a measure, where the registry's name is another: the same on every page, but for `topic_label`.
LABELS = {
    "AP": "MAP",
    "Bpref": "bpref",
    "R": "Recall",
    "Rprec": "R-precision",
    "Judged": "judged",
    "NumRet": "Retrieved",
    "NumRel": "Relevant",
    "NumRelRet": "Found",
}
PLAN = "_scoring_plan"  # where a collection in hand remembers its own
# lenient_from and strict_from, as of a release or of now; documents: of the corpus, None where it does not hold them all;
# sample: the strategy of a sampled pool, strata: how many
Counts = Mapping[str, Any]
SIGNS = {"higher": 1, "lower": -1, "neither": 0}
LIVE = "live"  # in the place of that strategy: estimates are of releases alone


def plan(collection: Collection) -> ScoringPlan:
    """As it was set, or the default: the usual measures, for everybody who sees a release. Asked for once by a request."""
    known = collection.__dict__
    if PLAN not in known:
        known[PLAN] = ScoringPlan.objects.filter(collection=collection).first() or ScoringPlan(collection=collection)
    found: ScoringPlan = known[PLAN]
    return found


def settled(collection: Collection) -> dict[str, Any]:
    """What scores depend on beside runs and judgments, as a release records it: from which grade a document is relevant,
    and how many documents there are."""
    corpus = pooling.corpus(collection)
    return {
        "lenient_from": collection.lenient_from,
        "strict_from": collection.strict_from,
        "documents": (corpus.document_count or None) if corpus.is_complete else None,
    }


def live_counts(collection: Collection) -> Counts:
    """The counts of now, in the place of a release's."""
    return {**settled(collection), "sample": LIVE} if samples.sampled_round(collection) else settled(collection)


def top_grade(collection: Collection) -> int | None:
    """The highest of the scale, which an unjudged document may turn out to have."""
    return collection.grades.order_by("-value").values_list("value", flat=True).first()


def measures(collection: Collection, counts: Counts) -> list[Measure]:
    """What a run is scored by: official measures first, then those shown, the usual ones, counts, and the strict view of all."""
    plain = [measure for measure in _wanted(collection, counts) if supports(measure, counts)]
    return list(dict.fromkeys([*plain, *(strict_view(measure, counts) for measure in plain)]))


def _wanted(collection: Collection, counts: Counts) -> list[Measure]:
    estimates = ESTIMATED if counts.get("sample") else ()
    return [*official(collection), *_known([*plan(collection).shown, *estimates, *USUAL, *COUNTS])]


def supports(measure: Measure, counts: Counts) -> bool:
    """A sampled pool supports what is estimated from it, and what heeds judged documents alone; another all but estimates.
    Some need to know how many documents there are."""
    sample, needs = counts.get("sample"), measure.definition.needs
    if not sample:
        return needs not in ("strata", "inclusion") and not unsized(measure, counts)
    if needs == "strata":
        return sample not in (*samples.WITHOUT_STRATA, LIVE)
    if measure.definition.name == "infAP":  # of a uniform sample
        return counts.get("strata") == 1 and sample != LIVE
    return (needs == "inclusion" and sample != LIVE) or measure.definition.name in ON_ANY_SAMPLE


def unsized(measure: Measure, counts: Counts) -> bool:
    return measure.definition.needs == "documents" and not counts.get("documents")


ONLY_RELEVANT = "These qrels list relevant documents only; what they lack counts as not relevant."


def only_relevant(counts: Counts) -> bool:
    """Whether no document is judged not relevant, so that what is judged is what is relevant; of a release."""
    judged = [int(grade) for grade in counts.get("grades", ()) if int(grade) >= 0]
    return bool(judged) and min(judged) >= counts["lenient_from"]


def unsupported(collection: Collection, counts: Counts) -> tuple[list[str], list[str]]:
    """Measures that would be shown: those that a sampled pool cannot support, or that need one; and, of another pool, those
    that need the number of documents where it is not known."""
    wanted = [one for one in _wanted(collection, counts) if one.definition.name not in COUNTS and not supports(one, counts)]
    sizeless = [] if counts.get("sample") else [one for one in wanted if unsized(one, counts)]
    others = [one for one in wanted if one not in sizeless]
    return list(dict.fromkeys(map(str, others))), list(dict.fromkeys(map(str, sizeless)))


def official(collection: Collection) -> list[Measure]:
    """Those that something here computes."""
    return _known(collection.measures)


def _known(names: list[str]) -> list[Measure]:
    found = []
    for name in names:
        try:
            found.append(parse_measure(name))
        except MeasureError:
            continue
    return found


def unknown_measures(collection: Collection) -> list[str]:
    """Official measures that nothing here computes."""
    return [name for name in collection.measures if not _known([name])]


def has_strict(counts: Counts) -> bool:
    """Whether the strict view differs: a threshold of its own, which measures can name."""
    return bool(counts["strict_from"] > max(counts["lenient_from"], 0))


def strict_view(measure: Measure, counts: Counts) -> Measure:
    if not has_strict(counts) or not measure.definition.takes_rel or measure.rel is not None:
        return measure
    return measure.at(counts["strict_from"])


@dataclass(frozen=True)
class Column:
    """A measure over a table. `sorted`: ascending, descending or ""; `sort` is what its link asks for."""

    name: str
    label: str
    about: str
    is_count: bool
    official: bool
    sign: int  # 1: a high value is a good one; -1: a low one; 0: neither
    sorted: str = ""
    sort: str = ""

    @property
    def best(self) -> bool:
        """Whether one of its values can be the best."""
        return self.sign != 0

    @property
    def of_topic(self) -> "Column":
        return replace(self, label=topic_label(self.name))

    def text(self, value: float) -> str:
        return "–" if value != value else f"{value:,.0f}" if self.is_count else f"{value:.4f}"


def columns(collection: Collection, counts: Counts, *, strict: bool = False) -> list[Column]:
    """The measures of a table in one view: official ones first, then those the organizers show, or the usual ones."""
    leading = [measure for measure in official(collection) if supports(measure, counts)]
    estimates = ESTIMATED if counts.get("sample") else ()
    shown = [*leading, *_known([*estimates, *(plan(collection).shown or USUAL)])]
    shown = [measure for measure in shown if supports(measure, counts)]
    seen = dict.fromkeys(strict_view(measure, counts) if strict else measure for measure in shown)
    firsts = {strict_view(measure, counts) if strict else measure for measure in leading}
    return [column(measure, official=measure in firsts) for measure in seen]


def label(name: str) -> str:
    """What people call the measure of this name; the name itself where nothing here computes it."""
    try:
        measure = parse_measure(name)
    except MeasureError:
        return name
    plain = measure.definition.name
    return str(measure).replace(plain, LABELS.get(plain, plain), 1)


def topic_label(name: str) -> str:
    """The same of one topic alone: there the mean of average precisions is an average precision."""
    return label(name).replace("MAP", "AP", 1) if label(name).startswith("MAP") else label(name)


def spelt(names: Iterable[str], called: Callable[[str], str] = label) -> str:
    """Of these measures those that people call otherwise, with the name that files, API and commands take."""
    return ", ".join(f"{called(name)} is {name}" for name in dict.fromkeys(names) if called(name) != name)


def column(measure: Measure, *, official: bool = False) -> Column:
    definition = measure.definition
    name = str(measure)
    is_count = definition.summary == "sum"
    about = definition.definition.removesuffix(".") + (f" ({definition.reference})." if definition.reference else ".")
    return Column(name, label(name), about, is_count, official, SIGNS[definition.better])


def sign(name: str) -> int:
    """Of scores that are compared: -1 where a low one is better, by the registry."""
    return SIGNS[parse_measure(name).definition.better] or 1


JUDGED_COLUMN = Column(JUDGED, "judged@10", "Share of the first ten documents that somebody judged.", False, False, 0)
