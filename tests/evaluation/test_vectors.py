"""Every worked example: the lectures' own, those derived from them, and constructed ones."""

import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from evaluation.core import curves, efficiency
from evaluation.core.dialects import RULES
from evaluation.core.evaluate import evaluate_rankings
from evaluation.core.judged import Given, Level, join
from evaluation.core.measures import parts, ranked, sets
from evaluation.core.qrels import Qrels
from evaluation.core.registry import MeasureError, parse_measure
from pooling.core.rankings import Dialect, Rankings
from tests.golden import FOLDER, vectors

# Of the vectors' measures, the name here; {k} and the like are parameters.
NAMES = {
    "AP": "AP",
    "AP_condensed": "AP(judged_only=True)",
    "RR": "RR",
    "Rprec": "Rprec",
    "R@k": "R",
    "P@k": "P",
    "success@k": "Success",
    "search_length": "SL",
    "simplified_AP": "SAP",
    "set_P": "SetP",
    "set_R": "SetR",
    "set_F": "SetF(beta={beta})",
    "auc_pr": "AUC",
    "3pt_avg": "Avg3pt",
    "11pt_avg": "Avg11pt(rule='{rule}')",
    "break_even": "BEP(method='{method}')",
    "nDCG": "nDCG(form='{form}',b={base}{gains})",
    "nDCG_condensed": "nDCG(judged_only=True)",
    "judged@k": "Judged(denominator='{denominator}')",
    "unjudged@k": "Unjudged",
    "ERR": "ERR(gmax={gmax})",
    "Q": "Q(beta={beta})",
    "Q_condensed": "Q(judged_only=True)",
    "infAP": "infAP",
}
DEFAULTS = {
    "rule": "ceiling", "method": "rprec", "form": "log2p1", "base": 2, "beta": 1, "denominator": "retrieved", "gains": ""
}  # fmt: skip
BPREF = {
    "trec_eval": "Bpref",
    "literal": "Bpref(denominator='literal')",
    "bpref10": "Bpref10",
    "bpref10-literal": "Bpref10(denominator='literal')",
    "bpref10-capR": "Bpref10(denominator='literal',first='R')",
}
RULE_OF: dict[str, Dialect] = {"trec_eval 9": "9", "trec_eval 10": "10"}
CURVES = [
    "P_vector", "R_vector", "CG", "ICG", "DCG", "IDCG", "nDCG_vector", "discounted_gain", "ideal_gain_vector"
]  # fmt: skip
SET_TABLES = ["precision", "recall", "accuracy", "F", "fallout", "E", "arithmetic_F"]
USERS = {"coverage": "Coverage", "novelty": "Novelty", "relative_recall": "RelRecall", "recall_effort": "RecallEffort"}
PARTS = ["part_precision", "part_recall", "part_F", "part_iprec", "part_AiP"]
COSTS = ["latency_mean", "latency_median", "latency_percentile", "throughput", "parallel_speedup", "index_ratio"]
OF_TOPICS = ["curve_mean", "curve_ideal_mean", "curve_ratio_of_averages", "curve_average_of_ratios", "curve_area"]
OTHERS = ["bpref", "iprec", "pr_points", "RBP", "GMAP", "F_from_PR", "F_alpha_from_PR", "mean:AP", "mean:RR", "mean:success@k"]
ELSEWHERE = ["ranking", "eval:AP"]  # tests/pooling/test_rankings.py, tests/evaluation/test_measures.py


def same(expected: Any) -> Any:
    return pytest.approx(expected, abs=1e-9, nan_ok=True)


def topic(number: int, grades: list[int | None], unseen: list[int]) -> tuple[dict[str, int], dict[str, float]]:
    names = [f"t{number}r{place:03}" for place in range(len(grades))]
    judged = {name: grade for name, grade in zip(names, grades, strict=True) if grade is not None}
    judged |= {f"t{number}u{place}": grade for place, grade in enumerate(unseen)}
    return judged, {name: float(-place) for place, name in enumerate(names)}


def material(vector: dict[str, Any]) -> tuple[Qrels, list[Rankings]]:
    """The ranking is given by its grades, the best first; null is a document outside the qrels."""
    topics = vector.get("topics") or [vector]
    qrels, run = {}, {}
    for number, one in enumerate(topics):
        rel = vector["params"].get("rel") or 1
        missed = vector.get("R", 0) - sum(grade is not None and grade >= rel for grade in one["grades"])
        unseen = one.get("unretrieved") or ([1] * missed if "R" in vector and not vector.get("topics") else [])
        qrels[str(number)], run[str(number)] = topic(number, one["grades"], unseen)
        qrels[str(number)] |= {"filler": 0} if not qrels[str(number)] else {}
    return Qrels.from_dict(qrels), [Rankings.from_dict("t", {name: docs for name, docs in run.items() if docs})]


