from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation import evaluate
from evaluation.core.dialects import RULES
from evaluation.core.evaluate import Scores, evaluate_rankings
from evaluation.core.formulas import worked
from evaluation.core.qrels import Qrels
from evaluation.core.registry import DEFINITIONS, parse_measure
from pooling.core.qrels import read_qrels
from pooling.core.rankings import Rankings
from pooling.core.runs import read_run
from tests.calls import python_calls
from tests.evaluation import cases, slow
from tests.evaluation.compared import COUNTS, GEOMETRIC, MEASURES, WORKED
from tests.golden import vectors

EVERY = [f"{name}@{cutoff}" for name in ("AP", "P", "R", "RR", "Success", "nDCG") for cutoff in (1, 3, 10)]
EVERY += ["AP", "AP(rel=2)", "RR", "nDCG", "Rprec", "Rprec(rel=3)", "Bpref", "Bpref(rel=2)", "NumRet", "NumRel", "NumRelRet"]
EVERY += ["IPrec@0", "IPrec@0.3", "IPrec@0.7", "IPrec@1", "Avg11pt", "SetF", "SAP", "SAP@3", "ERR(gmax=3)", "ERR(gmax=3)@3"]
EVERY += ["Q", "Q(rel=2)", "RBP", "RBP@3", "RBPResidual", "Judged@3", "SL", "Bpref10", "CG", "CG@3", "NCG", "NCG@3"]
EVERY += ["DCG", "DCG@3", "IDCG", "IDCG@3", "Compat", "PairAccuracy", "PairAccuracy@3", "INST(max_rel=3)", "INSQ(max_rel=3)"]
EVERY += [f"{name}(max_rel=3)@{cutoff}" for name in ("SDCG", "BPM", "NERR8", "NERR9") for cutoff in (3, 10)]
EVERY += ["NERR10(max_rel=3)", "NERR11(max_rel=3)"]
BY_ORACLE = {parse_measure(name).definition.name for name in (*MEASURES, *COUNTS, *GEOMETRIC)}
BY_VECTORS = {row.values[0]["measure"] for row in vectors("pooling", "infNDCG")}  # test_sampled.py


def score(qrels: cases.Qrels, run: cases.Run, *measures: str, **options: Any) -> Scores:
    return evaluate_rankings(Qrels.from_dict(qrels), [Rankings.from_dict("t", run)], measures, **options)


def test_five_documents_by_hand() -> None:
    """Ranked e d c b a; relevant: d (1) and a (3), and z, which was not retrieved; b is judged 0, c and e not at all."""
    qrels = {"1": {"d": 1, "a": 3, "b": 0, "z": 2}}
    run = {"1": {"a": 1.0, "b": 2.0, "c": 3.0, "d": 4.0, "e": 5.0}}
    names = ["AP", "P@2", "P@10", "R@2", "Rprec", "RR", "Bpref", "nDCG", "nDCG@2", "AP(rel=2)", "Success@1", "NumRelRet"]
    log3, log6 = np.log2(3), np.log2(6)
    ideal = 3 + 2 / log3 + 1 / 2
    expected = [
        (1 / 2 + 2 / 5) / 3,
        1 / 2,
        2 / 10,
        1 / 3,
        1 / 3,
        1 / 2,
        (1 + (1 - 1 / 1)) / 3,
        (1 / log3 + 3 / log6) / ideal,
        (1 / log3) / (3 + 2 / log3),
        (1 / 5) / 2,
        0,
        2,
    ]
    assert score(qrels, run, *names).values[0, :, 0].tolist() == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("vector", vectors("measures", "eval:AP"))
