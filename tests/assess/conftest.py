"""A bench: an organizer, two assessors, and two topics of five documents to judge."""

import uuid
from dataclasses import dataclass

import pytest

from assess import blind
from assess.services import assigning, judging
from assess.services.assigning import Wanted
from assess.services.seating import Seating
from config.models import User
from pooling.models import Collection, Topic
from tests import factories as people
from tests.assess import factories
from tests.remembered import remembered


@dataclass
class Bench:
    collection: Collection
    organizer: User
    ann: User
    bob: User
    stranger: User
    topics: list[Topic]

    def assign(self, *, overlap: float, seed: int = 5) -> Seating:
        """Topic 1 to Ann, topic 2 to Bob; with overlap each is the other's second."""
        one, two = self.topics
        pairs = [(one, self.ann, self.bob), (two, self.bob, self.ann)]
        wanted = [Wanted(topic, [first], [second] if overlap else []) for topic, first, second in pairs]
        return assigning.assign(self.collection, by=self.organizer, wanted=wanted, overlap=overlap, seed=seed)

    def cards(self, user: User, count: int = 100) -> list[blind.Card]:
        return judging.next_items(self.collection, assessor=user, count=count)

    def judge(self, user: User, count: int = 1, grade: int = 1, seconds: float | None = None) -> list[blind.Card]:
        """The next `count` documents of a user, judged alike."""
        found = self.cards(user, count)
        for card in found:
            judging.record_judgment(
                self.collection, assessor=user, seat=card.token, grade=grade, client_id=uuid.uuid4(), seconds=seconds
            )
        return found


def make_bench(name: str = "Harbour trials") -> Bench:
    organizer = people.make_user("Olga Organizer")
    collection = people.make_collection(organizer, name)
    ann, bob = factories.make_assessors(collection, "Ann Assessor", "Bob Beholder")
    topics = factories.make_work(collection, organizer)
    return Bench(collection, organizer, ann, bob, people.make_user("Sam Stranger"), topics)


@pytest.fixture
def bench(db: None) -> Bench:
    return remembered(make_bench)
