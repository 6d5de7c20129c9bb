import pytest

from evaluation.core.registry import DEFINITIONS, MeasureError, parse_measure
from pooling.core.presets import MEASURE_NAMES


@pytest.mark.parametrize(
    ("text", "name", "trec_eval"),
    [
        ("AP", "AP", "map"),
        ("map", "AP", "map"),
        ("AP(rel=2)", "AP(rel=2)", "map"),
        ("AP( rel = 2 )@100", "AP(rel=2)@100", "map_cut_100"),
        ("map_cut_100", "AP@100", "map_cut_100"),
        ("P@10", "P@10", "P_10"),
        ("P_10", "P@10", "P_10"),
        ("P(rel=3)@5", "P(rel=3)@5", "P_5"),
        ("R@1000", "R@1000", "recall_1000"),
        ("recall_1000", "R@1000", "recall_1000"),
        ("Rprec", "Rprec", "Rprec"),
        ("RR", "RR", "recip_rank"),
        ("recip_rank", "RR", "recip_rank"),
        ("RR@10", "RR@10", "RR@10"),
        ("Bpref", "Bpref", "bpref"),
        ("bpref", "Bpref", "bpref"),
        ("nDCG", "nDCG", "ndcg"),
        ("ndcg", "nDCG", "ndcg"),
        ("nDCG@10", "nDCG@10", "ndcg_cut_10"),
        ("ndcg_cut_10", "nDCG@10", "ndcg_cut_10"),
        ("Success@5", "Success@5", "success_5"),
        ("success_5", "Success@5", "success_5"),
        ("NumRelRet", "NumRelRet", "num_rel_ret"),
        (" num_ret ", "NumRet", "num_ret"),
    ],
)
def test_names_of_both_families_are_understood(text: str, name: str, trec_eval: str) -> None:
    measure = parse_measure(text)
    assert (str(measure), measure.trec_eval) == (name, trec_eval)


@pytest.mark.parametrize("name", DEFINITIONS)
@pytest.mark.parametrize("parameters", ["", "(rel=2)", "@7", "(rel=2)@7"])
def test_a_measure_prints_the_name_it_parses(name: str, parameters: str) -> None:
    try:
        measure = parse_measure(name + parameters)
    except MeasureError:
        return
    assert str(measure) == name + parameters
    assert parse_measure(str(measure)) == measure
    if "rel" not in parameters:
        assert parse_measure(measure.trec_eval) == measure


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("MAP", "is not a measure; expected one of NumRet"),
        ("", "is not a measure"),
        ("AP@", "is not a measure"),
        ("AP@-1", "is not a measure"),
        ("AP@٣", "is not a measure"),
        ("ap", "is not a measure"),
        ("ndcg_cut_x", "is not a measure"),
        ("P", "needs a cutoff, as in P@10"),
        ("Bpref@10", "Bpref takes no cutoff"),
        ("P@0", "at least 1"),
        ("P_0", "at least 1"),
        ("AP(cutoff=2)", "expected rel= and a grade"),
        ("AP()", "expected rel= and a grade"),
        ("AP(rel=0)", "a grade from 1 to 127"),
        ("nDCG(rel=2)", "nDCG takes no parameters"),
    ],
)
def test_other_names_are_refused_with_a_reason(text: str, message: str) -> None:
    with pytest.raises(MeasureError, match=message):
        parse_measure(text)


@pytest.mark.parametrize("name", DEFINITIONS)
def test_every_entry_is_complete(name: str) -> None:
    entry = DEFINITIONS[name]
    assert entry.definition.endswith(".")
    assert entry.low < entry.high
    assert entry.reference or entry.summary == "sum"
    assert entry.trec_eval or entry.trec_eval_cut
    assert (entry.function.__doc__ or "").strip()


@pytest.mark.parametrize("name", MEASURE_NAMES)
def test_official_measures_are_known(name: str) -> None:
    text = name
    try:
        measure = parse_measure(text)
    except MeasureError:  # it needs a cutoff
        text = f"{name}@10"
        measure = parse_measure(text)
    assert str(measure) == text
