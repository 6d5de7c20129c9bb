"""Mounts the apps, the API and the frame's own pages."""

from django.urls import URLPattern, URLResolver, include, path

from config import account_pages, api_docs, endpoints, guides, pages

urlpatterns: list[URLPattern | URLResolver] = [
    path("api/v1/", endpoints.api.urls),  # first: addresses are tried in this order, and programs ask most often
    path("", pages.home, name="home"),
    path("c/<slug:slug>/", pages.collection, name="collection"),
    path("", include("pooling.urls")),
    path("", include("assess.urls")),
    path("", include("evaluation.urls")),
    # Accounts
    path("sign-in/", account_pages.sign_in, name="sign_in"),
    path("demo/<str:username>/", account_pages.demo_sign_in, name="demo_sign_in"),
    path("sign-out/", account_pages.sign_out, name="sign_out"),
    path("sign-up/", account_pages.sign_up, name="sign_up"),
    path("welcome/<str:secret>/", account_pages.welcome, name="welcome"),
    path("password/", account_pages.change_password, name="change_password"),
    path("password/reset/", account_pages.reset, name="reset"),
    path("password/reset/<str:uidb64>/<str:token>/", account_pages.reset_confirm, name="reset_confirm"),
    path("profile/", account_pages.profile, name="profile"),
    path("profile/tokens/", account_pages.make_token, name="make_token"),
    path("profile/tokens/<int:pk>/revoke/", account_pages.revoke_token, name="revoke_token"),
    # Jobs
    path("jobs/", pages.job_list, name="jobs"),
    path("jobs/<int:pk>/", pages.job, name="job"),
    path("jobs/<int:pk>/output/", pages.job_output, name="job_output"),
    # Administration
    path("people/", pages.people, name="people"),
    path("people/<int:pk>/standing/", pages.set_standing, name="set_standing"),
    path("people/<int:pk>/link/", pages.person_link, name="person_link"),
    path("people/<int:pk>/delete/", pages.delete_person, name="delete_person"),
    path("status/", pages.status, name="status"),
    path("status/trial/", pages.trial, name="trial"),
    path("styleguide/", pages.styleguide, name="styleguide"),
    # Guides
    path("docs/", guides.show, name="guides"),
    path("docs/pictures/<path:picture>", guides.show_picture, name="guide_picture"),
    path("docs/<path:guide>/", guides.show, name="guide"),
    # Programs
    path("api/docs/", api_docs.api_docs, name="api_docs"),
    path("metrics", pages.metrics_page, name="metrics"),
    path("healthz", pages.healthz, name="healthz"),
    path("readyz", pages.readyz, name="readyz"),
]

handler400 = "config.http.bad_request"
handler403 = "config.http.permission_denied"
handler404 = "config.http.not_found"
handler500 = "config.http.server_error"
