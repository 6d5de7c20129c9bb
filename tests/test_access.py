"""Who may do what: every address × every role × every method has an expected answer in one table.

An address that is not in the table fails the test, and so does a method that the table does not know: it must be
refused to everybody. Most writes carry an empty form, so 422 means "let in, then told what is missing".
A machine has its token alone: to pages it is nobody, over the API an assessor, unless a row says otherwise.
"""

import json
import shutil
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import product
from urllib.parse import urlencode

import pytest
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.contrib.auth.tokens import default_token_generator
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection, transaction
from django.test import Client, RequestFactory
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart
from django.urls import URLPattern, URLResolver, get_resolver, resolve
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from assess import blind
from assess.models import PracticeAnswer, PracticeItem, TopicDraft
from assess.services import assigning, questions
from config import accounts
from config.models import ApiToken, Job, Scope, User
from evaluation.models import PrivateScore
from evaluation.services import trying
from pooling.models import Role
from pooling.services import collections, members, runs
from tests import factories
from tests.assess import factories as judged
from tests.conftest import Cast, ClientFor
from tests.evaluation import factories as scored

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
ROLES = (
    *("anonymous", "stranger", "organizer", "assessor", "adjudicator", "participant", "researcher"),
    *("other_organizer", "staff", "machine"),
)
PEOPLE = ROLES[:-1]
MEMBERS = ("organizer", "assessor", "adjudicator", "participant", "researcher")
Rule = Callable[[bool], dict[str, int]]  # is it the API? -> the status for each role


def expect(rule: Rule, api: bool, role: str) -> int:
    told = rule(api)
    return told.get(role, told["assessor" if api else "anonymous"])  # a machine, where it has no word of its own


def everybody(status: int) -> Rule:
    return lambda api: dict.fromkeys(PEOPLE, status)


def signed_in(status: int) -> Rule:
    return lambda api: {**dict.fromkeys(PEOPLE, status), "anonymous": 401 if api else 302}


def only(*roles: str, status: int, members: int = 404) -> Rule:
    """These roles get the status, other members `members`, anybody else 404, and nobody in particular signs in first."""

    def rule(api: bool) -> dict[str, int]:
        base = {**dict.fromkeys(PEOPLE, 404), **dict.fromkeys(MEMBERS, members), "anonymous": 401 if api else 302}
        return {**base, **dict.fromkeys(roles, status)}

    return rule


def member(status: int) -> Rule:
    return only(*MEMBERS, "staff", status=status)


def organizer(status: int) -> Rule:
    return only("organizer", "staff", status=status, members=403)


def submitter(status: int) -> Rule:
    """Organizers, and the participant whose run it is."""
    return only("organizer", "participant", "staff", status=status, members=403)


def assessor(status: int) -> Rule:
    """One's own queue; administrators act as organizers, who do not judge."""
    return but(only("assessor", status=status, members=403), staff=403)


def adjudicator(status: int) -> Rule:
    """What differs, blind; administrators act as organizers, who do not decide."""
    return but(only("adjudicator", status=status, members=403), staff=403)


def decider(status: int) -> Rule:
    """Organizers and adjudicators."""
    return only("organizer", "adjudicator", "staff", status=status, members=403)


def administrator(status: int) -> Rule:
    return only("staff", status=status)


def but(rule: Rule, **statuses: int) -> Rule:
    return lambda api: {**rule(api), **statuses}


def released(status: int) -> Rule:
    """Releases and scores: for members who do not judge."""
    return only("organizer", "participant", "researcher", "staff", status=status, members=403)


