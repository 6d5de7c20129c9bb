"""Addresses of collections, their members, topics, documents, runs and pools."""

from django.urls import path

from pooling.views import collections, members, pools, runs, topics, uploads

urlpatterns = [
    path("collections/new/", collections.create, name="create_collection"),
    path("c/<slug:slug>/settings/", collections.edit, name="edit_collection"),
    path("c/<slug:slug>/scale/", collections.scale, name="scale"),
    path("c/<slug:slug>/guidelines/", collections.guidelines, name="guidelines"),
    path("c/<slug:slug>/guidelines/<int:version>/", collections.guideline_version, name="guideline_version"),
    path("c/<slug:slug>/guidelines/edit/", collections.write_guideline, name="write_guideline"),
    path("c/<slug:slug>/archive/", collections.archive, name="archive_collection"),
    path("c/<slug:slug>/restore/", collections.restore, name="restore_collection"),
    path("c/<slug:slug>/export/", collections.export, name="export_collection"),
    path("c/<slug:slug>/members/", members.member_list, name="members"),
    path("c/<slug:slug>/members/<int:pk>/remove/", members.remove, name="remove_member"),
    path("c/<slug:slug>/members/<int:pk>/token/", members.machine_token, name="machine_token"),
    path("c/<slug:slug>/machines/", members.add_machine, name="add_machine"),
    path("c/<slug:slug>/invitations/", members.invite, name="invite"),
    path("c/<slug:slug>/invitations/<int:pk>/revoke/", members.revoke_invitation, name="revoke_invitation"),
    path("c/<slug:slug>/topics/", uploads.topics, name="topics"),
    path("c/<slug:slug>/topics.<str:ending>", topics.topics_file, name="topics_file"),
    path("c/<slug:slug>/topics/language/", topics.language, name="topic_language"),
    path("c/<slug:slug>/topics/<path:number>/", topics.topic, name="topic"),
    path("c/<slug:slug>/documents/", uploads.documents, name="documents"),
    path("c/<slug:slug>/uploads/<int:pk>/", uploads.upload, name="upload"),
    path("c/<slug:slug>/uploads/<int:pk>/repair/", uploads.repair, name="repair_upload"),
    path("c/<slug:slug>/uploads/<int:pk>/dismiss/", uploads.dismiss, name="dismiss_upload"),
    path("c/<slug:slug>/runs/", runs.run_list, name="runs"),
    path("c/<slug:slug>/baseline/", runs.make_baseline, name="make_baseline"),
    path("c/<slug:slug>/rules/", runs.rules, name="rules"),
    path("c/<slug:slug>/runs/<str:tag>/", runs.run, name="run"),
    path("c/<slug:slug>/runs/<str:tag>/edit/", runs.edit, name="edit_run"),
    path("c/<slug:slug>/runs/<str:tag>/file/", runs.run_file, name="run_file"),
    path("c/<slug:slug>/runs/<str:tag>/withdraw/", runs.withdraw, name="withdraw_run"),
    path("c/<slug:slug>/withdrawn/<int:pk>/file/", runs.withdrawn_file, name="withdrawn_file"),
    path("c/<slug:slug>/pool/", pools.pool, name="pool"),
    path("c/<slug:slug>/pool/items/", pools.items, name="pool_items"),
    path("c/<slug:slug>/pool/file/<str:form>/", pools.pool_file, name="pool_file"),
    path("c/<slug:slug>/pool/<int:number>/", pools.pool_round, name="pool_round"),
    path("join/<str:signed>/", members.join, name="join"),
]
