"""Addresses of releases and scores."""

from django.urls import path

from evaluation import analysis_pages, own_pages, release_pages, score_pages, views

urlpatterns = [
    path("c/<slug:slug>/releases/", views.releases, name="releases"),
    path("c/<slug:slug>/releases/<int:number>/", views.release, name="release"),
    path("c/<slug:slug>/releases/<int:number>/qrels/", views.qrels, name="qrels"),
    path("c/<slug:slug>/releases/<int:number>/state/", release_pages.set_state, name="release_state"),
    path("c/<slug:slug>/releases/<int:number>/archive/", release_pages.archive, name="release_archive"),
    path("c/<slug:slug>/releases/<int:number>/scores/", release_pages.score_archive, name="score_archive"),
    path("c/<slug:slug>/releases/<int:number>/diff/<int:against>/", release_pages.diff, name="release_diff"),
    path("c/<slug:slug>/data/", release_pages.data_sheet, name="dataset"),
    path("c/<slug:slug>/pool/compare/", release_pages.strategies, name="compare_strategies"),
    path("c/<slug:slug>/effect/", release_pages.effect, name="effect"),
    path("c/<slug:slug>/import-qrels/", release_pages.import_qrels, name="import_qrels"),
    path("c/<slug:slug>/live-qrels/", release_pages.live_qrels, name="live_qrels"),
    path("c/<slug:slug>/releases/<int:number>/score/", views.score, name="score_release"),
    path("c/<slug:slug>/leaderboard/", score_pages.leaderboard, name="leaderboard"),
    path("c/<slug:slug>/leaderboard/file/<str:form>/", score_pages.board_file, name="board_file"),
    path("c/<slug:slug>/leaderboard/scores.csv", score_pages.means_csv, name="scores_csv"),
    path("c/<slug:slug>/leaderboard/topics.csv", score_pages.topics_csv, name="topics_csv"),
    # A topic's number may hold a slash.
    path("c/<slug:slug>/leaderboard/topics/<path:topic>/", score_pages.topic, name="topic_scores"),
    path("c/<slug:slug>/scores/<str:tag>/", score_pages.run, name="run_scores"),
    path("c/<slug:slug>/scores/<str:tag>/trec_eval/", score_pages.trec_eval, name="trec_eval"),
    path("c/<slug:slug>/compare/", analysis_pages.compare, name="compare"),
    path("c/<slug:slug>/pool-report/", analysis_pages.pool_report, name="pool_report"),
    path("c/<slug:slug>/scoring/", own_pages.scoring, name="scoring"),
    path("c/<slug:slug>/try/", own_pages.try_run, name="try_run"),
    path("c/<slug:slug>/try/<int:pk>/", own_pages.kept, name="kept_score"),
    path("c/<slug:slug>/try/<int:pk>/throw-away/", own_pages.throw_away, name="throw_away"),
    path("measures/", analysis_pages.measures, name="measures"),
]