def value(vector: dict[str, Any], name: str, **options: Any) -> float:
    scores = evaluate_rankings(*material(vector), [name], rel=vector["params"].get("rel", 1), **options)
    return float(scores.values[0, 0, 0])


def level(vector: dict[str, Any]) -> Level:
    qrels, rankings = material(vector)
    return Level(join(qrels, rankings), vector["params"].get("rel", 1))


@pytest.mark.parametrize("vector", vectors("measures", *NAMES))
def test_measures(vector: dict[str, Any]) -> None:
    told = DEFAULTS | vector["params"]
    if told["gains"]:
        told["gains"] = ",gains={" + ",".join(f"{grade}:{gain}" for grade, gain in told["gains"].items()) + "}"
    name = NAMES[vector["measure"]].format(**told) + (f"@{told['k']}" if "k" in told else "")
    expected = np.nan if vector["expected"] is None else vector["expected"]
    assert value(vector, name) == same(expected)


@pytest.mark.parametrize("vector", vectors("measures", "bpref"))
def test_bpref(vector: dict[str, Any]) -> None:
    assert value(vector, BPREF[vector["params"].get("variant", "trec_eval")]) == same(vector["expected"])


@pytest.mark.parametrize("vector", vectors("measures", "iprec"))
def test_interpolated_precision(vector: dict[str, Any]) -> None:
    rule = vector["params"].get("rule", "ceiling")
    rules = RULES[RULE_OF.get(rule)]
    shown = "ceiling" if rule in RULE_OF else rule
    names = [f"IPrec(rule='{shown}')@{point / 10}" for point in range(11)]
    scores = evaluate_rankings(*material(vector), names, given=Given(rules.recall_points))
    assert scores.values[0, :, 0].tolist() == same(vector["expected"])


@pytest.mark.parametrize("vector", vectors("measures", "pr_points"))
def test_recall_precision_points(vector: dict[str, Any]) -> None:
    _, recall, precision = ranked.recall_precision_points(level(vector))
    assert np.array([recall, precision]).T.tolist() == [same(point) for point in vector["expected"]]


@pytest.mark.parametrize("vector", vectors("measures", "RBP"))
def test_rank_biased_precision(vector: dict[str, Any]) -> None:
    told = vector["params"]
    gain = "" if "rel" in told else f",gain='scale',gmax={told['gmax']}"
    base = value(vector, f"RBP(p={told['p']}{gain})")
    residual = value(vector, f"RBPResidual(p={told['p']})")
    assert {"base": base, "residual": residual, "max": base + residual} == same(vector["expected"])


@pytest.mark.parametrize("vector", vectors("measures", *CURVES))
def test_curves_of_one_topic(vector: dict[str, Any]) -> None:
    told, kind, expected = vector["params"], vector["measure"], vector["expected"]
    if "k" in told:
        name = f"DCG(form='{told.get('form', 'log2p1')}',b={told.get('base', 2)})@{told['k']}"
        assert value(vector, name) == same(expected)
        return
    length = told.get("length", len(expected))
    form = {"form": told.get("form", "log2p1"), "base": told.get("base", 2)}
    ideal = told.get("ideal", "judged")
    of = level(vector)
    found: dict[str, Callable[[], NDArray[np.float64]]] = {
        "P_vector": lambda: curves.precision(of, length),
        "R_vector": lambda: curves.recall(of, length),
        "CG": lambda: curves.gains(of, length).cumsum(axis=1),
        "ICG": lambda: curves.ideal_gains(of, length, ideal).cumsum(axis=1),
        "ideal_gain_vector": lambda: curves.ideal_gains(of, length, ideal),
        "discounted_gain": lambda: curves.discounted(curves.gains(of, length), **form),
        "DCG": lambda: curves.discounted(curves.gains(of, length), **form).cumsum(axis=1),
        "IDCG": lambda: curves.discounted(curves.ideal_gains(of, length, ideal), **form).cumsum(axis=1),
        "nDCG_vector": lambda: curves.ratios(
            curves.discounted(curves.gains(of, length), **form).cumsum(axis=1),
            curves.discounted(curves.ideal_gains(of, length, ideal), **form).cumsum(axis=1),
        ),
    }
    assert found[kind]()[0].tolist() == same(expected)


