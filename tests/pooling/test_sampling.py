from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pooling.core import sampling
from pooling.core.matrix import RankMatrix
from pooling.core.sampled_qrels import SampledFault, form_of, read_sampled, write_prels, write_strata
from pooling.core.strategies import Chosen, choose, clean
from tests.golden import vectors
from tests.pooling.test_strategies import ranked


def drawn(vector: dict[str, Any], name: str, seed: int = 1, **values: object) -> Chosen:
    matrix = RankMatrix.build([ranked(tag, docnos) for tag, docnos in vector["runs"].items()])
    return choose(matrix, name, clean(name, values), seed=seed)


def by_docno(chosen: Chosen, column: Any) -> dict[str, Any]:
    assert chosen.sample is not None
    names = [docno.decode() for docno in chosen.matrix.docnos[chosen.sample.items].tolist()]
    return dict(zip(names, column.tolist(), strict=True))


@pytest.mark.parametrize("vector", vectors("formats", "strata_qrels", "prels"))
def test_files_of_the_worked_examples(vector: dict[str, Any]) -> None:
    """Strata are numbered from 0 here, and from 1 in the example."""
    read, expected = read_sampled(vector["text"].encode()), vector["expected"]["1"]
    names = [docno.decode() for docno in read.docnos.tolist()]
    if vector["measure"] == "prels":
        assert read.form == "prels" and read.methods is not None and read.inclusion is not None
        columns = [read.grades.tolist(), read.methods.tolist(), read.inclusion.tolist()]
    else:
        assert read.form == "strata" and read.strata is not None
        columns = [[str(stratum + 1) for stratum in read.strata.tolist()], read.grades.tolist()]
    assert dict(zip(names, map(list, zip(*columns, strict=True)), strict=True)) == expected


def test_strata_of_the_worked_example() -> None:
    vector = vectors("pooling", "strata")[0].values[0]
    found, expected = drawn(vector, "strata", edges="2,6", shares="100,30"), vector["expected"]
    assert found.sample is not None
    assert by_docno(found, found.sample.strata) == expected["stratum"]
    assert by_docno(found, found.sample.inclusion) == pytest.approx(expected["inclusion"])
    strata = found.sample.strata[np.isin(found.sample.items, found.items)]
    assert np.bincount(strata).tolist() == [0, 6, 3]
    others = {tuple(drawn(vector, "strata", seed, edges="2,6", shares="100,30").items.tolist()) for seed in range(5)}
    assert len(others) > 1 and tuple(found.items.tolist()) in others


def test_two_strata_in_a_budget() -> None:
    vector = vectors("pooling", "two_strata_budget")[0].values[0]
    found, expected = drawn(vector, "two-strata", **vector["params"]), vector["expected"]
    assert found.sample is not None
    sizes = np.bincount(found.sample.strata).tolist()
    assert sizes == [0, expected["stratum1"], expected["stratum2"]]
    assert len(found.items) == expected["stratum1"] + expected["sample2"]
    assert found.sample.inclusion[found.sample.strata == 2].tolist() == [expected["inclusion2"]] * expected["stratum2"]


def test_rank_weights_and_their_sample() -> None:
    prior = vectors("pooling", "statap_prior")[0].values[0]
    assert sampling.rank_weights(prior["params"]["n"]).tolist() == pytest.approx(prior["expected"], abs=1e-9)
    vector = vectors("pooling", "pps_sample")[0].values[0]
    matrix = RankMatrix.build([ranked(tag, docnos) for tag, docnos in vector["runs"].items()])
    order = np.argsort(matrix.docnos)
    chances = sampling.inclusion(sampling.ap_weights(matrix, range(4))[order], vector["params"]["n"])
    names = [docno.decode() for docno in matrix.docnos[order].tolist()]
    assert dict(zip(names, chances.tolist(), strict=True)) == pytest.approx(vector["expected"]["inclusion"], abs=1e-9)
    taken = sampling.systematic(chances, vector["params"]["start"])
    assert [names[place] for place in taken.tolist()] == vector["expected"]["sample"]
    assert len(drawn(vector, "ap-weighted", budget=7, depth=6).items) == 7


@given(st.lists(st.floats(0.01, 5), min_size=1, max_size=30), st.integers(1, 35), st.floats(0.001, 0.999))
@settings(max_examples=50, deadline=None)
def test_a_systematic_sample_has_its_size(weights: list[float], size: int, start: float) -> None:
    chances = sampling.inclusion(np.array(weights), size)
    assert chances.sum() == pytest.approx(min(size, len(weights))) and (chances <= 1).all()
    assert len(sampling.systematic(chances, start)) == min(size, len(weights))


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"edges": "10,5"}, "expected ascending ranks"),
        ({"edges": "ten"}, "Expected numbers by commas, such as 10,100; found “ten”"),
        ({"edges": "10,100", "shares": "100"}, "expected 2 numbers above 0"),
        ({"shares": "100,0"}, "expected 2 numbers above 0"),
    ],
)
def test_wrong_strata_are_told(values: dict[str, str], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        clean("strata", values)


def test_files_of_samples_in_and_out() -> None:
    topics, docnos = np.array([b"2", b"1", b"1"]), np.array([b"x", b"b", b"a"])
    grades, chances = np.array([2, -1, 0]), np.array([0.1, 0.25, 1.0])
    strata = write_strata(topics, docnos, np.array([1, 2, 1]), grades)
    assert strata == b"1 0 a 1 0\n1 0 b 2 -1\n2 0 x 1 2\n"
    prels = write_prels(topics, docnos, grades, chances)
    assert prels == b"1 a 0 0 1.0\n2 x 2 0 0.1\n"
    assert (form_of(strata), form_of(prels)) == ("strata", "prels")
    read = read_sampled(strata)
    assert read.strata is not None and (read.grades.tolist(), read.strata.tolist()) == ([0, -1, 2], [0, 1, 0])
    again = read_sampled(prels)
    assert again.inclusion is not None and again.inclusion.tolist() == [1.0, 0.1]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"1 0 a 1 0.5\n", "may be either; say which"),
        (b"1 0 a 1 0\n1 0 b 1\n", "line 2: expected 5 columns (topic 0 docno stratum grade), found 4"),
        (b"1 a 1 0 1.5\n", 'line 1: expected a probability from 0 to 1, found "1.5"'),
        (b"1 a x 0 0.5\n", 'line 1: expected a whole number as grade, found "x"'),
        (b"1 0 a 1 0\n1 0 a 1 1\n", "line 2: expected each document once, document a of topic 1 stands on line 1 already"),
        (b"\n", "found none"),
    ],
)
def test_faults_of_sampled_files_are_named(data: bytes, words: str) -> None:
    with pytest.raises(SampledFault) as fault:
        read_sampled(data)
    assert words in str(fault.value)
