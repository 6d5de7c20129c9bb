"""Addresses of releases and scores."""

from django.urls import path

from evaluation import views

urlpatterns = [
    path("c/<slug:slug>/releases/", views.releases, name="releases"),
    path("c/<slug:slug>/releases/<int:number>/", views.release, name="release"),
    path("c/<slug:slug>/releases/<int:number>/qrels/", views.qrels, name="qrels"),
    path("c/<slug:slug>/releases/<int:number>/score/", views.score, name="score_release"),
    path("c/<slug:slug>/leaderboard/", views.leaderboard, name="leaderboard"),
    path("c/<slug:slug>/leaderboard/scores.csv", views.means_csv, name="scores_csv"),
    path("c/<slug:slug>/leaderboard/topics.csv", views.topics_csv, name="topics_csv"),
    # A topic's number may hold a slash.
    path("c/<slug:slug>/leaderboard/topics/<path:topic>/", views.topic, name="topic_scores"),
    path("c/<slug:slug>/scores/<str:tag>/", views.run, name="run_scores"),
    path("c/<slug:slug>/scores/<str:tag>/trec_eval/", views.trec_eval, name="trec_eval"),
]
