"""The demo's world: a small collection of our own prose, taken through every stage by the services that pages use."""

import json
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from django.db import transaction

from assess import adjudication
from assess.models import DecisionReason
from assess.services import adjudicating, assigning, judging, merging
from config import accounts, demo
from config.models import User
from evaluation.models import Release, ReleaseState
from evaluation.services import releases
from pooling.core import baseline
from pooling.core.baseline import Model
from pooling.core.runs import write_run
from pooling.core.text import Texts
from pooling.models import Collection, Role, Upload, UploadKind, UploadState
from pooling.services import baselines, collections, indexing, members, pools, uploads
from pooling.services.work import Direct

FOLDER = Path(__file__).parent
SEED = 1938
DEPTH = 12  # of the pool
LEFT = 12  # documents that the assessor with a button still has to judge
SITTING = 10  # documents judged before it is the next one's turn
DECIDED = 0.6  # of what differs
Truth = dict[tuple[str, str], int]
Tell = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Habit:
    """How an assessor departs from the true grade: how often up, how often down, how often anyhow; and their pace."""

    username: str
    name: str
    up: float
    down: float
    slip: float
    seconds: float


HABITS = (
    Habit("amos", demo.CAST["amos"].name, 0.06, 0.06, 0.01, 14.0),
    Habit("bettina", "Bettina Oakes", 0.16, 0.02, 0.01, 11.0),
    Habit("cyril", "Cyril Nance", 0.02, 0.18, 0.01, 19.0),
    Habit("dora", "Dora Whitlock", 0.08, 0.08, 0.05, 7.0),
)
# Runs that participants submit; those of the organizers are made by the site.
SUBMITTED = {
    ("percy", "Quayside"): (
        Model(tag="quay-plain", b=0.0, k1=0.4),
        Model(tag="quay-desc", fields="title+description"),
        Model(tag="quay-feedback", fields="title+description", feedback=5),
    ),
    ("nell", "Fathom Lab"): (
        Model(tag="fathom-tfidf", model="tfidf", fields="title+description"),
        Model(tag="fathom-rocchio", model="tfidf", feedback=3),
    ),
}
BASELINES = (Model(), Model(tag="assize-bm25-long", fields="all"), Model(model="tfidf"))
NOTES = {
    0: ("Only the word is the same.", "Another part of the story."),
    1: ("Mentions it in passing.", "One sentence of use."),
    2: ("Good, but half of it is about something else.", "Useful figures."),
    3: ("Just what is asked for.",),
}
DESCRIPTION = """Short reports from the harbour town of Saltmere, which is not on any map, and twelve topics about them.

Everything here was written for this demo. Change what you like: the folder it lives in is its own."""
GUIDELINE = """# How to judge

Judge each document **by itself**, as if you had read no other, against what the *narrative* asks for.

- **Highly relevant**: you would print it for somebody who asked.
- **Relevant**: it answers, though not only that.
- **Partially relevant**: one sentence of use.
- **Not relevant**: the words may be there, the answer is not.

A street, a café or a football club that is named after a thing is not about that thing."""


@transaction.atomic
def build(tell: Tell, *, topics: int = 12) -> Collection:
    """Make the whole world, or none of it; of `topics` only the first so many. It is the same each time."""
    generator = np.random.default_rng(SEED)
    people = {name: _account(name, person.name, name == "ada") for name, person in demo.CAST.items()}
    organizer, truth, work = people["olive"], _truth(), Direct(lambda *_: None)
    stages = ("Documents and topics", "Runs", "Pool", "Judgments", "Decisions", "Release and scores")
    done = iter(enumerate(stages))

    def stage() -> None:
        place, name = next(done)
        tell(place, len(stages), name)

    with work:
        stage()
        collection = _collection(organizer)
        people |= {habit.username: _account(habit.username, habit.name) for habit in HABITS if habit.username not in people}
        people["nell"] = _account("nell", "Nell Fairweather")
        _join(collection, organizer, people)
        _send(collection, organizer, UploadKind.DOCUMENTS, "documents.jsonl", (FOLDER / "documents.jsonl").read_bytes(), work)
        lines = (FOLDER / "topics.jsonl").read_bytes().splitlines(keepends=True)[:topics]
        _send(collection, organizer, UploadKind.TOPICS, "topics.jsonl", b"".join(lines), work)
        indexing.index_documents(collection, work)
        stage()
        _runs(collection, organizer, people, lines, work)
        stage()
        pools.draw_pool(pools.plan_pool(collection, by=organizer, runs=collection.runs.all(), depth=DEPTH), work)
        assessors = [people[habit.username] for habit in HABITS]
        rules = assigning.Rules(third=0.1)
        shared = {"assessors": assessors, "overlap": 0.4, "seed": SEED, "rules": rules}
        assigning.auto_assign(collection, by=organizer, work=work, **shared)  # type: ignore[arg-type]
        stage()
        busy = list(HABITS)
        while busy:  # in turns, as if side by side
            busy = [habit for habit in busy if _judge(collection, people[habit.username], habit, truth, generator)]
        stage()
        merging.set_plan(collection, by=organizer, rule="majority", differ_by=2)
        _decide(collection, people["judith"], truth, generator)
        stage()
        _release(collection, organizer, work)
        tell(len(stages), len(stages), "ready")
    return collection


