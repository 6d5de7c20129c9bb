"""How far Cohen's kappa of pairs of grades would move with other documents: items are resampled within their topics."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from assess.core.agreement import Agreement, kappas
from assess.core.bootstrap import Plan, Spread, resamples, spread
from assess.core.figures import FEW
from assess.core.ratings import Kinds, distinct

Codes = NDArray[np.int64]


def kappa_spread(figures: Agreement, items: Codes, topics: Codes, first: Codes, second: Codes, plan: Plan) -> Spread:
    """Of pairs of grades, each of an item and its topic (codes), with the figures that they have.

    The standard error is the formula's where each item stands once; so is the interval from thirty on, unless the error is 0.
    Else they are the bootstrap's: an item with three opinions stands more than once, and is drawn as a whole. None of all that
    for one item, or where kappa is not defined.
    """
    number = len(np.unique(items))
    if figures.cohen is None or number < 2:
        return Spread(None, None, 0)
    once = number == len(items)
    if once and number >= FEW and figures.standard_error:
        return Spread(figures.standard_error, figures.interval, 0)
    rows = _tables(figures.levels, items, topics, first, second)
    places, times = distinct(rows)
    kinds, cells, size = Kinds(rows[places, 0], times), rows[places, 1:], len(figures.levels)
    drawn = [kappas((sample.times @ cells).reshape(-1, size, size)) for sample in resamples(kinds, plan)]
    found = spread(np.concatenate(drawn), plan.level)
    return replace(found, standard_error=figures.standard_error) if once else found


def _tables(levels: tuple[int, ...], items: Codes, topics: Codes, first: Codes, second: Codes) -> Codes:
    """For each item its topic and its own K × K counts, row by row."""
    scale = np.array(levels)
    known = np.isin(first, scale) & np.isin(second, scale)
    there, codes = np.unique(items[known], return_inverse=True)
    cells = np.searchsorted(scale, first[known]) * len(scale) + np.searchsorted(scale, second[known])
    rows = np.zeros((len(there), 1 + len(scale) ** 2), np.int64)
    rows[codes, 0] = topics[known]
    np.add.at(rows, (codes, 1 + cells), 1)
    return rows
