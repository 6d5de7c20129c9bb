"""Addresses of assigning, judging, progress and agreement."""

from django.urls import path

from assess.views import adaptive, agreement, asking, drafting, judging, merging, overview, searching

urlpatterns = [
    path("c/<slug:slug>/assign/", overview.assign, name="assign"),
    path("c/<slug:slug>/assign/seats/", overview.seat_new, name="seat_new_items"),
    path("c/<slug:slug>/judge/", judging.judge, name="judge"),
    path("c/<slug:slug>/judge/many/", judging.many, name="judge_many"),
    path("c/<slug:slug>/judge/alike/", judging.alike, name="alike"),
    path("c/<slug:slug>/judge/hold/", judging.hold, name="hold"),
    path("c/<slug:slug>/judge/words/", judging.words, name="own_words"),
    path("c/<slug:slug>/judge/history/", judging.history, name="judge_history"),
    path("c/<slug:slug>/judge/list/", judging.own, name="judge_list"),
    path("c/<slug:slug>/judge/questions/", asking.own_questions, name="own_questions"),
    path("c/<slug:slug>/judge/news/", asking.news, name="news"),
    path("c/<slug:slug>/judge/practice/", asking.practice, name="practice"),
    path("c/<slug:slug>/practice/", asking.practice_sets, name="practice_sets"),
    path("c/<slug:slug>/questions/", asking.questions, name="questions"),
    path("c/<slug:slug>/progress/hours.csv", overview.hours, name="hours"),
    path("c/<slug:slug>/judge/<uuid:seat>/", judging.one, name="seat"),
    path("c/<slug:slug>/judge/<uuid:seat>/source/", judging.source, name="seat_source"),
    path("c/<slug:slug>/judge/<uuid:seat>/text/", judging.text, name="seat_text"),
    path("c/<slug:slug>/progress/", overview.progress, name="progress"),
    path("c/<slug:slug>/progress/adaptive/", adaptive.adaptive, name="adaptive"),
    path("c/<slug:slug>/progress/held/<str:user>/", overview.held, name="held"),
    path("c/<slug:slug>/drafts/", drafting.drafts, name="drafts"),
    path("c/<slug:slug>/drafts/<int:pk>/", drafting.draft, name="draft"),
    path("c/<slug:slug>/search/", searching.find, name="search"),
    path("c/<slug:slug>/search/document/", searching.whole, name="search_document"),
    path("c/<slug:slug>/search/judge/", searching.judge_hit, name="judge_hit"),
    path("c/<slug:slug>/search/index/", searching.build, name="build_index"),
    path("c/<slug:slug>/search/run/", searching.interactive_run, name="interactive_run"),
    path("c/<slug:slug>/agreement/", agreement.agreement, name="agreement"),
    path("c/<slug:slug>/agreement/documents/", agreement.documents, name="agreement_documents"),
    path("c/<slug:slug>/document/", agreement.document, name="document"),
    path("c/<slug:slug>/agreement/file/<str:form>/", agreement.download, name="agreement_file"),
    path("c/<slug:slug>/judge/agreement/", agreement.own, name="own_agreement"),
    path("c/<slug:slug>/merge/", merging.merge, name="merge_plan"),
    path("c/<slug:slug>/adjudicate/", merging.inbox, name="adjudicate"),
    path("c/<slug:slug>/adjudicate/reopen/", merging.reopen, name="reopen"),
    # A topic's number may hold a slash.
    path("c/<slug:slug>/adjudicate/topics/<path:topic>/", merging.decide, name="decide"),
    path("c/<slug:slug>/adjudicate/decisions/<path:topic>/", merging.decisions, name="decisions"),
]