C, A = "c/<slug:slug>/", "api/v1/collections/<slug:slug>"
R = f"{A}/releases/<int:number>"
TABLE: dict[str, dict[str, Rule]] = {
    # Pages: the site
    "": {"GET": everybody(200)},
    "healthz": {"GET": everybody(200)},
    "readyz": {"GET": everybody(503)},  # no queue runs beside these tests
    "metrics": {"GET": but(administrator(200), machine=404)},
    "jobs/": {"GET": signed_in(200)},
    "jobs/<int:pk>/": {"GET": only("organizer", "staff", status=200)},
    "jobs/<int:pk>/output/": {"GET": only("organizer", "staff", status=200)},
    "people/": {"GET": administrator(200)},
    "people/<int:pk>/standing/": {"POST": administrator(400)},
    "people/<int:pk>/link/": {"POST": administrator(200)},
    "people/<int:pk>/delete/": {"POST": administrator(302)},
    "status/": {"GET": administrator(200)},
    "status/trial/": {"POST": administrator(302)},
    "styleguide/": {"GET": administrator(200)},
    "measures/": {"GET": everybody(200)},
    "docs/": {"GET": everybody(200)},
    "docs/<path:guide>/": {"GET": everybody(200)},
    "docs/pictures/<path:picture>": {"GET": everybody(200)},
    "api/docs/": {"GET": everybody(200)},
    # Pages: accounts
    "sign-in/": {"GET": but(everybody(302), anonymous=200), "POST": but(everybody(302), anonymous=422)},
    "demo/<str:username>/": {"POST": everybody(404)},  # but for `assize demo`: tests/config/test_demo.py
    "sign-out/": {"POST": everybody(302)},
    "sign-up/": {"GET": everybody(404), "POST": everybody(404)},  # closed unless a setting opens it
    "welcome/<str:secret>/": {"GET": everybody(200), "POST": everybody(422)},
    "password/": {"GET": signed_in(200), "POST": signed_in(422)},
    "password/reset/": {"GET": everybody(200), "POST": everybody(422)},
    "password/reset/<str:uidb64>/<str:token>/": {"GET": everybody(200), "POST": everybody(422)},
    "profile/": {"GET": signed_in(200), "POST": signed_in(422)},
    "profile/tokens/": {"POST": signed_in(422)},
    "profile/tokens/<int:pk>/revoke/": {"POST": only("organizer", status=302)},  # the organizer's own token
    # Pages: collections
    "collections/new/": {"GET": signed_in(200), "POST": signed_in(422)},
    C: {"GET": member(200)},
    f"{C}settings/": {"GET": organizer(200), "POST": organizer(422)},
    f"{C}scale/": {"GET": member(200), "POST": organizer(422)},
    f"{C}guidelines/": {"GET": member(200)},
    f"{C}guidelines/<int:version>/": {"GET": member(200)},
    f"{C}guidelines/edit/": {"GET": organizer(200), "POST": organizer(422)},
    f"{C}archive/": {"POST": organizer(302)},
    f"{C}restore/": {"POST": organizer(302)},
    f"{C}export/": {"POST": organizer(302)},
    f"{C}members/": {"GET": organizer(200)},
    f"{C}members/<int:pk>/remove/": {"POST": organizer(302)},
    f"{C}members/<int:pk>/token/": {"POST": organizer(200)},
    f"{C}machines/": {"POST": organizer(422)},
    f"{C}invitations/": {"POST": organizer(422)},
    f"{C}invitations/<int:pk>/revoke/": {"POST": organizer(302)},
    # Pages: judging
    f"{C}assign/": {"GET": organizer(200), "POST": organizer(422)},
    f"{C}assign/seats/": {"POST": organizer(302)},
    f"{C}judge/": {"GET": assessor(200)},
    f"{C}judge/many/": {"GET": assessor(200)},
    f"{C}judge/alike/": {"GET": assessor(422)},
    f"{C}judge/history/": {"GET": assessor(200)},
    f"{C}judge/<uuid:seat>/source/": {"GET": assessor(200)},
    f"{C}judge/<uuid:seat>/text/": {"GET": assessor(200)},
    f"{C}judge/hold/": {"POST": assessor(200)},
    f"{C}judge/words/": {"POST": assessor(422)},
    f"{C}judge/list/": {"GET": assessor(200)},
    f"{C}judge/questions/": {"GET": assessor(200), "POST": assessor(422)},
    f"{C}judge/news/": {"GET": assessor(200)},
    f"{C}judge/practice/": {"GET": assessor(200), "POST": assessor(422)},
    f"{C}practice/": {"GET": organizer(200), "POST": organizer(422)},
    f"{C}questions/": {"GET": organizer(200), "POST": organizer(422)},
    f"{C}drafts/": {"GET": organizer(200), "POST": organizer(422)},
    f"{C}drafts/<int:pk>/": {"GET": organizer(200), "POST": organizer(422)},
    f"{C}search/": {"GET": only("organizer", "assessor", "staff", status=200, members=403)},
    f"{C}search/judge/": {"POST": assessor(422)},
    f"{C}search/index/": {"POST": organizer(302)},
    f"{C}search/document/": {"GET": only("organizer", "assessor", "staff", status=404, members=403)},  # none is named
    f"{C}search/run/": {"GET": organizer(409)},  # nobody found anything
    f"{C}progress/adaptive/": {"GET": organizer(200), "POST": organizer(422)},
    f"{C}progress/hours.csv": {"GET": organizer(200)},
    f"{C}progress/held/<str:user>/": {"GET": organizer(200), "POST": organizer(422)},  # nobody holds anything
    f"{C}judge/<uuid:seat>/": {"GET": assessor(200), "POST": assessor(422)},
    f"{C}progress/": {"GET": organizer(200)},
    f"{C}agreement/": {"GET": organizer(200)},
    f"{C}agreement/documents/": {"GET": organizer(404)},  # no cell is named
    f"{C}document/": {"GET": organizer(404)},  # no document is named
    f"{C}agreement/file/<str:form>/": {"GET": organizer(200)},
    f"{C}judge/agreement/": {"GET": assessor(403)},  # not allowed
    f"{C}merge/": {"GET": organizer(200), "POST": organizer(422)},
    f"{C}adjudicate/": {"GET": decider(200), "POST": organizer(422)},
    f"{C}adjudicate/reopen/": {"POST": decider(422)},
    f"{C}adjudicate/topics/<path:topic>/": {"GET": adjudicator(302), "POST": adjudicator(422)},
    f"{C}adjudicate/decisions/<path:topic>/": {"GET": organizer(200)},
    # Pages: releases and scores
    f"{C}releases/<int:number>/state/": {"POST": organizer(422)},
    f"{C}releases/<int:number>/archive/": {"GET": released(200)},
    f"{C}releases/<int:number>/scores/": {"GET": released(200)},
    f"{C}releases/<int:number>/diff/<int:against>/": {"GET": released(200)},
    f"{C}data/": {"GET": released(200)},
    f"{C}effect/": {"GET": organizer(200)},
    f"{C}pool/compare/": {"GET": organizer(200), "POST": organizer(422)},
    f"{C}import-qrels/": {"GET": organizer(200), "POST": organizer(422)},
    f"{C}live-qrels/": {"GET": organizer(200)},
    f"{C}releases/": {"GET": released(200), "POST": organizer(422)},
    f"{C}releases/<int:number>/": {"GET": released(200)},
    f"{C}releases/<int:number>/qrels/": {"GET": released(200)},
    f"{C}releases/<int:number>/score/": {"POST": organizer(302)},
    f"{C}leaderboard/": {"GET": released(200)},
    f"{C}leaderboard/file/<str:form>/": {"GET": released(200)},
    f"{C}leaderboard/scores.csv": {"GET": released(200)},
    f"{C}leaderboard/topics.csv": {"GET": released(200)},
    f"{C}leaderboard/topics/<path:topic>/": {"GET": released(200)},
    f"{C}scores/<str:tag>/": {"GET": released(200)},
    f"{C}compare/": {"GET": released(200)},
    f"{C}pool-report/": {"GET": released(200)},
    f"{C}scoring/": {"GET": organizer(200), "POST": organizer(422)},
    f"{C}try/": {"GET": released(200), "POST": released(422)},
    f"{C}try/<int:pk>/": {"GET": but(released(404), organizer=200)},  # the organizer's own
    f"{C}try/<int:pk>/throw-away/": {"POST": but(released(404), organizer=302)},
    f"{C}scores/<str:tag>/trec_eval/": {"GET": released(200)},
    f"{C}topics/": {"GET": member(200), "POST": organizer(422)},
    f"{C}topics.<str:ending>": {"GET": member(200)},
    f"{C}topics/language/": {"POST": but(member(302), staff=302)},
    f"{C}topics/<path:number>/": {"GET": member(200), "POST": organizer(422)},
    f"{C}documents/": {"GET": organizer(200), "POST": organizer(422)},
    f"{C}uploads/<int:pk>/": {"GET": submitter(200)},
    f"{C}uploads/<int:pk>/dismiss/": {"POST": submitter(409)},  # it was accepted
    f"{C}uploads/<int:pk>/repair/": {"POST": submitter(422)},
    f"{C}runs/": {"GET": submitter(200), "POST": submitter(422)},
    f"{C}rules/": {"GET": organizer(200), "POST": organizer(422)},
    f"{C}baseline/": {"GET": organizer(200), "POST": organizer(422)},
    f"{C}runs/<str:tag>/": {"GET": submitter(200)},
    f"{C}runs/<str:tag>/edit/": {"GET": submitter(200), "POST": submitter(422)},
    f"{C}runs/<str:tag>/file/": {"GET": submitter(200)},
    f"{C}runs/<str:tag>/withdraw/": {"POST": submitter(409)},  # there are scores of it
    f"{C}withdrawn/<int:pk>/file/": {"GET": submitter(200)},
    f"{C}pool/": {"GET": organizer(200), "POST": organizer(422)},
    f"{C}pool/items/": {"GET": organizer(200)},
    f"{C}pool/file/<str:form>/": {"GET": organizer(200)},
    f"{C}pool/<int:number>/": {"GET": organizer(200)},
    "join/<str:signed>/": {
        "GET": but(everybody(200), assessor=302),
        "POST": but(everybody(302), anonymous=422, participant=409),
    },
    # API
    "api/v1/": {method: everybody(404) for method in METHODS},  # only the name of the root
    "api/v1/openapi.json": {"GET": everybody(200)},
    "api/v1/presets": {"GET": everybody(200)},
    "api/v1/me": {"GET": signed_in(200), "PATCH": but(signed_in(200), machine=403)},
    "api/v1/tokens": {"GET": signed_in(200), "POST": but(signed_in(422), machine=403)},
    "api/v1/tokens/<int:id>": {"DELETE": but(only("organizer", status=204), machine=403)},
    "api/v1/jobs": {"GET": signed_in(200)},
    "api/v1/jobs/<int:id>": {"GET": only("organizer", "staff", status=200)},
    "api/v1/jobs/<int:id>/output": {"GET": only("organizer", "staff", status=200)},
    "api/v1/jobs/trial": {"POST": but(administrator(202), machine=403)},
    "api/v1/people": {"GET": administrator(200)},
    "api/v1/people/<int:id>": {
        "PATCH": but(administrator(200), machine=403),
        "DELETE": but(administrator(200), machine=403),
    },
    "api/v1/people/<int:id>/link": {"POST": but(administrator(201), machine=403)},
    "api/v1/status": {"GET": administrator(200)},
    "api/v1/collections": {"GET": everybody(200), "POST": but(signed_in(422), machine=403)},
    A: {"GET": member(200), "PATCH": organizer(200)},
    f"{A}/scale": {"PUT": organizer(200)},
    f"{A}/guidelines": {"GET": member(200), "POST": organizer(201)},
    f"{A}/guidelines/<int:version>": {"GET": member(200)},
    f"{A}/archive": {"POST": organizer(200)},
    f"{A}/restore": {"POST": organizer(200)},
    f"{A}/export": {"POST": organizer(202)},
    f"{A}/members": {"GET": organizer(200)},
    f"{A}/members/<int:id>": {"DELETE": organizer(204)},
    f"{A}/machines": {"POST": organizer(201)},
    f"{A}/machines/<int:id>/tokens": {"POST": organizer(201)},
    f"{A}/invitations": {"GET": organizer(200), "POST": organizer(201)},
    f"{A}/invitations/<int:id>": {"DELETE": organizer(204)},
    f"{A}/queue": {"GET": assessor(200)},
    f"{A}/queue/hold": {"POST": assessor(200), "DELETE": assessor(200)},
    f"{A}/queue/words/<path:topic>": {"PUT": but(assessor(200), machine=404)},
    f"{A}/leases": {"GET": organizer(200)},
    f"{A}/leases/<str:user>": {"GET": organizer(422), "DELETE": organizer(422)},
    f"{A}/queue/progress": {"GET": assessor(200)},
    f"{A}/queue/practice": {"GET": assessor(200)},
    f"{A}/queue/practice/<int:item>": {"POST": but(assessor(200), machine=404)},
    f"{A}/queue/questions": {"GET": assessor(200)},
    f"{A}/queue/questions/seen": {"POST": assessor(204)},
    f"{A}/queue/<uuidstr:seat>/questions": {"POST": but(assessor(201), machine=404)},
    f"{A}/watch": {"GET": organizer(200)},
    f"{A}/drafts": {"GET": organizer(200), "POST": organizer(409)},  # there is a draft of this number
    f"{A}/drafts/<int:id>": {"GET": organizer(409), "PUT": organizer(200)},  # there is no index yet
    f"{A}/drafts/<int:id>/grades": {"POST": organizer(422)},  # there is no such document
    f"{A}/drafts/<int:id>/more": {"POST": organizer(200)},
    f"{A}/drafts/<int:id>/accept": {"POST": organizer(200)},
    f"{A}/drafts/<int:id>/drop": {"POST": organizer(200)},
    f"{A}/topics-freeze": {"POST": organizer(409), "DELETE": organizer(409)},  # a draft is open; they are not frozen
    f"{A}/search": {"GET": only("organizer", "assessor", "staff", status=409, members=403)},  # there is no index yet
    f"{A}/search/words": {"GET": only("organizer", "assessor", "staff", status=409, members=403)},  # nor here
    f"{A}/search/judgments": {"POST": assessor(422)},  # there is no such document
    f"{A}/search/index": {"POST": organizer(202)},
    f"{A}/search/run": {"GET": organizer(409)},  # nobody found anything
    f"{A}/adaptive": {"GET": organizer(200)},
    f"{A}/adaptive/<int:round>/stop": {"POST": organizer(422)},
    f"{A}/adaptive/<int:round>/resume": {"POST": organizer(409)},
    f"{A}/adaptive/<int:round>/check": {"POST": organizer(409)},  # that round is not an adaptive one
    f"{A}/hours": {"GET": organizer(200)},
    f"{A}/questions": {"GET": organizer(200)},
    f"{A}/questions/<int:question>": {"POST": organizer(201)},
    f"{A}/workloads": {"GET": organizer(200)},
    f"{A}/workloads/<str:user>": {"PUT": organizer(200)},
    f"{A}/practice/<path:topic>": {"GET": organizer(200), "PUT": organizer(200)},
    f"{A}/queue/history": {"GET": assessor(200)},
    f"{A}/queue/judgments": {"GET": assessor(200)},
    f"{A}/queue/alike": {"GET": assessor(200)},
    f"{A}/queue/<uuidstr:seat>": {"GET": but(assessor(200), machine=404), "POST": but(assessor(200), machine=404)},
    f"{A}/assignments": {"GET": organizer(200), "PUT": organizer(200)},
    f"{A}/assignments/auto": {"POST": organizer(200)},
    f"{A}/assignments/seats": {"POST": organizer(200)},
    f"{A}/progress": {"GET": organizer(200)},
    f"{A}/agreement": {"GET": organizer(200)},
    f"{A}/agreement/report": {"GET": organizer(200)},
    f"{A}/queue/agreement": {"GET": assessor(403)},
    f"{A}/judgments": {"GET": organizer(200)},
    f"{A}/merge": {"GET": organizer(200), "PATCH": organizer(200)},
    f"{A}/adjudication": {"GET": decider(200), "PUT": organizer(200)},
    f"{A}/adjudication/cases": {"GET": decider(200)},
    f"{A}/adjudication/document": {"GET": adjudicator(404)},  # none is named
    f"{A}/adjudication/decisions": {"POST": adjudicator(200)},
    f"{A}/adjudication/reopen": {"POST": decider(409)},  # nothing is decided
    f"{A}/qrels": {"POST": organizer(202)},
    f"{A}/live-qrels": {"GET": organizer(200)},
    f"{A}/strategies": {"GET": organizer(404), "POST": organizer(409)},  # nothing is simulated, and nothing judged by two runs
    f"{A}/effect": {"GET": organizer(200)},
    f"{R}/state": {"POST": organizer(200)},
    f"{R}/archive": {"GET": released(200)},
    f"{R}/scores/archive": {"GET": released(200)},
    f"{R}/diff/<int:against>": {"GET": released(200)},
    f"{A}/releases": {"GET": released(200), "POST": organizer(202)},
    f"{A}/releases/missing": {"GET": organizer(200)},
    R: {"GET": released(200)},
    f"{R}/qrels": {"GET": released(200)},
    f"{R}/scores": {"GET": released(200), "POST": organizer(202)},
    f"{R}/scores.csv": {"GET": released(200)},
    f"{R}/topics.csv": {"GET": released(200)},
    f"{R}/topics/<path:topic>": {"GET": released(200)},
    f"{R}/runs/<tag>": {"GET": released(200)},
    f"{R}/runs/<tag>/report": {"GET": released(200)},
    f"{R}/runs/<tag>/trec_eval": {"GET": released(200)},
    f"{A}/leaderboard": {"GET": released(200)},
    f"{A}/compare": {"GET": released(422)},  # no run is named
    f"{A}/pool-report": {"GET": released(422)},  # there is one run alone
    f"{A}/scoring": {"GET": organizer(200), "PATCH": organizer(200)},
    f"{A}/private": {"GET": released(200)},
    f"{A}/private/<int:id>": {"DELETE": but(released(404), organizer=204)},
    f"{R}/private": {"POST": released(422)},  # a run of another collection
    "api/v1/measures": {"GET": everybody(200)},
    f"{A}/topics": {"GET": member(200), "POST": organizer(202)},
    f"{A}/topics-file": {"GET": member(200)},
    f"{A}/topic-language": {"GET": member(200), "PUT": but(member(200), machine=403)},
    f"{A}/topics/<path:number>": {"GET": member(200), "PUT": organizer(200)},
    f"{A}/documents": {"GET": organizer(200), "POST": organizer(202)},
    f"{A}/uploads": {"GET": submitter(200)},
    f"{A}/uploads/<int:id>": {"GET": submitter(200), "DELETE": submitter(409)},
    f"{A}/uploads/<int:id>/repair": {"POST": submitter(409)},
    f"{A}/runs": {"GET": submitter(200), "POST": submitter(202)},
    f"{A}/runs/archive": {"POST": submitter(202)},
    f"{A}/runs/baseline": {"POST": organizer(202)},
    f"{A}/rules": {"GET": submitter(200), "PUT": organizer(200)},
    f"{A}/runs/<tag>": {"GET": submitter(200), "PATCH": submitter(200), "DELETE": submitter(409)},
    f"{A}/runs/<tag>/file": {"GET": submitter(200)},
    f"{A}/withdrawn": {"GET": submitter(200)},
    f"{A}/withdrawn/<int:id>/file": {"GET": submitter(200)},
    f"{A}/pools": {"GET": organizer(200), "POST": organizer(202)},
    f"{A}/pools/sizes": {"GET": organizer(200)},
    f"{A}/pools/plan": {"POST": organizer(200)},
    f"{A}/pools/items": {"GET": organizer(200)},
    f"{A}/pools/file": {"GET": organizer(200)},
    f"{A}/pools/<int:round>": {"GET": organizer(200)},
    "api/v1/strategies": {"GET": everybody(200)},
    "api/v1/join/<signed>": {"GET": signed_in(200), "POST": but(signed_in(200), participant=409, machine=403)},
}

