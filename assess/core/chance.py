"""Agreement beyond chance of any number of assessors, with gaps: Fleiss, Gwet, Brennan and Prediger, Krippendorff.

All take `counts`, N × K: how many assessors gave each item each level; and `times`, … × N: how often each item counts,
in one sample or in many at once. What is not defined is NaN in here, and None beyond the core's border.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assess.core.agreement import Weights, cost_matrix
from assess.core.ratings import Counts

Chance = Literal["fleiss", "gwet", "uniform"]
Metric = Literal["nominal", "ordinal", "interval", "ratio"]
Values = NDArray[np.float64]


@dataclass(frozen=True)
class Coefficient:
    """P(A), P(E), (P(A) - P(E)) / (1 - P(E)) and its standard error; None: not defined."""

    observed: float | None
    expected: float | None
    value: float | None
    standard_error: float | None


def fleiss_kappa(counts: Counts) -> Coefficient:
    """Fleiss' kappa of items with one and the same number of grades, by any assessors. Fleiss 1971.

    P_i = (Σ_j n_ij² - m) / (m (m - 1)), P(A) their mean, P(E) = Σ_j p_j², p_j the share of level j in all grades. None if
    only one level was used. For unequal numbers of grades: `coefficient(counts, "fleiss")`.
    """
    if len(set(counts.sum(axis=1).tolist())) > 1:
        raise ValueError(f"expected the same number of grades for each item, got {sorted(set(counts.sum(axis=1).tolist()))}")
    return coefficient(counts, "fleiss")


def fleiss_null_error(counts: Counts) -> float | None:
    """Standard error of Fleiss' kappa if the assessors agreed by chance alone. Fleiss, Nee and Landis 1979."""
    per_item = int(counts[0].sum())
    share = counts.sum(axis=0) / counts.sum()
    spread = float((share * (1 - share)).sum())
    if spread == 0:
        return None
    skew = float((share * (1 - share) * (1 - 2 * share)).sum())
    return math.sqrt(2 * (spread**2 - skew) / (len(counts) * per_item * (per_item - 1))) / spread


def coefficient(
    counts: Counts, chance: Chance, *, weights: Weights = "identity", levels: Sequence[int] | None = None
) -> Coefficient:
    """One sample's coefficient with its linearised standard error over items.

    `fleiss`: P(E) = Σ w_kl π_k π_l; Fleiss' kappa, and Scott's pi for two. `gwet`: P(E) = T / (K (K - 1)) Σ π_k (1 - π_k),
    T the sum of all weights; AC1, weighted AC2. `uniform`: P(E) = T / K²; Brennan and Prediger 1981. π_k is the mean over
    items of the share of level k in an item's grades, items with one grade included; P(A) is over items with two or more.
    Gwet 2014.
    """
    rated = counts[counts.sum(axis=1) > 0]
    n, number = len(rated), rated.sum(axis=1)
    weight = 1.0 - cost_matrix(counts.shape[1], weights, levels)
    if not (number >= 2).any():
        return Coefficient(None, None, None, None)
    one = np.ones((1, n))
    observed, expected = (float(value[0]) for value in _shares(rated, chance, weight, one))
    value = float(coefficients(rated, chance, one, weights=weights, levels=levels)[0])
    if math.isnan(value):
        return Coefficient(observed, expected, None, None)
    if n == 1:
        return Coefficient(observed, expected, value, None)
    own = np.where(number >= 2, n / (number >= 2).sum() * (_agreeing(rated, weight) - expected) / (1 - expected), 0.0)
    drift = 2 * (1 - value) * (_own_chance(rated, chance, weight) - expected) / (1 - expected)
    spread = own - (drift if chance != "uniform" else 0.0) - value
    return Coefficient(observed, expected, value, math.sqrt(float((spread**2).sum()) / (n * (n - 1))))


def coefficients(
    counts: Counts, chance: Chance, times: Values, *, weights: Weights = "identity", levels: Sequence[int] | None = None
) -> Values:
    """The same for many samples: one value for each row of `times`."""
    observed, expected = _shares(counts, chance, 1.0 - cost_matrix(counts.shape[1], weights, levels), times)
    room = 1.0 - expected
    return np.asarray(np.divide(observed - expected, room, out=np.full_like(room, np.nan), where=room > 1e-12))


