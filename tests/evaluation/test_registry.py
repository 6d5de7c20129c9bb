import pytest

from evaluation.core.references import REFERENCES
from evaluation.core.registry import DEFINITIONS, MeasureError, parse_measure


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
        ("iprec_at_recall_0.10", "IPrec@0.1", "iprec_at_recall_0.10"),
        ("Rprec_mult_0.20", "RprecMult@0.2", "Rprec_mult_0.20"),
        ("set_relative_P", "SetP(relative=True)", "set_relative_P"),
        ("gm_map", "GMAP", "gm_map"),
        ("rbp", "RBP(p=0.9,gain='topic')", "rbp"),
        ("rbp_resid", "RBPResidual(p=0.9,tail='unjudged')", "rbp_resid"),
        ("unj_5", "Unjudged@5", "unj_5"),
        ("11pt_avg", "Avg11pt", "11pt_avg"),
        ("Avg11pt(points={0.80, .2})", "Avg11pt(points={0.2,0.8})", "Avg11pt(points={0.2,0.8})"),
        ("AP(rel=2,judged_only=True)", "AP(rel=2,judged_only=True)", "AP(rel=2,judged_only=True)"),
        ("AP(judged_only=True, rel=2)", "AP(rel=2,judged_only=True)", "AP(rel=2,judged_only=True)"),
        ("nDCG(dcg='exp-log2')@10", "nDCG(dcg='exp-log2')@10", "nDCG(dcg='exp-log2')@10"),
        ('nDCG(form="jk",b=2)@10', "nDCG(form='jk',b=2)@10", "nDCG(form='jk',b=2)@10"),
        ("nDCG(gains={2:3, 1:0.5})", "nDCG(gains={1:0.5,2:3})", "nDCG(gains={1:0.5,2:3})"),
        ("SetF(beta=0.5)", "SetF(beta=0.5)", "SetF(beta=0.5)"),
        ("ERR@20", "ERR@20", "ERR@20"),
        ("MAP", "AP", "map"),
        ("MAP(rel=2)@100", "AP(rel=2)@100", "map_cut_100"),
        ("MRR@10", "RR@10", "RR@10"),
        ("NDCG@10", "nDCG@10", "ndcg_cut_10"),
        ("Precision@5", "P@5", "P_5"),
        ("Recall@100", "R@100", "recall_100"),
        ("BPref", "Bpref", "bpref"),
        ("RPrec(rel=2)", "Rprec(rel=2)", "Rprec"),
        ("NumRet(rel=1)", "NumRelRet(rel=1)", "num_rel_ret"),
        ("NumRet", "NumRet", "num_ret"),
        ("SetRelP", "SetP(relative=True)", "set_relative_P"),
        ("SetRelP(rel=2)", "SetP(relative=True,rel=2)", "set_relative_P"),
        ("nDCG(cutoff=10)", "nDCG@10", "ndcg_cut_10"),
        ("AP(cutoff=5, rel=2)", "AP(rel=2)@5", "map_cut_5"),
        ("P(rel=2,cutoff=5)", "P(rel=2)@5", "P_5"),
    ],
)
def test_names_of_both_families_are_understood(text: str, name: str, trec_eval: str) -> None:
    measure = parse_measure(text)
    assert (str(measure), measure.trec_eval) == (name, trec_eval)


@pytest.mark.parametrize("name", DEFINITIONS)
def test_a_measure_prints_the_name_it_parses(name: str) -> None:
    parsed = 0
    for parameters in ("", "(rel=2)", "@7", "(rel=2)@7", "@0.5", "(judged_only=True)"):
        try:
            measure = parse_measure(name + parameters)
        except MeasureError:
            continue
        parsed += 1
        expected = name + parameters
        assert str(measure) == ("NumRelRet(rel=2)" if expected == "NumRet(rel=2)" else expected)  # ir_measures' name for it
        assert parse_measure(str(measure)) == measure
        if "rel" not in parameters:
            assert parse_measure(measure.trec_eval) == measure
    assert parsed


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("MPA", r'"MPA" is not a measure; did you mean AP\? All '),
        ("ndcg@10", r'"ndcg@10" is not a measure; did you mean nDCG@10\? All '),
        ("ndgc@10", r"did you mean nDCG@10\?"),
        ("p@5", r"did you mean P@5\?"),
        ("map(rel=2)@7", r"did you mean AP\(rel=2\)@7\?"),
        ("bpreff", r"did you mean Bpref\?"),
        ("rbp@", "did you mean RBP"),
        ("P@", r"did you mean P@10\?"),
        ("qqqq@3", "expected one such as AP, nDCG@10, P@10 or Bpref. All "),
        ("P(cutoff=5)@5", "expected rel= or judged_only="),
        ("Bpref(cutoff=5)", "Bpref takes no cutoff"),
        ("", "is not a measure"),
        ("AP@", "is not a measure"),
        ("AP@-1", "is not a measure"),
        ("AP@٣", "is not a measure"),
        ("ap", "is not a measure"),
        ("ndcg_cut_x", "is not a measure"),
        ("P", "P needs a cutoff, as in P@10"),
        ("Bpref@10", "Bpref takes no cutoff"),
        ("P@0", "at least 1"),
        ("P_0", "at least 1"),
        ("AP(foo=1)", 'expected rel= or judged_only=, each once, got "foo=1"'),
        ("AP()", "expected rel= or judged_only="),
        ("AP(rel=0)", 'rel must be a whole number from 1 to 127, got "0"'),
        ("nDCG(rel=2)", "expected dcg= or form= or b= or gains= or ideal= or judged_only="),
        ("AP(rel=1,rel=2)", "each once"),
        ("AP(rel=2", "is not a measure"),
        ("RBP(p=2)", 'p must be a number from 0 to 1, got "2"'),
        ("RBP(gain='big')", "gain must be one of 'binary', 'scale', 'topic'"),
        ("SetP(relative=maybe)", "relative must be True or False"),
        ("nDCG(gains={1})", "gains must be a table of grade:gain, as {1:1,2:3}"),
        ("nDCG(gains={1:1,1:2})", "gains must be a table"),
        ("nDCG(dcg='log2',form='jk')", "say the same thing"),
        ("IPrec@2", "the cutoff must be a number from 0 to 1, got 2"),
        ("IPrec(rule='window')@0.25", "knows the recall levels"),
        ("Avg11pt(points={0.2,1.5})", "points must be recall levels from 0 to 1, each once, as {0.2,0.5,0.8}"),
        ("Avg11pt(points={0.2,0.20})", "points must be recall levels"),
        ("Avg11pt(rule='window',points={0.2})", "expected it without points="),
        ("P@1.5", "the cutoff must be a whole number of at least 1, got 1.5"),
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
    assert entry.reference in REFERENCES or entry.summary == "sum"
    assert (entry.function.__doc__ or "").strip()
