"""Downloads: each parses back to the stored scores, and nothing in it is run by a spreadsheet."""

import csv
import io

import pytest
from django.conf import settings

from config.errors import Refusal
from evaluation import exports, selectors, standings
from evaluation.models import Release, Score
from evaluation.standings import Standing
from pooling.models import Run, Topic
from tests.evaluation import factories


def read(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def standing(release: Release) -> Standing:
    return standings.of_release(release)


def test_means_csv_holds_every_digit(release: Release) -> None:
    rows = read(exports.means_csv(standing(release)))
    assert [(row["run"], row["group"], row["kind"]) for row in rows] == [
        ("alpha", "Kelp", "automatic"),
        ("beta", "", "automatic"),
    ]
    for row in rows:
        stored = dict(Score.objects.filter(run__tag=row["run"]).values_list("measure", "mean"))
        assert {name: float(row[name]) for name in stored} == stored
        assert list(row)[:4] == ["run", "group", "kind", "AP"]


def test_topics_csv_holds_every_value(release: Release) -> None:
    rows = read("".join(exports.topics_csv(standing(release))))
    found = {(row["run"], row["topic"], row["measure"]): float(row["value"]) for row in rows}
    expected = {
        (run.tag, topic.decode(), name): scores.values[measure, place]
        for run, scores in ((file.run, selectors.table(file)) for file in selectors.score_files(release))
        for measure, name in enumerate(scores.names)
        for place, topic in enumerate(scores.topics.tolist())
    }
    assert found == expected
    assert len(rows) == 2 * 2 * 19


def test_trec_eval_text_parses_back(release: Release) -> None:
    found_ = standing(release)
    lines = [line.split("\t") for line in exports.trec_eval(found_.scores(found_.place("alpha"))).splitlines()]
    assert all(len(name) == 22 for name, _topic, _value in lines)
    found = {(name.strip(), topic): value for name, topic, value in lines}
    assert (found["runid", "all"], found["num_q", "all"]) == ("alpha", "2")
    assert (found["num_ret", "all"], found["num_rel_ret", "all"], found["num_rel", "all"]) == ("7", "4", "4")
    scores = selectors.table(release.score_files.get(run__tag="alpha"))
    ap = scores.names.index("AP")
    assert [found["map", "1"], found["map", "2"]] == [f"{value:6.4f}" for value in scores.values[ap]]
    mean = Score.objects.get(run__tag="alpha", measure="AP").mean
    assert found["map", "all"] == f"{mean:6.4f}"
    assert len(lines) == 3 * 11 + 2
    assert [topic for name, topic, _value in lines if name.strip() == "ndcg_cut_10"] == ["1", "2", "all"]


def test_qrels_views(release: Release) -> None:
    assert exports.qrels(release) == (settings.DATA / release.path).read_bytes()
    assert exports.qrels(release, "lenient") == b"1 0 a 1\n1 0 b 0\n1 0 c 1\n2 0 d 1\n2 0 e 0\n2 0 f 1\n"
    assert exports.qrels(release, "strict") == b"1 0 a 1\n1 0 b 0\n1 0 c 0\n2 0 d 1\n2 0 e 0\n2 0 f 0\n"
    with pytest.raises(Refusal, match="Expected a view among graded, lenient, strict; found “odd”"):
        exports.qrels(release, "odd")


def test_cells_that_begin_like_a_formula_are_text(release: Release) -> None:
    Run.objects.filter(tag="beta").update(tag="-cmd", group="=HYPERLINK(1)")
    rows = read(exports.means_csv(standing(release)))
    assert [(row["run"], row["group"]) for row in rows] == [("'-cmd", "'=HYPERLINK(1)"), ("alpha", "Kelp")]
    assert {row["run"] for row in read("".join(exports.topics_csv(standing(release))))} == {"'-cmd", "alpha"}


def test_odd_topics_and_docnos_go_through(release: Release) -> None:
    collection, by = release.collection, release.frozen_by
    Topic.objects.filter(number="2").update(number="=2/é")
    factories.judge(factories.make_item(collection, "=2/é", 'ж,"d', by=by), by, 1)
    later = factories.freeze(collection, by)
    factories.score(later)
    assert '=2/é 0 ж,"d 1\n'.encode() in exports.qrels(later)
    assert {row["topic"] for row in read("".join(exports.topics_csv(standing(later))))} == {"1", "'=2/é"}
