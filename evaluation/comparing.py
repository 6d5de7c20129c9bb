"""Two or more runs beside each other: topic by topic, with a test of each pair, and a sentence to quote."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from config.errors import Refusal
from config.keeping import kept
from evaluation import boards, columns, figures, reports, selectors, standings
from evaluation.boards import Wanted
from evaluation.core import charts
from evaluation.core.charts import Chart, Mark, Series
from evaluation.core.comparison import (
    BIASED,
    CORRECTION_WORDS,
    FOR_FAMILIES,
    TEST_WORDS,
    Comparison,
    Pairing,
    System,
    compare_scores,
)
from evaluation.core.orders import kendall, swapped
from evaluation.core.registry import parse_measure
from evaluation.core.significance import differences
from evaluation.standings import Entry, Standing
from pooling.tables import Table

MOST = 12  # runs of one comparison
ENOUGH = 10  # runs from which τ says more than the number of swapped pairs


@dataclass(frozen=True, eq=False)
class Compared:
    """`scores` are runs × topics, in the order of `numbers`; `found` is what the tests say."""

    standing: Standing
    measure: str
    places: list[int]
    numbers: list[str]
    scores: NDArray[np.float64]
    found: Comparison
    reports: list[reports.RunReport]
    baseline: str = ""

    @property
    def against(self) -> list[tuple[int, int]]:
        """The pairs that are drawn, by place in `tags`: each other run against the baseline, or the first against each."""
        if self.baseline:
            ground = self.tags.index(self.baseline)
            return [(one, ground) for one in range(len(self.tags)) if one != ground]
        return [(0, one) for one in range(1, len(self.tags))]

    @property
    def tags(self) -> list[str]:
        return [self.standing.entries[place].tag for place in self.places]

    @property
    def label(self) -> str:
        return columns.label(self.measure)

    @property
    def topic_label(self) -> str:
        """Of its values on single topics."""
        return columns.topic_label(self.measure)

    @property
    def by_family(self) -> bool:
        """Whether one test is of all the runs at once, so that each p minds how many they are."""
        return self.found.test in FOR_FAMILIES and len(self.tags) > 2

    @property
    def sentences(self) -> list[str]:
        """One for each pair, that a reader can quote."""
        systems = {system.tag: system for system in self.found.systems}
        return [self._sentence(pair, systems) for pair in self.found.pairs]

    def _sentence(self, pair: Pairing, systems: dict[str, System]) -> str:
        first, second, effect = systems[pair.first], systems[pair.second], pair.effect
        label = self.label
        change = ""
        if effect.relative:
            change = (
                f": {first.tag} is {abs(effect.relative):.1f}\N{NO-BREAK SPACE}% {'higher' if effect.relative > 0 else 'lower'}"
            )
        told = f"{first.tag} has {label} {first.mean:.4f}, {second.tag} {second.mean:.4f}{change} on {self.found.topics} topics"
        told += f"; {first.tag} is better on {effect.wins}, worse on {effect.losses}, equal on {effect.ties}"
        if pair.p_adjusted is not None:
            corrected = f", {CORRECTION_WORDS[self.found.correction]} correction," if self.found.correction else ""
            family = f" of all {len(systems)} runs" if self.by_family else ""
            p = "< 0.0001" if pair.p_adjusted < 0.0001 else f"= {pair.p_adjusted:.4f}"
            told += f"; {TEST_WORDS[self.found.test]}{family}{corrected} p {p}"
        if effect.g_z is not None:
            told += f"; effect g_z = {effect.g_z:.2f}"
            if effect.g_interval:
                told += f" ({effect.g_interval[0]:.2f} to {effect.g_interval[1]:.2f})"
        if not np.isnan(pair.interval).any():  # of a single topic there is none
            alone = " of this pair alone" if len(self.found.pairs) > 1 else ""
            told += f"; 95 % interval of the difference{alone} {pair.interval[0]:+.4f} to {pair.interval[1]:+.4f}"
        if first.judged is not None and second.judged is not None:
            told += f"; judged@10: {first.tag} {first.judged:.2f}, {second.tag} {second.judged:.2f}"
            if abs(first.judged - second.judged) > BIASED:
                fewer = first.tag if first.judged < second.judged else second.tag
                told += f", so that the comparison may be biased against {fewer}"
        return f"{told}."


def compared(
    standing: Standing, tags: Sequence[str], measure: str = "", *, wanted: Wanted | None = None, baseline: str = ""
) -> Compared:
    """Runs by tag, under one release or live; by the first official measure unless another is named."""
    wanted = wanted or Wanted()
    chosen = list(dict.fromkeys(tags))
    if not 2 <= len(chosen) <= MOST:
        raise Refusal(f"Expected 2 to {MOST} runs to compare; found {len(chosen)}.")
    places = [standing.place(tag) for tag in chosen]
    if baseline and baseline not in chosen:
        raise Refusal(f"Expected a baseline among the runs compared; found “{baseline[:40]}”.")
    name = standings.measure_of(standing, measure)
    if wanted.strict:
        name = str(columns.strict_view(parse_measure(name), standing.counts))
    listed = [topic.decode() for topic in standing.topics.tolist()]
    order = sorted(range(len(listed)), key=lambda place: selectors.natural(listed[place]))
    scores = standing.of(name)[np.ix_(places, order)]
    if np.isnan(scores).any():
        raise Refusal(f"{name} is not defined for every topic; expected another measure.")
    test, correction = boards.chosen_tests(standing, wanted, pairwise=len(chosen))
    judged = standing.means[places, -1]
    unknown = columns.only_relevant(standing.counts)  # judged@10 is P@10 then, and no sign of bias
    key = (standing.key, "compared", tuple(places), name, test, correction, baseline)
    found = kept(
        key,
        lambda: compare_scores(
            chosen,
            scores,
            name,
            test=test,
            correction=correction,
            baseline=chosen.index(baseline) if baseline else None,
            judged=[None if unknown or np.isnan(share) else float(share) for share in judged],
        ),
    )
    if columns.sign(name) < 0:
        found = _turned(found)
    if unknown:
        found = replace(found, notes=(*found.notes, columns.ONLY_RELEVANT))
    told = [reports.run_report(standing, place, strict=wanted.strict) for place in places]
    return Compared(standing, name, places, [listed[place] for place in order], scores, found, told, baseline)


def best_first(standing: Standing, measure: str) -> list[Entry]:
    """The runs that are seen by name; those without a mean by this measure come last."""
    means = columns.sign(measure) * standing.means[:, standing.names.index(measure)]
    named = [place for place in standing.seen if standing.entries[place].named]
    return [standing.entries[place] for place in sorted(named, key=lambda place: (np.isnan(means[place]), -means[place]))]


def usual(ordered: Sequence[Entry]) -> list[str]:
    """What is compared unless one chooses: the best run with the best of one's own, or with the second; none of a single run."""
    if len(ordered) < 2:
        return []
    own = next((entry for entry in ordered[1:] if entry.mine and not ordered[0].mine), ordered[1])
    return [ordered[0].tag, own.tag]