def test_worked_examples_from_files(vector: dict[str, Any]) -> None:
    rankings, _, _ = read_run(vector["run"].encode())
    columns, _ = read_qrels(vector["qrels"].encode())
    assert rankings is not None and columns is not None
    if depth := vector["params"].get("max_docs"):
        rankings = rankings.cut(depth)
    complete = vector["params"].get("complete", True)
    scores = evaluate_rankings(Qrels.from_columns(columns), [rankings], ["AP"], complete=complete)
    listed = zip(scores.topics.tolist(), scores.values[0, 0].tolist(), scores.answered[0].tolist(), strict=True)
    found = {topic.decode(): value for topic, value, answered in listed if answered or complete}
    assert found | {"all": scores.means[0, 0]} == pytest.approx(vector["expected"], abs=1e-9)


@given(cases.qrels, cases.runs, st.integers(1, 3))
@settings(max_examples=60, deadline=None)
def test_measures_are_their_definitions(qrels: cases.Qrels, run: cases.Run, rel: int) -> None:
    scores = score(qrels, run, *EVERY, rel=rel)
    for place, name in enumerate(scores.topics.tolist()):
        topic = name.decode()
        order = sorted(run.get(topic, {}).items(), key=lambda item: (item[1], item[0].encode()), reverse=True)
        ranking: slow.Ranking = [qrels[topic].get(docno) for docno, _ in order]
        for column, measure in enumerate(scores.measures):
            definition = slow.DEFINITIONS[measure.definition.name]
            expected = definition(ranking, list(qrels[topic].values()), measure.rel or rel, measure.cutoff)
            found = scores.values[0, column, place]
            exact = measure.definition.trec_eval or measure.definition.trec_eval_cut
            right = found == expected if exact else found == pytest.approx(expected, abs=1e-12, nan_ok=True)
            assert right, f"{measure} of topic {topic}: {found}, expected {expected}"


def test_every_measure_is_compared_with_something() -> None:
    assert set(slow.DEFINITIONS) == {parse_measure(name).definition.name for name in EVERY}
    assert set(slow.DEFINITIONS) | BY_ORACLE | set(WORKED) | BY_VECTORS == set(DEFINITIONS)


@pytest.mark.parametrize("name", WORKED)
def test_values_worked_out_by_hand(name: str) -> None:
    assert worked(DEFINITIONS[name])[1] == pytest.approx(WORKED[name], abs=1e-6 if name == "xinfAP" else 1e-12)


def test_readers_want_as_much_as_they_are_told() -> None:
    """Gains of 1, 0, 1/2; who wants 1/2 stops at once, who wants 1.5 reads all three. A cutoff of 10⁹ is one of 1,000."""
    qrels, run = {"1": {"a": 3, "b": 0, "c": 2}}, {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}
    names = ["BPM(T=0.5)@5", "BPM(T=1.5,min_rel=1)@5", "BPM(T=9,min_rel=1)@5", "NERR8(min_rel=1)@5", "NERR9@999999999"]
    assert score(qrels, run, *names).values[0, :, 0].tolist() == pytest.approx([1, 1.5 / 3, 1.5 / 5, 1, 1], abs=1e-12)
    told = score(qrels, run, "SDCG@999999999", "SDCG@1000").values[0, :, 0]
    assert told[0] == told[1]


def test_rbp_as_trec_eval_10_means_it() -> None:
    """Grades are a share of their topic's highest; what lies beyond a ranking counts where it has an unjudged document."""
    qrels = {"1": {"b": 2, "c": 0, "e": 1, "x": 3}, "2": {"p": 1, "q": 0}, "3": {"p": 1}}
    run = {"1": {name: -float(place) for place, name in enumerate("abcde")}, "2": {"p": 2.0, "q": 1.0}}
    scores = score(qrels, run, "rbp", "rbp_resid", "RBPResidual(p=0.9)", "RBP(p=0.9,gain='scale')", rules=RULES["10"])
    assert scores.values[0].tolist() == [
        pytest.approx([0.1 * (2 / 3 * 0.9 + 1 / 3 * 0.9**4), 0.1, 0.0]),
        pytest.approx([0.1 * (1 + 0.9**3) + 0.9**5, 0.0, 0.0]),
        pytest.approx([0.1 * (1 + 0.9**3) + 0.9**5, 0.9**2, 1.0]),
        pytest.approx([0.1 * (2 / 3 * 0.9 + 1 / 3 * 0.9**4), 0.1 / 3, 0.0]),
    ]


