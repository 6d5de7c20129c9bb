"""Several assessors' judgments from a file to a release, each figure beside the reference libraries'."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.agreement_chain import read, walk

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


@pytest.mark.once
def test_qrels_of_each_and_labels_become_lines_of_judgments(tmp_path: Path) -> None:
    one, two, words = tmp_path / "human.txt", tmp_path / "model.txt", tmp_path / "words.csv"
    one.write_text("q1 0 d1 3\nq1 0 d2 0\n")
    two.write_text("q1 0 d1 2\nq1 0 d2 5\n")  # 5 is no grade: the model's invalid answer
    words.write_text("topic,docid,assessor,label\n1,d1,W1,yes\n1,d1,W2,\n1,d2,W1,no\n")
    head = b"topic\tdocno\tassessor\tgrade\n"
    assert read([one, two], range(4)) == head + b"q1\td1\thuman\t3\nq1\td2\thuman\t0\nq1\td1\tmodel\t2\n"
    assert read([words], range(2), ["no", "yes"]) == head + b"1\td1\tW1\t1\n1\td2\tW1\t0\n"
