"""`assize demo`: its environment, its world, and its buttons, which nobody sees elsewhere."""

import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings as site
from django.test import Client
from pytest_django import Settings

from assess import adjudication
from assess.models import Judgment
from config import demo
from config.models import User
from evaluation import selectors
from evaluation.demo import world
from evaluation.models import Score
from tests import factories
from tests.config.test_settings import environment, tell
from tests.conftest import ClientFor

pytestmark = pytest.mark.once

BUTTON = "/demo/olive/"


# The environment


def ask(data: Path, **variables: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-c", "from config import settings"]
    return subprocess.run(command, cwd=site.BASE_DIR, env=environment(data, **variables), capture_output=True, text=True)


def test_demo_has_a_folder_of_its_own_and_nothing_of_the_site(tmp_path: Path) -> None:
    given = {"HOME": "/h", "ASSIZE_DATA": "/srv/assize", "ASSIZE_DATABASE_URL": "postgres://real", "ASSIZE_PORT": "9000"}
    made = demo.environment(given, ["--port", "8123"], tmp_path)
    assert made == {"HOME": "/h", "ASSIZE_DATA": "/srv/assize-demo", "ASSIZE_DEMO": "1", "ASSIZE_PORT": "8123"}
    assert demo.environment({}, [], tmp_path) == {"ASSIZE_DATA": f"{tmp_path}/data-demo", "ASSIZE_DEMO": "1"}


@pytest.mark.parametrize(
    ("folder", "given", "why"),
    [
        ("x-demo", {"ASSIZE_HOST": "0.0.0.0"}, "serves this machine alone"),
        ("x-demo", {"ASSIZE_BASE_URL": "https://assize.example.org"}, "start it with `assize demo`"),
        ("x-demo", {"ASSIZE_TRUSTED_PROXIES": "1"}, "start it with `assize demo`"),
        ("data", {}, "start it with `assize demo`"),
    ],
)
def test_demo_is_refused_anywhere_else(tmp_path: Path, folder: str, given: dict[str, str], why: str) -> None:
    done = ask(tmp_path / folder, ASSIZE_DEMO="1", **given)
    assert (done.returncode, why in done.stderr) == (1, True), done.stderr


def test_demo_is_off_unless_its_command_sets_it(tmp_path: Path) -> None:
    assert tell(tmp_path / "x-demo", "settings.DEMO") == "False"
    assert tell(tmp_path / "x-demo", "settings.DEMO", ASSIZE_DEMO="1") == "True"
    assert site.DEMO is False


# The buttons


@pytest.mark.django_db
def test_buttons_are_shown_in_the_demo_alone(client: Client, settings: Settings) -> None:
    for page in ("/", "/sign-in/"):
        assert BUTTON.encode() not in client.get(page).content
    settings.DEMO = True
    for page in ("/", "/sign-in/"):
        shown = client.get(page).content.decode()
        assert [name for name in demo.CAST if f'action="/demo/{name}/"' in shown] == list(demo.CAST)


@pytest.mark.django_db
def test_buttons_come_first_until_a_password_is_refused(client: Client, settings: Settings) -> None:
    """What has the focus is scrolled to: nothing has, or what is wrong, with the fields right below it."""
    settings.DEMO = True
    page = client.get("/sign-in/").content.decode()
    assert page.index(BUTTON) < page.index('name="username"') and "autofocus" not in page
    page = client.post("/sign-in/", {"username": "olive", "password": "wrong"}).content.decode()
    places = [page.index(part) for part in ("autofocus", "There is a problem", 'name="username"', 'name="password"', BUTTON)]
    assert places == sorted(places)


@pytest.mark.django_db
def test_a_button_signs_in_and_leads_to_the_work(client: Client, settings: Settings) -> None:
    olive = factories.make_user("Olive")
    assert client.post(BUTTON).status_code == 404
    settings.DEMO = True
    assert client.post(BUTTON).headers["Location"] == f"/c/{demo.SLUG}/"
    assert client.session["_auth_user_id"] == str(olive.pk)


@pytest.mark.django_db
def test_a_button_is_for_the_cast_and_needs_the_page_it_stands_on(settings: Settings, client_for: ClientFor) -> None:
    settings.DEMO = True
    for name in ("Olive", "Stranger"):
        factories.make_user(name)
    assert client_for().post("/demo/stranger/").status_code == 404
    assert client_for(csrf=True).post(BUTTON).status_code == 403
    assert client_for().get(BUTTON).status_code == 405


@pytest.mark.django_db
@pytest.mark.parametrize("seen", [{"REMOTE_ADDR": "192.0.2.7"}, {"REMOTE_ADDR": ""}, {"HTTP_X_FORWARDED_FOR": "127.0.0.1"}])
def test_a_button_is_refused_from_another_machine(client: Client, settings: Settings, seen: dict[str, str]) -> None:
    settings.DEMO = True
    factories.make_user("Olive")
    answer = client.post(BUTTON, **seen)  # type: ignore[arg-type]
    assert (answer.status_code, "_auth_user_id" in client.session) == (403, False)


# The world


@pytest.mark.django_db
def test_the_world_is_complete(client_for: ClientFor) -> None:
    told: list[str] = []
    collection = world.build(lambda done, total, words: told.append(words), topics=6)
    assert told[-1] == "ready"
    assert (collection.topics.count(), collection.corpus.document_count, collection.runs.count()) == (6, 200, 8)
    assert {user.username for user in User.objects.all()} >= set(demo.CAST)
    assert Judgment.objects.values("assessor").distinct().count() == 4
    cases = adjudication.cases(collection)
    assert 0 < sum(case.is_open for case in cases) < len(cases)
    release = selectors.newest(collection)
    assert release is not None and release.state == "public"
    means = Score.objects.filter(release=release, measure="nDCG@10").values_list("mean", flat=True)
    best = [mean for mean in means if mean is not None]
    assert len(best) == 8 and 0.3 < min(best) < max(best) < 1
    for person in demo.CAST.values():
        answer = client_for(User.objects.get(username=person.username)).get(person.page)
        assert (person.username, answer.status_code) == (person.username, 200)
    assert b"quay-feedback" in client_for().get(f"/c/{demo.SLUG}/leaderboard/").content


def test_the_true_grades_are_of_documents_and_topics_that_exist() -> None:
    folder = Path(world.__file__).parent
    docnos = {f"SM-{number:03}" for number in range(1, 201)}
    assert [line.split('"')[3] for line in (folder / "documents.jsonl").read_text().splitlines()] == sorted(docnos)
    truth = world._truth()
    assert {docno for _, docno in truth} <= docnos
    relevant = [sum(topic == str(number) for topic, _ in truth) for number in range(1, 13)]
    assert 5 <= min(relevant) <= max(relevant) <= 20