# The API reads a body before it asks who may: these are whole, so that the answer tells of the role.
BODIES: dict[str, object] = {
    f"{A}/scale": {
        "grades": [{"value": 0, "label": "No", "key": "0"}, {"value": 1, "label": "Yes", "key": "1"}],
        "lenient_from": 1,
        "strict_from": 1,
    },
    f"{A}/guidelines": {"text": "Judge by the text."},
    f"{A}/queue/<uuidstr:seat>": {"grade": 1, "client_id": "6f1c1c0e-3c1b-4d52-9d5e-0c8f1a2b3c4d"},
    f"{A}/queue/hold": {},
    f"{A}/queue/practice/<int:item>": {"grade": 1},
    f"{A}/queue/<uuidstr:seat>/questions": {"text": "Are eels meant?"},
    f"{A}/questions/<int:question>": {"text": "Yes."},
    f"{A}/workloads/<str:user>": {"weight": 2},
    f"{A}/search/judgments": {
        "topic": "1",
        "docno": "nowhere",
        "grade": 1,
        "client_id": "6f1c1c0e-3c1b-4d52-9d5e-0c8f1a2b3c4f",
    },
    f"{A}/drafts": {"number": "9", "title": "eels"},
    f"{A}/drafts/<int:id>": {"number": "9", "title": "eels"},
    f"{A}/drafts/<int:id>/grades": {"docno": "nowhere", "grade": 1},
    f"{A}/adaptive/<int:round>/stop": {"topic": "1"},
    f"{A}/adaptive/<int:round>/resume": {"topic": "1"},
    f"{A}/adaptive/<int:round>/check": {"topic": "1"},
    f"{A}/practice/<path:topic>": {"examples": []},
    f"{A}/queue/words/<path:topic>": {"words": "salmon"},
    f"{A}/assignments": {"assignments": []},
    f"{A}/assignments/auto": {"topics": "all"},
    f"{A}/merge": {"rule": "max"},
    f"{A}/adjudication": {"topics": [{"topic": "1", "adjudicators": []}]},
    f"{A}/adjudication/decisions": {
        "topic": "1",
        "docno": "a",
        "grade": 1,
        "client_id": "6f1c1c0e-3c1b-4d52-9d5e-0c8f1a2b3c4e",
    },
    f"{A}/adjudication/reopen": {"topic": "1", "docno": "a", "client_id": "6f1c1c0e-3c1b-4d52-9d5e-0c8f1a2b3c4f"},
    f"{A}/qrels": b"1 a A9 2\n",
    f"{R}/state": {"state": "withdrawn", "note": "Wrong topics."},
    f"{A}/scoring": {"seen": "own"},
    f"{R}/private": b"1 Q0 elsewhere 1 1.0 mine",
    f"{A}/machines": {"name": "judge-2"},
    f"{A}/machines/<int:id>/tokens": {"name": "second", "scopes": ["read"]},
    f"{A}/invitations": {"role": "assessor"},
    f"{A}/topics": b"1\tone\n",  # bytes: sent as a file
    f"{A}/documents": b"{}",
    f"{A}/runs": b"1 Q0 d1 1 1.0 other",
    f"{A}/runs/archive": b"1 Q0 d1 1 1.0 other",
    f"{A}/topics/<path:number>": {"title": "one"},
    f"{A}/topic-language": {"language": ""},
    f"{A}/rules": {"max_per_topic": 100},
    f"{A}/pools/plan": {"depth": 1},
    f"{A}/pools": {"depth": 1},
}


