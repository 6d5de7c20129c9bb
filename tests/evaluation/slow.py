"""The definitions of the measures, one document at a time: slow, and plain to check by eye."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

Ranking = list[int | None]  # the grade at each rank, None where the document is not in the qrels
Cutoff = Any  # a rank, a share of the relevant documents, or None
Measure = Callable[[Ranking, list[int], int, Cutoff], float]


def relevant(grades: Ranking, rel: int) -> list[bool]:
    return [grade is not None and grade >= rel for grade in grades]


def average_precision(ranking: Ranking, judged: list[int], rel: int, cutoff: Cutoff) -> float:
    total, found = 0.0, 0
    for rank, good in enumerate(relevant(ranking, rel)[:cutoff], 1):
        if good:
            found += 1
            total += found / rank
    number = sum(relevant(list(judged), rel))
    return total / number if number else 0.0


def precision(ranking: Ranking, judged: list[int], rel: int, cutoff: Cutoff) -> float:
    assert cutoff is not None
    return float(sum(relevant(ranking, rel)[:cutoff]) / cutoff)


def recall(ranking: Ranking, judged: list[int], rel: int, cutoff: Cutoff) -> float:
    number = sum(relevant(list(judged), rel))
    return sum(relevant(ranking, rel)[:cutoff]) / number if number else 0.0


def r_precision(ranking: Ranking, judged: list[int], rel: int, cutoff: Cutoff) -> float:
    return recall(ranking, judged, rel, sum(relevant(list(judged), rel)))


def reciprocal_rank(ranking: Ranking, judged: list[int], rel: int, cutoff: Cutoff) -> float:
    good = relevant(ranking, rel)[:cutoff]
    return 1 / (good.index(True) + 1) if True in good else 0.0


def success(ranking: Ranking, judged: list[int], rel: int, cutoff: Cutoff) -> float:
    return float(any(relevant(ranking, rel)[:cutoff]))


def bpref(ranking: Ranking, judged: list[int], rel: int, cutoff: Cutoff) -> float:
    number, wrong = sum(grade >= rel for grade in judged), sum(0 <= grade < rel for grade in judged)
    total, above = 0.0, 0
    for grade in ranking:
        if grade is None or grade < 0:
            continue
        if grade < rel:
            above += 1
        else:
            total += 1.0 - min(above, number) / min(wrong, number) if above else 1.0
    return total / number if number else 0.0


def ndcg(ranking: Ranking, judged: list[int], rel: int, cutoff: Cutoff) -> float:
    def dcg(gains: list[int]) -> float:
        total = 0.0
        for rank, gain in enumerate(gains[:cutoff], 1):
            if gain > 0:
                total += gain / math.log2(rank + 1)
        return total

    ideal = dcg(sorted(judged, reverse=True))
    return dcg([grade or 0 for grade in ranking]) / ideal if ideal else 0.0


def num_ret(ranking: Ranking, judged: list[int], rel: int, cutoff: Cutoff) -> float:
    return float(len(ranking))


def num_rel(ranking: Ranking, judged: list[int], rel: int, cutoff: Cutoff) -> float:
    return float(sum(relevant(list(judged), rel)))


def num_rel_ret(ranking: Ranking, judged: list[int], rel: int, cutoff: Cutoff) -> float:
    return float(sum(relevant(ranking, rel)))


def interpolated(ranking: Ranking, judged: list[int], rel: int, cutoff: Cutoff) -> float:
    assert cutoff is not None
    number, found, best = sum(grade >= rel for grade in judged), 0, 0.0
    for rank, good in enumerate(relevant(ranking, rel), 1):
        found += good
        if good and found >= cutoff * number:
            best = max(best, found / rank)
    return best


def eleven_points(ranking: Ranking, judged: list[int], rel: int, cutoff: Cutoff) -> float:
    total = 0.0
    for tenth in range(10, -1, -1):
        total += interpolated(ranking, judged, rel, Fraction(tenth, 10))
    return total / 11


def set_f(ranking: Ranking, judged: list[int], rel: int, cutoff: Cutoff) -> float:
    if not any(relevant(ranking, rel)):
        return 0.0
    p, r = sum(relevant(ranking, rel)) / len(ranking), recall(ranking, judged, rel, None)
    return 2 * p * r / (p + r)


def simplified(ranking: Ranking, judged: list[int], rel: int, cutoff: Cutoff) -> float:
    found = sum(relevant(ranking, rel)[:cutoff])
    total, seen = 0.0, 0
    for rank, good in enumerate(relevant(ranking, rel)[:cutoff], 1):
        seen += good
        total += seen / rank if good else 0.0
    return total / found if found else 0.0


def err(ranking: Ranking, judged: list[int], rel: int, cutoff: Cutoff) -> float:
    total, passed = 0.0, 1.0
    for rank, grade in enumerate(ranking[:cutoff], 1):
        if grade is not None and grade > 0:
            stop = (2.0**grade - 1.0) / 2.0**3
            total += passed * stop / rank
            passed *= 1.0 - stop
    return total


def q_measure(ranking: Ranking, judged: list[int], rel: int, cutoff: Cutoff) -> float:
    ideal = sorted((max(grade, 0) for grade in judged), reverse=True)
    total, gain, found = 0.0, 0, 0
    for rank, grade in enumerate(ranking, 1):
        gain += max(grade or 0, 0)
        if grade is not None and grade >= rel:
            found += 1
            total += (found + gain) / (rank + sum(ideal[:rank]))
    number = sum(grade >= rel for grade in judged)
    return total / number if number else 0.0


def rbp(ranking: Ranking, judged: list[int], rel: int, cutoff: Cutoff) -> float:
    total, weight = 0.0, 1.0
    for good in relevant(ranking, rel)[:cutoff]:
        total += weight if good else 0.0
        weight *= 0.8
    return (1 - 0.8) * total


def rbp_residual(ranking: Ranking, judged: list[int], rel: int, cutoff: Cutoff) -> float:
    known, weight = 0.0, 1.0
    for grade in ranking:
        known += weight if grade is not None and grade >= 0 else 0.0
        weight *= 0.8
    return 1 - (1 - 0.8) * known


def judged_share(ranking: Ranking, judged: list[int], rel: int, cutoff: Cutoff) -> float:
    top = ranking[:cutoff]
    return sum(grade is not None and grade >= 0 for grade in top) / len(top) if top else math.nan


def search_length(ranking: Ranking, judged: list[int], rel: int, cutoff: Cutoff) -> float:
    good = relevant(ranking, rel)
    return good.index(True) + 1 if True in good else math.nan


def bpref_10(ranking: Ranking, judged: list[int], rel: int, cutoff: Cutoff) -> float:
    number, wrong = sum(grade >= rel for grade in judged), sum(0 <= grade < rel for grade in judged)
    total, above = 0.0, 0
    for grade in ranking:
        if grade is not None and grade >= rel:
            total += 1.0 - min(above, number + 10) / min(wrong, number + 10) if above else 1.0
        elif grade is not None and grade >= 0:
            above += 1
    return total / number if number else 0.0


def cumulated(ranking: Ranking, judged: list[int], rel: int, cutoff: Cutoff) -> float:
    gains = [max(grade or 0, 0) for grade in ranking[:cutoff]]
    return float(sum(gains))


def normalized(ranking: Ranking, judged: list[int], rel: int, cutoff: Cutoff) -> float:
    best = cumulated([*sorted(judged, reverse=True)], judged, rel, cutoff)
    return cumulated(ranking, judged, rel, cutoff) / best if best else 0.0


def discounted(ranking: Ranking, judged: list[int], rel: int, cutoff: Cutoff) -> float:
    total = 0.0
    for place, grade in enumerate(ranking[:cutoff], 1):
        total += max(grade or 0, 0) / math.log2(place + 1)
    return total


def ideal_discounted(ranking: Ranking, judged: list[int], rel: int, cutoff: Cutoff) -> float:
    return discounted([*sorted(judged, reverse=True)], judged, rel, cutoff)


def pair_accuracy(ranking: Ranking, judged: list[int], rel: int, cutoff: Cutoff) -> float:
    good = relevant(ranking, rel)[:cutoff]
    pairs = [(one, other) for place, one in enumerate(good) for other in good[place + 1 :] if one != other]
    return sum(one for one, _other in pairs) / len(pairs) if pairs else math.nan


def compatibility(ranking: Ranking, judged: list[int], rel: int, cutoff: Cutoff) -> float:
    """Documents by their places: those of the ranking, then those that it lacks."""
    there: dict[object, int] = {place: grade for place, grade in enumerate(ranking) if grade is not None}
    missed = list(judged)
    for grade in there.values():
        missed.remove(grade)
    everything = there | {f"missed {place}": grade for place, grade in enumerate(missed)}
    ideal = sorted((name for name, grade in everything.items() if grade > 0), key=lambda name: -everything[name])
    depth = max(len(ranking), len(ideal))

    def overlap(one: list[object]) -> float:
        return sum(0.95 ** (d - 1) * len(set(one[:d]) & set(ideal[:d])) / d for d in range(1, depth + 1))

    return overlap([*range(len(ranking))]) / overlap(ideal) if ideal else 0.0


def reader(going_on: Callable[[int, float, float], float], depth: int = 1000) -> Measure:
    """C/W/L: the chance of going on is told from rank, gain there and gain so far; grades go to 3."""

    def measure(ranking: Ranking, judged: list[int], rel: int, cutoff: Cutoff) -> float:
        read, chances, total, so_far = 1.0, 0.0, 0.0, 0.0
        for rank in range(1, (cutoff or depth) + 1):
            gain = max(ranking[rank - 1] or 0, 0) / 3 if rank <= len(ranking) else 0.0
            so_far += gain
            chances, total = chances + read, total + read * gain
            read *= going_on(rank, gain, so_far)
        return total / chances

    return measure


def patience(rank: int, wanted: float) -> float:
    return ((rank + wanted - 1) / (rank + wanted)) ** 2


DEFINITIONS: dict[str, Measure] = {
    "PairAccuracy": pair_accuracy,
    "Compat": compatibility,
    "SDCG": reader(lambda rank, gain, so_far: math.log2(rank + 1) / math.log2(rank + 2)),
    "BPM": reader(lambda rank, gain, so_far: float(so_far < 1 - 1e-9)),
    "INSQ": reader(lambda rank, gain, so_far: patience(rank, 2.0)),
    "INST": reader(lambda rank, gain, so_far: patience(rank, 2.0 - so_far)),
    "NERR8": reader(lambda rank, gain, so_far: 1 - gain),
    "NERR9": reader(lambda rank, gain, so_far: (1 - gain) * rank / (rank + 1)),
    "NERR10": reader(lambda rank, gain, so_far: (1 - gain) * 0.9),
    "NERR11": reader(lambda rank, gain, so_far: (1 - gain) * patience(rank, 2.0)),
    "DCG": discounted,
    "IDCG": ideal_discounted,
    "IPrec": interpolated,
    "Avg11pt": eleven_points,
    "SetF": set_f,
    "SAP": simplified,
    "ERR": err,
    "Q": q_measure,
    "RBP": rbp,
    "RBPResidual": rbp_residual,
    "Judged": judged_share,
    "SL": search_length,
    "Bpref10": bpref_10,
    "CG": cumulated,
    "NCG": normalized,
    "NumRet": num_ret,
    "NumRel": num_rel,
    "NumRelRet": num_rel_ret,
    "AP": average_precision,
    "P": precision,
    "R": recall,
    "Rprec": r_precision,
    "RR": reciprocal_rank,
    "Success": success,
    "Bpref": bpref,
    "nDCG": ndcg,
}