def _truth() -> Truth:
    rows = (line.split() for line in (FOLDER / "grades.qrels").read_text().splitlines())
    return {(topic, docno): int(grade) for topic, _, docno, grade in rows}


def _account(username: str, name: str, administrator: bool = False) -> User:
    """Without a password: one signs in by the button, or not at all."""
    return accounts.create_account(username=username, name=name, password=None, administrator=administrator)


def _collection(organizer: User) -> Collection:
    described = {"genre": "news", "languages": "en", "source": "Written for the demo of Assize"}
    collection = collections.create_collection(
        by=organizer,
        name="Saltmere harbour news",
        slug=demo.SLUG,
        task="ad-hoc",
        description=DESCRIPTION,
        visibility="public",
        **described,
    )
    collections.write_guideline(collection, by=organizer, text=GUIDELINE)
    measures = ["nDCG@10", "AP", "P@5", "Rprec", "bpref"]
    return collections.edit_collection(
        collection, name=collection.name, description=DESCRIPTION, visibility="public", measures=measures
    )


def _join(collection: Collection, organizer: User, people: dict[str, User]) -> None:
    roles = {habit.username: Role.ASSESSOR for habit in HABITS} | {"nell": Role.PARTICIPANT}
    roles |= {person.username: Role(person.role) for person in demo.CAST.values() if person.role in Role.values}
    for username, role in roles.items():
        if people[username] != organizer:
            (invitation,) = members.invite(collection, by=organizer, role=role)
            members.accept_invitation(invitation, user=people[username])


def _send(collection: Collection, by: User, sent: UploadKind, name: str, data: bytes, work: Direct, **options: str) -> None:
    upload = uploads.receive_file(collection, by=by, kind=sent, name=name, chunks=[data], options=options, later=False)
    _require_taken(uploads.check_upload(upload, work))


def _require_taken(upload: Upload) -> None:
    if upload.state != UploadState.ACCEPTED:
        raise ValueError(f"the demo's own {upload.name} was refused: {upload.report}")


def _runs(collection: Collection, organizer: User, people: dict[str, User], lines: list[bytes], work: Direct) -> None:
    for model in BASELINES:
        _require_taken(baselines.make_baseline(collection, by=organizer, model=model, work=work))
    documents = [json.loads(line) for line in (FOLDER / "documents.jsonl").read_text().splitlines()]
    texts = Texts.of((one["id"], f"{one['title']}\n{one['text']}", "en") for one in documents)
    topics = {topic.pop("id"): topic for topic in map(json.loads, lines)}
    for (username, group), models in SUBMITTED.items():
        for model in models:
            queries = [(number, baseline.query_of(topic, model.fields, "en")) for number, topic in topics.items()]
            data = write_run(baseline.rank(texts, queries, model))
            given = {"group": group, "kind": "automatic", "description": str(model)}
            _send(collection, people[username], UploadKind.RUN, f"{model.tag}.run", data, work, **given)


def _judge(collection: Collection, assessor: User, habit: Habit, truth: Truth, generator: np.random.Generator) -> bool:
    """Some of what is theirs, one document after the other; whether they go on. Who has a button leaves some."""
    keep = LEFT if habit.username in demo.CAST else 0
    for card in judging.next_items(collection, assessor=assessor, count=SITTING):
        grade = _grade(habit, truth.get((card.topic, card.docno), 0), generator)
        words = NOTES[grade][int(generator.integers(len(NOTES[grade])))] if generator.random() < 0.08 else None
        seconds = float(generator.lognormal(np.log(habit.seconds), 0.5))
        told = {"seat": card.token, "client_id": uuid.uuid4(), "grade": grade, "note": words, "seconds": seconds}
        if judging.record_judgment(collection, assessor=assessor, ahead=0, **told).left <= keep:  # type: ignore[arg-type]
            return False
    return True


def _grade(habit: Habit, true: int, generator: np.random.Generator) -> int:
    chance = float(generator.random())
    if chance < habit.slip:
        return int(generator.integers(4))
    if true == 0:  # what is beside the topic is mostly seen to be
        return int(chance > 1 - habit.up / 2)
    step = int(chance > 1 - habit.up) - int(chance < habit.slip + habit.down)
    return min(max(true + step, 0), 3)


def _decide(collection: Collection, adjudicator: User, truth: Truth, generator: np.random.Generator) -> None:
    """The greater part of what differs; the rest waits for whoever tries it."""
    cases = adjudication.cases(collection)
    reasons = [DecisionReason.BORDERLINE, DecisionReason.GUIDELINES, DecisionReason.OVERLOOKED]
    for case in cases[: int(DECIDED * len(cases))]:
        grade, reason = truth.get((case.topic, case.docno), 0), reasons[int(generator.integers(len(reasons)))]
        told = {"topic": case.topic, "docno": case.docno, "grade": grade, "reason": reason, "client_id": uuid.uuid4()}
        adjudicating.decide(collection, by=adjudicator, **told)  # type: ignore[arg-type]


def _release(collection: Collection, organizer: User, work: Direct) -> Release:
    note = "The first release, while some documents are still being judged."
    release = releases.freeze_release(collection, by=organizer, note=note, score=False, work=work)
    releases.score_release(release, work=work)
    releases.set_state(release, by=organizer, state=ReleaseState.PUBLIC)
    return release
