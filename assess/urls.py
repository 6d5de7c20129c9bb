"""Addresses of assigning, judging, progress and agreement."""

from django.urls import path

from assess.views import asking, judging, overview

urlpatterns = [
    path("c/<slug:slug>/assign/", overview.assign, name="assign"),
    path("c/<slug:slug>/assign/seats/", overview.seat_new, name="seat_new_items"),
    path("c/<slug:slug>/judge/", judging.judge, name="judge"),
    path("c/<slug:slug>/judge/hold/", judging.hold, name="hold"),
    path("c/<slug:slug>/judge/words/", judging.words, name="own_words"),
    path("c/<slug:slug>/judge/list/", judging.own, name="judge_list"),
    path("c/<slug:slug>/judge/questions/", asking.own_questions, name="own_questions"),
    path("c/<slug:slug>/judge/news/", asking.news, name="news"),
    path("c/<slug:slug>/judge/practice/", asking.practice, name="practice"),
    path("c/<slug:slug>/practice/", asking.practice_sets, name="practice_sets"),
    path("c/<slug:slug>/questions/", asking.questions, name="questions"),
    path("c/<slug:slug>/progress/hours.csv", overview.hours, name="hours"),
    path("c/<slug:slug>/judge/<uuid:seat>/", judging.one, name="seat"),
    path("c/<slug:slug>/progress/", overview.progress, name="progress"),
    path("c/<slug:slug>/progress/free/", overview.free_leases, name="free_leases"),
    path("c/<slug:slug>/agreement/", overview.agreement, name="agreement"),
]