@given(cases.qrels, cases.runs)
@settings(max_examples=40, deadline=None)
def test_values_stay_within_their_range(qrels: cases.Qrels, run: cases.Run) -> None:
    scores = score(qrels, run, *EVERY)
    for column, measure in enumerate(scores.measures):
        values = scores.values[0, column]
        values = values[~np.isnan(values)]
        assert ((values >= measure.definition.low) & (values <= measure.definition.high)).all(), str(measure)


@given(cases.qrels)
@settings(max_examples=30, deadline=None)
def test_the_ideal_ranking_scores_one(qrels: cases.Qrels) -> None:
    run = {topic: {docno: float(grade) for docno, grade in judged.items()} for topic, judged in qrels.items()}
    scores = score(qrels, run, "AP", "nDCG", "nDCG@3", "Rprec", "Bpref", "RR")
    some = ~scores.no_relevant
    assert scores.values[0][:, some] == pytest.approx(1.0, abs=1e-12)
    assert (scores.values[0][:, ~some] == 0).all()


@given(cases.qrels, cases.runs, st.integers(0, 5))
@settings(max_examples=30, deadline=None)
def test_unjudged_documents_at_the_end_change_nothing(qrels: cases.Qrels, run: cases.Run, more: int) -> None:
    longer = {topic: docs | {f"zz{n}": -1e9 - n for n in range(more)} for topic, docs in run.items()}
    names = [name for name in EVERY if name not in ("NumRet", "Judged@3", "SetF", "Compat") and "Pair" not in name]
    assert np.array_equal(score(qrels, run, *names).values, score(qrels, longer, *names).values, equal_nan=True)


@given(cases.qrels, st.lists(cases.runs, min_size=2, max_size=3))
@settings(max_examples=30, deadline=None)
def test_many_runs_at_once_score_as_each_alone(qrels: cases.Qrels, runs: list[cases.Run]) -> None:
    rankings = [Rankings.from_dict(f"r{place}", run) for place, run in enumerate(runs)]
    judged = Qrels.from_dict(qrels)
    together = evaluate_rankings(judged, rankings, EVERY)
    alone = [evaluate_rankings(judged, [run], EVERY) for run in rankings]
    assert np.array_equal(together.values, np.concatenate([one.values for one in alone]), equal_nan=True)
    assert np.array_equal(together.means, np.concatenate([one.means for one in alone]), equal_nan=True)
    assert together.tags == tuple(run.tag for run in rankings)


def test_topics_missing_from_the_run_count_as_zero_unless_told_otherwise() -> None:
    qrels = {"1": {"a": 1}, "2": {"a": 1}, "3": {"a": 0}}
    run = {"1": {"a": 1.0}, "3": {"a": 1.0}, "99": {"a": 1.0}}
    scores = score(qrels, run, "AP", "NumRel", "NumRet")
    assert scores.topics.tolist() == [b"1", b"2", b"3"]
    assert scores.values[0].tolist() == [[1, 0, 0], [1, 1, 0], [1, 0, 1]]
    assert scores.means[0].tolist() == [1 / 3, 2, 2]
    assert scores.answered[0].tolist() == [True, False, True]
    assert scores.no_relevant.tolist() == [False, False, True]
    answered = score(qrels, run, "AP", "NumRel", "NumRet", complete=False)
    assert answered.means[0].tolist() == [1 / 2, 1, 2]


def over_no_topic() -> list[float]:
    return [np.nan if name in ("SL", "Judged@3") or "Pair" in name else 0.0 for name in EVERY]


def test_a_run_without_any_judged_topic_scores_zero_where_zero_is_a_score() -> None:
    scores = score({"1": {"a": 1}}, {"2": {"a": 1.0}}, *EVERY, complete=False)
    assert scores.means[0].tolist() == pytest.approx(over_no_topic(), nan_ok=True)