@pytest.mark.parametrize("vector", vectors("measures", *OF_TOPICS))
def test_curves_over_topics(vector: dict[str, Any]) -> None:
    told = vector["params"]
    curve = curves.gain_curve(
        level(vector), told["length"], kind=told["kind"], form=told["form"], base=told["base"], ideal=told["ideal"]
    )
    found: dict[str, NDArray[np.float64] | float] = {
        "curve_mean": curve.mean,
        "curve_ideal_mean": curve.ideal_mean,
        "curve_ratio_of_averages": curve.ratio_of_averages,
        "curve_average_of_ratios": curve.average_of_ratios,
        "curve_area": float(curve.ratio_of_averages.mean()),
    }
    expected = vector["expected"]
    assert np.asarray(found[vector["measure"]]).tolist() == same(expected)


@pytest.mark.parametrize("vector", vectors("measures", "mean:AP", "mean:RR", "mean:success@k"))
def test_means(vector: dict[str, Any]) -> None:
    cutoff = vector["params"].get("k")
    name = vector["measure"].removeprefix("mean:").replace("success@k", f"Success@{cutoff}")
    assert evaluate_rankings(*material(vector), [name]).means[0, 0] == same(vector["expected"])


@pytest.mark.parametrize("vector", vectors("measures", "GMAP"))
def test_geometric_mean(vector: dict[str, Any]) -> None:
    """A value of AP is made by one relevant document at a rank and others that are never found."""
    if "topics" in vector:
        assert evaluate_rankings(*material(vector), ["GMAP"]).means[0, 0] == same(vector["expected"])
        return
    values = [*vector["values"], *[0.0] * vector.get("missing", 0)]
    qrels = {str(number): {"a": 1} | ({"z": 1} if value == 0.25 else {}) for number, value in enumerate(values)}
    run = {str(number): {"a": 1.0, "b": 2.0} for number, value in enumerate(values) if value}
    scores = evaluate_rankings(Qrels.from_dict(qrels), [Rankings.from_dict("t", run)], ["AP", "GMAP"])
    assert scores.values[0, 0].tolist() == values
    assert scores.means[0, 1] == same(vector["expected"])


@pytest.mark.parametrize("vector", vectors("measures", *SET_TABLES))
def test_contingency_tables(vector: dict[str, Any]) -> None:
    """The cells become documents, as many as that takes; the collection's others are a number alone."""
    table = vector["table"]
    given = Given(documents=sum(table.values()))
    judged = {f"r{n}": 1 for n in range(table["tp"] + table["fn"])} or {"n": 0}
    run = {f"r{n}": 1.0 for n in range(table["tp"])} | {f"x{n}": 1.0 for n in range(table["fp"])}
    beta = vector["params"].get("beta", 1)
    names = ["SetP", "SetR", "Accuracy", f"SetF(beta={beta})", "Fallout", f"E(beta={beta})"]
    qrels, rankings = Qrels.from_dict({"1": judged}), Rankings.from_dict("t", {"1": run} if run else {})
    values = evaluate_rankings(qrels, [rankings], names, given=given).values[0, :, 0].tolist()
    found = dict(zip(SET_TABLES, [*values, (values[0] + values[1]) / 2], strict=True))
    assert found[vector["measure"]] == same(vector["expected"])


@pytest.mark.parametrize("vector", vectors("measures", "F_from_PR", "F_alpha_from_PR"))
def test_f_of_precision_and_recall(vector: dict[str, Any]) -> None:
    alpha = vector["params"].get("alpha", 0.5)
    precision, recall = np.array([vector["P"]]), np.array([vector["R"]])
    assert sets.f_measure(precision, recall, (1 / alpha - 1) ** 0.5)[0] == same(vector["expected"])


@pytest.mark.parametrize("vector", vectors("measures", *USERS))
def test_user_oriented(vector: dict[str, Any]) -> None:
    qrels = Qrels.from_dict({"1": dict.fromkeys(vector["relevant"], 1)})
    rankings = Rankings.from_dict("t", {"1": {docno: -float(rank) for rank, docno in enumerate(vector["answers"])}})
    known = np.isin(qrels.docnos, np.array([docno.encode() for docno in vector["known"]], np.bytes_))
    given = Given(known=known, expected=np.array([vector.get("expected_by_user", 0)]))
    scores = evaluate_rankings(qrels, [rankings], [USERS[vector["measure"]]], given=given)
    assert scores.values[0, 0, 0] == same(np.nan if vector["expected"] is None else vector["expected"])