PARTS = ["api/v1/collections/", "api/", "c/", ""]  # a route is of the first that it begins with


@dataclass
class World:
    """One of each thing, all in the organizer's private collection."""

    cast: Cast
    machine: User
    values: dict[str, object] = field(default_factory=dict)

    def user(self, role: str) -> User | None:
        return self.machine if role == "machine" else getattr(self.cast, role, None)

    def client(self, role: str, client_for: ClientFor) -> Client:
        if role != "machine":
            return client_for(self.user(role))
        _token, secret = accounts.make_token(user=self.machine, name="all", scopes=sorted(set(Scope) - {Scope.MANAGE}))
        return Client(headers={"Authorization": f"Bearer {secret}"})

    def address(self, route: str) -> str:
        numbers = {
            "job": "jobs/",
            "machine": ("machines/", "/token/"),
            "token": "tokens/",
            "person": "people/",
            "upload": "uploads/",
            "kept": ("private/", "/try/"),
            "draft": "drafts/",
            "withdrawn": "withdrawn/",
        }
        for name, marks in {**numbers, "invitation": "invitations/", "member": "members/"}.items():
            if any(mark in route for mark in ([marks] if isinstance(marks, str) else marks)):
                route = route.replace("<int:pk>", str(self.values[name])).replace("<int:id>", str(self.values[name]))
                break
        for name, value in self.values.items():
            for kind in ("slug:", "int:", "str:", "path:", "uuid:", "uuidstr:", ""):
                route = route.replace(f"<{kind}{name}>", str(value))
        assert "<" not in route, route
        return f"/{route}"