def test_the_rank_of_what_was_never_found_is_no_number() -> None:
    """0 would be the best of all search lengths."""
    found = evaluate({"1": {"a": 1}, "2": {"a": 1}}, {"1": {"b": 1.0}}, ["SL", "Judged@10", "RR"])
    assert found.means[0].tolist() == pytest.approx([np.nan, 0.0, 0.0], nan_ok=True)
    assert found.to_trec_eval(per_topic=False).splitlines()[2].split("\t")[1:] == ["all", "nan"]
    assert '"means": {"SL": null, "Judged@10": 0.0, "RR": 0.0}' in found.to_json()


def test_no_runs_and_no_judgments_are_no_fault() -> None:
    assert evaluate_rankings(Qrels.from_dict({"1": {"a": 1}}), [], EVERY).values.shape == (0, len(EVERY), 1)
    empty = evaluate_rankings(Qrels.from_dict({}), [Rankings.from_dict("t", {"1": {"a": 1.0}})], EVERY)
    assert empty.means[0].tolist() == pytest.approx(over_no_topic(), nan_ok=True)


def test_strict_and_lenient_are_a_matter_of_the_level() -> None:
    qrels = {"1": {"a": 2, "b": 1, "c": 0}}
    run = {"1": {"b": 3.0, "a": 2.0, "c": 1.0}}
    assert score(qrels, run, "AP", "nDCG", rel=1).values[0, 0].tolist() == [1.0]
    assert score(qrels, run, "AP", "nDCG", rel=2).values[0, 0].tolist() == [0.5]
    assert score(qrels, run, "nDCG", rel=1).values.tolist() == score(qrels, run, "nDCG", rel=2).values.tolist()


def test_a_pair_judged_twice_is_refused() -> None:
    twice = np.array([b"1", b"1"])
    with pytest.raises(ValueError, match="several for a"):
        Qrels.build(twice, np.array([b"a", b"a"]), np.array([1, 0]))


def test_evaluate_reads_paths_and_dicts(tmp_path: Any) -> None:
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    (tmp_path / "run").write_text("1 Q0 b 1 2 t\n1 Q0 a 2 1 t\n")
    from_files = evaluate(tmp_path / "qrels", str(tmp_path / "run"), ["AP"])
    from_dicts = evaluate({"1": {"a": 1}}, {"1": {"a": 1, "b": 2}}, ["AP"])
    assert from_files.means.tolist() == from_dicts.means.tolist() == [[0.5]]
    assert from_files.runs == ("t",)
    (tmp_path / "run").write_text("1 Q0 b 1 x t\n")
    with pytest.raises(ValueError, match="line 1: expected a score that is a number"):
        evaluate(tmp_path / "qrels", tmp_path / "run", ["AP"])
    with pytest.raises(ValueError, match="expected lines of topic 0 docno grade, found none"):
        (tmp_path / "empty").write_text("")
        evaluate(tmp_path / "empty", tmp_path / "run", ["AP"])


def test_evaluation_makes_no_call_for_each_topic() -> None:
    def material(topics: int) -> tuple[Qrels, list[Rankings]]:
        qrels = {f"{t:04}": {f"d{t:04}-{d:02}": d % 4 - 1 for d in range(0, 20, 2)} for t in range(topics)}
        run = {f"{t:04}": {f"d{t:04}-{d:02}": float(d % 5) for d in range(20)} for t in range(topics)}
        return Qrels.from_dict(qrels), [Rankings.from_dict("a", run), Rankings.from_dict("b", run)]

    few, many = material(5), material(500)
    measures = [parse_measure(name) for name in EVERY]
    calls_few = python_calls(lambda: evaluate_rankings(*few, measures))
    calls_many = python_calls(lambda: evaluate_rankings(*many, measures))
    assert calls_many - calls_few < 100  # of 495 topics more; the table of judged documents grows by doubling