def observed_agreement(counts: Counts) -> Values:
    """For each item the share of its pairs of grades that are equal; 0 with fewer than two grades."""
    return _agreeing(counts, np.eye(counts.shape[1]))


def coincidences(counts: Counts) -> NDArray[np.float64]:
    """N × K × K: each item's ordered pairs of grades, divided by the number of its grades less one; 0 with one grade."""
    number = np.maximum(counts.sum(axis=1) - 1, 1)[:, None, None]
    alone = counts[:, :, None] * np.eye(counts.shape[1], dtype=np.int64)
    return np.asarray((counts[:, :, None] * counts[:, None, :] - alone) / number)


def krippendorff_alpha(counts: Counts, metric: Metric, levels: Sequence[int]) -> float | None:
    """Krippendorff's alpha = 1 - (n - 1) Σ o_ck d(c, k) / Σ n_c n_k d(c, k), o the coincidences of all items.

    For any number of assessors and missing grades; items with one grade do not count. d: `nominal` 1 for different levels;
    `interval` (c - k)²; `ratio` ((c - k) / (c + k))²; `ordinal` the squared number of grades between the middles of the
    two levels. None if no item has two grades, or all are of one level. Krippendorff 2011.
    """
    value = float(alphas(coincidences(counts).sum(axis=0), metric, levels))
    return None if math.isnan(value) else value


def alphas(coincidence: Values, metric: Metric, levels: Sequence[int]) -> Values:
    """Alpha of each coincidence matrix, … × K × K."""
    used = coincidence.sum(axis=-1)
    distance = _distance(used, metric, np.sort(np.asarray(levels, np.float64)))
    observed = (coincidence * distance).sum(axis=(-2, -1))
    expected = (used[..., :, None] * used[..., None, :] * distance).sum(axis=(-2, -1))
    ratio = np.divide(observed, expected, out=np.full_like(expected, np.nan), where=expected > 0)
    return np.asarray(1.0 - (used.sum(axis=-1) - 1) * ratio)


def _distance(used: Values, metric: Metric, value: Values) -> Values:
    if metric == "nominal":
        return 1.0 - np.eye(len(value))
    if metric == "ordinal":
        value = np.cumsum(used, axis=-1) - used / 2
    apart = (value[..., :, None] - value[..., None, :]) ** 2
    if metric == "ratio":
        both = (value[:, None] + value[None, :]) ** 2
        return np.divide(apart, both, out=np.zeros_like(apart), where=both > 0)
    return apart


def _shares(counts: Counts, chance: Chance, weight: Values, times: Values) -> tuple[Values, Values]:
    """P(A) and P(E) of each row of `times`; P(A) is NaN without an item of two grades."""
    number = counts.sum(axis=1)
    twice = times @ (number >= 2).astype(np.float64)
    observed = np.divide(times @ _agreeing(counts, weight), twice, out=np.full_like(twice, np.nan), where=twice > 0)
    rated = np.maximum(times @ (number >= 1).astype(np.float64), 1)
    share = times @ (counts / np.maximum(number, 1)[:, None]) / rated[..., None]
    size = counts.shape[1]
    if chance == "gwet":
        return observed, float(weight.sum()) / (size * (size - 1)) * (share * (1 - share)).sum(axis=-1)
    if chance == "fleiss":
        return observed, ((share @ weight) * share).sum(axis=-1)
    return observed, np.full_like(observed, float(weight.sum()) / size**2)


def _agreeing(counts: Counts, weight: Values) -> Values:
    """For each item the weighted share of its pairs of grades that agree; 0 with fewer than two grades."""
    number = counts.sum(axis=1)
    ordered = number * (number - 1)
    agreeing = (counts @ weight * counts).sum(axis=1) - number
    return np.asarray(np.divide(agreeing, ordered, out=np.zeros(len(counts)), where=ordered > 0))


def _own_chance(counts: Counts, chance: Chance, weight: Values) -> Values:
    """What each item adds to P(E)."""
    share = counts / counts.sum(axis=1)[:, None]
    mean, size = share.mean(axis=0), counts.shape[1]
    if chance == "gwet":
        return np.asarray(float(weight.sum()) / (size * (size - 1)) * (share @ (1 - mean)))
    return np.asarray(share @ (weight @ mean))