@pytest.fixture
def world(cast: Cast) -> World:
    return make_world(cast)


def make_world(cast: Cast) -> World:
    collection, by = cast.collection, cast.organizer
    shutil.rmtree(settings.DATA / "files" / "search", ignore_errors=True)  # of other tests, whose numbers come again
    collections.write_guideline(collection, by=by, text="Judge by the text alone.")
    job = collections.request_export(collection, by=by)
    output = settings.DATA / "files" / "matrix.zip"
    output.parent.mkdir(exist_ok=True)
    output.write_text("result")
    Job.objects.filter(pk=job.pk).update(state="done", output="files/matrix.zip")
    invitation = members.invite(collection, by=by, role=Role.ASSESSOR, max_uses=100)[0]
    person = factories.make_user(f"Away from {collection.name}")  # nobody signs in as them: that would end their reset link
    machine = members.add_machine(collection, name="robot")[0]
    values = {
        "slug": collection.slug,
        "version": 1,
        "number": 1,
        "round": 1,
        "against": 1,
        "form": "csv",
        "ending": "trec",
        "guide": "guides/glossary",
        "picture": "guides/judge.png",
        "topic": "1",
        "user": cast.assessor.username,
        "username": "olive",
        "job": job.pk,
        "invitation": invitation.pk,
        "signed": members.invitation_url(invitation).rstrip("/").rsplit("/", 1)[1],
        "machine": machine.pk,
        "member": collection.memberships.get(user=cast.researcher).pk,
        "person": person.pk,
        "token": accounts.make_token(user=by, name="mine", scopes=["read"])[0].pk,
        "secret": accounts.make_link(person).rstrip("/").rsplit("/", 1)[1],
        "uidb64": urlsafe_base64_encode(force_bytes(person.pk)),
    }
    values["draft"] = TopicDraft.objects.create(collection=collection, number="9", title="eels", words="eels", created_by=by).pk
    own = scored.make_run(collection, "own", scored.BETA, by=cast.participant)
    values |= {"tag": own.tag, "upload": own.upload_id}
    gone = scored.make_run(collection, "gone", scored.BETA, by=cast.participant)
    values["withdrawn"] = runs.withdraw_run(gone, by=cast.participant)[0].pk
    scored.judge_all(collection, scored.FIRST, cast.assessor)
    release = scored.freeze(collection, by)
    scored.score(release)
    trying.try_run(release, by=by, data=b"1 Q0 a 1 1.0 kept\n", keep=True)
    values["kept"] = PrivateScore.objects.get(release=release).pk
    work = judged.make_work(collection, by, topics=1)
    judged.make_documents(collection, ["a"])
    assigning.assign(collection, by=by, wanted=[assigning.Wanted(work[0], [cast.assessor])], overlap=0)
    seat = blind.next_cards(collection, cast.assessor, 1)[0].token
    item = PracticeItem.objects.create(topic=work[0], docno="any", grade=1)
    PracticeAnswer.objects.create(item=item, assessor=cast.assessor, grade=1)
    question = questions.ask(collection, assessor=cast.assessor, seat=seat, text="Are smolt meant?")
    values |= {"seat": seat, "item": item.pk, "question": question.pk}
    return World(cast, machine.user, {**values, "token_": default_token_generator.make_token(person)})