@pytest.mark.parametrize("vector", vectors("measures", *PARTS))
def test_parts_of_documents(vector: dict[str, Any]) -> None:
    found = part_scores(vector)
    results: dict[str, Callable[[], NDArray[np.float64]]] = {
        "part_precision": lambda: found.precision,
        "part_recall": lambda: found.recall,
        "part_F": lambda: found.f(),
        "part_iprec": lambda: np.array([found.interpolated(x)[0] for x in vector["params"]["recall"]]),
        "part_AiP": lambda: found.average_interpolated().reshape(()),
    }
    assert results[vector["measure"]]().tolist() == same(vector["expected"])


def test_parts_under_their_names() -> None:
    found = parts.score_sizes(np.array([2, 0]), np.array([30, 0]), np.array([50, 50]), np.array([60, 10]))
    names = ["PartP@1", "PartP@9", "PartR@1", "PartF@2", "iP@0.5", "iP@0.51", "AiP"]
    values = [parse_measure(name).values(found).tolist() for name in names]
    expected = [[0.6, 0], [0.3, 0], [0.5, 0], [0.375, 0], [0.6, 0], [0, 0], [0.6 * 51 / 101, 0]]
    assert values == [same(pair) for pair in expected]
    with pytest.raises(MeasureError, match="AiP is of parts of documents; expected a measure of whole documents"):
        evaluate_rankings(Qrels.from_dict({"1": {"a": 1}}), [], ["AiP"])


def part_scores(vector: dict[str, Any]) -> parts.PartScores:
    listed = vector["parts"]
    if "size" in listed[0]:
        relevant, size = (np.array([part[name] for part in listed]) for name in ("rsize", "size"))
        return parts.score_sizes(np.array([len(listed)]), relevant, size, np.array([vector["t_rel"]]))
    codes = {name: code for code, name in enumerate(sorted(vector["relevant_spans"]))}
    spans = [(codes[name], *span) for name, found in vector["relevant_spans"].items() for span in found]
    asked = [(codes[part["doc"]], part["start"], part["end"]) for part in listed]

    def columns(rows: Sequence[tuple[int, ...]]) -> parts.Spans:
        return parts.Spans(np.zeros(len(rows), np.int64), *np.array(rows).T)

    return parts.score_parts(columns(asked), columns(spans), 1)


@pytest.mark.parametrize("vector", vectors("measures", *COSTS))
def test_efficiency(vector: dict[str, Any]) -> None:
    found = efficiency.latency(vector.get("latencies_ms", [1.0]))
    results: dict[str, Callable[[], float]] = {
        "latency_mean": lambda: found.mean,
        "latency_median": lambda: found.median,
        "latency_percentile": lambda: {95: found.p95, 99: found.p99}[vector["params"]["q"]],
        "throughput": lambda: efficiency.throughput(vector["queries"], vector["elapsed_s"]),
        "parallel_speedup": lambda: efficiency.parallelism(vector["cpu_s"], vector["elapsed_s"]),
        "index_ratio": lambda: efficiency.index_share(vector["index_bytes"], vector["collection_bytes"]),
    }
    assert results[vector["measure"]]() == same(vector["expected"])


def test_no_example_is_left_out() -> None:
    rows = json.loads((FOLDER / "measures.json").read_text())
    tested = {*NAMES, *CURVES, *SET_TABLES, *USERS, *PARTS, *COSTS, *OF_TOPICS, *OTHERS, *ELSEWHERE}
    assert {row["measure"] for row in rows} == tested
    assert len(rows) == 270
    assert all(
        parse_measure(name.split("(")[0].split("@")[0] + ("@1" if kind.endswith("@k") else "")) for kind, name in NAMES.items()
    )


@pytest.mark.parametrize("spans", [[(0, 5, 5)], [(0, -1, 3)], [(0, 7, 3)]])
def test_empty_parts_are_refused(spans: list[tuple[int, int, int]]) -> None:
    wrong = parts.Spans(np.zeros(1, np.int64), *np.array(spans).T)
    right = parts.Spans(np.zeros(1, np.int64), *np.array([(0, 0, 9)]).T)
    with pytest.raises(ValueError, match="expected each part to begin at 0 or later and end after it begins, found"):
        parts.score_parts(wrong, right, 1)


@pytest.mark.parametrize("times", [[], [1.0, -2.0], [float("nan")]])
def test_latencies_that_are_none_are_refused(times: list[float]) -> None:
    with pytest.raises(ValueError, match="expected"):
        efficiency.latency(times)
