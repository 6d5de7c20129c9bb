"""`assize eval` and `assize compare` as commands: options, stdin, several files, statuses, words."""

import gzip
import io
import json
import subprocess
import sys
from itertools import combinations
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from evaluation import compare as compare_runs
from evaluation.core.comparison import Test
from evaluation.on_files import compare, eval

QRELS = "1 0 a 2\n1 0 b 0\n2 0 c 1\n3 0 d 1\n"
RUN = "1 Q0 a 1 2 one\n1 Q0 x 2 1 one\n2 Q0 y 1 2 one\n2 Q0 c 2 1 one\n9 Q0 z 1 1 one\n"
OTHER = RUN.replace("one", "other").replace("1 Q0 x 2 1", "1 Q0 x 2 9")


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in (("qrels", QRELS), ("one", RUN), ("other", OTHER)):
        Path(name).write_text(text)


def lines(out: str) -> list[list[str]]:
    return [[field.strip() for field in line.split("\t")] for line in out.splitlines()]


def test_own_rules_hold_unless_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert eval.main(["-q", "-m", "map", "-m", "num_rel", "-l", "2", "-c", "qrels", "one"]) == 0
    out, err = capsys.readouterr()
    assert lines(out) == [
        ["num_rel", "1", "1"], ["map", "1", "1.0000"], ["num_rel", "2", "0"], ["map", "2", "0.0000"], ["num_rel", "3", "0"],
        ["map", "3", "0.0000"], ["num_rel", "all", "1"], ["map", "all", "0.3333"],
    ]  # fmt: skip
    assert err.splitlines() == [
        "note: one: only 50 % of its first ten documents are judged; its scores may be too low",
        "note: one has no results for 1 topic of 3; each counts as zero",
    ]


def test_ranges_and_a_note_tell_what_unjudged_documents_leave_open(capsys: pytest.CaptureFixture[str]) -> None:
    """x and y are unjudged: P@2 of topics 1 and 2 is a half and could be 1; topic 3 is not answered. Rprec has no range."""
    asked = ["--range", "-m", "P.2", "-m", "Rprec"]
    assert eval.main([*asked, "qrels", "one"]) == 0
    assert lines(capsys.readouterr().out)[1:] == [
        ["P_2", "all", "0.3333"], ["P_2_lowest", "all", "0.3333"], ["P_2_highest", "all", "0.6667"],
    ]  # fmt: skip
    assert eval.main([*asked, "--answered-topics", "qrels", "one"]) == 0
    assert lines(capsys.readouterr().out)[-2:] == [["P_2_lowest", "all", "0.5000"], ["P_2_highest", "all", "1.0000"]]
    Path("all").write_text("1 Q0 a 1 2 all\n1 Q0 b 2 1 all\n2 Q0 c 1 1 all\n3 Q0 d 1 1 all\n")
    assert eval.main([*asked, "qrels", "all"]) == 0
    assert capsys.readouterr().err == ""  # every document is judged
    assert eval.main([*asked, "--dialect", "9", "qrels", "one"]) == 1
    assert "expected it without --dialect" in capsys.readouterr().err


