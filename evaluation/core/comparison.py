"""Two or more systems side by side: means, differences topic by topic, a test for each pair, and what to make of it."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from evaluation.core import several, significance
from evaluation.core.significance import FEW, FEWEST, Correction, Effect
from evaluation.core.topics import from_median

Test = Literal["randomization", "t", "wilcoxon", "sign", "bootstrap", "tukey", "randomized-tukey"]

TESTS: tuple[Test, ...] = ("randomization", "t", "wilcoxon", "sign", "bootstrap", "tukey", "randomized-tukey")
TEST_WORDS: dict[str, str] = {
    "randomization": "randomization test",
    "t": "Student’s t test",
    "wilcoxon": "Wilcoxon’s signed rank test",
    "sign": "sign test",
    "bootstrap": "bootstrap test",
    "tukey": "Tukey’s HSD test",
    "randomized-tukey": "randomized Tukey HSD test",
}
CORRECTION_WORDS: dict[str, str] = {"holm": "Holm", "bh": "Benjamini-Hochberg", "bonferroni": "Bonferroni"}
FOR_FAMILIES = ("tukey", "randomized-tukey")  # these mind the number of systems by themselves
SEED = 20260101
BIASED = 0.05  # a difference of Judged@10 that makes a comparison doubtful


@dataclass(frozen=True)
class System:
    """One run: its tag, mean score, Judged@10 (None where it is not known), and its groups as letters.

    `from_median`: the mean difference from the median of each topic over the runs compared.
    """

    tag: str
    mean: float
    judged: float | None
    letters: str
    from_median: float


@dataclass(frozen=True)
class Pairing:
    """Two runs by tag. `p` is None where there are too few topics, or nothing to test; `p_adjusted` minds all pairs.

    `interval`: of the mean difference, by Student's t.
    """

    first: str
    second: str
    interval: tuple[float, float]
    effect: Effect
    p: float | None
    p_adjusted: float | None


@dataclass(frozen=True)
class Comparison:
    """What `compare` finds. `systems` are in the order given, `pairs` all of them, or each against the baseline.

    `correction` is "" where the test minds the number of systems by itself, or there is one pair alone. `notes` are
    sentences a reader should not miss. `anova`: of systems and topics, of three systems or more.
    """

    measure: str
    topics: int
    test: Test
    correction: str
    seed: int
    systems: tuple[System, ...]
    pairs: tuple[Pairing, ...]
    notes: tuple[str, ...]
    anova: several.Anova | None = None

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "measure": self.measure,
            "topics": self.topics,
            "test": self.test,
            "correction": self.correction,
            "seed": self.seed,
            "systems": [
                {
                    "run": one.tag,
                    "mean": one.mean,
                    "judged_at_10": one.judged,
                    "groups": one.letters,
                    "from_median": one.from_median,
                }
                for one in self.systems
            ],
            "pairs": [_pair_dict(pair) for pair in self.pairs],
            "anova": asdict(self.anova) if self.anova else None,
            "notes": list(self.notes),
        }


def _pair_dict(pair: Pairing) -> dict[str, Any]:
    effect = pair.effect
    return {
        "first": pair.first,
        "second": pair.second,
        "difference": effect.mean,
        "interval": list(pair.interval),
        "relative_percent": effect.relative,
        "wins": effect.wins,
        "losses": effect.losses,
        "ties": effect.ties,
        "g_z": effect.g_z,
        "g_z_interval": list(effect.g_interval) if effect.g_interval else None,
        "d_av": effect.d_av,
        "cliff": effect.cliff,
        "p": pair.p,
        "p_adjusted": pair.p_adjusted,
    }


def compare_scores(
    tags: Sequence[str],
    scores: NDArray[np.float64],
    measure: str,
    *,
    test: Test | None = None,
    correction: Correction = "holm",
    baseline: int | None = None,
    judged: Sequence[float | None] | None = None,
    alpha: float = 0.05,
    seed: int = SEED,
) -> Comparison:
    """Compare systems × topics. The test is, unless given, randomization for two and randomized Tukey for more.

    Fewer than five topics are not tested, fewer than ten with a warning.
    """
    if len(tags) < 2:
        raise ValueError(f"expected at least 2 runs to compare, found {len(tags)}")
    if np.isnan(scores).any():
        raise ValueError(f"expected a measure that is defined for every topic, found {measure}")
    chosen: Test = test or ("randomization" if len(tags) == 2 else "randomized-tukey")
    topics = scores.shape[1]
    wanted = list(combinations(range(len(tags)), 2))
    if baseline is not None:
        wanted = [(one, baseline) for one in range(len(tags)) if one != baseline]
    values: list[float | None] = [None] * len(wanted)
    if topics >= FEWEST:
        values = _tested(scores, wanted, chosen, seed)
    family = chosen not in FOR_FAMILIES and len(wanted) > 1
    adjusted = _adjusted(values, correction) if family else values
    shares = list(judged or [None] * len(tags))
    pairs = tuple(
        Pairing(
            tags[first],
            tags[second],
            significance.paired_t(scores[first], scores[second]).interval if topics > 1 else (float("nan"), float("nan")),
            significance.effect_sizes(scores[first], scores[second]),
            value,
            corrected,
        )
        for (first, second), value, corrected in zip(wanted, values, adjusted, strict=True)
    )
    letters = [""] * len(tags)
    if baseline is None and topics >= FEWEST:
        told = [1.0 if value is None else value for value in adjusted]
        tested = [several.Pair(*both, 0.0, None, p, None) for both, p in zip(wanted, told, strict=True)]
        letters = several.letters(scores, tested, alpha=alpha)
    beside = from_median(scores).mean(axis=1).tolist()
    systems = tuple(System(*one) for one in zip(tags, scores.mean(axis=1).tolist(), shares, letters, beside, strict=True))
    notes, varied = tuple(_notes(topics, tags, shares)), several.anova(scores) if len(tags) > 2 and topics > 1 else None
    return Comparison(measure, topics, chosen, correction if family else "", seed, systems, pairs, notes, varied)


def _tested(scores: NDArray[np.float64], wanted: list[tuple[int, int]], test: Test, seed: int) -> list[float | None]:
    rng = np.random.default_rng(seed)
    if test in FOR_FAMILIES:
        found = several.tukey(scores) if test == "tukey" else several.randomized_tukey(scores, rng)
        by_pair = {frozenset((pair.first, pair.second)): pair.p for pair in found}
        return [by_pair[frozenset(pair)] for pair in wanted]
    return [_p(test, scores[first], scores[second], rng) for first, second in wanted]


def _p(test: Test, a: NDArray[np.float64], b: NDArray[np.float64], rng: np.random.Generator) -> float | None:
    if test == "t":
        return significance.paired_t(a, b).p
    if test == "wilcoxon":
        return significance.wilcoxon(a, b).p
    if test == "sign":
        return significance.sign_test(a, b).p
    if test == "bootstrap":
        return significance.bootstrap(a, b, rng).p
    return significance.randomization(a, b, rng).p


def _adjusted(values: list[float | None], correction: Correction) -> list[float | None]:
    told = significance.adjust([value for value in values if value is not None], correction)
    corrected = iter(told)
    return [None if value is None else next(corrected) for value in values]


def _notes(topics: int, tags: Sequence[str], judged: Sequence[float | None]) -> list[str]:
    notes = []
    if topics < FEWEST:
        notes.append(f"{topics} topic{' is' if topics == 1 else 's are'} too few to test; the differences alone are shown.")
    elif topics < FEW:
        notes.append(f"{topics} topics are few: a test finds only large differences.")
    known = [(share, tag) for share, tag in zip(judged, tags, strict=True) if share is not None]
    if known and max(known)[0] - min(known)[0] > BIASED:
        least, most = min(known), max(known)
        notes.append(
            f"Judged@10 is {least[0]:.2f} for {least[1]} and {most[0]:.2f} for {most[1]}: "
            "the comparison may be biased against runs with fewer judged documents."
        )
    return notes
