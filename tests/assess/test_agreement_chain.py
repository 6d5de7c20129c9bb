"""Several assessors' judgments from a file to a release, each figure beside the reference libraries'."""

import numpy as np
import pytest

from benchmarks.agreement_chain import walk

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("people", [2, 4])
def test_every_figure_equals_the_libraries(people: int) -> None:
    rng = np.random.default_rng(people)
    lines = ["round\ttopic\tdocid\tassessor\tgrade"]
    for item in range(40):
        true = int(rng.integers(0, 4))
        for who in sorted(rng.permutation(people)[: 2 + item % (people - 1)].tolist()):
            grade = min(3, max(0, true + int(rng.integers(-1, 2))))
            lines.append(f"main\t{item % 3}\td{item}\tA{who}\t{grade}")
    found = walk("\n".join([*lines, ""]).encode(), range(4))
    assert [one for one in found if not one.equal] == []
    assert len(found) > 30