def test_official_measures_are_the_default(capsys: pytest.CaptureFixture[str]) -> None:
    assert eval.main(["qrels", "one"]) == 0
    names = [name for name, _, _ in lines(capsys.readouterr().out)]
    assert names[:9] == ["runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref"]
    assert names[-1] == "P_1000"
    assert len(names) == 30


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        (["P.10,5"], ["P_5", "P_10"]),
        (["P.5", "P.10"], ["P_5"]),  # parameters given first hold
        (["P.7", "set", "P", "P.10"], ["runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "P_7"]),
        (["P", "P.7"], ["P_7"]),
        (["ndcg_cut.7", "map"], ["map", "ndcg_cut_7"]),
        (["nDCG@10", "AP(rel=2)", "P_5"], ["ndcg_cut_10", "AP(rel=2)", "P_5"]),
        (["iprec_at_recall.0.25"], ["iprec_at_recall_0.25"]),
        (["set_F.4.0"], ["set_F_4.0"]),
        (["11pt_avg.0.8,0.2"], ["11pt_avg_0.8,0.2"]),
        (["ndcg.1=3,2=7"], ["ndcg_1=3,2=7"]),
        (["utility.2,-1,0,0"], ["utility_2,-1,0,0"]),
        (["rbp.p=0.8"], ["rbp_p=0.8"]),
        (["set"], ["runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "utility", "set_P", "set_relative_P"]),
    ],
)
def test_measures_are_asked_for_as_in_trec_eval(asked: list[str], names: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert eval.main([*(word for name in asked for word in ("-m", name)), "qrels", "one"]) == 0
    assert [name for name, _, _ in lines(capsys.readouterr().out)][: len(names)] == names


def test_topics_can_be_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    """From grade 2 on topic 1 alone has a relevant document; topic 3 is not answered."""
    asked = ["-m", "num_q", "-m", "recip_rank"]
    found = {}
    for flags in ([], ["--answered-topics"], ["--relevant-topics", "-l", "2"], ["-l", "2"]):
        assert eval.main([*flags, *asked, "qrels", "one"]) == 0
        out, err = capsys.readouterr()
        found[" ".join(flags)] = [value for _, _, value in lines(out)], err.splitlines()[-1].rpartition("; ")[2]
    assert found == {
        "": (["3", "0.5000"], "each counts as zero"),
        "--answered-topics": (["2", "0.7500"], "left out"),
        "--relevant-topics -l 2": (["1", "1.0000"], "its scores may be too low"),
        "-l 2": (["3", "0.3333"], "each counts as zero"),
    }
    assert eval.main(["--answered-topics", "-c", "qrels", "one"]) == 1
    assert "expected one of --answered-topics, -c and --dialect" in capsys.readouterr().err


def test_judgments_given_twice_count_where_their_topic_is_left(capsys: pytest.CaptureFixture[str]) -> None:
    Path("twice").write_text("1 0 a 0\n1 0 a 0\n2 0 c 1\n3 0 d 1\n")
    assert eval.main(["-m", "map", "twice", "one"]) == 4
    assert eval.main(["-m", "map", "--relevant-topics", "twice", "one"]) == 0
    Path("twice").write_text("1 0 a 0\n2 0 c 1\n2 0 c 1\n3 0 d 1\n")
    assert eval.main(["-m", "map", "--relevant-topics", "twice", "one"]) == 4
    last = capsys.readouterr().err.splitlines()[-1]
    assert last == "twice: expected a document once for each topic, found c twice for topic 2"


def test_relstring_and_depth(capsys: pytest.CaptureFixture[str]) -> None:
    assert eval.main(["-q", "-n", "-m", "relstring.1", "qrels", "one"]) == 0
    assert lines(capsys.readouterr().out) == [
        ["relstring_1", "1", "'2'"],
        ["relstring_1", "2", "'-'"],
        ["relstring_1", "3", "''"],
    ]
    assert eval.main(["-m", "num_ret", "-M", "1", "qrels", "one"]) == 0
    assert lines(capsys.readouterr().out) == [["num_ret", "all", "2"]]


def test_several_runs_gzip_and_stdin(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    Path("one.gz").write_bytes(gzip.compress(RUN.encode()))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(OTHER.encode())))
    assert eval.main(["-m", "recip_rank", "qrels", "one.gz", "-"]) == 0  # of several, each is named
    assert [value for _, _, value in lines(capsys.readouterr().out)] == ["one", "0.5000", "other", "0.3333"]


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["-m", "nonsense", "qrels", "one"], 1, '"nonsense" is not a measure; expected one such as AP'),
        (["-m", "P.0", "qrels", "one"], 1, "expected cutoffs that are whole numbers of at least 1, got 0"),
        (["-m", "P.5,5", "qrels", "one"], 1, "expected cutoffs that differ"),
        (["-m", "map.5", "qrels", "one"], 1, '"map" takes no parameters like "5"'),
        (["-m", "Fallout", "qrels", "one"], 1, "needs the number of documents in the collection, as -N 1400"),
        (["-m", "Coverage", "qrels", "one"], 1, "needs what no file tells"),
        (["qrels", "none"], 2, "none: expected a file that can be read, found none: No such file"),
        (["one", "qrels"], 2, "one: line 1: expected 4 columns (topic 0 docno grade), found 6"),
        (["qrels", "qrels"], 2, "qrels: line 1: expected 6 columns (topic Q0 docno rank score tag), found 4"),
        (["--dialect", "10", "qrels", "one"], 4, "trec_eval: result qid '3' not found in qrels"),
    ],
)
def test_statuses_are_those_of_trec_eval(
    arguments: list[str], status: int, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert eval.main(arguments) == status
    assert words in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments", [["qrels"], ["-l", "x", "qrels", "one"], ["-M", "0", "qrels", "one"], ["--dialect", "8", "a", "b"]]
)
def test_wrong_usage_is_status_1_as_in_trec_eval(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        eval.main(arguments)
    assert ended.value.code == 1
    assert "usage: assize eval" in capsys.readouterr().err


def test_no_topic_in_common(capsys: pytest.CaptureFixture[str]) -> None:
    Path("far").write_text("77 Q0 a 1 1 t\n")
    assert eval.main(["--dialect", "9", "qrels", "far"]) == 7
    assert capsys.readouterr().err == "trec_eval: No queries with both results and relevance info\n"
    assert eval.main(["-m", "map", "qrels", "far"]) == 7
    told = capsys.readouterr()
    assert (told.out, told.err.splitlines()[-1]) == ("", "No queries with both results and relevance info")


def test_qrels_of_relevant_documents_only_are_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    """Judged@10 is P@10 then: a low one says nothing of documents that nobody looked at."""
    Path("positives").write_text("1 0 a 1\n2 0 c 2\n")
    Path("other").write_text("1 Q0 a 1 2 other\n2 Q0 y 2 1 other\n")
    told = "note: positives lists relevant documents only; what it lacks counts as not relevant\n"
    assert eval.main(["-m", "map", "positives", "one", "other"]) == 0
    assert capsys.readouterr().err == told
    assert eval.main(["-m", "map", "-l", "2", "positives", "one"]) == 0
    assert "of its first ten documents are judged" in capsys.readouterr().err


def test_a_topic_that_differs_by_zeros_alone_is_hinted_at(capsys: pytest.CaptureFixture[str]) -> None:
    Path("far").write_text("01 Q0 a 1 1 t\n")
    Path("padded").write_text("01 0 a 1\n")
    Path("plain").write_text("1 Q0 a 1 1 t\n")
    for qrels, run, one, other in (("qrels", "far", "01", "1"), ("padded", "plain", "1", "01")):
        assert eval.main(["-m", "map", qrels, run]) == 7
        told = f"note: topic {one} of the run looks like topic {other} of the qrels; names are compared as they are"
        assert capsys.readouterr().err.splitlines()[-1] == told
    assert eval.main(["--dialect", "9", "qrels", "far"]) == 7
    assert capsys.readouterr().err == "trec_eval: No queries with both results and relevance info\n"


def test_scores_that_are_no_numbers_are_read_as_trec_eval_does_and_told(capsys: pytest.CaptureFixture[str]) -> None:
    Path("odd").write_text("1 Q0 b 1 abc t\n1 Q0 a 1 12xyz t\n1 Q0 x 1 0x1p3 t\n")
    assert eval.main(["-q", "-n", "-m", "relstring", "--dialect", "9", "qrels", "odd"]) == 0
    out, err = capsys.readouterr()
    assert lines(out) == [["relstring", "1", "'2-0'"]]
    assert err == "note: odd: line 1: a score that is no number, read as trec_eval reads it\n"
    Path("odd").write_text("1 Q0 b 1 nan t\n")
    assert eval.main(["--dialect", "9", "qrels", "odd"]) == 2


def test_judgments_given_twice_stop_where_they_are_used(capsys: pytest.CaptureFixture[str]) -> None:
    Path("twice").write_text("1 0 a 1\n2 0 c 1\n2 0 c 0\n3 0 d 1\n3 0 d 1\n")
    assert eval.main(["-q", "-m", "map", "--dialect", "9", "twice", "one"]) == 4
    out, err = capsys.readouterr()
    assert lines(out) == [["map", "1", "1.0000"]]
    assert err.startswith("trec_eval.form_res_qrels: duplicate docs c")


def test_passages_are_scored_by_characters(capsys: pytest.CaptureFixture[str]) -> None:
    """Of 40 characters returned first 20 are marked, of 60 that are marked; returned again they are read, not relevant."""
    Path("marked").write_text("1 a 0-20,100-140\n2 b 5-10\n")
    Path("parts").write_text("1 Q0 a 1 3 run 0 40\n1 Q0 a 2 2 run 10 40\n1 Q0 a 3 1 run 100 40\n9 Q0 z 1 1 run 0 5\n")
    assert (
        eval.main(["--passages", "-q", "-m", "PartP@1", "-m", "PartR@1", "-m", "PartP@2", "-m", "PartR@3", "marked", "parts"])
        == 0
    )
    assert lines(capsys.readouterr().out) == [
        ["PartP@1", "1", "0.5000"], ["PartR@1", "1", "0.3333"], ["PartP@2", "1", "0.2500"], ["PartR@3", "1", "1.0000"],
        ["PartP@1", "2", "0.0000"], ["PartR@1", "2", "0.0000"], ["PartP@2", "2", "0.0000"], ["PartR@3", "2", "0.0000"],
        ["runid", "all", "run"], ["num_q", "all", "2"],
        ["PartP@1", "all", "0.2500"], ["PartR@1", "all", "0.1667"], ["PartP@2", "all", "0.1250"], ["PartR@3", "all", "0.5000"],
    ]  # fmt: skip
    Path("exported").write_text('topic,docno,assessor,evidence\n1,a,A1,"0-20,100-140"\n2,b,A1,5-10\n2,c,A1,\n')
    assert eval.main(["--passages", "-m", "PartP@1", "exported", "parts"]) == 0
    assert "PartP@1               \tall\t0.2500\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "status", "told"),
    [
        (["--passages", "-m", "map", "marked", "parts"], 1, "AP is of whole documents; expected PartP@k"),
        (["-m", "AiP", "qrels", "one"], 1, "AiP is of passages; expected those that were marked, with --passages"),
        (["--passages", "qrels", "one"], 2, "qrels: line 1: expected 3 columns (topic docno start-end), found 4"),
        (["--passages", "marked", "one"], 2, "one: expected passages (start and length behind the tag"),
    ],
)
def test_passages_that_cannot_be_scored(
    arguments: list[str], status: int, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("marked").write_text("1 a 0-20\n")
    Path("parts").write_text("1 Q0 a 1 3 run 0 40\n")
    assert eval.main(arguments) == status
    assert told in capsys.readouterr().err


def test_it_runs_without_django_from_the_shell() -> None:
    root = Path(eval.__file__).parents[2]
    told = "import sys; from config import cli; sys.argv = ['assize', 'eval', '-m', 'map', 'qrels', 'one']; cli.main(); "
    told += "print('django' in sys.modules, 'polars' in sys.modules, file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", told], capture_output=True, text=True, env={"PYTHONPATH": str(root)}, check=True
    )
    assert done.stdout == "map                   \tall\t0.5000\n"
    assert done.stderr.endswith("False False\n")


