"""Pages of scores: the leaderboard, one topic, one run, and their files. Every state of a page is in its address."""

from typing import Any

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from config import http
from evaluation import access, boards, columns, exports, figures, reports, selectors, standings, tables, topic_reports
from evaluation.boards import Wanted
from evaluation.core.comparison import TESTS
from evaluation.core.registry import parse_measure
from evaluation.models import Seen
from evaluation.services import releases
from evaluation.standings import Standing
from pooling.core.metadata import told_figures
from pooling.models import Collection, RunKind, Topic
from pooling.selectors import grades
from pooling.views.collections import page

ON_A_PAGE = 100
BOARD_FORMS = {"csv": "text/csv", "json": "application/json", "tex": "text/plain", "txt": "text/plain"}
BOARD_NAMES = (("csv", "CSV"), ("json", "JSON"), ("tex", "LaTeX"), ("txt", "trec_eval"))


@never_cache
@require_safe
@releases.one_moment()  # reloaded while runs are being scored, it shows none of them or all
def leaderboard(request: HttpRequest, slug: str) -> HttpResponse:
    """Runs × measures under one release or live: while runs are being scored, how far that is."""
    collection = access.scores_for(request.user, slug)
    every = list(selectors.releases(collection, withdrawn=False))
    organizes = collection.release_states is None
    if not every and not request.GET.get("release"):
        return page(request, "evaluation/leaderboard.html", collection, standing=None, live=organizes)
    standing, wanted = asked(request, collection)
    board = boards.leaderboard(standing, wanted)
    shown = Paginator(board.rows, ON_A_PAGE).get_page(request.GET.get("page"))
    release = standing.release
    unscored = selectors.unscored(release).count() if release else 0
    late = list(selectors.late(release)) if release and unscored else []
    unsupported, unsized = columns.unsupported(collection, standing.counts)
    context: dict[str, Any] = {
        "standing": standing,
        "release": release,
        "releases": every,
        "live": organizes,
        "board": board,
        "page_obj": shown,
        "page_range": shown.paginator.get_elided_page_range(shown.number),
        "wanted": wanted,
        "groups": standings.groups_of(standing),
        "kinds": RunKind,
        "tests": TESTS,
        "corrections": boards.CORRECTIONS,
        "topics": topic_reports.numbers(standing),
        "unscored": unscored,
        "late": late,
        "lacking": unscored - len(late),
        "job": selectors.job_of(collection, "score_release") if unscored else None,
        "has_strict": columns.has_strict(standing.counts),
        "missing": sum(row.missing > 0 for row in board.rows),
        "forms": BOARD_NAMES,
        "chosen_correction": wanted.correction or columns.plan(collection).correction,
        "unknown": columns.unknown_measures(collection),
        "unsupported": unsupported,
        "unsized": unsized,
        "spelt": columns.spelt(column.name for column in board.columns),
    }
    answer = page(request, "evaluation/leaderboard.html", collection, **context)
    return http.tell_ended(request, answer, "scoring", live=bool(context["job"] and context["job"].is_live))


@require_safe
def board_file(request: HttpRequest, slug: str, form: str) -> HttpResponse:
    """The board in the state of the page, as a file."""
    if form not in BOARD_FORMS:
        raise Http404
    standing, wanted = asked(request, access.scores_for(request.user, slug))
    text = exports.board_text(standing, boards.leaderboard(standing, wanted), form, strict=wanted.strict)
    answer = HttpResponse(text, content_type=BOARD_FORMS[form])
    return exports.attached(answer, exports.standing_name(standing, f"-leaderboard.{form}"))


@require_safe
def topic(request: HttpRequest, slug: str, topic: str) -> HttpResponse:
    """All runs on one topic, how hard it is, and how its relevant documents were found."""
    collection = access.scores_for(request.user, slug)
    standing, wanted = asked(request, collection)
    topics = topic_reports.numbers(standing)
    if topic not in topics:
        raise Http404
    place, counts = topics.index(topic), reports.topic_grades(standing, topic)
    measure = standings.measure_of(standing, request.GET.get("measure", ""))
    drawn, told = {}, {}
    drawn["strip"], told["strip"] = topic_reports.strip(standing, topic, measure)
    rising = topic_reports.rising(standing, topic) if standing.small and collection.scores_seen[0] == Seen.ALL else None
    if rising:
        drawn["rising"], told["rising"] = rising
    board = boards.topic_board(standing, topic, sort=wanted.sort, strict=wanted.strict)
    told["scores"] = boards.as_table(board, f"Scores on topic {topic}")
    found = topic_reports.found_by(standing, topic) if standing.small and collection.release_states is None else []
    if found:
        told["found"] = topic_reports.found_table(topic, found)
    scale = grades(collection)
    steps = {grade.value: grade.step for grade in scale}
    context: dict[str, Any] = {
        "standing": standing,
        "release": standing.release,
        "board": board,
        "number": topic,
        "topic": Topic.objects.filter(collection=collection, number=topic).first(),
        "before": topics[place - 1] if place else "",
        "after": topics[place + 1] if place + 1 < len(topics) else "",
        "grades": [(grade, counts.get(grade.value, 0)) for grade in scale],
        "judged": sum(counts.values()),
        "relevant": sum(count for grade, count in counts.items() if grade >= standing.counts["lenient_from"]),
        "hardness": topic_reports.hardness(standing, topic, measure),
        "ends": topic_reports.ends(standing, measure),
        "found": [(one, steps.get(one.grade, 0)) for one in found],
        "measures": reports.topic_measures(standing),
        "measure": measure,
        "spelt": columns.spelt((column.name for column in board.columns), columns.topic_label),
        "charts": drawn,
        "tables": told,
        "wanted": wanted,
        "has_strict": columns.has_strict(standing.counts),
    }
    name = exports.standing_name(standing, "-topic")
    if (request.GET.get("table"), request.GET.get("form")) == ("scores", "txt"):
        text = exports.topic_text(standing, board, topic, strict=wanted.strict)
        return exports.attached(HttpResponse(text, content_type="text/plain"), f"{name}-scores.txt")
    return tables.asked(request, name, drawn, told, standing.stamp()) or page(
        request, "evaluation/topic.html", collection, **context
    )


