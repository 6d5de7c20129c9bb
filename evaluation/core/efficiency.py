"""Efficiency figures that a run's makers report; shown beside effectiveness, never mixed into it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Latency:
    """Milliseconds from asking to the answer, over the queries of a run."""

    mean: float
    median: float
    p95: float
    p99: float


def latency(milliseconds: Sequence[float]) -> Latency:
    """The summary of a list of latencies; percentiles by linear interpolation (type 7 of Hyndman and Fan 1996)."""
    times = np.asarray(milliseconds, np.float64)
    if not len(times):
        raise ValueError("expected at least one latency, found none")
    if not (np.isfinite(times) & (times >= 0)).all():
        raise ValueError(f"expected latencies of 0 or more milliseconds, found {times[~(times >= 0)][:1].tolist()}")
    median, p95, p99 = (float(np.percentile(times, share)) for share in (50, 95, 99))
    return Latency(float(times.mean()), median, p95, p99)


def throughput(queries: int, elapsed_seconds: float) -> float:
    """Queries answered per second."""
    return queries / elapsed_seconds


def parallelism(cpu_seconds: float, elapsed_seconds: float) -> float:
    """Processor time over wall-clock time: how many processors were busy on average."""
    return cpu_seconds / elapsed_seconds


def index_share(index_bytes: int, collection_bytes: int) -> float:
    """The size of the index as a share of the collection's."""
    return index_bytes / collection_bytes
