"""What takes long is kept for a while; what is made in a moment is made anew."""

from collections.abc import Callable

import pytest

from config import keeping


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [1000.0]
    monkeypatch.setattr("config.keeping.monotonic", lambda: now[0])
    return now


def taking(seconds: float, clock: list[float]) -> Callable[[], int]:
    made = [0]

    def make() -> int:
        clock[0] += seconds
        made[0] += 1
        return made[0]

    return make


def test_what_is_made_in_a_moment_is_made_each_time(clock: list[float]) -> None:
    make = taking(0.05, clock)
    assert [keeping.lately("quick", make) for _ in range(3)] == [1, 2, 3]


@pytest.mark.parametrize(("took", "kept_for"), [(0.25, 5.0), (0.5, 10.0), (60, 15.0)])
def test_what_took_long_is_kept_for_twenty_times_as_long(clock: list[float], took: float, kept_for: float) -> None:
    make = taking(took, clock)
    assert keeping.lately(("long", took), make) == 1
    clock[0] += kept_for - 0.01
    assert keeping.lately(("long", took), make) == 1
    assert keeping.lately(("another", took), taking(took, [0.0])) == 1
    clock[0] += 0.01
    assert keeping.lately(("long", took), make) == 2


def test_not_more_is_kept_than_fits(clock: list[float]) -> None:
    for number in range(keeping.MOST_KEPT + 1):
        keeping.lately(("one of many", number), taking(1, clock))
    clock[0] -= keeping.MOST_KEPT
    assert keeping.lately(("one of many", 0), lambda: 7) == 7
    assert keeping.lately(("one of many", keeping.MOST_KEPT), lambda: 7) == 1