def routes(patterns: list[URLPattern | URLResolver] | None = None, before: str = "") -> Iterator[str]:
    for pattern in get_resolver().url_patterns if patterns is None else patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from routes(pattern.url_patterns, route)
        else:
            yield route


def test_every_address_has_a_row() -> None:
    assert sorted(set(routes())) == sorted(TABLE)


@pytest.mark.parametrize("part", PARTS)
def test_answers(part: str, world: World, client_for: ClientFor, subtests: pytest.Subtests) -> None:
    """Who may do what is decided in Python, so PostgreSQL is asked every address by one role alone."""
    roles = ROLES if connection.vendor == "sqlite" else ("organizer",)
    clients = {role: world.client(role, client_for) for role in roles}
    for route in [route for route in sorted(TABLE) if next(filter(route.startswith, PARTS)) == part]:
        path, api = world.address(route.replace("<str:token>", str(world.values["token_"]))), route.startswith("api/v1/")
        found, expected = {}, {}
        for role, method in product(roles, METHODS):
            rule = TABLE[route].get(method)
            if rule or role in ("anonymous", "organizer"):
                expected[role, method] = expect(rule, api, role) if rule else 405
                found[role, method] = ask(clients[role], method, path, BODIES.get(route, {}))
            else:
                expected[role, method], found[role, method] = 405, ask_view(world.user(role), method, path)
        for role in ("anonymous", "stranger") if "GET" in TABLE[route] and len(roles) > 1 else ():
            found[role, "HEAD"] = ask(clients[role], "HEAD", path, {})
            expected[role, "HEAD"] = 405 if found[role, "HEAD"] == 405 else expected[role, "GET"]  # never more than GET
        with subtests.test(route):
            assert {key: status for key, status in found.items() if status != expected[key]} == {}, expected


