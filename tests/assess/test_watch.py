"""Figures of how judging goes, by hand."""

from datetime import datetime
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from assess import exports, watching
from assess.core import watch
from assess.core.watch import Depth
from tests.assess.conftest import Bench


def test_relevant_by_depth() -> None:
    ranks = np.array([1, 2, 4, 7, 12], np.int64)
    items = np.array([2, 1, 1, 1, 1], np.int64)
    judged = np.array([2, 1, 0, 1, 1], np.int64)
    relevant = np.array([1, 1, 0, 0, 1], np.int64)
    assert watch.found_by_depth(ranks, items, judged, relevant) == [
        Depth(1, 2, 2, 1, 0.5),
        Depth(2, 3, 3, 2, 1.0),
        Depth(5, 4, 3, 2, None),
        Depth(10, 5, 4, 2, 0.0),
        Depth(12, 6, 5, 3, 1.0),
    ]
    assert watch.found_by_depth(*(column[:0] for column in (ranks, items, judged, relevant))) == []


def test_who_is_unlike_the_others() -> None:
    medians = {"ann": 10.0, "bob": 12.0, "cleo": 2.0, "dora": 0.1}
    grades = {
        "ann": {0: 20, 1: 10},
        "bob": {0: 15, 1: 15},
        "cleo": {0: 15, 1: 15},
        "dora": {1: 5},
        "emil": {0: 40, 1: 1},
    }
    assert watch.unlike_the_others(medians, grades) == {
        "cleo": ["fast: 2.0 s a judgment, the others 11.0 s"],
        "emil": ["uniform: 98% have grade 0, with the others 53%"],
    }
    assert watch.unlike_the_others({"ann": 1.0}, {"ann": {0: 30}}) == {}  # nobody to compare with


def test_the_longest_run_of_equal_grades() -> None:
    def run(grades: list[int], at: list[float]) -> int | None:
        return watch.longest_run(np.array(grades, np.int64), np.array(at, np.float64))

    assert run([0, 0, 1, 1, 1, 0], [1, 2, 3, 4, 5, 6]) == 3
    assert run([0, 1, 0, 1], [1, 3, 2, 4]) == 2  # by time: 0 0 1 1
    assert (run([2], [1]), run([], []), run([0, 0], [7, 7])) == (1, None, None)


def test_each_grade_is_held_against_the_majority_of_the_others() -> None:
    items = np.array([1, 1, 1, 2, 2, 3, 3, 3, 3], np.int64)
    grades = np.array([0, 2, 2, 1, 1, 0, 0, 3, 3], np.int64)
    known, same = watch.with_the_majority(items, grades, [0, 2, 1, 3])
    # The others of item 1: 2 2, then 0 2 twice; item 2 has one other; of item 3 they are 0 3 3, 0 3 3, 0 0 3, 0 0 3.
    assert known.tolist() == [True, False, False, False, False, True, True, True, True]
    assert same.tolist() == [False] * 9
    known, same = watch.with_the_majority(items[:3], np.array([2, 2, 2]), [0, 1, 2, 3])
    assert known.all() and same.all()
    assert [column.tolist() for column in watch.with_the_majority(items[:0], grades[:0], [0, 1])] == [[], []]


def test_forecast() -> None:
    assert watch.forecast(360, 10.0, 70, 7) == watch.Forecast(1.0, 10.0, 36.0)
    assert watch.forecast(360, None, 0, 7) == watch.Forecast(None, 0.0, None)


def test_moments_by_hours_days_or_weeks_as_clocks_show_them() -> None:
    zone = ZoneInfo("Europe/Berlin")

    def told(*moments: tuple[int, ...]) -> list[tuple[str, str, list[int]]]:
        at = np.array([datetime(*moment, tzinfo=zone).timestamp() for moment in moments])  # type: ignore[misc,arg-type]
        return [(f"{start:%d %H}", f"{end:%d %H}", places.tolist()) for start, end, places in watch.stretches(at, zone)]

    assert told((2026, 3, 2, 10, 5), (2026, 3, 2, 10, 59), (2026, 3, 2, 12, 0)) == [
        ("02 10", "02 11", [0, 1]),
        ("02 12", "02 13", [2]),
    ]
    # Clocks go forward on 29 March.
    assert told((2026, 3, 31, 23, 30), (2026, 3, 27, 0, 10)) == [("27 00", "28 00", [1]), ("31 00", "01 00", [0])]
    assert told((2026, 3, 29, 23, 30), (2026, 4, 20, 1, 0), (2026, 3, 30, 0, 0)) == [
        ("23 00", "30 00", [0]),  # from Monday on
        ("30 00", "06 00", [2]),
        ("20 00", "27 00", [1]),
    ]
    assert told() == []


@pytest.mark.django_db
def test_hours_by_assessor_and_day(bench: Bench) -> None:
    bench.assign(overlap=0)
    bench.judge(bench.ann, 3, seconds=20)
    (row,) = watching.hours(bench.collection)
    assert (row["user"], row["acts"], row["seconds"]) == ("ann-assessor", 3, 60.0)
    assert exports.hours_csv(bench.collection).splitlines() == [
        "user,name,day,acts,seconds",
        f"ann-assessor,Ann Assessor,{row['day']},3,60.0",
    ]
