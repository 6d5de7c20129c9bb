"""Addresses of releases and scores."""

from django.urls import path

from evaluation.views import analysis, own, releases, scores

urlpatterns = [
    path("c/<slug:slug>/releases/", releases.release_list, name="releases"),
    path("c/<slug:slug>/releases/<int:number>/", releases.release, name="release"),
    path("c/<slug:slug>/releases/<int:number>/qrels/", releases.qrels, name="qrels"),
    path("c/<slug:slug>/releases/<int:number>/state/", releases.set_state, name="release_state"),
    path("c/<slug:slug>/releases/<int:number>/archive/", releases.archive, name="release_archive"),
    path("c/<slug:slug>/releases/<int:number>/scores/", releases.score_archive, name="score_archive"),
    path("c/<slug:slug>/releases/<int:number>/diff/<int:against>/", releases.diff, name="release_diff"),
    path("c/<slug:slug>/data/", releases.data_sheet, name="dataset"),
    path("c/<slug:slug>/pool/compare/", analysis.compare_strategies, name="compare_strategies"),
    path("c/<slug:slug>/effect/", analysis.effect, name="effect"),
    path("c/<slug:slug>/import-qrels/", releases.import_qrels, name="import_qrels"),
    path("c/<slug:slug>/live-qrels/", releases.live_qrels, name="live_qrels"),
    path("c/<slug:slug>/releases/<int:number>/score/", releases.score, name="score_release"),
    path("c/<slug:slug>/leaderboard/", scores.leaderboard, name="leaderboard"),
    path("c/<slug:slug>/leaderboard/file/<str:form>/", scores.board_file, name="board_file"),
    path("c/<slug:slug>/leaderboard/scores.csv", scores.means_csv, name="scores_csv"),
    path("c/<slug:slug>/leaderboard/topics.csv", scores.topics_csv, name="topics_csv"),
    # A topic's number may hold a slash.
    path("c/<slug:slug>/leaderboard/topics/<path:topic>/", scores.topic, name="topic_scores"),
    path("c/<slug:slug>/scores/<str:tag>/", scores.run, name="run_scores"),
    path("c/<slug:slug>/scores/<str:tag>/trec_eval/", scores.trec_eval, name="trec_eval"),
    path("c/<slug:slug>/compare/", analysis.compare, name="compare"),
    path("c/<slug:slug>/pool-report/", analysis.pool_report, name="pool_report"),
    path("c/<slug:slug>/scoring/", own.scoring, name="scoring"),
    path("c/<slug:slug>/try/", own.try_run, name="try_run"),
    path("c/<slug:slug>/try/<int:pk>/", own.kept, name="kept_score"),
    path("c/<slug:slug>/try/<int:pk>/throw-away/", own.throw_away, name="throw_away"),
    path("measures/", analysis.measures, name="measures"),
]
