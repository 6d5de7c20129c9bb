"""Jobs of this app: each loads by id, calls one service, and may be run twice."""

from dataclasses import fields

from config import jobs
from config.models import User
from evaluation import pool_reports, standings
from evaluation.models import Release
from evaluation.services import importing, releases, strategies
from pooling.models import Collection


@jobs.job("freeze_release", minutes=30)
def freeze_release(running: jobs.Running) -> None:
    collection = Collection.objects.get(pk=running.args["collection"])
    by = User.objects.get(pk=running.args["by"])
    releases.freeze_release(collection, by=by, rule=running.args["rule"], note=running.args["note"], work=running)


@jobs.job("score_release", minutes=240)
def score_release(running: jobs.Running) -> None:
    release = Release.objects.select_related("collection").get(pk=running.args["release"])
    releases.score_release(release, work=running)


@jobs.job("import_qrels", minutes=60)
def import_qrels(running: jobs.Running) -> None:
    collection = Collection.objects.get(pk=running.args["collection"])
    by = User.objects.get(pk=running.args["by"])
    options = importing.Options(
        **{field.name: str(running.args.get(field.name, field.default)) for field in fields(importing.Options)}
    )
    importing.take_kept(collection, by=by, path=str(running.args["path"]), work=running, options=options)


@jobs.job("compare_strategies", minutes=120)
def compare_strategies(running: jobs.Running) -> None:
    collection = Collection.objects.get(pk=running.args["collection"])
    strategies.compare_strategies(collection, budget=int(running.args["budget"]), work=running)


@jobs.job("pool_report", minutes=120)
def pool_report(running: jobs.Running) -> None:
    collection = Collection.objects.get(pk=running.args["collection"])
    pool_reports.computed(standings.standing(collection, str(running.args["release"])), running)
