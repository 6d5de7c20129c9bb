"""A crawl's counts by HTTP status add up, or are refused with what is wrong."""

import pytest

from pooling.core import crawl
from tests.golden import vectors

# The statuses are ours: the published table's counts are what must add up.
STATUSES = ("301", "302", "403", "404", "none", "200")


@pytest.mark.parametrize("vector", vectors("analysis", "sum_of"))
def test_published_counts_add_up(vector: dict[str, list[int]]) -> None:
    rows = [f"{status} {count:,}" for status, count in zip(STATUSES, vector["values"], strict=True)]
    found = crawl.counts("\n".join([*rows, f"total {vector['expected']}"]))
    assert found == {**dict(sorted(zip(STATUSES, vector["values"], strict=True))), "total": vector["expected"]}
    for wrong in range(len(rows)):
        with pytest.raises(ValueError, match="but the total says 16,087,002"):
            crawl.counts("\n".join([*rows[:wrong], *rows[wrong + 1 :], f"total {vector['expected']}"]))


def test_counts_are_spelled_with_their_total() -> None:
    assert crawl.spelled(" 404 31;200 1,200\r\n\nNONE 2 ") == "200 1200\n404 31\nnone 2\ntotal 1233"
    assert crawl.spelled(crawl.spelled("200 0")) == "200 0\ntotal 0"
    assert crawl.spelled(" \n;") == ""
    assert [crawl.meaning(status) for status in ("404", "499", "none")] == ["Not Found", "", "no answer"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("200", "Line 1: expected a status and a count, such as “404 458388”; found “200”."),
        ("200 1\n404 2 3", "Line 2: expected a status and a count, such as “404 458388”; found “404 2 3”."),
        ("600 1", "Line 1: expected an HTTP status from 100 to 599, none (no answer came) or total; found “600”."),
        ("ok 1", "Line 1: expected an HTTP status from 100 to 599, none (no answer came) or total; found “ok”."),
        ("200 1.5", "Line 1: expected a whole number, such as 458388; found “1.5”."),
        ("200 -1", "Line 1: expected a whole number, such as 458388; found “-1”."),
        ("200 1,20", "Line 1: expected a whole number, such as 458388; found “1,20”."),
        ("200 ٣", "Line 1: expected a whole number, such as 458388; found “٣”."),
        (f"200 {'9' * 16}", f"Line 1: expected a whole number, such as 458388; found “{'9' * 16}”."),
        ("200 1\n200 1", "Line 2: expected each status once; 200 is there twice."),
        ("200 1\ntotal 1\ntotal 1", "Line 3: expected each status once; total is there twice."),
        ("total 0", "Expected the count of at least one status; found only a total."),
        ("200 1\ntotal 0", "The counts add up to 1, but the total says 0. Correct a count or the total."),
    ],
)
def test_what_is_wrong_is_named(text: str, words: str) -> None:
    with pytest.raises(ValueError) as refused:
        crawl.counts(text)
    assert str(refused.value) == words