def ask_view(user: User | None, method: str, path: str) -> int:
    """The status that the view itself gives a method it does not know: before all else, so middleware is left out."""
    request = RequestFactory().generic(method, path)
    request.user = user or AnonymousUser()
    found = resolve(path)
    try:
        return int(found.func(request, *found.args, **found.kwargs).status_code)
    except Exception as error:
        pytest.fail(f"{method} {path} goes further than 405: {error!r}")


def ask(client: Client, method: str, path: str, given: object) -> int:
    return send(client, method, path, given)[0]


def send(client: Client, method: str, path: str, given: object) -> tuple[int, str, bytes]:
    """Status, headers and body of one request, whose effects are taken back, signing out included."""
    cookies = deepcopy(client.cookies)
    form, json_ = (
        (urlencode(given) if isinstance(given, dict) and given else "x=1", "application/x-www-form-urlencoded"),
        ("" if isinstance(given, bytes) else json.dumps(given), "application/json"),
    )
    body, kind = json_ if path.startswith("/api/") and not isinstance(given, bytes) else form
    if isinstance(given, bytes):
        body, kind = encode_multipart(BOUNDARY, {"file": SimpleUploadedFile("file", given)}), MULTIPART_CONTENT  # type: ignore[assignment]
    with transaction.atomic():
        response = client.generic(method, path, "" if method in ("GET", "HEAD") else body, content_type=kind)
        found = response.getvalue()
        transaction.set_rollback(True)
    told = "\n".join(f"{name}: {value}" for name, value in response.headers.items()) + response.cookies.output()
    client.cookies = cookies
    for file in getattr(response, "_resource_closers", []):
        file()  # response.close() would end the test's connection too
    return int(response.status_code), told, found


