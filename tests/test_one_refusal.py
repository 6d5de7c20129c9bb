"""One mistake has one sentence, whether it is made on a page, by the API or from the shell."""

import html
import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from assess import blind
from assess.models import DecisionReason, MergeRule, TopicDraft
from assess.services import assigning
from evaluation.boards import CORRECTIONS
from evaluation.core.comparison import TESTS
from evaluation.models import Release, Seen
from pooling.core.documents import FORMATS
from pooling.core.encodings import ENCODINGS
from pooling.core.presets import PRESETS
from pooling.core.strategies import STRATEGIES
from pooling.measures import spelled
from pooling.models import Genre
from pooling.services import collections
from tests.assess import factories
from tests.commands.conftest import Assize, assize
from tests.conftest import Cast, ClientFor
from tests.evaluation.conftest import judged, release, second
from tests.mistakes import ARCHIVED, FAR, FILE, MISTAKES, Given, Mistake

__all__ = ["assize", "judged", "release", "second"]


@pytest.fixture
def words(release: Release, judged: Cast, tmp_path: Path) -> dict[str, object]:
    """What stands for a name in braces: of sentences, addresses, forms and commands."""
    collection, by = judged.collection, judged.organizer
    draft = TopicDraft.objects.create(collection=collection, number="44", title="eels", words="eels", created_by=by)
    topic = factories.make_work(collection, by, topics=1)[0]
    assigning.assign(collection, by=by, wanted=[assigning.Wanted(topic, [judged.assessor])], overlap=0)
    card = blind.next_cards(collection, judged.assessor, 1)[0]
    values = ", ".join(map(str, collection.grades.values_list("value", flat=True)))
    files = {"file": FILE, "far": FAR, "practice": b"nowhere 1 why\n", "practice_grade": f"{card.docno} 500 why\n".encode()}
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    people = ("organizer", "assessor", "adjudicator", "participant", "stranger")
    return {
        **{name: getattr(judged, name).username for name in people},
        **{name: tmp_path / name for name in files},
        **{name: ", ".join(filter(None, known)) for name, known in CHOICES.items()},
        "unknown_measure": measure_fault("ndgc@10"),
        "slug": collection.slug,
        "alpha": collection.runs.get(tag="alpha").pk,
        "assessor_pk": judged.assessor.pk,
        "draft": draft.pk,
        "seat": card.token,
        "seat_topic": topic.number,
        "docno": card.docno,
        "values": values,
        "scale": ", ".join(f"{grade.value} ({grade.label})" for grade in collection.grades.all()),
    }


CHOICES: dict[str, list[str]] = {
    "tasks": [*PRESETS],
    "genres": [*Genre.values],
    "formats": [*FORMATS],
    "encodings": [*ENCODINGS],
    "strategies": [*STRATEGIES],
    "merge_rules": [*MergeRule.values],
    "decision_reasons": [*DecisionReason.values],
    "tests": [*TESTS],
    "corrections": [*CORRECTIONS],
    "seen": [*Seen.values],
}


def measure_fault(name: str) -> str:
    with pytest.raises(ValueError, match="is not a measure") as told:
        spelled([name])
    return str(told.value)


def filled(given: Any, words: dict[str, object]) -> Any:
    if isinstance(given, str):
        return re.sub(r"\{(\w+)\}", lambda found: str(words[found[1]]), given)
    if isinstance(given, list):
        return [filled(one, words) for one in given]
    if isinstance(given, dict):
        return {filled(name, words): filled(one, words) for name, one in given.items()}
    return given


def of_page(client: Client, address: str, form: Given) -> str:
    method, _, path = address.rpartition(" ")
    sent = {name: SimpleUploadedFile("file.txt", one) if isinstance(one, bytes) else one for name, one in form.items()}
    answer = client.get(path) if method else client.post(path, sent)
    lists = re.findall(r'<ul class="errors".*?</ul>|role="alert".*?</div>', answer.content.decode(), re.DOTALL)
    lines = [line for one in lists for line in re.findall("<li>(.*?)</li>", one, re.DOTALL)]
    told = list(dict.fromkeys(re.sub("<a.*?</a>: |<span.*?</span>", "", line) for line in lines))
    if not told:
        told = [str(answer.context.get("message", ""))]
    return " ".join(_without_place(html.unescape(one)) for one in told) or str(answer.status_code)


def of_api(client: Client, method: str, address: str, body: Given) -> str:
    if any(isinstance(one, bytes) for one in body.values()):
        files = {name: SimpleUploadedFile("file.txt", one) if isinstance(one, bytes) else one for name, one in body.items()}
        answer = client.post(address, files)
    else:
        answer = client.generic(method, address, json.dumps(body) if method != "GET" else "", content_type="application/json")
    if answer.status_code < 400:
        return str(answer.status_code)
    told = answer.json()["error"]
    return " ".join(one["message"] for one in told["details"].get("fields", [])) or _without_place(told["message"])


def of_shell(assize: Assize, command: str) -> str:
    done = assize(*shlex.split(command))
    if not done.status:
        return "0"
    return _without_place(re.sub(r"^(Error|assize [\w -]*: error): (argument [^:]*: )?", "", done.err.strip().splitlines()[-1]))


def _without_place(told: str) -> str:
    return re.sub(r"^(\S*line \d+|[a-z_\d.]+): ", "", told)


@pytest.mark.parametrize("area", MISTAKES)
def test_one_mistake_has_one_sentence(
    area: str, words: dict[str, object], judged: Cast, client_for: ClientFor, assize: Assize, subtests: pytest.Subtests
) -> None:
    for name, mistake in MISTAKES[area].items():
        with subtests.test(name):
            told = made(mistake, words, client_for(getattr(judged, mistake.by)), assize)
            assert told == dict.fromkeys(told, filled(mistake.says, words))


def test_of_an_archived_collection_all_say_the_same(
    words: dict[str, object], judged: Cast, client_for: ClientFor, assize: Assize, subtests: pytest.Subtests
) -> None:
    collections.archive_collection(judged.collection)
    for name, mistake in ARCHIVED.items():
        with subtests.test(name):
            told = made(mistake, words, client_for(judged.organizer), assize)
            assert told == dict.fromkeys(("page", "api", "shell"), mistake.says)


def made(mistake: Mistake, words: dict[str, object], client: Client, assize: Assize) -> dict[str, str]:
    """What each door says."""
    told = {}
    if mistake.page:
        told["page"] = of_page(client, *filled(list(mistake.page), words))
    if mistake.api:
        told["api"] = of_api(client, *filled(list(mistake.api), words))
    if mistake.shell:
        told["shell"] = of_shell(assize, filled(mistake.shell, words))
    return told
