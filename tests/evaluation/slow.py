"""The definitions of the measures, one document at a time: slow, and plain to check by eye."""

import math
from collections.abc import Callable

Ranking = list[int | None]  # the grade at each rank, None where the document is not in the qrels
Measure = Callable[[Ranking, list[int], int, int | None], float]


def relevant(grades: Ranking, rel: int) -> list[bool]:
    return [grade is not None and grade >= rel for grade in grades]


def average_precision(ranking: Ranking, judged: list[int], rel: int, cutoff: int | None) -> float:
    total, found = 0.0, 0
    for rank, good in enumerate(relevant(ranking, rel)[:cutoff], 1):
        if good:
            found += 1
            total += found / rank
    number = sum(relevant(list(judged), rel))
    return total / number if number else 0.0


def precision(ranking: Ranking, judged: list[int], rel: int, cutoff: int | None) -> float:
    assert cutoff is not None
    return sum(relevant(ranking, rel)[:cutoff]) / cutoff


def recall(ranking: Ranking, judged: list[int], rel: int, cutoff: int | None) -> float:
    number = sum(relevant(list(judged), rel))
    return sum(relevant(ranking, rel)[:cutoff]) / number if number else 0.0


def r_precision(ranking: Ranking, judged: list[int], rel: int, cutoff: int | None) -> float:
    return recall(ranking, judged, rel, sum(relevant(list(judged), rel)))


def reciprocal_rank(ranking: Ranking, judged: list[int], rel: int, cutoff: int | None) -> float:
    good = relevant(ranking, rel)[:cutoff]
    return 1 / (good.index(True) + 1) if True in good else 0.0


def success(ranking: Ranking, judged: list[int], rel: int, cutoff: int | None) -> float:
    return float(any(relevant(ranking, rel)[:cutoff]))


def bpref(ranking: Ranking, judged: list[int], rel: int, cutoff: int | None) -> float:
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


def ndcg(ranking: Ranking, judged: list[int], rel: int, cutoff: int | None) -> float:
    def dcg(gains: list[int]) -> float:
        total = 0.0
        for rank, gain in enumerate(gains[:cutoff], 1):
            if gain > 0:
                total += gain / math.log2(rank + 1)
        return total

    ideal = dcg(sorted(judged, reverse=True))
    return dcg([grade or 0 for grade in ranking]) / ideal if ideal else 0.0


def num_ret(ranking: Ranking, judged: list[int], rel: int, cutoff: int | None) -> float:
    return float(len(ranking))


def num_rel(ranking: Ranking, judged: list[int], rel: int, cutoff: int | None) -> float:
    return float(sum(relevant(list(judged), rel)))


def num_rel_ret(ranking: Ranking, judged: list[int], rel: int, cutoff: int | None) -> float:
    return float(sum(relevant(ranking, rel)))


DEFINITIONS: dict[str, Measure] = {
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