def test_machine_acts_by_token_alone(world: World) -> None:
    """A program is a member of its collection like any other, by its token; it has no pages."""
    machine = ApiToken.objects.get(user__is_machine=True).user
    _token, secret = accounts.make_token(user=machine, name="t", scopes=["read", "judge"])
    client = Client(headers={"Authorization": f"Bearer {secret}"})
    assert client.get(f"/api/v1/collections/{world.cast.collection.slug}").status_code == 200
    assert client.get(f"/api/v1/collections/{world.cast.collection.slug}/members").status_code == 403
    assert client.get(f"/c/{world.cast.collection.slug}/").status_code == 302


@pytest.mark.parametrize(("visibility", "status"), [("private", 302), ("unlisted", 200), ("public", 200)])
def test_visibility_opens_the_outside_only(world: World, client_for: ClientFor, visibility: str, status: int) -> None:
    collection = world.cast.collection
    collection.visibility = visibility
    collection.save()
    client = client_for(None)
    assert client.get(f"/c/{collection.slug}/").status_code == status
    assert client.get(f"/c/{collection.slug}/members/").status_code == 302
    assert client_for(world.cast.stranger).get(f"/c/{collection.slug}/members/").status_code == 404
    listed = collection.name in client.get("/").content.decode()
    assert listed == (visibility == "public")


def test_missing_and_hidden_are_alike(world: World, client_for: ClientFor) -> None:
    client = client_for(world.cast.stranger)
    hidden, missing = client.get(f"/c/{world.cast.collection.slug}/"), client.get("/c/no-such-collection/")
    assert (hidden.status_code, hidden.content) == (missing.status_code, missing.content) == (404, missing.content)