@dataclass(frozen=True)
class Views:
    """How alike the strict and the lenient order of all runs are by one measure: Kendall's τ, and pairs the other way."""

    label: str
    runs: int
    tau: float | None
    swapped: int

    @property
    def words(self) -> str:
        pairs = self.runs * (self.runs - 1) // 2
        tau = "" if self.tau is None else f"τ = {self.tau:.3f}, "
        others = f"{self.swapped:,} of {pairs:,} pairs the other way round"
        few = " With fewer than ten runs the pairs tell more than τ." if self.runs < ENOUGH and self.tau is not None else ""
        return f"Strict and lenient order of all {self.runs:,} runs by {self.label}: {tau}{others}.{few}"


def views(found: Compared) -> Views | None:
    """None where there is one threshold alone, the measure knows none, or a run has no score by it."""
    standing, measure = found.standing, parse_measure(found.measure)
    plain = replace(measure, parameters=tuple(pair for pair in measure.parameters if pair[0] != "rel"))
    both = [str(plain), str(columns.strict_view(plain, standing.counts))]
    if both[0] == both[1] or not set(both) <= set(standing.names) or len(standing.seen) < 2:
        return None
    lenient, strict = (standing.means[standing.seen, standing.names.index(name)] for name in both)
    if np.isnan(lenient).any() or np.isnan(strict).any():
        return None
    return Views(columns.label(both[0]), len(lenient), kendall(lenient, strict), swapped(lenient, strict))


def _turned(found: Comparison) -> Comparison:
    """The same where a low score is the better one: what was counted as won is lost."""
    effects = [replace(pair.effect, wins=pair.effect.losses, losses=pair.effect.wins) for pair in found.pairs]
    pairs = tuple(replace(pair, effect=effect) for pair, effect in zip(found.pairs, effects, strict=True))
    return replace(found, pairs=pairs)


def document(found: Compared) -> dict[str, Any]:
    topics = [
        {"topic": number, "scores": dict(zip(found.tags, found.scores[:, at].tolist(), strict=True))}
        for at, number in enumerate(found.numbers)
    ]
    release, told = found.standing.release, found.found.as_dict()
    told["pairs"] = [{**pair, "interval": _ends(pair["interval"])} for pair in told["pairs"]]
    order = views(found)
    told["strict_and_lenient"] = order and {"runs": order.runs, "tau": order.tau, "swapped": order.swapped}
    return {"release": release.number if release else None, **told, "sentences": found.sentences, "by_topic": topics}