@require_safe
def run(request: HttpRequest, slug: str, tag: str) -> HttpResponse:
    """TREC's page of one run, and one measure by topic, beside the others'."""
    collection = access.scores_for(request.user, slug)
    standing, wanted = asked(request, collection)
    place = standing.place(tag)
    report = reports.run_report(standing, place, request.GET.get("measure", ""), strict=wanted.strict)
    rows = sorted(report.rows, key=_by_difference) if request.GET.get("order") == "difference" else report.rows
    drawn = {"differences": figures.differences(report.measure, rows), "recall-precision": figures.recall_precision([report])}
    drawn |= {"gains": figures.gains([report]), "spread": figures.spreads(tag, report.measure, rows)}
    told = {"summary": figures.summary_table(report), "topics": figures.topic_table(report.measure, rows)}
    told |= {"recall-precision": figures.recall_precision_table([report]), "gains": figures.gains_table([report])}
    told["means"] = figures.means_table(report)
    costs, measures = figures.efficiency(standing, place, report.measure), reports.topic_measures(standing)
    if costs:
        drawn["efficiency"], told["efficiency"] = costs
    name = exports.standing_name(standing, f"-{tag}")
    context: dict[str, Any] = {
        "standing": standing,
        "release": standing.release,
        "run": report.run,
        "entry": standing.entries[place],
        "report": report,
        "rows": rows,
        "charts": {key.replace("-", "_"): chart for key, chart in drawn.items()},
        "tables": {key.replace("-", "_"): table for key, table in told.items()},
        "levels": list(zip(figures.LEVELS, report.summary.recall_levels, strict=True)),
        "measures": measures,
        "measure": columns.column(parse_measure(report.measure)).of_topic,
        "spelt": columns.spelt([*(mean.column.name for mean in report.means), *measures]),
        "better": sum(row.difference > 0 for row in rows),
        "worse": sum(row.difference < 0 for row in rows),
        "figures": told_figures(report.run.efficiency),
        "wanted": wanted,
        "has_strict": columns.has_strict(standing.counts),
    }
    stamp = standing.stamp([place])
    return tables.asked(request, name, drawn, told, stamp) or page(request, "evaluation/run.html", collection, **context)


def _by_difference(row: reports.TopicRow) -> tuple[bool, float]:
    """The largest first; last what is not defined."""
    undefined = row.difference != row.difference
    return undefined, 0.0 if undefined else -row.difference


@require_safe
def means_csv(request: HttpRequest, slug: str) -> HttpResponse:
    return exports.means_file(_standing(request, access.scores_for(request.user, slug)))


@require_safe
def topics_csv(request: HttpRequest, slug: str) -> StreamingHttpResponse:
    return exports.topics_file(_standing(request, access.scores_for(request.user, slug)))


@require_safe
def trec_eval(request: HttpRequest, slug: str, tag: str) -> HttpResponse:
    standing, wanted = asked(request, access.scores_for(request.user, slug))
    return exports.trec_eval_file(standing, tag, strict=wanted.strict)


def unreleased(request: HttpRequest, collection: Collection, title: str) -> HttpResponse | None:
    """The page that says so, where there is no release yet and none is asked for."""
    if request.GET.get("release") or selectors.releases(collection, withdrawn=False).exists():
        return None
    return page(request, "evaluation/unreleased.html", collection, title=title)


def _standing(request: HttpRequest, collection: Collection) -> Standing:
    """Of ?release=, its number or live; or the newest release."""
    return standings.standing(collection, request.GET.get("release", ""))


def asked(request: HttpRequest, collection: Collection) -> tuple[Standing, Wanted]:
    """What the address asks for; what it does not know is left out."""
    standing, given = _standing(request, collection), request.GET
    strict = given.get("view") == "strict" and columns.has_strict(standing.counts)
    words = {name: given.get(name, "").replace("\0", "") for name in ("sort", "group", "kind", "find", "test", "correction")}
    return standing, Wanted(strict=strict, measures=tuple(given.get("measures", "").split()), **words)
