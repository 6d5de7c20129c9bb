"""How far two assessors agree. A value that is not defined is None, never 0 and never NaN."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Weights = Literal["identity", "linear", "quadratic"]
Table = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Agreement:
    """The agreement of a pair of assessors on what both judged.

    `table`: K × K counts over the `levels` of the scale, rows the first assessor, columns the second; `n` their sum.
    `cohen` is Cohen's kappa, `pooled` kappa with pooled marginals (Scott's pi), `linear` the linearly weighted Cohen's
    kappa. None: not defined (nothing shared; for the kappas also: only one level used by both).
    """

    levels: tuple[int, ...]
    table: Table
    n: int
    raw: float | None
    cohen: float | None
    pooled: float | None
    linear: float | None
    standard_error: float | None
    interval: tuple[float, float] | None


def agreement(first: NDArray[np.int64], second: NDArray[np.int64], levels: Sequence[int]) -> Agreement:
    """All figures for two assessors; `first` and `second` are the grades of the same items, in the same order."""
    table = confusion_matrix(first, second, levels)
    return Agreement(
        levels=tuple(levels),
        table=table,
        n=int(table.sum()),
        raw=raw_agreement(table),
        cohen=cohen_kappa(table),
        pooled=scott_pi(table),
        linear=cohen_kappa(table, weights="linear", levels=levels),
        standard_error=kappa_standard_error(table),
        interval=kappa_interval(table),
    )


def confusion_matrix(first: NDArray[np.int64], second: NDArray[np.int64], levels: Sequence[int]) -> Table:
    """K × K counts of grade pairs over the levels of the scale, whether used or not.

    Rows are the first assessor's grades, columns the second's. A pair with a grade that is no level ("cannot judge",
    negative) is missing data and left out.
    """
    scale = np.unique(np.asarray(levels, np.int64))
    if len(scale) != len(levels):
        raise ValueError(f"expected distinct levels, got {list(levels)}")
    if first.shape != second.shape:
        raise ValueError(f"expected two grades for each item, got {first.shape} and {second.shape}")
    both = np.isin(first, scale) & np.isin(second, scale)
    cells = np.searchsorted(scale, first[both]) * len(scale) + np.searchsorted(scale, second[both])
    return np.bincount(cells, minlength=len(scale) ** 2).reshape(len(scale), len(scale))


def raw_agreement(table: Table) -> float | None:
    """P(A) = Σ n_ii / n: the share of items on which both chose the same level. None without items."""
    return _ratio(int(np.trace(table)), int(table.sum()))


def specific_agreement(table: Table) -> list[float | None]:
    """For each level 2 n_ii / (row_i + column_i): agreement on that level alone. None for a level nobody used."""
    used = table.sum(axis=0) + table.sum(axis=1)
    return [_ratio(2 * int(hit), int(both)) for hit, both in zip(np.diag(table), used, strict=True)]


def binarised(table: Table, levels: Sequence[int], rel: int) -> Table:
    """The 2 × 2 table (not relevant, relevant) of grades below `rel` and from `rel` on."""
    side = (np.sort(np.asarray(levels)) >= rel).astype(np.int64)
    cells = side[:, None] * 2 + side[None, :]
    return np.bincount(cells.ravel(), weights=table.ravel(), minlength=4).astype(np.int64).reshape(2, 2)


def overlap(table: Table) -> float | None:
    """Of a 2 × 2 table: relevant to both / relevant to either (Jaccard; Voorhees 2000). None if relevant to neither."""
    return _ratio(int(table[1, 1]), int(table.sum() - table[0, 0]))


def cohen_kappa(table: Table, *, weights: Weights = "identity", levels: Sequence[int] | None = None) -> float | None:
    """Cohen's kappa = (P(A) - P(E)) / (1 - P(E)), chance P(E) from each assessor's own marginals.

    Weighted: agreement of levels i and j counts 1 - |i-j|/range or 1 - (i-j)²/range², with the levels' numeric values
    (0, 1, … if none are given). Computed as 1 - observed / expected disagreement, which is exact where it is exact at
    all. None if expected disagreement is 0: no items, or both used one and the same level. Cohen 1960, 1968.
    """
    return _defined(kappas(table, weights=weights, levels=levels))


def scott_pi(table: Table, *, weights: Weights = "identity", levels: Sequence[int] | None = None) -> float | None:
    """Kappa with pooled marginals: P(E) = Σ ((p_1k + p_2k) / 2)², for assessors who could change places.

    Equal to Fleiss' kappa of two assessors. Undefined as in `cohen_kappa`. Scott 1955; Siegel and Castellan 1988.
    """
    return _defined(kappas(table, pooled=True, weights=weights, levels=levels))


def kappas(
    tables: NDArray[Any], *, pooled: bool = False, weights: Weights = "identity", levels: Sequence[int] | None = None
) -> NDArray[np.float64]:
    """The kappa of each of many tables, … × K × K; NaN where it is not defined. Both kappas above are made of it."""
    row, column = tables.sum(axis=-1), tables.sum(axis=-2)
    if pooled:
        row = column = (row + column) / 2
    cost = cost_matrix(tables.shape[-1], weights, levels)
    expected = (cost * (row[..., :, None] * column[..., None, :])).sum(axis=(-2, -1))
    observed = (cost * tables).sum(axis=(-2, -1)) * tables.sum(axis=(-2, -1))
    return np.asarray(1.0 - np.divide(observed, expected, out=np.full_like(expected, np.nan), where=expected > 0))


def pooled_shares(table: Table) -> list[float]:
    """The share of each level in the grades of both assessors together, as kappa with pooled marginals takes it."""
    used = table.sum(axis=0) + table.sum(axis=1)
    return [float(share) for share in used / max(int(used.sum()), 1)]


def chance_agreement(table: Table, *, pooled: bool = False) -> float | None:
    """P(E): the agreement that chance would give, from the assessors' own or their pooled marginals. None without items."""
    n = int(table.sum())
    if not n:
        return None
    row, column = (np.array(pooled_shares(table)),) * 2 if pooled else (table.sum(axis=1) / n, table.sum(axis=0) / n)
    return float(row @ column)