def test_compare_prints_text_json_and_latex(capsys: pytest.CaptureFixture[str]) -> None:
    assert compare.main(["qrels", "one", "other", "-m", "RR"]) == 0
    text = capsys.readouterr().out
    assert text.splitlines()[0].split() == ["RUN", "RR", "JUDGED@10", "GROUPS"]
    assert "one – other     +0.1667" in text
    assert "3 topics are too few to test" in text
    assert compare.main(["qrels", "one", "other", "--json"]) == 0
    loaded = json.loads(capsys.readouterr().out)
    assert [loaded["measure"], loaded["topics"], loaded["pairs"][0]["p"]] == ["AP", 3, None]
    assert compare.main(["qrels", "one", "other", "--latex"]) == 0
    assert r"  one & 0.5000 & 0.50 & -- \\" in capsys.readouterr().out.splitlines()


def twelve_topics() -> NDArray[np.float64]:
    """Three runs that find the one relevant document of each topic at some rank, as files; their reciprocal ranks."""
    ranks = np.random.default_rng(3).integers(1, [[4], [9], [12]], (3, 12))
    Path("qrels").write_text("".join(f"{topic:02} 0 d 1\n" for topic in range(12)))
    for tag, row in zip(("first", "second", "third"), ranks.tolist(), strict=True):
        lines = [
            f"{topic:02} Q0 {'d' if place == rank else f'x{place}'} {place} {-place} {tag}\n"
            for topic, rank in enumerate(row)
            for place in range(1, 13)
        ]
        Path(tag).write_text("".join(lines))
    return 1 / ranks


