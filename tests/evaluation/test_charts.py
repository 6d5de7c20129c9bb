"""Charts: well-formed, every number told, nothing of a name run or drawn as markup, and files of three kinds."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from django.template.loader import render_to_string
from django.test import RequestFactory

from evaluation.core import charts
from evaluation.core.charts import Axis, Chart, Mark, Series
from evaluation.effect import Draws
from evaluation.effect_pictures import histogram
from evaluation.tables import drawn
from evaluation.templatetags.scores import heading, shown
from pooling.tables import Table, written

ODD = '<b onload="x">&"'
MARKS = [Mark(0, 0.25, f"{ODD} 0.25"), Mark(1, -0.5, "two", 4)]


def made() -> list[Chart]:
    x, y = Axis("Recall"), charts.axis(ODD, [0.25, -0.5])
    return [
        charts.lines("words", x, y, [Series(ODD, MARKS, 1), Series("other", MARKS, 2)]),
        charts.scatter("words", x, y, MARKS, diagonal=True),
        charts.strip("words", x, [*MARKS, *MARKS]),
        charts.bars("words", "Topic", y, ["1", ODD], MARKS),
        charts.ranges("words", "Topic", y, ["1", "2"], [Mark(0, 0.1, "range", 6, 0.9), *MARKS], ((6, ODD), (1, "b"))),
        charts.paired("words", "Topic", y, ["1", ODD], [Series(ODD, MARKS, 1), Series("other", MARKS, 2)]),
    ]


@pytest.mark.parametrize(("high", "place"), [(1.0, 'text-anchor="middle" x="542.0"'), (9_372.0, 'text-anchor="end" x="559"')])
def test_last_number_of_an_axis_is_whole(high: float, place: str) -> None:
    last = charts.axis("judgments", [0, high])
    told = f"{last.high:,.{last.digits}f}</text>"
    drawn = charts.lines("words", last, Axis("found", high=0.5), []).svg
    assert [line for line in drawn.split("<") if told in f"{line}</text>" and place in line]


@pytest.mark.parametrize("chart", made(), ids=["lines", "scatter", "strip", "bars", "ranges", "paired"])
def test_charts_are_well_formed_and_tell_every_number(chart: Chart) -> None:
    for text in (chart.svg, chart.file()):
        root = ElementTree.fromstring(text)  # noqa: S314  (our own)
        titles = [node.text for node in root.iter() if node.tag.endswith("title")]
        assert f"{ODD} 0.25" in titles and "two" in titles
        assert not [node for node in root.iter() if node.tag.endswith(("script", "}b")) or node.tag == "b"]
    assert "style" not in chart.svg and "on=" not in chart.svg


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [(0.0, 1.0, [0, 0.2, 0.4, 0.6, 0.8, 1]), (-0.3, 0.2, [-0.3, -0.2, -0.1, 0, 0.1, 0.2]), (0, 47, [0, 10, 20, 30, 40, 50])],
)
def test_axes_have_round_ticks(low: float, high: float, ticks: list[float]) -> None:
    found = charts.axis("x", [low, high])
    assert found.ticks == pytest.approx(ticks)
    assert (found.low, found.high) == (ticks[0], ticks[-1])


def test_axis_of_nothing_and_of_one_value() -> None:
    assert (charts.axis("x", []).low, charts.axis("x", []).high) == (0.0, 1.0)
    assert charts.axis("x", [float("nan"), 0.0]).high == 1.0


@pytest.mark.parametrize(("count", "wide", "on_a_phone"), [(8, 8, 8), (25, 13, 7), (225, 14, 7)])
def test_names_are_left_out_only_where_there_is_no_room(count: int, wide: int, on_a_phone: int) -> None:
    """Of three letters each; very many bars are not squeezed into a phone, their box is moved sideways."""
    names = [str(301 + place) for place in range(count)]
    chart = charts.bars("words", "Topic", Axis("AP"), names, [Mark(place, 0.5, "") for place in range(count)])
    told = re.findall(r'<text class="chart-tick( chart-wide)?" text-anchor="middle"', chart.svg)
    assert (len(told), told.count("")) == (wide, on_a_phone)
    assert chart.is_wide == ("chart-many" in chart.svg) == (count == 225)
    four = charts.paired("words", "Topic", Axis("AP"), names, [Series("run", [Mark(0, 0.5, "")] * count)] * 4)
    assert four.width >= 2 * 4 * count and four.is_wide == (count > 20)
    page = render_to_string("components/chart.html", {"chart": chart, "name": "x"}, RequestFactory().get("/"))
    assert ('class="scroll"' in page) == chart.is_wide


def test_numbers_have_the_minus_of_print_and_names_their_hyphens() -> None:
    chart = charts.bars("words", "Topic", charts.axis("y", [-0.2, 0.1]), ["1"], [Mark(0, -0.2, "bm25-2: -0.2000 (-5.0 %)")])
    assert ">−0.2<" in chart.svg and "<title>bm25-2: −0.2000 (−5.0 %)</title>" in chart.svg
    table = Table("words", ["run", "difference", "change %"], [["bm25-2", -0.5, -12.34]])
    assert [words for words, _number in shown(table)[0]] == ["bm25-2", "−0.5000", "−12.3"]
    assert "bm25-2,-0.5,-12.34" in written(table, "csv")


def test_no_p_is_zero() -> None:
    table = Table("words", ["run", "p", "p corrected"], [["bm25", 0.00002, 0.03]])
    assert [words for words, _number in shown(table)[0]] == ["bm25", "< 0.0001", "0.0300"]
    assert "bm25,2e-05,0.03" in written(table, "csv")


@pytest.mark.parametrize(
    ("lowest", "low", "step", "count"), [(0.93, 0.93, 0.005, 14), (0.999, 0.975, 0.005, 5), (0.62, 0.62, 0.02, 19)]
)
def test_draws_are_counted_in_round_steps(lowest: float, low: float, step: float, count: int) -> None:
    drawn = Draws(3, 0, 2, np.array([lowest, 0.999, 1.0]), 0, [])
    chart, table = histogram(drawn)
    assert [row[0] for row in table.rows] == pytest.approx([low + step * place for place in range(count)])
    assert table.rows[-1][1] == 1.0 and sum(int(str(row[2])) for row in table.rows) == 3
    assert ">τ<" in chart.svg and ">1.00" in chart.svg


@pytest.mark.parametrize(("form", "start"), [("svg", b"<svg "), ("png", b"\x89PNG"), ("pdf", b"%PDF-")])
def test_figures_as_files(form: str, start: bytes) -> None:
    assert drawn(made()[0], form).startswith(start)


def test_tables_as_files() -> None:
    table = Table("All & more", ["run_a", "AP"], [["=x", 1 / 3], ["b%", None]])
    assert written(table, "csv") == "run_a,AP\n'=x,0.3333333333333333\nb%,\n"
    assert '"AP": null' in written(table, "json")
    tex = written(table, "tex")
    assert r"run\_a & AP \\" in tex and r"b\% & -- \\" in tex and "=x & 0.3333" in tex and "{lr}" in tex


def test_heads_are_words_with_a_capital_or_symbols_as_they_are() -> None:
    names = ["run", "change %", "p", "p corrected", "g_z low", "τ", "nDCG@10 before", "bpref %", "judged@10", "unique relevant"]
    told = ["Run", "Change %", "p", "p corrected", "g_z low", "τ", "nDCG@10 before", "bpref %", "judged@10", "Unique relevant"]
    assert [heading(name).partition("<")[0] for name in names] == told
    assert heading("Lowest τ") == 'Lowest τ<span class="sr"> (Kendall’s tau)</span>'