def kappa_standard_error(
    table: Table, *, weights: Weights = "identity", levels: Sequence[int] | None = None, null: bool = False
) -> float | None:
    """Large-sample standard error of Cohen's kappa, with `null` under the hypothesis that kappa is 0.

    None where kappa is. It is 0, not what rounding leaves of it, for perfect agreement and where one assessor used one
    level only (kappa is 1 and 0 in every sample): no interval is to be made of it then. Fleiss, Cohen and Everitt 1969.
    """
    kappa = cohen_kappa(table, weights=weights, levels=levels)
    if kappa is None:
        return None
    n = int(table.sum())
    if not null and (kappa == 1.0 or n in (*table.sum(axis=0), *table.sum(axis=1))):
        return 0.0
    weight = 1.0 - cost_matrix(len(table), weights, levels)
    shares = table / n
    row, column = shares.sum(axis=1), shares.sum(axis=0)
    mean = (weight @ column)[:, None] + (row @ weight)[None, :]
    observed, expected = float((weight * shares).sum()), float(row @ weight @ column)
    if null:
        spread = float((np.outer(row, column) * (weight - mean) ** 2).sum()) - expected**2
        return math.sqrt(max(spread, 0.0) / n) / (1 - expected)
    centred = weight * (1 - expected) - mean * (1 - observed)
    spread = float((shares * centred**2).sum()) - (observed * expected - 2 * expected + observed) ** 2
    return math.sqrt(max(spread, 0.0) / n) / (1 - expected) ** 2


def kappa_interval(
    table: Table, *, level: float = 0.95, weights: Weights = "identity", levels: Sequence[int] | None = None
) -> tuple[float, float] | None:
    """Kappa ± z standard errors, two-sided; not cut at 1. None where kappa is."""
    kappa = cohen_kappa(table, weights=weights, levels=levels)
    error = kappa_standard_error(table, weights=weights, levels=levels)
    if kappa is None or error is None:
        return None
    reach = NormalDist().inv_cdf((1 + level) / 2) * error
    return kappa - reach, kappa + reach


def band(kappa: float | None) -> Literal["good", "fair", "poor", "undefined"]:
    """The rule of thumb: above 0.8 good, from 0.67 to 0.8 fair, below poor; the unrounded value decides."""
    if kappa is None:
        return "undefined"
    return "good" if kappa > 0.8 else "fair" if kappa >= 0.67 else "poor"


def cost_matrix(size: int, weights: Weights, levels: Sequence[int] | None) -> NDArray[np.float64]:
    """Disagreement of each pair of levels: 0 on the diagonal, 1 at the most."""
    if weights == "identity":
        return 1.0 - np.eye(size)
    value = np.arange(size) if levels is None else np.sort(np.asarray(levels))
    distance = np.abs(value[:, None] - value[None, :]) / max(int(value[-1] - value[0]), 1)
    return distance if weights == "linear" else distance**2


def _defined(value: NDArray[np.float64]) -> float | None:
    return None if np.isnan(value) else float(value)


def _ratio(above: int, below: int) -> float | None:
    return above / below if below else None