def expected_p(test: str, scores: NDArray[np.float64]) -> list[float]:
    """Of each pair, by scipy: exactly, over all 2¹² ways to swap, and from the residual of systems and topics."""
    pairs = [(scores[first], scores[second]) for first, second in combinations(range(3), 2)]
    if test == "t":
        return [float(stats.ttest_rel(a, b).pvalue) for a, b in pairs]
    if test == "randomization":
        swapped = {"permutation_type": "samples", "n_resamples": np.inf, "vectorized": True}
        return [
            float(stats.permutation_test((a - b,), lambda gaps, axis: gaps.mean(axis=axis), **swapped).pvalue) for a, b in pairs
        ]
    left = scores - scores.mean(axis=1, keepdims=True) - scores.mean(axis=0) + scores.mean()
    error = float((left**2).sum()) / 22
    gaps = [abs(float((a - b).mean())) for a, b in pairs]
    return [float(stats.studentized_range.sf(gap / (error / 12) ** 0.5, 3, 22)) for gap in gaps]


@pytest.mark.parametrize("test", ["t", "randomization", "tukey"])
def test_compare_tests_as_scipy_does(test: str, capsys: pytest.CaptureFixture[str]) -> None:
    scores, runs = twelve_topics(), ["first", "second", "third"]
    asked = ["qrels", *runs, "-m", "RR", "--test", test]
    assert compare.main([*asked, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    expected = expected_p(test, scores)
    assert [pair["p"] for pair in told["pairs"]] == pytest.approx(expected, abs=1e-12)
    assert 0 < min(expected) < 0.05 < max(expected) < 1
    adjusted = holm(expected) if test != "tukey" else expected
    assert [pair["p_adjusted"] for pair in told["pairs"]] == pytest.approx(adjusted, abs=1e-12)
    assert told["correction"] == ("" if test == "tukey" else "holm")
    varied = told["anova"]
    left = scores - scores.mean(axis=1, keepdims=True) - scores.mean(axis=0) + scores.mean()
    between = 12 * ((scores.mean(axis=1) - scores.mean()) ** 2).sum()
    assert varied["system"]["p"] == pytest.approx(stats.f.sf((between / 2) / ((left**2).sum() / 22), 2, 22))
    beside = (scores - np.median(scores, axis=0)).mean(axis=1).tolist()
    assert [one["from_median"] for one in told["systems"]] == pytest.approx(beside)
    assert [one["mean"] for one in told["systems"]] == pytest.approx(scores.mean(axis=1).tolist())
    assert json.loads(compare_runs("qrels", runs, "RR", test=cast(Test, test)).to_json()) == told
    assert compare.main([*asked, "--latex"]) == 0
    table = capsys.readouterr().out
    groups = {one["run"]: one["groups"] for one in told["systems"]}
    rows = [line.split(" & ") for line in table.splitlines() if line.endswith(r"\\")][1:]
    assert {row[0].strip(): row[-1].removesuffix(r" \\") for row in rows} == groups
    assert f"({test}{'' if test == 'tukey' else ', holm'})" in table.splitlines()[0]


def holm(values: list[float]) -> list[float]:
    """Holm 1979, by its words: the smallest of n counts n times, the next n - 1 times, and none less than one before it."""
    found, least = [0.0] * len(values), 0.0
    for place, at in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        least = max(least, min(1.0, values[at] * (len(values) - place)))
        found[at] = least
    return found


def test_compare_with_a_baseline(capsys: pytest.CaptureFixture[str]) -> None:
    Path("third").write_text(RUN.replace("one", "third"))
    assert compare.main(["qrels", "one", "other", "third", "--baseline", "other", "--json"]) == 0
    pairs = json.loads(capsys.readouterr().out)["pairs"]
    assert [(pair["first"], pair["second"]) for pair in pairs] == [("one", "other"), ("third", "other")]
    assert compare.main(["qrels", "one", "other", "--baseline", "none"]) == 1
    assert capsys.readouterr().err == "expected a baseline among one, other, found none\n"


@pytest.mark.parametrize(("arguments", "status"), [(["qrels", "one"], 2), (["qrels", "one", "one", "--test", "x"], 2)])
def test_compare_wrong_usage(arguments: list[str], status: int) -> None:
    with pytest.raises(SystemExit) as ended:
        compare.main(arguments)
    assert ended.value.code == status


def test_compare_bad_data(capsys: pytest.CaptureFixture[str]) -> None:
    assert compare.main(["qrels", "one", "none"]) == 1
    assert capsys.readouterr().err == "none: expected a file that can be read, found none: No such file or directory\n"