def _ends(interval: Sequence[float]) -> list[float] | None:
    return None if np.isnan(interval).any() else list(interval)


def drawn(found: Compared) -> dict[str, Chart]:
    """By topic, differences, one against the other, and curves over each other."""
    shown = {"recall-precision": figures.recall_precision(found.reports), "gains": figures.gains(found.reports)}
    series = [
        Series(
            tag,
            [Mark(0, value, f"Topic {number}: {tag} {value:.4f}") for number, value in zip(found.numbers, row, strict=True)],
            1 + place % charts.TONES,
        )
        for place, (tag, row) in enumerate(zip(found.tags, found.scores.tolist(), strict=True))
    ]
    y = charts.axis(found.topic_label, found.scores.ravel().tolist())
    shown["topics"] = charts.paired(f"{found.topic_label} of each run on each topic", "Topic", y, found.numbers, series)
    for one, other in found.against:
        shown |= _of_two(found, one, other)
    return shown


def suffix(found: Compared, one: int, other: int) -> str:
    """Of the names of a pair's figures and table; none where there is one pair alone."""
    return "" if len(found.tags) == 2 else f"-{1 + (one if found.baseline else other)}"


def _largest_first(found: Compared, one: int, other: int) -> tuple[NDArray[np.float64], list[int]]:
    """The differences of a pair by topic, and the topics from the largest."""
    gaps = differences(found.scores[one], found.scores[other])
    return gaps, np.argsort(-gaps, kind="stable").tolist()


def _of_two(found: Compared, one: int, other: int) -> dict[str, Chart]:
    first, second = found.tags[one], found.tags[other]
    mine = found.scores[[one, other]]
    gaps, order = _largest_first(found, one, other)
    marks = [
        Mark(at, float(gaps[place]), f"Topic {found.numbers[place]}: {gaps[place]:+.4f}", 1 if gaps[place] >= 0 else 4)
        for at, place in enumerate(order)
    ]
    names = [found.numbers[place] for place in order]
    y = charts.axis(f"Difference in {found.topic_label}", gaps.tolist())
    words = f"Difference in {found.topic_label}, {first} minus {second}, topic by topic from the largest"
    pairs = [
        Mark(a, b, f"Topic {number}: {first} {a:.4f}, {second} {b:.4f}", 1 if a >= b else 4)
        for number, a, b in zip(found.numbers, *mine.tolist(), strict=True)
    ]
    x, y_other = (charts.axis(tag, mine.ravel().tolist()) for tag in (first, second))
    told = f"{found.topic_label} of {first} against {second}, a point for each topic; on the line they are equal"
    at = suffix(found, one, other)
    return {
        f"differences{at}": charts.bars(words, "Topic", y, names, marks),
        f"scatter{at}": charts.scatter(told, x, y_other, pairs, diagonal=True),
    }


def _differences_table(found: Compared, one: int, other: int) -> Table:
    first, second = found.tags[one], found.tags[other]
    gaps, order = _largest_first(found, one, other)
    rows = [[found.numbers[at], float(found.scores[one, at]), float(found.scores[other, at]), float(gaps[at])] for at in order]
    return Table(f"{found.topic_label} of {first} and {second} by topic", ["topic", first, second, "difference"], rows)


def told(found: Compared) -> dict[str, Table]:
    head = ["first", "second", "difference", "low", "high", "change %", "wins", "losses", "ties"]
    head += ["g_z", "g_z low", "g_z high", "p", "p corrected"]
    pairs, sign = [], columns.sign(found.measure)
    for pair in found.found.pairs:
        effect, (low, high) = pair.effect, pair.interval
        counts = [effect.wins, effect.losses, effect.ties]
        sizes = [effect.g_z, *(effect.g_interval or (None, None))]
        pairs.append(
            [pair.first, pair.second, effect.mean, low, high, effect.relative, *counts, *sizes, pair.p, pair.p_adjusted]
        )
    systems = [
        [one.tag, one.mean, one.judged, one.letters] for one in sorted(found.found.systems, key=lambda one: -sign * one.mean)
    ]
    rows = [[number, *found.scores[:, at].tolist()] for at, number in enumerate(found.numbers)]
    return {
        "runs": Table(f"{found.label}, {found.found.topics} topics", ["run", found.label, "judged@10", "groups"], systems),
        "pairs": Table(f"Differences in {found.label}, with 95 % intervals", head, pairs),
        "topics": Table(f"{found.topic_label} by topic", ["topic", *found.tags], rows),
        "recall-precision": figures.recall_precision_table(found.reports),
        "gains": figures.gains_table(found.reports),
    } | {f"differences{suffix(found, *pair)}": _differences_table(found, *pair) for pair in found.against}
